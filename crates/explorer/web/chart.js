// A run as a message-sequence chart: one line a process, arrows for messages and rendezvous, a frame for the loop.

import { el, svg } from "./dom.js";
import { exports } from "./export.js";

/** @typedef {import("./runs.js").Run} Run */
/** @typedef {{ sent: number, received: number | null, text: string, channel: string }} Message */

/** Steps of a chart; a longer run is shown as a timeline only. */
const LONGEST = 400;
const [LANE, ROW, LEFT, TOP] = [150, 30, 70, 44];

/**
 * Messages over channels with room, read off the contents of the channels before and after each step: what comes
 * stands behind, what goes stood in front. Channels that are no queues are told as far as that goes.
 * @param {Run} run
 * @returns {Message[]}
 */
export function messages(run) {
  /** @type {Message[]} */
  const all = [];
  const contents = (/** @type {any} */ state, /** @type {string} */ channel) => (Array.isArray(state?.[channel]) ? state[channel] : []).map((/** @type {any} */ it) => JSON.stringify(it));
  for (const channel of run.channels) {
    /** @type {Message[]} */
    let pending = [];
    let before = contents(run.states[0], channel);
    pending = before.map((/** @type {string} */ text) => ({ sent: -1, received: null, text, channel }));
    for (let at = 0; at < run.steps.length; at += 1) {
      const state = run.states[at + 1] ?? run.states[run.loop ?? 0];
      const after = contents(state, channel);
      let gone = 0;
      while (gone < before.length && !before.slice(gone).every((/** @type {string} */ it, /** @type {number} */ i) => it === after[i])) {
        gone += 1;
      }
      pending.slice(0, gone).forEach((message) => { message.received = at; });
      pending = pending.slice(gone);
      for (const text of after.slice(before.length - gone)) {
        const message = { sent: at, received: null, text, channel };
        pending.push(message);
        all.push(message);
      }
      before = after;
    }
  }
  return all;
}

/**
 * @param {Run} run
 * @param {(at: number) => void} go
 * @returns {HTMLElement}
 */
export function chart(run, go) {
  if (run.steps.length > LONGEST) {
    return el("p", { class: "quiet" }, `A chart shows at most ${LONGEST} steps; this run has ${run.steps.length}.`);
  }
  const taking = run.steps.map((step) => run.processes.filter((name) => step.processes[name] === "taken"));
  const acting = run.processes.filter((name) => taking.some((all) => all.includes(name)));
  const lanes = acting.length > 0 ? acting : run.processes.slice(0, 1);
  const x = (/** @type {string} */ name) => LEFT + lanes.indexOf(name) * LANE;
  const y = (/** @type {number} */ at) => TOP + 16 + at * ROW;
  const sent = messages(run);
  const [width, height] = [LEFT * 2 + Math.max(0, lanes.length - 1) * LANE + 100, TOP + run.steps.length * ROW + 30];
  const parts = [];
  lanes.forEach((name) => {
    parts.push(svg("line", { x1: x(name), x2: x(name), y1: TOP - 8, y2: height - 10, class: "life" }),
      svg("rect", { x: x(name) - 56, y: 6, width: 112, height: 24, rx: 4, class: "head" }),
      svg("text", { x: x(name), y: 18, "text-anchor": "middle", "dominant-baseline": "central" }, name.length > 15 ? `${name.slice(0, 14)}…` : name, svg("title", {}, name)));
  });
  if (run.loop !== null) {
    parts.unshift(svg("rect", { x: 6, y: y(run.loop) - ROW / 2 - 1, width: width - 12, height: (run.steps.length - run.loop) * ROW + 2, rx: 6, class: "frame" }),
      svg("text", { x: width - 14, y: y(run.loop) - 1, "text-anchor": "end", class: "frame-label" }, "loop"));
  }
  run.steps.forEach((step, at) => {
    const who = taking[at];
    const said = step.action.length > 34 ? `${step.action.slice(0, 33)}…` : step.action;
    const group = svg("g", { class: "message", onclick: () => go(at) }, svg("title", {}, `step ${at + 1}: ${step.who}: ${step.action}`));
    const send = sent.find((message) => message.sent === at && message.received !== null);
    const to = send && taking[/** @type {number} */ (send.received)]?.[0];
    if (who.length > 1) {
      const from = step.sender && who.includes(step.sender) ? step.sender : who[0];
      for (const other of who.filter((name) => name !== from)) {
        group.append(svg("line", { x1: x(from), x2: x(other), y1: y(at), y2: y(at), class: "arrow-line", "marker-end": "url(#message-arrow)", "marker-start": step.sender ? null : "url(#message-arrow)" }));
      }
      const middle = (Math.min(...who.map(x)) + Math.max(...who.map(x))) / 2;
      group.append(svg("text", { x: middle, y: y(at) - 5, "text-anchor": "middle" }, said));
    } else if (who.length === 1) {
      const own = who[0];
      if (to && to !== own) {
        const received = /** @type {number} */ (/** @type {Message} */ (send).received);
        group.append(svg("line", { x1: x(own), x2: x(to), y1: y(at), y2: received > at ? y(received) - 4 : y(at) + 8, class: "arrow-line", "marker-end": "url(#message-arrow)" }));
      } else if (sent.some((message) => message.sent === at)) {
        group.append(svg("line", { x1: x(own), x2: x(own) + 34, y1: y(at), y2: y(at), class: "arrow-line lost" }), svg("text", { x: x(own) + 40, y: y(at) - 6 }, "not received"));
      }
      group.append(svg("circle", { cx: x(own), cy: y(at), r: 4, class: "dot" }), svg("text", { x: x(own) + 8, y: y(at) + (to && to !== own ? -6 : 4) }, said));
    } else {
      group.append(svg("text", { x: LEFT, y: y(at) + 4 }, said));
    }
    group.append(svg("text", { x: 14, y: y(at) + 4, class: "number" }, String(at + 1)));
    parts.push(group);
  });
  const marker = svg("marker", { id: "message-arrow", viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto-start-reverse" }, svg("path", { d: "M 0 0 L 10 5 L 0 10 z", class: "arrow" }));
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "chart", role: "img", "aria-label": `Message chart of ${run.steps.length} steps` }, svg("defs", {}, marker), ...parts);
  return el("div", {}, el("div", { class: "picture", tabindex: "0", role: "region", "aria-label": "Message chart" }, picture),
    el("div", { class: "tools" }, el("span", {}, "Save as"), ...exports("chart", () => picture)));
}
