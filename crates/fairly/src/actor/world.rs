//! Actors and a network as a model.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::network::{Network, Traffic};
use super::{Actor, Effect, Id, Out};
use crate::model::{Model, Part};

/// Actors that are connected by a network, as a [`Model`].
///
/// All that an actor does is an action of its process. What the network does wrong, crashes and restarts are actions
/// that belong to no process, so that no fairness of processes asks for them.
#[derive(Clone, Debug)]
pub struct Actors<A: Actor> {
    actors: Vec<A>,
    names: Vec<String>,
    network: Network,
    crashes: usize,
    restarts: bool,
    is_quick: bool,
}

/// Everything that there is at one time. Its types are those of states, messages and timers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct World<S, M, T> {
    /// The states of the actors; of one that has crashed, the state at the crash.
    pub actors: Vec<Arc<S>>,
    /// The timers that are set, by actor.
    pub timers: Vec<BTreeSet<T>>,
    /// The messages on their way.
    pub traffic: Traffic<M>,
    /// The actors that have crashed.
    pub down: BTreeSet<Id>,
    /// How many crashes there were.
    pub crashes: usize,
    /// The partition that the network is split by.
    pub split: Option<usize>,
}

/// Something that happens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step<M, T> {
    /// A message is received.
    Deliver {
        /// The sender.
        from: Id,
        /// The receiver.
        to: Id,
        /// The message.
        message: M,
    },
    /// A message is received, and stays on its way.
    Repeat {
        /// The sender.
        from: Id,
        /// The receiver.
        to: Id,
        /// The message.
        message: M,
    },
    /// A message is lost.
    Lose {
        /// The sender.
        from: Id,
        /// The receiver.
        to: Id,
        /// The message.
        message: M,
    },
    /// A timer goes off.
    Timeout(Id, T),
    /// An actor crashes: it does nothing, and its timers are not set any more.
    Crash(Id),
    /// An actor that has crashed starts again.
    Restart(Id),
    /// The network is split by one of its partitions.
    Split(usize),
    /// The network is whole again.
    Heal,
}

impl<A: Actor> Actors<A> {
    /// Actors that are called `Actor0`, `Actor1` and so on, connected by a network that only changes the order of
    /// messages.
    ///
    /// # Panics
    /// If there is none.
    pub fn new(actors: impl IntoIterator<Item = A>) -> Actors<A> {
        let actors: Vec<A> = actors.into_iter().collect();
        assert!(!actors.is_empty(), "a system has at least one actor");
        let names = (0..actors.len()).map(|at| format!("Actor{at}")).collect();
        let network = Network::new();
        Actors { actors, names, network, crashes: 0, restarts: false, is_quick: false }
    }

    /// Gives the actors other names.
    ///
    /// # Panics
    /// If there are not as many names as actors.
    #[must_use]
    pub fn named<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.names = names.into_iter().map(Into::into).collect();
        assert_eq!(self.names.len(), self.actors.len(), "each actor has a name");
        self
    }

    /// Connects the actors by another network.
    #[must_use]
    pub fn network(self, network: Network) -> Self {
        Actors { network, ..self }
    }

    /// Lets any actors crash, so often in all.
    #[must_use]
    pub fn crashes(self, crashes: usize) -> Self {
        Actors { crashes, ..self }
    }

    /// Lets actors that have crashed start again.
    #[must_use]
    pub fn restarts(self) -> Self {
        Actors { restarts: true, ..self }
    }

    /// Has timers go off only while no message can be delivered: they are longer than a message takes.
    #[must_use]
    pub fn timers_wait_for_messages(self) -> Self {
        Actors { is_quick: true, ..self }
    }

    /// The actors.
    pub fn actors(&self) -> &[A] {
        &self.actors
    }

    /// Whether a message can be received.
    fn can_go(&self, world: &WorldOf<A>, from: Id, to: Id) -> bool {
        to.0 < self.actors.len()
            && !world.down.contains(&to)
            && self.network.connects(world.split, from, to)
    }

    /// Does in the world what an actor has asked for.
    fn apply(&self, world: &mut WorldOf<A>, id: Id, out: Out<A>) {
        for effect in out.effects {
            match effect {
                Effect::Send(to, message) => world.traffic.send(&self.network, id, to, message),
                Effect::Set(timer, _) => {
                    world.timers[id.0].insert(timer);
                }
                Effect::Cancel(timer) => {
                    world.timers[id.0].remove(&timer);
                }
            }
        }
    }

    fn receive(&self, world: &mut WorldOf<A>, from: Id, to: Id, message: A::Message) {
        let mut out = Out::new(to, self.actors.len());
        let state = Arc::make_mut(&mut world.actors[to.0]);
        self.actors[to.0].receive(to, state, from, message, &mut out);
        self.apply(world, to, out);
    }
}

/// The world of some actors.
pub(crate) type WorldOf<A> = World<<A as Actor>::State, <A as Actor>::Message, <A as Actor>::Timer>;

impl<A: Actor> Model for Actors<A> {
    type State = WorldOf<A>;
    type Action = Step<A::Message, A::Timer>;

    fn init(&self) -> Vec<Self::State> {
        let count = self.actors.len();
        let mut outs = Vec::new();
        let mut states = Vec::new();
        for (at, actor) in self.actors.iter().enumerate() {
            let mut out = Out::new(Id(at), count);
            states.push(Arc::new(actor.start(Id(at), &mut out)));
            outs.push(out);
        }
        let mut world = World {
            actors: states,
            timers: vec![BTreeSet::new(); count],
            traffic: Traffic::new(),
            down: BTreeSet::new(),
            crashes: 0,
            split: None,
        };
        for (at, out) in outs.into_iter().enumerate() {
            self.apply(&mut world, Id(at), out);
        }
        vec![world]
    }

    fn actions(&self, world: &Self::State, actions: &mut Vec<Self::Action>) {
        let mut is_quiet = true;
        for (from, to, message) in world.traffic.next(&self.network) {
            if self.can_go(world, from, to) {
                is_quiet = false;
                actions.push(Step::Deliver { from, to, message: message.clone() });
                if self.network.is_duplicating {
                    actions.push(Step::Repeat { from, to, message: message.clone() });
                }
            }
            if self.network.is_lossy {
                actions.push(Step::Lose { from, to, message: message.clone() });
            }
        }
        for id in (0..self.actors.len()).map(Id) {
            let is_down = world.down.contains(&id);
            if is_down && self.restarts {
                actions.push(Step::Restart(id));
            }
            if !is_down && world.crashes < self.crashes {
                actions.push(Step::Crash(id));
            }
            if is_quiet || !self.is_quick {
                let timers = world.timers[id.0].iter();
                actions.extend(timers.map(|timer| Step::Timeout(id, timer.clone())));
            }
        }
        match world.split {
            Some(_) => actions.push(Step::Heal),
            None => actions.extend((0..self.network.partitions.len()).map(Step::Split)),
        }
    }

    fn next(&self, world: &Self::State, step: Self::Action) -> Option<Self::State> {
        let mut next = world.clone();
        match step {
            Step::Deliver { from, to, message } => {
                if !next.traffic.take(&self.network, from, to, &message) {
                    return None;
                }
                self.receive(&mut next, from, to, message);
            }
            Step::Repeat { from, to, message } => self.receive(&mut next, from, to, message),
            Step::Lose { from, to, message } => {
                if !next.traffic.take(&self.network, from, to, &message) {
                    return None;
                }
            }
            Step::Timeout(id, timer) => {
                if !next.timers[id.0].remove(&timer) {
                    return None;
                }
                let mut out = Out::new(id, self.actors.len());
                let state = Arc::make_mut(&mut next.actors[id.0]);
                self.actors[id.0].timeout(id, state, timer, &mut out);
                self.apply(&mut next, id, out);
            }
            Step::Crash(id) => {
                next.crashes += 1;
                next.timers[id.0].clear();
                next.down.insert(id);
            }
            Step::Restart(id) => {
                next.down.remove(&id);
                let mut out = Out::new(id, self.actors.len());
                let state = self.actors[id.0].restart(id, &world.actors[id.0], &mut out);
                next.actors[id.0] = Arc::new(state);
                self.apply(&mut next, id, out);
            }
            Step::Split(at) => next.split = Some(at),
            Step::Heal => next.split = None,
        }
        Some(next)
    }

    fn processes(&self) -> Vec<String> {
        self.names.clone()
    }

    fn parts(&self, step: &Self::Action) -> Vec<Part> {
        let process = match step {
            Step::Deliver { to, .. } => to.0,
            Step::Timeout(id, _) => id.0,
            _ => return Vec::new(),
        };
        vec![Part::new(process, self.event(step))]
    }

    fn show(&self, world: &Self::State) -> Vec<(String, String)> {
        let mut all = Vec::new();
        for (name, state) in self.names.iter().zip(&world.actors) {
            let parts = crate::shown::fields(&**state);
            let named = |(part, text): (String, String)| match part.as_str() {
                "state" => (name.clone(), text),
                _ => (format!("{name}.{part}"), text),
            };
            all.extend(parts.into_iter().map(named));
        }
        let traffic = world.traffic.iter();
        let message = |(from, to, message)| format!("{from:?}→{to:?} {message:?}");
        let traffic: Vec<String> = traffic.map(message).collect();
        all.push(("traffic".to_owned(), format!("[{}]", traffic.join(", "))));
        for (name, timers) in self.names.iter().zip(&world.timers) {
            all.push((format!("{name}.timers"), format!("{timers:?}")));
        }
        if self.crashes > 0 {
            all.push(("down".to_owned(), format!("{:?}", world.down)));
        }
        if !self.network.partitions.is_empty() {
            all.push(("split".to_owned(), format!("{:?}", world.split)));
        }
        all
    }
}
