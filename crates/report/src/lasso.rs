//! A run as a table: one step a line, one column a process, the loop in a bracket.
//!
//! What a terminal is too narrow for gives way in this order: the names of processes, down to what
//! tells them apart; the changes of variables; the words of actions; who acts, which the columns of
//! the processes show anyway; columns of processes that could do nothing. With so many processes that
//! this is not enough, who acts is named in each line and columns go, of processes that only wait first.

use std::fmt::Write;

use unicode_width::UnicodeWidthChar;

use crate::human::Aside;
use crate::look::{Look, Paint, breadth, clipped, filled, is_mark};
use crate::table::{Part, Row};

/// Steps at the start of a long stem and at its end, and those of a long loop, that are shown.
const OF_STEM: (usize, usize) = (4, 6);
const OF_LOOP: (usize, usize) = (24, 8);

/// The steps of a run, of which the first `stem` come once and the others, if any, for ever.
pub(crate) fn table(
    rows: &[Row],
    processes: &[String],
    stem: usize,
    cycle: usize,
    aside: &Aside<'_>,
) -> String {
    let look = &aside.look;
    let layout = Layout::of(rows, processes, aside);
    let mut out = layout.heading(look);
    let folds = |count: usize, shown| folded(count, shown).filter(|_| !aside.whole);
    let folded_stem = folds(stem, OF_STEM);
    let folded_loop = folds(cycle, OF_LOOP).map(|(from, to)| (stem + from, stem + to));
    for (at, row) in rows.iter().enumerate() {
        let within =
            |range: Option<(usize, usize)>| range.filter(|&(from, to)| (from..to).contains(&at));
        if let Some((from, to)) = within(folded_stem).or(within(folded_loop)) {
            if at == from {
                let bracket = if at < stem { "  " } else { "│ " };
                let said = format!("⋮  {} steps, {} to {}", to - from, from + 1, to);
                let bracket = look.paint(Paint::Loop, bracket);
                let _ = writeln!(out, "    {bracket}    {}", look.paint(Paint::Faint, &said));
            }
            continue;
        }
        let last = at + 1 == rows.len();
        let bracket = match at.checked_sub(stem) {
            None => "  ",
            Some(0) if last => "▷─",
            Some(0) => "┌─",
            Some(_) if last => "└─",
            Some(_) => "│ ",
        };
        let mut line = layout.row(look, bracket, at, row, aside);
        if last && cycle > 0 {
            let repeat = format!("repeat from {}", stem + 1);
            if layout.used + 3 + repeat.len() <= look.width {
                let fill = (layout.used + 3).saturating_sub(visible(&line));
                let _ = write!(line, "{:fill$}{}", "", look.paint(Paint::Loop, &repeat));
            } else {
                line.truncate(line.trim_end().len());
                let _ = write!(line, "\n            {}", look.paint(Paint::Loop, &repeat));
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out.push_str(&layout.legend(look));
    out.push('\n');
    out
}

/// Which of so many steps are left out, if any are; never a single one, which a line would take too.
fn folded(count: usize, (first, last): (usize, usize)) -> Option<(usize, usize)> {
    (count > first + last + 2).then(|| (first, count - last))
}

/// How many columns a line takes, colours aside.
fn visible(line: &str) -> usize {
    let shown = line.chars().filter(|&sign| !is_mark(sign));
    shown.map(|sign| UnicodeWidthChar::width(sign).unwrap_or(0)).sum()
}

/// Where the columns are.
struct Layout {
    step: usize,
    who: usize,
    action: usize,
    /// Zero if no step is written anywhere.
    line: usize,
    /// The processes that are shown, and their headings.
    columns: Vec<(usize, String)>,
    /// Zero if nothing changes, or there is no room.
    changes: usize,
    /// What all of it takes.
    used: usize,
    /// What the headings stand for, if they are not the names.
    names: Option<String>,
    hidden: usize,
}

const GAP: usize = 2;
const MARGIN: usize = 6;
/// Words that are cut shorter say nothing.
const WORDS: usize = 14;
const LONGEST: usize = 44;

impl Layout {
    fn of(rows: &[Row], processes: &[String], aside: &Aside<'_>) -> Layout {
        let longest = |text: &dyn Fn(&Row) -> usize, title: &str| {
            rows.iter().map(text).max().unwrap_or(0).max(title.len())
        };
        let lines = rows.iter().filter_map(|row| Some(breadth(&line_of(row, aside)?))).max();
        let changes = rows.iter().map(|row| breadth(&changed(row))).max().unwrap_or(0);
        let mut layout = Layout {
            step: rows.len().to_string().len().max(4),
            who: longest(&|row| breadth(&row.who), "who").min(20),
            action: longest(&|row| breadth(&row.action), "action").min(LONGEST),
            line: lines.map_or(0, |line| line.max("line".len())),
            columns: (0..processes.len()).map(|at| (at, processes[at].clone())).collect(),
            changes: if changes == 0 { 0 } else { changes.clamp("changes".len(), LONGEST) },
            used: 0,
            names: None,
            hidden: 0,
        };
        layout.fit(rows, processes, aside.look.width);
        layout.used = layout.total();
        layout
    }

    fn total(&self) -> usize {
        let columns: usize = self.columns.iter().map(|(_, name)| GAP + breadth(name).max(1)).sum();
        let line = if self.line == 0 { 0 } else { GAP + self.line };
        let changes = if self.changes == 0 { 0 } else { GAP + 1 + self.changes };
        let who = if self.who == 0 { 0 } else { GAP + self.who };
        MARGIN + self.step + who + GAP + self.action + line + columns + changes
    }

    fn fit(&mut self, rows: &[Row], processes: &[String], width: usize) {
        let over = |layout: &Layout| layout.total().saturating_sub(width);
        if over(self) == 0 {
            return;
        }
        let short = apart(processes);
        let differs = short != processes;
        for ((_, name), short) in self.columns.iter_mut().zip(&short) {
            name.clone_from(short);
        }
        // The columns of the processes show who acts, too.
        self.who = self.who.saturating_sub(over(self)).max(WORDS.min(self.who));
        if self.changes > 0 {
            self.changes = self.changes.saturating_sub(over(self)).max(WORDS.min(self.changes));
        }
        self.action = self.action.saturating_sub(over(self)).max(WORDS.min(self.action));
        if over(self) > 0 {
            self.changes = 0;
        }
        let who = self.who;
        if over(self) > 0 {
            self.who = 0;
        }
        if over(self) > 0 {
            // Who can do nothing in this run is not what it is about.
            let quiet = |at: usize| rows.iter().all(|row| row.parts[at] == Part::Disabled);
            self.columns.retain(|(at, _)| !quiet(*at));
        }
        if over(self) > 0 {
            // Too many for a column each. Who only waits gives way first, and who acts is named in each
            // line again: the columns do not show it any more.
            self.who = who;
            let acts = |at: usize| rows.iter().any(|row| row.parts[at] == Part::Taken);
            while over(self) > 0 && self.columns.len() > 1 {
                let waiting = self.columns.iter().rposition(|(at, _)| !acts(*at));
                self.columns.remove(waiting.unwrap_or(self.columns.len() - 1));
            }
        }
        self.hidden = processes.len() - self.columns.len();
        if differs {
            self.names = Some(stand_for(processes, &self.columns));
        }
    }

    fn heading(&self, look: &Look) -> String {
        let Layout { step, who, action, line, .. } = self;
        let mut text = format!("{:MARGIN$}{:>step$}", "", "step");
        if self.who > 0 {
            let _ = write!(text, "  {:who$}", "who");
        }
        let _ = write!(text, "  {:action$}", "action");
        if self.line > 0 {
            let _ = write!(text, "  {:>line$}", "line");
        }
        for (_, name) in &self.columns {
            let _ = write!(text, "  {name}");
        }
        if self.changes > 0 {
            text.push_str("   changes");
        }
        look.paint(Paint::Faint, text.trim_end()) + "\n"
    }

    fn row(&self, look: &Look, bracket: &str, at: usize, row: &Row, aside: &Aside<'_>) -> String {
        let Layout { step, who, action, line, .. } = self;
        let bracket = look.paint(Paint::Loop, bracket);
        let mut text = format!("    {bracket}{:>step$}", at + 1);
        if self.who > 0 {
            let _ = write!(text, "  {}", filled(&clipped(&row.who, *who), *who));
        }
        let _ = write!(text, "  {}", filled(&clipped(&row.action, *action), *action));
        if self.line > 0 {
            let written = line_of(row, aside).unwrap_or_default();
            let _ = write!(text, "  {}", look.paint(Paint::Faint, &format!("{written:>line$}")));
        }
        for (process, name) in &self.columns {
            let part = row.parts[*process];
            let paint = match part {
                Part::Taken => Paint::Good,
                Part::EnabledNotTaken => Paint::Warning,
                Part::Disabled => Paint::Faint,
            };
            let fill = breadth(name).max(1) - 1;
            let _ = write!(text, "  {}{:fill$}", look.paint(paint, &part.sign().to_string()), "");
        }
        if self.changes > 0 {
            let _ = write!(text, "   {}", clipped(&changed(row), self.changes));
        }
        text
    }

    fn legend(&self, look: &Look) -> String {
        let signs = "▶ taken   ● enabled, not taken   · disabled";
        let signs = look.wrapped(12, signs);
        let mut out: String =
            signs.lines().map(|line| look.paint(Paint::Faint, line) + "\n").collect();
        if let Some(names) = &self.names {
            out.push_str(&look.wrapped(12, names));
        }
        if self.hidden > 0 {
            let word = if self.hidden == 1 { "process is" } else { "processes are" };
            out.push_str(&look.wrapped(12, &format!("{} {word} not shown", self.hidden)));
        }
        out
    }
}

fn line_of(row: &Row, aside: &Aside<'_>) -> Option<String> {
    let read = || aside.source?.shown_line(row.span?.start);
    row.line.clone().or_else(read)
}

fn changed(row: &Row) -> String {
    let all: Vec<String> =
        row.changes.iter().map(|(name, value)| format!("{name}={value}")).collect();
    all.join(" ")
}

/// The names as what tells them apart: `P(0)` and `P(1)` by their numbers, `Alice[0]` and `Bob[1]` by their
/// initials; where that is not enough, by numbers of their own.
fn apart(names: &[String]) -> Vec<String> {
    let Some(first) = names.first().filter(|_| names.len() > 1) else { return names.to_vec() };
    let signs: Vec<Vec<char>> = names.iter().map(|name| name.chars().collect()).collect();
    let shortest = signs.iter().map(Vec::len).min().unwrap_or(0);
    let count = first.chars().count();
    let same = |at: &dyn Fn(&Vec<char>) -> char| signs.iter().all(|name| at(name) == at(&signs[0]));
    // Digits and letters of one number or word stay together.
    let mut start = (0..shortest).take_while(|&at| same(&|name| name[at])).count();
    while start > 0 && signs[0][start - 1].is_ascii_digit() {
        start -= 1;
    }
    let rest = shortest - start;
    let mut end = (0..rest).take_while(|&at| same(&|name| name[name.len() - 1 - at])).count();
    while end > 0 && signs[0][count - end].is_ascii_digit() {
        end -= 1;
    }
    let short: Vec<String> =
        signs.iter().map(|name| name[start..name.len() - end].iter().collect()).collect();
    let is_good = |short: &[String]| {
        let fits = short.iter().all(|name| (1..=3).contains(&name.chars().count()));
        fits && short.iter().enumerate().all(|(at, name)| !short[..at].contains(name))
    };
    let is_number = |name: &String| name.chars().all(|sign| sign.is_ascii_digit());
    if is_good(&short) && short.iter().all(is_number) {
        return short;
    }
    // `Alice[0]` as `A0`.
    let initials: Vec<String> = signs
        .iter()
        .map(|name| {
            let digits = name.iter().filter(|sign| sign.is_ascii_digit());
            name.first().into_iter().chain(digits).collect()
        })
        .collect();
    if is_good(&initials) {
        return initials;
    }
    (1..=names.len()).map(|number| number.to_string()).collect()
}

fn stand_for(names: &[String], columns: &[(usize, String)]) -> String {
    const NAMED: usize = 8;
    let pairs = columns.iter().take(NAMED);
    let pairs: Vec<String> = pairs.map(|(at, short)| format!("{short} {}", names[*at])).collect();
    let more = if columns.len() > NAMED { ", …" } else { "" };
    format!("columns: {}{more}", pairs.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apart_of(names: &[&str]) -> Vec<String> {
        apart(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn names_are_cut_to_what_tells_them_apart() {
        assert_eq!(apart_of(&["Process[0]", "Process[1]"]), ["0", "1"]);
        assert_eq!(apart_of(&["P(10)", "P(11)"]), ["10", "11"]);
        assert_eq!(apart_of(&["Reader", "Writer"]), ["R", "W"]);
        assert_eq!(apart_of(&["Alice[0]", "Bob[1]"]), ["A0", "B1"]);
        assert_eq!(apart_of(&["Reader", "Rider"]), ["1", "2"]);
        assert_eq!(apart_of(&["Only"]), ["Only"]);
    }

    #[test]
    fn whoever_acts_is_seen_among_a_hundred() {
        let names: Vec<String> = (0..100).map(|number| format!("Worker[{number}]")).collect();
        let row = Row {
            who: "Worker[77]".to_owned(),
            event: "work".to_owned(),
            action: "work a little".to_owned(),
            span: None,
            line: Some("3".to_owned()),
            parts: (0..100)
                .map(|at| if at == 77 { Part::Taken } else { Part::EnabledNotTaken })
                .collect(),
            from: String::new(),
            changes: Vec::new(),
        };
        let look = Look { width: 60, ..Look::default() };
        let text = table(&[row], &names, 0, 1, &Aside { look, ..Aside::default() });
        assert!(text.lines().all(|line| breadth(line) <= 60), "{text}");
        let step = text.lines().nth(1).expect("a step");
        assert!(step.contains("Worker[77]") && step.contains('▶'), "{text}");
        let heading = text.lines().next().expect("a heading");
        assert!(heading.contains("77"), "{text}");
        assert!(text.contains("processes are not shown"), "{text}");
    }

    #[test]
    fn a_single_step_is_never_folded() {
        assert_eq!(folded(12, OF_STEM), None);
        assert_eq!(folded(13, OF_STEM), Some((4, 7)));
    }
}
