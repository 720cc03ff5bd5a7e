//! How long the runs are that are shown, beside the shortest ones there are.
//!
//! Every violated formula of the models in `corpus` and `examples`, under every notion of fairness that gives a
//! lasso, is checked, and the run is compared with a shortest accepted lasso of the whole product, which a naive
//! search of the testkit finds. Products that are too large for it are counted and left out. Runs that violate
//! their property for good are not compared: of those, only the way to the violation is shown.
//!
//! `FAIRLY_PAIRS` is how many pairs of a node and marks the naive search may look at for one run, `FAIRLY_NODES` how
//! many nodes the largest product has that is searched, and `FAIRLY_FOLDER` a folder whose models are checked instead.
//! `cargo test -p fairly-check --test all short_runs -- --nocapture` prints the table.

use std::fmt::Write;

use fairly_check::{Assumption, Options, Outcome, Property, check};
use fairly_fairness::{AnnotationLevel, Level, Notion};
use fairly_front::case;
use fairly_front::csp::syntax::Claim;
use fairly_logic::{Atom, Formulas};
use fairly_omega::{Graph, Mark, MarkSet, StateId};
use fairly_reduce::Reducible;
use fairly_search::{Binding, Bounds, Negation, Product};
use fairly_system::{EventSet, Network};
use fairly_testkit::shortest::{MarkedGraph, shortest_lasso};
use fairly_testkit::side_by_side;
use fairly_translate::translate;

use crate::common::files::files;
use crate::common::languages::{CspFile, PromelaFile};

/// Times the length of a shortest lasso that a run may have.
const MOST: f64 = 1.5;
/// Nodes of the largest product that is searched, unless another number is asked for.
const NODES: usize = 20_000;

const NOTIONS: [Notion; 10] = [
    Notion::None,
    Notion::Weak(Level::Process),
    Notion::Weak(Level::Event),
    Notion::Weak(Level::Action),
    Notion::Strong(Level::Process),
    Notion::Strong(Level::Event),
    Notion::Strong(Level::Action),
    Notion::WeakLive,
    Notion::StrongLive,
    Notion::Annotated(AnnotationLevel::Name),
];

/// A run that was shown.
struct Shown {
    what: String,
    steps: usize,
    /// Of a shortest lasso, if the naive search found out.
    shortest: Option<usize>,
    nodes: usize,
    marks: usize,
}

impl Shown {
    fn ratio(&self) -> Option<f64> {
        Some(self.steps as f64 / self.shortest? as f64)
    }
}

fn asked(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).map_or(otherwise, |text| text.parse().expect("a number"))
}

fn pairs() -> usize {
    asked("FAIRLY_PAIRS", 400_000)
}

fn most_nodes() -> usize {
    asked("FAIRLY_NODES", NODES)
}

/// The product of the whole system with the plain automaton of the violation; none if it is too large.
fn product_of<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    assumption: &Assumption,
) -> Option<(MarkedGraph, fairly_omega::Acceptance)> {
    let bounds = Bounds { nodes: Some(2 * most_nodes()), ..Bounds::default() };
    let constraints = assumption.constraints(system, bounds).ok()?;
    let negated = property.formulas.negate(property.formula);
    let automaton = translate(&mut property.formulas, negated, &Default::default()).ok()?;
    let bind = |atom: Atom, system: &mut S| {
        let event = EventSet::named(atom.text(), system.signature()).map(Binding::Event);
        let state = system.atom(atom.text()).map(Binding::State);
        match atom {
            Atom::Event(_) => event,
            Atom::Name(_) => event.or(state),
            Atom::State(_) => state,
        }
    };
    let atoms = property.formulas.atoms(negated);
    let atoms = atoms.into_iter().map(|id| property.formulas.atom_of(id).clone());
    let bindings: Option<Vec<Binding>> = atoms.map(|atom| bind(atom, system)).collect();
    let negation = Negation::new(&automaton, bindings?).reading(property.reading);
    let mut product = Product::new(system, negation, constraints);
    let mut graph = MarkedGraph::default();
    let mut number = std::collections::HashMap::new();
    let mut order: Vec<StateId> = Vec::new();
    for node in product.initial() {
        graph.initial.push(*number.entry(node).or_insert_with(|| {
            order.push(node);
            order.len() - 1
        }));
    }
    let mut steps = Vec::new();
    let (mut at, most) = (0, most_nodes());
    while at < order.len() {
        if order.len() > most {
            return None;
        }
        steps.clear();
        product.steps(order[at], &mut steps);
        let mut edges = Vec::new();
        for step in &steps {
            let target = *number.entry(step.target).or_insert_with(|| {
                order.push(step.target);
                order.len() - 1
            });
            let marks = product.marks(step.marks);
            let bits =
                marks.iter().try_fold(0u128, |all, mark| Some(all | 1u128.checked_shl(mark.0)?));
            edges.push((target, bits?));
        }
        graph.edges.push(edges);
        at += 1;
    }
    let acceptance = product.acceptance().clone();
    Some((graph, acceptance))
}

/// Checks a property under all notions.
fn measure<S: Reducible>(
    what: &str,
    system: &mut S,
    mut property: impl FnMut(&mut S) -> Option<Property>,
    out: &mut Vec<Shown>,
) {
    for notion in NOTIONS {
        let assumption = Assumption::of(notion);
        let Some(mut asked) = property(system) else { return };
        if asked.text().starts_with("never") {
            return;
        }
        let bounds = Bounds { nodes: Some(10 * most_nodes()), ..Bounds::default() };
        let options = Options { bounds, ..Options::default() };
        let Ok(verdict) = check(system, &mut asked, &assumption, &options) else { continue };
        let Outcome::Violated(found) = verdict.outcome else { continue };
        if found.decided.is_some() {
            continue;
        }
        let steps = found.run.stem.len() + found.run.cycle.len();
        let mut shown = Shown {
            what: format!("{what} {} under {assumption}", asked.name),
            steps,
            shortest: None,
            nodes: 0,
            marks: 0,
        };
        if let Some((graph, acceptance)) = product_of(system, &mut asked, &assumption) {
            shown.nodes = graph.edges.len();
            shown.marks = acceptance.marks().len();
            let accepts = |bits: u128| {
                let marks = (0..128).filter(|bit| bits >> bit & 1 == 1);
                acceptance.accepts(&marks.map(Mark).collect::<MarkSet>())
            };
            let shortest = shortest_lasso(&graph, accepts, steps, pairs());
            shown.shortest = shortest.ok().map(|shorter| shorter.unwrap_or(steps));
        }
        out.push(shown);
    }
}

fn all_of(path: &std::path::Path) -> Vec<Shown> {
    let text = std::fs::read_to_string(path).expect("text");
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    let mut out = Vec::new();
    if name.ends_with(".pml") {
        let Ok(mut file) = PromelaFile::parse(&text, &[]) else { return out };
        for question in file.questions() {
            let mut made: Vec<Property> = Vec::new();
            for _ in NOTIONS {
                made.extend(file.property(&question).ok().flatten());
            }
            measure(&name, file.interpreter(), |_| made.pop(), &mut out);
        }
    } else if name.ends_with(".net") {
        let case = case::parse(&text).expect("a case");
        for property in &case.properties {
            let mut network =
                fairly_explore::Explored::new(case.network().expect("the file was checked"));
            let bound = |network: &mut fairly_explore::Explored<Network>| {
                let mut formulas = Formulas::new();
                let formula = formulas.parse(&property.formula.text).ok()?;
                Property::bind(&property.name, formulas, formula, network).ok()
            };
            measure(&name, &mut network, bound, &mut out);
        }
    } else {
        let Ok(mut file) = CspFile::parse(&text) else { return out };
        let specification = file.specification().clone();
        for assertion in &specification.assertions {
            let Claim::Satisfies(formula) = &assertion.claim else { continue };
            let Ok(system) = file.system(&assertion.process) else { continue };
            let title = file.title(assertion);
            let mut made: Vec<Property> = Vec::new();
            for _ in NOTIONS {
                made.extend(file.property(system, &title, formula).ok());
            }
            measure(&name, file.interpreter(system), |_| made.pop(), &mut out);
        }
    }
    out
}

#[test]
fn runs_are_nearly_as_short_as_they_can_be() {
    let folder = std::env::var_os("FAIRLY_FOLDER").map(std::path::PathBuf::from);
    let paths = match &folder {
        Some(folder) => {
            let entries = std::fs::read_dir(folder).expect("a folder");
            entries.map(|entry| entry.expect("a file").path()).collect()
        }
        None => {
            let mut paths = files(&["examples/promela", "corpus/promela"], "pml");
            paths.extend(files(&["examples/csp", "corpus/csp"], "csp"));
            paths.extend(files(&["corpus/systems"], "net"));
            paths
        }
    };
    let mut all: Vec<Shown> =
        side_by_side(&paths, |path| all_of(path)).into_iter().flatten().collect();
    all.sort_by(|one, other| other.ratio().partial_cmp(&one.ratio()).expect("numbers"));
    let known = all.iter().filter(|it| it.shortest.is_some()).count();
    let mut table = String::new();
    for it in all.iter().filter(|it| it.ratio().is_none_or(|ratio| ratio > 1.0)) {
        let Shown { what, steps, nodes, marks, .. } = it;
        let shortest = it.shortest.map_or("?".to_owned(), |steps| steps.to_string());
        let ratio = it.ratio().map_or(String::new(), |ratio| format!("{ratio:.2}"));
        let _ =
            writeln!(table, "{ratio:>5} {steps:>5} {shortest:>5}  {nodes:>6} {marks:>3}  {what}");
    }
    println!("ratio shown  least   nodes marks\n{table}{} runs, {known} compared", all.len());
    let over = all.iter().filter(|it| it.ratio().is_some_and(|ratio| ratio > MOST)).count();
    println!("{over} over {MOST}");
    assert_eq!(over, 0, "runs are too long:\n{table}");
    assert!(folder.is_some() || known > 1_000, "only {known} runs were compared");
}
