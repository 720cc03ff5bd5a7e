//! Finds what keeps growing in the states that are stored, for a search that was cut.
//!
//! States are stored in the order in which a search met them. A sample of them, evenly spread, is divided into
//! [`WINDOWS`]. A variable grows if its greatest value (or its least) was exceeded again and again: each time
//! that the number of states doubled, and in the last window. A length grows more slowly, since there may be
//! twice as many states for each message: it need not have grown in the last window. Of what neither rises nor
//! falls, most values in the last windows have to be new. What is bounded by its declaration, or by what the model
//! does with it, is not looked at if the bound is small: it may take long, but it has an end. Nor is anything said
//! of a variable that the model compares with a number which it has not come to.

use fairly_source::Span;
use fairly_system::{Grown, Growth, Trend};
use hashbrown::HashSet;

use super::ModelSpace;
use crate::expression::{AnyVariable, BinaryOp, Expr};
use crate::ids::{LocalId, VariableId};
use crate::layout::{Layout, Strip};

/// Parts of the sample.
const WINDOWS: usize = 8;
/// Parts at its end in each of which most values have to be new, if they have no order.
const LAST: usize = 3;
/// States without which nothing is said.
const LEAST_STATES: usize = 128;
/// States that are compared at the most.
const MOST_STATES: usize = 1 << 15;
/// Cells that are read at the most.
const MOST_CELLS: usize = 1 << 22;
/// Different values that something has at least if it grows.
const LEAST_VALUES: usize = 20;
/// The same of a length.
const LEAST_LENGTHS: usize = 8;
/// The smallest channel that may be called large.
const LARGE: u32 = 20;
/// Bits of a variable that may grow without end; smaller ones are bounded.
const WIDE: u32 = 15;
/// Bits of the location of a process that is unfolded while it is explored.
const OPEN: u32 = 32;
/// Numbers farther away are no bounds that a search comes to.
const FARTHEST: i64 = 1_000_000;
/// Candidates whose values are counted.
const CANDIDATES: usize = 8;
/// Others that are named.
const NAMED: usize = 3;

/// Something that can grow.
#[derive(Clone, Copy)]
enum Column {
    Variable(usize),
    /// The number of elements of a collection, and the variable that holds them.
    Elements {
        count: usize,
        of: usize,
    },
    Messages(usize),
    Processes,
    Local {
        slot: usize,
        variant: usize,
        local: usize,
    },
    Terms(usize),
}

impl Column {
    fn is_length(self) -> bool {
        matches!(self, Column::Elements { .. } | Column::Messages(_) | Column::Processes)
    }
}

/// The least and the greatest value of each window.
type Extremes = [Option<(i64, i64)>; WINDOWS];

/// Copies the row that was met at a position; whether there is one.
type Read<'a> = &'a mut dyn FnMut(usize, &mut [u64]) -> bool;

impl ModelSpace {
    pub(super) fn find_growth(&self, states: usize, read: Read<'_>) -> Option<Growth> {
        let columns = self.columns();
        let cells = self.program.layout.cells.max(columns.len()).max(1);
        let compared = states.min(MOST_STATES).min(MOST_CELLS / cells);
        if columns.is_empty() || compared < LEAST_STATES {
            return None;
        }
        let mut extremes = vec![[None; WINDOWS]; columns.len()];
        self.each_compared([states, compared], read, |at, cells| {
            for (column, extremes) in columns.iter().zip(&mut extremes) {
                let Some((low, high)) = self.read_column(*column, cells) else { continue };
                let window: &mut Option<(i64, i64)> = &mut extremes[at * WINDOWS / compared];
                let (least, greatest) = window.unwrap_or((low, high));
                *window = Some((least.min(low), greatest.max(high)));
            }
        });
        // A column that neither rises nor falls may still take new values all the time.
        let of_all = columns.iter().zip(&extremes);
        let trends: Vec<Option<Trend>> =
            of_all.map(|(column, it)| trend(it, !column.is_length())).collect();
        let moving = columns.iter().zip(&trends).filter_map(|(&it, &trend)| Some((it, trend?)));
        let others = columns.iter().zip(&trends).filter(|(it, trend)| {
            trend.is_none() && matches!(it, Column::Variable(_) | Column::Local { .. })
        });
        let others = others.map(|(&column, _)| (column, Trend::Scatters));
        let candidates: Vec<(Column, Trend)> = moving.chain(others).take(CANDIDATES).collect();
        let mut counts: Vec<Count> = candidates.iter().map(|_| Count::default()).collect();
        self.each_compared([states, compared], read, |at, cells| {
            for (&(column, _), count) in candidates.iter().zip(&mut counts) {
                if let Some((low, high)) = self.read_column(column, cells) {
                    count.add(at * WINDOWS / compared, [low, high]);
                }
            }
        });
        let counted = candidates.into_iter().zip(&counts);
        let counted = counted.filter(|((column, trend), count)| {
            count.shows(*column, *trend) && !self.has_bound(*column, *trend)
        });
        let mut counted: Vec<(usize, Column, Trend)> =
            counted.map(|((column, trend), count)| (count.seen.len(), column, trend)).collect();
        // The one with the most values; of several, the first that is declared.
        counted.sort_by_key(|&(values, ..)| std::cmp::Reverse(values));
        let (&(values, column, trend), others) = counted.split_first()?;
        let (what, span) = self.name_column(column);
        let others = others.iter().map(|&(_, column, _)| self.name_column(column).0.name());
        let others = others.take(NAMED).collect();
        Some(Growth { what, span, states, compared, values, trend, others })
    }

    /// Columns that can grow: those that are not small, and that a state keeps.
    fn columns(&self) -> Vec<Column> {
        let (model, layout) = (&self.program.model, &self.program.layout);
        let is_wide =
            |strip: &Strip| strip.width >= WIDE && (strip.cell as usize) < layout.state_cells;
        let counted: Vec<(usize, usize)> = model
            .variables
            .iter()
            .enumerate()
            .filter_map(|(of, variable)| Some((variable.count?.index(), of)))
            .collect();
        let mut columns = Vec::new();
        for (at, strip) in layout.variables.iter().enumerate() {
            match counted.iter().find(|(count, _)| *count == at) {
                Some(&(count, of)) => columns.push(Column::Elements { count, of }),
                None if is_wide(strip) => columns.push(Column::Variable(at)),
                None => {}
            }
        }
        let channels = model.channels.iter().enumerate();
        let large = channels.filter(|(_, it)| it.capacity >= LARGE);
        columns.extend(large.map(|(at, _)| Column::Messages(at)));
        if layout.slots.iter().any(|slot| !slot.is_fixed()) {
            columns.push(Column::Processes);
        }
        for (slot, of) in layout.slots.iter().enumerate() {
            if of.location.width >= OPEN {
                columns.push(Column::Terms(slot));
            }
            for (variant, it) in of.variants.iter().enumerate() {
                let wide = it.locals.iter().enumerate().filter(|(_, strip)| is_wide(strip));
                columns.extend(wide.map(|(local, _)| Column::Local { slot, variant, local }));
            }
        }
        columns
    }

    /// Reads the states that are compared, in the order in which they were met.
    fn each_compared(
        &self,
        [states, compared]: [usize; 2],
        read: Read<'_>,
        mut compare: impl FnMut(usize, &[i64]),
    ) {
        let layout = &self.program.layout;
        let (mut row, mut cells) = (vec![0; layout.words], vec![0; layout.cells]);
        for at in 0..compared {
            if read(at * states / compared, &mut row) {
                layout.unpack(&row, &mut cells);
                compare(at, &cells);
            }
        }
    }

    /// The least and the greatest value in a state; none if it has none there.
    fn read_column(&self, column: Column, cells: &[i64]) -> Option<(i64, i64)> {
        let layout: &Layout = &self.program.layout;
        let all = |strip: &Strip| {
            let values = || strip.cells().map(|cell| cells[cell]);
            Some((values().min()?, values().max()?))
        };
        let one = |value: i64| Some((value, value));
        match column {
            Column::Variable(at) | Column::Elements { count: at, .. } => all(&layout.variables[at]),
            Column::Messages(at) => all(&layout.channels[at].length),
            Column::Processes => {
                let alive = |slot: &usize| layout.variant(cells, *slot).is_some();
                one(i64::try_from((0..layout.slots.len()).filter(alive).count()).ok()?)
            }
            Column::Local { slot, variant, local } => {
                let here = layout.variant(cells, slot) == Some(variant);
                here.then(|| all(&layout.slots[slot].variants[variant].locals[local])).flatten()
            }
            Column::Terms(slot) => {
                layout.variant(cells, slot)?;
                one(i64::try_from(layout.location(cells, slot)).ok()?)
            }
        }
    }

    /// Whether the model compares something with a number that it has not come to: it may end there.
    fn has_bound(&self, column: Column, trend: Trend) -> bool {
        let model = &self.program.model;
        let is_ahead = |bound: i64| match trend {
            Trend::Rises(most) => bound >= most && bound <= FARTHEST,
            Trend::Falls(least) => bound <= least && bound >= -FARTHEST,
            Trend::Scatters => false,
        };
        let reads = |expr: &Expr, wanted: &AnyVariable| {
            expr.any(&mut |it| matches!(it, Expr::Load(place) if place.variable == *wanted))
        };
        let bounds = |expr: &Expr, wanted: &AnyVariable| match expr {
            Expr::Binary(op, operands) if is_comparison(*op) => match &**operands {
                (Expr::Const(bound), other) | (other, Expr::Const(bound)) => {
                    is_ahead(*bound) && reads(other, wanted)
                }
                _ => false,
            },
            _ => false,
        };
        match column {
            Column::Variable(at) => {
                let wanted = AnyVariable::Global(VariableId::from_index(at));
                model.any_step_expression(&mut |expr| bounds(expr, &wanted))
            }
            Column::Local { slot, variant, local } => {
                let wanted = AnyVariable::Local(LocalId::from_index(local));
                let template = self.program.layout.slots[slot].variants[variant].template;
                let locations = model.template(template).locations.iter();
                let mut edges = locations.filter_map(|it| it.edges.as_ref()).flatten();
                edges.any(|edge| edge.any(&mut |expr| bounds(expr, &wanted)))
            }
            _ => false,
        }
    }

    fn name_column(&self, column: Column) -> (Grown, Option<Span>) {
        let model = &self.program.model;
        let variable = |at: usize| &model.variables[at];
        match column {
            Column::Variable(at) => (Grown::Variable(variable(at).name.clone()), variable(at).span),
            Column::Elements { of, .. } => {
                (Grown::Elements(variable(of).name.clone()), variable(of).span)
            }
            Column::Messages(at) => {
                let channel = &model.channels[at];
                (Grown::Messages(channel.name.clone(), channel.capacity), channel.span)
            }
            Column::Processes => (Grown::Processes, None),
            Column::Local { slot, variant, local } => {
                let template = self.program.layout.slots[slot].variants[variant].template;
                let local = &model.template(template).locals[local];
                (Grown::Variable(format!("{}.{}", model.slots[slot].name, local.name)), local.span)
            }
            Column::Terms(slot) => {
                let of = &self.program.layout.slots[slot];
                let template = of.variants.first().map(|variant| model.template(variant.template));
                let name = model.slots[slot].name.clone();
                (Grown::Terms(name), template.and_then(|it| it.span))
            }
        }
    }
}

/// Different values of something.
#[derive(Default)]
struct Count {
    seen: HashSet<i64>,
    /// The window that is read, and its values.
    window: usize,
    here: HashSet<i64>,
    /// By window: different values, and those that no window before has.
    found: [(usize, usize); WINDOWS],
}

impl Count {
    fn add(&mut self, window: usize, values: [i64; 2]) {
        if window != self.window {
            self.window = window;
            self.here.clear();
        }
        for value in values {
            self.found[window].0 += usize::from(self.here.insert(value));
            self.found[window].1 += usize::from(self.seen.insert(value));
        }
    }

    /// Whether there are enough to say that something grows.
    fn shows(&self, column: Column, trend: Trend) -> bool {
        let least = if column.is_length() { LEAST_LENGTHS } else { LEAST_VALUES };
        let mut last = self.found[WINDOWS - LAST..].iter();
        match trend {
            Trend::Rises(_) | Trend::Falls(_) => self.seen.len() >= least,
            Trend::Scatters => {
                last.all(|&(values, new)| values >= LEAST_VALUES && 2 * new >= values)
            }
        }
    }
}

/// How the extremes moved, if they did so each time that the number of states doubled; and in the last window,
/// if that is asked for.
fn trend(extremes: &Extremes, to_the_end: bool) -> Option<Trend> {
    let until =
        |windows: usize| {
            let mut known = extremes[..windows].iter().flatten();
            let first = *known.next()?;
            Some(known.fold(first, |(least, greatest), &(low, high)| {
                (least.min(low), greatest.max(high))
            }))
        };
    let mut ends = vec![1, WINDOWS / 4, WINDOWS / 2];
    ends.extend(to_the_end.then_some(WINDOWS - 1));
    ends.push(WINDOWS);
    let ends: Vec<(i64, i64)> = ends.into_iter().map(until).collect::<Option<_>>()?;
    let &(least, greatest) = ends.last()?;
    if ends.is_sorted_by(|before, after| before.1 < after.1) {
        Some(Trend::Rises(greatest))
    } else if ends.is_sorted_by(|before, after| before.0 > after.0) {
        Some(Trend::Falls(least))
    } else {
        None
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}
