//! Text to [`Model`]. The grammar and the table of error codes are in [`super`].

use fairly_source::{Diagnostic, Span};
use fairly_system::{Annotation, Event, EventId, EventKind, FaultKind};

use super::lexer::{Kind, Token, tokens};
use crate::expression::{Expr, Pick};
use crate::ids::{LocationId, SlotId, TemplateId, VariableId};
use crate::model::{Atomicity, Exit, Model};
use crate::process::{
    Communication, Edge, Gathering, Label, Location, Order, Slot, Statement, StatementKind, Target,
    Template,
};
use crate::shown::{Kind as Shows, Part, Shown};
use crate::variable::{Channel, Overflow, Range, Storage, Variable, WhenFull};
use crate::verify::NESTING;

/// How many errors of one text are reported.
pub const MOST_ERRORS: usize = 100;

/// The text ends too early.
const EARLY: &str = "E0905";

const ITEMS: [&str; 7] =
    ["event", "gather", "variable", "channel", "template", "slot", "proposition"];

/// Reads a model. Whether it makes sense is asked by [`verify()`](crate::verify()).
///
/// # Errors
/// The errors, in the order of the text; see the table of [this module](super). At least one.
///
/// ```
/// let wrong = fairly_model::text::parse("model atomicity none, exit any").unwrap_err();
/// assert_eq!((wrong.len(), wrong[0].code), (1, "E0904"));
/// ```
pub fn parse(text: &str) -> Result<Model, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let tokens = tokens(text, &mut errors, MOST_ERRORS);
    if !errors.is_empty() {
        // A quote that is not closed would make the rest of its line wrong as well.
        return Err(errors);
    }
    let model = Model { events: Vec::new(), ..Model::new() };
    let mut parser = Parser { text, tokens, at: 0, depth: 0, blocks: 0, model, errors };
    parser.whole();
    let Parser { model, mut errors, .. } = parser;
    if errors.is_empty() {
        return Ok(model);
    }
    errors.sort_by_key(|wrong| wrong.span);
    errors.truncate(MOST_ERRORS);
    Err(errors)
}

/// The error has been put with the others.
#[derive(Debug)]
pub(super) struct ParseError;

pub(super) type Parsed<T> = Result<T, ParseError>;

pub(super) struct Parser<'t> {
    text: &'t str,
    /// The last is the end.
    tokens: Vec<Token>,
    at: usize,
    /// How many brackets and blocks are open.
    depth: u32,
    /// How many blocks of statements are open.
    blocks: u32,
    model: Model,
    errors: Vec<Diagnostic>,
}

/// Looking at tokens.
impl<'t> Parser<'t> {
    pub(super) fn kind(&self) -> &Kind {
        &self.tokens[self.at].kind
    }

    pub(super) fn kind_after(&self) -> &Kind {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].kind
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The word that comes next; empty if none does.
    pub(super) fn word(&self) -> &'t str {
        let Span { start, end } = self.span();
        if *self.kind() == Kind::Word { &self.text[start..end] } else { "" }
    }

    pub(super) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub(super) fn sees(&self, sign: &str) -> bool {
        matches!(self.kind(), Kind::Sign(other) if *other == sign)
    }

    pub(super) fn takes(&mut self, sign: &str) -> bool {
        let sees = self.sees(sign);
        if sees {
            self.advance();
        }
        sees
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let sees = self.word() == word;
        if sees {
            self.advance();
        }
        sees
    }

    pub(super) fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.takes(sign) { Ok(()) } else { self.expected(&format!("`{sign}`")) }
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.takes_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    /// One of the words, by what it stands for.
    fn one_of<T: Copy>(&mut self, words: &[(&str, T)]) -> Parsed<T> {
        let word = self.word();
        if let Some(&(_, value)) = words.iter().find(|(other, _)| *other == word) {
            self.advance();
            return Ok(value);
        }
        let words: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
        self.expected(&words.join(" or "))
    }

    fn wrong<T>(&mut self, error: Diagnostic) -> Parsed<T> {
        // A bracket that closes two blocks is wrong once; and where a line was skipped, its brackets are
        // missing at the end.
        let known = self.errors.last().is_some_and(|last| last.span == error.span);
        if !known && (self.errors.is_empty() || error.code != EARLY) {
            self.errors.push(error);
        }
        Err(ParseError)
    }

    pub(super) fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let error = match self.kind() {
            Kind::End => Diagnostic::error(EARLY, "the text ends too early", self.span()),
            _ => Diagnostic::error("E0904", "this cannot stand here", self.span()),
        };
        self.wrong(error.label(format!("expected {what}")))
    }

    fn too_large<T>(&mut self, span: Span) -> Parsed<T> {
        self.wrong(Diagnostic::error("E0903", "a number that is too large", span))
    }

    pub(super) fn number<T: TryFrom<u64>>(&mut self) -> Parsed<T> {
        let &Kind::Number(number) = self.kind() else { return self.expected("a number") };
        let span = self.span();
        self.advance();
        match T::try_from(number) {
            Ok(number) => Ok(number),
            Err(_) => self.too_large(span),
        }
    }

    pub(super) fn integer(&mut self) -> Parsed<i64> {
        let start = self.span();
        let negative = self.takes("-");
        let span = start.to(self.span());
        let size: u64 = self.number()?;
        let value =
            if negative { 0i64.checked_sub_unsigned(size) } else { i64::try_from(size).ok() };
        match value {
            Some(value) => Ok(value),
            None => self.too_large(span),
        }
    }

    /// Integers with commas between them, perhaps none.
    fn integers(&mut self) -> Parsed<Vec<i64>> {
        let mut all = Vec::new();
        while self.sees("-") || matches!(self.kind(), Kind::Number(_)) {
            all.push(self.integer()?);
            if !self.takes(",") {
                break;
            }
        }
        Ok(all)
    }

    fn name(&mut self) -> Parsed<String> {
        let name = match self.kind() {
            Kind::Quoted(name) => name.clone(),
            Kind::Word => self.word().to_owned(),
            _ => return self.expected("a name"),
        };
        self.advance();
        Ok(name)
    }

    /// The number of the id that comes next, if one with this letter does.
    pub(super) fn sees_id(&self, letter: char) -> Option<u32> {
        let digits = self.word().strip_prefix(letter)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
    }

    pub(super) fn id(&mut self, letter: char) -> Parsed<u32> {
        let Some(id) = self.sees_id(letter) else {
            return self.expected(&format!("`{letter}` with a number"));
        };
        self.advance();
        Ok(id)
    }

    /// The id of something new, which is the next free one.
    fn next_id(&mut self, letter: char, next: usize) -> Parsed<()> {
        let span = self.span();
        let id = self.id(letter)?;
        // After an error, what it swallowed is missing and all later ids are off.
        if id as usize == next || !self.errors.is_empty() {
            return Ok(());
        }
        let error = Diagnostic::error("E0908", format!("`{letter}{id}` is out of order"), span);
        self.wrong(error.label(format!("`{letter}{next}` is the next one")))
    }

    /// Several of something with commas between them, up to the closing bracket.
    pub(super) fn several<T>(
        &mut self,
        close: &str,
        mut one: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut all = Vec::new();
        if self.takes(close) {
            return Ok(all);
        }
        loop {
            all.push(one(self)?);
            if self.takes(close) {
                return Ok(all);
            }
            if !self.takes(",") {
                return self.expected(&format!("`,` or `{close}`"));
            }
        }
    }

    pub(super) fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        self.check_depth(self.depth)
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Whether an expression may be this high where it stands.
    pub(super) fn check_height(&mut self, height: u32) -> Parsed<()> {
        self.check_depth(self.blocks.saturating_add(height))
    }

    fn check_depth(&mut self, depth: u32) -> Parsed<()> {
        if depth <= NESTING {
            return Ok(());
        }
        let message = format!("nested deeper than {NESTING} levels");
        self.wrong(Diagnostic::error("E0909", message, self.span()))
    }

    fn place_in_source(&mut self) -> Parsed<Option<Span>> {
        if !self.takes("@") {
            return Ok(None);
        }
        let start = self.number()?;
        self.expect("..")?;
        Ok(Some(Span::new(start, self.number()?)))
    }

    /// Goes to the start of the next line after something that began at `start` and went wrong.
    fn recover(&mut self, start: usize) {
        (self.depth, self.blocks) = (0, 0);
        if self.errors.len() >= MOST_ERRORS {
            self.at = self.tokens.len() - 1;
        }
        if self.at == start {
            self.advance();
        }
        while !self.tokens[self.at].leads {
            self.advance();
        }
    }
}

/// Items.
impl Parser<'_> {
    fn whole(&mut self) {
        if self.header().is_err() {
            self.recover(self.at);
        }
        while *self.kind() != Kind::End {
            let start = self.at;
            if self.item().is_err() {
                self.recover(start);
            }
        }
    }

    fn header(&mut self) -> Parsed<()> {
        if !self.takes_word("model") {
            let error = Diagnostic::error("E0906", "this is no model", self.span());
            return self.wrong(error.label("expected `model`"));
        }
        self.expect_word("atomicity")?;
        let atomicities = [("priority", Atomicity::Priority), ("exclusive", Atomicity::Exclusive)];
        self.model.atomicity = self.one_of(&atomicities)?;
        self.expect(",")?;
        self.expect_word("exit")?;
        self.model.exit = self.one_of(&[("any", Exit::Any), ("last_first", Exit::LastFirst)])?;
        Ok(())
    }

    fn item(&mut self) -> Parsed<()> {
        let span = self.span();
        let word = self.word();
        if !ITEMS.contains(&word) {
            let known: Vec<String> = ITEMS.iter().map(|item| format!("`{item}`")).collect();
            let error = Diagnostic::error("E0907", "this starts no part of a model", span);
            return self.wrong(error.help(format!("parts start with {}", known.join(", "))));
        }
        self.advance();
        match word {
            "event" => self.event(),
            "gather" => {
                let event = EventId(self.id('e')?);
                self.expect(":")?;
                let gathering = self.gathering()?;
                self.model.gatherings.push((event, gathering));
                Ok(())
            }
            "variable" => {
                self.next_id('g', self.model.variables.len())?;
                let variable = self.variable()?;
                self.model.variables.push(variable);
                Ok(())
            }
            "channel" => self.channel(),
            "template" => self.template(),
            "slot" => self.slot(),
            _ => {
                let name = self.name()?;
                self.expect(":")?;
                let condition = self.expr()?;
                self.model.propositions.push((name, condition));
                Ok(())
            }
        }
    }

    fn event(&mut self) -> Parsed<()> {
        self.next_id('e', self.model.events.len())?;
        let name = self.name()?;
        self.expect(":")?;
        let kind = self.one_of(&[
            ("idle", EventKind::Idle),
            ("visible", EventKind::Visible),
            ("internal", EventKind::Internal),
            ("termination", EventKind::Termination),
        ])?;
        self.model.events.push(Event { name, kind });
        Ok(())
    }

    fn gathering(&mut self) -> Parsed<Gathering> {
        self.enter()?;
        let gathering = match self.word() {
            word @ ("all" | "one") => {
                self.advance();
                self.expect("(")?;
                let parts = self.several(")", Parser::gathering)?;
                if word == "all" { Gathering::All(parts) } else { Gathering::One(parts) }
            }
            _ => Gathering::Slot(SlotId(self.id('p')?)),
        };
        self.leave();
        Ok(gathering)
    }

    fn range(&mut self) -> Parsed<(Range, Overflow)> {
        let overflow = if self.takes_word("wrap") {
            Overflow::Wrap
        } else if self.takes_word("limit") {
            Overflow::Limit
        } else {
            Overflow::Fault
        };
        let low = self.integer()?;
        self.expect("..")?;
        Ok((Range::new(low, self.integer()?), overflow))
    }

    fn variable(&mut self) -> Parsed<Variable> {
        let name = self.name()?;
        let mut length = None;
        if self.takes("[") {
            length = Some(self.number()?);
            self.expect("]")?;
        }
        let count = if self.takes_word("count") { Some(VariableId(self.id('g')?)) } else { None };
        self.expect(":")?;
        let scratch = self.takes_word("scratch");
        let storage = if scratch { Storage::Scratch } else { Storage::State };
        let (range, overflow) = self.range()?;
        self.expect("=")?;
        let initial = self.integers()?;
        let mut shown = Shown::default();
        if self.takes_word("shown") {
            shown.kind = self.shown_kind()?;
        }
        if self.takes_word("parts") {
            self.expect("(")?;
            shown.parts = self.several(")", Parser::part)?;
        }
        let span = self.place_in_source()?;
        Ok(Variable { name, range, overflow, length, count, initial, storage, shown, span })
    }

    fn shown_kind(&mut self) -> Parsed<Shows> {
        if self.takes("(") {
            return Ok(Shows::Named(self.several(")", Parser::name)?.into()));
        }
        let kind = match self.word() {
            "number" => Shows::Number,
            "truth" => Shows::Truth,
            "channel" => Shows::Channel,
            _ => return self.expected("`number`, `truth`, `channel` or names in brackets"),
        };
        self.advance();
        Ok(kind)
    }

    fn part(&mut self) -> Parsed<Part> {
        let name = self.name()?;
        let mut lengths = Vec::new();
        while self.takes("[") {
            lengths.push(self.number()?);
            self.expect("]")?;
        }
        Ok(Part { name, lengths })
    }

    fn channel(&mut self) -> Parsed<()> {
        self.next_id('c', self.model.channels.len())?;
        let name = self.name()?;
        let lose = self.takes_word("lose");
        let when_full = if lose { WhenFull::Lose } else { WhenFull::Wait };
        let mut owner = None;
        if self.takes_word("of") {
            owner = Some((SlotId(self.id('p')?), TemplateId(self.id('t')?)));
        }
        self.expect_word("capacity")?;
        let capacity = self.number()?;
        self.expect(":")?;
        self.expect("(")?;
        let cells = self.several(")", Parser::range)?;
        let mut kinds = Vec::new();
        if self.takes_word("shown") {
            self.expect("(")?;
            kinds = self.several(")", Parser::shown_kind)?;
        }
        let span = self.place_in_source()?;
        self.model.channels.push(Channel { name, capacity, cells, kinds, when_full, owner, span });
        Ok(())
    }

    fn slot(&mut self) -> Parsed<()> {
        self.next_id('p', self.model.slots.len())?;
        let name = self.name()?;
        self.expect(":")?;
        let mut templates = Vec::new();
        while let Some(template) = self.sees_id('t') {
            self.advance();
            templates.push(TemplateId(template));
            if !self.takes(",") {
                break;
            }
        }
        let mut start = None;
        if self.takes_word("start") {
            let template = TemplateId(self.id('t')?);
            self.expect("(")?;
            let arguments = self.several(")", Parser::integer)?;
            start = Some((template, arguments));
        }
        let mut renamed = Vec::new();
        if self.takes_word("rename") {
            loop {
                let name = self.name()?;
                self.expect_word("to")?;
                renamed.push((name, EventId(self.id('e')?)));
                if !self.takes(",") {
                    break;
                }
            }
        }
        self.model.slots.push(Slot { name, templates, start, renamed });
        Ok(())
    }
}

/// Templates.
impl Parser<'_> {
    fn template(&mut self) -> Parsed<()> {
        self.next_id('t', self.model.templates.len())?;
        let name = self.name()?;
        self.expect_word("parameters")?;
        let parameters = self.number()?;
        let span = self.place_in_source()?;
        self.expect("{")?;
        let (locals, locations, start) = (Vec::new(), Vec::new(), Vec::new());
        let mut template = Template { name, locals, parameters, locations, start, span };
        while !self.takes("}") {
            // The next item, or the end: the block is not closed, and saying so once is enough.
            if *self.kind() == Kind::End || ITEMS.contains(&self.word()) {
                return self.expected("`}`");
            }
            let start = self.at;
            if self.member(&mut template).is_err() {
                self.recover(start);
            }
        }
        self.model.templates.push(template);
        Ok(())
    }

    fn member(&mut self, template: &mut Template) -> Parsed<()> {
        if self.takes_word("local") {
            self.next_id('l', template.locals.len())?;
            template.locals.push(self.variable()?);
            return Ok(());
        }
        if self.takes_word("begin") {
            template.start = self.block()?;
            return Ok(());
        }
        if !self.takes_word("location") {
            return self.expected("`local`, `begin`, `location` or `}`");
        }
        self.next_id('q', template.locations.len())?;
        let name = self.name()?;
        let atomic = self.takes_word("atomic");
        let may_end = self.takes_word("ends");
        let mut labels = Vec::new();
        if self.takes_word("labels") {
            self.expect("(")?;
            labels = self.several(")", Parser::name)?;
        }
        let span = self.place_in_source()?;
        let edges = if self.takes_word("unexplored") { None } else { Some(self.edges()?) };
        template.locations.push(Location { name, edges, atomic, may_end, labels, span });
        Ok(())
    }

    fn edges(&mut self) -> Parsed<Vec<Edge>> {
        self.expect("{")?;
        let mut edges = Vec::new();
        while !self.takes("}") {
            let word = self.word();
            let outside = ITEMS.contains(&word) || ["local", "begin", "location"].contains(&word);
            if *self.kind() == Kind::End || outside {
                return self.expected("`}`");
            }
            let start = self.at;
            match self.edge() {
                Ok(edge) => edges.push(edge),
                Err(ParseError) => self.recover(start),
            }
        }
        Ok(edges)
    }

    fn edge(&mut self) -> Parsed<Edge> {
        if !self.takes("->") {
            return self.expected("`->` or `}`");
        }
        let target = match self.takes_word("exit") {
            true => Target::Exit,
            false => Target::Location(LocationId(self.id('q')?)),
        };
        let guard = if self.takes_word("if") { self.expr()? } else { Expr::TRUE };
        let rank = if self.takes_word("rank") { self.number()? } else { 0 };
        let hold = self.takes_word("hold");
        let communication = self.communication()?;
        self.expect_word("on")?;
        let label = self.label()?;
        let annotation = Annotation::named(self.word());
        if annotation.is_some() {
            self.advance();
        }
        let effect = if self.takes_word("do") { self.block()? } else { Vec::new() };
        self.expect_word("as")?;
        let name = self.name()?;
        let span = self.place_in_source()?;
        Ok(Edge { target, guard, rank, hold, communication, label, annotation, effect, name, span })
    }

    fn communication(&mut self) -> Parsed<Communication> {
        if self.takes_word("send") {
            let order = self.order();
            let channel = self.expr()?;
            return Ok(Communication::Send { channel, message: self.exprs()?, order });
        }
        if self.takes_word("receive") {
            let (pick, keep) = self.how();
            let channel = self.expr()?;
            return Ok(Communication::Receive { channel, pattern: self.pattern()?, pick, keep });
        }
        Ok(Communication::None)
    }

    fn order(&mut self) -> Order {
        if self.takes_word("sorted") { Order::Sorted } else { Order::Fifo }
    }

    fn how(&mut self) -> (Pick, bool) {
        let pick = if self.takes_word("first") { Pick::First } else { Pick::Head };
        (pick, self.takes_word("keep"))
    }

    fn label(&mut self) -> Parsed<Label> {
        if self.takes_word("message") {
            return Ok(Label::Message);
        }
        if self.takes_word("data") {
            let family = self.name()?;
            return Ok(Label::Data { family, values: self.exprs()? });
        }
        match self.sees_id('e') {
            Some(event) => {
                self.advance();
                Ok(Label::Event(EventId(event)))
            }
            None => self.expected("`e` with a number, `message` or `data`"),
        }
    }

    fn block(&mut self) -> Parsed<Vec<Statement>> {
        self.expect("{")?;
        let mut statements = Vec::new();
        if self.takes("}") {
            return Ok(statements);
        }
        self.enter()?;
        self.blocks += 1;
        loop {
            let kind = self.statement()?;
            let span = self.place_in_source()?;
            statements.push(Statement { kind, span });
            if self.takes("}") {
                break;
            }
            if !self.takes(";") {
                return self.expected("`;` or `}`");
            }
        }
        self.blocks -= 1;
        self.leave();
        Ok(statements)
    }

    fn statement(&mut self) -> Parsed<StatementKind> {
        let word = self.word();
        if !["skip", "if", "while", "assert", "limit", "start", "put", "take"].contains(&word) {
            return self.assign();
        }
        self.advance();
        Ok(match word {
            "skip" => StatementKind::Assign(Vec::new()),
            "if" => {
                let condition = self.expr()?;
                let then = self.block()?;
                let otherwise = if self.takes_word("else") { self.block()? } else { Vec::new() };
                StatementKind::If { condition, then, otherwise }
            }
            "while" => StatementKind::While { condition: self.expr()?, body: self.block()? },
            "assert" | "limit" => {
                let kind = if word == "limit" { FaultKind::Limit } else { FaultKind::Error };
                let condition = self.expr()?;
                let says = self.takes_word("else");
                let message = if says { self.name()? } else { String::new() };
                StatementKind::Assert { condition, message, kind }
            }
            "start" => {
                let template = TemplateId(self.id('t')?);
                let arguments = self.exprs()?;
                let slot = if self.takes_word("into") { Some(self.place()?) } else { None };
                StatementKind::Start { template, arguments, slot }
            }
            "put" => {
                let order = self.order();
                StatementKind::Put { channel: self.expr()?, message: self.exprs()?, order }
            }
            _ => {
                let (pick, keep) = self.how();
                let (channel, pattern) = (self.expr()?, self.pattern()?);
                self.expect_word("into")?;
                self.expect("(")?;
                let into = self.several(")", |parser| match parser.takes("_") {
                    true => Ok(None),
                    false => Ok(Some(parser.place()?)),
                })?;
                StatementKind::Take { channel, pattern, into, pick, keep }
            }
        })
    }

    fn assign(&mut self) -> Parsed<StatementKind> {
        let mut places = vec![self.place()?];
        while self.takes(",") {
            places.push(self.place()?);
        }
        let span = self.span();
        self.expect(":=")?;
        let mut values = vec![self.expr()?];
        while self.takes(",") {
            values.push(self.expr()?);
        }
        let (left, right) = (places.len(), values.len());
        if left != right {
            let error = Diagnostic::error("E0910", "not as many values as places", span);
            return self.wrong(error.label(format!("{left} places, {right} values")));
        }
        Ok(StatementKind::Assign(places.into_iter().zip(values).collect()))
    }
}
