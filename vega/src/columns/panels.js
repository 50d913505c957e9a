/**
 * The data of the columns: which nodes stand in them, their series, and where each plot is.
 *
 * Only series of nodes that stand in a shown column are unpacked. Out: data sets "shelves" (one per shown column),
 * "open" (those that hold a node), "plots", "pairs", "sections", "shelf_heights".
 */

import { nodeFields, seriesFields, seriesLines, sizeOf, trailOf } from "../codec.js";
import { column } from "../theme.js";
import { data, filter, follows, formula, formulas, lookup } from "../terms.js";

const { pad, gap, section, pair, name, label, strip, plot } = column;

/** @type {(ops: string, as: string, groupby: string[], by: string[]) => import("../terms.js").Transform} */
const rank = (ops, as, groupby, by) =>
  /** @type {import("../terms.js").Transform} */ ({ type: "window", ops: [ops], as: [as], groupby, sort: { field: by } });

/** @type {(packAt: string) => import("../terms.js").Transform[]} */
const linesAt = (packAt) => [
  formula("row_at", `datum.${packAt} + '@' + phase`),
  lookup("series", "uid", ["row_at"], [], ["pack"]),
  filter("datum.pack"),
  ...seriesLines,
];

/** Names of the sections of a module; all else has one tensor only. */
const headings = "datum.sort === 'module' ? ['Inputs', 'Outputs', 'Parameters'][datum.section] : 'Tensor'";

const found = ["found", "found_label", "level", "level_k", "x", "y"];
/** What a column without histograms says. @type {import("../terms.js").Signal[]} */
export const panelSignals = [
  { name: "why_lost", value: ["This module was not called", "in the latest recorded step."] },
  { name: "why_none", value: ["No histograms were recorded here."] },
  { name: "why_left_out", value: ["No histograms here: some were", "left out to keep the table small."] },
  follows("why_empty", "series_left_out > 0 ? why_left_out : why_none"),
];

/** @type {import("../terms.js").Data[]} */
export const panelData = [
  /** @type {import("../terms.js").Data} */ ({
    name: "slots",
    transform: [{ type: "sequence", start: 0, stop: { signal: "columns_n" }, as: "column" }],
  }),
  data("holding", "slots", [
    ...formulas({ uid: "shown[datum.column] || ''", left: "datum.column * column_w" }),
    lookup("nodes", "uid", ["uid"], [], ["node"]),
    filter("datum.node"),
  ]),
  data("open", "holding", [
    formula("level", "datum.node.parent"),
    ...nodeFields("datum.node"),
    lookup("levels", "uid", ["level"], [], ["level_row"]),
    ...formulas({
      trail: trailOf("datum.level_row"),
      size: sizeOf("datum.level_row"),
      level_k: `min(view_w / max(+datum.size[0], 1), view_h / max(+datum.size[1], 1))`,
    }),
  ]),
  data("values_lines", "open", linesAt("values_at")),
  data("parameter_lines", "open", linesAt("parameters_at")),
  data("lines", ["values_lines", "parameter_lines"], seriesFields),
  data("plots", "lines", [
    filter("datum.only === '' || datum.only === datum.base + ' ' + datum.series"),
    formula("heading", headings),
    rank("dense_rank", "section_rank", ["column"], ["section"]),
    formula("order", "datum.section * 10000 + datum.line"),
    rank("dense_rank", "pair_rank", ["column"], ["order"]),
    ...formulas({
      top: `datum.section_rank * ${section} + (datum.pair_rank - 1) * ${pair}`,
      plot_x: `datum.left + ${pad + column.axis} + (datum.gradient ? plot_side + ${gap} : 0)`,
      plot_y: `datum.top + ${name + label + strip + 4}`,
      bands: `max(datum.columns, ${column.fewestBands})`,
      band_w: "plot_w / datum.bands",
      bin_h: `${plot} / datum.bins`,
      plot_id: "datum.column + ' ' + datum.base + ' ' + datum.line + (datum.gradient ? ' grad' : '')",
      scale: "max(abs(datum.low), abs(datum.high))",
      decimals: "clamp(2 - floor(log(datum.scale) / LN10), 0, 3)",
      tick_format: "datum.scale < 0.01 || datum.scale >= 1e5 ? '.1~e' : '.' + datum.decimals + '~f'",
      middle: "(datum.low + datum.high) / 2",
      zero_room: "min(datum.high, -datum.low) / (datum.high - datum.low)",
      kind: "!datum.gradient ? 'value' : datum.base === 'param' ? 'gradient' : 'gradient norm'",
    }),
  ]),
  data("pairs", "plots", [
    {
      type: "aggregate",
      groupby: ["column", "left", "top", "series", "heading", "order", "base"],
      fields: ["gradient", "gradient"],
      ops: ["max", "count"],
      as: ["has_gradient", "plots"],
    },
  ]),
  data("sections", "plots", [
    { type: "aggregate", groupby: ["column", "left", "heading", "section"], fields: ["top"], ops: ["min"], as: ["top"] },
  ]),
  data("shelf_heights", "plots", [
    { type: "aggregate", groupby: ["column"], fields: ["top"], ops: ["max"], as: ["last_top"] },
    formula("bottom", `datum.last_top + ${pair + pad}`),
  ]),
  data("shelves", "slots", [
    ...formulas({ uid: "shown[datum.column] || ''", left: "datum.column * column_w" }),
    lookup("shelf_heights", "column", ["column"], ["bottom"], ["bottom"]),
    formula("content", "datum.uid && datum.bottom ? datum.bottom : 0"),
  ]),
  data("heads", "shelves", [
    filter("datum.uid"),
    lookup("open", "column", ["column"], ["title", "label", "level", "level_k", "x", "y"], found),
    ...formulas({
      plain: "replace(replace(datum.uid, /^[^\\/]*\\//, ''), /#0$/, '')",
      title: "datum.found || datum.plain", label: "datum.found ? datum.found_label : ''",
    }),
  ]),
  data("empty", "heads", [
    filter("!datum.content"),
    formula("why", "datum.found ? why_empty : why_lost"),
  ]),
];
