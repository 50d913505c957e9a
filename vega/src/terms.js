/** Short words for Vega's grammar, so that the parts read like a list of what is drawn. Pure. */

/** @typedef {import("vega").Signal} Signal */
/** @typedef {import("vega").Data} Data */
/** @typedef {import("vega").Mark} Mark */
/** @typedef {import("vega").Transforms} Transform */
/** @typedef {{signal: string}} Sig */

/** The most characters an expression may have; longer ones are split up and named. */
export const LONGEST = 100;

/** A signal that follows others. @type {(name: string, update: string) => Signal} */
export const follows = (name, update) => ({ name, update });

/** A signal set by events. @type {(name: string, value: any, on: any[], more?: object) => Signal} */
export const state = (name, value, on, more) => ({ name, value, ...more, on });

/** A handler in a signal. @type {(events: any, update: string, force?: boolean) => object} */
export const when = (events, update, force) => ({ events, update, ...(force ? { force } : {}) });

/** After another signal changed. @type {(signal: string) => {signal: string}} */
export const after = (signal) => ({ signal });

/** @type {(signal: string) => Sig} */
export const sig = (signal) => ({ signal });

/** @type {(value: any) => {value: any}} */
export const val = (value) => ({ value });

/** @type {(expr: string) => Transform} */
export const filter = (expr) => ({ type: "filter", expr });

/** @type {(as: string, expr: string) => Transform} */
export const formula = (as, expr) => ({ type: "formula", as, expr });

/** Several formulas. @type {(fields: Record<string, string>) => Transform[]} */
export const formulas = (fields) => Object.entries(fields).map(([as, expr]) => formula(as, expr));

/** @type {(name: string, source: string | string[], transform: Transform[]) => Data} */
export const data = (name, source, transform) => /** @type {Data} */ ({ name, source, transform });

/** @type {(from: string, key: string, fields: string[], values: string[], as: string[]) => Transform} */
export const lookup = (from, key, fields, values, as) =>
  /** @type {Transform} */ ({ type: "lookup", from, key, fields, as, ...(values.length ? { values } : {}) });

/**
 * A mark; what stands in `update` are expressions, values in {value}.
 * @type {(type: string, name: string, from: string | undefined, update: Record<string, any>, more?: object) => Mark}
 */
export const mark = (type, name, from, update, more) =>
  /** @type {Mark} */ (
    /** @type {unknown} */ ({
      type,
      name,
      ...(from ? { from: { data: from } } : {}),
      encode: {
        update: Object.fromEntries(Object.entries(update).map(([k, v]) => [k, typeof v === "string" ? sig(v) : v])),
      },
      ...more,
    })
  );

/** A mark that the mouse does not see. @type {typeof mark} */
export const still = (type, name, from, update, more) => mark(type, name, from, update, { interactive: false, ...more });

/** A text in an expression. @type {(text: string) => string} */
export const quote = (text) => JSON.stringify(text);

/** An event on any of the marks that are nodes. @type {(event: string) => string} */
export const onNodes = (event) => ["node", "node_param", "node_join"].map((name) => `@${name}:${event}`).join(", ");
