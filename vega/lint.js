/** Rules for the chart: what Weights & Biases would change is not in it, expressions are short or have a name. */

import { spec } from "./src/spec.js";
import { LONGEST } from "./src/terms.js";

/** @type {string[]} */
const faults = [];

/** Fields whose name says what the expression is; here it may be longer. */
const NAMED = /\/signals\/\d+\/(update|on\/\d+\/update)$/;
const NAMED_LONGEST = 480;

/** @type {(value: unknown, path: string) => void} */
function walk(value, path) {
  if (value === null) faults.push(`${path}: null becomes {} in Weights & Biases`);
  else if (typeof value === "string") text(value, path);
  else if (typeof value === "object") {
    for (const [key, inner] of Object.entries(/** @type {object} */ (value))) walk(inner, `${path}/${key}`);
  }
}

/** @type {(value: string, path: string) => void} */
function text(value, path) {
  if (value.includes("${")) faults.push(`${path}: a placeholder that Weights & Biases would fill`);
  const longest = NAMED.test(path) ? NAMED_LONGEST : LONGEST;
  if (/\/(signal|expr|update)$/.test(path) && value.length > longest) {
    faults.push(`${path}: ${value.length} characters, at most ${longest} without a name: ${value}`);
  }
}

walk(spec, "");
for (const fault of faults) console.error(fault);
process.exit(faults.length ? 1 : 0);
