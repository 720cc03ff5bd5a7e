// Pictures taken away as files. What the style sheet says is written into a copy, so that other programs show the same.

import { button, download } from "./dom.js";

const NAMES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline", "opacity"];

/**
 * @param {SVGElement} picture
 * @returns {string}
 */
export function standalone(picture) {
  const copy = /** @type {SVGElement} */ (picture.cloneNode(true));
  const [own, copied] = [[picture, ...picture.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  own.forEach((element, at) => {
    const style = getComputedStyle(element);
    for (const name of NAMES) {
      const value = style.getPropertyValue(name);
      if (value && value !== "none" || name === "fill" || name === "stroke") {
        copied[at].setAttribute(name, value);
      }
    }
    for (const name of ["class", "tabindex", "role", "aria-label"]) {
      copied[at].removeAttribute(name);
    }
  });
  const box = /** @type {SVGSVGElement} */ (picture).viewBox.baseVal;
  copy.setAttribute("width", String(Math.ceil(box.width)));
  copy.setAttribute("height", String(Math.ceil(box.height)));
  copy.removeAttribute("style");
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({ x: box.x, y: box.y, width: box.width, height: box.height, fill: getComputedStyle(document.body).backgroundColor })) {
    ground.setAttribute(name, String(value));
  }
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}

/**
 * @param {SVGElement} picture
 * @returns {Promise<Blob>}
 */
export async function png(picture) {
  const box = /** @type {SVGSVGElement} */ (picture).viewBox.baseVal;
  // Twice as sharp, as far as a canvas can be.
  const scale = Math.min(2, 8000 / Math.max(box.width, box.height, 1));
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([standalone(picture)], { type: "image/svg+xml" }));
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.ceil(box.width * scale), Math.ceil(box.height * scale)];
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise((done, fail) => canvas.toBlob((blob) => blob ? done(blob) : fail(new Error("no picture"))));
}

/**
 * A picture in the language of Graphviz.
 * @param {import("./layout.js").Picture} picture
 * @returns {string}
 */
export function dot(picture) {
  const quoted = (/** @type {string[]} */ lines) => `"${lines.map((line) => line.replaceAll("\\", "\\\\").replaceAll("\"", "\\\"")).join("\\n")}"`;
  const nodes = picture.nodes.flatMap((node, at) => [
    `  n${at} [shape=${node.round ? "ellipse" : "box"}, label=${quoted(node.lines)}];`,
    ...(node.initial ? [`  i${at} [shape=point, label=""];`, `  i${at} -> n${at};`] : []),
  ]);
  const edges = picture.edges.map((edge) => `  n${edge.from} -> n${edge.to} [label=${quoted(edge.lines)}${edge.kind === "marked" ? ", penwidth=2" : ""}];`);
  return `digraph {\n${[...nodes, ...edges].join("\n")}\n}\n`;
}

/**
 * Buttons that save a picture.
 * @param {string} name
 * @param {() => SVGElement | null} picture
 * @param {Record<string, string>} [texts] the same in other languages
 * @returns {HTMLElement[]}
 */
export function exports(name, picture, texts = {}) {
  const small = { class: "small" };
  return [
    button("SVG", () => { const it = picture(); if (it) download(`${name}.svg`, standalone(it), "image/svg+xml"); }, small),
    button("PNG", async () => { const it = picture(); if (it) download(`${name}.png`, await png(it)); }, small),
    ...Object.entries(texts).map(([kind, text]) => button(kind, () => download(`${name}.${kind.toLowerCase()}`, text, kind === "DOT" ? "text/vnd.graphviz" : "text/plain"), small)),
  ];
}
