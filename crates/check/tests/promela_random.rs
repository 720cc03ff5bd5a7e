//! Random Promela programs against SPIN: the same number of states, the same errors, the same
//! verdicts on formulas, never claims, accept labels and progress, without fairness and with SPIN's
//! weak fairness. `executions.rs` compares native code with the interpreter on such programs.
//!
//! Without `spin` or a C compiler this says so and passes. `FAIRLY_PROMELA_CASES` says how many
//! programs, `FAIRLY_SEED` the seed of the first, `FAIRLY_PROMELA_THREADS` how many are compared at a
//! time. A program on which the two differ is made smaller
//! while they do, and printed; `FAIRLY_PROMELA_VERBOSE` prints those that could not be compared.
//! Differences that are known are in `docs/spin-differences.md`; the programs avoid them.

mod asking;
pub(crate) mod generate;
pub(crate) mod program;
mod spin;

use std::collections::BTreeMap;
use std::panic::catch_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use asking::{Answer, fairly, stops};
use program::{Form, Program, shrink};
use spin::Spin;

/// Outcome of one program.
enum Compared {
    Same,
    /// One of the two did not answer, and why.
    Left(String),
    /// The first question to which the answers differ.
    Different(String, String),
}

fn compare(spin: &Spin, program: &Program) -> Compared {
    let here = match catch_unwind(|| fairly(program)) {
        Err(_) => return Compared::Different("panic".to_owned(), "fairly panics".to_owned()),
        Ok(Err(why)) if why == "many states" => return Compared::Left(why),
        Ok(here) => here,
    };
    let there = match spin.ask(program) {
        Ok(there) => there,
        Err(why) => return Compared::Left(why),
    };
    match here {
        Err(why) if why.starts_with("fault") || why.starts_with("unknown") => Compared::Left(why),
        Err(why) => {
            let kind = why.split(':').next().unwrap_or_default().to_owned();
            Compared::Different(kind, why)
        }
        Ok(here) => {
            for (ours, its) in here.iter().zip(&there) {
                let known = ours.1.is_some() && its.1.is_some();
                if ours.0 != its.0 || (known && ours.1 != its.1) {
                    if let Some(why) = known_to_differ(spin, program, ours, its) {
                        return Compared::Left(why.to_owned());
                    }
                    let told = format!("fairly {ours:?}, spin {its:?}");
                    // A formula may be left out, and the others be renumbered.
                    let kind = ours.0.replace(|c: char| c.is_ascii_digit(), "");
                    return Compared::Different(kind, told);
                }
            }
            if here.len() != there.len() {
                return Compared::Different("questions".to_owned(), format!("{here:?} {there:?}"));
            }
            Compared::Same
        }
    }
}

/// Which known difference this is, if it is one.
fn known_to_differ(
    spin: &Spin,
    program: &Program,
    ours: &Answer,
    its: &Answer,
) -> Option<&'static str> {
    let fair = ours.0.ends_with("fair");
    match (ours.1, its.1) {
        // With fairness SPIN misses cycles where a run can also stop.
        (Some(1), Some(0)) if fair && stops(program) => Some("spin -f: a run can stop"),
        // With fairness SPIN does not ask whether a receiver can meet its sender.
        (Some(0), Some(1)) if fair && program.has_rendezvous() => Some("spin -f: a rendezvous"),
        // SPIN may find a cycle that is none where a run stops, in some order only.
        (Some(0), Some(1)) if spin.in_other_order(program, &ours.0) == Some(0) => {
            Some("spin: another answer in another order")
        }
        _ => None,
    }
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().map_or(usual, |text| text.parse().expect("a number"))
}

/// Counts over all programs.
#[derive(Default)]
struct Tally {
    same: u64,
    /// Why programs were left out, and how many.
    left: BTreeMap<String, u64>,
    /// The seeds of those that differ.
    different: Vec<u64>,
}

/// Compares one program, and prints what is to be said of it.
fn compare_seed(spin: &Spin, seed: u64, tally: &Mutex<Tally>) {
    let program = generate::program(seed);
    let compared = compare(spin, &program);
    let mut tally = tally.lock().expect("no other thread has failed");
    let kind = match compared {
        Compared::Same => {
            tally.same += 1;
            return;
        }
        Compared::Left(why) => {
            if std::env::var_os("FAIRLY_PROMELA_VERBOSE").is_some() {
                println!("left: seed {seed}: {why}\n{}", program.text(Form::Formulas));
            }
            let why = why.replace(|c: char| c.is_ascii_digit(), "");
            *tally.left.entry(why.chars().take(60).collect()).or_default() += 1;
            return;
        }
        Compared::Different(kind, told) => {
            println!("DIFFERENT: seed {seed}: {told}");
            tally.different.push(seed);
            kind
        }
    };
    drop(tally);
    let same_kind = |program: &Program| matches!(compare(spin, program), Compared::Different(now, _) if now == kind);
    let small = shrink(program, same_kind);
    if let Compared::Different(_, told) = compare(spin, &small) {
        let form = if small.never.is_empty() { Form::Safety } else { Form::Never };
        let formulas: Vec<String> = small.formulas.iter().map(program::Promise::text).collect();
        println!("// seed {seed}: {told}\n{}// formulas: {formulas:?}", small.text(form));
    }
}

#[test]
fn random_programs_are_as_spin_says() {
    let Some(spin) = Spin::find() else {
        println!("skipped: spin and a C compiler are needed");
        return;
    };
    let first = number("FAIRLY_SEED", 0);
    let cases = number("FAIRLY_PROMELA_CASES", if spin.is_fast() { 200 } else { 40 });
    let threads = number("FAIRLY_PROMELA_THREADS", 2) as usize;
    let (next, tally) = (AtomicU64::new(first), Mutex::new(Tally::default()));
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (spin, next, tally) = (spin.beside(thread), &next, &tally);
            scope.spawn(move || {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + cases {
                        break;
                    }
                    compare_seed(&spin, seed, tally);
                }
            });
        }
    });
    let Tally { same, left, different } = tally.into_inner().expect("no thread has failed");
    println!("{same} the same, {} different, left out: {left:?}", different.len());
    assert!(same * 2 > cases || cases < 10, "most programs should be compared");
    assert!(different.is_empty(), "seeds {different:?}");
}
