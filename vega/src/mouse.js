/**
 * What the mouse does, as signals: each event is taken down once, whole, and all else follows from that.
 *
 * `press` and `release` are one press of the button on a node or on the empty canvas; `stroke` is where the mouse is
 * while it is held. Of handlers that one signal has for the same change only one may answer, as the order is not told. A press that moved is a drag and never a click.
 */

import { columnAt } from "./frame.js";
import { explorer } from "./theme.js";
import { after, follows, onNodes, state, when } from "./terms.js";

const held = "[mousedown[event.button === 0], window:mouseup] > window:mousemove";
const onNode = onNodes("mousedown[event.button === 0]");
const onCanvas = "@canvas:mousedown[event.button === 0]";

/** @type {import("./terms.js").Signal[]} */
export const mouseSignals = [
  state("press", { uid: "", inner: "", pins: false, name: "", x: 0, y: 0, on: "" }, [
    when(onNode, "{uid: datum.uid, inner: datum.inner, pins: datum.pins, name: datum.name, x: x(), y: y(), on: 'node'}"),
    when(onCanvas, "{uid: '', inner: '', pins: false, name: '', x: x(), y: y(), on: 'canvas'}"),
    when(after("release"), "{uid: '', inner: '', pins: false, name: '', x: 0, y: 0, on: ''}"),
  ]),
  state("stroke", [0, 0], [when(held, "[x(), y()]")]),
  state("moved", false, [
    when(after("press"), "false"),
    when(after("stroke"), `moved || hypot(stroke[0] - press.x, stroke[1] - press.y) > ${explorer.clickSlack}`),
  ]),
  state("release", { uid: "", inner: "", pins: false, moved: false, on: "", shift: false, column: -1, at: 0 }, [
    when(
      "window:mouseup",
      "{uid: press.uid, inner: press.inner, pins: press.pins, moved: moved, on: press.on, shift: event.shiftKey, " +
        `column: ${columnAt("x()", "y()")}, at: now()}`,
    ),
  ]),
  follows("dragging", "press.on === 'node' && press.pins && moved"),
  follows("drag_column", `dragging ? ${columnAt("stroke[0]", "stroke[1]")} : -1`),
  state("wheel", { x: 0, y: 0, by: 0, column: -1, at: 0 }, [
    when(
      "wheel!",
      `{x: x(), y: y(), by: event.deltaY * pow(16, event.deltaMode), column: ${columnAt("x()", "y()")}, at: now()}`,
    ),
  ]),
];
