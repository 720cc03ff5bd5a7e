//! Positions in a text and what is wrong there: the one diagnostic type of every parser.
//!
//! A parser takes a `&str` and returns its result or [`Diagnostic`]s; it never prints. The
//! outermost crates turn a diagnostic into text with [`render`], which shows the line with a
//! caret. If you want to *parse* something, you want `fairly-omega` (automata) or the crate of
//! the language in question; nothing here knows a grammar. Their lexers are built on [`Cursor`]. It is not
//! `logos`, because half of each lexer is about texts that are wrong, where a table of patterns has little to say,
//! and it would bring twelve crates.
//!
//! Drawing is left to `annotate-snippets`, the renderer that rustc uses: its layout is the one
//! that Rust users know, and it brings only three small crates. Distances of names are `strsim`'s, which
//! the command line has in any case.
//!
//! ```
//! use fairly_source::{Diagnostic, Span, render, Style};
//! let text = "HOA: v2\n";
//! let wrong = Diagnostic::error("E0201", "this is not HOA version 1", Span::new(5, 7))
//!     .label("expected `v1`");
//! let shown = render(&wrong, "a.hoa", text, Style::Plain);
//! assert!(shown.contains("error[E0201]: this is not HOA version 1"));
//! assert!(shown.contains("a.hoa:1:6"));
//! ```

mod cursor;
mod diagnostic;
pub mod escape;
mod ids;
pub mod parts;
mod render;
pub mod suggest;

pub use cursor::{Cursor, unescaped};
pub use diagnostic::{Diagnostic, Fragment, Position, Severity, Span};
pub use render::{Style, render};
