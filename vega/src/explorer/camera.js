/**
 * The camera over the graph: which point of the level is in the middle, and how large.
 *
 * It follows the level and the size of the chart until the user takes it (`camera.own`); fitting gives it back.
 * World: px of the layout. A point stands at `origin + zoom * point` in the explorer.
 */

import { overGraph } from "../frame.js";
import { explorer, zoom } from "../theme.js";
import { after, follows, state, when } from "../terms.js";

const { bar, foot, margin } = explorer;

/** @type {import("../terms.js").Signal[]} */
export const cameraSignals = [
  follows("graph", "length(data('here_level')) ? data('here_level')[0] : {width: 0, height: 0, start_x: 0}"),
  follows("view_w", `max(explorer_w - ${2 * margin}, 1)`),
  follows("view_h", `max(explorer_h - ${bar + foot + 2 * margin}, 1)`),
  follows("mid_x", "explorer_w / 2"),
  follows("mid_y", `${bar} + (explorer_h - ${bar + foot}) / 2`),
  follows("whole_k", `min(view_w / max(graph.width, 1), view_h / max(graph.height, 1), ${zoom.fitMost})`),
  follows("fits", `whole_k >= ${zoom.readable} || camera.whole`),
  follows("fit_k", `fits ? whole_k : max(whole_k, ${zoom.start})`),
  follows("fit_x", "fits || graph.width * fit_k <= view_w ? graph.width / 2 : graph.start_x"),
  follows("fit_y", "fits ? graph.height / 2 : min(view_h / fit_k, graph.height) / 2"),
  follows("least_k", `min(whole_k, ${zoom.readable}) * 0.8`),
  follows("k", "camera.own ? camera.k : fit_k"),
  follows("center_x", "camera.own ? clamp(camera.x, 0, graph.width) : fit_x"),
  follows("center_y", "camera.own ? clamp(camera.y, 0, graph.height) : fit_y"),
  follows("origin_x", "mid_x - center_x * k"),
  follows("origin_y", "mid_y - center_y * k"),
  state("grip", { x: 0, y: 0, k: 1 }, [when(after("press"), "{x: center_x, y: center_y, k: k}")]),
  state("zoom_to", { k: 1, x: 0, y: 0, at: 0 }, [
    when(
      after("wheel"),
      `${overGraph("wheel.x", "wheel.y")} ? {k: clamp(k * pow(${zoom.speed}, -wheel.by), least_k, ${zoom.most}), ` +
        "x: wheel.x, y: wheel.y, at: wheel.at} : zoom_to",
    ),
    when("@zoom_in:click", `{k: min(k * ${zoom.step}, ${zoom.most}), x: mid_x, y: mid_y, at: now()}`),
    when("@zoom_out:click", `{k: max(k / ${zoom.step}, least_k), x: mid_x, y: mid_y, at: now()}`),
  ]),
  state("camera", { own: false, whole: false, k: 1, x: 0, y: 0 }, [
    when(after("go"), `{own: go.own, whole: false, k: ${zoom.locate}, x: go.x, y: go.y}`),
    when("@canvas:dblclick, @zoom_fit:click", "{own: false, whole: true, k: 1, x: 0, y: 0}"),
    when(
      after("zoom_to"),
      "{own: true, whole: false, k: zoom_to.k, x: center_x + (zoom_to.x - mid_x) * (1 / k - 1 / zoom_to.k), " +
        "y: center_y + (zoom_to.y - mid_y) * (1 / k - 1 / zoom_to.k)}",
    ),
    when(
      after("stroke"),
      "press.on === 'canvas' && moved ? {own: true, whole: false, k: grip.k, " +
        "x: grip.x - (stroke[0] - press.x) / grip.k, y: grip.y - (stroke[1] - press.y) / grip.k} : camera",
    ),
  ]),
];
