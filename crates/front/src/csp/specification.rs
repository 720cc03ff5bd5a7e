//! A whole text: which declaration is which, and in what order they are read.
//!
//! First all names are declared. Then constants are computed, because sizes and bounds need them;
//! then channels and variables; then the conditions, which are about these; then the processes;
//! last alphabets and assertions, which need to know the processes and their events. PAT reorders
//! declarations in the same way, which is why a condition may stand below the process it is about.

use fairly_source::{Diagnostic, Fragment, Span};

use super::codes;
use super::items::{DIRECTIVES, Item};
use super::lexer::Kind;
use super::names::Global;
use super::parser::{Parsed, Parser};
use super::syntax::{Definition, DefinitionId, LocalKind, Name, NodeId, Type};
use fairly_source::suggest::near;

/// Kind of a declaration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Head {
    Define,
    Enumeration,
    Variable,
    Channel,
    Definition(DefinitionId),
    Alphabet,
    Assertion,
    /// Refused, or no declaration at all.
    Other,
}

impl<'a> Parser<'a> {
    /// Reads all declarations.
    pub(super) fn specification(&mut self, items: &[Item], remarks: Vec<Fragment>) {
        let mut heads: Vec<(Item, Head)> = Vec::new();
        for &item in items {
            self.enter(item);
            let head = self.head(item);
            heads.push((item, head));
        }
        // Declarations that have been read are left out of the next stage.
        let mut defines = Vec::new();
        for &(item, head) in &heads {
            self.enter(item);
            match head {
                Head::Enumeration if item.whole => drop(self.enumeration()),
                Head::Define if item.whole => {
                    if let Ok(false) = self.constant_define() {
                        defines.push(item);
                    }
                }
                _ => {}
            }
        }
        let of = |wanted: Head| {
            let fits = move |found: &&(Item, Head)| found.0.whole && found.1 == wanted;
            heads.iter().filter(fits).map(|&(item, _)| item)
        };
        for item in of(Head::Channel) {
            self.read(item, Self::channel);
        }
        for item in of(Head::Variable) {
            self.read(item, Self::variable);
        }
        for item in defines {
            self.read(item, Self::condition_define);
        }
        for &(item, head) in &heads {
            if let (Head::Definition(id), true) = (head, item.whole) {
                self.read(item, |parser| parser.process_definition(id));
            }
        }
        for item in of(Head::Alphabet) {
            self.read(item, Self::alphabet);
        }
        for item in of(Head::Assertion) {
            self.read(item, Self::assertion);
        }
        self.check_peeked();
        self.attach(remarks);
        self.spec.constants.sort_by_key(|constant| constant.name.span);
    }

    fn enter(&mut self, item: Item) {
        self.at = item.start;
        self.end = item.end;
    }

    /// Reads one declaration; if it is wrong, that has been noted, and its name says no more.
    fn read(&mut self, item: Item, inner: impl FnOnce(&mut Self) -> Parsed<()>) {
        self.enter(item);
        if inner(self).is_err() {
            let name = [1, 2].into_iter().find_map(|after| self.name_at(item.start + after));
            if let Some(span) = name
                && self.names.declared(self.slice(span)) == Some(span)
            {
                self.names.settle(self.slice(span), Global::Broken);
            }
        }
    }

    /// Reads the kind of a declaration, and declares its name.
    fn head(&mut self, item: Item) -> Head {
        let broken = if item.whole { Global::Pending } else { Global::Broken };
        match (self.kind(), self.word_at(self.at)) {
            (Some(Kind::Sign("#")), _) => self.directive(broken),
            (_, "enum") => Head::Enumeration,
            (_, "var" | "hvar") => {
                // After `<Type>` if there is one.
                let typed = self.sign_at(self.at + 1) == "<";
                let name = self.name_at(self.at + if typed { 4 } else { 1 });
                name.map(|name| self.declare(name, broken));
                Head::Variable
            }
            (_, "channel") => {
                self.name_at(self.at + 1).map(|name| self.declare(name, broken));
                Head::Channel
            }
            (Some(Kind::Name), _) if matches!(self.sign_at(self.at + 1), "=" | "(") => {
                self.definition_head(item)
            }
            _ => {
                if item.whole {
                    self.no_declaration();
                }
                Head::Other
            }
        }
    }

    fn no_declaration(&mut self) {
        let starts = ["var", "hvar", "channel", "enum"];
        let word = self.word_at(self.at);
        let help = match near(word, starts.into_iter().chain(DIRECTIVES)) {
            Some(near) if DIRECTIVES.contains(&near) => format!("did you mean `#{near}`?"),
            Some(near) => format!("did you mean `{near}`?"),
            None => "declarations start with `#define`, `#assert`, `#alphabet`, `enum`, `var`, `channel`, or are `P(x) = …;`".to_owned(),
        };
        self.unexpected_with("a declaration", Some(&help));
    }

    fn directive(&mut self, global: Global) -> Head {
        let hash = self.span();
        let span = hash.to(self.tokens[(self.at + 1).min(self.end - 1)].span);
        match self.word_at(self.at + 1) {
            "define" => {
                self.name_at(self.at + 2).map(|name| self.declare(name, global));
                Head::Define
            }
            "assert" => Head::Assertion,
            "alphabet" => Head::Alphabet,
            "import" => {
                self.import(span);
                Head::Other
            }
            "include" => {
                // The file has been included, unless none is named.
                if !matches!(self.kind_at(self.at + 2), Some(Kind::Text)) {
                    self.note(
                        Diagnostic::error(codes::INCLUDE, "`#include` needs a file", span)
                            .label("no file is named")
                            .help("write `#include \"file.csp\";`"),
                    );
                }
                Head::Other
            }
            word => {
                let help = match near(word, DIRECTIVES) {
                    Some(near) => format!("did you mean `#{near}`?"),
                    None => "there are `#define`, `#assert` and `#alphabet`".to_owned(),
                };
                let message = format!("`#{word}` is no directive");
                self.note(
                    Diagnostic::error(codes::DIRECTIVE, message, span).label("unknown").help(help),
                );
                Head::Other
            }
        }
    }

    /// Declares a process and counts its parameters.
    fn definition_head(&mut self, item: Item) -> Head {
        let span = self.span();
        let id = DefinitionId::from_index(self.spec.definitions.len());
        let text = self.slice(span);
        if let Some(earlier) = self.names.define(text, id, span) {
            self.twice(text, span, earlier);
        }
        let mut arity = Some(0);
        if self.sign_at(self.at + 1) == "(" {
            let (open, close) = (self.at + 1, self.partners[self.at + 1]);
            arity = (close > open).then(|| self.listed(open + 1, close));
        }
        self.arities.push(arity);
        self.spec.definitions.push(Definition {
            name: Name { text: text.to_owned(), span },
            parameters: 0,
            locals: Vec::new(),
            // Replaced when it is read; if it cannot be, there is no tree.
            body: NodeId(0),
            alphabet: None,
            span: span.to(self.tokens[item.end - 1].span),
        });
        Head::Definition(id)
    }

    /// How many things are listed with commas from `at` to `close`.
    fn listed(&self, mut at: usize, close: usize) -> usize {
        let mut listed = usize::from(at < close);
        while at < close {
            listed += usize::from(self.sign_at(at) == ",");
            at = self.partners[at] + 1;
        }
        listed
    }

    fn process_definition(&mut self, id: DefinitionId) -> Parsed<()> {
        self.fresh();
        self.at += 1;
        if self.sees("(") {
            self.parameters()?;
        }
        let parameters = self.locals.len();
        if !self.takes("=") {
            return Err(self.unexpected("`=`"));
        }
        let body = self.process()?;
        self.end_of_item()?;
        let locals = std::mem::take(&mut self.locals);
        let definition = &mut self.spec.definitions[id.index()];
        (definition.parameters, definition.locals, definition.body) = (parameters, locals, body);
        Ok(())
    }

    fn parameters(&mut self) -> Parsed<()> {
        let close = self.partners[self.at];
        self.at += 1;
        while self.at < close {
            let name = self.name("a parameter")?;
            let text = self.slice(name.span);
            if let Some(earlier) = self.local(text) {
                let earlier = self.locals[earlier.index()].name.span;
                self.twice(text, name.span, earlier);
            }
            let bounds = if self.takes(":") { self.bounds()? } else { None };
            let ty = if bounds.is_some() { Type::Int } else { Type::Unknown };
            self.bind(name, LocalKind::Parameter(bounds), ty);
            if self.at < close {
                self.expect(",")?;
                if self.at == close {
                    return Err(self.unexpected("a parameter"));
                }
            }
        }
        self.at = close + 1;
        Ok(())
    }

    /// `#alphabet P {a, x:{0..2}@b.x};`, over the parameters of `P`.
    fn alphabet(&mut self) -> Parsed<()> {
        self.fresh();
        self.at += 2;
        let name = self.name("a process")?;
        let Some(id) = self.definition(name.span) else { return Ok(()) };
        let definition = &mut self.spec.definitions[id.index()];
        let known = std::mem::take(&mut definition.locals);
        for local in &known[..definition.parameters.min(known.len())] {
            let ty = if matches!(local.kind, LocalKind::Parameter(Some(_))) {
                Type::Int
            } else {
                Type::Unknown
            };
            self.bind(local.name.clone(), local.kind, ty);
        }
        // New ids come after those that the body has used.
        let visible = self.visible();
        for local in known.iter().skip(visible) {
            self.locals.push(local.clone());
            self.types.push(Type::Unknown);
        }
        let sets = self.bracketed("{", Self::event_sets);
        let locals = std::mem::take(&mut self.locals);
        let definition = &mut self.spec.definitions[id.index()];
        definition.locals = locals;
        let first = definition.alphabet.is_none();
        definition.alphabet = Some(sets?.unwrap_or_default());
        if !first {
            let earlier = definition.name.span;
            let what = format!("the alphabet of {}", name.text);
            self.twice(&what, name.span, earlier);
        }
        self.end_of_item()
    }

    /// Gives each `// expect:` comment to the assertion on whose last line it stands, or else to
    /// the one that follows it with nothing between but comments.
    fn attach(&mut self, remarks: Vec<Fragment>) {
        let text = self.text;
        for remark in remarks {
            let at = remark.span.start;
            let next = self.spec.assertions.partition_point(|assertion| assertion.span.start < at);
            let beside = next.checked_sub(1).filter(|&before| {
                let end = self.spec.assertions[before].span.end;
                end <= at && !text[end..at].contains('\n')
            });
            let above = || {
                let following = self.spec.assertions.get(next)?;
                let token = self.tokens.partition_point(|token| token.span.start < at);
                let first: Span = self.tokens.get(token)?.span;
                (first.start == following.span.start).then_some(next)
            };
            match beside.or_else(above) {
                Some(assertion) => self.spec.assertions[assertion].remarks.push(remark),
                None => self.spec.stray_remarks.push(remark),
            }
        }
    }
}
