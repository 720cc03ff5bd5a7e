//! Knowledge of a space that is explored.

use fairly_explore::Explored;
use fairly_model::{ModelSpace, text};
use fairly_system::TransitionSystem;

/// Nothing was met, so nothing is known: once this counted as a space without errors, and what held in it was
/// believed.
#[test]
fn a_space_is_without_errors_once_all_of_it_has_been_met() {
    let model = text::parse(
        "model atomicity priority, exit any
        event e0 idle : idle
        event e1 tick : visible
        variable g0 x : wrap 0..1 = 1
        template t0 Clock parameters 0 {
          location q0 on { -> q0 on e1 do { g0 := g0 + 1 } as tick }
        }
        slot p0 Clock : t0 start t0()",
    )
    .expect("a model");
    let mut system = Explored::new(ModelSpace::new(model, None));
    assert!(!system.is_known_to_be_faultless(), "before it is begun");
    let first = system.initial()[0];
    assert!(!system.is_known_to_be_faultless(), "a state was met, its steps were not");
    let mut steps = Vec::new();
    system.enabled(first, &mut steps);
    let other = steps[0].target;
    assert!(!system.is_known_to_be_faultless(), "another state was met");
    system.enabled(other, &mut steps);
    assert!(system.is_known_to_be_faultless());
}
