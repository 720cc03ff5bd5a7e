//! Fairly beside other model checkers on the same systems, as commands on the same machine.
//!
//! The systems are in `bench/peers`, in the language of each tool. Every tool that is installed is run on each of them
//! under each notion of fairness that it can express; the verdicts are compared with what is known of the system, and
//! time and memory are those of the whole command, as a person has them. A tool that is not there is a line that says
//! so. Nothing is compared that was not run.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Seconds for a command.
const LIMIT: u32 = 30;

/// A system of which the answers are known.
struct System {
    /// Its file in `bench/peers`, without the ending.
    name: &'static str,
    /// What it is called in a table.
    title: &'static str,
    /// Whether its promise holds under weak fairness of processes; it does under strong fairness.
    holds_weakly: bool,
    /// How many processes.
    sizes: &'static [usize],
    /// The first of them, for a quick run.
    quick: &'static [usize],
}

static SYSTEMS: [System; 3] = [
    System {
        name: "peterson",
        title: "Peterson's lock",
        holds_weakly: true,
        sizes: &[3, 4, 5],
        quick: &[3],
    },
    System {
        name: "semaphore",
        title: "a semaphore",
        holds_weakly: false,
        sizes: &[4, 8, 12, 16],
        quick: &[4],
    },
    System {
        name: "philosophers",
        title: "dining philosophers",
        holds_weakly: false,
        sizes: &[4, 6, 8],
        quick: &[4],
    },
];

/// An assumption about the processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fairness {
    None,
    Weak,
    Strong,
}

impl Fairness {
    const ALL: [Fairness; 3] = [Fairness::None, Fairness::Weak, Fairness::Strong];

    fn name(self) -> &'static str {
        match self {
            Fairness::None => "none",
            Fairness::Weak => "weak",
            Fairness::Strong => "strong",
        }
    }
}

/// What a tool says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Holds,
    Violated,
    /// It ran out of time, memory or room.
    Unknown,
}

/// A run of a tool.
struct Run {
    said: Said,
    seconds: f64,
    mebibytes: f64,
    /// States as the tool counts them, where it prints how many.
    states: Option<usize>,
}

/// A tool.
struct Peer {
    name: &'static str,
    /// The version, if it is installed.
    found: fn() -> Option<String>,
    /// Notions of fairness of processes that it takes without a formula for them.
    takes: &'static [Fairness],
    /// Notions that it has beyond that, and what it lacks.
    remark: &'static str,
    /// The shell's command for a system in the folder, as `model.pml` and `NAME.tla`.
    command: fn(name: &str, fairness: Fairness, processes: usize) -> String,
    /// What its exit code and output mean.
    judge: fn(code: Option<i32>, output: &str) -> Said,
}

static PEERS: [Peer; 5] = [
    Peer {
        name: "Fairly",
        found: || version(&fairly(), &["--version"]),
        takes: &[Fairness::None, Fairness::Weak, Fairness::Strong],
        remark: "processes, events, actions and branches; live, justice, compassion, strong global, inherent; the \
                 least fairness; certificates",
        command: |_, fairness, _| {
            format!(
                "{} check -v --workers 1 --fairness {} -p served model.pml",
                fairly(),
                fairness.name()
            )
        },
        judge: |code, _| match code {
            Some(0) => Said::Holds,
            Some(1) => Said::Violated,
            _ => Said::Unknown,
        },
    },
    Peer {
        name: "SPIN",
        found: || version("spin", &["-V"]).filter(|_| version("gcc", &["--version"]).is_some()),
        takes: &[Fairness::None, Fairness::Weak],
        remark: "weak fairness of processes; strong fairness only as a formula, which grows exponentially",
        command: |_, fairness, processes| {
            let fair = if fairness == Fairness::Weak { " -f" } else { "" };
            let flags = match fairness {
                Fairness::Weak => format!("-DNFAIR={}", processes / 4 + 2),
                _ => "-DNOFAIR".to_owned(),
            };
            // The stack is allocated whole: as deep as a path of these systems gets, and no deeper.
            let depth = if processes < 4 { 100_000 } else { 1_000_000 };
            format!(
                "spin -a model.pml && gcc -O3 {flags} -o pan pan.c 2>/dev/null && ./pan -m{depth} -a{fair}"
            )
        },
        judge: |code, output| match code {
            Some(0) if output.contains("too small") || output.contains("out of memory") => {
                Said::Unknown
            }
            Some(0) if output.contains("errors: 0") => Said::Holds,
            Some(0) if output.contains("errors: 1") => Said::Violated,
            _ => Said::Unknown,
        },
    },
    Peer {
        name: "TLC",
        found: || {
            let jar = std::env::var("TLA2TOOLS").ok()?;
            version("java", &["-version"]).filter(|_| Path::new(&jar).is_file())
        },
        takes: &[Fairness::Weak, Fairness::Strong],
        remark: "weak and strong fairness of actions, written in the specification",
        command: |name, _, _| {
            format!(
                "java -cp \"$TLA2TOOLS\" tlc2.TLC -workers 1 -deadlock -config {name}.cfg {name}.tla"
            )
        },
        judge: judge_tla,
    },
    Peer {
        name: "tla-checker",
        found: || version("tla", &["--version"]),
        takes: &[Fairness::Weak, Fairness::Strong],
        remark: "weak and strong fairness of actions, written in the specification",
        command: |name, _, _| {
            format!(
                "tla --check-liveness --allow-deadlock --max-states 100000000 --max-depth 10000000 \
                 --config {name}.cfg {name}.tla"
            )
        },
        judge: judge_tla,
    },
    Peer {
        name: "NuSMV",
        found: || version("NuSMV", &["-h"]),
        takes: &[Fairness::None, Fairness::Weak, Fairness::Strong],
        remark: "justice and compassion, conditions on states; decision diagrams",
        command: |_, _, _| "NuSMV -dynamic model.smv".to_owned(),
        judge: |_, output| match output {
            _ if output.contains("is false") => Said::Violated,
            _ if output.contains("is true") => Said::Holds,
            _ => Said::Unknown,
        },
    },
];

/// Tools that are looked at elsewhere, or that could not be had.
const OTHERS: &str = "\
- **stateright** is a library, and has no notion of fairness: its `eventually` is not asked on cycles, so that it would say \
*holds* where a run goes round for ever. What both can ask, states that are reached, is compared in `bench/record/rust.md`: it \
keeps hashes of states where Fairly keeps states, which costs Fairly memory and a part of the time.
- **Spot** decides emptiness of automata and translates formulas; `bench/record/ltl.md` has its sizes on the same formulas. \
**LTSmin** and **mCRL2** are neither in Debian nor on the registries of Python or Rust, and were not run.
";

fn judge_tla(code: Option<i32>, output: &str) -> Said {
    match code {
        _ if output.to_lowercase().contains("violated") => Said::Violated,
        Some(0) => Said::Holds,
        _ => Said::Unknown,
    }
}

/// The command `fairly`: `FAIRLY` names it, or it stands beside this program.
fn fairly() -> String {
    let beside = std::env::current_exe()
        .ok()
        .and_then(|path| Some(path.parent()?.join("fairly").to_string_lossy().into_owned()));
    std::env::var("FAIRLY").ok().or(beside).unwrap_or_else(|| "fairly".to_owned())
}

/// The first line with a number that a command prints about itself.
fn version(command: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(command).args(arguments).output().ok()?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().find(|line| line.contains(|char: char| char.is_ascii_digit()))?;
    Some(line.trim().to_owned())
}

/// The models.
fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers")
}

/// Writes a system for some processes into a folder, in both languages.
fn write(
    folder: &Path,
    system: &System,
    fairness: Fairness,
    processes: usize,
) -> std::io::Result<()> {
    let below: Vec<String> =
        (1..processes).map(|other| format!("level[(_pid + {other}) % {processes}] < l")).collect();
    let filled = |text: &str| {
        text.replace("@N@", &processes.to_string())
            .replace("@BELOW@", &format!("({})", below.join(" && ")))
            .replace("@FAIR@", if fairness == Fairness::Strong { "SF" } else { "WF" })
    };
    let name = system.name;
    let read = |ending: &str| std::fs::read_to_string(models().join(format!("{name}.{ending}")));
    std::fs::write(folder.join("model.pml"), filled(&read("pml")?))?;
    std::fs::write(folder.join(format!("{name}.tla")), filled(&read("tla")?))?;
    let smv = crate::smv::module(name, processes, fairness.name()).unwrap_or_default();
    std::fs::write(folder.join("model.smv"), smv)?;
    std::fs::write(folder.join(format!("{name}.cfg")), "SPECIFICATION Spec\nPROPERTY Served\n")
}

/// The number of states in the output of a tool: SPIN's, TLC's, and Fairly's nodes of the product.
fn counted(output: &str) -> Option<usize> {
    let before = |what: &str| {
        let at = output.find(what)?;
        let word = output[..at].split_whitespace().next_back()?;
        let number: f64 = word.replace(',', "").parse().ok()?;
        Some(number as usize)
    };
    let after = |what: &str| {
        let rest = &output[output.find(what)? + what.len()..];
        let digits: String = rest
            .chars()
            .take_while(|it| it.is_ascii_digit() || it.is_whitespace() || *it == '\u{202f}')
            .filter(char::is_ascii_digit)
            .collect();
        digits.parse().ok()
    };
    before(" states, stored")
        .or_else(|| before(" distinct states found"))
        .or_else(|| after("(product "))
}

/// Runs a command of the shell, with the limit on time; its memory is the peak of any of its processes.
fn run(folder: &Path, command: &str, judge: fn(Option<i32>, &str) -> Said) -> Run {
    let begin = Instant::now();
    let output = Command::new("/usr/bin/time")
        .args(["-f", "PEAK %M", "timeout", &LIMIT.to_string(), "bash", "-c", command])
        .current_dir(folder)
        .output();
    let seconds = begin.elapsed().as_secs_f64();
    let Ok(output) = output else {
        return Run { said: Said::Unknown, seconds, mebibytes: 0.0, states: None };
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    let peak = errors.lines().rev().find_map(|line| line.strip_prefix("PEAK "));
    let kibibytes: f64 = peak.and_then(|peak| peak.trim().parse().ok()).unwrap_or(0.0);
    let text = String::from_utf8_lossy(&output.stdout);
    let said = judge(output.status.code(), &text);
    Run { said, seconds, mebibytes: kibibytes / 1024.0, states: counted(&text) }
}

/// A row of the table.
struct Row {
    system: &'static System,
    processes: usize,
    fairness: Fairness,
    right: Said,
    /// By tool that runs: nothing if it does not take this fairness, or was given up on fewer processes.
    runs: Vec<Option<Run>>,
}

impl Row {
    fn title(&self) -> String {
        format!("{}, {} processes, {}", self.system.title, self.processes, self.fairness.name())
    }
}

/// The page, and whether a verdict of Fairly was wrong.
pub fn report(is_quick: bool) -> (String, bool) {
    let folder = std::env::temp_dir().join(format!("fairly-peers-{}", std::process::id()));
    let installed: Vec<(&'static Peer, Option<String>)> =
        PEERS.iter().map(|peer| (peer, (peer.found)())).collect();
    let running: Vec<&'static Peer> =
        installed.iter().filter(|(_, version)| version.is_some()).map(|(peer, _)| *peer).collect();
    let mut rows = Vec::new();
    for system in &SYSTEMS {
        for fairness in Fairness::ALL {
            let mut given_up = vec![false; running.len()];
            for &processes in if is_quick { system.quick } else { system.sizes } {
                let right = match fairness {
                    Fairness::None => Said::Violated,
                    Fairness::Weak if !system.holds_weakly => Said::Violated,
                    _ => Said::Holds,
                };
                let mut runs = Vec::new();
                for (peer, given_up) in running.iter().zip(&mut given_up) {
                    if *given_up || !peer.takes.contains(&fairness) {
                        runs.push(None);
                        continue;
                    }
                    let written = std::fs::create_dir_all(&folder)
                        .and_then(|()| write(&folder, system, fairness, processes));
                    let done = written.ok().map(|()| {
                        let command = (peer.command)(system.name, fairness, processes);
                        run(&folder, &command, peer.judge)
                    });
                    let _ = std::fs::remove_dir_all(&folder);
                    *given_up = done.as_ref().is_none_or(|run| run.said == Said::Unknown);
                    runs.push(done);
                }
                rows.push(Row { system, processes, fairness, right, runs });
            }
        }
    }
    let is_wrong = rows.iter().any(|row| {
        row.runs.first().is_some_and(|run| run.as_ref().is_some_and(|run| run.said != row.right))
    });
    (page(&installed, &running, &rows), is_wrong)
}

/// Everything that was found, in Markdown.
fn page(installed: &[(&Peer, Option<String>)], running: &[&Peer], rows: &[Row]) -> String {
    let mut text = String::from(
        "# How Fairly compares\n\n    cargo run --release -p fairly-bench -- peers --record\n\n\
         Three systems, written for each tool so that all see the same steps (`bench/peers`), under every fairness of processes that a \
         tool takes. All tools ran one after the\nother on one machine that others use too, with one thread where that can be chosen. Time and \
         memory are those of the whole command, as a person has them: for SPIN with\ngenerating and compiling the verifier, for TLC with the \
         start of Java.\n\n| tool | here | fairness that it takes |\n|---|---|---|\n",
    );
    for (peer, version) in installed {
        let here = version.as_deref().unwrap_or("not installed, not run");
        let _ = writeln!(text, "| {} | {here} | {} |", peer.name, peer.remark);
    }
    let _ = write!(
        text,
        "\n## Verdicts, time and memory\n\nEvery verdict is compared with what is known of the system; one that is wrong says so. A tool that gives no answer \
         within {LIMIT} s is not asked about more processes (–).\n\n| system | processes | fairness | right |"
    );
    for peer in running {
        let _ = write!(text, " {} |", peer.name);
    }
    text.push_str("\n|---|---:|---|---|");
    text.push_str(&"---|".repeat(running.len()));
    text.push('\n');
    for row in rows {
        let _ = write!(
            text,
            "| {} | {} | {} | {} |",
            row.system.title,
            row.processes,
            row.fairness.name(),
            word(row.right)
        );
        for run in &row.runs {
            let cell = run.as_ref().map_or("–".to_owned(), |run| shown(run, row.right));
            let _ = write!(text, " {cell} |");
        }
        text.push('\n');
    }
    ratios(&mut text, running, rows);
    text.push_str("\n## Others\n\n");
    text.push_str(OTHERS);
    text
}

/// How many times as long the others took, and where they took less.
fn ratios(text: &mut String, running: &[&Peer], rows: &[Row]) {
    let Some(("Fairly", others)) = running.split_first().map(|(first, rest)| (first.name, rest))
    else {
        return;
    };
    text.push_str(
        "\n## Ratios\n\nTime and memory of the others divided by Fairly's, as geometric means over the rows that both answered, and \
         states a second as each tool counts its states, on the longest\nof these rows.\n\n\
         | tool | rows | time ÷ Fairly's | memory ÷ Fairly's | longest row | states a second | Fairly's |\n\
         |---|---:|---:|---:|---|---:|---:|\n",
    );
    let mut better = Vec::new();
    for (at, peer) in (1..).zip(others) {
        let both = rows.iter().filter_map(|row| {
            let ours = row.runs[0].as_ref().filter(|run| run.said == row.right)?;
            let theirs = row.runs[at].as_ref().filter(|run| run.said == row.right)?;
            Some((row, ours, theirs))
        });
        let both: Vec<(&Row, &Run, &Run)> = both.collect();
        let mean = |of: &dyn Fn(&Run) -> f64| {
            let sum: f64 =
                both.iter().map(|(_, ours, theirs)| (of(theirs) / of(ours).max(1e-3)).ln()).sum();
            format!("{:.1}", (sum / both.len().max(1) as f64).exp())
        };
        let speed = |run: &Run| match run.states {
            Some(states) => format!("{:.0}", states as f64 / run.seconds.max(1e-3)),
            None => "–".to_owned(),
        };
        let longest = both.iter().max_by(|one, other| one.2.seconds.total_cmp(&other.2.seconds));
        let cells = match longest {
            Some((row, ours, theirs)) => {
                format!("{} | {} | {}", row.title(), speed(theirs), speed(ours))
            }
            None => "– | – | –".to_owned(),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {cells} |",
            peer.name,
            both.len(),
            mean(&|run| run.seconds),
            mean(&|run| run.mebibytes),
        );
        for (row, ours, theirs) in &both {
            if theirs.seconds < ours.seconds {
                better.push(format!(
                    "- {} on {}: {:.2} s, {:.0} MiB; Fairly {:.2} s, {:.0} MiB.",
                    peer.name,
                    row.title(),
                    theirs.seconds,
                    theirs.mebibytes,
                    ours.seconds,
                    ours.mebibytes
                ));
            }
        }
        for row in rows {
            let answered =
                |at: usize| row.runs[at].as_ref().is_some_and(|run| run.said == row.right);
            if !answered(0) && answered(at) {
                better.push(format!(
                    "- {} answers {}, and Fairly does not in time.",
                    peer.name,
                    row.title()
                ));
            }
        }
    }
    text.push_str(
        "\n## Where others win\n\nRows of this run on which another tool was faster.\n\n",
    );
    if better.is_empty() {
        text.push_str("None on these rows.\n");
    }
    better.iter().for_each(|line| {
        text.push_str(line);
        text.push('\n');
    });
}

/// Writes the record, `bench/record/peers.md`, and the page of the book.
///
/// # Errors
/// When that fails.
pub fn record(page: &str) -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    std::fs::write(root.join("bench/record/peers.md"), page)?;
    std::fs::write(root.join("docs/book/compared.md"), page)
}

fn word(said: Said) -> &'static str {
    match said {
        Said::Holds => "holds",
        Said::Violated => "violated",
        Said::Unknown => "no answer",
    }
}

fn shown(run: &Run, right: Said) -> String {
    let verdict = match run.said {
        Said::Unknown => "no answer, ".to_owned(),
        said if said != right => format!("**wrong: {}**, ", word(said)),
        _ => String::new(),
    };
    format!("{verdict}{:.2} s, {:.0} MiB", run.seconds, run.mebibytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The models are read by Fairly's own front end, with the answers that the table takes for right.
    #[test]
    fn nothing_is_left_to_fill_in() {
        let folder = std::env::temp_dir().join(format!("fairly-peers-test-{}", std::process::id()));
        for system in &SYSTEMS {
            for fairness in Fairness::ALL {
                std::fs::create_dir_all(&folder).expect("a folder");
                write(&folder, system, fairness, 3).expect("the models are there");
                for file in std::fs::read_dir(&folder).expect("a folder") {
                    let text = std::fs::read_to_string(file.expect("a file").path()).expect("text");
                    assert!(
                        !text.contains("@N@")
                            && !text.contains("@FAIR@")
                            && !text.contains("@BELOW@")
                    );
                }
                std::fs::remove_dir_all(&folder).expect("it is ours");
            }
        }
    }

    #[test]
    fn a_wrong_answer_stands_out() {
        let run = Run { said: Said::Holds, seconds: 1.0, mebibytes: 2.0, states: None };
        assert!(shown(&run, Said::Violated).contains("**wrong: holds**"));
        assert!(!shown(&run, Said::Holds).contains("wrong"));
        assert_eq!(counted("  1.5e+06 states, stored"), Some(1_500_000));
        assert_eq!(
            counted("served\n 12 states · 20 transitions (product 1\u{202f}234 · 2)"),
            Some(1_234)
        );
        assert_eq!(counted("85 states generated, 42 distinct states found, 0 left"), Some(42));
        assert_eq!(judge_tla(Some(13), "Temporal properties were violated."), Said::Violated);
        assert_eq!(judge_tla(Some(0), "No error has been found."), Said::Holds);
        assert_eq!(judge_tla(Some(1), "Parse error"), Said::Unknown);
    }
}
