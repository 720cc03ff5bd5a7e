//! The table of `bench/record/ltl.md`: sizes and times of the translators of LTL.
//!
//! Sizes are exact and the same on every machine; times are the best of some runs on the machine at
//! hand, and are there to show the order of magnitude. The formulas with their sources are in
//! `fairly_testkit::formulas`.

use std::fmt::Write;
use std::time::{Duration, Instant};

use fairly_logic::Formulas;
use fairly_omega::{Automaton, BudgetError};
use fairly_testkit::formulas::{FAMILIES, SETS};
use fairly_translate::{Options, TRANSLATORS, Translator, translate, translate_lifted};

/// How often a formula is translated; the fastest run counts.
const RUNS: usize = 5;

/// States that `ltl2tgba` of Spot 2.12.1 with default options needs for the sets, in their order; run on
/// the same formulas.
const SPOT_STATES: [usize; 3] = [206, 73, 34];

/// The whole record, as Markdown.
pub fn table() -> String {
    let mut out = String::new();
    sets(&mut out);
    each(&mut out);
    families(&mut out);
    out
}

/// An automaton's figures, added up over a set.
#[derive(Clone, Copy, Default)]
struct Figures {
    states: usize,
    edges: usize,
    marks: u32,
    deterministic: usize,
    time: Duration,
    refused: usize,
}

impl Figures {
    fn add(&mut self, result: &Result<Automaton, BudgetError>, time: Duration) {
        self.time += time;
        match result {
            Ok(automaton) => {
                // An automaton without states counts as one, as other tools write it.
                self.states += automaton.state_count().max(1);
                self.edges += automaton.edge_count();
                self.marks += automaton.mark_count();
                self.deterministic += usize::from(automaton.is_deterministic().unwrap_or(false));
            }
            Err(_) => self.refused += 1,
        }
    }
}

/// The automaton of a formula, and the time of the fastest run, reading the text not counted.
fn timed(
    text: &str,
    translator: &'static Translator,
) -> (Result<Automaton, BudgetError>, Duration) {
    let options = Options { translator, ..Options::default() };
    let mut best = Duration::MAX;
    let mut runs = 0;
    loop {
        let mut formulas = Formulas::new();
        let f = formulas.parse(text).expect("the formulas of the literature are well-formed");
        let start = Instant::now();
        let result = translate(&mut formulas, f, &options);
        best = best.min(start.elapsed());
        runs += 1;
        // Long runs are not measured more precisely by waiting longer.
        if runs == RUNS || best > Duration::from_millis(200) {
            return (result, best);
        }
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
}

fn sets(out: &mut String) {
    out.push_str("## Formula sets\n\n");
    out.push_str("| set | formulas | translator | states | edges | marks | deterministic | ms |\n");
    out.push_str("|---|--:|---|--:|--:|--:|--:|--:|\n");
    for (set, spot) in SETS.iter().zip(SPOT_STATES) {
        for translator in TRANSLATORS {
            let mut sum = Figures::default();
            for text in set.formulas {
                let (result, time) = timed(text, translator);
                sum.add(&result, time);
            }
            let _ = writeln!(
                out,
                "| {} | {} | `{}` | {} | {} | {} | {} | {} |",
                set.name,
                set.formulas.len(),
                translator.name,
                sum.states,
                sum.edges,
                sum.marks,
                sum.deterministic,
                milliseconds(sum.time),
            );
            if sum.refused > 0 {
                let _ = writeln!(out, "| | | | {} refused | | | | |", sum.refused);
            }
        }
        let _ = writeln!(out, "| {} | | `ltl2tgba` | {spot} | | | | |", set.name);
    }
    out.push('\n');
}

fn each(out: &mut String) {
    out.push_str("## Each formula\n\n");
    for set in SETS {
        let _ = writeln!(out, "{}: {}\n", set.name, set.source);
        out.push_str(
            "| formula | fast: states, edges, marks, ms | gpvw: states, edges, marks, ms |\n",
        );
        out.push_str("|---|--:|--:|\n");
        for text in set.formulas {
            let _ = write!(out, "| `{}` |", text.replace('|', "\\|"));
            for translator in TRANSLATORS {
                let (result, time) = timed(text, translator);
                let _ = match result {
                    Ok(automaton) => write!(
                        out,
                        " {}, {}, {}, {} |",
                        automaton.state_count(),
                        automaton.edge_count(),
                        automaton.mark_count(),
                        milliseconds(time)
                    ),
                    Err(refused) => write!(out, " {refused} |"),
                };
            }
            out.push('\n');
        }
        out.push('\n');
    }
}

/// The numbers for which families are shown.
const NUMBERS: [usize; 8] = [1, 2, 3, 4, 5, 10, 15, 20];

fn families(out: &mut String) {
    out.push_str("## Families\n\n");
    out.push_str("States and milliseconds of `fast`; a dash where it refuses.\n\n| family |");
    for n in NUMBERS {
        let _ = write!(out, " {n} |");
    }
    out.push_str("\n|---|");
    out.push_str(&"--:|".repeat(NUMBERS.len()));
    out.push('\n');
    for family in &FAMILIES {
        let _ = write!(out, "| {} |", family.name);
        for n in NUMBERS {
            let (result, time) = timed(&(family.formula)(n), &TRANSLATORS[0]);
            let _ = match result {
                Ok(automaton) => {
                    write!(out, " {} ({}) |", automaton.state_count(), milliseconds(time))
                }
                Err(_) => write!(out, " – ({}) |", milliseconds(time)),
            };
        }
        out.push('\n');
    }
    out.push_str(
        "\nThe same with the fairness premises lifted: states, constraints, milliseconds.\n\n",
    );
    out.push_str("| family |");
    for n in NUMBERS {
        let _ = write!(out, " {n} |");
    }
    out.push_str("\n|---|");
    out.push_str(&"--:|".repeat(NUMBERS.len()));
    out.push('\n');
    for family in
        FAMILIES.iter().filter(|f| ["theta", "fair-weak", "fair-strong"].contains(&f.name))
    {
        let _ = write!(out, "| {} |", family.name);
        for n in NUMBERS {
            let mut formulas = Formulas::new();
            let f = formulas.parse(&(family.formula)(n)).expect("well-formed");
            let start = Instant::now();
            let lifted = translate_lifted(&mut formulas, f, &Options::default());
            let time = milliseconds(start.elapsed());
            let _ = match lifted {
                Ok(lifted) => write!(
                    out,
                    " {}, {}, {time} |",
                    lifted.automaton.state_count(),
                    lifted.constraints.len()
                ),
                Err(refused) => write!(out, " {refused} |"),
            };
        }
        out.push('\n');
    }
}
