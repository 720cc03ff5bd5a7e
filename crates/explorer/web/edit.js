// The text of the model, with what is wrong with it as one types, and a formula tried at once.

import { post, Refused } from "./api.js";
import { announce, button, counted, el, fill } from "./dom.js";
import { pieces } from "./highlight.js";
import { draw } from "./layout.js";
import { problems } from "./problems.js";
import { automatonPicture } from "./product.js";

/** @typedef {import("./app.js").App} App */

/** Milliseconds without a key until the text is looked at. */
const PAUSE = 250;
/** Letters up to which a text is coloured. */
const COLOURED = 200_000;

/** The view of the text. */
export class Edit {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {number | undefined} */
    this.timer = undefined;
    this.number = 0;
    const text = app.model.text;
    this.area = /** @type {HTMLTextAreaElement} */ (el("textarea", {
      spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off", "aria-label": "Source of the model", readonly: !text, "aria-describedby": "diagnostics",
      oninput: () => this.changed(), onscroll: () => this.follow(), onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
    }));
    this.area.value = text?.text ?? "";
    this.colours = el("pre", { class: "colours", "aria-hidden": "true" });
    this.gutter = el("pre", { class: "gutter", "aria-hidden": "true" });
    this.diagnostics = el("div", { id: "diagnostics", "aria-live": "polite" });
    this.state = el("span", { class: "quiet" });
    this.save = button("Save to the file", () => this.write(), { disabled: true });
    this.check = button("Check this text", () => app.checkDraft(), { class: "small" });
    this.formula = /** @type {HTMLInputElement} */ (el("input", { type: "text", placeholder: "a formula, such as [] (p -> <> q)", "aria-label": "A formula to try", spellcheck: "false", autocomplete: "off", oninput: () => this.changed() }));
    this.automaton = el("div", { class: "tried" });
    this.element = el("div", { class: "edit" },
      el("div", { class: "tools" }, this.save, this.check, button("Undo all changes", () => { this.area.value = app.model.text?.text ?? ""; this.changed(); }, { class: "small" }), this.state),
      el("div", { class: "columns" },
        el("div", { class: "main" }, el("div", { class: "editor" }, this.gutter, el("div", { class: "sheet" }, this.colours, this.area)), this.diagnostics),
        el("div", { class: "aside" }, el("h3", {}, "Try a formula"), this.formula, this.automaton)));
    this.draw([]);
  }

  shown() {
    this.follow();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!event.ctrlKey && !event.metaKey) {
      return;
    }
    if (event.key === "s") {
      event.preventDefault();
      if (!this.save.hasAttribute("disabled")) this.write();
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.app.checkDraft();
    }
  }

  /** The text, if it is not the one of the file. */
  draft() {
    const own = this.app.model.text;
    return own && this.area.value !== own.text ? this.area.value : undefined;
  }

  changed() {
    this.draw([]);
    const isChanged = this.draft() !== undefined;
    this.save.toggleAttribute("disabled", !isChanged || !this.app.model.text?.is_editable);
    this.state.textContent = isChanged ? "changed, not saved" : "";
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.look(), PAUSE);
  }

  async look() {
    this.number += 1;
    const { number } = this;
    try {
      const formula = this.formula.value.trim();
      const found = await post("diagnose", { text: this.area.value, formula: formula || undefined });
      if (number !== this.number) {
        return;
      }
      this.draw(found.problems);
      const count = found.problems.length;
      fill(this.diagnostics, count > 0 ? problems(found.problems, (line, column) => this.go(line, column))
        : el("p", { class: "quiet" }, `Nothing is wrong with it; it asks ${counted(found.questions.length, "question")}.`));
      this.tried(formula, found);
    } catch (failure) {
      fill(this.diagnostics, problems(failure instanceof Refused ? failure.problems : [{ message: String(failure) }], null));
    }
  }

  /** Shows what comes of a formula. @param {string} formula @param {any} found */
  tried(formula, found) {
    if (formula === "") {
      fill(this.automaton);
    } else if (!found.tried) {
      fill(this.automaton, el("p", { class: "quiet" }, "The text comes first: a formula is tried once nothing is wrong with it."));
    } else if (found.tried.problems) {
      fill(this.automaton, problems(found.tried.problems, null));
    } else {
      const { automaton } = found.tried;
      const picture = automaton && automaton.states <= 30 && draw(automatonPicture(automaton, 18), { label: "Automaton of the negated formula" }).element;
      fill(this.automaton, el("p", {}, el("code", {}, found.tried.formula)),
        el("p", { class: "quiet" }, automaton ? `Its negation is an automaton with ${counted(automaton.states, "state")}; it accepts ${automaton.acceptance}.` : "Its automaton is too large."),
        picture || null, button("Ask it", () => this.app.askFormula(formula), { class: "small" }));
    }
  }

  async write() {
    const text = this.area.value;
    try {
      await post("save", { text, revision: this.app.model.revision });
      await this.app.reload();
      this.changed();
      this.state.textContent = "saved";
      announce("Saved.");
    } catch (failure) {
      fill(this.diagnostics, problems(failure instanceof Refused ? failure.problems : [{ message: String(failure) }], null));
    }
  }

  /** Goes to a place. @param {number} line @param {number} [column] */
  go(line, column = 1) {
    const all = this.area.value.split("\n");
    const start = all.slice(0, line - 1).reduce((sum, it) => sum + it.length + 1, 0) + column - 1;
    this.area.focus();
    this.area.setSelectionRange(start, start + 1);
    const height = parseFloat(getComputedStyle(this.area).lineHeight) || 18;
    this.area.scrollTop = Math.max(0, (line - 6) * height);
    this.here = line;
    this.draw(this.found ?? []);
  }

  /** Colours the text; lines with errors are marked. @param {import("./api.js").Problem[]} found */
  draw(found) {
    this.found = found;
    const text = this.area.value;
    const file = this.app.model.files[0] ?? "";
    const all = text.length <= COLOURED ? pieces(text, file) : [[text, ""]];
    fill(this.colours, ...all.map(([piece, kind]) => kind ? el("span", { class: `tok-${kind}` }, piece) : piece), "\n ");
    const wrong = new Set(found.map((problem) => problem.line));
    const count = text.split("\n").length;
    fill(this.gutter, ...Array.from({ length: count }, (_, at) => el("span", { class: wrong.has(at + 1) ? "wrong" : at + 1 === this.here ? "here" : "" }, `${wrong.has(at + 1) ? "✗" : ""}${at + 1}\n`)));
    this.follow();
  }

  follow() {
    this.colours.scrollTop = this.area.scrollTop;
    this.colours.scrollLeft = this.area.scrollLeft;
    this.gutter.scrollTop = this.area.scrollTop;
  }
}
