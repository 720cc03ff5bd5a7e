// The notions of fairness as a lattice: under which of them a property holds, and where the border runs.

import { stream, Refused } from "./api.js";
import { answerView } from "./answer.js";
import { announce, button, copyable, el, fill, svg } from "./dom.js";
import { dot, exports } from "./export.js";
import { draw } from "./layout.js";
import { problems } from "./problems.js";

/** @typedef {import("./app.js").App} App */

/**
 * Notions by the words of a ladder: what is written in the picture, the column and the row, and which weaker notions
 * stand just below.
 * @type {Record<string, { title: string, ask: [string, string?], x: number, y: number, below: string[] }>}
 */
const PLACES = {
  "no fairness": { title: "none", ask: ["none"], x: 1, y: 4, below: [] },
  "process-level weak fairness": { title: "weak, processes", ask: ["weak", "process"], x: 0, y: 3, below: ["no fairness"] },
  "event-level weak fairness": { title: "weak, events", ask: ["weak", "event"], x: 2, y: 3, below: ["no fairness"] },
  "action-level weak fairness": { title: "weak, actions", ask: ["weak", "action"], x: 1, y: 3, below: ["no fairness"] },
  "process-level strong fairness": { title: "strong, processes", ask: ["strong", "process"], x: 0, y: 2, below: ["process-level weak fairness"] },
  "event-level strong fairness": { title: "strong, events", ask: ["strong", "event"], x: 2, y: 2, below: ["event-level weak fairness"] },
  "action-level strong fairness": { title: "strong, actions", ask: ["strong", "action"], x: 1, y: 1, below: ["action-level weak fairness", "process-level strong fairness"] },
  "strong global fairness": { title: "global", ask: ["global"], x: 2, y: 0, below: ["action-level strong fairness", "event-level strong fairness"] },
  "inherent fairness, of runs": { title: "inherent, runs", ask: ["inherent"], x: 0, y: 0, below: [] },
  "inherent fairness, of traces": { title: "inherent, traces", ask: ["inherent"], x: 1, y: 0, below: [] },
};
/** @type {Record<string, string>} */
const SIGNS = { holds: "✓", violated: "✗", unknown: "?" };
/** Least sets that are drawn. */
const MOST_SETS = 12;
const [WIDE, HIGH, LEFT, TOP, BOX, TALL] = [190, 84, 95, 34, 160, 44];

/** The view of the ladder and of least fairness. */
export class Lattice {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.isDrawn = false;
    /** @type {AbortController | null} */
    this.abort = null;
    this.tools = el("div", { class: "tools" });
    this.picture = el("div", { class: "picture", role: "region", "aria-label": "Lattice", tabindex: "0" });
    this.least = el("div", {});
    this.run = el("div", {});
    this.failing = el("div", { class: "chosen-run" });
    this.element = el("div", { class: "fairness" }, this.tools, el("div", { class: "columns" }, el("div", { class: "main" }, this.picture, this.run), el("div", { class: "aside" }, this.least)), this.failing);
  }

  shown() {
    if (!this.isDrawn) {
      this.isDrawn = true;
      this.reset();
    }
  }

  reset() {
    const formulas = this.app.model.questions.map((/** @type {any} */ question, /** @type {number} */ at) => ({ ...question, at })).filter((/** @type {any} */ question) => question.is_formula);
    this.chosen = formulas.find((/** @type {any} */ it) => it.at === this.app.interest())?.at ?? formulas[0]?.at ?? null;
    this.level = "process";
    if (this.chosen === null) {
      fill(this.tools);
      fill(this.picture, el("p", { class: "quiet" }, "The model asks no formula, and fairness bears on nothing else."));
      return;
    }
    const question = el("select", { "aria-label": "Which formula", onchange: (/** @type {Event} */ event) => {
      this.chosen = Number(/** @type {HTMLSelectElement} */ (event.target).value);
      this.load();
    } }, ...formulas.map((/** @type {any} */ it) => el("option", { value: it.at, selected: it.at === this.chosen }, it.title)));
    const level = el("select", { "aria-label": "Least fairness of what", onchange: (/** @type {Event} */ event) => {
      this.level = /** @type {HTMLSelectElement} */ (event.target).value;
      this.load();
    } }, ...this.app.model.levels.map((/** @type {string} */ name) => el("option", { value: name }, `least sets of every ${name}`)));
    fill(this.tools, question, level, button("Ask again", () => this.load(), { class: "small" }), button("Stop", () => this.abort?.abort(), { class: "small" }));
    this.load();
  }

  async load() {
    this.abort?.abort();
    const abort = new AbortController();
    this.abort = abort;
    fill(this.picture, el("p", { class: "quiet" }, "Asking under every notion …"));
    fill(this.least, el("p", { class: "quiet" }, "Looking for the least sets …"));
    fill(this.run);
    fill(this.failing);
    const constraints = this.app.settings.constraints;
    const body = { question: this.chosen, constraints, ...this.app.about() };
    /** @param {HTMLElement} where @param {string} call @param {object} more @param {(data: any) => void} hear */
    const ask = async (where, call, more, hear) => {
      try {
        await stream(call, { ...body, ...more }, (event, data) => {
          if (event === "answer" || event === "partial") hear(data);
          if (event === "problem") fill(where, problems(data, (line) => this.app.openLine?.(line)));
        }, abort.signal);
      } catch (failure) {
        if (this.abort === abort) {
          fill(where, abort.signal.aborted ? el("p", {}, "Stopped.") : problems(failure instanceof Refused ? failure.problems : [{ message: String(failure) }], null));
        }
      }
    };
    await ask(this.picture, "ladder", {}, (data) => this.drawLadder(data));
    await ask(this.least, "least", { level: this.level }, (data) => this.drawLeast(data));
  }

  /** @param {any} data */
  drawLadder({ ladder, command }) {
    const outcome = new Map(ladder.rungs.map((/** @type {any} */ rung) => [rung.fairness, rung.outcome]));
    const known = ladder.rungs.filter((/** @type {any} */ rung) => PLACES[rung.fairness]);
    const centre = (/** @type {string} */ name) => ({ x: LEFT + PLACES[name].x * WIDE, y: TOP + PLACES[name].y * HIGH });
    const edges = known.flatMap((/** @type {any} */ rung) => PLACES[rung.fairness].below.filter((below) => outcome.has(below)).map((below) => {
      const [from, to] = [centre(below), centre(rung.fairness)];
      const isBorder = outcome.get(below) === "violated" && outcome.get(rung.fairness) === "holds";
      return svg("line", { x1: from.x, y1: from.y - TALL / 2, x2: to.x, y2: to.y + TALL / 2, class: isBorder ? "order border" : "order" });
    }));
    const boxes = known.map((/** @type {any} */ rung) => {
      const { x, y } = centre(rung.fairness);
      const { title } = PLACES[rung.fairness];
      const open = () => this.open(rung, ladder);
      return svg("g", { class: `notion ${rung.outcome}`, role: "button", tabindex: "0", "aria-label": `${rung.fairness}: ${rung.outcome}`, onclick: open,
        onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); open(); } } },
      svg("title", {}, `${rung.fairness}: ${rung.outcome}${rung.searched ? "" : ", which follows from another answer"}`),
      svg("rect", { x: x - BOX / 2, y: y - TALL / 2, width: BOX, height: TALL, rx: 8 }),
      svg("text", { x, y: y - 7, "text-anchor": "middle", "dominant-baseline": "central" }, title),
      svg("text", { x, y: y + 11, "text-anchor": "middle", "dominant-baseline": "central", class: "said" }, `${SIGNS[rung.outcome]} ${rung.outcome}`));
    });
    const picture = svg("svg", { viewBox: `0 0 ${2 * LEFT + 2 * WIDE} ${TOP * 2 + 4 * HIGH}`, class: "lattice", role: "group", "aria-label": "Notions of fairness, the weaker below" }, ...edges, ...boxes);
    fill(this.picture, picture);
    // Where it is wider than the screen, its middle is seen first.
    this.picture.scrollLeft = (this.picture.scrollWidth - this.picture.clientWidth) / 2;
    fill(this.run,
      el("p", { class: "quiet" }, "Stronger notions stand above weaker ones. A thick line crosses the border: it fails below and holds above. Choose a notion for the run that fails there."),
      el("div", { class: "tools" }, el("span", {}, "Save as"), ...exports("ladder", () => picture)), copyable(command));
  }

  /** The run that fails under a notion, or the one just below the border. @param {any} rung @param {any} ladder */
  open(rung, ladder) {
    const where = this.failing;
    const [fairness, level] = PLACES[rung.fairness].ask;
    if (rung.outcome === "holds") {
      const below = PLACES[rung.fairness].below.find((name) => ladder.rungs.some((/** @type {any} */ it) => it.fairness === name && it.outcome === "violated"));
      fill(where, el("p", {}, `It holds under ${rung.fairness}.`),
        below && button(`Show the run that fails under ${below}`, () => this.open(ladder.rungs.find((/** @type {any} */ it) => it.fairness === below), ladder)));
      return;
    }
    this.show(`Under ${rung.fairness}`, { fairness, level });
  }

  /** Shows the run that fails under an assumption. @param {string} heading @param {object} assumed */
  show(heading, assumed) {
    const where = this.failing;
    fill(where, el("p", { class: "quiet" }, `${heading}: looking for a run …`));
    const abort = new AbortController();
    this.abort = abort;
    const { constraints } = this.app.settings;
    const body = { question: this.chosen, constraints, ...this.app.about(), ...assumed };
    stream("check", body, (event, data) => {
      if (event === "answer") {
        const answer = { ...data, question: this.chosen };
        this.app.remember(answer);
        fill(where, el("h3", {}, heading), answerView(answer, this.app, null));
        where.scrollIntoView({ block: "nearest" });
        announce(`${heading}: ${data.verdict.outcome}`);
      } else if (event === "problem") {
        fill(where, problems(data, null));
      }
    }, abort.signal).catch((failure) => fill(where, el("p", {}, String(failure.message))));
  }

  /** @param {any} data */
  drawLeast({ least, constraints, command }) {
    const sets = least.sets.map((/** @type {string[]} */ set) => el("li", { class: "set" },
      set.length === 0 ? "nothing has to be assumed" : el("span", {}, ...set.flatMap((name, at) => [at > 0 ? " and " : "", el("code", {}, name)])), " ",
      set.length > 0 && button("Assume it", () => this.app.assumeSet(set), { class: "small", "aria-label": `Assume ${set.join(" and ")}` })));
    const said = least.why ? `Not known to the end: ${least.why}.`
      : sets.length === 0 ? `No fairness of this level is enough${least.holds_under ? `; it holds under ${least.holds_under}` : ""}.`
        : "It holds under each of these, and under nothing less:";
    // The choices as a chain: nothing, weak, strong, by what they are about.
    const used = new Set(least.sets.flat());
    const rows = constraints.strong.slice(0, 60).map((/** @type {string} */ strong, /** @type {number} */ at) => {
      const weak = constraints.weak[at];
      return el("tr", {}, ...[weak, strong].map((name) => el("td", { class: used.has(name) ? "used" : "" }, el("code", {}, name ?? ""), used.has(name) && " ✓")));
    });
    fill(this.least, el("h3", {}, "Least fairness"), el("p", {}, said), el("ul", { class: "plain" }, ...sets),
      this.leastPicture(least, constraints),
      rows.length > 0 && el("details", {}, el("summary", {}, "What could be assumed"), el("table", { class: "choices" }, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "weak"), el("th", { scope: "col" }, "strong"))), el("tbody", {}, ...rows))),
      copyable(command));
  }

  /**
   * The least sets with what stands just below them: the same without a constraint, or with its weak form.
   * @param {any} least @param {{ weak: string[], strong: string[] }} constraints
   * @returns {HTMLElement | null}
   */
  leastPicture(least, constraints) {
    const sets = /** @type {string[][]} */ (least.sets);
    if (sets.length === 0 || sets.length > MOST_SETS || sets.some((set) => set.length === 0)) {
      return null;
    }
    /** @type {Map<string, { set: string[], kind: string }>} */
    const nodes = new Map();
    const put = (/** @type {string[]} */ set, /** @type {string} */ kind) => {
      const key = [...set].sort().join(" ");
      if (!nodes.has(key)) nodes.set(key, { set, kind });
      return [...nodes.keys()].indexOf(key);
    };
    // What is less than a least set fails, once it is certain that the sets are least.
    const less = least.why ? "unknown" : "violated";
    const holding = sets.map((set) => put(set, "holds"));
    /** @type {{ from: number, to: number, lines: string[], kind: string }[]} */
    const edges = [];
    const link = (/** @type {number} */ from, /** @type {number} */ to, /** @type {string} */ kind) => {
      if (!edges.some((edge) => edge.from === from && edge.to === to)) edges.push({ from, to, lines: [], kind });
    };
    sets.forEach((set, which) => set.forEach((name, at) => {
      const weak = constraints.weak[constraints.strong.indexOf(name)];
      link(holding[which], put(set.flatMap((other, it) => it !== at ? [other] : weak ? [weak] : []), less), "border");
    }));
    const bottom = put([], less);
    for (const [at, { kind }] of [...nodes.values()].entries()) {
      if (kind === less && at !== bottom) link(at, bottom, "");
    }
    const all = [...nodes.values()];
    const drawing = draw({
      nodes: all.map(({ set, kind }) => ({
        lines: [...(set.length === 0 ? ["nothing"] : set), `${SIGNS[kind]} ${kind}`], kind, words: `${set.length === 0 ? "nothing assumed" : set.join(" and ")}: ${kind}`,
      })),
      edges,
    }, { label: "Least sets of constraints, and what is just below them", plain: true, choose: (at) => {
      const { set, kind } = all[at];
      if (kind === "holds") {
        this.app.assumeSet(set);
      } else {
        this.show(`Under ${set.length === 0 ? "nothing" : set.join(" and ")}`, { fairness: "none", level: undefined, constraints: [...this.app.settings.constraints, ...set] });
      }
    } });
    return el("div", {}, el("div", { class: "picture fit" }, drawing.element),
      el("p", { class: "quiet" }, "A set that holds, and below it what is weaker: choose one that fails to see its run."),
      el("div", { class: "tools" }, el("span", {}, "Save as"), ...exports("least", () => drawing.element, { DOT: dot(drawing.picture) })));
  }
}
