//! Methods of collections, as statements of the model.
//!
//! Each of them leaves the cells behind the last element as [`UNUSED`]. The number of elements grows before
//! an element is stored, so that a collection without room is found before anything is written.

use fairly_model::{BinaryOp, Expr, Place, Statement, VariableId};

use super::LowerError;
use super::collections::{Room, UNUSED, Writer, cell, load};
use super::expression::folded;
use super::program::Programs;
use crate::csp::library::{Class, Method, MethodCall, ObjectValue};
use crate::csp::syntax as csp;

fn plus(left: Expr, right: Expr) -> Expr {
    folded(BinaryOp::Add, left, right)
}

fn minus(left: Expr, right: Expr) -> Expr {
    folded(BinaryOp::Subtract, left, right)
}

fn is_less(left: Expr, right: Expr) -> Expr {
    folded(BinaryOp::Less, left, right)
}

fn is_equal(left: Expr, right: Expr) -> Expr {
    folded(BinaryOp::Equal, left, right)
}

const ONE: Expr = Expr::Const(1);
const ZERO: Expr = Expr::Const(0);

/// A variable that lives for one step.
#[derive(Clone)]
pub(super) struct Counter(Place);

impl Counter {
    pub(super) fn value(&self) -> Expr {
        Expr::Load(self.0.clone())
    }

    pub(super) fn set(&self, writer: Writer, value: Expr) -> Statement {
        writer.set(self.0.clone(), value)
    }

    pub(super) fn up(&self, writer: Writer) -> Statement {
        self.set(writer, plus(self.value(), ONE))
    }

    fn down(&self, writer: Writer) -> Statement {
        self.set(writer, minus(self.value(), ONE))
    }
}

impl Room {
    /// Copies what is at one position to another, perhaps of another collection.
    fn copy(self, writer: Writer, to: &Expr, from: Room, at: &Expr) -> Statement {
        let mut pairs = vec![(cell(self.elements, to.clone()), from.element(at.clone()))];
        if let (Some(values), Some(others)) = (self.values, from.values) {
            pairs.push((cell(values, to.clone()), load(others, at.clone())));
        }
        writer.set_all(pairs)
    }

    /// Stores an element, or a key and its value.
    fn store(self, writer: Writer, at: &Expr, arguments: &[Expr]) -> Statement {
        let mut pairs = vec![(cell(self.elements, at.clone()), arguments[0].clone())];
        if let (Some(values), Some(value)) = (self.values, arguments.get(1)) {
            pairs.push((cell(values, at.clone()), value.clone()));
        }
        writer.set_all(pairs)
    }

    /// Leaves a position unused.
    fn clear(self, writer: Writer, at: &Expr) -> Statement {
        let unused = || Expr::Const(UNUSED);
        let mut pairs = vec![(cell(self.elements, at.clone()), unused())];
        if let Some(values) = self.values {
            pairs.push((cell(values, at.clone()), unused()));
        }
        writer.set_all(pairs)
    }

    fn last(self) -> Expr {
        minus(self.counted(), ONE)
    }

    fn count_up(self, writer: Writer) -> Statement {
        writer.set_global(self.count, plus(self.counted(), ONE))
    }

    fn count_down(self, writer: Writer) -> Statement {
        writer.set_global(self.count, minus(self.counted(), ONE))
    }

    /// Appends an element.
    fn append(self, writer: Writer, arguments: &[Expr], out: &mut Vec<Statement>) {
        out.push(self.count_up(writer));
        out.push(self.store(writer, &self.last(), arguments));
    }

    /// Takes away the last element.
    fn drop_last(self, writer: Writer, out: &mut Vec<Statement>) {
        out.push(self.clear(writer, &self.last()));
        out.push(self.count_down(writer));
    }

    /// Takes away elements until there are only so many.
    fn shorten(self, writer: Writer, length: Expr, out: &mut Vec<Statement>) {
        let mut body = Vec::new();
        self.drop_last(writer, &mut body);
        out.push(writer.repeat(is_less(length, self.counted()), body));
    }
}

impl Programs<'_> {
    pub(super) fn counter(&mut self) -> Counter {
        Counter(Place::local(self.scratch.fresh()))
    }

    /// Calls a method; what it gives, if it gives something and that is wanted.
    pub(super) fn call(
        &mut self,
        call: &MethodCall,
        is_wanted: bool,
        writer: Writer,
        out: &mut Vec<Statement>,
    ) -> Result<Expr, LowerError> {
        let room = self.scope.collections.room(call.object);
        let name = &self.scope.specification.variables[call.object.index()].name.text;
        let method = call.signature.name;
        let arguments = self.held(&call.arguments, writer, out)?;
        let there = |condition: Expr, what: &str| {
            writer.require(condition, format!("`{name}.{method}`: {what}"))
        };
        let is_empty_message = match room.class {
            Class::Stack => "the stack is empty",
            Class::Queue => "the queue is empty",
            _ => "the collection is empty",
        };
        let in_range = |index: &Expr, out: &mut Vec<Statement>| {
            let low = folded(BinaryOp::LessEqual, ZERO, index.clone());
            let high = is_less(index.clone(), room.counted());
            let message = format!("there is no element at this index in the {}", room.class.name());
            out.push(there(low.and(high), &message));
        };
        Ok(match call.signature.method {
            Method::Append => {
                room.append(writer, &arguments, out);
                ZERO
            }
            Method::Add => self.insert(room, &arguments, writer, out),
            Method::Remove => {
                let at = self.find(room, &arguments[0], writer, out);
                let found = self.counter();
                out.push(found.set(writer, room.is_here(&at, &arguments[0])));
                let mut remove = Vec::new();
                self.remove_at(room, &at, writer, &mut remove);
                out.push(writer.when(found.value(), remove, Vec::new()));
                found.value()
            }
            Method::RemoveAt => {
                in_range(&arguments[0], out);
                let at = self.counter();
                out.push(at.set(writer, arguments[0].clone()));
                self.remove_at(room, &at, writer, out);
                ZERO
            }
            Method::TakeFirst => {
                out.push(there(is_less(ZERO, room.counted()), is_empty_message));
                let taken = is_wanted.then(|| room.element(ZERO));
                let taken = taken.map(|taken| self.hold(taken, writer, out));
                let at = self.counter();
                out.push(at.set(writer, ZERO));
                self.remove_at(room, &at, writer, out);
                taken.unwrap_or(ZERO)
            }
            Method::TakeLast => {
                out.push(there(is_less(ZERO, room.counted()), is_empty_message));
                let taken = is_wanted.then(|| room.element(room.last()));
                let taken = taken.map(|taken| self.hold(taken, writer, out));
                room.drop_last(writer, out);
                taken.unwrap_or(ZERO)
            }
            Method::Clear => {
                room.shorten(writer, ZERO, out);
                ZERO
            }
            Method::KeepByIndex => {
                self.keep_by_index(room, arguments[0].clone(), writer, out);
                ZERO
            }
            Method::Program => self.matrix_method(call, &arguments, writer, out)?,
            Method::Get => {
                in_range(&arguments[0], out);
                room.element(arguments[0].clone())
            }
            Method::First => {
                out.push(there(is_less(ZERO, room.counted()), is_empty_message));
                room.element(ZERO)
            }
            Method::Last => {
                out.push(there(is_less(ZERO, room.counted()), is_empty_message));
                room.element(room.last())
            }
            Method::GetValue => {
                let at = self.find(room, &arguments[0], writer, out);
                out.push(there(room.is_here(&at, &arguments[0]), "the key is not in the table"));
                load(room.values.unwrap_or(room.elements), at.value())
            }
            Method::IsOverlapping | Method::IsDisjoint => {
                let other = call.other.map_or(room, |other| self.scope.collections.room(other));
                let (at, common) = (self.counter(), self.counter());
                out.push(at.set(writer, ZERO));
                out.push(common.set(writer, ZERO));
                let test = is_less(at.value(), room.counted()).and(common.value().negated());
                let found = other.contains(&room.element(at.value()));
                let body = vec![common.set(writer, found), at.up(writer)];
                out.push(writer.repeat(test, body));
                match call.signature.method {
                    Method::IsOverlapping => common.value(),
                    _ => common.value().negated(),
                }
            }
            _ => self.scope.collections.question(call, &arguments, call.span)?,
        })
    }

    /// The values of several expressions, which can be read several times.
    pub(super) fn held(
        &mut self,
        exprs: &[csp::Expr],
        writer: Writer,
        out: &mut Vec<Statement>,
    ) -> Result<Vec<Expr>, LowerError> {
        let values = self.values(exprs, writer, out)?;
        Ok(values.into_iter().map(|value| self.hold(value, writer, out)).collect())
    }

    /// Keeps the elements of a set whose bits are set in a number.
    pub(super) fn keep_by_index(
        &mut self,
        room: Room,
        number: Expr,
        writer: Writer,
        out: &mut Vec<Statement>,
    ) {
        let bits = self.counter();
        out.push(bits.set(writer, number));
        let odd = folded(BinaryOp::Remainder, bits.value(), Expr::Const(2));
        let half = folded(BinaryOp::Divide, bits.value(), Expr::Const(2));
        let next = vec![bits.set(writer, half)];
        // A negative number has no bits here.
        let keeps = is_equal(odd, ONE).and(is_less(ZERO, bits.value()));
        self.filter(room, &|_| keeps.clone(), next, writer, out);
    }

    /// The first position of a value; in a sorted collection, where it is or would be.
    fn find(
        &mut self,
        room: Room,
        value: &Expr,
        writer: Writer,
        out: &mut Vec<Statement>,
    ) -> Counter {
        let at = self.counter();
        out.push(at.set(writer, ZERO));
        let relation = if room.class.is_sorted() { BinaryOp::Less } else { BinaryOp::NotEqual };
        let passes = Expr::binary(relation, room.element(at.value()), value.clone());
        let test = is_less(at.value(), room.counted()).and(passes);
        out.push(writer.repeat(test, vec![at.up(writer)]));
        at
    }

    /// Puts a value into a sorted collection unless it is there; whether it was not.
    fn insert(
        &mut self,
        room: Room,
        arguments: &[Expr],
        writer: Writer,
        out: &mut Vec<Statement>,
    ) -> Expr {
        let at = self.find(room, &arguments[0], writer, out);
        let (is_new, to) = (self.counter(), self.counter());
        out.push(is_new.set(writer, room.is_here(&at, &arguments[0]).negated()));
        let up =
            vec![room.copy(writer, &to.value(), room, &minus(to.value(), ONE)), to.down(writer)];
        let insert = vec![
            room.count_up(writer),
            to.set(writer, room.last()),
            writer.repeat(is_less(at.value(), to.value()), up),
            room.store(writer, &at.value(), arguments),
        ];
        out.push(writer.when(is_new.value(), insert, Vec::new()));
        is_new.value()
    }

    /// Takes away the element at a position that is used. The position is lost.
    fn remove_at(&mut self, room: Room, at: &Counter, writer: Writer, out: &mut Vec<Statement>) {
        let next = plus(at.value(), ONE);
        let down = vec![room.copy(writer, &at.value(), room, &next), at.up(writer)];
        out.push(writer.repeat(is_less(next, room.counted()), down));
        room.drop_last(writer, out);
    }

    /// Keeps the elements for which a condition holds, in their order. `next` is done after each.
    fn filter(
        &mut self,
        room: Room,
        keeps: &dyn Fn(&Expr) -> Expr,
        next: Vec<Statement>,
        writer: Writer,
        out: &mut Vec<Statement>,
    ) {
        let (from, to) = (self.counter(), self.counter());
        out.push(from.set(writer, ZERO));
        out.push(to.set(writer, ZERO));
        let keep = vec![room.copy(writer, &to.value(), room, &from.value()), to.up(writer)];
        let mut body = vec![writer.when(keeps(&from.value()), keep, Vec::new()), from.up(writer)];
        body.extend(next);
        out.push(writer.repeat(is_less(from.value(), room.counted()), body));
        room.shorten(writer, to.value(), out);
    }

    /// Assigns to a collection.
    pub(super) fn replace(
        &mut self,
        target: csp::VariableId,
        value: &ObjectValue,
        writer: Writer,
        out: &mut Vec<Statement>,
    ) -> Result<(), LowerError> {
        let collections = self.scope.collections;
        let to = collections.room(target);
        if to.class == Class::Dbm {
            return self.replace_matrix(to, value, writer, out);
        }
        match value {
            ObjectValue::New(_, elements) if elements.is_empty() => to.shorten(writer, ZERO, out),
            ObjectValue::New(_, elements) => {
                let values = self.values(elements, writer, out)?;
                let length = i64::try_from(values.len()).unwrap_or(i64::MAX);
                // All values are those before, and with too little room this ends before anything is
                // stored.
                let longer = is_less(to.counted(), Expr::Const(length));
                let count = (longer, Expr::Const(length), to.counted());
                let mut pairs = vec![(Place::global(to.count), Expr::Conditional(Box::new(count)))];
                for (at, value) in (0i64..i64::from(to.capacity)).zip(values) {
                    pairs.push((cell(to.elements, Expr::Const(at)), value));
                }
                out.push(writer.set_all(pairs));
                to.shorten(writer, Expr::Const(length), out);
            }
            ObjectValue::Copy(from) => {
                self.copy_all(to, collections.room(*from), writer, out);
            }
            ObjectValue::Combined(signature, one, other) => {
                let (one, other) = (collections.room(*one), collections.room(*other));
                match signature.method {
                    Method::Union => self.union(to, one, other, writer, out),
                    Method::Intersect => self.intersect(to, one, other, writer, out),
                    Method::Subtract => self.subtract(to, one, other, writer, out),
                    _ => self.concat(to, one, other, writer, out),
                }
            }
            // Only of matrices.
            ObjectValue::Kept(_) => {}
        }
        let variables = &self.scope.specification.variables;
        let field = |id: csp::VariableId| variables[id.index()].collection?.field;
        if let Some(field_of_target) = field(target) {
            // The field of a new object is 0.
            let from = match value {
                ObjectValue::Copy(from) => field(*from),
                _ => None,
            };
            let first = from.map_or(ZERO, |from| Expr::global(VariableId(from.0)));
            out.push(writer.set_global(VariableId(field_of_target.0), first));
        }
        Ok(())
    }

    /// Makes one collection as another.
    fn copy_all(&mut self, to: Room, from: Room, writer: Writer, out: &mut Vec<Statement>) {
        if to == from {
            return;
        }
        to.shorten(writer, ZERO, out);
        self.append_all(to, from, from.counted(), writer, out);
    }

    /// Appends the first elements of a collection to another.
    fn append_all(
        &mut self,
        to: Room,
        from: Room,
        length: Expr,
        writer: Writer,
        out: &mut Vec<Statement>,
    ) {
        let at = self.counter();
        out.push(at.set(writer, ZERO));
        let body = vec![
            to.count_up(writer),
            to.copy(writer, &to.last(), from, &at.value()),
            at.up(writer),
        ];
        out.push(writer.repeat(is_less(at.value(), length), body));
    }

    fn concat(
        &mut self,
        to: Room,
        one: Room,
        other: Room,
        writer: Writer,
        out: &mut Vec<Statement>,
    ) {
        let length = self.counter();
        if to != other || to == one {
            self.copy_all(to, one, writer, out);
            // Of the second as it was before, if that is the one that grows.
            out.push(length.set(writer, other.counted()));
            return self.append_all(to, other, length.value(), writer, out);
        }
        // The first goes before what is there: that moves up, beginning with the last.
        out.push(length.set(writer, to.counted()));
        out.push(writer.set_global(to.count, plus(to.counted(), one.counted())));
        let at = self.counter();
        out.push(at.set(writer, length.value()));
        let from = minus(at.value(), ONE);
        let target = plus(from.clone(), one.counted());
        let up = vec![to.copy(writer, &target, to, &from), at.down(writer)];
        out.push(writer.repeat(is_less(ZERO, at.value()), up));
        let body = vec![to.copy(writer, &at.value(), one, &at.value()), at.up(writer)];
        out.push(writer.repeat(is_less(at.value(), one.counted()), body));
    }

    fn union(
        &mut self,
        to: Room,
        one: Room,
        other: Room,
        writer: Writer,
        out: &mut Vec<Statement>,
    ) {
        let (first, second) = if to == other { (other, one) } else { (one, other) };
        self.copy_all(to, first, writer, out);
        if to == second {
            return;
        }
        let (at, value) = (self.counter(), self.counter());
        out.push(at.set(writer, ZERO));
        let mut body = vec![value.set(writer, second.element(at.value()))];
        self.insert(to, &[value.value()], writer, &mut body);
        body.push(at.up(writer));
        out.push(writer.repeat(is_less(at.value(), second.counted()), body));
    }

    fn intersect(
        &mut self,
        to: Room,
        one: Room,
        other: Room,
        writer: Writer,
        out: &mut Vec<Statement>,
    ) {
        let (first, second) = if to == other { (other, one) } else { (one, other) };
        self.copy_all(to, first, writer, out);
        if to != second {
            let keeps = |at: &Expr| second.contains(&to.element(at.clone()));
            self.filter(to, &keeps, Vec::new(), writer, out);
        }
    }

    fn subtract(
        &mut self,
        to: Room,
        one: Room,
        other: Room,
        writer: Writer,
        out: &mut Vec<Statement>,
    ) {
        if one == other {
            return to.shorten(writer, ZERO, out);
        }
        if to != other {
            self.copy_all(to, one, writer, out);
            let keeps = |at: &Expr| other.contains(&to.element(at.clone())).negated();
            return self.filter(to, &keeps, Vec::new(), writer, out);
        }
        // The removed part is replaced. Only elements of both matter: the elements that are left are put behind
        // it, in their order, and then it is taken away, so there are never more than the first has.
        let keeps = |at: &Expr| one.contains(&to.element(at.clone()));
        self.filter(to, &keeps, Vec::new(), writer, out);
        let (common, at) = (self.counter(), self.counter());
        out.push(common.set(writer, to.counted()));
        out.push(at.set(writer, ZERO));
        // The common elements stay in front meanwhile, and are looked up there.
        let (position, value) = (self.counter(), self.counter());
        let search = is_less(position.value(), common.value()).and(Expr::binary(
            BinaryOp::NotEqual,
            to.element(position.value()),
            value.value(),
        ));
        let mut appended = Vec::new();
        to.append(writer, &[value.value()], &mut appended);
        let body = vec![
            value.set(writer, one.element(at.value())),
            position.set(writer, ZERO),
            writer.repeat(search, vec![position.up(writer)]),
            writer.when(is_equal(position.value(), common.value()), appended, Vec::new()),
            at.up(writer),
        ];
        out.push(writer.repeat(is_less(at.value(), one.counted()), body));
        // Down they go.
        out.push(at.set(writer, ZERO));
        let from = plus(at.value(), common.value());
        let down = vec![to.copy(writer, &at.value(), to, &from), at.up(writer)];
        out.push(writer.repeat(is_less(from, to.counted()), down));
        to.shorten(writer, at.value(), out);
    }

    /// The integer that is nearest to the square root of a value, found by halving.
    pub(super) fn root(&mut self, value: &Expr, writer: Writer, out: &mut Vec<Statement>) -> Expr {
        // The root of the largest integer, rounded.
        const MOST: i64 = 46_341;
        let not_negative = folded(BinaryOp::LessEqual, ZERO, value.clone());
        out.push(writer.require(not_negative, "a negative number has no square root".to_owned()));
        // The least number `n` with `value <= n(n + 1)` is the nearest.
        let (low, high) = (self.counter(), self.counter());
        out.push(low.set(writer, ZERO));
        out.push(high.set(writer, Expr::Const(MOST)));
        let middle = self.counter();
        let sum = plus(low.value(), high.value());
        let product = Expr::binary(BinaryOp::Multiply, middle.value(), plus(middle.value(), ONE));
        let enough = folded(BinaryOp::LessEqual, value.clone(), product);
        let body = vec![
            middle.set(writer, folded(BinaryOp::Divide, sum, Expr::Const(2))),
            writer.when(
                enough,
                vec![high.set(writer, middle.value())],
                vec![low.set(writer, plus(middle.value(), ONE))],
            ),
        ];
        out.push(writer.repeat(is_less(low.value(), high.value()), body));
        low.value()
    }
}

impl Room {
    /// Whether a value is at a position.
    fn is_here(self, at: &Counter, value: &Expr) -> Expr {
        let same = Expr::binary(BinaryOp::Equal, self.element(at.value()), value.clone());
        is_less(at.value(), self.counted()).and(same)
    }
}
