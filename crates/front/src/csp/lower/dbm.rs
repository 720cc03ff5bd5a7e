//! Difference bound matrices, `PAT.Lib.DBM`: a collection whose methods are written in CSP#, in `dbm.csp`.
//!
//! The matrix, the timers that are there and the rest are variables of the model, as the text declares them.

use fairly_model::{BinaryOp, Expr, Place, Statement, Variable, VariableId};
use hashbrown::HashMap;

use super::LowerError;
use super::collections::{Room, Writer};
use super::expression::{Scope, folded};
use super::network::global;
use super::program::Programs;
use crate::csp::library::{MethodCall, ObjectValue};
use crate::csp::syntax::{
    LocalId, ProcessKind, Specification, Statement as Written, StatementKind,
};

/// How many variables a matrix has: its bounds, timers, number of timers, whether it is tight, its ceiling.
pub(super) const PARTS: usize = 5;

/// The methods of matrices with timers up to `most`, and their variables.
pub(super) fn library(most: u32) -> Specification {
    let text = format!("#define N {most};\n{}", include_str!("dbm.csp"));
    crate::csp::parse(&text).expect("the library is right, as a test shows")
}

/// The variables of a matrix in the model. The first has the name that the text gives.
pub(super) fn variables(library: &Specification, name: &str, ceiling: i64) -> Vec<Variable> {
    let mut parts: Vec<Variable> = library.variables[..PARTS].iter().map(global).collect();
    for part in &mut parts {
        part.name = format!("{name}.{}", part.name);
    }
    name.clone_into(&mut parts[0].name);
    parts[0].shown.parts.iter_mut().for_each(|it| name.clone_into(&mut it.name));
    parts[PARTS - 1].initial = vec![ceiling];
    parts
}

/// The program of a method, and the variable that holds what it gives.
fn program<'a>(library: &'a Specification, method: &str) -> (&'a [Written], Option<LocalId>) {
    let definition = library.definitions.iter().find(|it| it.name.text == method);
    let body = definition.map(|definition| &library.node(definition.body).kind);
    let Some(ProcessKind::Prefix { action, .. }) = body else { return (&[], None) };
    let gives = match action.program.first().map(|first| &first.kind) {
        Some(StatementKind::Declare { local, .. }) => Some(*local),
        _ => None,
    };
    (&action.program, gives)
}

impl Room {
    /// The variables of a matrix, in the order of the library.
    fn parts(self) -> [VariableId; PARTS] {
        let there = self.values.unwrap_or(self.elements);
        let next = |more: usize| VariableId::from_index(there.index() + more);
        [self.elements, there, self.count, next(1), next(2)]
    }
}

impl Programs<'_> {
    /// Runs a method of a matrix.
    pub(super) fn run(
        &mut self,
        method: &str,
        (room, other): (Room, Room),
        arguments: &[Expr],
        writer: Writer,
        out: &mut Vec<Statement>,
    ) -> Result<Expr, LowerError> {
        let library = self.scope.collections.matrices();
        let (program, gives) = program(library, method);
        let placed = [room.parts(), other.parts()].concat();
        let names = |local: LocalId| arguments.get(local.index()).cloned();
        let scope =
            Scope { specification: library, placed: Some(&placed), names: &names, ..*self.scope };
        let mut inner = Programs {
            scope: &scope,
            scratch: &mut *self.scratch,
            cells: HashMap::new(),
            called_at: Some(writer.span),
            grown: Vec::new(),
        };
        out.extend(inner.block(program)?);
        let given = gives.and_then(|local| inner.cells.get(&local).copied());
        Ok(given.map_or(Expr::Const(0), Expr::local))
    }

    /// Calls a method of a matrix; what it gives.
    pub(super) fn matrix_method(
        &mut self,
        call: &MethodCall,
        arguments: &[Expr],
        writer: Writer,
        out: &mut Vec<Statement>,
    ) -> Result<Expr, LowerError> {
        let collections = self.scope.collections;
        let room = collections.room(call.object);
        let other = call.other.map_or(room, |other| collections.room(other));
        let method = call.signature.name;
        let name = &self.scope.specification.variables[call.object.index()].name.text;
        if let (Some(timer), "AddTimer" | "ResetTimer" | "AddConstraint" | "Implies") =
            (arguments.first(), method)
        {
            let mut is_right = folded(BinaryOp::Less, Expr::Const(0), timer.clone());
            let mut what = "timers are numbered from 1";
            if method != "AddTimer" {
                let capacity = Expr::Const(i64::from(room.capacity));
                let there = super::collections::load(room.parts()[1], timer.clone());
                is_right =
                    is_right.and(folded(BinaryOp::LessEqual, timer.clone(), capacity)).and(there);
                what = "there is no such timer";
            }
            out.push(writer.require(is_right, format!("`{name}.{method}`: {what}")));
        }
        if method == "AddTimer" {
            self.grown.push((room, writer));
        }
        self.run(method, (room, other), arguments, writer, out)
    }

    /// Assigns to a matrix.
    pub(super) fn replace_matrix(
        &mut self,
        to: Room,
        value: &ObjectValue,
        writer: Writer,
        out: &mut Vec<Statement>,
    ) -> Result<(), LowerError> {
        let collections = self.scope.collections;
        match value {
            ObjectValue::New(_, ceiling) => {
                let mut values = self.values(ceiling, writer, out)?;
                values.resize(1, Expr::Const(0));
                let ceiling = self.hold(values.remove(0), writer, out);
                self.run("New", (to, to), &[ceiling], writer, out)?;
            }
            ObjectValue::Copy(from) => {
                self.copy_matrix(to, collections.room(*from), writer, out)?;
            }
            ObjectValue::Kept(call) => {
                let arguments = self.held(&call.arguments, writer, out)?;
                self.copy_matrix(to, collections.room(call.object), writer, out)?;
                let timer = self.counter();
                let stays = match call.other.map(|set| collections.room(set)) {
                    Some(set) => {
                        self.keep_by_index(set, arguments[0].clone(), writer, out);
                        set.contains(&timer.value())
                    }
                    None => arguments.iter().fold(Expr::FALSE, |any, argument| {
                        let same = folded(BinaryOp::Equal, argument.clone(), timer.value());
                        folded(BinaryOp::Or, any, same)
                    }),
                };
                out.push(timer.set(writer, Expr::Const(1)));
                let mut drop = Vec::new();
                self.run("Drop", (to, to), &[timer.value()], writer, &mut drop)?;
                let body = vec![writer.when(stays, Vec::new(), drop), timer.up(writer)];
                let most = Expr::Const(i64::from(to.capacity));
                let more = folded(BinaryOp::LessEqual, timer.value(), most);
                out.push(writer.repeat(more, body));
                self.run("Kept", (to, to), &[], writer, out)?;
            }
            ObjectValue::Combined(..) => {}
        }
        Ok(())
    }

    fn copy_matrix(
        &mut self,
        to: Room,
        from: Room,
        writer: Writer,
        out: &mut Vec<Statement>,
    ) -> Result<(), LowerError> {
        if to != from {
            self.run("Copy", (to, from), &[], writer, out)?;
        }
        Ok(())
    }

    /// Statements at the end of a program. PAT copies its objects for the next one, and the copy of a matrix
    /// with timers has the ceiling 0.
    pub(super) fn finish(&mut self, out: &mut Vec<Statement>) {
        for (room, writer) in self.grown.drain(..) {
            let has_timers = folded(BinaryOp::Less, Expr::Const(0), room.counted());
            let ceiling = Place::global(room.parts()[PARTS - 1]);
            out.push(writer.when(
                has_timers,
                vec![writer.set(ceiling, Expr::Const(0))],
                Vec::new(),
            ));
        }
    }
}
