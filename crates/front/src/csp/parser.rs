//! The parser's state: where it reads, what is known, and what went wrong.
//!
//! The grammar is in the modules beside it, one for each part of the language. Two kinds of errors
//! are kept apart: what is wrong with a *name or value* is noted, and parsing goes on with a
//! stand-in; what is wrong with the *shape* is noted and unwinds as [`ParseError`] to the next bracket
//! around it, or to the end of the declaration, where parsing goes on.

use fairly_source::{Diagnostic, Fragment, Span};
use hashbrown::{HashMap, HashSet};

use super::codes;
use super::lexer::{Kind, Token};
use super::macros::{Extent, Macro};
use super::names::{Global, Names};
use super::syntax::{
    DefinitionId, EventId, Local, LocalId, LocalKind, MAX_DEPTH, Name, NodeId, Process,
    ProcessKind, Specification, Type, VariableId,
};

/// How deep brackets may nest. Each level costs several calls of the parser.
pub const MAX_NESTING: usize = 200;

/// Parsing of something was given up; the reason has been noted.
#[derive(Debug)]
pub(super) struct ParseError;

pub(super) type Parsed<T> = Result<T, ParseError>;

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
    pub(super) partners: &'a [usize],
    /// The next token, and the end of the declaration or bracket that is read.
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) names: Names<'a>,
    pub(super) spec: Specification,
    pub(super) errors: Vec<Diagnostic>,
    /// How deep each node is.
    depths: Vec<u32>,
    nesting: usize,
    /// How deep the deepest expression was that has been read since this was last reset.
    pub(super) deepest: usize,
    /// How many elements the variables have that have been read.
    pub(super) elements: usize,
    /// How many elements of arrays have been written out for copies and comparisons.
    pub(super) copied: usize,
    /// `#define`s with parameters or a program.
    pub(super) macros: Vec<Macro>,
    /// How many tokens uses of these, and of other `#define`s, have been written out to.
    pub(super) written_out: usize,
    /// How much each `#define` that is not constant is written out to.
    pub(super) extents: Vec<Extent>,
    /// Variables that are read as single values.
    pub(super) read: HashSet<VariableId>,
    /// Variables that get a whole message, and where.
    pub(super) peeked: Vec<(VariableId, Span)>,
    /// Comments that say how much room a collection has.
    pub(super) capacities: Vec<Fragment>,
    /// Names that stand before a `$`, once they were asked for.
    pub(super) with_fields: Option<HashSet<&'a str>>,
    /// Whether what is read belongs to a program, which can change collections.
    pub(super) in_program: bool,
    events: HashMap<&'a str, EventId>,
    /// The events of `x := e`, by their first words.
    pub(super) assignments: HashMap<String, EventId>,
    /// Names that the current declaration binds, and which of them are visible now.
    pub(super) locals: Vec<Local>,
    pub(super) types: Vec<Type>,
    visible: HashMap<&'a str, Vec<LocalId>>,
    bound: Vec<&'a str>,
    /// How many parameters each definition has; nothing if its head could not be read.
    pub(super) arities: Vec<Option<usize>>,
    /// Events of prefixes: name and number of parts, for the formulas.
    pub(super) occurring: HashMap<EventId, Vec<usize>>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, tokens: &'a [Token], partners: &'a [usize]) -> Self {
        Parser {
            text,
            tokens,
            partners,
            at: 0,
            end: 0,
            names: Names::default(),
            spec: Specification::default(),
            errors: Vec::new(),
            depths: Vec::new(),
            nesting: 0,
            deepest: 0,
            elements: 0,
            copied: 0,
            macros: Vec::new(),
            written_out: 0,
            extents: Vec::new(),
            read: HashSet::new(),
            peeked: Vec::new(),
            capacities: Vec::new(),
            with_fields: None,
            in_program: false,
            events: HashMap::new(),
            locals: Vec::new(),
            types: Vec::new(),
            visible: HashMap::new(),
            bound: Vec::new(),
            arities: Vec::new(),
            occurring: HashMap::new(),
            assignments: HashMap::new(),
        }
    }

    // Reading.

    pub(super) fn kind_at(&self, at: usize) -> Option<Kind> {
        (at < self.end).then(|| self.tokens[at].kind)
    }

    pub(super) fn kind(&self) -> Option<Kind> {
        self.kind_at(self.at)
    }

    /// The text of a span.
    pub(super) fn slice(&self, span: Span) -> &'a str {
        &self.text[span.start..span.end]
    }

    pub(super) fn word_at(&self, at: usize) -> &'a str {
        match self.kind_at(at) {
            Some(Kind::Name | Kind::Keyword) => self.slice(self.tokens[at].span),
            _ => "",
        }
    }

    pub(super) fn sign_at(&self, at: usize) -> &'static str {
        match self.kind_at(at) {
            Some(Kind::Sign(sign)) => sign,
            _ => "",
        }
    }

    /// Where the next token stands, or the place after the last one.
    pub(super) fn span(&self) -> Span {
        match self.kind() {
            Some(_) => self.tokens[self.at].span,
            None => Span::at(self.previous().end),
        }
    }

    /// Where the last token stood that was taken.
    pub(super) fn previous(&self) -> Span {
        self.at.checked_sub(1).map_or(Span::at(0), |before| self.tokens[before].span)
    }

    /// From `start` to the last token that was taken.
    pub(super) fn since(&self, start: Span) -> Span {
        start.to(self.previous())
    }

    pub(super) fn sees(&self, sign: &str) -> bool {
        self.sign_at(self.at) == sign
    }

    pub(super) fn takes(&mut self, sign: &str) -> bool {
        let found = self.sees(sign);
        self.at += usize::from(found);
        found
    }

    pub(super) fn sees_word(&self, word: &str) -> bool {
        self.word_at(self.at) == word
    }

    pub(super) fn takes_word(&mut self, word: &str) -> bool {
        let found = self.sees_word(word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.takes(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    /// Notes that something else should stand here.
    pub(super) fn unexpected(&mut self, expected: &str) -> ParseError {
        self.unexpected_with(expected, None)
    }

    pub(super) fn unexpected_with(&mut self, expected: &str, help: Option<&str>) -> ParseError {
        let span = self.span();
        let found = self.slice(span);
        let message = if found.is_empty() {
            "something is missing here".to_owned()
        } else {
            format!("`{}` cannot stand here", found.escape_debug())
        };
        let words = [("and", "&&"), ("or", "||"), ("not", "!")];
        let help = match (help, words.iter().find(|(word, _)| *word == found)) {
            (Some(help), _) => help.to_owned(),
            (None, Some((_, sign))) => format!("CSP# writes `{sign}`"),
            (None, None) => format!("write {expected} here, or remove what is too much"),
        };
        self.stop(
            Diagnostic::error(codes::EXPECTED, message, span)
                .label(format!("expected {expected}"))
                .help(help),
        )
    }

    /// Takes a name that is declared here; `what` it is the name of is for the error.
    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        let span = self.span();
        match self.kind() {
            Some(Kind::Name) => {
                self.at += 1;
                Ok(Name { text: self.slice(span).to_owned(), span })
            }
            Some(Kind::Keyword) => {
                let word = self.slice(span);
                Err(self.stop(
                    Diagnostic::error(
                        codes::KEYWORD,
                        format!("`{word}` cannot be the name of {what}"),
                        span,
                    )
                    .label("this is a keyword")
                    .help(format!("choose another name, for example `{word}_`")),
                ))
            }
            _ => Err(self.unexpected(&format!("the name of {what}"))),
        }
    }

    /// Reads what stands in the brackets here with `inner`, which must read all of it. If that
    /// fails, the brackets are skipped and nothing is returned; the reason has been noted.
    pub(super) fn bracketed<T>(
        &mut self,
        open: &str,
        inner: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<Option<T>> {
        let opened = self.at;
        if self.sees(open) && self.nesting >= MAX_NESTING {
            let span = self.span();
            self.too_deep(span, MAX_NESTING);
            self.at = self.partners[opened] + 1;
            return Ok(None);
        }
        self.expect(open)?;
        let close = self.partners[opened];
        // The partner lies inside, because brackets match within a declaration.
        let outer = std::mem::replace(&mut self.end, close);
        let visible = self.bound.len();
        let read = self.nested(|parser| {
            let value = inner(parser)?;
            if parser.at < parser.end {
                let close = parser.slice(parser.tokens[close].span);
                return Err(parser.unexpected(&format!("an operator or `{close}`")));
            }
            Ok(value)
        });
        self.leave(visible);
        self.end = outer;
        self.at = close + 1;
        Ok(read.ok())
    }

    /// Counts one level of nesting.
    pub(super) fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            let span = self.span();
            return Err(self.too_deep(span, MAX_NESTING));
        }
        self.nesting += 1;
        let read = inner(self);
        self.nesting -= 1;
        read
    }

    pub(super) fn too_deep(&mut self, span: Span, limit: usize) -> ParseError {
        self.stop(
            Diagnostic::error(codes::DEPTH, "this is nested too deeply", span)
                .label(format!("more than {limit} levels"))
                .help("give a part of it a name of its own"),
        )
    }

    // Errors.

    pub(super) fn note(&mut self, wrong: Diagnostic) {
        // One more than are shown is enough to know that there are too many.
        if !self.is_full() {
            self.errors.push(wrong);
        }
    }

    /// Whether more errors have been noted than are shown. Looking for a suggestion or counting lines takes
    /// time, so it is not done for errors that are not shown.
    pub(super) fn is_full(&self) -> bool {
        self.errors.len() > super::MOST_ERRORS
    }

    pub(super) fn stop(&mut self, wrong: Diagnostic) -> ParseError {
        self.note(wrong);
        ParseError
    }

    /// Reports a feature of PAT that Fairly lacks.
    pub(super) fn refuse(
        &mut self,
        code: &'static str,
        what: &str,
        span: Span,
        help: &str,
    ) -> ParseError {
        self.stop(
            Diagnostic::error(code, format!("{what} cannot be checked"), span)
                .label("PAT has this, Fairly has not")
                .help(help),
        )
    }

    // Building.

    /// A new node above `children`.
    pub(super) fn node(
        &mut self,
        span: Span,
        kind: ProcessKind,
        children: &[NodeId],
    ) -> Parsed<NodeId> {
        let below = children.iter().map(|child| self.depths[child.index()]).max().unwrap_or(0);
        if below as usize >= MAX_DEPTH {
            return Err(self.too_deep(Span::new(span.start, span.start), MAX_DEPTH));
        }
        let id = NodeId::from_index(self.spec.nodes.len());
        self.spec.nodes.push(Process { id, span, kind });
        self.depths.push(below + 1);
        Ok(id)
    }

    /// Replaces a process that could not be read.
    pub(super) fn stand_in(&mut self, span: Span) -> Parsed<NodeId> {
        self.node(span, ProcessKind::Stop, &[])
    }

    /// The id of the events with that first word.
    pub(super) fn event_id(&mut self, name: &'a str) -> EventId {
        *self.events.entry(name).or_insert_with(|| {
            let id = EventId::from_index(self.spec.events.len());
            self.spec.events.push(name.to_owned());
            id
        })
    }

    /// The id of the events of an assignment with that text.
    pub(super) fn assignment_id(&mut self, text: String) -> EventId {
        let fresh = EventId::from_index(self.spec.events.len());
        let id = *self.assignments.entry(text.clone()).or_insert(fresh);
        if id == fresh {
            self.spec.events.push(text);
        }
        id
    }

    pub(super) fn known_event(&self, name: &str) -> Option<EventId> {
        self.events.get(name).copied()
    }

    // Scopes.

    /// Makes `name` visible as a new local.
    pub(super) fn bind(&mut self, name: Name, kind: LocalKind, ty: Type) -> LocalId {
        let id = LocalId::from_index(self.locals.len());
        let key = self.slice(name.span);
        self.locals.push(Local { name, kind });
        self.types.push(ty);
        self.visible.entry(key).or_default().push(id);
        self.bound.push(key);
        id
    }

    /// Begins a declaration: nothing is bound yet.
    pub(super) fn fresh(&mut self) {
        self.leave(0);
        self.locals.clear();
        self.types.clear();
    }

    /// How many names are visible, to be given to [`Parser::leave`].
    pub(super) fn visible(&self) -> usize {
        self.bound.len()
    }

    /// Hides all but the first `visible` names.
    pub(super) fn leave(&mut self, visible: usize) {
        while self.bound.len() > visible {
            let name = self.bound.pop().unwrap_or_default();
            if let Some(ids) = self.visible.get_mut(name) {
                ids.pop();
            }
        }
    }

    pub(super) fn local(&self, name: &str) -> Option<LocalId> {
        self.visible.get(name).and_then(|ids| ids.last().copied())
    }

    /// The names of the locals that are visible, for suggestions.
    pub(super) fn local_names(&self) -> impl Iterator<Item = &'a str> {
        self.bound.iter().copied()
    }

    pub(super) fn global(&self, name: &str) -> Option<Global> {
        self.names.value(name)
    }

    /// The process definition called so, or an error with a suggestion.
    pub(super) fn definition(&mut self, span: Span) -> Option<DefinitionId> {
        let name = self.slice(span);
        if let Some(id) = self.names.definition(name) {
            return Some(id);
        }
        if self.is_full() {
            return None;
        }
        let wrong =
            Diagnostic::error(codes::PROCESS, format!("there is no process `{name}`"), span)
                .label("not defined");
        let help = match (self.names.near_definition(name), self.global(name)) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, Some(other)) => format!("`{name}` is {}, not a process", other.what()),
            (None, None) => {
                format!("define it, `{name}() = …;`, or write `{name} -> …` if it is an event")
            }
        };
        self.note(wrong.help(help));
        None
    }
}
