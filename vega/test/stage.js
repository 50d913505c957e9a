/**
 * A chart without a browser, on both versions of Vega, with a mouse.
 *
 * The mouse calls the handlers that the view has put on its marks and on `window`, as the browser's events would.
 */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import test from "node:test";
import * as vega6 from "vega";

/** @typedef {import("./rows.js").Row} Row */

const spec = JSON.parse(readFileSync(new URL("../../torchexplorer/render/chart.vg.json", import.meta.url), "utf8"));

/** Every test runs on both. @type {[string, any][]} */
const versions = [
  ["vega 5.25", createRequire(import.meta.url)("vega-5")],
  ["vega 6", vega6],
];

class Window {
  /** @type {[string, (event: object) => void][]} */
  handlers = [];
  /** @type {(type: string, handler: (event: object) => void) => void} */
  addEventListener(type, handler) {
    this.handlers.push([type, handler]);
  }
  removeEventListener() {}
}

/** A running chart. */
export class Stage {
  /** @param {any} vega @param {Row[] | null} rows @param {{width?: number, height?: number}} size */
  static async open(vega, rows, { width = 1200, height = 700 } = {}) {
    const window = new Window();
    Object.assign(globalThis, { window });
    const view = new vega.View(vega.parse(spec), { renderer: "none", logLevel: vega.Error });
    /** @type {string[]} */
    const errors = [];
    view.logger({ level: () => 0, error: (/** @type {any} */ e) => errors.push(String(e?.stack ?? e)), warn() {}, info() {}, debug() {} });
    view.initialize();
    const canvas = { getBoundingClientRect: () => ({ left: 0, top: 0 }), clientLeft: 0, clientTop: 0 };
    view._renderer = new Proxy({}, { get: (_, name) => () => name === "canvas" && canvas });
    view.width(width).height(height);
    if (rows) view.data("wandb", rows);
    await view.runAsync();
    return new Stage(view, window, errors);
  }

  /** @param {any} view @param {Window} window @param {string[]} errors */
  constructor(view, window, errors) {
    this.view = view;
    this.window = window;
    this.errors = errors;
  }

  /** @type {(name: string) => any} */
  signal(name) {
    return this.view.signal(name);
  }

  /** @type {(name: string) => any[]} */
  data(name) {
    return this.view.data(name);
  }

  /** Items of a mark. @type {(mark: string) => any[]} */
  items(mark) {
    /** @type {any[]} */
    const found = [];
    const visit = (/** @type {any} */ group) => {
      for (const inner of group.items ?? []) {
        if (inner.marktype && inner.name === mark) found.push(...inner.items);
        visit(inner);
      }
    };
    visit(this.view.scenegraph().root);
    return found;
  }

  /** The item of a mark with this name in its data. @type {(mark: string, name?: string | number) => any} */
  item(mark, name) {
    const item = this.items(mark).find(({ datum }) => name === undefined || [datum.name, datum.uid, datum.column].includes(name));
    if (!item) throw new Error(`no ${mark} ${name}`);
    return item;
  }

  /** Where a node stands in the chart. @type {(name: string) => [number, number]} */
  at(name) {
    const { x, y } = this.data("nodes_here").find((node) => node.name === name);
    const k = this.signal("k");
    return [this.signal("origin_x") + k * x, this.signal("origin_y") + k * y];
  }

  /** @param {string} type @param {any} item @param {[number, number]} at @param {object} more */
  async fire(type, item, at = [0, 0], more = {}) {
    const [clientX, clientY] = at;
    const quiet = { preventDefault() {}, stopPropagation() {} };
    const event = { type, button: 0, clientX, clientY, shiftKey: false, ...quiet, ...more };
    const handlers = this.view._handler._handlers[type] ?? [];
    for (const { handler } of handlers) handler(event, item);
    for (const [kind, handler] of this.window.handlers) if (kind === type) handler(event);
    await this.view.runAsync();
  }

  /** Press, move, let go. @type {(item: any, from: [number, number], to?: [number, number], more?: object) => Promise<void>} */
  async drag(item, from, to = from, more = {}) {
    await this.fire("mousedown", item, from, more);
    const half = /** @type {[number, number]} */ ([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]);
    if (to !== from) await this.fire("mousemove", item, half, more);
    if (to !== from) await this.fire("mousemove", item, to, more);
    await this.fire("mouseup", item, to, more);
  }

  /** A click on a node. @type {(name: string, more?: object) => Promise<void>} */
  async click(name, more = {}) {
    await this.drag(this.item("node", name), this.at(name), undefined, more);
  }

  /** New rows. @type {(rows: Row[]) => Promise<void>} */
  async feed(rows) {
    this.view.data("wandb", rows);
    await this.view.runAsync();
  }
}

/**
 * A test on each version of Vega; fails where the view logs an error.
 * @type {(name: string, rows: Row[] | null, body: (stage: Stage) => Promise<void> | void, size?: object) => void}
 */
export function scene(name, rows, body, size) {
  for (const [version, vega] of versions) {
    test(`${name} (${version})`, async () => {
      const stage = await Stage.open(vega, rows, size);
      await body(stage);
      if (stage.errors.length) throw new Error(stage.errors.join("\n"));
    });
  }
}
