//! Two semantics, one file: every example and every corpus case has the same states, steps, faults and
//! propositions by native code and by the interpreter.

use std::fs;
use std::path::Path;

use fairly_check::Execution;
use fairly_check::csp::CspFile;
use fairly_check::promela::PromelaFile;

use crate::common::files::files;
use crate::compare;

/// States of a model that are looked at.
const STATES: usize = 3000;

/// How many states native code made the steps of, and how many it declined.
#[derive(Default)]
struct Tally {
    made: usize,
    looked: usize,
}

impl Tally {
    fn add(&mut self, path: &Path, result: Result<(usize, usize), String>) {
        match result {
            Ok((looked, made)) => {
                self.looked += looked;
                self.made += made;
            }
            Err(difference) => panic!("{}: {difference}", path.display()),
        }
    }
}

#[test]
fn promela() {
    let mut tally = Tally::default();
    for path in files(&["examples/promela", "corpus/promela"], "pml") {
        let text = fs::read_to_string(&path).expect("text");
        let Ok(file) = PromelaFile::parse(&text, &[]) else { continue };
        tally.add(&path, compare::compare_up_to(file.model(), STATES));
    }
    println!("{} of {} states by native code", tally.made, tally.looked);
    assert!(tally.made * 10 > tally.looked * 9, "{} of {}", tally.made, tally.looked);
}

#[test]
fn csp() {
    let mut tally = Tally::default();
    for path in files(&["examples/csp", "corpus/csp"], "csp") {
        let text = fs::read_to_string(&path).expect("text");
        let Ok(mut file) = CspFile::parse(&text) else { continue };
        file.execute(Execution::Interpreted);
        let specification = file.specification().clone();
        for assertion in &specification.assertions {
            let Ok(system) = file.system(&assertion.process) else { continue };
            let model = file.interpreter(system).interpreter().model().clone();
            // A model that is unfolded on the way is not compiled.
            if model.templates.iter().flat_map(|it| &it.locations).all(|it| it.edges.is_some()) {
                tally.add(&path, compare::compare_up_to(&model, STATES));
            }
        }
    }
    println!("{} of {} states by native code", tally.made, tally.looked);
    assert!(tally.made * 3 > tally.looked, "{} of {}", tally.made, tally.looked);
}
