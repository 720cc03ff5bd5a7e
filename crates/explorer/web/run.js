// The run that shows an answer: its timeline, the state and the line of the chosen step, and the ledger beside it.

import { button, download, el, fill } from "./dom.js";
import { Lasso } from "./lasso.js";
import { ledger } from "./ledger.js";
import { readOther, readTrace, readVerdict, stateAt } from "./runs.js";
import { excerpt } from "./source.js";

/**
 * What a run is shown with.
 * @typedef {object} Shower
 * @property {() => string | null} text
 * @property {((line: number, column?: number) => void) | null} openLine
 * @property {(answer: any, run: Run, lasso: Lasso) => Node[]} runTools
 */
/** @typedef {import("./runs.js").Run} Run */

/**
 * The state before a step, with what the step before it changed.
 * @param {Run} run
 * @param {number} at
 * @returns {HTMLElement}
 */
export function stateTable(run, at) {
  const state = stateAt(run, at);
  const before = at > 0 ? new Map(run.steps[at - 1].values) : null;
  const rows = state.map(([name, value]) => {
    const changed = before !== null && before.get(name) !== value;
    return el("tr", { class: changed ? "changed" : "" },
      el("th", { scope: "row" }, name), el("td", {}, value, changed && el("span", { class: "was" }, ` was ${before.get(name) ?? "not there"}`)));
  });
  return el("table", { class: "state" }, el("tbody", {}, ...rows));
}

/**
 * @param {any} answer
 * @param {Shower} app
 * @param {((constraint: string) => void) | null} add
 * @returns {HTMLElement | null}
 */
export function runView(answer, app, add) {
  const run = answer.trace ? readTrace(answer.trace) : readVerdict(answer.verdict);
  if (!run) {
    return null;
  }
  const { verdict } = answer;
  const last = run.loop === null ? `It ends after ${run.steps.length} steps.` : `After step ${run.steps.length} it goes on from step ${run.loop + 1}, for ever.`;
  if (run.steps.length === 0) {
    return el("div", { class: "run" }, el("p", {}, "The run has no steps: its first state shows it."), stateTable(run, 0));
  }
  const state = el("div", { class: "panel" });
  const source = el("div", { class: "panel" });
  /** @param {number} at */
  const draw = (at) => {
    const step = run.steps[at];
    fill(state, el("h3", {}, `State before step ${at + 1}`), stateTable(run, at));
    fill(source, el("h3", {}, "Where it is written"), excerpt(app.text(), step.line, step.file, app.openLine && ((line) => app.openLine?.(line))));
  };
  const lasso = new Lasso(run, {
    label: `The run against ${verdict.title ?? verdict.property}`,
    show: draw,
    preview: (at) => draw(at ?? lasso.at),
    openLine: app.openLine,
  });
  draw(0);
  const why = ledger(verdict.ledger ?? [], {
    fairness: verdict.stamp.fairness ?? "",
    upgrade: verdict.upgrade,
    excluding: answer.excluded_by ?? [],
    go: (at) => lasso.select(at),
    add: add ?? undefined,
  });
  const waiting = run.waiting.length > 0 && el("ul", { class: "plain" }, ...run.waiting.map((it) => el("li", {}, el("code", {}, it.process), ` ${it.waits}`)));
  const other = answer.trace ? readOther(answer.trace) : null;
  const tools = el("div", { class: "tools" },
    answer.trace && button("Save the trace", () => download(`${slug(verdict.property)}.itf.json`, JSON.stringify(answer.trace, null, 2)), { class: "small" }),
    ...app.runTools(answer, run, lasso));
  return el("div", { class: "run" },
    el("div", { class: "columns" },
      el("div", { class: "main" }, lasso.element, el("p", { class: "quiet" }, last), waiting, tools,
        other && el("div", {}, el("h3", {}, "The other run"), new Lasso(other, { label: "The other run" }).element)),
      el("div", { class: "aside" }, verdict.ledger ? why : null, state, source)));
}

/** @param {string} text */
export function slug(text) {
  return text.replace(/[^A-Za-z0-9_]+/g, "-").replace(/^-|-$/g, "").slice(0, 40) || "run";
}
