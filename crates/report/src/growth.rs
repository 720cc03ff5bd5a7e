//! A note on growth in a search that was stopped, in a sentence with advice.

use fairly_system::{Grown, Growth, Trend};

use crate::look::{Source, counted};

/// Names the variables and collections that kept growing, their declarations if the text is known, and a
/// remedy.
pub fn note(growth: &Growth, source: Option<Source<'_>>) -> String {
    let Growth { what, span, states, compared, values, trend, others } = growth;
    let line = source.zip(*span).and_then(|(source, span)| source.shown_line(span.start));
    let line = line.map_or(String::new(), |line| format!(" (line {line})"));
    let among = match compared == states {
        true => counted(*states, "state"),
        false => format!("{compared} of {states} states"),
    };
    let forms = format!("{} in {among}", counted(*values, "different one"));
    let values = format!("{} in {among}", counted(*values, "different value"));
    let until = "until the search stopped";
    let bound =
        "If it need not, bound it: with a guard, a smaller range, or arithmetic modulo a number.";
    let most = match trend {
        Trend::Rises(most) => *most,
        Trend::Falls(_) | Trend::Scatters => 0,
    };
    let mut said = match (what, trend) {
        (Grown::Variable(name), Trend::Rises(most)) => {
            format!("`{name}`{line} kept growing {until}: up to {most}, {values}. {bound}")
        }
        (Grown::Variable(name), Trend::Falls(least)) => {
            format!("`{name}`{line} kept falling {until}: down to {least}, {values}. {bound}")
        }
        (Grown::Variable(name), Trend::Scatters) => {
            format!("`{name}`{line} kept taking new values {until}: {values}. {bound}")
        }
        (Grown::Elements(name), _) => format!(
            "`{name}`{line} kept growing {until}: up to {}. If it need not, bound the number of its \
             elements with a guard.",
            counted(usize::try_from(most).unwrap_or(0), "element")
        ),
        (Grown::Messages(name, room), _) => format!(
            "The channel `{name}`{line} kept filling {until}: up to {most} of {room} messages. A \
             smaller capacity bounds it, or a sender that waits for answers."
        ),
        (Grown::Processes, _) => format!(
            "The number of processes kept growing {until}: up to {most} at a time. If it need not, \
             start fewer, or let some end before others start."
        ),
        (Grown::Terms(name), _) => format!(
            "The process `{name}`{line} kept taking new forms {until}: {forms}. If it need not, bound \
             its parameters, or the processes that it starts beside itself."
        ),
    };
    if let Some((last, first)) = others.split_last() {
        let first: String = first.iter().map(|name| format!("{name}, ")).collect();
        said.push_str(&format!(" So did {first}{last}."));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairly_source::Span;

    fn growth(what: Grown, trend: Trend) -> Growth {
        let others = vec!["`m`".to_owned(), "`k`".to_owned()];
        let span = Some(Span { start: 4, end: 5 });
        Growth { what, span, states: 500, compared: 200, values: 30, trend, others }
    }

    #[test]
    fn the_sentence_says_what_where_and_how_much() {
        let source = Some(Source { name: "a", text: "int\nn;\n" });
        let said = note(&growth(Grown::Variable("n".to_owned()), Trend::Falls(-7)), source);
        assert!(
            said.starts_with("`n` (line 2) kept falling until the search stopped: down to -7, ")
        );
        assert!(said.contains("30 different values in 200 of 500 states. "), "{said}");
        assert!(said.ends_with(" So did `m`, `k`."), "{said}");
    }
}
