// Search and the list of chapters on narrow screens. No dependency, no request: the index is a script of the site.
"use strict";
(() => {
  const root = document.body.dataset.root ?? "";
  const field = document.getElementById("search");
  const found = document.getElementById("found");
  const menu = document.getElementById("menu");
  const chapters = document.getElementById("chapters");

  menu.addEventListener("click", () => {
    const open = chapters.classList.toggle("open");
    menu.setAttribute("aria-expanded", String(open));
  });
  // The chapter that is shown is in sight in a list that scrolls.
  chapters.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });

  /** Sections in which every word is found; a word in a title counts more than one in the text. */
  function search(text) {
    const words = text.toLowerCase().split(/\s+/).filter((word) => word.length > 0);
    if (words.length === 0) return [];
    const hits = [];
    for (const section of window.fairlyIndex ?? []) {
      const title = section.title.toLowerCase();
      const body = section.text.toLowerCase();
      let score = 0;
      for (const word of words) {
        const here = (title.includes(word) ? 10 : 0) + Math.min(5, body.split(word).length - 1);
        if (here === 0) { score = 0; break; }
        score += here;
      }
      if (score > 0) hits.push({ section, score, words });
    }
    return hits.sort((one, other) => other.score - one.score).slice(0, 20);
  }

  /** A piece of a section around the first word that is found, with the words marked. */
  function excerpt({ section, words }) {
    const line = document.createElement("small");
    const at = Math.max(0, section.text.toLowerCase().indexOf(words[0]) - 40);
    const piece = section.text.slice(at, at + 160);
    const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
    for (const part of piece.split(new RegExp(`(${pattern})`, "i"))) {
      const isWord = words.includes(part.toLowerCase());
      const node = isWord ? document.createElement("mark") : document.createTextNode(part);
      if (isWord) node.textContent = part;
      line.append(node);
    }
    return line;
  }

  function show(hits, text) {
    found.replaceChildren();
    found.hidden = text.trim() === "";
    for (const hit of hits) {
      const link = document.createElement("a");
      link.href = root + hit.section.url;
      const { page, title } = hit.section;
      link.append(page === title ? title : `${page} › ${title}`, excerpt(hit));
      const item = document.createElement("li");
      item.append(link);
      found.append(item);
    }
    if (hits.length === 0 && !found.hidden) {
      const item = document.createElement("li");
      item.textContent = "Nothing is found.";
      found.append(item);
    }
  }

  field.addEventListener("input", () => show(search(field.value), field.value));
  document.addEventListener("keydown", (event) => {
    const links = [...found.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "/" && document.activeElement !== field) {
      event.preventDefault();
      field.focus();
    } else if (event.key === "Escape") {
      field.value = "";
      show([], "");
    } else if (event.key === "Enter" && document.activeElement === field) {
      links[0]?.click();
    } else if (links.length > 0 && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      const next = event.key === "ArrowDown" ? at + 1 : at - 1;
      (links[next] ?? (next < 0 ? field : links[0])).focus();
    }
  });
  found.addEventListener("click", () => show([], ""));
})();
