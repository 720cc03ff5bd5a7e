// Words of a model, by their kind. It is for the eye only: the program reads the text itself.

/** @type {Record<string, RegExp>} */
const WORDS = {
  promela: /^(active|assert|atomic|bit|bool|break|byte|chan|do|d_step|else|enabled|empty|fi|for|full|goto|hidden|if|in|init|inline|int|len|local|ltl|mtype|nempty|never|nfull|notrace|np_|od|of|pc_value|pid|printf|priority|proctype|provided|return|run|select|short|show|skip|timeout|trace|true|false|typedef|unless|unsigned|xr|xs|eval)$/,
  csp: /^(Skip|Stop|assert|atomic|call|case|channel|default|define|deadlockfree|deterministic|divergencefree|else|enum|false|hvar|if|ifa|ifb|import|interrupt|nonterminating|reaches|refines|true|var|while|with|alphabet|wf|sf|wl|sl)$/,
  network: /^(component|initial|marked|accepting|constraint|formula|property|fairness|justice|compassion|wf|sf|wl|sl)$/,
};
const TOKENS = /(\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*)|("(?:[^"\\\n]|\\.)*"?)|([A-Za-z_#][A-Za-z0-9_]*)|(\d+)|(\[\]|<>|->|\|\||&&|[^\sA-Za-z0-9_"])/g;

/**
 * The pieces of a text with their kinds; what has none is plain.
 * @param {string} text
 * @param {string} file
 * @returns {[string, string][]}
 */
export function pieces(text, file) {
  const words = file.endsWith(".csp") ? WORDS.csp : file.endsWith(".net") ? WORDS.network : WORDS.promela;
  /** @type {[string, string][]} */
  const out = [];
  let end = 0;
  for (const found of text.matchAll(TOKENS)) {
    if (found.index > end) {
      out.push([text.slice(end, found.index), ""]);
    }
    const [token, comment, string, word, number] = found;
    const kind = comment !== undefined ? "comment" : string !== undefined ? "string" : number !== undefined ? "number"
      : word !== undefined ? (words.test(word) || word.startsWith("#") ? "word" : "") : "";
    out.push([token, kind]);
    end = found.index + token.length;
  }
  out.push([text.slice(end), ""]);
  return out;
}
