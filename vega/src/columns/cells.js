/**
 * The data of the heat maps: one cell for each bin that holds something, and one mark for each column with numbers
 * that no bin can hold (NaN, infinities) or that were left out.
 */

import { column } from "../theme.js";
import { data, filter, formula, formulas } from "../terms.js";

const { plot } = column;

/** @type {import("../terms.js").Transform} */
const slim = /** @type {import("../terms.js").Transform} */ ({
  type: "project",
  fields: ["column", "plot_id", "plot_x", "plot_y", "counts", "totals", "bins", "band_w", "bin_h", "peak"],
});

/** @type {import("../terms.js").Data[]} */
export const cellData = [
  data("cells", "plots", [
    slim,
    { type: "flatten", fields: ["counts"], as: ["count"], index: "cell" },
    filter("datum.count"),
    ...formulas({
      band: "floor(datum.cell / datum.bins)",
      bin: "datum.cell % datum.bins",
      share: "datum.count / datum.totals[datum.band]",
      x: "round(datum.band * datum.band_w)",
      w: "round((datum.band + 1) * datum.band_w) - datum.x",
      y: `round(${plot} - (datum.bin + 1) * datum.bin_h)`,
      h: `round(${plot} - datum.bin * datum.bin_h) - datum.y`,
      ink: "0.2 + 0.8 * sqrt(min(datum.share / datum.peak, 1))",
    }),
  ]),
  data("strips", "plots", [
    {
      type: "flatten",
      fields: ["totals", "nan", "posinf", "neginf", "rejected"],
      as: ["total", "nans", "posinfs", "neginfs", "rejects"],
      index: "band",
    },
    filter("+datum.total"),
    ...formulas({
      bad: "(+datum.nans + +datum.posinfs + +datum.neginfs) / datum.total",
      left_out: "+datum.rejects / datum.total",
      x: "datum.plot_x + round(datum.band * datum.band_w)",
      w: "datum.plot_x + round((datum.band + 1) * datum.band_w) - datum.x",
    }),
    filter("datum.bad || datum.left_out"),
  ]),
  data("warnings", "strips", [
    {
      type: "aggregate",
      groupby: ["column", "plot_id", "plot_x", "plot_y", "top"],
      fields: ["bad", "nans"],
      ops: ["max", "max"],
      as: ["bad", "nans"],
    },
    filter("datum.bad"),
    formula("warning", "(+datum.nans ? 'NaN ' : 'inf ') + format(datum.bad, '.2~p')"),
  ]),
];
