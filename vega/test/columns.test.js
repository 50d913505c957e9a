import assert from "node:assert/strict";
import { model, series } from "./rows.js";
import { scene } from "./stage.js";

const held = (/** @type {import("./stage.js").Stage} */ stage) => stage.signal("shown");

scene("a node dragged to a column fills it and moves to another", model(), async (stage) => {
  const x = (/** @type {number} */ i) => stage.signal("columns_x") + (i + 0.5) * stage.signal("column_w");
  await stage.drag(stage.item("node", "fc"), stage.at("fc"), [x(1), 300]);
  assert.deepEqual(held(stage), ["", "#0/fc"]);
  await stage.drag(stage.item("node", "fc"), stage.at("fc"), [x(0), 300]);
  assert.deepEqual(held(stage), ["#0/fc", ""]);
  assert.equal(stage.signal("here"), "#0");
});

scene("the pin and Shift + click fill the next free column and clear it again", model(), async (stage) => {
  await stage.fire("click", stage.item("pin", "fc"));
  await stage.click("block", { shiftKey: true });
  assert.deepEqual(held(stage), ["#0/fc", "#0/block"]);
  await stage.fire("click", stage.item("pin", "fc"));
  assert.deepEqual(held(stage), ["", "#0/block"]);
  await stage.fire("click", stage.item("close", 1));
  assert.deepEqual(held(stage), ["", ""]);
});

scene("values and gradients stand side by side, sections below each other", model(), async (stage) => {
  await stage.fire("click", stage.item("pin", "fc"));
  const plots = stage.data("plots").map(({ heading, series, kind, pair_rank, section_rank }) => [heading, series, kind, section_rank, pair_rank]);
  assert.deepEqual(plots.sort(), [
    ["Inputs", "x", "gradient norm", 1, 1],
    ["Inputs", "x", "value", 1, 1],
    ["Outputs", "0", "value", 2, 2],
    ["Parameters", "weight", "value", 3, 3],
  ]);
  assert.equal(stage.items("pair_lacks").filter((item) => item.text === "no gradient").length, 2);
  assert.equal(stage.items("cell").length, 4 * 5);
  assert.equal(stage.items("warning")[0].text, "NaN 10%");
});

scene("an input shows its one tensor", model().concat(series("x")), async (stage) => {
  await stage.fire("click", stage.item("pin", "x"));
  assert.deepEqual(stage.data("plots").map((plot) => [plot.heading, plot.series, plot.gradient]), [
    ["Tensor", "x", false],
    ["Tensor", "x", true],
  ]);
});

scene("only what stands in a column is unpacked", model(), async (stage) => {
  assert.equal(stage.data("lines").length, 0);
  await stage.fire("click", stage.item("pin", "fc"));
  assert.equal(stage.data("lines").length, 4);
});

scene("hover tells time, range, count and share", model(), async (stage) => {
  await stage.fire("click", stage.item("pin", "fc"));
  const plot = stage.item("plot_hit");
  const x = stage.signal("columns_x") + plot.x + 2;
  await stage.fire("mousemove", plot, [x, 54 + plot.y + 6 + 82 / 2]);
  assert.equal(stage.data("tips_placed")[0].tip_title, "step 10, 0 to 1: 6 (60%)");
  assert.deepEqual(stage.data("tip_lines").map((line) => line.key), ["mean", "std", "sampled", "NaN"]);
});

scene("columns outlive new data and other levels; a lost module is said", model(), async (stage) => {
  await stage.fire("click", stage.item("pin", "fc"));
  await stage.click("block");
  await stage.feed(model({ step: 30 }));
  assert.equal(stage.signal("here"), "block#0");
  assert.equal(stage.data("heads")[0].title, "full.fc");
  assert.equal(stage.data("plots").length, 4);
  await stage.feed(model().filter((row) => row.uid !== "#0/fc"));
  assert.deepEqual(stage.items("column_empty")[0].text, ["This module was not called", "in the latest recorded step."]);
});

scene("flags mark the ancestor, and finding opens the level", model(), async (stage) => {
  await stage.click("block");
  await stage.fire("click", stage.item("pin", "conv"));
  await stage.fire("click", stage.item("crumb", "Net"));
  assert.deepEqual(stage.data("flags").map((flag) => [flag.host, flag.column]), [["#0/block", 0]]);
  await stage.fire("click", stage.item("find", 0));
  assert.equal(stage.signal("here"), "block#0");
  assert.equal(stage.signal("selected"), "block#0/conv");
});

scene("a column scrolls within its content", model(), async (stage) => {
  await stage.fire("click", stage.item("pin", "fc"));
  const at = /** @type {[number, number]} */ ([stage.signal("columns_x") + 20, 200]);
  await stage.fire("wheel", stage.item("shelf"), at, { deltaY: 60, deltaMode: 0 });
  assert.equal(stage.signal("scrolls")[0], 60);
  await stage.fire("wheel", stage.item("shelf"), at, { deltaY: 9000, deltaMode: 0 });
  const [shelf] = stage.data("shelves");
  assert.equal(stage.signal("scrolls")[0], shelf.content - stage.signal("body_h"));
}, { width: 1200, height: 400 });
