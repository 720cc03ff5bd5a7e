//! Printing and reading again, and a parser that survives anything.

use fairly_logic::parser::MAX_DEPTH;
use fairly_logic::{Atom, Formula, Formulas, Spelling};
use fairly_testkit::ltl::{Ltl, LtlShape, random_formula};
use fairly_testkit::{Rng, formulas, random_word};

fn judge(fs: &Formulas, f: Formula) -> Ltl {
    Ltl::from_lbt(&fs.to_lbt(f).unwrap()).unwrap()
}

fn uses(ltl: &Ltl, letters: &str) -> bool {
    ltl.lbt().split(' ').any(|token| letters.contains(token))
}

#[test]
fn every_spelling_reads_back() {
    for seed in 0..20_000 {
        let mut rng = Rng::new(seed);
        let size = 1 + rng.below(16);
        let original = random_formula(&mut rng, &LtlShape { size, ..LtlShape::default() });
        let mut fs = Formulas::new();
        let atoms = ["p0", "p1", "p2"].map(|name| fs.name(name));
        let f = fs.parse(&original.infix()).unwrap();
        let word = random_word(&mut rng, 3, 4, 4);
        for (name, spelling) in Spelling::ALL {
            let text = fs.spell(f, spelling).unwrap();
            let back =
                fs.parse(&text).unwrap_or_else(|wrong| panic!("seed {seed}: {text}: {wrong}"));
            let rewritten = match spelling {
                Spelling::Canonical | Spelling::Spot => false,
                Spelling::Spin => uses(&original, "^M"),
                Spelling::Pat => uses(&original, "^MW"),
                Spelling::Tla => uses(&original, "^"),
            };
            if !rewritten {
                assert_eq!(back, f, "seed {seed}, {name}: {text}");
            }
            assert_eq!(
                judge(&fs, back).values(&word),
                original.values(&word),
                "seed {seed}, {name}: {text} on {word}"
            );
        }
        assert_eq!(atoms[0], fs.name("p0"));
    }
}

/// Propositions of every kind and with awkward texts, in every spelling, behind every operator.
#[test]
fn every_proposition_reads_back() {
    let texts = [
        "p",
        "P",
        "FIFO",
        "GFp",
        "X",
        "U",
        "until",
        "true",
        "event",
        "state",
        "x == 3",
        "eat.0",
        "eat.*",
        "Feat.0",
        "c!(1)",
        "c)",
        "(",
        "}",
        "{}",
        "a\"b",
        "\\",
        "\\\"",
        "a.b.",
        "é",
        "_",
        "G.0",
        "*",
        "0",
        "s == \"}\"",
        "a\nb",
        "F_x",
        "X1",
        "event(p)",
    ];
    let mut fs = Formulas::new();
    for text in texts {
        for atom in [Atom::name(text), Atom::event(text), Atom::state(text)] {
            let p = fs.atom(atom.clone());
            let (g, x, n) = (fs.globally(p), fs.next(p), fs.not(p));
            let (gx, u) = (fs.globally(x), fs.until(n, g));
            for f in [p, g, x, n, gx, u] {
                for (name, spelling) in Spelling::ALL {
                    let written = fs.spell(f, spelling).unwrap();
                    let back = fs.parse(&written);
                    assert_eq!(back, Ok(f), "{atom:?}, {name}: {written}");
                }
            }
        }
    }
}

#[test]
fn the_literature_is_read() {
    let mut fs = Formulas::new();
    for set in formulas::SETS {
        for text in set.formulas {
            let f = fs.parse(text).unwrap_or_else(|wrong| panic!("{}: {text}: {wrong}", set.name));
            let simple = fs.simplify(f);
            let nnf = fs.nnf(f);
            assert!(fs.size(simple) <= fs.size(nnf), "{text}");
        }
    }
    for family in formulas::FAMILIES {
        for n in 1..=20 {
            let text = (family.formula)(n);
            let f = fs.parse(&text).unwrap_or_else(|wrong| panic!("{text}: {wrong}"));
            fs.simplify(f);
        }
    }
}

/// The fairness premises that Sun, Liu, Dong and Wang measure cost nothing once lifted
/// (`docs/papers.md` 004-30).
#[test]
fn the_fairness_families_lift_completely() {
    for (name, rest) in [("fair-weak", "true"), ("fair-strong", "true"), ("theta", "F(q & G!r)")] {
        let family = formulas::FAMILIES.iter().find(|family| family.name == name).unwrap();
        for n in 1..=20 {
            let mut fs = Formulas::new();
            let f = fs.parse(&(family.formula)(n)).unwrap();
            for f in [f, fs.simplify(f)] {
                let lifted = fs.lift(f);
                let own = usize::from(rest == "true");
                assert_eq!(lifted.premises.len(), n + own, "{name} {n}");
                let expected = fs.parse(rest).unwrap();
                assert_eq!(lifted.rest, expected, "{name} {n}");
            }
        }
    }
}

/// Random bytes, random tokens, and damaged formulas: an answer or a diagnostic, never a panic,
/// and a diagnostic that lies in the text.
#[test]
fn the_parser_survives_anything() {
    let pieces = [
        "(", ")", "p", "q", "eat.0", "eat.", "GF", "GFp", "U", "until", "&", "&&", "|", "->",
        "<->", "~>", "=", "==", "!", "!=", "[]", "<>", "[", "\"", "\"x\"", "{", "}", "{x}",
        "event(", "event", "state(p)", "1", "0", "42", " ", "\n", "\\/", "/\\", "\\", "é", "□",
        "∧", "\u{0}", "^", "xor", ".", "*", "'", "-", "~",
    ];
    for seed in 0..30_000 {
        let mut rng = Rng::new(seed);
        let text = match rng.below(3) {
            0 => {
                let bytes: Vec<u8> = (0..rng.below(40)).map(|_| rng.below(256) as u8).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            }
            1 => (0..rng.below(20)).map(|_| *rng.pick(&pieces)).collect(),
            _ => {
                let size = 1 + rng.below(12);
                let shape = LtlShape { size, ..LtlShape::default() };
                let mut bytes = random_formula(&mut rng, &shape).infix().into_bytes();
                for _ in 0..1 + rng.below(3) {
                    let at = rng.below(bytes.len());
                    match rng.below(3) {
                        0 => bytes[at] = rng.below(128) as u8,
                        1 if bytes.len() > 1 => drop(bytes.remove(at)),
                        _ => bytes.insert(at, *rng.pick(b"()!&|<>[]\"{}.=U-~ ")),
                    }
                }
                String::from_utf8_lossy(&bytes).into_owned()
            }
        };
        let mut fs = Formulas::new();
        match fs.parse(&text) {
            Ok(f) => {
                let shown = fs.display(f);
                assert_eq!(fs.parse(&shown), Ok(f), "seed {seed}: {text:?} shown as {shown:?}");
            }
            Err(wrong) => {
                let span = wrong.span;
                assert!(span.start <= span.end && span.end <= text.len(), "seed {seed}: {text:?}");
                assert!(text.get(span.start..span.end).is_some(), "seed {seed}: {text:?}");
                assert!(wrong.code.starts_with("E05"), "seed {seed}: {wrong}");
            }
        }
    }
}

/// The deepest formulas that are read go through everything without a stack overflow.
#[test]
fn the_deepest_formulas_go_through() {
    for (open, close) in
        [("!X(p & ", ")"), ("(q U ", ")"), ("(q ~> ", ")"), ("(p <-> ", ")"), ("G(q | F ", ")")]
    {
        let levels = MAX_DEPTH / 3;
        let text = format!("{}p{}", open.repeat(levels), close.repeat(levels));
        let mut fs = Formulas::new();
        let f = fs.parse(&text).unwrap();
        let simple = fs.simplify(f);
        let negated = fs.negate(simple);
        fs.lift(negated);
        fs.classes(negated);
        fs.is_interruptible(negated);
        fs.display(negated);
        for (_, spelling) in Spelling::ALL {
            // Refused or written: either way it comes back.
            let _ = fs.spell(f, spelling);
        }
    }
}
