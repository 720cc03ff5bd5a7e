//! Programs of events: `{x = x + 1; if (b) {…} else {…} while (b) {…} var t = 0;}`.

use fairly_source::{Diagnostic, Span};

use super::codes;
use super::expression::constant;
use super::lexer::Kind;
use super::names::Global;
use super::parser::{ParseError, Parsed, Parser};
use super::syntax::{
    BinaryOperator, Expr, ExprKind, LocalKind, Place, PlaceKind, Statement, StatementKind, Type,
    Value, VariableId,
};

impl Parser<'_> {
    /// A program in braces.
    pub(super) fn program(&mut self) -> Parsed<Vec<Statement>> {
        let outer = std::mem::replace(&mut self.in_program, true);
        let read = self.bracketed("{", Self::statements);
        self.in_program = outer;
        Ok(read?.unwrap_or_default())
    }

    /// Statements up to the end of the block. A wrong one is skipped, up to its semicolon.
    fn statements(&mut self) -> Parsed<Vec<Statement>> {
        let mut statements = Vec::new();
        while self.at < self.end {
            let start = self.at;
            match self.statement() {
                Ok(statement) => statements.extend(statement),
                Err(_) => self.skip_statement(start),
            }
        }
        Ok(statements)
    }

    fn skip_statement(&mut self, start: usize) {
        self.at = self.at.max(start);
        while self.at < self.end && !self.takes(";") {
            self.at = self.partners[self.at] + 1;
        }
    }

    /// One statement; nothing for a lone semicolon.
    fn statement(&mut self) -> Parsed<Option<Statement>> {
        let start = self.span();
        let kind = match self.kind() {
            Some(Kind::Sign(";")) => {
                self.at += 1;
                return Ok(None);
            }
            Some(Kind::Sign("{")) => StatementKind::Block(self.program()?),
            Some(Kind::Keyword) => match self.word_at(self.at) {
                "var" => self.declaration()?,
                "if" => self.branch()?,
                "while" => self.repetition()?,
                "call" if self.macro_named(self.word_at(self.at + 2)).is_some() => {
                    match self.macro_statement(start)? {
                        Some(written_out) => written_out,
                        None => {
                            let span = self.since(start);
                            return Err(self.changes_nothing(span));
                        }
                    }
                }
                "call" | "new" => {
                    // Refused there, with the reason; a question about a channel is not.
                    self.expression()?;
                    let span = self.since(start);
                    return Err(self.changes_nothing(span));
                }
                _ => return Err(self.unexpected("a statement")),
            },
            Some(Kind::Name)
                if self.macro_named(self.slice(start)).is_some()
                    && matches!(self.sign_at(self.at + 1), ";" | "") =>
            {
                match self.macro_statement(start)? {
                    Some(written_out) => written_out,
                    None => {
                        let span = self.since(start);
                        return Err(self.changes_nothing(span));
                    }
                }
            }
            Some(Kind::Name) => match self.collection_here() {
                Some(object) => self.collection_statement(object)?,
                None => self.assignment()?,
            },
            _ => return Err(self.unexpected("a statement")),
        };
        Ok(Some(Statement { kind, span: self.since(start) }))
    }

    /// A semicolon, which may be missing before the closing brace.
    pub(super) fn end_of_statement(&mut self) -> Parsed<()> {
        if self.at == self.end || self.takes(";") { Ok(()) } else { Err(self.unexpected("`;`")) }
    }

    fn declaration(&mut self) -> Parsed<StatementKind> {
        self.at += 1;
        if self.sees("<") {
            let span = self.span();
            return Err(self.refuse(
                codes::TYPE,
                "a collection inside a program",
                span,
                "declare it outside, among the global variables",
            ));
        }
        let name = self.name("a variable")?;
        let span = name.span;
        if self.sees("[") || self.sees("=") && self.sign_at(self.at + 1) == "[" {
            return Err(self.refuse(
                codes::LOCAL_ARRAY,
                "an array inside a program",
                span,
                "declare it as a global array",
            ));
        }
        let value = if self.takes("=") {
            self.expression()?
        } else {
            Expr { kind: ExprKind::Int(0), ty: Type::Int, span }
        };
        self.end_of_statement()?;
        let local = self.bind(name, LocalKind::Program, value.ty);
        Ok(StatementKind::Declare { local, value })
    }

    /// The condition of `if` or `while`, in parentheses.
    fn test(&mut self) -> Parsed<Expr> {
        self.at += 1;
        let span = self.span();
        let stand_in = Expr { kind: ExprKind::Bool(true), ty: Type::Bool, span };
        Ok(self.bracketed("(", Self::condition)?.unwrap_or(stand_in))
    }

    /// Parses the body of `if` or `while`: a block or a single statement.
    fn governed(&mut self) -> Parsed<Vec<Statement>> {
        let visible = self.visible();
        let statement = self.nested(Self::statement)?;
        self.leave(visible);
        Ok(match statement {
            Some(Statement { kind: StatementKind::Block(statements), .. }) => statements,
            other => other.into_iter().collect(),
        })
    }

    fn branch(&mut self) -> Parsed<StatementKind> {
        let condition = self.test()?;
        let then = self.governed()?;
        let otherwise = if self.takes_word("else") { self.governed()? } else { Vec::new() };
        Ok(StatementKind::If { condition, then, otherwise })
    }

    fn repetition(&mut self) -> Parsed<StatementKind> {
        let condition = self.test()?;
        let body = self.governed()?;
        Ok(StatementKind::While { condition, body })
    }

    fn assignment(&mut self) -> Parsed<StatementKind> {
        let start = self.span();
        if let (None, Some(Global::Variable(id))) =
            (self.local(self.slice(start)), self.global(self.slice(start)))
            && !self.spec.variables[id.index()].dimensions.is_empty()
            && self.sign_at(self.at + 1) == "="
        {
            self.at += 1;
            return self.array_assignment(id);
        }
        let place = self.place()?;
        self.assigned(place, start)
    }

    /// Parses the rest of an assignment behind its target.
    pub(super) fn assigned(&mut self, place: Option<Place>, start: Span) -> Parsed<StatementKind> {
        let span = self.since(start);
        let step = match self.sign_at(self.at) {
            "=" => None,
            "++" => Some(BinaryOperator::Add),
            "--" => Some(BinaryOperator::Subtract),
            _ => {
                return Err(self.changes_nothing(span));
            }
        };
        self.at += 1;
        if step.is_none()
            && let Some(peek) = self.peek(place.as_ref())?
        {
            return Ok(peek);
        }
        let value = match step {
            None => self.expression()?,
            Some(operator) => stepped(place.as_ref(), operator, self.since(start)),
        };
        self.end_of_statement()?;
        let Some(place) = place else {
            // The error in it has been noted, and the tree is not used.
            return Ok(StatementKind::Block(Vec::new()));
        };
        self.storable(&place, &value);
        Ok(StatementKind::Assign { target: place, value })
    }

    /// `call(cpeek, c)` or `cpeek(c)`, if that is all that is assigned to a global variable.
    pub(super) fn peek(&mut self, place: Option<&Place>) -> Parsed<Option<StatementKind>> {
        let Some(&Place { kind: PlaceKind::Variable(target), .. }) = place else { return Ok(None) };
        let peeks = self.sees_word("call") && self.word_at(self.at + 2) == "cpeek"
            || self.sees_word("cpeek") && self.sign_at(self.at + 1) == "(";
        if !peeks {
            return Ok(None);
        }
        let value = self.expression()?;
        self.end_of_statement()?;
        let ExprKind::Query(_, channel) = value.kind else {
            return Ok(Some(StatementKind::Block(Vec::new())));
        };
        self.peeked.push((target, value.span));
        Ok(Some(StatementKind::Peek { target, channel }))
    }

    /// Notes variables that hold a message and are read as if they held a number: in PAT, a message is
    /// an array.
    pub(super) fn check_peeked(&mut self) {
        for (target, span) in std::mem::take(&mut self.peeked) {
            let variable = &self.spec.variables[target.index()];
            if variable.dimensions.is_empty() && self.read.contains(&target) {
                let name = variable.name.text.clone();
                self.note(
                    Diagnostic::error(
                        codes::ARRAY,
                        format!("`{name}` holds a whole message and is read as a single value"),
                        span,
                    )
                    .label("`cpeek` gives an array with the parts of the message")
                    .help(format!("declare `var {name}[1];`, and read `{name}[0]`")),
                );
            }
        }
    }

    pub(super) fn changes_nothing(&mut self, span: Span) -> ParseError {
        self.stop(
            Diagnostic::error(codes::STATEMENT, "this statement changes nothing", span)
                .label("expected an assignment")
                .help("programs consist of `x = …;`, `x++;`, `x--;`, `s.Add(x);`, `if`, `while` and `var`"),
        )
    }

    /// Parses the target of an assignment; `None` if it is impossible.
    pub(super) fn place(&mut self) -> Parsed<Option<Place>> {
        let start = self.span();
        let name = self.slice(start);
        let method = matches!(self.sign_at(self.at + 1), "." | "$" | "(");
        if method {
            // Refused there, with the reason.
            self.expression()?;
            return Ok(None);
        }
        self.at += 1;
        if self.sees("[") {
            let element = self.indices(start)?;
            let span = self.since(start);
            return Ok(element.map(|(array, indices, _)| Place {
                kind: PlaceKind::Element(array, indices),
                span,
            }));
        }
        let what = match (self.local(name), self.global(name)) {
            (Some(local), _) => match self.locals[local.index()].kind {
                LocalKind::Program => {
                    return Ok(Some(Place { kind: PlaceKind::Local(local), span: start }));
                }
                LocalKind::Parameter(_) => "a parameter",
                LocalKind::Index => "an index",
                LocalKind::Received => "a received value",
            },
            (None, Some(Global::Variable(id))) => {
                if self.spec.variables[id.index()].dimensions.is_empty() {
                    return Ok(Some(Place { kind: PlaceKind::Variable(id), span: start }));
                }
                // Reading it says what is wrong.
                self.at -= 1;
                self.expression_of_name()?;
                return Ok(None);
            }
            (None, Some(Global::Broken)) => return Ok(None),
            (None, Some(other)) => other.what(),
            (None, None) => {
                self.at -= 1;
                self.expression_of_name()?;
                return Ok(None);
            }
        };
        let help = match what {
            "a parameter" | "a received value" => {
                "pass the new value to the next process instead, or use a `var`"
            }
            _ => "only variables can change",
        };
        self.note(
            Diagnostic::error(codes::READ_ONLY, format!("`{name}` cannot be changed"), start)
                .label(what)
                .help(help),
        );
        Ok(None)
    }

    /// Reads one name as a value, for the error it gives.
    fn expression_of_name(&mut self) -> Parsed<()> {
        let outer = std::mem::replace(&mut self.end, self.at + 1);
        let read = self.expression();
        self.end = outer;
        read.map(|_| ())
    }

    /// Notes a value that the place can never hold.
    pub(super) fn storable(&mut self, place: &Place, value: &Expr) {
        let (ty, variable) = match &place.kind {
            PlaceKind::Variable(id) | PlaceKind::Element(id, _) => {
                (self.spec.variables[id.index()].ty, Some(*id))
            }
            PlaceKind::Local(id) => (self.types[id.index()], None),
        };
        self.same_type(ty, value);
        if let (Some(id), Some(Value::Int(number))) = (variable, constant(value)) {
            self.in_bounds(id, number, value.span);
        }
    }

    /// Notes that a place of type `ty` cannot hold `value`.
    pub(super) fn same_type(&mut self, ty: Type, value: &Expr) {
        let (here, there) = match (ty, value.ty) {
            (Type::Int, Type::Bool) => ("a number", "a condition"),
            (Type::Bool, Type::Int) => ("true or false", "a number"),
            _ => return,
        };
        self.note(
            Diagnostic::error(codes::STORE, format!("{there} where {here} is stored"), value.span)
                .label(format!("expected {here}"))
                .help("a variable holds what its initial value is; without one it is a number"),
        );
    }

    pub(super) fn in_bounds(&mut self, id: VariableId, value: i32, span: Span) {
        let variable = &self.spec.variables[id.index()];
        let Some(bounds) = variable.bounds else { return };
        let name = variable.name.text.clone();
        self.outside(bounds, &name, value, span);
    }
}

/// The value after `x++` or `x--`.
fn stepped(place: Option<&Place>, operator: BinaryOperator, span: Span) -> Expr {
    let kind = match place.map(|place| &place.kind) {
        Some(PlaceKind::Variable(id)) => ExprKind::Variable(*id),
        Some(PlaceKind::Element(id, indices)) => ExprKind::Element(*id, indices.clone()),
        Some(PlaceKind::Local(id)) => ExprKind::Local(*id),
        None => ExprKind::Int(0),
    };
    let place = Expr { kind, ty: Type::Int, span };
    let one = Expr { kind: ExprKind::Int(1), ty: Type::Int, span };
    let kind = ExprKind::Binary(operator, Box::new(place), Box::new(one));
    Expr { kind, ty: Type::Int, span }
}
