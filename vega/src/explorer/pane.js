/** The explorer: the graph under the mouse, with its bars above and below. */

import { mark, still } from "../terms.js";
import { barMarks } from "./bars.js";
import { edgeMarks } from "./edges.js";
import { badgeMarks, nodeMarks } from "./nodes.js";

/** @type {import("../terms.js").Mark} */
export const explorerPane = mark(
  "group",
  "explorer",
  undefined,
  { width: "explorer_w", height: "explorer_h", clip: { value: true } },
  {
    marks: [
      mark("rect", "canvas", undefined, {
        width: "explorer_w",
        height: "explorer_h",
        fill: "c_canvas",
        cursor: "press.on === 'canvas' ? 'grabbing' : 'grab'",
      }),
      mark("group", "world", undefined, { x: "origin_x", y: "origin_y" }, { marks: [...edgeMarks, ...nodeMarks, ...badgeMarks] }),
      ...barMarks,
      still("rule", "explorer_edge", undefined, {
        x: "stacked ? 0 : explorer_w - 0.5",
        x2: "explorer_w - 0.5",
        y: "stacked ? explorer_h - 0.5 : 0",
        y2: "explorer_h - 0.5",
        stroke: "c_line",
      }),
    ],
  },
);
