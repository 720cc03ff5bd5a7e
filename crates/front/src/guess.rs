//! Guesses the language of a text, where the name of its file does not tell it or tells it wrongly.
//!
//! `.csp` is also the ending of CSPM, the language of FDR; text comes from standard input without a name; and
//! models of other tools are given to `fairly` to see what it makes of them. A guess is about the whole text
//! and never refuses a text by itself: it is asked where a text has no known ending, or could not be read.

/// Guess at the language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guess {
    /// CSP#.
    Csp,
    /// Promela.
    Promela,
    /// A network of components, as in `.net` files.
    Network,
    /// A language that cannot be read.
    Foreign(Foreign),
    /// Bytes that are no text.
    Binary,
    /// None of them.
    Unknown,
}

/// A language of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// Its name.
    pub name: &'static str,
    /// Advice for such a model.
    pub help: &'static str,
}

const CSPM: Foreign = Foreign {
    name: "CSPM, the language of FDR",
    help: "write the processes in CSP#, where definitions end with `;` and channels have a capacity",
};
const REAL_TIME: Foreign = Foreign {
    name: "a model of PAT's real-time module",
    help: "time cannot be checked; replace `Wait`, `timeout`, `within` and `deadline` by events of CSP#",
};
const PROBABILISTIC: Foreign = Foreign {
    name: "a model of PAT's probabilistic module",
    help: "probabilities cannot be checked; replace `pcase` by a choice `[]` of CSP#",
};
const TLA: Foreign = Foreign { name: "TLA+", help: "write the model in Promela or CSP#" };
const NUSMV: Foreign =
    Foreign { name: "a model of NuSMV", help: "write the model in Promela or CSP#" };
const UPPAAL: Foreign =
    Foreign { name: "a model of UPPAAL", help: "time cannot be checked; use UPPAAL itself" };
const PRISM: Foreign =
    Foreign { name: "a model of PRISM", help: "probabilities cannot be checked; use PRISM itself" };
const MCRL2: Foreign =
    Foreign { name: "mCRL2", help: "give the state space of `lps2lts` as an .aut file" };
const ALLOY: Foreign =
    Foreign { name: "a model of Alloy", help: "write the model in Promela or CSP#" };

/// The language of another tool, by the ending of a file's name.
pub fn foreign_ending(name: &str) -> Option<Foreign> {
    let ending = name.rsplit_once('.')?.1;
    Some(match ending {
        "rts" | "prts" => REAL_TIME,
        "pcsp" => PROBABILISTIC,
        "tla" => TLA,
        "cspm" | "fdr" | "fdr2" => CSPM,
        "smv" => NUSMV,
        "mcrl2" => MCRL2,
        "als" => ALLOY,
        "prism" | "pm" | "nm" => PRISM,
        "xta" | "ta" => UPPAAL,
        _ => return None,
    })
}

/// Guesses what a text is.
///
/// ```
/// use fairly_front::guess::{Guess, guess};
/// assert_eq!(guess("P = a -> P;\n#assert P deadlockfree;"), Guess::Csp);
/// assert_eq!(guess("active proctype P() { skip }"), Guess::Promela);
/// assert_eq!(guess("# Fairly\n\nA model checker.\n"), Guess::Unknown);
/// ```
pub fn guess(text: &str) -> Guess {
    let binary = |sign: char| sign.is_control() && !sign.is_whitespace() && sign != '\u{1b}';
    if text.contains('\0') || text.chars().take(4096).filter(|&sign| binary(sign)).count() > 8 {
        return Guess::Binary;
    }
    let seen = Seen::of(text);
    if let Some(foreign) = seen.foreign() {
        return Guess::Foreign(foreign);
    }
    if seen.promela > seen.csp {
        Guess::Promela
    } else if seen.csp > 0 {
        Guess::Csp
    } else if seen.network > 0 {
        Guess::Network
    } else {
        Guess::Unknown
    }
}

/// How often something was seen that is special to a language.
#[derive(Debug, Default)]
struct Seen {
    csp: usize,
    promela: usize,
    network: usize,
    cspm: usize,
    /// Definitions of processes without a semicolon.
    arrows: usize,
    real_time: usize,
    probabilistic: usize,
    tla: usize,
    nusmv: usize,
    uppaal: usize,
    prism: usize,
    mcrl2: usize,
    alloy: usize,
}

impl Seen {
    fn of(text: &str) -> Seen {
        let mut seen = Seen::default();
        let mut comment = false;
        for line in text.lines() {
            let line = uncommented(line, &mut comment);
            let line = line.trim();
            if !line.is_empty() {
                seen.line(line);
            }
        }
        seen
    }

    fn line(&mut self, line: &str) {
        let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let first = words.find(|word| !word.is_empty()).unwrap_or("");
        let has = |parts: &[&str]| parts.iter().any(|part| line.contains(part));
        let starts = |parts: &[&str]| parts.iter().any(|part| line.starts_with(part));
        let add = |count: &mut usize, found: bool| *count += usize::from(found);
        // CSP#: a process that ends with a semicolon, or directives of its own.
        add(&mut self.csp, starts(&["#assert", "#alphabet"]));
        add(&mut self.csp, has(&["->"]) && has(&["="]) && line.ends_with(';') && !has(&["::"]));
        add(&mut self.csp, starts(&["#define", "#import", "#include"]) && line.ends_with(';'));
        add(&mut self.csp, starts(&["channel "]) && line.ends_with(';'));
        // Promela.
        add(&mut self.promela, starts(&["proctype ", "active proctype ", "active [", "mtype"]));
        add(&mut self.promela, starts(&["init {", "init{", "never {", "::"]));
        add(&mut self.promela, matches!(line, "init" | "do" | "od" | "fi" | "od;" | "fi;"));
        // Networks.
        add(&mut self.network, first == "component" && line.ends_with('{'));
        // FDR.
        add(&mut self.cspm, has(&["[T=", "[F=", "[FD=", "|~|", "{|", "[|", "<->|"]));
        add(&mut self.cspm, has(&[":[deadlock", ":[divergence", ":[deterministic", ":[livelock"]));
        add(&mut self.cspm, starts(&["--", "{-", "datatype ", "nametype "]));
        add(&mut self.cspm, starts(&["channel "]) && !line.ends_with(';'));
        add(&mut self.arrows, has(&["->"]) && has(&["="]) && !line.ends_with(';'));
        // PAT's other modules.
        add(&mut self.real_time, has(&["Wait[", "timeout[", "within[", "deadline[", "waituntil["]));
        add(&mut self.real_time, has(&["interrupt["]));
        add(&mut self.probabilistic, has(&["pcase"]));
        // Other tools.
        add(&mut self.tla, line.starts_with("---") && has(&["MODULE "]));
        add(&mut self.nusmv, line == "MODULE main" || line.starts_with("MODULE main"));
        add(&mut self.uppaal, has(&["<nta>", "<!DOCTYPE nta"]));
        add(&mut self.prism, matches!(line, "dtmc" | "mdp" | "ctmc" | "pta"));
        add(&mut self.mcrl2, starts(&["act ", "sort ", "proc ", "init "]) && line.ends_with(';'));
        add(&mut self.alloy, starts(&["sig ", "abstract sig ", "pred ", "one sig "]));
    }

    fn foreign(&self) -> Option<Foreign> {
        let own = self.csp + self.promela + self.network;
        let more = |count: usize| count > 0 && count > own;
        Some(match self {
            _ if self.tla > 0 => TLA,
            _ if self.nusmv > 0 => NUSMV,
            _ if self.uppaal > 0 => UPPAAL,
            _ if self.prism > 0 => PRISM,
            _ if self.probabilistic > 0 && self.promela == 0 => PROBABILISTIC,
            _ if self.real_time > 0 && self.promela == 0 => REAL_TIME,
            _ if more(self.cspm) && self.arrows > 0 => CSPM,
            _ if self.mcrl2 > 1 && more(self.mcrl2) => MCRL2,
            _ if more(self.alloy) => ALLOY,
            _ => return None,
        })
    }
}

/// A line without comments in the style of C; `open` says whether one goes on from line to line.
fn uncommented(line: &str, open: &mut bool) -> String {
    let mut left = String::new();
    let mut rest = line;
    loop {
        if *open {
            let Some(end) = rest.find("*/") else { return left };
            *open = false;
            rest = &rest[end + 2..];
        }
        let block = rest.find("/*");
        let end = rest.find("//");
        match (block, end) {
            (Some(block), end) if end.is_none_or(|end| block < end) => {
                left.push_str(&rest[..block]);
                *open = true;
                rest = &rest[block + 2..];
            }
            (_, Some(end)) => {
                left.push_str(&rest[..end]);
                return left;
            }
            _ => {
                left.push_str(rest);
                return left;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_by_what_is_theirs() {
        let foreign = |text: &str| match guess(text) {
            Guess::Foreign(found) => found.name,
            other => panic!("{text}: {other:?}"),
        };
        let cspm = "-- a buffer\nchannel in, out : {0..1}\nB = in?x -> out!x -> B\n\
                    assert B :[deadlock free [F]]";
        assert_eq!(foreign(cspm), CSPM.name);
        assert_eq!(foreign("P = a -> Wait[3]; P;\n#assert P deadlockfree;"), REAL_TIME.name);
        assert_eq!(foreign("P = pcase {[0.5]: a -> P [0.5]: b -> P};"), PROBABILISTIC.name);
        assert_eq!(foreign("---- MODULE Clock ----\nVARIABLE hr\n===="), TLA.name);
        assert_eq!(foreign("MODULE main\nVAR x : boolean;"), NUSMV.name);
        assert_eq!(guess("component A {\n  0 -> 1: a\n}\nproperty p: G a"), Guess::Network);
        assert_eq!(guess("mtype = {a};\ninit {\n  do\n  :: skip\n  od\n}"), Guess::Promela);
        assert_eq!(guess("// CSP#\nvar x;\nP() = a{x = 1} -> P();"), Guess::Csp);
        assert_eq!(guess("/* a\n#assert */ hello\nworld"), Guess::Unknown);
        assert_eq!(guess("\u{7f}ELF\0\0"), Guess::Binary);
        assert_eq!(guess(""), Guess::Unknown);
        assert_eq!(guess(include_str!("../../../README.md")), Guess::Unknown);
    }
}
