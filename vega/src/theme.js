/**
 * Every colour and every size of the chart.
 *
 * Colours are [light, dark]. Sizes are px; those of the boxes are measured in torchexplorer/render/measure.py.
 */

/** @type {Record<string, [light: string, dark: string]>} */
export const colours = {
  page: ["#ffffff", "#14171c"],
  canvas: ["#f7f8fa", "#0f1216"],
  bar: ["#ffffff", "#14171c"],
  line: ["#dfe3e8", "#2b313a"],
  text: ["#1c2128", "#e8ebef"],
  muted: ["#5f6b7a", "#98a3b3"],
  node: ["#ffffff", "#1d222a"],
  node_line: ["#a9b4c2", "#4a5563"],
  sheet: ["#eceff3", "#252b34"],
  port: ["#e8eef7", "#202b3b"],
  attach: ["#fdf3d8", "#352e1b"],
  param: ["#ece8f8", "#2a2540"],
  fold: ["#e3f3ee", "#17302b"],
  edge: ["#7d8998", "#7a8697"],
  lit: ["#1f6feb", "#6cb0ff"],
  plot: ["#fbfcfd", "#171b21"],
  axis: ["#aab4c0", "#4a5563"],
  zero: ["#3f4a58", "#c5ceda"],
  bad: ["#c3187f", "#ff6fc0"],
  rejected: ["#8a94a3", "#7d8898"],
  hint: ["#e9eef5", "#1b222c"],
  tip: ["#ffffff", "#242a33"],
  tip_line: ["#c3ccd6", "#414b58"],
  shade: ["#0b1a30", "#000000"],
};

/** Columns: colour-blind safe, told apart by a number as well. @type {[light: string, dark: string][]} */
export const palette = [
  ["#0072b2", "#56b4e9"],
  ["#d55e00", "#ff9b52"],
  ["#00845f", "#3ecfa4"],
  ["#b0508f", "#e79ac9"],
  ["#a87400", "#f0c04a"],
  ["#6a51a3", "#b5a3ea"],
  ["#3b7f92", "#7fd1e0"],
  ["#5b6470", "#b8c1cc"],
];

export const font = {
  sans: '"Helvetica Neue", Arial, "Liberation Sans", sans-serif',
  mono: 'ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace',
  title: 13,
  body: 12,
  small: 11,
  smallest: 11,
};

export const frame = { stackBelow: 720, columnLeast: 300, columnMost: 360, columnsShare: 0.64, topShare: 0.46, topLeast: 170 };

export const explorer = {
  bar: 40,
  foot: 34,
  margin: 24,
  pad: 12,
  crumbGap: 22,
  crumbMost: 170,
  clickSlack: 4,
  button: 24,
};

/** `readable` is the zoom below which names are hidden, `start` the one used where a whole level can't be read. */
export const zoom = { most: 3, least: 0.05, fitMost: 1.15, readable: 0.65, start: 0.75, locate: 1, speed: 1.0016, step: 1.3 };

export const node = { radius: 7, twoLines: 30, oneLine: 14, nameMost: 26, classMost: 20, sheet: 4, badge: 9, flag: 18 };

export const column = {
  head: 54,
  pad: 12,
  gap: 14,
  section: 34,
  pair: 150,
  name: 18,
  label: 17,
  strip: 4,
  plot: 82,
  axis: 46,
  bar: 5,
  fewestBands: 6,
};

export const legend = { left: 46, line: 24, gap: 34, least: 460, hint: 44 };

export const tip = { pad: 10, line: 16, gap: 12, chars: 36, key: 22, head: 19, charWidth: 6.8, titleChar: 7.3, titleMost: 46 };
