//! Actors as threads, with messages in memory or over UDP.
//!
//! The same [`Actor`] that is checked is run here. Its timers go off after a time in the range that they were set
//! with. A network in memory loses nothing; UDP may lose, repeat and reorder messages.

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::{Actor, Effect, Id, Out};

/// Messages as bytes, to be sent.
///
/// ```
/// use fairly::actor::run::Wire;
///
/// #[derive(Debug, PartialEq)]
/// struct Tick(u8);
///
/// impl Wire for Tick {
///     fn encode(&self) -> Vec<u8> {
///         vec![self.0]
///     }
///
///     fn decode(bytes: &[u8]) -> Option<Tick> {
///         match bytes {
///             [tick] => Some(Tick(*tick)),
///             _ => None,
///         }
///     }
/// }
/// assert_eq!(Tick::decode(&Tick(3).encode()), Some(Tick(3)));
/// ```
pub trait Wire: Sized {
    /// The message as bytes.
    fn encode(&self) -> Vec<u8>;

    /// The message that bytes stand for; none if they stand for nothing.
    fn decode(bytes: &[u8]) -> Option<Self>;
}

/// How long a thread waits before it looks again whether to stop.
const GLANCE: Duration = Duration::from_millis(20);
/// The most bytes that come in one message.
const DATAGRAM: usize = 65_536;

/// An actor that runs. It stops when this is dropped.
pub struct Running<A: Actor> {
    stops: Arc<AtomicBool>,
    state: Arc<Mutex<Option<A::State>>>,
    thread: Option<JoinHandle<()>>,
}

impl<A: Actor> Running<A> {
    /// The present state; none if the actor has not started yet.
    pub fn state(&self) -> Option<A::State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until a test of the state is true, but not longer than a time. Whether it was.
    pub fn wait_for(&self, most: Duration, test: impl Fn(&A::State) -> bool) -> bool {
        let started = Instant::now();
        loop {
            if self.state().is_some_and(|state| test(&state)) {
                return true;
            }
            if started.elapsed() >= most || self.thread.as_ref().is_none_or(JoinHandle::is_finished)
            {
                return false;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Stops the actor, and gives its last state; none if it did not start or has panicked.
    pub fn stop(mut self) -> Option<A::State> {
        let is_well = self.end();
        self.state().filter(|_| is_well)
    }

    fn end(&mut self) -> bool {
        self.stops.store(true, Ordering::Relaxed);
        self.thread.take().is_none_or(|thread| thread.join().is_ok())
    }
}

impl<A: Actor> Drop for Running<A> {
    fn drop(&mut self) {
        self.end();
    }
}

/// Carries messages to and from one actor.
trait Transport<M>: Send + 'static {
    fn send(&mut self, to: Id, message: M);

    /// The next message that comes within a time.
    fn receive(&mut self, within: Duration) -> Option<(Id, M)>;
}

struct InMemory<M> {
    id: Id,
    others: Vec<Sender<(Id, M)>>,
    own: Receiver<(Id, M)>,
}

impl<M: Send + 'static> Transport<M> for InMemory<M> {
    fn send(&mut self, to: Id, message: M) {
        // One that has stopped receives nothing.
        if let Some(other) = self.others.get(to.0) {
            let _ = other.send((self.id, message));
        }
    }

    fn receive(&mut self, within: Duration) -> Option<(Id, M)> {
        match self.own.recv_timeout(within) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                thread::sleep(within);
                None
            }
        }
    }
}

struct Udp {
    socket: UdpSocket,
    addresses: Vec<SocketAddr>,
    buffer: Vec<u8>,
}

impl<M: Wire> Transport<M> for Udp {
    fn send(&mut self, to: Id, message: M) {
        // What cannot be sent is lost, as it may be on its way.
        if let Some(address) = self.addresses.get(to.0) {
            let _ = self.socket.send_to(&message.encode(), address);
        }
    }

    fn receive(&mut self, within: Duration) -> Option<(Id, M)> {
        self.socket.set_read_timeout(Some(within.max(Duration::from_micros(100)))).ok()?;
        let (length, sender) = self.socket.recv_from(&mut self.buffer).ok()?;
        let from = self.addresses.iter().position(|&address| address == sender)?;
        Some((Id(from), M::decode(&self.buffer[..length])?))
    }
}

/// Runs actors as threads that send each other messages in memory.
///
/// ```
/// # use fairly::actor::{Actor, Id, Out, run};
/// # use std::time::Duration;
/// /// Counts up to ten, together with another one.
/// #[derive(Clone)]
/// struct Player;
///
/// impl Actor for Player {
///     type State = u32;
///     type Message = u32;
///     type Timer = ();
///
///     fn start(&self, id: Id, out: &mut Out<Self>) -> u32 {
///         if id == Id(0) {
///             out.send(Id(1), 1);
///         }
///         0
///     }
///
///     fn receive(&self, _: Id, last: &mut u32, from: Id, count: u32, out: &mut Out<Self>) {
///         *last = count;
///         if count < 10 {
///             out.send(from, count + 1);
///         }
///     }
/// }
///
/// let players = run::in_memory(vec![Player, Player]);
/// assert!(players[0].wait_for(Duration::from_secs(60), |last| *last == 10));
/// ```
pub fn in_memory<A: Actor>(actors: Vec<A>) -> Vec<Running<A>> {
    let count = actors.len();
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..count).map(|_| channel()).unzip();
    let start = |((at, actor), own)| {
        let transport = InMemory { id: Id(at), others: senders.clone(), own };
        spawn(actor, Id(at), count, transport)
    };
    actors.into_iter().enumerate().zip(receivers).map(start).collect()
}

/// Runs one actor as a thread that sends messages over UDP. The addresses are those of all actors, its own included,
/// which is the one that the socket is bound to. Messages from other addresses, and those that stand for nothing, are
/// passed over.
///
/// # Errors
/// If the socket cannot be used.
pub fn udp<A: Actor>(
    actor: A,
    id: Id,
    socket: UdpSocket,
    addresses: &[SocketAddr],
) -> io::Result<Running<A>>
where
    A::Message: Wire,
{
    socket.set_read_timeout(Some(GLANCE))?;
    let transport = Udp { socket, addresses: addresses.to_vec(), buffer: vec![0; DATAGRAM] };
    Ok(spawn(actor, id, addresses.len(), transport))
}

fn spawn<A: Actor>(
    actor: A,
    id: Id,
    count: usize,
    transport: impl Transport<A::Message>,
) -> Running<A> {
    let stops = Arc::new(AtomicBool::new(false));
    let state = Arc::new(Mutex::new(None));
    let shared = (Arc::clone(&stops), Arc::clone(&state));
    let thread = thread::spawn(move || {
        let clock = Clock { timers: BTreeMap::new(), drawn: 0, seed: Default::default() };
        Node { actor, id, count, transport, clock }.run(&shared.0, &shared.1);
    });
    Running { stops, state, thread: Some(thread) }
}

/// The timers of an actor that runs.
struct Clock<T> {
    timers: BTreeMap<T, Instant>,
    /// How many lengths of time were drawn, each by a hash with a random key.
    drawn: u64,
    seed: std::hash::RandomState,
}

impl<T: Clone + Ord> Clock<T> {
    fn set(&mut self, timer: T, after: &Range<Duration>) {
        self.drawn += 1;
        let part = self.seed.hash_one(self.drawn) as f64 / u64::MAX as f64;
        let spare = after.end.saturating_sub(after.start);
        let length = after.start + spare.mul_f64(part.clamp(0.0, 1.0));
        let now = Instant::now();
        self.timers.insert(timer, now.checked_add(length).unwrap_or(now));
    }

    /// The timer that goes off next, and when.
    fn next(&self) -> Option<(T, Instant)> {
        let (timer, when) = self.timers.iter().min_by_key(|(_, when)| **when)?;
        Some((timer.clone(), *when))
    }
}

struct Node<A: Actor, T> {
    actor: A,
    id: Id,
    count: usize,
    transport: T,
    clock: Clock<A::Timer>,
}

impl<A: Actor, T: Transport<A::Message>> Node<A, T> {
    fn run(mut self, stops: &AtomicBool, shown: &Mutex<Option<A::State>>) {
        let show = |state: &A::State| {
            *shown.lock().unwrap_or_else(PoisonError::into_inner) = Some(state.clone());
        };
        let mut out = Out::new(self.id, self.count);
        let mut state = self.actor.start(self.id, &mut out);
        show(&state);
        self.apply(out);
        while !stops.load(Ordering::Relaxed) {
            let next = self.clock.next();
            let now = Instant::now();
            let mut out = Out::new(self.id, self.count);
            if let Some((timer, _)) = next.clone().filter(|(_, when)| *when <= now) {
                self.clock.timers.remove(&timer);
                self.actor.timeout(self.id, &mut state, timer, &mut out);
            } else {
                let left = next.map_or(GLANCE, |(_, when)| when.saturating_duration_since(now));
                let Some((from, message)) = self.transport.receive(left.min(GLANCE)) else {
                    continue;
                };
                self.actor.receive(self.id, &mut state, from, message, &mut out);
            }
            show(&state);
            self.apply(out);
        }
    }

    fn apply(&mut self, out: Out<A>) {
        for effect in out.effects {
            match effect {
                Effect::Send(to, message) => self.transport.send(to, message),
                Effect::Set(timer, after) => self.clock.set(timer, &after),
                Effect::Cancel(timer) => {
                    self.clock.timers.remove(&timer);
                }
            }
        }
    }
}
