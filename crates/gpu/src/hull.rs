//! The set-based search for fair runs: the nodes that are left once all have been removed that cannot go on for ever
//! and meet every clause.
//!
//! A node keeps a bit for each clause: whether a step that meets it can be reached among the nodes that are left. A
//! *round* begins with no bits. Passes over the nodes that do not have all bits yet, and that recompute their steps,
//! spread them backwards until nothing changes. Then a node is removed if it lacks a bit that it needs: that of a clause
//! which asks for something infinitely often, or that of a Streett pair whose first part holds there. A step that
//! itself carries the first part of a pair is barred where the second cannot be reached any more. Rounds follow until
//! nothing is removed.
//!
//! What is left contains every fair component, which no round can touch. If something is left, there is a fair run in
//! it: go to the clauses in turn, as long as they can be reached; where one cannot be any more, what asks for it is
//! gone, too. So the answer is exact. The procedure is that of Emerson and Lei 1986, with the marks on steps and all
//! clauses at once.

use fairly_model::ModelSpace;
use fairly_system::{FaultKind, Space, Steps};

use crate::card::{Card, CardError};
use crate::product::{Asked, Question, Tables};
use crate::reach::{COUNTERS, Ended, Limits, Search, Sought};
use crate::source::{Part, Source};
use crate::{GpuError, Refusal};

const CHANGED: usize = 4;
const LISTED: usize = 5;
const LOST: usize = 6;
const KILLED: usize = 7;
const NODES: usize = 9;

/// What the search came to, and how large it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    /// Whether there is a fair run that violates the property; `None` if a limit was reached first.
    pub exists: Option<bool>,
    /// The limit.
    pub cut: Option<Ended>,
    /// Nodes of the product, and steps between them.
    pub product: (u64, u64),
    /// States of the system.
    pub states: u64,
    /// Nodes that are left.
    pub left: u64,
    /// Rounds.
    pub rounds: u64,
    /// Passes of all rounds.
    pub passes: u64,
    /// Bytes that were taken on the card.
    pub bytes: u64,
}

/// Whether a model has a run that the negation of a property accepts and that meets constraints.
///
/// # Errors
/// When the question cannot be answered on a card, or the card fails.
pub fn fair_run_exists(
    card: &mut dyn Card,
    space: &dyn Space,
    model: &ModelSpace,
    question: &Question<'_>,
    limits: Limits<'_>,
) -> Result<Hull, GpuError> {
    let asked = Asked::new(&question.negation, model)?;
    let states = question.negation.automaton.state_count();
    let source = Source::new(model, &asked.expressions, Some(states.max(1)))?;
    let plan = (&source.plan, source.steps.actions.as_slice());
    let tables = Tables::new(question, &asked, model, plan)?;
    let mut first = Steps::default();
    let mut scratch = space.scratch();
    scratch.stop = limits.stop;
    space.initial(&mut scratch, &mut first);
    if let Some((_, fault)) = first.faults.first() {
        if fault.kind == FaultKind::Limit {
            return Ok(Hull::cut(Ended::Limit(fault.clone())));
        }
        return Err(Refusal::new("something goes wrong in its initial state").into());
    }
    let place = source.place.expect("rows with an automaton");
    let mut rows = Vec::new();
    for row in first.rows.chunks_exact(space.width()) {
        for at in tables.starts(&question.negation, &asked, space, row) {
            let begin = rows.len();
            rows.extend_from_slice(row);
            rows.resize(begin + source.words, 0);
            rows[begin + place.word] |= u64::from(at.0) << place.shift;
        }
    }
    if rows.is_empty() {
        return Ok(Hull { exists: Some(false), ..Hull::cut(Ended::Exhausted) });
    }
    let mut search = Search::new(card, &source, Some(&tables), limits, false)?;
    let hull = explored(&mut search, space, (&tables, &rows), limits, &mut scratch);
    search.end();
    hull
}

impl Hull {
    fn cut(ended: Ended) -> Hull {
        Hull {
            exists: None,
            cut: (ended != Ended::Exhausted).then_some(ended),
            product: (0, 0),
            states: 0,
            left: 0,
            rounds: 0,
            passes: 0,
            bytes: 0,
        }
    }
}

fn explored(
    search: &mut Search<'_>,
    space: &dyn Space,
    (tables, rows): (&Tables, &[u64]),
    limits: Limits<'_>,
    scratch: &mut fairly_system::Scratch,
) -> Result<Hull, GpuError> {
    let reached = search.run(space, &Sought::default(), rows, scratch)?;
    let stuck = search.stuck()?;
    let mut hull = Hull {
        product: (reached.states, reached.steps + stuck),
        bytes: reached.bytes,
        ..Hull::cut(reached.ended.clone())
    };
    if reached.ended != Ended::Exhausted {
        return Ok(hull);
    }
    let nodes = if search.source.plain { search.slots } else { reached.states };
    if nodes > u64::from(u32::MAX) {
        hull.cut = Some(Ended::Memory);
        return Ok(hull);
    }
    let per_node = if tables.is_wide() { 1 } else { 2 };
    let bits = nodes.div_ceil(per_node);
    let listed = reached.states.div_ceil(2);
    let more = 8 * (bits * if tables.has_bars() { 2 } else { 1 } + 2 * listed);
    let free = search.card.free_bytes();
    let bound = limits.bytes.unwrap_or(u64::MAX);
    hull.bytes += more;
    if more > free || hull.bytes > bound {
        hull.cut = Some(Ended::Memory);
        return Ok(hull);
    }
    let text = search.source.text(Part::Hull, Some(tables), false);
    search.card.compile(&text, Part::Hull.kernels())?;
    let mut buffers = Vec::new();
    for words in [bits, listed, listed, if tables.has_bars() { bits } else { 1 }] {
        buffers.push(search.card.allocate(words)?);
    }
    let done = rounds(search, &buffers, nodes, &mut hull, limits);
    for buffer in buffers {
        search.card.free(buffer);
    }
    match done {
        Ok(()) => Ok(hull),
        Err(CardError::Memory(_)) => {
            hull.cut = Some(Ended::Memory);
            Ok(hull)
        }
        Err(failed) => Err(failed.into()),
    }
}

fn rounds(
    search: &mut Search<'_>,
    buffers: &[crate::Buffer],
    nodes: u64,
    hull: &mut Hull,
    limits: Limits<'_>,
) -> Result<(), CardError> {
    let [reach, one, two, barred] = *buffers else { unreachable!("four buffers") };
    let mut call = search.call();
    (call.buffers[5], call.buffers[8]) = (Some(reach), Some(barred));
    call.numbers[1] = nodes;
    search.card.launch("begin", nodes, &call)?;
    search.card.launch("states", nodes, &call)?;
    let clean = |search: &mut Search<'_>| -> Result<(), CardError> {
        let counters = search.counters;
        search.card.write(counters, 0, &[0; COUNTERS])
    };
    hull.states = search.read_counters()?[NODES];
    loop {
        hull.rounds += 1;
        clean(search)?;
        call.buffers[7] = Some(one);
        (call.numbers[1], call.numbers[2]) = (nodes, 0);
        search.card.launch("list", nodes, &call)?;
        let alive = search.read_counters()?[LISTED];
        hull.left = alive;
        if alive == 0 {
            hull.exists = Some(false);
            return Ok(());
        }
        let (mut from, mut to, mut count) = (one, two, alive);
        loop {
            hull.passes += 1;
            clean(search)?;
            (call.buffers[6], call.buffers[7]) = (Some(from), Some(to));
            (call.numbers[1], call.numbers[2]) = (count, 0);
            search.card.launch("spread", count, &call)?;
            let counters = search.read_counters()?;
            if counters[LOST] != 0 {
                return Err(CardError::Failed("a node of the product was lost".to_owned()));
            }
            if limits.stop.is_due() {
                hull.cut = Some(Ended::Stopped);
                return Ok(());
            }
            count = counters[LISTED];
            (from, to) = (to, from);
            if counters[CHANGED] == 0 || count == 0 {
                break;
            }
        }
        let mut killed = 0;
        if count > 0 {
            clean(search)?;
            (call.buffers[6], call.buffers[7]) = (Some(from), Some(to));
            (call.numbers[1], call.numbers[2]) = (count, 1);
            search.card.launch("spread", count, &call)?;
            killed = search.read_counters()?[KILLED];
        }
        if killed == 0 {
            hull.exists = Some(true);
            return Ok(());
        }
    }
}
