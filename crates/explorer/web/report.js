// A page of verdicts that needs no server: its data is in the page.

import { answerView, OUTCOMES } from "./answer.js";
import { chart } from "./chart.js";
import { button, counted, el, fill } from "./dom.js";
import { problems } from "./problems.js";

const data = JSON.parse(document.getElementById("data")?.textContent ?? "{}");

/** @param {number} at */
const id = (at) => `answer-${at}`;

/** @param {any} entry @param {number} at */
function section(entry, at) {
  const shower = {
    text: () => entry.text === null ? null : data.texts[entry.text],
    openLine: null,
    /** @param {any} _answer @param {import("./runs.js").Run} run @param {import("./lasso.js").Lasso} lasso */
    runTools: (_answer, run, lasso) => {
      const where = el("div", {});
      const show = button("Message chart", () => {
        const isOpen = where.childNodes.length > 0;
        fill(where, isOpen ? null : chart(run, (step) => lasso.select(step)));
        show.setAttribute("aria-expanded", String(!isOpen));
      }, { class: "small", "aria-expanded": "false" });
      return [show, where];
    },
  };
  return el("section", { id: id(at), class: "on-page" }, answerView(entry.answer, shower, null));
}

/** @param {any} entry @param {number} at */
function row(entry, at) {
  const { verdict } = entry.answer;
  const [sign, words] = OUTCOMES[verdict.outcome];
  return el("tr", { class: verdict.outcome },
    el("td", { class: "outcome" }, `${sign} ${words}`), el("th", { scope: "row" }, el("a", { href: `#${id(at)}` }, verdict.title ?? verdict.property)),
    el("td", {}, verdict.stamp.fairness ?? ""), el("td", {}, entry.files.join(" ")), el("td", { class: "amount" }, verdict.stamp.states ?? ""));
}

const counts = Object.keys(OUTCOMES).map((outcome) => [outcome, data.answers.filter((/** @type {any} */ entry) => entry.answer.verdict.outcome === outcome).length]).filter(([, count]) => count > 0);
const header = document.getElementById("header");
const main = document.getElementById("main");
const files = [...new Set(data.answers.map((/** @type {any} */ entry) => entry.files.join(" ")))].join(", ");
document.title = `${files} — Fairly`;
if (header && main) {
  fill(header, el("h1", {}, "Fairly", el("span", { class: "file" }, files)), el("span", { class: "quiet" }, `${counted(data.answers.length, "answer")}: ${counts.map(([outcome, count]) => `${count} ${outcome === "holds" && count !== 1 ? "hold" : outcome}`).join(", ")}`));
  fill(main, data.problems.length > 0 && problems(data.problems, null),
    el("table", { class: "summary" }, el("caption", {}, "Answers"),
      el("thead", {}, el("tr", {}, ...["answer", "property", "fairness", "model", "states"].map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, ...data.answers.map(row))),
    ...data.answers.map(section),
    el("p", { class: "quiet" }, `Written by fairly ${data.version}.`));
}
