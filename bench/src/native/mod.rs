//! The tables `bench/record/native.md`: models run by machine code, against the verifiers that SPIN
//! makes of them.
//!
//! | module | subject |
//! |---|---|
//! | `models` | the models |
//! | `channels` | those that live on channels |
//! | `ours` | Fairly on a model |
//! | `pan` | SPIN on a model |
//!
//! States are asserted to be as many, and formulas to hold, on both sides.

mod channels;
pub(crate) mod models;
mod ours;
mod pan;

use std::fmt::Write;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use fairly_fairness::{Level, Notion};

use crate::units::{duration, grouped};
use models::Model;
use pan::{Folder, Kind};

/// A model and how many states it has.
struct Subject {
    model: Model,
    states: usize,
}

/// Runs everything, or what is small only.
///
/// # Panics
/// If an answer is wrong, or SPIN's is another.
pub fn report(quick: bool) -> String {
    let peer = pan::available();
    let mut out = String::new();
    let _ = match &peer {
        Ok(version) => writeln!(out, "The peer is {version}.\n"),
        Err(why) => writeln!(out, "The peer is skipped: {why}.\n"),
    };
    let models = models::all().into_iter().filter(|model| !quick || model.quick);
    let peer = peer.is_ok();
    let subjects = exploration(&mut out, models.collect(), peer);
    let always = |model: &Model| model.always;
    liveness(&mut out, &subjects, Notion::None, &always, peer);
    let weak = |model: &Model| model.weak;
    liveness(&mut out, &subjects, Notion::Weak(Level::Process), &weak, peer);
    strong(&mut out, &subjects);
    end_to_end(&mut out, &subjects, peer);
    out
}

/// Adds a row to a table, and shows it to who waits.
fn add(out: &mut String, row: &str) {
    eprintln!("{row}");
    out.push_str(row);
    out.push('\n');
}

/// All states, and how fast they are found.
fn exploration(out: &mut String, models: Vec<Model>, peer: bool) -> Vec<Subject> {
    out.push_str(
        "### Exploration\n\n\
         | model | n | states | transitions | SPIN: time | states/s | Fairly: code | time | states/s | \
         bytes a state | states/s, Fairly ÷ SPIN |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let mut subjects = Vec::new();
    for model in models {
        let ours = ours::explore(&model);
        let (name, n, states) = (model.name, model.n, ours.states);
        assert!(model.states.is_none_or(|known| known == states), "{name} {n}: {states} states");
        let speed = |time: Duration| states as f64 / time.as_secs_f64();
        let (mut theirs, mut ratio) = ("– | –".to_owned(), "–".to_owned());
        if peer {
            let search = Folder::new(&model).search(&model, Kind::Safety, states);
            assert_eq!(search.stored, states, "{name} {n}: states of SPIN, and ours");
            // Its clock knows milliseconds.
            let time = search.times.processor.max(Duration::from_millis(1));
            theirs = format!("{} | {}", duration(time), grouped(speed(time) as usize));
            ratio = format!("{:.2}", speed(ours.time) / speed(time));
        }
        let row = format!(
            "| {name} | {n} | {} | {} | {theirs} | {} | {} | {} | {:.1} | {ratio} |",
            grouped(states),
            grouped(ours.transitions),
            duration(ours.making),
            duration(ours.time),
            grouped(speed(ours.time) as usize),
            ours.bytes as f64 / states as f64,
        );
        add(out, &row);
        subjects.push(Subject { model, states });
    }
    out.push('\n');
    subjects
}

/// Formulas that hold, so that all of the product is searched.
fn liveness(
    out: &mut String,
    subjects: &[Subject],
    notion: Notion,
    formula: &dyn Fn(&Model) -> Option<&'static str>,
    peer: bool,
) {
    let fair = notion != Notion::None;
    let title = if fair { "under weak fairness of processes" } else { "without fairness" };
    let _ = writeln!(
        out,
        "### Liveness {title}\n\n\
         | model | n | formula | SPIN: states | time | Fairly: nodes | time | \
         time, Fairly ÷ SPIN | 1 ÷ processes |\n\
         |---|---:|---|---:|---:|---:|---:|---:|---:|"
    );
    for Subject { model, states } in subjects {
        let Some(name) = formula(model) else { continue };
        let ours = ours::holds(model, name, notion);
        let (mut theirs, mut ratio) = ("– | –".to_owned(), "–".to_owned());
        if peer {
            let kind = if fair { Kind::Weak(name) } else { Kind::Always(name) };
            let search = Folder::new(model).search(model, kind, *states);
            let time = search.times.processor;
            theirs = format!("{} | {}", grouped(search.stored), duration(time));
            ratio = format!("{:.3}", ours.time.as_secs_f64() / time.as_secs_f64().max(1e-3));
        }
        let row = format!(
            "| {} | {} | `{name}` | {theirs} | {} | {} | {ratio} | {:.3} |",
            model.name,
            model.n,
            grouped(ours.nodes),
            duration(ours.time),
            1.0 / model.processes as f64,
        );
        add(out, &row);
    }
    out.push('\n');
}

/// Cost of strong fairness: a formula that needs it, one that does not, and that without.
fn strong(out: &mut String, subjects: &[Subject]) {
    out.push_str(
        "### Strong fairness of processes\n\n\
         | model | n | no fairness: formula | nodes | time | strong: nodes | time | \
         time, strong ÷ none | formula that needs it | nodes | time | time, strong ÷ none |\n\
         |---|---:|---|---:|---:|---:|---:|---:|---|---:|---:|---:|\n",
    );
    for Subject { model, .. } in subjects {
        let (Some(always), Some(needs)) = (model.always, model.strong) else { continue };
        let none = ours::holds(model, always, Notion::None);
        let same = ours::holds(model, always, Notion::Strong(Level::Process));
        let hard = ours::holds(model, needs, Notion::Strong(Level::Process));
        let ratio = |time: Duration| time.as_secs_f64() / none.time.as_secs_f64();
        let row = format!(
            "| {} | {} | `{always}` | {} | {} | {} | {} | {:.2} | `{needs}` | {} | {} | {:.2} |",
            model.name,
            model.n,
            grouped(none.nodes),
            duration(none.time),
            grouped(same.nodes),
            duration(same.time),
            ratio(same.time),
            grouped(hard.nodes),
            duration(hard.time),
            ratio(hard.time),
        );
        add(out, &row);
    }
    out.push('\n');
}

/// The command `fairly`, up to date, if this was started by cargo; else what lies beside this program.
fn command() -> Option<PathBuf> {
    if let Some(cargo) = std::env::var_os("CARGO") {
        let mut build = Command::new(cargo);
        build.args(["build", "--release", "--quiet", "--locked", "-p", "fairly-cli"]);
        build.status().ok().filter(ExitStatus::success)?;
    }
    let beside = std::env::current_exe().ok()?.with_file_name("fairly");
    beside.exists().then_some(beside)
}

/// One formula, from the text of the model to the answer.
fn end_to_end(out: &mut String, subjects: &[Subject], peer: bool) {
    out.push_str("### End to end\n\n");
    let Some(fairly) = command() else {
        out.push_str("Skipped: the command `fairly` is not built.\n");
        return;
    };
    out.push_str(
        "| model | n | formula | SPIN: wall | processor | Fairly: wall | processor | \
         wall, Fairly ÷ SPIN | processor, Fairly ÷ SPIN |\n\
         |---|---:|---|---:|---:|---:|---:|---:|---:|\n",
    );
    for Subject { model, states } in subjects {
        let Some(name) = model.always else { continue };
        let folder = Folder::new(model);
        let check = format!("{} check -p {name} {}", fairly.display(), folder.file().display());
        let (_, ours) = pan::timed(&std::env::temp_dir(), &check);
        let (mut theirs, mut ratio) = ("– | –".to_owned(), "– | –".to_owned());
        if peer {
            let times = folder.end_to_end(model, Kind::Always(name), *states);
            theirs = format!("{} | {}", duration(times.wall), duration(times.processor));
            ratio = format!(
                "{:.2} | {:.2}",
                ours.wall.as_secs_f64() / times.wall.as_secs_f64(),
                ours.processor.as_secs_f64() / times.processor.as_secs_f64()
            );
        }
        let row = format!(
            "| {} | {} | `{name}` | {theirs} | {} | {} | {ratio} |",
            model.name,
            model.n,
            duration(ours.wall),
            duration(ours.processor),
        );
        add(out, &row);
    }
}
