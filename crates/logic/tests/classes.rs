//! The classes mean what they say: judged on words, since no automaton is at hand here.

use fairly_logic::{Atom, Formula, Formulas};
use fairly_testkit::ltl::{Ltl, LtlShape, random_formula};
use fairly_testkit::{Rng, TinyWord, random_word};

fn judge(fs: &Formulas, f: Formula) -> Ltl {
    Ltl::from_lbt(&fs.to_lbt(f).unwrap()).unwrap()
}

fn repeated(part: &[u8], times: usize) -> Vec<u8> {
    part.iter().copied().cycle().take(part.len() * times).collect()
}

/// Often enough for a deterministic automaton of a small formula to come round.
const OFTEN: usize = 12;

/// If `uv^ω` violates a safety property, then so does everything that begins with `u` and enough
/// `v`; if it satisfies a guarantee property, so does everything that begins so.
#[test]
fn safety_and_guarantee_show_in_a_prefix() {
    let mut seen = [0; 2];
    for seed in 0..6_000 {
        let mut rng = Rng::new(seed);
        let shape = LtlShape { size: 1 + rng.below(7), atoms: 2, operators: "!&|ie^XFGUVWM" };
        let original = random_formula(&mut rng, &shape);
        let mut fs = Formulas::new();
        let f = fs.parse(&original.infix()).unwrap();
        let classes = fs.classes(f);
        if !classes.safety && !classes.guarantee {
            continue;
        }
        for _ in 0..4 {
            let word = random_word(&mut rng, 2, 2, 3);
            let holds = original.holds(&word);
            if if holds { !classes.guarantee } else { !classes.safety } {
                continue;
            }
            seen[usize::from(holds)] += 1;
            let mut stem = word.stem.clone();
            stem.extend(repeated(&word.cycle, OFTEN));
            for _ in 0..4 {
                let tail = random_word(&mut rng, 2, 2, 3);
                let stem = [stem.clone(), tail.stem].concat();
                let other = TinyWord { stem, cycle: tail.cycle };
                assert_eq!(
                    original.holds(&other),
                    holds,
                    "seed {seed}: {} on {other}",
                    fs.display(f)
                );
            }
        }
    }
    assert!(seen[0] > 500 && seen[1] > 500, "{seen:?}");
}

/// A recurrence property is recognised by a deterministic Büchi automaton, so (Landweber) two
/// loops of one state of which one is accepted are accepted when run in turn. The state is forced
/// by reading `v` and `xv` often enough first. Persistence is the same for the complement.
#[test]
fn recurrence_and_persistence_survive_detours() {
    let mut seen = [0; 2];
    for seed in 0..4_000 {
        let mut rng = Rng::new(seed);
        let shape = LtlShape { size: 2 + rng.below(6), atoms: 2, operators: "&|FGFGUVWM" };
        let original = random_formula(&mut rng, &shape);
        let mut fs = Formulas::new();
        let f = fs.parse(&original.infix()).unwrap();
        let classes = fs.classes(f);
        if !classes.recurrence && !classes.persistence {
            continue;
        }
        for _ in 0..3 {
            let word = random_word(&mut rng, 2, 1, 2);
            let detour = random_word(&mut rng, 2, 0, 2).cycle;
            let steady = repeated(&word.cycle, OFTEN);
            let round = [detour, steady.clone()].concat();
            let stem = [word.stem, steady.clone(), repeated(&round, OFTEN)].concat();
            let direct = TinyWord { stem: stem.clone(), cycle: word.cycle };
            let holds = original.holds(&direct);
            if if holds { !classes.recurrence } else { !classes.persistence } {
                continue;
            }
            seen[usize::from(holds)] += 1;
            let cycle = [steady, repeated(&round, OFTEN)].concat();
            let other = TinyWord { stem, cycle };
            assert_eq!(original.holds(&other), holds, "seed {seed}: {} on {other}", fs.display(f));
        }
    }
    assert!(seen[0] > 500 && seen[1] > 500, "{seen:?}");
}

/// Bits 0 and 1 of a letter are state propositions, bits 2 and 3 events.
const EVENTS: u8 = 0b1100;

/// An arena and a random formula over two states and two events.
fn over_events(rng: &mut Rng, operators: &'static str, atoms: [u8; 2]) -> (Formulas, Formula) {
    let mut fs = Formulas::new();
    let all: Vec<Formula> = vec![
        fs.atom(Atom::state("p0")),
        fs.atom(Atom::state("p1")),
        fs.atom(Atom::event("p2")),
        fs.atom(Atom::event("p3")),
    ];
    let shape = LtlShape { size: 1 + rng.below(8), atoms: 2, operators };
    let text = random_formula(rng, &shape).infix();
    let f = fs.parse(&text).unwrap();
    let f = fs.replace_atoms(f, |fs, id| {
        let which = if fs.atom_of(id).text() == "p0" { atoms[0] } else { atoms[1] };
        all[usize::from(which)]
    });
    (fs, f)
}

/// The word with invisible letters put before some letters: the same states, no event.
fn interrupted(rng: &mut Rng, word: &TinyWord) -> TinyWord {
    let mut insert = |letters: &[u8]| -> Vec<u8> {
        let mut out = Vec::new();
        for &letter in letters {
            for _ in 0..[0, 0, 1, 2][rng.below(4)] {
                out.push(letter & !EVENTS);
            }
            out.push(letter);
        }
        out
    };
    let (stem, cycle) = (insert(&word.stem), insert(&word.cycle));
    TinyWord { stem, cycle }
}

#[test]
fn interruptible_formulas_ignore_invisible_events() {
    let mut seen = 0;
    for seed in 0..15_000 {
        let mut rng = Rng::new(seed);
        let atoms = *rng.pick(&[[2, 3], [2, 3], [0, 2], [0, 1]]);
        let (fs, f) = over_events(&mut rng, "!&|!&|XFGUVWMi", atoms);
        if !fs.is_interruptible(f) || fs.is_propositional(f) {
            continue;
        }
        seen += 1;
        let formula = judge(&fs, f);
        for _ in 0..4 {
            let word = random_word(&mut rng, 4, 4, 4);
            let other = interrupted(&mut rng, &word);
            assert_eq!(
                formula.holds(&word),
                formula.holds(&other),
                "seed {seed}: {} on {word} and {other}",
                fs.display(f)
            );
        }
    }
    assert!(seen > 2_000, "{seen}");
}

/// The example of `docs/papers.md` 004-21: not interruptible, and rightly so.
#[test]
fn next_free_is_not_enough_over_events() {
    let mut fs = Formulas::new();
    for name in ["p0", "p1"] {
        fs.atom(Atom::event(name));
    }
    let f = fs.parse("event(p0) U event(p1)").unwrap();
    assert!(fs.is_next_free(f) && !fs.is_interruptible(f));
    let word = TinyWord { stem: vec![1, 1, 2], cycle: vec![0] };
    let later = TinyWord { stem: vec![0, 1, 1, 2], cycle: vec![0] };
    assert!(judge(&fs, f).holds(&word) && !judge(&fs, f).holds(&later));
    let projected = fs.project(f).unwrap();
    assert!(judge(&fs, projected).holds(&word) && judge(&fs, projected).holds(&later));
}

/// A projected formula holds of a word iff the formula holds of the projected word.
#[test]
fn projection_is_what_it_says() {
    let mut projected_some = 0;
    for seed in 0..6_000 {
        let mut rng = Rng::new(seed);
        let (mut fs, f) = over_events(&mut rng, "!&|XFGUVWMie^", [2, 3]);
        let Some(projected) = fs.project(f) else { panic!("seed {seed}: {}", fs.display(f)) };
        assert!(fs.is_interruptible(projected), "seed {seed}: {}", fs.display(f));
        projected_some += 1;
        // The visible events are those in the formula.
        let mut visible = 0u8;
        for id in fs.atoms(f) {
            visible |= 1 << id.index();
        }
        let (formula, projected) = (judge(&fs, f), judge(&fs, projected));
        for _ in 0..4 {
            let word = random_word(&mut rng, 4, 4, 4);
            let keep = |letters: &[u8]| -> Vec<u8> {
                letters.iter().copied().filter(|letter| letter & visible != 0).collect()
            };
            let mut short = TinyWord { stem: keep(&word.stem), cycle: keep(&word.cycle) };
            if short.cycle.is_empty() {
                short.cycle.push(0);
            }
            assert_eq!(
                projected.holds(&word),
                formula.holds(&short),
                "seed {seed}: {} on {word}, projected {short}",
                fs.display(f)
            );
        }
    }
    assert!(projected_some > 1_000, "{projected_some}");
}
