// A run as a timeline: one row a step, one lane a process, the stem above the loop. Only the rows that can be seen are
// in the page, so a run of thousands of steps scrolls as one of ten does.

import { announce, button, el, fill } from "./dom.js";
import { next } from "./runs.js";

/** @typedef {import("./runs.js").Run} Run */

/** Pixels of a row; `style.css` has the same. */
const ROW = 26;
/** Rows beyond the edges that are kept. */
const BEYOND = 12;
/** Lanes that are named in full if there are not more, and the names are no longer. */
const [FEW, SHORT] = [3, 9];
/** Steps that are printed. */
const MOST_PRINTED = 1000;
/** Milliseconds between the steps of a run that is played. */
const BEAT = 600;

/** @type {Record<string, [string, string]>} */
const SIGNS = {
  taken: ["▶", "taken"],
  enabled: ["●", "enabled, not taken"],
  disabled: ["·", "disabled"],
};

/**
 * What tells names apart, short enough for the head of a lane.
 * @param {string[]} names
 * @param {boolean} [isNarrow] whether there is room for initials only
 * @returns {string[]}
 */
export function short(names, isNarrow = window.innerWidth < 760) {
  const numbers = names.map((name) => /[[(]([^\])]*)[\])]$/.exec(name)?.[1] ?? "");
  const same = new Set(names.map((name) => name.replace(/[[(].*$/, ""))).size === 1;
  if (names.length > 1 && same && numbers.every((it) => it !== "" && it.length < 4) && new Set(numbers).size === names.length) {
    return numbers;
  }
  if (!isNarrow && names.length <= FEW && names.every((name) => name.length <= SHORT)) {
    return names;
  }
  // `Participant[1]` as `P1`.
  const initials = names.map((name) => name.slice(0, 1) + name.replace(/\D/g, ""));
  return initials.every((it) => it.length < 5) && new Set(initials).size === names.length ? initials : names;
}

/** A timeline of one run. */
export class Lasso {
  /**
   * @param {Run} run
   * @param {{ label?: string, mark?: number | null, show?: (at: number) => void, preview?: (at: number | null) => void, openLine?: ((line: number) => void) | null }} [options]
   */
  constructor(run, options = {}) {
    this.run = run;
    this.options = options;
    /** The step that is chosen. */
    this.at = 0;
    /** How often the loop has been entered. */
    this.round = 0;
    /** @type {number | undefined} */
    this.timer = undefined;
    this.id = `lasso-${Lasso.count}`;
    Lasso.count += 1;
    this.rows = el("div", { class: "rows", role: "presentation" });
    this.rows.style.height = `${run.steps.length * ROW}px`;
    this.scroll = el("div", {
      class: "scroll", role: "listbox", tabindex: "0", "aria-label": options.label ?? "Steps of the run",
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
      onscroll: () => this.draw(),
      onmouseleave: () => options.preview?.(null),
    }, this.heading(), this.rows);
    this.measure();
    this.play = button("Play", () => this.toggle(), { class: "small", "aria-pressed": "false" });
    this.place = el("span", { class: "quiet", "aria-hidden": "true" });
    const tools = el("div", { class: "tools" },
      button("◀ Back", () => this.back(), { class: "small" }),
      button("Next ▶", () => this.forward(), { class: "small" }),
      this.play, this.place);
    this.element = el("section", { class: "lasso", "aria-label": options.label ?? "The run" }, tools, this.scroll, legend(run, Boolean(options.openLine)));
    // The size is known once it is in the page.
    new ResizeObserver(() => this.draw()).observe(this.scroll);
    // On paper nothing scrolls.
    window.addEventListener("beforeprint", () => this.scroll.isConnected && this.draw(true));
    window.addEventListener("afterprint", () => this.scroll.isConnected && this.draw());
    this.select(0, false);
  }

  heading() {
    const names = short(this.run.processes);
    const lanes = names.map((name, at) => el("span", { class: "lane", title: this.run.processes[at] }, el("span", {}, name)));
    return el("div", { class: "row heading", "aria-hidden": "true" },
      el("span", { class: "bracket" }), el("span", { class: "number" }, "step"), el("span", { class: "who" }, "who"),
      el("span", { class: "action" }, "action"), el("span", { class: "line" }, "line"), ...lanes,
      el("span", { class: "changes" }, "changes"));
  }

  /** Columns are as wide as what stands in them, within limits. */
  measure() {
    const { run, scroll } = this;
    /** @param {Iterable<string>} texts @param {number} least @param {number} most */
    const wide = (texts, least, most) => {
      let longest = 0;
      for (const text of texts) longest = Math.max(longest, text.length);
      return `${Math.min(most, Math.max(least, 14 + longest * 7.6))}px`;
    };
    const narrow = window.innerWidth < 760;
    scroll.style.setProperty("--who", wide(run.steps.map((step) => step.who), 60, narrow ? 90 : 150));
    scroll.style.setProperty("--action", wide(run.steps.map((step) => step.action), 90, narrow ? 150 : 220));
    scroll.style.setProperty("--lane", wide(short(run.processes), 34, 90));
  }

  /** Draws the rows that can be seen, or all that fit on paper. @param {boolean} [whole] */
  draw(whole = false) {
    const height = this.scroll.clientHeight || 600;
    const first = Math.max(0, Math.floor(this.scroll.scrollTop / ROW) - BEYOND);
    const last = Math.min(this.run.steps.length, Math.ceil((this.scroll.scrollTop + height) / ROW) + BEYOND);
    const rows = [];
    const [from, to] = whole ? [0, Math.min(this.run.steps.length, MOST_PRINTED)] : [first, last];
    for (let at = from; at < to; at += 1) {
      rows.push(this.row(at));
    }
    fill(this.rows, ...rows);
  }

  /** @param {number} at */
  row(at) {
    const { run } = this;
    const step = run.steps[at];
    const last = run.steps.length - 1;
    const inLoop = run.loop !== null && at >= run.loop;
    const classes = ["row"];
    if (inLoop) {
      classes.push("in-loop");
      if (at === run.loop) classes.push("loop-first");
      if (at === last) classes.push("loop-last");
    }
    if (at === this.at) classes.push("chosen");
    if (at === this.options.mark) classes.push("differs");
    const lanes = run.processes.map((name) => {
      const part = step.processes[name] ?? "disabled";
      const [sign, words] = SIGNS[part] ?? SIGNS.disabled;
      return el("span", { class: `lane ${part}`, title: `${name}: ${words}` }, sign);
    });
    const changes = Object.entries(step.changes).map(([name, value]) => `${name}=${value}`).join("  ");
    const line = step.line === null ? "" : step.file ? `${step.file}:${step.line}` : String(step.line);
    const words = [
      `step ${at + 1} of ${run.steps.length}`, inLoop ? "in the loop" : run.loop === null ? "" : "in the stem",
      at === this.options.mark ? "the first difference" : "", `${step.who}: ${step.action}`, line && `line ${line}`, changes && `changes ${changes}`,
    ].filter(Boolean).join(", ");
    const row = el("div", {
      class: classes.join(" "), role: "option", id: `${this.id}-${at}`, "aria-selected": at === this.at ? "true" : "false",
      "aria-label": words, "aria-setsize": run.steps.length, "aria-posinset": at + 1,
      onclick: () => this.select(at), onmouseenter: () => this.options.preview?.(at),
    },
      el("span", { class: "bracket" }), el("span", { class: "number" }, at === this.options.mark ? `≠ ${at + 1}` : at + 1),
      el("span", { class: "who", title: step.who }, step.who),
      el("span", { class: "action", title: step.action }, step.action), this.line(step, line), ...lanes,
      el("span", { class: "changes", title: changes }, changes),
      at === last && inLoop && el("span", { class: "repeat" }, `↺ ${(run.loop ?? 0) + 1}`));
    row.style.top = `${at * ROW}px`;
    return row;
  }

  /** The line of a step, which opens the source where that can be shown. @param {import("./runs.js").Step} step @param {string} shown */
  line(step, shown) {
    const { openLine } = this.options;
    if (!openLine || step.line === null || step.file) {
      return el("span", { class: "line", title: shown }, shown);
    }
    return el("span", { class: "line opens", title: `Open line ${step.line}`, onclick: (/** @type {Event} */ event) => {
      event.stopPropagation();
      openLine(/** @type {number} */ (step.line));
    } }, shown);
  }

  /**
   * Chooses a step and makes it visible.
   * @param {number} at
   * @param {boolean} [tell]
   */
  select(at, tell = true) {
    this.at = Math.max(0, Math.min(at, this.run.steps.length - 1));
    const top = this.at * ROW;
    const room = this.scroll.clientHeight - ROW;
    if (top < this.scroll.scrollTop) {
      this.scroll.scrollTop = top;
    } else if (room > 0 && top + ROW > this.scroll.scrollTop + room) {
      this.scroll.scrollTop = top + ROW - room;
    }
    this.draw();
    this.scroll.setAttribute("aria-activedescendant", `${this.id}-${this.at}`);
    const { loop, steps } = this.run;
    const place = loop === null ? "" : this.at < loop ? ", stem" : `, loop${this.round > 0 ? `, round ${this.round + 1}` : ""}`;
    this.place.textContent = `step ${this.at + 1} of ${steps.length}${place}`;
    if (tell) {
      this.options.show?.(this.at);
    }
  }

  forward() {
    const to = next(this.run, this.at);
    if (to <= this.at && this.run.loop !== null) {
      this.round += 1;
      announce(`Round ${this.round + 1} of the loop.`);
    }
    this.select(to);
    return to !== this.at;
  }

  back() {
    if (this.at === this.run.loop && this.round > 0) {
      this.round -= 1;
      this.select(this.run.steps.length - 1);
    } else {
      this.select(this.at - 1);
    }
  }

  /** Opens the line of the chosen step. */
  open() {
    const { line, file } = this.run.steps[this.at];
    if (line !== null && !file) this.options.openLine?.(line);
  }

  toggle() {
    if (this.timer === undefined) {
      this.timer = window.setInterval(() => {
        const isOver = this.run.loop === null && this.at >= this.run.steps.length - 1;
        if (isOver || !this.scroll.isConnected) {
          this.stop();
        } else {
          this.forward();
        }
      }, BEAT);
      this.play.textContent = "Pause";
      this.play.setAttribute("aria-pressed", "true");
    } else {
      this.stop();
    }
  }

  stop() {
    window.clearInterval(this.timer);
    this.timer = undefined;
    this.play.textContent = "Play";
    this.play.setAttribute("aria-pressed", "false");
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const page = Math.max(1, Math.floor(this.scroll.clientHeight / ROW) - 2);
    /** @type {Record<string, () => void>} */
    const acts = {
      ArrowRight: () => this.forward(),
      ArrowDown: () => this.forward(),
      ArrowLeft: () => this.back(),
      ArrowUp: () => this.back(),
      PageDown: () => this.select(this.at + page),
      PageUp: () => this.select(this.at - page),
      Home: () => this.select(0),
      End: () => this.select(this.run.steps.length - 1),
      l: () => this.select(this.run.loop ?? this.at),
      " ": () => this.toggle(),
      Enter: () => this.open(),
    };
    const act = acts[event.key];
    if (act && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      act();
    }
  }
}

/** How many timelines there were. */
Lasso.count = 0;

/** @param {Run} run @param {boolean} opens */
function legend(run, opens) {
  const names = short(run.processes);
  const told = run.processes.map((name, at) => [names[at], name]).filter(([own, name]) => own !== name).slice(0, 12);
  return el("p", { class: "legend quiet" }, "▶ taken  ● enabled, not taken  · disabled",
    told.length > 0 && el("span", {}, `columns: ${told.map(([own, name]) => `${own} ${name}`).join(", ")}${run.processes.length > 12 ? ", …" : ""}`),
    el("span", { class: "keys" }, `← → step, Space plays${run.loop === null ? "" : ", L goes to the loop"}${opens ? ", Enter opens the line" : ""}`));
}
