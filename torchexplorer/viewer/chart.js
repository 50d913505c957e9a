/**
 * The chart in its element: drawn once, then fed in place, so that what the user opened and moved stays as it is.
 *
 * In: the chart's Vega specification, rows, size, theme. Out: a picture. State: the Vega view.
 */

const DATA = "wandb";

/** Room that the chart has. @param {HTMLElement} element */
const room = (element) => ({ width: element.clientWidth, height: element.clientHeight });

/** The specification with rows, size and theme in it. */
const filled = ({ $schema: _, ...spec }, rows, size, theme) => ({
  ...spec,
  ...size,
  autosize: "none",
  padding: 0,
  data: spec.data.map((data) => (data.name === DATA ? { ...data, values: rows } : data)),
  signals: (spec.signals ?? []).map((signal) => (signal.name === "theme" ? { ...signal, value: theme } : signal)),
});

/** Bare Vega: the page has its own frame, and the chart its own tips. */
const options = {
  mode: "vega",
  renderer: "canvas",
  actions: false,
  defaultStyle: false,
  tooltip: { disableDefaultStyle: true },
};

export class Chart {
  /** @param {HTMLElement} element @param {object} spec */
  constructor(element, spec) {
    this.element = element;
    this.spec = spec;
    this.theme = "light";
    this.view = null;
    this.work = Promise.resolve();
    new ResizeObserver(() => this.queue(() => this.fit())).observe(element);
  }

  /** Draw these rows. @param {object[]} rows @returns {Promise<void>} */
  show(rows) {
    return this.queue(() => (this.view ? this.feed(rows) : this.begin(rows)));
  }

  /** @param {"light" | "dark"} theme */
  paint(theme) {
    this.theme = theme;
    return this.queue(() => this.set({ theme }));
  }

  /** One change of the view after the other; a failed one does not hold up the next. */
  queue(change) {
    const done = this.work.then(change);
    this.work = done.catch(() => {});
    return done;
  }

  async begin(rows) {
    const spec = filled(this.spec, rows, room(this.element), this.theme);
    const { view } = await globalThis.vegaEmbed(this.element, spec, options);
    this.view = view;
    globalThis.torchexplorerView = this.view; // to look at from the browser's console
  }

  async feed(rows) {
    await this.view.data(DATA, rows).runAsync();
  }

  fit() {
    const { width, height } = room(this.element);
    return width && height ? this.set({ width, height }) : undefined;
  }

  /** Set those signals that the chart has. */
  async set(values) {
    if (!this.view) return;
    const known = this.view.getState({ signals: (name) => name in values }).signals;
    const changed = Object.keys(values).filter((name) => name in known && known[name] !== values[name]);
    for (const name of changed) this.view.signal(name, values[name]);
    if (changed.includes("width") || changed.includes("height")) this.view.resize();
    if (changed.length) await this.view.runAsync();
  }
}
