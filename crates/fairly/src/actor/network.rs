//! Networks as data, and the messages on their way.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Id;

/// Which things a network does with messages. A new one loses none, repeats none, and delivers them in any order.
///
/// ```
/// use fairly::actor::{Id, Network};
///
/// let tcp = Network::new().ordered();
/// let udp = Network::new().lossy().duplicating().capacity(2);
/// let torn = Network::new().partition([Id(0), Id(1)]);
/// assert_ne!(tcp, udp);
/// # let _ = torn;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    pub(crate) is_ordered: bool,
    pub(crate) is_lossy: bool,
    pub(crate) is_duplicating: bool,
    pub(crate) capacity: Option<usize>,
    /// Sets of actors that may be cut off from the others.
    pub(crate) partitions: Vec<BTreeSet<Id>>,
}

impl Network {
    /// A network that does nothing wrong but to change the order of messages.
    #[must_use]
    pub fn new() -> Network {
        Network::default()
    }

    /// Delivers the messages from one actor to another in the order in which they were sent.
    #[must_use]
    pub fn ordered(self) -> Network {
        Network { is_ordered: true, ..self }
    }

    /// May lose any message.
    #[must_use]
    pub fn lossy(self) -> Network {
        Network { is_lossy: true, ..self }
    }

    /// May deliver any message and keep it all the same.
    #[must_use]
    pub fn duplicating(self) -> Network {
        Network { is_duplicating: true, ..self }
    }

    /// Holds so many messages from one actor to another; those for which there is no room are lost.
    #[must_use]
    pub fn capacity(self, messages: usize) -> Network {
        Network { capacity: Some(messages), ..self }
    }

    /// May be split, again and again, so that nothing goes between these actors and the others until it is whole
    /// again.
    #[must_use]
    pub fn partition(mut self, one_side: impl IntoIterator<Item = Id>) -> Network {
        self.partitions.push(one_side.into_iter().collect());
        self
    }

    /// Whether messages go from one actor to another while the network is split so.
    pub(crate) fn connects(&self, split: Option<usize>, from: Id, to: Id) -> bool {
        let Some(side) = split.and_then(|at| self.partitions.get(at)) else { return true };
        side.contains(&from) == side.contains(&to)
    }
}

/// The messages that are on their way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Traffic<M> {
    /// By sender and receiver, and between two in the order in which they were sent, or in their own where it does not
    /// matter. A list is small, and there is one in every state.
    messages: Vec<(Id, Id, M)>,
}

impl<M: Clone + Ord> Traffic<M> {
    pub(crate) fn new() -> Traffic<M> {
        Traffic { messages: Vec::new() }
    }

    /// All messages with their senders and receivers.
    pub fn iter(&self) -> impl Iterator<Item = (Id, Id, &M)> {
        self.messages.iter().map(|(from, to, message)| (*from, *to, message))
    }

    /// How many messages are on their way.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether no message is on its way.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The positions of the messages from one actor to another.
    fn between(&self, from: Id, to: Id) -> Range<usize> {
        let start = self.messages.partition_point(|it| (it.0, it.1) < (from, to));
        let count = self.messages[start..].partition_point(|it| (it.0, it.1) == (from, to));
        start..start + count
    }

    pub(crate) fn send(&mut self, network: &Network, from: Id, to: Id, message: M) {
        let between = self.between(from, to);
        if network.capacity.is_some_and(|most| between.len() >= most) {
            return;
        }
        let at = match network.is_ordered {
            true => between.end,
            false => {
                let start = between.start;
                start + self.messages[between].partition_point(|it| it.2 <= message)
            }
        };
        // Most states are kept, and seldom changed.
        self.messages.reserve_exact(1);
        self.messages.insert(at, (from, to, message));
    }

    /// The messages that may be delivered next: all different ones, or the first of each sender and receiver.
    pub(crate) fn next(&self, network: &Network) -> Vec<(Id, Id, &M)> {
        let mut all = Vec::new();
        let mut last: Option<&(Id, Id, M)> = None;
        for it in &self.messages {
            let is_next = last.is_none_or(|last| match network.is_ordered {
                true => (last.0, last.1) != (it.0, it.1),
                false => last != it,
            });
            if is_next {
                all.push((it.0, it.1, &it.2));
            }
            last = Some(it);
        }
        all
    }

    /// Takes a message out; whether there was one that may be taken.
    pub(crate) fn take(&mut self, network: &Network, from: Id, to: Id, message: &M) -> bool {
        let mut between = self.between(from, to);
        let at = match network.is_ordered {
            true => between.next().filter(|&first| self.messages[first].2 == *message),
            false => between.find(|&at| self.messages[at].2 == *message),
        };
        match at {
            Some(at) => {
                self.messages.remove(at);
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_matters_only_where_it_is_kept() {
        for (network, is_ordered) in [(Network::new(), false), (Network::new().ordered(), true)] {
            let (mut one, mut other) = (Traffic::new(), Traffic::new());
            for (first, second) in [(&mut one, 1), (&mut other, 2)].map(|it| (it.0, it.1)) {
                first.send(&network, Id(0), Id(1), second);
                first.send(&network, Id(0), Id(1), 3 - second);
            }
            assert_eq!(one == other, !is_ordered);
            assert_eq!(one.next(&network).len(), if is_ordered { 1 } else { 2 });
            assert_eq!(one.take(&network, Id(0), Id(1), &2), !is_ordered);
        }
    }

    #[test]
    fn messages_without_room_are_lost() {
        let network = Network::new().capacity(1);
        let mut traffic = Traffic::new();
        traffic.send(&network, Id(0), Id(1), 1);
        traffic.send(&network, Id(0), Id(1), 2);
        traffic.send(&network, Id(1), Id(0), 2);
        assert_eq!(traffic.iter().collect::<Vec<_>>(), [(Id(0), Id(1), &1), (Id(1), Id(0), &2)]);
        assert!(!traffic.take(&network, Id(0), Id(1), &2));
        assert!(
            traffic.take(&network, Id(0), Id(1), &1) && traffic.take(&network, Id(1), Id(0), &2)
        );
        assert!(traffic.is_empty());
    }

    #[test]
    fn a_split_network_connects_each_side() {
        let network = Network::new().partition([Id(0), Id(2)]);
        for (split, from, to, connects) in [
            (None, 0, 1, true),
            (Some(0), 0, 1, false),
            (Some(0), 0, 2, true),
            (Some(0), 1, 3, true),
        ] {
            assert_eq!(network.connects(split, Id(from), Id(to)), connects);
        }
    }
}
