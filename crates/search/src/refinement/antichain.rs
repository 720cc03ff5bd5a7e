//! Which pairs need no visit, because a stricter one had it.

use fairly_omega::StateId;
use fairly_system::TransitionSystem;
use hashbrown::HashMap;

use super::normal::{Normal, SetId};
use super::view::subset;

/// For each state of the implementation, the sets that it was met with.
///
/// A smaller set of the specification allows less: fewer events, fewer refusals, no divergence that
/// the larger one does not have. So a pair whose set contains one that the same state was met with
/// can be left out, in all three models: whatever is wrong there is wrong in the other pair, after
/// the same steps. The sets are looked up by their least member, for a specification that is
/// deterministic has one-element sets and may have very many of them to a state.
#[derive(Default)]
pub(super) struct Antichain {
    sets: HashMap<(StateId, Option<StateId>), Vec<SetId>>,
}

impl Antichain {
    /// Whether the pair is to be visited; if so, it is remembered.
    ///
    /// This is done when a pair is met and not when it is visited, which would let the queue fill
    /// with copies (Laveaux, Groote and Willemse 2021). A larger set that is still in the queue
    /// stays there: it may lead to a shorter run.
    pub(super) fn insert<S: TransitionSystem>(
        &mut self,
        state: StateId,
        set: SetId,
        normal: &Normal<'_, S>,
    ) -> bool {
        let members = normal.members(set);
        let least = members.first().copied();
        if self.sets.get(&(state, least)).is_some_and(|known| known.contains(&set)) {
            return false;
        }
        let smaller = |other: &SetId| subset(normal.members(*other), members);
        let firsts = std::iter::once(None).chain(members.iter().map(|&member| Some(member)));
        for first in firsts {
            if self.sets.get(&(state, first)).is_some_and(|known| known.iter().any(smaller)) {
                return false;
            }
        }
        let known = self.sets.entry((state, least)).or_default();
        known.retain(|&larger| !subset(members, normal.members(larger)));
        known.push(set);
        true
    }
}
