// The table of questions with their verdicts: asked, stopped, and asked again under other assumptions.

import { answerView, OUTCOMES } from "./answer.js";
import { stream, Refused } from "./api.js";
import { announce, button, copyable, counted, el, fill, svg } from "./dom.js";
import { problems } from "./problems.js";
import { runView } from "./run.js";

/** @typedef {import("./app.js").App} App */
/**
 * @typedef {object} Row
 * @property {string} title
 * @property {number | null} question
 * @property {string | null} formula
 * @property {boolean} isFormula
 * @property {string} kind
 * @property {number | null} line
 * @property {"idle" | "waiting" | "running" | "answered" | "problem" | "stopped"} status
 * @property {any} answer
 * @property {import("./api.js").Problem[]} problems
 * @property {any[]} beside
 * @property {any[]} progress
 * @property {number} before
 * @property {AbortController | null} abort
 * @property {HTMLElement} element
 */

/** Questions that this page asks at once. The server answers one at a time, and a browser has few connections. */
const AT_ONCE = 2;
/** Points of a plot of progress. */
const POINTS = 300;

/** The view of verdicts. */
export class Verdicts {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Row[]} */
    this.rows = [];
    /** @type {Row[]} */
    this.queue = [];
    /** @type {Row | null} */
    this.chosen = null;
    /** Constraints that are offered where one is written. @type {Set<string>} */
    this.known = new Set();
    /** Whether a person chose it. */
    this.isChosen = false;
    this.list = el("ul", { class: "questions", "aria-label": "Questions" });
    this.detail = el("section", { class: "detail", "aria-label": "Answer" });
    this.settings = el("div", { class: "settings" });
    this.formula = el("input", {
      type: "text", id: "formula", placeholder: "[] (want -> <> served)", "aria-label": "A formula", autocomplete: "off", spellcheck: "false",
    });
    const ask = el("form", {
      class: "ask", onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        this.askFormula(/** @type {HTMLInputElement} */ (this.formula).value.trim());
      },
    }, this.formula, el("button", { type: "submit" }, "Ask"));
    const { model } = app;
    const isProgram = !model.text && model.files.length === 0;
    this.side = el("div", { class: "side" }, this.settings, this.list, ask,
      isProgram && el("p", { class: "quiet program" }, "This model is a type of a program: there is no text to edit, and steps have no lines. What is assumed is written below each answer as the program says it."));
    this.element = el("div", { class: "verdicts" }, this.side, this.detail);
    this.reset();
  }

  /** Begins again with the questions of the model. */
  reset() {
    for (const row of this.rows) {
      row.abort?.abort();
    }
    this.queue = [];
    this.rows = this.app.model.questions.map((/** @type {any} */ question, /** @type {number} */ at) =>
      this.row({ title: question.title, question: at, formula: null, isFormula: question.is_formula, kind: question.kind, line: question.line }));
    this.chosen = null;
    this.drawSettings();
    fill(this.list, ...this.rows.map((row) => row.element));
    this.drawDetail();
  }

  /** @param {any} about @returns {Row} */
  row(about) {
    const row = {
      ...about, status: "idle", answer: null, problems: [], beside: [], progress: [], before: 0, abort: null,
      element: el("li", {}),
    };
    this.draw(row);
    return row;
  }

  /** Asks every question. */
  askAll() {
    this.rows.forEach((row) => this.ask(row));
    if (this.rows.length > 0) {
      this.choose(this.rows[0], false);
    }
  }

  /** Shows a run that was saved. @param {any} trace */
  showTrace(trace) {
    const meta = trace["#meta"];
    const stamp = { fairness: meta.fairness ?? "" };
    const answer = { trace, verdict: { property: meta.property ?? "a saved run", title: meta.property, ledger: meta.ledger, stamp }, excluded_by: [] };
    [this.chosen, this.isChosen] = [null, true];
    this.rows.forEach((row) => this.draw(row));
    fill(this.detail, el("h2", {}, `The saved run${meta.property ? ` against ${meta.property}` : ""}`),
      meta.formula && el("p", {}, el("code", {}, meta.formula)), meta.conclusion && el("p", {}, meta.conclusion), runView(answer, this.app, (constraint) => this.addConstraint(constraint)));
  }

  /** @param {string} formula */
  askFormula(formula) {
    if (formula === "") {
      return;
    }
    const row = this.row({ title: formula, question: null, formula, isFormula: true, kind: "formula", line: null });
    this.rows.push(row);
    this.list.append(row.element);
    this.choose(row);
    this.ask(row);
  }

  /** @param {Row} row */
  ask(row) {
    row.abort?.abort();
    Object.assign(row, { status: "waiting", problems: [], beside: [], progress: [], before: 0, abort: new AbortController() });
    this.queue.push(row);
    this.draw(row);
    this.go();
  }

  /** Asks what waits, as far as connections allow. */
  go() {
    while (this.queue.length > 0 && this.rows.filter((row) => row.status === "running").length < AT_ONCE) {
      const row = /** @type {Row} */ (this.queue.shift());
      if (row.status === "waiting") {
        this.run(row);
      }
    }
  }

  /** @param {Row} row */
  async run(row) {
    const abort = /** @type {AbortController} */ (row.abort);
    row.status = "running";
    this.draw(row);
    const settings = row.isFormula ? this.app.assumed() : {};
    const body = { question: row.question ?? undefined, formula: row.formula ?? undefined, ...this.app.about(), ...settings };
    try {
      await stream("check", body, (event, data) => {
        if (row.abort === abort) {
          this.hear(row, event, data);
        }
      }, abort.signal);
    } catch (failure) {
      if (row.abort === abort && !abort.signal.aborted) {
        row.status = "problem";
        row.problems = failure instanceof Refused ? failure.problems : [{ message: "The server does not answer: was `fairly explore` ended?" }];
      }
    }
    if (row.abort === abort) {
      if (row.status === "running") {
        row.status = "stopped";
      }
      this.draw(row);
      if (row === this.chosen) {
        this.drawDetail();
      }
    }
    this.go();
  }

  /** @param {Row} row @param {string} event @param {any} data */
  hear(row, event, data) {
    switch (event) {
      case "waiting":
        row.before = data.before;
        break;
      case "progress":
        row.before = 0;
        row.progress.push(data);
        if (row.progress.length > POINTS) {
          row.progress = row.progress.filter((_, at) => at % 2 === 1);
        }
        break;
      case "answer":
        row.status = "answered";
        row.answer = { ...data, question: row.question, isDraft: this.app.draft() !== undefined };
        this.suggest(row.answer);
        this.app.remember(row.answer);
        announce(`${row.title}: ${data.verdict.outcome}`);
        // What fails is what one wants to see first.
        if (!this.isChosen && data.verdict.outcome === "violated" && this.chosen?.answer?.verdict.outcome !== "violated") {
          this.choose(row, false);
        }
        break;
      case "beside":
        row.beside.push(data);
        break;
      case "problem":
        row.status = "problem";
        row.problems = data;
        break;
      default:
        break;
    }
    this.draw(row);
    if (row === this.chosen && event !== "end") {
      this.drawDetail();
    }
  }

  /** @param {Row} row */
  stop(row) {
    row.abort?.abort();
    row.status = "stopped";
    this.draw(row);
    this.drawDetail();
    this.go();
  }

  /** @param {Row} row @param {boolean} [focus] */
  choose(row, focus = true) {
    this.chosen = row;
    this.isChosen = this.isChosen || focus;
    this.rows.forEach((other) => this.draw(other));
    this.drawDetail();
    if (focus) {
      /** @type {HTMLElement | null} */ (row.element.querySelector(".choose"))?.focus({ preventScroll: true });
    }
  }

  /** @param {Row} row */
  draw(row) {
    const [sign, words] = row.status === "answered" ? OUTCOMES[row.answer.verdict.outcome] : {
      idle: ["", "not asked"], waiting: ["…", "waits"], running: ["…", "is searched"], problem: ["!", "not answered"], stopped: ["■", "stopped"],
    }[row.status];
    const outcome = row.status === "answered" ? row.answer.verdict.outcome : row.status;
    const stamp = row.status === "answered" ? row.answer.verdict.stamp : null;
    const latest = row.progress[row.progress.length - 1];
    const small = stamp
      ? [stamp.fairness, stamp.states === null || stamp.states === undefined ? null : counted(stamp.states, "state"), stamp.exhaustive ? "complete" : null].filter(Boolean).join(" · ")
      : row.status === "running" && latest ? `${counted(latest.states, "state")}, ${latest.seconds.toFixed(1)} s`
        : row.status === "waiting" || row.before > 0 ? "waits for another question" : row.kind;
    const isBusy = row.status === "running" || row.status === "waiting";
    const act = isBusy
      ? button("Stop", () => this.stop(row), { class: "small", "aria-label": `Stop ${row.title}` })
      : button(row.status === "idle" ? "Ask" : "Again", () => this.ask(row), { class: "small", "aria-label": `Ask ${row.title} again` });
    row.element.className = `question ${outcome}${row === this.chosen ? " chosen" : ""}`;
    const had = row.element.contains(document.activeElement) ? document.activeElement?.className : null;
    fill(row.element,
      el("button", {
        type: "button", class: "choose", "aria-pressed": row === this.chosen ? "true" : "false", onclick: () => this.choose(row),
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(row, event),
      },
        el("span", { class: "sign", "aria-hidden": "true" }, sign),
        el("span", { class: "title" }, row.title),
        el("span", { class: "outcome" }, words),
        el("span", { class: "small quiet" }, small)),
      act);
    if (had) {
      /** @type {HTMLElement | null} */ (row.element.querySelector(had.includes("choose") ? ".choose" : ".small"))?.focus({ preventScroll: true });
    }
  }

  /** @param {Row} row @param {KeyboardEvent} event */
  key(row, event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const to = step && this.rows[this.rows.indexOf(row) + step];
    if (to) {
      event.preventDefault();
      this.choose(to);
    }
  }

  drawSettings() {
    const { app } = this;
    const { model, settings } = app;
    const notions = model.notions.map((/** @type {any} */ notion) =>
      el("option", { value: notion.name, selected: notion.name === settings.fairness }, notion.words));
    const own = el("option", { value: "", selected: settings.fairness === "" }, model.is_annotated ? "as the model says" : `as the model says: ${model.fairness === "no fairness" ? "none" : model.fairness}`);
    const fairness = el("select", { id: "fairness", onchange: (/** @type {Event} */ event) => this.assume({ fairness: /** @type {HTMLSelectElement} */ (event.target).value }) }, own, ...notions);
    const hasLevels = model.notions.some((/** @type {any} */ notion) => notion.name === settings.fairness && notion.has_levels);
    const level = el("select", { id: "level", "aria-label": "Fairness of what", disabled: !hasLevels, onchange: (/** @type {Event} */ event) => this.assume({ level: /** @type {HTMLSelectElement} */ (event.target).value }) },
      ...model.levels.map((/** @type {string} */ name) => el("option", { value: name, selected: name === settings.level }, `of every ${name}`)));
    const constraint = el("input", { type: "text", placeholder: "wf(NAME), sf(NAME), justice(p) …", "aria-label": "A further constraint", autocomplete: "off", spellcheck: "false", list: "constraints" });
    const add = el("form", {
      class: "constraint", onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        const text = /** @type {HTMLInputElement} */ (constraint).value.trim();
        if (text !== "") this.addConstraint(text);
      },
    }, constraint, el("button", { type: "submit", class: "small" }, "Add"));
    const chips = settings.constraints.map((text) => el("li", { class: "chip" }, el("code", {}, text), " ",
      button("×", () => this.assume({ constraints: settings.constraints.filter((other) => other !== text) }), { class: "small", "aria-label": `Remove ${text}` })));
    fill(this.settings,
      el("label", { for: "fairness" }, "Fairness"), fairness, level,
      el("datalist", { id: "constraints" }, ...[...this.known].map((text) => el("option", { value: text }))),
      chips.length > 0 && el("ul", { class: "chips", "aria-label": "Further constraints" }, ...chips), add,
      button("Ask all", () => this.rows.forEach((row) => this.ask(row))));
  }

  /** Takes note of constraints that can be assumed. @param {any} answer */
  suggest(answer) {
    const before = this.known.size;
    const processes = answer.trace?.["#meta"].processes ?? [];
    [...answer.excluded_by, ...processes.flatMap((/** @type {string} */ name) => [`wf(${name})`, `sf(${name})`])].forEach((text) => this.known.add(text));
    // Who writes one just now is not disturbed.
    if (this.known.size > before && !this.settings.contains(document.activeElement)) this.drawSettings();
  }

  /** Assumes something else, and asks what depends on it again. @param {object} change */
  assume(change) {
    Object.assign(this.app.settings, change);
    this.drawSettings();
    this.rows.filter((row) => row.isFormula).forEach((row) => this.ask(row));
  }

  /** @param {string} text */
  addConstraint(text) {
    const { constraints } = this.app.settings;
    if (!constraints.includes(text)) {
      this.assume({ constraints: [...constraints, text] });
    }
  }

  drawDetail() {
    const row = this.chosen;
    if (!row) {
      fill(this.detail, el("p", { class: "quiet" }, this.rows.length === 0 ? this.app.model.nothing || "Ask a formula." : "Choose a question."));
      return;
    }
    if (row.status === "answered") {
      // An answer is drawn once, so that a step that was chosen stays chosen.
      if (this.drawn !== row.answer) {
        this.drawn = row.answer;
        fill(this.detail, answerView(row.answer, this.app, (constraint) => this.addConstraint(constraint)),
          ...row.beside.map((beside) => answerView(beside, this.app, null)));
      }
      return;
    }
    this.drawn = null;
    const heading = el("h2", {}, row.title);
    if (row.status === "problem") {
      fill(this.detail, heading, problems(row.problems, (line) => this.app.openLine?.(line)));
    } else if (row.status === "stopped") {
      fill(this.detail, heading, el("p", {}, "Stopped: there is no answer."), button("Ask again", () => this.ask(row)));
    } else {
      fill(this.detail, heading, progressView(row));
    }
  }
}

/**
 * How far a search is, with a plot of its states over time.
 * @param {Row} row
 * @returns {HTMLElement}
 */
function progressView(row) {
  const latest = row.progress[row.progress.length - 1];
  if (!latest) {
    return el("p", { class: "quiet" }, row.before > 0 ? `Waits for ${counted(row.before, "other question")}.` : "Waits.");
  }
  const rate = latest.seconds > 0 ? Math.round(latest.states / latest.seconds) : 0;
  const megabytes = (/** @type {number | null} */ bytes) => bytes === null ? "not counted" : `${(bytes / (1 << 20)).toFixed(1)} MiB`;
  const facts = [
    ["doing", latest.phase ?? "searching"], ["states", latest.states.toLocaleString("en")], ["steps", latest.steps.toLocaleString("en")],
    ["rate", `${rate.toLocaleString("en")} states/s`], ["depth", latest.depth.toLocaleString("en")], ["components", latest.components.toLocaleString("en")],
    ["memory", megabytes(latest.memory)], ["time", `${latest.seconds.toFixed(1)} s`],
  ];
  const [width, height] = [480, 120];
  const most = Math.max(1, ...row.progress.map((point) => point.states));
  const points = row.progress.map((point) =>
    `${((point.seconds / latest.seconds) * width).toFixed(1)},${(height - (point.states / most) * (height - 8)).toFixed(1)}`).join(" ");
  return el("div", { class: "progress" },
    el("dl", { class: "facts" }, ...facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
    svg("svg", { viewBox: `0 0 ${width} ${height + 4}`, class: "plot", role: "img", "aria-label": `States over time: ${latest.states} after ${latest.seconds.toFixed(1)} seconds` },
      svg("polyline", { points, fill: "none", "stroke-width": 2 }),
      svg("text", { x: 4, y: 12 }, `${most.toLocaleString("en")} states`)));
}
