//! Actors that send each other messages and set timers: checked, and run.
//!
//! An [`Actor`] says how it starts, and what it does when a message comes or a timer goes off. [`Actors`] puts some of
//! them and a [`Network`] together as a [`Model`](crate::Model), in which everything that can happen is an action: a
//! message is delivered, lost or repeated, a timer goes off, an actor crashes. [`run`] lets the same actors run as
//! threads, with messages in memory or over UDP, so that what is checked is what ships.
//!
//! ```
//! use fairly::actor::{Actor, Actors, Id, Network, Out, fair_actors, fair_delivery};
//! use fairly::check;
//!
//! /// Sends a greeting again and again until it is answered.
//! #[derive(Clone)]
//! struct Greeter;
//!
//! #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
//! enum Message {
//!     Hello,
//!     Welcome,
//! }
//!
//! impl Actor for Greeter {
//!     type State = bool;
//!     type Message = Message;
//!     type Timer = ();
//!
//!     fn start(&self, id: Id, out: &mut Out<Self>) -> bool {
//!         if id == Id(0) {
//!             out.send(Id(1), Message::Hello);
//!             out.set_timer((), Out::<Self>::SOON);
//!         }
//!         false
//!     }
//!
//!     fn receive(&self, _: Id, greeted: &mut bool, from: Id, message: Message, out: &mut Out<Self>) {
//!         *greeted = true;
//!         match message {
//!             Message::Hello => out.send(from, Message::Welcome),
//!             Message::Welcome => out.cancel_timer(&()),
//!         }
//!     }
//!
//!     fn timeout(&self, _: Id, _: &mut bool, (): (), out: &mut Out<Self>) {
//!         out.send(Id(1), Message::Hello);
//!         out.set_timer((), Out::<Self>::SOON);
//!     }
//! }
//!
//! // The network loses messages, and no more than one is on its way between two actors.
//! let two = Actors::new(vec![Greeter; 2]).network(Network::new().lossy().capacity(1));
//! let greeted = || check(&two).eventually("greeted", |world| *world.actors[0]).save_nothing();
//! assert!(greeted().assume(fair_actors()).verdict().is_violated());
//! greeted().assume(fair_actors()).assume(fair_delivery()).assert_holds();
//! ```

use std::fmt::{self, Debug};
use std::hash::Hash;
use std::ops::Range;
use std::time::Duration;

use crate::fairness::{Fairness, strong, weak};

mod network;
pub mod run;
mod world;

pub use network::{Network, Traffic};
pub use world::{Actors, Seen, Step, World};

/// An actor, by its position among all of them.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub usize);

/// The number alone, so that a message `Vote(Id(1))` makes events that are called `Deliver.A.B.Vote.1`.
impl Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A process with a state of its own that receives messages and timeouts, one at a time. All actors of a system have
/// one type; where there are several kinds, it is an enumeration of them.
pub trait Actor: Clone + Send + Sync + 'static {
    /// Everything that the actor remembers.
    type State: Clone + Eq + Hash + Debug + Send + Sync + 'static;
    /// The messages.
    type Message: Clone + Ord + Hash + Debug + Send + Sync + 'static;
    /// The names of timers.
    type Timer: Clone + Ord + Hash + Debug + Send + Sync + 'static;

    /// Starts: gives the first state, and may send messages and set timers.
    fn start(&self, id: Id, out: &mut Out<Self>) -> Self::State;

    /// Receives a message.
    fn receive(
        &self,
        id: Id,
        state: &mut Self::State,
        from: Id,
        message: Self::Message,
        out: &mut Out<Self>,
    );

    /// A timer has gone off. It is not set any more.
    fn timeout(
        &self,
        _id: Id,
        _state: &mut Self::State,
        _timer: Self::Timer,
        _out: &mut Out<Self>,
    ) {
    }

    /// Starts again after a crash. The state at the crash is there for what the actor keeps in stable storage; the
    /// default keeps nothing.
    fn restart(&self, id: Id, _stored: &Self::State, out: &mut Out<Self>) -> Self::State {
        self.start(id, out)
    }
}

/// Effects of one thing that an actor does.
pub struct Out<A: Actor> {
    pub(crate) others: Vec<Id>,
    pub(crate) effects: Vec<Effect<A>>,
}

pub(crate) enum Effect<A: Actor> {
    Send(Id, A::Message),
    Set(A::Timer, Range<Duration>),
    Cancel(A::Timer),
}

impl<A: Actor> Out<A> {
    /// A short time, for timers whose length does not matter.
    pub const SOON: Range<Duration> = Duration::from_millis(50)..Duration::from_millis(100);

    pub(crate) fn new(id: Id, count: usize) -> Out<A> {
        let others = (0..count).map(Id).filter(|&other| other != id).collect();
        Out { others, effects: Vec::new() }
    }

    /// Sends a message.
    pub fn send(&mut self, to: Id, message: A::Message) {
        self.effects.push(Effect::Send(to, message));
    }

    /// Sends a message to all other actors.
    pub fn broadcast(&mut self, message: &A::Message) {
        for to in self.others.clone() {
            self.send(to, message.clone());
        }
    }

    /// The other actors.
    pub fn others(&self) -> &[Id] {
        &self.others
    }

    /// Sets a timer. An actor that runs waits for some time in the range; a check knows no lengths of time, and the
    /// timer may go off at any time. A timer that is set already is set anew.
    pub fn set_timer(&mut self, timer: A::Timer, after: Range<Duration>) {
        self.effects.push(Effect::Set(timer, after));
    }

    /// Has a timer not go off any more.
    pub fn cancel_timer(&mut self, timer: &A::Timer) {
        self.effects.push(Effect::Cancel(timer.clone()));
    }
}

/// Every actor that can do something from some time on does something again and again.
///
/// ```
/// assert_eq!(fairly::actor::fair_actors(), fairly::weak().processes());
/// ```
#[must_use]
pub fn fair_actors() -> Fairness {
    weak().processes()
}

/// A message that is sent again and again is received again and again.
///
/// ```
/// assert_eq!(fairly::actor::fair_delivery(), fairly::strong().each_event("Deliver.*"));
/// ```
#[must_use]
pub fn fair_delivery() -> Fairness {
    strong().each_event("Deliver.*")
}

/// A timer that stays set goes off.
///
/// ```
/// assert_eq!(fairly::actor::fair_timers(), fairly::weak().each_event("Timeout.*"));
/// ```
#[must_use]
pub fn fair_timers() -> Fairness {
    weak().each_event("Timeout.*")
}

/// A network that is split is whole again some time.
///
/// ```
/// assert_eq!(fairly::actor::fair_healing(), fairly::weak().event("Heal"));
/// ```
#[must_use]
pub fn fair_healing() -> Fairness {
    weak().event("Heal")
}

/// An actor that has crashed starts again some time.
///
/// ```
/// assert_eq!(fairly::actor::fair_restarts(), fairly::weak().each_event("Restart.*"));
/// ```
#[must_use]
pub fn fair_restarts() -> Fairness {
    weak().each_event("Restart.*")
}
