//! `d_step`: a whole sequence as one step.
//!
//! The first statement decides whether the step can be taken. What follows is run to its end; a
//! choice takes its first option that can be executed, and a statement that cannot is an error.

use fairly_model::{
    BinaryOp, Communication, Expr, LocalId, Place, Statement, StatementKind, Variable,
};
use hashbrown::{HashMap, HashSet};

use super::flow::{ElementId, Node, SequenceId};
use super::processes::Lowering;
use super::statement::Action;
use super::trace::Happening;
use super::{Lower, trouble};
use crate::promela::ast::StmtKind;

/// The variable that says where a `d_step` is.
#[derive(Debug)]
pub(super) struct Scratch {
    at: LocalId,
    /// The greatest value it needs; none if it is not needed.
    most: Option<usize>,
}

impl Scratch {
    pub(super) fn new(locals: usize) -> Scratch {
        Scratch { at: LocalId::from_index(locals), most: None }
    }

    pub(super) fn variables(&self, lowering: &Lowering<'_>) -> Vec<Variable> {
        self.most.map(|most| lowering.scratch("d_step", most)).into_iter().collect()
    }
}

impl<'a> Lowering<'a> {
    /// Body of a `d_step`.
    pub(super) fn d_step(
        &self,
        at: usize,
        sequence: SequenceId,
        scratch: &mut Scratch,
    ) -> Lower<Action> {
        let first = self.processes[at].flow.sequences[sequence].first;
        let (numbers, open) = (HashMap::new(), Vec::new());
        let within = HashSet::new();
        let mut maker =
            Maker { lowering: self, at, scratch, numbers, open, jumps: false, within, inlined: 0 };
        maker.whole(first)
    }
}

struct Maker<'l, 'a, 's> {
    lowering: &'l Lowering<'a>,
    at: usize,
    scratch: &'s mut Scratch,
    /// The number of each element that a piece begins with, from 1 on.
    numbers: HashMap<ElementId, usize>,
    /// Elements that pieces are made for, in the order of their numbers.
    open: Vec<ElementId>,
    /// Whether a piece says which is next.
    jumps: bool,
    /// Elements on the way to the one that is written.
    within: HashSet<ElementId>,
    /// Elements that were written where they are reached, rather than as pieces of their own.
    inlined: usize,
}

/// How many elements a `d_step` may pass without executing one.
const JUMPS: usize = 500;

/// How many elements are written where they are reached: one that is reached in many ways is written as
/// often.
const INLINED: usize = 1_000;

impl<'a> Maker<'_, 'a, '_> {
    fn node(&self, element: ElementId) -> Node<'a> {
        self.lowering.processes[self.at].flow.elements[element].node
    }

    fn next(&self, element: ElementId) -> Option<ElementId> {
        self.lowering.processes[self.at].flow.elements[element].next
    }

    fn first(&self, sequence: SequenceId) -> ElementId {
        self.lowering.processes[self.at].flow.sequences[sequence].first
    }

    fn parts(&self, element: ElementId) -> Vec<ElementId> {
        let parts = &self.lowering.processes[self.at].flow.elements[element].parts;
        parts.iter().map(|&part| self.first(part)).collect()
    }

    /// The element that is executed when control comes to this one; none behind the end.
    fn arrive(&self, element: Option<ElementId>) -> Lower<Option<ElementId>> {
        let flow = &self.lowering.processes[self.at].flow;
        let Some(start) = element else { return Ok(None) };
        let mut at = start;
        for _ in 0..JUMPS {
            if !flow.elements[at].in_d_step {
                return Ok(None);
            }
            let onward = match flow.elements[at].node {
                Node::Goto(_) | Node::Leave(_) => flow.jump(at),
                Node::Join | Node::Break => flow.elements[at].next,
                Node::Block(inner) | Node::Atomic(inner) | Node::DStep(inner) => {
                    Some(self.first(inner))
                }
                Node::Unless => self.parts(at).first().copied(),
                _ => return Ok(Some(at)),
            };
            let Some(onward) = onward else { return Ok(None) };
            at = onward;
        }
        let place = flow.elements[start].stmt.map(|stmt| stmt.place);
        let place = place.unwrap_or(self.lowering.processes[self.at].of.place);
        Err(trouble("E1193", "jumps that lead in a circle without a statement", place))
    }

    fn action(&self, element: ElementId) -> Lower<Action> {
        match self.node(element) {
            Node::Basic(stmt) => {
                let action = self.lowering.action(stmt, self.at)?;
                let starts = |it: &Statement| matches!(it.kind, StatementKind::Start { .. });
                if action.effect.iter().any(starts) {
                    return Err(trouble("E1194", "`run` inside `d_step`", stmt.place));
                }
                Ok(action)
            }
            _ => Ok(Action::nothing()),
        }
    }

    /// Effect of a statement that is executable.
    fn inside(&self, element: ElementId, action: &Action) -> Lower<Vec<Statement>> {
        let Node::Basic(stmt) = self.node(element) else { return Ok(action.effect.clone()) };
        let span = Some(stmt.place.span);
        let mut body = Vec::new();
        match (&action.communication, action.effect.first().map(|first| &first.kind)) {
            (Communication::Send { channel, message, order }, _) => {
                body.extend(action.effect.iter().cloned());
                let (channel, message, order) = (channel.clone(), message.clone(), *order);
                body.push(Statement { kind: StatementKind::Put { channel, message, order }, span });
            }
            (
                Communication::Receive { channel, pattern, pick, keep },
                Some(StatementKind::Assign(stores)),
            ) => {
                let mut into: Vec<Option<Place>> = vec![None; pattern.len()];
                for (place, value) in stores {
                    if let Expr::Received(cell) = value
                        && let Some(slot) = into.get_mut(*cell as usize)
                    {
                        *slot = Some(place.clone());
                    }
                }
                if !keep {
                    body.extend(self.lowering.observe(stmt, channel, &Happening::Takes)?);
                }
                let (channel, pattern) = (channel.clone(), pattern.clone());
                let kind = StatementKind::Take { channel, pattern, into, pick: *pick, keep: *keep };
                body.push(Statement { kind, span });
            }
            _ => body.extend(action.effect.iter().cloned()),
        }
        Ok(body)
    }

    fn whole(&mut self, first: ElementId) -> Lower<Action> {
        let Some(first) = self.arrive(Some(first))? else { return Ok(Action::nothing()) };
        let mut whole = Action::nothing();
        match self.node(first) {
            Node::Choice => {
                whole.guard = self.some_option(first)?;
                whole.alone = whole.guard.clone();
            }
            Node::Basic(_) => {
                let action = self.action(first)?;
                whole.alone = action.alone.clone();
                match &action.communication {
                    // This may be a rendezvous, in which the other one sends.
                    Communication::Receive { .. } => {
                        let rest = self.arrive(self.next(first))?;
                        let effect = action.effect.clone();
                        return self.pieces(rest, Action { effect, ..action }, false);
                    }
                    Communication::Send { .. } => whole.guard = action.alone,
                    Communication::None => whole.guard = action.guard,
                }
            }
            _ => {}
        }
        self.pieces(Some(first), whole, true)
    }

    /// That one of the options can be executed.
    fn some_option(&self, choice: ElementId) -> Lower<Expr> {
        let mut whole = Expr::FALSE;
        for part in self.parts(choice) {
            let alone = match self.arrive(Some(part))? {
                Some(option) => match self.node(option) {
                    Node::Choice => self.some_option(option)?,
                    Node::Basic(_) => self.action(option)?.alone,
                    _ => Expr::TRUE,
                },
                None => Expr::TRUE,
            };
            whole = match (whole, alone) {
                (Expr::TRUE, _) | (_, Expr::TRUE) => Expr::TRUE,
                (Expr::FALSE, alone) => alone,
                (whole, alone) => Expr::binary(BinaryOp::Or, whole, alone),
            };
        }
        Ok(whole)
    }

    /// Adds what is done from an element on, which may be `checked` to be possible. Pieces of it that
    /// have no choice inside are run one after the other, each saying which is next, until none is.
    fn pieces(
        &mut self,
        start: Option<ElementId>,
        mut whole: Action,
        checked: bool,
    ) -> Lower<Action> {
        let Some(start) = start else { return Ok(whole) };
        self.number(start);
        let mut pieces = Vec::new();
        while let Some(&element) = self.open.get(pieces.len()) {
            let body = self.piece(element, checked && pieces.is_empty())?;
            pieces.push(body);
        }
        if pieces.len() == 1 && !self.jumps {
            whole.effect.extend(pieces.into_iter().flatten());
            return Ok(whole);
        }
        self.scratch.most = Some(self.scratch.most.unwrap_or(0).max(pieces.len()));
        for piece in &mut pieces {
            piece.insert(0, self.go(0));
        }
        let load = Expr::local(self.scratch.at);
        whole.effect.push(self.go(1));
        let body = select(&load, pieces, 1);
        whole.effect.push(Statement::new(StatementKind::While { condition: load, body }));
        Ok(whole)
    }

    /// The number of the piece that begins with an element.
    fn number(&mut self, element: ElementId) -> usize {
        let next = self.open.len() + 1;
        let number = *self.numbers.entry(element).or_insert(next);
        if number == next {
            self.open.push(element);
        }
        number
    }

    /// Says which piece is next.
    fn go(&self, number: usize) -> Statement {
        let number = Expr::Const(i64::try_from(number).unwrap_or(0));
        Statement::new(StatementKind::Assign(vec![(Place::local(self.scratch.at), number)]))
    }

    fn jump(&mut self, target: Option<ElementId>, body: &mut Vec<Statement>) {
        if let Some(target) = target {
            self.jumps = true;
            let number = self.number(target);
            body.push(self.go(number));
        }
    }

    /// Adds that no other process claims a channel that is used here.
    fn assert_unclaimed(&self, element: ElementId, body: &mut Vec<Statement>) -> Lower<()> {
        if let Node::Basic(stmt) = self.node(element) {
            body.extend(self.lowering.assert_unclaimed(self.at, stmt)?);
        }
        Ok(())
    }

    /// Effect from an element to the next piece or the end.
    fn piece(&mut self, start: ElementId, checked: bool) -> Lower<Vec<Statement>> {
        let mut passed = Vec::new();
        let body = self.pass(start, checked, &mut passed);
        passed.iter().for_each(|element| {
            self.within.remove(element);
        });
        body
    }

    fn pass(
        &mut self,
        start: ElementId,
        mut checked: bool,
        passed: &mut Vec<ElementId>,
    ) -> Lower<Vec<Statement>> {
        let mut body = Vec::new();
        let mut at = start;
        loop {
            self.within.insert(at);
            passed.push(at);
            if matches!(self.node(at), Node::Choice) {
                let choice = self.choice(at)?;
                body.extend(choice);
                return Ok(body);
            }
            let action = self.action(at)?;
            if !checked {
                self.assert_unclaimed(at, &mut body)?;
                if action.alone != Expr::TRUE {
                    body.push(self.must(action.alone.clone(), at));
                }
            }
            checked = false;
            body.extend(self.inside(at, &action)?);
            match self.arrive(self.next(at))? {
                None => return Ok(body),
                // It is the target of a jump, or control has come round.
                Some(next) if self.is_piece(next) => {
                    self.jump(Some(next), &mut body);
                    return Ok(body);
                }
                Some(next) => at = next,
            }
            if body.len() > 10_000 {
                self.jump(Some(at), &mut body);
                return Ok(body);
            }
        }
    }

    /// Whether an element is not to be written where it is reached.
    fn is_piece(&self, element: ElementId) -> bool {
        self.numbers.contains_key(&element) || self.within.contains(&element)
    }

    /// Adds what is done from an element on, or that it is next.
    fn go_on(&mut self, element: Option<ElementId>, body: &mut Vec<Statement>) -> Lower<()> {
        match element {
            Some(next) if !self.is_piece(next) && self.inlined < INLINED => {
                self.inlined += 1;
                body.extend(self.piece(next, false)?);
            }
            _ => self.jump(element, body),
        }
        Ok(())
    }

    /// The options from the first to the last, of which the first that can be executed is. Where they
    /// meet again, a piece begins.
    fn choice(&mut self, choice: ElementId) -> Lower<Vec<Statement>> {
        if let Some(join) = self.arrive(self.next(choice))? {
            self.number(join);
        }
        let mut otherwise = vec![self.must(Expr::FALSE, choice)];
        for part in self.parts(choice).into_iter().rev() {
            let mut then = Vec::new();
            let mut condition = Expr::TRUE;
            // The first element of the option, though not past a jump: that is taken first.
            match self.arrive(Some(part))? {
                Some(option) if matches!(self.node(option), Node::Basic(_)) => {
                    let action = self.action(option)?;
                    self.assert_unclaimed(option, &mut then)?;
                    then.extend(self.inside(option, &action)?);
                    condition = action.alone;
                    let next = self.arrive(self.next(option))?;
                    self.go_on(next, &mut then)?;
                }
                Some(option) if matches!(self.node(option), Node::Choice) => {
                    self.jump(Some(option), &mut then);
                }
                Some(option) => {
                    let next = self.arrive(self.next(option))?;
                    self.go_on(next, &mut then)?;
                }
                None => {}
            }
            if condition == Expr::TRUE {
                otherwise = then;
                continue;
            }
            let kind = StatementKind::If { condition, then, otherwise };
            otherwise = vec![Statement::new(kind)];
        }
        Ok(otherwise)
    }

    /// That the sequence can go on.
    fn must(&self, condition: Expr, element: ElementId) -> Statement {
        let process = &self.lowering.processes[self.at];
        let stmt = process.flow.elements[element].stmt;
        let words = match stmt.map(|stmt| &stmt.kind) {
            Some(StmtKind::If(_) | StmtKind::Do(_)) | None => "a choice".to_owned(),
            Some(_) => {
                stmt.map_or(String::new(), |it| format!("`{}`", self.lowering.words.at(it.place)))
            }
        };
        let message = format!("{words} blocks inside `d_step`");
        let span = stmt.map(|stmt| stmt.place.span);
        Statement {
            kind: StatementKind::Assert {
                condition,
                message,
                kind: fairly_system::FaultKind::Error,
            },
            span,
        }
    }
}

/// The piece whose number the expression gives; the first has the number `first`.
pub(super) fn select(
    number: &Expr,
    mut pieces: Vec<Vec<Statement>>,
    first: usize,
) -> Vec<Statement> {
    if pieces.len() <= 1 {
        return pieces.pop().unwrap_or_default();
    }
    let middle = pieces.len() / 2;
    let right = pieces.split_off(middle);
    let bound = Expr::Const(i64::try_from(first + middle).unwrap_or(0));
    let condition = Expr::binary(BinaryOp::Less, number.clone(), bound);
    let then = select(number, pieces, first);
    let otherwise = select(number, right, first + middle);
    vec![Statement::new(StatementKind::If { condition, then, otherwise })]
}
