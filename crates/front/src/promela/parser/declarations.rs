//! Variables, channels, and the types they have.

use std::rc::Rc;

use super::super::ast::{
    BinaryOp, Channel, Expr, ExprKind, GlobalId, Initial, Local, LocalId, Origin, Start, Stmt,
    StmtKind, Type, TypedefId, UnaryOp, Variable, Visibility,
};
use super::super::finish;
use super::super::place::{ParseError, Place, Read};
use super::super::token::{Kind, Sign};
use super::{Global, Parser};

/// How many elementary fields a message may have.
const MAX_FIELDS: usize = 255;

/// Kind of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Global,
    Field,
    Parameter,
    Local,
}

const TYPES: &[&str] = &["bit", "bool", "byte", "pid", "short", "int", "unsigned", "mtype", "chan"];
const VISIBILITIES: &[&str] = &["hidden", "show", "local"];

/// Names that SPIN declares.
const PREDEFINED: &[&str] = &["_", "_pid", "_nr_pr", "_last", "_priority"];

impl Parser<'_> {
    /// Whether a declaration starts here.
    pub(super) fn declaration_starts(&mut self) -> bool {
        let token = self.stream.peek();
        let Some(word) = token.word() else { return false };
        TYPES.contains(&word)
            || VISIBILITIES.contains(&word)
            || matches!(self.names.get(word), Some(Global::Typedef(_)))
    }

    /// Reads a declaration. Where it is a statement, that is put into `out`.
    pub(super) fn declaration(&mut self, role: Role, out: &mut Vec<Stmt>) -> Read<()> {
        for (name, variable) in self.variables(role)? {
            match role {
                Role::Global | Role::Field => {
                    if self.free(&name, variable.place) {
                        let id = u32::try_from(self.model.globals.len()).unwrap_or(u32::MAX);
                        self.names.insert(name, Global::Variable(GlobalId(id)));
                        self.model.globals.push(variable);
                    }
                }
                Role::Parameter | Role::Local => {
                    self.local(&name, variable, role, out);
                }
            }
        }
        Ok(())
    }

    /// Whether the name may be declared here; reports it if not.
    fn free(&mut self, name: &str, place: Place) -> bool {
        let inside = self.context.as_ref().and_then(|context| context.scopes.find(name));
        if inside.is_none() && !PREDEFINED.contains(&name) {
            return self.new_name(name, place);
        }
        let what = match inside {
            Some(super::super::scopes::Inside::Label(_)) => "a label",
            Some(_) => "a variable",
            None => "predefined",
        };
        self.report(
            ParseError::new("E1141", format!("`{name}` is already {what}"), place)
                .label("declared again here")
                .help("choose another name: declarations do not hide each other in SPIN"),
        );
        false
    }

    fn local(&mut self, name: &Rc<str>, mut variable: Variable, role: Role, out: &mut Vec<Stmt>) {
        if !self.free(name, variable.place) {
            return;
        }
        let Some(context) = &mut self.context else { return };
        let id = LocalId(u32::try_from(context.process.locals.len()).unwrap_or(u32::MAX));
        let place = variable.place;
        let started = context.started;
        let start = match role {
            Role::Parameter => Start::Parameter,
            _ if started => Start::ByStatement,
            _ => Start::AtCreation,
        };
        let mut late = None;
        if start == Start::ByStatement {
            let value = match std::mem::replace(&mut variable.initial, Initial::Zero) {
                Initial::Zero => None,
                Initial::Value(value) => Some(value),
                Initial::List(_) => {
                    late = Some("a list of values");
                    None
                }
                Initial::Channel(_) => {
                    late = Some("a new channel");
                    None
                }
            };
            out.push(Stmt {
                labels: Vec::new(),
                kind: StmtKind::Declare(id, value),
                place,
                annotation: None,
                origin: Origin::Written,
            });
        }
        let scope = context.scopes.current();
        context.process.locals.push(Local { variable, start, scope });
        context.scopes.declare(name.clone(), id);
        let known = context.outermost.entry(name.clone()).or_insert((scope, id));
        *known = (*known).min((scope, id));
        if let Some(what) = late {
            self.report(
                ParseError::new("E1173", format!("`{name}` cannot get {what} here"), place)
                    .label("a statement stands before it, or braces around it")
                    .help("declare it at the start of the process"),
            );
        }
    }

    /// The fields of a typedef, with the closing brace.
    pub(super) fn fields(&mut self, open: Place) -> Read<Vec<Variable>> {
        let mut fields: Vec<Variable> = Vec::new();
        let mut names = hashbrown::HashSet::new();
        loop {
            while self.takes(Sign::Semicolon) || self.peek().kind == Kind::LineEnd {
                if self.peek().kind == Kind::LineEnd {
                    self.bump();
                }
            }
            if self.takes(Sign::CloseBrace) {
                break;
            }
            if !self.declaration_starts() {
                return Err(self.unexpected("the type of a field"));
            }
            for (name, field) in self.variables(Role::Field)? {
                if !names.insert(name.clone()) {
                    self.report(
                        ParseError::new(
                            "E1141",
                            format!("`{name}` is already a field"),
                            field.place,
                        )
                        .label("declared again here")
                        .help("choose another name"),
                    );
                } else {
                    fields.push(field);
                }
            }
            let separated = self.sees(Sign::Semicolon)
                || self.sees(Sign::CloseBrace)
                || self.peek().kind == Kind::LineEnd
                || self.stream.separator_is_optional();
            if !separated {
                return Err(self.unexpected("`;` or `}`"));
            }
        }
        if fields.is_empty() {
            // Nothing may use it: a struct of nothing, nested often, would be spread for ever.
            let place = self.since(open);
            return Err(ParseError::new("E1123", "a typedef without fields", place)
                .label("expected a field")
                .help("write at least one, as in `byte x`"));
        }
        Ok(fields)
    }

    /// A type and what is declared of it. The declaration of an mtype gives nothing.
    fn variables(&mut self, role: Role) -> Read<Vec<(Rc<str>, Variable)>> {
        let visibility = match self.peek().word() {
            Some("hidden") => Visibility::Hidden,
            Some("show") => Visibility::Show,
            Some("local") => Visibility::Local,
            _ => Visibility::Normal,
        };
        if visibility != Visibility::Normal {
            self.bump();
        }
        if self.sees_word("mtype") {
            let start = self.here();
            let (kind, defines) = self.mtype_head()?;
            if defines {
                let Type::Mtype(set) = kind else { return Ok(Vec::new()) };
                if self.context.is_some() {
                    let place = self.since(start);
                    return Err(only_outside("the constants of an mtype", place));
                }
                self.constants(set)?;
                return Ok(Vec::new());
            }
            return self.declarators(kind, visibility, role);
        }
        let kind = self.simple_type()?;
        self.declarators(kind, visibility, role)
    }

    /// `mtype` with its name; also whether its constants follow.
    fn mtype_head(&mut self) -> Read<(Type, bool)> {
        self.bump();
        let mut name = None;
        if self.takes(Sign::Colon) {
            name = Some(self.name("the name of an mtype")?.0);
        }
        let kind = Type::Mtype(self.mtype(name.as_deref()));
        let defines = self.takes(Sign::Assign) || self.sees(Sign::OpenBrace);
        Ok((kind, defines))
    }

    /// A type other than mtype. The width of `unsigned` comes later.
    fn simple_type(&mut self) -> Read<Type> {
        let token = self.peek().clone();
        let kind = match token.word() {
            Some("bit") => Type::Bit,
            Some("bool") => Type::Bool,
            Some("byte") => Type::Byte,
            Some("pid") => Type::Pid,
            Some("short") => Type::Short,
            Some("int") => Type::Int,
            Some("unsigned") => Type::Unsigned(0),
            Some("chan") => Type::Chan,
            Some(word) => match self.names.get(word) {
                Some(&Global::Typedef(id)) => Type::Struct(id),
                _ if super::is_keyword(word) => return Err(self.unexpected("a type")),
                _ => {
                    let help = "the types are bit, bool, byte, pid, short, int, mtype, chan and \
                                the typedefs before this line";
                    let message = format!("there is no type `{word}`");
                    return Err(ParseError::new("E1142", message, token.place).help(help));
                }
            },
            None => return Err(self.unexpected("a type")),
        };
        self.bump();
        Ok(kind)
    }

    fn declarators(
        &mut self,
        kind: Type,
        visibility: Visibility,
        role: Role,
    ) -> Read<Vec<(Rc<str>, Variable)>> {
        let mut all = Vec::new();
        loop {
            let (name, place) = self.name("the name of a variable")?;
            let kind = self.width(kind, &name, place)?;
            if visibility == Visibility::Hidden && matches!(kind, Type::Bit | Type::Bool) {
                self.report(
                    ParseError::new("E1176", format!("the bit `{name}` cannot be hidden"), place)
                        .help("declare it as a `byte`"),
                );
            }
            let length = self.length(&name, place, role)?;
            let mut variable = Variable {
                name: name.to_string(),
                place,
                kind,
                length,
                initial: Initial::Zero,
                visibility,
            };
            if self.sees(Sign::Assign) {
                let read = self.initialiser(&mut variable, role);
                if let Err(wrong) = read {
                    // A value that is wrong is no reason to take the variable for undeclared.
                    let goes_on = self.sees(Sign::Semicolon)
                        || self.sees(Sign::Comma)
                        || self.peek().kind == Kind::LineEnd;
                    if !goes_on {
                        return Err(wrong);
                    }
                    self.report(wrong);
                }
            }
            all.push((name, variable));
            if !self.takes(Sign::Comma) {
                break;
            }
        }
        Ok(all)
    }

    /// The width of an `unsigned`.
    fn width(&mut self, kind: Type, name: &str, place: Place) -> Read<Type> {
        let given = if self.sees(Sign::Colon) {
            self.bump();
            match self.peek().kind {
                Kind::Number(bits, _) => {
                    self.bump();
                    Some(bits)
                }
                _ => return Err(self.unexpected("a number of bits")),
            }
        } else {
            None
        };
        match (kind, given) {
            (Type::Unsigned(_), Some(bits @ 1..=31)) => {
                Ok(Type::Unsigned(u8::try_from(bits).unwrap_or(31)))
            }
            (Type::Unsigned(_), _) => {
                let place = self.since(place);
                self.report(
                    ParseError::new(
                        "E1172",
                        format!("`{name}` needs a width of 1 to 31 bits"),
                        place,
                    )
                    .help(format!("write `unsigned {name} : 5`")),
                );
                Ok(Type::Unsigned(16))
            }
            (kind, Some(_)) => {
                let place = self.since(place);
                self.report(
                    ParseError::new("E1172", "only an `unsigned` has a width", place)
                        .help("declare it as `unsigned`"),
                );
                Ok(kind)
            }
            (kind, None) => Ok(kind),
        }
    }

    /// The length of an array, if it is one.
    fn length(&mut self, name: &str, place: Place, role: Role) -> Read<Option<u32>> {
        if !self.takes(Sign::OpenBracket) {
            return Ok(None);
        }
        let start = self.here();
        let length = self.constant("the length of the array")?;
        let counted = self.since(start);
        self.expect(Sign::CloseBracket)?;
        if role == Role::Parameter {
            self.report(
                ParseError::new("E1177", format!("the parameter `{name}` is an array"), place)
                    .label("parameters are no arrays")
                    .help("pass an index into a global array"),
            );
        }
        match u32::try_from(length) {
            Ok(length) if length > 0 => Ok(Some(length)),
            _ => {
                self.report(
                    ParseError::new(
                        "E1171",
                        format!("an array cannot have {length} elements"),
                        counted,
                    )
                    .label("at least 1")
                    .help("write a positive constant"),
                );
                Ok(Some(1))
            }
        }
    }

    fn initialiser(&mut self, variable: &mut Variable, role: Role) -> Read<()> {
        self.bump();
        let start = self.here();
        let name = variable.name.clone();
        let mut problem = (role == Role::Parameter).then_some("a parameter has no initial value");
        if self.takes(Sign::OpenBrace) {
            let mut values = Vec::new();
            loop {
                values.push(self.constant("a value")?);
                if !self.takes(Sign::Comma) {
                    break;
                }
            }
            self.expect(Sign::CloseBrace)?;
            match variable.length {
                None => problem = Some("a list of values is for an array"),
                Some(length) if values.len() > length as usize => {
                    problem = Some("this list is longer than the array");
                }
                _ => {}
            }
            variable.initial = Initial::List(values);
        } else if self.sees(Sign::OpenBracket) {
            variable.initial = Initial::Channel(self.channel()?);
            if variable.kind != Type::Chan {
                problem = Some("only a `chan` can be a new channel");
            }
        } else {
            let value = self.value()?;
            if let Some(place) = finish::find_run(&value) {
                self.report(
                    ParseError::new("E1175", "`run` cannot give an initial value", place)
                        .help(format!("assign it in a statement: `{name} = run …`")),
                );
            }
            self.check_assignment(variable.kind, &name, &value);
            // Outside of processes there are no processes yet; a field is initialised wherever
            // its struct is, and takes nothing from its surroundings.
            if self.context.is_none() && finish::find_remote(&value).is_some() {
                problem = Some("an initial value cannot look at a process");
            } else if role == Role::Field && self.evaluate(&value).is_err() {
                problem = Some("the initial value of a field is a constant");
            }
            variable.initial = Initial::Value(value);
        }
        if let Type::Struct(_) = variable.kind {
            // SPIN reads a value and makes nothing of it: the fields have their own.
            match variable.initial {
                Initial::Value(_) => variable.initial = Initial::Zero,
                _ => problem = Some("a struct has no initial value"),
            }
        }
        if let Some(problem) = problem {
            let place = self.since(start);
            self.report(
                ParseError::new("E1173", problem, place)
                    .label(format!("for `{name}`"))
                    .help("remove it, or assign the value in a statement"),
            );
        }
        Ok(())
    }

    fn channel(&mut self) -> Read<Channel> {
        self.bump();
        let start = self.here();
        let capacity = self.constant("how many messages the channel holds")?;
        let counted = self.since(start);
        self.expect(Sign::CloseBracket)?;
        let capacity = match u32::try_from(capacity) {
            Ok(capacity) if capacity <= 255 => capacity,
            _ => {
                self.report(
                    ParseError::new(
                        "E1171",
                        format!("a channel cannot hold {capacity} messages"),
                        counted,
                    )
                    .label("0 to 255")
                    .help("0 makes a rendezvous"),
                );
                0
            }
        };
        if !self.takes_word("of") {
            return Err(self.unexpected("`of`"));
        }
        let open = self.expect(Sign::OpenBrace)?;
        let mut declared = Vec::new();
        let mut fields = Vec::new();
        loop {
            let place = self.here();
            let kind = if self.sees_word("mtype") {
                self.bump();
                let mut name = None;
                if self.takes(Sign::Colon) {
                    name = Some(self.name("the name of an mtype")?.0);
                }
                Type::Mtype(self.mtype(name.as_deref()))
            } else {
                self.simple_type()?
            };
            if let Type::Unsigned(_) = kind {
                self.report(
                    ParseError::new("E1172", "a field of a message cannot be `unsigned`", place)
                        .help("use `byte` or `int`"),
                );
            }
            declared.push(kind);
            match kind {
                Type::Struct(id) => self.spread_type(id, place, &mut fields)?,
                kind => fields.push(kind),
            }
            if !self.takes(Sign::Comma) {
                break;
            }
        }
        self.expect(Sign::CloseBrace)?;
        if fields.len() > MAX_FIELDS {
            return Err(too_many_fields(self.since(open.place)));
        }
        self.widest = self.widest.max(fields.len());
        Ok(Channel { capacity, declared, fields })
    }

    /// The elementary fields of a struct. Typedefs use only earlier ones, so this ends; the limit
    /// on the fields ends it soon.
    fn spread_type(&mut self, id: TypedefId, place: Place, fields: &mut Vec<Type>) -> Read<()> {
        for at in 0..self.model.typedefs[id.index()].fields.len() {
            let field = &self.model.typedefs[id.index()].fields[at];
            let (kind, length) = (field.kind, field.length);
            if fields.len() > MAX_FIELDS || length.is_some_and(|n| n as usize > MAX_FIELDS) {
                return Err(too_many_fields(place));
            }
            match kind {
                Type::Struct(_) if length.is_some() => return Err(array_of_structs(place)),
                Type::Struct(inner) => {
                    self.nested(place, |parser| parser.spread_type(inner, place, fields))?;
                }
                kind => fields.extend(std::iter::repeat_n(kind, length.unwrap_or(1) as usize)),
            }
        }
        Ok(())
    }

    /// A constant expression.
    pub(super) fn constant(&mut self, what: &str) -> Read<i32> {
        let value = self.value()?;
        match self.evaluate(&value) {
            Ok(number) => Ok(number),
            Err(place) => Err(ParseError::new("E1174", format!("{what} is not constant"), place)
                .label("this has no value before the model runs")
                .help("use numbers, macros, constants of mtypes and `+ - * / %`")),
        }
    }

    fn evaluate(&self, value: &Expr) -> Result<i32, Place> {
        let nothing = Err(value.place);
        match &value.kind {
            ExprKind::Number(number) | ExprKind::Constant(_, number) => Ok(*number),
            ExprKind::Unary(UnaryOp::Minus, operand) => Ok(self.evaluate(operand)?.wrapping_neg()),
            ExprKind::Binary(op, left, right) => {
                let is_arithmetic = matches!(
                    op,
                    BinaryOp::Add
                        | BinaryOp::Subtract
                        | BinaryOp::Multiply
                        | BinaryOp::Divide
                        | BinaryOp::Remainder
                );
                let (left, right) = (self.evaluate(left)?.into(), self.evaluate(right)?.into());
                let result = op.apply(left, right).filter(|_| is_arithmetic);
                // Integers wrap.
                result.map(|result| result as i32).ok_or(value.place)
            }
            // SPIN lets a variable stand for its initial value.
            ExprKind::Variable(variable)
                if variable.index.is_none() && variable.fields.is_empty() =>
            {
                let declared = match variable.base {
                    super::super::ast::Base::Global(id) => self.model.globals.get(id.index()),
                    super::super::ast::Base::Local(id) => {
                        let context = self.context.as_ref();
                        context
                            .and_then(|context| context.process.locals.get(id.index()))
                            .map(|local| &local.variable)
                    }
                    _ => None,
                };
                match declared.map(|variable| &variable.initial) {
                    Some(Initial::Value(Expr { kind: ExprKind::Number(number), .. })) => {
                        Ok(*number)
                    }
                    _ => nothing,
                }
            }
            _ => nothing,
        }
    }

    /// Reports a value that cannot be assigned to something of that type.
    pub(super) fn check_assignment(&mut self, kind: Type, name: &str, value: &Expr) {
        let given = match &value.kind {
            ExprKind::Variable(variable) => Some(variable.kind),
            ExprKind::Constant(set, _) => Some(Type::Mtype(*set)),
            // The state of another process is not looked up: SPIN does not either.
            ExprKind::RemoteVariable(_) => Some(kind),
            ExprKind::Conditional(_) => Some(kind),
            _ => None,
        };
        if let (Type::Mtype(wanted), Some(Type::Mtype(given))) = (kind, given)
            && let Some(set) = self.model.mtypes[wanted.index()].name.clone()
            && wanted != given
        {
            self.report(
                ParseError::new(
                    "E1168",
                    format!("`{name}` holds constants of `mtype:{set}`"),
                    value.place,
                )
                .label("this is of another mtype")
                .help("declare the variable as plain `mtype` to hold any"),
            );
        }
        let none = matches!(value.kind, ExprKind::Number(0));
        if kind == Type::Chan && given != Some(Type::Chan) && !none {
            self.report(
                ParseError::new("E1165", format!("`{name}` is a channel"), value.place)
                    .label("this is none")
                    .help("a `chan` is assigned another `chan`, and nothing is computed with it"),
            );
        }
    }
}

pub(super) fn array_of_structs(place: Place) -> ParseError {
    ParseError::new("E1177", "a message cannot hold an array of structs", place)
        .label("spread into fields, it has one")
        .help("send its elements one by one")
}

pub(super) fn too_many_fields(place: Place) -> ParseError {
    ParseError::new("E1167", format!("a message has at most {MAX_FIELDS} fields"), place)
        .label("too many, with structs spread into their fields")
        .help("send less at once")
}

pub(super) fn only_outside(what: &str, place: Place) -> ParseError {
    ParseError::new("E1155", format!("{what} can only be declared outside of processes"), place)
        .label("not here")
        .help("move it before the process")
}
