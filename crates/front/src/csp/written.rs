//! Occurrences in the processes of a specification, as written: every event and communication before an arrow.

use fairly_source::Span;
use hashbrown::{HashMap, HashSet};

use super::syntax::{
    ActionKind, DefinitionId, NodeId, Operator, ProcessKind, Specification, Subject,
};
use crate::loaded::{Written, WrittenAction};

/// Collects the occurrences in processes, and in those that they refer to.
pub fn written(specification: &Specification, subjects: &[&Subject]) -> Written {
    let mut search = Search::new(specification);
    for subject in subjects {
        let body = specification.definitions[subject.definition.index()].body;
        search.open.push((body, Depth::Structure));
    }
    search.run();
    let Search { mut written, .. } = search;
    written.places.sort_by_key(|place| place.span);
    written.places.dedup();
    written
}

/// Whether compositions on the way down to a node have become processes of the model.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Depth {
    /// All of them.
    Structure,
    /// The node is inside of one process.
    Inside,
}

struct Search<'a> {
    specification: &'a Specification,
    /// The kind of each node.
    kinds: Vec<u32>,
    open: Vec<(NodeId, Depth)>,
    known: HashSet<(DefinitionId, Depth)>,
    written: Written,
}

impl<'a> Search<'a> {
    fn new(specification: &'a Specification) -> Self {
        Search {
            specification,
            kinds: kinds(specification),
            open: Vec::new(),
            known: HashSet::new(),
            written: Written::default(),
        }
    }

    fn run(&mut self) {
        while let Some((node, depth)) = self.open.pop() {
            self.node(node, depth);
        }
    }

    fn add(&mut self, node: NodeId, span: Span, head: Option<&str>) {
        let kind = self.kinds[node.index()];
        self.written.places.push(WrittenAction { span, head: head.map(str::to_owned), kind });
    }

    fn node(&mut self, node: NodeId, depth: Depth) {
        let specification = self.specification;
        let is_parallel =
            |operator: &Operator| matches!(operator, Operator::Parallel | Operator::Interleave);
        let process = specification.node(node);
        let mut inside = |nodes: &[NodeId]| {
            self.open.extend(nodes.iter().map(|&node| (node, Depth::Inside)));
        };
        match &process.kind {
            ProcessKind::Stop | ProcessKind::Skip | ProcessKind::Assert(_) => {}
            ProcessKind::Reference { definition, .. } => {
                if self.known.insert((*definition, depth)) {
                    let body = specification.definitions[definition.index()].body;
                    self.open.push((body, depth));
                }
            }
            ProcessKind::Prefix { action, then } => {
                inside(&[*then]);
                let channels = &specification.channels;
                let head = match &action.kind {
                    ActionKind::Event(event) => Some(&specification.events[event.name.index()]),
                    ActionKind::Tau => None,
                    ActionKind::Output { channel, .. } | ActionKind::Input { channel, .. } => {
                        Some(&channels[channel.channel.index()].name.text)
                    }
                };
                self.add(node, action.span, head.map(String::as_str));
            }
            ProcessKind::Alternatives { events, then } => {
                inside(&[*then]);
                for event in events {
                    self.add(node, event.span, Some(&specification.events[event.name.index()]));
                }
            }
            ProcessKind::Compose { operator, operands } if is_parallel(operator) => {
                self.written.joins |= depth == Depth::Inside;
                self.open.extend(operands.iter().map(|&node| (node, depth)));
            }
            ProcessKind::Synchronised { operands, .. } => {
                self.written.joins |= depth == Depth::Inside;
                self.open.extend(operands.map(|node| (node, depth)));
            }
            ProcessKind::Replicate { operator, body, .. } if is_parallel(operator) => {
                self.written.joins |= depth == Depth::Inside;
                self.open.push((*body, depth));
            }
            ProcessKind::Copies { body, .. } => {
                self.written.joins |= depth == Depth::Inside;
                self.open.push((*body, depth));
            }
            ProcessKind::Hide { body, .. } => self.open.push((*body, depth)),
            ProcessKind::Guard { body, .. }
            | ProcessKind::Atomic(body)
            | ProcessKind::Replicate { body, .. } => inside(&[*body]),
            ProcessKind::If { then, otherwise, .. } => {
                inside(&[*then]);
                inside(otherwise.as_slice());
            }
            ProcessKind::Case { branches, otherwise } => {
                branches.iter().for_each(|(_, node)| inside(&[*node]));
                inside(otherwise.as_slice());
            }
            ProcessKind::Compose { operands, .. } => inside(operands),
        }
    }
}

/// The same number for nodes that are alike apart from what they compute. The body of a definition is like no other.
fn kinds(specification: &Specification) -> Vec<u32> {
    let bodies: HashSet<NodeId> = specification.definitions.iter().map(|it| it.body).collect();
    let mut known: HashMap<(String, Vec<u32>), u32> = HashMap::new();
    let mut kinds: Vec<u32> = Vec::with_capacity(specification.nodes.len());
    for process in &specification.nodes {
        let (what, parts): (String, Vec<NodeId>) = match &process.kind {
            ProcessKind::Stop => ("Stop".into(), Vec::new()),
            ProcessKind::Skip => ("Skip".into(), Vec::new()),
            ProcessKind::Assert(_) => ("assert".into(), Vec::new()),
            ProcessKind::Reference { definition, .. } => {
                (format!("process {}", definition.0), Vec::new())
            }
            ProcessKind::Prefix { action, then } => {
                let what = match &action.kind {
                    ActionKind::Event(event) => format!("event {}", event.name.0),
                    ActionKind::Tau => "tau".into(),
                    ActionKind::Output { channel, .. } => format!("send {}", channel.channel.0),
                    ActionKind::Input { channel, .. } => format!("receive {}", channel.channel.0),
                };
                (format!("{what} {}", action.program.len()), vec![*then])
            }
            ProcessKind::Alternatives { then, .. } => ("events".into(), vec![*then]),
            ProcessKind::Guard { body, .. } => ("guard".into(), vec![*body]),
            ProcessKind::If { kind, then, otherwise, .. } => {
                (format!("{kind:?}"), [*then].into_iter().chain(*otherwise).collect())
            }
            ProcessKind::Case { branches, otherwise } => {
                let branches = branches.iter().map(|(_, node)| *node);
                ("case".into(), branches.chain(*otherwise).collect())
            }
            ProcessKind::Compose { operator, operands } => {
                (format!("{operator:?}"), operands.clone())
            }
            ProcessKind::Synchronised { operands, .. } => ("together".into(), operands.to_vec()),
            ProcessKind::Replicate { operator, body, .. } => {
                (format!("each {operator:?}"), vec![*body])
            }
            ProcessKind::Copies { body, .. } => ("copies".into(), vec![*body]),
            ProcessKind::Hide { body, .. } => ("hide".into(), vec![*body]),
            ProcessKind::Atomic(body) => ("atomic".into(), vec![*body]),
        };
        let parts = parts.into_iter().map(|part| kinds[part.index()]).collect();
        let is_body = bodies.contains(&process.id);
        let what = if is_body { format!("{what} of {}", process.id.0) } else { what };
        let fresh = u32::try_from(known.len()).unwrap_or(u32::MAX);
        kinds.push(*known.entry((what, parts)).or_insert(fresh));
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heads(text: &str) -> (Vec<String>, bool) {
        let specification = super::super::parse(text).unwrap();
        let subjects: Vec<&Subject> =
            specification.assertions.iter().map(|assertion| &assertion.process).collect();
        let Written { places, joins } = written(&specification, &subjects);
        (places.into_iter().map(|place| place.head.unwrap_or_default()).collect(), joins)
    }

    #[test]
    fn everything_that_is_referred_to_is_found_once() {
        let text = "channel c 1; P(i) = a.i -> (b -> P(i) [] c!i -> Q());
            Q() = {x = 1} -> Skip; R() = unused -> Stop; var x = 0;
            System() = ||| i:{0..2}@P(i);
            #assert System() deadlockfree;";
        let (found, joins) = heads(text);
        assert_eq!(found, ["a", "b", "c", ""]);
        assert!(!joins);
    }

    #[test]
    fn what_goes_on_in_the_same_way_is_of_one_kind() {
        let text = "P() = a.1 -> b -> c -> Stop [] a.2 -> b -> c -> Stop [] a.3 -> b -> d -> Stop;
            #assert P() deadlockfree;";
        let specification = super::super::parse(text).unwrap();
        let subject = &specification.assertions[0].process;
        let kinds: Vec<u32> =
            written(&specification, &[subject]).places.iter().map(|place| place.kind).collect();
        let [a1, b1, c1, a2, b2, c2, a3, b3, d3] = kinds[..] else { panic!("{kinds:?}") };
        assert_eq!((a1, b1, c1), (a2, b2, c2));
        assert!(![b1, c1].contains(&b3) && c1 != d3 && a1 != a3);
    }

    #[test]
    fn compositions_inside_of_a_process_are_noticed() {
        let text = "P() = a -> (Q() || Q()); Q() = b -> Stop; #assert P() deadlockfree;";
        assert_eq!(heads(text), (vec!["a".to_owned(), "b".to_owned()], true));
    }
}
