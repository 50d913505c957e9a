/** The tooltip, and the copy of a node that follows the mouse while it is dragged. */

import { font, tip } from "../theme.js";
import { still, val } from "../terms.js";

const { pad, head, line } = tip;
const text = { baseline: val("top"), fontSize: val(font.small) };

/** @type {import("../terms.js").Mark} */
export const tipMark = still("group", "tip", "tips_placed", { x: "datum.x", y: "datum.y" }, {
  marks: [
    still("rect", "tip_shadow", undefined, {
      x: val(1),
      y: val(3),
      width: "tip.w",
      height: "tip.h",
      cornerRadius: val(8),
      fill: "c_shade",
      fillOpacity: val(0.14),
    }),
    still("rect", "tip_card", undefined, {
      width: "tip.w",
      height: "tip.h",
      cornerRadius: val(8),
      fill: "c_tip",
      stroke: "c_tip_line",
    }),
    still("text", "tip_title", "tips", {
      ...text,
      x: val(pad),
      y: val(pad),
      text: "datum.title_lines",
      lineHeight: val(head),
      font: val(font.sans),
      fontSize: val(font.title),
      fontWeight: val("bold"),
      fill: "c_text",
      limit: `tip.w - ${2 * pad - 2}`,
    }),
    still("text", "tip_class", "tips", {
      ...text,
      x: val(pad),
      y: `${pad} + ${head} * length(datum.title_lines)`,
      text: "datum.tip_label",
      font: val(font.sans),
      fill: "c_muted",
      limit: `tip.w - ${2 * pad - 2}`,
    }),
    still("text", "tip_key", "tip_lines", {
      ...text,
      x: val(pad),
      y: `tip.rows_top + (datum.row - 1) * ${line} + 2`,
      text: "datum.key",
      font: val(font.mono),
      fill: "c_muted",
      limit: "tip.key_w - 4",
    }),
    still("text", "tip_value", "tip_lines", {
      ...text,
      x: `${pad} + tip.key_w`,
      y: `tip.rows_top + (datum.row - 1) * ${line} + 2`,
      text: "datum.text",
      font: val(font.mono),
      fill: "c_text",
    }),
  ],
});

/** @type {import("../terms.js").Mark[]} */
export const ghostMarks = [
  still("rect", "ghost", undefined, {
    xc: "stroke[0]",
    yc: "stroke[1]",
    width: "clamp(length(press.name) * 8 + 28, 72, 220)",
    height: val(32),
    cornerRadius: val(7),
    fill: "c_node",
    stroke: "c_lit",
    strokeWidth: val(2),
    opacity: "dragging ? 0.92 : 0",
  }),
  still("text", "ghost_name", undefined, {
    x: "stroke[0]",
    y: "stroke[1]",
    text: "dragging ? press.name : ''",
    limit: val(204),
    align: val("center"),
    baseline: val("middle"),
    font: val(font.sans),
    fontSize: val(font.title),
    fontWeight: val("bold"),
    fill: "c_text",
  }),
];
