//! Formulas of the macro are those of the text.

use fairly::{Formula, Model, check, ltl};

#[derive(Clone)]
struct Steps;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Action {
    Up(u8),
    Reset,
}

impl Steps {
    fn at(&self, state: &u8, count: u8) -> bool {
        *state == count
    }

    fn high(&self, state: &u8) -> bool {
        *state > 3
    }
}

impl Model for Steps {
    type State = u8;
    type Action = Action;

    fn init(&self) -> Vec<u8> {
        vec![0]
    }

    fn actions(&self, state: &u8, actions: &mut Vec<Action>) {
        actions.push(if *state < 5 { Action::Up(*state) } else { Action::Reset });
    }

    fn next(&self, state: &u8, action: Action) -> Option<u8> {
        Some(match action {
            Action::Up(_) => state + 1,
            Action::Reset => 0,
        })
    }
}

#[test]
fn operators_bind_as_in_texts() {
    let model = Steps;
    let shown: [(Formula<u8, Action>, &str); 6] = [
        (ltl!(model, G F high), r#"GF"high""#),
        (ltl!(model, GF high), r#"GF"high""#),
        (ltl!(model, G (at(1) -> F at(0))), r#"G("at(1)" -> F"at(0)")"#),
        (ltl!(model, !high U at(4) || high && F high), r#"!"high" U "at(4)" | "high" & F"high""#),
        (ltl!(model, high -> X high -> at(2)), r#""high" -> X"high" -> "at(2)""#),
        (ltl!(model, "Up.*" W [Action::Reset]), "Up.* W event(Action::Reset)"),
    ];
    for (formula, text) in shown {
        assert_eq!(formula.to_string(), text);
    }
}

#[test]
fn formulas_mean_what_they_say() {
    let model = Steps;
    let wanted = 4;
    check(&model)
        .property("returns", ltl!(model, G (at(wanted) -> X (high && [Action::Reset])) ))
        .property("goes on", ltl!(model, GF [Action::Up(3 | 4)] && GF "Reset"))
        .property("same", ltl!(model, G (high <-> at(4) || at(5))))
        .assert_holds();
    assert!(
        check(&model).property("p", ltl!(model, F G high)).save_nothing().verdict().is_violated()
    );
}
