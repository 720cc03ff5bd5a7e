//! Where something stands in a text, although a macro or an inline may have put it there.

use fairly_source::{Diagnostic, Position, Span, parts};

/// How many errors of one text are reported.
pub const MOST_ERRORS: usize = 100;

/// One use of a macro or an inline: a position in [`super::ast::Model::expansions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExpansionId(pub u32);

/// Where something is written, and which use brought it from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The bytes that spell it. Inside an expansion they lie in the definition.
    pub span: Span,
    /// The innermost expansion it comes from; `None` if it stands in the text as it is read.
    pub expansion: Option<ExpansionId>,
}

impl Place {
    /// A place outside all expansions.
    pub fn plain(span: Span) -> Place {
        Place { span, expansion: None }
    }

    /// The point where it ends.
    pub(super) fn end(self) -> Place {
        Place { span: Span::at(self.span.end), expansion: self.expansion }
    }
}

/// Origin of expanded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpansionKind {
    /// A `#define`.
    Macro,
    /// An `inline`.
    Inline,
    /// An argument of an inline: the use is the parameter in the definition. It has no name.
    Argument,
}

/// A macro or an inline that was replaced by its definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// Which of the two it was.
    pub kind: ExpansionKind,
    /// Its name.
    pub name: String,
    /// Where it was used, which may itself be inside an expansion.
    pub call: Place,
    /// Where its name is defined.
    pub definition: Span,
}

/// All expansions so far.
#[derive(Debug, Default)]
pub(super) struct Expansions {
    pub(super) all: Vec<Expansion>,
}

impl Expansions {
    pub(super) fn add(&mut self, expansion: Expansion) -> ExpansionId {
        let id = ExpansionId(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        self.all.push(expansion);
        id
    }

    fn call(&self, id: ExpansionId) -> Place {
        self.all[id.0 as usize].call
    }

    /// The place in the text as it is read that led to this one: the outermost use.
    pub(super) fn root(&self, mut place: Place) -> Span {
        while let Some(id) = place.expansion {
            place = self.call(id);
        }
        place.span
    }

    /// The smallest place that holds both, which may be the use of what they come from.
    pub(super) fn join(&self, a: Place, b: Place) -> Place {
        if a.expansion == b.expansion {
            return Place { span: a.span.to(b.span), expansion: a.expansion };
        }
        // An expansion is younger than the one its use stands in, so the one with the greater
        // number can always be left without passing the common ancestor.
        let (mut a, mut b) = (a, b);
        while a.expansion != b.expansion {
            match (a.expansion, b.expansion) {
                (Some(left), right) if right.is_none_or(|right| left > right) => {
                    a = self.call(left);
                }
                (_, Some(right)) => b = self.call(right),
                (Some(left), None) => a = self.call(left),
                (None, None) => {}
            }
        }
        Place { span: a.span.to(b.span), expansion: a.expansion }
    }
}

/// Where something stands, in words; with its file if the model includes that.
pub(super) fn position(text: &str, offset: usize) -> String {
    let part = parts::locate("", text, offset);
    let position = Position::of(part.text, part.offset);
    if part.file.is_empty() { position.to_string() } else { format!("{}:{position}", part.file) }
}

/// An error that knows from which expansion it comes.
#[derive(Clone, Debug)]
pub(super) struct ParseError {
    diagnostic: Diagnostic,
    expansion: Option<ExpansionId>,
}

/// Result of a reading step.
pub(super) type Read<T> = Result<T, ParseError>;

impl ParseError {
    pub(super) fn new(code: &'static str, message: impl Into<String>, place: Place) -> ParseError {
        ParseError {
            diagnostic: Diagnostic::error(code, message, place.span),
            expansion: place.expansion,
        }
    }

    pub(super) fn label(mut self, label: impl Into<String>) -> ParseError {
        self.diagnostic.label = label.into();
        self
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> ParseError {
        self.diagnostic.help = Some(help.into());
        self
    }
}

/// The errors found so far.
#[derive(Debug, Default)]
pub(super) struct Errors {
    found: Vec<Diagnostic>,
    /// How many were said again. An inline that is used often repeats what is wrong in it, and
    /// finding the words for an error is not free.
    repeated: usize,
}

impl Errors {
    pub(super) fn full(&self) -> bool {
        self.found.len() >= MOST_ERRORS || self.repeated >= 10 * MOST_ERRORS
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Whether an error with that code was found.
    pub(super) fn has(&self, code: &str) -> bool {
        self.found.iter().any(|wrong| wrong.code == code)
    }

    /// Keeps an error, once for each place: an inline used twice is wrong twice, but said once.
    pub(super) fn add(&mut self, wrong: ParseError, expansions: &Expansions, text: &str) {
        let ParseError { mut diagnostic, expansion } = wrong;
        let same =
            |known: &Diagnostic| (known.code, known.span) == (diagnostic.code, diagnostic.span);
        // Excessive nesting is found at many places at once.
        let deep = diagnostic.code == "E1122" && self.has("E1122");
        if self.full() || deep || self.found.iter().any(same) {
            self.repeated += 1;
            return;
        }
        let used = expansion.map(|id| &expansions.all[id.0 as usize]);
        // An argument stands in the use itself.
        if let Some(used) = used.filter(|used| used.kind != ExpansionKind::Argument) {
            let at = position(text, expansions.root(used.call).start);
            let kind = match used.kind {
                ExpansionKind::Macro => "macro",
                ExpansionKind::Inline | ExpansionKind::Argument => "inline",
            };
            let note = format!("this is part of the {kind} `{}`, used at {at}", used.name);
            diagnostic.help = Some(match diagnostic.help {
                Some(help) => format!("{help}; {note}"),
                None => note,
            });
        }
        self.found.push(diagnostic);
    }

    /// All errors in the order of the text.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|wrong| wrong.span);
        self.found
    }
}
