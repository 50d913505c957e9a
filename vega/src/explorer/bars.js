/** The bars above and below the graph: breadcrumb, step, legend, and the buttons of the camera. */

import { explorer, font } from "../theme.js";
import { follows, mark, still, val } from "../terms.js";

const { bar, foot, pad, crumbMost, crumbGap, button } = explorer;

const text = { font: val(font.sans), baseline: val("middle") };

/** @type {import("../terms.js").Signal[]} */
export const barSignals = [
  follows("foot_y", `explorer_h - ${foot / 2}`),
  follows("now_shown", "readable && explorer_w > 330"),
  follows("legend_shown", "explorer_w > 330"),
];

/** @type {(name: string, label: string, place: number, width: number) => import("../terms.js").Mark[]} */
const pushButton = (name, label, place, width) => [
  mark("rect", name, undefined, {
    x: `explorer_w - ${place}`,
    y: `foot_y - ${button / 2}`,
    width: val(width),
    height: val(button),
    cornerRadius: val(6),
    fill: "c_bar",
    stroke: "c_line",
    cursor: val("pointer"),
  }),
  still("text", `${name}_text`, undefined, {
    ...text,
    x: `explorer_w - ${place - width / 2}`,
    y: "foot_y",
    text: val(label),
    align: val("center"),
    fontSize: val(label.length > 1 ? font.body : 16),
    fill: "c_text",
  }),
];

/** @type {(name: string, x: number, label: string, dash: number[]) => import("../terms.js").Mark[]} */
const legendLine = (name, x, label, dash) => [
  still("rule", name, undefined, {
    x: val(x),
    x2: val(x + 26),
    y: "foot_y",
    stroke: "c_edge",
    strokeWidth: val(1.6),
    strokeDash: val(dash),
    opacity: "legend_shown ? 1 : 0",
  }),
  still("text", `${name}_text`, undefined, {
    ...text,
    x: val(x + 32),
    y: "foot_y",
    text: val(label),
    fontSize: val(font.small),
    fill: "c_muted",
    opacity: "legend_shown ? 1 : 0",
  }),
];

/** @type {import("../terms.js").Mark[]} */
export const barMarks = [
  still("rect", "bar", undefined, { width: "explorer_w", height: val(bar), fill: "c_bar" }),
  still("rule", "bar_line", undefined, { x2: "explorer_w", y: val(bar - 0.5), y2: val(bar - 0.5), stroke: "c_line" }),
  still("rect", "foot", undefined, { y: `explorer_h - ${foot}`, width: "explorer_w", height: val(foot), fill: "c_bar" }),
  still("rule", "foot_line", undefined, {
    x2: "explorer_w",
    y: `explorer_h - ${foot - 0.5}`,
    y2: `explorer_h - ${foot - 0.5}`,
    stroke: "c_line",
  }),
  mark("text", "crumb_more", "crumbs_hidden", {
    ...text,
    x: val(pad),
    y: val(bar / 2),
    text: val("\u2026"),
    fontSize: val(font.title),
    fill: "c_lit",
    cursor: val("pointer"),
  }),
  mark("text", "crumb", "crumbs_shown", {
    ...text,
    x: "datum.x",
    y: val(bar / 2),
    text: "datum.name",
    limit: val(crumbMost),
    fontSize: val(font.title),
    fontWeight: "datum.uid === here ? 'bold' : 'normal'",
    fill: "datum.uid === here ? c_text : c_lit",
    cursor: "datum.uid === here ? 'default' : 'pointer'",
  }),
  still("text", "crumb_arrow", "crumbs_shown", {
    ...text,
    x: `datum.x - ${crumbGap / 2 + 1}`,
    y: val(bar / 2 - 0.5),
    text: "datum.depth > 0 ? '\u203a' : ''",
    align: val("center"),
    fontSize: val(16),
    fill: "c_muted",
  }),
  still("text", "now", undefined, {
    ...text,
    x: `explorer_w - ${pad}`,
    y: val(bar / 2),
    text: "now_shown ? time_unit + ' ' + format(time, ',.8~g') : ''",
    align: val("right"),
    fontSize: val(font.small),
    fill: "c_muted",
  }),
  ...legendLine("legend_gradient", pad, "gradient flows", [1, 0]),
  ...legendLine("legend_data", pad + 122, "data only", [5, 4]),
  ...pushButton("zoom_out", "\u2212", pad + 2 * button + 52, button),
  ...pushButton("zoom_in", "+", pad + button + 48, button),
  ...pushButton("zoom_fit", "Fit", pad + 40, 40),
];
