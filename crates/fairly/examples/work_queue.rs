//! A work queue: a job is sent again until it is acknowledged, so it is done at least once.

use fairly::actor::{Actor, Actors, Id, Network, Out, World, fair_delivery, fair_timers, run};
use fairly::check;

/// The one who has the jobs, and the one who does them.
#[derive(Clone)]
enum Role {
    Queue { jobs: u8 },
    Worker,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum State {
    /// The next job that is not acknowledged.
    Queue { next: u8 },
    /// How often each job was done: never, once, or more often.
    Worker { done: [u8; 2] },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Message {
    Job(u8),
    Done(u8),
}

impl run::Wire for Message {
    fn encode(&self) -> Vec<u8> {
        match *self {
            Message::Job(job) => vec![0, job],
            Message::Done(job) => vec![1, job],
        }
    }

    fn decode(bytes: &[u8]) -> Option<Message> {
        match *bytes {
            [0, job] => Some(Message::Job(job)),
            [1, job] => Some(Message::Done(job)),
            _ => None,
        }
    }
}

const WORKER: Id = Id(1);

impl Actor for Role {
    type State = State;
    type Message = Message;
    type Timer = ();

    fn start(&self, _: Id, out: &mut Out<Self>) -> State {
        match self {
            Role::Queue { .. } => {
                out.send(WORKER, Message::Job(0));
                out.set_timer((), Out::<Self>::SOON);
                State::Queue { next: 0 }
            }
            Role::Worker => State::Worker { done: [0; 2] },
        }
    }

    fn receive(&self, _: Id, state: &mut State, from: Id, message: Message, out: &mut Out<Self>) {
        match (self, state, message) {
            (Role::Worker, State::Worker { done }, Message::Job(job)) => {
                if let Some(times) = done.get_mut(usize::from(job)) {
                    *times = (*times + 1).min(2);
                }
                out.send(from, Message::Done(job));
            }
            (Role::Queue { jobs }, State::Queue { next }, Message::Done(job)) if job == *next => {
                *next += 1;
                match next < &mut jobs.clone() {
                    true => out.send(WORKER, Message::Job(*next)),
                    false => out.cancel_timer(&()),
                }
            }
            _ => {}
        }
    }

    fn timeout(&self, _: Id, state: &mut State, (): (), out: &mut Out<Self>) {
        if let State::Queue { next } = *state {
            out.send(WORKER, Message::Job(next));
            out.set_timer((), Out::<Self>::SOON);
        }
    }
}

fn system() -> Vec<Role> {
    vec![Role::Queue { jobs: 2 }, Role::Worker]
}

fn times(world: &World<State, Message, ()>, job: usize) -> u8 {
    match *world.actors[1] {
        State::Worker { done } => done[job],
        State::Queue { .. } => 0,
    }
}

fn is_over(state: &State) -> bool {
    *state == State::Queue { next: 2 }
}

#[test]
fn every_job_is_done_at_least_once() {
    let network = Network::new().lossy().duplicating().capacity(1);
    let queue = Actors::new(system()).named(["Queue", "Worker"]).network(network);
    let over = || {
        check(&queue)
            .eventually("over", |world| is_over(&world.actors[0]))
            .save_nothing()
            .without_least()
    };
    assert!(over().assume(fair_timers()).verdict().is_violated());
    over().assume(fair_timers()).assume(fair_delivery()).assert_holds();
    check(&queue)
        .always("acknowledged jobs are done", |world| {
            !is_over(&world.actors[0]) || (0..2).all(|job| times(world, job) > 0)
        })
        .assert_holds();
    let once = check(&queue).always("at most once", |world| times(world, 0) <= 1).save_nothing();
    assert!(once.verdict().is_violated());
}

/// The same actors do the work over UDP.
#[test]
fn the_same_queue_runs_over_udp() {
    use std::net::UdpSocket;
    let bind = |_| UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let sockets: Vec<UdpSocket> = (0..2).map(bind).collect();
    let addresses: Vec<_> =
        sockets.iter().map(|socket| socket.local_addr().expect("an address")).collect();
    // A stranger, whose messages mean nothing.
    let stranger = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let running: Vec<_> = system()
        .into_iter()
        .zip(sockets)
        .enumerate()
        .map(|(at, (role, socket))| run::udp(role, Id(at), socket, &addresses).expect("it runs"))
        .collect();
    stranger.send_to(&[9, 9, 9], addresses[0]).expect("sent");
    assert!(running[0].wait_for(std::time::Duration::from_secs(60), is_over));
    let states: Vec<_> = running.into_iter().map(|actor| actor.stop().expect("no panic")).collect();
    assert!(matches!(states[1], State::Worker { done } if done.iter().all(|&times| times > 0)));
}
