//! How a search went, as plain data: for people who compare engines, and for those who read the papers.

use fairly_omega::emptiness::{self, Effort, Why};
use fairly_omega::{Lasso, Mark};
use fairly_search::Product;
use fairly_search::inherent::{self, Decided, SetMember};
use fairly_system::TransitionSystem;
use serde::{Deserialize, Serialize};

/// Statistics of the search for a run in the product. Searches breadth first beside it, for a shorter run, are not
/// counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    /// Components with an edge that were complete and not accepted as a whole.
    pub components: usize,
    /// Nodes of the largest of them.
    pub largest_component: usize,
    /// Times that a component or a part of one was decomposed again, after something had been removed.
    pub rounds: usize,
    /// Removals on the way to one part, at the most.
    pub nesting: usize,
    /// Edges removed (vertices for the references `latvala`, `kesten` and `sun`).
    pub removed: usize,
    /// Nodes visited: copies of nodes of the product, for engines that add monitors, a counter, or marks on states.
    pub copies: usize,
    /// Obligations that components and parts of them did not meet.
    pub unmet: Vec<Unmet>,
    /// Demands that the walk along the cycle settled.
    pub obligations: usize,
    /// How inherent fairness was decided, if that was the question; then there are no components.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefixes: Option<Prefixes>,
    /// The run as it was found, if one was; the loop as the walk through the component went.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<Lengths>,
    /// The run as it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<Lengths>,
}

/// How inherent fairness was decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prefixes {
    /// Condition that decided, in a sentence.
    pub decided: String,
    /// Sizes of the automata of the five steps, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub automata: Vec<Size>,
    /// The first pairs of a state of the system and the states of the property's automaton that the same
    /// prefix leads to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<PrefixSet>,
}

/// The size of an automaton.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Which automaton.
    pub automaton: String,
    /// Its states.
    pub states: usize,
}

/// A state of the system and a set of states of the property's automaton.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrefixSet {
    /// The state of the system, by number.
    pub state: u32,
    /// The states of the property's automaton from which the property can still be satisfied.
    pub live: Vec<u32>,
    /// Those from which it cannot.
    pub dead: Vec<u32>,
}

/// A part of the condition that some components did not meet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unmet {
    /// The constraint by name, or `the property`.
    pub constraint: String,
    /// `never met`: nothing in the component meets it; `asked in vain`: something asks for it, and nothing meets
    /// it, so that what asks was removed.
    pub why: String,
    /// How many components and parts.
    pub times: usize,
}

/// Steps of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lengths {
    /// Steps of its stem.
    pub stem: usize,
    /// Steps of its loop.
    #[serde(rename = "loop")]
    pub cycle: usize,
}

impl Statistics {
    /// How a decision on prefixes went.
    pub(crate) fn of_prefixes(answer: &inherent::Answer) -> Statistics {
        let decided = match answer.decided {
            Decided::Holds => "both conditions hold",
            Decided::Enabled => {
                "condition 1 fails: the system can do what the property's automaton cannot"
            }
            Decided::Continued => {
                "condition 2 fails: what both can do has no continuation that both have"
            }
            Decided::Live => "a set of live states is empty",
            Decided::Beginning => "the product with the complement is not empty",
        };
        let size = |automaton: &str, states| Size { automaton: automaton.to_owned(), states };
        let automata = answer.five.map_or_else(Vec::new, |five| {
            vec![
                size("product of system and property", five.product),
                size("prefixes of what both have", five.prefixes),
                size("deterministic, and its complement", five.deterministic),
                size("product of the complement and the system", five.beginnings),
            ]
        });
        let members = |set: &[SetMember], live: bool| {
            set.iter().filter(|member| member.live == live).map(|member| member.at.0).collect()
        };
        let sets = answer.sets.iter().map(|(state, set)| PrefixSet {
            state: state.0,
            live: members(set, true),
            dead: members(set, false),
        });
        let (decided, sets) = (decided.to_owned(), sets.collect());
        let prefixes = Some(Prefixes { decided, automata, sets });
        Statistics { copies: answer.effort.pairs, prefixes, ..Statistics::default() }
    }

    /// The statistics of a search in a product.
    pub(crate) fn of<S: TransitionSystem>(
        searched: &emptiness::Statistics,
        effort: Effort,
        lasso: Option<&Lasso>,
        product: &Product<'_, S>,
    ) -> Statistics {
        let name = |mark: Option<Mark>| -> String {
            let constraint = mark.and_then(|mark| product.lowering().constraint_of(mark));
            constraint.map_or_else(|| "the property".to_owned(), |it| it.name.clone())
        };
        let unmet = searched.failures.iter().map(|failure| Unmet {
            constraint: name(failure.mark),
            why: match failure.why {
                Why::NeverMet => "never met",
                Why::AskedInVain => "asked in vain",
            }
            .to_owned(),
            times: failure.times,
        });
        let walked = |lasso: &Lasso| match searched.walk {
            0 => lasso.cycle.len(),
            steps => steps,
        };
        Statistics {
            components: searched.components,
            largest_component: searched.largest,
            rounds: searched.rounds,
            nesting: searched.nesting,
            removed: searched.removed,
            copies: effort.nodes,
            unmet: unmet.collect(),
            obligations: searched.obligations,
            prefixes: None,
            found: lasso.map(|lasso| Lengths { stem: lasso.stem.len(), cycle: walked(lasso) }),
            shown: None,
        }
    }
}
