/** Rows of small made-up models for the tests, packed as docs/rows.md says. */

/** @typedef {{kind: string, run: string, uid: string, parent: string, texts: string, numbers: string}} Row */

const FIELD = "\u001f";
const GROUP = "\u001e";

/** @type {(kind: string, uid: string, parent: string, texts: (string | string[])[], numbers: string) => Row} */
const row = (kind, uid, parent, texts, numbers) => ({
  kind,
  run: "first",
  uid,
  parent,
  texts: texts.map((group) => (typeof group === "string" ? group : group.join(FIELD))).join(GROUP),
  numbers,
});

/** @type {(more?: {schema?: number, step?: number, leftOut?: number}) => Row} */
export const meta = ({ schema = 1, step = 20, leftOut = 0 } = {}) =>
  row("meta", "#0", "", [["step", "Net"], ["train"]], `${schema} ${step} ${step} 2 ${leftOut} 3 0`);

/** A level whose nodes stand in one line. @type {(uid: string, trail: string[], name: string, n: number) => Row} */
export const level = (uid, trail, name, n) => {
  const edges = Array.from({ length: n - 1 }, (_, i) => {
    const y = 22 + i * 80;
    return `${i} ${i + 1} ${i % 2}${FIELD}50 ${y + 22} 50 ${y + 40} 50 ${y + 58}`;
  });
  const facts = `100 ${n * 80 - 36} 40 ${n} 50`;
  return row("level", uid, trail.at(-2) ?? "", [[name, "Block", uid], trail], [facts, ...edges].join(GROUP));
};

/** @type {(level: string, key: string, i: number, more?: {sort?: string, name?: string, inner?: string}) => Row} */
export const node = (parent, key, i, { sort = "module", name = key, inner = "" } = {}) => {
  const series = !["fold", "from", "to"].includes(sort);
  const only = sort === "module" || !series ? "" : `${sort} ${name}`;
  const parameters = sort === "module" ? `${key}#` : "";
  const head = [name, "Linear", sort, `full.${name}`, series ? `${key}#0` : "", parameters, only, inner];
  return row("node", `${parent}/${key}`, parent, [head, ["in x", "2\u00d73 float32"], ["bias", "True"]], `${i} 50 ${22 + i * 80} 100 44`);
};

/** Two columns of three bins from -1 to 2, ten elements each, one of them NaN. */
const numbers = (/** @type {number} */ section, /** @type {number} */ line) =>
  [`${section} ${line} 2 3 -1 1 0.6`, "10 20", "3 6  1 4 4", "10 10", "1 1", "", "", "", "0.5 0.4", "1 0.9"].join(FIELD);

/** @type {(key: string) => Row[]} */
export const series = (key) => [
  row(
    "series",
    `${key}#0@train`,
    "train",
    [
      ["input", "value", "x"],
      ["input", "grad", "x"],
      ["output", "value", "0"],
    ],
    [numbers(0, 0), numbers(0, 0), numbers(1, 1)].join(GROUP),
  ),
  row("series", `${key}#@train`, "train", [["param", "value", "weight"]], numbers(2, 0)),
];

/** An input, a block that opens (with one layer inside), a layer, an output. @type {(more?: object) => Row[]} */
export const model = (more) => [
  meta(more),
  level("#0", ["#0"], "Net", 4),
  node("#0", "x", 0, { sort: "input" }),
  node("#0", "block", 1, { inner: "block#0" }),
  node("#0", "fc", 2),
  node("#0", "0", 3, { sort: "output" }),
  level("block#0", ["#0", "block#0"], "block", 2),
  node("block#0", "in", 0, { sort: "input" }),
  node("block#0", "conv", 1),
  ...series("fc"),
  ...series("conv"),
];

/** A fold that opens in two calls, between what stands for the nodes outside. @type {() => Row[]} */
export const folded = () => [
  meta(),
  level("#0", ["#0"], "Net", 3),
  node("#0", "x", 0, { sort: "input" }),
  node("#0", "fold:cell#0", 1, { sort: "fold", name: "cell x 2", inner: "#0:fold:cell#0" }),
  node("#0", "0", 2, { sort: "output" }),
  level("#0:fold:cell#0", ["#0", "#0:fold:cell#0"], "cell x 2", 4),
  node("#0:fold:cell#0", "from:in:x", 0, { sort: "from", name: "x", inner: "#0" }),
  node("#0:fold:cell#0", "cell#0", 1, { name: "cell #1" }),
  node("#0:fold:cell#0", "cell#1", 2, { name: "cell #2" }),
  node("#0:fold:cell#0", "to:out:0", 3, { sort: "to", name: "0", inner: "#0" }),
];
