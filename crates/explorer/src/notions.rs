//! The notions of fairness by the names that the command line has for them.

use fairly_fairness::{AnnotationLevel, Level, Notion, PrefixKind};
use fairly_front::loaded::Loaded;

use crate::model::Model;

/// A notion, as it is offered.
pub(crate) struct Offered {
    /// As `--fairness` has it.
    pub(crate) name: &'static str,
    /// In words.
    pub(crate) words: &'static str,
    /// Whether it is about processes, events or actions.
    pub(crate) has_levels: bool,
}

/// All notions, the weaker ones first.
pub(crate) const NOTIONS: [Offered; 8] = [
    Offered { name: "none", words: "no fairness", has_levels: false },
    Offered { name: "weak", words: "weak fairness", has_levels: true },
    Offered { name: "strong", words: "strong fairness", has_levels: true },
    Offered { name: "weak-live", words: "weak liveness of events", has_levels: false },
    Offered { name: "strong-live", words: "strong liveness of events", has_levels: false },
    Offered { name: "annotated", words: "the model's annotations", has_levels: false },
    Offered { name: "global", words: "strong global fairness", has_levels: false },
    Offered { name: "inherent", words: "inherent fairness", has_levels: false },
];

/// The levels, by the names that `--level` has for them.
pub(crate) const LEVELS: [&str; 3] = ["process", "event", "action"];

/// The level with a name; that of processes if none is given.
pub(crate) fn level(name: Option<&str>) -> Result<Level, String> {
    match name {
        None | Some("process") => Ok(Level::Process),
        Some("event") => Ok(Level::Event),
        Some("action") => Ok(Level::Action),
        Some(other) => Err(format!("`{other}` is no level: write process, event or action")),
    }
}

/// The notion that a model assumes.
pub(crate) fn own(model: &dyn Model, loaded: &Loaded) -> Notion {
    match loaded.is_annotated {
        true => Notion::Annotated(AnnotationLevel::Name),
        false => model.fairness(),
    }
}

/// The notion with a name; the model's own if none is given.
pub(crate) fn notion(
    name: Option<&str>,
    level_name: Option<&str>,
    own: Notion,
) -> Result<Notion, String> {
    let level = level(level_name)?;
    let annotated = Notion::Annotated(AnnotationLevel::Name);
    Ok(match name {
        None => own,
        Some("none") => Notion::None,
        Some("weak") => Notion::Weak(level),
        Some("strong") => Notion::Strong(level),
        Some("weak-live") => Notion::WeakLive,
        Some("strong-live") => Notion::StrongLive,
        Some("annotated") => annotated,
        Some("global") => Notion::Global,
        Some("inherent") => Notion::Inherent(PrefixKind::Trace),
        Some(other) => return Err(format!("`{other}` is no notion of fairness")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notion_that_is_offered_can_be_chosen() {
        for offered in NOTIONS {
            for name in LEVELS {
                assert!(
                    notion(Some(offered.name), Some(name), Notion::None).is_ok(),
                    "{}",
                    offered.name
                );
            }
        }
        assert_eq!(notion(None, None, Notion::None), Ok(Notion::None));
        assert_eq!(notion(None, None, Notion::Global), Ok(Notion::Global));
        assert_eq!(notion(Some("none"), None, Notion::Global), Ok(Notion::None));
        assert!(notion(Some("fair"), None, Notion::None).is_err());
        assert!(level(Some("thread")).is_err());
    }
}
