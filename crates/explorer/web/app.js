// The explorer: it reads the model, and shows one view at a time.

import { get } from "./api.js";
import { button, el, fill } from "./dom.js";
import { chart } from "./chart.js";
import { Compare } from "./compare.js";
import { Edit } from "./edit.js";
import { Lattice } from "./lattice.js";
import { problems } from "./problems.js";
import { readTrace } from "./runs.js";
import { Simulate } from "./simulate.js";
import { Space } from "./space.js";
import { Verdicts } from "./verdicts.js";

/**
 * What views share.
 * @typedef {object} App
 * @property {any} model
 * @property {{ fairness: string, level: string, constraints: string[] }} settings
 * @property {any[]} answers
 * @property {() => object} assumed
 * @property {(answer: any) => void} remember
 * @property {() => number | null} interest
 * @property {() => string | null} text
 * @property {() => string | undefined} draft
 * @property {() => { text?: string, revision?: string }} about
 * @property {(trace: any) => import("./runs.js").Run} read
 * @property {((line: number, column?: number) => void) | null} openLine
 * @property {((answer: any, run: import("./runs.js").Run, lasso: import("./lasso.js").Lasso) => Node[])} runTools
 * @property {(set: string[]) => void} assumeSet
 * @property {(formula: string) => void} askFormula
 * @property {() => void} checkDraft
 * @property {() => Promise<void>} reload
 */

/** Answers that are kept for comparison. */
const MOST_ANSWERS = 40;
/** The theme is the system's unless one was chosen, for as long as the page is open. */
const THEMES = ["auto", "light", "dark"];

/** Keys, and what they do. */
const KEYS = [
  ["Alt+1, Alt+2 …", "go to a view"],
  ["?", "this list"],
  ["Tab, Shift+Tab", "on to the next control, back to the last one"],
  ["↑ ↓", "among questions, and among the steps that are possible"],
  ["← →", "step along a run, round its loop, too"],
  ["Space", "play a run, or pause"],
  ["L, Home, End", "to the loop, the first step, the last step"],
  ["Enter", "open the line of a step; choose a state or a notion"],
  ["1 … 9, Backspace", "in a simulation: take a step, take it back"],
  ["arrows in a picture", "go to the nearest node"],
  ["Ctrl+S, Ctrl+Enter", "in the source: save to the file, check this text"],
];

/** @implements {App} */
class Explorer {
  /** @param {any} model */
  constructor(model) {
    this.model = model;
    this.settings = { fairness: "", level: "process", constraints: /** @type {string[]} */ ([]) };
    /** @type {any[]} */
    this.answers = [];
    this.theme = 0;
    /** @type {Edit} */
    this.edit = new Edit(this);
    this.verdicts = new Verdicts(this);
    this.simulate = new Simulate(this);
    this.space = new Space(this);
    this.lattice = new Lattice(this);
    this.compare = new Compare(this);
    /** @type {Record<string, { title: string, view: { element: HTMLElement, shown?: () => void } }>} */
    this.views = {
      verdicts: { title: "Verdicts", view: this.verdicts },
      compare: { title: "Two runs", view: this.compare },
      simulate: { title: "Simulate", view: this.simulate },
      states: { title: "States", view: this.space },
      fairness: { title: "Fairness", view: this.lattice },
    };
    // A type of a program has no text that could be shown or edited.
    if (model.text) this.views.source = { title: "Source", view: this.edit };
    this.tabs = el("nav", { "aria-label": "Views" });
    this.main = /** @type {HTMLElement} */ (document.getElementById("main"));
    // Views hand it on as a function.
    this.openLine = model.text ? this.goToLine.bind(this) : null;
    const header = /** @type {HTMLElement} */ (document.getElementById("header"));
    const theme = button("Theme: auto", () => {
      this.theme = (this.theme + 1) % THEMES.length;
      document.documentElement.dataset.theme = THEMES[this.theme];
      theme.textContent = `Theme: ${THEMES[this.theme]}`;
    }, { class: "small theme" });
    this.help = el("dialog", { class: "help", "aria-label": "Keys" }, el("h2", {}, "Keys"), el("table", {}, el("tbody", {}, ...KEYS.map(([key, act]) => el("tr", {}, el("th", { scope: "row" }, el("kbd", {}, key)), el("td", {}, act))))),
      el("form", { method: "dialog" }, el("button", {}, "Close")));
    const keys = button("Keys", () => this.openHelp(), { class: "small keys-button", title: "?" });
    this.stale = el("div", { class: "stale", role: "status" });
    fill(header, el("h1", {}, "Fairly", el("span", { class: "file" }, model.name)), this.tabs, el("span", { class: "corner" }, keys, theme), this.stale, this.help);
    document.title = `${model.name} — Fairly`;
    window.addEventListener("hashchange", () => this.show());
    window.addEventListener("keydown", (event) => this.key(event));
    // Another program may have written the file while somebody looked elsewhere.
    window.addEventListener("focus", () => this.lookAgain());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.lookAgain());
    this.show();
    this.begin();
  }

  begin() {
    if (this.model.problems.length > 0) {
      fill(this.verdicts.detail, el("h2", {}, "The model cannot be read"), problems(this.model.problems, this.openLine));
      this.edit.changed();
    } else {
      this.verdicts.askAll();
    }
    if (this.model.has_trace) {
      get("trace").then((trace) => this.verdicts.showTrace(trace), () => {});
    }
  }

  /** Shows the view that the address names. */
  show() {
    const name = location.hash.slice(1);
    const { view } = Object.hasOwn(this.views, name) ? this.views[name] : this.views.verdicts;
    fill(this.tabs, ...Object.entries(this.views).map(([key, { title, view: other }], at) =>
      el("a", { href: `#${key}`, "aria-current": other === view ? "page" : null, title: `Alt+${at + 1}` }, title)));
    fill(this.main, view.element);
    view.shown?.();
  }

  openHelp() {
    const dialog = /** @type {HTMLDialogElement} */ (this.help);
    if (!dialog.open) dialog.showModal();
  }

  /** Says so if the file has other contents by now. */
  async lookAgain() {
    const found = await get("revision").catch(() => null);
    if (found && found.revision !== this.model.revision) {
      fill(this.stale, "The file has changed since it was read. ", button("Read it again", () => this.reload(), { class: "small" }));
    } else {
      fill(this.stale);
    }
  }

  /** Alt and a digit go to a view. @param {KeyboardEvent} event */
  key(event) {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLSelectElement;
    if (event.key === "?" && !isTyping) {
      event.preventDefault();
      this.openHelp();
      return;
    }
    const name = event.altKey && Object.keys(this.views)[Number(event.key) - 1];
    if (name) {
      event.preventDefault();
      location.hash = name;
    }
  }

  /** The question that a person looks at, or else the first that fails. @returns {number | null} */
  interest() {
    const { chosen, rows } = this.verdicts;
    const fails = rows.find((row) => row.isFormula && row.answer?.verdict.outcome === "violated");
    return (chosen?.isFormula ? chosen : fails)?.question ?? null;
  }

  /** What is assumed, as a call has it. */
  assumed() {
    const { fairness, level, constraints } = this.settings;
    return { fairness: fairness || undefined, level: fairness ? level : undefined, constraints };
  }

  /** @param {any} answer */
  remember(answer) {
    this.answers.push(answer);
    this.answers = this.answers.slice(-MOST_ANSWERS);
  }

  /** @param {any} trace */
  read(trace) {
    return readTrace(trace);
  }

  /** What a call is about: the draft, or these contents of the file and no others. */
  about() {
    const text = this.draft();
    return text === undefined ? { revision: this.model.revision } : { text };
  }

  text() {
    return this.model.text ? this.edit.area.value : null;
  }

  /** @returns {string | undefined} */
  draft() {
    return this.edit.draft();
  }

  /** @param {number} line @param {number} [column] */
  goToLine(line, column = 1) {
    location.hash = "source";
    this.show();
    this.edit.go(line, column);
  }

  /** @param {any} answer @param {import("./runs.js").Run} run @param {import("./lasso.js").Lasso} lasso */
  runTools(answer, run, lasso) {
    const where = el("div", {});
    const show = button("Message chart", () => {
      const isOpen = where.childNodes.length > 0;
      fill(where, isOpen ? null : chart(run, (at) => lasso.select(at)));
      show.setAttribute("aria-expanded", String(!isOpen));
    }, { class: "small", "aria-expanded": "false" });
    const branch = answer.trace && button("Simulate from the chosen step", () => {
      location.hash = "simulate";
      this.simulate.system = this.model.questions[answer.question ?? 0]?.system ?? 0;
      this.simulate.branch(answer.trace, lasso.at);
    }, { class: "small" });
    return [show, branch, where].filter(Boolean);
  }

  /** Assumes constraints instead of a notion. @param {string[]} set */
  assumeSet(set) {
    location.hash = "verdicts";
    this.verdicts.assume({ fairness: "none", constraints: set });
  }

  /** @param {string} formula */
  askFormula(formula) {
    location.hash = "verdicts";
    this.verdicts.askFormula(formula);
  }

  /** Asks every question of the text as it is edited. */
  checkDraft() {
    location.hash = "verdicts";
    this.verdicts.askAll();
  }

  /** Reads the model again. What was edited stays. */
  async reload() {
    const draft = this.draft();
    this.model = await get("model");
    if (draft === undefined) this.edit.area.value = this.model.text?.text ?? "";
    fill(this.stale);
    [this.verdicts, this.simulate, this.space, this.lattice].forEach((view) => view.reset());
    this.begin();
  }
}

get("model").then((model) => new Explorer(model), (failure) => {
  const main = /** @type {HTMLElement} */ (document.getElementById("main"));
  fill(main, el("p", { role: "alert" }, `The model cannot be read: ${failure.message}`));
});
