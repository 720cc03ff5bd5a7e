// Two runs side by side, with the first step in which they differ, and their states there.

import { counted, el, fill } from "./dom.js";
import { Lasso } from "./lasso.js";
import { difference, readVerdict, stateAt } from "./runs.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./runs.js").Run} Run */

const SIDES = ["left", "right"];

/** The view of two runs. */
export class Compare {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.tools = el("div", { class: "tools" });
    this.said = el("p", { "aria-live": "polite" });
    this.both = el("div", { class: "pair" });
    this.states = el("div", { class: "panel" });
    this.element = el("div", { class: "compare" }, this.tools, this.said, this.both, this.states);
    /** @type {number[]} */
    this.chosen = [];
    /** Whether a person chose them; if not, they are the last two that differ. */
    this.isChosen = false;
  }

  shown() {
    const runs = this.app.answers.filter((answer) => answer.verdict.run);
    fill(this.states);
    if (runs.length < 2) {
      fill(this.tools);
      fill(this.both);
      this.said.textContent = runs.length === 0 ? "No answer so far has a run." : "There is one run so far. Ask under another notion, and compare the two here.";
      return;
    }
    const read = (/** @type {number} */ at) => runs[at].trace ? this.app.read(runs[at].trace) : readVerdict(runs[at].verdict);
    if (!this.isChosen || this.chosen.some((at) => at >= runs.length)) {
      this.chosen = [before(runs.length - 1, read), runs.length - 1];
    }
    const select = (/** @type {number} */ which) => el("select", { "aria-label": `The run on the ${SIDES[which]}`, onchange: (/** @type {Event} */ event) => {
      this.isChosen = true;
      this.chosen[which] = Number(/** @type {HTMLSelectElement} */ (event.target).value);
      this.shown();
    } }, ...runs.map((answer, at) => el("option", { value: at, selected: at === this.chosen[which] }, `${at + 1}: ${name(answer)}`)));
    fill(this.tools, select(0), "beside", select(1));
    const both = this.chosen.map(read);
    const [one, other] = both;
    if (!one || !other) {
      return;
    }
    const at = difference(one, other);
    this.said.textContent = at === null ? "The runs are the same." : `They differ first in step ${at + 1}, which is marked ≠.`;
    /** Each timeline takes the other one along. @type {Lasso[]} */
    const lassos = [];
    let isLed = false;
    const go = (/** @type {number} */ which, /** @type {number} */ to) => {
      if (isLed || lassos.length < 2) {
        return;
      }
      isLed = true;
      lassos[1 - which].select(to);
      isLed = false;
      this.drawStates(one, other, to);
    };
    [one, other].forEach((run, which) => lassos.push(new Lasso(run, { label: `The run on the ${SIDES[which]}`, mark: at, show: (to) => go(which, to) })));
    fill(this.both, ...lassos.map((lasso, which) => {
      const { loop, steps } = lasso.run;
      const size = loop === null ? counted(steps.length, "step") : `${counted(loop, "step")}, then a loop of ${steps.length - loop}`;
      return el("div", {}, el("h3", {}, `${name(runs[this.chosen[which]])}: ${size}`), lasso.element);
    }));
    lassos[0].select(at ?? 0);
  }

  /** The states before a step of both, what differs marked. @param {Run} one @param {Run} other @param {number} at */
  drawStates(one, other, at) {
    const states = [one, other].map((run) => new Map(at <= run.steps.length ? stateAt(run, at) : []));
    const names = [...new Set(states.flatMap((state) => [...state.keys()]))];
    const rows = names.map((variable) => {
      const [left, right] = states.map((state) => state.get(variable) ?? "");
      return el("tr", { class: left === right ? "" : "changed" }, el("th", { scope: "row" }, variable), el("td", {}, left), el("td", {}, right, left !== right && el("span", { class: "was" }, " ≠")));
    });
    fill(this.states, el("h3", {}, `States before step ${at + 1}`),
      el("table", { class: "state both" }, el("thead", {}, el("tr", {}, ...["", ...SIDES].map((side) => el("th", { scope: "col" }, side)))), el("tbody", {}, ...rows)));
  }
}

/** @param {any} answer */
function name({ verdict }) {
  return `${verdict.title ?? verdict.property}${verdict.stamp.fairness ? `, ${verdict.stamp.fairness}` : ""}`;
}

/** The last run before one that differs from it; the one just before it if none does. @param {number} last @param {(at: number) => Run | null} read */
function before(last, read) {
  const own = read(last);
  for (let at = last - 1; at >= 0; at -= 1) {
    const other = read(at);
    if (own && other && difference(other, own) !== null) {
      return at;
    }
  }
  return last - 1;
}
