//! Promela to models, as SPIN's verifier means it.
//!
//! [`lower`] gives a [`Lowered`]: the model, its formulas as text over propositions of the model, and
//! its `never` claims as automata. Control states, what is one step, and what a state remembers are
//! those of SPIN without statement merging and other optimisations (`spin -o1 -o2 -o3`).
//!
//! - [`flow`] links the statements as SPIN does, [`machine`] makes control states of them;
//! - [`variables`], [`channels`] and [`slots`] say where a state keeps what;
//! - [`expression`], [`statement`] and [`dstep`] turn what the processes do into edges;
//! - [`priority`] and [`executable`] are about who may and who could move;
//! - [`exclusive`] and [`trace`] check what else is asserted on the way;
//! - [`properties`] and [`claims`] are about formulas and never claims;
//! - [`numbers`] are those of SPIN's trails.
//!
//! # What is otherwise than in SPIN
//!
//! - **States inside an atomic sequence** are states; SPIN passes through them. They are those in
//!   which a process holds ([`fairly_model::Layout::holder`]); all others are SPIN's states.
//! - **After an error** the run ends in a fault. SPIN reports a false assertion or a bad index and
//!   goes on; it dies of a division by zero.
//! - **`hidden`** variables are part of the state.
//! - **Arithmetic** is that of C in 32 bits, where an overflow is undefined: here it wraps, as it does
//!   with all compilers in practice. Shifting by less than 0 or more than 31 places is undefined in C
//!   and a fault here.
//! - **Channels** of a process that has died are gone; SPIN lets a new channel have their number.
//! - **`xr` and `xs`** are checked always, by SPIN only with its partial order reduction; and a claim
//!   ends with its process.
//! - There is room for as many processes as the model can be seen to start, or else for
//!   [`Options::processes`]; one more is a limit of the tool, not an error of the model.

mod channels;
mod claims;
mod dstep;
mod edges;
mod exclusive;
mod executable;
mod expression;
mod flow;
mod machine;
mod names;
mod numbers;
mod occupancy;
mod outside;
mod priority;
mod processes;
mod properties;
mod rewrite;
mod slots;
mod statement;
mod trace;
mod variables;

use fairly_model::{Atomicity, Exit, Model, verify};
use fairly_source::{Diagnostic, Fragment, Span};

use self::processes::Lowering;
use super::ast;
use super::place::Place;

pub use self::claims::{Claim, ClaimState, ClaimStep};

/// How a model is lowered.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The text the model was parsed from, whose words name the steps.
    pub text: &'a str,
    /// How many processes there is room for where it cannot be seen how many are started; SPIN has
    /// room for 255.
    pub processes: u32,
    /// Whether assertions are checked; if not, they are steps that do nothing.
    pub assertions: bool,
}

impl<'a> Options<'a> {
    /// Of a text, with everything else as usual.
    pub fn new(text: &'a str) -> Options<'a> {
        Options { text, processes: 24, assertions: true }
    }
}

/// Meaning of a Promela text.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The system.
    pub model: Model,
    /// The formulas: name and text, in which propositions of the model stand in quotes.
    pub formulas: Vec<(String, String)>,
    /// The `never` claims.
    pub claims: Vec<Claim>,
    /// Text behind `expect:` in comments.
    pub expectations: Vec<Fragment>,
    /// The name of the proposition that no process is where progress is marked, if any such place
    /// is: SPIN's `np_`.
    pub no_progress: Option<String>,
    /// The locations with a label that starts with `accept`, by template.
    pub accepting: Vec<(fairly_model::TemplateId, fairly_model::LocationId)>,
    /// The name of the proposition that a `trace` is not complete, if there is one: where the system
    /// stops, this is as wrong as a process that is not at its end.
    pub unfinished: Option<String>,
    /// The number that SPIN gives to the statement of an event, in trails.
    pub numbers: Vec<(fairly_system::EventId, u32)>,
}

/// Gives a Promela model its meaning.
///
/// # Errors
/// Features of the model that cannot be turned into a [`Model`]; the codes are `E1190` to `E1199`.
///
/// ```
/// use fairly_front::promela::{Options, lower, parse};
/// let text = "byte x; active proctype P() { do :: x < 3 -> x++ od } ltl small { [] (x <= 3) }";
/// let lowered = lower(&parse(text).unwrap(), Options::new(text)).unwrap();
/// assert_eq!(lowered.model.slots[0].name, "P[0]");
/// assert_eq!(lowered.formulas, [("small".to_owned(), "[] \"x <= 3\"".to_owned())]);
/// ```
pub fn lower(model: &ast::Model, options: Options<'_>) -> Result<Lowered, Vec<Diagnostic>> {
    let mut lowering = Lowering::new(model, options).map_err(LowerError::all)?;
    lowering.model.atomicity = Atomicity::Exclusive;
    lowering.model.exit = Exit::LastFirst;
    let lowered = lowering.finish().map_err(LowerError::all)?;
    match verify(&lowered.model) {
        Ok(()) => Ok(lowered),
        Err(flaws) => {
            let wrong = flaws.into_iter().take(10).map(|flaw| {
                let span = flaw.span.unwrap_or(Span::at(0));
                let message = format!("this cannot be turned into a model: {flaw}");
                Diagnostic::error("E1199", message, span).help(help("E1199"))
            });
            Err(wrong.collect())
        }
    }
}

/// Something that cannot be turned into a model.
#[derive(Clone, Debug)]
struct LowerError(Vec<Diagnostic>);

type Lower<T> = Result<T, LowerError>;

impl LowerError {
    fn all(self) -> Vec<Diagnostic> {
        self.0
    }
}

fn trouble(code: &'static str, message: impl Into<String>, place: Place) -> LowerError {
    let message = format!("{} cannot be checked", message.into());
    LowerError(vec![Diagnostic::error(code, message, place.span).help(help(code))])
}

/// Advice for the user.
fn help(code: &str) -> &'static str {
    match code {
        "E1190" => "priorities are 1 to 255, in models without a rendezvous, as in SPIN",
        "E1191" => "use labels and remote references, `P[1]@label`",
        "E1192" => "give the number a variable of its own: `byte p; p = run P()`",
        "E1193" => "put a statement into the loop: `skip`",
        "E1194" => "start processes in `atomic`, which can do the same",
        "E1195" => "state it as an `ltl` formula, or with an observing process and assertions",
        "E1196" => "make arrays or channels smaller",
        _ => "`fairly explain` tells more about the code",
    }
}
