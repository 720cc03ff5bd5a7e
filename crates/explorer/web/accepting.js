// A path of a product that is accepted: to a cycle with every mark that has to be seen again and again.

/** @typedef {{ at: number, via: number | null }} Place */

/**
 * The components of a product, by node: Tarjan's algorithm, without recursion.
 * @param {any[]} nodes
 * @returns {number[]}
 */
function components(nodes) {
  const [index, low, component] = [nodes.map(() => -1), nodes.map(() => 0), nodes.map(() => -1)];
  /** @type {number[]} */
  const stack = [];
  let [count, found] = [0, 0];
  for (const root of nodes.keys()) {
    const work = index[root] < 0 ? [{ at: root, next: 0 }] : [];
    while (work.length > 0) {
      const top = work[work.length - 1];
      if (top.next === 0) {
        index[top.at] = low[top.at] = count;
        count += 1;
        stack.push(top.at);
      }
      const step = nodes[top.at].steps[top.next];
      top.next += 1;
      if (step === undefined) {
        work.pop();
        if (work.length > 0) {
          const above = work[work.length - 1].at;
          low[above] = Math.min(low[above], low[top.at]);
        }
        if (low[top.at] === index[top.at]) {
          let member;
          do {
            member = /** @type {number} */ (stack.pop());
            component[member] = found;
          } while (member !== top.at);
          found += 1;
        }
      } else if (index[step.to] < 0) {
        work.push({ at: step.to, next: 0 });
      } else if (component[step.to] < 0) {
        low[top.at] = Math.min(low[top.at], index[step.to]);
      }
    }
  }
  return component;
}

/**
 * The shortest way on from some nodes that ends with a step as it is wanted; the first place is one of these nodes.
 * @param {any[]} nodes
 * @param {number[]} from
 * @param {(at: number, step: any) => boolean} isWanted
 * @param {(at: number) => boolean} isIn
 * @returns {Place[] | null}
 */
function way(nodes, from, isWanted, isIn) {
  /** @type {Map<number, { before: number, via: number } | null>} */
  const met = new Map(from.map((at) => [at, null]));
  const queue = [...from];
  for (let next = 0; next < queue.length; next += 1) {
    const at = queue[next];
    for (const [via, step] of nodes[at].steps.entries()) {
      if (isWanted(at, step)) {
        const places = [{ at: step.to, via }];
        for (let here = at; ;) {
          const by = met.get(here);
          places.unshift({ at: here, via: by ? by.via : null });
          if (!by) return /** @type {Place[]} */ (places);
          here = by.before;
        }
      }
      if (!met.has(step.to) && isIn(step.to)) {
        met.set(step.to, { before: at, via });
        queue.push(step.to);
      }
    }
  }
  return null;
}

/**
 * A path that is accepted, and where its cycle begins: null if there is none, undefined if the acceptance asks for more
 * than marks that are seen again and again.
 * @param {{ nodes: any[], initial: number, acceptance: string }} product
 * @returns {{ places: Place[], loop: number } | null | undefined}
 */
export function cycle({ nodes, initial, acceptance }) {
  const parts = acceptance === "t" ? [] : acceptance.split("&").map((part) => /^\s*\(?\s*Inf\((\d+)\)\s*\)?\s*$/.exec(part));
  if (parts.some((part) => part === null)) {
    return undefined;
  }
  const wanted = parts.map((part) => Number(/** @type {RegExpExecArray} */ (part)[1]));
  const component = components(nodes);
  const isInner = (/** @type {number} */ at, /** @type {any} */ step) => component[at] === component[step.to];
  /** @type {Map<number, Set<number>>} */
  const seen = new Map();
  nodes.forEach((node, at) => node.steps.filter((/** @type {any} */ step) => isInner(at, step)).forEach((/** @type {any} */ step) => {
    const all = seen.get(component[at]) ?? new Set();
    step.marks.forEach((/** @type {number} */ mark) => all.add(mark));
    seen.set(component[at], all);
  }));
  const good = new Set([...seen].filter(([, all]) => wanted.every((mark) => all.has(mark))).map(([which]) => which));
  const starts = Array.from({ length: initial }, (_, at) => at);
  // The nearest node of such a component, or none.
  const near = starts.find((at) => good.has(component[at]));
  const stem = near !== undefined ? [{ at: near, via: null }] : way(nodes, starts, (_, step) => good.has(component[step.to]), () => true);
  if (!stem) {
    return null;
  }
  const loop = stem.length - 1;
  const first = stem[loop].at;
  const isIn = (/** @type {number} */ at) => component[at] === component[first];
  const places = [...stem];
  const go = (/** @type {(at: number, step: any) => boolean} */ isWanted) => {
    const on = way(nodes, [places[places.length - 1].at], (at, step) => isInner(at, step) && isWanted(at, step), isIn);
    places.push(...(on ?? []).slice(1));
  };
  for (const mark of wanted) {
    const has = places.slice(loop + 1).some((place, at) => nodes[places[loop + at].at].steps[/** @type {number} */ (place.via)].marks.includes(mark));
    if (!has) go((_, step) => step.marks.includes(mark));
  }
  if (places.length === loop + 1 || places[places.length - 1].at !== first) {
    go((_, step) => step.to === first);
  }
  return { places, loop };
}
