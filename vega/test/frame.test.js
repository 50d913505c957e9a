import assert from "node:assert/strict";
import test from "node:test";
import { spec } from "../src/spec.js";
import { meta, model } from "./rows.js";
import { scene } from "./stage.js";

for (const width of [400, 500, 719, 720, 1000, 1400, 2000]) {
  scene(`columns and graph fill a width of ${width}`, model(), (stage) => {
    const [n, side] = [stage.signal("columns_n"), stage.signal("column_w")];
    assert.ok(n >= 1 && side >= 250);
    assert.ok(stage.signal("columns_x") + n * side <= width);
    assert.ok(stage.signal("explorer_w") >= 360);
    assert.ok(stage.signal("plot_w") >= 70);
    assert.equal(stage.signal("width"), width);
  }, { width, height: 600 });
}

scene("nothing is larger than the chart, so that fitting leaves its size alone", model(), async (stage) => {
  await stage.fire("click", stage.item("pin", "fc"));
  await stage.fire("mouseover", stage.item("node", "0"), stage.at("0"));
  assert.equal(stage.signal("width"), 640);
  assert.equal(stage.signal("height"), 480);
}, { width: 640, height: 480 });

scene("says that it waits", null, (stage) => assert.equal(stage.signal("notice"), "Waiting for data"));

scene("says that the data are newer, or older", [meta({ schema: 9 })], async (stage) => {
  assert.match(stage.signal("notice"), /newer torchexplorer \(format 9\)/);
  assert.equal(stage.data("rows").length, 0);
  await stage.feed([meta({ schema: 0 })]);
  assert.match(stage.signal("notice"), /older torchexplorer/);
});

scene("says that rows are not ours", [{ ...meta(), kind: "other" }], (stage) =>
  assert.match(stage.signal("notice"), /none that torchexplorer wrote/),
);

scene("says that the graph is empty, and that some is left out", [meta({ leftOut: 3 })], (stage) => {
  assert.ok(stage.signal("empty_graph"));
  assert.equal(stage.signal("partly"), "Shown in part: 3 inner levels left out");
});

const second = model({ step: 99 }).map((row) => ({ ...row, run: "second" }));

scene("of several runs the first is shown", model().concat(second), (stage) => {
  assert.equal(stage.signal("run"), "first");
  assert.equal(stage.data("nodes_here").length, 4);
});

scene("dark and light have their own colours", model(), async (stage) => {
  const light = stage.signal("c_page");
  stage.view.signal("theme", "dark");
  await stage.view.runAsync();
  assert.notEqual(stage.signal("c_page"), light);
});

test("the data set for the rows has no values", () => {
  assert.deepEqual(/** @type {any[]} */ (spec.data)[0], { name: "wandb" });
});
