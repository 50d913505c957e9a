/**
 * Where things are: explorer left of the columns, or above them where the chart is narrow.
 *
 * In: the signals width, height and theme, set by the page or by Weights & Biases. Out: signals of places and colours.
 */

import * as theme from "./theme.js";
import { follows } from "./terms.js";

const { columnLeast, columnMost, columnsShare, stackBelow, topShare, topLeast } = theme.frame;

/** The most columns there can be: each has its own colour. */
export const MOST_COLUMNS = theme.palette.length;

/** @type {import("./terms.js").Signal[]} */
export const frameSignals = [
  { name: "theme", value: "light" },
  follows("dark", "theme === 'dark'"),
  ...Object.entries(theme.colours).map(([name, [light, dark]]) => follows(`c_${name}`, `dark ? '${dark}' : '${light}'`)),
  follows("c_light_columns", JSON.stringify(theme.palette.map(([light]) => light))),
  follows("c_dark_columns", JSON.stringify(theme.palette.map(([, dark]) => dark))),
  follows("c_columns", "dark ? c_dark_columns : c_light_columns"),
  follows("stacked", `width < ${stackBelow}`),
  follows("columns_room", `stacked ? width : width * ${columnsShare + 0.02}`),
  follows("columns_n", `clamp(floor(columns_room / ${columnLeast}), 1, ${MOST_COLUMNS})`),
  follows("column_side", `clamp(width * ${columnsShare} / columns_n, ${columnLeast}, ${columnMost})`),
  follows("column_w", "floor(stacked ? width / columns_n : column_side)"),
  follows("columns_x", "stacked ? 0 : width - columns_n * column_w"),
  follows("top_h", `round(clamp(height * ${topShare}, ${topLeast}, max(${topLeast}, height - 200)))`),
  follows("columns_y", "stacked ? top_h : 0"),
  follows("columns_h", "max(height - columns_y, 0)"),
  follows("body_h", `max(columns_h - ${theme.column.head}, 0)`),
  follows("explorer_w", "stacked ? width : columns_x"),
  follows("explorer_h", "stacked ? top_h : height"),
  follows("plot_side", `floor((column_w - ${2 * theme.column.pad + theme.column.gap}) / 2)`),
  follows("plot_w", `plot_side - ${theme.column.axis}`),
];

/** The column under a point, -1 for none. @type {(x: string, y: string) => string} */
export const columnAt = (x, y) =>
  `(${x} < columns_x || ${y} < columns_y ? -1 : min(floor((${x} - columns_x) / column_w), columns_n - 1))`;

/** Whether a point is over the graph. @type {(x: string, y: string) => string} */
export const overGraph = (x, y) =>
  `(${x} < explorer_w && ${y} > ${theme.explorer.bar} && ${y} < explorer_h)`;
