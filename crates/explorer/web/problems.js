// What is wrong with a model, a formula or a request.

import { button, el, prose } from "./dom.js";

/**
 * @param {import("./api.js").Problem[]} all
 * @param {((line: number, column: number) => void) | null} open
 * @returns {HTMLElement}
 */
export function problems(all, open) {
  return el("ul", { class: "problems", role: "alert" }, ...all.map((problem) => {
    const { line, column, code } = problem;
    const place = line ? `${problem.file ?? ""}:${line}:${column ?? 1}` : problem.file ?? "";
    const isOwn = line && problem.file && !problem.file.startsWith("<");
    return el("li", { class: "problem" },
      el("strong", {}, code ? `${code}: ` : "", ...prose(problem.message)),
      problem.label && el("span", {}, ...prose(` (${problem.label})`)), " ",
      isOwn && open ? button(place, () => open(/** @type {number} */ (line), column ?? 1), { class: "small" }) : place && el("span", { class: "quiet" }, place),
      problem.help && el("p", { class: "quiet" }, ...prose(`help: ${problem.help}`)));
  }));
}
