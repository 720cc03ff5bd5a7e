//! Operands of expressions: constants, variables, calls, parentheses.

use super::super::ast::{
    Asked, Base, Expr, ExprKind, Ltl, Probe, ProctypeId, RemoteVariable, Run, Type, VarRef,
};
use super::super::place::{ParseError, Place, Read};
use super::super::token::{Kind, Sign};
use super::expressions::Operand;
use super::references::Wanted;
use super::{Global, Parser, PendingRun};
use fairly_source::suggest::did_you_mean;

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Read<Operand> {
        let token = self.peek().clone();
        let place = token.place;
        let word = match &token.kind {
            Kind::Number(value, _) => {
                self.bump();
                return Ok(Operand::Plain(self.number(*value, place)));
            }
            Kind::Sign(Sign::OpenParen) => {
                return self.nested(place, Self::parenthesis);
            }
            Kind::Word(word) => word.clone(),
            _ => return Err(self.unexpected("an expression")),
        };
        let kind = match &*word {
            "true" | "skip" | "false" => {
                self.bump();
                return Ok(Operand::Plain(self.number(i32::from(&*word != "false"), place)));
            }
            "timeout" => {
                self.bump();
                ExprKind::Timeout
            }
            "np_" => {
                self.bump();
                ExprKind::NonProgress
            }
            "run" => return self.nested(place, Self::run).map(Operand::Plain),
            "len" => {
                let channel = self.asked_channel()?;
                ExprKind::Length(channel)
            }
            "full" => ExprKind::Probe(Probe::Full, self.asked_channel()?),
            "empty" => ExprKind::Probe(Probe::Empty, self.asked_channel()?),
            "nfull" => ExprKind::Probe(Probe::NotFull, self.asked_channel()?),
            "nempty" => ExprKind::Probe(Probe::NotEmpty, self.asked_channel()?),
            "enabled" | "taken" if self.in_formula && self.asks_of_process(&word) => {
                return self.nested(place, Self::asked);
            }
            "enabled" => ExprKind::Enabled(self.asked_process()?),
            "pc_value" => ExprKind::PcValue(self.asked_process()?),
            "get_priority" => ExprKind::GetPriority(self.asked_process()?),
            "c_expr" => return Err(super::units::no_c(&word, place)),
            _ if super::is_keyword(&word) => return Err(self.unexpected("an expression")),
            _ => match self.names.get(&word) {
                Some(&Global::Constant(set, value)) => {
                    self.bump();
                    ExprKind::Constant(set, value)
                }
                Some(&Global::Proctype(id)) => {
                    self.bump();
                    return self
                        .nested(place, |parser| parser.remote(id, place))
                        .map(Operand::Plain);
                }
                Some(Global::Inline(_)) => {
                    return Err(ParseError::new("E1147", format!("`{word}` is an inline"), place)
                        .label("an inline has no value here")
                        .help("use it as a statement, or as `x = f(…)`"));
                }
                _ => {
                    let variable = self.nested(place, |parser| parser.reference(Wanted::Value))?;
                    return self.after_reference(variable).map(Operand::Plain);
                }
            },
        };
        let place = self.since(place);
        Ok(Operand::Plain(self.make(kind, place)?))
    }

    /// A variable, or a poll of the channel it is.
    pub(super) fn after_reference(&mut self, variable: VarRef) -> Read<Expr> {
        let asks = self.sees(Sign::Receive) || self.sees(Sign::RandomReceive);
        let polls =
            asks && self.stream.peek_second().is_some_and(|next| next.is(Sign::OpenBracket));
        if polls {
            let place = variable.place;
            return self.nested(place, |parser| parser.poll(variable));
        }
        let place = variable.place;
        if variable.base == Base::Scratch {
            return Err(super::statements::unreadable(place));
        }
        self.make(ExprKind::Variable(variable), place)
    }

    fn parenthesis(&mut self) -> Read<Operand> {
        let open = self.bump();
        let mut inner = self.parenthesised()?;
        if self.sees(Sign::Arrow) {
            self.bump();
            let Operand::Plain(condition) = inner else {
                return Err(self.unexpected("`)`"));
            };
            let then = self.value()?;
            if !self.sees(Sign::Colon) {
                // `(a -> b : c)` is rare; a parenthesis that is not closed is not.
                return Err(ParseError::new("E1120", "this `(` is not closed", open.place)
                    .label("the matching `)` is missing")
                    .help("write `)` before the `->`, or `(a -> b : c)` for one of two values"));
            }
            self.bump();
            let otherwise = self.value()?;
            let place = self.since(open.place);
            self.no_probe(&condition)?;
            let parts = Box::new([condition, then, otherwise]);
            inner = Operand::Plain(self.make(ExprKind::Conditional(parts), place)?);
        }
        self.expect(Sign::CloseParen)?;
        Ok(inner)
    }

    fn parenthesised(&mut self) -> Read<Operand> {
        if self.in_formula {
            // Only here may a parenthesis hold temporal operators.
            return self.whole_operand();
        }
        self.full_expression().map(Operand::Plain)
    }

    fn asked_channel(&mut self) -> Read<VarRef> {
        self.bump();
        self.expect(Sign::OpenParen)?;
        let place = self.here();
        let channel = self.nested(place, Self::channel_reference)?;
        self.expect(Sign::CloseParen)?;
        Ok(channel)
    }

    /// Whether this is what a formula asks of a process, and no variable of that name.
    fn asks_of_process(&mut self, word: &str) -> bool {
        let is_call = self.stream.peek_second().is_some_and(|next| next.is(Sign::OpenParen));
        is_call && (word == "enabled" || self.names.get(word).is_none())
    }

    /// `enabled(P)` and `taken(P)` of a process, or SPIN's `enabled` of a number.
    fn asked(&mut self) -> Read<Operand> {
        let word = self.bump();
        let is_taken = matches!(&word.kind, Kind::Word(word) if &**word == "taken");
        self.expect(Sign::OpenParen)?;
        let next = self.peek().kind.clone();
        let proctype = match &next {
            Kind::Word(name) => match self.names.get(name) {
                Some(&Global::Proctype(id)) => Some(id),
                _ => None,
            },
            _ => None,
        };
        let number = match proctype {
            None if is_taken => return Err(not_asked(self.peek().place)),
            None => self.value()?,
            Some(proctype) => {
                let start = self.bump().place;
                let pid = self.pid()?;
                if self.takes(Sign::CloseParen) {
                    let place = self.since(word.place);
                    let pid = match pid {
                        None => None,
                        Some(Expr { kind: ExprKind::Number(number), .. }) => Some(number),
                        Some(_) => return Err(not_asked(place)),
                    };
                    let asked = Asked { is_taken, proctype, pid, place };
                    return Ok(Operand::Temporal(Ltl::Asked(asked), place, 1));
                }
                if is_taken {
                    return Err(self.unexpected("`)`"));
                }
                let first = self.remote_of(proctype, start, pid)?;
                self.value_from(first)?
            }
        };
        self.expect(Sign::CloseParen)?;
        let place = self.since(word.place);
        Ok(Operand::Plain(self.make(ExprKind::Enabled(Box::new(number)), place)?))
    }

    fn asked_process(&mut self) -> Read<Box<Expr>> {
        let word = self.bump();
        self.expect(Sign::OpenParen)?;
        let process = self.nested(word.place, Self::value)?;
        self.expect(Sign::CloseParen)?;
        Ok(Box::new(process))
    }

    fn run(&mut self) -> Read<Expr> {
        let start = self.bump().place;
        if self.context.is_none() {
            return Err(ParseError::new("E1175", "`run` outside of a process", start)
                .help("processes are started by processes"));
        }
        let (name, place) = self.name("the name of a proctype")?;
        let found = match self.names.get(&name) {
            Some(&Global::Proctype(id)) => Some(id),
            None => self.process_names.get(&name).copied(),
            Some(_) => None,
        };
        let Some(proctype) = found else {
            let help = did_you_mean(&name, self.process_names.keys().map(|name| &**name));
            return Err(ParseError::new("E1143", format!("there is no proctype `{name}`"), place)
                .help(help.unwrap_or_else(|| format!("declare it: `proctype {name}() {{ … }}`"))));
        };
        self.expect(Sign::OpenParen)?;
        let mut arguments = Vec::new();
        while !self.sees(Sign::CloseParen) {
            arguments.push(self.message_part()?);
            if !self.takes(Sign::Comma) {
                break;
            }
        }
        self.expect(Sign::CloseParen)?;
        let priority = self.priority()?;
        let place = self.since(start);
        let given = arguments.iter().map(|argument| match &argument.kind {
            ExprKind::Variable(VarRef { kind: Type::Struct(id), .. }) => {
                (Some(*id), argument.place)
            }
            _ => (None, argument.place),
        });
        self.runs.push(PendingRun { proctype, arguments: given.collect(), place });
        self.make(ExprKind::Run(Box::new(Run { proctype, arguments, priority })), place)
    }

    /// `P@label`, `P[i]@label`, `P:variable` or `P[i]:variable`, after `P`.
    fn remote(&mut self, proctype: ProctypeId, start: Place) -> Read<Expr> {
        let pid = self.pid()?;
        self.remote_of(proctype, start, pid)
    }

    /// The number of a process in brackets, if there is one.
    fn pid(&mut self) -> Read<Option<Expr>> {
        if !self.takes(Sign::OpenBracket) {
            return Ok(None);
        }
        let pid = self.value()?;
        self.expect(Sign::CloseBracket)?;
        Ok(Some(pid))
    }

    /// A label or a variable of a process, after its proctype and number.
    fn remote_of(&mut self, proctype: ProctypeId, start: Place, pid: Option<Expr>) -> Read<Expr> {
        if self.takes(Sign::At) {
            let (name, at) = self.name("a label")?;
            let own = self.context.as_ref().filter(|context| context.id == Some(proctype));
            let scopes = match own {
                Some(context) => Some(&context.scopes),
                None => self.label_scopes.get(proctype.index()).and_then(Option::as_ref),
            };
            let Some(label) = scopes.and_then(|scopes| scopes.remote(&name)) else {
                let help = scopes.and_then(|scopes| did_you_mean(&name, scopes.label_names()));
                return Err(ParseError::new(
                    "E1145",
                    format!("there is no label `{name}` there"),
                    at,
                )
                .help(
                    help.unwrap_or_else(|| {
                        "it must stand in that proctype, before this line".into()
                    }),
                ));
            };
            self.remote_labels.push((proctype, label));
            let place = self.since(start);
            return self.make(ExprKind::RemoteLabel(proctype, pid.map(Box::new), label), place);
        }
        if !self.takes(Sign::Colon) {
            return Err(self.unexpected("`@` and a label, or `:` and a variable, of the process"));
        }
        let (name, at) = self.name("a variable of the process")?;
        let own = self.context.as_ref().filter(|context| context.id == Some(proctype));
        let (process, outermost) = match own {
            Some(context) => (Some(&context.process), Some(&context.outermost)),
            None => (
                self.processes.get(proctype.index()).and_then(Option::as_ref),
                self.outermost.get(proctype.index()),
            ),
        };
        let locals = process.map_or(&[][..], |process| &process.locals);
        let found = outermost.and_then(|names| names.get(&name)).map(|&(_, id)| id);
        let Some((id, local)) = found.and_then(|id| Some((id, locals.get(id.index())?))) else {
            let names = locals.iter().map(|local| local.variable.name.as_str());
            let help = did_you_mean(&name, names);
            return Err(ParseError::new(
                "E1140",
                format!("that process has no variable `{name}`"),
                at,
            )
            .help(help.unwrap_or_else(|| "global variables are named without a process".into())));
        };
        let (is_array, is_struct) =
            (local.variable.length.is_some(), matches!(local.variable.kind, Type::Struct(_)));
        if is_struct {
            return Err(ParseError::new("E1163", format!("`{name}` is a struct, not a value"), at)
                .help("SPIN cannot look into structs of other processes; use a global variable"));
        }
        let mut index = None;
        if self.takes(Sign::OpenBracket) {
            index = Some(self.value()?);
            self.expect(Sign::CloseBracket)?;
        }
        if is_array != index.is_some() {
            let (code, message) = if is_array {
                ("E1160", format!("the array `{name}` needs an index"))
            } else {
                ("E1161", format!("`{name}` is no array"))
            };
            return Err(ParseError::new(code, message, self.since(at))
                .help("an array is used with an index, any other variable without"));
        }
        let place = self.since(start);
        let remote = RemoteVariable { proctype, pid, local: id, index };
        self.make(ExprKind::RemoteVariable(Box::new(remote)), place)
    }
}

fn not_asked(place: Place) -> ParseError {
    ParseError::new("E1130", "this is asked of a process", place)
        .label("no process")
        .help("name a proctype, or one of its processes by number: `taken(P)`, `taken(P[1])`")
}
