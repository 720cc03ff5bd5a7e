//! Single-decree Paxos with actors: proposers, acceptors, and what they decide.
//!
//! After Lamport, *Paxos made simple* (2001). A proposer has one ballot, and is an acceptor too.

use std::collections::BTreeMap;

use fairly::actor::{Actor, Actors, Id, Network, Out, World, fair_actors, fair_delivery};
use fairly::check;

/// A server that may propose a value: its own number.
#[derive(Clone)]
struct Server {
    proposes: bool,
    /// Whether it forgets to ask for values that were accepted before: a mistake.
    forgets: bool,
}

type Ballot = usize;
type Value = usize;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct State {
    /// The highest ballot that it has promised to take part in.
    promised: Option<Ballot>,
    accepted: Option<(Ballot, Value)>,
    /// As a proposer: who has promised, and what they had accepted.
    promises: BTreeMap<Id, Option<(Ballot, Value)>>,
    accepts: u8,
    decided: Option<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Message {
    Prepare(Ballot),
    Promise(Ballot, Option<(Ballot, Value)>),
    Accept(Ballot, Value),
    Accepted(Ballot),
    Decided(Value),
}

impl Server {
    fn is_majority(count: usize, out: &Out<Self>) -> bool {
        2 * count > out.others().len() + 1
    }

    fn promise(
        &self,
        id: Id,
        state: &mut State,
        from: Id,
        before: Option<(Ballot, Value)>,
        out: &mut Out<Self>,
    ) {
        let ballot = id.0;
        if Server::is_majority(state.promises.len(), out) {
            return;
        }
        state.promises.insert(from, before);
        if Server::is_majority(state.promises.len(), out) {
            let highest = state.promises.values().flatten().max().filter(|_| !self.forgets);
            let value = highest.map_or(id.0, |&(_, value)| value);
            out.broadcast(&Message::Accept(ballot, value));
            if state.promised <= Some(ballot) {
                (state.promised, state.accepted) = (Some(ballot), Some((ballot, value)));
                state.accepts |= 1 << id.0;
            }
        }
    }
}

impl Actor for Server {
    type State = State;
    type Message = Message;
    type Timer = ();

    fn start(&self, id: Id, out: &mut Out<Self>) -> State {
        let mut state = State::default();
        if self.proposes {
            out.broadcast(&Message::Prepare(id.0));
            state.promised = Some(id.0);
            state.promises.insert(id, None);
        }
        state
    }

    fn receive(&self, id: Id, state: &mut State, from: Id, message: Message, out: &mut Out<Self>) {
        match message {
            Message::Prepare(ballot) if state.promised < Some(ballot) => {
                state.promised = Some(ballot);
                out.send(from, Message::Promise(ballot, state.accepted));
            }
            Message::Promise(ballot, before) if ballot == id.0 => {
                self.promise(id, state, from, before, out);
            }
            Message::Accept(ballot, value) if state.promised <= Some(ballot) => {
                (state.promised, state.accepted) = (Some(ballot), Some((ballot, value)));
                out.send(from, Message::Accepted(ballot));
            }
            Message::Accepted(ballot) if ballot == id.0 => {
                state.accepts |= 1 << from.0;
                if Server::is_majority(state.accepts.count_ones() as usize, out)
                    && state.decided.is_none()
                    && let Some((_, value)) = state.accepted
                {
                    state.decided = Some(value);
                    out.broadcast(&Message::Decided(value));
                }
            }
            Message::Decided(value) => state.decided = Some(value),
            _ => {}
        }
    }
}

type Cluster = World<State, Message, ()>;

/// Three servers, of which so many propose.
fn cluster(proposers: usize, forgets: bool) -> Actors<Server> {
    Actors::new((0..3).map(|at| Server { proposes: at < proposers, forgets }))
}

fn disagree(world: &Cluster) -> bool {
    let decided: Vec<Value> = world.actors.iter().filter_map(|it| it.decided).collect();
    decided.windows(2).any(|pair| pair[0] != pair[1])
}

#[test]
fn no_two_values_are_decided() {
    let lossy = cluster(2, false).network(Network::new().lossy());
    check(&lossy).never("two values", disagree).assert_holds();
}

/// A proposer that does not ask what was accepted before decides another value.
#[test]
fn a_proposer_has_to_ask_what_was_accepted() {
    let verdict = check(&cluster(2, true)).never("two values", disagree).save_nothing().verdict();
    assert!(verdict.is_violated());
}

/// The proposer with the highest ballot comes through if messages do.
#[test]
fn a_value_is_decided() {
    let decides = |servers: &Actors<Server>| {
        let done = |world: &Cluster| world.actors.iter().all(|it| it.decided.is_some());
        check(servers).eventually("decided", done).save_nothing().without_least()
    };
    decides(&cluster(1, false)).assume(fair_actors()).assert_holds();
    let lossy = cluster(1, false).network(Network::new().lossy());
    assert!(
        decides(&lossy).assume(fair_delivery()).verdict().is_violated(),
        "nothing is sent again"
    );
    decides(&cluster(2, false)).assume(fair_actors()).assert_holds();
}
