/**
 * How the run is doing, in words.
 *
 * In: what the server said last and when. Out: a text and a class for its dot. Pure.
 */

/** @type {[seconds: number, unit: string][]} */
const UNITS = [
  [86400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
];

/** A stretch of time in its largest unit. @param {number} seconds */
export const duration = (seconds) => {
  const [length, unit] = UNITS.find(([length]) => seconds >= length) ?? [1, "s"];
  return `${Math.floor(seconds / length)} ${unit}`;
};

/** No older news than this is "live". Seconds. */
const FRESH = 3;

/**
 * @param {{connected: boolean, heard: number, state: {age: number, ended: boolean, step: number} | null}} seen
 *   `heard` is the age of the news itself, in seconds.
 */
export const words = ({ connected, heard, state }) => {
  if (!connected) return { text: "not connected", kind: "lost" };
  if (!state) return { text: "waiting", kind: "" };
  if (state.ended) return { text: "run ended", kind: "" };
  const age = state.age + heard;
  return age < FRESH ? { text: "live", kind: "live" } : { text: `last update ${duration(age)} ago`, kind: age < 60 ? "live" : "" };
};
