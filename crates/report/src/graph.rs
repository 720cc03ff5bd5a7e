//! A small state space as a picture.

pub mod part;
pub mod view;

use std::collections::HashMap;
use std::fmt::Write;

use fairly_check::{Pair, Pairs};
use fairly_omega::StateId;
use fairly_source::Span;
use fairly_system::{ActionId, ProcessId, Transition, TransitionSystem};
use serde::Serialize;

use self::view::{Own, Place, View};
use crate::look::{Source, clipped};
use crate::markup::{mermaid, quoted};

/// How fair the runs are that stay in a component for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fair {
    /// Not known: runs may leave what is drawn, and come back.
    Open,
    /// No run stays: there is no cycle.
    Passing,
    /// Runs stay, but none is weakly fair to all processes.
    Unfair,
    /// Some run that stays is weakly fair to all processes, none strongly.
    Weak,
    /// Some run that stays is strongly fair to all processes.
    Strong,
}

/// Layers that a picture shows below each other; more make it too high to be seen.
const DEEPEST: usize = 16;

/// States and edges that have labels in a picture; with more, it shows numbers.
const MOST_STATES: usize = 60;
const MOST_EDGES: usize = 150;

/// An edge of the picture.
#[derive(Clone, Debug)]
struct Edge {
    from: usize,
    to: usize,
    event: String,
    label: String,
    who: String,
    line: Option<Span>,
    participants: Vec<ProcessId>,
    /// Whether nothing happens in it.
    is_idle: bool,
}

/// The schema of state spaces.
const SCHEMA: &str = "fairly.graph/1";

/// A state space for other programs.
#[derive(Debug, Serialize)]
pub struct GraphDocument<'a> {
    schema: &'static str,
    states: Vec<StateDocument<'a>>,
    edges: Vec<EdgeDocument<'a>>,
    /// Values that are the same in all states.
    constant: &'a str,
    /// How fair runs can be that stay in a component, by component.
    components: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
struct StateDocument<'a> {
    /// Values that are not the same in all states.
    label: &'a str,
    state: &'a str,
    initial: bool,
    component: usize,
    /// Nothing can happen, and not because everything has ended.
    deadlock: bool,
}

#[derive(Debug, Serialize)]
struct EdgeDocument<'a> {
    from: usize,
    to: usize,
    event: &'a str,
    label: &'a str,
    who: &'a str,
    line: Option<usize>,
    idle: bool,
}

/// A state space.
#[derive(Clone, Debug)]
pub struct Drawn {
    states: Vec<String>,
    /// By state, what is not the same in all of them: the label in a picture.
    labels: Vec<String>,
    /// Values that are the same in all states.
    constant: String,
    initial: Vec<usize>,
    edges: Vec<Edge>,
    /// By state, its component.
    component: Vec<usize>,
    /// By component.
    fair: Vec<Fair>,
    /// By state, whether nothing can happen there although something has not ended.
    deadlock: Vec<bool>,
}

/// Explores a system, unless it has more states than that.
pub fn explore<S: TransitionSystem>(system: &mut S, most: usize) -> Option<Drawn> {
    drawn(system, most, &mut |system, state| Own::of(system, state))
}

/// The same for a part of a system, or a product with it. How fair runs are depends on what is enabled in the system
/// itself, and is not said where the part does not tell.
pub fn explore_view<S: TransitionSystem>(view: &mut View<'_, S>, most: usize) -> Option<Drawn> {
    drawn(view, most, &mut |view, state| view.own(state))
}

fn drawn<S: TransitionSystem>(
    system: &mut S,
    most: usize,
    own: &mut dyn FnMut(&mut S, StateId) -> Own,
) -> Option<Drawn> {
    let mut number: HashMap<StateId, usize> = HashMap::new();
    let mut queue = Vec::new();
    let mut states = Vec::new();
    let mut values: Vec<Vec<(String, String)>> = Vec::new();
    let mut meet = |system: &S, state: StateId, queue: &mut Vec<StateId>| {
        let next = number.len();
        *number.entry(state).or_insert_with(|| {
            states.push(system.describe(state));
            values.push(system.valuation(state));
            queue.push(state);
            next
        })
    };
    let starts = system.initial();
    let initial = starts.iter().map(|&state| meet(system, state, &mut queue)).collect();
    let mut edges = Vec::new();
    let mut at = 0;
    while at < queue.len() {
        if queue.len() > most {
            return None;
        }
        let mut steps: Vec<Transition> = Vec::new();
        system.steps(queue[at], &mut steps);
        for step in steps {
            let to = meet(system, step.target, &mut queue);
            let (signature, action) = (system.signature(), system.action(step.action));
            let participants = action.participants.clone();
            let event = signature.event_name(action.event).to_owned();
            let (words, _) = signature.words(action);
            // With one process there is no question.
            let alone = signature.processes.len() < 2 || participants.is_empty();
            let label = if alone { words } else { format!("{}: {words}", signature.who(action)) };
            let line = signature.words(action).1;
            let (who, is_idle) = (signature.who(action), step.action == ActionId::IDLE);
            edges.push(Edge { from: at, to, event, label, who, line, participants, is_idle });
        }
        at += 1;
    }
    let count = states.len();
    let terminated = system.atom("terminated");
    let has_ended = |state: StateId| terminated.is_some_and(|atom| system.holds(state, atom));
    let mut deadlock = vec![false; count];
    for edge in edges.iter().filter(|edge| edge.is_idle) {
        deadlock[edge.from] = !has_ended(queue[edge.from]);
    }
    let inside: Vec<usize> = (0..count).collect();
    let component = components(&inside, count, &edges);
    let largest = component.iter().max().map_or(0, |max| max + 1);
    let processes = system.signature().processes.len();
    let own: Vec<Own> = queue.iter().map(|&state| own(system, state)).collect();
    let fair = (0..largest)
        .map(|one| {
            let members: Vec<usize> = (0..count).filter(|&at| component[at] == one).collect();
            fairness(&members, &edges, &own, processes)
        })
        .collect();
    let (labels, constant) = labels(&states, &values, &system.signature().processes);
    Some(Drawn { states, labels, constant, initial, edges, component, fair, deadlock })
}

/// A product as a state space, each state with the state of the automaton in front.
pub fn product<S: TransitionSystem>(system: &mut S, pairs: &Pairs, most: usize) -> Option<Drawn> {
    let place = |pair: &Pair| {
        // With marks on states, as most automata have them, they are worth a word.
        let marks = pair.steps.first().map(|step| step.marks.clone()).unwrap_or_default();
        let is_of_state = pair.steps.iter().all(|step| step.marks == marks);
        let marks = match marks.is_empty() || !is_of_state {
            true => String::new(),
            false => {
                let marks: Vec<String> = marks.iter().map(u32::to_string).collect();
                format!("{{{}}}", marks.join(","))
            }
        };
        let steps = pair.steps.iter().map(|step| {
            let target = StateId::from_index(step.to);
            Transition { target, ..step.transition }
        });
        Place {
            state: pair.state,
            before: format!("q{}{marks}", pair.automaton.index()),
            behind: String::new(),
            steps: steps.collect(),
            is_open: pair.is_open,
        }
    };
    let places = pairs.nodes.iter().map(place).collect();
    let mut view = View { system, places, initial: pairs.initial };
    explore_view(&mut view, most)
}

/// Labels that tell the states apart, by state, and the values that are the same in all.
fn labels(
    states: &[String],
    values: &[Vec<(String, String)>],
    processes: &[String],
) -> (Vec<String>, String) {
    if values.iter().any(Vec::is_empty) || states.len() < 2 {
        return (states.to_vec(), String::new());
    }
    let mut count: HashMap<&(String, String), usize> = HashMap::new();
    for pair in values.iter().flatten() {
        *count.entry(pair).or_default() += 1;
    }
    let shown = |(name, value): &(String, String)| {
        let sign = match () {
            () if value.is_empty() => "",
            () if processes.contains(name) => "@",
            () => "=",
        };
        // No line breaks inside.
        format!("{name}{sign}{value}").replace(' ', "\u{a0}")
    };
    let is_constant = |pair: &&(String, String)| count[*pair] == states.len();
    let join = |pairs: Vec<String>| pairs.join(" ");
    let labels = values
        .iter()
        .map(|pairs| join(pairs.iter().filter(|pair| !is_constant(pair)).map(shown).collect()))
        .collect();
    let constant = join(values[0].iter().filter(is_constant).map(shown).collect());
    (labels, constant)
}

/// The strongly connected component of each of these states, counted from 0; others have none, which is
/// `usize::MAX`. Tarjan's algorithm without recursion.
fn components(members: &[usize], count: usize, edges: &[Edge]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let mut is_member = vec![false; count];
    members.iter().for_each(|&at| is_member[at] = true);
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); count];
    for edge in edges.iter().filter(|edge| is_member[edge.from] && is_member[edge.to]) {
        after[edge.from].push(edge.to);
    }
    let (mut index, mut low) = (vec![NONE; count], vec![0; count]);
    let (mut component, mut open) = (vec![NONE; count], Vec::new());
    let (mut next, mut found) = (0, 0);
    for &root in members {
        if index[root] != NONE {
            continue;
        }
        let mut path = vec![(root, 0)];
        (index[root], low[root]) = (next, next);
        next += 1;
        open.push(root);
        while let Some((at, nth)) = path.last_mut() {
            let state = *at;
            if let Some(&to) = after[state].get(*nth) {
                *nth += 1;
                if index[to] == NONE {
                    (index[to], low[to]) = (next, next);
                    next += 1;
                    open.push(to);
                    path.push((to, 0));
                } else if component[to] == NONE {
                    low[state] = low[state].min(index[to]);
                }
                continue;
            }
            path.pop();
            if let Some(&(before, _)) = path.last() {
                low[before] = low[before].min(low[state]);
            }
            if low[state] == index[state] {
                while let Some(member) = open.pop() {
                    component[member] = found;
                    if member == state {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    component
}

/// How fair runs can be that stay in a component. A run that takes every edge again and again is weakly fair if
/// any is. For strong fairness, states are left out in which a process is enabled that never moves inside, and
/// what is left is looked at again.
fn fairness(members: &[usize], edges: &[Edge], own: &[Own], processes: usize) -> Fair {
    if members.iter().any(|&at| own[at].is_open) {
        return Fair::Open;
    }
    let holds = |state: usize| members.contains(&state);
    let inner: Vec<&Edge> =
        edges.iter().filter(|edge| holds(edge.from) && holds(edge.to)).collect();
    if inner.is_empty() {
        return Fair::Passing;
    }
    let enabled = |state: usize, process: ProcessId| own[state].enabled.contains(&process);
    let all = || (0..processes).map(ProcessId::from_index);
    let moves = |process: ProcessId| inner.iter().any(|edge| edge.participants.contains(&process));
    if strong(members, edges, own, processes) {
        return Fair::Strong;
    }
    let weak =
        all().all(|process| moves(process) || members.iter().any(|&at| !enabled(at, process)));
    if weak { Fair::Weak } else { Fair::Unfair }
}

fn strong(members: &[usize], edges: &[Edge], own: &[Own], processes: usize) -> bool {
    let count = edges.iter().map(|edge| edge.from.max(edge.to) + 1).max().unwrap_or(0);
    let mut open = vec![members.to_vec()];
    while let Some(members) = open.pop() {
        let holds = |state: usize| members.contains(&state);
        let inner: Vec<&Edge> =
            edges.iter().filter(|edge| holds(edge.from) && holds(edge.to)).collect();
        if inner.is_empty() {
            continue;
        }
        let passed_over = |state: usize| {
            (0..processes).map(ProcessId::from_index).any(|process| {
                !inner.iter().any(|edge| edge.participants.contains(&process))
                    && own[state].enabled.contains(&process)
            })
        };
        let left: Vec<usize> = members.iter().copied().filter(|&at| !passed_over(at)).collect();
        if left.len() == members.len() {
            return true;
        }
        let component = components(&left, count, edges);
        let most = left.iter().map(|&at| component[at] + 1).max().unwrap_or(0);
        for one in 0..most {
            open.push(left.iter().copied().filter(|&at| component[at] == one).collect());
        }
    }
    false
}

impl Drawn {
    /// How fair runs can be that stay in the component of a state.
    pub fn fair(&self, state: usize) -> Fair {
        self.fair[self.component[state]]
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// For other programs; the text is the one that places belong to.
    pub fn document(&self, source: Option<Source<'_>>) -> GraphDocument<'_> {
        let states = self.states.iter().enumerate().map(|(at, state)| StateDocument {
            label: &self.labels[at],
            state,
            initial: self.initial.contains(&at),
            component: self.component[at],
            deadlock: self.deadlock[at],
        });
        let edges = self.edges.iter().map(|edge| EdgeDocument {
            from: edge.from,
            to: edge.to,
            event: &edge.event,
            label: &edge.label,
            who: &edge.who,
            line: source.zip(edge.line).and_then(|(source, span)| source.line(span.start)),
            idle: edge.is_idle,
        });
        let fair = |fair: &Fair| match fair {
            Fair::Open => "open",
            Fair::Passing => "passing",
            Fair::Unfair => "unfair",
            Fair::Weak => "weak",
            Fair::Strong => "strong",
        };
        GraphDocument {
            schema: SCHEMA,
            states: states.collect(),
            edges: edges.collect(),
            constant: &self.constant,
            components: self.fair.iter().map(fair).collect(),
        }
    }

    /// For Graphviz.
    pub fn dot(&self) -> String {
        /// Letters of a line in a label.
        const WIDE: usize = 28;
        let wrapped = |text: &str| {
            let lines = crate::look::lines(text, WIDE);
            let lines: Vec<String> = lines.iter().map(|line| quoted(line)).collect();
            lines.join("\\n")
        };
        let mut out = "digraph states {\n  node [shape=box, style=\"rounded,filled\", \
                       fillcolor=white, fontname=monospace, fontsize=10];\n  edge \
                       [fontname=monospace, fontsize=9];\n"
            .to_owned();
        // With so many labels none can be found: they are shown where the pointer is.
        let is_crowded = self.states.len() > MOST_STATES || self.edges.len() > MOST_EDGES;
        // Layers below each other are a ribbon where there are many.
        if is_crowded {
            out.push_str(
                "  layout=sfdp; overlap=prism; splines=line; sep=\"+3\";\n  node [width=0.3, height=0.2, \
                 margin=0.03]; edge [arrowsize=0.5];\n",
            );
        } else if self.depth() > DEEPEST {
            out.push_str("  layout=sfdp; overlap=prism; splines=true; sep=\"+6\";\n");
        }
        for (at, state) in self.labels.iter().enumerate() {
            let colour = match self.fair(at) {
                Fair::Open | Fair::Passing => "white",
                Fair::Unfair => "gray85",
                Fair::Weak => "khaki1",
                Fair::Strong => "palegreen",
            };
            let label = wrapped(if state.is_empty() { &self.states[at] } else { state });
            let _ = match is_crowded {
                true => writeln!(
                    out,
                    "  s{at} [label=\"{}\", tooltip=\"{label}\", fillcolor={colour}];",
                    at + 1
                ),
                false => writeln!(out, "  s{at} [label=\"{label}\", fillcolor={colour}];"),
            };
        }
        for start in &self.initial {
            let _ = writeln!(out, "  i{start} [shape=point];\n  i{start} -> s{start};");
        }
        // Edges between the same states are one line, with what each of them says.
        let mut drawn: Vec<((usize, usize), Vec<&str>)> = Vec::new();
        let mut known: HashMap<(usize, usize), usize> = HashMap::new();
        for Edge { from, to, label, .. } in &self.edges {
            let at = *known.entry((*from, *to)).or_insert(drawn.len());
            if at == drawn.len() {
                drawn.push(((*from, *to), Vec::new()));
            }
            if !drawn[at].1.contains(&label.as_str()) {
                drawn[at].1.push(label);
            }
        }
        for ((from, to), labels) in &drawn {
            const SHOWN: usize = 3;
            let short = |label: &&str| wrapped(&clipped(label, 2 * WIDE));
            let mut said: Vec<String> = labels.iter().take(SHOWN).map(short).collect();
            if labels.len() > SHOWN {
                said.push(format!("… {} more", labels.len() - SHOWN));
            }
            let name = if is_crowded { "tooltip" } else { "label" };
            let _ = writeln!(out, "  s{from} -> s{to} [{name}=\"{}\"];", said.join("\\n"));
        }
        out.push_str("  label=\"");
        if !self.constant.is_empty() {
            let _ = write!(out, "in all states: {}\\n", wrapped(&self.constant));
        }
        if is_crowded {
            out.push_str("a browser shows a state or a step where the pointer is\\n");
        }
        out.push_str("green: strongly fair runs stay here; yellow: only weakly fair ones; ");
        let white = match self.fair.contains(&Fair::Open) {
            true => "white: no run stays, or it is not known since not all is drawn",
            false => "white: no run stays",
        };
        let _ = write!(out, "gray: only unfair ones; {white}");
        out + "\";\n  fontname=monospace; fontsize=9;\n}\n"
    }

    /// How many steps the farthest state is away.
    fn depth(&self) -> usize {
        let mut after: Vec<Vec<usize>> = vec![Vec::new(); self.states.len()];
        for edge in &self.edges {
            after[edge.from].push(edge.to);
        }
        let mut is_met = vec![false; self.states.len()];
        let mut layer = self.initial.clone();
        let mut depth = 0;
        loop {
            layer.retain(|&at| !std::mem::replace(&mut is_met[at], true));
            if layer.is_empty() {
                return depth;
            }
            depth += 1;
            layer = layer.iter().flat_map(|&at| after[at].iter().copied()).collect();
        }
    }

    /// Aldebaran.
    pub fn aut(&self) -> String {
        let start = self.initial.first().copied().unwrap_or(0);
        let mut out = format!("des ({start}, {}, {})\n", self.edges.len(), self.states.len());
        for Edge { from, to, event, .. } in &self.edges {
            let _ = writeln!(out, "({from}, \"{}\", {to})", quoted(event));
        }
        out
    }

    /// The Hanoi format: every run is accepted, and a position reads the one event that happens.
    pub fn hoa(&self) -> String {
        let mut events: Vec<&str> = self.edges.iter().map(|edge| edge.event.as_str()).collect();
        events.sort_unstable();
        events.dedup();
        let names: Vec<String> =
            events.iter().map(|name| format!("\"{}\"", quoted(name))).collect();
        let mut out = format!("HOA: v1\nStates: {}\n", self.states.len());
        for start in &self.initial {
            let _ = writeln!(out, "Start: {start}");
        }
        let _ = writeln!(out, "AP: {} {}", names.len(), names.join(" "));
        out.push_str("acc-name: all\nAcceptance: 0 t\n--BODY--\n");
        for (at, state) in self.states.iter().enumerate() {
            let _ = writeln!(out, "State: {at} \"{}\"", quoted(state));
            for edge in self.edges.iter().filter(|edge| edge.from == at) {
                let label: Vec<String> = events
                    .iter()
                    .enumerate()
                    .map(
                        |(at, event)| {
                            if *event == edge.event { at.to_string() } else { format!("!{at}") }
                        },
                    )
                    .collect();
                let _ = writeln!(out, "[{}] {}", label.join(" & "), edge.to);
            }
        }
        out + "--END--\n"
    }

    /// Mermaid's state diagram.
    pub fn mermaid(&self) -> String {
        let plain = |text: &str| mermaid(&text.replace(':', " "));
        let mut out = "stateDiagram-v2\n".to_owned();
        for (at, state) in self.states.iter().enumerate() {
            let _ = writeln!(out, "    s{at}: {}", plain(state));
        }
        for start in &self.initial {
            let _ = writeln!(out, "    [*] --> s{start}");
        }
        for Edge { from, to, label, .. } in &self.edges {
            let _ = writeln!(out, "    s{from} --> s{to}: {}", plain(label));
        }
        let classes = [
            (Fair::Strong, "strong", "#98fb98"),
            (Fair::Weak, "weak", "#fff68f"),
            (Fair::Unfair, "unfair", "#d9d9d9"),
        ];
        for (fair, name, colour) in classes {
            let members: Vec<String> = (0..self.states.len())
                .filter(|&at| self.fair(at) == fair)
                .map(|at| format!("s{at}"))
                .collect();
            if !members.is_empty() {
                let _ = writeln!(
                    out,
                    "    classDef {name} fill:{colour}\n    class {} {name}",
                    members.join(",")
                );
            }
        }
        out
    }
}
