//! The algorithms of the papers, chosen, counted and shown step by step.

use std::process::{Command, Output};

use serde_json::Value;

use crate::common::{code, err, out};

fn fairly(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairly"));
    command.args(arguments).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    command.output().expect("it runs")
}

fn json(arguments: &[&str]) -> Value {
    let output = fairly(arguments);
    serde_json::from_str(&out(&output)).unwrap_or_else(|error| panic!("{error}: {}", err(&output)))
}

/// A constraint that would exclude the run is looked for beside it, which may need another engine.
#[test]
fn an_engine_without_fin_decides_weak_fairness_of_a_violated_property() {
    let model = "corpus/systems/server-with-a-lock.net";
    let output = fairly(&["check", "--engine", "scc", "--fairness", "weak", model]);
    assert_eq!(code(&output), 1, "{}", err(&output));
    assert!(out(&output).contains("engine scc"), "{}", out(&output));
    let strong = fairly(&["check", "--engine", "scc", "--fairness", "strong", model]);
    assert_eq!(code(&strong), 2, "{}", out(&strong));
}

#[test]
fn the_tableau_has_the_states_and_edges_that_its_steps_name() {
    for formula in ["p U q", "G F p", "F G p", "G(p -> F q)", "X p & q", "(p U q) R r", "p & !p"] {
        let translator = ["ltl", formula, "--translator", "gpvw"];
        let tableau = json(&[&translator[..], &["--explain=json"]].concat());
        let states = tableau["states"].as_array().expect("states");
        let edges: usize =
            states.iter().map(|it| it["incoming"].as_array().expect("incoming").len()).sum();
        let hoa = out(&fairly(&[&translator[..], &["--to", "hoa"]].concat()));
        assert!(hoa.contains(&format!("States: {}\n", states.len() + 1)), "{formula}\n{hoa}");
        assert_eq!(hoa.lines().filter(|line| line.starts_with('[')).count(), edges, "{formula}");
        // Every step is about a node that was there before: the first one, or one that a step led to.
        let steps = tableau["steps"].as_array().expect("steps");
        let finished = steps.iter().filter(|step| step["event"] == "finished");
        assert_eq!(finished.clone().count(), edges, "{formula}");
        let fresh = finished.filter(|step| step["joined"] == false).count();
        assert_eq!(fresh, states.len(), "{formula}");
        for state in states {
            assert_eq!(state["new"].as_array().map(Vec::len), Some(0), "{formula}");
        }
    }
    assert_eq!(code(&fairly(&["ltl", "p", "--explain"])), 2);
}

#[test]
fn every_engine_shows_steps_that_end_as_its_answer_says() {
    let files = [
        ("corpus/automata/streett-3-nonempty.hoa", false),
        ("corpus/automata/streett-3-empty.hoa", true),
        ("corpus/automata/streett-pruned-twice.hoa", false),
        ("corpus/automata/streett-short-way-back.hoa", false),
    ];
    for (file, empty) in files {
        for engine in ["ndfs", "streett", "latvala", "kesten", "sun"] {
            let answer = fairly(&["aut", "empty", "--engine", engine, file]);
            assert_eq!(code(&answer), i32::from(!empty), "{engine} {file}: {}", err(&answer));
            let stepped = json(&["aut", "step", "--engine", engine, "--format", "json", file]);
            let events = stepped["automata"][0]["events"].as_array().expect("events").clone();
            let is_accepted = events.last().expect("an event")["event"] == "accepted";
            assert_eq!(is_accepted, !empty, "{engine} {file}");
        }
    }
}

#[test]
fn the_walks_of_two_papers_differ_where_a_cycle_asks_for_nothing() {
    let cycle = |engine: &str| {
        let file = "corpus/automata/streett-short-way-back.hoa";
        let answer = json(&["aut", "empty", "--engine", engine, "--format", "json", file]);
        answer["automata"][0]["lasso"]["cycle"].as_array().expect("a cycle").len()
    };
    // With marks on states, node 0 as it is entered by the long cycle is another state than node 0 at the start,
    // so the walk that meets every set goes round once and then the short way back.
    assert_eq!((cycle("latvala"), cycle("kesten")), (2, 6));
}

#[test]
fn statistics_say_what_was_pruned_and_why() {
    let file = "corpus/automata/streett-pruned-twice.hoa";
    let answer = json(&["aut", "empty", "--engine", "streett", "--format", "json", file]);
    let statistics = &answer["automata"][0]["statistics"];
    // The cycle without marks is accepted only when the whole component has failed twice, or on the way.
    assert_eq!(statistics["components"], 1, "{statistics}");
    assert_eq!((&statistics["rounds"], &statistics["nesting"]), (&2.into(), &2.into()));
    assert_eq!(statistics["largest_component"], 4);
    let unmet: Vec<u64> = statistics["unmet"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| it["mark"].as_u64().expect("a mark"))
        .collect();
    assert_eq!(unmet, [2, 0]);
    for engine in ["streett", "latvala", "kesten", "sun", "ndfs"] {
        let model = "corpus/systems/pruned-twice.net";
        let arguments = ["check", "--engine", engine, "--fairness", "strong", "--format", "json"];
        let answer = json(&[&arguments[..], &[model]].concat());
        let statistics = &answer[0]["stamp"]["statistics"];
        assert!(statistics["copies"].as_u64() > Some(0), "{engine}: {answer}");
        assert!(statistics["found"]["loop"].as_u64() > Some(0), "{engine}: {answer}");
        assert!(statistics["shown"]["loop"].as_u64() > Some(0), "{engine}: {answer}");
    }
}

#[test]
fn procedures_for_inherent_fairness_agree_and_say_what_decided() {
    let decided = |procedure: &str, model: &str| {
        let arguments = ["check", "--fairness", "inherent", "--procedure", procedure];
        let answer = json(&[&arguments[..], &["--format", "json", model]].concat());
        let prefixes = answer[0]["stamp"]["statistics"]["prefixes"].clone();
        (answer[0]["outcome"].clone(), prefixes)
    };
    for model in ["corpus/systems/c19-inherent-union.net", "corpus/systems/c18-inherent-weird.net"]
    {
        let (naive, five) = decided("naive", model);
        let (six, sets) = decided("section-6", model);
        let (improved, _) = decided("improved", model);
        assert!(naive == six && six == improved, "{model}");
        assert_eq!(five["automata"].as_array().map(Vec::len), Some(4), "{five}");
        assert!(sets["sets"].as_array().is_some_and(|sets| !sets.is_empty()), "{sets}");
    }
}

/// What is watched on a model ends as the check says, and speaks of nodes that the graph has.
#[test]
fn every_engine_is_watched_on_models() {
    let models = [
        ("corpus/systems/c02-semaphore.net", "G F p1"),
        ("corpus/systems/pruned-twice.net", "F z"),
        ("examples/promela/paper/collatz.pml", "!<>[](x < 5)"),
        ("corpus/systems/c23-live-philosophers.net", "G F eat.0"),
        ("corpus/systems/c24-reduction-terminated.net", "G F b"),
    ];
    let mut answers = [0, 0];
    for (model, formula) in models {
        for notion in ["none", "weak", "strong"] {
            for engine in ["scc", "ndfs", "streett", "latvala", "kesten", "sun"] {
                let asked = ["--engine", engine, "--fairness", notion, "-f", formula, model];
                let verdict = code(&fairly(&[&["check", "-q"], &asked[..]].concat()));
                let watched = fairly(&[&["watch", "--format", "json"], &asked[..]].concat());
                let what = format!("{engine}, {notion}, {model}: {}", err(&watched));
                if verdict == 2 {
                    assert_eq!(code(&watched), 2, "{what}");
                    continue;
                }
                let watched: Value = serde_json::from_str(&out(&watched)).expect(&what);
                assert_eq!(watched["schema"], "fairly.watch/1");
                assert_eq!(watched["algorithm"], engine);
                let count = watched["graph"]["nodes"].as_array().expect("nodes").len() as u64;
                let events = watched["events"].as_array().expect("events");
                for event in events {
                    let nodes = ["nodes", "stem", "cycle"]
                        .iter()
                        .flat_map(|key| event[key].as_array().cloned().unwrap_or_default());
                    let one = ["node", "from", "to"].iter().map(|key| event[key].clone());
                    let all = nodes.chain(one).filter_map(|node| node.as_u64());
                    assert!(all.into_iter().all(|node| node < count), "{event} {what}");
                }
                let is_accepted = events.last().is_some_and(|it| it["event"] == "accepted");
                assert_eq!(is_accepted, verdict == 1, "{what}");
                answers[usize::from(is_accepted)] += 1;
            }
        }
    }
    assert!(answers[0] > 10 && answers[1] > 10, "{answers:?}");
}

#[test]
fn translations_and_counters_are_watched_on_models() {
    let model = "corpus/systems/c02-semaphore.net";
    let tableau =
        json(&["watch", "--algorithm", "gpvw", "--format", "json", "-f", "G F p1", model]);
    let negated = json(&["ltl", "!(G F \"p1\")", "--translator", "gpvw", "--explain=json"]);
    assert_eq!(
        tableau["events"].as_array().map(Vec::len),
        negated["steps"].as_array().map(Vec::len)
    );
    let count = |of: &Value| of.as_array().map_or(0, Vec::len);
    assert_eq!(count(&tableau["graph"]["nodes"]), count(&tableau["states"]) + 1);
    let weak = ["watch", "--algorithm", "degeneralization", "--fairness", "weak", "-f", "G F p1"];
    let counter = json(&[&weak[..], &["--format", "json", model]].concat());
    let levels = counter["events"].as_array().expect("events");
    assert!(levels.iter().any(|it| it["accepting"] == true));
    assert!(levels.iter().any(|it| it["level"] == it["next"]));
    // Streett is no counter, and a never claim no formula.
    let strong =
        fairly(&["watch", "--algorithm", "degeneralization", "--fairness", "strong", model]);
    assert_eq!(code(&strong), 2, "{}", out(&strong));
    let claim = "examples/promela/paper/collatz.pml";
    let none = fairly(&["watch", "--algorithm", "gpvw", "-p", "never_0", claim]);
    assert_eq!(code(&none), 2, "{}", out(&none));
    let large = fairly(&[
        "watch",
        "--max-states",
        "3",
        "-f",
        "G F eat.0",
        "corpus/systems/c23-live-philosophers.net",
    ]);
    assert_eq!(code(&large), 3, "{}", out(&large));
}

/// The slides' product without the value of `x`: each place of one process with each of the other, and a step of either.
#[test]
fn processes_are_interleaved_as_on_the_slides() {
    let model = "examples/promela/paper/collatz.pml";
    let hoa = out(&fairly(&["graph", "--object", "interleaving", "--to", "hoa", model]));
    let count = |start: &str| hoa.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!((count("State: "), count("[")), (4, 8), "{hoa}");
    // What both processes of a kind do is told apart.
    let twins = "active [2] proctype P() { do :: skip -> skip od }";
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/twins.pml");
    std::fs::write(path, twins).expect("a file");
    let hoa = out(&fairly(&["graph", "--object", "interleaving", "--to", "hoa", path]));
    assert!(hoa.lines().any(|line| line.starts_with("AP: 4 ")), "{hoa}");
}

#[test]
fn the_claim_of_the_slides_has_a_run_for_five_and_none_for_four() {
    for (model, expected) in [("collatz.pml", 0), ("collatz-five.pml", 1)] {
        let model = format!("examples/promela/paper/{model}");
        assert_eq!(code(&fairly(&["check", "-q", &model])), expected, "{model}");
        let hoa =
            out(&fairly(&["graph", "--object", "product", "--to", "hoa", "-p", "never_0", &model]));
        let file = concat!(env!("CARGO_TARGET_TMPDIR"), "/claim.hoa");
        std::fs::write(file, hoa).expect("a file");
        let empty = fairly(&["aut", "empty", file]);
        assert_eq!(code(&empty), expected, "{model}");
    }
}

/// What is hidden decides nothing in one model, and in the other it does.
#[test]
fn an_abstraction_answers_for_the_system_only_if_it_is_continued() {
    let ask = |more: &[&str], model: &str| {
        let model = format!("corpus/systems/{model}.net");
        fairly(&[&["check", "-f", "G F b"], more, &[&model]].concat())
    };
    let inherent = ["--fairness", "inherent"];
    for (model, whole, hidden) in [("hiding-keeps-a-choice", 0, 0), ("hiding-loses-a-choice", 1, 3)]
    {
        assert_eq!(code(&ask(&inherent, model)), whole, "{model}");
        for reading in ["trace", "run"] {
            let hide = ["--hide", "c,d", "--reading", reading];
            let answer = ask(&[&inherent[..], &hide].concat(), model);
            assert_eq!(code(&answer), hidden, "{model}: {}{}", out(&answer), err(&answer));
        }
    }
    let lost = ["--hide", "c", "--format", "json"];
    let lost = out(&ask(&[&inherent[..], &lost].concat(), "hiding-loses-a-choice"));
    let lost: Value = serde_json::from_str(&lost).expect("JSON");
    assert!(lost.to_string().contains("after c the system can no longer"), "{lost}");
    // With b hidden, nothing can be asked of it; without inherent fairness, steps count.
    let unknown = ask(&[&inherent[..], &["--hide", "b"]].concat(), "hiding-keeps-a-choice");
    assert_eq!(code(&unknown), 2, "{}", out(&unknown));
    assert_eq!(code(&ask(&["--hide", "c"], "hiding-keeps-a-choice")), 2);
    // Everything hidden: no word goes on for ever.
    let nothing = ask(&[&inherent[..], &["--hide", "*"]].concat(), "hiding-keeps-a-choice");
    assert!(code(&nothing) == 3 || code(&nothing) == 2, "{}{}", out(&nothing), err(&nothing));
    // What does not hold of the abstraction does not hold of the system.
    let model = "corpus/systems/hiding-keeps-a-choice.net";
    let never = ["check", "--fairness", "inherent", "--hide", "c,d", "-f", "F G b && F G a", model];
    assert_eq!(code(&fairly(&never)), 1);
}
