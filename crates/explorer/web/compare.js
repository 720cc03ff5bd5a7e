// Two runs side by side, with the first step in which they differ.

import { el, fill } from "./dom.js";
import { Lasso } from "./lasso.js";
import { difference, readVerdict } from "./runs.js";

/** @typedef {import("./app.js").App} App */

/** The view of two runs. */
export class Compare {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.tools = el("div", { class: "tools" });
    this.said = el("p", { "aria-live": "polite" });
    this.both = el("div", { class: "pair" });
    this.element = el("div", { class: "compare" }, this.tools, this.said, this.both);
    /** @type {number[]} */
    this.chosen = [];
  }

  shown() {
    const runs = this.app.answers.filter((answer) => answer.verdict.run);
    if (runs.length < 2) {
      fill(this.tools);
      fill(this.both);
      this.said.textContent = runs.length === 0 ? "No answer so far has a run." : "There is one run so far. Ask under another notion, and compare the two here.";
      return;
    }
    if (this.chosen.length === 0 || this.chosen.some((at) => at >= runs.length)) {
      this.chosen = [runs.length - 2, runs.length - 1];
    }
    const select = (/** @type {number} */ which) => el("select", { "aria-label": which === 0 ? "The run on the left" : "The run on the right", onchange: (/** @type {Event} */ event) => {
      this.chosen[which] = Number(/** @type {HTMLSelectElement} */ (event.target).value);
      this.shown();
    } }, ...runs.map((answer, at) => el("option", { value: at, selected: at === this.chosen[which] }, `${at + 1}: ${answer.verdict.title ?? answer.verdict.property}${answer.verdict.stamp.fairness ? `, ${answer.verdict.stamp.fairness}` : ""}`)));
    fill(this.tools, select(0), "beside", select(1));
    const read = this.chosen.map((at) => {
      const answer = runs[at];
      return answer.trace ? this.app.read(answer.trace) : readVerdict(answer.verdict);
    });
    const [one, other] = read;
    if (!one || !other) {
      return;
    }
    const at = difference(one, other);
    this.said.textContent = at === null ? "The runs are the same." : `They differ first in step ${at + 1}.`;
    const lassos = [one, other].map((run, which) => new Lasso(run, { label: which === 0 ? "The run on the left" : "The run on the right", mark: at }));
    fill(this.both, ...lassos.map((lasso, which) => el("div", {}, el("h3", {}, `${one.loop === null && which === 0 ? "finite, " : ""}${[one, other][which].steps.length} steps`), lasso.element)));
    if (at !== null) {
      lassos.forEach((lasso) => lasso.select(at));
    }
  }
}
