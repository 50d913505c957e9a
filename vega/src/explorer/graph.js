/**
 * The data of the level that is open: its boxes, its edges, and what is lit.
 *
 * In: rows of the level `here`. Out: data sets "nodes_here", "edges_here", "edges_lit", "nodes_lit", "flags", "crumbs".
 */

import { crumbFields, edgeFields, levelFields, nodeFields } from "../codec.js";
import { explorer } from "../theme.js";
import { cornerFields } from "./nodes.js";
import { data, filter, follows, formula, formulas, lookup } from "../terms.js";

const { crumbGap, crumbMost, pad } = explorer;

/** The shape of a parameter at zoom 1, its middle at 0, 0. */
const hexagon = "replace(replace(hexagon, /W/g, datum.w / 2 - 7), /H/g, datum.h / 2)";

/** @type {import("../terms.js").Data[]} */
export const graphData = [
  data("here_level", "levels", [filter("datum.uid === here"), ...levelFields]),
  data("nodes_here", "nodes", [
    filter("datum.parent === here"),
    ...nodeFields(),
    formula("opens", "datum.inner !== '' && indata('levels', 'uid', datum.inner)"),
    formula("far", "datum.sort === 'from' || datum.sort === 'to'"),
    formula("column", "indexof(shown, datum.uid)"),
  ]),
  data("boxes", "nodes_here", [filter("datum.sort !== 'join' && datum.sort !== 'param'"), ...cornerFields]),
  data("joins", "nodes_here", [filter("datum.sort === 'join'")]),
  data("params", "nodes_here", [filter("datum.sort === 'param'"), formula("shape", hexagon)]),
  data("edges_here", "here_level", [{ type: "flatten", fields: ["edges"], as: ["edge"] }, filter("datum.edge"), ...edgeFields]),
  data("node_lit", "nodes_here", [filter("datum.uid === lit")]),
  data("edges_near", "edges_here", [
    filter("datum.source === lit_i || datum.target === lit_i"),
    ...formulas({
      beyond: "datum.source === lit_i ? datum.target : datum.source",
      down: "datum.source === lit_i && indata('joins', 'i', datum.target) ? datum.target : -1",
      up: "datum.target === lit_i && indata('joins', 'i', datum.source) ? datum.source : -1",
    }),
  ]),
  data("edges_lit", "edges_here", [
    filter("lit_i >= 0"),
    formula("through", "indata('edges_near', 'down', datum.source) || indata('edges_near', 'up', datum.target)"),
    filter("datum.source === lit_i || datum.target === lit_i || datum.through"),
  ]),
  data("nodes_lit", "nodes_here", [
    formula("near", "indata('edges_lit', 'source', datum.i) || indata('edges_lit', 'target', datum.i)"),
    filter("datum.near || datum.i === lit_i"),
  ]),
  data("boxes_lit", "nodes_lit", [filter("datum.sort !== 'join' && datum.sort !== 'param'"), ...cornerFields]),
  data("params_lit", "nodes_lit", [filter("datum.sort === 'param'"), formula("shape", hexagon)]),
  data("crumbs", "here_level", [
    { type: "project", fields: ["trail"], as: ["uid"] },
    { type: "flatten", fields: ["uid"], index: "depth" },
    lookup("levels", "uid", ["uid"], ["texts", "numbers"], ["texts", "numbers"]),
    filter("datum.texts"),
    ...crumbFields("datum"),
    formula("room", `min(datum.text_width, ${crumbMost}) + ${crumbGap}`),
    /** @type {import("../terms.js").Transform} */ ({ type: "window", ops: ["sum"], fields: ["room"], as: ["ends"] }),
    { type: "joinaggregate", ops: ["max"], fields: ["ends"], as: ["total"] },
    formula("starts", "datum.ends - datum.room"),
    formula("hidden", "datum.total - datum.starts > crumb_room && datum.ends < datum.total"),
  ]),
  data("crumbs_hidden", "crumbs", [
    filter("datum.hidden"),
    { type: "window", ops: ["row_number"], as: ["row"], sort: { field: "depth", order: "descending" } },
    filter("datum.row === 1"),
  ]),
  data("crumbs_shown", "crumbs", [
    filter("!datum.hidden"),
    { type: "joinaggregate", ops: ["min"], fields: ["starts"], as: ["first"] },
    formula("x", `${pad} + datum.starts - datum.first + (datum.first > 0 ? ${crumbGap} : 0)`),
  ]),
  data("flags", "open", [
    formula("at", "indexof(datum.trail, here)"),
    formula("inside", "datum.at < 0 || datum.at + 1 >= length(datum.trail) ? '' : datum.trail[datum.at + 1]"),
    filter("datum.inside !== ''"),
    lookup("nodes_here", "inner", ["inside"], ["uid", "x", "y", "w", "h"], ["host", "hx", "hy", "hw", "hh"]),
    filter("datum.host"),
    { type: "window", ops: ["row_number"], as: ["turn"], groupby: ["host"] },
  ]),
];

/** @type {import("../terms.js").Signal[]} */
export const graphSignals = [
  { name: "hexagon", value: "M-W,-H LW,-H l7,H l-7,H L-W,H l-7,-H Z" },
  follows("crumb_room", `explorer_w - ${2 * pad + crumbGap} - (now_shown ? 100 : 0)`),
  follows("lit_i", "length(data('node_lit')) ? data('node_lit')[0].i : -1"),
];
