//! Which step of a run receives the message that another one sends over a buffered channel.
//!
//! It is read off the contents of the channels before and after each step, so it works for every model and for
//! traces that were saved. A message that is sent and received within one step is not seen.

use serde_json::Value;

/// A message that travels through a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// The channel.
    pub(crate) channel: String,
    /// Its fields: `yes.3`.
    pub(crate) text: String,
    /// The step that sends it; none if it is in the channel from the start.
    pub(crate) sent: Option<usize>,
    /// The step that receives it; none if none does.
    pub(crate) received: Option<usize>,
}

/// The messages of a run, in the order in which they are sent. `contents` are those of the channels, one more
/// than there are steps: by state and channel, the messages from the first to be received.
pub(crate) fn of(channels: &[String], contents: &[Vec<Vec<Value>>]) -> Vec<Message> {
    let mut all: Vec<Message> = Vec::new();
    for (at, channel) in channels.iter().enumerate() {
        let mut pending: Vec<usize> = Vec::new();
        let empty = Vec::new();
        let mut before = &empty;
        for (state, content) in contents.iter().enumerate() {
            let after = content.get(at).unwrap_or(&empty);
            let step = state.checked_sub(1);
            let (kept, taken) = matched(before, after);
            for &gone in &taken {
                all[pending[gone]].received = step;
            }
            let mut next = vec![usize::MAX; after.len()];
            for (from, to) in kept {
                next[to] = pending[from];
            }
            for (position, id) in next.iter_mut().enumerate() {
                if *id == usize::MAX {
                    *id = all.len();
                    let text = text(&after[position]);
                    let (channel, sent) = (channel.clone(), step);
                    all.push(Message { channel, text, sent, received: None });
                }
            }
            (pending, before) = (next, after);
        }
    }
    all.sort_by_key(|message| message.sent);
    all
}

/// The fields of a message.
fn text(message: &Value) -> String {
    let field = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match message {
        Value::Array(fields) => fields.iter().map(field).collect::<Vec<_>>().join("."),
        other => field(other),
    }
}

/// Which messages of a channel stay, as pairs of positions before and after, and which go. Where it is no queue,
/// a longest common subsequence stays.
fn matched(before: &[Value], after: &[Value]) -> (Vec<(usize, usize)>, Vec<usize>) {
    /// Larger tables would take too long; such channels are looked at as queues only.
    const LARGEST: usize = 1 << 16;
    // Mostly a channel is a queue: what goes is in front, what comes is behind.
    let gone = (0..=before.len()).find(|&at| after.starts_with(&before[at..]));
    let gone = gone.unwrap_or(before.len());
    let is_large = before.len().saturating_mul(after.len()) > LARGEST;
    if gone < before.len() || before.is_empty() || is_large {
        let kept = (gone..before.len()).map(|at| (at, at - gone)).collect();
        return (kept, (0..gone).collect());
    }
    let mut longest = vec![vec![0_usize; after.len() + 1]; before.len() + 1];
    for (one, left) in before.iter().enumerate() {
        for (two, right) in after.iter().enumerate() {
            longest[one + 1][two + 1] = match left == right {
                true => longest[one][two] + 1,
                false => longest[one][two + 1].max(longest[one + 1][two]),
            };
        }
    }
    let (mut one, mut two) = (before.len(), after.len());
    let (mut kept, mut gone) = (Vec::new(), Vec::new());
    while one > 0 || two > 0 {
        if one > 0 && two > 0 && before[one - 1] == after[two - 1] {
            (one, two) = (one - 1, two - 1);
            kept.push((one, two));
        } else if two > 0 && (one == 0 || longest[one][two - 1] >= longest[one - 1][two]) {
            two -= 1;
        } else {
            one -= 1;
            gone.push(one);
        }
    }
    (kept, gone)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(contents: &[Value]) -> Vec<(String, Option<usize>, Option<usize>)> {
        let contents: Vec<Vec<Vec<Value>>> =
            contents.iter().map(|one| vec![one.as_array().expect("a list").clone()]).collect();
        let found = of(&["c".to_owned()], &contents);
        found.into_iter().map(|it| (it.text, it.sent, it.received)).collect()
    }

    #[test]
    fn messages_are_received_in_the_order_in_which_they_are_sent() {
        let run = [json!([]), json!([[1]]), json!([[1], [1]]), json!([[1]]), json!([])];
        let one = |sent, received| ("1".to_owned(), Some(sent), Some(received));
        assert_eq!(found(&run), [one(0, 2), one(1, 3)]);
    }

    #[test]
    fn what_nobody_receives_and_nobody_sent_is_told() {
        let run = [json!([["a", 0]]), json!([["a", 0], ["b", true]]), json!([["b", true]])];
        let expected = [("a.0".to_owned(), None, Some(1)), ("b.true".to_owned(), Some(0), None)];
        assert_eq!(found(&run), expected);
    }

    #[test]
    fn messages_may_be_received_out_of_order() {
        let run = [json!([]), json!([[1]]), json!([[1], [2]]), json!([[1]])];
        let expected = [("1".to_owned(), Some(0), None), ("2".to_owned(), Some(1), Some(2))];
        assert_eq!(found(&run), expected);
    }
}
