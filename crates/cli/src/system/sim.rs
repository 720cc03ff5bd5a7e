//! `fairly sim`: a run made step by step.

mod listing;
mod stops;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::ExitCode;

use clap::Args;
use fairly_omega::StateId;
use fairly_report::human::Aside;
use fairly_report::simulation::{NotFollowed, Simulation};
use fairly_report::{Look, Paint, Source, human, itf, json};
use fairly_system::{Run, RunStep, Stuck, Trace, TraceStep, Transition, TransitionSystem};

use super::arguments::Model;
use super::trace;
use super::with::{Work, on_system};
use crate::edit::Editor;
use crate::failure::CliError;
use crate::files::Output;
use crate::output;
use stops::Stop;

#[derive(Args)]
pub(crate) struct Sim {
    #[command(flatten)]
    model: Model,
    /// Take steps at random and print the run, instead of asking.
    #[arg(long)]
    random: bool,
    /// Seed of random steps; the same seed gives the same run.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many random steps.
    #[arg(long, value_name = "N", default_value_t = 20)]
    steps: usize,
    /// A trace to follow: an empty line takes its next step.
    #[arg(long, value_name = "TRACE")]
    along: Option<String>,
}

pub(crate) fn sim(request: &Sim, look: Look) -> Result<ExitCode, CliError> {
    let along = request.along.as_ref().map(|file| trace::read(file)).transpose()?;
    let along = along.map(|saved| saved.run);
    on_system(&request.model, Stepping { request, look, along })
}

struct Stepping<'a> {
    request: &'a Sim,
    look: Look,
    along: Option<Trace>,
}

impl Work for Stepping<'_> {
    type Output = ExitCode;

    fn run<S: TransitionSystem>(
        self,
        system: &mut S,
        source: Option<Source<'_>>,
    ) -> Result<ExitCode, CliError> {
        let Stepping { request, look, along } = self;
        let Some(&start) = system.initial().first() else {
            return Err(CliError::Nothing("the model has no initial state".to_owned()));
        };
        let aside = Aside { look, source, whole: true, ..Aside::default() };
        let seed = request.seed;
        let origin = (request.model.files.clone(), request.model.of_the_files());
        let (run, stops) = (Simulation::begin(start), Vec::new());
        let mut session = Session { system, run, aside, seed, stops, origin };
        if request.random {
            for _ in 0..request.steps {
                if !session.random() {
                    break;
                }
            }
            output::write(&session.table(), None)?;
            return Ok(ExitCode::SUCCESS);
        }
        session.interactive(along.as_ref())?;
        Ok(ExitCode::SUCCESS)
    }
}

struct Session<'a, 's, S> {
    system: &'s mut S,
    run: Simulation,
    aside: Aside<'a>,
    seed: u64,
    stops: Vec<Stop>,
    /// The files of the model, and the options that make it.
    origin: (Vec<String>, Vec<String>),
}

/// Steps that `c` takes at most, by default.
const FAR: usize = 10_000;

const HELP: &str = "  N           take step N
  (empty)     take the next step of the trace, if one is followed
  r [N]       take one random step, or N
  u [N]       undo one step, or N
  s           show the whole state
  t           show the run so far
  l           show the text around what can happen now
  b LINE      stop after a step of this line
  b CONDITION stop when this becomes true, such as `b x == 3`
  b           show where to stop
  d [N]       do not stop at number N any more, or nowhere
  c [N]       go on, along the trace or at random, up to a stop or for N steps
  save FILE   write the run so far to a file
  load FILE   begin again, and take the steps of a run that was written
  q           quit
";

impl<S: TransitionSystem> Session<'_, '_, S> {
    fn at(&self) -> StateId {
        self.run.at()
    }

    fn enabled(&mut self) -> Vec<Transition> {
        self.run.enabled(self.system)
    }

    /// Takes a random step; false where nothing is enabled.
    fn random(&mut self) -> bool {
        self.run.random(self.system, &mut self.seed).is_some()
    }

    /// The run so far.
    fn table(&mut self) -> String {
        let run = Run { stem: self.run.taken().to_vec(), cycle: Vec::new() };
        let mut out = if run.stem.is_empty() {
            String::new()
        } else {
            human::finite(&Trace::of(self.system, &run), &self.aside)
        };
        let _ = writeln!(out, "   now: {}", self.system.describe(self.at()));
        out.push_str(&self.end("   "));
        self.aside.look.finish(out)
    }

    /// Why nothing can happen, if nothing can.
    fn end(&mut self, indent: &str) -> String {
        let at = self.at();
        let Some(stuck) = Stuck::of(self.system, at) else { return String::new() };
        let why = match &stuck.fault {
            Some(fault) => format!("error in the model: {}", fault.message),
            None if stuck.terminated => "the end: every process has terminated".to_owned(),
            None => "deadlock: nothing is enabled".to_owned(),
        };
        let processes = &self.system.signature().processes;
        format!("{indent}{why}\n{}", human::waits(&stuck, processes, &self.aside))
    }

    /// Possible actions, by their participants.
    fn menu(&mut self, along: Option<&Trace>) -> String {
        let look = self.aside.look;
        let enabled = self.enabled();
        let mut out = String::new();
        let heading = format!("step {}", self.run.taken().len() + 1);
        let _ = writeln!(
            out,
            "{}   {}",
            look.paint(Paint::Strong, &heading),
            self.system.describe(self.at())
        );
        let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
        for (at, step) in enabled.iter().enumerate() {
            let who = self.system.signature().who(self.system.action(step.action));
            match groups.iter_mut().find(|(name, _)| *name == who) {
                Some((_, members)) => members.push(at),
                None => groups.push((who, vec![at])),
            }
        }
        groups.sort_by_key(|(_, members)| members[0]);
        let planned = along.and_then(|trace| {
            let at = self.at();
            trace.find(self.run.taken().len(), self.system, at)
        });
        for (who, members) in groups {
            let first = enabled[members[0]];
            let participants = self.system.action(first.action).participants.clone();
            let waited =
                participants.iter().map(|&process| self.run.waited(self.system, process)).min();
            let said = match waited.unwrap_or(0) {
                0 => String::new(),
                1 => "   enabled for 1 step, not taken".to_owned(),
                count => format!("   enabled for {count} steps, not taken"),
            };
            let _ = writeln!(out, "  {who}{}", look.paint(Paint::Warning, &said));
            for at in members {
                let step = enabled[at];
                let from = self.at();
                let step_of_run = RunStep { from, action: step.action, to: step.target };
                let words = human::step(&TraceStep::of(self.system, &step_of_run), &self.aside);
                let mark = if planned == Some(step) { "→" } else { " " };
                let _ = writeln!(out, "   {mark}{:>3}  {words}", at + 1);
            }
        }
        out.push_str(&self.end("  "));
        look.finish(out)
    }

    fn interactive(&mut self, along: Option<&Trace>) -> Result<(), CliError> {
        let mut editor = Editor::new();
        loop {
            let menu = self.menu(along);
            output::write(&menu, None)?;
            let line = editor.line("> ");
            let line = line.map_err(|error| CliError::usage(format!("cannot read: {error}")))?;
            let Some(line) = line else {
                output::write("\n", None)?;
                return Ok(());
            };
            if !editor.is_terminal() {
                output::write(&format!("{line}\n"), None)?;
            }
            let (word, rest) =
                line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
            let (word, rest) = (Some(word).filter(|word| !word.is_empty()), rest.trim());
            let number = rest.parse().ok();
            let said = match word {
                None => self.follow(along),
                Some("q" | "quit") => return Ok(()),
                Some("u" | "undo") => {
                    let taken = self.run.taken().len();
                    self.run.truncate(taken.saturating_sub(number.unwrap_or(1)));
                    None
                }
                Some("r" | "random") => {
                    for _ in 0..number.unwrap_or(1) {
                        if !self.random() {
                            break;
                        }
                    }
                    None
                }
                Some("s" | "state") => Some(self.state()),
                Some("t" | "trace") => Some(self.table()),
                Some("l" | "list") => Some(self.listing()),
                Some("b" | "break") => Some(self.stop_at(rest)),
                Some("d" | "delete") => Some(self.delete(number)),
                Some("c" | "continue") => Some(self.go_on(along, number)),
                Some("save") => Some(self.save(rest)),
                Some("load") => Some(self.load(rest)),
                Some("?" | "h" | "help") => Some(HELP.to_owned()),
                Some(word) => match word.parse::<usize>() {
                    Ok(number) if (1..=self.enabled().len()).contains(&number) => {
                        let step = self.enabled()[number - 1];
                        self.run.take(step);
                        None
                    }
                    Ok(number) => Some(format!("there is no step {number} here\n")),
                    Err(_) => Some(format!("`{word}` is no command\n{HELP}")),
                },
            };
            if let Some(said) = said {
                output::write(&said, None)?;
            }
        }
    }

    /// Takes the next step of the trace, round its loop if it has one.
    fn follow(&mut self, along: Option<&Trace>) -> Option<String> {
        let Some(trace) = along else { return Some(HELP.to_owned()) };
        match self.run.follow(self.system, trace) {
            Ok(()) => None,
            Err(NotFollowed::Over) => Some("the trace ends here\n".to_owned()),
            Err(NotFollowed::Impossible(event)) => {
                Some(format!("the trace goes on with {event}, which is not possible here\n"))
            }
        }
    }

    /// The text around what can happen now.
    fn listing(&mut self) -> String {
        let Some(source) = self.aside.source else {
            return "the model has no text to show\n".to_owned();
        };
        let mut who: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for step in self.enabled() {
            let name = self.system.signature().who(self.system.action(step.action));
            for line in stops::lines(self.system, step.action, source) {
                who.entry(line).or_default().insert(name.clone());
            }
        }
        if who.is_empty() {
            return "nothing that can happen is written in a line\n".to_owned();
        }
        listing::listing(source, &who, &self.aside.look)
    }

    /// Adds a place to stop, or shows those there are.
    fn stop_at(&mut self, text: &str) -> String {
        if !text.is_empty() {
            let at = self.at();
            match Stop::read(text, self.system, at, self.aside.source) {
                Ok(stop) if self.stops.contains(&stop) => {}
                Ok(stop) => self.stops.push(stop),
                Err(why) => return format!("{why}\n"),
            }
        }
        let stops = (1..).zip(&self.stops);
        let shown: String =
            stops.map(|(at, stop)| format!("{at:>4}  {}\n", stop.words())).collect();
        if shown.is_empty() { "there is nowhere to stop\n".to_owned() } else { shown }
    }

    /// Removes a place to stop, or all.
    fn delete(&mut self, number: Option<usize>) -> String {
        match number {
            None => self.stops.clear(),
            Some(number) if (1..=self.stops.len()).contains(&number) => {
                self.stops.remove(number - 1);
            }
            Some(number) => return format!("there is no number {number}\n"),
        }
        self.stop_at("")
    }

    /// Takes steps up to a stop: those of a trace, or random ones.
    fn go_on(&mut self, along: Option<&Trace>, most: Option<usize>) -> String {
        let most = most.unwrap_or(FAR);
        for count in 1..=most {
            let taken = match along {
                Some(_) => self.follow(along).is_none(),
                None => self.random(),
            };
            if !taken {
                return format!("it goes no further, after {} steps\n", count - 1);
            }
            let Some(step) = self.run.taken().last().copied() else { break };
            let is_met = |stop: &&Stop| stop.is_met(self.system, &step, self.aside.source);
            if let Some(stop) = self.stops.iter().find(is_met) {
                let steps = if count == 1 { "step" } else { "steps" };
                return format!("stopped at {}, after {count} {steps}\n", stop.words());
            }
        }
        match self.stops.is_empty() {
            true => String::new(),
            false => format!("nothing to stop at in {most} steps\n"),
        }
    }

    /// Writes the run so far to a file.
    fn save(&mut self, file: &str) -> String {
        if file.is_empty() {
            return "say where: save FILE\n".to_owned();
        }
        let shown = self.run.record(self.system, "made by hand with `fairly sim`");
        let origin = itf::Origin {
            files: &self.origin.0,
            source: self.aside.source,
            options: &self.origin.1,
            property: itf::Asked::Nothing,
            place: None,
        };
        let trace = itf::finite("a run of fairly sim", &shown, &origin);
        match Output::open(file).and_then(|to| to.write(&json::text(&trace))) {
            Ok(()) => format!("wrote {file}: {} steps\n", self.run.taken().len()),
            Err(failure) => format!("{}\n", failure.in_short()),
        }
    }

    /// Begins again with the steps of a run that was written.
    fn load(&mut self, file: &str) -> String {
        if file.is_empty() {
            return "say which: load FILE\n".to_owned();
        }
        let trace = match trace::read(file) {
            Ok(trace) => trace.run,
            Err(failure) => return format!("{}\n", failure.in_short()),
        };
        self.run.truncate(0);
        for (count, step) in trace.steps.iter().enumerate() {
            let at = self.at();
            match trace.find(count, self.system, at) {
                Some(step) => self.run.take(step),
                None => {
                    return format!(
                        "took {count} steps; {} is not possible here, so it is a run of another model\n",
                        step.event
                    );
                }
            }
        }
        format!("took {} steps\n", self.run.taken().len())
    }

    /// The whole state, a line a name.
    fn state(&mut self) -> String {
        let values = self.system.valuation(self.at());
        if values.is_empty() {
            return format!("  {}\n", self.system.describe(self.at()));
        }
        let wide = values.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        values.iter().map(|(name, value)| format!("  {name:wide$}  {value}\n")).collect()
    }
}
