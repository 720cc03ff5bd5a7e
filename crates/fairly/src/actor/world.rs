//! Actors and a network as a model.

use std::collections::BTreeSet;
use std::fmt::{self, Debug};
use std::hash::Hash;
use std::sync::Arc;

use super::network::{Network, Traffic};
use super::{Actor, Effect, Id, Out};
use crate::Permute;
use crate::model::{Model, Part};
use crate::shown;
use crate::symmetry::Symmetric;

/// Actors that are connected by a network, as a [`Model`].
///
/// All that an actor does is an action of its process. What the network does wrong, crashes and restarts are actions
/// that belong to no process, so that no fairness of processes asks for them.
///
/// What is [recorded](Actors::recording) of messages, if anything, has the type `H`.
#[derive(Clone)]
pub struct Actors<A: Actor, H = ()> {
    actors: Vec<A>,
    names: Vec<String>,
    network: Network,
    crashes: usize,
    restarts: bool,
    is_quick: bool,
    /// The actors that are interchangeable.
    alike: Vec<Id>,
    record: H,
    recorder: Option<Recorder<H, <A as Actor>::Message>>,
}

/// Records a message.
type Recorder<H, M> = Arc<dyn Fn(&mut H, Seen<'_, M>) + Send + Sync>;

/// A message that is sent or received, for [`Actors::recording`].
#[derive(Debug, PartialEq, Eq)]
pub enum Seen<'a, M> {
    /// An actor sends it, whether or not the network carries it.
    Sent {
        /// The sender.
        from: Id,
        /// The receiver.
        to: Id,
        /// The message.
        message: &'a M,
    },
    /// An actor receives it, and does something with it: a message that it passes over is not seen. What it sends
    /// then is seen after this.
    Received {
        /// The sender.
        from: Id,
        /// The receiver.
        to: Id,
        /// The message.
        message: &'a M,
    },
}

// Whatever a message is: a derived copy would ask for messages that can be copied.
impl<M> Clone for Seen<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Seen<'_, M> {}

/// Everything that there is at one time. Its types are those of states, messages, timers, and of what is recorded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct World<S, M, T, H = ()> {
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
    /// What was [recorded](Actors::recording) of messages.
    pub record: H,
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
        Actors {
            actors,
            names,
            network,
            crashes: 0,
            restarts: false,
            is_quick: false,
            alike: Vec::new(),
            record: (),
            recorder: None,
        }
    }

    /// Records messages that are sent and received, in [`World::record`]: a
    /// [history](crate::history::History) of calls and returns, for example, that has to be linearizable. What is
    /// recorded is a part of the state, so record no more than the promises are about.
    ///
    /// ```
    /// use fairly::actor::{Actor, Actors, Id, Out, Seen};
    /// use fairly::check;
    ///
    /// /// Sends one message to the other, and remembers what it has received.
    /// #[derive(Clone)]
    /// struct Sender;
    ///
    /// impl Actor for Sender {
    ///     type State = &'static str;
    ///     type Message = &'static str;
    ///     type Timer = ();
    ///
    ///     fn start(&self, _: Id, out: &mut Out<Self>) -> &'static str {
    ///         out.broadcast(&"hello");
    ///         "nothing"
    ///     }
    ///
    ///     fn receive(&self, _: Id, last: &mut &'static str, _: Id, text: &'static str, _: &mut Out<Self>) {
    ///         *last = text;
    ///     }
    /// }
    ///
    /// // How many messages were sent, and how many received.
    /// let counted = Actors::new([Sender, Sender]).recording((0, 0), |(sent, received), seen| match seen {
    ///     Seen::Sent { .. } => *sent += 1,
    ///     Seen::Received { .. } => *received += 1,
    /// });
    /// check(&counted)
    ///     .always("no more than were sent", |world| world.record.1 <= world.record.0)
    ///     .never("three are received", |world| world.record.1 == 3)
    ///     .assert_holds();
    /// ```
    #[must_use]
    pub fn recording<H>(
        self,
        start: H,
        recorder: impl Fn(&mut H, Seen<'_, A::Message>) + Send + Sync + 'static,
    ) -> Actors<A, H> {
        let Actors { actors, names, network, crashes, restarts, is_quick, alike, .. } = self;
        let recorder: Option<Recorder<H, A::Message>> = Some(Arc::new(recorder));
        let record = start;
        Actors { actors, names, network, crashes, restarts, is_quick, alike, record, recorder }
    }
}

impl<A: Actor, H> Actors<A, H> {
    /// Gives the actors other names.
    ///
    /// # Panics
    /// If there are not as many names as actors, or two of them are the same but for signs that are no letters.
    #[must_use]
    pub fn named<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.names = names.into_iter().map(Into::into).collect();
        assert_eq!(self.names.len(), self.actors.len(), "each actor has a name");
        let words: BTreeSet<String> = self.names.iter().map(|name| word(name)).collect();
        assert_eq!(words.len(), self.names.len(), "each actor has a name of its own");
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

    /// Declares some actors interchangeable, for [`up_to_symmetry`](crate::Check::up_to_symmetry): they run the same
    /// program, and nobody tells them apart by their numbers. States, messages and timers say where they speak of
    /// actors by [`Permute`].
    ///
    /// ```
    /// use fairly::actor::{Actor, Actors, Id, Out};
    /// use fairly::{Permute, check};
    ///
    /// /// Actor 0 asks the others, who answer; it remembers who has.
    /// #[derive(Clone)]
    /// struct Asker;
    ///
    /// #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Permute)]
    /// struct Answers(#[permute(bits)] u8);
    ///
    /// impl Actor for Asker {
    ///     type State = Answers;
    ///     type Message = bool;
    ///     type Timer = ();
    ///
    ///     fn start(&self, id: Id, out: &mut Out<Self>) -> Answers {
    ///         if id == Id(0) {
    ///             out.broadcast(&false);
    ///         }
    ///         Answers(0)
    ///     }
    ///
    ///     fn receive(&self, id: Id, state: &mut Answers, from: Id, _: bool, out: &mut Out<Self>) {
    ///         match id {
    ///             Id(0) => state.0 |= 1 << from.0,
    ///             _ => out.send(from, true),
    ///         }
    ///     }
    /// }
    ///
    /// let five = Actors::new(vec![Asker; 5]).alike((1..5).map(Id));
    /// let asked = || check(&five).eventually("all answer", |world| world.actors[0].0 == 0b11110);
    /// let asked = || asked().save_nothing().without_least();
    /// let (whole, less) = (asked().run(), asked().up_to_symmetry()?);
    /// assert_eq!((whole.of("all answer").states(), less.of("all answer").states()), (81, 15));
    /// # Ok::<(), fairly::Mistake>(())
    /// ```
    #[must_use]
    pub fn alike(self, actors: impl IntoIterator<Item = Id>) -> Self {
        Actors { alike: actors.into_iter().collect(), ..self }
    }

    /// The actors.
    pub fn actors(&self) -> &[A] {
        &self.actors
    }

    /// Whether a message can be received.
    fn can_go(&self, world: &WorldOf<A, H>, from: Id, to: Id) -> bool {
        to.0 < self.actors.len()
            && !world.down.contains(&to)
            && self.network.connects(world.split, from, to)
    }

    /// Does in the world what an actor has asked for.
    fn apply(&self, world: &mut WorldOf<A, H>, id: Id, out: Out<A>) {
        for effect in out.effects {
            match effect {
                Effect::Send(to, message) => {
                    self.note(world, Seen::Sent { from: id, to, message: &message });
                    world.traffic.send(&self.network, id, to, message);
                }
                Effect::Set(timer, _) => {
                    world.timers[id.0].insert(timer);
                }
                Effect::Cancel(timer) => {
                    world.timers[id.0].remove(&timer);
                }
            }
        }
    }

    fn note(&self, world: &mut WorldOf<A, H>, seen: Seen<'_, A::Message>) {
        if let Some(recorder) = &self.recorder {
            recorder(&mut world.record, seen);
        }
    }

    fn receive(&self, world: &mut WorldOf<A, H>, from: Id, to: Id, message: A::Message) {
        let mut out = Out::new(to, self.actors.len());
        let seen = self.recorder.is_some().then(|| message.clone());
        let mut state = A::State::clone(&world.actors[to.0]);
        self.actors[to.0].receive(to, &mut state, from, message, &mut out);
        let is_changed = state != *world.actors[to.0];
        if is_changed {
            world.actors[to.0] = Arc::new(state);
        }
        if let Some(message) = seen.filter(|_| is_changed || !out.effects.is_empty()) {
            self.note(world, Seen::Received { from, to, message: &message });
        }
        self.apply(world, to, out);
    }
}

/// A name as a part of the name of an event.
fn word(name: &str) -> String {
    name.replace(|sign: char| !sign.is_alphanumeric() && sign != '_', "_")
}

/// The world of some actors.
type WorldOf<A, H> = World<<A as Actor>::State, <A as Actor>::Message, <A as Actor>::Timer, H>;

/// The recorder is not shown.
impl<A: Actor + Debug, H: Debug> Debug for Actors<A, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Actors { actors, names, network, crashes, restarts, is_quick, record, .. } = self;
        f.debug_struct("Actors")
            .field("actors", actors)
            .field("names", names)
            .field("network", network)
            .field("crashes", crashes)
            .field("restarts", restarts)
            .field("timers_wait_for_messages", is_quick)
            .field("record", record)
            .finish()
    }
}

impl<A, H> Model for Actors<A, H>
where
    A: Actor,
    H: Clone + Eq + Hash + Debug + Send + Sync + 'static,
{
    type State = WorldOf<A, H>;
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
            record: self.record.clone(),
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

    /// `Deliver.A.B.Ask.1`: with the names of actors, as words.
    fn event(&self, step: &Self::Action) -> String {
        let name = |id: &Id| match self.names.get(id.0) {
            Some(name) => word(name),
            None => id.0.to_string(),
        };
        let carried = |what: &str, (from, to): (&Id, &Id), message: &A::Message| {
            (format!("{what}.{}.{}", name(from), name(to)), shown::words(message))
        };
        let (start, end) = match step {
            Step::Deliver { from, to, message } => carried("Deliver", (from, to), message),
            Step::Repeat { from, to, message } => carried("Repeat", (from, to), message),
            Step::Lose { from, to, message } => carried("Lose", (from, to), message),
            Step::Timeout(id, timer) => (format!("Timeout.{}", name(id)), shown::words(timer)),
            Step::Crash(id) => (format!("Crash.{}", name(id)), String::new()),
            Step::Restart(id) => (format!("Restart.{}", name(id)), String::new()),
            Step::Split(at) => (format!("Split.{at}"), String::new()),
            Step::Heal => ("Heal".to_owned(), String::new()),
        };
        if end.is_empty() { start } else { format!("{start}.{end}") }
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
            let parts = shown::fields(&**state);
            let named = |(part, text): (String, String)| match part.as_str() {
                "state" => (name.clone(), text),
                _ => (format!("{name}.{part}"), text),
            };
            all.extend(parts.into_iter().map(named));
        }
        let traffic = world.traffic.iter();
        let name = |id: Id| match self.names.get(id.0) {
            Some(name) => name.clone(),
            None => id.0.to_string(),
        };
        let message = |(from, to, message)| format!("{}→{} {message:?}", name(from), name(to));
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
        if self.recorder.is_some() {
            let parts = shown::fields(&world.record);
            let named = |(part, text): (String, String)| match part.as_str() {
                "state" => ("record".to_owned(), text),
                _ => (format!("record.{part}"), text),
            };
            all.extend(parts.into_iter().map(named));
        }
        all
    }
}

impl<A, H> Symmetric for Actors<A, H>
where
    A: Actor<State: Permute + Ord, Message: Permute, Timer: Permute>,
    H: Permute + Clone + Ord + Hash + Debug + Send + Sync + 'static,
{
    fn interchangeable(&self) -> usize {
        self.alike.len()
    }

    fn permute(&self, world: &Self::State, places: &[usize]) -> Self::State {
        // The places of all actors, whether or not they are interchangeable.
        let mut all: Vec<usize> = (0..self.actors.len()).collect();
        for (one, other) in self.alike.iter().zip(places).map(|(one, &at)| (*one, self.alike[at])) {
            all[one.0] = other.0;
        }
        let moved = |id: Id| Permute::permute(&id, &all);
        let mut next = world.clone();
        for (at, (state, timers)) in world.actors.iter().zip(&world.timers).enumerate() {
            next.actors[all[at]] = Permute::permute(state, &all);
            next.timers[all[at]] = Permute::permute(timers, &all);
        }
        next.traffic = Traffic::new();
        // Those that were on their way together have room together.
        let roomy = Network { capacity: None, ..self.network.clone() };
        for (from, to, message) in world.traffic.iter() {
            let message = Permute::permute(message, &all);
            next.traffic.send(&roomy, moved(from), moved(to), message);
        }
        next.down = Permute::permute(&world.down, &all);
        next.split = world.split.map(|at| {
            let cut = Permute::permute(&self.network.partitions[at], &all);
            self.network.partitions.iter().position(|other| *other == cut).unwrap_or(at)
        });
        next.record = Permute::permute(&world.record, &all);
        next
    }
}
