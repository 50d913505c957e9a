/**
 * The boxes of the graph. Kinds are told apart by shape: a module is a rounded box, one that opens lies on a second
 * sheet, a fold of many calls on two, an input is flat above and round below, an output the other way round, an attached
 * tensor is a leaf, a parameter a hexagon, a join a dot. What stands for a node outside of a fold has a dashed outline.
 */

import { font, node } from "../theme.js";
import { follows, formula, mark, still, val } from "../terms.js";

const { radius, twoLines, oneLine, nameMost, classMost, sheet, badge, flag } = node;
const small = `k * ${radius}`;
const half = -1;

/** Radii of the corners at zoom 1, clockwise from top left; half: half the height. */
const corners = {
  module: [radius, radius, radius, radius],
  input: [3, 3, half, half],
  output: [half, half, 3, 3],
  from: [3, 3, 14, 14],
  to: [14, 14, 3, 3],
  attach: [half, 3, half, 3],
};

/** @type {import("../terms.js").Transform[]} */
export const cornerFields = [
  formula("corner", "corners[datum.sort] || corners.module"),
  ...[0, 1, 2, 3].map((i) => formula(`corner_${i}`, `datum.corner[${i}] < 0 ? datum.h / 2 : datum.corner[${i}]`)),
];

/** @type {import("../terms.js").Signal[]} */
export const nodeSignals = [
  { name: "corners", value: corners },
  follows("name_size", `clamp(${font.title} * k, ${font.smallest}, ${nameMost})`),
  follows("class_size", `clamp(${font.small} * k, ${font.smallest}, ${classMost})`),
  follows("sheets", `max(1.5, ${sheet} * k)`),
  follows("badge_r", `clamp(${badge} * k, 8, 13)`),
  follows("fills", "{input: c_port, output: c_port, attach: c_attach, param: c_param, fold: c_fold, from: c_canvas, to: c_canvas}"),
];

const place = { x: "k * (datum.x - datum.w / 2)", y: "k * (datum.y - datum.h / 2)", width: "k * datum.w", height: "k * datum.h" };

const rounded = {
  cornerRadiusTopLeft: "k * datum.corner_0",
  cornerRadiusTopRight: "k * datum.corner_1",
  cornerRadiusBottomRight: "k * datum.corner_2",
  cornerRadiusBottomLeft: "k * datum.corner_3",
};

const outline = {
  stroke: "datum.column < 0 ? c_node_line : c_columns[datum.column]",
  strokeWidth: "datum.column < 0 ? 1 : 2",
};

const label = {
  x: "k * datum.x",
  align: val("center"),
  baseline: val("middle"),
  limit: "max(k * datum.w - 8, 1)",
};

/** A sheet below a box, so many sheets away. @type {(name: string, away: number, shown: string) => import("../terms.js").Mark} */
const sheetBelow = (name, away, shown) =>
  still("rect", name, "boxes", {
    x: `k * (datum.x - datum.w / 2) + ${away} * sheets`,
    y: `k * (datum.y - datum.h / 2) + ${away} * sheets`,
    width: place.width,
    height: place.height,
    cornerRadius: small,
    fill: "datum.sort === 'fold' ? c_fold : c_sheet",
    ...outline,
    strokeWidth: val(1),
    opacity: `${shown} ? 1 : 0`,
  });

/** @type {import("../terms.js").Mark[]} */
export const nodeMarks = [
  sheetBelow("sheets_fold", 2, "datum.sort === 'fold'"),
  sheetBelow("sheets", 1, "datum.sort === 'fold' || datum.opens && !datum.far"),
  mark("rect", "node", "boxes", {
    ...place,
    ...rounded,
    ...outline,
    fill: "fills[datum.sort] || c_node",
    strokeDash: "datum.far ? [4, 3] : [1, 0]",
    cursor: val("pointer"),
  }),
  mark("path", "node_param", "params", {
    path: "datum.shape",
    x: "k * datum.x",
    y: "k * datum.y",
    scaleX: "k",
    scaleY: "k",
    ...outline,
    fill: "c_param",
    cursor: val("pointer"),
  }),
  mark("symbol", "node_join", "joins", {
    x: "k * datum.x",
    y: "k * datum.y",
    size: "pow(clamp(k * 13, 4, 26), 2)",
    fill: "c_edge",
    stroke: "c_canvas",
  }),
  still("rect", "node_tint", "boxes", {
    ...place,
    ...rounded,
    fill: "datum.column < 0 ? 'transparent' : c_columns[datum.column]",
    fillOpacity: val(0.14),
  }),
  still("rect", "node_halo", "boxes_lit", {
    ...place,
    ...rounded,
    stroke: "datum.uid === lit ? c_lit : c_edge",
    strokeWidth: "datum.uid === lit ? 2.5 : 2",
  }),
  still("path", "node_halo_param", "params_lit", {
    path: "datum.shape",
    x: "k * datum.x",
    y: "k * datum.y",
    scaleX: "k",
    scaleY: "k",
    stroke: "datum.uid === lit ? c_lit : c_edge",
    strokeWidth: "datum.uid === lit ? 2.5 : 2",
  }),
  still("text", "node_name", "nodes_here", {
    ...label,
    y: `k * datum.y - (k * datum.h < ${twoLines} ? 0 : 0.58 * class_size)`,
    text: `datum.sort === 'join' || k * datum.h < ${oneLine} ? '' : datum.name`,
    font: val(font.sans),
    fontSize: "name_size",
    fontWeight: val("bold"),
    fill: "c_text",
  }),
  still("text", "node_class", "nodes_here", {
    ...label,
    y: "k * datum.y + 0.66 * name_size",
    text: `datum.sort === 'join' || k * datum.h < ${twoLines} ? '' : datum.label`,
    font: val(font.sans),
    fontSize: "class_size",
    fill: "c_muted",
  }),
];

const flagPath = "M0,0h14v17l-7,-5l-7,5Z";

/** Pins, numbers of columns, and flags on boxes that hold what is in a column. @type {import("../terms.js").Mark[]} */
export const badgeMarks = [
  still("path", "flag", "flags", {
    path: val(flagPath),
    x: `k * (datum.hx - datum.hw / 2) + 6 + (datum.turn - 1) * ${flag}`,
    y: "k * (datum.hy - datum.hh / 2) - 4",
    fill: "c_columns[datum.column]",
    stroke: "c_canvas",
  }),
  still("text", "flag_number", "flags", {
    x: `k * (datum.hx - datum.hw / 2) + 13 + (datum.turn - 1) * ${flag}`,
    y: "k * (datum.hy - datum.hh / 2) + 2",
    text: "datum.column + 1",
    align: val("center"),
    baseline: val("middle"),
    font: val(font.sans),
    fontSize: val(font.small),
    fontWeight: val("bold"),
    fill: "c_page",
  }),
  mark("symbol", "pin", "nodes_here", {
    x: "k * (datum.x + datum.w / 2) - 2",
    y: "k * (datum.y - datum.h / 2) + 2",
    size: "datum.pins ? pow(2 * badge_r, 2) : 0",
    fill: "datum.column < 0 ? c_node : c_columns[datum.column]",
    stroke: "datum.column < 0 ? c_lit : c_canvas",
    strokeWidth: val(1.5),
    opacity: "datum.pins && (datum.column >= 0 || datum.uid === lit) ? 1 : 0",
    cursor: val("pointer"),
  }),
  still("text", "pin_text", "nodes_here", {
    x: "k * (datum.x + datum.w / 2) - 2",
    y: "k * (datum.y - datum.h / 2) + 2.5",
    text: "!datum.pins ? '' : datum.column >= 0 ? datum.column + 1 : datum.uid === lit ? '+' : ''",
    align: val("center"),
    baseline: val("middle"),
    font: val(font.sans),
    fontSize: "datum.column < 0 ? badge_r * 1.7 : max(badge_r * 1.3, 11)",
    fontWeight: val("bold"),
    fill: "datum.column < 0 ? c_lit : c_page",
  }),
];
