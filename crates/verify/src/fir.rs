//! Models in their text form, `.fir`, as the verifier reads them.
//!
//! The grammar is that of the module `text` of the crate `fairly-model`; names of variables, sources and kinds
//! of values, which only matter where a model is shown, are read over. Ids are checked where they are used, so
//! that an id out of range is an error and never another thing.

use crate::rejected::{Rejected, Rule, reject};
use crate::tokens::{Token, tokens};

/// An expression: an operator and its operands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expr {
    pub(crate) op: Op,
    pub(crate) args: Vec<Expr>,
    /// How deep it is nested.
    depth: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Op {
    Const(i64),
    /// A cell of a message that matches whatever it is.
    Any,
    /// A variable; its operands are an index, if any, and before it the slot of one of another process.
    Load(Scope),
    Received(usize),
    Unary(Unary),
    Binary(Binary),
    Conditional,
    /// The operand, which is at least 0 and less than the length.
    Checked(i64),
    Query(Query),
    /// Whether a channel, the first operand, has a message with these cells: among all, or the first one only.
    Poll {
        first: bool,
    },
    /// Whether the process in a slot is of a template and at one of these locations.
    At(usize, Vec<usize>),
    Own,
    Running,
    Last,
    Timeout,
    Executable,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scope {
    Global(usize),
    Local(usize),
    /// A variable of the process in a slot, if it is of this template.
    Remote(usize, usize),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Unary {
    Not,
    Negate,
    Complement,
    Int,
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[rustfmt::skip]
pub(crate) enum Binary {
    Or, And, BitOr, BitXor, BitAnd, Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, ShiftLeft,
    ShiftRight, Add, Subtract, Multiply, Divide, Remainder, Modulo,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Query {
    Length,
    Empty,
    Full,
    Capacity,
}

/// What leaving a range is: an error of the model, a limit of the tool, or nothing, as the value is taken modulo
/// the size of the range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Overflow {
    Error,
    Limit,
    Wrap,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) low: i64,
    pub(crate) high: i64,
    pub(crate) overflow: Overflow,
}

#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) cells: usize,
    pub(crate) range: Range,
    pub(crate) initial: Vec<i64>,
    /// Whether it is no part of the state, and has its initial value at the start of every action.
    pub(crate) scratch: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Channel {
    pub(crate) name: String,
    pub(crate) loses: bool,
    pub(crate) owner: Option<(usize, usize)>,
    pub(crate) capacity: usize,
    pub(crate) cells: Vec<Range>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Idle,
    Visible,
    Internal,
    Termination,
}

#[derive(Clone, Debug)]
pub(crate) enum Gathering {
    Slot(usize),
    All(Vec<Gathering>),
    One(Vec<Gathering>),
}

#[derive(Clone, Debug)]
pub(crate) enum Label {
    Event(usize),
    Data(String, Vec<Expr>),
    Message,
}

#[derive(Clone, Debug)]
pub(crate) enum Communication {
    None,
    Send { channel: Expr, message: Vec<Expr>, sorted: bool },
    Receive { channel: Expr, pattern: Vec<Expr>, first: bool, keep: bool },
}

#[derive(Clone, Debug)]
pub(crate) struct Edge {
    /// The location it leads to; `None` if the process leaves its slot.
    pub(crate) target: Option<usize>,
    pub(crate) guard: Expr,
    pub(crate) rank: u8,
    pub(crate) hold: bool,
    pub(crate) communication: Communication,
    pub(crate) label: Label,
    /// `wf`, `sf`, `wl` or `sl`.
    pub(crate) annotation: Option<String>,
    pub(crate) effect: Vec<Statement>,
    /// Whether it receives and its guard is about the message.
    pub(crate) reads_received: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Assign(Vec<(Expr, Expr)>),
    If(Expr, Vec<Statement>, Vec<Statement>),
    While(Expr, Vec<Statement>),
    /// A condition, and whether it is a limit of the tool that it holds.
    Assert(Expr, bool),
    Start {
        template: usize,
        arguments: Vec<Expr>,
        slot: Option<Expr>,
    },
    Put {
        channel: Expr,
        message: Vec<Expr>,
        sorted: bool,
    },
    Take {
        channel: Expr,
        pattern: Vec<Expr>,
        into: Vec<Option<Expr>>,
        first: bool,
        keep: bool,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Location {
    pub(crate) edges: Vec<Edge>,
    pub(crate) atomic: bool,
    pub(crate) may_end: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Template {
    pub(crate) locals: Vec<Variable>,
    pub(crate) locations: Vec<Location>,
    /// First statements of a new process.
    pub(crate) begin: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) templates: Vec<usize>,
    pub(crate) start: Option<(usize, Vec<i64>)>,
    pub(crate) renamed: Vec<(String, usize)>,
}

/// A model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    /// Whether atomicity is that of Promela: the process that holds moves.
    pub(crate) exclusive: bool,
    /// Whether a process leaves its slot only when those behind are free.
    pub(crate) last_first: bool,
    pub(crate) events: Vec<(String, Kind)>,
    pub(crate) gatherings: Vec<(usize, Gathering)>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) templates: Vec<Template>,
    pub(crate) slots: Vec<Slot>,
    /// Each with its name, and as it is written.
    pub(crate) propositions: Vec<(String, Expr, String)>,
    /// Whether an edge holds, so that the state says who does.
    pub(crate) holds: bool,
    /// Whether something reads who moved last, so that the state says who did.
    pub(crate) reads_last: bool,
}

impl Expr {
    /// Whether it is true of the operator of the expression or of one inside it.
    pub(crate) fn any(&self, is: &impl Fn(&Op) -> bool) -> bool {
        is(&self.op) || self.args.iter().any(|inner| inner.any(is))
    }
}

/// How deep expressions, statements and gatherings may be nested.
const NESTING: u32 = 1200;
/// How long a name may be from which names of events are made: each of these is kept.
const LONGEST: usize = 1000;

/// Operators with two operands, and how tightly they bind.
#[rustfmt::skip]
const OPERATORS: [(Binary, &str, u8); 19] = [
    (Binary::Or, "||", 1), (Binary::And, "&&", 2), (Binary::BitOr, "|", 3), (Binary::BitXor, "^", 4),
    (Binary::BitAnd, "&", 5), (Binary::Equal, "==", 6), (Binary::NotEqual, "!=", 6), (Binary::Less, "<", 7),
    (Binary::LessEqual, "<=", 7), (Binary::Greater, ">", 7), (Binary::GreaterEqual, ">=", 7),
    (Binary::ShiftLeft, "<<", 8), (Binary::ShiftRight, ">>", 8), (Binary::Add, "+", 9),
    (Binary::Subtract, "-", 9), (Binary::Multiply, "*", 10), (Binary::Divide, "/", 10),
    (Binary::Remainder, "%", 10), (Binary::Modulo, "mod", 10),
];

/// Words that begin an expression in brackets.
const CALLS: [(&str, Op); 6] = [
    ("length", Op::Query(Query::Length)),
    ("empty", Op::Query(Query::Empty)),
    ("full", Op::Query(Query::Full)),
    ("capacity", Op::Query(Query::Capacity)),
    ("executable", Op::Executable),
    ("checked", Op::Checked(0)),
];

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    depth: u32,
    model: Model,
    /// Whether what is being read is about a message that is received.
    reads_received: bool,
}

type Parsed<T> = Result<T, Rejected>;

/// Reads a model.
pub(crate) fn parse(text: &str) -> Parsed<Model> {
    let (tokens, model) = (tokens(text)?, Model::default());
    let mut parser = Parser { tokens, at: 0, depth: 0, model, reads_received: false };
    parser.words(&["model", "atomicity"])?;
    parser.model.exclusive = parser.one_of(&["priority", "exclusive"])? == 1;
    parser.expect(",")?;
    parser.words(&["exit"])?;
    parser.model.last_first = parser.one_of(&["any", "last_first"])? == 1;
    while *parser.peek() != Token::End {
        parser.item()?;
    }
    let mut model = parser.model;
    model.holds &= model.exclusive;
    if model.events.first().is_none_or(|(_, kind)| *kind != Kind::Idle) {
        return reject(Rule::Model, "the first event is not the one of the idle step");
    }
    Ok(model)
}

/// Words, signs, numbers and names.
impl<'a> Parser<'a> {
    fn peek(&self) -> &Token<'a> {
        self.tokens.get(self.at).unwrap_or(&Token::End)
    }

    fn word(&self) -> &'a str {
        match self.peek() {
            Token::Word(word) => word,
            _ => "",
        }
    }

    fn fail<T>(&self, wanted: &str) -> Parsed<T> {
        let found = self.peek();
        reject(Rule::Model, format!("token {}: {wanted} is expected, not {found:?}", self.at))
    }

    fn takes(&mut self, sign: &str) -> bool {
        let is = matches!(self.peek(), Token::Sign(found) if *found == sign);
        self.at += usize::from(is);
        is
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is = self.word() == word;
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.takes(sign) { Ok(()) } else { self.fail(sign) }
    }

    fn words(&mut self, words: &[&str]) -> Parsed<()> {
        for word in words {
            if !self.takes_word(word) {
                return self.fail(word);
            }
        }
        Ok(())
    }

    /// The position of the word among some.
    fn one_of(&mut self, words: &[&str]) -> Parsed<usize> {
        match words.iter().position(|word| self.takes_word(word)) {
            Some(at) => Ok(at),
            None => self.fail(&words.join(" or ")),
        }
    }

    fn name(&mut self) -> Parsed<String> {
        let name = match self.peek() {
            Token::Word(name) => (*name).to_owned(),
            Token::Quoted(name) => name.clone(),
            _ => return self.fail("a name"),
        };
        self.at += 1;
        Ok(name)
    }

    /// A name from which names of events are made.
    fn short_name(&mut self) -> Parsed<String> {
        let name = self.name()?;
        if name.len() > LONGEST { reject(Rule::Limit, "a name is too long") } else { Ok(name) }
    }

    fn number(&mut self) -> Parsed<u64> {
        match *self.peek() {
            Token::Number(number) => {
                self.at += 1;
                Ok(number)
            }
            _ => self.fail("a number"),
        }
    }

    /// A number that fits 32 bits, as lengths and positions do.
    fn small(&mut self) -> Parsed<usize> {
        match u32::try_from(self.number()?) {
            Ok(number) => Ok(number as usize),
            Err(_) => reject(Rule::Model, "a length or position is too large"),
        }
    }

    fn integer(&mut self) -> Parsed<i64> {
        let minus = self.takes("-");
        let number = i128::from(self.number()?);
        i64::try_from(if minus { -number } else { number })
            .or_else(|_| reject(Rule::Model, "a number is too large"))
    }

    /// The number of an id with this letter, if one comes next.
    fn takes_id(&mut self, letter: char) -> Option<usize> {
        let digits = self.word().strip_prefix(letter)?;
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let id = digits.parse::<u32>().ok().filter(|_| plain)?;
        self.at += 1;
        Some(id as usize)
    }

    fn id(&mut self, letter: char) -> Parsed<usize> {
        match self.takes_id(letter) {
            Some(id) => Ok(id),
            None => self.fail(&format!("an id `{letter}`")),
        }
    }

    /// The id of the next of its kind.
    fn next_id(&mut self, letter: char, next: usize) -> Parsed<()> {
        if self.id(letter)? == next { Ok(()) } else { reject(Rule::Model, "an id out of order") }
    }

    /// Items with a comma between them, up to a sign.
    fn several<T>(
        &mut self,
        end: &str,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.takes(end) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.takes(end) {
                return Ok(items);
            }
            self.expect(",")?;
        }
    }

    /// Items with a comma between them, one at least.
    fn some<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.takes(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Reads over where something is written.
    fn span(&mut self) -> Parsed<()> {
        if self.takes("@") {
            self.number()?;
            self.expect("..")?;
            self.number()?;
        }
        Ok(())
    }

    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        if self.depth > NESTING {
            return reject(Rule::Model, "something is nested too deep");
        }
        let result = inner(self);
        self.depth -= 1;
        result
    }
}

/// The parts of a model.
impl Parser<'_> {
    fn item(&mut self) -> Parsed<()> {
        let items = ["event", "gather", "variable", "channel", "template", "slot", "proposition"];
        match items[self.one_of(&items)?] {
            "event" => {
                self.next_id('e', self.model.events.len())?;
                let name = self.name()?;
                self.expect(":")?;
                let kinds = [Kind::Idle, Kind::Visible, Kind::Internal, Kind::Termination];
                let kind = self.one_of(&["idle", "visible", "internal", "termination"])?;
                self.model.events.push((name, kinds[kind]));
            }
            "gather" => {
                let event = self.id('e')?;
                self.expect(":")?;
                let gathering = self.gathering()?;
                self.model.gatherings.push((event, gathering));
            }
            "variable" => {
                self.next_id('g', self.model.variables.len())?;
                let variable = self.variable()?;
                self.model.variables.push(variable);
            }
            "channel" => {
                self.next_id('c', self.model.channels.len())?;
                let channel = self.channel()?;
                self.model.channels.push(channel);
            }
            "template" => {
                self.next_id('t', self.model.templates.len())?;
                let template = self.template()?;
                self.model.templates.push(template);
            }
            "slot" => {
                self.next_id('p', self.model.slots.len())?;
                let slot = self.slot()?;
                self.model.slots.push(slot);
            }
            _ => {
                let name = self.name()?;
                self.expect(":")?;
                let from = self.at;
                let condition = self.expr()?;
                let words = self.tokens[from..self.at].iter().map(|token| match token {
                    Token::Word(word) => (*word).to_owned(),
                    Token::Number(number) => number.to_string(),
                    Token::Sign(sign) => (*sign).to_owned(),
                    Token::Quoted(_) | Token::End => String::new(),
                });
                let text = words.collect::<Vec<_>>().join(" ");
                self.model.propositions.push((name, condition, text));
            }
        }
        Ok(())
    }

    fn gathering(&mut self) -> Parsed<Gathering> {
        let all = self.takes_word("all");
        if !all && !self.takes_word("one") {
            return Ok(Gathering::Slot(self.id('p')?));
        }
        self.expect("(")?;
        let parts = self.nested(|parser| parser.several(")", Self::gathering))?;
        Ok(if all { Gathering::All(parts) } else { Gathering::One(parts) })
    }

    fn range(&mut self) -> Parsed<Range> {
        let overflow = match (self.takes_word("wrap"), self.takes_word("limit")) {
            (true, _) => Overflow::Wrap,
            (_, true) => Overflow::Limit,
            _ => Overflow::Error,
        };
        let low = self.integer()?;
        self.expect("..")?;
        Ok(Range { low, high: self.integer()?, overflow })
    }

    fn variable(&mut self) -> Parsed<Variable> {
        self.name()?;
        let mut cells = 1;
        if self.takes("[") {
            cells = self.small()?;
            self.expect("]")?;
        }
        if self.takes_word("count") {
            self.id('g')?;
        }
        self.expect(":")?;
        let scratch = self.takes_word("scratch");
        let range = self.range()?;
        self.expect("=")?;
        let initial = self.some(Self::integer)?;
        if initial.len() != cells {
            return reject(Rule::Model, "a variable has not one initial value for each element");
        }
        if self.takes_word("shown") {
            self.shown()?;
        }
        if self.takes_word("parts") {
            self.expect("(")?;
            self.several(")", |parser| {
                parser.name()?;
                while parser.takes("[") {
                    parser.number()?;
                    parser.expect("]")?;
                }
                Ok(())
            })?;
        }
        self.span()?;
        Ok(Variable { cells, range, initial, scratch })
    }

    /// Reads over how values are shown.
    fn shown(&mut self) -> Parsed<()> {
        if self.takes("(") {
            return self.several(")", Self::name).map(drop);
        }
        self.one_of(&["number", "truth", "channel"]).map(drop)
    }

    fn channel(&mut self) -> Parsed<Channel> {
        let name = self.short_name()?;
        let loses = self.takes_word("lose");
        let owner = if self.takes_word("of") { Some((self.id('p')?, self.id('t')?)) } else { None };
        self.words(&["capacity"])?;
        let capacity = self.small()?;
        self.expect(":")?;
        self.expect("(")?;
        let cells = self.several(")", Self::range)?;
        if self.takes_word("shown") {
            self.expect("(")?;
            self.several(")", Self::shown)?;
        }
        self.span()?;
        Ok(Channel { name, loses, owner, capacity, cells })
    }

    fn slot(&mut self) -> Parsed<Slot> {
        self.name()?;
        self.expect(":")?;
        let templates = self.some(|parser| parser.id('t'))?;
        let mut start = None;
        if self.takes_word("start") {
            let template = self.id('t')?;
            self.expect("(")?;
            start = Some((template, self.several(")", Self::integer)?));
        }
        let mut renamed = Vec::new();
        if self.takes_word("rename") {
            renamed = self.some(|parser| {
                let name = parser.name()?;
                parser.words(&["to"])?;
                Ok((name, parser.id('e')?))
            })?;
        }
        Ok(Slot { templates, start, renamed })
    }

    fn template(&mut self) -> Parsed<Template> {
        self.name()?;
        self.words(&["parameters"])?;
        self.number()?;
        self.span()?;
        self.expect("{")?;
        let mut template = Template::default();
        while !self.takes("}") {
            match self.one_of(&["local", "begin", "location"])? {
                0 => {
                    self.next_id('l', template.locals.len())?;
                    template.locals.push(self.variable()?);
                }
                1 => template.begin = self.block()?,
                _ => {
                    self.next_id('q', template.locations.len())?;
                    template.locations.push(self.location()?);
                }
            }
        }
        if template.locations.is_empty() {
            return reject(Rule::Model, "a template has no location to start at");
        }
        Ok(template)
    }

    fn location(&mut self) -> Parsed<Location> {
        self.name()?;
        let (atomic, may_end) = (self.takes_word("atomic"), self.takes_word("ends"));
        if self.takes_word("labels") {
            self.expect("(")?;
            self.several(")", Self::name)?;
        }
        self.span()?;
        self.expect("{")?;
        let mut edges = Vec::new();
        while !self.takes("}") {
            edges.push(self.edge()?);
        }
        Ok(Location { edges, atomic, may_end })
    }

    fn edge(&mut self) -> Parsed<Edge> {
        self.expect("->")?;
        let target = if self.takes_word("exit") { None } else { Some(self.id('q')?) };
        self.reads_received = false;
        let guard = if self.takes_word("if") { self.expr()? } else { of(Op::Const(1), vec![]) };
        let reads_received = self.reads_received;
        let rank = if self.takes_word("rank") { self.number()? } else { 0 };
        let Ok(rank) = u8::try_from(rank) else {
            return reject(Rule::Model, "a rank is too large");
        };
        let hold = self.takes_word("hold");
        self.model.holds |= hold;
        let communication = if self.takes_word("send") {
            let sorted = self.takes_word("sorted");
            Communication::Send { sorted, channel: self.expr()?, message: self.exprs()? }
        } else if self.takes_word("receive") {
            let (first, keep) = (self.takes_word("first"), self.takes_word("keep"));
            Communication::Receive { channel: self.expr()?, pattern: self.exprs()?, first, keep }
        } else {
            Communication::None
        };
        self.words(&["on"])?;
        let label = if self.takes_word("message") {
            Label::Message
        } else if self.takes_word("data") {
            Label::Data(self.short_name()?, self.exprs()?)
        } else {
            Label::Event(self.id('e')?)
        };
        let annotation = ["wf", "sf", "wl", "sl"].into_iter().find(|word| self.takes_word(word));
        let annotation = annotation.map(str::to_owned);
        let effect = if self.takes_word("do") { self.block()? } else { Vec::new() };
        self.words(&["as"])?;
        self.name()?;
        self.span()?;
        let receives = matches!(communication, Communication::Receive { .. });
        let reads_received = receives && reads_received;
        #[rustfmt::skip]
        return Ok(Edge { target, guard, rank, hold, communication, label, annotation, effect, reads_received });
    }
}

/// Statements and expressions.
impl Parser<'_> {
    fn block(&mut self) -> Parsed<Vec<Statement>> {
        self.nested(|parser| {
            parser.expect("{")?;
            let mut statements = Vec::new();
            if parser.takes("}") {
                return Ok(statements);
            }
            loop {
                statements.push(parser.statement()?);
                parser.span()?;
                if parser.takes("}") {
                    return Ok(statements);
                }
                parser.expect(";")?;
            }
        })
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let word = self.word();
        self.at += 1;
        Ok(match word {
            "skip" => Statement::Assign(Vec::new()),
            "if" => {
                let (condition, then) = (self.expr()?, self.block()?);
                let otherwise = if self.takes_word("else") { self.block()? } else { Vec::new() };
                Statement::If(condition, then, otherwise)
            }
            "while" => Statement::While(self.expr()?, self.block()?),
            "assert" | "limit" => {
                let condition = self.expr()?;
                if self.takes_word("else") {
                    self.name()?;
                }
                Statement::Assert(condition, word == "limit")
            }
            "start" => {
                let (template, arguments) = (self.id('t')?, self.exprs()?);
                let slot = if self.takes_word("into") { Some(self.place()?) } else { None };
                Statement::Start { template, arguments, slot }
            }
            "put" => {
                let sorted = self.takes_word("sorted");
                Statement::Put { sorted, channel: self.expr()?, message: self.exprs()? }
            }
            "take" => {
                let (first, keep) = (self.takes_word("first"), self.takes_word("keep"));
                let (channel, pattern) = (self.expr()?, self.exprs()?);
                self.words(&["into"])?;
                self.expect("(")?;
                let into = self.several(")", |parser| match parser.takes("_") {
                    true => Ok(None),
                    false => Ok(Some(parser.place()?)),
                })?;
                Statement::Take { channel, pattern, into, first, keep }
            }
            _ => {
                self.at -= 1;
                let places = self.some(Self::place)?;
                self.expect(":=")?;
                let values = self.some(Self::expr)?;
                if places.len() != values.len() {
                    return reject(Rule::Model, "not as many values as places");
                }
                Statement::Assign(places.into_iter().zip(values).collect())
            }
        })
    }

    /// Expressions or the cells of a pattern, in brackets.
    fn exprs(&mut self) -> Parsed<Vec<Expr>> {
        self.expect("(")?;
        self.cells()
    }

    fn cells(&mut self) -> Parsed<Vec<Expr>> {
        self.several(")", |parser| match parser.takes("_") {
            true => Ok(of(Op::Any, vec![])),
            false => parser.expr(),
        })
    }

    fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|parser| {
            let condition = parser.binary(1)?;
            // Operators from the left make what is read first the deepest, and it may be in brackets again.
            if condition.depth > NESTING {
                return reject(Rule::Model, "something is nested too deep");
            }
            if !parser.takes("?") {
                return Ok(condition);
            }
            let yes = parser.expr()?;
            parser.expect(":")?;
            Ok(of(Op::Conditional, vec![condition, yes, parser.expr()?]))
        })
    }

    /// Operators that bind at least so tightly, from the left.
    fn binary(&mut self, least: u8) -> Parsed<Expr> {
        let mut left = self.unary()?;
        loop {
            let sign = match self.peek() {
                Token::Sign(sign) => sign,
                _ => self.word(),
            };
            let row = OPERATORS.iter().find(|(_, spelled, _)| *spelled == sign);
            let Some(&(operator, _, binds)) = row.filter(|row| row.2 >= least) else {
                return Ok(left);
            };
            self.at += 1;
            let right = self.nested(|parser| parser.binary(binds + 1))?;
            left = of(Op::Binary(operator), vec![left, right]);
        }
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let negates = matches!(self.tokens.get(self.at + 1), Some(Token::Number(_)));
        let operator = if self.takes("!") {
            Unary::Not
        } else if !negates && self.takes("-") {
            Unary::Negate
        } else if self.takes("~") {
            Unary::Complement
        } else if self.takes_word("int") {
            Unary::Int
        } else {
            return self.primary();
        };
        Ok(of(Op::Unary(operator), vec![self.nested(Self::unary)?]))
    }

    fn primary(&mut self) -> Parsed<Expr> {
        if matches!(self.peek(), Token::Sign("-") | Token::Number(_)) {
            return Ok(of(Op::Const(self.integer()?), vec![]));
        }
        if self.takes("(") {
            let inner = self.expr()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.takes("$") {
            self.reads_received = true;
            return Ok(of(Op::Received(self.small()?), vec![]));
        }
        let word = self.word();
        let rest = word.get(1..).unwrap_or_default();
        if word.starts_with(['g', 'l', 't']) && rest.parse::<u32>().is_ok() {
            return self.located();
        }
        self.at += 1;
        let plain = match word {
            "own" => Op::Own,
            "running" => Op::Running,
            "timeout" => Op::Timeout,
            "last" => {
                self.model.reads_last = true;
                Op::Last
            }
            "poll" | "poll_first" => {
                self.expect("(")?;
                let mut args = vec![self.expr()?];
                self.expect(";")?;
                args.append(&mut self.cells()?);
                return Ok(of(Op::Poll { first: word == "poll_first" }, args));
            }
            _ => {
                let Some((_, op)) = CALLS.into_iter().find(|(name, _)| *name == word) else {
                    return self.fail("an expression");
                };
                self.expect("(")?;
                let args = vec![self.expr()?];
                let op = match op {
                    Op::Checked(_) => {
                        self.expect(",")?;
                        Op::Checked(i64::try_from(self.small()?).unwrap_or(0))
                    }
                    op => op,
                };
                self.expect(")")?;
                return Ok(of(op, args));
            }
        };
        Ok(of(plain, vec![]))
    }

    /// A variable.
    fn place(&mut self) -> Parsed<Expr> {
        let place = self.located()?;
        if matches!(place.op, Op::Load(_)) { Ok(place) } else { self.fail("a variable") }
    }

    /// A variable, or where another process is.
    fn located(&mut self) -> Parsed<Expr> {
        let mut args = Vec::new();
        let scope = if let Some(id) = self.takes_id('g') {
            Scope::Global(id)
        } else if let Some(id) = self.takes_id('l') {
            Scope::Local(id)
        } else {
            let template = self.id('t')?;
            self.expect("[")?;
            args.push(self.expr()?);
            self.expect("]")?;
            self.expect(".")?;
            if self.takes("{") {
                let locations = self.several("}", |parser| parser.id('q'))?;
                return Ok(of(Op::At(template, locations), args));
            }
            Scope::Remote(template, self.id('l')?)
        };
        if self.takes("[") {
            args.push(self.expr()?);
            self.expect("]")?;
        }
        Ok(of(Op::Load(scope), args))
    }
}

fn of(op: Op, args: Vec<Expr>) -> Expr {
    let depth = args.iter().map(|inner| inner.depth + 1).max().unwrap_or(0);
    Expr { op, args, depth }
}
