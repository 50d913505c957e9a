import assert from "node:assert/strict";
import { folded, level, meta, model, node } from "./rows.js";
import { scene } from "./stage.js";

const names = (/** @type {any[]} */ rows) => rows.map((row) => row.name);

scene("shows the root, fitted and in the middle", model(), (stage) => {
  assert.deepEqual(names(stage.data("nodes_here")), ["x", "block", "fc", "0"]);
  assert.equal(stage.data("edges_here").length, 3);
  const ys = names(stage.data("nodes_here")).map((name) => stage.at(name)[1]);
  assert.ok(Math.min(...ys) > 40 && Math.max(...ys) < 700 - 34);
  assert.equal(stage.at("x")[0], stage.signal("mid_x"));
});

scene("a click opens a module and the breadcrumb leads back", model(), async (stage) => {
  await stage.click("block");
  assert.deepEqual(names(stage.data("nodes_here")), ["in", "conv"]);
  assert.deepEqual(names(stage.data("crumbs_shown")), ["Net", "block"]);
  await stage.fire("click", stage.item("crumb", "Net"));
  assert.equal(stage.signal("here"), "#0");
});

scene("a click on a leaf lights it and opens nothing", model(), async (stage) => {
  await stage.click("fc");
  assert.equal(stage.signal("here"), "#0");
  assert.equal(stage.signal("selected"), "#0/fc");
  assert.deepEqual(names(stage.data("nodes_lit")), ["block", "fc", "0"]);
  assert.equal(stage.data("edges_lit").length, 2);
});

scene("a drag that ends where it began opens nothing", model(), async (stage) => {
  const [x, y] = stage.at("block");
  const item = stage.item("node", "block");
  await stage.fire("mousedown", item, [x, y]);
  await stage.fire("mousemove", item, [x + 30, y]);
  await stage.fire("mousemove", item, [x, y]);
  await stage.fire("mouseup", item, [x, y]);
  assert.equal(stage.signal("here"), "#0");
});

scene("hover lights neighbours and shows a tooltip inside the view", model(), async (stage) => {
  await stage.fire("mouseover", stage.item("node", "block"), stage.at("block"));
  assert.deepEqual(names(stage.data("nodes_lit")), ["x", "block", "fc"]);
  const [tip] = stage.data("tips_placed");
  assert.equal(tip.tip_title, "full.block");
  assert.ok(tip.x >= 0 && tip.x + tip.w <= 1200 && tip.y >= 0 && tip.y + tip.h <= 700);
  assert.deepEqual(stage.data("tip_lines").map((line) => [line.key, line.text]), [["in x", "2\u00d73 float32"], ["bias", "True"]]);
  await stage.fire("mouseout", stage.item("node", "block"));
  assert.equal(stage.data("tips_placed").length, 0);
});

scene("the tooltip stays inside a narrow view", model(), async (stage) => {
  for (const name of ["x", "0"]) {
    await stage.fire("mouseover", stage.item("node", name), stage.at(name));
    const [tip] = stage.data("tips_placed");
    assert.ok(tip.x >= 0 && tip.x + tip.w <= 400 && tip.y >= 0 && tip.y + tip.h <= 420, name);
  }
}, { width: 400, height: 420 });

scene("the wheel zooms to the mouse, a drag pans, a double click fits again", model(), async (stage) => {
  const fitted = stage.signal("k");
  const at = stage.at("fc");
  await stage.fire("wheel", stage.item("canvas"), at, { deltaY: -300, deltaMode: 0 });
  assert.ok(stage.signal("k") > fitted);
  const [x, y] = stage.at("fc");
  assert.ok(Math.hypot(x - at[0], y - at[1]) < 1e-6);
  await stage.drag(stage.item("canvas"), [20, 300], [40, 290]);
  const [panned] = stage.at("fc");
  assert.ok(Math.abs(panned - x - 20) < 1e-6);
  await stage.fire("dblclick", stage.item("canvas"), [20, 300]);
  assert.equal(stage.signal("k"), fitted);
});

scene("a level that is opened is fitted, whatever the camera did before", model(), async (stage) => {
  await stage.fire("wheel", stage.item("canvas"), [100, 300], { deltaY: -900, deltaMode: 0 });
  await stage.drag(stage.item("canvas"), [20, 300], [60, 330]);
  await stage.click("block");
  assert.equal(stage.signal("camera").own, false);
  assert.equal(stage.at("in")[0], stage.signal("mid_x"));
});

scene("the graph can't be lost by panning", model(), async (stage) => {
  await stage.drag(stage.item("canvas"), [20, 300], [9000, 9000]);
  assert.equal(stage.signal("center_x"), 0);
  assert.equal(stage.signal("center_y"), 0);
});

const n = 200;
const long = [meta(), level("#0", ["#0"], "Net", n), ...Array.from({ length: n }, (_, i) => node("#0", `layer${i}`, i))];

scene("a level too large to be read starts at its top, and Fit shows all of it", long, async (stage) => {
  assert.ok(stage.at("layer0")[1] > 40 && stage.at("layer0")[1] < 120);
  assert.ok(stage.items("node_name").some((item) => item.text === "layer0" && item.fontSize >= 11));
  await stage.fire("click", stage.item("zoom_fit"));
  assert.ok(stage.at(`layer${n - 1}`)[1] < 700);
  assert.ok(stage.items("node_name").every((item) => item.text === ""));
});

scene("solid where gradients flow, dashed where only data do", model(), (stage) => {
  assert.deepEqual(stage.items("edge").map((item) => item.strokeDash[1]), [4, 0, 4]);
  assert.equal(stage.items("edge_head").length, 3);
});

scene("a fold is a stack that opens and can't be put in a column", folded(), async (stage) => {
  const sheets = (/** @type {string} */ mark) => stage.items(mark).filter((item) => item.opacity).map((item) => item.datum.name);
  assert.deepEqual(sheets("sheets_fold"), ["cell x 2"]);
  assert.deepEqual(sheets("sheets"), ["cell x 2"]);
  await stage.click("cell x 2", { shiftKey: true });
  assert.ok(stage.signal("shown").every((/** @type {string} */ uid) => uid === ""));
  await stage.click("cell x 2");
  assert.deepEqual(names(stage.data("nodes_here")), ["x", "cell #1", "cell #2", "0"]);
  assert.deepEqual(names(stage.data("crumbs_shown")), ["Net", "cell x 2"]);
  await stage.fire("click", stage.item("crumb", "Net"));
  assert.equal(stage.signal("here"), "#0");
});

scene("what stands for a node outside of a fold has a dashed outline and leads there", folded(), async (stage) => {
  await stage.click("cell x 2");
  const dashed = stage.items("node").filter((item) => item.strokeDash[1]);
  assert.deepEqual(names(dashed.map((item) => item.datum)), ["x", "0"]);
  await stage.click("0");
  assert.equal(stage.signal("here"), "#0");
});
