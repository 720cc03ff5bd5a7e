//! Registers that servers keep for clients: in one copy, in a majority of copies, and agreed on by Paxos.
//!
//! Every client writes a letter of its own and then reads. What it calls and what returns is recorded as a history,
//! which has to be linearizable. The servers of the second kind are those of Attiya, Bar-Noy and Dolev, *Sharing
//! memory robustly in message-passing systems* (1995); the third kind is Lamport's *Paxos made simple* (2001), with a
//! ballot for each write. Users of stateright know these systems: its examples have as many states.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::hash::Hash;

use fairly::actor::{Actor, Actors, Id, Out, Seen, Step, World};
use fairly::history::{History, Register, RegisterCall, RegisterReturn};
use fairly::{Check, Model, Part, check};

type Request = usize;

/// A message: of a client, to one, or between servers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Message<I> {
    Put(Request, char),
    Get(Request),
    PutOk(Request),
    GetOk(Request, char),
    Internal(I),
}

/// Messages that are to be sent.
type Sends<I> = Vec<(Id, Message<I>)>;

/// A kind of servers.
pub(crate) trait Server: Clone + Debug + Send + Sync + 'static {
    type State: Clone + Eq + Hash + Debug + Send + Sync + 'static;
    type Internal: Clone + Ord + Hash + Debug + Send + Sync + 'static;

    fn start(&self, id: Id) -> Self::State;

    fn receive(
        &self,
        id: Id,
        state: &mut Self::State,
        from: Id,
        message: Message<Self::Internal>,
    ) -> Sends<Self::Internal>;
}

/// One of the servers, which come first, or of the clients.
#[derive(Clone, Debug)]
pub(crate) enum Node<S> {
    Server(S),
    Client { servers: usize },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum State<S> {
    Server(S),
    /// The request that it waits for, and how many it has sent.
    Client(Option<Request>, usize),
}

impl<S: Server> Actor for Node<S> {
    type State = State<S::State>;
    type Message = Message<S::Internal>;
    type Timer = ();

    fn start(&self, id: Id, out: &mut Out<Self>) -> Self::State {
        match self {
            Node::Server(server) => State::Server(server.start(id)),
            Node::Client { servers } => {
                let letter = char::from(b'A' + (id.0 - servers) as u8);
                out.send(Id(id.0 % servers), Message::Put(id.0, letter));
                State::Client(Some(id.0), 1)
            }
        }
    }

    fn receive(
        &self,
        id: Id,
        state: &mut Self::State,
        from: Id,
        message: Message<S::Internal>,
        out: &mut Out<Self>,
    ) {
        match (self, state) {
            (Node::Server(server), State::Server(state)) => {
                for (to, message) in server.receive(id, state, from, message) {
                    out.send(to, message);
                }
            }
            (Node::Client { servers }, State::Client(waits_for, sent)) => match message {
                Message::PutOk(request) if *waits_for == Some(request) => {
                    *waits_for = Some((*sent + 1) * id.0);
                    out.send(Id((id.0 + *sent) % servers), Message::Get((*sent + 1) * id.0));
                    *sent += 1;
                }
                Message::GetOk(request, _) if *waits_for == Some(request) => {
                    *waits_for = None;
                    *sent += 1;
                }
                _ => {}
            },
            _ => unreachable!("the state of another kind of node"),
        }
    }
}

/// What clients have called, and what has returned.
type Calls = History<Id, RegisterCall<char>, RegisterReturn<char>>;

fn record<I>(calls: &mut Calls, seen: Seen<'_, Message<I>>) {
    let recorded = match seen {
        Seen::Sent { from, message: Message::Put(_, letter), .. } => {
            calls.invoke(from, RegisterCall::Write(*letter))
        }
        Seen::Sent { from, message: Message::Get(_), .. } => calls.invoke(from, RegisterCall::Read),
        Seen::Received { to, message: Message::PutOk(_), .. } => {
            calls.returns(to, RegisterReturn::Written)
        }
        Seen::Received { to, message: Message::GetOk(_, letter), .. } => {
            calls.returns(to, RegisterReturn::Read(*letter))
        }
        _ => Ok(()),
    };
    recorded.expect("clients call one thing after the other");
}

/// A model of actors in which nobody is sent what it passes over: a message that changes nothing stays on its way.
#[derive(Clone, Debug)]
pub(crate) struct Heeded<S: Server>(Actors<Node<S>, Calls>);

type WorldOf<S> = World<State<<S as Server>::State>, Message<<S as Server>::Internal>, (), Calls>;

impl<S: Server> Model for Heeded<S> {
    type State = WorldOf<S>;
    type Action = Step<Message<S::Internal>, ()>;

    fn init(&self) -> Vec<Self::State> {
        self.0.init()
    }

    fn actions(&self, world: &Self::State, actions: &mut Vec<Self::Action>) {
        self.0.actions(world, actions);
    }

    fn next(&self, world: &Self::State, step: Self::Action) -> Option<Self::State> {
        let next = self.0.next(world, step)?;
        let is_heeded =
            next.actors != world.actors || next.traffic.len() + 1 != world.traffic.len();
        is_heeded.then_some(next)
    }

    fn processes(&self) -> Vec<String> {
        self.0.processes()
    }

    fn event(&self, step: &Self::Action) -> String {
        self.0.event(step)
    }

    fn parts(&self, step: &Self::Action) -> Vec<Part> {
        self.0.parts(step)
    }

    fn show(&self, world: &Self::State) -> Vec<(String, String)> {
        self.0.show(world)
    }
}

/// So many servers and clients.
pub(crate) fn register<S: Server>(server: &S, servers: usize, clients: usize) -> Heeded<S> {
    let nodes = (0..servers).map(|_| Node::Server(server.clone()));
    let clients = (0..clients).map(|_| Node::Client { servers });
    Heeded(Actors::new(nodes.chain(clients)).recording(Calls::new(), record))
}

pub(crate) fn is_linearizable<S, M, T>(world: &World<S, M, T, Calls>) -> bool {
    world.record.is_linearizable(&Register('\0'))
}

/// A server that answers at once, and knows of no other.
#[derive(Clone, Debug)]
pub(crate) struct OneCopy;

impl Server for OneCopy {
    type State = char;
    type Internal = ();

    fn start(&self, _: Id) -> char {
        '\0'
    }

    fn receive(&self, _: Id, state: &mut char, from: Id, message: Message<()>) -> Sends<()> {
        match message {
            Message::Put(request, letter) => {
                *state = letter;
                vec![(from, Message::PutOk(request))]
            }
            Message::Get(request) => vec![(from, Message::GetOk(request, *state))],
            _ => Vec::new(),
        }
    }
}

/// A server that asks a majority for the latest value, and writes to a majority, whatever it is asked to do.
#[derive(Clone, Debug)]
pub(crate) struct Majority {
    pub(crate) servers: usize,
}

/// How often the register was written, and by whom.
type Version = (u64, Id);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Copy {
    version: Version,
    letter: char,
    request: Option<Phase>,
}

/// What a server does for a client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Phase {
    /// It asks the others for their copies, to write a letter or to read.
    Asks {
        request: Request,
        client: Id,
        writes: Option<char>,
        copies: BTreeMap<Id, (Version, char)>,
    },
    /// It tells the others.
    Tells { request: Request, client: Id, read: Option<char>, done: BTreeSet<Id> },
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Copying {
    Ask(Request),
    Have(Request, Version, char),
    Take(Request, Version, char),
    Taken(Request),
}

impl Majority {
    fn others<I: Clone>(&self, id: Id, message: &Message<I>) -> Sends<I> {
        let others = (0..self.servers).map(Id).filter(|&other| other != id);
        others.map(|other| (other, message.clone())).collect()
    }

    fn quorum(&self) -> usize {
        self.servers / 2 + 1
    }

    fn ask(
        &self,
        id: Id,
        state: &mut Copy,
        client: Id,
        (request, writes): (Request, Option<char>),
    ) -> Sends<Copying> {
        let copies = BTreeMap::from([(id, (state.version, state.letter))]);
        state.request = Some(Phase::Asks { request, client, writes, copies });
        self.others(id, &Message::Internal(Copying::Ask(request)))
    }

    /// All that have to be asked have answered.
    fn tell(&self, id: Id, state: &mut Copy) -> Sends<Copying> {
        let Some(Phase::Asks { request, client, writes, copies }) = state.request.take() else {
            return Vec::new();
        };
        let (mut version, mut letter) = copies.values().max().copied().unwrap_or_default();
        let read = if writes.is_none() { Some(letter) } else { None };
        if let Some(new) = writes {
            (version, letter) = ((version.0 + 1, id), new);
        }
        if version > state.version {
            (state.version, state.letter) = (version, letter);
        }
        state.request = Some(Phase::Tells { request, client, read, done: BTreeSet::from([id]) });
        self.others(id, &Message::Internal(Copying::Take(request, version, letter)))
    }
}

impl Server for Majority {
    type State = Copy;
    type Internal = Copying;

    fn start(&self, id: Id) -> Copy {
        Copy { version: (0, id), letter: '\0', request: None }
    }

    fn receive(
        &self,
        id: Id,
        state: &mut Copy,
        from: Id,
        message: Message<Copying>,
    ) -> Sends<Copying> {
        let quorum = self.quorum();
        match (message, &mut state.request) {
            (Message::Put(request, letter), None) => {
                self.ask(id, state, from, (request, Some(letter)))
            }
            (Message::Get(request), None) => self.ask(id, state, from, (request, None)),
            (Message::Internal(Copying::Ask(request)), _) => {
                let have = Copying::Have(request, state.version, state.letter);
                vec![(from, Message::Internal(have))]
            }
            (
                Message::Internal(Copying::Have(of, version, letter)),
                Some(Phase::Asks { request, copies, .. }),
            ) if of == *request => {
                copies.insert(from, (version, letter));
                if copies.len() == quorum { self.tell(id, state) } else { Vec::new() }
            }
            (Message::Internal(Copying::Take(request, version, letter)), _) => {
                if version > state.version {
                    (state.version, state.letter) = (version, letter);
                }
                vec![(from, Message::Internal(Copying::Taken(request)))]
            }
            (
                Message::Internal(Copying::Taken(of)),
                Some(Phase::Tells { request, client, read, done }),
            ) if of == *request => {
                done.insert(from);
                if done.len() != quorum {
                    return Vec::new();
                }
                let answer = match read {
                    Some(letter) => Message::GetOk(of, *letter),
                    None => Message::PutOk(of),
                };
                let client = *client;
                state.request = None;
                vec![(client, answer)]
            }
            _ => Vec::new(),
        }
    }
}

/// A server that has the others decide once which letter is written.
#[derive(Clone, Debug)]
pub(crate) struct Paxos {
    pub(crate) servers: usize,
}

type Ballot = (u32, Id);
type Proposal = (Request, Id, char);

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Voter {
    ballot: Ballot,
    proposal: Option<Proposal>,
    promises: BTreeMap<Id, Option<(Ballot, Proposal)>>,
    votes: BTreeSet<Id>,
    accepted: Option<(Ballot, Proposal)>,
    is_decided: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Vote {
    Prepare(Ballot),
    Promise(Ballot, Option<(Ballot, Proposal)>),
    Accept(Ballot, Proposal),
    Accepted(Ballot),
    Decided(Ballot, Proposal),
}

impl Paxos {
    fn others(&self, id: Id, vote: Vote) -> Sends<Vote> {
        Majority { servers: self.servers }.others(id, &Message::Internal(vote))
    }

    fn vote(&self, id: Id, state: &mut Voter, from: Id, vote: Vote) -> Sends<Vote> {
        let quorum = self.servers / 2 + 1;
        match vote {
            Vote::Prepare(ballot) if state.ballot < ballot => {
                state.ballot = ballot;
                vec![(from, Message::Internal(Vote::Promise(ballot, state.accepted)))]
            }
            Vote::Promise(ballot, accepted) if ballot == state.ballot => {
                state.promises.insert(from, accepted);
                if state.promises.len() != quorum {
                    return Vec::new();
                }
                // What may have been decided before has to be proposed again.
                let latest = state.promises.values().flatten().max();
                let Some(proposal) = latest.map(|(_, proposal)| *proposal).or(state.proposal)
                else {
                    return Vec::new();
                };
                state.proposal = Some(proposal);
                state.accepted = Some((ballot, proposal));
                state.votes.insert(id);
                self.others(id, Vote::Accept(ballot, proposal))
            }
            Vote::Accept(ballot, proposal) if state.ballot <= ballot => {
                state.ballot = ballot;
                state.accepted = Some((ballot, proposal));
                vec![(from, Message::Internal(Vote::Accepted(ballot)))]
            }
            Vote::Accepted(ballot) if ballot == state.ballot => {
                state.votes.insert(from);
                let Some(proposal) = state.proposal.filter(|_| state.votes.len() == quorum) else {
                    return Vec::new();
                };
                state.is_decided = true;
                let mut sends = self.others(id, Vote::Decided(ballot, proposal));
                sends.push((proposal.1, Message::PutOk(proposal.0)));
                sends
            }
            Vote::Decided(ballot, proposal) => {
                (state.ballot, state.accepted) = (ballot, Some((ballot, proposal)));
                state.is_decided = true;
                Vec::new()
            }
            _ => Vec::new(),
        }
    }
}

impl Server for Paxos {
    type State = Voter;
    type Internal = Vote;

    fn start(&self, _: Id) -> Voter {
        Voter::default()
    }

    fn receive(&self, id: Id, state: &mut Voter, from: Id, message: Message<Vote>) -> Sends<Vote> {
        match (message, state.accepted) {
            // Who does not know yet what is decided does not answer.
            (Message::Get(request), Some((_, (_, _, letter)))) if state.is_decided => {
                vec![(from, Message::GetOk(request, letter))]
            }
            _ if state.is_decided => Vec::new(),
            (Message::Put(request, letter), accepted) if state.proposal.is_none() => {
                state.proposal = Some((request, from, letter));
                state.ballot = (state.ballot.0 + 1, id);
                state.promises = BTreeMap::from([(id, accepted)]);
                state.votes = BTreeSet::new();
                self.others(id, Vote::Prepare(state.ballot))
            }
            (Message::Internal(vote), _) => self.vote(id, state, from, vote),
            _ => Vec::new(),
        }
    }
}

fn linearizable<S: Server>(register: &Heeded<S>) -> Check<Heeded<S>> {
    check(register).always("linearizable", is_linearizable).save_nothing()
}

fn states<S: Server>(register: &Heeded<S>) -> usize {
    check(register).size().expect("finite").states
}

#[test]
fn one_copy_is_linearizable_and_two_are_not() {
    let one = register(&OneCopy, 1, 2);
    assert_eq!(states(&one), 93);
    linearizable(&one).assert_holds();
    let verdict = linearizable(&register(&OneCopy, 2, 2)).verdict();
    assert!(verdict.is_violated());
    // The client reads from a copy that its own letter has not come to, which no order of its calls explains.
    let last = verdict.run().states().last().expect("a state");
    assert!(!last.record.is_sequentially_consistent(&Register('\0')), "{}", verdict.run());
}

#[test]
fn a_majority_of_copies_is_linearizable() {
    let copies = register(&Majority { servers: 2 }, 2, 2);
    assert_eq!(states(&copies), 544);
    linearizable(&copies).assert_holds();
}

#[test]
fn a_register_that_is_written_once_is_linearizable() {
    let paxos = register(&Paxos { servers: 3 }, 3, 2);
    assert_eq!(states(&paxos), 16_668);
    linearizable(&paxos).assert_holds();
}
