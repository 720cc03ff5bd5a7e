//! The systems of `bench/peers` for NuSMV, as modules of its language: text is generated, for the language has no arrays
//! that are as long as a parameter.
//!
//! A variable says who moves next, and only who can move may be chosen. Process `i` is weakly fair if again and again it
//! cannot move or is chosen, strongly fair if it is chosen again and again unless it can move only finitely often.

use std::fmt::Write;

/// A process in the making: its steps from place to place.
struct Process {
    /// Places; the first one is where it begins.
    places: &'static [&'static str],
    /// From, to, and the condition.
    steps: Vec<(&'static str, &'static str, String)>,
}

/// The module for a system: `kind` of fairness is `none`, `weak` or `strong`. `None` for a system that is not known here.
pub fn module(name: &str, processes: usize, kind: &str) -> Option<String> {
    let mut variables = String::new();
    let mut next = String::new();
    let of: Box<dyn Fn(usize) -> Process> = match name {
        "semaphore" => {
            variables.push_str("  free : boolean;\n");
            let chosen = |from: &str| -> String {
                let all = (0..processes).map(|i| format!("(who = {i} & pc{i} = {from})"));
                all.collect::<Vec<_>>().join(" | ")
            };
            let _ = writeln!(
                next,
                "  init(free) := TRUE;\n  next(free) := case {} : FALSE; {} : TRUE; TRUE : free; esac;",
                chosen("wants"),
                chosen("leave")
            );
            Box::new(|_| Process {
                places: &["idle", "wants", "inside", "leave"],
                steps: vec![
                    ("idle", "wants", "TRUE".to_owned()),
                    ("wants", "inside", "free".to_owned()),
                    ("inside", "leave", "TRUE".to_owned()),
                    ("leave", "idle", "TRUE".to_owned()),
                ],
            })
        }
        "philosophers" => {
            let last = processes - 1;
            let first = move |i: usize| if i == last { 0 } else { i };
            let second = move |i: usize| if i == last { i } else { i + 1 };
            for fork in 0..processes {
                let _ = writeln!(variables, "  taken{fork} : boolean;");
                let mut cases = String::new();
                for i in 0..processes {
                    let mut case = |from: &str, value: &str| {
                        let _ = write!(cases, " who = {i} & pc{i} = {from} : {value};");
                    };
                    if first(i) == fork {
                        case("wants", "TRUE");
                        case("three", "FALSE");
                    }
                    if second(i) == fork {
                        case("one", "TRUE");
                        case("two", "FALSE");
                    }
                }
                let _ = writeln!(
                    next,
                    "  init(taken{fork}) := FALSE;\n  next(taken{fork}) := case{cases} TRUE : taken{fork}; esac;"
                );
            }
            Box::new(move |i| Process {
                places: &["idle", "wants", "one", "inside", "two", "three"],
                steps: vec![
                    ("idle", "wants", "TRUE".to_owned()),
                    ("wants", "one", format!("!taken{}", first(i))),
                    ("one", "inside", format!("!taken{}", second(i))),
                    ("inside", "two", "TRUE".to_owned()),
                    ("two", "three", "TRUE".to_owned()),
                    ("three", "idle", "TRUE".to_owned()),
                ],
            })
        }
        "peterson" => {
            for i in 0..processes {
                let _ =
                    writeln!(variables, "  l{i} : 1..{processes};\n  level{i} : 0..{processes};");
                let _ = writeln!(
                    next,
                    "  init(l{i}) := 1;\n  next(l{i}) := case who = {i} & pc{i} = idle : 1; \
                     who = {i} & pc{i} = on & l{i} < {processes} : l{i} + 1; TRUE : l{i}; esac;\n  \
                     init(level{i}) := 0;\n  next(level{i}) := case \
                     who = {i} & pc{i} = wants & l{i} < {processes} : l{i}; \
                     who = {i} & pc{i} = leave : 0; TRUE : level{i}; esac;"
                );
            }
            for l in 1..processes {
                let _ = writeln!(variables, "  last{l} : 0..{};", processes - 1);
                let cases: String = (0..processes)
                    .map(|i| format!(" who = {i} & pc{i} = sign & l{i} = {l} : {i};"))
                    .collect();
                let _ = writeln!(
                    next,
                    "  init(last{l}) := 0;\n  next(last{l}) := case{cases} TRUE : last{l}; esac;"
                );
            }
            Box::new(move |i| {
                let below: Vec<String> = (0..processes)
                    .filter(|&other| other != i)
                    .map(|other| format!("level{other} < l{i}"))
                    .collect();
                let pushed: Vec<String> =
                    (1..processes).map(|l| format!("(l{i} = {l} & last{l} != {i})")).collect();
                Process {
                    places: &["idle", "wants", "sign", "waiting", "on", "inside", "leave"],
                    steps: vec![
                        ("idle", "wants", "TRUE".to_owned()),
                        ("wants", "sign", format!("l{i} < {processes}")),
                        ("wants", "inside", format!("l{i} = {processes}")),
                        ("sign", "waiting", "TRUE".to_owned()),
                        (
                            "waiting",
                            "on",
                            format!("({} | ({}))", pushed.join(" | "), below.join(" & ")),
                        ),
                        ("on", "wants", "TRUE".to_owned()),
                        ("inside", "leave", "TRUE".to_owned()),
                        ("leave", "idle", "TRUE".to_owned()),
                    ],
                }
            })
        }
        _ => return None,
    };
    let mut defines = String::new();
    let mut constraints = String::new();
    for i in 0..processes {
        let Process { places, steps } = of(i);
        let _ = writeln!(variables, "  pc{i} : {{{}}};", places.join(", "));
        let able: Vec<String> =
            steps.iter().map(|(from, _, when)| format!("(pc{i} = {from} & {when})")).collect();
        let _ = writeln!(defines, "  able{i} := {};", able.join(" | "));
        let cases: String = steps
            .iter()
            .map(|(from, to, when)| format!(" who = {i} & pc{i} = {from} & {when} : {to};"))
            .collect();
        let _ = writeln!(
            next,
            "  init(pc{i}) := {};\n  next(pc{i}) := case{cases} TRUE : pc{i}; esac;",
            places[0]
        );
        let _ = writeln!(constraints, "INVAR who = {i} -> able{i};");
        let _ = match kind {
            "weak" => writeln!(constraints, "JUSTICE !able{i} | who = {i};"),
            "strong" => writeln!(constraints, "COMPASSION (able{i}, who = {i});"),
            _ => Ok(()),
        };
    }
    Some(format!(
        "MODULE main\nVAR\n  who : 0..{};\n{variables}DEFINE\n{defines}ASSIGN\n{next}{constraints}\
         LTLSPEC G (pc0 = wants -> F pc0 = inside)\n",
        processes - 1
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_system_has_a_module() {
        for name in ["semaphore", "philosophers", "peterson"] {
            let text = module(name, 3, "strong").expect("it is known");
            assert_eq!(text.matches("COMPASSION").count(), 3, "{text}");
            assert_eq!(text.matches("case").count(), text.matches("esac").count(), "{text}");
        }
        assert_eq!(module("another", 3, "weak"), None);
    }
}
