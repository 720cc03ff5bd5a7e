//! Reads and writes of edges.

use fairly_model::{
    Atomicity, Exit, Footprint, Footprints, LocationId, Model, SlotId, TemplateId, text,
};

const TABLES: &str = "
model atomicity priority, exit any
event e0 idle : idle
event e1 a : visible
event e2 b : visible
gather e2 : all(p0, p1)
variable g0 x : 0..3 = 0
variable g1 y[4] : 0..3 = 0, 0, 0, 0
channel c0 buffer capacity 2 : (0..3)
channel c1 meet capacity 0 : (0..3)
";

const SLOTS: &str = "
template t1 Child parameters 1 {
  local l0 i : 0..3 = 0
  local l1 v[2] : 0..1 = 0, 0
  location q0 s {}
}
slot p0 P : t0 start t0()
slot p1 Q : t0 start t0()
slot p2 R : t0, t1
";

/// A model whose template `t0` has these edges at its first location.
fn model(edges: &str) -> Model {
    let template = "template t0 T parameters 0 {
        local l0 m : 0..3 = 0
        local l1 n[2] : 0..3 = 0, 0
        local l2 tmp : scratch 0..3 = 0
        location q0 s {";
    let text = format!("{TABLES}{template}{edges}}} location q1 t {{}} }}{SLOTS}");
    let model = text::parse(&text).unwrap_or_else(|wrong| panic!("{wrong:?}"));
    assert_eq!(fairly_model::verify(&model), Ok(()), "{edges}");
    model
}

fn first(model: &Model) -> Footprint {
    Footprints::new(model).edge(TemplateId(0), LocationId(0), 0)
}

#[test]
fn edges_by_hand() {
    let cases = [
        ("-> q0 on e1 as a", "reads at own; writes nothing"),
        ("-> q1 on e1 as a", "reads at own; writes at own"),
        ("-> q0 if g0 == g1[2] on e1 as a", "reads g0, g1[2], at own; writes nothing"),
        ("-> q0 if g1[g0] on e1 as a", "reads g0, g1, at own; writes nothing"),
        ("-> q0 if g1[checked(3, 4)] on e1 as a", "reads g1[3], at own; writes nothing"),
        // Outside the array it is a fault, not an element.
        ("-> q0 if g1[4] on e1 as a", "reads g1, at own; writes nothing"),
        ("-> q0 on e1 do { g1[1] := l0 } as a", "reads own.t0.l0, at own; writes g1[1]"),
        (
            "-> q0 on e1 do { l1[0], g1[l1[1]] := 1, g0 } as a",
            "reads g0, own.t0.l1[1], at own; writes g1, own.t0.l1[0]",
        ),
        ("-> q0 on e1 do { l2 := g0; g0 := l2 } as a", "reads g0, at own; writes g0"),
        (
            "-> q0 on e1 do { if g0 { g1[0] := 1 } else { g1[1] := 1 } } as a",
            "reads g0, at own; writes g1[0], g1[1]",
        ),
        (
            "-> q0 on e1 do { while l0 < 3 { l0 := l0 + 1 }; assert g0 } as a",
            "reads g0, own.t0.l0, at own; writes own.t0.l0",
        ),
        ("-> q0 send 0 (g0) on message as a", "reads g0, c0, at own; writes c0"),
        ("-> q0 send 1 (g0) on message as a", "reads g0, c1, at own; writes c1"),
        (
            "-> q0 receive l0 (_) on message as a",
            "reads own.t0.l0, any channel, at own; writes any channel",
        ),
        ("-> q0 receive 0 (l0) on message as a", "reads own.t0.l0, c0, at own; writes c0"),
        ("-> q0 receive keep 0 (_) on message do { g0 := $0 } as a", "reads c0, at own; writes g0"),
        ("-> q0 if full(0) && poll(0; g0) on e1 as a", "reads g0, c0, at own; writes nothing"),
        ("-> q0 if capacity(0) on e1 as a", "reads at own; writes nothing"),
        ("-> q0 on e1 do { put 0 (1) } as a", "reads c0, at own; writes c0"),
        ("-> q0 on e1 do { take keep 0 (_) into (g0) } as a", "reads c0, at own; writes g0"),
        ("-> q0 on data d(g0, own) as a", "reads g0, at own; writes nothing"),
        (
            "-> q0 if t1[2].l1[0] on e1 as a",
            "reads p2.t1.l1[0], at own, running p2; writes nothing",
        ),
        (
            "-> q0 if t1[g0].l0 on e1 as a",
            "reads g0, any.t1.l0, at own, running any; writes nothing",
        ),
        ("-> q0 if t0[1].{q0} on e1 as a", "reads at own, at p1, running p1; writes nothing"),
        ("-> q0 if running on e1 as a", "reads at own, running any; writes nothing"),
        ("-> q0 if timeout on e1 as a", "reads everything, at own; writes nothing"),
        ("-> q0 if last == 1 on e1 as a", "reads at own, last; writes last"),
        ("-> exit on e1 as a", "reads at own; writes own.t0.l0, own.t0.l1, at own, running own"),
        (
            "-> q0 on e1 do { start t1(g0) into l0 } as a",
            "reads g0, at own, running p2; \
             writes own.t0.l0, p2.t1.l0, p2.t1.l1, at p2, running p2",
        ),
        // An edge with a smaller rank is in the way.
        (
            "-> q0 rank 1 on e1 as a\n-> q0 if g0 receive 0 (_) on message do { g1[0] := 1 } as b",
            "reads g0, c0, at own; writes nothing",
        ),
    ];
    for (edges, expected) in cases {
        let mut model = model(edges);
        // Where the ranks are the question, nothing is gathered.
        if edges.contains("rank") {
            model.gatherings.clear();
        }
        assert_eq!(first(&model).to_string(), expected, "{edges}");
    }
}

#[test]
fn a_smaller_rank_that_needs_a_partner_reads_everything() {
    let with = [
        "-> q0 rank 1 on e1 as a\n-> q0 on e2 as together",
        "-> q0 rank 1 on e1 as a\n-> q0 send 1 (0) on e1 as meet",
        "-> q0 rank 1 on e1 as a\n-> q0 send l0 (0) on e1 as anywhere",
        "-> q0 rank 1 on e1 as a\n-> q0 on data d(1) as named",
    ];
    for edges in with {
        assert!(first(&model(edges)).to_string().contains("everything"), "{edges}");
    }
    let without =
        "-> q0 rank 1 on e1 as a\n-> q0 send 0 (0) on e1 as meet\n-> q0 rank 1 on e2 as b";
    assert!(!first(&model(without)).to_string().contains("everything"));
}

#[test]
fn atomic_locations_and_the_order_of_leaving_are_shared() {
    let mut model = model("-> exit on e1 as a");
    model.exit = Exit::LastFirst;
    assert!(first(&model).to_string().contains("reads at own, running any"));
    assert!(!first(&model).atomic);
    model.templates[1].locations[0].atomic = true;
    let footprint = first(&model);
    assert!(!footprint.atomic);
    assert!(footprint.to_string().contains("holder; writes"), "{footprint}");
    assert!(footprint.to_string().ends_with("holder"), "{footprint}");
    model.templates[0].locations[0].atomic = true;
    assert!(first(&model).atomic);
    model.atomicity = Atomicity::Exclusive;
    assert!(!first(&model).to_string().contains("holder"), "nothing holds");
}

#[test]
fn an_edge_that_holds_looks_at_what_comes_next() {
    let mut model = model("-> q1 on e1 as a\n-> q1 hold on e1 as b");
    model.atomicity = Atomicity::Exclusive;
    assert!(!first(&model).atomic);
    assert!(first(&model).to_string().contains("holder; writes"));
    let holds = Footprints::new(&model).edge(TemplateId(0), LocationId(0), 1);
    assert!(holds.atomic);
    assert!(holds.to_string().contains("reads everything"), "{holds}");
}

#[test]
fn reaching_an_atomic_location_is_told() {
    let mut model = model("-> q1 on e1 as a");
    model.templates[0].locations[1].atomic = true;
    assert!(first(&model).atomic);
}

#[test]
fn an_open_model_may_turn_out_to_do_anything() {
    let mut model = model("-> q0 on e1 as a");
    model.templates[1].locations[0].edges = None;
    assert_eq!(first(&model).to_string(), "reads at own, holder; writes holder, last");
}

#[test]
fn a_proposition_that_asks_who_moved_makes_edges_write_it() {
    let mut model = model("-> q0 on e1 as a");
    model.propositions.push(("p".to_owned(), fairly_model::Expr::LastMover));
    assert_eq!(first(&model).to_string(), "reads at own; writes last");
    let footprints = Footprints::new(&model);
    assert_eq!(
        footprints.proposition(&model.propositions[0].1).to_string(),
        "reads last; writes nothing"
    );
}

#[test]
fn who_disturbs_whom() {
    let (p0, p1) = (SlotId(0), SlotId(1));
    let of = |edge: &str| first(&model(edge));
    let move_on = of("-> q1 on e1 as a");
    assert!(!move_on.disturbs(p0, &move_on, p1));
    assert!(move_on.disturbs(p0, &move_on, p0));
    let (set, other) = (of("-> q0 on e1 do { g1[0] := 1 } as a"), of("-> q0 if g1[1] on e1 as a"));
    assert!(!set.disturbs(p0, &other, p1) && !other.disturbs(p1, &set, p0));
    let all = of("-> q0 if g1[g0] on e1 as a");
    assert!(set.disturbs(p0, &all, p1) && all.disturbs(p1, &set, p0));
    assert!(!all.disturbs(p0, &other, p1), "both only read");
    let look = of("-> q0 if t0[1].{q0} on e1 as a");
    assert!(look.disturbs(p0, &move_on, p1));
    assert!(!look.disturbs(p1, &move_on, p0));
    let peek = of("-> q0 if t0[1].l1[0] on e1 as a");
    let own = of("-> q0 on e1 do { l1[0] := 1 } as a");
    assert!(peek.disturbs(p0, &own, p1) && !peek.disturbs(p1, &own, p0));
    let somewhere = of("-> q0 receive l0 (_) on message as a");
    assert!(somewhere.disturbs(p0, &of("-> q0 if full(0) on e1 as a"), p1));
    assert!(of("-> q0 if timeout on e1 as a").disturbs(p0, &set, p1));
}
