//! Where everything of a state is.

use fairly_model::{Layout, Model, Range, Strip, TemplateId, Variable, text};
use fairly_testkit::Rng;

use fairly_modelkit::{Shape, cases, first_seed, random_model};

fn array(name: &str, range: Range, length: u32) -> Variable {
    let initial = vec![range.low; length as usize];
    Variable { length: Some(length), initial, ..Variable::scalar(name, range, range.low) }
}

/// Takes the bits of a strip; none of them is taken, and none crosses a word.
fn take(taken: &mut [u64], strip: &Strip) {
    for element in (0..strip.length).filter(|_| strip.width > 0) {
        let (word, shift) = strip.position(element);
        assert!(shift + strip.width <= 64, "{strip:?}");
        let bits = strip.mask() << shift;
        assert_eq!(taken[word] & bits, 0, "{strip:?}");
        taken[word] |= bits;
    }
}

/// All that has bits whichever process is where.
fn shared(layout: &Layout) -> Vec<Strip> {
    let channels = layout.channels.iter();
    let channels = channels.flat_map(|it| it.columns.iter().chain([&it.length]));
    let slots = layout.slots.iter().flat_map(|slot| [&slot.kind, &slot.location]);
    let more = layout.holder.iter().chain(&layout.last_mover);
    layout.variables.iter().chain(channels).chain(slots).chain(more).copied().collect()
}

#[test]
fn nothing_overlaps_but_templates_of_one_slot() {
    let first = first_seed(1);
    for seed in first..first + cases(1000) {
        let model = random_model(&mut Rng::new(seed), &Shape { slots: 6, ..Shape::default() });
        let open: &[TemplateId] = if seed % 3 == 0 { &[TemplateId(0)] } else { &[] };
        for layout in [Layout::of(&model, open), Layout::fitted(&model, open)] {
            let most = layout.slots.iter().map(|slot| slot.variants.len()).max().unwrap_or(0);
            for variant in 0..most {
                let mut taken = vec![0; layout.words];
                shared(&layout).iter().for_each(|strip| take(&mut taken, strip));
                for slot in &layout.slots {
                    let of = &slot.variants[variant.min(slot.variants.len() - 1)];
                    of.locals.iter().for_each(|strip| take(&mut taken, strip));
                }
            }
        }
    }
}

/// Variables that an action sets back, and locations where processes are only while they hold, are behind
/// everything else.
#[test]
fn what_passes_within_a_step_comes_last() {
    let text = "model atomicity exclusive, exit any
        event e0 idle : idle
        event e1 a : visible
        variable g0 passes : wrap 0..255 = 0
        variable g1 array[2] : wrap 0..255 = 0, 0
        variable g2 stays : wrap 0..255 = 0
        template t0 Holds parameters 1 {
          local l0 argument : wrap 0..255 = 0
          local l1 passes : wrap 0..255 = 0
          local l2 stays : wrap 0..255 = 0
          location q0 s {
            -> q0 on e1 do { g0 := l2; l1 := 1; l1 := l1 + g0; g0 := 0; l1 := 0 } as back
            -> q0 on e1 do { l0 := 3; l0 := 0 } as arguments
            -> q0 on e1 do { l2 := 3; l2 := 0 } as back_here
            -> q1 hold on e1 do { l2 := 3; g1[0] := 1; g1[0] := 0 } as not_here
          }
          location q1 t { -> q0 on e1 do { g2 := g2 + 1 } as go }
        }
        template t1 Rests parameters 0 {
          location q0 s { -> q1 on e1 as a }
          location q1 t { -> q0 hold on e1 as a }
        }
        slot p0 A : t0 start t0(6)
        slot p1 B : t1 start t1()";
    let model = text::parse(text).unwrap_or_else(|wrong| panic!("{wrong:?}"));
    let layout = Layout::fitted(&model, &[]);
    let [a, b] = &layout.slots[..] else { panic!() };
    let locals = &a.variants[0].locals;
    let mut transient = vec![layout.variables[0], a.location, locals[1]];
    transient.extend(layout.holder);
    let staying = [layout.variables[1], layout.variables[2], locals[0], locals[2], b.location];
    let place = |strip: &Strip| (strip.word, strip.shift);
    let last = staying.iter().map(place).max();
    assert!(transient.iter().chain(&staying).all(|strip| strip.width > 0));
    assert!(transient.iter().all(|strip| Some(place(strip)) > last), "{layout:?}");
    assert_eq!(transient.len(), 4);
}

#[test]
fn small_things_share_words_and_arrays_can_be_indexed() {
    let mut model = Model::new();
    let whole = Range::new(i64::MIN, i64::MAX);
    model.variables = vec![
        Variable::scalar("bit", Range::BOOL, 0),
        Variable::scalar("one value", Range::new(7, 7), 7),
        array("seven bits", Range::new(-64, 63), 100),
        Variable::scalar("whole", whole, 0),
        array("in one word", Range::new(0, 2), 20),
        Variable::scalar("int", Range::INT, 0),
    ];
    let layout = Layout::of(&model, &[]);
    let strips = &layout.variables;
    assert_eq!((strips[0].width, strips[1].width, strips[1].base), (1, 0, 7));
    // Nine a word, and the last word is left to others.
    assert_eq!((strips[2].width, strips[2].per_word, strips[2].shift), (7, 9, 0));
    assert_eq!(strips[3].width, 64);
    assert_eq!((strips[4].width, strips[4].word, strips[4].shift), (2, strips[0].word, 1));
    assert_eq!(layout.words, 1 + 12 + 1);
    assert_eq!((strips[5].width, strips[5].word, strips[5].shift), (32, 12, 7));
    let mut cells = vec![0; layout.cells];
    cells[strips[1].cell as usize] = 7;
    cells[strips[2].cell as usize + 99] = -64;
    cells[strips[2].cell as usize + 9] = 63;
    cells[strips[3].cell as usize] = i64::MIN;
    cells[strips[5].cell as usize] = -1;
    let mut words = vec![0; layout.words];
    layout.pack(&cells, &mut words);
    assert_eq!(strips[2].get(&words, 9), 63);
    assert_eq!(strips[3].get(&words, 0), i64::MIN);
    let mut back = vec![1; layout.cells];
    layout.unpack(&words, &mut back);
    assert_eq!(back, cells);
    strips[2].set(&mut words, 9, -64);
    layout.unpack(&words, &mut back);
    assert_eq!(back[strips[2].cell as usize + 9], -64);
}

#[test]
fn a_slot_remembers_only_what_is_not_known() {
    let text = "model atomicity exclusive, exit any
        event e0 idle : idle
        event e1 a : visible
        template t0 Stays parameters 0 {
          local l0 x : 0..255 = 0
          location q0 s { -> q0 on e1 as a }
        }
        template t1 Goes parameters 0 {
          local l0 y : 0..3 = 0
          location q0 s { -> exit on e1 as a }
        }
        slot p0 A : t0, t1 start t0()
        slot p1 B : t1 start t1()
        slot p2 C : t0, t1";
    let model = text::parse(text).unwrap();
    let layout = Layout::of(&model, &[]);
    let [a, b, c] = &layout.slots[..] else { panic!() };
    let shape = |at: usize| {
        let slot = &layout.slots[at];
        (slot.kind.width, slot.location.width, slot.variants.len())
    };
    // A is never left, so that no other process ever comes.
    assert_eq!((shape(0), shape(1), shape(2)), ((0, 0, 1), (1, 0, 1), (2, 0, 2)));
    assert_eq!(a.kind.base, 1);
    assert_eq!(b.variants[0].template, TemplateId(1));
    assert_eq!(c.variants[0].locals[0].word, c.variants[1].locals[0].word);
    assert_eq!(c.variants[0].locals[0].shift, c.variants[1].locals[0].shift);
    assert_eq!((layout.holder, layout.last_mover), (None, None));
    let open = Layout::of(&model, &[TemplateId(0)]);
    assert_eq!((open.slots[0].kind.width, open.slots[0].location.width), (2, 32));
    // Later locations may be atomic.
    assert!(open.holder.is_some());
}

#[test]
fn a_hostile_length_is_refused() {
    let mut model = Model::new();
    assert!(Layout::fits(&model));
    model.variables = vec![array("a", Range::BOOL, 3); 2];
    for variable in &mut model.variables {
        variable.length = Some(u32::MAX);
    }
    assert!(!Layout::fits(&model));
}

/// A state has room for all that can happen, in whichever process.
#[test]
fn values_that_cannot_happen_have_no_room() {
    let text = "model atomicity exclusive, exit any
        event e0 idle : idle
        event e1 a : visible
        event e2 both : visible
        gather e2 : all(p0, p1)
        variable g0 flag : wrap 0..255 = 0
        variable g1 guarded : wrap 0..255 = 0
        variable g2 shared : wrap 0..255 = 0
        variable g3 wraps : wrap 0..255 = 0
        variable g4 received : wrap 0..255 = 0
        variable g5 never : wrap -128..127 = 3
        variable g6 other : 0..1000 = 0
        channel c0 wire capacity 2 : (wrap 0..255, wrap 0..255)
        template t0 P parameters 1 {
          local l0 mine : wrap 0..255 = 0
          location q0 s {
            -> q0 on e1 do { g0 := 1 - g0 } as toggle
            -> q0 if g1 < 4 on e1 do { g1 := g1 + 1 } as count
            -> q0 on e1 do { g1 := 0 } as again
            -> q0 if g2 < 1 on e2 do { g2 := g2 + 1 } as together
            -> q0 on e1 do { g3 := g3 + 1 } as wraps
            -> q0 send 0 (5, g0) on e1 as send
            -> q0 receive 0 (_, _) on e1 do { g4 := $0 } as receive
            -> q0 on e1 do { g6 := 900; while g6 > 7 { g6 := g6 - 8 } } as loop
          }
        }
        template t1 Q parameters 0 {
          location q0 s {
            -> q0 on e2 do { g2 := 9 } as together
          }
        }
        slot p0 A : t0 start t0(6)
        slot p1 B : t1 start t1()";
    let model = text::parse(text).unwrap_or_else(|wrong| panic!("{wrong:?}"));
    let layout = Layout::fitted(&model, &[]);
    let widths: Vec<u32> = layout.variables.iter().map(|strip| strip.width).collect();
    // The guard's condition on the shared variable need not hold after the part of the other one.
    assert_eq!(widths, [1, 3, 8, 8, 3, 0, 10]);
    let cells: Vec<u32> = layout.channels[0].columns.iter().map(|strip| strip.width).collect();
    assert_eq!(cells, [0, 1]);
    assert_eq!(layout.channels[0].columns[0].base, 5);
    // An argument beside the initial value.
    assert_eq!(layout.slots[0].variants[0].locals[0].width, 3);
    let declared = Layout::of(&model, &[]);
    assert_eq!(declared.variables[1].width, 8);
}
