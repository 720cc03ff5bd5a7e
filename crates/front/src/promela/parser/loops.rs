//! `for` and `select`, which SPIN writes out as assignments and `do`.

use super::super::ast::{
    Base, BinaryOp, Choice, Expr, ExprKind, Initial, Local, LocalId, Origin, Pattern, Sequence,
    Start, Stmt, StmtKind, Type, VarRef, Variable, Visibility,
};
use super::super::place::{ParseError, Place, Read};
use super::super::token::{Kind, Sign};
use super::Parser;
use super::references::Wanted;
use super::statements::plain;

/// How far apart the bounds of a `select` may lie for SPIN to write it as an `if`.
const MAX_LISTED: i32 = 32;

impl Parser<'_> {
    pub(super) fn for_loop(&mut self, out: &mut Vec<Stmt>) -> Read<Stmt> {
        let start = self.bump().place;
        self.expect(Sign::OpenParen)?;
        let variable = self.reference(Wanted::Message)?;
        if self.takes_word("in") {
            return self.for_in(variable, start, out);
        }
        self.check_counter(&variable)?;
        if !self.takes(Sign::Colon) {
            return Err(self.unexpected("`:` and a range, or `in`"));
        }
        let from = self.value()?;
        self.expect(Sign::Range)?;
        let to = self.value()?;
        self.check_range(&from, &to);
        self.expect(Sign::CloseParen)?;
        let place = self.since(start);
        self.counted(variable, from, to, place, out)
    }

    /// `i = from; do :: i <= to -> body; i++ :: else -> break od`.
    fn counted(
        &mut self,
        variable: VarRef,
        from: Expr,
        to: Expr,
        place: Place,
        out: &mut Vec<Stmt>,
    ) -> Read<Stmt> {
        out.push(made(StmtKind::Assign(variable.clone(), from), place, Origin::For));
        let now = self.make(ExprKind::Variable(variable.clone()), variable.place)?;
        let kind = ExprKind::Binary(BinaryOp::LessEqual, Box::new(now), Box::new(to));
        let condition = self.make(kind, place)?;
        let next = self.step_by_one(variable, BinaryOp::Add, place)?;
        self.rounds(Vec::from([StmtKind::Condition(condition)]), next, place)
    }

    /// The loop with its body, which starts with `first` and ends with `next`.
    fn rounds(&mut self, first: Vec<StmtKind>, next: Stmt, place: Place) -> Read<Stmt> {
        let origin = Origin::For;
        while self.peek().kind == Kind::LineEnd || self.sees(Sign::Semicolon) {
            self.bump();
        }
        let mut steps: Vec<Stmt> =
            first.into_iter().map(|kind| made(kind, place, origin)).collect();
        let open = self.expect(Sign::OpenBrace)?;
        let context = self.inside()?;
        context.started = true;
        context.guard = false;
        let d_step = context.scopes.d_step;
        context.loops.push(d_step);
        let loops = context.loops.len();
        context.scopes.enter();
        let body = self.sequence(Sign::CloseBrace, open.place);
        let context = self.inside()?;
        context.scopes.leave();
        context.loops.truncate(loops - 1);
        steps.extend(body?);
        self.expect(Sign::CloseBrace)?;
        steps.push(Stmt { origin, ..next });
        let leave = vec![made(StmtKind::Else, place, origin), made(StmtKind::Break, place, origin)];
        let choice = |steps| Choice { body: Sequence { steps, place }, annotation: None };
        Ok(made(StmtKind::Do(vec![choice(steps), choice(leave)]), place, origin))
    }

    /// `for (variable in container)` after `in`.
    fn for_in(&mut self, variable: VarRef, start: Place, out: &mut Vec<Stmt>) -> Read<Stmt> {
        let container = self.reference(Wanted::Whole)?;
        self.expect(Sign::CloseParen)?;
        let place = self.since(start);
        if container.kind == Type::Chan && matches!(variable.kind, Type::Struct(_)) {
            return self.for_message(variable, container, place, out);
        }
        self.check_counter(&variable)?;
        match self.whole_length(&container) {
            Some(length) => {
                let from = self.number(0, place);
                let last = i32::try_from(length - 1).unwrap_or(i32::MAX);
                let to = self.number(last, place);
                self.counted(variable, from, to, place, out)
            }
            None => Err(ParseError::new(
                "E1178",
                "`for … in` needs an array or a channel",
                container.place,
            )
            .label("this is neither")
            .help("an index runs over an array, a struct over the messages of a channel")),
        }
    }

    /// The length of the array that is meant as a whole.
    fn whole_length(&self, container: &VarRef) -> Option<u32> {
        if container.index.is_some() || !container.fields.is_empty() {
            return None;
        }
        match container.base {
            Base::Global(id) => self.model.globals.get(id.index())?.length,
            Base::Local(id) => {
                self.context.as_ref()?.process.locals.get(id.index())?.variable.length
            }
            _ => None,
        }
    }

    /// `k = 0; do :: k < len(c) -> c?m; c!m; body; k++ :: else -> break od`.
    fn for_message(
        &mut self,
        variable: VarRef,
        channel: VarRef,
        place: Place,
        out: &mut Vec<Stmt>,
    ) -> Read<Stmt> {
        let mut parts = Vec::new();
        self.spread(variable, &mut parts)?;
        if self.channel_fields(&channel).is_some_and(|fields| fields != parts.len())
            || self.whole_length(&channel).is_some()
        {
            return Err(ParseError::new(
                "E1178",
                "the messages are of another type",
                channel.place,
            )
            .label("expected a channel of that one struct")
            .help("declare it as `chan c = [n] of { T }` with the typedef of the variable"));
        }
        let counter = self.counter(place)?;
        let zero = self.number(0, place);
        out.push(made(StmtKind::Assign(counter.clone(), zero), place, Origin::For));
        let now = self.make(ExprKind::Variable(counter.clone()), place)?;
        let length = self.make(ExprKind::Length(channel.clone()), channel.place)?;
        let kind = ExprKind::Binary(BinaryOp::Less, Box::new(now), Box::new(length));
        let condition = self.make(kind, place)?;
        let mut values = Vec::new();
        for part in &parts {
            values.push(self.make(ExprKind::Variable(part.clone()), part.place)?);
        }
        let first = vec![
            StmtKind::Condition(condition),
            StmtKind::Receive {
                channel: channel.clone(),
                fields: parts.into_iter().map(Pattern::Store).collect(),
                random: false,
                peek: false,
            },
            StmtKind::Send { channel, fields: values, sorted: false },
        ];
        let next = self.step_by_one(counter, BinaryOp::Add, place)?;
        self.rounds(first, next, place)
    }

    /// The counter that SPIN adds, one for each scope.
    fn counter(&mut self, place: Place) -> Read<VarRef> {
        let context = self.inside()?;
        let scope = context.scopes.current();
        let id = match context.counters.get(&scope) {
            Some(&id) => id,
            None => {
                let variable = Variable {
                    name: format!("_for_{scope}"),
                    place,
                    kind: Type::Byte,
                    length: None,
                    initial: Initial::Zero,
                    visibility: Visibility::Normal,
                };
                let id = LocalId(u32::try_from(context.process.locals.len()).unwrap_or(u32::MAX));
                context.process.locals.push(Local { variable, start: Start::Counter, scope });
                context.counters.insert(scope, id);
                id
            }
        };
        let base = Base::Local(id);
        Ok(VarRef { base, index: None, fields: Vec::new(), kind: Type::Byte, place })
    }

    /// Reports something that cannot count.
    fn check_counter(&self, variable: &VarRef) -> Read<()> {
        self.check_target(variable)?;
        let element = variable.index.is_some() || !variable.fields.is_empty();
        if element || matches!(variable.kind, Type::Chan | Type::Struct(_)) {
            return Err(ParseError::new("E1178", "this cannot count", variable.place)
                .label("expected a plain variable")
                .help("use a variable of its own, such as an `int`"));
        }
        Ok(())
    }

    fn check_range(&mut self, from: &Expr, to: &Expr) {
        if let (ExprKind::Number(low), ExprKind::Number(high)) = (&from.kind, &to.kind)
            && low > high
        {
            let place = self.expansions.join(from.place, to.place);
            self.report(
                ParseError::new("E1184", format!("the range {low} .. {high} is empty"), place)
                    .label("the first number is greater")
                    .help("write the smaller number first"),
            );
        }
    }

    pub(super) fn select(&mut self, out: &mut Vec<Stmt>) -> Read<Stmt> {
        let start = self.bump().place;
        self.expect(Sign::OpenParen)?;
        let named = self.peek().word().is_some_and(|word| !word.contains('_'));
        let variable = self.reference(Wanted::Value)?;
        self.check_counter(&variable)?;
        self.expect(Sign::Colon)?;
        let written = matches!(self.peek().kind, Kind::Number(_, true));
        let from = self.value()?;
        self.expect(Sign::Range)?;
        let written = written && matches!(self.peek().kind, Kind::Number(_, true));
        let to = self.value()?;
        self.expect(Sign::CloseParen)?;
        self.check_range(&from, &to);
        let place = self.since(start);
        // SPIN writes it out as text if it is simple enough, but not inside an inline.
        let as_text = named && written && self.inlining.is_empty();
        let origin = Origin::Select;
        let choice = |steps| Choice { body: Sequence { steps, place }, annotation: None };
        if let (ExprKind::Number(low), ExprKind::Number(high), true) =
            (&from.kind, &to.kind, as_text)
            && high.saturating_sub(*low) <= MAX_LISTED
        {
            let assign = |value| {
                let value = self.number(value, place);
                choice(vec![made(StmtKind::Assign(variable.clone(), value), place, origin)])
            };
            let choices = (*low..=*high).map(assign).collect();
            return Ok(made(StmtKind::If(choices), place, origin));
        }
        out.push(made(StmtKind::Assign(variable.clone(), from), place, origin));
        self.inside()?.label_before = as_text;
        let now = self.make(ExprKind::Variable(variable.clone()), variable.place)?;
        let kind = ExprKind::Binary(BinaryOp::Less, Box::new(now), Box::new(to));
        let condition = made(StmtKind::Condition(self.make(kind, place)?), place, origin);
        let next = Stmt { origin, ..self.step_by_one(variable, BinaryOp::Add, place)? };
        let leave = made(StmtKind::Break, place, origin);
        // SPIN puts the `break` first unless it wrote the loop as text.
        let mut choices = vec![choice(vec![condition, next]), choice(vec![leave])];
        if !as_text {
            choices.reverse();
        }
        Ok(made(StmtKind::Do(choices), place, origin))
    }
}

fn made(kind: StmtKind, place: Place, origin: Origin) -> Stmt {
    Stmt { origin, ..plain(kind, place) }
}
