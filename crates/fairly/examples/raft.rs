//! Leader election as in Raft, with actors: a candidate asks for votes until it has a majority.
//!
//! After Ongaro and Ousterhout, *In search of an understandable consensus algorithm* (2014), section 5.2, without
//! logs. Terms are bounded, so that there are finitely many states: in the last term candidates ask again, and do not
//! begin another one.

use fairly::actor::{
    Actor, Actors, Id, Network, Out, World, fair_actors, fair_delivery, fair_timers,
};
use fairly::{Check, check};

/// A server that knows how many terms there are.
#[derive(Clone)]
struct Server {
    terms: u8,
    /// Whether it becomes a candidate.
    stands: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Role {
    Follower,
    Candidate,
    Leader,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    role: Role,
    term: u8,
    voted_for: Option<Id>,
    /// Who has voted for this server in this term, as bits.
    votes: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Message {
    /// Asks for a vote in a term.
    Ask(u8),
    /// Gives it.
    Vote(u8),
    /// Says who leads in a term.
    Lead(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Timer {
    /// No leader was heard of, or an election took too long.
    Election,
    /// Time to say again what may have been lost.
    Again,
}

impl Server {
    fn meet(&self, state: &mut State, term: u8, out: &mut Out<Self>) {
        if term > state.term {
            (state.role, state.term) = (Role::Follower, term);
            (state.voted_for, state.votes) = (None, 0);
            out.cancel_timer(&Timer::Again);
            self.wait(out);
        }
    }

    fn wait(&self, out: &mut Out<Self>) {
        if self.stands {
            out.set_timer(Timer::Election, Out::<Self>::SOON);
        }
    }

    fn say(state: &State, out: &mut Out<Self>) {
        match state.role {
            Role::Candidate => out.broadcast(&Message::Ask(state.term)),
            Role::Leader => out.broadcast(&Message::Lead(state.term)),
            Role::Follower => return,
        }
        out.set_timer(Timer::Again, Out::<Self>::SOON);
    }
}

impl Actor for Server {
    type State = State;
    type Message = Message;
    type Timer = Timer;

    fn start(&self, _: Id, out: &mut Out<Self>) -> State {
        self.wait(out);
        State { role: Role::Follower, term: 0, voted_for: None, votes: 0 }
    }

    fn receive(&self, _: Id, state: &mut State, from: Id, message: Message, out: &mut Out<Self>) {
        match message {
            Message::Ask(term) => {
                self.meet(state, term, out);
                let is_free = state.voted_for.is_none_or(|voted| voted == from);
                if term == state.term && is_free && state.role == Role::Follower {
                    state.voted_for = Some(from);
                    out.send(from, Message::Vote(term));
                }
            }
            Message::Vote(term) if term == state.term && state.role == Role::Candidate => {
                state.votes |= 1 << from.0;
                let all = out.others().len() + 1;
                if 2 * state.votes.count_ones() as usize > all {
                    state.role = Role::Leader;
                    out.cancel_timer(&Timer::Election);
                    Server::say(state, out);
                }
            }
            Message::Vote(_) => {}
            Message::Lead(term) => {
                self.meet(state, term, out);
                if term == state.term && state.role != Role::Leader {
                    state.role = Role::Follower;
                    out.cancel_timer(&Timer::Election);
                    out.cancel_timer(&Timer::Again);
                }
            }
        }
    }

    fn timeout(&self, id: Id, state: &mut State, timer: Timer, out: &mut Out<Self>) {
        match timer {
            Timer::Election if state.term == self.terms => self.wait(out),
            Timer::Election => {
                (state.role, state.term) = (Role::Candidate, state.term + 1);
                (state.voted_for, state.votes) = (Some(id), 1 << id.0);
                self.wait(out);
                Server::say(state, out);
            }
            Timer::Again => Server::say(state, out),
        }
    }

    /// The term and the vote are in stable storage.
    fn restart(&self, id: Id, stored: &State, out: &mut Out<Self>) -> State {
        let fresh = self.start(id, out);
        State { term: stored.term, voted_for: stored.voted_for, ..fresh }
    }
}

type Cluster = World<State, Message, Timer>;

/// Three servers, of which so many stand. Messages are lost, and between two servers no more than one is on its way.
fn cluster(standing: usize) -> Actors<Server> {
    let network = Network::new().ordered().lossy().capacity(1);
    let servers = (0..3).map(|at| Server { terms: 1, stands: at < standing });
    Actors::new(servers).named(["A", "B", "C"]).network(network)
}

fn leaders(world: &Cluster) -> impl Iterator<Item = u8> {
    world.actors.iter().filter(|it| it.role == Role::Leader).map(|it| it.term)
}

fn two_lead_in_one_term(world: &Cluster) -> bool {
    let terms: Vec<u8> = leaders(world).collect();
    (1..terms.len()).any(|at| terms[..at].contains(&terms[at]))
}

fn elected(servers: &Actors<Server>) -> Check<Actors<Server>> {
    let has_leader = |world: &Cluster| leaders(world).next().is_some();
    check(servers).eventually("elected", has_leader).save_nothing().without_least()
}

#[test]
fn no_two_lead_in_one_term() {
    let crashing = cluster(2).crashes(1).restarts();
    check(&crashing).never("two leaders", two_lead_in_one_term).assert_holds();
}

/// What fails: without fair timers no server asks for votes; without fair delivery none hears of it.
#[test]
fn a_leader_needs_fair_delivery_and_fair_timers() {
    let servers = cluster(2);
    assert!(elected(&servers).verdict().is_violated());
    assert!(elected(&servers).assume(fair_actors()).verdict().is_violated());
    assert!(elected(&servers).assume(fair_delivery()).verdict().is_violated());
    assert!(elected(&servers).assume(fair_timers()).verdict().is_violated());
    elected(&servers).assume(fair_timers()).assume(fair_delivery()).assert_holds();
}

/// The least fairness: both, and nothing of the actors, who do what messages and timers have them do.
#[test]
fn the_least_fairness_of_an_election() {
    let least = elected(&cluster(2)).least_of([
        ("fair actors", fair_actors()),
        ("fair timers", fair_timers()),
        ("fair delivery", fair_delivery()),
    ]);
    assert_eq!(least.expect("answers"), [["fair timers", "fair delivery"]]);
}

/// If all three vote for themselves, no fairness of the network helps: it takes another term, and luck. Timers that
/// are longer than messages take are what Raft relies on.
#[test]
fn three_candidates_may_split_the_votes() {
    let servers = cluster(3);
    let fair =
        |servers: &Actors<Server>| elected(servers).assume(fair_timers()).assume(fair_delivery());
    assert!(fair(&servers).verdict().is_violated());
    let reliable = servers.network(Network::new().ordered().capacity(1));
    assert!(fair(&reliable).verdict().is_violated());
    fair(&reliable.timers_wait_for_messages()).assert_holds();
}

/// The same servers as threads elect a leader, and agree on it.
#[test]
fn the_same_servers_run() {
    use std::time::Duration;
    let servers = fairly::actor::run::in_memory(vec![Server { terms: u8::MAX, stands: true }; 3]);
    let long = Duration::from_secs(60);
    let leads = |state: &State| state.role == Role::Leader;
    let found = std::thread::scope(|scope| {
        let threads: Vec<_> = servers
            .iter()
            .map(|it| scope.spawn(move || it.wait_for(long, |s| s.term > 0)))
            .collect();
        threads.into_iter().all(|thread| thread.join().expect("no panic"))
    });
    assert!(found, "every server hears of an election");
    let started = std::time::Instant::now();
    while !servers.iter().any(|it| it.state().is_some_and(|state| leads(&state))) {
        assert!(started.elapsed() < long, "a leader comes some time");
        std::thread::sleep(Duration::from_millis(5));
    }
}
