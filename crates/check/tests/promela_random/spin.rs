//! Answers of SPIN about a program.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use fairly_logic::Formulas;
use fairly_omega::Limits;
use fairly_omega::formats::never;
use fairly_omega::ops::{degeneralize, to_state_based};
use fairly_translate::translate;

use crate::promela_random::asking::{Answers, MOST, named};
use crate::promela_random::program::{Form, Program, Promise};

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

    /// Whether a verifier is compiled in the hundredth of a second.
    pub(crate) fn is_fast(&self) -> bool {
        self.compiler == "tcc"
    }

    /// Another one that can be asked at the same time.
    pub(crate) fn beside(&self, number: usize) -> Spin {
        Spin { compiler: self.compiler, folder: self.folder.with_extension(number.to_string()) }
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
        // The name is one that every preprocessor takes.
        fs::write(self.folder.join("m.c"), text).map_err(|error| error.to_string())?;
        let preprocessor = format!("-P{} -E", self.compiler);
        // It does not come to an end with every formula.
        let limit = ["-k", "1", "2", "spin", &preprocessor];
        let said =
            self.run("timeout", &[&limit[..], &["-o1", "-o2", "-o3", "-a", "m.c"]].concat())?;
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
        let limit = ["-k", "1", "5", "./pan", "-n", "-m20000", "-w14"];
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
    /// there: no answer then. Nor is it one that a run stops at an accept label: without fairness
    /// SPIN says the same where it is so, and with fairness also where it is not.
    fn fair_verdict(&self, arguments: &[&str]) -> Result<Option<usize>, String> {
        match self.pan(&[&["-f"], arguments].concat()) {
            Err(why) if why.contains("depth too small") => Ok(None),
            Err(why) => Err(why),
            Ok(said) if said.contains("accept stutter") => Ok(None),
            Ok(said) => Ok(Some(usize::from(!said.contains("errors: 0")))),
        }
    }

    /// Answers of SPIN about a program.
    ///
    /// # Errors
    /// Why it says nothing.
    pub(crate) fn ask(&self, program: &Program) -> Result<Answers, String> {
        let mut answers = Answers::new();
        self.build(&program.text(Form::Safety), &["-DNOCLAIM", "-DNFAIR=3"])?;
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
        if program.has_label("accept") {
            answers.extend(named("acceptance", self.both_ways(program, &["-a", "-A", "-E"])?));
        }
        self.ask_formulas(program, &mut answers)?;
        if !program.never.is_empty() {
            self.build(&with_claim(&program.text(Form::Never)), &["-DNFAIR=3"])?;
            answers.extend(named("never", self.both_ways(program, &["-a"])?));
        }
        if program.has_label("progress") {
            self.build(&with_claim(&program.text(Form::Progress)), &["-DNP", "-DNFAIR=3"])?;
            answers.extend(named("progress", self.both_ways(program, &["-l"])?));
        }
        Ok(answers)
    }

    fn ask_formulas(&self, program: &Program, answers: &mut Answers) -> Result<(), String> {
        let mut built = false;
        for (at, promise) in program.formulas.iter().enumerate() {
            let name = format!("f{at}");
            let both = if promise.has_next() {
                let text = program.text(Form::Progress) + &claim_of(promise)?;
                self.build(&with_claim(&text), &["-DNFAIR=3"])?;
                built = false;
                self.both_ways(program, &["-a"])?
            } else {
                if !built {
                    self.build(&with_claim(&program.text(Form::Readable)), &["-DNFAIR=3"])?;
                    built = true;
                }
                self.both_ways(program, &["-a", "-N", &name])?
            };
            answers.extend(named(&name, both));
        }
        Ok(())
    }

    /// The answer to whether a formula or the never claim is violated, with the processes in the
    /// opposite order. It cannot be another one, but for SPIN it may.
    pub(crate) fn in_other_order(&self, program: &Program, question: &str) -> Option<usize> {
        let number = question.strip_prefix('f').and_then(|at| at.parse::<usize>().ok());
        let named = ["-N", question];
        let (text, name) = match number {
            None if question == "never" => (program.text(Form::Never), &named[..0]),
            None => return None,
            Some(at) if program.formulas[at].has_next() => {
                let claim = claim_of(&program.formulas[at]).ok()?;
                (program.text(Form::Progress) + &claim, &named[..0])
            }
            Some(_) => (program.text(Form::Readable), &named[..]),
        };
        self.build(&with_claim(&text), &["-DPERMUTED"]).ok()?;
        self.verdict(&[&["-a", "-p_reverse"], name].concat()).ok().flatten()
    }

    /// The verdict without fairness and, unless something is `provided`, with it.
    fn both_ways(
        &self,
        program: &Program,
        arguments: &[&str],
    ) -> Result<Vec<Option<usize>>, String> {
        let mut verdicts = vec![self.verdict(arguments)?];
        if !program.has_provided() {
            verdicts.push(self.fair_verdict(arguments)?);
        }
        Ok(verdicts)
    }
}

/// A formula that SPIN does not read, as a never claim.
fn claim_of(promise: &Promise) -> Result<String, String> {
    let mut formulas = Formulas::new();
    let parsed = formulas.parse(&promise.shape).map_err(|wrong| wrong.to_string())?;
    let wrong = formulas.not(parsed);
    let automaton = translate(&mut formulas, wrong, &fairly_translate::Options::default());
    let limits = Limits { states: 1_000, edges: 10_000 };
    let claim = automaton
        .and_then(|automaton| degeneralize(&automaton, limits))
        .and_then(|automaton| to_state_based(&automaton, limits))
        .map_err(|refused| refused.to_string())?;
    let mut text = String::new();
    for (at, atom) in promise.atoms.iter().enumerate() {
        text.push_str(&format!("#define p{at} ({atom})\n"));
    }
    Ok(text + &never::print(&claim).map_err(|wrong| wrong.to_string())?)
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
