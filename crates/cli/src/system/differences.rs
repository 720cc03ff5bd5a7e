//! Where SPIN and Fairly are known to differ, and how such a difference looks in a table.

use super::spin::{About, Runs};

/// A difference between the two.
pub(super) struct Difference<'a> {
    /// The model.
    pub(super) model: &'a str,
    pub(super) about: &'a About,
    pub(super) what: What,
}

/// Kind of difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Fairly says that it is violated, and SPIN that it holds.
    OnlyFairlyFindsIt {
        runs: Runs,
        /// Whether nothing happens any more on the run that was found.
        stops: bool,
    },
    /// SPIN says that it is violated, and Fairly that it holds.
    OnlySpinFindsIt { runs: Runs },
    /// The number of states.
    States {
        /// Whether Fairly came to errors other than assertions.
        up_to_errors: bool,
        /// Whether SPIN has more, in a search that reports cycles.
        more_with_cycles: bool,
    },
}

/// A difference that is understood.
pub(super) struct Known {
    /// In words.
    pub(super) says: &'static str,
    /// Where it is written down.
    pub(super) page: &'static str,
    /// Text of the row.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test looks for it on the page"))]
    words: &'static str,
    fits: fn(&Difference<'_>) -> bool,
}

const FOUND_OUT: &str = "docs/spin-differences.md";
const ON_PURPOSE: &str = "docs/book/promela.md";

/// Everything that is known; what is narrower comes first.
const KNOWN: &[Known] = &[
    Known {
        says: "SPIN counts its claim in _nr_pr",
        page: FOUND_OUT,
        words: "SPIN counts its claim as a process",
        fits: |it| matches!(it.about, About::Claim(_)) && it.has("_nr_pr"),
    },
    Known {
        says: "a process that `provided` stops is not blocked to pan -f",
        page: ON_PURPOSE,
        words: "To SPIN 6.5 a process that `provided` stops is not blocked",
        fits: |it| it.is_missed_with_fairness() && it.has("provided"),
    },
    Known {
        says: "pan -f does not see that a run stops and stays where it is",
        page: FOUND_OUT,
        words: "a run that stops is not seen as one that stays where it is",
        fits: |it| {
            let stops = matches!(it.what, What::OnlyFairlyFindsIt { stops: true, .. });
            it.is_missed_with_fairness() && stops
        },
    },
    Known {
        says: "pan -l -f misses rounds beside a process that may stop",
        page: FOUND_OUT,
        words: "The search with `-f` misses the rounds",
        fits: |it| it.is_missed_with_fairness() && *it.about == About::Progress,
    },
    Known {
        says: "to pan -f a process that waits to receive at a rendezvous is not enabled",
        page: ON_PURPOSE,
        words: "a process that waits to receive at a rendezvous is not enabled",
        fits: |it| {
            let missed_here = What::OnlySpinFindsIt { runs: Runs::WeaklyFair };
            it.what == missed_here && it.model.contains("[0]")
        },
    },
    Known {
        says: "here a run ends with an error, and SPIN goes on",
        page: ON_PURPOSE,
        words: "**After an error** the run ends",
        fits: |it| matches!(it.what, What::States { up_to_errors: true, .. }),
    },
    Known {
        says: "pan -c0 counts a state again when it reports another cycle through it",
        page: FOUND_OUT,
        words: "A state is counted again for a cycle",
        fits: |it| matches!(it.what, What::States { more_with_cycles: true, .. }),
    },
    Known {
        says: "`hidden` variables are part of the state here",
        page: ON_PURPOSE,
        words: "**`hidden`** variables are part of the state",
        fits: |it| matches!(it.what, What::States { .. }) && it.has("hidden"),
    },
    Known {
        says: "a `d_step` that begins with a choice may not begin in SPIN",
        page: FOUND_OUT,
        words: "Whether a `d_step` can begin with a choice",
        fits: |it| it.has("d_step") && it.in_processes(),
    },
    Known {
        says: "a received value that loses bits is put back without them by SPIN",
        page: FOUND_OUT,
        words: "On the way back a received message is put into the channel again",
        fits: |it| it.has("unsigned") && it.model.contains('?') && it.in_processes(),
    },
    Known {
        says: "a sorted send of a value that is too large has another place in SPIN",
        page: FOUND_OUT,
        words: "A sorted send looks for its place",
        fits: |it| it.model.contains("!!") && it.in_processes(),
    },
    Known {
        says: "SPIN loses the order of escapes after a rendezvous that nobody answers",
        page: FOUND_OUT,
        words: "the order of the escapes is lost",
        fits: |it| it.has("unless") && it.in_processes(),
    },
];

/// Why the two differ, if it is known.
pub(super) fn known(difference: &Difference<'_>) -> Option<&'static Known> {
    KNOWN.iter().find(|known| (known.fits)(difference))
}

impl Difference<'_> {
    /// Whether a word stands in the model.
    fn has(&self, word: &str) -> bool {
        let mut words = self.model.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|known| known == word)
    }

    fn is_missed_with_fairness(&self) -> bool {
        matches!(self.what, What::OnlyFairlyFindsIt { runs: Runs::WeaklyFair, .. })
    }

    /// Whether it can come from what the processes do, with or without fairness.
    fn in_processes(&self) -> bool {
        match self.what {
            What::OnlyFairlyFindsIt { runs, .. } | What::OnlySpinFindsIt { runs } => {
                runs == Runs::All
            }
            What::States { .. } => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_difference_is_written_down() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for Known { page, words, .. } in KNOWN {
            let text = std::fs::read_to_string(root.join(page)).expect("the page");
            let text: Vec<&str> = text.split_whitespace().collect();
            assert!(text.join(" ").contains(words), "{page} does not say: {words}");
        }
    }

    #[test]
    fn what_is_not_known_is_not_explained() {
        let about = About::Claim("p".to_owned());
        let what = What::OnlySpinFindsIt { runs: Runs::All };
        let of = |model| known(&Difference { model, about: &about, what });
        assert!(of("byte x; active proctype P() { x = 1 }").is_none());
        assert!(of("byte x; active proctype P() { x = _nr_pr }").is_some());
    }
}
