/** What is said where there is nothing to draw, or not all: a sentence, never a blank. */

import { SCHEMA } from "./codec.js";
import { explorer, font } from "./theme.js";
import { follows, quote, still, val } from "./terms.js";

const update = `This chart reads format ${SCHEMA}. Use the chart and the package of one version.`;
const text = { font: val(font.sans), align: val("center"), baseline: val("middle") };

/** @type {import("./terms.js").Signal[]} */
export const noticeSignals = [
  follows("rows_n", "length(data('wandb'))"),
  follows("metas_n", "length(data('metas'))"),
  follows("boxes_n", "length(data('nodes_here'))"),
  follows("newer", `schema > ${SCHEMA} ? 'newer' : 'older'`),
  follows("unread", "'These data were made by a ' + newer + ' torchexplorer (format ' + meta_numbers[0] + ').'"),
  follows("strange", "'The table has rows, but none that torchexplorer wrote.'"),
  follows("notice", "!rows_n ? 'Waiting for data' : !metas_n ? strange : !readable ? unread : ''"),
  follows("notice_more", `!rows_n ? ${quote("The graph appears after the first recorded step.")} : metas_n ? ${quote(update)} : ''`),
  follows("empty_graph", "notice === '' && !boxes_n"),
  follows("levels_part", "levels_left_out > 0 ? levels_left_out + ' inner levels' : ''"),
  follows("series_part", "series_left_out > 0 ? series_left_out + ' sets of histograms' : ''"),
  follows("parts_between", "levels_part && series_part ? ' and ' : ''"),
  follows("parts", "levels_part + parts_between + series_part"),
  follows("partly", "notice === '' && parts ? 'Shown in part: ' + parts + ' left out' : ''"),
];

/** @type {import("./terms.js").Mark[]} */
export const noticeMarks = [
  still("rect", "notice_back", undefined, { width: "notice ? width : 0", height: "height", fill: "c_page" }),
  still("text", "notice_title", undefined, {
    ...text,
    x: "width / 2",
    y: "height / 2 - 12",
    text: "notice",
    fontSize: val(16),
    fontWeight: val("bold"),
    fill: "c_text",
    limit: "width - 24",
  }),
  still("text", "notice_text", undefined, {
    ...text,
    x: "width / 2",
    y: "height / 2 + 14",
    text: "notice ? notice_more : ''",
    fontSize: val(font.title),
    fill: "c_muted",
    limit: "width - 24",
  }),
  still("text", "notice_empty", undefined, {
    ...text,
    x: "mid_x",
    y: "mid_y",
    text: "empty_graph ? ['There is no graph to draw:', 'no module was called inside this one.'] : ''",
    lineHeight: val(20),
    fontSize: val(font.title),
    fill: "c_muted",
  }),
  still("text", "notice_partly", undefined, {
    ...text,
    x: "explorer_w / 2",
    y: val(explorer.bar + 14),
    text: "partly",
    fontSize: val(font.small),
    fill: "c_bad",
    limit: "explorer_w - 24",
  }),
];
