//! Sending, receiving and polling.

use super::super::ast::{
    Base, BinaryOp, Expr, ExprKind, Initial, Local, LocalId, Origin, Pattern, ProcessKind,
    Sequence, Start, Stmt, StmtKind, Type, VarRef, Variable, Visibility,
};
use super::super::finish;
use super::super::place::{ParseError, Place, Read};
use super::super::token::{Kind, Sign};
use super::references::Wanted;
use super::statements::plain;
use super::{Global, Parser};

impl Parser<'_> {
    /// `c!…` after `c`.
    pub(super) fn send(&mut self, channel: VarRef) -> Read<Stmt> {
        let start = channel.place;
        self.check_channel(&channel)?;
        let sorted = self.bump().is(Sign::SortedSend);
        let mut fields = Vec::new();
        self.sent(&mut fields)?;
        if self.takes(Sign::OpenParen) {
            // `c!a(b, c)` is `c!a,b,c`.
            self.sent_list(&mut fields)?;
            self.expect(Sign::CloseParen)?;
        } else if self.takes(Sign::Comma) {
            self.sent_list(&mut fields)?;
        }
        let place = self.since(start);
        if let Some(place) = fields.iter().find_map(finish::find_run) {
            return Err(ParseError::new("E1175", "`run` cannot stand in a message", place)
                .help("run it before, and send its number"));
        }
        self.sent.push((fields.len(), place));
        Ok(plain(StmtKind::Send { channel, fields, sorted }, place))
    }

    fn sent_list(&mut self, fields: &mut Vec<Expr>) -> Read<()> {
        loop {
            self.sent(fields)?;
            if !self.takes(Sign::Comma) {
                return Ok(());
            }
        }
    }

    /// One part of a message; a struct becomes its fields.
    fn sent(&mut self, fields: &mut Vec<Expr>) -> Read<()> {
        let part = match self.takes_any()? {
            true => self.anything()?,
            false => self.message_part()?,
        };
        match part.kind {
            ExprKind::Variable(variable) if matches!(variable.kind, Type::Struct(_)) => {
                let mut parts = Vec::new();
                self.spread(variable, &mut parts)?;
                for part in parts {
                    let place = part.place;
                    fields.push(self.make(ExprKind::Variable(part), place)?);
                }
            }
            _ => fields.push(part),
        }
        Ok(())
    }

    /// Whether this is `_` in a trace, where also what is sent may be anything.
    fn takes_any(&mut self) -> Read<bool> {
        let kind = self.inside()?.process.kind;
        let in_trace = matches!(kind, ProcessKind::Trace | ProcessKind::NoTrace);
        Ok(in_trace && self.peek().word() == Some("_"))
    }

    fn anything(&mut self) -> Read<Expr> {
        let variable = self.reference(Wanted::Message)?;
        let place = variable.place;
        self.make(ExprKind::Variable(variable), place)
    }

    /// `c?…` after `c`.
    pub(super) fn receive(&mut self, channel: VarRef) -> Read<Stmt> {
        let start = channel.place;
        self.check_channel(&channel)?;
        let random = self.bump().is(Sign::RandomReceive);
        let peek = self.takes(Sign::Less);
        let mut fields = Vec::new();
        self.patterns(&mut fields)?;
        if peek {
            self.expect(Sign::Greater)?;
        }
        let place = self.since(start);
        let takes_pid =
            |field: &Pattern| matches!(field, Pattern::Store(it) if it.base == Base::Pid);
        if fields.iter().any(takes_pid) {
            return self.receive_pid(StmtKind::Receive { channel, fields, random, peek }, place);
        }
        Ok(plain(StmtKind::Receive { channel, fields, random, peek }, place))
    }

    /// `c?_pid`. SPIN takes any message and stores its field in `_pid`, which its simulator calls an error
    /// and its verifier does. Here the message is taken, and it is an error if it would change the number:
    /// `d_step { c?k; assert(k == _pid) }`.
    fn receive_pid(&mut self, mut receive: StmtKind, place: Place) -> Read<Stmt> {
        let StmtKind::Receive { fields, .. } = &mut receive else {
            return Ok(plain(receive, place));
        };
        let mut checks = Vec::new();
        for field in fields {
            let Pattern::Store(variable) = field else { continue };
            if variable.base != Base::Pid {
                continue;
            }
            let own = self.make(ExprKind::Variable(variable.clone()), variable.place)?;
            let received = self.received(checks.len(), variable.place)?;
            let got = self.make(ExprKind::Variable(received.clone()), received.place)?;
            let kind = ExprKind::Binary(BinaryOp::Equal, Box::new(got), Box::new(own));
            checks.push(plain(StmtKind::Assert(self.make(kind, place)?), place));
            *field = Pattern::Store(received);
        }
        let mut steps = vec![plain(receive, place)];
        steps.extend(checks);
        for step in &mut steps {
            step.origin = Origin::Receive;
        }
        Ok(plain(StmtKind::DStep(Sequence { steps, place }), place))
    }

    /// A variable of ours for what is received for `_pid`, one for each field of a message.
    fn received(&mut self, number: usize, place: Place) -> Read<VarRef> {
        let context = self.inside()?;
        let id = match context.received.get(number) {
            Some(&id) => id,
            None => {
                let variable = Variable {
                    name: format!("_pid_{number}"),
                    place,
                    kind: Type::Int,
                    length: None,
                    initial: Initial::Zero,
                    visibility: Visibility::Normal,
                };
                let id = LocalId(u32::try_from(context.process.locals.len()).unwrap_or(u32::MAX));
                context.process.locals.push(Local { variable, start: Start::Counter, scope: 0 });
                context.received.push(id);
                id
            }
        };
        Ok(VarRef {
            base: Base::Local(id),
            index: None,
            fields: Vec::new(),
            kind: Type::Int,
            place,
        })
    }

    /// `c?[…]` after `c`.
    pub(super) fn poll(&mut self, channel: VarRef) -> Read<Expr> {
        let start = channel.place;
        self.check_channel(&channel)?;
        let random = self.bump().is(Sign::RandomReceive);
        self.expect(Sign::OpenBracket)?;
        let mut fields = Vec::new();
        self.patterns(&mut fields)?;
        self.expect(Sign::CloseBracket)?;
        // A poll stores nothing, so a variable is only a place that anything fits.
        for field in &mut fields {
            if matches!(field, Pattern::Store(variable) if variable.base == Base::Pid) {
                *field = Pattern::Any;
            }
        }
        let place = self.since(start);
        self.make(ExprKind::Poll { channel, fields, random }, place)
    }

    /// Patterns separated by commas; `a(b, c)` is `a,b,c`.
    fn patterns(&mut self, fields: &mut Vec<Pattern>) -> Read<()> {
        loop {
            let place = self.here();
            if self.sees(Sign::OpenParen) {
                self.bump();
                self.nested(place, |parser| parser.patterns(fields))?;
                self.expect(Sign::CloseParen)?;
                return Ok(());
            }
            self.pattern(fields)?;
            if self.sees(Sign::OpenParen) {
                self.bump();
                self.nested(place, |parser| parser.patterns(fields))?;
                self.expect(Sign::CloseParen)?;
                return Ok(());
            }
            if !self.takes(Sign::Comma) {
                return Ok(());
            }
        }
    }

    fn pattern(&mut self, fields: &mut Vec<Pattern>) -> Read<()> {
        let token = self.peek().clone();
        match &token.kind {
            Kind::Number(value, _) => {
                self.bump();
                fields.push(Pattern::Equal(self.number(*value, token.place)));
                return Ok(());
            }
            Kind::Sign(Sign::Minus) => {
                self.bump();
                let Kind::Number(value, _) = self.peek().kind else {
                    return Err(self.unexpected("a number"));
                };
                self.bump();
                let place = self.since(token.place);
                fields.push(Pattern::Equal(self.number(value.wrapping_neg(), place)));
                return Ok(());
            }
            Kind::Word(word) if &**word == "eval" => {
                self.bump();
                self.expect(Sign::OpenParen)?;
                let value = self.nested(token.place, Self::value)?;
                self.expect(Sign::CloseParen)?;
                fields.push(Pattern::Equal(value));
                return Ok(());
            }
            Kind::Word(word) if matches!(&**word, "true" | "false" | "skip") => {
                self.bump();
                let value = i32::from(&**word != "false");
                fields.push(Pattern::Equal(self.number(value, token.place)));
                return Ok(());
            }
            Kind::Word(word) => {
                if let Some(&Global::Constant(set, value)) = self.names.get(word) {
                    self.bump();
                    let constant = self.make(ExprKind::Constant(set, value), token.place)?;
                    fields.push(Pattern::Equal(constant));
                    return Ok(());
                }
            }
            _ => return Err(self.unexpected("a variable, a constant or `eval`")),
        }
        let variable = self.nested(token.place, |parser| parser.reference(Wanted::Message))?;
        if variable.base == Base::Scratch {
            fields.push(Pattern::Any);
            return Ok(());
        }
        if variable.base == Base::Pid {
            fields.push(Pattern::Store(variable));
            return Ok(());
        }
        self.check_target(&variable)?;
        let mut parts = Vec::new();
        self.spread(variable, &mut parts)?;
        fields.extend(parts.into_iter().map(Pattern::Store));
        Ok(())
    }

    /// Reports messages that have more fields than those of any channel. Others are a matter of the
    /// run, as for SPIN: which channel they are sent to may only be known there.
    pub(super) fn check_sent(&mut self) {
        let widest = self.widest;
        for (count, place) in std::mem::take(&mut self.sent) {
            if count > widest {
                let label = match widest {
                    0 => "there is no channel".to_owned(),
                    _ => format!("no channel has more than {widest}"),
                };
                self.report(
                    ParseError::new("E1167", format!("a message with {count} fields"), place)
                        .label(label)
                        .help("a struct counts with all its fields"),
                );
            }
        }
    }
}
