// Elements are made here and nowhere else. What a model says becomes text, never markup: no function of this file
// reads HTML, and a test looks that no other one does.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, unknown>} Properties */

/**
 * Sets attributes; `on…` are listeners, and what is false or missing is left out.
 * @param {Element} element
 * @param {Properties} properties
 */
function set(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) {
      continue;
    }
    if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else if (name === "value" && "value" in element) {
      /** @type {HTMLInputElement} */ (element).value = String(value);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

/**
 * @param {Element} element
 * @param {Child[]} children
 */
function append(element, children) {
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) {
      element.append(child instanceof Node ? child : String(child));
    }
  }
}

/**
 * An element of a page.
 * @param {string} tag
 * @param {Properties} [properties]
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  set(element, properties);
  append(element, children);
  return element;
}

/**
 * An element of a picture.
 * @param {string} tag
 * @param {Properties} [properties]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function svg(tag, properties = {}, ...children) {
  const element = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));
  set(element, properties);
  append(element, children);
  return element;
}

/**
 * A button.
 * @param {string} label
 * @param {() => void} act
 * @param {Properties} [properties]
 * @returns {HTMLElement}
 */
export function button(label, act, properties = {}) {
  return el("button", { type: "button", ...properties, onclick: act }, label);
}

/**
 * Puts something else into an element.
 * @param {Element} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/**
 * Offers a text as a file.
 * @param {string} name
 * @param {string | Blob} content
 * @param {string} [type]
 */
export function download(name, content, type = "application/json") {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const url = URL.createObjectURL(blob);
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/**
 * Says something to those who do not see the page, and shows it for a while.
 * @param {string} text
 */
export function announce(text) {
  const status = document.getElementById("status");
  if (status) {
    status.textContent = text;
  }
}

/**
 * A line that can be copied.
 * @param {string} text
 * @returns {HTMLElement}
 */
export function copyable(text) {
  if (text === "") {
    return el("div", { class: "hidden" });
  }
  const copy = button("Copy", () => {
    navigator.clipboard.writeText(text).then(() => announce("Copied."), () => announce("Copying is not allowed here."));
  }, { class: "small", "aria-label": "Copy the command" });
  return el("div", { class: "command" }, el("code", {}, text), copy);
}

/**
 * A sentence in which what stands between backticks is code.
 * @param {string} text
 * @returns {Child[]}
 */
export function prose(text) {
  return text.split("`").map((piece, at, all) => at % 2 === 1 && at < all.length - 1 ? el("code", {}, piece) : at % 2 === 1 ? `\`${piece}` : piece);
}

/**
 * A number with its noun.
 * @param {number} count
 * @param {string} noun
 * @returns {string}
 */
export function counted(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
