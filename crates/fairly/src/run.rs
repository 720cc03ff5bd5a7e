//! Runs of a model, in its own states and actions.

use std::fmt;
use std::fmt::Write;

use crate::model::Model;
use crate::verdict::Mistake;

/// A run of a model: states, and the actions between them. It ends in a loop, in a state in which nothing can be
/// done, or in an action from which the model did not come back; a run that shows less is the beginning of one.
#[derive(Clone)]
pub struct Run<M: Model> {
    /// The position of the first state among the model's initial ones.
    pub(crate) start: usize,
    pub(crate) states: Vec<M::State>,
    pub(crate) actions: Vec<M::Action>,
    pub(crate) loops_to: Option<usize>,
    pub(crate) panics_with: Option<M::Action>,
    /// Name of the property that it violates, and under which fairness.
    pub(crate) about: (String, String),
}

impl<M: Model> Run<M> {
    /// The states, one more than there are [actions](Run::actions). In a run with a loop the last one is the one that
    /// the loop begins in.
    pub fn states(&self) -> &[M::State] {
        &self.states
    }

    /// The actions, each of which leads from the state at its position to the next.
    pub fn actions(&self) -> &[M::Action] {
        &self.actions
    }

    /// The position of the state that the run comes back to for ever; none in a run without a loop.
    pub fn loops_to(&self) -> Option<usize> {
        self.loops_to
    }

    /// The action from which the model did not come back, if the run ends so.
    pub fn panics_with(&self) -> Option<&M::Action> {
        self.panics_with.as_ref()
    }

    /// Takes the same actions in a model again.
    ///
    /// # Errors
    /// Where the model does something else: it is another model, or its steps depend on more than the state.
    pub fn replay(&self, model: &M) -> Result<Run<M>, Mistake> {
        let again = Run::follow(model, self.start, self.loops_to, self.actions.len(), |at| {
            let wanted = &self.actions[at];
            (format!("{wanted:?}"), Box::new(move |action: &M::Action| action == wanted))
        })?;
        match again.states.iter().zip(&self.states).position(|(one, other)| one != other) {
            Some(at) => Err(Mistake::new(format!(
                "state {at} of the run is {:?} now, and was {:?}",
                again.states[at], self.states[at]
            ))),
            None => Ok(Run {
                about: self.about.clone(),
                panics_with: self.panics_with.clone(),
                ..again
            }),
        }
    }

    /// The run that takes actions with these `Debug` texts one after the other, from the initial state at a position.
    ///
    /// # Errors
    /// If there is no such action in a state, or the last state is not the one that the run is to loop to.
    pub fn of_actions(
        model: &M,
        start: usize,
        actions: &[&str],
        loops_to: Option<usize>,
    ) -> Result<Run<M>, Mistake> {
        Run::follow(model, start, loops_to, actions.len(), |at| {
            let wanted = actions[at];
            let is_it = move |action: &M::Action| format!("{action:?}") == wanted;
            (wanted.to_owned(), Box::new(is_it))
        })
    }

    fn follow<'a>(
        model: &M,
        start: usize,
        loops_to: Option<usize>,
        count: usize,
        wanted: impl Fn(usize) -> (String, Box<dyn Fn(&M::Action) -> bool + 'a>),
    ) -> Result<Run<M>, Mistake> {
        let first = model.init().into_iter().nth(start);
        let first =
            first.ok_or_else(|| Mistake::new(format!("there is no initial state {start}")))?;
        let (mut states, mut taken) = (vec![first], Vec::new());
        let mut possible = Vec::new();
        for at in 0..count {
            let (name, is_wanted) = wanted(at);
            possible.clear();
            let state = &states[at];
            model.actions(state, &mut possible);
            let mut steps = possible
                .iter()
                .filter(|action| is_wanted(action))
                .filter_map(|action| Some((action.clone(), model.next(state, action.clone())?)));
            let (action, next) = steps.next().ok_or_else(|| {
                let said = format!("step {} is {name}, which {state:?} does not allow", at + 1);
                Mistake::new(said)
            })?;
            drop(steps);
            taken.push(action);
            states.push(next);
        }
        let back = loops_to.map(|to| states.get(to));
        if back.is_some_and(|back| back != states.last()) {
            return Err(Mistake::new("the run does not come back to where its loop begins"));
        }
        let about = (String::new(), String::new());
        Ok(Run { start, states, actions: taken, loops_to, panics_with: None, about })
    }

    /// Any state of the run, for tests of properties that start there.
    ///
    /// ```
    /// # use fairly::{Model, check};
    /// # #[derive(Clone)]
    /// # struct Counter;
    /// # impl Model for Counter {
    /// #     type State = u8;
    /// #     type Action = &'static str;
    /// #     fn init(&self) -> Vec<u8> { vec![0] }
    /// #     fn actions(&self, _: &u8, actions: &mut Vec<&'static str>) { actions.push("tick"); }
    /// #     fn next(&self, state: &u8, _: &'static str) -> Option<u8> { Some((state + 1) % 2) }
    /// # }
    /// use proptest::prelude::*;
    ///
    /// let verdict = check(&Counter).eventually("two", |n| *n == 2).save_nothing().verdict();
    /// proptest!(|(state in verdict.run().any_state())| prop_assert!(state < 2));
    /// ```
    #[cfg(feature = "proptest")]
    pub fn any_state(&self) -> proptest::sample::Select<M::State> {
        proptest::sample::select(self.states.clone())
    }

    /// The run as a Rust test that takes the same actions. `model` is the expression that makes the model there; the
    /// test compiles where that does.
    ///
    /// ```
    /// # use fairly::{Model, check};
    /// # #[derive(Clone)]
    /// # struct Counter;
    /// # impl Model for Counter {
    /// #     type State = u8;
    /// #     type Action = &'static str;
    /// #     fn init(&self) -> Vec<u8> { vec![0] }
    /// #     fn actions(&self, _: &u8, actions: &mut Vec<&'static str>) { actions.push("tick"); }
    /// #     fn next(&self, state: &u8, _: &'static str) -> Option<u8> { Some((state + 1) % 2) }
    /// # }
    /// let verdict = check(&Counter).eventually("two", |n| *n == 2).verdict();
    /// let test = verdict.run().as_test("Counter");
    /// assert!(test.contains("fn two_is_violated()"), "{test}");
    /// ```
    pub fn as_test(&self, model: &str) -> String {
        let (property, fairness) = &self.about;
        let property_words = property.to_lowercase();
        let words = property_words.split(|sign: char| !sign.is_ascii_alphanumeric());
        let mut name = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_");
        if name.is_empty() {
            name.push_str("run");
        } else if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
            name.insert_str(0, "run_");
        }
        let one_line = |text: &str| text.replace(['\n', '\r'], " ");
        let mut out = format!(
            "/// `{}` is violated by this run, under {}.\n#[test]\nfn {name}_is_violated() {{\n    \
             let model = {model};\n    let actions = [\n",
            one_line(property),
            one_line(fairness)
        );
        for action in &self.actions {
            let _ = writeln!(out, "        {:?},", format!("{action:?}"));
        }
        if self.actions.is_empty() {
            out = out.replace("let actions = [", "let actions: [&str; 0] = [");
        }
        let _ = writeln!(
            out,
            "    ];\n    let run = fairly::Run::of_actions(&model, {}, &actions, {:?});\n    \
             let run = run.expect(\"a run of the model\");",
            self.start, self.loops_to
        );
        if let Some(back) = self.loops_to {
            let last = self.actions.len();
            let _ = writeln!(
                out,
                "    // From here on it repeats for ever.\n    \
                 assert_eq!(run.states()[{back}], run.states()[{last}]);"
            );
        } else {
            let _ = writeln!(out, "    assert_eq!(run.states().len(), {});", self.states.len());
        }
        out.push_str("}\n");
        out
    }
}

/// The actions, one a line, with a mark where the loop begins.
impl<M: Model> fmt::Display for Run<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "         {:?}", self.states[0])?;
        for (at, action) in self.actions.iter().enumerate() {
            let sign = match self.loops_to {
                Some(first) if at + 1 == self.actions.len() && at >= first => '└',
                Some(first) if at == first => '┌',
                Some(first) if at > first => '│',
                _ => ' ',
            };
            writeln!(f, "{sign} {:>4}  {action:?}\n         {:?}", at + 1, self.states[at + 1])?;
        }
        match &self.panics_with {
            Some(action) => writeln!(f, "  and panics with {action:?}"),
            None => Ok(()),
        }
    }
}

impl<M: Model> fmt::Debug for Run<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
