//! Two semantics, one file: every example and every corpus case has the same states, steps, faults and
//! propositions by native code and by the interpreter.

use std::fs;
use std::path::Path;

use fairly_check::Execution;

use crate::common::files::files;
use crate::common::languages::{CspFile, PromelaFile};
use fairly_modelkit::native as compare;

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
        tally.add(&path, compare::compare_up_to(&file.model(), STATES));
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
            let model = file.interpreter(system).model().clone();
            // A model that is unfolded on the way is not compiled.
            if model.templates.iter().flat_map(|it| &it.locations).all(|it| it.edges.is_some()) {
                tally.add(&path, compare::compare_up_to(&model, STATES));
            }
        }
    }
    println!("{} of {} states by native code", tally.made, tally.looked);
    assert!(tally.made * 3 > tally.looked, "{} of {}", tally.made, tally.looked);
}

/// The bits of the parameters of all processes but the first, by slot, in a model of the corpus.
fn bits_of_parameters(name: &str) -> Vec<Vec<u32>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/promela").join(name);
    let text = fs::read_to_string(path).expect("text");
    let mut file = PromelaFile::parse(&text, &[]).expect("a model");
    let model = file.model();
    let layout = file.interpreter().space().layout();
    let slot = |slot: &fairly_model::SlotLayout| -> Vec<u32> {
        let of = &slot.variants[0];
        let parameters = model.template(of.template).parameters as usize;
        of.locals[..parameters].iter().map(|strip| strip.width).collect()
    };
    layout.slots[1..].iter().map(slot).collect()
}

/// Processes that one place starts one after the other have their slots, so what they are given and
/// never change takes no bits; otherwise it does.
#[test]
fn parameters_that_are_known_take_no_bits() {
    let known = bits_of_parameters("started_in_order.pml");
    assert!(known.iter().all(|bits| bits[0] == 0), "{known:?}");
    // The second one is counted down.
    assert!(known[..2].iter().all(|bits| bits[1] > 0), "{known:?}");
    let later = bits_of_parameters("started_one_after_the_other.pml");
    assert!(later.iter().all(|bits| bits[0] > 0), "{later:?}");
    let mixed = bits_of_parameters("started_with_numbers.pml");
    assert!(mixed.iter().all(|bits| bits.iter().all(|&width| width > 0)), "{mixed:?}");
}

/// The first state that code is asked about has more steps than it had room for.
#[test]
fn a_state_with_many_steps() {
    let options: String = (0..40).map(|value| format!(":: x = {value} ")).collect();
    let text = format!("byte x; active proctype P() {{ if {options} fi; x = 0 }}");
    let file = PromelaFile::parse(&text, &[]).expect("a model");
    let (looked, made) = compare::compare_up_to(&file.model(), STATES).expect("no difference");
    // Where it begins, 40 times in the middle, at the end, and gone.
    assert_eq!((looked, made), (43, 43));
}
