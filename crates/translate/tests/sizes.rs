//! Sizes on the formulas of the literature.

mod common;

use common::parse;
use fairly_logic::Formulas;
use fairly_testkit::formulas::SETS;
use fairly_translate::{Options, Translator, translate};

/// `cargo test -p fairly-translate --release --test sizes -- --ignored --nocapture`
#[test]
#[ignore = "prints a table"]
fn table() {
    for set in SETS {
        for (at, text) in set.formulas.iter().enumerate() {
            let mut row = format!("ROW\t{}\t{at}\t{text}", set.name);
            for name in ["fast", "gpvw"] {
                let mut formulas = Formulas::new();
                let f = parse(&mut formulas, text);
                let options = Options {
                    translator: Translator::named(name).expect("in the table"),
                    ..Options::default()
                };
                let start = std::time::Instant::now();
                match translate(&mut formulas, f, &options) {
                    Ok(automaton) => {
                        row += &format!(
                            "\t{}\t{}\t{}\t{}\t{:.2}",
                            automaton.state_count(),
                            automaton.edge_count(),
                            automaton.mark_count(),
                            u8::from(automaton.is_deterministic().expect("few letters")),
                            start.elapsed().as_secs_f64() * 1e3
                        );
                    }
                    Err(refused) => row += &format!("\t{refused}\t\t\t\t"),
                }
            }
            println!("{row}");
        }
    }
}
