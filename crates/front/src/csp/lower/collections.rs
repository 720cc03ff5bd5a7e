//! Where collections are in a model, and the questions that can be asked of them.
//!
//! A collection is an array with room for its elements, and a variable that says how many there are. The
//! cells behind the last element hold [`UNUSED`], so that two states with the same contents are the same
//! state. A table has a second array for its values. The first array takes the place of the variable of
//! the text; the other variables come behind all variables of the text.
//!
//! Changes of collections are in `methods.rs`.

use fairly_model::{
    AnyVariable, BinaryOp, Expr, Overflow, Place, Range, Statement, StatementKind, UnaryOp,
    Variable, VariableId,
};
use fairly_source::Span;

use super::expression::folded;
use super::{LowerError, dbm};
use crate::csp::library::{
    Class, DEFAULT_CAPACITY, DEFAULT_TIMERS, MOST_CAPACITY, MathFunction, Method, MethodCall,
    ObjectValue,
};
use crate::csp::syntax as csp;
use crate::csp::syntax::{ProcessKind, Specification};

/// Contents of unused cells. It is no number that processes have, so a permutation of processes leaves it as it
/// is.
pub(super) const UNUSED: i64 = -1;

/// How many operators and operands a question may be made of.
const MAX_QUESTION: usize = 200_000;

/// Where a collection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    pub(super) class: Class,
    /// The array of its elements, or keys.
    pub(super) elements: VariableId,
    /// The array of the values of a table.
    pub(super) values: Option<VariableId>,
    /// How many elements there are.
    pub(super) count: VariableId,
    /// How many there can be.
    pub(super) capacity: u32,
}

/// Where all collections are.
#[derive(Debug, Default)]
pub(super) struct Collections {
    rooms: Vec<Option<Room>>,
    /// The variables of the model that the text does not have.
    more: Vec<Variable>,
    /// The methods of difference bound matrices, if there are any.
    matrices: Option<Specification>,
}

impl Collections {
    /// Of a specification.
    pub(super) fn new(specification: &Specification) -> Collections {
        let mut made = Collections::default();
        let first = specification.variables.len();
        let capacities = capacities(specification);
        for (at, variable) in specification.variables.iter().enumerate() {
            let Some(collection) = variable.collection else {
                made.rooms.push(None);
                continue;
            };
            let capacity = capacities[at];
            if collection.class == Class::Dbm {
                made.matrix(at, variable, capacity, first);
                continue;
            }
            let mut next = |variable: Variable| {
                made.more.push(variable);
                VariableId::from_index(first + made.more.len() - 1)
            };
            let (name, span) = (&variable.name.text, Some(variable.name.span));
            let count = i64::try_from(variable.initial.len()).unwrap_or(i64::MAX);
            let count = next(Variable {
                overflow: Overflow::Limit,
                span,
                ..Variable::scalar(
                    format!("{name}.Count()"),
                    Range::new(0, i64::from(capacity)),
                    count,
                )
            });
            let values = (collection.class == Class::HashTable).then(|| {
                let name = format!("{name}.values");
                next(Variable { span, count: Some(count), ..array(name, &[], capacity) })
            });
            let elements = VariableId::from_index(at);
            let class = collection.class;
            made.rooms.push(Some(Room { class, elements, values, count, capacity }));
        }
        made
    }

    fn matrix(&mut self, at: usize, variable: &csp::Variable, capacity: u32, first: usize) {
        let library = self.matrices.get_or_insert_with(|| dbm::library(capacity));
        let ceiling = variable.initial.first().map_or(0, number);
        let mut parts = dbm::variables(library, &variable.name.text, ceiling);
        // Behind the matrix: the timers, their number, and the rest.
        let count = Variable { overflow: Overflow::Limit, ..parts.remove(2) };
        let next = first + self.more.len();
        let (count_id, there) = (VariableId::from_index(next), VariableId::from_index(next + 1));
        let count = Variable { range: Range::new(0, i64::from(capacity)), ..count };
        self.more.push(count);
        self.more.extend(parts.drain(1..));
        self.more[next - first..].iter_mut().for_each(|it| it.span = Some(variable.name.span));
        self.rooms.push(Some(Room {
            class: Class::Dbm,
            elements: VariableId::from_index(at),
            values: Some(there),
            count: count_id,
            capacity,
        }));
    }

    /// The methods of difference bound matrices.
    pub(super) fn matrices(&self) -> &Specification {
        self.matrices.as_ref().expect("there is a matrix")
    }

    /// Where a collection is.
    pub(super) fn room(&self, id: csp::VariableId) -> Room {
        self.rooms[id.index()].expect("a collection")
    }

    /// The array that stands for a variable of the text, if that is a collection.
    pub(super) fn elements(&self, id: usize, variable: &csp::Variable) -> Option<Variable> {
        let room = self.rooms[id]?;
        let span = Some(variable.name.span);
        if room.class == Class::Dbm {
            let parts = dbm::variables(self.matrices(), &variable.name.text, 0);
            return parts.into_iter().next().map(|matrix| Variable { span, ..matrix });
        }
        let initial: Vec<i64> = variable.initial.iter().map(number).collect();
        let array = array(variable.name.text.clone(), &initial, room.capacity);
        Some(Variable { span, count: Some(room.count), ..array })
    }

    /// The variables that come behind those of the text.
    pub(super) fn more(&self) -> &[Variable] {
        &self.more
    }

    /// How many elements an array of the model has.
    pub(super) fn length(&self, specification: &Specification, id: VariableId) -> u32 {
        let at = id.index();
        match (specification.variables.get(at), self.rooms.get(at)) {
            (Some(_), Some(Some(room))) => room.cells(),
            (Some(variable), _) => variable.dimensions.iter().product(),
            (None, _) => {
                let more = self.more.get(at - specification.variables.len());
                more.and_then(|variable| variable.length).unwrap_or(1)
            }
        }
    }

    /// A question to a collection. The arguments are evaluated several times.
    pub(super) fn question(
        &self,
        call: &MethodCall,
        arguments: &[Expr],
        span: Span,
    ) -> Result<Expr, LowerError> {
        let room = self.room(call.object);
        let size = arguments.iter().map(size).sum::<usize>() + 4;
        let other = call.other.map(|other| self.room(other));
        let times = room.capacity as usize * other.map_or(1, |other| other.capacity as usize);
        if size.saturating_mul(times) > MAX_QUESTION {
            return Err(too_large(span));
        }
        let argument = || arguments.first().cloned().unwrap_or(Expr::Const(0));
        Ok(match call.signature.method {
            Method::Count => room.counted(),
            Method::IsEmpty => folded(BinaryOp::Equal, room.counted(), Expr::Const(0)),
            Method::Contains => evaluated(&argument()).and(room.contains(&argument())),
            Method::Get => room.get(argument()),
            Method::First => room.get(Expr::Const(0)),
            Method::Last => {
                let index = Expr::binary(BinaryOp::Subtract, room.counted(), Expr::Const(1));
                room.element(index)
            }
            Method::GetValue => room.value_of(&argument()),
            Method::IsOverlapping | Method::IsDisjoint => {
                let other = other.unwrap_or(room);
                let common = room.overlaps(other, 0, room.capacity);
                match call.signature.method {
                    Method::IsOverlapping => common,
                    _ => common.negated(),
                }
            }
            // The parser keeps them apart.
            _ => return Err(too_large(span)),
        })
    }

    /// Whether two collections have the same contents.
    pub(super) fn same(&self, one: csp::VariableId, other: csp::VariableId) -> Expr {
        let (one, other) = (self.room(one), self.room(other));
        if one == other {
            return Expr::TRUE;
        }
        let equal = |left: Expr, right: Expr| Expr::binary(BinaryOp::Equal, left, right);
        let alike = |at: u32| {
            let at = || Expr::Const(i64::from(at));
            let keys = equal(one.element(at()), other.element(at()));
            match (one.values, other.values) {
                (Some(values), Some(others)) => {
                    keys.and(equal(load(values, at()), load(others, at())))
                }
                _ => keys,
            }
        };
        if one.class == Class::Dbm {
            let cells = |at: u32| {
                let at = || Expr::Const(i64::from(at));
                equal(one.element(at()), other.element(at()))
            };
            let timers = balanced(1, one.capacity + 1, &alike);
            return timers.and(balanced(0, one.cells(), &cells));
        }
        // Behind the last element all cells are alike.
        let all = balanced(0, one.capacity.min(other.capacity), &alike);
        equal(one.counted(), other.counted()).and(all)
    }
}

fn number(value: &csp::Value) -> i64 {
    match value {
        csp::Value::Int(value) => i64::from(*value),
        csp::Value::Bool(value) => i64::from(*value),
    }
}

/// The condition for all positions, as a tree that is not deep.
fn balanced(low: u32, high: u32, one: &dyn Fn(u32) -> Expr) -> Expr {
    if high - low <= 1 {
        return one(low);
    }
    let middle = low + (high - low) / 2;
    balanced(low, middle, one).and(balanced(middle, high, one))
}

fn array(name: String, initial: &[i64], capacity: u32) -> Variable {
    let mut cells = initial.to_vec();
    cells.resize(capacity as usize, UNUSED);
    Variable {
        length: Some(capacity),
        initial: cells,
        ..Variable::scalar(name, Range::INT, UNUSED)
    }
}

fn too_large(span: Span) -> LowerError {
    LowerError {
        code: "E1089",
        message: "this asks too much of collections at once: compute the arguments in a program, \
                  and keep them in variables"
            .to_owned(),
        span,
    }
}

/// How many operators and operands an expression has.
pub(super) fn size(expr: &Expr) -> usize {
    match expr {
        Expr::Unary(_, operand) => 1 + size(operand),
        Expr::Binary(_, operands) => 1 + size(&operands.0) + size(&operands.1),
        Expr::Conditional(parts) => 1 + size(&parts.0) + size(&parts.1) + size(&parts.2),
        Expr::Checked { index, .. } => 1 + size(index),
        Expr::Load(Place { index: Some(index), .. }) => 1 + size(index),
        _ => 1,
    }
}

/// An element of an array of the model.
pub(super) fn cell(array: VariableId, index: Expr) -> Place {
    Place { variable: AnyVariable::Global(array), index: Some(Box::new(index)) }
}

/// Its value.
pub(super) fn load(array: VariableId, index: Expr) -> Expr {
    Expr::Load(cell(array, index))
}

/// A condition that always holds, and evaluates an expression: what would be a fault is one although
/// the value may not be needed.
fn evaluated(expr: &Expr) -> Expr {
    match expr {
        Expr::Const(_) | Expr::Load(Place { index: None, .. }) => Expr::TRUE,
        other => Expr::binary(BinaryOp::Equal, other.clone(), other.clone()),
    }
}

fn conditional(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    match condition {
        Expr::Const(0) => otherwise,
        Expr::Const(_) => then,
        condition => Expr::Conditional(Box::new((condition, then, otherwise))),
    }
}

impl Room {
    /// How long the first array is.
    pub(super) fn cells(self) -> u32 {
        if self.class == Class::Dbm { (self.capacity + 1).pow(2) } else { self.capacity }
    }

    /// How many elements there are.
    pub(super) fn counted(self) -> Expr {
        Expr::global(self.count)
    }

    /// The element, or key, at an index within the capacity.
    pub(super) fn element(self, index: Expr) -> Expr {
        load(self.elements, index)
    }

    /// The element at an index, or a fault if there is none.
    fn get(self, index: Expr) -> Expr {
        let there = Expr::binary(BinaryOp::Less, index.clone(), self.counted());
        self.element(conditional(there, index, Expr::Const(-1)))
    }

    /// Whether a position is used.
    fn is_used(self, at: u32) -> Expr {
        Expr::binary(BinaryOp::Less, Expr::Const(i64::from(at)), self.counted())
    }

    fn is_at(self, at: u32, value: &Expr) -> Expr {
        let element = self.element(Expr::Const(i64::from(at)));
        self.is_used(at).and(Expr::binary(BinaryOp::Equal, element, value.clone()))
    }

    /// Whether a value is an element, or a key.
    pub(super) fn contains(self, value: &Expr) -> Expr {
        if self.class.is_sorted() {
            return self.search(value, 0, self.capacity, &|at| self.is_at(at, value));
        }
        self.contains_within(value, 0, self.capacity)
    }

    fn contains_within(self, value: &Expr, low: u32, high: u32) -> Expr {
        if high - low <= 1 {
            return self.is_at(low, value);
        }
        let middle = low + (high - low) / 2;
        let (left, right) =
            (self.contains_within(value, low, middle), self.contains_within(value, middle, high));
        // Nothing is there behind the last element.
        self.is_used(low).and(Expr::binary(BinaryOp::Or, left, right))
    }

    /// Binary search for a value among sorted elements; `found` says what comes of the only
    /// position where it can be.
    fn search(self, value: &Expr, low: u32, high: u32, found: &dyn Fn(u32) -> Expr) -> Expr {
        if high - low <= 1 {
            return found(low);
        }
        let middle = low + (high - low) / 2;
        let element = self.element(Expr::Const(i64::from(middle)));
        let above =
            self.is_used(middle).and(Expr::binary(BinaryOp::LessEqual, element, value.clone()));
        conditional(
            above,
            self.search(value, middle, high, found),
            self.search(value, low, middle, found),
        )
    }

    /// The value of a key, or a fault if it is not there.
    fn value_of(self, key: &Expr) -> Expr {
        let index = self.search(key, 0, self.capacity, &|at| {
            conditional(self.is_at(at, key), Expr::Const(i64::from(at)), Expr::Const(-1))
        });
        load(self.values.unwrap_or(self.elements), index)
    }

    /// Whether some element of a part is an element of the other.
    fn overlaps(self, other: Room, low: u32, high: u32) -> Expr {
        if high - low <= 1 {
            let element = self.element(Expr::Const(i64::from(low)));
            return self.is_used(low).and(other.contains(&element));
        }
        let middle = low + (high - low) / 2;
        let (left, right) = (self.overlaps(other, low, middle), self.overlaps(other, middle, high));
        self.is_used(low).and(Expr::binary(BinaryOp::Or, left, right))
    }
}

/// A function of `PAT.Math`. The operands are evaluated several times.
pub(super) fn math(
    function: MathFunction,
    operands: &[Expr],
    span: Span,
) -> Result<Expr, LowerError> {
    let all: usize = operands.iter().map(size).sum();
    let times = if function == MathFunction::Pow { 1000 } else { 3 };
    if all.saturating_mul(times) > MAX_QUESTION {
        return Err(too_large(span));
    }
    let (x, y) = match operands {
        [x, y] => (x.clone(), y.clone()),
        [x] => (x.clone(), Expr::Const(0)),
        _ => return Err(too_large(span)),
    };
    let is_less = |left: &Expr, right: &Expr| folded(BinaryOp::Less, left.clone(), right.clone());
    let zero = Expr::Const(0);
    Ok(match function {
        MathFunction::Abs => {
            conditional(is_less(&x, &zero), Expr::unary(UnaryOp::Negate, x.clone()), x)
        }
        MathFunction::Max => conditional(is_less(&x, &y), y, x),
        MathFunction::Min => conditional(is_less(&y, &x), y, x),
        MathFunction::Sign => folded(BinaryOp::Subtract, is_less(&zero, &x), is_less(&x, &zero)),
        MathFunction::Same => x,
        MathFunction::Pow => power(&x, &y),
        MathFunction::Sqrt => {
            return Err(LowerError {
                code: "E1088",
                message: "a square root can be computed in the program of an event only".to_owned(),
                span,
            });
        }
    })
}

/// `x` to the power of `y`. Of an exponent above 31, no integer of 32 bits comes but of -1, 0 and 1.
fn power(x: &Expr, y: &Expr) -> Expr {
    const MOST: i64 = 31;
    let is = |expr: &Expr, number: i64| folded(BinaryOp::Equal, expr.clone(), Expr::Const(number));
    let product = |times: i64| {
        (1..times).fold(x.clone(), |all, _| folded(BinaryOp::Multiply, all, x.clone()))
    };
    // A value that is too large is a fault.
    let mut all = Expr::binary(BinaryOp::Multiply, Expr::Const(i64::MAX), Expr::Const(2));
    for exponent in (1..=MOST).rev() {
        if !matches!(is(y, exponent), Expr::FALSE) {
            all = conditional(is(y, exponent), product(exponent), all);
        }
    }
    let negative = folded(BinaryOp::Less, y.clone(), Expr::Const(0));
    let odd = folded(BinaryOp::Modulo, y.clone(), Expr::Const(2));
    let sign =
        folded(BinaryOp::Subtract, Expr::Const(1), folded(BinaryOp::Multiply, Expr::Const(2), odd));
    // 0 to a negative power is no number: dividing by 0 is a fault as well.
    let of_zero =
        conditional(negative.clone(), Expr::binary(BinaryOp::Divide, Expr::Const(1), x.clone()), {
            Expr::Const(0)
        });
    let large = conditional(negative, Expr::Const(0), all);
    let not_zero = conditional(is(x, 1), Expr::Const(1), conditional(is(x, -1), sign, large));
    conditional(
        evaluated(x).and(is(y, 0)),
        Expr::Const(1),
        conditional(is(x, 0), of_zero, not_zero),
    )
}

/// Calls `visit` for every method that is called in an expression.
pub(super) fn each_call(expr: &csp::Expr, visit: &mut dyn FnMut(&MethodCall)) {
    match &expr.kind {
        csp::ExprKind::Int(_)
        | csp::ExprKind::Bool(_)
        | csp::ExprKind::Variable(_)
        | csp::ExprKind::Local(_)
        | csp::ExprKind::Define(_)
        | csp::ExprKind::SameContents(..)
        | csp::ExprKind::Query(..)
        | csp::ExprKind::Quantified(..) => {}
        csp::ExprKind::Element(_, operands)
        | csp::ExprKind::Math(_, operands)
        | csp::ExprKind::List(operands) => {
            operands.iter().for_each(|operand| each_call(operand, visit));
        }
        csp::ExprKind::Unary(_, operand) | csp::ExprKind::ElementOf(_, operand) => {
            each_call(operand, visit);
        }
        csp::ExprKind::Binary(_, left, right) => {
            each_call(left, visit);
            each_call(right, visit);
        }
        csp::ExprKind::Method(call) => {
            visit(call);
            call.arguments.iter().for_each(|argument| each_call(argument, visit));
        }
    }
}

/// How the collections of a specification grow.
struct Growth<'a> {
    specification: &'a Specification,
    grows: Vec<bool>,
    /// Collections whose contents are assigned to a collection.
    from: Vec<(usize, usize)>,
    /// One collection becomes the elements of two others together.
    sums: Vec<(usize, usize, usize)>,
    least: Vec<u32>,
}

/// How many elements each collection can hold; 0 for other variables.
fn capacities(specification: &Specification) -> Vec<u32> {
    let count = specification.variables.len();
    let length = |elements: usize| u32::try_from(elements).unwrap_or(MOST_CAPACITY);
    let mut growth = Growth {
        specification,
        grows: vec![false; count],
        from: Vec::new(),
        sums: Vec::new(),
        least: specification.variables.iter().map(|it| length(it.initial.len())).collect(),
    };
    for node in &specification.nodes {
        if let ProcessKind::Prefix { action, .. } = &node.kind {
            growth.statements(&action.program);
        }
    }
    growth.capacities()
}

impl Growth<'_> {
    fn call(&mut self, call: &MethodCall) {
        if matches!(call.signature.method, Method::Append | Method::Add) {
            self.grows[call.object.index()] = true;
        }
    }

    fn expr(&mut self, expr: &csp::Expr) {
        each_call(expr, &mut |call| self.call(call));
    }

    fn statements(&mut self, statements: &[csp::Statement]) {
        for statement in statements {
            match &statement.kind {
                csp::StatementKind::Assign { target, value } => {
                    if let csp::PlaceKind::Element(_, indices) = &target.kind {
                        indices.iter().for_each(|index| self.expr(index));
                    }
                    self.expr(value);
                }
                csp::StatementKind::Declare { value, .. } => self.expr(value),
                csp::StatementKind::If { condition, then, otherwise } => {
                    self.expr(condition);
                    self.statements(then);
                    self.statements(otherwise);
                }
                csp::StatementKind::While { condition, body } => {
                    self.expr(condition);
                    self.statements(body);
                }
                csp::StatementKind::Peek { channel, .. } => {
                    channel.index.iter().for_each(|index| self.expr(index));
                }
                csp::StatementKind::Block(inner) => self.statements(inner),
                csp::StatementKind::Method(call) => {
                    self.call(call);
                    call.arguments.iter().for_each(|argument| self.expr(argument));
                }
                csp::StatementKind::Replace { target, value } => self.replace(*target, value),
            }
        }
    }

    fn replace(&mut self, target: csp::VariableId, value: &ObjectValue) {
        let to = target.index();
        match value {
            ObjectValue::New(_, elements) => {
                elements.iter().for_each(|element| self.expr(element));
                let length = u32::try_from(elements.len()).unwrap_or(MOST_CAPACITY);
                self.least[to] = self.least[to].max(length);
            }
            ObjectValue::Copy(from) => self.from.push((to, from.index())),
            ObjectValue::Kept(call) => call.arguments.iter().for_each(|it| self.expr(it)),
            ObjectValue::Combined(signature, one, other) => {
                self.from.push((to, one.index()));
                self.from.push((to, other.index()));
                if matches!(signature.method, Method::Concat | Method::Union) {
                    self.sums.push((to, one.index(), other.index()));
                    self.grows[to] |= to == one.index() || to == other.index();
                }
            }
        }
    }

    fn capacities(mut self) -> Vec<u32> {
        for (at, least) in self.least.iter_mut().enumerate() {
            let collection = self.specification.variables[at].collection;
            let given = collection.and_then(|collection| collection.capacity);
            let room = if self.grows[at] { DEFAULT_CAPACITY } else { 0 };
            *least = given.unwrap_or(least.saturating_add(room));
        }
        self.spread();
        // Once: what is assigned in a circle would grow for ever.
        let sums: Vec<(usize, u32)> = self
            .sums
            .iter()
            .map(|&(to, one, other)| (to, self.least[one].saturating_add(self.least[other])))
            .collect();
        for (to, sum) in sums {
            self.least[to] = self.least[to].max(sum);
        }
        self.spread();
        let variables = &self.specification.variables;
        // Matrices are copied and compared, so all of them have the same size.
        let matrices = variables.iter().filter_map(|it| it.collection);
        let matrices = matrices.filter(|collection| collection.class == Class::Dbm);
        let most_timers = matrices.map(|it| it.capacity.unwrap_or(DEFAULT_TIMERS)).max();
        let most_timers = most_timers.unwrap_or(DEFAULT_TIMERS);
        let of = |(at, least): (usize, u32)| match variables[at].collection {
            Some(collection) => {
                // The initial contents have room, whatever a comment says.
                let first = u32::try_from(variables[at].initial.len()).unwrap_or(MOST_CAPACITY);
                match collection.class {
                    Class::Dbm => most_timers,
                    _ => collection.capacity.unwrap_or(least.min(MOST_CAPACITY)).max(first).max(1),
                }
            }
            None => 0,
        };
        self.least.iter().copied().enumerate().map(of).collect()
    }

    /// Gives every collection the room of those that are assigned to it.
    fn spread(&mut self) {
        for _ in 0..=self.from.len() {
            let mut changed = false;
            for &(to, from) in &self.from {
                if self.least[to] < self.least[from] {
                    self.least[to] = self.least[from];
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }
}

/// Statements of the model that stand for one of the text.
#[derive(Clone, Copy)]
pub(super) struct Writer {
    pub(super) span: Span,
}

impl Writer {
    fn statement(self, kind: StatementKind) -> Statement {
        Statement { kind, span: Some(self.span) }
    }

    /// Assigns.
    pub(super) fn set(self, place: Place, value: Expr) -> Statement {
        self.statement(StatementKind::Assign(vec![(place, value)]))
    }

    /// Assigns to a variable of the model.
    pub(super) fn set_global(self, variable: VariableId, value: Expr) -> Statement {
        self.set(Place::global(variable), value)
    }

    /// Several at once.
    pub(super) fn set_all(self, pairs: Vec<(Place, Expr)>) -> Statement {
        self.statement(StatementKind::Assign(pairs))
    }

    /// One of two ways.
    pub(super) fn when(
        self,
        condition: Expr,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    ) -> Statement {
        self.statement(StatementKind::If { condition, then, otherwise })
    }

    /// Again and again.
    pub(super) fn repeat(self, condition: Expr, body: Vec<Statement>) -> Statement {
        self.statement(StatementKind::While { condition, body })
    }

    /// A fault unless the condition holds.
    pub(super) fn require(self, condition: Expr, message: String) -> Statement {
        self.statement(StatementKind::Assert {
            condition,
            message,
            kind: fairly_system::FaultKind::Error,
        })
    }
}
