//! The one command that a report suggests: it works when it is pasted, in the folder of the report.

use clap::ValueEnum;
use fairly_check::{
    Answered, Elsewhere, Ladder, Least, NotBegun, Said, Strengths, Upgrade, Waiting, WhyUnknown,
};
use fairly_fairness::{AnnotationLevel, Level, Notion, PrefixKind};
use fairly_report::shell::quoted;
use fairly_search::Cut;

use super::arguments::Model;
use crate::files;

/// How a question is chosen on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// With `-p`.
    Property(String),
    /// With `-f`.
    Formula(String),
}

/// Reason for a suggestion; the more urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Urgency {
    Violated,
    Unknown,
    Holds,
}

/// A command, and why it is suggested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Suggestion {
    pub(super) urgency: Urgency,
    pub(super) command: String,
}

impl Suggestion {
    /// The line that ends a report.
    pub(super) fn line(&self) -> String {
        line(&self.command)
    }
}

/// The line that ends a report.
pub(crate) fn line(command: &str) -> String {
    format!("\nnext: {command}\n")
}

/// The option for the number of processes, as reasons name it.
const PROCESSES: &str = "--max-processes";
/// The most that it takes.
const MOST_PROCESSES: &str = "--max-processes=255";

/// Which limit ended the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    Time,
    States,
    Memory,
    /// Processes that can be alive at once.
    Processes,
    /// Ctrl-C.
    Interrupted,
}

impl Limit {
    /// The limit that is the reason for an unknown, if one is.
    fn of(why: &WhyUnknown) -> Option<Limit> {
        match why {
            WhyUnknown::Growing(cut, _) => Limit::of(&WhyUnknown::Cut(*cut)),
            WhyUnknown::Cut(Cut::Nodes(_)) => Some(Limit::States),
            WhyUnknown::Cut(Cut::Time(_))
            | WhyUnknown::NotBegun(NotBegun::Time | NotBegun::Preparing) => Some(Limit::Time),
            WhyUnknown::Cut(Cut::Memory(_)) | WhyUnknown::Lossy => Some(Limit::Memory),
            WhyUnknown::Cut(Cut::Interrupted(_)) | WhyUnknown::NotBegun(NotBegun::Interrupted) => {
                Some(Limit::Interrupted)
            }
            WhyUnknown::Errors(why) => Limit::of(why),
            WhyUnknown::Limit(said) if said.contains(PROCESSES) => Some(Limit::Processes),
            WhyUnknown::Cut(Cut::Limit(_) | Cut::Hard(_))
            | WhyUnknown::Refused(_)
            | WhyUnknown::Limit(_)
            | WhyUnknown::NotLossy
            | WhyUnknown::Hidden(_)
            | WhyUnknown::Ended(_)
            | WhyUnknown::Internal(_) => None,
        }
    }
}

/// Context of a command, so that another one can have the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Setting {
    /// `check`, `ladder` or `least`.
    command: &'static str,
    files: Vec<String>,
    /// Options without which the files are another model.
    options: Vec<String>,
    /// The fairness that was asked for, as options.
    fairness: Vec<String>,
    constraints: Vec<String>,
    /// Part of each state that a lossy search keeps, as it is written.
    lossy: Option<String>,
    timeout: Option<f64>,
    max_states: Option<usize>,
    max_memory: Option<usize>,
}

impl Setting {
    /// Context of a command with these arguments.
    pub(super) fn new(command: &'static str, model: &Model, files: &[String]) -> Setting {
        let (timeout, max_states, max_memory) = model.limits();
        Setting {
            command,
            files: files.to_vec(),
            options: model.of_the_files(),
            fairness: Vec::new(),
            constraints: Vec::new(),
            lossy: None,
            timeout,
            max_states,
            max_memory,
        }
    }

    /// The same under fairness that these options ask for, and under constraints.
    pub(super) fn assuming(mut self, fairness: Vec<String>, constraints: &[String]) -> Setting {
        self.fairness = fairness;
        self.constraints = constraints.to_vec();
        self
    }

    /// The same for a search that does not keep whole states.
    pub(super) fn keeping(mut self, lossy: Option<String>) -> Setting {
        self.lossy = lossy;
        self
    }

    /// Whether the model came from standard input: no command can read it again.
    fn is_gone(&self) -> bool {
        self.files.iter().any(|file| file == "-" || file == "<stdin>" || files::is_stream(file))
    }

    /// The command that gives the answer to one question.
    pub(super) fn again(&self, choice: &Choice) -> String {
        self.on_model("check", &self.assumed(), Some(choice))
    }

    /// A command on the same model: its options, perhaps a question, and the files.
    fn on_model(&self, command: &str, options: &[String], choice: Option<&Choice>) -> String {
        let mut words = vec![format!("fairly {command}")];
        words.extend(options.iter().map(|option| quoted(option)));
        words.extend(self.options.iter().map(|option| quoted(option)));
        words.extend(choice.map(asked));
        words.extend(self.files.iter().map(|file| match file.starts_with('-') {
            true => quoted(&format!("./{file}")),
            false => quoted(file),
        }));
        words.join(" ")
    }

    /// Constraints as options.
    fn constraint_options<'c>(constraints: impl IntoIterator<Item = &'c String>) -> Vec<String> {
        let both = |it: &String| ["--constraint".to_owned(), it.clone()];
        constraints.into_iter().flat_map(both).collect()
    }

    /// A word of the glossary, where there is no model to go on with.
    fn explained(word: &str) -> String {
        format!("fairly explain {word}")
    }

    /// Stepping through the model.
    fn stepped(&self) -> String {
        if self.is_gone() {
            return Setting::explained("run");
        }
        self.on_model("sim", &[], None)
    }

    /// The same question with more of what it ran out of.
    pub(crate) fn beyond(&self, limit: Limit, choice: Option<&Choice>) -> String {
        if self.is_gone() {
            return Setting::explained("unknown");
        }
        if limit == Limit::Processes {
            return self.with_room(choice);
        }
        /// How much longer is worth another try.
        const MORE: f64 = 10.0;
        let more = match (limit, self.timeout, self.max_states, self.max_memory) {
            (Limit::Time, Some(seconds), ..) => format!("--timeout={}", more_time(seconds * MORE)),
            (Limit::States, _, Some(states), _) => {
                format!("--max-states={}", states.max(1).saturating_mul(MORE as usize))
            }
            (Limit::Memory, _, _, Some(bytes)) => {
                format!("--max-memory={}M", (bytes >> 20).max(24).saturating_mul(4))
            }
            // More than the default of a lossy search.
            (Limit::Memory, ..) if self.lossy.is_some() => "--max-memory=1G".to_owned(),
            // Without a limit, the user did not wait to the end.
            (Limit::Memory, ..) => "--max-states=1000000".to_owned(),
            _ => "--timeout=60".to_owned(),
        };
        let command = if self.command.is_empty() { "check" } else { self.command };
        let lossy = self.lossy.iter().map(|keep| format!("--lossy={keep}")).collect();
        let options = [lossy, vec![more], self.assumed()].concat();
        self.on_model(command, &options, choice)
    }

    /// The same question with room for as many processes as there can be.
    fn with_room(&self, choice: Option<&Choice>) -> String {
        if self.options.iter().any(|option| option == MOST_PROCESSES) {
            return self.stepped();
        }
        let mut roomier = self.clone();
        roomier.options.retain(|option| !option.starts_with(PROCESSES));
        roomier.options.push(MOST_PROCESSES.to_owned());
        let command = if self.command.is_empty() { "check" } else { self.command };
        roomier.on_model(command, &self.assumed(), choice)
    }

    /// Assumptions, as options of the same command.
    fn assumed(&self) -> Vec<String> {
        let mut options = self.fairness.clone();
        options.extend(Setting::constraint_options(&self.constraints));
        options
    }

    /// Suggestion after an unknown.
    fn after_unknown(&self, why: &WhyUnknown, choice: &Choice) -> String {
        match (why, Limit::of(why)) {
            // More of the same would not be enough.
            _ if why.growth().is_some() => Setting::explained("unbounded"),
            (_, Some(limit)) => self.beyond(limit, Some(choice)),
            // The settings do not repeat what is hidden.
            (WhyUnknown::NotLossy | WhyUnknown::Hidden(_), None) if !self.is_gone() => {
                self.on_model("check", &self.assumed(), Some(choice))
            }
            (WhyUnknown::Internal(_), None) if !self.is_gone() => {
                let plainly = ["--interpret".to_owned(), "--no-reduction".to_owned()];
                self.on_model("check", &[&plainly[..], &self.assumed()].concat(), Some(choice))
            }
            (_, None) => self.stepped(),
        }
    }

    /// Suggestion after a question about fairness itself.
    pub(super) fn after_fairness(&self) -> String {
        if self.is_gone() {
            return Setting::explained("'machine closed'");
        }
        self.on_model("check", &self.assumed(), None)
    }

    /// The same questions, to be answered now.
    pub(super) fn answered(&self, model: &Model) -> String {
        if self.is_gone() {
            return Setting::explained("run");
        }
        let choice = match (model.properties.as_slice(), model.formulas.as_slice()) {
            ([name], _) => Some(Choice::Property(name.clone())),
            (_, [formula]) => Some(Choice::Formula(formula.clone())),
            _ => None,
        };
        self.on_model("check", &self.assumed(), choice.as_ref())
    }

    /// Suggestion for one question of a table that has one answer.
    pub(super) fn after_table(&self, urgency: Urgency, question: &str) -> Suggestion {
        let choice = Choice::Property(question.to_owned());
        let command = match urgency {
            Urgency::Holds => self.stepped(),
            _ if self.is_gone() => Setting::explained("lasso"),
            _ => self.on_model("check", &self.assumed(), Some(&choice)),
        };
        Suggestion { urgency, command }
    }

    /// A check of one question under some fairness, given as options.
    pub(super) fn checking(&self, fairness: Vec<String>, choice: &Choice) -> Suggestion {
        let urgency = Urgency::Violated;
        if self.is_gone() {
            return Suggestion { urgency, command: Setting::explained("lasso") };
        }
        let own = Setting::constraint_options(&self.constraints);
        let command = self.on_model("check", &[fairness, own].concat(), Some(choice));
        Suggestion { urgency, command }
    }

    /// Suggestion after the verdicts under all notions.
    pub(super) fn after_ladder(&self, ladder: &Ladder, choice: &Choice) -> Suggestion {
        let weakest = ladder.rungs.iter().find(|rung| rung.holds == Ok(true));
        let unknown = ladder.rungs.iter().find_map(|rung| rung.holds.as_ref().err());
        let constraints = Setting::constraint_options(&self.constraints);
        match (weakest.map(|rung| rung.notion), unknown) {
            (Some(Notion::None), _) => {
                Suggestion { urgency: Urgency::Holds, command: self.stepped() }
            }
            (_, _) if self.is_gone() => {
                let command = Setting::explained("'strong fairness'");
                Suggestion { urgency: Urgency::Violated, command }
            }
            (Some(notion), _) => {
                let options = [options_of(notion), constraints].concat();
                let command = self.on_model("check", &options, Some(choice));
                Suggestion { urgency: Urgency::Violated, command }
            }
            (None, Some(why)) => {
                let command = self.after_unknown(why, choice);
                Suggestion { urgency: Urgency::Unknown, command }
            }
            // A run that even the strongest of them allows.
            (None, None) => {
                let strong = options_of(Notion::Strong(Level::Process));
                let options = [strong, constraints].concat();
                let command = self.on_model("check", &options, Some(choice));
                Suggestion { urgency: Urgency::Violated, command }
            }
        }
    }

    /// Suggestion after the least sets of constraints.
    pub(super) fn after_least(&self, least: &Least, choice: &Choice) -> Suggestion {
        let check = |options: Vec<String>| match self.is_gone() {
            true => Setting::explained("'strong fairness'"),
            false => {
                let own = Setting::constraint_options(&self.constraints);
                self.on_model("check", &[own, options].concat(), Some(choice))
            }
        };
        let of_set = |set: &Vec<String>| match set.as_slice() {
            [] => Suggestion { urgency: Urgency::Holds, command: self.stepped() },
            set => Suggestion {
                urgency: Urgency::Violated,
                command: check(Setting::constraint_options(set)),
            },
        };
        match least {
            Least::Sets { sets, elsewhere, .. } => match (sets.first(), elsewhere) {
                (Some(set), _) => of_set(set),
                (None, Some(Elsewhere::Holds(level))) => {
                    let command = check(options_of(Notion::Strong(*level)));
                    Suggestion { urgency: Urgency::Violated, command }
                }
                (None, _) => {
                    let command = check(options_of(Notion::Strong(Level::Process)));
                    Suggestion { urgency: Urgency::Violated, command }
                }
            },
            Least::Some { sets, .. } => match sets.first() {
                Some(set) => of_set(set),
                None => {
                    let command = self.beyond(Limit::Time, Some(choice));
                    Suggestion { urgency: Urgency::Unknown, command }
                }
            },
            Least::Unknown(why) => {
                let command = self.after_unknown(why, choice);
                Suggestion { urgency: Urgency::Unknown, command }
            }
        }
    }
}

/// Seconds as they are written.
fn more_time(seconds: f64) -> String {
    if seconds >= 1.0 { format!("{seconds:.0}") } else { format!("{seconds:.2}") }
}

/// A question as an option.
fn asked(choice: &Choice) -> String {
    let (short, long, text) = match choice {
        Choice::Property(name) => ("-p", "--property", name),
        Choice::Formula(text) => ("-f", "--formula", text),
    };
    match text.starts_with('-') {
        true => quoted(&format!("{long}={text}")),
        false => format!("{short} {}", quoted(text)),
    }
}

/// A notion as options of `fairly check`.
pub(super) fn options_of(notion: Notion) -> Vec<String> {
    let words: &[&str] = match notion {
        Notion::None => &["--fairness", "none"],
        Notion::Weak(Level::Process) => &["--fairness", "weak"],
        Notion::Weak(Level::Event) => &["--fairness", "weak", "--level", "event"],
        Notion::Weak(Level::Action) => &["--fairness", "weak", "--level", "action"],
        Notion::Strong(Level::Process) => &["--fairness", "strong"],
        Notion::Strong(Level::Event) => &["--fairness", "strong", "--level", "event"],
        Notion::Strong(Level::Action) => &["--fairness", "strong", "--level", "action"],
        Notion::WeakLive => &["--fairness", "weak-live"],
        Notion::StrongLive => &["--fairness", "strong-live"],
        Notion::Annotated(AnnotationLevel::Name) => &["--fairness", "annotated"],
        Notion::Annotated(AnnotationLevel::Occurrence) => {
            &["--fairness", "annotated", "--annotations", "occurrence"]
        }
        Notion::Global => &["--fairness", "global"],
        Notion::Inherent(PrefixKind::Trace) => &["--fairness", "inherent"],
        Notion::Inherent(PrefixKind::Run) => &["--fairness", "inherent", "--reading", "run"],
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// A value of an option, as it is written.
pub(super) fn value_of<V: ValueEnum>(value: &V) -> String {
    value.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}

/// Suggestion from the answers so far; a violated property goes before everything else.
#[derive(Default)]
pub(super) struct Next {
    violated: Option<Violated>,
    /// A run that shows something else that is wrong.
    trace: Option<String>,
    /// Whether something is wrong, whatever shows it.
    is_wrong: bool,
    /// The first question without an answer, and why it has none.
    unknown: Option<(Choice, WhyUnknown)>,
    /// A formula that holds under an assumption.
    assumed: Option<Choice>,
}

struct Violated {
    choice: Choice,
    upgrade: Option<Upgrade>,
    /// Whether the upgrade is about a process.
    of_process: bool,
    /// Under which strengths of fairness it would hold.
    strengths: Option<Strengths>,
}

impl Next {
    /// Learns from an answer and the file with the run that shows it.
    pub(super) fn learn(&mut self, answered: &Answered, trace: Option<&str>, choice: &Choice) {
        let Answered { verdict, why, is_needless, .. } = answered;
        let violation = verdict.violation().map(|(_, violation)| violation);
        let waiting = violation.and_then(|violation| violation.waiting.as_ref());
        let is_wrong = verdict.formula.is_none() || matches!(waiting, Some(Waiting::Wrong { .. }));
        match (verdict.outcome, trace) {
            (Said::Violated, Some(trace)) if is_wrong => self.look_at(trace),
            (Said::Violated, None) if verdict.formula.is_none() => self.is_wrong = true,
            (Said::Violated, _) if self.violated.is_none() => {
                let upgrade = violation.and_then(|violation| violation.upgrade.clone());
                let strengths = violation.and_then(|violation| violation.strengths);
                let of_process = upgrade.as_ref().is_some_and(|upgrade| {
                    let named = upgrade.constraint.split_once('(').map_or("", |(_, name)| name);
                    let named = named.strip_suffix(')').unwrap_or(named);
                    verdict.processes.iter().any(|process| process == named)
                });
                let choice = choice.clone();
                self.violated = Some(Violated { choice, upgrade, of_process, strengths });
            }
            (Said::Violated, _) => {}
            (Said::Holds, _) => {
                // Without constraints, there is nothing less to look for.
                let constraints = verdict.stamp.constraints.as_deref().unwrap_or_default();
                if !constraints.is_empty() && !is_needless {
                    self.assumed.get_or_insert_with(|| choice.clone());
                }
            }
            (Said::Unknown, _) => {
                if let Some(why) = why {
                    self.open(choice, why);
                }
            }
        }
    }

    /// A question has no answer.
    pub(super) fn open(&mut self, choice: &Choice, why: &WhyUnknown) {
        self.unknown.get_or_insert_with(|| (choice.clone(), why.clone()));
    }

    /// Something is wrong that no fairness is about, and this run shows it.
    pub(super) fn look_at(&mut self, trace: &str) {
        self.is_wrong = true;
        if !files::is_stream(trace) {
            self.trace.get_or_insert_with(|| trace.to_owned());
        }
    }

    /// The command. With several questions it names one.
    pub(super) fn suggestion(&self, setting: &Setting, several: bool) -> Suggestion {
        let named = |choice: &Choice| match choice {
            Choice::Property(_) if !several => None,
            choice => Some(choice.clone()),
        };
        if let Some(violated) = &self.violated {
            let choice = named(&violated.choice);
            let command = after_violation(setting, violated, choice.as_ref());
            return Suggestion { urgency: Urgency::Violated, command };
        }
        if self.is_wrong {
            let command = match &self.trace {
                Some(trace) => format!("fairly trace show {}", quoted(trace)),
                None => setting.stepped(),
            };
            return Suggestion { urgency: Urgency::Violated, command };
        }
        if let Some((choice, why)) = &self.unknown {
            let command = setting.after_unknown(why, choice);
            return Suggestion { urgency: Urgency::Unknown, command };
        }
        let command = match &self.assumed {
            Some(_) if setting.is_gone() => Setting::explained("ladder"),
            Some(choice) => setting.on_model("least", &[], named(choice).as_ref()),
            None => setting.stepped(),
        };
        Suggestion { urgency: Urgency::Holds, command }
    }
}

/// Suggestion for a violated formula: assume constraints that exclude the run and all others, or look for them.
fn after_violation(setting: &Setting, violated: &Violated, choice: Option<&Choice>) -> String {
    if setting.is_gone() {
        return Setting::explained("lasso");
    }
    let own = Setting::constraint_options(&setting.constraints);
    let Some(Upgrade { constraint, suffices: Some(true) }) = &violated.upgrade else {
        // The weakest that is known to be enough; else all notions are to be tried.
        let enough = match violated.strengths {
            Some(Strengths { weak: Some(true), .. }) => Notion::Weak(Level::Process),
            Some(Strengths { strong: Some(true), .. }) => Notion::Strong(Level::Process),
            _ => return setting.on_model("ladder", &own, choice),
        };
        return setting.on_model("check", &[options_of(enough), own].concat(), choice);
    };
    let fairness = match constraint.split('(').next() {
        Some("wf") if violated.of_process => options_of(Notion::Weak(Level::Process)),
        Some("sf") if violated.of_process => options_of(Notion::Strong(Level::Process)),
        _ => {
            let constraint = ["--constraint".to_owned(), constraint.clone()];
            [&setting.fairness[..], &constraint].concat()
        }
    };
    setting.on_model("check", &[fairness, own].concat(), choice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(files: &[&str]) -> Setting {
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        Setting { command: "check", files, ..Setting::default() }
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_read_more() {
        assert_eq!(quoted("a/b.pml"), "a/b.pml");
        assert_eq!(quoted("[]<> p"), "'[]<> p'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        let minus = Choice::Formula("-1 < x".to_owned());
        assert_eq!(asked(&minus), "'--formula=-1 < x'");
        let odd = setting(&["-x.pml"]);
        assert_eq!(odd.stepped(), "fairly sim ./-x.pml");
    }

    #[test]
    fn a_limit_that_was_reached_is_raised() {
        let limited = Setting {
            timeout: Some(2.0),
            max_states: Some(50),
            max_memory: Some(100 << 20),
            fairness: options_of(Notion::Weak(Level::Event)),
            ..setting(&["a b.pml"])
        };
        let served = Choice::Property("served".to_owned());
        let beyond = |limit| limited.beyond(limit, Some(&served));
        let rest = "--fairness weak --level event -p served 'a b.pml'";
        assert_eq!(beyond(Limit::Time), format!("fairly check --timeout=20 {rest}"));
        assert_eq!(beyond(Limit::States), format!("fairly check --max-states=500 {rest}"));
        assert_eq!(beyond(Limit::Memory), format!("fairly check --max-memory=400M {rest}"));
        assert_eq!(beyond(Limit::Interrupted), format!("fairly check --timeout=60 {rest}"));
    }

    #[test]
    fn room_for_processes_is_asked_for_once() {
        let served = Choice::Property("served".to_owned());
        let full =
            WhyUnknown::Limit("at most 48 can be alive at once (see --max-processes)".into());
        let mut few =
            Setting { options: vec!["--max-processes=48".to_owned()], ..setting(&["a.pml"]) };
        let most = "fairly check --max-processes=255 -p served a.pml";
        assert_eq!(few.after_unknown(&full, &served), most);
        few.options = vec![MOST_PROCESSES.to_owned()];
        assert_eq!(few.after_unknown(&full, &served), few.stepped());
    }

    #[test]
    fn what_was_read_from_a_pipe_is_not_asked_for_again() {
        for name in ["-", "<stdin>", "/dev/stdin"] {
            let gone = setting(&[name]);
            let next = Next::default().suggestion(&gone, false);
            assert_eq!(next.command, "fairly explain run");
            assert_eq!(gone.beyond(Limit::Time, None), "fairly explain unknown");
        }
    }
}
