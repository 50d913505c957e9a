/**
 * What the user has chosen: the level that is open, the node that is lit, and what is in the columns.
 *
 * These signals outlive new data. `go` opens a level, `put` fills or clears a column; all else only reads.
 */

import { MOST_COLUMNS } from "./frame.js";
import { zoom } from "./theme.js";
import { after, follows, onNodes, state, when } from "./terms.js";

const range = Array.from({ length: MOST_COLUMNS }, (_, i) => i);

const opened = "release.on === 'node' && !release.moved && !release.shift && indata('levels', 'uid', release.inner)";
const dropped = "release.on === 'node' && release.moved && release.column >= 0 && release.pins";
const shifted = "release.on === 'node' && !release.moved && release.shift && release.pins";
const clicked = "release.on !== '' && !release.moved && !release.shift";

/** A level as a whole. @type {(level: string, at: string) => string} */
const open = (level, at) => `{level: ${level}, uid: '', own: false, x: 0, y: 0, at: ${at}}`;

const taken = "indexof(shown, release.uid)";
const flipped = `{uid: ${taken} < 0 ? release.uid : '', column: ${taken} < 0 ? next_column : ${taken}}`;

/** @type {import("./terms.js").Signal[]} */
export const choiceSignals = [
  state("go", { level: "", uid: "", own: false, x: 0, y: 0, at: 0 }, [
    when(after("release"), `${opened} ? ${open("release.inner", "release.at")} : go`),
    when("@crumb:click, @crumb_more:click", open("datum.uid", "now()")),
    when(
      "@find:click",
      `{level: datum.level, uid: datum.uid, own: datum.level_k < ${zoom.readable}, x: datum.x, y: datum.y, at: now()}`,
    ),
  ]),
  follows("here", "indata('levels', 'uid', go.level) ? go.level : root"),
  state("selected", "", [
    when(after("release"), `${clicked} ? (${opened} ? '' : release.uid) : selected`),
    when(after("go"), "go.uid"),
  ]),
  state("hover", "", [
    when(`${onNodes("mouseover")}, @pin:mouseover`, "datum.uid"),
    when(`${onNodes("mouseout")}, @pin:mouseout`, "''"),
    when(after("go"), "''"),
  ]),
  follows("lit", "dragging ? press.uid : hover || selected"),
  state("put", { uid: "", column: -1 }, [
    when(after("release"), `${dropped} ? {uid: release.uid, column: release.column} : ${shifted} ? ${flipped} : put`),
    when("@pin:click", "{uid: datum.column < 0 ? datum.uid : '', column: datum.column < 0 ? next_column : datum.column}"),
    when("@close:click", "{uid: '', column: datum.column}"),
  ]),
  ...range.map((i) =>
    state(`column_${i}`, "", [
      when(after("put"), `put.column === ${i} ? put.uid : column_${i} === put.uid ? '' : column_${i}`),
    ]),
  ),
  follows("held", `[${range.map((i) => `column_${i}`).join(", ")}]`),
  follows("shown", "slice(held, 0, columns_n)"),
  follows("first_free", "indexof(shown, '')"),
  follows("next_column", "first_free < 0 ? columns_n - 1 : first_free"),
];
