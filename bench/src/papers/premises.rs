//! 004: fairness as premises of a formula, with SPIN on the same formulas in the same run.

use std::fmt::Write;
use std::time::Duration;

use fairly_logic::Formulas;
use fairly_translate::translate_lifted;

use crate::clock::timed;
use crate::spin;
use crate::units::{duration, grouped};

/// What the paper says of a number of premises: seconds and states of SPIN 4.3; a dash where it gave up or has no row.
type Row = (usize, &'static str, &'static str);

/// The rows of the table in the introduction, weak and strong, and more of our own.
const PREMISES: [(&str, &[Row]); 2] = [
    (
        "weak",
        &[
            (1, "0.08", "74"),
            (2, "–", "–"),
            (3, "4.44", "1 052"),
            (4, "–", "–"),
            (5, "> 3 600", "–"),
            (10, "–", "–"),
            (20, "–", "–"),
            (50, "–", "–"),
        ],
    ),
    (
        "strong",
        &[
            (1, "0.13", "134"),
            (2, "1.58", "1 238"),
            (3, "30.04", "4 850"),
            (4, "4 689", "–"),
            (10, "–", "–"),
            (20, "–", "–"),
            (50, "–", "–"),
        ],
    ),
];

pub(super) fn table(text: &mut String, seconds: u64) {
    let _ = write!(
        text,
        "Fairness as premises of a formula, the table of the introduction: the automaton of the negation, which a check needs. Here premises are lifted out \
         of the formula and become\nmarks of the product. SPIN here is given up after {seconds} s or 4 GiB, and not asked about more premises after that.\n\n\
         | premises | n | paper, SPIN 4.3: s | states | SPIN here: time | states | Fairly: time | states | marks |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|\n"
    );
    for (kind, rows) in PREMISES {
        let mut given_up: Option<String> = None;
        for &(n, paper, states) in rows {
            let promise = formula(kind == "strong", n);
            let theirs = match &given_up {
                Some(why) => Err(why.clone()),
                None => spin::translation(&format!("!({promise})"), seconds),
            };
            let cells = match theirs {
                Ok((count, time)) => format!("{} | {}", duration(time), grouped(count)),
                Err(why) => {
                    let cell = format!("{why} | –");
                    given_up.get_or_insert(match why.as_str() {
                        "given up" => "not tried".to_owned(),
                        _ => why,
                    });
                    cell
                }
            };
            let ((count, marks), time) = ours(&promise);
            let _ = writeln!(
                text,
                "| {kind} | {n} | {paper} | {states} | {cells} | {} | {count} | {marks} |",
                duration(time)
            );
        }
    }
}

/// The promise of the table, `s` again and again, if all premises hold.
fn formula(strong: bool, n: usize) -> String {
    let premise = |at: usize| match strong {
        true => format!("([]<>p{at} -> []<>q{at})"),
        false => format!("[]<>p{at}"),
    };
    let all: Vec<String> = (0..n).map(premise).collect();
    format!("({}) -> []<>s", all.join(" && "))
}

/// States of the automaton of the negation, constraints that were lifted out of it, and the time.
fn ours(promise: &str) -> ((usize, usize), Duration) {
    timed(|| {
        let mut formulas = Formulas::new();
        let parsed = formulas.parse(&format!("!({promise})")).expect("a formula");
        let options = fairly_translate::Options::default();
        let made = translate_lifted(&mut formulas, parsed, &options).expect("it is small");
        (made.automaton.state_count(), made.constraints.len())
    })
}
