/**
 * Unpacks the rows of torchexplorer/render/codec.py; the only file that knows how cells are packed (docs/rows.md).
 *
 * In: the data set "wandb". Out: data sets of rows by kind, and the expressions that read their cells. Rows are filtered
 * to what is on the screen before anything in them is unpacked.
 */

import { data, filter, follows, formulas, quote } from "./terms.js";

/** The rows this chart reads; raised together with SCHEMA in codec.py. */
export const SCHEMA = 1;

const FIELD = quote("\u001f");
const GROUP = quote("\u001e");

/** Groups of a cell. @type {(cell: string) => string} */
const groups = (cell) => `split(${cell}, ${GROUP})`;
/** Texts of a group, or number lists of one. @type {(group: string) => string} */
const fields = (group) => `split(${group}, ${FIELD})`;
/** Numbers of a list; they are texts until they are counted with. @type {(list: string) => string} */
const numbers = (list) => `split(${list}, ' ')`;

/** How a line of a tooltip holds its key and its value. */
export const pairs = { fieldMark: "\u001f", fields };

/** @type {import("./terms.js").Data[]} */
export const rowData = [
  /** @type {import("./terms.js").Data} */ ({ name: "wandb" }),
  data("metas", "wandb", [filter("datum.kind === 'meta'")]),
  data("rows", "wandb", [filter("readable && datum.run === run")]),
  data("levels", "rows", [filter("datum.kind === 'level'")]),
  data("nodes", "rows", [filter("datum.kind === 'node'")]),
  data("series", "rows", [filter("datum.kind === 'series'")]),
];

/** @type {import("./terms.js").Signal[]} */
export const rowSignals = [
  follows("meta", "length(data('metas')) ? data('metas')[0] : {run: '', uid: '', texts: '', numbers: ''}"),
  follows("run", "meta.run"),
  follows("root", "meta.uid"),
  follows("meta_numbers", numbers("meta.numbers")),
  follows("schema", "toNumber(meta_numbers[0])"),
  follows("readable", `schema === ${SCHEMA}`),
  follows("step", "+meta_numbers[1]"),
  follows("time", "+meta_numbers[2]"),
  follows("levels_left_out", "+meta_numbers[4]"),
  follows("series_left_out", "+meta_numbers[6]"),
  follows("meta_groups", groups("meta.texts")),
  follows("time_unit", `${fields("meta_groups[0]")}[0]`),
  follows("phase", `readable ? ${fields("meta_groups[1]")}[0] : ''`),
];

/** What a row of kind "level" says. */
export const levelFields = formulas({
  texts_of: groups("datum.texts"),
  trail: fields("datum.texts_of[1]"),
  head: fields("datum.texts_of[0]"),
  label: "datum.head[1]",
  title: "datum.head[2]",
  numbers_of: groups("datum.numbers"),
  facts: numbers("datum.numbers_of[0]"),
  width: "+datum.facts[0]",
  height: "+datum.facts[1]",
  start_x: "+datum.facts[4]",
  edges: "slice(datum.numbers_of, 1)",
});

/** What the breadcrumb needs of a level row. @type {(row: string) => import("./terms.js").Transform[]} */
export const crumbFields = (row) =>
  formulas({
    head: fields(`${groups(`${row}.texts`)}[0]`),
    name: "datum.head[0]",
    label: "datum.head[1]",
    title: "datum.head[2]",
    text_width: `+${numbers(`${groups(`${row}.numbers`)}[0]`)}[2]`,
  });

/** What one packed edge says. */
export const edgeFields = formulas({
  parts: fields("datum.edge"),
  ends: numbers("datum.parts[0]"),
  source: "+datum.ends[0]",
  target: "+datum.ends[1]",
  differentiable: "+datum.ends[2]",
  points: numbers("datum.parts[1]"),
  path: "'M' + join(slice(datum.points, 0, 2), ' ') + 'Q' + join(slice(datum.points, 2), ' ')",
  end: "slice(datum.points, -4)",
  end_x: "+datum.end[2]",
  end_y: "+datum.end[3]",
  angle: "atan2(datum.end_y - datum.end[1], datum.end_x - datum.end[0]) * 180 / PI - 90",
});

/** What a row of kind "node" says. @type {(row?: string) => import("./terms.js").Transform[]} */
export const nodeFields = (row = "datum") =>
  formulas({
    node_groups: groups(`${row}.texts`),
    head: fields("datum.node_groups[0]"),
    name: "datum.head[0]",
    label: "datum.head[1]",
    sort: "datum.head[2]",
    title: "datum.head[3]",
    values_at: "datum.head[4]",
    parameters_at: "datum.head[5]",
    only: "datum.head[6]",
    inner: "datum.head[7]",
    pins: "datum.values_at !== '' || datum.parameters_at !== ''",
    place: numbers(`${row}.numbers`),
    i: "+datum.place[0]",
    x: "+datum.place[1]",
    y: "+datum.place[2]",
    w: "+datum.place[3]",
    h: "+datum.place[4]",
  });

/** The trail of levels to a level row, outermost first. @type {(row: string) => string} */
export const trailOf = (row) => fields(`${groups(`${row}.texts`)}[1]`);

/** Width and height of a level row. @type {(row: string) => string} */
export const sizeOf = (row) => numbers(`${groups(`${row}.numbers`)}[0]`);

/** Series of a row of kind "series": one line each, cells still packed. @type {import("./terms.js").Transform[]} */
export const seriesLines = [
  ...formulas({ series_texts: groups("datum.pack.texts"), series_numbers: groups("datum.pack.numbers") }),
  { type: "flatten", fields: ["series_texts", "series_numbers"], as: ["line_texts", "line_numbers"] },
];

/** What one series says. Zeros are empty texts, so a list of zeros only is empty. */
export const seriesFields = formulas({
  what: fields("datum.line_texts"),
  base: "datum.what[0]",
  gradient: "datum.what[1] === 'grad'",
  series: "datum.what[2]",
  lists: fields("datum.line_numbers"),
  shape: numbers("datum.lists[0]"),
  section: "+datum.shape[0]",
  line: "+datum.shape[1]",
  columns: "+datum.shape[2]",
  bins: "+datum.shape[3]",
  low: "+datum.shape[4]",
  bin_width: "+datum.shape[5]",
  high: "datum.low + datum.bins * datum.bin_width",
  peak: "max(+datum.shape[6], 1e-9)",
  times: numbers("datum.lists[1]"),
  counts: numbers("datum.lists[2]"),
  totals: numbers("datum.lists[3]"),
  nan: numbers("datum.lists[4]"),
  posinf: numbers("datum.lists[5]"),
  neginf: numbers("datum.lists[6]"),
  rejected: numbers("datum.lists[7]"),
  mean: numbers("datum.lists[8]"),
  std: numbers("datum.lists[9]"),
});
