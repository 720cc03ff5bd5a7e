//! From `--BODY--` to `--END--`.

use fairly_source::{Diagnostic, Span};
use hashbrown::{HashMap, HashSet};

use crate::alternating::Alternating;
use crate::automaton::{Automaton, Builder, Edge, StateId};
use crate::formats::expression;
use crate::formats::hoa::Shape;
use crate::formats::hoa::claims::{self, Uses};
use crate::formats::hoa::condition::unknown_mark;
use crate::formats::hoa::header::{self, Formulas, Header, LabelTerms};
use crate::formats::hoa::lexer::{Lexer, ParseError, Token};
use crate::letters::{Cube, Label, Prop};
use crate::marks::{Mark, MarkSet, MarkSetId};

/// Complemented acceptance sets times distinct mark sets: the marks that complements may add in
/// all. Above it a small file could ask for gigabytes.
const MAX_COMPLEMENT_MARKS: usize = 1 << 24;

/// While reading, targets from here on stand for conjunctions: numbers in HOA are smaller.
const CONJUNCTION: u32 = 1 << 31;

/// A body with what the automaton does not keep.
pub(super) struct Labelled {
    pub(super) shape: Shape,
    pub(super) warnings: Vec<Diagnostic>,
    /// The first conjunction of states.
    pub(super) conjunction: Option<Span>,
    /// The labels of the states that have one, in the order of the text.
    pub(super) labels: Vec<(StateId, Label)>,
    /// The first state without a label.
    pub(super) unlabelled: Option<Span>,
    /// The acceptance condition.
    pub(super) condition: Span,
}

/// Reads the body and keeps the labels of states, also of those without edges; the lexer is then at
/// `--END--`.
pub(super) fn read<'a>(lexer: &mut Lexer<'a>, header: Header<'a>) -> Result<Labelled, ParseError> {
    let mut builder = Builder::new(header.propositions);
    builder.set_name(header.name);
    let mut reader = BodyReader {
        declared_states: header.states,
        declared_sets: header.condition.declared,
        builder,
        formulas: header.formulas,
        labels: HashMap::new(),
        mark_sets: HashMap::new(),
        defined: Defined::default(),
        largest: None,
        implicit: Vec::new(),
        unlabelled: Vec::new(),
        state_labels: Vec::new(),
        unlabelled_state: None,
        uses: Uses::default(),
        conjunctions: Conjunctions::default(),
        starts: Vec::new(),
    };
    for all in &header.starts {
        for &(start, span) in all {
            reader.refer(start, span)?;
        }
        let start = reader.conjunction(all);
        reader.starts.push(start);
    }
    loop {
        match lexer.token {
            Token::Header if lexer.slice() == "State" => reader.state(lexer)?,
            Token::End => break,
            _ => return Err(lexer.unexpected("`State:`, an edge or `--END--`")),
        }
    }
    let mut warnings = header.warnings;
    let states = reader.state_count(&mut warnings)?;
    let BodyReader { mut builder, formulas, uses, conjunctions, mut starts, .. } = reader;
    let (labels, unlabelled) = (reader.state_labels, reader.unlabelled_state);
    *builder.letters_mut() = formulas.letters;
    builder.add_states(states);
    if !conjunctions.all.is_empty() {
        let real = |target: StateId| match target.0.checked_sub(CONJUNCTION) {
            None => target,
            Some(at) => StateId::from_index(states + at as usize),
        };
        builder.map_targets(real);
        starts.iter_mut().for_each(|start| *start = real(*start));
        builder.add_states(conjunctions.all.len());
    }
    builder.set_initial(starts);
    claims::check_writing(&header.properties, &uses)?;
    let condition = header.condition;
    let mut marks = condition.declared;
    if !condition.complements.is_empty() {
        let cost = condition.complements.len().saturating_mul(builder.mark_table_mut().len());
        if cost > MAX_COMPLEMENT_MARKS {
            let message = "too many complemented sets for this many different mark sets";
            return Err(Diagnostic::error("E0228", message, condition.span)
                .help("list the edges outside a set instead of writing `!`")
                .into());
        }
        builder.map_marks(|set| with_complements(set, &condition.complements));
        marks += condition.complements.len() as u32;
    }
    builder.set_acceptance(condition.formula, marks);
    let check = |automaton: &Automaton| {
        claims::check_shape(&header.properties, automaton, states, condition.declared)
    };
    let shape = if conjunctions.all.is_empty() {
        let automaton = builder.build();
        check(&automaton)?;
        Shape::Plain(automaton)
    } else {
        let automaton = Alternating::new(builder, states, conjunctions.all);
        check(automaton.base())?;
        Shape::Alternating(automaton)
    };
    let conjunction = uses.conjunction;
    Ok(Labelled { shape, warnings, conjunction, labels, unlabelled, condition: condition.span })
}

/// The conjunctions of a file, each once.
#[derive(Default)]
struct Conjunctions {
    all: Vec<Vec<StateId>>,
    known: HashMap<Vec<StateId>, u32>,
}

fn with_complements(set: &MarkSet, complements: &[(Mark, Mark)]) -> MarkSet {
    let outside = complements.iter().filter(|(of, _)| !set.contains(*of)).map(|&(_, mark)| mark);
    set.union(&outside.collect())
}

struct BodyReader<'a> {
    declared_states: Option<(u32, Span)>,
    declared_sets: u32,
    builder: Builder,
    formulas: Formulas<'a>,
    /// Meaning of labels and mark sets, by the way they are written: large files repeat few.
    labels: HashMap<&'a str, Label>,
    mark_sets: HashMap<&'a str, MarkSetId>,
    defined: Defined,
    /// The largest state that is referred to or defined, and where.
    largest: Option<(u32, Span)>,
    /// The letters in the order of implicit labels, made when first needed.
    implicit: Vec<Label>,
    /// The edges without a label of the state being read.
    unlabelled: Vec<(StateId, MarkSetId)>,
    /// Storage of [`Labelled`].
    state_labels: Vec<(StateId, Label)>,
    unlabelled_state: Option<Span>,
    uses: Uses,
    conjunctions: Conjunctions,
    starts: Vec<StateId>,
}

/// Which states are defined. Files list them in order as a rule; only the others are kept.
#[derive(Default)]
struct Defined {
    /// All states below this are defined.
    next: u32,
    /// Defined states above it.
    ahead: HashSet<u32>,
}

impl Defined {
    /// False if the state was defined already.
    fn insert(&mut self, state: u32) -> bool {
        if state != self.next {
            return state > self.next && self.ahead.insert(state);
        }
        self.next += 1;
        while !self.ahead.is_empty() && self.ahead.remove(&self.next) {
            self.next += 1;
        }
        true
    }
}

impl<'a> BodyReader<'a> {
    /// Notes that `state` exists.
    fn refer(&mut self, state: u32, span: Span) -> Result<(), ParseError> {
        if let Some((states, _)) = self.declared_states {
            header::check_state(state, states, span)?;
        }
        if self.largest.is_none_or(|(largest, _)| state > largest) {
            self.largest = Some((state, span));
        }
        Ok(())
    }

    /// How many states there are. The specification says that every state should be listed. One
    /// that is not listed and that nothing leads to is a warning; one that something leads to is an
    /// error, so that a declared number buys no memory.
    fn state_count(&self, warnings: &mut Vec<Diagnostic>) -> Result<usize, ParseError> {
        let missing = self.defined.next;
        let listed = missing as usize + self.defined.ahead.len();
        let declared = self.declared_states.map_or(0, |(states, _)| states);
        let used = self.largest.map_or(0, |(largest, _)| largest + 1);
        if missing >= used.max(declared) {
            return Ok(listed);
        }
        let (message, span) = match (self.declared_states, self.largest) {
            (_, Some((largest, span))) if largest == missing => {
                (format!("state {missing} is not defined"), span)
            }
            (Some((states, span)), _) => {
                (format!("{states} states are announced but state {missing} is not defined"), span)
            }
            (_, largest) => {
                let (largest, span) = largest.expect("a state is used");
                (format!("there is a state {largest}, but state {missing} is not defined"), span)
            }
        };
        let help = format!("a state without edges is still listed: `State: {missing}`");
        let is_listed = |state: StateId| {
            state.0 < missing || state.0 >= CONJUNCTION || self.defined.ahead.contains(&state.0)
        };
        let starts = self.starts.iter().copied();
        let targets = self.builder.targets().chain(starts);
        let mut targets = targets.chain(self.conjunctions.all.iter().flatten().copied());
        // A number that is far larger than the number of states is a mistake all the same.
        let most = listed.saturating_mul(4).saturating_add(1_000);
        if !targets.all(is_listed) || used as usize > most {
            return Err(Diagnostic::error("E0223", message, span).help(help).into());
        }
        warnings.push(Diagnostic::warning("E0223", message, span).help(help));
        let announced = if declared as usize <= most { declared } else { 0 };
        Ok(used.max(announced) as usize)
    }

    /// `State: [label]? number "name"? {marks}?` and its edges.
    fn state(&mut self, lexer: &mut Lexer<'a>) -> Result<(), ParseError> {
        lexer.advance()?;
        let mut state_label = None;
        if lexer.token == Token::Sign(b'[') {
            self.uses.state_label.get_or_insert(lexer.span());
            state_label = Some(self.label(lexer)?);
        }
        let (number, span) = lexer.expect_number("the number of a state")?;
        self.refer(number, span)?;
        if !self.defined.insert(number) {
            let message = format!("state {number} is defined twice");
            return Err(Diagnostic::error("E0222", message, span).into());
        }
        let state = StateId(number);
        match state_label {
            Some(label) => self.state_labels.push((state, label)),
            None => _ = self.unlabelled_state.get_or_insert(span),
        }
        if lexer.token == Token::Text {
            self.builder.set_state_name(state, lexer.unquoted().into_owned());
            lexer.advance()?;
        }
        let mut state_marks = MarkSetId::EMPTY;
        if lexer.token == Token::Sign(b'{') {
            let place = lexer.span();
            state_marks = self.marks(lexer)?;
            if state_marks != MarkSetId::EMPTY {
                self.uses.state_marks.get_or_insert(place);
            }
        }
        self.edges(lexer, state, span, state_label, state_marks)
    }

    fn edges(
        &mut self,
        lexer: &mut Lexer<'a>,
        state: StateId,
        state_span: Span,
        state_label: Option<Label>,
        state_marks: MarkSetId,
    ) -> Result<(), ParseError> {
        self.unlabelled.clear();
        let mut labelled = false;
        loop {
            let start = lexer.span();
            let label = match lexer.token {
                Token::Int if labelled => {
                    return Err(mixed("this edge has no label, but the edges before have", start));
                }
                Token::Int => state_label,
                Token::Sign(b'[') if state_label.is_some() => {
                    return Err(mixed("this edge has a label, and its state has one too", start));
                }
                Token::Sign(b'[') if !self.unlabelled.is_empty() => {
                    return Err(mixed(
                        "this edge has a label, but the edges before have none",
                        start,
                    ));
                }
                Token::Sign(b'[') => {
                    labelled = true;
                    self.uses.edge_label.get_or_insert(start);
                    Some(self.label(lexer)?)
                }
                _ => break,
            };
            let target = self.target(lexer)?;
            let mut marks = state_marks;
            if lexer.token == Token::Sign(b'{') {
                let place = lexer.span();
                let edge_marks = self.marks(lexer)?;
                if edge_marks != MarkSetId::EMPTY {
                    self.uses.edge_marks.get_or_insert(place);
                }
                marks = self.union(state_marks, edge_marks);
            }
            match label {
                Some(label) => self.builder.add_interned(state, Edge { target, label, marks }),
                None => self.unlabelled.push((target, marks)),
            }
        }
        if self.unlabelled.is_empty() {
            return Ok(());
        }
        if lexer.is_cut_off() {
            return Err(lexer.unexpected("the target of an edge"));
        }
        self.uses.implicit_label.get_or_insert(state_span);
        self.label_implicitly(state, state_span)
    }

    /// `1` or `1&2&3`
    fn target(&mut self, lexer: &mut Lexer<'a>) -> Result<StateId, ParseError> {
        let (target, span) = lexer.expect_number("the target of an edge")?;
        self.refer(target, span)?;
        if lexer.token != Token::Sign(b'&') {
            return Ok(StateId(target));
        }
        let mut all = vec![(target, span)];
        while lexer.token == Token::Sign(b'&') {
            lexer.advance()?;
            let (target, span) = lexer.expect_number("the target of an edge")?;
            self.refer(target, span)?;
            all.push((target, span));
        }
        Ok(self.conjunction(&all))
    }

    /// State that stands for all these states as a target; a single state stands for itself.
    fn conjunction(&mut self, all: &[(u32, Span)]) -> StateId {
        let mut states: Vec<StateId> = all.iter().map(|&(state, _)| StateId(state)).collect();
        states.sort_unstable();
        states.dedup();
        if let [state] = states[..] {
            return state;
        }
        let place = all[0].1.to(all[all.len() - 1].1);
        self.uses.conjunction.get_or_insert(place);
        let Conjunctions { all, known } = &mut self.conjunctions;
        let at = *known.entry(states).or_insert_with_key(|states| {
            all.push(states.clone());
            // At most one for every four bytes of a text that is far smaller than 2³³.
            u32::try_from(all.len() - 1).expect("fewer conjunctions than states")
        });
        StateId(CONJUNCTION + at)
    }

    fn union(&mut self, a: MarkSetId, b: MarkSetId) -> MarkSetId {
        if a == MarkSetId::EMPTY || a == b {
            return b;
        }
        if b == MarkSetId::EMPTY {
            return a;
        }
        let table = self.builder.mark_table_mut();
        let union = table.get(a).union(table.get(b));
        table.intern(union)
    }

    /// Gives the unlabelled edges of a state their letters: one edge for each, in the order of
    /// the binary numbers whose lowest bit is proposition 0.
    fn label_implicitly(&mut self, state: StateId, span: Span) -> Result<(), ParseError> {
        let count = self.builder.propositions().len();
        let edges = self.unlabelled.len();
        if count >= usize::BITS as usize || edges != 1 << count {
            let message = format!("state {state} has {edges} edges without labels");
            let wanted =
                if count < 40 { (1u64 << count).to_string() } else { format!("2^{count}") };
            return Err(Diagnostic::error("E0225", message, span)
                .label(format!("with {count} propositions there must be {wanted}"))
                .help("give every edge a label, or list one edge for each letter")
                .into());
        }
        if self.implicit.is_empty() {
            for letter in 0..edges {
                let literals: Cube =
                    (0..count).map(|prop| (Prop(prop as u32), letter >> prop & 1 == 1)).collect();
                let label = self.formulas.letters.cube(&literals);
                self.implicit.push(label.map_err(|refused| header::too_large(refused, span))?);
            }
        }
        for (&(target, marks), &label) in self.unlabelled.iter().zip(&self.implicit) {
            self.builder.add_interned(state, Edge { target, label, marks });
        }
        Ok(())
    }

    /// `[…]`, at the opening bracket.
    fn label(&mut self, lexer: &mut Lexer<'a>) -> Result<Label, ParseError> {
        let written = lexer.enclosed(b']');
        if let Some(written) = written
            && let Some(&label) = self.labels.get(written)
        {
            lexer.skip_enclosed(written)?;
            return Ok(label);
        }
        lexer.advance()?;
        let label = expression::label(&mut LabelTerms { lexer, formulas: &mut self.formulas })?;
        lexer.expect_sign(b']')?;
        if let Some(written) = written {
            self.labels.insert(written, label);
        }
        Ok(label)
    }

    /// `{…}`, at the opening brace.
    fn marks(&mut self, lexer: &mut Lexer<'a>) -> Result<MarkSetId, ParseError> {
        let written = lexer.enclosed(b'}');
        if let Some(written) = written
            && let Some(&marks) = self.mark_sets.get(written)
        {
            lexer.skip_enclosed(written)?;
            return Ok(marks);
        }
        lexer.advance()?;
        let mut marks = Vec::new();
        while lexer.token != Token::Sign(b'}') {
            let (mark, span) = lexer.expect_number("an acceptance set or `}`")?;
            if mark >= self.declared_sets {
                return Err(unknown_mark(mark, self.declared_sets, span));
            }
            marks.push(Mark(mark));
        }
        lexer.advance()?;
        let marks = self.builder.mark_table_mut().intern(marks.into_iter().collect());
        if let Some(written) = written {
            self.mark_sets.insert(written, marks);
        }
        Ok(marks)
    }
}

fn mixed(message: &str, span: Span) -> ParseError {
    Diagnostic::error("E0224", message, span)
        .help("within one state either the state, or every edge, or no edge has a label")
        .into()
}
