//! The text of a program: constants and tables, the steps of a model, and the kernels.

use std::fmt::Write;

use fairly_model::native::plan::Plan;
use fairly_model::{Expr, Layout, ModelSpace, Strip};

use crate::Refusal;
use crate::product::Tables;
use crate::write::{self, Steps, proposition};

/// Threads of a block.
pub(crate) const BLOCK: u32 = 256;

/// Words of a row, at the most.
const MOST_WORDS: usize = 16;

const KERNELS: &str = include_str!("kernels.c");

/// Which kernels a program has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Reach,
    Way,
    Hull,
}

impl Part {
    /// Their names.
    pub(crate) fn kernels(self) -> &'static [&'static str] {
        match self {
            Part::Reach => &["explore", "insert", "rehash", "gather"],
            Part::Way => &["before"],
            Part::Hull => &["begin", "list", "spread", "states"],
        }
    }
}

/// Where the state of the automaton is in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) word: usize,
    pub(crate) shift: u32,
    pub(crate) mask: u64,
}

/// A model with everything that its programs are written from.
pub(crate) struct Source {
    pub(crate) plan: Plan,
    pub(crate) steps: Steps,
    /// Words of a row on the card.
    pub(crate) words: usize,
    /// Whether the table holds rows themselves.
    pub(crate) plain: bool,
    /// Where the state of the automaton is, if there is one.
    pub(crate) place: Option<Place>,
    props: String,
}

impl Source {
    /// Of a model, and propositions that are asked for. With `automaton`, rows have room for so many states.
    pub(crate) fn new(
        space: &ModelSpace,
        propositions: &[Expr],
        automaton: Option<usize>,
    ) -> Result<Source, Refusal> {
        let mut plan = Plan::new(space)
            .ok_or_else(|| Refusal::new("its processes are unfolded while it is explored"))?;
        plan.sequences = plan.layout.holder.is_some();
        let mut used = used(&plan.layout);
        let place = match automaton {
            None => None,
            Some(states) => Some(Place::within(&mut used, states)?),
        };
        let words = used.len();
        if words > MOST_WORDS {
            return Err(Refusal::new(format!(
                "its states have {words} words, and there is room for {MOST_WORDS}"
            )));
        }
        let plain = words == 1 && used[0] != u64::MAX;
        let steps = write::write(&plan, group(words))?;
        let mut props = String::new();
        for (at, expr) in propositions.iter().enumerate() {
            props.push_str(&proposition(&plan, at, expr)?);
        }
        Ok(Source { plan, steps, words, plain, place, props })
    }

    /// The text with some kernels.
    pub(crate) fn text(&self, part: Part, tables: Option<&Tables>, has_goal: bool) -> String {
        let mut text = String::from(
            "typedef unsigned long long u64;\ntypedef long long i64;\ntypedef unsigned int u32;\n\
             #define LEAST_NUMBER (-9223372036854775807LL-1)\n\
             #ifdef __CUDACC_RTC__\n#define TABLE static __device__ const\n\
             #define lowest(x) ((u32)(__ffs((int)(x)) - 1))\n\
             #else\n#define TABLE static const\n#define lowest(x) ((u32)__builtin_ctz(x))\n#endif\n",
        );
        let flag = |holds: bool| u32::from(holds);
        let define = |text: &mut String, name: &str, value: &str| {
            let _ = writeln!(text, "#define {name} {value}");
        };
        define(&mut text, "WORDS", &self.words.to_string());
        define(&mut text, "BLOCK", &BLOCK.to_string());
        define(&mut text, "GROUP", &group(self.words).to_string());
        define(&mut text, "PLAIN", &flag(self.plain).to_string());
        define(&mut text, "WAITS", &flag(self.plan.waits).to_string());
        define(&mut text, "HAS_GOAL", &flag(has_goal).to_string());
        define(&mut text, "PART_REACH", &flag(part == Part::Reach).to_string());
        define(&mut text, "PART_WAY", &flag(part == Part::Way).to_string());
        define(&mut text, "PART_HULL", &flag(part == Part::Hull).to_string());
        define(&mut text, "PRODUCT", &flag(tables.is_some()).to_string());
        if self.steps.scratch > 0 {
            define(&mut text, "SCRATCH", &self.steps.scratch.to_string());
            let mut reset = String::from("do { for (int k_ = 0; k_ < SCRATCH; k_++) x[k_] = 0;");
            for (cell, value) in self.plan.initial_scratch().into_iter().enumerate() {
                if value != 0 {
                    let _ = write!(reset, " x[{cell}] = {value}LL;");
                }
            }
            define(&mut text, "RESET(x)", &format!("{reset} }} while (0)"));
        }
        match tables {
            Some(tables) => {
                let place = self.place.expect("rows with an automaton");
                define(&mut text, "QWORD", &place.word.to_string());
                define(&mut text, "QSHIFT", &place.shift.to_string());
                define(&mut text, "QMASK", &format!("{}ULL", place.mask));
                text.push_str(&tables.text());
            }
            None => text.push_str("#define ENTERING 0\n#define MOST_EDGES 1\n"),
        }
        let kernels = KERNELS
            .replacen("@PROPS@", &self.props, 1)
            .replacen("@END@", &self.steps.end, 1)
            .replace("@STEPS@", &self.steps.text);
        text.push_str(&kernels);
        text
    }
}

/// Results of a thread between two looks at the table: what a block has of them goes into 16 KiB.
fn group(words: usize) -> usize {
    (8 / words).max(1)
}

/// The bits of each word of a row that are used.
fn used(layout: &Layout) -> Vec<u64> {
    let mut used = vec![0u64; layout.words];
    let mut take = |strip: &Strip| {
        if strip.width == 0 {
            return;
        }
        for element in 0..strip.length {
            let (word, shift) = strip.position(element);
            used[word] |= strip.mask() << shift;
        }
    };
    let is_stored = |strip: &&Strip| (strip.cell as usize) < layout.state_cells;
    layout.variables.iter().filter(is_stored).for_each(&mut take);
    for channel in &layout.channels {
        take(&channel.length);
        channel.columns.iter().for_each(&mut take);
    }
    for slot in &layout.slots {
        take(&slot.kind);
        take(&slot.location);
        for variant in &slot.variants {
            variant.locals.iter().filter(is_stored).for_each(&mut take);
        }
    }
    layout.holder.iter().chain(&layout.last_mover).for_each(take);
    used
}

impl Place {
    /// Room for so many states in bits that are not used, or in a word of their own.
    fn within(used: &mut Vec<u64>, states: usize) -> Result<Place, Refusal> {
        let most = u32::try_from(states.saturating_sub(1))
            .map_err(|_| Refusal::new("the automaton of the property is very large"))?;
        let bits = 32 - most.leading_zeros();
        let mask = (1u64 << bits) - 1;
        for (word, taken) in used.iter_mut().enumerate() {
            if let Some(shift) = (0..=64 - bits).find(|&shift| *taken & (mask << (shift % 64)) == 0)
            {
                let shift = shift % 64;
                *taken |= mask << shift;
                return Ok(Place { word, shift, mask });
            }
        }
        used.push(mask);
        Ok(Place { word: used.len() - 1, shift: 0, mask })
    }
}
