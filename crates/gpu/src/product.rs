//! Property and fairness as tables.
//!
//! The meaning is that of the product of `fairly_search`: a node is a state of the system and one of the automaton; a
//! letter is what holds and what happens; the marks of a step are those of its action, its state and its letter. The
//! acceptance condition must be a conjunction of clauses, each of which asks for some marks infinitely often or for
//! others only finitely often. A bit stands for each clause; that of constraint *i* is bit *i*.

use std::fmt::Write;

use fairly_fairness::Selector;
use fairly_fairness::{Constraint, Lowering};
use fairly_model::native::plan::Plan;
use fairly_model::{Expr, ModelSpace};
use fairly_omega::{Acceptance, Clause, Mark, MarkSet, Prop, StateId};
use fairly_search::{Binding, Negation};
use fairly_system::{ActionId, AtomIndex, EventPosition, EventSet, MoveId, Scratch, Seen, Space};

use crate::Refusal;

/// A question about fair runs.
pub struct Question<'a> {
    /// The negation of the property.
    pub negation: Negation<'a>,
    /// The fairness that is assumed.
    pub constraints: Vec<Constraint>,
}

/// Letters have so many propositions at the most.
const LETTER_BITS: usize = 12;
/// Clauses at the most: one bit of a word says whether a node is alive.
const CLAUSES: usize = 63;

/// A proposition of the automaton.
enum Reads {
    State(usize),
    Event(EventSet, usize),
    Taken(Selector, usize),
}

/// Property and fairness as tables of a program.
pub(crate) struct Tables {
    is_entering: bool,
    /// Propositions of states, and of letters.
    props: usize,
    letter_bits: usize,
    /// By action.
    action_inf: Vec<u64>,
    action_one: Vec<u64>,
    action_two: Vec<u64>,
    action_happens: Vec<u32>,
    /// By state of the automaton and letter: its edges.
    edge_set: Vec<u32>,
    most_edges_of: usize,
    /// By edge.
    edge_to: Vec<u32>,
    edge_inf: Vec<u64>,
    edge_fin: Vec<u64>,
    letter_inf: Vec<u64>,
    letter_fin: Vec<u64>,
    /// What a state gives to all of its steps, by whether an enabled action answers the first or second predicate
    /// of a constraint: `[one, not one, two, not two]`.
    inf: [u64; 4],
    fin: [u64; 4],
    /// All clauses, and those that cannot be met by taking something only finitely often.
    everything: u64,
    needed: u64,
}

/// What a question asks of states: the expressions of its propositions, by position.
pub(crate) struct Asked {
    atoms: Vec<AtomIndex>,
    pub(crate) expressions: Vec<Expr>,
    reads: Vec<Reads>,
}

impl Asked {
    /// Of a negation.
    pub(crate) fn new(negation: &Negation<'_>, space: &ModelSpace) -> Result<Asked, Refusal> {
        let (mut atoms, mut reads, mut events) = (Vec::new(), Vec::new(), 0);
        for binding in &negation.bindings {
            reads.push(match binding {
                Binding::State(atom) => {
                    let at = atoms.iter().position(|other| other == atom).unwrap_or_else(|| {
                        atoms.push(*atom);
                        atoms.len() - 1
                    });
                    Reads::State(at)
                }
                Binding::Event(set) => {
                    events += 1;
                    Reads::Event(set.clone(), events - 1)
                }
                Binding::Taken(of) => {
                    events += 1;
                    Reads::Taken(of.clone(), events - 1)
                }
                Binding::Enabled(_) => {
                    return Err(Refusal::new("the formula asks what is enabled"));
                }
            });
        }
        if atoms.len() + events > LETTER_BITS {
            return Err(Refusal::new("the formula has very many propositions"));
        }
        let expression = |&atom: &AtomIndex| {
            space
                .atom_expression(atom)
                .ok_or_else(|| Refusal::new("the formula asks whether the system is stuck"))
        };
        let expressions = atoms.iter().map(expression).collect::<Result<_, _>>()?;
        Ok(Asked { atoms, expressions, reads })
    }

    /// The propositions that hold in a row, as bits.
    fn holding(&self, space: &dyn Space, row: &[u64], scratch: &mut Scratch) -> u32 {
        let atoms = self.atoms.iter().enumerate();
        atoms
            .filter(|(_, atom)| space.holds(row, **atom, scratch))
            .fold(0, |all, (at, _)| all | 1 << at)
    }
}

/// Clauses, and the bits of those that marks meet.
struct Clauses(Vec<Clause>);

impl Clauses {
    fn bits(&self, marks: &MarkSet, of: fn(&Clause) -> &MarkSet) -> u64 {
        let clauses = self.0.iter().enumerate();
        clauses
            .filter(|(_, clause)| of(clause).intersects(marks))
            .fold(0, |all, (at, _)| all | 1 << at)
    }

    fn inf(&self, marks: &MarkSet) -> u64 {
        self.bits(marks, |clause| &clause.inf)
    }

    fn fin(&self, marks: &MarkSet) -> u64 {
        self.bits(marks, |clause| &clause.fin)
    }
}

/// The clauses of a condition.
fn clauses_of(acceptance: &Acceptance) -> Result<Vec<Clause>, Refusal> {
    acceptance.clauses().ok_or_else(|| {
        Refusal::new(format!("its condition {acceptance} is no conjunction of Streett pairs"))
    })
}

impl Tables {
    /// Of a question about a model whose actions take these edges.
    pub(crate) fn new(
        question: &Question<'_>,
        asked: &Asked,
        space: &ModelSpace,
        (plan, actions): (&Plan, &[Vec<u32>]),
    ) -> Result<Tables, Refusal> {
        let Question { negation, constraints } = question;
        let lowering = Lowering::new(constraints.clone(), negation.end());
        if lowering.asks_ready() {
            return Err(Refusal::new("the fairness asks what processes are ready for"));
        }
        if lowering.asks_steps() {
            return Err(Refusal::new("the fairness asks for states and events together"));
        }
        let mut all = Vec::new();
        for constraint in 0..constraints.len() {
            let mut own = clauses_of(&lowering.acceptance_of(constraint))?;
            match (own.pop(), own.is_empty()) {
                (Some(clause), true) => all.push(clause),
                _ => return Err(Refusal::new("a constraint is no single clause")),
            }
        }
        let rest = [negation.automaton.acceptance().clone(), negation.letter_acceptance.clone()];
        all.extend(clauses_of(&Acceptance::and(rest))?);
        let is_trivial = all.is_empty();
        if is_trivial {
            // Every step meets it.
            all.push(Clause { fin: MarkSet::new(), inf: MarkSet::new() });
        }
        if all.len() > CLAUSES {
            return Err(Refusal::new(format!(
                "it asks for {} constraints at once, and there is room for {CLAUSES}",
                all.len()
            )));
        }
        let everything = (1u64 << all.len()) - 1;
        let is_needed = |(_, clause): &(usize, &Clause)| clause.fin.is_empty();
        let needed =
            all.iter().enumerate().filter(is_needed).fold(0, |bits, (at, _)| bits | 1 << at);
        let clauses = Clauses(all);
        let (mut inf, mut fin) = ([0; 4], [0; 4]);
        for predicate in 0..lowering.predicate_count() {
            let own = 1u64 << (predicate / 2);
            for (at, is_answered) in [true, false].into_iter().enumerate() {
                let marks = lowering.state_marks_by(predicate, is_answered);
                let (to_inf, to_fin) = (clauses.inf(&marks), clauses.fin(&marks));
                if (to_inf | to_fin) & !own != 0 {
                    return Err(Refusal::new("marks of constraints are shared"));
                }
                inf[2 * (predicate % 2) + at] |= to_inf;
                fin[2 * (predicate % 2) + at] |= to_fin;
            }
        }
        if is_trivial {
            (inf[0], inf[1]) = (1, 1);
        }
        let props = asked.atoms.len();
        let events = asked.reads.len()
            - asked.reads.iter().filter(|it| matches!(it, Reads::State(_))).count();
        let letter_bits = props + events;
        let mut tables = Tables {
            is_entering: negation.reading == EventPosition::Entering,
            props,
            letter_bits,
            action_inf: Vec::new(),
            action_one: Vec::new(),
            action_two: Vec::new(),
            action_happens: Vec::new(),
            edge_set: Vec::new(),
            most_edges_of: 1,
            edge_to: Vec::new(),
            edge_inf: Vec::new(),
            edge_fin: Vec::new(),
            letter_inf: Vec::new(),
            letter_fin: Vec::new(),
            inf,
            fin,
            everything,
            needed,
        };
        for edges in actions {
            tables.add_action(edges, plan, space, (&lowering, &clauses), asked)?;
        }
        tables.add_letters(negation, &clauses, asked)?;
        Ok(tables)
    }

    fn add_action(
        &mut self,
        edges: &[u32],
        plan: &Plan,
        space: &ModelSpace,
        (lowering, clauses): (&Lowering, &Clauses),
        asked: &Asked,
    ) -> Result<(), Refusal> {
        let signature = space.signature();
        let id = match edges {
            [] => ActionId::IDLE,
            _ => {
                let mut parts: Vec<_> =
                    edges.iter().map(|&edge| plan.places[edge as usize].part).collect();
                let known = parts.first().and_then(|&first| space.known(first));
                let Some((event, _)) = known else {
                    return Err(Refusal::new("its events depend on the state"));
                };
                parts.sort_by_key(|part| part.slot);
                let moves: Vec<MoveId> =
                    parts.iter().filter_map(|&part| space.known(part)).map(|(_, id)| id).collect();
                signature.action_id(&mut Seen::default(), event, &moves)
            }
        };
        let action = signature.action(id);
        let (taken, answers) = lowering.of_action(id, action, signature);
        let (mut one, mut two) = (0u64, 0u64);
        for Mark(predicate) in answers.iter() {
            let bit = 1 << (predicate / 2);
            if predicate.is_multiple_of(2) { one |= bit } else { two |= bit }
        }
        let mut happens = 0;
        for read in &asked.reads {
            let (holds, at) = match read {
                Reads::State(_) => continue,
                Reads::Event(set, at) => (set.contains(action.event, signature), at),
                Reads::Taken(of, at) => (of.selects(action, signature), at),
            };
            happens |= u32::from(holds) << at;
        }
        if clauses.fin(&taken) != 0 {
            return Err(Refusal::new("a constraint is about taking something only finitely often"));
        }
        self.action_inf.push(clauses.inf(&taken));
        self.action_one.push(one);
        self.action_two.push(two);
        self.action_happens.push(happens);
        Ok(())
    }

    /// The edges of the automaton for each letter.
    fn add_letters(
        &mut self,
        negation: &Negation<'_>,
        clauses: &Clauses,
        asked: &Asked,
    ) -> Result<(), Refusal> {
        let automaton = negation.automaton;
        let letters = 1usize << self.letter_bits;
        let holds = |letter: usize, Prop(prop): Prop| {
            let at = match &asked.reads[prop as usize] {
                Reads::State(at) => *at,
                Reads::Event(_, at) | Reads::Taken(_, at) => self.props + at,
            };
            letter >> at & 1 == 1
        };
        let most = automaton.states().map(|state| automaton.edges(state).iter().count()).max();
        self.most_edges_of = most.unwrap_or(1).max(1);
        if self.most_edges_of > 32 || automaton.state_count() << self.letter_bits > 1 << 20 {
            return Err(Refusal::new("the automaton of the property is very large"));
        }
        let declared = MarkSet::first(automaton.mark_count());
        let (mut sets, mut to, mut inf, mut fin) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for state in automaton.states() {
            let mut labels = Vec::new();
            for edge in automaton.edges(state) {
                let marks = automaton.marks(edge.marks).intersection(&declared);
                to.push(edge.target.0);
                inf.push(clauses.inf(&marks));
                fin.push(clauses.fin(&marks));
                labels.push(edge.label);
            }
            to.resize(to.len() + self.most_edges_of - labels.len(), 0);
            inf.resize(to.len(), 0);
            fin.resize(to.len(), 0);
            for letter in 0..letters {
                let satisfied = labels.iter().enumerate().filter(|(_, label)| {
                    automaton.letters().holds(**label, |prop| holds(letter, prop))
                });
                sets.push(satisfied.fold(0u32, |set, (at, _)| set | 1 << at));
            }
        }
        let (mut letter_inf, mut letter_fin) = (Vec::new(), Vec::new());
        for letter in 0..letters {
            let satisfied = negation.letter_marks.iter().filter(|premise| {
                automaton.letters().holds(premise.label, |prop| holds(letter, prop))
            });
            let marks: MarkSet = satisfied.map(|premise| premise.mark).collect();
            letter_inf.push(clauses.inf(&marks));
            letter_fin.push(clauses.fin(&marks));
        }
        (self.edge_set, self.edge_to, self.edge_inf, self.edge_fin) = (sets, to, inf, fin);
        (self.letter_inf, self.letter_fin) = (letter_inf, letter_fin);
        Ok(())
    }

    /// Bits of the clauses that edges and letters speak of, and that can be met by taking those only finitely often.
    fn edge_bars(&self) -> u64 {
        self.edge_fin.iter().chain(&self.letter_fin).fold(0, |all, fin| all | fin)
    }

    /// Whether a node needs two words of bits.
    pub(crate) fn has_bars(&self) -> bool {
        self.edge_bars() != 0
    }

    /// Whether the bits of a node have 64 bits in place of 32.
    pub(crate) fn is_wide(&self) -> bool {
        self.everything >> 31 != 0
    }

    /// The states of the automaton in which a product begins in a row.
    pub(crate) fn starts(
        &self,
        negation: &Negation<'_>,
        asked: &Asked,
        space: &dyn Space,
        row: &[u64],
    ) -> Vec<StateId> {
        let initial = negation.automaton.initial();
        if !self.is_entering {
            return initial.to_vec();
        }
        let mut scratch = space.scratch();
        let letter = asked.holding(space, row, &mut scratch) as usize;
        let mut starts = Vec::new();
        for at in initial {
            let first = at.index() * self.most_edges_of;
            let set = self.edge_set[at.index() << self.letter_bits | letter];
            let edges = (0..self.most_edges_of).filter(|&nth| set >> nth & 1 == 1);
            starts.extend(edges.map(|nth| StateId(self.edge_to[first + nth])));
        }
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let most = self.edge_set.iter().map(|set| set.count_ones()).max().unwrap_or(1).max(1);
        let bits = if self.is_wide() { "u64" } else { "u32" };
        let defines = [
            ("ENTERING", u64::from(self.is_entering)),
            ("PROPS", self.props as u64),
            ("LETTER_BITS", self.letter_bits as u64),
            ("MOST_EDGES", most.into()),
            ("MOST_EDGES_OF", self.most_edges_of as u64),
        ];
        for (name, value) in defines {
            let _ = writeln!(text, "#define {name} {value}");
        }
        let masks = [
            ("ALIVE", 1 << if self.is_wide() { 63 } else { 31 }),
            ("EVERYTHING", self.everything),
            ("NEEDED", self.needed),
            ("EDGE_BARS", self.edge_bars()),
            ("ONE_INF", self.inf[0]),
            ("ONE_NOT_INF", self.inf[1]),
            ("TWO_INF", self.inf[2]),
            ("TWO_NOT_INF", self.inf[3]),
            ("ONE_FIN", self.fin[0]),
            ("ONE_NOT_FIN", self.fin[1]),
            ("TWO_FIN", self.fin[2]),
            ("TWO_NOT_FIN", self.fin[3]),
        ];
        let _ = writeln!(text, "typedef {bits} BITS;");
        for (name, value) in masks {
            let suffix = if self.is_wide() { "ULL" } else { "U" };
            let _ = writeln!(text, "#define {name} 0x{value:x}{suffix}");
        }
        let mut table = |kind: &str, name: &str, values: &mut dyn Iterator<Item = u64>| {
            let values: Vec<String> = values.map(|value| format!("0x{value:x}")).collect();
            let _ = writeln!(text, "TABLE {kind} {name}[] = {{{}}};", values.join(","));
        };
        table(bits, "ACTION_INF", &mut self.action_inf.iter().copied());
        table(bits, "ACTION_ONE", &mut self.action_one.iter().copied());
        table(bits, "ACTION_TWO", &mut self.action_two.iter().copied());
        table("u32", "ACTION_H", &mut self.action_happens.iter().map(|&it| it.into()));
        table("u32", "EDGE_SET", &mut self.edge_set.iter().map(|&it| it.into()));
        table("u32", "EDGE_TO", &mut self.edge_to.iter().map(|&it| it.into()));
        table(bits, "EDGE_INF", &mut self.edge_inf.iter().copied());
        table(bits, "EDGE_FIN", &mut self.edge_fin.iter().copied());
        table(bits, "LETTER_INF", &mut self.letter_inf.iter().copied());
        table(bits, "LETTER_FIN", &mut self.letter_fin.iter().copied());
        text
    }
}
