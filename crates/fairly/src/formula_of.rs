//! Functions that the macro [`ltl!`](crate::ltl!) makes formulas with. A program has no use for them by name.

use crate::formula::{Formula, always, eventually};
use crate::model::Model;

/// Formulas about a model.
type Of<M> = Formula<<M as Model>::State, <M as Model>::Action>;

/// A test of states that knows the model.
pub fn state<M: Model>(
    model: &M,
    name: &str,
    test: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
) -> Of<M> {
    let model = model.clone();
    crate::state(name, move |state| test(&model, state))
}

/// A test of actions.
pub fn action<M: Model>(
    _: &M,
    name: &str,
    test: impl Fn(&M::Action) -> bool + Send + Sync + 'static,
) -> Of<M> {
    crate::action(name, test)
}

/// An event, or a pattern of events.
pub fn event<M: Model>(_: &M, pattern: &str) -> Of<M> {
    crate::event(pattern)
}

/// True or false.
pub fn constant<M: Model>(_: &M, value: bool) -> Of<M> {
    crate::ltl(if value { "true" } else { "false" })
}

/// Not.
pub fn negated<S, A>(inner: Formula<S, A>) -> Formula<S, A> {
    !inner
}

/// At the next position.
pub fn next<S, A>(inner: Formula<S, A>) -> Formula<S, A> {
    inner.next()
}

/// At some time.
pub fn finally<S, A>(inner: Formula<S, A>) -> Formula<S, A> {
    eventually(inner)
}

/// Always.
pub fn globally<S, A>(inner: Formula<S, A>) -> Formula<S, A> {
    always(inner)
}

/// Both.
pub fn and<S, A>(one: Formula<S, A>, other: Formula<S, A>) -> Formula<S, A> {
    one & other
}

/// One of them.
pub fn or<S, A>(one: Formula<S, A>, other: Formula<S, A>) -> Formula<S, A> {
    one | other
}

/// If the first, then the second.
pub fn implies<S, A>(one: Formula<S, A>, other: Formula<S, A>) -> Formula<S, A> {
    one.implies(other)
}

/// Both or none.
pub fn equivalent<S, A>(one: Formula<S, A>, other: Formula<S, A>) -> Formula<S, A> {
    one.clone().implies(other.clone()) & other.implies(one)
}

/// The first until the second.
pub fn until<S, A>(one: Formula<S, A>, other: Formula<S, A>) -> Formula<S, A> {
    one.until(other)
}

/// The first until the second, or for ever.
pub fn unless<S, A>(one: Formula<S, A>, other: Formula<S, A>) -> Formula<S, A> {
    one.unless(other)
}

/// The second up to and with the first, or for ever.
pub fn release<S, A>(one: Formula<S, A>, other: Formula<S, A>) -> Formula<S, A> {
    one.release(other)
}
