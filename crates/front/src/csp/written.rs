//! What the processes of a specification do, as it is written: every event and communication before an
//! arrow.

use fairly_source::Span;
use hashbrown::HashSet;

use super::syntax::{
    ActionKind, DefinitionId, NodeId, Operator, ProcessKind, Specification, Subject,
};

/// Everything that is written in some processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The places, in the order of the text.
    pub places: Vec<WrittenAction>,
    /// Whether parts of what becomes one process of a model may take a step together. Such a step is
    /// known by the place of one of them only.
    pub joins: bool,
}

/// Something before an arrow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenAction {
    /// As steps are known by it.
    pub span: Span,
    /// The first word of the event, or the channel; none for what is silent.
    pub head: Option<String>,
}

/// What is written in processes, and in those that they refer to.
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
    open: Vec<(NodeId, Depth)>,
    known: HashSet<(DefinitionId, Depth)>,
    written: Written,
}

impl<'a> Search<'a> {
    fn new(specification: &'a Specification) -> Self {
        Search {
            specification,
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

    fn add(&mut self, span: Span, head: Option<&str>) {
        self.written.places.push(WrittenAction { span, head: head.map(str::to_owned) });
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
                self.add(action.span, head.map(String::as_str));
            }
            ProcessKind::Alternatives { events, then } => {
                inside(&[*then]);
                for event in events {
                    self.add(event.span, Some(&specification.events[event.name.index()]));
                }
            }
            ProcessKind::Compose { operator, operands } if is_parallel(operator) => {
                self.written.joins |= depth == Depth::Inside;
                self.open.extend(operands.iter().map(|&node| (node, depth)));
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
    fn compositions_inside_of_a_process_are_noticed() {
        let text = "P() = a -> (Q() || Q()); Q() = b -> Stop; #assert P() deadlockfree;";
        assert_eq!(heads(text), (vec!["a".to_owned(), "b".to_owned()], true));
    }
}
