//! The text of a model around what can happen now.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use fairly_report::{Look, Paint, Source, clipped};
use fairly_source::escape::in_line;

/// Lines that are shown before and behind each.
const AROUND: usize = 2;

/// The lines in which something can happen, each with who could do it, and those around them.
pub(super) fn listing(
    source: Source<'_>,
    who: &BTreeMap<usize, BTreeSet<String>>,
    look: &Look,
) -> String {
    let all: Vec<&str> = source.text.lines().collect();
    let shown: BTreeSet<usize> = who
        .keys()
        .flat_map(|&line| line.saturating_sub(AROUND).max(1)..=(line + AROUND).min(all.len()))
        .collect();
    let wide = shown.last().map_or(1, |line| line.to_string().len());
    let (mut out, mut before) = (String::new(), None);
    for line in shown {
        if before.is_some_and(|before| before + 1 < line) {
            let _ = writeln!(out, "  {:wide$}  …", "");
        }
        before = Some(line);
        let text = in_line(&all[line - 1].replace('\t', "    ")).into_owned();
        match who.get(&line) {
            Some(who) => {
                let who: Vec<&str> = who.iter().map(String::as_str).collect();
                let who = who.join(", ");
                let room = look.width.saturating_sub(wide + 8 + who.chars().count()).max(20);
                let marked = format!("> {line:wide$}  {}", clipped(&text, room));
                let _ = writeln!(out, "{}   {who}", look.paint(Paint::Strong, &marked));
            }
            None => {
                let room = look.width.saturating_sub(wide + 5).max(20);
                let _ = writeln!(out, "  {line:wide$}  {}", clipped(&text, room));
            }
        }
    }
    look.finish(out)
}
