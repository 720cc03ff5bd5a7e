//! A run as a table: one step a line, one column a process, the loop in a bracket.
//!
//! Processes that can never move in the run have no column; a line below says so. What is too long for its
//! column goes on in the next line. What a terminal is too narrow for gives way in this order: the names of
//! processes, down to what tells them apart; the column of changes, which then stand below their step; columns
//! of processes that never act; columns of others, those that only act first. Who acts is always named.

use std::fmt::Write;

use fairly_system::{Part, TraceStep as Row};
use unicode_width::UnicodeWidthChar;

use crate::human::Aside;
use crate::look::{Look, Paint, breadth, clipped, filled, is_mark};

/// Steps at the start of a long stem and at its end, and those of a long loop, that are shown.
const OF_STEM: (usize, usize) = (4, 6);
const OF_LOOP: (usize, usize) = (24, 8);

/// The steps of a run, of which the first `stem` come once and the others, if any, for ever.
pub(crate) fn table(rows: &[Row], processes: &[String], stem: usize, aside: &Aside<'_>) -> String {
    let (look, cycle) = (&aside.look, rows.len() - stem);
    let layout = Layout::of(rows, processes, aside);
    let mut out = layout.heading(look);
    let folds =
        |count: usize, shown| folded(count, shown).filter(|_| !aside.whole && !aside.look.verbose);
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
        let mut lines = layout.row(look, bracket, at, row, aside);
        if last && cycle > 0 {
            let repeat = format!("repeat from {}", stem + 1);
            if layout.used + 3 + repeat.len() <= look.width {
                let line = &mut lines[0];
                let fill = (layout.used + 3).saturating_sub(visible(line));
                let _ = write!(line, "{:fill$}{}", "", look.paint(Paint::Loop, &repeat));
            } else {
                lines.push(format!("            {}", look.paint(Paint::Loop, &repeat)));
            }
        }
        for line in &lines {
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    out.push_str(&layout.legend(look, processes));
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

/// Where changes of variables are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Changes {
    /// There are none.
    None,
    /// In a column of this width.
    Beside(usize),
    /// In lines of their own below the step.
    Below,
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
    /// Blanks before each of these columns.
    gap: usize,
    changes: Changes,
    /// Width of the whole table.
    used: usize,
    /// The short names of all processes, where the headings are not their names.
    short: Option<Vec<String>>,
    /// Remarks below the table about processes without a column.
    folded: Vec<String>,
}

const GAP: usize = 2;
const MARGIN: usize = 6;
/// Words and changes in narrower columns would be broken too often.
const NARROW: usize = 20;
/// The widest columns that words and changes take for themselves.
const LONGEST: usize = 44;
/// The longest names of who takes a step, before they are shortened.
const NAMES: usize = 20;
/// So many processes that never act keep their columns where there is little room.
const MOST_PASSIVE: usize = 2;
/// Lines that one step may take for its words; what is longer is cut, with a sign.
const TALLEST: usize = 3;

impl Layout {
    fn of(rows: &[Row], processes: &[String], aside: &Aside<'_>) -> Layout {
        let longest = |text: &dyn Fn(&Row) -> usize, title: &str| {
            rows.iter().map(text).max().unwrap_or(0).max(title.len())
        };
        let lines = rows.iter().enumerate();
        let lines = lines.filter_map(|(at, row)| Some(breadth(&line_of(at, row, aside)?))).max();
        let changes = rows.iter().map(|row| breadth(&changed(row))).max().unwrap_or(0);
        let can_act = |at: usize| rows.iter().any(|row| row.parts[at] != Part::Disabled);
        let columns = (0..processes.len()).filter(|&at| can_act(at));
        let mut layout = Layout {
            step: rows.len().to_string().len().max(4),
            who: longest(&|row| breadth(&row.who), "who").min(NAMES),
            action: longest(&|row| breadth(words(row)), "action").min(LONGEST),
            line: lines.map_or(0, |line| line.max("line".len())),
            columns: columns.map(|at| (at, processes[at].clone())).collect(),
            gap: GAP,
            changes: match changes {
                0 => Changes::None,
                width => Changes::Beside(width.clamp("changes".len(), LONGEST)),
            },
            used: 0,
            short: None,
            folded: Vec::new(),
        };
        if rows.iter().any(|row| breadth(&row.who) > NAMES) {
            layout.shorten(rows, processes);
        }
        layout.fit(rows, processes, aside.look.width);
        layout.used = layout.total();
        layout.folded = layout.left_out(rows, processes);
        layout
    }

    fn total(&self) -> usize {
        let columns: usize =
            self.columns.iter().map(|(_, name)| self.gap + breadth(name).max(1)).sum();
        let line = if self.line == 0 { 0 } else { GAP + self.line };
        let changes = match self.changes {
            Changes::Beside(width) => GAP + 1 + width,
            Changes::None | Changes::Below => 0,
        };
        MARGIN + self.step + GAP + self.who + GAP + self.action + line + columns + changes
    }

    /// Has processes called by what tells them apart.
    fn shorten(&mut self, rows: &[Row], processes: &[String]) {
        if self.short.is_some() {
            return;
        }
        let short = apart(processes);
        if short == processes {
            return;
        }
        for (at, name) in &mut self.columns {
            name.clone_from(&short[*at]);
        }
        self.short = Some(short);
        let who = rows.iter().map(|row| breadth(&self.who(row)));
        self.who = who.max().unwrap_or(0).max("who".len());
    }

    /// Who takes a step: by names where there is room, else as the columns are called.
    fn who(&self, row: &Row) -> String {
        let Some(short) = &self.short else { return row.who.clone() };
        if breadth(&row.who) <= NAMES {
            return row.who.clone();
        }
        let taking = row.parts.iter().zip(short).filter(|(part, _)| **part == Part::Taken);
        let names: Vec<&str> = taking.map(|(_, name)| name.as_str()).collect();
        if names.is_empty() { row.who.clone() } else { names.join("+") }
    }

    fn fit(&mut self, rows: &[Row], processes: &[String], width: usize) {
        let over = |layout: &Layout| layout.total().saturating_sub(width);
        if over(self) == 0 {
            return;
        }
        self.shorten(rows, processes);
        let acts = |at: usize| rows.iter().any(|row| row.parts[at] == Part::Taken);
        if self.columns.iter().filter(|(at, _)| !acts(*at)).count() > MOST_PASSIVE {
            self.columns.retain(|(at, _)| acts(*at));
        }
        let (wide, beside) = (self.action, self.changes);
        self.squeeze(width);
        if over(self) > 0 || (self.changes == Changes::Below && beside != Changes::Below) {
            // Columns that stand closer may leave room for the changes.
            (self.action, self.changes, self.gap) = (wide, beside, 1);
            self.squeeze(width);
            if self.changes == Changes::Below {
                self.gap = if over(self) > 0 { 1 } else { GAP };
                self.action = wide;
                self.squeeze(width);
            }
        }
        if over(self) > 0 {
            self.columns.retain(|(at, _)| acts(*at));
            self.squeeze(width);
        }
        if over(self) > 0 {
            self.drop_columns(rows, over(self));
            self.squeeze(width);
        }
        if over(self) > 0 {
            self.who = self.who.saturating_sub(over(self)).max(8.min(self.who));
            self.action = self.action.saturating_sub(over(self)).max(8.min(self.action));
        }
    }

    /// Drops columns until the table is narrower by so much. They show who could have moved; those of processes that
    /// are never passed over go first, the last of them before the others.
    fn drop_columns(&mut self, rows: &[Row], mut over: usize) {
        let waits = |at: usize| rows.iter().any(|row| row.parts[at] == Part::Enabled);
        let waits: Vec<bool> = self.columns.iter().map(|(at, _)| waits(*at)).collect();
        let mut is_kept = vec![true; self.columns.len()];
        for dropped in [false, true] {
            for at in (0..waits.len()).rev().filter(|&at| waits[at] == dropped) {
                if over == 0 {
                    break;
                }
                is_kept[at] = false;
                over = over.saturating_sub(self.gap + breadth(&self.columns[at].1).max(1));
            }
        }
        let mut kept = is_kept.into_iter();
        self.columns.retain(|_| kept.next() == Some(true));
    }

    /// Gives words and changes the room that is left, each at least what is not too narrow; if that is too
    /// little for both, changes stand below the steps.
    fn squeeze(&mut self, width: usize) {
        let over = self.total().saturating_sub(width);
        if over == 0 {
            return;
        }
        if let Changes::Beside(wide) = self.changes {
            let least = NARROW.min(wide) + NARROW.min(self.action);
            if wide + self.action < least + over {
                self.changes = Changes::Below;
            } else {
                // The longer of the two gives way first.
                let mut columns = [self.action, wide];
                for _ in 0..over {
                    let at = usize::from(columns[1] >= columns[0] && columns[1] > NARROW);
                    let at = if columns[at] > NARROW { at } else { 1 - at };
                    columns[at] -= 1;
                }
                self.action = columns[0];
                self.changes = Changes::Beside(columns[1]);
                return;
            }
        }
        let over = self.total().saturating_sub(width);
        self.action = self.action.saturating_sub(over).max(NARROW.min(self.action));
    }

    /// Remarks about processes without a column.
    fn left_out(&self, rows: &[Row], processes: &[String]) -> Vec<String> {
        let is_shown = |at: usize| self.columns.iter().any(|(shown, _)| *shown == at);
        let mut kinds: [Vec<&str>; 3] = Default::default();
        for at in (0..processes.len()).filter(|&at| !is_shown(at)) {
            let is = |part: Part| rows.iter().any(|row| row.parts[at] == part);
            let kind = match (is(Part::Taken), is(Part::Enabled)) {
                (true, _) => 2,
                (false, true) => 1,
                (false, false) => 0,
            };
            kinds[kind].push(&processes[at]);
        }
        let words = [
            ("never acts here, and never could", "never act here, and never could"),
            ("never acts here, though it could", "never act here, though they could"),
            ("acts, but has no column here", "act, but have no column here"),
        ];
        let mut said = Vec::new();
        for (names, (one, many)) in kinds.iter().zip(words) {
            match names.as_slice() {
                [] => {}
                [only] => said.push(format!("{only} {one}")),
                names => said.push(format!("{} {many}", listed(names))),
            }
        }
        said
    }

    fn heading(&self, look: &Look) -> String {
        let Layout { step, who, action, line, gap, .. } = self;
        let mut text = format!("{:MARGIN$}{:>step$}", "", "step");
        let _ = write!(text, "  {:who$}  {:action$}", "who", "action");
        if self.line > 0 {
            let _ = write!(text, "  {:>line$}", "line");
        }
        for (_, name) in &self.columns {
            let _ = write!(text, "{:gap$}{name}", "");
        }
        if let Changes::Beside(_) = self.changes {
            text.push_str("   changes");
        }
        look.paint(Paint::Faint, text.trim_end()) + "\n"
    }

    /// A step: its line, and those that go on with what is too long for it.
    fn row(
        &self,
        look: &Look,
        bracket: &str,
        at: usize,
        row: &Row,
        aside: &Aside<'_>,
    ) -> Vec<String> {
        let Layout { step, who, action, line, gap, .. } = self;
        let mut words = folded_lines(words(row), *action, TALLEST);
        let mut changed = changed(row);
        if let (Changes::Below, [only], false) = (self.changes, &words[..], changed.is_empty()) {
            let both = format!("{only}   → {changed}");
            if breadth(&both) <= *action {
                (words, changed) = (vec![both], String::new());
            }
        }
        let changes = match self.changes {
            Changes::Beside(width) => folded_lines(&changed, width, usize::MAX),
            Changes::None | Changes::Below => Vec::new(),
        };
        let names = folded_lines(&self.who(row), *who, TALLEST);
        let height = words.len().max(changes.len()).max(names.len()).max(1);
        let mut out = Vec::new();
        let goes_on = if bracket.starts_with(['┌', '│']) { "│ " } else { "  " };
        let of = |lines: &[String], at: usize| lines.get(at).cloned().unwrap_or_default();
        for nth in 0..height {
            let bracket = look.paint(Paint::Loop, if nth == 0 { bracket } else { goes_on });
            let number = if nth == 0 { (at + 1).to_string() } else { String::new() };
            let mut text = format!("    {bracket}{number:>step$}");
            let _ = write!(text, "  {}", filled(&of(&names, nth), *who));
            let _ = write!(text, "  {}", filled(&of(&words, nth), *action));
            if self.line > 0 {
                let written = line_of(at, row, aside).filter(|_| nth == 0);
                let written = written.unwrap_or_default();
                let written = look.paint(Paint::Faint, &format!("{written:>line$}"));
                let _ = write!(text, "  {written}");
            }
            for (process, name) in &self.columns {
                let fill = breadth(name).max(1) - 1;
                if nth > 0 {
                    let _ = write!(text, "{:gap$} {:fill$}", "", "");
                    continue;
                }
                let part = row.parts[*process];
                let paint = match part {
                    Part::Taken => Paint::Good,
                    Part::Enabled => Paint::Warning,
                    Part::Disabled => Paint::Faint,
                };
                let sign = look.paint(paint, &sign(part).to_string());
                let _ = write!(text, "{:gap$}{sign}{:fill$}", "", "");
            }
            if let Changes::Beside(_) = self.changes {
                let _ = write!(text, "   {}", of(&changes, nth));
            }
            out.push(text);
        }
        if self.changes == Changes::Below && !changed.is_empty() {
            let indent = MARGIN + step + GAP + who + GAP;
            let indent = if indent + NARROW > look.width { MARGIN + step + GAP } else { indent };
            let room = look.width.saturating_sub(indent + 2).max(NARROW);
            for (nth, part) in folded_lines(&changed, room, usize::MAX).iter().enumerate() {
                let bracket = look.paint(Paint::Loop, goes_on);
                let fill = indent - MARGIN;
                let sign = if nth == 0 { "→ " } else { "  " };
                let part = look.paint(Paint::Faint, &format!("{sign}{part}"));
                out.push(format!("    {bracket}{:fill$}{part}", ""));
            }
        }
        out
    }

    fn legend(&self, look: &Look, processes: &[String]) -> String {
        let signs = "▶ taken   ● enabled, not taken   · disabled";
        let mut said = Vec::new();
        if !self.columns.is_empty() {
            said.push(signs.to_owned());
        }
        if let Some(short) = &self.short {
            said.push(stand_for(processes, short, &self.columns));
        }
        said.extend(self.folded.iter().cloned());
        let mut out = String::new();
        for (at, text) in said.iter().filter(|text| !text.is_empty()).enumerate() {
            let lines = look.wrapped(12, text);
            let paint = |line: &str| match at {
                0 if !self.columns.is_empty() => look.paint(Paint::Faint, line),
                _ => line.to_owned(),
            };
            for line in lines.lines() {
                out.push_str(&paint(line));
                out.push('\n');
            }
        }
        out
    }
}

/// Names with commas between them; of many, the first.
fn listed(names: &[&str]) -> String {
    const NAMED: usize = 12;
    const FEW: usize = 3;
    // `P[2]` to `P[11]`, if no number is left out.
    let parts = |name: &&str| {
        let start = name.find(|sign: char| sign.is_ascii_digit())?;
        let rest = &name[start..];
        let end = rest.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(rest.len());
        Some((name[..start].to_owned(), rest[..end].parse::<u64>().ok()?, rest[end..].to_owned()))
    };
    let follows = |pair: &[(String, u64, String)]| {
        pair[0].0 == pair[1].0 && pair[0].2 == pair[1].2 && pair[0].1 + 1 == pair[1].1
    };
    let all: Option<Vec<_>> = names.iter().map(parts).collect();
    if names.len() > FEW && all.is_some_and(|all| all.windows(2).all(follows)) {
        return format!("{} to {}", names[0], names[names.len() - 1]);
    }
    let more = names.len().saturating_sub(NAMED);
    let named = names[..names.len() - more].join(", ");
    if more == 0 { named } else { format!("{named} and {more} more") }
}

/// A text in lines of a width: broken between words where that is possible, and inside of them where it is
/// not. At most so many lines, and a sign at the end of the last if that is not all.
fn folded_lines(text: &str, width: usize, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in crate::look::lines(text, width) {
        let mut rest = line.as_str();
        while breadth(rest) > width {
            let (mut end, mut used) = (0, 0);
            for sign in rest.chars() {
                used += UnicodeWidthChar::width(sign).unwrap_or(0);
                if used > width {
                    break;
                }
                end += sign.len_utf8();
            }
            if end == 0 {
                break;
            }
            // Behind a bracket or a comma, if there is one in the second half.
            let nice = rest[..end].rfind(['.', ',', ';', '(', '[', '{', '=', '-', '_', '/', '+']);
            let end = nice.map(|at| at + 1).filter(|&at| 2 * at > end).unwrap_or(end);
            lines.push(rest[..end].to_owned());
            rest = &rest[end..];
        }
        lines.push(rest.to_owned());
    }
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            *last = clipped(&format!("{last} …"), width);
        }
    }
    lines
}

fn line_of(at: usize, row: &Row, aside: &Aside<'_>) -> Option<String> {
    let read = || aside.source?.shown_line(row.span?.start);
    aside.lines.get(at).cloned().flatten().or_else(read)
}

/// The sign of a part.
pub(crate) fn sign(part: Part) -> char {
    match part {
        Part::Taken => '▶',
        Part::Enabled => '●',
        Part::Disabled => '·',
    }
}

/// Description of a step.
fn words(row: &Row) -> &str {
    if idles(row) { "(nothing can happen)" } else { &row.action }
}

/// Whether a step is the one of a run that stays where it is. A step of no process may be one of the surroundings: a
/// network loses a message.
pub(crate) fn idles(row: &Row) -> bool {
    row.who == "nobody" && row.event == "idle" && row.changes.is_empty()
}

/// The changes of a step; variables of the process that takes it go without its name.
fn changed(row: &Row) -> String {
    let own = format!("{}.", row.who);
    let is_ambiguous = |name: &str| row.changes.iter().any(|(other, _)| other.as_str() == name);
    let shown = |name: &String| match name.strip_prefix(&own) {
        Some(short) if !is_ambiguous(short) => short.to_owned(),
        _ => name.clone(),
    };
    let all: Vec<String> =
        row.changes.iter().map(|(name, value)| format!("{}={value}", shown(name))).collect();
    all.join("  ")
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

fn stand_for(names: &[String], short: &[String], columns: &[(usize, String)]) -> String {
    let is_shown = |at: usize| columns.is_empty() || columns.iter().any(|(it, _)| *it == at);
    let pairs = (0..names.len()).filter(|&at| is_shown(at) && names[at] != short[at]);
    let pairs: Vec<String> = pairs.map(|at| format!("{}\u{a0}{}", short[at], names[at])).collect();
    if pairs.is_empty() { String::new() } else { format!("columns: {}", pairs.join(", ")) }
}

#[cfg(test)]
mod tests {
    use fairly_system::TraceState;

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
    fn a_step_of_no_process_is_told() {
        let step = |event: &str| Row {
            from: TraceState::default(),
            who: "nobody".to_owned(),
            event: event.to_owned(),
            action: event.to_owned(),
            span: None,
            parts: Vec::new(),
            sender: None,
            changes: Vec::new(),
            choice: 0,
        };
        assert_eq!(words(&step("Lose.A.B")), "Lose.A.B");
        assert_eq!(words(&step("idle")), "(nothing can happen)");
    }

    #[test]
    fn whoever_acts_is_seen_among_a_hundred() {
        let names: Vec<String> = (0..100).map(|number| format!("Worker[{number}]")).collect();
        let row = Row {
            from: TraceState::default(),
            who: "Worker[77]".to_owned(),
            event: "work".to_owned(),
            action: "work a little".to_owned(),
            span: None,
            parts: (0..100).map(|at| if at == 77 { Part::Taken } else { Part::Enabled }).collect(),
            sender: None,
            changes: Vec::new(),
            choice: 0,
        };
        let look = Look { width: 60, ..Look::default() };
        let text = table(&[row], &names, 0, &Aside { look, ..Aside::default() });
        assert!(text.lines().all(|line| breadth(line) <= 60), "{text}");
        let step = text.lines().nth(1).expect("a step");
        assert!(step.contains("Worker[77]") && step.contains('▶'), "{text}");
        let heading = text.lines().next().expect("a heading");
        assert!(heading.contains("77"), "{text}");
        assert!(text.contains("never act here, though they could"), "{text}");
    }

    #[test]
    fn a_hundred_thousand_processes_are_no_reason_to_wait() {
        let names: Vec<String> = (0..100_000).map(|number| format!("P[{number}]")).collect();
        let row = Row {
            from: TraceState::default(),
            who: names.join("+"),
            event: "all".to_owned(),
            action: "all".to_owned(),
            span: None,
            parts: vec![Part::Taken; names.len()],
            sender: None,
            changes: Vec::new(),
            choice: 0,
        };
        let began = std::time::Instant::now();
        let text = table(&[row], &names, 0, &Aside::default());
        assert!(text.contains("all"), "{text}");
        // A time that grew with their square would be minutes.
        assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
    }

    #[test]
    fn a_single_step_is_never_folded() {
        assert_eq!(folded(12, OF_STEM), None);
        assert_eq!(folded(13, OF_STEM), Some((4, 7)));
    }
}
