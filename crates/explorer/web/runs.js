// Runs as views use them, read from the published documents `fairly.trace/2` and `fairly.verdict/2`.

/** @typedef {"taken" | "enabled" | "disabled"} Part */
/**
 * @typedef {object} Step
 * @property {string} action
 * @property {string} who
 * @property {string} event
 * @property {number | null} line
 * @property {string | null} file
 * @property {Record<string, Part>} processes
 * @property {Record<string, string>} changes
 * @property {string | null} sender
 * @property {string} shown
 * @property {[string, string][]} values
 */
/**
 * @typedef {object} Run
 * @property {string[]} processes
 * @property {Step[]} steps
 * @property {number | null} loop
 * @property {[string, string][] | null} end
 * @property {string} property
 * @property {string} formula
 * @property {string} fairness
 * @property {string} conclusion
 * @property {{ constraint: string, asked: number, of: number, given: number, reason: string, step: number | null }[]} ledger
 * @property {{ process: string, waits: string }[]} waiting
 * @property {string[]} channels
 * @property {any[]} states
 */

/** Fields of a state that are no variables. */
const FIXED = new Set(["#meta", "state", "event", "who"]);

/**
 * A value as a person reads it.
 * @param {unknown} value
 * @returns {string}
 */
export function shown(value) {
  if (Array.isArray(value)) {
    return `[${value.map(shown).join(" ")}]`;
  }
  if (value !== null && typeof value === "object") {
    return Object.values(value).map(shown).join(".");
  }
  return String(value);
}

/**
 * @param {any} state
 * @returns {[string, string][]}
 */
function values(state) {
  return Object.entries(state).filter(([name]) => !FIXED.has(name)).map(([name, value]) => [name, shown(value)]);
}

/**
 * Reads a trace; one without steps is a run that consists of a state.
 * @param {any} trace
 * @returns {Run}
 */
export function readTrace(trace) {
  const meta = trace["#meta"];
  const states = trace.states;
  const steps = [];
  let end = null;
  for (const state of states) {
    const own = state["#meta"];
    if (own.action === undefined) {
      end = values(state);
      continue;
    }
    steps.push({
      action: own.action,
      who: state.who,
      event: state.event,
      line: own.line ?? null,
      file: own.file ?? null,
      processes: own.processes ?? {},
      changes: own.changes ?? {},
      sender: own.sender ?? null,
      shown: state.state,
      values: values(state),
    });
  }
  return {
    processes: meta.processes ?? [],
    steps,
    loop: trace.loop ?? null,
    end,
    property: meta.property ?? "",
    formula: meta.formula ?? "",
    fairness: meta.fairness ?? "",
    conclusion: meta.conclusion ?? "",
    ledger: meta.ledger ?? [],
    waiting: meta.waiting ?? [],
    channels: meta.channels ?? [],
    states,
  };
}

/**
 * The second run of a claim that compares two, if there is one.
 * @param {any} trace
 * @returns {Run | null}
 */
export function readOther(trace) {
  const other = trace["#meta"].other;
  return other ? readTrace({ "#meta": trace["#meta"], states: other }) : null;
}

/**
 * The run of a verdict whose run is no trace: one that continues a doomed prefix.
 * @param {any} verdict
 * @returns {Run | null}
 */
export function readVerdict(verdict) {
  const run = verdict.run;
  if (!run) {
    return null;
  }
  /** @param {any} state @returns {[string, string][]} */
  const flat = (state) => {
    const all = [...Object.entries(state.variables ?? {}), ...Object.entries(state.channels ?? {})];
    for (const [name, process] of Object.entries(state.processes ?? {})) {
      const { at, variables } = /** @type {any} */ (process);
      all.push([name, at], ...Object.entries(variables ?? {}).map(([own, value]) => /** @type {[string, any]} */ ([`${name}.${own}`, value])));
    }
    return all.map(([name, value]) => [name, shown(value)]);
  };
  const steps = run.steps.map((/** @type {any} */ step) => ({
    action: step.action, who: step.who, event: step.event, line: null, file: null, processes: step.processes,
    changes: {}, sender: null, shown: "", values: flat(step.state),
  }));
  const first = run.steps[0];
  return {
    processes: first ? Object.keys(first.processes) : [],
    steps,
    loop: run.loop < steps.length ? run.loop : null,
    end: run.end ? flat(run.end) : null,
    property: verdict.property,
    formula: verdict.formula ?? "",
    fairness: verdict.stamp.fairness ?? "",
    conclusion: verdict.conclusion ?? "",
    ledger: verdict.ledger ?? [],
    waiting: run.waiting ?? [],
    channels: [],
    states: [],
  };
}

/**
 * The state before a step; behind the last step of a run without loop, its last state.
 * @param {Run} run
 * @param {number} at
 * @returns {[string, string][]}
 */
export function stateAt(run, at) {
  if (at < run.steps.length) {
    return run.steps[at].values;
  }
  return run.loop === null ? run.end ?? [] : run.steps[run.loop].values;
}

/**
 * The step behind another one: round the loop.
 * @param {Run} run
 * @param {number} at
 * @returns {number}
 */
export function next(run, at) {
  const last = run.steps.length - 1;
  if (at < last) {
    return at + 1;
  }
  return run.loop ?? Math.max(last, 0);
}

/**
 * The first step in which two runs differ; none if one is the beginning of the other.
 * @param {Run} one
 * @param {Run} other
 * @returns {number | null}
 */
export function difference(one, other) {
  const most = Math.min(one.steps.length, other.steps.length);
  for (let at = 0; at < most; at += 1) {
    const [left, right] = [one.steps[at], other.steps[at]];
    if (left.who !== right.who || left.action !== right.action || left.event !== right.event || left.shown !== right.shown) {
      return at;
    }
  }
  return one.steps.length === other.steps.length && one.loop === other.loop ? null : most;
}
