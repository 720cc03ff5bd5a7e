// An answer with everything that it rests on.

import { copyable, counted, el, prose } from "./dom.js";
import { runView } from "./run.js";

/** @typedef {import("./run.js").Shower} Shower */

/** @type {Record<string, [string, string]>} */
export const OUTCOMES = {
  holds: ["✓", "holds"],
  violated: ["✗", "violated"],
  unknown: ["?", "unknown"],
};

/**
 * @param {any} answer
 * @param {Shower} app
 * @param {((constraint: string) => void) | null} add
 * @returns {HTMLElement}
 */
export function answerView(answer, app, add) {
  const { verdict } = answer;
  const [sign, words] = OUTCOMES[verdict.outcome];
  const { stamp } = verdict;
  const facts = [
    stamp.fairness ? `under ${stamp.fairness}` : null,
    stamp.states === null || stamp.states === undefined ? null : counted(stamp.states, "state"),
    stamp.transitions === null || stamp.transitions === undefined ? null : counted(stamp.transitions, "transition"),
    stamp.product_nodes ? `product ${stamp.product_nodes.toLocaleString("en")}` : null,
    stamp.exhaustive ? "complete" : null,
    stamp.engine && stamp.engine !== "none" ? `engine ${stamp.engine}` : null,
    ...(stamp.reductions ?? []),
    verdict.feasible === true && stamp.constraints?.length > 0 ? "feasible" : verdict.feasible === false ? "infeasible: no run is fair" : null,
    verdict.machine_closed === true && stamp.constraints?.length > 0 ? "machine closed" : verdict.machine_closed === false ? "not machine closed" : null,
    `${stamp.seconds.toFixed(2)} s`,
  ].filter(Boolean);
  const section = el("article", { class: `answer ${verdict.outcome}` },
    el("h2", {}, el("span", { class: `badge ${verdict.outcome}` }, `${sign} ${words}`), " ", verdict.title ?? verdict.property),
    verdict.formula && verdict.formula !== verdict.title && el("p", { class: "formula" }, el("code", {}, verdict.formula)),
    el("p", { class: "stamp quiet" }, facts.join(" · ")),
    verdict.why && el("p", {}, ...prose(`Why it is unknown: ${verdict.why}.`)),
    answer.says?.length > 0 && el("p", {}, ...prose(answer.says.join(" "))),
    verdict.conclusion && el("p", {}, ...prose(verdict.conclusion)),
    verdict.doomed_prefix && el("p", {}, "No fair run continues these events: ", el("code", {}, verdict.doomed_prefix.join(" "))),
    verdict.notes?.length > 0 && el("ul", { class: "notes" }, ...verdict.notes.map((/** @type {string} */ note) => el("li", {}, ...prose(note)))),
    runView(answer, app, add),
    el("details", { class: "report" }, el("summary", {}, answer.command?.startsWith("fairly ") ? "The report of the command line" : "The report"), el("pre", { tabindex: "0" }, answer.text)),
    answer.command && copyable(answer.command), answer.isDraft && el("p", { class: "quiet" }, "The command asks about the file, which does not have this text yet."));
  return section;
}
