/** The columns: each shows the histograms of one node under a head, and scrolls. */

import { column } from "../theme.js";
import { mark, still, val } from "../terms.js";
import { headMarks, titleMarks } from "./heads.js";
import { legendMarks } from "./legend.js";
import { plotMarks } from "./plots.js";

const { head, bar } = column;

/** @type {import("../terms.js").Mark[]} */
const bodyMarks = [
  ...plotMarks,
  still("rect", "scroll_bar", "shelves", {
    x: `datum.left + column_w - ${bar + 3}`,
    y: "scrolls[datum.column] / max(datum.content, 1) * body_h",
    width: val(bar),
    height: "pow(body_h, 2) / max(datum.content, 1)",
    cornerRadius: val(bar / 2),
    fill: "c_axis",
    opacity: "datum.content > body_h ? 0.7 : 0",
  }),
  still("text", "column_empty", "empty", {
    x: "datum.left + column_w / 2",
    y: val(60),
    text: "datum.why",
    align: val("center"),
    lineHeight: val(18),
    fontSize: val(12),
    fill: "c_muted",
    limit: "column_w - 24",
  }),
];

/** @type {import("../terms.js").Mark} */
export const columnsPane = mark(
  "group",
  "columns",
  undefined,
  { x: "columns_x", y: "columns_y", width: "columns_n * column_w", height: "columns_h", clip: val(true) },
  {
    marks: [
      ...headMarks,
      ...legendMarks,
      mark(
        "group",
        "bodies",
        undefined,
        { y: val(head), width: "columns_n * column_w", height: "body_h", clip: val(true) },
        { marks: bodyMarks },
      ),
      ...titleMarks,
    ],
  },
);
