//! Random programs on the collections of CSP#, and a naive meaning of them: the standard library's vectors, sets
//! and maps. Every step must leave the same contents, by the interpreter and by native code, and go wrong in the
//! same way.
//!
//! `FAIRLY_RANDOM_CASES` says how many programs, `FAIRLY_SEED` the seed of the first.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use fairly_explore::Explored;
use fairly_front::csp;
use fairly_model::{ModelSpace, text, verify};
use fairly_system::{FaultKind, TransitionSystem};
use fairly_testkit::Rng;

use crate::common::seeds;
use fairly_modelkit::native as compare;

/// Variables of a program: two collections of every class, and three scalars.
const OBJECTS: [(&str, &str); 10] = [
    ("l", "List"),
    ("m", "List"),
    ("t", "Stack"),
    ("u", "Stack"),
    ("q", "Queue"),
    ("r", "Queue"),
    ("s", "Set"),
    ("z", "Set"),
    ("h", "HashTable"),
    ("k", "HashTable"),
];
const VARIABLES: [&str; 3] = ["a", "b", "c"];

/// Expressions; truth values are 0 and 1.
enum Expr {
    Number(i64),
    Variable(usize),
    Binary(&'static str, Box<(Expr, Expr)>),
    Not(Box<Expr>),
    Math(&'static str, Vec<Expr>),
    Method(usize, &'static str, Vec<Expr>),
    Compares(usize, &'static str, usize),
    Same(usize, usize),
}

enum Statement {
    Assign(usize, Expr),
    Call(usize, &'static str, Vec<Expr>),
    New(usize, Vec<Expr>),
    Copy(usize, usize),
    Combine(usize, &'static str, usize, usize),
    If(Expr, Vec<Statement>, Vec<Statement>),
    /// At most so many times: a variable counts.
    While(i64, Expr, Vec<Statement>),
}

// Text.

fn list(exprs: &[Expr]) -> String {
    exprs.iter().map(written).collect::<Vec<_>>().join(", ")
}

fn written(expr: &Expr) -> String {
    match expr {
        Expr::Number(number) if *number < 0 => format!("(0 - {})", -number),
        Expr::Number(number) => number.to_string(),
        Expr::Variable(at) => VARIABLES[*at].to_owned(),
        Expr::Binary(op, sides) => format!("({} {op} {})", written(&sides.0), written(&sides.1)),
        Expr::Not(inner) => format!("!({})", written(inner)),
        Expr::Math(name, operands) => format!("call({name}, {})", list(operands)),
        Expr::Method(object, name, arguments) => {
            format!("{}.{name}({})", OBJECTS[*object].0, list(arguments))
        }
        Expr::Compares(object, name, other) => {
            format!("{}.{name}({})", OBJECTS[*object].0, OBJECTS[*other].0)
        }
        Expr::Same(one, other) => format!("({} == {})", OBJECTS[*one].0, OBJECTS[*other].0),
    }
}

fn program(statements: &[Statement]) -> String {
    let mut out = String::new();
    for statement in statements {
        let name = |object: &usize| OBJECTS[*object].0;
        let _ = match statement {
            Statement::Assign(to, value) => {
                write!(out, "{} = {}; ", VARIABLES[*to], written(value))
            }
            Statement::Call(object, method, arguments) => {
                write!(out, "{}.{method}({}); ", name(object), list(arguments))
            }
            Statement::New(to, elements) if elements.is_empty() => {
                write!(out, "{} = new {}(); ", name(to), OBJECTS[*to].1)
            }
            Statement::New(to, elements) => {
                write!(out, "{} = new List([{}]); ", name(to), list(elements))
            }
            Statement::Copy(to, from) => write!(out, "{} = {}; ", name(to), name(from)),
            Statement::Combine(to, method, one, other) => {
                write!(
                    out,
                    "{} = {}.{method}({}, {}); ",
                    name(to),
                    name(one),
                    name(one),
                    name(other)
                )
            }
            Statement::If(test, then, otherwise) => write!(
                out,
                "if ({}) {{ {}}} else {{ {}}} ",
                written(test),
                program(then),
                program(otherwise)
            ),
            Statement::While(most, test, body) => write!(
                out,
                "w = 0; while (w < {most} && {}) {{ w = w + 1; {}}} ",
                written(test),
                program(body)
            ),
        };
    }
    out
}

// Random programs.

struct Maker<'a> {
    rng: &'a mut Rng,
    /// Whether methods may change their collections.
    changes: bool,
}

impl Maker<'_> {
    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.rng.below(items.len())]
    }

    /// One of the two collections of the class that this one is of.
    fn alike(&mut self, object: usize) -> usize {
        object / 2 * 2 + self.rng.below(2)
    }

    fn number(&mut self, depth: usize) -> Expr {
        let deep = depth > 0;
        match self.rng.below(if deep { 10 } else { 3 }) {
            0 | 1 => Expr::Number(self.rng.below(6) as i64 - 1),
            2 => Expr::Variable(self.rng.below(3)),
            3 => {
                let op = self.pick(&["+", "-"]);
                Expr::Binary(op, Box::new((self.number(depth - 1), self.number(depth - 1))))
            }
            4 => {
                // Powers of what is small.
                let names: &[_] =
                    if self.changes { &["Max", "Min", "Abs", "Sign", "Sqrt"] } else { &["max"] };
                let name = self.pick(names);
                let count = if ["Max", "Min", "max"].contains(&name) { 2 } else { 1 };
                Expr::Math(name, (0..count).map(|_| self.number(depth - 1)).collect())
            }
            5 => {
                let small = |maker: &mut Self| Expr::Number(maker.rng.below(5) as i64 - 1);
                let base = small(self);
                let exponent = match self.rng.chance(1, 2) {
                    true => small(self),
                    false => Expr::Binary(
                        "-",
                        Box::new((small(self), Expr::Method(self.rng.below(10), "Count", vec![]))),
                    ),
                };
                Expr::Math("Pow", vec![base, exponent])
            }
            6 if self.changes => {
                let object = self.pick(&[2, 3, 4, 5]);
                Expr::Method(object, if object < 4 { "Pop" } else { "Dequeue" }, vec![])
            }
            7 => {
                let (object, name) =
                    self.pick(&[(2, "Peek"), (3, "Peek"), (4, "First"), (5, "Last"), (4, "Last")]);
                Expr::Method(object, name, vec![])
            }
            8 => {
                let (object, name) =
                    self.pick(&[(0, "Get"), (1, "Get"), (6, "Get"), (8, "GetValue")]);
                Expr::Method(object, name, vec![self.number(depth - 1)])
            }
            _ => Expr::Method(self.rng.below(10), "Count", vec![]),
        }
    }

    fn condition(&mut self, depth: usize) -> Expr {
        let deep = depth > 0;
        match self.rng.below(if deep { 9 } else { 4 }) {
            0 => Expr::Method(self.rng.below(10), "IsEmpty", vec![]),
            1 => {
                let object = self.rng.below(10);
                let name = if object >= 8 { "ContainsKey" } else { "Contains" };
                Expr::Method(object, name, vec![self.number(depth.saturating_sub(1))])
            }
            2 => {
                let name = self.pick(&["IsDisjoint", "IsOverlapping"]);
                Expr::Compares(6, name, 6 + self.rng.below(2))
            }
            3 => {
                let object = self.rng.below(10);
                Expr::Same(object, self.alike(object))
            }
            4 => Expr::Not(Box::new(self.condition(depth - 1))),
            5 | 6 => {
                let op = self.pick(&["&&", "||"]);
                Expr::Binary(op, Box::new((self.condition(depth - 1), self.condition(depth - 1))))
            }
            7 if self.changes => {
                let name = self.pick(&["Add", "Remove"]);
                Expr::Method(6 + self.rng.below(2), name, vec![self.number(depth - 1)])
            }
            _ => {
                let op = self.pick(&["==", "<", "<="]);
                Expr::Binary(op, Box::new((self.number(depth - 1), self.number(depth - 1))))
            }
        }
    }

    fn statements(&mut self, depth: usize) -> Vec<Statement> {
        (0..1 + self.rng.below(3)).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> Statement {
        match self.rng.below(if depth > 0 { 14 } else { 12 }) {
            0 => Statement::Assign(self.rng.below(3), self.number(2)),
            1 => {
                let object = self.rng.below(10);
                Statement::Copy(object, self.alike(object))
            }
            2 => {
                let object = self.rng.below(10);
                let most = if object < 2 { 4 } else { 1 };
                let elements = (0..self.rng.below(most)).map(|_| self.number(1)).collect();
                Statement::New(object, elements)
            }
            3 | 4 => {
                let (object, names): (usize, &[_]) =
                    self.pick(&[(0, &["Concat"][..]), (4, &["Concat"]), (6, &SET), (7, &SET)]);
                let name = self.pick(names);
                let to = self.alike(object);
                Statement::Combine(to, name, self.alike(object), self.alike(object))
            }
            5..=11 => {
                let object = self.rng.below(10);
                let (name, count) = match object / 2 {
                    0 => self.pick(&[("Add", 1), ("Add", 1), ("Remove", 1), ("RemoveAt", 1)]),
                    1 => self.pick(&[("Push", 1), ("Push", 1), ("Push", 1), ("Pop", 0)]),
                    2 => self.pick(&[("Enqueue", 1), ("Enqueue", 1), ("Dequeue", 0)]),
                    3 => self.pick(&[("Add", 1), ("Add", 1), ("Remove", 1), SUBSET]),
                    _ => self.pick(&[("Add", 2), ("Add", 2), ("Remove", 1), ("Clear", 0)]),
                };
                let arguments = (0..count).map(|_| self.number(2)).collect();
                Statement::Call(object, name, arguments)
            }
            12 => {
                let test = self.condition(2);
                Statement::If(test, self.statements(depth - 1), self.statements(depth - 1))
            }
            // Only one deep, since the same variable counts.
            _ => Statement::While(1 + self.rng.below(3) as i64, self.condition(2), {
                self.statements(0)
            }),
        }
    }
}

const SET: [&str; 3] = ["Union", "Intersect", "Substract"];
const SUBSET: (&str, usize) = ("GetSubsetByIndex", 1);

// The naive meaning.

#[derive(Clone, Debug, PartialEq)]
enum Contents {
    Row(Vec<i64>),
    Set(BTreeSet<i64>),
    Table(BTreeMap<i64, i64>),
}

/// Why a step is not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    Error,
    Limit,
}

type Maybe<T> = Result<T, Stop>;

#[derive(Clone, Debug)]
struct World {
    objects: Vec<Contents>,
    variables: [i64; 3],
    counter: i64,
    capacity: usize,
}

fn empty(class: &str) -> Contents {
    match class {
        "Set" => Contents::Set(BTreeSet::new()),
        "HashTable" => Contents::Table(BTreeMap::new()),
        _ => Contents::Row(Vec::new()),
    }
}

fn at(row: &[i64], index: i64) -> Maybe<i64> {
    usize::try_from(index).ok().and_then(|index| row.get(index).copied()).ok_or(Stop::Error)
}

impl World {
    fn new(capacity: usize) -> World {
        let objects = OBJECTS.iter().map(|(_, class)| empty(class)).collect();
        World { objects, variables: [0; 3], counter: 0, capacity }
    }

    fn all(&mut self, exprs: &[Expr]) -> Maybe<Vec<i64>> {
        exprs.iter().map(|expr| self.value(expr)).collect()
    }

    fn value(&mut self, expr: &Expr) -> Maybe<i64> {
        Ok(match expr {
            Expr::Number(number) => *number,
            Expr::Variable(at) => self.variables[*at],
            Expr::Not(inner) => i64::from(self.value(inner)? == 0),
            Expr::Binary("&&", sides) => {
                i64::from(self.value(&sides.0)? != 0 && self.value(&sides.1)? != 0)
            }
            Expr::Binary("||", sides) => {
                i64::from(self.value(&sides.0)? != 0 || self.value(&sides.1)? != 0)
            }
            Expr::Binary(op, sides) => {
                let (left, right) = (self.value(&sides.0)?, self.value(&sides.1)?);
                match *op {
                    "+" => left + right,
                    "-" => left - right,
                    "==" => i64::from(left == right),
                    "<" => i64::from(left < right),
                    _ => i64::from(left <= right),
                }
            }
            Expr::Math(name, operands) => {
                let operands = self.all(operands)?;
                function(name, &operands)?
            }
            Expr::Method(object, name, arguments) => {
                let arguments = self.all(arguments)?;
                self.call(*object, name, &arguments)?
            }
            Expr::Compares(one, name, other) => {
                let common = match (&self.objects[*one], &self.objects[*other]) {
                    (Contents::Set(one), Contents::Set(other)) => one.intersection(other).count(),
                    _ => unreachable!("only sets"),
                };
                i64::from((common > 0) == (*name == "IsOverlapping"))
            }
            Expr::Same(one, other) => i64::from(self.objects[*one] == self.objects[*other]),
        })
    }

    fn call(&mut self, object: usize, name: &str, arguments: &[i64]) -> Maybe<i64> {
        let capacity = self.capacity;
        let first = arguments.first().copied().unwrap_or(0);
        let is_full = |length: usize| if length >= capacity { Err(Stop::Limit) } else { Ok(()) };
        Ok(match &mut self.objects[object] {
            Contents::Row(row) => match name {
                "Count" => row.len() as i64,
                "IsEmpty" => i64::from(row.is_empty()),
                "Contains" => i64::from(row.contains(&first)),
                "Add" | "Push" | "Enqueue" => {
                    is_full(row.len())?;
                    row.push(first);
                    0
                }
                "Get" => at(row, first)?,
                "Remove" => {
                    if let Some(index) = row.iter().position(|&element| element == first) {
                        row.remove(index);
                    }
                    0
                }
                "RemoveAt" => {
                    at(row, first)?;
                    row.remove(first as usize)
                }
                "Pop" => row.pop().ok_or(Stop::Error)?,
                "Peek" | "Last" => *row.last().ok_or(Stop::Error)?,
                "First" => *row.first().ok_or(Stop::Error)?,
                "Dequeue" => {
                    at(row, 0)?;
                    row.remove(0)
                }
                other => unreachable!("{other}"),
            },
            Contents::Set(set) => match name {
                "Count" => set.len() as i64,
                "IsEmpty" => i64::from(set.is_empty()),
                "Contains" => i64::from(set.contains(&first)),
                "Add" if set.contains(&first) => 0,
                "Add" => {
                    is_full(set.len())?;
                    i64::from(set.insert(first))
                }
                "Remove" => i64::from(set.remove(&first)),
                "Get" => at(&set.iter().copied().collect::<Vec<_>>(), first)?,
                "GetSubsetByIndex" => {
                    let bit = |place: usize| first > 0 && first >> place & 1 == 1;
                    let kept = set.iter().enumerate().filter(|(place, _)| bit(*place));
                    *set = kept.map(|(_, &element)| element).collect();
                    0
                }
                other => unreachable!("{other}"),
            },
            Contents::Table(table) => match name {
                "Count" => table.len() as i64,
                "IsEmpty" => i64::from(table.is_empty()),
                "ContainsKey" => i64::from(table.contains_key(&first)),
                "Add" if table.contains_key(&first) => 0,
                "Add" => {
                    is_full(table.len())?;
                    table.insert(first, arguments[1]);
                    0
                }
                "Remove" => {
                    table.remove(&first);
                    0
                }
                "GetValue" => *table.get(&first).ok_or(Stop::Error)?,
                "Clear" => {
                    table.clear();
                    0
                }
                other => unreachable!("{other}"),
            },
        })
    }

    fn run(&mut self, statements: &[Statement]) -> Maybe<()> {
        for statement in statements {
            match statement {
                Statement::Assign(to, value) => self.variables[*to] = self.value(value)?,
                Statement::Call(object, name, arguments) => {
                    let arguments = self.all(arguments)?;
                    self.call(*object, name, &arguments)?;
                }
                Statement::New(to, elements) => {
                    let elements = self.all(elements)?;
                    if elements.len() > self.capacity {
                        return Err(Stop::Limit);
                    }
                    self.objects[*to] = match empty(OBJECTS[*to].1) {
                        Contents::Row(_) => Contents::Row(elements),
                        other => other,
                    };
                }
                Statement::Copy(to, from) => self.objects[*to] = self.objects[*from].clone(),
                Statement::Combine(to, name, one, other) => {
                    let made = match (&self.objects[*one], &self.objects[*other]) {
                        (Contents::Row(one), Contents::Row(other)) => {
                            Contents::Row([&one[..], &other[..]].concat())
                        }
                        (Contents::Set(one), Contents::Set(other)) => Contents::Set(match *name {
                            "Union" => one | other,
                            "Intersect" => one & other,
                            _ => one - other,
                        }),
                        _ => unreachable!("tables are not combined"),
                    };
                    let length = match &made {
                        Contents::Row(row) => row.len(),
                        Contents::Set(set) => set.len(),
                        Contents::Table(_) => 0,
                    };
                    if length > self.capacity {
                        return Err(Stop::Limit);
                    }
                    self.objects[*to] = made;
                }
                Statement::If(test, then, otherwise) => {
                    let taken = if self.value(test)? != 0 { then } else { otherwise };
                    self.run(taken)?;
                }
                Statement::While(most, test, body) => {
                    self.counter = 0;
                    while self.counter < *most && self.value(test)? != 0 {
                        self.counter += 1;
                        self.run(body)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Everything by name, as a state shows it.
    fn shown(&self) -> BTreeMap<String, String> {
        let row = |elements: Vec<String>| format!("[{}]", elements.join(" "));
        let mut shown = BTreeMap::new();
        for ((name, _), contents) in OBJECTS.iter().zip(&self.objects) {
            let keys = match contents {
                Contents::Row(row) => row.iter().map(i64::to_string).collect(),
                Contents::Set(set) => set.iter().map(i64::to_string).collect(),
                Contents::Table(table) => {
                    let values = table.values().map(i64::to_string).collect();
                    shown.insert(format!("{name}.values"), row(values));
                    table.keys().map(i64::to_string).collect()
                }
            };
            shown.insert((*name).to_owned(), row(keys));
        }
        for (name, value) in VARIABLES.iter().zip(self.variables) {
            shown.insert((*name).to_owned(), value.to_string());
        }
        shown.insert("w".to_owned(), self.counter.to_string());
        shown
    }
}

// Generated numbers are small, so no conversion loses anything.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
fn function(name: &str, operands: &[i64]) -> Maybe<i64> {
    // As .NET has it: in floating point, rounded to the nearest and to even.
    let rounded = |value: f64| match value.is_finite() {
        true => Ok(value.round_ties_even() as i64),
        false => Err(Stop::Error),
    };
    let x = operands[0];
    match name {
        "Abs" => Ok(x.abs()),
        "Sign" => Ok(x.signum()),
        "Max" | "max" => Ok(x.max(operands[1])),
        "Min" => Ok(x.min(operands[1])),
        "Sqrt" => rounded((x as f64).sqrt()),
        _ => rounded((x as f64).powf(operands[1] as f64)),
    }
}

/// One program: an event with it, and then a guard.
struct Round {
    program: Vec<Statement>,
    guard: Expr,
}

/// Most programs go wrong soon. Of those that do, few are taken, so that runs are long.
fn rounds(rng: &mut Rng, capacity: usize) -> Vec<Round> {
    let mut world = World::new(capacity);
    let mut rounds = Vec::new();
    for _ in 0..3 + rng.below(6) {
        for _ in 0..20 {
            let program = Maker { rng, changes: true }.statements(2);
            let guard = Maker { rng, changes: false }.condition(2);
            let mut after = world.clone();
            let stop = after.run(&program).and_then(|()| after.value(&guard)).err();
            let taken = match stop {
                None => true,
                Some(Stop::Limit) => rng.chance(1, 3),
                Some(Stop::Error) => rng.chance(1, 40),
            };
            if taken {
                world = after;
                rounds.push(Round { program, guard });
                break;
            }
        }
    }
    rounds
}

fn model(rounds: &[Round], capacity: Option<usize>) -> String {
    let mut text = String::from("#import \"PAT.Math\";\n");
    for class in ["List", "Stack", "Queue", "Set", "HashTable"] {
        let _ = writeln!(text, "#import \"PAT.Lib.{class}\";");
    }
    let capacity = capacity.map_or(String::new(), |most| format!(" // capacity: {most}"));
    for (name, class) in OBJECTS {
        let _ = writeln!(text, "var<{class}> {name} = new {class}();{capacity}");
    }
    text.push_str("var a; var b; var c; var w;\n");
    for (at, Round { program: statements, guard }) in rounds.iter().enumerate() {
        let (test, next) = (written(guard), at + 1);
        let _ = writeln!(
            text,
            "P{at} = e{at}{{ {}}} -> ([{test}] yes.s.Count() -> P{next} [] [!({test})] no -> P{next});",
            program(statements)
        );
    }
    let _ = writeln!(text, "P{} = Skip;\n#assert P0 deadlockfree;", rounds.len());
    text
}

#[test]
fn random_programs() {
    let (mut steps, mut errors, mut limits, mut native) = (0, 0, 0, 0);
    for seed in seeds(100) {
        let rng = &mut Rng::new(seed);
        let capacity = rng.chance(1, 2).then(|| 1 + rng.below(4));
        let rounds = rounds(rng, capacity.unwrap_or(32));
        let text = model(&rounds, capacity);
        let told = |what: &str| format!("FAIRLY_SEED={seed}\n{text}\n{what}");
        let parsed = match csp::parse(&text) {
            Ok(parsed) => Arc::new(parsed),
            // A constant that has no value.
            Err(wrong) if wrong.iter().all(|it| it.code == "E1067") => continue,
            Err(wrong) => panic!("{}", told(&format!("{wrong:?}"))),
        };
        let again = csp::parse(&csp::print(&parsed)).map(|tree| csp::print(&tree));
        assert_eq!(again.as_ref(), Ok(&csp::print(&parsed)), "{}", told("printed"));
        let lowered = csp::lower(&parsed, &parsed.assertions[0].process);
        let lowered = lowered.unwrap_or_else(|wrong| panic!("{}", told(&format!("{wrong:?}"))));
        assert!(lowered.unfold.is_none(), "{}", told("unfolded"));
        if let Err(flaws) = verify(&lowered.model) {
            panic!("{}", told(&format!("{flaws:?}")));
        }
        let printed = text::print(&lowered.model);
        let read = text::parse(&printed).map(|model| text::print(&model));
        assert_eq!(read.as_ref(), Ok(&printed), "{}", told("the text of the model"));
        let compared = compare::compare_up_to(&lowered.model, 100);
        let (_, by_native) = compared.unwrap_or_else(|why| panic!("{}", told(&why.to_string())));
        native += by_native;

        let mut system = Explored::new(ModelSpace::new(lowered.model, None));
        let mut world = World::new(capacity.unwrap_or(32));
        let mut state = system.initial()[0];
        'run: for (at, round) in rounds.iter().enumerate() {
            for guard in [false, true] {
                let expected = match guard {
                    false => world.run(&round.program).map(|()| format!("e{at}")),
                    true => {
                        world.value(&round.guard).map(|holds| match (holds, &world.objects[6]) {
                            (0, _) => "no".to_owned(),
                            (_, Contents::Set(set)) => format!("yes.{}", set.len()),
                            _ => unreachable!("a set"),
                        })
                    }
                };
                let mut enabled = Vec::new();
                system.enabled(state, &mut enabled);
                let faults: Vec<Stop> = enabled
                    .iter()
                    .filter_map(|step| system.fault(step.target))
                    .map(|fault| match fault.kind {
                        FaultKind::Limit => Stop::Limit,
                        _ => Stop::Error,
                    })
                    .collect();
                let where_ = format!("round {at}, guard {guard}");
                match expected {
                    Err(stop) => {
                        assert!(!faults.is_empty(), "{}", told(&format!("{where_}: {stop:?}")));
                        assert!(faults.iter().all(|it| *it == stop), "{}", told(&where_));
                        match stop {
                            Stop::Error => errors += 1,
                            Stop::Limit => limits += 1,
                        }
                        break 'run;
                    }
                    Ok(event) => {
                        assert_eq!(faults, [], "{}", told(&where_));
                        assert_eq!(enabled.len(), 1, "{}", told(&where_));
                        let action = system.action(enabled[0].action).event;
                        let name = system.signature().events[action.index()].name.clone();
                        assert_eq!(name, event, "{}", told(&where_));
                        state = enabled[0].target;
                        steps += 1;
                    }
                }
                let shown = system.valuation(state).into_iter();
                let shown: BTreeMap<String, String> =
                    shown.filter(|(name, _)| !name.starts_with('P')).collect();
                assert_eq!(shown, world.shown(), "{}", told(&where_));
            }
        }
    }
    println!("{steps} steps, {errors} errors, {limits} limits, {native} states by native code");
    assert!(steps > 100 && errors > 3 && limits > 1 && native > 100);
}
