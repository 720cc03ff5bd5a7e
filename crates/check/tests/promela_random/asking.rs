//! The same questions to SPIN and to Fairly.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use fairly_check::promela::{PromelaFile, Question};
use fairly_check::{Assumption, Options, Outcome, Property};
use fairly_fairness::{Level, Notion};
use fairly_front::promela::{Options as Lowering, lower, parse};
use fairly_logic::Formulas;
use fairly_model::Interpreter;
use fairly_omega::StateId;
use fairly_source::Diagnostic;
use fairly_system::{FaultKind, TransitionSystem};

use crate::program::{Form, Program};

/// States beyond which a program is left out.
const MOST: usize = 6_000;

/// Answers, numbers or verdicts (1 for a violation), to questions that are named.
pub(crate) type Answers = Vec<(String, Option<usize>)>;

/// SPIN and a C compiler.
pub(crate) struct Spin {
    compiler: &'static str,
    folder: PathBuf,
}

fn has(program: &str) -> bool {
    Command::new(program).arg("-v").stdin(Stdio::null()).output().is_ok()
}

impl Spin {
    /// SPIN, if it is here.
    pub(crate) fn find() -> Option<Spin> {
        let compiler = ["tcc", "gcc", "cc"].into_iter().find(|name| has(name))?;
        let name = format!("fairly-promela-random-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        has("spin").then_some(Spin { compiler, folder })
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Result<String, String> {
        let mut command = Command::new(program);
        let output =
            command.args(arguments).current_dir(&self.folder).stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("{program}: {error}"))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(text(&output.stdout) + &text(&output.stderr))
    }

    /// Makes the verifier of a program.
    fn build(&self, text: &str, flags: &[&str]) -> Result<(), String> {
        fs::remove_dir_all(&self.folder).ok();
        fs::create_dir_all(&self.folder).map_err(|error| error.to_string())?;
        fs::write(self.folder.join("m.pml"), text).map_err(|error| error.to_string())?;
        // It does not come to an end with every formula.
        let spin = ["-k", "1", "3", "spin", "-o1", "-o2", "-o3", "-a", "m.pml"];
        let said = self.run("timeout", &spin)?;
        let wrong = said.lines().find(|line| line.contains("rror:") || line.contains("aw '"));
        if let Some(wrong) = wrong {
            return Err(format!("spin: {wrong}"));
        }
        if !self.folder.join("pan.c").exists() {
            return Err(format!("spin: {}", said.lines().last().unwrap_or("")));
        }
        let common = ["-DNOREDUCE", "-DMEMLIM=1000", "-w", "-o", "pan", "pan.c"];
        let said = self.run(self.compiler, &[flags, &common[..]].concat())?;
        if !self.folder.join("pan").exists() {
            return Err(format!("{}: {}", self.compiler, said.lines().last().unwrap_or("")));
        }
        Ok(())
    }

    /// Runs the verifier; what it says if it has seen everything.
    fn pan(&self, arguments: &[&str]) -> Result<String, String> {
        let limit = ["-k", "2", "20", "./pan", "-n", "-m100000", "-w16"];
        let said = self.run("timeout", &[&limit[..], arguments].concat())?;
        let bad = [
            "search depth too small",
            "out of memory",
            "aborting",
            "block in d_step",
            "polling rv chan",
            "error to poll rendezvous",
        ];
        if let Some(bad) = bad.iter().find(|bad| said.contains(*bad)) {
            return Err(format!("pan: {bad}"));
        }
        if !said.contains("errors: ") {
            let line = said.lines().find(|line| line.contains("error"));
            return Err(format!("pan: {}", line.unwrap_or("no answer")));
        }
        Ok(said)
    }

    fn verdict(&self, arguments: &[&str]) -> Result<Option<usize>, String> {
        let said = self.pan(arguments)?;
        Ok(Some(usize::from(!said.contains("errors: 0"))))
    }

    /// With weak fairness. Where a run stops SPIN counts on and on, if it does not end the search
    /// there: no answer then.
    fn fair_verdict(&self, arguments: &[&str]) -> Result<Option<usize>, String> {
        match self.verdict(&[&["-f", "-m20000"], arguments].concat()) {
            Err(why) if why.contains("depth too small") => Ok(None),
            answer => answer,
        }
    }

    /// What SPIN says of a program.
    ///
    /// # Errors
    /// Why it says nothing.
    pub(crate) fn ask(&self, program: &Program) -> Result<Answers, String> {
        let mut answers = Answers::new();
        self.build(&program.text(Form::Safety), &["-DSAFETY", "-DNOCLAIM"])?;
        let counted = self.pan(&["-A", "-E", "-c0"])?;
        let line = counted.lines().find(|line| line.contains("states, stored"));
        let states = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        let states = states.ok_or("pan: no number of states")? as usize;
        if states > MOST {
            return Err("many states".to_owned());
        }
        answers.push(("states".to_owned(), Some(states)));
        let judged = self.pan(&["-c0"])?;
        for what in ["assertion violated", "invalid end state"] {
            let mut lines = judged.lines();
            let found = lines.any(|line| line.starts_with("pan:") && line.contains(what));
            answers.push((what.to_owned(), Some(usize::from(found))));
        }
        let fair = !program.has_provided();
        if !program.formulas.is_empty() {
            self.build(&with_claim(&program.text(Form::Formulas)), &["-DNFAIR=3"])?;
            for at in 0..program.formulas.len() {
                let name = format!("f{at}");
                answers.push((name.clone(), self.verdict(&["-a", "-N", &name])?));
                if fair {
                    let verdict = self.fair_verdict(&["-a", "-N", &name])?;
                    answers.push((format!("{name} fair"), verdict));
                }
            }
        }
        if program.has_progress() {
            self.build(&with_claim(&program.text(Form::Progress)), &["-DNP", "-DNFAIR=3"])?;
            answers.push(("progress".to_owned(), self.verdict(&["-l"])?));
            if fair {
                answers.push(("progress fair".to_owned(), self.fair_verdict(&["-l"])?));
            }
        }
        Ok(answers)
    }
}

/// SPIN counts its claim as a process.
fn with_claim(text: &str) -> String {
    text.replace("_nr_pr", "(_nr_pr - 1)")
}

impl Drop for Spin {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.folder).ok();
    }
}

/// How many states there are outside atomic sequences, whether an assertion can fail, and whether
/// a run can end where it should not.
fn explore(text: &str, assertions: bool) -> Result<(usize, bool, bool), String> {
    let model = parse(text).map_err(|wrong| format!("not read: {}", wrong[0]))?;
    let options = Lowering { assertions, ..Lowering::new(text) };
    let lowered = lower(&model, options).map_err(|wrong| format!("refused: {}", wrong[0]))?;
    let mut system = Interpreter::new(lowered.model);
    let deadlock = system.atom("deadlock").expect("every system has it");
    let holder = system.layout().holder;
    let (mut states, mut assertion, mut invalid_end) = (0, false, false);
    let mut steps = Vec::new();
    system.initial();
    let mut at = 0;
    while at < system.states() {
        if at > 20 * MOST {
            return Err("many states".to_owned());
        }
        let state = StateId::from_index(at);
        at += 1;
        if let Some(fault) = system.fault(state) {
            if fault.kind == FaultKind::Limit || !fault.message.starts_with("the assertion") {
                return Err(format!("fault: {}", fault.message));
            }
            assertion = true;
            continue;
        }
        steps.clear();
        system.enabled(state, &mut steps);
        let held = holder.is_some_and(|strip| strip.get(&system.packed(state), 0) >= 0);
        states += usize::from(!held);
        invalid_end |= system.holds(state, deadlock);
    }
    Ok((states, assertion, invalid_end))
}

/// Whether a run can stop.
pub(crate) fn stops(program: &Program) -> bool {
    let Ok(mut file) = PromelaFile::parse(&program.text(Form::Progress), &[]) else { return false };
    let system = file.interpreter();
    let mut formulas = Formulas::new();
    let never = formulas.parse("[] !(\"deadlock\" || \"terminated\")").expect("a formula");
    let property = Property::bind("never", formulas, never, system).expect("every system has them");
    judge(&mut file, property, Notion::None) == Ok(1)
}

/// What Fairly says of a program.
///
/// # Errors
/// Why it says nothing.
pub(crate) fn fairly(program: &Program) -> Result<Answers, String> {
    let text = program.text(Form::Safety);
    let (states, _, invalid_end) = explore(&text, false)?;
    let (_, assertion, _) = explore(&text, true)?;
    let mut answers = vec![
        ("states".to_owned(), Some(states)),
        ("assertion violated".to_owned(), Some(usize::from(assertion))),
        ("invalid end state".to_owned(), Some(usize::from(invalid_end))),
    ];
    let mut ask = |form: Form| {
        let text = program.text(form);
        let mut file = PromelaFile::parse(&text, &[]).map_err(refused)?;
        let lowered = parse(&text).and_then(|model| lower(&model, Lowering::new(&text)));
        let written = lowered.map_err(refused)?.formulas;
        for question in file.questions() {
            let formula = match question {
                Question::Formula(at) if form == Form::Formulas => Some(&written[at].1),
                Question::Progress if form == Form::Progress => None,
                _ => continue,
            };
            let title = file.title(&question);
            let property = file.property(&question).map_err(refused)?.ok_or("no property")?;
            answers.push((title.clone(), Some(judge(&mut file, property, Notion::None)?)));
            if program.has_provided() {
                continue;
            }
            let weak = Notion::Weak(Level::Process);
            let property = file.property(&question).map_err(refused)?.ok_or("no property")?;
            let mut verdict = Some(judge(&mut file, property, weak)?);
            if let (Some(1), Some(formula)) = (verdict, formula) {
                // Runs that stop: SPIN sees some that violate a formula, and others not.
                let text = format!("(<> (\"deadlock\" || \"terminated\")) || ({formula})");
                let mut formulas = Formulas::new();
                let parsed = formulas.parse(&text).map_err(|wrong| wrong.to_string())?;
                let property = Property::bind("f", formulas, parsed, file.interpreter());
                let property = property.map_err(|unbound| unbound.to_string())?;
                verdict = Some(judge(&mut file, property, weak)?).filter(|&it| it == 1);
            }
            answers.push((format!("{title} fair"), verdict));
        }
        Ok::<_, String>(())
    };
    if !program.formulas.is_empty() {
        ask(Form::Formulas)?;
    }
    if program.has_progress() {
        ask(Form::Progress)?;
    }
    Ok(answers)
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn refused(wrong: Vec<Diagnostic>) -> String {
    format!("refused: {}", wrong[0])
}

fn judge(file: &mut PromelaFile, mut property: Property, notion: Notion) -> Result<usize, String> {
    let (assumption, options) = (Assumption::of(notion), Options::default());
    let verdict = fairly_check::check(file.interpreter(), &mut property, &assumption, &options);
    match verdict.map_err(|failure| format!("failure: {failure}"))?.outcome {
        Outcome::Holds(_) => Ok(0),
        Outcome::Violated(_) | Outcome::Doomed(_) => Ok(1),
        Outcome::Unknown(why) => Err(format!("unknown: {why}")),
    }
}
