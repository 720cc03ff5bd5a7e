// Calls of `/api/v1`. The address of the page has the token in it, so calls are relative to it.

/** @typedef {{ message: string, code?: string, file?: string, line?: number, column?: number, end_line?: number, end_column?: number, label?: string, help?: string }} Problem */

/** What a call was refused for. */
export class Refused extends Error {
  /** @param {Problem[]} problems */
  constructor(problems) {
    super(problems.map((problem) => problem.message).join("\n"));
    this.problems = problems;
  }
}

/** @param {Response} response */
async function refusal(response) {
  const body = await response.json().catch(() => null);
  const problems = Array.isArray(body) ? body : [{ message: `The server says ${response.status}.` }];
  return new Refused(problems);
}

/**
 * @param {string} name
 * @returns {Promise<any>}
 */
export async function get(name) {
  const response = await fetch(`api/v1/${name}`);
  if (!response.ok) {
    throw await refusal(response);
  }
  return response.json();
}

/**
 * @param {string} name
 * @param {unknown} body
 * @param {AbortSignal} [signal]
 */
function send(name, body, signal) {
  const headers = { "Content-Type": "application/json" };
  return fetch(`api/v1/${name}`, { method: "POST", headers, body: JSON.stringify(body), signal });
}

/**
 * @param {string} name
 * @param {unknown} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function post(name, body, signal) {
  const response = await send(name, body, signal);
  if (!response.ok) {
    throw await refusal(response);
  }
  return response.json();
}

/**
 * Asks a question; the answer is a stream of events. Aborting stops the search.
 * @param {string} name
 * @param {unknown} body
 * @param {(event: string, data: any) => void} hear
 * @param {AbortSignal} signal
 */
export async function stream(name, body, hear, signal) {
  const response = await send(name, body, signal);
  if (!response.ok || !response.body) {
    throw await refusal(response);
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  /** @type {string[]} */
  let pieces = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return;
    }
    pieces.push(value);
    // An answer may come in thousands of pieces; they are put together once it is complete.
    if (!value.includes("\n")) {
      continue;
    }
    /** @type {string[]} */
    const events = pieces.join("").split("\n\n");
    pieces = [events.pop() ?? ""];
    for (const text of events) {
      const [first, second] = text.split("\n");
      hear(first.slice("event: ".length), JSON.parse(second.slice("data: ".length)));
    }
  }
}
