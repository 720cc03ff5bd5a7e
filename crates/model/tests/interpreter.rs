//! Semantics of models: one small model for each rule, with the answer written beside it.

use std::collections::HashMap;
use std::fmt::Write;

use fairly_explore::Explored;
use fairly_model::{
    Communication, Edge, Expr, Growth, Label, Limits, Location, LocationId, Model, ModelSpace,
    Target, TemplateId, Unfold, Unfolded, text, verify, verify_open,
};
use fairly_omega::StateId;
use fairly_system::{EventId, FaultKind, TransitionSystem};

fn model(body: &str) -> Model {
    model_with("priority", "any", body)
}

fn model_with(atomicity: &str, exit: &str, body: &str) -> Model {
    let text = format!("model atomicity {atomicity}, exit {exit}\nevent e0 idle : idle\n{body}");
    let model = text::parse(&text).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"));
    verify(&model).unwrap_or_else(|flaws| panic!("{flaws:?}\n{text}"));
    model
}

/// A system and the state it is in.
struct Walk {
    system: Explored<ModelSpace>,
    state: StateId,
}

impl Walk {
    fn of(model: Model) -> Walk {
        Walk::in_space(ModelSpace::new(model, None))
    }

    fn in_space(space: ModelSpace) -> Walk {
        let mut system = Explored::new(space);
        let state = system.initial()[0];
        Walk { system, state }
    }

    /// The steps from here: the event and who takes it, and where it leads.
    fn steps(&mut self) -> Vec<(String, StateId)> {
        let mut found = Vec::new();
        self.system.enabled(self.state, &mut found);
        let name = |action| {
            let action = self.system.action(action);
            let signature = self.system.signature();
            let who: Vec<&str> =
                action.participants.iter().map(|&it| signature.process_name(it)).collect();
            format!("{} {}", signature.event_name(action.event), who.join(","))
        };
        found.into_iter().map(|step| (name(step.action), step.target)).collect()
    }

    fn names(&mut self) -> Vec<String> {
        self.steps().into_iter().map(|(name, _)| name).collect()
    }

    /// Takes the only step with this name.
    fn go(&mut self, name: &str) -> &mut Walk {
        let steps = self.steps();
        let fitting: Vec<&(String, StateId)> = steps.iter().filter(|step| step.0 == name).collect();
        assert_eq!(fitting.len(), 1, "{name} of {steps:?}");
        self.state = fitting[0].1;
        self
    }

    fn offered(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        self.system.offered(self.state, &mut found);
        let signature = self.system.signature();
        let name = |of: &fairly_system::Move| {
            format!("{} {}", signature.event_name(of.event), signature.process_name(of.process))
        };
        found.iter().map(|id| name(&signature.moves[id.index()])).collect()
    }

    fn shown(&self) -> String {
        self.system.describe(self.state)
    }

    fn holds(&mut self, atom: &str) -> bool {
        let atom = self.system.atom(atom).unwrap_or_else(|| panic!("{atom}"));
        self.system.holds(self.state, atom)
    }

    fn fault(&self) -> Option<String> {
        self.system.fault(self.state).map(|fault| fault.message.clone())
    }
}

/// The reachable part: states without faults, transitions, deadlocks.
fn explore(system: &mut Explored<ModelSpace>) -> (usize, usize, usize) {
    let deadlock = system.atom("deadlock").unwrap();
    let mut open = system.initial();
    let mut seen: HashMap<StateId, ()> = open.iter().map(|&state| (state, ())).collect();
    let (mut transitions, mut deadlocks, mut steps) = (0, 0, Vec::new());
    while let Some(state) = open.pop() {
        steps.clear();
        system.enabled(state, &mut steps);
        transitions += steps.len();
        deadlocks += usize::from(system.holds(state, deadlock));
        for step in &steps {
            if seen.insert(step.target, ()).is_none() {
                open.push(step.target);
            }
        }
    }
    (seen.len(), transitions, deadlocks)
}

#[test]
fn a_semaphore_lets_one_in() {
    let body = "
        event e1 enter : visible
        event e2 leave : visible
        variable g0 free : 0..1 = 1
        template t0 User parameters 0 {
          location q0 outside { -> q1 if g0 > 0 on e1 do { g0 := g0 - 1 } as enter }
          location q1 inside labels (critical) { -> q0 on e2 do { g0 := g0 + 1 } as leave }
        }
        slot p0 A : t0 start t0()
        slot p1 B : t0 start t0()
        proposition both : t0[0].{q1} && t0[1].{q1}";
    let mut walk = Walk::of(model(body));
    assert!(walk.system.signature().complete);
    assert_eq!(walk.system.signature().moves.len(), 4);
    assert_eq!(walk.names(), ["enter A", "enter B"]);
    assert_eq!(walk.shown(), "free=1 A@outside B@outside");
    walk.go("enter B");
    assert_eq!(walk.shown(), "free=0 A@outside B@inside");
    assert_eq!(walk.names(), ["leave B"]);
    assert!(walk.holds("B@critical") && walk.holds("B@inside") && !walk.holds("A@critical"));
    assert!(!walk.holds("both"));
    assert!(walk.system.atom("A@nowhere").is_none() && walk.system.atom("nothing").is_none());
    assert_eq!(explore(&mut walk.system), (3, 4, 0));
    // Three bits: one a variable, one a location.
    assert_eq!(walk.system.space().layout().words, 1);
}

#[test]
fn a_rendezvous_is_one_step_of_two() {
    let body = "
        event e1 took : visible
        variable g0 seen : 0..9 = 0
        channel c0 c capacity 0 : (0..3, wrap 0..3)
        template t0 Sender parameters 0 {
          location q0 s { -> q1 send 0(2, 7) on message do { g0 := 4 } as send }
          location q1 t ends { }
        }
        template t1 Receiver parameters 0 {
          local l0 x : 0..9 = 0
          location q0 s {
            -> q1 receive 0(1, _) on message as one
            -> q1 if $1 > 2 receive 0(2, _) on message do { l0 := $1; g0 := g0 + $0 } as two
            -> q1 if $1 < 2 receive 0(2, _) on e1 as three
          }
          location q1 t ends { }
        }
        slot p0 R : t1 start t1()
        slot p1 S : t0 start t0()";
    let mut walk = Walk::of(model(body));
    assert!(!walk.system.signature().complete);
    assert_eq!(walk.system.signature().families.iter().collect::<Vec<_>>(), ["c"]);
    // The receiver is ready for messages that are not sent, and for messages that it may refuse.
    assert_eq!(walk.offered(), ["c? R", "c? R", "took R", "c.2.3 S"]);
    assert_eq!(walk.names(), ["c.2.3 R,S"]);
    walk.go("c.2.3 R,S");
    // The sender acts first.
    assert_eq!(walk.shown(), "seen=6 R@t R.x=3 S@t");
    assert!(walk.holds("terminated") && !walk.holds("deadlock"));
}

#[test]
fn nobody_meets_himself() {
    let body = "
        channel c0 c capacity 0 : ()
        template t0 P parameters 0 {
          location q0 s { -> q0 send 0() on message as send -> q0 receive 0() on message as get }
        }
        slot p0 A : t0 start t0()
        slot p1 B : t0 : t0";
    let alone = body.replace("slot p1 B : t0 : t0", "");
    let mut walk = Walk::of(model(&alone));
    assert_eq!(walk.names(), Vec::<String>::new());
    assert!(walk.holds("deadlock"));
    let two = body.replace("slot p1 B : t0 : t0", "slot p1 B : t0 start t0()");
    assert_eq!(Walk::of(model(&two)).names(), ["c A,B", "c A,B"]);
}

#[test]
fn buffered_channels_keep_their_order() {
    let body = "
        channel c0 c capacity 3 : (0..9, 0..9)
        template t0 P parameters 0 {
          location q0 s { -> q1 send 0(5, 1) on message as a }
          location q1 s1 { -> q2 send 0(3, 2) on message as b }
          location q2 s2 { -> q3 send sorted 0(3, 1) on message as c }
          location q3 s3 {
            -> q3 send 0(0, 0) on message as full
            -> q3 receive keep 0(_, _) on message as peek
            -> q4 receive first 0(3, _) on message as first
            -> q4 if $1 == 2 receive first 0(3, _) on message as guarded
            -> q4 receive 0(5, _) on message as blocked
          }
          location q4 s4 { }
        }
        slot p0 P : t0 start t0()";
    let mut walk = Walk::of(model(body));
    walk.go("c!5.1 P").go("c!3.2 P");
    assert_eq!(walk.shown(), "c=[5.1 3.2] P@s2");
    walk.go("c!3.1 P");
    assert_eq!(walk.shown(), "c=[3.1 5.1 3.2] P@s3");
    assert_eq!(walk.names(), ["c?3.1 P", "c?3.1 P", "c?3.2 P"]);
    walk.go("c?3.2 P");
    assert_eq!(walk.shown(), "c=[3.1 5.1] P@s4");
}

#[test]
fn a_full_channel_waits_or_loses() {
    for (lose, after) in [("", None), ("lose", Some("c=[1] P@s1"))] {
        let body = format!(
            "channel c0 c {lose} capacity 1 : (0..9)
             template t0 P parameters 0 {{
               location q0 s {{ -> q1 send 0(1) on message as a }}
               location q1 s1 {{ -> q1 send 0(2) on message as b }}
             }}
             slot p0 P : t0 start t0()"
        );
        let mut walk = Walk::of(model(&body));
        walk.go("c!1 P");
        match after {
            None => assert_eq!(walk.names(), Vec::<String>::new()),
            Some(after) => assert_eq!(walk.go("c!2 P").shown(), after),
        }
    }
}

/// Philosophers with their forks, which they take and put down together with them: `P` takes the
/// right fork first, the last one the left if `lefty`.
fn philosophers(count: usize, lefty: bool) -> Model {
    let mut body = String::new();
    let mut number = 1;
    let mut event = |body: &mut String, name: &str, who: [usize; 2]| {
        writeln!(body, "event e{number} {name} : visible").unwrap();
        writeln!(body, "gather e{number} : all (p{}, p{})", who[0], who[1]).unwrap();
        number += 1;
        number - 1
    };
    let mut get = vec![];
    let mut put = vec![];
    for at in 0..count {
        let forks = [at, (at + 1) % count];
        get.push(
            forks.map(|fork| event(&mut body, &format!("get.{at}.{fork}"), [at, count + fork])),
        );
        put.push(
            forks.map(|fork| event(&mut body, &format!("put.{at}.{fork}"), [at, count + fork])),
        );
    }
    for at in 0..count {
        let [first, second] = if lefty && at == count - 1 { [1, 0] } else { [0, 1] };
        writeln!(
            body,
            "template t{at} Phil parameters 0 {{
               location q0 think {{ -> q1 on e{} as get }}
               location q1 one {{ -> q2 on e{} as get }}
               location q2 eat {{ -> q3 on e{} as put }}
               location q3 done {{ -> q0 on e{} as put }}
             }}",
            get[at][first], get[at][second], put[at][first], put[at][second]
        )
        .unwrap();
    }
    for fork in 0..count {
        let left = (fork + count - 1) % count;
        writeln!(
            body,
            "template t{} Fork parameters 0 {{
               location q0 free {{ -> q1 on e{} as get -> q2 on e{} as get }}
               location q1 own {{ -> q0 on e{} as put }}
               location q2 other {{ -> q0 on e{} as put }}
             }}",
            count + fork,
            get[fork][0],
            get[left][1],
            put[fork][0],
            put[left][1]
        )
        .unwrap();
    }
    for at in 0..2 * count {
        let name = if at < count { format!("P{at}") } else { format!("F{}", at - count) };
        writeln!(body, "slot p{at} {name} : t{at} start t{at}()").unwrap();
    }
    model(&body)
}

#[test]
fn philosophers_starve_unless_one_is_left_handed() {
    let mut walk = Walk::of(philosophers(3, false));
    assert_eq!(walk.names(), ["get.0.0 P0,F0", "get.1.1 P1,F1", "get.2.2 P2,F2"]);
    // A fork is ready for both neighbours, regardless of which comes.
    assert_eq!(walk.offered().len(), 3 + 6);
    walk.go("get.0.0 P0,F0").go("get.1.1 P1,F1").go("get.2.2 P2,F2");
    assert!(walk.names().is_empty() && walk.holds("deadlock"));
    assert_eq!(explore(&mut walk.system).2, 1);
    assert_eq!(explore(&mut Explored::new(ModelSpace::new(philosophers(3, true), None))).2, 0);
}

#[test]
fn a_gathering_is_any_of_its_ways() {
    let body = "
        event e1 a : visible
        gather e1 : all (p0, one (p1, p2))
        template t0 T parameters 0 {
          location q0 s { -> q1 on e1 as go -> q0 if own == 1 on e1 as stay }
          location q1 t ends { }
        }
        slot p0 A : t0 start t0()
        slot p1 B : t0 start t0()
        slot p2 C : t0 start t0()
        slot p3 D : t0 start t0()";
    let mut walk = Walk::of(model(body));
    // D has the event and is not among those who take it.
    assert_eq!(walk.names(), ["a A,B", "a A,B", "a A,C"]);
}

#[test]
fn too_many_ways_are_a_limit() {
    let edges = "-> q0 on e1 as a ".repeat(40);
    let body = format!(
        "event e1 a : visible
         gather e1 : all (p0, p1, p2, p3)
         template t0 T parameters 0 {{ location q0 s {{ {edges} }} }}
         slot p0 A : t0 start t0()
         slot p1 B : t0 start t0()
         slot p2 C : t0 start t0()
         slot p3 D : t0 start t0()"
    );
    let mut walk = Walk::of(model(&body));
    walk.go("fault A");
    let fault = walk.system.fault(walk.state).unwrap();
    assert_eq!(fault.kind, FaultKind::Limit);
    assert!(fault.message.contains("more than 1048576 ways"), "{}", fault.message);
}

const ATOMIC: &str = "
    event e1 a : visible
    event e2 b : visible
    event e3 c : visible
    variable g0 go : 0..1 = 0
    template t0 P parameters 0 {
      location q0 s { -> q1 on e1 as a }
      location q1 s1 atomic { -> q2 if g0 == own on e2 as b }
      location q2 s2 atomic { -> q3 on e3 as c }
      location q3 s3 ends { }
    }
    template t1 Q parameters 0 {
      location q0 s { -> q1 on e1 do { g0 := 1 } as a }
      location q1 s1 ends { }
    }
    slot p0 A : t0 start t0()
    slot p1 B : t0 start t0()
    slot p2 C : t1 start t1()";

#[test]
fn atomic_locations_go_first() {
    let mut walk = Walk::of(model(ATOMIC));
    walk.go("a B");
    // B waits, so the others may move.
    assert_eq!(walk.names(), ["a A", "a C"]);
    walk.go("a C");
    assert_eq!(walk.names(), ["b B"]);
    assert_eq!(walk.offered(), ["a A", "b B"]);
    // Two at atomic locations go on in any order, before all others.
    let mut walk =
        Walk::of(model(&ATOMIC.replace("location q0 s { -> q1", "location q0 s atomic { -> q1")));
    assert_eq!(walk.names(), ["a A", "a B", "a C"]);
    walk.go("a C");
    assert_eq!(walk.go("a A").names(), ["a B"]);
    assert_eq!(walk.go("a B").names(), ["b B"]);
}

#[test]
fn who_enters_an_atomic_sequence_goes_on_alone() {
    let holding = ATOMIC.replace(
        "-> q1 on e1 as a }\n      location q1 s1 atomic { -> q2 if g0 == own on",
        "-> q1 hold on e1 as a }\n      location q1 s1 { -> q2 if g0 == own hold on",
    );
    let mut walk = Walk::of(model_with("exclusive", "any", &holding));
    walk.go("a A");
    assert_eq!(walk.shown(), "go=0 A@s1 B@s C@s atomic=A");
    assert_eq!(walk.names(), ["b A"]);
    walk.go("b A").go("c A");
    assert_eq!(walk.names(), ["a B", "a C"]);
    // B waits, so it does not even get the privilege, and C may move.
    assert_eq!(walk.go("a B").shown(), "go=0 A@s3 B@s1 C@s");
    walk.go("a C");
    assert_eq!(walk.shown(), "go=1 A@s3 B@s1 C@s1");
    walk.go("b B");
    assert_eq!(walk.shown(), "go=1 A@s3 B@s2 C@s1 atomic=B");
}

#[test]
fn a_rendezvous_passes_the_privilege_on() {
    let body = "
        event e1 a : visible
        channel c0 c capacity 0 : ()
        template t0 S parameters 0 {
          location q0 s { -> q1 hold send 0() on message as send }
          location q1 t { -> q1 on e1 as a }
        }
        template t1 R parameters 0 {
          location q0 s { -> q1 hold receive 0() on message as get }
          location q1 t { -> q2 on e1 as a }
          location q2 u ends { }
        }
        slot p0 S : t0 start t0()
        slot p1 R : t1 start t1()";
    let mut walk = Walk::of(model_with("exclusive", "any", body));
    walk.go("c S,R");
    assert_eq!(walk.shown(), "S@t R@t atomic=R");
    walk.go("a R");
    assert_eq!(walk.names(), ["a S"]);
    // Where the receiver does not need it, no process has it.
    let keeps = body.replace("hold receive", "receive");
    let mut walk = Walk::of(model_with("exclusive", "any", &keeps));
    assert_eq!(walk.go("c S,R").shown(), "S@t R@t");
}

#[test]
fn who_receives_in_a_rendezvous_is_moved_by_the_other() {
    let body = "
        event e1 a : visible
        channel c0 c capacity 0 : ()
        template t0 S parameters 0 { location q0 s { -> q0 send 0() on message as send } }
        template t1 R parameters 0 {
          location q0 s {
            -> q1 on e1 as a
            -> q2 rank 1 receive 0() on message as get
            -> q1 rank 2 receive 0() on message as late
            -> q3 rank 1 on e1 as late
          }
          location q1 t ends {} location q2 u ends {} location q3 v ends {}
        }
        slot p0 S : t0 start t0()
        slot p1 R : t1 start t1()";
    let mut walk = Walk::of(model_with("exclusive", "any", body));
    assert_eq!(walk.names(), ["a R", "c S,R"]);
    assert_eq!(walk.go("c S,R").shown(), "S@s R@u");
    // With a rank that is smaller, receiving keeps the process from nothing else.
    let body = body.replace("-> q1 on e1 as a", "").replace("rank 1 receive", "receive");
    let mut walk = Walk::of(model_with("exclusive", "any", &body));
    assert_eq!(walk.names(), ["a R", "c S,R"]);
}

#[test]
fn channels_of_a_process_go_with_it() {
    let body = "
        event e1 put : visible
        event e2 leave : visible
        event e3 use : visible
        event e4 run : visible
        channel c0 own of p1 t1 capacity 2 : (0..3)
        template t0 P parameters 0 {
          local l0 seen : 0..3 = 0
          location q0 s {
            -> q0 on e4 do { start t1(2) } as run
            -> q0 on e3 do { l0 := length(0) } as use
          }
        }
        template t1 Q parameters 1 {
          local l0 x : 0..3 = 0
          local l1 y : 0..3 = 0
          begin { l1 := l0 + 1; put 0 (l0) }
          location q0 s { -> exit on e2 as leave }
        }
        slot p0 P : t0 start t0()
        slot p1 Q : t1 start t1(1)";
    let mut walk = Walk::of(model_with("exclusive", "last_first", body));
    assert_eq!(walk.shown(), "own=[1] P@s P.seen=0 Q@s Q.x=1 Q.y=2");
    assert_eq!(walk.go("use P").shown(), "own=[1] P@s P.seen=1 Q@s Q.x=1 Q.y=2");
    assert_eq!(walk.go("leave Q").shown(), "P@s P.seen=1");
    assert_eq!(walk.go("run P").shown(), "own=[2] P@s P.seen=1 Q@s Q.x=2 Q.y=3");
    walk.go("leave Q").go("use P");
    assert!(walk.shown().starts_with("fault: the process that the channel `own` belongs to"));
}

#[test]
fn timeouts_are_for_when_nothing_else_is_left() {
    let body = "
        event e1 work : visible
        event e2 wake : visible
        variable g0 left : 0..2 = 1
        template t0 P parameters 0 {
          location q0 s { -> q0 if g0 > 0 on e1 do { g0 := g0 - 1 } as work }
        }
        template t1 W parameters 0 {
          location q0 s { -> q0 if timeout on e2 do { g0 := 2 } as wake }
        }
        slot p0 P : t0 start t0()
        slot p1 W : t1 start t1()";
    let mut walk = Walk::of(model(body));
    assert_eq!((walk.names(), walk.offered()), (vec!["work P".into()], vec!["work P".to_owned()]));
    walk.go("work P");
    assert_eq!((walk.names(), walk.offered()), (vec!["wake W".into()], vec!["wake W".to_owned()]));
    assert!(!walk.holds("deadlock"));
    assert_eq!(walk.go("wake W").names(), ["work P"]);
}

#[test]
fn an_edge_waits_for_those_of_smaller_rank() {
    let body = "
        event e1 first : visible
        event e2 second : visible
        variable g0 x : 0..1 = 1
        channel c0 c capacity 0 : ()
        template t0 P parameters 0 {
          location q0 s {
            -> q1 rank 2 on e2 as else
            -> q1 if g0 == 1 rank 1 on e1 do { g0 := 0 } as one
            -> q1 send 0() on message as send
          }
          location q1 t { -> q0 on e1 as back }
        }
        slot p0 P : t0 start t0()";
    let mut walk = Walk::of(model(body));
    // There is no receiver, so that sending bars nothing; but it is offered.
    assert_eq!(walk.names(), ["first P"]);
    assert_eq!(walk.offered(), ["first P", "c P"]);
    walk.go("first P").go("first P");
    assert_eq!(walk.names(), ["second P"]);
}

const DYNAMIC: &str = "
    event e1 run : visible
    event e2 end : visible
    variable g0 last : -1..3 = -1
    template t0 Main parameters 0 {
      location q0 s ends { -> q0 if running < 3 on e1 do { start t1(2) into g0 } as run }
    }
    template t1 Child parameters 1 {
      local l0 n : 0..2 = 0
      local l1 m : 0..1 = 1
      location q0 s { -> q0 if l0 > 0 on e1 do { l0 := l0 - 1 } as count -> exit if l0 == 0 on e2 as end }
    }
    slot p0 M : t0 start t0()
    slot p1 A : t1
    slot p2 B : t1, t0";

#[test]
fn processes_come_and_go() {
    let mut walk = Walk::of(model(DYNAMIC));
    assert_eq!(walk.shown(), "last=-1 M@s");
    let free = walk.system.row(walk.state);
    walk.go("run M");
    assert_eq!(walk.shown(), "last=1 M@s A@s A.n=2 A.m=1");
    walk.go("run M");
    assert_eq!(walk.shown(), "last=2 M@s A@s A.n=2 A.m=1 B@Child.s B.n=2 B.m=1");
    walk.go("run A").go("run A").go("end A");
    assert_eq!(walk.shown(), "last=2 M@s B@Child.s B.n=2 B.m=1");
    walk.go("run B").go("run B").go("end B");
    // But for the variable it is the state at the start: nothing of the slots is left.
    let now = walk.system.row(walk.state);
    assert_eq!(free.iter().zip(&now).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>(), 2);
    let first = walk.system.initial()[0];
    assert_eq!(walk.system.valuation(first)[1..], walk.system.valuation(walk.state)[1..]);
}

#[test]
fn the_last_one_leaves_first_if_so_asked() {
    let ended = DYNAMIC.replace("start t1(2)", "start t1(0)");
    let mut walk = Walk::of(model_with("priority", "last_first", &ended));
    walk.go("run M").go("run M");
    assert_eq!(walk.names(), ["end B"]);
    let mut walk = Walk::of(model(&ended));
    walk.go("run M").go("run M");
    assert_eq!(walk.names(), ["end A", "end B"]);
}

#[test]
fn everything_that_goes_wrong_is_a_fault() {
    let guard = |guard: &str| format!("-> q0 if {guard} on e1 as x");
    let effect = |effect: &str| format!("-> q0 on e1 do {{ {effect} }} as x");
    let before = [
        (guard("1 / g0"), "1 is divided by zero"),
        (guard("1 mod g0"), "1 is divided by zero"),
        (guard("g2[g1]"), "the index 3 is outside `a`, which has 3 elements"),
        (guard("g2[-1]"), "the index -1 is outside `a`, which has 3 elements"),
        (guard("checked(g1, 3)"), "the index 3 is not at least 0 and less than 3"),
        (guard("1 << 64"), "a shift by 64 places, which must be 0 to 63"),
        (guard("3 << 62"), "3 << 62 does not fit 64 bits"),
        (guard("9223372036854775807 + g1"), "9223372036854775807 + 3 does not fit 64 bits"),
        (guard("length(g1)"), "there is no channel with the number 3"),
        ("-> q0 send g1(1) on message as x".into(), "there is no channel with the number 3"),
        (
            "-> q0 send g0(1, 1) on message as x".into(),
            "a message of 2 fields for `c`, whose messages have 1",
        ),
        ("-> q0 send 0(7) on message as x".into(), "7 is outside the range 0 to 5 of `c`"),
        ("-> q0 on data d(1 / g0) as x".into(), "1 is divided by zero"),
    ];
    let during = [
        (effect("g1 := 9"), "9 is outside the range 0 to 3 of `y`"),
        (effect("assert g0"), "an assertion does not hold"),
        (effect("put 0(1); put 0(1)"), "`c` is full"),
        (effect("put 1(1)"), "`r` holds no messages"),
        (effect("take 0(_) into (g0)"), "no message to take is in `c`"),
        (
            effect("start t0()"),
            "there is no room for another process `P`: at most 1 can be alive at once (see \
             --max-processes)",
        ),
        (effect("while 1 { }"), "a step runs very many statements, and may never end"),
        (effect("while 1 { g0 := 0 }"), "a step runs very many statements, and may never end"),
    ];
    let all = before.map(|it| (it, "fault P")).into_iter();
    for ((edge, message), step) in all.chain(during.map(|it| (it, "a P"))) {
        let body = format!(
            "event e1 a : visible
             variable g0 x : 0..1 = 0
             variable g1 y : 0..3 = 3
             variable g2 a [3] : 0..3 = 0, 0, 0
             channel c0 c capacity 1 : (0..5)
             channel c1 r capacity 0 : (0..5)
             template t0 P parameters 0 {{ location q0 s {{ {edge} @7..9 }} }}
             slot p0 P : t0 start t0()"
        );
        let mut space = ModelSpace::new(model(&body), None);
        space.set_limits(Limits { statements: 100_000, ..Limits::default() });
        let mut walk = Walk::in_space(space);
        let shown = walk.shown();
        walk.go(step);
        assert_eq!(walk.fault().as_deref(), Some(message), "{edge}");
        let fault = walk.system.fault(walk.state).unwrap();
        let limit = message.starts_with("there is no room") || message.ends_with("may never end");
        assert_eq!(fault.kind, if limit { FaultKind::Limit } else { FaultKind::Error });
        assert_eq!(fault.span.map(|span| (span.start, span.end)), Some((7, 9)), "{edge}");
        assert_eq!(walk.names(), Vec::<String>::new());
        assert_eq!(walk.offered(), Vec::<String>::new());
        assert_eq!(walk.shown(), format!("fault: {message} {shown}"));
        assert!(!walk.holds("deadlock") && !walk.holds("terminated") && walk.holds("P@s"));
    }
}

#[test]
fn the_guard_of_a_receiver_may_go_wrong_with_a_message() {
    let body = "
        channel c0 c capacity 0 : (0..1)
        template t0 S parameters 0 {
          location q0 s { -> q0 send 0(0) on message as zero -> q0 send 0(1) on message as one }
        }
        template t1 R parameters 0 {
          location q0 s { -> q0 if 1 / $0 == 1 receive 0(_) on message as get }
        }
        slot p0 S : t0 start t0()
        slot p1 R : t1 start t1()";
    assert_eq!(Walk::of(model(body)).names(), ["fault R", "c.1 S,R"]);
}

#[test]
fn a_proposition_that_goes_wrong_does_not_hold() {
    let body = "
        variable g0 x : 0..1 = 0
        proposition wrong : 1 / g0
        proposition right : g0 == 0";
    let mut walk = Walk::of(model(body));
    assert!(!walk.holds("wrong") && walk.holds("right"));
    let atom = walk.system.atom("wrong").unwrap();
    let fault = walk.system.space().proposition_fault(&walk.system.row(walk.state), atom).unwrap();
    assert_eq!(fault.message, "1 is divided by zero");
    let own = walk.system.space().add_proposition("later", Expr::TRUE);
    assert_eq!(walk.system.atom("later"), Some(own));
    assert!(walk.holds("later"));
    // Without processes nothing happens, and that is no deadlock.
    assert!(walk.holds("terminated"));
}

#[test]
fn hidden_events_are_renamed_by_slot() {
    let body = "
        event e1 hidden : internal
        event e2 d.1 : visible
        channel c0 c capacity 0 : (0..1)
        variable g0 x : 0..1 = 1
        template t0 P parameters 0 {
          location q0 s { -> q0 on data d(1) as const -> q0 on data d(g0) as value
                          -> q0 send 0(1) on message as send }
        }
        template t1 R parameters 0 { location q0 s { -> q0 receive 0(_) on message as get } }
        slot p0 A : t0 start t0() rename d.1 to e1, c.1 to e1
        slot p1 B : t0 start t0()
        slot p2 R : t1 start t1() rename c.1 to e2";
    let mut walk = Walk::of(model(body));
    assert_eq!(walk.names(), ["hidden A", "hidden A", "d.1 B", "d.1 B", "hidden A,R", "c.1 B,R"]);
    assert_eq!(walk.system.signature().families.iter().collect::<Vec<_>>(), ["d", "c"]);
}

#[test]
fn two_cannot_take_one_message_together() {
    let body = "
        event e1 both : visible
        gather e1 : all (p0, p1)
        channel c0 c capacity 3 : (0..9)
        template t0 Get parameters 0 { location q0 s ends { -> q0 receive 0(_) on data d() as get } }
        template t1 Put parameters 0 {
          location q0 s { -> q1 send 0(4) on message as one -> q2 on data d() as none }
          location q1 t { -> q2 send 0(5) on message as other -> q3 send 0(4) on message as same }
          location q2 u ends { }
          location q3 v ends { }
        }
        slot p0 A : t0 start t0() rename d to e1
        slot p1 B : t0 start t0() rename d to e1
        slot p2 P : t1 start t1()";
    let mut walk = Walk::of(model(body));
    assert_eq!(walk.names(), ["c!4 P", "d P"]);
    walk.go("c!4 P").go("both A,B");
    assert_eq!(walk.fault().as_deref(), Some("another participant has taken the message"));
    let mut walk = Walk::of(model(body));
    walk.go("c!4 P").go("c!5 P").go("both A,B");
    assert_eq!(walk.fault().as_deref(), Some("another participant has taken the message"));
    // The value at the place they looked at is the same, so no difference is seen.
    let mut walk = Walk::of(model(body));
    walk.go("c!4 P").go("c!4 P").go("both A,B");
    assert_eq!(walk.shown(), "c=[] A@s B@s P@v");
}

#[test]
fn values_of_scratch_are_dead_resets() {
    let body = "
        event e1 a : visible
        variable g0 x : 0..3 = 0
        template t0 P parameters 0 {
          local l0 s : scratch 0..3 = 1
          location q0 s { -> q0 if g0 < 3 on e1 do { l0 := l0 + 1; g0 := l0 } as a }
        }
        slot p0 P : t0 start t0()";
    let mut walk = Walk::of(model(body));
    walk.go("a P").go("a P");
    assert_eq!(walk.shown(), "x=2 P@s");
    assert_eq!(explore(&mut walk.system).0, 2);
}

#[test]
fn values_wrap_where_they_may() {
    let body = "
        event e1 a : visible
        variable g0 x : wrap -128..127 = 127
        template t0 P parameters 0 {
          location q0 s { -> q0 on e1 do { g0 := g0 + 1 } as a }
        }
        slot p0 P : t0 start t0()";
    let mut walk = Walk::of(model(body));
    assert_eq!(walk.go("a P").shown(), "x=-128 P@s");
    assert_eq!(explore(&mut walk.system), (256, 256, 0));
}

/// Counts up, one location a step, and gives up at a bound.
struct Counter {
    bound: u32,
    locations: u32,
    asked: std::sync::Arc<std::sync::atomic::AtomicU32>,
}

impl Unfold for Counter {
    fn unfold(
        &mut self,
        _model: &Model,
        _template: TemplateId,
        location: LocationId,
    ) -> Result<Unfolded, Growth> {
        self.asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        if location.0 == self.bound {
            return Err(Growth { message: "the counter grows".to_owned(), span: None });
        }
        let next = LocationId(self.locations);
        self.locations += 1;
        let made = Location {
            name: format!("n{next}"),
            edges: None,
            atomic: false,
            may_end: false,
            labels: vec![],
            span: None,
        };
        let edge = Edge {
            target: Target::Location(next),
            guard: Expr::TRUE,
            rank: 0,
            hold: false,
            communication: Communication::None,
            label: Label::Event(EventId(1)),
            annotation: None,
            effect: vec![],
            name: "up".to_owned(),
            span: None,
        };
        Ok(Unfolded { edges: vec![edge], atomic: false, locations: vec![made] })
    }
}

#[test]
fn locations_are_made_when_they_are_met() {
    let text = "model atomicity priority, exit any
        event e0 idle : idle
        event e1 up : visible
        template t0 C parameters 0 { location q0 zero unexplored }
        slot p0 A : t0 start t0()
        slot p1 B : t0 start t0()";
    let model = text::parse(text).unwrap();
    verify_open(&model).unwrap();
    let asked = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
    let unfold = Counter { bound: 3, locations: 1, asked: asked.clone() };
    let asked = || asked.load(std::sync::atomic::Ordering::Relaxed);
    let mut system = Explored::new(ModelSpace::new(model, Some(Box::new(unfold))));
    assert!(!system.signature().complete);
    let state = system.initial()[0];
    let mut walk = Walk { system, state };
    assert!(!walk.holds("deadlock"));
    assert_eq!(asked(), 1);
    walk.go("up A").go("up A");
    assert_eq!(asked(), 2);
    walk.go("up A");
    assert!(!walk.holds("deadlock"));
    assert_eq!(walk.names(), ["fault A", "up B"]);
    assert_eq!(walk.system.signature().moves.last().unwrap().name, "fault");
    walk.go("fault A");
    let fault = walk.system.fault(walk.state).unwrap();
    assert_eq!((fault.kind, fault.message.as_str()), (FaultKind::Limit, "the counter grows"));
    // Each location once, and the one that could not be made once.
    explore(&mut walk.system);
    assert_eq!(asked(), 4);
}

/// With thousands of states of several words, which the store then keeps as trees; the initial state was
/// once mistaken for the state that had been read last.
#[test]
fn the_initial_state_stays_what_it_is() {
    let mut system = Explored::new(ModelSpace::new(
        model(
            "event e1 step : internal
        variable g0 x : wrap 0..4294967295 = 7
        variable g1 y : wrap 0..4294967295 = 0
        variable g2 z : wrap 0..4294967295 = 0
        template t0 P parameters 0 {
          location q0 s { -> q0 if g1 < 6000 on e1 do { g1 := g1 + 1; g2 := g2 + 3 } as step }
        }
        slot p0 P : t0 start t0()",
        ),
        None,
    ));
    let first = system.initial();
    let words = system.row(first[0]);
    let mut steps = Vec::new();
    let mut at = 0;
    while at < system.state_count() {
        system.enabled(StateId::from_index(at), &mut steps);
        at += 1;
    }
    assert_eq!(system.state_count(), 6001);
    assert_eq!(system.initial(), first);
    assert_eq!(system.row(first[0]), words);
}
