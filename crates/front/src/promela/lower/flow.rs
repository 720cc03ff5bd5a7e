//! The statements of a process linked as SPIN links them, before they are made into transitions.
//!
//! An [`Element`] is a statement or a point of control; a [`Sequence`] runs from its first element
//! to its last along [`Element::next`]. Which points exist, and which of them lie inside an atomic
//! chain, decides what the control states of a process are, so this follows SPIN's `flow.c` to the
//! letter. What becomes of it is in [`super::machine`].

use fairly_system::Annotation;

use crate::promela::ast::{
    Choice, Expr, ExprKind, LabelId, Origin, Proctype, Sequence as Body, Stmt, StmtKind,
};

/// A position in [`Flow::elements`]. They are numbered in the order in which SPIN makes them.
pub(super) type ElementId = usize;
/// A position in [`Flow::sequences`].
pub(super) type SequenceId = usize;

/// Kinds of elements.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node<'a> {
    /// A statement that is executed.
    Basic(&'a Stmt),
    /// `else`.
    Else,
    /// A step that does nothing.
    Skip,
    /// A jump to a label.
    Goto(LabelId),
    /// A jump behind a loop.
    Leave(usize),
    /// Where options come together.
    Join,
    /// Where a loop is left to.
    Break,
    /// The head of `if` or `do`.
    Choice,
    /// The head of `unless`.
    Unless,
    /// `atomic`.
    Atomic(SequenceId),
    /// Braces.
    Block(SequenceId),
    /// `d_step`.
    DStep(SequenceId),
    /// The end of the process.
    End,
}

/// A statement or a point of control.
#[derive(Clone, Debug)]
pub(super) struct Element<'a> {
    pub(super) node: Node<'a>,
    /// The statement that it comes from.
    pub(super) stmt: Option<&'a Stmt>,
    /// The fairness asked of it, or of an option that it begins.
    pub(super) annotation: Option<Annotation>,
    pub(super) next: Option<ElementId>,
    /// The options of `if` and `do`; both parts of `unless`.
    pub(super) parts: Vec<SequenceId>,
    /// The escapes that guard it, the outermost first.
    pub(super) escapes: Vec<SequenceId>,
    /// It lies in an atomic chain and is not the last of it.
    pub(super) atomic: bool,
    /// It is the last of an atomic chain.
    pub(super) last_atomic: bool,
    /// It lies in a `d_step`.
    pub(super) in_d_step: bool,
    pub(super) labels: Vec<LabelId>,
}

/// Elements one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sequence {
    pub(super) first: ElementId,
    pub(super) last: ElementId,
    /// The last element before a common target was appended.
    pub(super) extent: ElementId,
}

/// A sequence that is being made.
#[derive(Clone, Copy, Debug, Default)]
struct Open {
    ends: Option<(ElementId, ElementId)>,
}

/// The elements of a process.
#[derive(Clone, Debug)]
pub(super) struct Flow<'a> {
    pub(super) elements: Vec<Element<'a>>,
    pub(super) sequences: Vec<Sequence>,
    /// By label: what it stands before.
    pub(super) labels: Vec<Option<ElementId>>,
    /// By loop: where it is left to.
    pub(super) exits: Vec<ElementId>,
    /// The loops that are open.
    loops: Vec<usize>,
    /// The whole process.
    pub(super) body: SequenceId,
    process: &'a Proctype,
}

impl<'a> Flow<'a> {
    /// Links the statements of a process.
    pub(super) fn of(process: &'a Proctype) -> Flow<'a> {
        let mut flow = Flow {
            elements: Vec::new(),
            sequences: Vec::new(),
            labels: vec![None; process.labels.len()],
            exits: Vec::new(),
            loops: Vec::new(),
            body: 0,
            process,
        };
        let mut open = Open::default();
        for stmt in &process.body.steps {
            flow.statement(stmt, &mut open);
        }
        let end = flow.element(Node::End, None);
        flow.append(end, &mut open);
        flow.body = flow.close(open, end);
        flow.tie_ends();
        flow
    }

    fn element(&mut self, node: Node<'a>, stmt: Option<&'a Stmt>) -> ElementId {
        self.elements.push(Element {
            node,
            stmt,
            annotation: stmt.and_then(|stmt| stmt.annotation),
            next: None,
            parts: Vec::new(),
            escapes: Vec::new(),
            atomic: false,
            last_atomic: false,
            in_d_step: false,
            labels: Vec::new(),
        });
        self.elements.len() - 1
    }

    /// Ends a sequence; one without elements has only `instead`.
    fn close(&mut self, open: Open, instead: ElementId) -> SequenceId {
        let (first, last) = open.ends.unwrap_or((instead, instead));
        self.sequences.push(Sequence { first, last, extent: last });
        self.sequences.len() - 1
    }

    fn append(&mut self, element: ElementId, open: &mut Open) {
        open.ends = Some(match open.ends {
            None => (element, element),
            Some((first, last)) => {
                self.elements[last].next = Some(element);
                (first, element)
            }
        });
    }

    /// Appends to a sequence that has been closed.
    fn extend(&mut self, sequence: SequenceId, element: ElementId) {
        let last = self.sequences[sequence].last;
        self.elements[last].next = Some(element);
        self.sequences[sequence].last = element;
    }

    fn label(&mut self, stmt: &'a Stmt, element: ElementId) {
        for &label in &stmt.labels {
            if let Some(place) = self.labels.get_mut(label.index()) {
                *place = Some(element);
            }
        }
        self.elements[element].labels.extend(&stmt.labels);
    }

    fn sequence(&mut self, body: &'a Body) -> SequenceId {
        let mut open = Open::default();
        for stmt in &body.steps {
            self.statement(stmt, &mut open);
        }
        if open.ends.is_none() {
            // The parser refuses a sequence without statements.
            let skip = self.element(Node::Skip, None);
            self.append(skip, &mut open);
        }
        self.close(open, 0)
    }

    fn statement(&mut self, stmt: &'a Stmt, open: &mut Open) {
        let node = match &stmt.kind {
            StmtKind::If(choices) => return self.choice(stmt, choices, None, open),
            StmtKind::Do(choices) => {
                let number = self.exits.len();
                self.exits.push(0);
                self.loops.push(number);
                return self.choice(stmt, choices, Some(number), open);
            }
            StmtKind::Unless(main, escape) => return self.unless(stmt, main, escape, open),
            StmtKind::Atomic(body) => {
                let inner = self.sequence(body);
                self.make_atomic(inner, false);
                Node::Atomic(inner)
            }
            StmtKind::DStep(body) => {
                let inner = self.sequence(body);
                self.make_atomic(inner, true);
                Node::DStep(inner)
            }
            StmtKind::Block(body) => Node::Block(self.sequence(body)),
            StmtKind::Goto(label) => Node::Goto(*label),
            StmtKind::Break => match self.loops.last() {
                Some(&number) => Node::Leave(number),
                // The parser refuses it.
                None => Node::Skip,
            },
            StmtKind::Else => Node::Else,
            _ => Node::Basic(stmt),
        };
        let element = self.element(node, Some(stmt));
        self.label(stmt, element);
        self.annotate(element, stmt.annotation);
        self.append_jump(stmt, element, open);
    }

    /// Appends an element. A jump with a label that matters has no state to carry it, so a step
    /// goes before it that does nothing.
    fn append_jump(&mut self, stmt: &'a Stmt, element: ElementId, open: &mut Open) {
        let jump = matches!(self.elements[element].node, Node::Goto(_) | Node::Leave(_));
        if jump && !stmt.labels.is_empty() && self.special(stmt) {
            let skip = self.element(Node::Skip, Some(stmt));
            self.elements[element].labels.clear();
            self.label(stmt, skip);
            self.append(skip, open);
        }
        self.append(element, open);
    }

    /// Whether a statement has a label that says something of its state.
    fn special(&self, stmt: &Stmt) -> bool {
        stmt.labels
            .iter()
            .filter_map(|label| self.process.labels.get(label.index()))
            .any(|label| label.is_end() || label.is_progress() || label.is_accept())
    }

    fn choice(
        &mut self,
        stmt: &'a Stmt,
        choices: &'a [Choice],
        number: Option<usize>,
        open: &mut Open,
    ) {
        let mut parts: Vec<SequenceId> = Vec::with_capacity(choices.len());
        for choice in choices {
            let part = self.sequence(&choice.body);
            self.annotate(self.sequences[part].first, choice.annotation);
            if stmt.origin == Origin::Written {
                self.prune(part);
            }
            parts.push(part);
        }
        let head = self.element(Node::Choice, Some(stmt));
        self.label(stmt, head);
        let join = self.element(Node::Join, Some(stmt));
        let is_else = |flow: &Self, part: SequenceId| {
            matches!(flow.elements[flow.sequences[part].first].node, Node::Else)
        };
        // `else` goes behind all other options.
        parts.sort_by_key(|&part| is_else(self, part));
        for &part in &parts {
            self.extend(part, join);
        }
        self.elements[head].parts = parts;
        self.annotate(head, stmt.annotation);
        let mut last = join;
        if let Some(number) = number {
            self.append(join, open);
            last = self.element(Node::Break, Some(stmt));
            self.exits[number] = last;
            self.loops.pop();
        }
        self.append(head, open);
        self.append(last, open);
    }

    /// Passes an annotation on to what an element begins with.
    fn annotate(&mut self, element: ElementId, annotation: Option<Annotation>) {
        let annotation = self.elements[element].annotation.or(annotation);
        self.elements[element].annotation = annotation;
        let parts = match self.elements[element].node {
            Node::Atomic(inner) | Node::Block(inner) => vec![inner],
            Node::Unless => self.elements[element].parts.iter().take(1).copied().collect(),
            Node::Choice => self.elements[element].parts.clone(),
            // The first element of a loop is where its rounds come together.
            Node::Join => match self.elements[element].next {
                Some(head) if matches!(self.elements[head].node, Node::Choice) => {
                    self.elements[head].parts.clone()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        if annotation.is_some() {
            for part in parts {
                self.annotate(self.sequences[part].first, annotation);
            }
        }
    }

    /// Takes steps away that do nothing and follow one that does nothing either.
    fn prune(&mut self, part: SequenceId) {
        let Sequence { first, last, extent } = self.sequences[part];
        let (mut before, mut at, mut count) = (None, Some(first), 0);
        while let Some(element) = at {
            let Element { node, labels, next, .. } = &self.elements[element];
            let next = *next;
            let (skip, prints) = match node {
                Node::Skip => (true, false),
                Node::Basic(stmt) => match &stmt.kind {
                    StmtKind::Printf(..) | StmtKind::Printm(_) => (true, true),
                    StmtKind::Condition(condition) => (is_one(condition), false),
                    _ => (false, false),
                },
                _ => (false, false),
            };
            count = if skip && labels.is_empty() { count + 1 } else { 0 };
            let inside = element != first && element != last && element != extent;
            match before {
                Some(before) if count > 1 && !prints && inside => {
                    let before: ElementId = before;
                    self.elements[before].next = next;
                }
                _ => before = Some(element),
            }
            at = next;
        }
    }

    fn unless(&mut self, stmt: &'a Stmt, main: &'a Body, escape: &'a Body, open: &mut Open) {
        let main = self.sequence(main);
        let escape = self.sequence(escape);
        let head = self.element(Node::Unless, Some(stmt));
        self.label(stmt, head);
        let join = self.element(Node::Join, Some(stmt));
        self.elements[head].parts = vec![main, escape];
        self.annotate(head, stmt.annotation);
        self.extend(main, join);
        self.extend(escape, join);
        self.attach_escape(main, escape);
        self.append(head, open);
        self.append(join, open);
    }

    /// Attaches an escape to all elements of a sequence.
    fn attach_escape(&mut self, sequence: SequenceId, escape: SequenceId) {
        let Sequence { first, extent, .. } = self.sequences[sequence];
        let mut at = Some(first);
        while let Some(element) = at {
            self.escape(element, escape);
            at = if element == extent { None } else { self.elements[element].next };
        }
    }

    fn escape(&mut self, element: ElementId, escape: SequenceId) {
        if self.elements[element].escapes.contains(&escape) {
            return;
        }
        // The escapes that are already there can be escaped from too.
        for inner in self.elements[element].escapes.clone() {
            self.attach_escape(inner, escape);
        }
        self.elements[element].escapes.insert(0, escape);
        match self.elements[element].node {
            Node::Unless => {
                if let Some(&main) = self.elements[element].parts.first() {
                    self.attach_escape(main, escape);
                }
            }
            Node::Choice => {
                for part in self.elements[element].parts.clone() {
                    self.attach_escape(part, escape);
                }
            }
            Node::DStep(inner) => self.escape(self.sequences[inner].first, escape),
            Node::Atomic(inner) | Node::Block(inner) => self.attach_escape(inner, escape),
            _ => {}
        }
    }

    /// Marks a sequence as an atomic chain.
    fn make_atomic(&mut self, sequence: SequenceId, d_step: bool) {
        let Sequence { first, last, .. } = self.sequences[sequence];
        self.walk_atomic(first, last, d_step);
        match self.elements[last].node {
            Node::Block(inner) | Node::Atomic(inner) => self.make_atomic(inner, d_step),
            Node::Unless => {
                if let Some(&main) = self.elements[last].parts.first() {
                    self.make_atomic(main, d_step);
                }
            }
            _ => {
                self.elements[last].atomic = false;
                self.elements[last].last_atomic = true;
            }
        }
    }

    fn walk_atomic(&mut self, first: ElementId, last: ElementId, d_step: bool) {
        let mut at = Some(first);
        while let Some(element) = at {
            self.elements[element].atomic = true;
            self.elements[element].in_d_step |= d_step;
            let inner = match self.elements[element].node {
                Node::Atomic(inner) | Node::Block(inner) => Some(inner),
                Node::DStep(inner) if d_step => Some(inner),
                _ => None,
            };
            if let Some(inner) = inner {
                self.elements[element].node = Node::Block(inner);
                let Sequence { first, last, .. } = self.sequences[inner];
                self.walk_atomic(first, last, d_step);
            }
            for part in self.elements[element].parts.clone() {
                let Sequence { first, last, .. } = self.sequences[part];
                self.walk_atomic(first, last, d_step);
            }
            at = if element == last { None } else { self.elements[element].next };
        }
    }

    /// Lets inner sequences go on where the element that holds them does.
    fn tie_ends(&mut self) {
        for element in (0..self.elements.len()).rev() {
            let Some(mut next) = self.elements[element].next else { continue };
            let (Node::Atomic(inner) | Node::Block(inner) | Node::DStep(inner)) =
                self.elements[element].node
            else {
                continue;
            };
            while let (Node::Join, Some(further)) =
                (self.elements[next].node, self.elements[next].next)
            {
                next = further;
            }
            let last = self.sequences[inner].last;
            if self.elements[last].next.is_none() {
                self.elements[last].next = Some(next);
            }
        }
    }

    /// The element that a jump leads to.
    pub(super) fn jump(&self, element: ElementId) -> Option<ElementId> {
        match self.elements[element].node {
            Node::Goto(label) => self.labels.get(label.index()).copied().flatten(),
            Node::Leave(number) => self.exits.get(number).copied(),
            _ => None,
        }
    }
}

/// Whether a condition is the number 1.
pub(super) fn is_one(condition: &Expr) -> bool {
    matches!(condition.kind, ExprKind::Number(1) | ExprKind::Constant(_, 1))
}
