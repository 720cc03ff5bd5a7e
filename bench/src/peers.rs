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
const LIMIT: u32 = 120;

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

const SYSTEMS: [System; 3] = [
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
        sizes: &[4, 8, 12],
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

const PEERS: [Peer; 4] = [
    Peer {
        name: "Fairly",
        found: || version(&fairly(), &["--version"]),
        takes: &[Fairness::None, Fairness::Weak, Fairness::Strong],
        remark: "processes, events, actions and branches; live, justice, compassion, strong global, inherent; the \
                 least fairness; certificates",
        command: |_, fairness, _| {
            format!(
                "{} check --workers 1 --fairness {} -p served model.pml",
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
];

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
    std::fs::write(folder.join(format!("{name}.cfg")), "SPECIFICATION Spec\nPROPERTY Served\n")
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
        return Run { said: Said::Unknown, seconds, mebibytes: 0.0 };
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    let peak = errors.lines().rev().find_map(|line| line.strip_prefix("PEAK "));
    let kibibytes: f64 = peak.and_then(|peak| peak.trim().parse().ok()).unwrap_or(0.0);
    let said = judge(output.status.code(), &String::from_utf8_lossy(&output.stdout));
    Run { said, seconds, mebibytes: kibibytes / 1024.0 }
}

/// The table, and whether a verdict was wrong that Fairly gave.
pub fn report(is_quick: bool) -> (String, bool) {
    let mut text = String::new();
    let mut is_wrong = false;
    let folder = std::env::temp_dir().join(format!("fairly-peers-{}", std::process::id()));
    let installed: Vec<(&Peer, Option<String>)> =
        PEERS.iter().map(|peer| (peer, (peer.found)())).collect();
    text.push_str("| tool | here | fairness that it takes |\n|---|---|---|\n");
    for (peer, version) in &installed {
        let here = version.as_deref().unwrap_or("not installed, not run");
        let _ = writeln!(text, "| {} | {here} | {} |", peer.name, peer.remark);
    }
    text.push_str("\n| system | processes | fairness | right |");
    let running: Vec<&Peer> =
        installed.iter().filter(|(_, version)| version.is_some()).map(|(peer, _)| *peer).collect();
    for peer in &running {
        let _ = write!(text, " {} |", peer.name);
    }
    text.push_str("\n|---|---|---|---|");
    text.push_str(&"---|".repeat(running.len()));
    text.push('\n');
    for system in &SYSTEMS {
        for &processes in if is_quick { system.quick } else { system.sizes } {
            for fairness in Fairness::ALL {
                let right = match fairness {
                    Fairness::None => Said::Violated,
                    Fairness::Weak if !system.holds_weakly => Said::Violated,
                    _ => Said::Holds,
                };
                let _ = write!(
                    text,
                    "| {} | {processes} | {} | {} |",
                    system.title,
                    fairness.name(),
                    word(right)
                );
                for peer in &running {
                    let cell = if !peer.takes.contains(&fairness) {
                        "–".to_owned()
                    } else if let Err(error) = std::fs::create_dir_all(&folder)
                        .and_then(|()| write(&folder, system, fairness, processes))
                    {
                        format!("not run: {error}")
                    } else {
                        let command = (peer.command)(system.name, fairness, processes);
                        let run = run(&folder, &command, peer.judge);
                        is_wrong |= peer.name == "Fairly" && run.said != right;
                        shown(&run, right)
                    };
                    let _ = write!(text, " {cell} |");
                    let _ = std::fs::remove_dir_all(&folder);
                }
                text.push('\n');
            }
        }
    }
    (text, is_wrong)
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
        let run = Run { said: Said::Holds, seconds: 1.0, mebibytes: 2.0 };
        assert!(shown(&run, Said::Violated).contains("**wrong: holds**"));
        assert!(!shown(&run, Said::Holds).contains("wrong"));
        assert_eq!(judge_tla(Some(13), "Temporal properties were violated."), Said::Violated);
        assert_eq!(judge_tla(Some(0), "No error has been found."), Said::Holds);
        assert_eq!(judge_tla(Some(1), "Parse error"), Said::Unknown);
    }
}
