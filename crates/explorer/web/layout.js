// Layout and drawing of graphs. Positions come from dagre (`vendor/`); everything that is drawn is made here.

import { layout as layered, Graph } from "./vendor/dagre.js";
import { svg } from "./dom.js";

/**
 * @typedef {object} Node
 * @property {string[]} lines
 * @property {string} kind
 * @property {string} words
 * @property {boolean} [initial]
 * @property {boolean} [round]
 */
/** @typedef {{ from: number, to: number, lines: string[], kind: string }} Edge */
/** @typedef {{ nodes: Node[], edges: Edge[] }} Picture */
/** @typedef {{ element: SVGElement, nodes: SVGElement[], edges: SVGElement[], picture: Picture, width: number, height: number }} Drawing */

/** Pixels of a letter and a line in a label. */
const [LETTER, LINE] = [6.6, 14];
/** Letters of a label that are shown in a line, and lines of a label. */
const [WIDE, HIGH] = [20, 5];

/**
 * A text in lines, broken between words.
 * @param {string} text
 * @param {number} [wide]
 * @returns {string[]}
 */
export function lines(text, wide = WIDE) {
  /** @type {string[]} */
  const out = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const last = out[out.length - 1];
    if (last !== undefined && last.length + 1 + word.length <= wide) {
      out[out.length - 1] = `${last} ${word}`;
    } else {
      out.push(word.length > 2 * wide ? `${word.slice(0, 2 * wide - 1)}…` : word);
    }
  }
  return out.length > HIGH ? [...out.slice(0, HIGH - 1), "…"] : out;
}

/** @param {string[]} texts @param {number} least */
function size(texts, least) {
  const longest = texts.reduce((most, text) => Math.max(most, text.length), 0);
  return { width: Math.max(least, longest * LETTER + 14), height: Math.max(24, texts.length * LINE + 10) };
}

/**
 * @param {string[]} texts
 * @param {number} x
 * @param {number} y
 * @param {string} kind
 */
function label(texts, x, y, kind) {
  const first = y - ((texts.length - 1) * LINE) / 2;
  return svg("text", { class: kind, "text-anchor": "middle", "dominant-baseline": "central" },
    ...texts.map((text, at) => svg("tspan", { x, y: first + at * LINE }, text)));
}

/** @param {{ x: number, y: number }[]} points */
function curve(points) {
  const at = (/** @type {{ x: number, y: number }} */ p) => `${p.x.toFixed(1)} ${p.y.toFixed(1)}`;
  if (points.length < 3) {
    return `M ${points.map(at).join(" L ")}`;
  }
  // Round at the inner points.
  let path = `M ${at(points[0])}`;
  for (let i = 1; i < points.length - 1; i += 1) {
    const middle = { x: (points[i].x + points[i + 1].x) / 2, y: (points[i].y + points[i + 1].y) / 2 };
    path += ` Q ${at(points[i])} ${at(i === points.length - 2 ? points[i + 1] : middle)}`;
  }
  return path;
}

/** Every picture has arrows of its own, since identifiers are those of the page. */
let pictures = 0;

/**
 * The position of each node in a breadth-first order from the initial ones.
 * @param {Picture} picture
 * @returns {number[]}
 */
function distances(picture) {
  /** @type {number[][]} */
  const after = picture.nodes.map(() => []);
  picture.edges.forEach((edge) => after[edge.from].push(edge.to));
  /** @type {number[]} */
  const order = picture.nodes.map(() => -1);
  let count = 0;
  const starts = picture.nodes.map((_, at) => at).filter((at) => picture.nodes[at].initial);
  for (const root of [...starts, ...picture.nodes.keys()]) {
    const queue = order[root] < 0 ? [root] : [];
    if (order[root] < 0) order[root] = count++;
    for (let next = 0; next < queue.length; next += 1) {
      for (const to of after[queue[next]]) {
        if (order[to] < 0) {
          order[to] = count++;
          queue.push(to);
        }
      }
    }
  }
  return order;
}

/** @typedef {{ x: number, y: number, width: number, height: number }} Box */

/**
 * Where a line from a point to the middle of a box meets its border.
 * @param {Box} box
 * @param {{ x: number, y: number }} from
 */
function border(box, from) {
  const [dx, dy] = [from.x - box.x, from.y - box.y];
  const scale = Math.min(dx === 0 ? Infinity : box.width / 2 / Math.abs(dx), dy === 0 ? Infinity : box.height / 2 / Math.abs(dy), 1);
  return { x: box.x + dx * scale, y: box.y + dy * scale };
}

/**
 * Draws a graph.
 * @param {Picture} picture
 * @param {{ choose?: (at: number) => void, label: string, across?: boolean, plain?: boolean }} options
 * @returns {Drawing}
 */
export function draw(picture, options) {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: options.across ? "LR" : "TB", nodesep: 18, ranksep: 26, edgesep: 8, marginx: 24, marginy: 24 });
  graph.setDefaultEdgeLabel(() => ({}));
  // Loops at a node are drawn here, beside it; the layout only leaves room for them.
  const loops = picture.nodes.map((_, at) => picture.edges.filter((edge) => edge.from === at && edge.to === at));
  const beside = loops.map((all) => all.length === 0 ? 0 : 30 + Math.max(...all.map((edge) => size(edge.lines, 0).width)));
  const sizes = picture.nodes.map((node) => size(node.lines, node.round ? 30 : 34));
  picture.nodes.forEach((_, at) => {
    const tall = loops[at].reduce((sum, edge) => sum + size(edge.lines, 0).height, 0);
    graph.setNode(String(at), { width: sizes[at].width + beside[at], height: Math.max(sizes[at].height, tall) });
  });
  // Rows are distances from where it starts; an edge back is laid out the other way round, and drawn as it is.
  const order = distances(picture);
  const isBack = (/** @type {Edge} */ edge) => order[edge.from] > order[edge.to];
  const ends = (/** @type {Edge} */ edge) => (isBack(edge) ? [edge.to, edge.from] : [edge.from, edge.to]).map(String);
  picture.edges.forEach((edge, at) => {
    if (edge.from !== edge.to) {
      const [from, to] = ends(edge);
      graph.setEdge(from, to, { ...size(edge.lines, 10), labelpos: "c" }, String(at));
    }
  });
  layered(graph);
  const { width = 100, height = 100 } = graph.graph();
  /** @type {Box[]} */
  const boxes = picture.nodes.map((_, at) => {
    const { x, y } = graph.node(String(at));
    return { x: x - beside[at] / 2, y, ...sizes[at] };
  });
  pictures += 1;
  const arrow = `arrow-${pictures}`;
  const edgeGroup = svg("g", {});
  const labels = svg("g", {});
  /** @type {number[]} */
  const loopsDrawn = picture.nodes.map(() => 0);
  const edges = picture.edges.map((edge, at) => {
    let path;
    if (edge.from === edge.to) {
      const box = boxes[edge.from];
      const high = size(edge.lines, 0).height;
      const all = loops[edge.from].reduce((sum, it) => sum + size(it.lines, 0).height, 0);
      const y = box.y - all / 2 + loopsDrawn[edge.from] + high / 2;
      loopsDrawn[edge.from] += high;
      const right = box.x + box.width / 2;
      const [from, to] = [Math.max(box.y - box.height / 2 + 4, y - 9), Math.min(box.y + box.height / 2 - 4, y + 9)];
      path = `M ${right} ${from} C ${right + 26} ${from - 6} ${right + 26} ${to + 6} ${right + 1} ${to}`;
      labels.append(label(edge.lines, right + 22 + size(edge.lines, 0).width / 2, y, "edge-label"));
    } else {
      const [from, to] = ends(edge);
      const placed = graph.edge(from, to, String(at));
      const inner = placed.points.slice(1, -1);
      if (isBack(edge)) {
        inner.reverse();
      }
      const middle = inner.length > 0 ? inner : placed.points;
      path = curve([border(boxes[edge.from], middle[0]), ...inner, border(boxes[edge.to], middle[middle.length - 1])]);
      if (edge.lines.length > 0) {
        labels.append(label(edge.lines, placed.x ?? 0, placed.y ?? 0, "edge-label"));
      }
    }
    const drawn = svg("path", { d: path, class: `edge ${edge.kind}`, fill: "none", "marker-end": options.plain ? null : `url(#${arrow})` }, svg("title", {}, edge.lines.join(" ")));
    edgeGroup.append(drawn);
    return drawn;
  });
  const nodeGroup = svg("g", {});
  const nodes = picture.nodes.map((node, at) => {
    const { x, y, width: wide, height: high } = boxes[at];
    const shape = node.round
      ? svg("ellipse", { cx: x, cy: y, rx: wide / 2, ry: Math.max(high / 2, 15) })
      : svg("rect", { x: x - wide / 2, y: y - high / 2, width: wide, height: high, rx: 5 });
    const group = svg("g", {
      class: `node ${node.kind}`, role: options.choose ? "button" : "img", tabindex: options.choose ? (at === 0 ? "0" : "-1") : null, "aria-label": node.words,
      onclick: options.choose && (() => options.choose?.(at)),
      onkeydown: options.choose && ((/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          options.choose?.(at);
        }
      }),
    }, svg("title", {}, node.words), shape, label(node.lines, x, y, "node-label"));
    if (node.initial) {
      nodeGroup.append(svg("path", { class: "edge start", d: `M ${x - wide / 2 - 18} ${y - high / 2 - 12} L ${x - wide / 2 - 1} ${y - high / 2 + 4}`, "marker-end": `url(#${arrow})` }));
    }
    nodeGroup.append(group);
    return group;
  });
  const marker = svg("marker", { id: arrow, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto-start-reverse" },
    svg("path", { d: "M 0 0 L 10 5 L 0 10 z", class: "arrow" }));
  const element = svg("svg", { viewBox: `0 0 ${width.toFixed(0)} ${height.toFixed(0)}`, width: Math.ceil(width), height: Math.ceil(height), class: "graph", role: "group", "aria-label": options.label },
    svg("defs", {}, marker), edgeGroup, labels, nodeGroup);
  if (options.choose) {
    element.addEventListener("keydown", (event) => walk(/** @type {KeyboardEvent} */ (event), nodes, graph));
  }
  return { element, nodes, edges, picture, width, height };
}

/**
 * Arrows go to the nearest node in their direction.
 * @param {KeyboardEvent} event
 * @param {SVGElement[]} nodes
 * @param {any} graph
 */
function walk(event, nodes, graph) {
  /** @type {Record<string, [number, number]>} */
  const directions = { ArrowDown: [0, 1], ArrowUp: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
  const direction = directions[event.key];
  const from = nodes.findIndex((node) => node.contains(document.activeElement));
  if (!direction || from < 0) {
    return;
  }
  event.preventDefault();
  const here = graph.node(String(from));
  let best = -1;
  let least = Infinity;
  nodes.forEach((_, at) => {
    const { x, y } = graph.node(String(at));
    const along = (x - here.x) * direction[0] + (y - here.y) * direction[1];
    const aside = Math.abs((x - here.x) * direction[1]) + Math.abs((y - here.y) * direction[0]);
    const far = along + 2 * aside;
    if (along > 1 && far < least) {
      [best, least] = [at, far];
    }
  });
  if (best >= 0) {
    nodes[from].setAttribute("tabindex", "-1");
    nodes[best].setAttribute("tabindex", "0");
    nodes[best].focus();
  }
}
