//! A state in which nothing can happen: what each process waits for, and what the variables are.

use fairly_system::{Blocked, Missing, Obstacle, StateValues, Stuck, Value};
use serde::{Deserialize, Serialize};

use crate::look::{Look, Source, breadth};

/// Reason why a process waits, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Waits {
    /// The process.
    #[serde(rename = "process")]
    pub(crate) who: String,
    /// The reason: `line 43: decision?d, and decision is empty`.
    #[serde(rename = "waits")]
    pub(crate) what: String,
}

/// Reasons why each process waits where nothing can happen.
pub(crate) fn waits(
    stuck: Option<&Stuck>,
    processes: &[String],
    source: Option<Source<'_>>,
) -> Vec<Waits> {
    let blocked = stuck.into_iter().flat_map(|stuck| &stuck.blocked);
    let waits = blocked.map(|one| Waits {
        who: processes[one.process.index()].clone(),
        what: in_words(one, processes, source),
    });
    waits.collect()
}

/// Whether every process has reached its end.
pub(crate) fn is_over(waits: &[Waits]) -> bool {
    waits.iter().all(|it| it.what == ENDED)
}

/// Words for a process that has nothing left to do.
const ENDED: &str = "has reached its end";

fn in_words(blocked: &Blocked, processes: &[String], source: Option<Source<'_>>) -> String {
    const NAMED: usize = 4;
    let Blocked { may_end, on, .. } = blocked;
    if *may_end {
        let is_over = on.iter().all(|it| it.missing == Missing::LaterProcesses);
        let said = if is_over { ENDED } else { "is where it may stay for ever" };
        return said.to_owned();
    }
    let mut parts: Vec<String> = Vec::new();
    for obstacle in on {
        let part = obstacle_in_words(obstacle, processes, source);
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    let more = parts.len().saturating_sub(NAMED);
    parts.truncate(NAMED);
    let mut said = parts.join("; or ");
    if more > 0 {
        said.push_str(&format!("; or {more} more"));
    }
    match said.is_empty() {
        true => "has stopped: it has nothing left to do".to_owned(),
        false => format!("waits for {said}"),
    }
}

fn obstacle_in_words(
    Obstacle { words, span, missing }: &Obstacle,
    processes: &[String],
    source: Option<Source<'_>>,
) -> String {
    let line = source.zip(*span).and_then(|(source, span)| source.line(span.start));
    let line = line.map_or(String::new(), |line| format!(" (line\u{a0}{line})"));
    let why = match missing {
        Missing::Condition | Missing::Other => String::new(),
        Missing::Room(channel) => format!(": `{channel}` is full"),
        Missing::Message(channel) => format!(": `{channel}` is empty"),
        Missing::OtherMessage(channel) => format!(": `{channel}` has no such message"),
        Missing::Receiver(channel) => format!(": nobody receives from `{channel}`"),
        Missing::Sender(channel) => format!(": nobody sends to `{channel}`"),
        Missing::Partners(refusing) if refusing.is_empty() => String::new(),
        Missing::Partners(refusing) => {
            let names: Vec<&str> =
                refusing.iter().map(|process| processes[process.index()].as_str()).collect();
            let verb = if names.len() == 1 { "refuses" } else { "refuse" };
            format!(": {} {verb}", names.join(", "))
        }
        Missing::LaterProcesses => return "the end of the processes that it started".to_owned(),
    };
    format!("`{words}`{line}{why}")
}

/// Reasons why each process waits, as lines; processes with the same reason share one.
pub(crate) fn lines(waits: &[Waits], look: &Look) -> String {
    let mut groups: Vec<(Vec<&str>, &str)> = Vec::new();
    for Waits { who, what } in waits {
        match groups.iter_mut().find(|(_, same)| same == what) {
            Some((members, _)) => members.push(who),
            None => groups.push((vec![who], what)),
        }
    }
    let mut out = String::new();
    for (members, what) in groups {
        const NAMED: usize = 8;
        let more = members.len().saturating_sub(NAMED);
        let mut names = members[..members.len() - more].join(", ");
        if more > 0 {
            names.push_str(&format!(" and {more} more"));
        }
        let what = if members.len() == 1 { what.to_owned() } else { plural(what) };
        let text = format!("{names} {what}");
        // Continuation lines are indented further.
        let mut first = true;
        for line in crate::look::lines(&text, look.width.saturating_sub(7).max(24)) {
            let indent = if first { "     " } else { "       " };
            out.push_str(indent);
            out.push_str(&line);
            out.push('\n');
            first = false;
        }
    }
    out
}

fn plural(what: &str) -> String {
    let pairs = [
        ("waits for ", "wait for "),
        ("has stopped: it has", "have stopped: they have"),
        (ENDED, "have reached their ends"),
        ("is where it may stay", "are where they may stay"),
    ];
    let found = pairs.iter().find_map(|(one, many)| Some((many, what.strip_prefix(one)?)));
    found
        .map_or_else(|| what.to_owned(), |(many, rest)| format!("{many}{rest}"))
        .replace("processes that it started", "processes that they started")
}

/// The variables and channels of a state, on one line; arrays as a whole. Empty where there are none.
pub(crate) fn values(state: &StateValues) -> String {
    fn value(it: &Value) -> String {
        match it {
            Value::List(items) => {
                let items: Vec<String> = items.iter().map(value).collect();
                format!("[{}]", items.join(" "))
            }
            Value::Record(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, it)| format!("{name}={}", value(it))).collect();
                format!("{{{}}}", fields.join(" "))
            }
            other => other.to_string(),
        }
    }
    let variables = state.variables.iter().map(|(name, it)| format!("{name}={}", value(it)));
    let channels = state.channels.iter().map(|(name, messages)| {
        let message = |fields: &Vec<Value>| fields.iter().map(value).collect::<Vec<_>>().join(".");
        let messages: Vec<String> = messages.iter().map(message).collect();
        format!("{name}=[{}]", messages.join(" "))
    });
    let all: Vec<String> = variables.chain(channels).collect();
    all.join("  ")
}

/// The variables and channels of a state, where it is worth a look; shortened with a sign.
pub(crate) fn state_line(state: &StateValues, look: &Look) -> String {
    const MOST: usize = 6;
    let text = values(state);
    if text.is_empty() {
        return String::new();
    }
    let wide = look.width.saturating_sub(5).max(24);
    let text = format!("with {text}");
    let mut lines = crate::look::lines(&text, wide);
    if !look.verbose && lines.len() > MOST {
        lines.truncate(MOST);
        if let Some(last) = lines.last_mut() {
            let end = if breadth(last) + 2 > wide { "…" } else { " …" };
            *last = crate::look::clipped(&format!("{last}{end}"), wide);
        }
    }
    lines.iter().map(|line| format!("     {line}\n")).collect()
}
