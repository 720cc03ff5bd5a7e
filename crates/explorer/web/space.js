// The state space, or what is around a state of it; and the choice of a formula whose automaton is shown instead.

import { post, Refused } from "./api.js";
import { announce, button, copyable, counted, el, fill } from "./dom.js";
import { exports } from "./export.js";
import { draw, lines } from "./layout.js";
import { merged, Product } from "./product.js";
import { problems } from "./problems.js";

/** @typedef {import("./app.js").App} App */

/** How fair runs can be that stay in a component: the word, and what it means. */
/** @type {Record<string, string>} */
const FAIR = {
  strong: "strongly fair runs stay here",
  weak: "only weakly fair runs stay here",
  unfair: "only unfair runs stay here",
  passing: "no run stays here",
  open: "not all that is behind it is drawn, so it is not known how fair runs are here",
};
/** @type {Record<string, string>} */
const MARK = { strong: "◆", weak: "◇", unfair: "○", passing: "", open: "" };
/** States with labels; beyond, a picture shows numbers. */
const LABELLED = 40;
/** How small letters may become. */
const READABLE = 0.72;

/** The view of state spaces. */
export class Space {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.isDrawn = false;
    this.isLarge = false;
    this.mode = "states";
    this.formula = "";
    this.number = 0;
    /** What is asked for. @type {any} */
    this.part = {};
    this.picture = el("div", { class: "picture", tabindex: "0", role: "region", "aria-label": "Picture" });
    this.info = el("div", { class: "panel", "aria-live": "polite" });
    this.tools = el("div", { class: "tools" });
    this.under = el("div", {});
    this.element = el("div", { class: "space" }, this.tools, el("div", { class: "columns" }, el("div", { class: "main" }, this.picture, this.under), el("div", { class: "aside" }, this.info)));
    this.drawTools();
  }

  shown() {
    if (!this.isDrawn) {
      this.isDrawn = true;
      this.load();
    }
  }

  reset() {
    this.isDrawn = false;
    this.isLarge = false;
    this.mode = "states";
    this.part = {};
    this.drawTools();
  }

  drawTools() {
    const { model } = this.app;
    const formulas = model.questions.map((/** @type {any} */ question, /** @type {number} */ at) => ({ ...question, at })).filter((/** @type {any} */ question) => question.is_formula);
    const options = [el("option", { value: "states", selected: this.mode === "states" }, "The state space"),
      ...formulas.map((/** @type {any} */ it) => el("option", { value: String(it.at), selected: this.mode === String(it.at) }, `Automaton of ¬${it.title}, and the product`)),
      el("option", { value: "formula", selected: this.mode === "formula" }, "Automaton of another formula, and the product")];
    const mode = el("select", { "aria-label": "What is drawn", onchange: (/** @type {Event} */ event) => {
      this.mode = /** @type {HTMLSelectElement} */ (event.target).value;
      this.drawTools();
      this.load();
    } }, ...options);
    const systems = model.systems.length > 1 && this.mode === "states" && el("select", { "aria-label": "Which system", onchange: (/** @type {Event} */ event) => {
      this.part = { ...this.part, system: Number(/** @type {HTMLSelectElement} */ (event.target).value) };
      this.load();
    } }, ...model.systems.map((/** @type {string | null} */ name, /** @type {number} */ at) => el("option", { value: at, selected: at === this.part.system }, name ?? `system ${at + 1}`)));
    const own = el("input", { type: "text", placeholder: "a formula, such as [] (p -> <> q)", "aria-label": "A formula", value: this.formula, size: 30, spellcheck: "false", autocomplete: "off" });
    const asks = el("form", { class: "tools", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      this.formula = /** @type {HTMLInputElement} */ (own).value.trim();
      this.load();
    } }, own, el("button", { type: "submit", class: "small" }, "Show"));
    const around = el("input", { type: "text", placeholder: "s12, or x == 3", "aria-label": "A state, by number or by a condition", value: this.part.around ?? "", size: 14 });
    const depth = el("input", { type: "number", min: 0, max: 20, value: this.part.depth ?? 2, "aria-label": "Steps around it" });
    const form = el("form", { class: "tools", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      const text = /** @type {HTMLInputElement} */ (around).value.trim();
      this.part = { ...this.part, around: text || undefined, depth: Number(/** @type {HTMLInputElement} */ (depth).value), component: undefined };
      this.load();
    } }, "around", around, "steps", depth, el("button", { type: "submit", class: "small" }, "Show"));
    fill(this.tools, mode, systems,
      this.mode === "states" && button("Whole", () => this.go({ around: undefined, depth: undefined, component: undefined }), { class: "small" }),
      this.mode === "states" && button("Component", () => this.go({ component: true, depth: undefined }), { class: "small" }),
      this.mode === "states" && form,
      this.mode === "formula" && asks,
      button("Fit", () => this.picture.classList.toggle("fit"), { class: "small", "aria-label": "Fit the picture into the page, or show it in full size" }));
  }

  /** @param {any} part */
  go(part) {
    this.part = { ...this.part, ...part };
    this.drawTools();
    this.load();
  }

  load() {
    if (this.mode === "states") {
      return this.ask("space", this.part, (answer) => this.states(answer));
    }
    return this.loadProduct(null);
  }

  /** Asks for a product, or for the part of it behind a path. @param {number[] | null} path */
  async loadProduct(path) {
    if (this.mode === "formula" && this.formula === "") {
      fill(this.under);
      fill(this.info);
      fill(this.picture, el("p", { class: "quiet" }, "Write a formula above."));
      return;
    }
    const about = this.mode === "formula" ? { formula: this.formula } : { question: Number(this.mode) };
    await this.ask("product", { ...about, path: path ?? undefined }, (answer) => this.product(answer, path));
  }

  /** Answers come in the order of the questions, or not at all. @param {string} call @param {object} body @param {(answer: any) => void} take */
  async ask(call, body, take) {
    this.number += 1;
    const { number } = this;
    fill(this.under);
    fill(this.info);
    fill(this.picture, el("p", { class: "quiet" }, "Exploring …"));
    try {
      const answer = await post(call, { ...body, ...this.app.about() });
      if (number === this.number) take(answer);
    } catch (failure) {
      if (number === this.number) {
        fill(this.picture, problems(failure instanceof Refused ? failure.problems : [{ message: String(failure) }], (line) => this.app.openLine?.(line)));
      }
    }
  }

  /** @param {any} answer */
  states(answer) {
    const { graph } = answer;
    if (!graph) {
      if (this.part.depth === undefined && !this.part.component) {
        // Too large for a picture: what is around the start.
        this.isLarge = true;
        this.go({ around: undefined, depth: 2 });
        return;
      }
      fill(this.picture, el("p", {}, `There are more than ${answer.most} states in this part, too many for a picture. `,
        this.part.depth > 0 && button("Fewer steps", () => this.go({ depth: this.part.depth - 1 })), " ",
        button("Around the start", () => this.go({ around: undefined, depth: 1, component: undefined }))));
      fill(this.under, copyable(answer.command));
      return;
    }
    const labelled = graph.states.length <= LABELLED;
    const nodes = graph.states.map((/** @type {any} */ state, /** @type {number} */ at) => {
      const fair = graph.components[state.component];
      const label = (state.label || state.state).replaceAll("\u00a0", " ");
      const words = `state ${at + 1}: ${state.state}; ${state.deadlock ? "deadlock" : FAIR[fair]}`;
      const sign = state.deadlock ? "■" : MARK[fair];
      const shown = labelled ? lines(label) : [String(at + 1)];
      return { lines: sign ? [`${sign} ${shown[0] ?? ""}`, ...shown.slice(1)] : shown, kind: state.deadlock ? "deadlock" : fair, words, initial: state.initial };
    });
    const edges = merged(graph.edges, (edge) => edge.label).map(({ from, to, said }) => ({
      from, to, kind: "", lines: labelled ? said.length > 2 ? [...said.slice(0, 2).flatMap((it) => lines(it)), `… ${said.length - 2} more`] : said.flatMap((it) => lines(it)) : [],
    }));
    const drawing = draw({ nodes, edges }, { label: `${counted(nodes.length, "state")} and their steps`, choose: (at) => this.state(graph, drawing, at) });
    fill(this.picture, drawing.element);
    fit(this.picture);
    drawing.nodes[0]?.scrollIntoView({ block: "nearest", inline: "center" });
    const present = new Set(graph.states.map((/** @type {any} */ state) => state.deadlock ? "deadlock" : graph.components[state.component]));
    fill(this.under,
      el("p", { class: "legend" },
        ...["strong", "weak", "unfair", "passing", "open"].filter((it) => present.has(it)).map((it) => el("span", { class: `key ${it}` }, `${MARK[it] || "▭"} ${FAIR[it]}`)),
        present.has("deadlock") && el("span", { class: "key deadlock" }, "■ deadlock")),
      graph.constant && el("p", { class: "quiet" }, `in all states: ${graph.constant}`),
      this.isLarge && this.part.depth !== undefined && el("p", { class: "quiet" }, `The whole has more than ${answer.most} states, so a part is drawn. Choose a state, and go on from there.`),
      !answer.is_complete && el("p", { class: "quiet" }, "Not all states were explored to find this part."),
      el("div", { class: "tools" }, el("span", {}, "Save as"), ...exports("states", () => this.picture.querySelector("svg"), { DOT: answer.dot })),
      copyable(answer.command));
    fill(this.info, el("h3", {}, counted(nodes.length, "state")), el("p", { class: "quiet" }, "Choose a state: click, or Tab and the arrows, then Enter."));
    announce(`${counted(nodes.length, "state")} are drawn.`);
  }

  /** @param {any} graph @param {import("./layout.js").Drawing} drawing @param {number} at */
  state(graph, drawing, at) {
    drawing.nodes.forEach((node, other) => node.classList.toggle("chosen", other === at));
    const state = graph.states[at];
    const leaving = graph.edges.filter((/** @type {any} */ edge) => edge.from === at);
    // A part numbers its states as the whole does, and says so in front.
    const number = /^s\d+/.exec(state.state)?.[0] ?? `s${at}`;
    fill(this.info, el("h3", {}, `State ${at + 1}`), el("p", {}, el("code", {}, state.state)),
      el("p", { class: "quiet" }, state.deadlock ? "Deadlock: nothing can happen." : FAIR[graph.components[state.component]]),
      el("h3", {}, "Steps"), el("ul", { class: "plain" }, ...leaving.map((/** @type {any} */ edge) => el("li", {},
        button(edge.label, () => { this.state(graph, drawing, edge.to); drawing.nodes[edge.to].focus(); }, { class: "small" }), edge.line ? ` line ${edge.line}` : "", ` to ${edge.to + 1}`))),
      el("div", { class: "tools" }, button("Show around it", () => this.go({ around: number, depth: 2, component: undefined }), { class: "small" })));
  }

  /** @param {any} answer @param {number[] | null} path */
  product(answer, path) {
    if (!answer.automaton || !answer.product) {
      // Too large for a picture: what is behind the start.
      this.loadProduct([]);
      return;
    }
    new Product(answer, { picture: this.picture, info: this.info, under: this.under, path, behind: (to) => this.loadProduct(to) });
    fit(this.picture);
  }
}

/** Makes a picture as small as it fits, as long as it can be read then. @param {HTMLElement} picture */
function fit(picture) {
  const drawings = [...picture.querySelectorAll("svg.graph")];
  const readable = drawings.every((it) => {
    const { width } = /** @type {SVGSVGElement} */ (it).viewBox.baseVal;
    const room = (it.parentElement ?? picture).clientWidth;
    return room / width >= READABLE;
  });
  picture.classList.toggle("fit", readable);
}
