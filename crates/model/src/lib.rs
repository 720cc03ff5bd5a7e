//! The intermediate representation of models.
//!
//! A [`Model`] is what every modelling language is turned into and what every engine starts from:
//! processes as control automata with guarded actions over variables with ranges, channels, and
//! events that several processes take together. A front end makes it, [`verify()`] checks it,
//! [`ModelSpace`] gives it its meaning.

mod eval;
mod exec;
mod expression;
mod faint;
pub mod footprint;
mod ids;
mod interpreter;
mod layout;
mod limits;
mod liveness;
mod merge;
mod model;
pub mod native;
mod operator;
mod origins;
mod process;
mod ranges;
mod reset_dead;
mod shown;
mod sure;
pub mod text;
mod transient;
mod variable;
pub mod verify;
mod walk;

pub use expression::{AnyVariable, BinaryOp, ChannelQuery, Expr, Pattern, Pick, Place, UnaryOp};
pub use faint::Faint;
pub use footprint::{Access, Footprint, Footprints, Owner};
pub use ids::{ChannelId, LocalId, LocationId, SlotId, TemplateId, VariableId};
pub use interpreter::ModelSpace;
pub use layout::{ChannelLayout, Layout, SlotLayout, Strip, VariantLayout};
pub use limits::Limits;
pub use merge::{Kept, Merged, Passed};
pub use model::{Atomicity, Exit, Growth, Model, Unfold, Unfolded};
pub use process::{
    Communication, Edge, Gathering, Label, Location, Order, Slot, Statement, StatementKind, Target,
    Template,
};
pub use reset_dead::{DeadResets, DeadValues, ResettingDead};
pub use shown::{Kind, Part, Shown, element_name};
pub use variable::{ABSENT, Channel, Overflow, Range, Storage, Variable, WhenFull};
pub use verify::{ModelError, ModelErrorKind, NESTING, verify, verify_open};
