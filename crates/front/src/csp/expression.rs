//! Expressions: precedence, names, types, and what can be computed at once.

use fairly_source::{Diagnostic, Span};

use super::codes;
use super::fold;
use super::lexer::Kind;
use super::library::MathFunction;
use super::names::Global;
use super::parser::{ParseError, Parsed, Parser};
use super::syntax::{
    BinaryOperator, Binding, ChannelQuery, ChannelUse, Domain, Expr, ExprKind, LocalKind,
    MAX_DEPTH, Type, UnaryOperator, Value,
};

/// How tightly operators bind, the loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Or,
    And,
    Xor,
    Bits,
    Equality,
    Order,
    /// Parts of events and bounds of ranges start here: `a.x < 1` is no part.
    Sum,
    Product,
    Operand,
}

impl Level {
    /// The level of what stands on the right of an operator of this one.
    pub(super) fn next(self) -> Level {
        match self {
            Level::Or => Level::And,
            Level::And => Level::Xor,
            Level::Xor => Level::Bits,
            Level::Bits => Level::Equality,
            Level::Equality => Level::Order,
            Level::Order => Level::Sum,
            Level::Sum => Level::Product,
            Level::Product | Level::Operand => Level::Operand,
        }
    }
}

/// How tightly the operator binds.
pub(super) fn level(operator: BinaryOperator) -> Level {
    use BinaryOperator as B;
    match operator {
        B::Or => Level::Or,
        B::And => Level::And,
        B::Xor => Level::Xor,
        B::BitAnd | B::BitOr | B::BitXor => Level::Bits,
        B::Equal | B::NotEqual => Level::Equality,
        B::Less | B::LessEqual | B::Greater | B::GreaterEqual => Level::Order,
        B::Add | B::Subtract => Level::Sum,
        B::Multiply | B::Divide | B::Modulo => Level::Product,
    }
}

/// How it is written.
pub(super) fn sign(operator: BinaryOperator) -> &'static str {
    use BinaryOperator as B;
    match operator {
        B::Or => "||",
        B::And => "&&",
        B::Xor => "xor",
        B::BitAnd => "&",
        B::BitOr => "|",
        B::BitXor => "^",
        B::Equal => "==",
        B::NotEqual => "!=",
        B::Less => "<",
        B::LessEqual => "<=",
        B::Greater => ">",
        B::GreaterEqual => ">=",
        B::Add => "+",
        B::Subtract => "-",
        B::Multiply => "*",
        B::Divide => "/",
        B::Modulo => "%",
    }
}

const OPERATORS: [BinaryOperator; 17] = [
    BinaryOperator::Or,
    BinaryOperator::And,
    BinaryOperator::Xor,
    BinaryOperator::BitAnd,
    BinaryOperator::BitOr,
    BinaryOperator::BitXor,
    BinaryOperator::Equal,
    BinaryOperator::NotEqual,
    BinaryOperator::Less,
    BinaryOperator::LessEqual,
    BinaryOperator::Greater,
    BinaryOperator::GreaterEqual,
    BinaryOperator::Add,
    BinaryOperator::Subtract,
    BinaryOperator::Multiply,
    BinaryOperator::Divide,
    BinaryOperator::Modulo,
];

/// How a question about a channel is written.
pub(super) const QUERIES: [(&str, ChannelQuery); 5] = [
    ("ccount", ChannelQuery::Count),
    ("csize", ChannelQuery::Size),
    ("cempty", ChannelQuery::Empty),
    ("cfull", ChannelQuery::Full),
    ("cpeek", ChannelQuery::Peek),
];

/// An expression and how deep it is.
pub(super) struct Deep {
    pub(super) expr: Expr,
    pub(super) depth: usize,
}

impl Deep {
    pub(super) fn leaf(kind: ExprKind, ty: Type, span: Span) -> Deep {
        Deep { expr: Expr { kind, ty, span }, depth: 1 }
    }

    /// Replaces an expression with an error in it; its type is left open.
    pub(super) fn stand_in(span: Span) -> Deep {
        Deep::leaf(ExprKind::Int(0), Type::Unknown, span)
    }

    pub(super) fn value(value: Value, span: Span) -> Deep {
        match value {
            Value::Int(value) => Deep::leaf(ExprKind::Int(value), Type::Int, span),
            Value::Bool(value) => Deep::leaf(ExprKind::Bool(value), Type::Bool, span),
        }
    }
}

/// The value, if it is known.
pub(super) fn constant(expr: &Expr) -> Option<Value> {
    match expr.kind {
        // A stand-in has no type, and is no constant.
        ExprKind::Int(value) if expr.ty == Type::Int => Some(Value::Int(value)),
        ExprKind::Bool(value) => Some(Value::Bool(value)),
        _ => None,
    }
}

impl Parser<'_> {
    /// Any expression.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        let deep = self.whole()?;
        Ok(self.measure(deep))
    }

    /// An expression without comparisons and connectives, such as a part of an event.
    pub(super) fn sum(&mut self) -> Parsed<Expr> {
        let deep = self.binary(Level::Sum)?;
        Ok(self.measure(deep))
    }

    fn measure(&mut self, deep: Deep) -> Expr {
        self.deepest = self.deepest.max(deep.depth);
        deep.expr
    }

    /// Any expression, and the error if an assignment follows.
    fn whole(&mut self) -> Parsed<Deep> {
        let deep = self.binary(Level::Or)?;
        if self.sees("=") {
            let span = self.span();
            self.note(
                Diagnostic::error(codes::ASSIGNMENT, "this assigns where it should compare", span)
                    .label("`=` is only for programs")
                    .help("write `==`"),
            );
            self.at += 1;
            let value = self.binary(Level::Or)?;
            // Taken as the comparison that was meant.
            let span = deep.expr.span.to(value.expr.span);
            return Ok(Deep { expr: Expr { ty: Type::Bool, span, ..deep.expr }, ..deep });
        }
        Ok(deep)
    }

    /// Runs `inner`, and measures the depth of the deepest expression that it reads.
    pub(super) fn measured<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> (Parsed<T>, usize) {
        let outer = std::mem::take(&mut self.deepest);
        let read = inner(self);
        let depth = std::mem::replace(&mut self.deepest, outer);
        (read, depth)
    }

    /// An expression above others of that depth.
    pub(super) fn above(
        &mut self,
        depth: usize,
        kind: ExprKind,
        ty: Type,
        span: Span,
    ) -> Parsed<Deep> {
        if depth >= MAX_DEPTH {
            return Err(self.too_deep(Span::new(span.end, span.end), MAX_DEPTH));
        }
        Ok(Deep { expr: Expr { kind, ty, span }, depth: depth + 1 })
    }

    /// An expression that is true or false.
    pub(super) fn condition(&mut self) -> Parsed<Expr> {
        let expr = self.expression()?;
        self.want(&expr, Type::Bool);
        Ok(expr)
    }

    /// An expression that must be known before the system runs.
    pub(super) fn known(&mut self, expr: &Expr, what: &str) -> Option<Value> {
        let value = constant(expr);
        if value.is_none() && !matches!(expr.kind, ExprKind::Int(_)) {
            self.note(
                Diagnostic::error(codes::CONSTANT, format!("{what} must be constant"), expr.span)
                    .label("this depends on the state")
                    .help("use numbers, constants of `#define` and `enum`, and operators on these"),
            );
        }
        value
    }

    /// The same for integers.
    pub(super) fn known_int(&mut self, expr: &Expr, what: &str) -> Option<i32> {
        self.want(expr, Type::Int);
        match self.known(expr, what)? {
            Value::Int(value) => Some(value),
            Value::Bool(_) => None,
        }
    }

    /// Notes an error if the type is another one.
    pub(super) fn want(&mut self, expr: &Expr, ty: Type) {
        let (code, message, label) = match (ty, expr.ty) {
            (Type::Bool, Type::Int) => {
                (codes::WANT_BOOL, "this is a number, not a condition", "expected true or false")
            }
            (Type::Int, Type::Bool) => {
                (codes::WANT_INT, "this is a condition, not a number", "expected a number")
            }
            _ => return,
        };
        let help = match ty {
            Type::Bool => "compare it with something, for example `… != 0`",
            _ => "conditions cannot be computed with; use an `if`, or a variable that is a number",
        };
        self.note(Diagnostic::error(code, message, expr.span).label(label).help(help));
    }

    fn operator(&self) -> Option<BinaryOperator> {
        let written = match self.kind()? {
            Kind::Sign(written) => written,
            Kind::Keyword if self.sees_word("xor") => "xor",
            _ => return None,
        };
        OPERATORS.into_iter().find(|&operator| sign(operator) == written)
    }

    /// Operators of at least this level, grouped to the left.
    pub(super) fn binary(&mut self, least: Level) -> Parsed<Deep> {
        let mut left = self.unary()?;
        while let Some(operator) = self.operator().filter(|&operator| level(operator) >= least) {
            self.at += 1;
            let right = self.binary_above(level(operator))?;
            left = self.apply(operator, left, right)?;
        }
        Ok(left)
    }

    /// The operand on the right of an operator. Calls itself once for each level at most.
    fn binary_above(&mut self, below: Level) -> Parsed<Deep> {
        match below.next() {
            Level::Operand => self.unary(),
            level => self.binary(level),
        }
    }

    fn apply(&mut self, operator: BinaryOperator, left: Deep, right: Deep) -> Parsed<Deep> {
        use BinaryOperator as B;
        let span = left.expr.span.to(right.expr.span);
        let depth = left.depth.max(right.depth);
        let (left, right) = (left.expr, right.expr);
        if !matches!(operator, B::Equal | B::NotEqual) {
            self.single(&left);
            self.single(&right);
        }
        let ty = match operator {
            B::Or | B::And | B::Xor => {
                self.want(&left, Type::Bool);
                self.want(&right, Type::Bool);
                Type::Bool
            }
            B::Equal | B::NotEqual => {
                if let Some(compared) = self.compared_arrays(operator, &left, &right, span)? {
                    return Ok(compared);
                }
                // PAT compares what values look like, and no number looks like a truth value.
                if let (Type::Int, Type::Bool) | (Type::Bool, Type::Int) = (left.ty, right.ty) {
                    return Ok(Deep::value(Value::Bool(operator == B::NotEqual), span));
                }
                Type::Bool
            }
            B::Less | B::LessEqual | B::Greater | B::GreaterEqual => {
                self.want(&left, Type::Int);
                self.want(&right, Type::Int);
                Type::Bool
            }
            _ => {
                self.want(&left, Type::Int);
                self.want(&right, Type::Int);
                Type::Int
            }
        };
        if let (Some(a), Some(b)) = (constant(&left), constant(&right)) {
            return Ok(self.folded(fold::binary(operator, a, b), span));
        }
        let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
        self.above(depth, kind, ty, span)
    }

    fn folded(&mut self, result: Result<Option<Value>, fold::FoldError>, span: Span) -> Deep {
        let wrong = match result {
            Ok(Some(value)) => return Deep::value(value, span),
            // The types disagree, which has been noted.
            Ok(None) => return Deep::stand_in(span),
            Err(fold::FoldError::Zero) => {
                Diagnostic::error(codes::ZERO, "this divides by zero", span)
                    .label("the divisor is 0")
                    .help("look at the constants it is computed from")
            }
            Err(fold::FoldError::Overflow) => {
                Diagnostic::error(codes::OVERFLOW, "the result is too large", span)
                    .label("not an integer of 32 bits")
                    .help("PAT would wrap around here; use smaller constants")
            }
        };
        self.note(wrong);
        Deep::stand_in(span)
    }

    fn unary(&mut self) -> Parsed<Deep> {
        let start = self.span();
        let operator = match self.sign_at(self.at) {
            "!" => UnaryOperator::Not,
            "-" => UnaryOperator::Negate,
            "+" => {
                self.at += 1;
                let operand = self.nested(Self::unary)?;
                self.want(&operand.expr, Type::Int);
                return Ok(operand);
            }
            "&&" | "||" => return self.quantified(start),
            _ if self.sees_word("xor") => return self.quantified(start),
            _ => return self.operand(),
        };
        self.at += 1;
        let operand = self.nested(Self::unary)?;
        let span = start.to(operand.expr.span);
        let ty = match operator {
            UnaryOperator::Not => Type::Bool,
            UnaryOperator::Negate => Type::Int,
        };
        self.single(&operand.expr);
        self.want(&operand.expr, ty);
        if let Some(value) = constant(&operand.expr) {
            return Ok(self.folded(fold::unary(operator, value), span));
        }
        let kind = ExprKind::Unary(operator, Box::new(operand.expr));
        self.above(operand.depth, kind, ty, span)
    }

    /// `&& x:{0..2}@…`; what follows the `@` reaches as far as it can.
    fn quantified(&mut self, start: Span) -> Parsed<Deep> {
        let operator = self.operator().unwrap_or(BinaryOperator::Xor);
        self.at += 1;
        let visible = self.visible();
        let (bindings, depth) = self.measured(Self::bindings);
        let bindings = bindings?;
        self.expect("@")?;
        // Nothing changes between one value of the indices and the next.
        let in_program = std::mem::replace(&mut self.in_program, false);
        let body = self.nested(|parser| parser.binary(Level::Or));
        self.in_program = in_program;
        let body = body?;
        self.leave(visible);
        self.want(&body.expr, Type::Bool);
        let kind = ExprKind::Quantified(operator, bindings, Box::new(body.expr));
        let span = self.since(start);
        self.above(depth.max(body.depth), kind, Type::Bool, span)
    }

    fn operand(&mut self) -> Parsed<Deep> {
        let span = self.span();
        match self.kind() {
            Some(Kind::Number(value)) => {
                self.at += 1;
                Ok(Deep::value(Value::Int(value), span))
            }
            Some(Kind::Sign("(")) => {
                let inner = self.bracketed("(", Self::whole)?;
                Ok(inner.unwrap_or_else(|| Deep::stand_in(span)))
            }
            Some(Kind::Keyword) => self.keyword(span),
            Some(Kind::Name) => self.named(span),
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn keyword(&mut self, span: Span) -> Parsed<Deep> {
        match self.word_at(self.at) {
            "true" | "false" => {
                self.at += 1;
                Ok(Deep::value(Value::Bool(self.slice(span) == "true"), span))
            }
            "call" => self.call(span),
            "new" => Err(self.stop(
                Diagnostic::error(
                    codes::OBJECT,
                    "a collection stands where a single value should",
                    span,
                )
                .label("a new object")
                .help("objects are assigned to variables that are declared with `var<Type>`"),
            )),
            _ => Err(self.unexpected("an expression")),
        }
    }

    /// `call(cfull, c)`; other calls go to C# libraries.
    fn call(&mut self, start: Span) -> Parsed<Deep> {
        let word = self.word_at(self.at + 2);
        if self.macro_named(word).is_some() {
            return self.macro_value(start);
        }
        if let Some(function) = self.math_function(word) {
            return self.math(function, start);
        }
        let Some(&(_, query)) = QUERIES.iter().find(|(name, _)| *name == word) else {
            let name = if word.is_empty() { "…" } else { word };
            return Err(self.refuse(
                codes::CALL,
                &format!("`call({name}, …)`, code of a C# library,"),
                start,
                if MathFunction::ALL.iter().any(|(known, ..)| known.eq_ignore_ascii_case(word)) {
                    "for this function, write `#import \"PAT.Math\";` above"
                } else {
                    "of calls only `cfull`, `cempty`, `ccount`, `csize`, `cpeek` and those of `PAT.Math` are known; write the function as a program"
                },
            ));
        };
        self.at += 1;
        self.query(query, start, |parser| {
            parser.at += 1;
            parser.expect(",")?;
            parser.channel_use()
        })
    }

    /// A question about the channel that `inner` reads in the parentheses here.
    fn query(
        &mut self,
        query: ChannelQuery,
        start: Span,
        inner: impl FnOnce(&mut Self) -> Parsed<Option<ChannelUse>>,
    ) -> Parsed<Deep> {
        let (channel, depth) = self.measured(|parser| parser.bracketed("(", inner));
        let span = self.since(start);
        let Some(channel) = channel?.flatten() else { return Ok(Deep::stand_in(span)) };
        let ty = match query {
            ChannelQuery::Count | ChannelQuery::Size => Type::Int,
            ChannelQuery::Empty | ChannelQuery::Full => Type::Bool,
            ChannelQuery::Peek => Type::Unknown,
        };
        self.above(depth, ExprKind::Query(query, channel), ty, span)
    }

    /// A name, with whatever follows it.
    fn named(&mut self, span: Span) -> Parsed<Deep> {
        let name = self.slice(span);
        let local = self.local(name);
        let global = if local.is_some() { None } else { self.global(name) };
        let unknown = local.is_none() && global.is_none();
        if unknown
            && self.sign_at(self.at + 1) == "("
            && let Some(&(_, query)) = QUERIES.iter().find(|(word, _)| *word == name)
        {
            self.at += 1;
            return self.query(query, span, Self::channel_use);
        }
        self.at += 1;
        if self.sees("[") {
            return self.element(span);
        }
        if let Some(object) = global.and_then(|global| self.as_collection(global)) {
            return self.collection_operand(object, span);
        }
        self.refuse_member(span)?;
        // `N(2)` in the initial values of an array is N, twice.
        if self.sees("(") && !matches!(global, Some(Global::Constant(_))) {
            return Err(self.no_function(span));
        }
        if let Some(id) = local {
            let ty = self.types[id.index()];
            return Ok(Deep::leaf(ExprKind::Local(id), ty, span));
        }
        let wrong = match global {
            Some(Global::Constant(value)) => return Ok(Deep::value(value, span)),
            Some(Global::Define(id)) => return self.define_value(id, span),
            Some(Global::Variable(id)) => {
                let variable = &self.spec.variables[id.index()];
                if variable.dimensions.is_empty() {
                    self.read.insert(id);
                    return Ok(Deep::leaf(ExprKind::Variable(id), variable.ty, span));
                }
                if self.is_compared() {
                    return Ok(Deep::leaf(ExprKind::Element(id, Vec::new()), Type::Unknown, span));
                }
                self.whole_array(name, span)
            }
            Some(Global::Channel(_)) => Diagnostic::error(
                codes::NO_VALUE,
                format!("the channel `{name}` is no value"),
                span,
            )
            .label("a channel")
            .help(format!("ask for something about it, such as `ccount({name})`")),
            Some(Global::Pending) => Diagnostic::error(
                codes::LATER,
                format!("`{name}` is defined by itself or further below"),
                span,
            )
            .label("not known yet")
            .help("a `#define` can use those above it; change the order"),
            Some(Global::Macro(_)) => {
                Diagnostic::error(codes::MACRO, format!("`{name}` is no value by itself"), span)
                    .label("a `#define` with parameters or a program")
                    .help(format!("write `call({name}, …)`, or `{name};` for a program"))
            }
            Some(Global::Broken) => return Ok(Deep::stand_in(span)),
            None => self.unknown_value(name, span),
        };
        self.note(wrong);
        Ok(Deep::stand_in(span))
    }

    pub(super) fn unknown_value(&self, name: &str, span: Span) -> Diagnostic {
        if self.names.definition(name).is_some() {
            return Diagnostic::error(
                codes::NO_VALUE,
                format!("the process `{name}` is no value"),
                span,
            )
            .label("a process")
            .help("expressions are about variables, constants and parameters");
        }
        let wrong = Diagnostic::error(codes::UNKNOWN, format!("`{name}` is not known here"), span)
            .label("no variable, constant, parameter or received value");
        if self.is_full() {
            return wrong;
        }
        let near = fairly_source::suggest::near(name, self.local_names()).or_else(|| {
            self.names.near_value(name, |global| !matches!(global, Global::Channel(_)))
        });
        wrong.help(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("declare it, for example `var {name} = 0;`"),
        })
    }

    /// `x.f(…)` and `x$f` are members of objects; a dot before anything else ends an expression.
    pub(super) fn refuse_member(&mut self, start: Span) -> Parsed<()> {
        let method = self.sees(".")
            && matches!(self.kind_at(self.at + 1), Some(Kind::Name))
            && self.sign_at(self.at + 2) == "(";
        if !method && !self.sees("$") {
            return Ok(());
        }
        // After `$` the text may end.
        self.at = (self.at + 2).min(self.end);
        if self.global(self.slice(start)) == Some(Global::Broken) {
            // The error has been reported at the declaration.
            return Err(ParseError);
        }
        let span = self.since(start);
        Err(self.refuse(
            codes::METHOD,
            "a member of a C# object",
            span,
            "model the data with variables and arrays",
        ))
    }

    fn no_function(&mut self, span: Span) -> ParseError {
        let name = self.slice(span);
        if self.names.definition(name).is_some() {
            let wrong = self.unknown_value(name, span);
            return self.stop(wrong);
        }
        self.refuse(
            codes::CALL,
            &format!("the function `{name}`"),
            span,
            "write the function as a program, or as a `#define` without parameters",
        )
    }

    /// `x:{0..2}; y:{0, 1}`.
    pub(super) fn bindings(&mut self) -> Parsed<Vec<Binding>> {
        let mut bindings = Vec::new();
        loop {
            let name = self.name("an index")?;
            let start = name.span;
            self.expect(":")?;
            let domain = self.bracketed("{", Self::domain)?;
            let ty = match &domain {
                Some(Domain::Range(..)) => Type::Int,
                Some(Domain::List(values)) => {
                    let first = values[0].ty;
                    if values.iter().all(|value| value.ty == first) { first } else { Type::Unknown }
                }
                None => Type::Unknown,
            };
            let local = self.bind(name, LocalKind::Index, ty);
            let span = self.since(start);
            if let Some(domain) = domain {
                bindings.push(Binding { local, domain, span });
            }
            if !self.takes(";") {
                return Ok(bindings);
            }
        }
    }

    fn domain(&mut self) -> Parsed<Domain> {
        let start = self.span();
        let first = self.sum()?;
        if self.takes("..") {
            let last = self.sum()?;
            self.want(&first, Type::Int);
            self.want(&last, Type::Int);
            if let (Some(low), Some(high)) = (constant(&first), constant(&last))
                && low > high
            {
                let span = self.since(start);
                self.empty_range(span);
            }
            return Ok(Domain::Range(first, last));
        }
        let mut values = vec![first];
        while self.takes(",") {
            values.push(self.sum()?);
        }
        Ok(Domain::List(values))
    }

    pub(super) fn empty_range(&mut self, span: Span) {
        self.note(
            Diagnostic::error(codes::EMPTY, "this range is empty", span)
                .label("the first is greater than the last")
                .help("both ends belong to a range, and the smaller stands first"),
        );
    }
}

/// `1 dimension`, `2 dimensions`.
pub(super) fn count(number: usize, what: &str) -> String {
    plural(number, what, &format!("{what}s"))
}

pub(super) fn plural(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// `1 argument is`, `2 arguments are`.
pub(super) fn are(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", plural(number, one, many), if number == 1 { "is" } else { "are" })
}
