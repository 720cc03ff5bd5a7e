//! The answers of one command, as they come and as they are printed.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use fairly_check::{Said, Stored, Verdict, WhyUnknown};
use fairly_report::document::{self, Document, Place, StoredStates};
use fairly_report::human::Aside;
use fairly_report::{Paint, Source, clipped, counted, growth, human, itf, json};
use fairly_source::{Span, Style};
use fairly_system::{Grown, TransitionSystem};

use super::arguments::{Check, Detail, Format, Model};
pub(super) use super::next::Choice;
use super::next::{Next, Setting, Suggestion, Urgency};
use super::several::worst;
use super::{guard, runs};
use crate::failure::{self, Absent, Bug, CliError};
use crate::files::{self, Names, Output, slug};
use crate::interim;
use crate::output;

/// How many answers there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) holding: usize,
    pub(super) violated: usize,
    pub(super) unknown: usize,
}

impl Counts {
    /// The exit code.
    pub(super) fn code(self) -> u8 {
        match (self.violated, self.unknown) {
            (0, 0) => 0,
            (0, _) => failure::UNKNOWN,
            _ => failure::NO,
        }
    }

    /// Says on stderr what the answers are, if they cannot be printed.
    pub(super) fn remark(self) {
        let all = self.holding + self.violated + self.unknown;
        if all > 0 {
            output::remark(&format!("{}: {}", counted(all, "answer"), self.in_words()));
        }
    }

    /// The kinds that there are, in words.
    fn in_words(self) -> String {
        let hold = if self.holding == 1 { "holds" } else { "hold" };
        let counts = [(self.holding, hold), (self.violated, "violated"), (self.unknown, "unknown")];
        let some = counts.iter().filter(|(count, _)| *count > 0);
        let words: Vec<String> = some.map(|(count, word)| format!("{count} {word}")).collect();
        words.join(", ")
    }
}

/// Columns of a formula that are not given up for what stands beside it.
const LEAST_TITLE: usize = 24;

/// Lines of an answer that stands close to its neighbours: one, or the few that a narrow terminal makes of it.
const SHORT: usize = 3;

/// Everything that there is to say of one model.
pub(super) struct Answered {
    pub(super) text: String,
    pub(super) documents: Vec<Document>,
    pub(super) counts: Counts,
    pub(super) code: u8,
    /// Requested outputs that could not be written.
    pub(super) unwritten: Vec<CliError>,
    /// The command to try next, in words for people.
    pub(super) next: Option<Suggestion>,
    /// Names of the arguments that this model does not have, where another one may.
    pub(super) absent: Vec<Absent>,
}

impl Answered {
    /// Something that is no verdict on a property, and the command to try next.
    pub(super) fn aside(text: String, code: u8, next: Option<String>) -> Answered {
        let urgency = if code == 0 { Urgency::Holds } else { Urgency::Violated };
        let next = next.map(|command| Suggestion { urgency, command });
        Answered {
            text,
            documents: Vec::new(),
            counts: Counts::default(),
            code,
            unwritten: Vec::new(),
            next,
            absent: Vec::new(),
        }
    }

    /// Prints everything, writes the reports that are asked for, and gives the exit code: that of the
    /// verdict, or of wrong usage if something could not be written.
    pub(super) fn print(self, request: &Check, style: Style) -> Result<ExitCode, CliError> {
        let Answered { text, documents, counts, code, mut unwritten, next, absent: _ } = self;
        let next = next.map_or(String::new(), |next| next.line());
        let format = request.model.format;
        format.print(&(text + &next)).inspect_err(|_| counts.remark())?;
        unwritten.extend(request.write_reports(&documents));
        let codes = unwritten.into_iter().map(|failure| {
            let code = failure.code();
            failure.report(style);
            code
        });
        Ok(ExitCode::from(worst(codes.chain([code]))))
    }
}

/// Subject of an answer.
#[derive(Clone)]
pub(super) struct About {
    /// Title of the question.
    pub(super) title: String,
    /// Where it is written.
    pub(super) place: Option<Span>,
    /// How it is chosen on the command line.
    pub(super) choice: Choice,
}

/// A row of the table at the end.
struct Row {
    outcome: Said,
    title: String,
    under: String,
    states: Option<usize>,
}

/// How many answers there were at some time.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    text: usize,
    documents: usize,
    rows: usize,
    counts: Counts,
    unexpected: usize,
}

/// How a question is asked again.
fn asked(choice: &Choice) -> itf::Asked {
    match choice {
        Choice::Property(name) => itf::Asked::Property(name.clone()),
        Choice::Formula(text) => itf::Asked::Formula(text.clone()),
    }
}

/// The answers so far.
pub(super) struct Tally<'a> {
    model: &'a Model,
    /// The files of the model.
    files: Vec<String>,
    source: Option<Arc<str>>,
    /// Where `--trace` wants the runs.
    trace_to: Option<String>,
    several: bool,
    text: String,
    /// Growth that was reported last.
    grown: Option<Grown>,
    /// How much of it is known to who reports when the work cannot go on.
    kept: usize,
    /// Whether there is a use for documents.
    documented: bool,
    documents: Vec<Document>,
    counts: Counts,
    /// Answers that were expected to be otherwise.
    unexpected: usize,
    /// Answers that there are none of because of a bug.
    broken: usize,
    rows: Vec<Row>,
    /// Constraints of the command line.
    assumed: Vec<String>,
    options: Vec<String>,
    /// The names of runs that were written by name, so far.
    traces: Names,
    unwritten: Vec<CliError>,
    /// Context of the answers, and their suggestions.
    setting: Setting,
    next: Next,
}

impl<'a> Tally<'a> {
    /// No answers yet about a model that these files make, with the text of the file if there is one.
    pub(super) fn new(
        model: &'a Model,
        files: &[String],
        source: Option<&str>,
        trace_to: Option<&str>,
        several: bool,
    ) -> Tally<'a> {
        Tally {
            model,
            files: files.to_vec(),
            source: source.map(Arc::from),
            trace_to: trace_to.map(str::to_owned),
            several,
            text: String::new(),
            grown: None,
            kept: 0,
            documented: model.format != Format::Human,
            documents: Vec::new(),
            counts: Counts::default(),
            unexpected: 0,
            broken: 0,
            rows: Vec::new(),
            assumed: Vec::new(),
            options: model.of_the_files(),
            traces: Names::default(),
            unwritten: Vec::new(),
            setting: Setting::new("check", model, files),
            next: Next::default(),
        }
    }

    /// The same, for answers under the fairness and the constraints of a request.
    pub(super) fn assuming(mut self, request: &Check) -> Tally<'a> {
        self.assumed.clone_from(&request.constraints);
        self.documented |= request.writes_reports();
        self.setting = request.setting(&self.files);
        self
    }

    /// Where the answers are now.
    pub(super) fn mark(&self) -> Mark {
        let (counts, unexpected) = (self.counts, self.unexpected);
        let (text, documents, rows) = (self.text.len(), self.documents.len(), self.rows.len());
        Mark { text, documents, rows, counts, unexpected }
    }

    /// Takes back what was added since.
    pub(super) fn rewind(&mut self, mark: Mark) {
        self.text.truncate(mark.text);
        self.kept = self.kept.min(mark.text);
        self.documents.truncate(mark.documents);
        self.rows.truncate(mark.rows);
        (self.counts, self.unexpected) = (mark.counts, mark.unexpected);
    }

    /// Whether everything so far is known.
    pub(super) fn is_known(&self) -> bool {
        self.counts.unknown == 0
    }

    /// Adds that there is no answer because of a bug.
    pub(super) fn broken<S: TransitionSystem>(&mut self, system: &mut S, bug: &Bug, about: &About) {
        self.broken += 1;
        let bundle = guard::bundle(&self.files, &about.title, bug, Some(system));
        let why = WhyUnknown::Internal(bug.message.clone());
        let verdict = Verdict::unknown(&about.title, &why);
        self.next.open(&about.choice, &why);
        let asked = match &bundle {
            Some(bundle) => format!("please report it with {bundle}"),
            None => "please report it with the command and the model".to_owned(),
        };
        self.add(verdict, None, Some(document::Bug { internal: true, bundle }), about);
        if self.model.format == Format::Human {
            self.add_below(&asked);
        }
        self.model.quiet();
        let said = format!("{}: internal error: {}; {asked}", about.title, bug.message);
        output::remark(&said);
    }

    /// Adds a line to the answer above, before the empty line that may end it.
    fn add_below(&mut self, line: &str) {
        let is_set_off = self.text.ends_with("\n\n");
        if is_set_off {
            self.text.pop();
        }
        let _ = writeln!(self.text, "      {line}");
        if is_set_off {
            self.text.push('\n');
        }
    }

    /// Adds an answer.
    pub(super) fn answer(&mut self, answered: fairly_check::Answered, about: &About) {
        let (verdict, until) = (&answered.verdict, answered.until);
        let evidence = verdict.evidence.as_ref().filter(|_| verdict.outcome == Said::Violated);
        let trace = match (evidence, verdict.violation()) {
            (_, Some((run, violation))) => {
                let guilty = itf::Guilty {
                    property: &verdict.property,
                    formula: verdict.formula.as_deref().unwrap_or_default(),
                    fairness: verdict.stamp.fairness.as_deref().unwrap_or_default(),
                    constraints: &self.assumed.clone(),
                    run,
                    ledger: &violation.ledger,
                };
                self.save(about, |origin| itf::trace_until(&guilty, origin, until))
            }
            (Some(evidence), None) if verdict.formula.is_none() => {
                self.save(about, |origin| itf::finite_until(&about.title, evidence, origin, until))
            }
            _ => None,
        };
        self.next.learn(&answered, trace.as_deref(), &about.choice);
        self.add(answered.verdict, trace.as_deref(), None, about);
    }

    /// Adds a verdict, and says so if another one was expected.
    fn add(
        &mut self,
        mut verdict: Verdict,
        trace: Option<&str>,
        bug: Option<document::Bug>,
        about: &About,
    ) {
        let (outcome, stamp) = (verdict.outcome, &verdict.stamp);
        match outcome {
            Said::Holds => self.counts.holding += 1,
            Said::Violated => self.counts.violated += 1,
            Said::Unknown => self.counts.unknown += 1,
        }
        let title = match &verdict.formula {
            Some(formula) => format!("{}   {formula}", verdict.property),
            None => about.title.clone(),
        };
        let under = stamp.fairness.as_ref().map_or(String::new(), |it| format!("under {it}"));
        self.rows.push(Row { outcome, title, under, states: stamp.states });
        let expected = self.model.expected(&about.title);
        let as_expected = outcome.word() == expected.unwrap_or("holds");
        let is_unexpected = !as_expected && outcome != Said::Unknown;
        self.unexpected += usize::from(is_unexpected);
        if self.model.format == Format::Human {
            self.show(&verdict, trace, about);
            if let Some(expected) = expected {
                let not = if as_expected { "as" } else { "NOT as" };
                let _ = writeln!(self.text, "      {not} expected: {expected}");
            }
            // An answer of one line stands close to the next of its kind; a longer one is set off.
            let added = self.text.get(self.kept..).unwrap_or_default();
            let is_short = outcome == Said::Holds && added.trim_end().lines().count() <= SHORT;
            if !is_short {
                self.text.push('\n');
            }
            let is_close = self.kept == 0 || self.text[..self.kept].ends_with("\n\n");
            if !is_short && !is_close {
                self.text.insert(self.kept, '\n');
            }
        }
        verdict.notes.extend(self.growth(&verdict));
        let document = self.documented.then(|| {
            let place = Place { expected, bug, ..self.place(about) };
            Document::Verdict(Arc::new(verdict), place)
        });
        self.documents.extend(document.clone());
        let text = self.text.get(self.kept..).unwrap_or_default().to_owned();
        self.kept = self.text.len();
        let word = outcome.word();
        let answer = interim::Answer { text, document, word, is_unexpected };
        self.model.answered(&about.title, answer);
    }

    /// Growth until a search stopped, in a sentence.
    fn growth(&self, verdict: &Verdict) -> Option<String> {
        let source = self.source.clone();
        let growth = verdict.growth.as_ref()?;
        Some(growth::note(growth, self.aside(source.as_deref()).source))
    }

    /// Shows a verdict to a person; how it was found, too, if everything is to be said.
    fn show(&mut self, verdict: &Verdict, trace: Option<&str>, about: &About) {
        let source = self.source.clone();
        let aside = Aside { place: about.place, trace, ..self.aside(source.as_deref()) };
        let text = human::verdict(verdict, &aside);
        self.text.push_str(&text);
        let grown = verdict.growth.as_ref().map(|growth| &growth.what);
        if let (Some(note), true) = (self.growth(verdict), grown != self.grown.as_ref()) {
            let look = self.model.look;
            self.text.push_str(&look.finish(look.wrapped(6, &format!("note: {note}"))));
            self.grown = grown.cloned();
        }
        if self.model.detail == Detail::Verbose {
            let stamp = &verdict.stamp;
            let said = [
                stamp.engine.as_ref().map(|engine| format!("engine: {engine}")),
                stamp.unreduced.as_ref().map(|why| format!("nothing is left out: {why}")),
                stamp.asymmetric.as_ref().map(|why| format!("processes are not permuted: {why}")),
            ];
            let look = self.model.look;
            let lines = said.iter().flatten().map(|line| look.finish(look.wrapped(6, line)));
            self.text.extend(lines);
        }
    }

    /// Where an answer belongs.
    fn place(&self, about: &About) -> Place {
        let at = self.aside(self.source.as_deref()).source.zip(about.place);
        let included = at.and_then(|(source, place)| source.included(place.start));
        Place {
            title: about.title.clone(),
            file: included.map_or_else(|| self.files.join(" "), str::to_owned),
            line: at.and_then(|(source, place)| source.line(place.start)),
            origin: Some(Arc::new(document::Origin {
                files: self.files.clone(),
                options: self.options.clone(),
                text: self.source.clone(),
                asked: asked(&about.choice),
                place: about.place,
                constraints: self.assumed.clone(),
                command: self.setting.again(&about.choice),
            })),
            ..Place::default()
        }
    }

    fn aside<'s>(&'s self, source: Option<&'s str>) -> Aside<'s> {
        let source = source.zip(self.files.first());
        Aside {
            look: self.model.look,
            source: source.map(|(text, name)| Source { name, text }),
            ..Aside::default()
        }
    }

    /// Origin of a run, to replay it.
    fn origin(&self, about: &About) -> itf::Origin<'_> {
        let source = self.source.as_deref().zip(self.files.first());
        itf::Origin {
            files: &self.files,
            source: source.map(|(text, name)| Source { name, text }),
            options: &self.options,
            property: asked(&about.choice),
            place: about.place,
        }
    }

    /// Writes a run to where it was asked for, or else beside the model's other runs. A verdict is not lost
    /// because that fails. Gives the name of the file.
    fn save(
        &mut self,
        about: &About,
        trace: impl FnOnce(&itf::Origin<'_>) -> Option<serde_json::Value>,
    ) -> Option<String> {
        let title = &about.title;
        if self.trace_to.is_none() && self.model.format != Format::Human {
            return None;
        }
        let Some(trace) = trace(&self.origin(about)) else {
            output::remark("the run is not kept: there was no time or memory left to write it");
            return None;
        };
        let text = json::text(&trace);
        if let Some(path) = self.trace_to.clone() {
            let path = match self.several && !files::is_stream(&path) {
                true => format!("{path}.{}", self.traces.give(&slug(title), |_| true)?),
                false => path,
            };
            return match Output::open(&path).and_then(|to| to.write(&text)) {
                Ok(()) => Some(path),
                Err(failure) => {
                    self.unwritten.push(failure);
                    None
                }
            };
        }
        let stem = self.files.first().and_then(|file| Path::new(file).file_stem());
        let stem = stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let name = format!("{}.{}", slug(&stem), slug(title));
        match runs::keep(&self.model.kept, &name, &trace, &text) {
            Ok(path) => Some(path),
            Err(error) => {
                output::remark(&format!("the run is not kept: {error}"));
                None
            }
        }
    }

    /// Says what no run executes.
    pub(super) fn unused(&mut self, places: &[String]) {
        const NAMED: usize = 6;
        if places.is_empty() || self.model.format != Format::Human {
            return;
        }
        let most = if self.model.detail == Detail::Verbose { places.len() } else { NAMED };
        let named = &places[..places.len().min(most)];
        let more = match places.len() - named.len() {
            0 => String::new(),
            more => format!("; and {more} more, which -v lists"),
        };
        let look = self.model.look;
        let text = format!("note: never executed: {}{more}", named.join("; "));
        let text = look.finish(look.wrapped(6, &text));
        for line in text.lines() {
            let _ = writeln!(self.text, "{}", look.paint(Paint::Warning, line));
        }
        self.text.push('\n');
    }

    /// Adds something to read beside the answers.
    pub(super) fn remark(&mut self, text: &str) {
        if self.model.format == Format::Human {
            self.text.push_str(text);
            self.text.push('\n');
        }
    }

    /// Adds how many states SPIN would store for the last answer, or why that is not known.
    pub(super) fn stored(&mut self, stored: &Result<Stored, WhyUnknown>) {
        if self.model.format == Format::Human {
            let line = match stored {
                Ok(Stored::Same(count)) => {
                    format!("{count} states stored, as SPIN stores them")
                }
                Ok(Stored::UpToErrors(count)) => format!(
                    "{count} states stored up to errors of the model, after which SPIN goes on"
                ),
                Ok(Stored::OwnAutomaton(count)) => {
                    format!("{count} states stored; SPIN has another automaton for the formula")
                }
                Err(why) => format!("states stored: unknown: {why}"),
            };
            self.add_below(&line);
        }
        if let Some(Document::Verdict(_, place)) = self.documents.last_mut() {
            let stored = stored.as_ref().ok();
            place.stored = Some(stored.map(|stored| StoredStates {
                states: stored.count(),
                as_spin: matches!(stored, Stored::Same(_)),
            }));
        }
    }

    /// Everything that was added.
    pub(super) fn finish(mut self) -> Answered {
        let Counts { holding, violated, unknown } = self.counts;
        let mut next = None;
        if self.model.format == Format::Human {
            let all = holding + violated + unknown;
            let word = if all == 1 { "property" } else { "properties" };
            let is_quiet = self.model.detail == Detail::Quiet;
            if is_quiet {
                self.text.clear();
            }
            if !self.text.is_empty() && !self.text.ends_with("\n\n") {
                self.text.push('\n');
            }
            // The answers are repeated where the first of them has left the screen.
            if is_quiet || all > 1 && self.text.lines().count() > self.model.look.height {
                let table = self.table();
                self.text.push_str(&table);
            }
            let expected = !self.model.expectations.is_empty() && self.unexpected == 0;
            let expected = if expected && unknown == 0 { ", all as expected" } else { "" };
            if !is_quiet {
                let counts = self.counts.in_words();
                self.text.push_str(&format!("{all} {word}: {counts}{expected}\n"));
            }
            let names_one = self.several || !self.model.properties.is_empty();
            if !is_quiet {
                next = Some(self.next.suggestion(&self.setting, names_one));
            }
        } else {
            self.text = self.model.format.documents(&self.documents);
        }
        // A failure that is expected is a test that passes; an answer that could not be found is none.
        let code = match (self.unexpected, unknown) {
            _ if self.broken > 0 => failure::INTERNAL,
            (0, 0) => 0,
            (0, _) => failure::UNKNOWN,
            _ => failure::NO,
        };
        let Tally { text, documents, counts, unwritten, .. } = self;
        Answered { text, documents, counts, code, unwritten, next, absent: Vec::new() }
    }

    /// Every answer in a line.
    fn table(&self) -> String {
        let look = self.model.look;
        let states = |row: &Row| row.states.map_or(String::new(), |count| counted(count, "state"));
        let widest = self.rows.iter().map(|row| states(row).len()).max().unwrap_or(0);
        let titles = self.rows.iter().map(|row| row.title.chars().count()).max().unwrap_or(0);
        // An answer never stands without what it assumes: a long formula is cut, and an assumption that leaves too
        // little of it stands below.
        let unders = self.rows.iter().map(|row| row.under.chars().count()).max().unwrap_or(0);
        let room = look.width.saturating_sub(6 + 2 + widest);
        let beside = room.checked_sub(2 + unders).filter(|&left| left >= titles.min(LEAST_TITLE));
        let wide = titles.min(beside.unwrap_or(room).max(20));
        let mut out = String::new();
        for row in &self.rows {
            let (word, paint) = human::sign(row.outcome);
            let title = clipped(&row.title, wide);
            let line = format!("  {title:wide$}  {:>widest$}", states(row));
            let _ = write!(out, "{}{}", look.paint(paint, word), line.trim_end());
            if !row.under.is_empty() {
                out.push_str(&match beside {
                    Some(_) => format!("  {}", row.under),
                    None => format!("\n{}", look.wrapped(6, &row.under).trim_end()),
                });
            }
            out.push('\n');
        }
        let end = if self.model.detail == Detail::Quiet { "" } else { "\n" };
        look.finish(out + end)
    }
}
