// Why a run counts as fair, constraint by constraint, and which further constraint would exclude it.

import { button, el } from "./dom.js";

/** @typedef {{ constraint: string, asked: number, of: number, given: number, reason: string, step: number | null }} Entry */

/**
 * @param {Entry} entry
 * @returns {string}
 */
function words(entry) {
  const asked = `asked at ${entry.asked} of ${entry.of}`;
  switch (entry.reason) {
    case "never asked": return "never asked for on the loop";
    case "lapses": return `${asked}; the demand lapses at step ${(entry.step ?? 0) + 1}`;
    case "given": return `${asked}, given ${entry.given} times, first at step ${(entry.step ?? 0) + 1}`;
    default: return `${asked}, never given: not met`;
  }
}

/**
 * The ledger of a run. `add` is called with a constraint to be assumed, too.
 * @param {Entry[]} entries
 * @param {{ fairness: string, upgrade?: { constraint: string, suffices: boolean | null } | null, excluding: string[], go: (at: number) => void, add?: (constraint: string) => void }} about
 * @returns {HTMLElement}
 */
export function ledger(entries, about) {
  const rows = entries.map((entry) => el("tr", {},
    el("th", { scope: "row" }, el("code", {}, entry.constraint)),
    el("td", {}, words(entry), " ", entry.step !== null && entry.step !== undefined
      && button("show", () => about.go(/** @type {number} */ (entry.step)), { class: "small", "aria-label": `Show step ${entry.step + 1}` }))));
  const table = entries.length > 0
    ? el("table", {}, el("tbody", {}, ...rows))
    : el("p", { class: "quiet" }, "No fairness is assumed, so every run counts.");
  return el("section", { class: "ledger", "aria-label": "Why this run counts" },
    el("h3", {}, entries.length > 0 ? "Why this run is fair" : "Why this run counts"),
    entries.length > 0 && el("p", { class: "quiet" }, `Assumed: ${about.fairness}.`),
    table, excluding(about));
}

/**
 * @param {{ upgrade?: { constraint: string, suffices: boolean | null } | null, excluding: string[], add?: (constraint: string) => void }} about
 * @returns {HTMLElement | null}
 */
function excluding({ upgrade, excluding: names, add }) {
  const listed = names.length > 0 ? names : upgrade ? [upgrade.constraint] : [];
  if (listed.length === 0) {
    return null;
  }
  const item = (/** @type {string} */ name) => {
    const effect = upgrade && upgrade.constraint === name
      ? { true: "with it the property holds", false: "another run remains", null: "" }[String(upgrade.suffices)] : "";
    return el("li", {}, el("code", {}, name), effect && el("span", { class: "quiet" }, ` ${effect}`), " ",
      add && button("Add and ask again", () => add(name), { class: "small add", "aria-label": `Add ${name} and ask again` }));
  };
  return el("div", {}, el("h3", {}, "What would exclude it"), el("ul", { class: "plain" }, ...listed.map(item)));
}
