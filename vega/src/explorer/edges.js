/** Edges: solid where gradients flow back, dashed where only data flow; those of the lit node stand out. */

import { still, val } from "../terms.js";

const head = "M0,0L-0.5,-1L0.5,-1Z";
const dash = "datum.differentiable ? [1, 0] : [5, 4]";

/** @type {(name: string, from: string, colour: string, width: number, size: string) => import("../terms.js").Mark[]} */
const lines = (name, from, colour, width, size) => [
  still("path", name, from, {
    path: "datum.path",
    scaleX: "k",
    scaleY: "k",
    stroke: colour,
    strokeWidth: val(width),
    strokeDash: dash,
    strokeJoin: val("round"),
  }),
  still("symbol", `${name}_head`, from, {
    shape: val(head),
    x: "k * datum.end_x",
    y: "k * datum.end_y",
    angle: "datum.angle",
    size,
    fill: colour,
  }),
];

/** @type {import("../terms.js").Mark[]} */
export const edgeMarks = [
  ...lines("edge", "edges_here", "c_edge", 1.4, "pow(clamp(k * 16, 7, 20), 2)"),
  ...lines("edge_lit", "edges_lit", "c_lit", 2.2, "pow(clamp(k * 19, 9, 24), 2)"),
];
