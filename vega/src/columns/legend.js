/** What shapes, lines and shades mean: shown in the first empty column, where there is room. */

import { column, font, legend } from "../theme.js";
import { follows, still, val } from "../terms.js";

const { left, line, gap, least, hint } = legend;

const shapes = {
  box: "M-12,-8h24a3,3 0 0,1 3,3v10a3,3 0 0,1 -3,3h-24a3,3 0 0,1 -3,-3v-10a3,3 0 0,1 3,-3Z",
  sheets: "M15,-4h3v15h-30v-3M-12,-8h24a3,3 0 0,1 3,3v10a3,3 0 0,1 -3,3h-24a3,3 0 0,1 -3,-3v-10a3,3 0 0,1 3,-3Z",
  fold: "M17,-3h2v15h-30v-2M15,-5h2v15h-30v-2M-12,-8h24a3,3 0 0,1 3,3v10a3,3 0 0,1 -3,3h-24a3,3 0 0,1 -3,-3v-10a3,3 0 0,1 3,-3Z",
  input: "M-15,-8h30v8a8,8 0 0,1 -8,8h-14a8,8 0 0,1 -8,-8Z",
  output: "M-15,8h30v-8a8,8 0 0,0 -8,-8h-14a8,8 0 0,0 -8,8Z",
  leaf: "M-7,-8h22v8a8,8 0 0,1 -8,8h-22v-8a8,8 0 0,1 8,-8Z",
  hexagon: "M-11,-8h22l4,8l-4,8h-22l-4,-8Z",
  dot: "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z",
  strip: "M-15,-3h30v6h-30Z",
};

/** @type {[path: string, fill: string, stroke: string, text: string][]} */
const lines = [
  [shapes.sheets, "node", "node_line", "module: click opens its inside"],
  [shapes.box, "node", "node_line", "module without parts"],
  [shapes.fold, "fold", "node_line", "many calls, or equal blocks"],
  [shapes.input, "port", "node_line", "input"],
  [shapes.output, "port", "node_line", "output"],
  [shapes.leaf, "attach", "node_line", "attached tensor"],
  [shapes.hexagon, "param", "node_line", "parameter used directly"],
  [shapes.dot, "edge", "canvas", "data from several places meet"],
  [shapes.strip, "bad", "bad", "share of NaN and infinite values"],
  [shapes.strip, "line", "line", "share of outliers left out"],
];

const roles = [...new Set(lines.flatMap(([, fill, stroke]) => [fill, stroke]))];

/** @type {import("../terms.js").Signal[]} */
export const legendSignals = [
  follows("legend_h", String(hint + gap + lines.length * line)),
  follows("legend_fits", `first_free >= 0 && columns_h > ${least}`),
  follows("legend_top", "(columns_h - legend_h) / 2"),
  follows("legend_left", "first_free * column_w + max((column_w - 260) / 2, 0)"),
  follows("legend_colours", `{${roles.map((role) => `${role}: c_${role}`).join(", ")}}`),
];

/** @type {import("../terms.js").Data[]} */
export const legendData = [
  /** @type {import("../terms.js").Data} */ ({
    name: "legend",
    values: lines.map(([path, fill, stroke, text], row) => ({ path, fill, stroke, text, row })),
  }),
];

const y = `legend_top + ${hint + gap} + datum.row * ${line}`;

/** @type {import("../terms.js").Mark[]} */
export const legendMarks = [
  still("path", "legend_shape", "legend", {
    path: "datum.path",
    x: `legend_left + ${column.pad + 15}`,
    y,
    fill: "legend_colours[datum.fill]",
    stroke: "legend_colours[datum.stroke]",
    opacity: "legend_fits ? 1 : 0",
  }),
  still("text", "legend_text", "legend", {
    x: `legend_left + ${column.pad + left}`,
    y,
    text: "legend_fits ? datum.text : ''",
    baseline: val("middle"),
    font: val(font.sans),
    fontSize: val(font.body),
    fill: "c_muted",
  }),
];
