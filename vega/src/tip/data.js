/**
 * What the tooltip says and where it stands: beside what is under the mouse, never outside of the chart.
 *
 * In: the node, the cell or the label under the mouse. Out: data sets "tips" (one row at most) and "tip_lines".
 */

import { pairs } from "../codec.js";
import { column, tip } from "../theme.js";
import { data, filter, follows, formula, formulas, quote, state, when } from "../terms.js";

const { plot, strip, head } = column;

/** A packed line of the tooltip. @type {(key: string, value: string) => string} */
const line = (key, value) => `${quote(key + pairs.fieldMark)} + ${value}`;

/** Shares of a column that no bin holds; a line for each that is not nothing. @type {[name: string, key: string][]} */
const shares = [
  ["nan", "NaN"],
  ["posinf", "+inf"],
  ["neginf", "-inf"],
  ["rejected", "left out"],
];

const inPlotX = "x() - columns_x - datum.plot_x";
const inPlotY = `y() - columns_y - ${head} - datum.plot_y + scrolls[datum.column]`;
const nowhere = "{title: '', label: '', x: 0, y: 0, w: 0, h: 0}";

/** A label that says more about a mark. @type {(name: string, title: string, label: string) => object} */
const labelOf = (name, title, label) =>
  when(`@${name}:mouseover`, `{title: ${title}, label: ${label}, x: x() - 8, y: y() - 8, w: 16, h: 16}`);

/** @type {import("../terms.js").Signal[]} */
export const tipSignals = [
  state("spot", { id: "", band: 0, bin: 0, x: 0, y: 0 }, [
    when(
      "@plot_hit:mousemove",
      `{id: datum.plot_id, band: floor((${inPlotX}) / datum.band_w), ` +
        `bin: floor((${plot} - (${inPlotY})) / datum.bin_h), x: x(), y: y()}`,
    ),
    when("@plot_hit:mouseout", "{id: '', band: 0, bin: 0, x: 0, y: 0}"),
    when({ signal: "wheel" }, "{id: '', band: 0, bin: 0, x: 0, y: 0}"),
  ]),
  state("label", { title: "", label: "", x: 0, y: 0, w: 0, h: 0 }, [
    labelOf("head", "datum.title", "datum.label"),
    labelOf("crumb", "datum.title", "datum.label"),
    labelOf("crumb_more", "'Up: ' + datum.title", "''"),
    labelOf("find", "'Show me where'", "'opens the level that holds it'"),
    labelOf("close", "'Clear this column'", "''"),
    labelOf("zoom_in", "'Closer'", "'or turn the wheel'"),
    labelOf("zoom_out", "'Farther'", "'or turn the wheel'"),
    labelOf("zoom_fit", "'Whole graph'", "'or double click on empty space'"),
    when("@head:mouseout, @crumb:mouseout, @crumb_more:mouseout, @find:mouseout, @close:mouseout", nowhere),
    when("@zoom_in:mouseout, @zoom_out:mouseout, @zoom_fit:mouseout", nowhere),
    when([{ signal: "go" }, { signal: "put" }], nowhere),
  ]),
  state("hovered_button", "", [
    when("@find:mouseover", "'find' + datum.column"),
    when("@close:mouseover", "'close' + datum.column"),
    when("@find:mouseout, @close:mouseout", "''"),
  ]),
  follows("tip_at", "press.on ? '' : hover"),
  follows("tip_most", `max(floor((height - 70) / ${tip.line}), 3)`),
  follows("tip_chars", `clamp(floor((width - 60) / ${tip.charWidth}) - 18, 12, ${tip.chars})`),
  { name: "tip_wrap", update: "regexp('(.{' + tip_chars + '})(?=.)', 'g')" },
  follows("title_chars", `clamp(floor((width - 40) / ${tip.titleChar}), 20, ${tip.titleMost})`),
  { name: "title_wrap", update: "regexp('(.{' + title_chars + '})(?=.)', 'g')" },
  follows("tip", "length(data('tips_placed')) ? data('tips_placed')[0] : {x: 0, y: 0, w: 0, h: 0, rows_top: 0, key_w: 0}"),
];

/** @type {import("../terms.js").Data[]} */
export const tipData = [
  data("tip_node", "nodes_here", [
    filter("datum.uid === tip_at"),
    ...formulas({
      tip_title: "datum.title",
      tip_label: "datum.label",
      tip_pairs: `slice(datum.node_groups, 1)`,
      box_x: "origin_x + k * (datum.x - datum.w / 2)",
      box_y: "origin_y + k * (datum.y - datum.h / 2)",
      box_w: "k * datum.w",
      box_h: "k * datum.h",
    }),
  ]),
  data("tip_cell", "plots", [
    filter("datum.plot_id === spot.id && spot.band < datum.columns"),
    ...formulas({
      count: "+(datum.counts[spot.band * datum.bins + spot.bin] || 0)",
      total: "+datum.totals[spot.band]",
      in_bin: "spot.bin >= 0 && spot.bin < datum.bins",
      from: "format(datum.low + spot.bin * datum.bin_width, '.3~g')",
      to: "format(datum.low + (spot.bin + 1) * datum.bin_width, '.3~g')",
      when: "time_unit + ' ' + format(+datum.times[spot.band], ',.8~g')",
      amount: "format(datum.count, ',') + ' (' + format(datum.count / max(datum.total, 1), '.2~p') + ')'",
      tip_title: "datum.in_bin ? datum.when + ', ' + datum.from + ' to ' + datum.to + ': ' + datum.amount : datum.when",
      tip_label: "datum.series + ' \u00b7 ' + datum.kind",
      moments: "datum.mean[spot.band] === '' ? '\u2013' : format(+datum.mean[spot.band], '.3~g')",
      spread: "datum.std[spot.band] === '' ? '\u2013' : format(+datum.std[spot.band], '.3~g')",
      line_mean: line("mean", "datum.moments"),
      line_std: line("std", "datum.spread"),
      line_sampled: line("sampled", "format(datum.total, ',')"),
      ...Object.fromEntries(shares.flatMap(shareFields)),
      tip_pairs: "[datum.line_mean, datum.line_std, datum.line_sampled]",
      more_pairs: `[${shares.map(([name]) => `datum.line_${name}`).join(", ")}]`,
      box_x: "spot.x - 8",
      box_y: "spot.y - 8",
      box_w: "16",
      box_h: "16",
    }),
  ]),
  /** @type {import("../terms.js").Data} */ ({
    name: "tip_label",
    transform: [
      { type: "sequence", start: 0, stop: { signal: "label.title === '' ? 0 : 1" } },
      ...formulas({
        tip_title: "label.title",
        tip_label: "label.label",
        tip_pairs: "[]",
        box_x: "label.x",
        box_y: "label.y",
        box_w: "label.w",
        box_h: "label.h",
      }),
    ],
  }),
  data("tips", ["tip_node", "tip_cell", "tip_label"], [
    { type: "project", fields: ["tip_title", "tip_label", "tip_pairs", "more_pairs", "box_x", "box_y", "box_w", "box_h"] },
    formula("title_lines", "split(replace(datum.tip_title, title_wrap, '$1\\n'), '\\n')"),
  ]),
  data("tip_lines", "tips", [
    { type: "project", fields: ["tip_pairs", "more_pairs"] },
    { type: "fold", fields: ["tip_pairs", "more_pairs"], as: ["which", "pairs"] },
    filter("datum.pairs"),
    { type: "flatten", fields: ["pairs"], as: ["pair"] },
    filter("datum.pair"),
    ...formulas({
      parts: pairs.fields("datum.pair"),
      key: "datum.parts[0]",
      texts: "split(replace(datum.parts[1], tip_wrap, '$1\\n'), '\\n')",
    }),
    { type: "flatten", fields: ["texts"], as: ["text"], index: "turn" },
    { type: "window", ops: ["row_number"], as: ["row"] },
    filter(`datum.row <= tip_most`),
    ...formulas({
      key: "datum.turn > 0 ? '' : datum.key",
      key_chars: `min(length(datum.key), ${tip.key})`,
      text_chars: "length(datum.text)",
    }),
  ]),
  data("tip_sizes", "tip_lines", [
    {
      type: "aggregate",
      fields: ["key_chars", "text_chars", "row"],
      ops: ["max", "max", "max"],
      as: ["keys", "texts", "rows"],
    },
  ]),
  data("tips_placed", "tips", [
    ...formulas({
      size: "length(data('tip_sizes')) ? data('tip_sizes')[0] : {keys: 0, texts: 0, rows: 0}",
      rows: "datum.size.rows || 0",
      key_w: `(datum.size.keys || 0) * ${tip.charWidth} + ${tip.gap}`,
      lines_w: `datum.rows ? datum.key_w + datum.size.texts * ${tip.charWidth} : 0`,
      title_w: `max(length(datum.title_lines[0]) * ${tip.titleChar}, length(datum.tip_label || '') * ${tip.charWidth})`,
      w: `min(max(datum.lines_w, datum.title_w) + ${2 * tip.pad}, width - 8)`,
      rows_top: `${tip.pad} + ${tip.head} * length(datum.title_lines) + (datum.tip_label ? ${tip.line} : 0) + 6`,
      h: `datum.rows_top + datum.rows * ${tip.line} + ${tip.pad} - 6`,
      right: `datum.box_x + datum.box_w + ${tip.gap}`,
      left: `datum.box_x - ${tip.gap} - datum.w`,
      under: `datum.box_y + datum.box_h + ${tip.gap}`,
      over: `datum.box_y - ${tip.gap} - datum.h`,
      beside: "datum.right + datum.w <= width - 4 || datum.left >= 4",
      wide_x: "datum.right + datum.w <= width - 4 ? datum.right : datum.left",
      narrow_y: "datum.under + datum.h <= height - 4 ? datum.under : datum.over",
      x: "clamp(datum.beside ? datum.wide_x : datum.box_x, 4, max(width - datum.w - 4, 4))",
      y: "clamp(datum.beside ? datum.box_y : datum.narrow_y, 4, max(height - datum.h - 4, 4))",
    }),
  ]),
];

/** @type {(share: [name: string, key: string]) => [string, string][]} */
function shareFields([name, key]) {
  return [
    [`share_${name}`, `+(datum.${name}[spot.band] || 0) / datum.total`],
    [`line_${name}`, `datum.share_${name} ? ${line(key, `format(datum.share_${name}, '.2~p')`)} : ''`],
  ];
}
