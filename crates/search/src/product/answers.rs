//! The marks that a state gives to all of its steps.
//!
//! They follow from which predicates of the constraints are *answered* in the state, by what is enabled
//! and offered there. States may have as many different sets of answers as there are states, so with few
//! predicates nothing is looked up: each byte of the set says which marks it adds.

use fairly_fairness::Lowering;
use fairly_omega::{MarkSet, MarkSetId, MarkTable};

use super::joins::Joins;

/// A set of predicates: its bits, or its number in a table.
pub(super) type Answer = u64;

/// From answers to marks.
pub(super) enum Answers {
    /// Where ids of marks are the sets themselves: the marks that each byte of the answers adds.
    Few(Vec<[u32; 256]>),
    Many {
        sets: MarkTable,
        /// The marks of a state in which so much is answered, by set.
        settled: Vec<Option<MarkSetId>>,
    },
}

/// Answers in one state.
#[derive(Default)]
pub(super) struct Answered {
    bits: u64,
    set: MarkSet,
}

impl Answers {
    /// For constraints whose marks are joined by `joins`.
    pub(super) fn new(lowering: &Lowering, joins: &Joins) -> Self {
        let predicates = lowering.predicate_count();
        if !joins.are_few() || predicates > Answer::BITS as usize {
            return Answers::Many { sets: MarkTable::new(), settled: Vec::new() };
        }
        let added = |byte: usize, answers: usize| -> u32 {
            let bits = (8 * byte..predicates.min(8 * byte + 8)).map(|predicate| {
                let is_answered = answers >> (predicate % 8) & 1 == 1;
                let marks = lowering.state_marks_by(predicate, is_answered).bits();
                marks.and_then(|bits| u32::try_from(bits).ok()).expect("marks are few")
            });
            bits.fold(0, |all, bits| all | bits)
        };
        let bytes = 0..predicates.div_ceil(8);
        Answers::Few(
            bytes.map(|byte| std::array::from_fn(|answers| added(byte, answers))).collect(),
        )
    }

    /// A set of predicates that something answers.
    pub(super) fn intern(&mut self, set: MarkSet) -> Answer {
        match self {
            Answers::Few(_) => set.bits().expect("predicates are few"),
            Answers::Many { sets, .. } => sets.intern(set).bits().into(),
        }
    }

    /// Adds what something answers to what is answered in a state.
    #[inline]
    pub(super) fn add(&self, answer: Answer, answered: &mut Answered) {
        match self {
            Answers::Few(_) => answered.bits |= answer,
            Answers::Many { sets, .. } => {
                let id = MarkSetId::of_bits(u32::try_from(answer).expect("it was an id"));
                answered.set.union_with(sets.get(id));
            }
        }
    }

    /// The marks of a state in which this is answered.
    pub(super) fn marks(
        &mut self,
        answered: Answered,
        lowering: &Lowering,
        joins: &mut Joins,
    ) -> MarkSetId {
        match self {
            Answers::Few(by_byte) => {
                let bytes = answered.bits.to_le_bytes();
                let added = by_byte.iter().zip(bytes).map(|(marks, byte)| marks[usize::from(byte)]);
                MarkSetId::of_bits(added.fold(0, |all, bits| all | bits))
            }
            Answers::Many { sets, settled } => {
                let answered = sets.intern(answered.set);
                if answered.index() >= settled.len() {
                    settled.resize(answered.index() + 1, None);
                }
                let settled = &mut settled[answered.index()];
                *settled
                    .get_or_insert_with(|| joins.intern(lowering.state_marks(sets.get(answered))))
            }
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Answers::Few(by_byte) => size_of_val(by_byte.as_slice()),
            Answers::Many { sets, settled } => {
                sets.bytes() + settled.capacity() * size_of::<Option<MarkSetId>>()
            }
        }
    }
}
