/**
 * The page: which run is shown, what is new of it, and how it is doing.
 *
 * In: the server's events and rows. Out: the chart, the run picker, the state. State: the run, and what was heard of it.
 */

import { Chart } from "./chart.js";
import { words } from "./state.js";
import { startTheme } from "./theme.js";

const LEAST_PAUSE = 1000;
const RETRY_PAUSE = 3000;
const COST_SHARE = 5; // making rows takes at most a fifth of the training process's time

const OLD = 600; // seconds

const WAITING =
  "Waiting for the first recorded step. The network appears here as soon as the watched model has run forward, and backward where it trains.";
const LOST = "The process that served this page has ended, or can't be reached. To look at recordings again: torchexplorer serve FOLDER";

/** @returns {any} the element with this id */
const at = (id) => document.getElementById(id);
const elements = { chart: at("chart"), notice: at("notice"), runs: at("runs"), run: at("run"), state: at("state") };

const seen = { connected: true, state: null, heardAt: 0, shown: -1, busy: false, nextAt: 0, timer: 0 };
const asked = new URLSearchParams(location.search).get("run");
let current = asked;
let picked = asked !== null;
let theme = "light";
let chart = null;
let events = null;

/** What the server has at this address. Throws an Error with its sentence where it has nothing or can't be reached. */
const get = async (address) => {
  const response = await fetch(address).catch(() => {
    throw Object.assign(new Error(LOST), { offline: true });
  });
  const found = await response.json();
  if (!response.ok) throw Object.assign(new Error(found.error), { status: response.status });
  return found;
};

const say = (text) => {
  if (elements.notice.textContent !== text) elements.notice.textContent = text;
};

/** The chart, still empty; asked for again where that failed. @returns {Promise<Chart>} */
const begin = () =>
  get("api/spec")
    .then((spec) => new Chart(elements.chart, spec))
    .catch((error) => {
      chart = null;
      throw error;
    });

/** Fetch and draw what is new, if the time has come; otherwise come back when it has. */
const update = async () => {
  clearTimeout(seen.timer);
  const { state } = seen;
  if (seen.busy || !state || state.version === seen.shown || (document.hidden && !state.ended)) return;
  const pause = seen.nextAt - Date.now();
  if (pause > 0) {
    seen.timer = setTimeout(update, pause);
    return;
  }
  seen.busy = true;
  const begun = Date.now();
  const name = current;
  try {
    chart ??= begin();
    const [drawing, answer] = await Promise.all([chart, get(`api/rows?run=${encodeURIComponent(name)}`)]);
    if (name === current) {
      seen.shown = answer.version;
      if (answer.rows.length) {
        await drawing.paint(theme);
        await drawing.show(answer.rows);
      }
      say(answer.rows.length ? "" : WAITING);
    }
    seen.nextAt = begun + Math.max(LEAST_PAUSE, COST_SHARE * 1000 * answer.cost);
  } catch (error) {
    seen.nextAt = begun + RETRY_PAUSE;
    if (!error.offline) seen.shown = state.version; // no use to ask for the same again
    say(error.status === 404 ? WAITING : `This run can't be drawn. ${error.message}`);
  }
  seen.busy = false;
  update();
};

/** Look at this run. @param {string | null} name */
const choose = (name) => {
  current = name;
  Object.assign(seen, { state: null, shown: -1, nextAt: 0 });
  elements.runs.value = name ?? "";
  elements.run.textContent = name ?? "";
  document.title = name ? `${name} - torchexplorer` : "torchexplorer";
  listen();
};

/** Hear of the run in view, and of all runs by name. */
const listen = () => {
  events?.close();
  events = new EventSource(`api/events?run=${encodeURIComponent(current ?? "")}`);
  let names = "";
  events.onmessage = async ({ data }) => {
    const news = JSON.parse(data);
    if (news.state?.ended && !seen.state?.ended) seen.nextAt = 0; // the last of it at once
    Object.assign(seen, { connected: true, state: news.state, heardAt: Date.now() });
    if (elements.notice.textContent === LOST) say("");
    if (names !== (names = JSON.stringify(news.runs))) await list();
    if (!news.state) say(WAITING);
    tell();
    update();
  };
  events.onerror = () => {
    seen.connected = false;
    names = "";
    say(LOST);
    tell();
  };
};

/** Fill the picker; go on to the newest run where the user has picked none and the one in view is over. */
const list = async () => {
  const runs = (await get("api/runs")).filter((run) => !run.error || run.name === current);
  elements.runs.replaceChildren(...runs.map(option));
  elements.runs.hidden = runs.length < 2;
  elements.run.hidden = runs.length > 1;
  const shown = runs.find((run) => run.name === current);
  if (shown?.error) say(shown.error);
  elements.runs.value = current ?? "";
  const newest = runs.find((run) => !run.error);
  if (newest && newest.name !== current && !picked && (!shown || shown.ended)) choose(newest.name);
};

/** A run in the picker. One that was killed says nothing of its end, so an old one is not called running. */
const option = (run) => {
  const item = document.createElement("option");
  const running = !run.ended && run.age < OLD ? ", running" : "";
  item.value = run.name;
  item.textContent = run.error ? `${run.name} (can't be read)` : `${run.name}, ${run.steps} recorded${running}`;
  return item;
};

const tell = () => {
  const { text, kind } = words({ ...seen, heard: (Date.now() - seen.heardAt) / 1000 });
  if (elements.state.textContent !== text) elements.state.textContent = text;
  elements.state.className = kind;
};

elements.runs.addEventListener("change", () => {
  picked = true;
  history.replaceState(null, "", `?run=${encodeURIComponent(elements.runs.value)}`);
  choose(elements.runs.value);
});
document.addEventListener("visibilitychange", update);
setInterval(tell, 1000);
startTheme(at("theme"), (name) => {
  theme = name;
  chart?.then((drawing) => drawing.paint(name)).catch(() => {});
});
say(WAITING);
choose(current);
