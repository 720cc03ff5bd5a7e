// The automaton of a negated formula beside its product with the system, stepping in sync. A product that is too large
// for a picture is shown as the part behind the node that a person has come to.

import { cycle } from "./accepting.js";
import { button, copyable, counted, el, fill } from "./dom.js";
import { dot, exports } from "./export.js";
import { draw, lines } from "./layout.js";

/** @typedef {import("./layout.js").Drawing} Drawing */
/** Nodes on a path, each with the position of the step that led to it. @typedef {{ at: number, via: number | null }} Place */

/** Nodes with labels; beyond, a picture shows states of the automaton only. */
const LABELLED = 40;

/** Edges between the same two nodes are one line. @param {any[]} all @param {(edge: any) => string} words */
export function merged(all, words) {
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

/** @param {number[]} all */
const marks = (all) => all.length > 0 ? [`{${all.join(",")}}`] : [];

/** A picture of an automaton. @param {any} automaton @param {number} [wide] */
export function automatonPicture(automaton, wide) {
  return {
    nodes: Array.from({ length: automaton.states }, (_, at) => ({ lines: [`q${at}`], kind: "", words: `state q${at} of the automaton`, initial: automaton.initial.includes(at), round: true })),
    edges: automaton.edges.map((/** @type {any} */ edge) => ({ from: edge.from, to: edge.to, kind: edge.marks.length > 0 ? "marked" : "", lines: [...lines(edge.label, wide), ...marks(edge.marks)] })),
  };
}

/** Both pictures, and where a person is in them. */
export class Product {
  /**
   * @param {any} answer
   * @param {{ picture: HTMLElement, info: HTMLElement, under: HTMLElement, path: number[] | null, behind: (path: number[] | null) => void }} about
   */
  constructor(answer, about) {
    this.answer = answer;
    this.about = about;
    /** The path so far. @type {Place[]} */
    this.trail = [];
    /** A run that violates the formula, while it is walked. @type {{ places: Place[], loop: number, at: number } | null} */
    this.walk = null;
    const { automaton, product } = answer;
    this.left = draw(automatonPicture(automaton), { label: "Automaton of the negated formula" });
    this.right = draw(this.picture(), { label: "Product of the system and the automaton", choose: (at) => this.choose(at) });
    const size = about.path === null ? counted(product.nodes.length, "node") : `${counted(product.nodes.length, "node")} behind ${about.path.length <= 1 ? "the start" : `step ${about.path.length}`}`;
    fill(about.picture, el("div", { class: "pair" }, el("figure", {}, el("figcaption", {}, "The automaton of the negated formula"), this.left.element),
      el("figure", {}, el("figcaption", {}, `The product, ${size}`), this.right.element)));
    fill(about.under, about.path !== null && el("p", { class: "quiet" }, `The whole product has more than ${answer.most} nodes. Dashed nodes go on: choose one, and explore from there.`),
      el("p", {}, "Formula: ", el("code", {}, answer.formula), `; the automaton accepts: ${automaton.acceptance}`),
      el("div", { class: "tools" }, el("span", {}, "Save the product as"), ...exports("product", () => this.right.element, { DOT: dot(this.right.picture) }),
        el("span", {}, "the automaton as"), ...exports("automaton", () => this.left.element, { DOT: dot(this.left.picture), HOA: automaton.hoa })),
      copyable(answer.command));
    if (product.nodes.length > 0) {
      this.start();
    } else {
      fill(about.info, el("p", {}, "The product is empty: no run can violate the formula."));
    }
  }

  /** @returns {import("./layout.js").Picture} */
  picture() {
    const { product } = this.answer;
    const labelled = product.nodes.length <= LABELLED;
    const steps = product.nodes.flatMap((/** @type {any} */ node, /** @type {number} */ from) => node.steps.map((/** @type {any} */ step) => ({ ...step, from })));
    return {
      nodes: product.nodes.map((/** @type {any} */ node, /** @type {number} */ at) => ({
        lines: labelled ? [`q${node.automaton}`, ...lines(node.shown)] : [`q${node.automaton}`], kind: node.is_open ? "open" : "",
        words: `node ${at + 1}: q${node.automaton}, ${node.shown}${node.is_open ? "; its steps are not drawn" : ""}`, initial: at < product.initial,
      })),
      edges: merged(steps, (step) => [step.label, ...marks(step.marks)].join(" ")).map(({ from, to, said }) => ({
        from, to, kind: said.some((it) => it.includes("{")) ? "marked" : "", lines: labelled ? said.slice(0, 2).flatMap((it) => lines(it)) : [],
      })),
    };
  }

  start() {
    this.walk = null;
    this.trail = [];
    this.choose(0);
  }

  /** The shortest way to a node from where the picture begins. @param {number} to @returns {Place[]} */
  way(to) {
    const { nodes, initial } = this.answer.product;
    /** @type {Map<number, Place & { from: number } | null>} */
    const met = new Map(Array.from({ length: initial }, (_, at) => [at, null]));
    const queue = [...met.keys()];
    for (let next = 0; next < queue.length && !met.has(to); next += 1) {
      nodes[queue[next]].steps.forEach((/** @type {any} */ step, /** @type {number} */ via) => {
        if (!met.has(step.to)) {
          met.set(step.to, { at: step.to, via, from: queue[next] });
          queue.push(step.to);
        }
      });
    }
    /** @type {Place[]} */
    const way = [];
    for (let at = to; ;) {
      const by = met.get(at);
      way.unshift({ at, via: by ? by.via : null });
      if (!by) return way;
      at = by.from;
    }
  }

  /** The path as a call has it. @returns {number[]} */
  positions() {
    const taken = this.trail.slice(1).map((place) => /** @type {number} */ (place.via));
    const { path } = this.about;
    return path !== null && path.length > 0 ? [...path, ...taken] : [this.trail[0].at, ...taken];
  }

  /** Goes to a node: by a step of the last one, or by the shortest way. @param {number} at @param {number | null} [via] */
  choose(at, via = null) {
    if (via === null) {
      this.trail = this.way(at);
    } else {
      this.trail.push({ at, via });
    }
    this.draw();
  }

  draw() {
    const { product, automaton } = this.answer;
    const { at, via } = this.trail[this.trail.length - 1];
    const before = this.trail[this.trail.length - 2];
    const node = product.nodes[at];
    const step = before && via !== null ? product.nodes[before.at].steps[via] : null;
    const visited = new Set(this.trail.map((place) => place.at));
    this.right.nodes.forEach((it, other) => {
      it.classList.toggle("chosen", other === at);
      it.classList.toggle("visited", visited.has(other));
    });
    this.left.nodes.forEach((it, other) => it.classList.toggle("chosen", other === node.automaton));
    const from = before ? product.nodes[before.at].automaton : -1;
    this.left.edges.forEach((it, other) => it.classList.toggle("taken", automaton.edges[other].from === from && automaton.edges[other].to === node.automaton));
    this.right.edges.forEach((it, other) => it.classList.toggle("taken", Boolean(before) && this.right.picture.edges[other].from === before.at && this.right.picture.edges[other].to === at));
    this.right.nodes[at].scrollIntoView({ block: "nearest", inline: "nearest" });
    this.drawInfo(node, step);
  }

  /** @param {any} node @param {any} step */
  drawInfo(node, step) {
    const { product } = this.answer;
    const { info, behind, path } = this.about;
    const done = (path === null ? 0 : Math.max(0, path.length - 1)) + this.trail.length;
    const steps = node.steps.map((/** @type {any} */ it, /** @type {number} */ via) => el("li", {},
      button(`${it.who === "nobody" ? "" : `${it.who}: `}${it.label}`, () => { this.walk = null; this.choose(it.to, via); this.focus(); }, { class: "small" }), ` q${product.nodes[it.to].automaton}`,
      it.marks.length > 0 && el("span", { class: "marks" }, ` ${marks(it.marks).join("")}`)));
    fill(info, el("h3", {}, "In sync"),
      this.walking(),
      step && el("p", { class: "quiet" }, "By ", el("code", {}, step.label), step.marks.length > 0 && el("span", { class: "marks" }, ` ${marks(step.marks).join("")}, which is accepting`)),
      el("p", {}, `Position ${done}. The automaton is in `, el("code", {}, `q${node.automaton}`), ", the system in"), el("p", {}, el("code", {}, node.shown)),
      node.is_open ? el("p", {}, button("Explore from here", () => behind(this.positions()), { class: "small" }))
        : steps.length === 0 && el("p", {}, "No way on: the run so far cannot violate the formula."),
      el("ul", { class: "plain" }, ...steps),
      el("div", { class: "tools" },
        button("Back", () => this.back(), { class: "small" }),
        button("From the start", () => (path !== null && path.length > 0 ? behind([]) : this.start()), { class: "small" }),
        !node.is_open && path !== null && button("Explore from here", () => behind(this.positions()), { class: "small" }),
        path === null && !this.walk && this.offer()),
      el("p", { class: "quiet" }, `A violating run is a path whose cycle has the marks that are asked for: ${product.acceptance}.`));
  }

  back() {
    this.walk = null;
    if (this.trail.length > 1) {
      this.trail.pop();
      this.draw();
    }
    this.focus();
  }

  focus() {
    /** @type {HTMLElement | null} */ (this.about.info.querySelector("li button") ?? this.about.info.querySelector("button"))?.focus({ preventScroll: true });
  }

  /** Offers to walk a path that is accepted, if there is one. */
  offer() {
    const found = cycle(this.answer.product);
    if (found === undefined) {
      return null;
    }
    return found === null ? el("span", { class: "quiet" }, "No cycle is accepted, so no run violates the formula.")
      : button("Walk a violating run", () => {
        this.walk = { ...found, at: 0 };
        this.step(0);
      }, { class: "small" });
  }

  /** The buttons that go along a run that is accepted. */
  walking() {
    const { walk } = this;
    if (!walk) {
      return null;
    }
    const last = walk.places.length - 1;
    return el("div", { class: "tools walk" },
      button("◀", () => this.step(-1), { class: "small", "aria-label": "Back along the violating run" }),
      button("▶", () => this.step(1), { class: "small", "aria-label": "On along the violating run" }),
      el("span", { class: "quiet" }, `violating run: ${walk.at < walk.loop ? `stem, ${walk.at + 1} of ${walk.loop}` : `cycle, ${walk.at - walk.loop + 1} of ${last - walk.loop + 1}`}`));
  }

  /** @param {number} by */
  step(by) {
    const { walk } = this;
    if (!walk) {
      return;
    }
    const last = walk.places.length - 1;
    // Behind its last node the cycle goes on with its first one.
    walk.at = walk.at + by > last ? walk.loop + 1 : Math.max(0, walk.at + by);
    this.trail = walk.places.slice(0, walk.at + 1);
    this.draw();
    /** @type {HTMLElement | null} */ (this.about.info.querySelectorAll(".walk button")[by < 0 ? 0 : 1])?.focus({ preventScroll: true });
  }
}
