//! Which values of a model may be numbers of processes: a guess, from how they are used.
//!
//! A process may know its own number (`_pid`, or a constant in which it differs from others like it), keep
//! it in variables, send it, and own the cell of an array with it. Permuting processes then permutes these
//! values and cells as well. Whatever else is done with a number, computing with it, comparing by order, taking
//! it for a truth value, is *plain*: then the guess is given up, with the place for a reason.
//!
//! Values that meet in an assignment, a comparison, a message, an index or the name of an event have one type.
//! There is a type for each variable, each index of an array, each cell of a channel, each constant where it
//! stands; types that meet are joined. A constant that is the number of some process names it, and so it stays
//! where it is; any other constant, one for no process, say, is moved by no permutation.
//!
//! Whether processes can be permuted with these numbers is decided in `automorphism.rs`, so a mistake here
//! costs a reduction and nothing else.

use fairly_model::{
    AnyVariable, BinaryOp, Communication, Edge, Expr, Label, Model, Order, Pattern, Place,
    Statement, StatementKind, Storage, TemplateId, Variable,
};
use hashbrown::HashMap;

/// The type of some values.
pub(super) type Type = usize;

/// The type of the numbers of slots.
pub(super) const OWN: Type = 0;

/// A constant, where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constant {
    pub(super) value: i64,
    pub(super) of: Type,
}

/// A variable: the types of its values and, of an array, its index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Types {
    pub(super) value: Type,
    pub(super) index: Type,
}

/// Where a value is used as something that no number of a process can be.
#[derive(Clone, Debug)]
struct Plain {
    of: Type,
    template: usize,
    edge: String,
}

/// The types of a model.
pub(super) struct Typing<'m> {
    model: &'m Model,
    parents: Vec<Type>,
    pub(super) variables: Vec<Types>,
    /// By template.
    pub(super) locals: Vec<Vec<Types>>,
    /// By channel.
    pub(super) cells: Vec<Vec<Type>>,
    plain: Vec<Plain>,
    /// By template; what a property has is at the end.
    pub(super) constants: Vec<Vec<Constant>>,
    /// Indices that are checked against a length.
    pub(super) checked: Vec<(Type, u32)>,
    /// Families of events that are made of values, by how many there are, with their types.
    pub(super) labels: HashMap<(String, usize), Vec<Type>>,
    /// Whether there are events of communications.
    has_messages: bool,
    template: usize,
    edge: String,
    received: Vec<Type>,
}

impl<'m> Typing<'m> {
    /// The types of a model and of what is watched. Processes of the templates that are `always_there` are not
    /// started, so their first statements do not matter.
    pub(super) fn of(
        model: &'m Model,
        watched: &[Expr],
        always_there: impl Fn(TemplateId) -> bool,
    ) -> Typing<'m> {
        let mut typing = Typing {
            model,
            parents: vec![OWN],
            variables: Vec::new(),
            locals: Vec::new(),
            cells: Vec::new(),
            plain: Vec::new(),
            constants: vec![Vec::new(); model.templates.len() + 1],
            checked: Vec::new(),
            labels: HashMap::new(),
            has_messages: false,
            template: 0,
            edge: String::new(),
            received: Vec::new(),
        };
        typing.variables = model.variables.iter().map(|_| typing.types()).collect();
        for template in &model.templates {
            let locals = template.locals.iter().map(|_| typing.types()).collect();
            typing.locals.push(locals);
        }
        for channel in &model.channels {
            let cells = channel.cells.iter().map(|_| typing.fresh()).collect();
            typing.cells.push(cells);
        }
        let scratch = |variable: &Variable| variable.storage == Storage::Scratch;
        for (variable, types) in model.variables.iter().zip(typing.variables.clone()) {
            // They begin every step with it.
            if scratch(variable) {
                typing.begins_with(model.templates.len(), variable, types.value);
            }
        }
        for (at, template) in model.templates.iter().enumerate() {
            typing.template = at;
            typing.edge = "its first step".to_owned();
            let is_started = !always_there(TemplateId::from_index(at));
            for (variable, types) in template.locals.iter().zip(typing.locals[at].clone()) {
                if is_started || scratch(variable) {
                    typing.begins_with(at, variable, types.value);
                }
            }
            if is_started {
                typing.statements(&template.start);
            }
            for edge in template.locations.iter().filter_map(|it| it.edges.as_ref()).flatten() {
                typing.edge.clone_from(&edge.name);
                typing.edge(edge);
            }
        }
        typing.template = model.templates.len();
        typing.edge = "the property".to_owned();
        for expr in watched {
            let of = typing.expr(expr);
            typing.plain(of);
        }
        // A rendezvous is called by the name of its channel, as if it were a family of events.
        for (channel, cells) in model.channels.iter().zip(typing.cells.clone()) {
            typing
                .join_all(typing.labels.get(&(channel.name.clone(), cells.len())).cloned(), &cells);
        }
        typing
    }

    fn join_all(&mut self, types: Option<Vec<Type>>, others: &[Type]) {
        for (of, &other) in types.into_iter().flatten().zip(others) {
            self.join(of, other);
        }
    }

    /// Whether the name of an event may have a value of one of these types.
    pub(super) fn is_in_names(&self, is_number: impl Fn(Type) -> bool) -> bool {
        let is_one = |of: &Type| is_number(self.root(*of));
        self.labels.values().flatten().any(is_one)
            || self.has_messages && self.cells.iter().flatten().any(is_one)
    }

    /// Makes finding what stands for a type a single step.
    pub(super) fn flatten(&mut self) {
        for at in 0..self.parents.len() {
            self.parents[at] = self.parents[self.parents[at]];
        }
    }

    fn begins_with(&mut self, template: usize, variable: &Variable, of: Type) {
        let initial = variable.initial.iter().copied().chain([0]);
        self.constants[template].extend(initial.map(|value| Constant { value, of }));
    }

    fn fresh(&mut self) -> Type {
        self.parents.push(self.parents.len());
        self.parents.len() - 1
    }

    fn types(&mut self) -> Types {
        Types { value: self.fresh(), index: self.fresh() }
    }

    /// The type that stands for all that were joined with one.
    pub(super) fn root(&self, of: Type) -> Type {
        let mut at = of;
        while self.parents[at] != at {
            at = self.parents[at];
        }
        at
    }

    /// The same, and shortens the way there.
    fn find(&mut self, of: Type) -> Type {
        let mut at = of;
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    pub(super) fn join(&mut self, one: Type, other: Type) {
        let (one, other) = (self.find(one), self.find(other));
        // The smaller one stands for both, so that slots stand for all that are numbers of slots.
        self.parents[one.max(other)] = one.min(other);
    }

    fn plain(&mut self, of: Type) {
        self.plain.push(Plain { of, template: self.template, edge: self.edge.clone() });
    }

    /// A value that is not the number of a process.
    fn computed(&mut self) -> Type {
        let of = self.fresh();
        self.plain(of);
        of
    }

    /// Where a value of one of these types is used as something else: the template and its step.
    pub(super) fn misuse(&self, is_number: impl Fn(Type) -> bool) -> Option<String> {
        let found = self.plain.iter().find(|plain| is_number(self.root(plain.of)))?;
        let template = self.model.templates.get(found.template);
        let of = template.map_or(String::new(), |template| format!(" of {}", template.name));
        Some(format!("{}{of}", found.edge))
    }

    fn edge(&mut self, edge: &Edge) {
        match &edge.communication {
            Communication::None => {}
            Communication::Send { channel, message, order } => {
                self.send(channel, message, *order);
            }
            Communication::Receive { channel, pattern, .. } => {
                let cells = self.channel(channel, pattern.len());
                self.pattern(&cells, pattern);
                self.received = cells;
            }
        }
        let guard = self.expr(&edge.guard);
        self.plain(guard);
        self.statements(&edge.effect);
        match &edge.label {
            Label::Event(_) => {}
            Label::Data { family, values } => {
                let types: Vec<Type> = values.iter().map(|value| self.expr(value)).collect();
                let known = self.labels.entry((family.clone(), values.len()));
                let known = known.or_insert_with(|| types.clone()).clone();
                self.join_all(Some(known), &types);
            }
            Label::Message => self.has_messages = true,
        }
        self.received.clear();
    }

    fn send(&mut self, channel: &Expr, message: &[Expr], order: Order) {
        let cells = self.channel(channel, message.len());
        for (value, &cell) in message.iter().zip(&cells) {
            let of = self.expr(value);
            self.join(of, cell);
            if order == Order::Sorted {
                self.plain(of);
            }
        }
    }

    /// The types of the cells of a channel; of any if it is not known which.
    fn channel(&mut self, channel: &Expr, length: usize) -> Vec<Type> {
        if let Expr::Const(number) = channel
            && let Some(cells) = usize::try_from(*number).ok().and_then(|at| self.cells.get(at))
            && cells.len() == length
        {
            // The number of a channel is not one of a process.
            return cells.clone();
        }
        let of = self.expr(channel);
        self.plain(of);
        let cells: Vec<Type> = (0..length).map(|_| self.fresh()).collect();
        for channel in self.cells.clone() {
            for (&cell, other) in cells.iter().zip(channel) {
                self.join(cell, other);
            }
        }
        cells
    }

    fn pattern(&mut self, cells: &[Type], pattern: &[Pattern]) {
        for (cell, &of) in pattern.iter().zip(cells) {
            if let Pattern::Equal(value) = cell {
                let value = self.expr(value);
                self.join(value, of);
            }
        }
    }

    fn place(&mut self, place: &Place) -> Type {
        let types = match &place.variable {
            AnyVariable::Global(id) => self.variables[id.index()],
            AnyVariable::Local(id) => self.locals[self.template][id.index()],
            AnyVariable::Remote { slot, template, local } => {
                let slot = self.expr(slot);
                self.join(slot, OWN);
                let types = self.locals[template.index()][local.index()];
                // The value that is read where there is no such process.
                self.constants[self.template].push(Constant { value: 0, of: types.value });
                types
            }
        };
        if let Some(index) = &place.index {
            let index = self.expr(index);
            self.join(index, types.index);
        }
        types.value
    }

    fn expr(&mut self, expr: &Expr) -> Type {
        match expr {
            Expr::Const(value) => {
                let of = self.fresh();
                self.constants[self.template].push(Constant { value: *value, of });
                of
            }
            Expr::Load(place) => self.place(place),
            Expr::Received(at) => match self.received.get(*at as usize) {
                Some(&of) => of,
                None => self.computed(),
            },
            Expr::Unary(_, operand) => {
                let of = self.expr(operand);
                self.plain(of);
                self.computed()
            }
            Expr::Binary(op, operands) => {
                let (left, right) = (self.expr(&operands.0), self.expr(&operands.1));
                if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
                    self.join(left, right);
                } else {
                    self.plain(left);
                    self.plain(right);
                }
                self.computed()
            }
            Expr::Conditional(parts) => {
                let condition = self.expr(&parts.0);
                self.plain(condition);
                let (one, other) = (self.expr(&parts.1), self.expr(&parts.2));
                self.join(one, other);
                one
            }
            Expr::Checked { index, length } => {
                let of = self.expr(index);
                self.checked.push((of, *length));
                of
            }
            Expr::Channel(_, channel) => {
                if !matches!(**channel, Expr::Const(_)) {
                    let of = self.expr(channel);
                    self.plain(of);
                }
                self.computed()
            }
            Expr::Poll { channel, pattern, .. } => {
                let cells = self.channel(channel, pattern.len());
                self.pattern(&cells, pattern);
                self.computed()
            }
            Expr::At { slot, .. } | Expr::Executable(slot) => {
                let of = self.expr(slot);
                self.join(of, OWN);
                self.computed()
            }
            Expr::Own => OWN,
            Expr::Running | Expr::LastMover | Expr::Timeout => self.computed(),
        }
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Assign(pairs) => {
                    for (place, value) in pairs {
                        let (place, value) = (self.place(place), self.expr(value));
                        self.join(place, value);
                    }
                }
                StatementKind::If { condition, then, otherwise } => {
                    let of = self.expr(condition);
                    self.plain(of);
                    self.statements(then);
                    self.statements(otherwise);
                }
                StatementKind::While { condition, body } => {
                    let of = self.expr(condition);
                    self.plain(of);
                    self.statements(body);
                }
                StatementKind::Assert { condition, .. } => {
                    let of = self.expr(condition);
                    self.plain(of);
                }
                StatementKind::Start { template, arguments, slot } => {
                    for (at, argument) in arguments.iter().enumerate() {
                        let of = self.expr(argument);
                        self.join(of, self.locals[template.index()][at].value);
                    }
                    if let Some(place) = slot {
                        let of = self.place(place);
                        self.join(of, OWN);
                    }
                }
                StatementKind::Put { channel, message, order } => {
                    self.send(channel, message, *order);
                }
                StatementKind::Take { channel, pattern, into, .. } => {
                    let cells = self.channel(channel, pattern.len());
                    self.pattern(&cells, pattern);
                    for (place, &cell) in into.iter().zip(&cells) {
                        if let Some(place) = place {
                            let of = self.place(place);
                            self.join(of, cell);
                        }
                    }
                }
            }
        }
    }
}
