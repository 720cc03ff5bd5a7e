// The state space, and the automaton of a negated formula with the product, stepping in sync.

import { post, Refused } from "./api.js";
import { announce, button, copyable, counted, el, fill } from "./dom.js";
import { exports } from "./export.js";
import { draw, lines } from "./layout.js";
import { problems } from "./problems.js";

/** @typedef {import("./app.js").App} App */

/** How fair runs can be that stay in a component: the word, and what it means. */
/** @type {Record<string, string>} */
const FAIR = {
  strong: "strongly fair runs stay here",
  weak: "only weakly fair runs stay here",
  unfair: "only unfair runs stay here",
  passing: "no run stays here",
};
/** @type {Record<string, string>} */
const MARK = { strong: "◆", weak: "◇", unfair: "○", passing: "" };
/** States with labels; beyond, a picture shows numbers. */
const LABELLED = 40;

/** Edges between the same two states are one line. @param {any[]} all @param {(edge: any) => string} words */
function merged(all, words) {
  /** @type {Map<string, { from: number, to: number, said: string[] }>} */
  const edges = new Map();
  for (const edge of all) {
    const key = `${edge.from} ${edge.to}`;
    const known = edges.get(key) ?? { from: edge.from, to: edge.to, said: /** @type {string[]} */ ([]) };
    const said = words(edge);
    if (!known.said.includes(said)) known.said.push(said);
    edges.set(key, known);
  }
  return [...edges.values()];
}

/** The view of state spaces. */
export class Space {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.isDrawn = false;
    this.mode = "states";
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
    this.part = {};
    this.drawTools();
  }

  drawTools() {
    const { model } = this.app;
    const formulas = model.questions.map((/** @type {any} */ question, /** @type {number} */ at) => ({ ...question, at })).filter((/** @type {any} */ question) => question.is_formula);
    const options = [el("option", { value: "states", selected: this.mode === "states" }, "The state space"),
      ...formulas.map((/** @type {any} */ it) => el("option", { value: String(it.at), selected: this.mode === String(it.at) }, `Automaton of ¬${it.title}, and the product`))];
    const mode = el("select", { "aria-label": "What is drawn", onchange: (/** @type {Event} */ event) => {
      this.mode = /** @type {HTMLSelectElement} */ (event.target).value;
      this.drawTools();
      this.load();
    } }, ...options);
    const systems = model.systems.length > 1 && this.mode === "states" && el("select", { "aria-label": "Which system", onchange: (/** @type {Event} */ event) => {
      this.part = { ...this.part, system: Number(/** @type {HTMLSelectElement} */ (event.target).value) };
      this.load();
    } }, ...model.systems.map((/** @type {string | null} */ name, /** @type {number} */ at) => el("option", { value: at, selected: at === this.part.system }, name ?? `system ${at + 1}`)));
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
      button("Fit", () => this.picture.classList.toggle("fit"), { class: "small", "aria-label": "Fit the picture into the page, or show it in full size" }));
  }

  /** @param {any} part */
  go(part) {
    this.part = { ...this.part, ...part };
    this.drawTools();
    this.load();
  }

  async load() {
    fill(this.under);
    fill(this.info);
    fill(this.picture, el("p", { class: "quiet" }, "Exploring …"));
    const text = this.app.draft();
    try {
      if (this.mode === "states") {
        this.states(await post("space", { ...this.part, text }));
      } else {
        this.product(await post("product", { question: Number(this.mode), text }));
      }
    } catch (failure) {
      fill(this.picture, problems(failure instanceof Refused ? failure.problems : [{ message: String(failure) }], (line) => this.app.openLine?.(line)));
    }
  }

  /** @param {any} answer */
  states(answer) {
    const { graph } = answer;
    if (!graph) {
      fill(this.picture, el("p", {}, `There are more than ${answer.most} states, too many for a picture. Show what is around a state: `,
        button("around the start", () => this.go({ around: undefined, depth: 2, component: undefined }))));
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
    drawing.nodes[0]?.scrollIntoView({ block: "nearest", inline: "center" });
    const present = new Set(graph.states.map((/** @type {any} */ state) => state.deadlock ? "deadlock" : graph.components[state.component]));
    fill(this.under,
      el("p", { class: "legend" },
        ...["strong", "weak", "unfair", "passing"].filter((it) => present.has(it)).map((it) => el("span", { class: `key ${it}` }, `${MARK[it] || "▭"} ${FAIR[it]}`)),
        present.has("deadlock") && el("span", { class: "key deadlock" }, "■ deadlock")),
      graph.constant && el("p", { class: "quiet" }, `in all states: ${graph.constant}`),
      !answer.is_complete && el("p", { class: "quiet" }, "Not all states were explored to find this part."),
      el("div", { class: "tools" }, el("span", {}, "Save as"), ...exports("states", () => this.picture.querySelector("svg"), answer.dot)),
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

  /** @param {any} answer */
  product(answer) {
    if (!answer.automaton || !answer.product) {
      fill(this.picture, el("p", {}, `The product has more than ${answer.most} nodes, too many for a picture.`));
      return;
    }
    const { automaton, product } = answer;
    const marks = (/** @type {number[]} */ all) => all.length > 0 ? [`{${all.join(",")}}`] : [];
    const left = draw({
      nodes: Array.from({ length: automaton.states }, (_, at) => ({ lines: [`q${at}`], kind: "", words: `state q${at} of the automaton`, initial: automaton.initial.includes(at), round: true })),
      edges: automaton.edges.map((/** @type {any} */ edge) => ({ from: edge.from, to: edge.to, kind: edge.marks.length > 0 ? "marked" : "", lines: [...lines(edge.label), ...marks(edge.marks)] })),
    }, { label: "Automaton of the negated formula" });
    const labelled = product.nodes.length <= LABELLED;
    const steps = product.nodes.flatMap((/** @type {any} */ node, /** @type {number} */ from) => node.steps.map((/** @type {any} */ step) => ({ ...step, from })));
    const right = draw({
      nodes: product.nodes.map((/** @type {any} */ node, /** @type {number} */ at) => ({
        lines: labelled ? [`q${node.automaton}`, ...lines(node.shown)] : [`q${node.automaton}`], kind: "", words: `node ${at + 1}: q${node.automaton}, ${node.shown}`, initial: at < product.initial,
      })),
      edges: merged(steps, (step) => [step.label, ...marks(step.marks)].join(" ")).map(({ from, to, said }) => ({
        from, to, kind: said.some((it) => it.includes("{")) ? "marked" : "", lines: labelled ? said.slice(0, 2).flatMap((it) => lines(it)) : [],
      })),
    }, { label: "Product of the system and the automaton", choose: (at) => choose(at) });
    /** The path so far. @type {number[]} */
    const path = [0];
    const choose = (/** @type {number} */ at) => {
      if (path[path.length - 1] !== at) path.push(at);
      const node = product.nodes[at];
      right.nodes.forEach((it, other) => {
        it.classList.toggle("chosen", other === at);
        it.classList.toggle("visited", path.includes(other));
      });
      left.nodes.forEach((it, other) => it.classList.toggle("chosen", other === node.automaton));
      right.nodes[at].scrollIntoView({ block: "nearest", inline: "nearest" });
      fill(this.info, el("h3", {}, "In sync"),
        el("p", {}, `Step ${path.length}. The automaton is in `, el("code", {}, `q${node.automaton}`), ", the system in"), el("p", {}, el("code", {}, node.shown)),
        node.steps.length === 0 && el("p", {}, "No way on: the run so far cannot violate the formula."),
        el("ul", { class: "plain" }, ...node.steps.map((/** @type {any} */ step) => el("li", {},
          button(`${step.who === "nobody" ? "" : `${step.who}: `}${step.label}`, () => { choose(step.to); /** @type {HTMLElement | null} */ (this.info.querySelector("button"))?.focus(); }, { class: "small" }), ` q${product.nodes[step.to].automaton}`,
          step.marks.length > 0 && el("span", { class: "marks" }, ` {${step.marks.join(",")}}`)))),
        el("div", { class: "tools" },
          button("Back", () => { if (path.length > 1) { path.pop(); const last = path.pop() ?? 0; choose(last); } }, { class: "small" }),
          button("From the start", () => { path.length = 0; choose(0); }, { class: "small" })),
        el("p", { class: "quiet" }, `A violating run is a path whose cycle has the marks that are asked for: ${product.acceptance}.`));
    };
    fill(this.picture, el("div", { class: "pair" }, el("figure", {}, el("figcaption", {}, "The automaton of the negated formula"), left.element),
      el("figure", {}, el("figcaption", {}, `The product, ${counted(product.nodes.length, "node")}`), right.element)));
    fill(this.under, el("p", {}, "Formula: ", el("code", {}, answer.formula), `; the automaton accepts: ${automaton.acceptance}`),
      el("div", { class: "tools" }, el("span", {}, "Save the product as"), ...exports("product", () => right.element), el("span", {}, "the automaton as"), ...exports("automaton", () => left.element)),
      copyable(answer.command));
    if (product.nodes.length > 0) {
      choose(0);
    } else {
      fill(this.info, el("p", {}, "The product is empty: no run can violate the formula."));
    }
  }
}
