/** How far each column is scrolled; a column starts at its top when another node comes into it. */

import { MOST_COLUMNS } from "../frame.js";
import { after, follows, state, when } from "../terms.js";

const range = Array.from({ length: MOST_COLUMNS }, (_, i) => i);

/** @type {import("../terms.js").Signal[]} */
export const scrollSignals = [
  ...range.flatMap((i) => [
    follows(`room_${i}`, `columns_n > ${i} ? max(data('shelves')[${i}].content - body_h, 0) : 0`),
    state(`scroll_${i}`, 0, [
      when(after("wheel"), `wheel.column === ${i} ? clamp(scroll_${i} + wheel.by, 0, room_${i}) : scroll_${i}`),
      when(after(`column_${i}`), "0"),
    ]),
  ]),
  follows("scrolls", `[${range.map((i) => `min(scroll_${i}, room_${i})`).join(", ")}]`),
];
