/**
 * The heat maps: time from left to right, value upwards, darker where more of the sample falls.
 *
 * Nothing drawn means nothing there; one element is visible already. Ticks stand outside of the plot.
 */

import { column, font } from "../theme.js";
import { mark, still, val } from "../terms.js";

const { pad, gap, name, label, strip, plot, section } = column;

const text = { font: val(font.sans), fontSize: val(font.small), fill: "c_muted" };
const scrolled = (/** @type {string} */ y) => `${y} - scrolls[datum.column]`;

/** Labels on the value axis. @type {(name: string, y: number | string, value: string, shown: string) => import("../terms.js").Mark[]} */
const valueTick = (name, y, value, shown) => [
  still("rule", `${name}_rule`, "plots", {
    x: "datum.plot_x - 4",
    x2: "datum.plot_x",
    y: scrolled(`datum.plot_y + ${y}`),
    stroke: "c_axis",
    opacity: `${shown} ? 1 : 0`,
  }),
  still("text", name, "plots", {
    ...text,
    x: "datum.plot_x - 6",
    y: scrolled(`datum.plot_y + ${y}`),
    align: val("right"),
    baseline: val("middle"),
    text: `!${shown} ? '' : ${value} ? format(${value}, datum.tick_format) : '0'`,
    limit: val(column.axis - 6),
  }),
];

/** Labels on the time axis. @type {(name: string, band: string, align: string, shown: string) => import("../terms.js").Mark[]} */
const timeTick = (name, band, align, shown) => [
  still("rule", `${name}_rule`, "plots", {
    x: `datum.plot_x + (${band} + 0.5) * datum.band_w`,
    y: scrolled(`datum.plot_y + ${plot}`),
    y2: scrolled(`datum.plot_y + ${plot + 4}`),
    stroke: "c_axis",
    opacity: `${shown} ? 1 : 0`,
  }),
  still("text", name, "plots", {
    ...text,
    x: align === "left" ? "datum.plot_x" : `datum.plot_x + (${band} + 1) * datum.band_w`,
    y: scrolled(`datum.plot_y + ${plot + 6}`),
    align: val(align),
    baseline: val("top"),
    text: `${shown} ? ${align === "left" ? "time_unit + ' ' + " : ""}format(+datum.times[${band}], ',.6~g') : ''`,
  }),
];

/** A thin strip above a map. @type {(name: string, fill: string, opacity: string) => import("../terms.js").Mark} */
const share = (name, fill, opacity) =>
  still("rect", name, "strips", {
    x: "datum.x",
    y: scrolled(`datum.plot_y - ${strip + 2}`),
    width: "datum.w",
    height: val(strip),
    fill,
    opacity,
  });

const zeroAt = `${plot} * datum.high / (datum.high - datum.low)`;
/** @type {import("../terms.js").Mark[]} */
export const plotMarks = [
  still("text", "section", "sections", {
    ...text,
    x: `datum.left + ${pad}`,
    y: `datum.top - ${section - 20} - scrolls[datum.column]`,
    text: "datum.heading",
    fontSize: val(font.body),
    fontWeight: val("bold"),
    baseline: val("middle"),
  }),
  still("rule", "section_line", "sections", {
    x: `datum.left + ${pad + 78}`,
    x2: `datum.left + column_w - ${pad}`,
    y: `datum.top - ${section - 20} - scrolls[datum.column]`,
    stroke: "c_line",
  }),
  still("text", "pair_name", "pairs", {
    ...text,
    x: `datum.left + ${pad}`,
    y: scrolled(`datum.top + ${name / 2}`),
    text: "datum.series",
    fontSize: val(font.title),
    fontWeight: val("bold"),
    fill: "c_text",
    baseline: val("middle"),
    limit: `column_w - ${2 * pad}`,
  }),
  still("text", "pair_lacks", "pairs", {
    ...text,
    x: `datum.left + ${pad + column.axis + gap} + plot_side + plot_w / 2`,
    y: scrolled(`datum.top + ${name + label + strip + plot / 2}`),
    text: "datum.plots > 1 || datum.has_gradient ? '' : 'no gradient'",
    align: val("center"),
    baseline: val("middle"),
    limit: "plot_side",
  }),
  still("text", "plot_kind", "plots", {
    ...text,
    x: `datum.plot_x - ${column.axis}`,
    y: scrolled(`datum.top + ${name + label / 2}`),
    text: "datum.kind",
    baseline: val("middle"),
  }),
  still("text", "warning", "warnings", {
    ...text,
    x: "datum.plot_x + plot_w",
    y: scrolled(`datum.top + ${name + label / 2}`),
    text: "datum.warning",
    align: val("right"),
    baseline: val("middle"),
    fontWeight: val("bold"),
    fill: "c_bad",
  }),
  still("rect", "plot_back", "plots", {
    x: "datum.plot_x",
    y: scrolled("datum.plot_y"),
    width: "plot_w",
    height: val(plot),
    fill: "c_plot",
    stroke: "c_line",
  }),
  still(
    "group",
    "plot_cells",
    undefined,
    { x: "datum.plot_x", y: scrolled("datum.plot_y"), width: "plot_w", height: val(plot), clip: val(true) },
    {
      from: { facet: { name: "plot_facet", data: "cells", groupby: ["plot_id", "column", "plot_x", "plot_y"] } },
      marks: [
        still("rect", "cell", "plot_facet", {
          x: "datum.x",
          y: "datum.y",
          width: "datum.w",
          height: "datum.h",
          fill: "c_columns[datum.column]",
          fillOpacity: "datum.ink",
        }),
      ],
    },
  ),
  share("strip_left_out", "c_rejected", "datum.left_out ? 0.15 + 0.6 * datum.left_out : 0"),
  share("strip_bad", "c_bad", "datum.bad ? 0.55 + 0.45 * datum.bad : 0"),
  still("rule", "zero", "plots", {
    x: "datum.plot_x",
    x2: "datum.plot_x + plot_w",
    y: scrolled(`datum.plot_y + ${zeroAt}`),
    stroke: "c_zero",
    strokeDash: val([4, 3]),
    opacity: "datum.low <= 0 && datum.high >= 0 ? 1 : 0",
  }),
  ...valueTick("value_max", 0, "datum.high", "true"),
  ...valueTick("value_min", plot, "datum.low", "true"),
  ...valueTick("value_zero", zeroAt, "0", "(datum.zero_room > 0.17)"),
  ...valueTick("value_mid", plot / 2, "datum.middle", "(datum.zero_room <= 0)"),
  ...timeTick("time_first", "0", "left", "true"),
  ...timeTick("time_last", "(datum.columns - 1)", "right", "datum.columns > 3"),
  mark("rect", "plot_hit", "plots", {
    x: "datum.plot_x",
    y: scrolled(`datum.plot_y - ${strip + 2}`),
    width: "plot_w",
    height: val(plot + strip + 2),
    fill: val("transparent"),
    cursor: val("crosshair"),
  }),
];
