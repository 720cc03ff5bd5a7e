// A run that is made step by step.

import { post, Refused } from "./api.js";
import { announce, button, copyable, counted, download, el, fill } from "./dom.js";
import { Lasso } from "./lasso.js";
import { problems } from "./problems.js";
import { stateTable } from "./run.js";
import { excerpt } from "./source.js";

/** @typedef {import("./app.js").App} App */

/** The view of simulation. */
export class Simulate {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.system = 0;
    this.start = 0;
    /** @type {number[]} */
    this.path = [];
    this.seed = 1;
    this.isBegun = false;
    /** Which formula's acceptance is looked for. @type {HTMLSelectElement | null} */
    this.which = null;
    /** Answers come in the order of the questions, or not at all. */
    this.number = 0;
    this.tools = el("div", { class: "tools" });
    this.offered = el("div", { class: "offered" });
    this.state = el("div", { class: "panel" });
    this.source = el("div", { class: "panel" });
    this.run = el("div", {});
    this.said = el("p", { class: "said", role: "status" });
    this.element = el("div", { class: "simulate" }, this.tools, this.said,
      el("div", { class: "columns" }, el("div", { class: "main" }, this.offered, this.run), el("div", { class: "aside" }, this.state, this.source)));
    this.element.addEventListener("keydown", (event) => this.key(/** @type {KeyboardEvent} */ (event)));
    this.drawTools();
  }

  shown() {
    const interest = this.app.interest();
    if (this.which && !this.which.dataset.picked && [...this.which.options].some((it) => it.value === String(interest))) {
      this.which.value = String(interest);
    }
    // Another view may have asked for a run to begin with.
    if (!this.isBegun) {
      this.ask({});
    } else if (document.activeElement === document.body) {
      /** @type {HTMLElement | null} */ (this.offered.querySelector("button.step"))?.focus({ preventScroll: true });
    }
  }

  reset() {
    this.path = [];
    this.start = 0;
    this.answer = null;
    this.isBegun = false;
    this.drawTools();
  }

  drawTools() {
    const small = { class: "small" };
    const until = el("input", { type: "text", placeholder: "a line, or x == 3 && P@wants", "aria-label": "Until", size: 22 });
    const steps = el("input", { type: "number", min: 1, max: 10000, value: 10, "aria-label": "How many random steps" });
    const load = el("input", { type: "file", accept: ".json,.trail,application/json", class: "hidden", "aria-label": "A trace to load", onchange: async (/** @type {Event} */ event) => {
      const file = /** @type {HTMLInputElement} */ (event.target).files?.[0];
      if (file) {
        this.load(file.name, await file.text());
      }
    } });
    const { systems } = this.app.model;
    const which = systems.length > 1 && el("select", { "aria-label": "Which system", onchange: (/** @type {Event} */ event) => {
      this.system = Number(/** @type {HTMLSelectElement} */ (event.target).value);
      this.reset();
      this.ask({});
    } }, ...systems.map((/** @type {string | null} */ name, /** @type {number} */ at) => el("option", { value: at, selected: at === this.system }, name ?? `system ${at + 1}`)));
    fill(this.tools, which,
      button("Restart", () => { this.path = []; this.ask({}); }, small),
      button("Back", () => this.back(), small),
      el("form", { class: "tools", onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        const text = /** @type {HTMLInputElement} */ (until).value.trim();
        this.ask({ random: text ? 10000 : Number(/** @type {HTMLInputElement} */ (steps).value), until: text || undefined });
      } }, el("button", { type: "submit", class: "small" }, "Random"), steps, "steps, or until", until),
      ...this.acceptance(),
      button("Save the trace", () => { if (this.answer) download("simulation.itf.json", JSON.stringify(this.answer.trace, null, 2)); }, small),
      this.app.model.has_trails && button("as SPIN's trail", () => this.saveTrail(), small),
      button("Load a trace", () => load.click(), small), load);
  }

  /** The button that goes on to an acceptance, and for which formula. */
  acceptance() {
    const formulas = this.app.model.questions.map((/** @type {any} */ question, /** @type {number} */ at) => ({ ...question, at }))
      .filter((/** @type {any} */ question) => question.is_formula && question.system === this.system);
    if (formulas.length === 0) {
      return [];
    }
    const which = el("select", { class: "small", "aria-label": "The formula whose negation accepts", onchange: (/** @type {Event} */ event) => { /** @type {HTMLSelectElement} */ (event.target).dataset.picked = "yes"; } }, ...formulas.map((/** @type {any} */ it) => el("option", { value: it.at }, `of ¬${it.title}`)));
    this.which = /** @type {HTMLSelectElement} */ (which);
    return [button("To an acceptance", () => this.ask({ accepting: Number(/** @type {HTMLSelectElement} */ (which).value) }),
      { class: "small", title: "Goes on to a loop that the automaton of the negated formula accepts for ever, and once round it" }), which];
  }

  async saveTrail() {
    try {
      const { trail } = await post("simulate", { system: this.system, start: this.start, path: this.path, ...this.app.about(), to_trail: true });
      download("simulation.trail", trail, "text/plain");
    } catch (failure) {
      this.said.textContent = String(/** @type {Error} */ (failure).message);
    }
  }

  back() {
    if (this.path.length > 0) {
      this.path = this.path.slice(0, -1);
      this.ask({});
    }
  }

  /** @param {string} name @param {string} text */
  load(name, text) {
    if (name.endsWith(".trail")) {
      this.ask({ trail: text });
      return;
    }
    try {
      this.ask({ along: JSON.parse(text) });
    } catch {
      this.said.textContent = "The file is no JSON, so it is no trace.";
    }
  }

  /** Begins with the first steps of a trace. @param {any} trace @param {number} steps */
  branch(trace, steps) {
    this.ask({ along: trace, steps });
  }

  /** @param {object} more */
  async ask(more) {
    this.isBegun = true;
    this.number += 1;
    const { number } = this;
    const body = { system: this.system, start: this.start, path: this.path, seed: this.seed, ...this.app.about(), ...more };
    try {
      const answer = await post("simulate", body);
      if (number === this.number) {
        this.take(answer);
      }
    } catch (failure) {
      fill(this.said);
      fill(this.offered, problems(failure instanceof Refused ? failure.problems : [{ message: String(failure) }], (line) => this.app.openLine?.(line)),
        button("Restart", () => { this.path = []; this.ask({}); }));
    }
  }

  /** @param {any} answer */
  take(answer) {
    this.answer = answer;
    Object.assign(this, { path: answer.path, start: answer.start, seed: answer.seed });
    const run = this.app.read(answer.trace);
    const end = run.steps.length;
    this.said.textContent = [answer.stopped, answer.stuck?.why].filter(Boolean).join("; ");
    this.said.className = `said ${answer.stuck && !answer.stuck.terminated ? "violated" : ""}`;
    announce(`Step ${this.path.length + 1}: ${answer.stuck?.why ?? counted(answer.possible, "step")} possible`);
    this.drawOffered(answer);
    fill(this.state, el("h3", {}, `State ${this.path.length === 0 ? "at the start" : `after step ${this.path.length}`}`), stateTable(run, end));
    this.showLine(answer.offered[0] ?? null);
    if (end === 0) {
      fill(this.run, copyable(answer.command));
      return;
    }
    const lasso = new Lasso(run, { label: "The run so far", show: (at) => {
      fill(this.state, el("h3", {}, `State before step ${answer.omitted + at + 1}`), stateTable(run, at));
      this.showLine(run.steps[at]);
    } });
    lasso.select(end - 1, false);
    fill(this.run, el("h3", {}, `The run so far: ${counted(this.path.length, "step")}`),
      answer.omitted > 0 && el("p", { class: "quiet" }, `The last ${end} of them:`),
      lasso.element, copyable(answer.command));
  }

  /** @param {any} answer */
  drawOffered(answer) {
    // Who chose a step chooses the next one; where there is none, the keys still work.
    const had = this.offered.contains(document.activeElement) || document.activeElement === document.body;
    /** @type {Map<string, any[]>} */
    const groups = new Map();
    for (const step of answer.offered) {
      groups.set(step.who, [...(groups.get(step.who) ?? []), step]);
    }
    const sections = [...groups].map(([who, steps]) => {
      const { waited } = steps[0];
      return el("section", { class: "group", "aria-label": who }, el("h3", {}, who, waited > 0 && el("span", { class: "waited" }, ` enabled for ${counted(waited, "step")}, not taken`)),
        ...steps.map((step) => {
          const changes = step.changes.map((/** @type {[string, string]} */ [name, value]) => `${name}=${value}`).join("  ");
          const event = step.event !== step.action && !step.action.includes(step.event) && !/:\d+$/.test(step.event) ? step.event : "";
          return el("button", { type: "button", class: "step", "data-choice": step.choice, onclick: () => this.choose(step.choice), onfocus: () => this.showLine(step), onmouseenter: () => this.showLine(step) },
            el("span", { class: "number", "aria-hidden": "true" }, step.choice < 9 ? String(step.choice + 1) : ""), el("code", {}, step.action),
            event && el("span", { class: "quiet" }, event), el("span", { class: "quiet" }, changes), step.line && el("span", { class: "quiet" }, `line ${step.line}`));
        }));
    });
    fill(this.offered, el("h2", { tabindex: "-1" }, answer.stuck ? "Nothing can happen" : `Step ${answer.path.length + 1}: choose`), ...sections,
      answer.possible > answer.offered.length && el("p", { class: "quiet" }, `${answer.possible - answer.offered.length} more are possible.`));
    if (had) {
      /** @type {HTMLElement | null} */ (this.offered.querySelector("button.step") ?? this.offered.querySelector("h2"))?.focus({ preventScroll: true });
    }
  }

  /** @param {number} choice */
  choose(choice) {
    this.path = [...this.path, choice];
    this.ask({});
  }

  /** @param {{ line: number | null, file: string | null } | null} step */
  showLine(step) {
    fill(this.source, el("h3", {}, "Where it is written"), excerpt(this.app.text(), step?.line ?? null, step?.file ?? null, (line) => this.app.openLine?.(line)));
  }

  /** Digits choose, Backspace goes back. @param {KeyboardEvent} event */
  key(event) {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (event.key === "Backspace") {
      event.preventDefault();
      this.back();
    } else if (/^[1-9]$/.test(event.key)) {
      /** @type {HTMLElement | null} */ (this.offered.querySelector(`[data-choice="${Number(event.key) - 1}"]`))?.click();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const all = [...this.offered.querySelectorAll("button.step")];
      const at = all.indexOf(/** @type {Element} */ (document.activeElement));
      if (at >= 0) {
        event.preventDefault();
        /** @type {HTMLElement | undefined} */ (all[at + (event.key === "ArrowDown" ? 1 : -1)])?.focus();
      }
    }
  }
}
