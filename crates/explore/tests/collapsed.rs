//! Atomic sequences are single steps.

use std::sync::Arc;

use fairly_explore::{Collapsed, Explored};
use fairly_model::{ModelSpace, text};
use fairly_omega::StateId;
use fairly_system::{Sequences, Transition, TransitionSystem};

type System = Explored<Collapsed<Arc<ModelSpace>>>;

fn system(body: &str) -> System {
    let head = "model atomicity exclusive, exit any\nevent e0 idle : idle\n";
    let model = text::parse(&format!("{head}{body}")).expect("a model");
    Explored::new(Collapsed::new(Arc::new(ModelSpace::new(model, None))))
}

fn steps(system: &mut System, state: StateId) -> Vec<Transition> {
    let mut out = Vec::new();
    system.enabled(state, &mut out);
    out
}

const TWO: &str = "
    event e1 a : visible
    event e2 b : visible
    event e3 other : visible
    variable g0 x : 0..3 = 0
    template t0 P parameters 0 {
      location q0 s { -> q1 hold on e1 do { g0 := 1 } as a }
      location q1 t { -> q2 on e2 do { g0 := 2 } as b -> q2 on e2 do { g0 := 3 } as c }
      location q2 u { }
    }
    template t1 Q parameters 0 {
      location q0 s { -> q1 on e3 as other }
      location q1 t { }
    }
    slot p0 P : t0 start t0()
    slot p1 Q : t1 start t1()
    proposition between : g0 == 1
";

#[test]
fn nobody_sees_the_states_in_between() {
    let mut system = system(TWO);
    let between = system.atom("between").expect("declared");
    let start = system.initial()[0];
    let first = steps(&mut system, start);
    // Both ways through the sequence, and the other process.
    assert_eq!(first.len(), 3);
    assert!(first.iter().all(|step| !system.holds(step.target, between)));
    let action = system.action(first[0].action).clone();
    assert_eq!(system.signature().event_name(action.event), "a");
    let names: Vec<&str> =
        action.moves.iter().map(|id| system.signature().moves[id.index()].name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(action.participants.len(), 1);
    // Asking again gives the same.
    assert_eq!(steps(&mut system, start), first);
    // The space inside stops in between.
    let mut inner = Explored::new(Arc::clone(system.space().inner()));
    let start = inner.initial()[0];
    let mut out = Vec::new();
    inner.enabled(start, &mut out);
    assert!(out.iter().any(|step| inner.holds(step.target, between)));
}

#[test]
fn a_sequence_without_end_is_shown_step_by_step() {
    let endless = TWO.replace("-> q2 on e2 do { g0 := 2 } as b", "-> q1 hold on e2 as b");
    let mut system = system(&endless);
    let start = system.initial()[0];
    let first = steps(&mut system, start);
    let inside = first.iter().find(|step| system.space().inner().is_held(&system.row(step.target)));
    let inside = inside.expect("a state of the sequence").target;
    assert!(steps(&mut system, inside).iter().any(|step| step.target == inside));
    assert_eq!(steps(&mut system, start), first);
}
