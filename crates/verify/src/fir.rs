//! Models in their text form, `.fir`, as the verifier reads them.
//!
//! The grammar is that of the module `text` of the crate `fairly-model`; names of variables, sources and kinds
//! of values, which only matter where a model is shown, are read over. Ids are checked where they are used, so
//! that an id out of range is an error and never another thing.

use crate::rejected::{Rejected, Rule, reject};

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    Const(i64),
    Load(Place),
    Received(usize),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<[Expr; 2]>),
    Conditional(Box<[Expr; 3]>),
    /// The operand, which is at least 0 and less than the length.
    Checked(Box<Expr>, i64),
    Query(Query, Box<Expr>),
    Poll {
        channel: Box<Expr>,
        pattern: Vec<Option<Expr>>,
        first: bool,
    },
    At {
        slot: Box<Expr>,
        template: usize,
        locations: Vec<usize>,
    },
    Own,
    Running,
    Last,
    Timeout,
    Executable(Box<Expr>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) scope: Scope,
    pub(crate) index: Option<Box<Expr>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scope {
    Global(usize),
    Local(usize),
    /// A variable of the process in a slot, if it is of this template.
    Remote(Box<Expr>, usize, usize),
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

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Overflow {
    /// Leaving the range is a fault, whether of the model or a limit of the tool.
    Fault,
    /// The value is taken modulo the size of the range.
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
    Receive { channel: Expr, pattern: Vec<Option<Expr>>, first: bool, keep: bool },
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
    Assign(Vec<(Place, Expr)>),
    If(Expr, Vec<Statement>, Vec<Statement>),
    While(Expr, Vec<Statement>),
    Assert(Expr),
    Start {
        template: usize,
        arguments: Vec<Expr>,
        slot: Option<Place>,
    },
    Put {
        channel: Expr,
        message: Vec<Expr>,
        sorted: bool,
    },
    Take {
        channel: Expr,
        pattern: Vec<Option<Expr>>,
        into: Vec<Option<Place>>,
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

#[derive(Clone, Debug)]
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
    pub(crate) propositions: Vec<(String, Expr)>,
    /// Whether an edge holds, so that the state says who does.
    pub(crate) holds: bool,
    /// Whether something reads who moved last, so that the state says who did.
    pub(crate) reads_last: bool,
}

/// How deep expressions, statements and gatherings may be nested.
const NESTING: u32 = 1200;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Quoted(String),
    Number(u64),
    Sign(&'static str),
    End,
}

#[rustfmt::skip]
const SIGNS: [&str; 38] = [
    "->", ":=", "..", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "{", "}", "(", ")", "[", "]", ",", ";",
    ":", "?", ".", "@", "$", "=", "<", ">", "+", "-", "*", "/", "%", "!", "~", "&", "|", "^", "_",
];

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

fn is_inner(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// How many bytes at the start are a word: letters, digits, underscores and inner dots.
fn word_length(bytes: &[u8]) -> usize {
    let starts = bytes.first().is_some_and(|&byte| is_inner(byte) && !byte.is_ascii_digit());
    let inner_at = |at: usize| bytes.get(at).is_some_and(|&byte| is_inner(byte));
    if !starts || bytes.first() == Some(&b'_') && !inner_at(1) {
        return 0;
    }
    let mut length = 1;
    while inner_at(length) || bytes.get(length) == Some(&b'.') && inner_at(length + 1) {
        length += 1;
    }
    length
}

fn tokens(text: &str) -> Result<Vec<Token>, Rejected> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = word_length(rest.as_bytes());
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if first == '#' {
            rest.find('\n').unwrap_or(rest.len())
        } else if first == '"' {
            let (name, length) = quoted(rest)?;
            tokens.push(Token::Quoted(name));
            length
        } else if first.is_ascii_digit() {
            let length = rest.bytes().take_while(u8::is_ascii_digit).count();
            match rest[..length].parse() {
                Ok(number) => tokens.push(Token::Number(number)),
                Err(_) => return reject(Rule::Model, "a number is too large"),
            }
            length
        } else if word > 0 {
            tokens.push(Token::Word(rest[..word].to_owned()));
            word
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            tokens.push(Token::Sign(sign));
            sign.len()
        } else {
            return reject(Rule::Model, format!("the character {first:?} means nothing"));
        };
        rest = &rest[length..];
    }
    tokens.push(Token::End);
    Ok(tokens)
}

/// The name at the start, which is a quote, and how many bytes it takes.
pub(crate) fn quoted(text: &str) -> Result<(String, usize), Rejected> {
    let (mut name, mut chars) = (String::new(), text.char_indices().skip(1));
    while let Some((at, character)) = chars.next() {
        match character {
            '"' => return Ok((name, at + 1)),
            '\n' => break,
            '\\' => {
                let escaped = chars.next().map(|(_, character)| character);
                name.push(match escaped {
                    Some(same @ ('\\' | '"')) => same,
                    Some('n') => '\n',
                    Some('r') => '\r',
                    Some('t') => '\t',
                    Some('u') => {
                        let digits: String = chars
                            .by_ref()
                            .map(|(_, character)| character)
                            .take_while(|&character| character != '}')
                            .skip(1)
                            .take(8)
                            .collect();
                        let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                        match code {
                            Some(character) => character,
                            None => return reject(Rule::Model, "an escape that does not exist"),
                        }
                    }
                    _ => return reject(Rule::Model, "an escape that does not exist"),
                });
            }
            other => name.push(other),
        }
    }
    reject(Rule::Model, "a name that does not end")
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
    holds: bool,
    reads_last: bool,
    reads_received: bool,
}

type Parsed<T> = Result<T, Rejected>;

/// Reads a model.
pub(crate) fn parse(text: &str) -> Parsed<Model> {
    let tokens = tokens(text)?;
    let mut parser =
        Parser { tokens, at: 0, depth: 0, holds: false, reads_last: false, reads_received: false };
    let mut model = Model::default();
    parser.words(&["model", "atomicity"])?;
    model.exclusive = parser.one_of(&["priority", "exclusive"])? == 1;
    parser.expect(",")?;
    parser.words(&["exit"])?;
    model.last_first = parser.one_of(&["any", "last_first"])? == 1;
    while *parser.peek() != Token::End {
        parser.item(&mut model)?;
    }
    (model.holds, model.reads_last) = (parser.holds && model.exclusive, parser.reads_last);
    if model.events.first().is_none_or(|(_, kind)| *kind != Kind::Idle) {
        return reject(Rule::Model, "the first event is not the one of the idle step");
    }
    Ok(model)
}

impl Parser {
    fn peek(&self) -> &Token {
        self.tokens.get(self.at).unwrap_or(&Token::End)
    }

    fn word(&self) -> &str {
        match self.peek() {
            Token::Word(word) => word,
            _ => "",
        }
    }

    fn fail<T>(&self, wanted: &str) -> Parsed<T> {
        reject(
            Rule::Model,
            format!("token {}: {wanted} is expected, not {:?}", self.at, self.peek()),
        )
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
            Token::Word(name) | Token::Quoted(name) => name.clone(),
            _ => return self.fail("a name"),
        };
        self.at += 1;
        Ok(name)
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
    fn sees_id(&self, letter: char) -> Option<usize> {
        let digits = self.word().strip_prefix(letter)?;
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<u32>().ok().filter(|_| plain).map(|id| id as usize)
    }

    fn id(&mut self, letter: char) -> Parsed<usize> {
        match self.sees_id(letter) {
            Some(id) => {
                self.at += 1;
                Ok(id)
            }
            None => self.fail(&format!("an id `{letter}`")),
        }
    }

    /// The id of the next of its kind.
    fn next_id(&mut self, letter: char, next: usize) -> Parsed<()> {
        if self.id(letter)? == next { Ok(()) } else { reject(Rule::Model, "an id out of order") }
    }

    fn several<T>(
        &mut self,
        end: &str,
        mut item: impl FnMut(&mut Parser) -> Parsed<T>,
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

    /// Reads over where something is written.
    fn span(&mut self) -> Parsed<()> {
        if self.takes("@") {
            self.number()?;
            self.expect("..")?;
            self.number()?;
        }
        Ok(())
    }

    fn nested<T>(&mut self, inner: impl FnOnce(&mut Parser) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        if self.depth > NESTING {
            return reject(Rule::Model, "something is nested too deep");
        }
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn item(&mut self, model: &mut Model) -> Parsed<()> {
        let items = ["event", "gather", "variable", "channel", "template", "slot", "proposition"];
        match items[self.one_of(&items)?] {
            "event" => {
                self.next_id('e', model.events.len())?;
                let name = self.name()?;
                self.expect(":")?;
                let kinds = [Kind::Idle, Kind::Visible, Kind::Internal, Kind::Termination];
                let kind = self.one_of(&["idle", "visible", "internal", "termination"])?;
                model.events.push((name, kinds[kind]));
            }
            "gather" => {
                let event = self.id('e')?;
                self.expect(":")?;
                model.gatherings.push((event, self.gathering()?));
            }
            "variable" => {
                self.next_id('g', model.variables.len())?;
                model.variables.push(self.variable()?);
            }
            "channel" => model.channels.push(self.channel(model.channels.len())?),
            "template" => {
                self.next_id('t', model.templates.len())?;
                model.templates.push(self.template()?);
            }
            "slot" => {
                self.next_id('p', model.slots.len())?;
                model.slots.push(self.slot()?);
            }
            _ => {
                let name = self.name()?;
                self.expect(":")?;
                model.propositions.push((name, self.expr()?));
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
        let parts = self.nested(|parser| parser.several(")", Parser::gathering))?;
        Ok(if all { Gathering::All(parts) } else { Gathering::One(parts) })
    }

    fn range(&mut self) -> Parsed<Range> {
        let wraps = self.takes_word("wrap");
        let _ = !wraps && self.takes_word("limit");
        let low = self.integer()?;
        self.expect("..")?;
        let overflow = if wraps { Overflow::Wrap } else { Overflow::Fault };
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
        let mut initial = vec![self.integer()?];
        while self.takes(",") {
            initial.push(self.integer()?);
        }
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
            return self.several(")", Parser::name).map(drop);
        }
        self.one_of(&["number", "truth", "channel"]).map(drop)
    }

    fn channel(&mut self, count: usize) -> Parsed<Channel> {
        self.next_id('c', count)?;
        let name = self.name()?;
        let loses = self.takes_word("lose");
        let owner = if self.takes_word("of") { Some((self.id('p')?, self.id('t')?)) } else { None };
        self.words(&["capacity"])?;
        let capacity = self.small()?;
        self.expect(":")?;
        self.expect("(")?;
        let cells = self.several(")", Parser::range)?;
        if self.takes_word("shown") {
            self.expect("(")?;
            self.several(")", Parser::shown)?;
        }
        self.span()?;
        Ok(Channel { name, loses, owner, capacity, cells })
    }

    fn slot(&mut self) -> Parsed<Slot> {
        self.name()?;
        self.expect(":")?;
        let mut templates = vec![self.id('t')?];
        while self.takes(",") {
            templates.push(self.id('t')?);
        }
        let mut start = None;
        if self.takes_word("start") {
            let template = self.id('t')?;
            self.expect("(")?;
            start = Some((template, self.several(")", Parser::integer)?));
        }
        let mut renamed = Vec::new();
        if self.takes_word("rename") {
            loop {
                let name = self.name()?;
                self.words(&["to"])?;
                renamed.push((name, self.id('e')?));
                if !self.takes(",") {
                    break;
                }
            }
        }
        Ok(Slot { templates, start, renamed })
    }

    fn template(&mut self) -> Parsed<Template> {
        self.name()?;
        self.words(&["parameters"])?;
        self.number()?;
        self.span()?;
        self.expect("{")?;
        let mut template =
            Template { locals: Vec::new(), locations: Vec::new(), begin: Vec::new() };
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
        let atomic = self.takes_word("atomic");
        let may_end = self.takes_word("ends");
        if self.takes_word("labels") {
            self.expect("(")?;
            self.several(")", Parser::name)?;
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
        let guard = if self.takes_word("if") { self.expr()? } else { Expr::Const(1) };
        let reads_received = self.reads_received;
        let rank = if self.takes_word("rank") { self.number()? } else { 0 };
        let Ok(rank) = u8::try_from(rank) else {
            return reject(Rule::Model, "a rank is too large");
        };
        let hold = self.takes_word("hold");
        self.holds |= hold;
        let communication = if self.takes_word("send") {
            let sorted = self.takes_word("sorted");
            Communication::Send { sorted, channel: self.expr()?, message: self.exprs()? }
        } else if self.takes_word("receive") {
            let (first, keep) = (self.takes_word("first"), self.takes_word("keep"));
            let channel = self.expr()?;
            Communication::Receive { channel, pattern: self.pattern()?, first, keep }
        } else {
            Communication::None
        };
        self.words(&["on"])?;
        let label = if self.takes_word("message") {
            Label::Message
        } else if self.takes_word("data") {
            let family = self.name()?;
            Label::Data(family, self.exprs()?)
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
        Ok(Edge {
            target,
            guard,
            rank,
            hold,
            communication,
            label,
            annotation,
            effect,
            reads_received,
        })
    }

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
        let word = self.word().to_owned();
        let known = ["skip", "if", "while", "assert", "limit", "start", "put", "take"];
        if !known.contains(&word.as_str()) {
            return self.assignment();
        }
        self.at += 1;
        Ok(match word.as_str() {
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
                Statement::Assert(condition)
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
            _ => {
                let (first, keep) = (self.takes_word("first"), self.takes_word("keep"));
                let (channel, pattern) = (self.expr()?, self.pattern()?);
                self.words(&["into"])?;
                self.expect("(")?;
                let into = self.several(")", |parser| match parser.takes("_") {
                    true => Ok(None),
                    false => Ok(Some(parser.place()?)),
                })?;
                Statement::Take { channel, pattern, into, first, keep }
            }
        })
    }

    fn assignment(&mut self) -> Parsed<Statement> {
        let mut places = vec![self.place()?];
        while self.takes(",") {
            places.push(self.place()?);
        }
        self.expect(":=")?;
        let mut values = vec![self.expr()?];
        while self.takes(",") {
            values.push(self.expr()?);
        }
        if places.len() != values.len() {
            return reject(Rule::Model, "not as many values as places");
        }
        Ok(Statement::Assign(places.into_iter().zip(values).collect()))
    }

    fn pattern(&mut self) -> Parsed<Vec<Option<Expr>>> {
        self.expect("(")?;
        self.cells()
    }

    /// The cells of a pattern, behind the bracket.
    fn cells(&mut self) -> Parsed<Vec<Option<Expr>>> {
        self.several(")", |parser| match parser.takes("_") {
            true => Ok(None),
            false => Ok(Some(parser.expr()?)),
        })
    }

    fn exprs(&mut self) -> Parsed<Vec<Expr>> {
        self.expect("(")?;
        self.several(")", Parser::expr)
    }

    fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|parser| {
            let condition = parser.binary(1)?;
            if !parser.takes("?") {
                return Ok(condition);
            }
            let yes = parser.expr()?;
            parser.expect(":")?;
            Ok(Expr::Conditional(Box::new([condition, yes, parser.expr()?])))
        })
    }

    /// Operators that bind at least so tightly, from the left; each makes what it builds deeper.
    fn binary(&mut self, least: u8) -> Parsed<Expr> {
        let (mut left, before) = (self.unary()?, self.depth);
        loop {
            let sign = match self.peek() {
                Token::Sign(sign) => sign,
                _ => self.word(),
            };
            let row = OPERATORS.iter().find(|(_, spelled, _)| *spelled == sign);
            let Some(&(operator, _, binds)) = row.filter(|row| row.2 >= least) else {
                self.depth = before;
                return Ok(left);
            };
            self.at += 1;
            self.depth += 1;
            if self.depth > NESTING {
                return reject(Rule::Model, "something is nested too deep");
            }
            let right = self.nested(|parser| parser.binary(binds + 1))?;
            left = Expr::Binary(operator, Box::new([left, right]));
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
        Ok(Expr::Unary(operator, Box::new(self.nested(Parser::unary)?)))
    }

    fn primary(&mut self) -> Parsed<Expr> {
        if matches!(self.peek(), Token::Sign("-") | Token::Number(_)) {
            return Ok(Expr::Const(self.integer()?));
        }
        if self.takes("(") {
            let inner = self.expr()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.takes("$") {
            self.reads_received = true;
            return Ok(Expr::Received(self.small()?));
        }
        if let Some(template) = self.sees_id('t') {
            self.at += 1;
            let slot = Box::new(self.remote_slot()?);
            if !self.takes("{") {
                let scope = Scope::Remote(slot, template, self.id('l')?);
                return Ok(Expr::Load(self.indexed(scope)?));
            }
            let locations = self.several("}", |parser| parser.id('q'))?;
            return Ok(Expr::At { slot, template, locations });
        }
        if self.sees_id('g').is_some() || self.sees_id('l').is_some() {
            return Ok(Expr::Load(self.place()?));
        }
        let word = self.word().to_owned();
        self.at += 1;
        match word.as_str() {
            "own" => return Ok(Expr::Own),
            "running" => return Ok(Expr::Running),
            "timeout" => return Ok(Expr::Timeout),
            "last" => {
                self.reads_last = true;
                return Ok(Expr::Last);
            }
            _ => {}
        }
        let known =
            ["length", "empty", "full", "capacity", "executable", "checked", "poll", "poll_first"];
        if !known.contains(&word.as_str()) {
            return self.fail("an expression");
        }
        self.expect("(")?;
        let first = Box::new(self.expr()?);
        let whole = match word.as_str() {
            "checked" => {
                self.expect(",")?;
                Expr::Checked(first, i64::try_from(self.small()?).unwrap_or(0))
            }
            "poll" | "poll_first" => {
                self.expect(";")?;
                let pattern = self.cells()?;
                return Ok(Expr::Poll { channel: first, pattern, first: word == "poll_first" });
            }
            "length" => Expr::Query(Query::Length, first),
            "empty" => Expr::Query(Query::Empty, first),
            "full" => Expr::Query(Query::Full, first),
            "capacity" => Expr::Query(Query::Capacity, first),
            _ => Expr::Executable(first),
        };
        self.expect(")")?;
        Ok(whole)
    }

    /// `[…].` behind a template.
    fn remote_slot(&mut self) -> Parsed<Expr> {
        self.expect("[")?;
        let slot = self.expr()?;
        self.expect("]")?;
        self.expect(".")?;
        Ok(slot)
    }

    fn place(&mut self) -> Parsed<Place> {
        let scope = if let Some(id) = self.sees_id('g') {
            self.at += 1;
            Scope::Global(id)
        } else if let Some(id) = self.sees_id('l') {
            self.at += 1;
            Scope::Local(id)
        } else {
            let template = self.id('t')?;
            let slot = Box::new(self.remote_slot()?);
            Scope::Remote(slot, template, self.id('l')?)
        };
        self.indexed(scope)
    }

    fn indexed(&mut self, scope: Scope) -> Parsed<Place> {
        if !self.takes("[") {
            return Ok(Place { scope, index: None });
        }
        let index = Some(Box::new(self.expr()?));
        self.expect("]")?;
        Ok(Place { scope, index })
    }
}

impl Expr {
    /// Whether it is true of the expression or one inside it.
    pub(crate) fn any(&self, is: &impl Fn(&Expr) -> bool) -> bool {
        let cells = |cells: &[Option<Expr>]| cells.iter().flatten().any(|cell| cell.any(is));
        is(self)
            || match self {
                Expr::Load(place) => place.any(is),
                Expr::Unary(_, inner)
                | Expr::Checked(inner, _)
                | Expr::Query(_, inner)
                | Expr::Executable(inner)
                | Expr::At { slot: inner, .. } => inner.any(is),
                Expr::Binary(_, parts) => parts.iter().any(|part| part.any(is)),
                Expr::Conditional(parts) => parts.iter().any(|part| part.any(is)),
                Expr::Poll { channel, pattern, .. } => channel.any(is) || cells(pattern),
                _ => false,
            }
    }
}

impl Place {
    fn any(&self, is: &impl Fn(&Expr) -> bool) -> bool {
        let remote = match &self.scope {
            Scope::Remote(slot, ..) => slot.any(is),
            Scope::Global(_) | Scope::Local(_) => false,
        };
        remote || self.index.as_ref().is_some_and(|index| index.any(is))
    }
}
