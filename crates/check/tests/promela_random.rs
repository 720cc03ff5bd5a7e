//! Random Promela programs against SPIN: the same number of states, the same errors, the same
//! verdicts on formulas and progress, without fairness and with SPIN's weak fairness.
//!
//! Without `spin` or a C compiler this says so and passes. `FAIRLY_PROMELA_CASES` says how many
//! programs, `FAIRLY_SEED` the seed of the first. A program on which the two differ is made smaller
//! while they do, and printed; `FAIRLY_PROMELA_VERBOSE` prints those that could not be compared.
//! Differences that are known are in `docs/spin-differences.md`; the programs avoid them.

#[path = "promela_random/asking.rs"]
mod asking;
#[path = "promela_random/generate.rs"]
mod generate;
#[path = "promela_random/program.rs"]
mod program;

use std::collections::BTreeMap;

use asking::{Spin, fairly, stops};
use program::{Form, Program, shrink};

/// What came of a program.
enum Compared {
    Same,
    /// One of the two did not answer, and why.
    Left(String),
    /// The first question to which the answers differ.
    Different(String, String),
}

fn compare(spin: &Spin, program: &Program) -> Compared {
    let here = match fairly(program) {
        Err(why) if why == "many states" => return Compared::Left(why),
        here => here,
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
                    // With fairness SPIN misses cycles where a run can also stop.
                    let fair = ours.0.ends_with("fair");
                    if fair && ours.1 == Some(1) && its.1 == Some(0) && stops(program) {
                        return Compared::Left("spin -f: a run can stop".to_owned());
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

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().map_or(usual, |text| text.parse().expect("a number"))
}

#[test]
fn random_programs_are_as_spin_says() {
    let Some(spin) = Spin::find() else {
        println!("skipped: spin and a C compiler are needed");
        return;
    };
    let first = number("FAIRLY_SEED", 0);
    let cases = number("FAIRLY_PROMELA_CASES", 40);
    let mut left: BTreeMap<String, u64> = BTreeMap::new();
    let (mut same, mut different) = (0, Vec::new());
    for seed in first..first + cases {
        let program = generate::program(seed);
        let kind = match compare(&spin, &program) {
            Compared::Same => {
                same += 1;
                continue;
            }
            Compared::Left(why) => {
                if std::env::var_os("FAIRLY_PROMELA_VERBOSE").is_some() {
                    println!("left: seed {seed}: {why}\n{}", program.text(Form::Formulas));
                }
                let why = why.replace(|c: char| c.is_ascii_digit(), "");
                *left.entry(why.chars().take(60).collect()).or_default() += 1;
                continue;
            }
            Compared::Different(kind, told) => {
                println!("DIFFERENT: seed {seed}: {told}");
                kind
            }
        };
        let small = shrink(
            program,
            |program| matches!(compare(&spin, program), Compared::Different(now, _) if now == kind),
        );
        if let Compared::Different(_, told) = compare(&spin, &small) {
            println!("// seed {seed}: {told}\n{}", small.text(Form::Safety));
            if !small.formulas.is_empty() {
                println!("// formulas: {:?}", small.formulas);
            }
        }
        different.push(seed);
    }
    println!("{same} the same, {} different, left out: {left:?}", different.len());
    assert!(same * 2 > cases || cases < 10, "most programs should be compared");
    assert!(different.is_empty(), "seeds {different:?}");
}
