/** The heads of the columns: number, full path, class, and the buttons to find the node and to clear the column. */

import { column, font } from "../theme.js";
import { mark, still, val } from "../terms.js";

const { head, pad } = column;

const text = { font: val(font.sans), baseline: val("middle") };
const icons = {
  find: "M-6,0a6,6 0 1,0 12,0a6,6 0 1,0 -12,0M-9,0h6M3,0h6M0,-9v6M0,3v6",
  close: "M-5,-5L5,5M5,-5L-5,5",
};

/** @type {(name: "find" | "close", place: number) => import("../terms.js").Mark[]} */
const button = (name, place) => [
  mark("rect", name, "heads", {
    x: `datum.left + column_w - ${place + 13}`,
    y: val(8),
    width: val(26),
    height: val(26),
    cornerRadius: val(6),
    fill: `hovered_button === '${name}' + datum.column ? c_hint : c_bar`,
    cursor: val("pointer"),
  }),
  still("path", `${name}_icon`, "heads", {
    path: val(icons[name]),
    x: `datum.left + column_w - ${place}`,
    y: val(21),
    stroke: "c_muted",
    strokeWidth: val(1.6),
  }),
];

/** What an empty column says. @type {import("../terms.js").Signal[]} */
export const hintSignals = [
  { name: "hint", value: ["Drag a module here,", "or press + on it"] },
  { name: "drop_hint", value: ["Drop it here"] },
];

/** @type {import("../terms.js").Mark[]} */
export const headMarks = [
  still("rect", "shelf", "shelves", {
    x: "datum.left",
    width: "column_w",
    height: "columns_h",
    fill: "drag_column === datum.column ? c_hint : c_page",
  }),
  still("rect", "shelf_slot", "shelves", {
    x: `datum.left + ${pad}`,
    y: val(pad),
    width: `column_w - ${2 * pad}`,
    height: `columns_h - ${2 * pad}`,
    cornerRadius: val(8),
    stroke: "drag_column === datum.column ? c_lit : c_line",
    strokeDash: val([5, 4]),
    opacity: "datum.uid ? 0 : 1",
  }),
  still("text", "shelf_hint", "shelves", {
    ...text,
    x: "datum.left + column_w / 2",
    y: "datum.column === first_free && legend_fits ? legend_top : columns_h / 2 - 18",
    text: "datum.uid ? '' : drag_column === datum.column ? drop_hint : hint",
    align: val("center"),
    lineHeight: val(19),
    fontSize: val(font.title),
    fill: "c_muted",
  }),
];

/** @type {import("../terms.js").Mark[]} */
export const titleMarks = [
  mark("rect", "head", "heads", { x: "datum.left", width: "column_w", height: val(head), fill: "c_bar" }),
  still("rect", "head_colour", "heads", {
    x: "datum.left",
    width: "column_w",
    height: val(3),
    fill: "c_columns[datum.column]",
  }),
  still("symbol", "head_badge", "heads", {
    x: `datum.left + ${pad + 10}`,
    y: val(head / 2),
    size: val(400),
    fill: "c_columns[datum.column]",
  }),
  still("text", "head_number", "heads", {
    ...text,
    x: `datum.left + ${pad + 10}`,
    y: val(head / 2 + 0.5),
    text: "datum.column + 1",
    align: val("center"),
    fontSize: val(font.body),
    fontWeight: val("bold"),
    fill: "c_page",
  }),
  still("text", "head_title", "heads", {
    ...text,
    x: `datum.left + ${pad + 28}`,
    y: val(21),
    text: "datum.title",
    limit: `column_w - ${pad + 28 + 72}`,
    fontSize: val(font.title),
    fontWeight: val("bold"),
    fill: "c_text",
  }),
  still("text", "head_class", "heads", {
    ...text,
    x: `datum.left + ${pad + 28}`,
    y: val(38),
    text: "datum.label",
    limit: `column_w - ${2 * pad + 28}`,
    fontSize: val(font.small),
    fill: "c_muted",
  }),
  still("rule", "head_line", "heads", {
    x: "datum.left",
    x2: "datum.left + column_w",
    y: val(head - 0.5),
    stroke: "c_line",
  }),
  ...button("find", 52),
  ...button("close", 24),
  still("rule", "shelf_edge", "shelves", {
    x: "datum.left + column_w - 0.5",
    y2: "columns_h",
    stroke: "c_line",
    opacity: "datum.column + 1 < columns_n ? 1 : 0",
  }),
];
