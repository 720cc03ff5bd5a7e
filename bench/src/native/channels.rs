//! Protocols that live on channels: rendezvous inside atomic sequences, polls, sorted sends, random receives and
//! messages of several fields.

use super::models::Model;

/// All of them.
pub(super) fn all() -> Vec<Model> {
    let of = |name, n, processes, text: &str| Model {
        name,
        n,
        text: text.to_owned(),
        states: None,
        always: None,
        weak: None,
        strong: None,
        processes,
        quick: false,
    };
    vec![
        of("alternating bit", 20, 4, include_str!("channels/alternating_bit.pml")),
        of("election by records", 6, 6, include_str!("channels/election.pml")),
        of("bus with an arbiter", 4, 5, include_str!("channels/bus.pml")),
        of("routers", 3, 3, include_str!("channels/router.pml")),
        of("extinction with echoes", 6, 6, include_str!("channels/extinction.pml")),
        of("bounded retransmission", 6, 5, include_str!("channels/bounded_retransmission.pml")),
    ]
}
