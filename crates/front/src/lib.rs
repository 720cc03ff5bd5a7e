//! Text to systems: one module a language.
//!
//! - [`case`]: networks of explicit components with properties and expected verdicts, `.net` files;
//! - [`csp`]: CSP#, the language of PAT, as a syntax tree;
//! - [`promela`]: Promela, the language of SPIN, as a syntax tree;
//! - [`aut`]: one component from an Aldebaran or HOA file, or a Kripke structure from HOA;
//! - [`mod@include`]: where the texts come from that a model includes;
//! - [`loaded`]: what all of them give, models as data that no language owns; [`languages`]: the table of them;
//! - [`trail`]: runs as another tool lists them.
//!
//! A front end takes text and gives a model or [`fairly_source::Diagnostic`]s with stable codes
//! and places. It neither prints nor reads files, and it never panics on a text. If you want an
//! *automaton* from a file, you want `fairly_omega::formats`; a *formula*, `fairly_logic`.
//!
//! Lexers share the cursor of `fairly_source`, and parsers are functions, one a rule of the grammar. A generator of
//! parsers would not help: what Promela and CSP# mean by a word depends on macros, on declarations and on the habits of
//! two tools, and the diagnostics say so.

pub mod aut;
pub mod case;
pub mod csp;
pub mod guess;
pub mod include;
pub mod languages;
pub mod loaded;
pub mod promela;
pub mod trail;
