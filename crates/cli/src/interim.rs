//! Answers so far, to be reported when the work cannot go on: memory is exhausted, or a deadline or a request
//! to stop has passed in the middle of something that does not look at the clock.
//!
//! A report has only this: the thread that did the work is stopped wherever it was. So an answer is added here
//! when it is complete, and not before.

use std::sync::Arc;

use fairly_check::{Verdict, WhyUnknown};
use fairly_report::document::{Document, Place};
use fairly_report::{Look, Paint, terminal};
use fairly_source::escape::in_line;

use crate::failure;
use crate::output;
use crate::system::{Format, Limit, Setting, Shown, line};

/// A complete answer.
pub(crate) struct Answer {
    /// For people, as it is printed.
    pub(crate) text: String,
    /// For other programs, if there is a use for it.
    pub(crate) document: Option<Document>,
    /// `holds`, `violated` or `unknown`; empty for what is no verdict, such as a ladder.
    pub(crate) word: &'static str,
    /// Whether it makes the command fail.
    pub(crate) is_unexpected: bool,
}

impl Answer {
    /// A ladder or least sets, with the exit code for them. A table is no verdict, so it is not counted
    /// among them.
    pub(crate) fn of(shown: Shown, code: u8) -> Answer {
        let (text, document) = match shown {
            Shown::Text(text) => (text, None),
            Shown::Json(document) => (String::new(), Some(Document::Table(document))),
        };
        let word = if code == failure::UNKNOWN { "unknown" } else { "" };
        Answer { text, document, word, is_unexpected: code == failure::NO }
    }
}

/// Makes an answer of what is known of a question, given the reason why there is no more.
pub(crate) type SoFar = Box<dyn Fn(&str) -> Answer + Send>;

/// The answers of a command so far, and what it has been asked besides.
#[derive(Default)]
pub(crate) struct Interim {
    format: Option<Format>,
    look: Look,
    /// The model that is being checked.
    file: String,
    /// The questions about it that have no answer, in the order in which they are asked.
    left: Vec<String>,
    /// Whether the questions about it are known.
    is_asked: bool,
    /// How many models come after it.
    models_left: usize,
    /// Progress of the question that is being answered, which has this title.
    so_far: Option<(String, SoFar)>,
    /// Titles and words of the answers, if a line a property is all that is printed.
    lines: Option<Vec<(String, &'static str)>>,
    /// Answers for people that have not been printed.
    text: String,
    documents: Vec<Document>,
    /// Files that want the documents.
    reports: Vec<(Format, String)>,
    unexpected: usize,
    /// How many answers there are of each kind, in the order of [`WORDS`].
    counts: [usize; 3],
    /// Whether everything has been answered, and is perhaps being printed now.
    is_complete: bool,
    /// Context of the command, for the one that is suggested.
    setting: Setting,
    /// How many questions about the model there are.
    asked: usize,
}

const WORDS: [&str; 3] = ["holds", "violated", "unknown"];

/// Text to print, its destination, and the exit code.
pub(crate) struct LastWords {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) files: Vec<(String, String)>,
    pub(crate) code: u8,
}

impl Interim {
    /// A command begins that prints its answers so, and also to files.
    pub(crate) fn command(&mut self, format: Format, look: Look, reports: Vec<(Format, String)>) {
        (self.format, self.look, self.reports) = (Some(format), look, reports);
    }

    /// People get a line a property.
    pub(crate) fn lines(&mut self) {
        self.lines = Some(Vec::new());
    }

    /// Something is asked about a model: the questions, if they are known.
    pub(crate) fn ask(&mut self, file: String, questions: Vec<String>) {
        self.is_asked = !questions.is_empty();
        self.asked = questions.len();
        (self.file, self.left, self.is_complete) = (file, questions, false);
        self.so_far = None;
    }

    /// The command is about this.
    pub(crate) fn about(&mut self, setting: Setting) {
        self.setting = setting;
    }

    /// Which of how many questions about the model is being answered; none if there is only one.
    pub(crate) fn position(&self) -> Option<(usize, usize)> {
        let at = self.asked.checked_sub(self.left.len())? + 1;
        (self.asked > 1 && at <= self.asked).then_some((at, self.asked))
    }

    /// So many models come after the next one.
    pub(crate) fn models_left(&mut self, count: usize) {
        self.models_left = count;
    }

    /// So much is known of a question that is being answered.
    pub(crate) fn so_far(&mut self, title: &str, answer: SoFar) {
        self.so_far = Some((title.to_owned(), answer));
    }

    /// A question is answered; the first that was left, unless it is one more.
    pub(crate) fn answer(&mut self, title: &str, answer: Answer) {
        if let Some(at) = self.left.iter().position(|left| left == title) {
            self.left.remove(at);
        }
        self.so_far = None;
        if let Some(lines) = &mut self.lines {
            lines.push((title.to_owned(), answer.word));
        }
        self.text.push_str(&answer.text);
        self.documents.extend(answer.document);
        self.unexpected += usize::from(answer.is_unexpected);
        if let Some(at) = WORDS.iter().position(|word| *word == answer.word) {
            self.counts[at] += 1;
        }
    }

    /// Everything about a model has been answered; what comes now is printing.
    pub(crate) fn complete(&mut self) {
        self.is_complete = true;
        self.text.clear();
        self.left.clear();
        self.lines.iter_mut().for_each(Vec::clear);
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The report, with the reason why there is no more, of what is being done.
    pub(crate) fn last_words(&self, why: &str, limit: Limit) -> LastWords {
        let begun = match (&self.so_far, self.left.first()) {
            (Some((title, answer)), Some(first)) if title == first => Some(answer(why)),
            _ => None,
        };
        let left = &self.left[usize::from(begun.is_some())..];
        let mut counts = self.counts;
        let mut text = self.text.clone();
        let mut documents = self.documents.clone();
        let mut unexpected = self.unexpected;
        let reason = if begun.is_some() { "not begun" } else { why };
        if let Some(answer) = begun {
            text.push_str(&answer.text);
            documents.extend(answer.document);
            unexpected += usize::from(answer.is_unexpected);
            counts[2] += usize::from(answer.word == WORDS[2]);
        }
        // Searches after the last answer give remarks.
        let is_answered = self.is_asked && left.is_empty() && self.models_left == 0;
        let code = match (unexpected, counts) {
            (0, [_, _, 0]) if is_answered => 0,
            (0, _) => failure::UNKNOWN,
            _ => failure::NO,
        };
        let format = self.format.unwrap_or(Format::Human);
        let open = left.iter().enumerate().map(|(at, title)| {
            (title, if at == 0 { reason.to_owned() } else { "not begun".to_owned() })
        });
        for (title, why) in open {
            counts[2] += 1;
            let sign = self.look.paint(Paint::Warning, "  ??");
            let shown = in_line(title);
            text.push_str(&self.look.finish(format!("{sign}  {shown}\n      unknown: {why}\n\n")));
            let (title, file) = (title.clone(), self.file.clone());
            let place = Place { title, file, ..Place::default() };
            documents.push(Document::Verdict(
                Arc::new(Verdict::unknown(&place.title, &WhyUnknown::Ended(why))),
                place,
            ));
        }
        let of_file = match self.file.as_str() {
            "" => String::new(),
            file => format!("{}: ", in_line(file)),
        };
        let mut stderr = match left.is_empty() {
            true if counts[2] > 0 => String::new(),
            true if is_answered => format!("{of_file}{why}; every question is answered\n"),
            true => format!("{of_file}unknown: {why}\n"),
            false => String::new(),
        };
        if self.models_left > 0 {
            let models = if self.models_left == 1 { "model was" } else { "models were" };
            stderr.push_str(&format!("unknown: {} more {models} not begun\n", self.models_left));
        }
        let all: usize = counts.iter().sum();
        let next = line(&self.setting.beyond(limit, None));
        let stdout = match format {
            Format::Human if self.lines.is_some() => self.line_by_line(),
            Format::Human if all == 0 => text + &next,
            Format::Human => {
                let some = WORDS.iter().zip(counts).filter(|(_, count)| *count > 0);
                let words: Vec<String> =
                    some.map(|(word, count)| format!("{count} {word}")).collect();
                let word = if all == 1 { "property" } else { "properties" };
                format!("{text}{all} {word}: {}\n{next}", words.join(", "))
            }
            other => other.documents(&documents),
        };
        let files = self.reports.iter();
        let files = files.map(|(format, file)| (file.clone(), format.documents(&documents)));
        let stdout = match format {
            Format::Github => stdout,
            _ => output::unheeded(&terminal(&stdout)).into_owned(),
        };
        LastWords { stdout, stderr, files: files.collect(), code }
    }

    /// A line a property.
    fn line_by_line(&self) -> String {
        let answered = self.lines.iter().flatten().map(|(title, word)| (title, *word));
        let all = answered.chain(self.left.iter().map(|title| (title, WORDS[2])));
        let lines = all.map(|(title, word)| {
            let (sign, paint) = match word {
                "holds" => ("  ok", Paint::Good),
                "violated" => ("FAIL", Paint::Bad),
                _ => ("  ??", Paint::Warning),
            };
            format!("{}  {}\n", self.look.paint(paint, sign), in_line(title))
        });
        self.look.finish(lines.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(word: &'static str) -> Answer {
        let (text, document) = (format!("{word}.\n"), None);
        Answer { text, document, word, is_unexpected: word == "violated" }
    }

    #[test]
    fn answers_are_kept_and_the_rest_is_unknown() {
        let mut interim = Interim::default();
        interim.ask("a.pml".to_owned(), ["one", "two", "three"].map(str::to_owned).to_vec());
        interim.answer("one", answer("holds"));
        let LastWords { stdout, stderr, code, .. } =
            interim.last_words("out of memory", Limit::Memory);
        assert_eq!(
            stdout,
            "holds.\n  ??  two\n      unknown: out of memory\n\n  ??  three\n      unknown: not begun\n\n\
             3 properties: 1 holds, 2 unknown\n\nnext: fairly check --max-states=1000000\n"
        );
        assert_eq!((stderr.as_str(), code), ("", 3));
        interim.answer("two", answer("violated"));
        assert_eq!(interim.last_words("out of memory", Limit::Memory).code, 1);
    }

    #[test]
    fn tables_are_kept_and_not_counted() {
        let mut interim = Interim::default();
        interim.ask("a.pml".to_owned(), ["one", "two"].map(str::to_owned).to_vec());
        let table = answer("");
        interim.answer("one", Answer { text: "a ladder\n".to_owned(), ..table });
        let LastWords { stdout, code, .. } = interim.last_words("stopped", Limit::Time);
        let next = "\nnext: fairly check --timeout=60\n";
        let rest = format!("  ??  two\n      unknown: stopped\n\n1 property: 1 unknown\n{next}");
        assert_eq!((stdout, code), (format!("a ladder\n{rest}"), 3));
    }

    #[test]
    fn what_is_known_of_a_question_is_its_answer() {
        let mut interim = Interim::default();
        interim.ask("a.pml".to_owned(), ["one", "two"].map(str::to_owned).to_vec());
        let half = |word| -> SoFar {
            Box::new(move |why| Answer { text: format!("half, {why}\n"), ..answer(word) })
        };
        interim.so_far("one", half("unknown"));
        let LastWords { stdout, stderr, code, .. } = interim.last_words("stopped", Limit::Time);
        let next = "\nnext: fairly check --timeout=60\n";
        let rest = "  ??  two\n      unknown: not begun\n\n2 properties: 2 unknown\n";
        assert_eq!(stdout, format!("half, stopped\n{rest}{next}"));
        assert_eq!((stderr.as_str(), code), ("", 3));
        // It counts for this question only.
        interim.answer("one", answer(""));
        let LastWords { stdout, .. } = interim.last_words("stopped", Limit::Time);
        let rest = "  ??  two\n      unknown: stopped\n\n1 property: 1 unknown\n";
        assert_eq!(stdout, format!(".\n{rest}{next}"));
        interim.so_far("two", half("violated"));
        let LastWords { stdout, code, .. } = interim.last_words("stopped", Limit::Time);
        assert_eq!((stdout, code), (format!(".\nhalf, stopped\n{next}"), 1));
    }

    #[test]
    fn a_line_a_property_is_all_where_no_more_is_wanted() {
        let mut interim = Interim::default();
        interim.lines();
        interim.ask("a.pml".to_owned(), ["one", "two", "three"].map(str::to_owned).to_vec());
        interim.answer("one", answer("holds"));
        let LastWords { stdout, .. } = interim.last_words("stopped", Limit::Time);
        assert_eq!(stdout, "  ok  one\n  ??  two\n  ??  three\n");
    }

    #[test]
    fn a_model_that_was_never_read_is_unknown() {
        let mut interim = Interim::default();
        interim.ask("a.pml".to_owned(), Vec::new());
        let LastWords { stdout, stderr, code, .. } =
            interim.last_words("out of memory", Limit::Memory);
        assert_eq!((stdout.as_str(), code), ("\nnext: fairly check --max-states=1000000\n", 3));
        assert_eq!(stderr, "a.pml: unknown: out of memory\n");
    }

    #[test]
    fn what_comes_after_the_last_answer_is_a_remark() {
        let mut interim = Interim::default();
        interim.ask("a.pml".to_owned(), vec!["one".to_owned()]);
        interim.answer("one", answer("holds"));
        let LastWords { stderr, code, .. } = interim.last_words("stopped", Limit::Time);
        assert_eq!((stderr.as_str(), code), ("a.pml: stopped; every question is answered\n", 0));
        interim.models_left(2);
        let LastWords { stderr, code, .. } = interim.last_words("stopped", Limit::Time);
        assert_eq!(code, 3);
        assert_eq!(stderr, "a.pml: unknown: stopped\nunknown: 2 more models were not begun\n");
    }

    #[test]
    fn documents_have_the_rest_too() {
        let mut interim = Interim::default();
        interim.command(Format::Json, Look::default(), vec![(Format::Json, "r.json".to_owned())]);
        interim.ask("a.pml".to_owned(), vec!["one".to_owned(), "two".to_owned()]);
        let document = Some(Document::Table("one".into()));
        interim.answer("one", Answer { document, ..answer("holds") });
        let LastWords { stdout, files, .. } = interim.last_words("out of memory", Limit::Memory);
        let documents: serde_json::Value = serde_json::from_str(&stdout).expect("JSON");
        assert_eq!(documents[1]["why"], "out of memory");
        assert_eq!(files, [("r.json".to_owned(), stdout)]);
    }
}
