// The text of a model, with a line that a step comes from.

import { el } from "./dom.js";

/** Lines shown before and behind one. */
const AROUND = 4;

/**
 * Lines of the model's own text around one; nothing for lines of files that it includes.
 * @param {string | null} text
 * @param {number | null} line
 * @param {string | null} file
 * @param {((line: number) => void) | null} open
 * @returns {HTMLElement}
 */
export function excerpt(text, line, file, open) {
  if (text === null) {
    return el("p", { class: "quiet" }, "The model has no text here, so its steps have no lines.");
  }
  if (line === null) {
    return el("p", { class: "quiet" }, "This step is written in no line.");
  }
  if (file) {
    return el("p", { class: "quiet" }, `Line ${line} of ${file}, which the model includes.`);
  }
  const lines = text.split("\n");
  const first = Math.max(1, line - AROUND);
  const rows = lines.slice(first - 1, line + AROUND).map((content, at) => {
    const number = first + at;
    return el("span", { class: number === line ? "here" : "", "aria-current": number === line ? "true" : null },
      el("span", { class: "lineno", "aria-hidden": "true" }, `${number}`.padStart(4)), ` ${content}\n`);
  });
  return el("pre", {
    class: "excerpt", tabindex: open ? "0" : null, role: open ? "button" : null,
    "aria-label": open ? `Open line ${line} in the source` : null,
    onclick: open && (() => open(line)),
    onkeydown: open && ((/** @type {KeyboardEvent} */ event) => event.key === "Enter" && open(line)),
  }, ...rows);
}
