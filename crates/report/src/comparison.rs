//! Every question of every model as a row: the verdicts by fairness, the states stored, and beside
//! them what another model checker says.

use std::fmt::Write;

use serde_json::{Value, json};

/// A verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// It holds.
    Holds,
    /// It is violated.
    Violated,
    /// There was no answer.
    Unknown,
    /// It was not asked: the question is not about runs, or the tool knows no such fairness.
    NotAsked,
}

impl Said {
    fn sign(self) -> char {
        match self {
            Said::Holds => '✓',
            Said::Violated => '✗',
            Said::Unknown => '?',
            Said::NotAsked => ' ',
        }
    }

    fn word(self) -> Option<&'static str> {
        match self {
            Said::Holds => Some("holds"),
            Said::Violated => Some("violated"),
            Said::Unknown => Some("unknown"),
            Said::NotAsked => None,
        }
    }
}

/// How many states were stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// So many, to be compared.
    States(usize),
    /// So many with an automaton of the tool's own, which another tool does not have.
    OwnAutomaton(usize),
    /// Not known.
    Unknown,
}

impl Count {
    fn text(self) -> String {
        match self {
            Count::States(count) => count.to_string(),
            Count::OwnAutomaton(count) => format!("({count})"),
            Count::Unknown => String::new(),
        }
    }

    fn number(self) -> Option<usize> {
        match self {
            Count::States(count) | Count::OwnAutomaton(count) => Some(count),
            Count::Unknown => None,
        }
    }
}

/// Answers of one tool to a question: under each fairness, and with how many states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers {
    /// By fairness, in the order of the table's columns.
    pub said: Vec<Said>,
    /// The states stored.
    pub stored: Count,
}

/// A question of a model.
#[derive(Clone, Debug)]
pub struct Row {
    /// The model.
    pub model: String,
    /// The question.
    pub question: String,
    /// Answers of Fairly.
    pub fairly: Answers,
    /// Answers of SPIN, if it was asked.
    pub spin: Option<Answers>,
    /// Whether the two differ.
    pub differs: bool,
    /// Why they differ, or why there is no answer; may be empty.
    pub why: String,
}

/// The letters of the columns, and what they stand for.
const FAIRNESS: [(char, &str); 4] = [
    ('n', "no fairness"),
    ('w', "weak"),
    ('s', "strong fairness of processes"),
    ('a', "as the model or --fairness asks"),
];

/// How many columns of [`FAIRNESS`] SPIN has.
const OF_SPIN: usize = 2;

/// The table, no wider than `width` where that is possible: where the column of explanations would be
/// too narrow, they stand below their rows.
pub fn text(rows: &[Row], width: usize) -> String {
    let layout = Layout::of(rows, width);
    let mut out = legend(&layout);
    out.push_str(&layout.heading());
    for row in rows {
        out.push_str(&layout.row(row));
    }
    out.push('\n');
    out.push_str(&totals(rows));
    out
}

/// The rows as JSON.
pub fn json(rows: &[Row]) -> Value {
    let names = ["none", "weak", "strong", "asked"];
    let answers = |answers: &Answers| {
        let said = names.iter().zip(&answers.said);
        let said: serde_json::Map<String, Value> =
            said.map(|(name, said)| ((*name).to_owned(), json!(said.word()))).collect();
        let own = matches!(answers.stored, Count::OwnAutomaton(_));
        json!({ "verdicts": said, "stored": answers.stored.number(), "own_automaton": own })
    };
    let rows = rows.iter().map(|row| {
        json!({
            "schema": "fairly.comparison/1",
            "model": row.model,
            "question": row.question,
            "fairly": answers(&row.fairly),
            "spin": row.spin.as_ref().map(answers),
            "differs": row.differs,
            "open": open(row).word(),
            "why": row.why,
        })
    });
    Value::Array(rows.collect())
}

/// Widths of the columns.
struct Layout {
    model: usize,
    question: usize,
    /// How many kinds of fairness there are.
    notions: usize,
    with_spin: bool,
    stored: usize,
    stored_by_spin: usize,
    /// The width of the column of explanations; none if they stand below their rows.
    why: Option<usize>,
    width: usize,
}

/// A column of explanations that is narrower cannot be read.
const READABLE: usize = 30;
const GAP: &str = "  ";

impl Layout {
    fn of(rows: &[Row], width: usize) -> Layout {
        let longest = |text: &dyn Fn(&Row) -> String, least: usize| {
            rows.iter().map(|row| text(row).chars().count()).max().unwrap_or(0).max(least)
        };
        let of_spin = |row: &Row| row.spin.as_ref().map_or(String::new(), |it| it.stored.text());
        let mut layout = Layout {
            model: longest(&|row| row.model.clone(), 5),
            question: longest(&|row| row.question.clone(), 8),
            notions: rows.iter().map(|row| row.fairly.said.len()).max().unwrap_or(0),
            with_spin: rows.iter().any(|row| row.spin.is_some()),
            stored: longest(&|row| row.fairly.stored.text(), 6),
            stored_by_spin: longest(&of_spin, 6),
            why: None,
            width,
        };
        // Names may be cut short, but verdicts and numbers may not.
        let over = layout.used().saturating_sub(width);
        layout.question = layout.question.saturating_sub(over).max(12).min(layout.question);
        let over = layout.used().saturating_sub(width);
        layout.model = layout.model.saturating_sub(over).max(12).min(layout.model);
        let rest = width.saturating_sub(layout.used() + GAP.len());
        layout.why = (rest >= READABLE).then_some(rest);
        layout
    }

    /// The width of the signs of both tools, which have headings.
    fn signs(&self) -> (usize, usize) {
        ((2 * self.notions).saturating_sub(1).max("Fairly".len()), "SPIN".len())
    }

    /// The width of everything but the explanations.
    fn used(&self) -> usize {
        let (fairly, spin) = self.signs();
        let own = [self.model, self.question, fairly, self.stored].iter().sum::<usize>() + 6;
        if self.with_spin {
            own + spin + self.stored_by_spin + "≠".chars().count() + 6
        } else {
            own
        }
    }

    fn heading(&self) -> String {
        let (fairly, spin) = self.signs();
        let letters = |count: usize| signs(FAIRNESS[..count].iter().map(|(letter, _)| *letter));
        let Layout { model, question, stored, stored_by_spin, .. } = self;
        let mut above = format!("{:model$}  {:question$}  {:fairly$}", "", "", "Fairly");
        let mut below = format!(
            "{:model$}  {:question$}  {:fairly$}",
            "model",
            "question",
            letters(self.notions)
        );
        if self.with_spin {
            let both = stored + GAP.len() + stored_by_spin;
            let _ = write!(above, "  {:spin$}  {:>both$}", "SPIN", "states stored");
            let _ = write!(
                below,
                "  {:spin$}  {:>stored$}  {:>stored_by_spin$}",
                letters(OF_SPIN),
                "Fairly",
                "SPIN"
            );
        } else {
            let _ = write!(below, "  {:>stored$}", "states");
            above.clear();
        }
        let lines = [above, below].map(|line| line.trim_end().to_owned());
        let lines: Vec<&str> =
            lines.iter().map(String::as_str).filter(|it| !it.is_empty()).collect();
        lines.join("\n") + "\n"
    }

    fn row(&self, row: &Row) -> String {
        let (fairly, spin) = self.signs();
        let Layout { model, question, stored, stored_by_spin, .. } = self;
        let said = |answers: &Answers| signs(answers.said.iter().map(|said| said.sign()));
        let mut line = format!(
            "{:model$}  {:question$}  {:fairly$}",
            clipped(&row.model, *model),
            clipped(&row.question, *question),
            said(&row.fairly)
        );
        let number = row.fairly.stored.text();
        if self.with_spin {
            let asked = row.spin.as_ref();
            let mark = if row.differs { "≠" } else { " " };
            let _ = write!(
                line,
                "  {:spin$}  {number:>stored$}  {:>stored_by_spin$}  {mark}",
                asked.map_or(String::new(), said),
                asked.map_or(String::new(), |it| it.stored.text())
            );
        } else {
            let _ = write!(line, "  {number:>stored$}");
        }
        self.explained(&line, &row.why)
    }

    /// A row with its explanation beside or below it.
    fn explained(&self, line: &str, why: &str) -> String {
        let mut out = line.trim_end().to_owned();
        match self.why {
            _ if why.is_empty() => {}
            Some(room) => {
                let used = self.used();
                for (at, part) in wrapped(why, room).iter().enumerate() {
                    let before =
                        if at == 0 { used - line.trim_end().chars().count() } else { used };
                    let _ =
                        write!(out, "{}{:before$}{GAP}{part}", if at == 0 { "" } else { "\n" }, "");
                }
            }
            None => {
                for part in wrapped(why, self.width.saturating_sub(6)) {
                    let _ = write!(out, "\n      {part}");
                }
            }
        }
        out.push('\n');
        out
    }
}

fn signs(all: impl Iterator<Item = char>) -> String {
    let signs: Vec<String> = all.map(String::from).collect();
    signs.join(" ")
}

/// Explains the letters and signs of the table.
fn legend(layout: &Layout) -> String {
    let letters = FAIRNESS[..layout.notions.min(FAIRNESS.len())].iter();
    let letters: Vec<String> = letters.map(|(letter, words)| format!("{letter} {words}")).collect();
    let mut parts = vec![letters.join(", "), "✓ holds, ✗ violated, ? unknown".to_owned()];
    if layout.with_spin {
        parts.push(
            "states are those without reduction (-DNOREDUCE, -o1 -o2 -o3), in a search that no error \
             stops; in brackets with the tool's own automaton of the formula, not compared"
                .to_owned(),
        );
        parts.push("≠ differs".to_owned());
    }
    wrapped(&parts.join("; "), layout.width).join("\n") + "\n\n"
}

fn totals(rows: &[Row]) -> String {
    let word = if rows.len() == 1 { "question" } else { "questions" };
    let mut line = format!("{} {word}", rows.len());
    let asked: Vec<&Row> = rows.iter().filter(|row| row.spin.is_some()).collect();
    if !asked.is_empty() {
        let count = |of: &dyn Fn(&Row) -> bool| asked.iter().filter(|row| of(row)).count();
        let differ = count(&|row| row.differs);
        let same = count(&|row| !row.differs && open(row) == Open::Nothing);
        let _ = write!(line, ": {same} as SPIN says, {differ} different");
        let kinds = [
            (Open::ByFairly, "without an answer from Fairly"),
            (Open::BySpin, "without an answer from SPIN"),
            (Open::ByBoth, "without an answer from either"),
            (Open::NotAsked, "not compared"),
        ];
        for (kind, words) in kinds {
            let open = count(&|row| !row.differs && open(row) == kind);
            if open > 0 {
                let _ = write!(line, ", {open} {words}");
            }
        }
    }
    line + "\n"
}

/// Which part of a comparison was left open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    /// Every verdict of both was compared.
    Nothing,
    ByFairly,
    BySpin,
    ByBoth,
    /// SPIN cannot be asked this.
    NotAsked,
}

impl Open {
    fn word(self) -> Option<&'static str> {
        match self {
            Open::Nothing => None,
            Open::ByFairly => Some("fairly"),
            Open::BySpin => Some("spin"),
            Open::ByBoth => Some("both"),
            Open::NotAsked => Some("not compared"),
        }
    }
}

/// Judges where a row leaves a question open that SPIN was asked too: a verdict that one of the two lacks is no
/// agreement.
fn open(row: &Row) -> Open {
    let Some(spin) = &row.spin else { return Open::NotAsked };
    let pairs = || row.fairly.said.iter().zip(&spin.said);
    let by_fairly =
        pairs().any(|(fairly, spin)| *fairly == Said::Unknown && *spin != Said::NotAsked);
    let by_spin = pairs().any(|(_, spin)| *spin == Said::Unknown);
    match (by_fairly, by_spin) {
        (true, true) => Open::ByBoth,
        (true, false) => Open::ByFairly,
        (false, true) => Open::BySpin,
        (false, false) if spin.said.iter().all(|spin| *spin == Said::NotAsked) => Open::NotAsked,
        (false, false) => Open::Nothing,
    }
}

/// A text that is too wide for its column, without its end.
fn clipped(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// The text in lines of at most so many characters, where its words allow.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(differs: bool) -> Row {
        let answers = |said: &[Said], stored| Answers { said: said.to_vec(), stored };
        use Said::{Holds, Violated};
        Row {
            model: "semaphore".to_owned(),
            question: "first".to_owned(),
            fairly: answers(&[Violated, Violated, Holds], Count::States(12)),
            spin: Some(answers(
                &[Violated, if differs { Holds } else { Violated }],
                Count::States(12),
            )),
            differs,
            why: if differs {
                "because of something that takes a few words".to_owned()
            } else {
                String::new()
            },
        }
    }

    #[test]
    fn an_answer_that_is_open_is_no_agreement() {
        use Said::{Holds, NotAsked, Unknown, Violated};
        let with = |fairly: &[Said], spin: &[Said]| {
            let mut row = row(false);
            row.fairly.said = fairly.to_vec();
            row.spin.as_mut().unwrap().said = spin.to_vec();
            row
        };
        let said = |rows: &[Row]| totals(rows).trim_end().to_owned();
        let same = with(&[Violated, Holds, Unknown], &[Violated, Holds]);
        assert_eq!(said(std::slice::from_ref(&same)), "1 question: 1 as SPIN says, 0 different");
        let rows = [
            same,
            with(&[Unknown, Holds, Holds], &[Violated, Holds]),
            with(&[Holds], &[Unknown]),
            with(&[Unknown], &[Unknown]),
            with(&[Unknown, Holds], &[NotAsked, NotAsked]),
            Row { differs: true, ..with(&[Unknown, Holds], &[Holds, Violated]) },
        ];
        assert_eq!(
            said(&rows),
            "6 questions: 1 as SPIN says, 1 different, 1 without an answer from Fairly, 1 without an \
             answer from SPIN, 1 without an answer from either, 1 not compared"
        );
    }

    #[test]
    fn every_line_fits_the_terminal() {
        for width in [80, 100, 120] {
            let text = text(&[row(false), row(true)], width);
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}\n{text}");
            assert!(text.contains("✗ ✗ ✓   ✗ ✓       12      12  ≠"), "{text}");
        }
    }

    #[test]
    fn an_explanation_stands_beside_its_row_if_there_is_room() {
        let wide = text(&[row(true)], 120);
        assert!(wide.contains("≠  because of something"), "{wide}");
        let narrow = text(&[row(true)], 70);
        assert!(narrow.contains("≠\n      because of something"), "{narrow}");
    }

    #[test]
    fn without_spin_there_are_no_columns_for_it() {
        let alone = Row { spin: None, ..row(false) };
        let text = text(&[alone], 80);
        assert!(!text.contains("SPIN") && text.contains("✗ ✗ ✓"), "{text}");
    }
}
