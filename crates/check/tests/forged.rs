//! Certificates are forged, and none is accepted: of random systems, what does not hold is claimed to hold, and what holds
//! is claimed to be violated, with certificates of wrong reasons and of other questions, changed in many ways.
//!
//! `FAIRLY_RANDOM_CASES` says how many random systems, `FAIRLY_SEED` the seed of the first, and
//! `FAIRLY_FORGED_CASES` how often each certificate is changed.

use std::collections::BTreeMap;

use fairly_check::proof::{
    ProofError, forge, forge_refinement, prove_network, prove_network_doomed,
    prove_network_violation,
};
use fairly_check::{Assumption, Options, Outcome, Property, check};
use fairly_explore::Explored;
use fairly_front::loaded::Refinement;
use fairly_search::Bounds;
use fairly_search::refinement::{Answer, Model, refines};
use fairly_system::{EventPosition, Network};
use fairly_testkit::Rng;
use fairly_testkit::ltl::{LtlShape, random_formula};
use fairly_testkit::network::{NetworkShape, TinyNetwork, random_network, random_propositions};

use crate::common::{network_of, property, written};
use crate::{NOTIONS, timed_seeds};

/// A certificate, taken apart.
#[derive(Clone, PartialEq)]
struct Parts {
    /// Its forms, without the brackets around each.
    statement: Vec<String>,
    model: String,
    lists: Vec<Vec<(u64, u64)>>,
    states: Vec<(Vec<u8>, u64)>,
}

fn number(bytes: &mut &[u8]) -> Option<u64> {
    let (mut value, mut shift) = (0u64, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f).checked_shl(shift)?;
        shift += 7;
        if byte < 0x80 {
            return Some(value);
        }
    }
}

fn taken<'b>(bytes: &mut &'b [u8], count: u64) -> Option<&'b [u8]> {
    let (taken, rest) = bytes.split_at_checked(usize::try_from(count).ok()?)?;
    *bytes = rest;
    Some(taken)
}

fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

impl Parts {
    fn read(bytes: &mut &[u8]) -> Option<Parts> {
        *bytes = bytes.strip_prefix(fairly_verify::MAGIC)?;
        let mut text = || {
            let length = number(bytes)?;
            String::from_utf8(taken(bytes, length)?.to_vec()).ok()
        };
        let (statement, model) = (text()?, text()?);
        let mut lists = Vec::new();
        for _ in 0..number(bytes)? {
            let mut list = Vec::new();
            for _ in 0..number(bytes)? {
                list.push((number(bytes)?, number(bytes)?));
            }
            lists.push(list);
        }
        let (mut states, mut state) = (Vec::new(), Vec::new());
        for _ in 0..number(bytes)? {
            let lengths = taken(bytes, 1)?[0];
            let mut half = |half: u8| if half == 15 { number(bytes) } else { Some(half.into()) };
            let (shared, others) = (half(lengths >> 4)?, half(lengths & 15)?);
            state.truncate(usize::try_from(shared).ok()?);
            state.extend_from_slice(taken(bytes, others)?);
            states.push((state.clone(), number(bytes)?));
        }
        taken(bytes, 8)?;
        Some(Parts {
            statement: statement
                .lines()
                .map(|line| line.strip_prefix('(')?.strip_suffix(')').map(str::to_owned))
                .collect::<Option<_>>()?,
            model,
            lists,
            states,
        })
    }

    fn all(mut bytes: &[u8]) -> Option<Vec<Parts>> {
        let mut all = Vec::new();
        while !bytes.is_empty() {
            all.push(Parts::read(&mut bytes)?);
        }
        Some(all)
    }

    /// The bytes of the certificate, without its checksum.
    fn body(&self) -> Vec<u8> {
        let mut bytes = fairly_verify::MAGIC.to_vec();
        let out = &mut bytes;
        let statement: String = self.statement.iter().map(|it| format!("({it})\n")).collect();
        for text in [&statement, &self.model] {
            put(out, text.len() as u64);
            out.extend_from_slice(text.as_bytes());
        }
        put(out, self.lists.len() as u64);
        for list in &self.lists {
            put(out, list.len() as u64);
            list.iter().for_each(|&(one, other)| {
                put(out, one);
                put(out, other);
            });
        }
        put(out, self.states.len() as u64);
        for (state, list) in &self.states {
            out.push(state.len().min(15) as u8);
            if state.len() >= 15 {
                put(out, state.len() as u64);
            }
            out.extend_from_slice(state);
            put(out, *list);
        }
        bytes
    }

    /// The lines that say what is claimed.
    fn claimed(&self) -> Vec<&String> {
        let words = ["claim", "reading", "fairness", "atom", "node", "formula", "assume"];
        let is = |line: &&String| words.contains(&line.split(' ').next().unwrap_or_default());
        self.statement.iter().filter(is).collect()
    }

    /// The others: those that are to show it.
    fn shown(&self) -> Vec<String> {
        let claimed = self.claimed();
        let rest = self.statement.iter().filter(|line| !claimed.contains(line));
        rest.filter(|line| !line.starts_with("title")).cloned().collect()
    }

    /// What is shown here, for the claim and about the model of another.
    fn claiming(&self, other: &Parts) -> Parts {
        let mut statement: Vec<String> = other.claimed().into_iter().cloned().collect();
        statement.extend(self.shown());
        Parts { statement, model: other.model.clone(), ..self.clone() }
    }
}

fn bytes_of(all: &[Parts]) -> Vec<u8> {
    let mut bytes = Vec::new();
    all.iter().for_each(|parts| bytes.extend(summed(parts.body())));
    bytes
}

/// The bytes of a certificate with their checksum, which whoever forges one computes, too.
fn summed(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = fairly_verify::checksum(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// Whether two files claim the same of the same models.
fn says_the_same(one: &[Parts], other: &[Parts]) -> bool {
    let same = |(one, other): (&Parts, &Parts)| {
        one.model == other.model && one.claimed() == other.claimed()
    };
    one.len() == other.len() && one.iter().zip(other).all(same)
}

/// A number near another one, or any.
fn near(rng: &mut Rng, number: u64) -> u64 {
    match rng.below(6) {
        0 => number.wrapping_add(1),
        1 => number.saturating_sub(1),
        2 => 0,
        3 => 1 << rng.below(40),
        _ => rng.below(8) as u64,
    }
}

/// Replaces a number of a line.
fn renumber(rng: &mut Rng, line: &mut String) {
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let numbers = (1..words.len()).filter(|&at| words[at].parse::<u64>().is_ok());
    let numbers: Vec<usize> = numbers.collect();
    match (numbers.is_empty(), rng.below(4)) {
        (false, 0) => _ = words.remove(*rng.pick(&numbers)),
        (false, 1) => words.insert(*rng.pick(&numbers), rng.below(6).to_string()),
        (false, _) => {
            let at = *rng.pick(&numbers);
            words[at] = near(rng, words[at].parse().unwrap_or(0)).to_string();
        }
        (true, _) => words.push(rng.below(6).to_string()),
    }
    *line = words.join(" ");
}

/// Ways to change a certificate.
const WAYS: [&str; 12] = [
    "bits flipped",
    "cut off",
    "nodes dropped",
    "states dropped",
    "ranks changed",
    "classes in another order",
    "reasons exchanged",
    "indices out of range",
    "lines dropped",
    "lines changed",
    "nodes added",
    "lists exchanged",
];

/// Changes a file; gives its bytes, or none if there is nothing to change so.
fn change(rng: &mut Rng, way: usize, all: &[Parts]) -> Option<Vec<u8>> {
    let mut all = all.to_vec();
    let at = rng.below(all.len());
    let parts = &mut all[at];
    let lines = |parts: &Parts, words: &[&str]| -> Vec<usize> {
        let is = |line: &String| words.contains(&line.split(' ').next().unwrap_or_default());
        (0..parts.statement.len()).filter(|&at| is(&parts.statement[at])).collect()
    };
    let shows = ["constraint", "class", "set", "distances", "family", "start", "step", "loop"];
    match WAYS[way] {
        "bits flipped" => {
            let mut bytes = parts.body();
            for _ in 0..=rng.below(3) {
                let at = rng.below(bytes.len());
                bytes[at] ^= 1 << rng.below(8);
            }
            return Some([bytes_of(&all[..at]), summed(bytes), bytes_of(&all[at + 1..])].concat());
        }
        "cut off" => {
            let mut bytes = bytes_of(&all);
            bytes.truncate(rng.below(bytes.len()));
            return Some(bytes);
        }
        "nodes dropped" | "ranks changed" | "indices out of range" | "nodes added" => {
            let lists: Vec<usize> =
                (0..parts.lists.len()).filter(|&at| !parts.lists[at].is_empty()).collect();
            if lists.is_empty() {
                return None;
            }
            for _ in 0..=rng.below(2) {
                let list = &mut parts.lists[*rng.pick(&lists)];
                let at = rng.below(list.len().max(1));
                match (WAYS[way], list.get_mut(at)) {
                    ("nodes dropped", Some(_)) => _ = list.remove(at),
                    ("ranks changed", Some(node)) => node.1 = near(rng, node.1),
                    ("indices out of range", Some(node)) => match rng.chance(1, 2) {
                        true => node.0 = 1 << rng.below(40),
                        false => node.1 = 1 << rng.below(40),
                    },
                    _ => {
                        list.push((rng.below(8) as u64, rng.below(4) as u64));
                        list.sort_unstable();
                        list.dedup_by_key(|node| node.0);
                    }
                }
            }
        }
        "states dropped" => {
            let at = rng.below(parts.states.len().max(1));
            if parts.states.is_empty() {
                return None;
            }
            parts.states.remove(at);
        }
        "lists exchanged" => {
            if parts.states.is_empty() {
                return None;
            }
            let (one, other) = (rng.below(parts.states.len()), rng.below(parts.states.len()));
            parts.states[one].1 = parts.states[other].1;
        }
        "classes in another order" | "reasons exchanged" => {
            let classes = lines(parts, &["class"]);
            if classes.is_empty() {
                return None;
            }
            let (one, other) = (*rng.pick(&classes), *rng.pick(&classes));
            if way == 5 {
                parts.statement.swap(one, other);
            } else {
                let reason = |line: &str| line.splitn(3, ' ').nth(2).unwrap_or_default().to_owned();
                let few = rng.below(6);
                let reason = match rng.below(6) {
                    0 => "acyclic".to_owned(),
                    1 => "global".to_owned(),
                    2 => format!("postponed {few}"),
                    3 => format!("unmet {few}"),
                    4 => format!("strong {few} {}", few + 1),
                    _ => reason(&parts.statement[other]),
                };
                let line = &mut parts.statement[one];
                let start: Vec<&str> = line.split(' ').take(2).collect();
                *line = format!("{} {reason}", start.join(" "));
            }
        }
        "lines dropped" => {
            let lines = lines(parts, &shows);
            if lines.is_empty() {
                return None;
            }
            parts.statement.remove(*rng.pick(&lines));
        }
        _ => {
            let lines = lines(parts, &shows);
            if lines.is_empty() {
                return None;
            }
            let (one, other) = (*rng.pick(&lines), *rng.pick(&lines));
            match rng.below(4) {
                0 => parts.statement.swap(one, other),
                1 => {
                    let line = parts.statement[one].clone();
                    parts.statement.insert(other, line);
                }
                _ => renumber(rng, &mut parts.statement[one]),
            }
        }
    }
    Some(bytes_of(&all))
}

/// Single bytes are changed, and the checksum is not: whatever the file claims then, it is not accepted.
pub(crate) fn check_damage(rng: &mut Rng, bytes: &[u8], times: usize, told: &str) {
    let mut damaged = bytes.to_vec();
    for _ in 0..times {
        let at = rng.below(bytes.len());
        damaged[at] ^= 1 + rng.below(255) as u8;
        let answer = fairly_verify::verify(&damaged);
        assert!(answer.is_err(), "{told}: accepted with {:#x} at byte {at}", damaged[at]);
        damaged[at] = bytes[at];
    }
}

/// How many were tried, by the way in which they were changed.
type Tried = BTreeMap<&'static str, u64>;

/// Tries to have a claim accepted that is not so, with what others show for theirs.
fn attack(
    rng: &mut Rng,
    tried: &mut Tried,
    (claim, shown, times): (&[Parts], &[Vec<Parts>], usize),
    told: &str,
) {
    let mut attempt = |bytes: &[u8], way: &'static str| {
        *tried.entry(way).or_default() += 1;
        if fairly_verify::verify(bytes).is_ok() {
            if let Ok(file) = std::env::var("FAIRLY_KEEP") {
                std::fs::write(file, bytes).expect("a file");
            }
            panic!("{told}: accepted, {way}\n{}", String::from_utf8_lossy(bytes));
        }
    };
    for other in shown {
        let base: Vec<Parts> =
            claim.iter().zip(other).map(|(claim, other)| other.claiming(claim)).collect();
        if base.len() != claim.len() {
            continue;
        }
        attempt(&bytes_of(&base), "what another shows");
        for _ in 0..times {
            let way = rng.below(WAYS.len());
            let Some(bytes) = change(rng, way, &base) else { continue };
            // What claims something else may be right.
            let same = match WAYS[way] {
                "cut off" => bytes.len() < bytes_of(&base).len() && Parts::all(&bytes).is_none(),
                _ => Parts::all(&bytes).is_none_or(|all| says_the_same(&all, &base)),
            };
            let reads = Parts::all(&bytes).is_some();
            if same && (reads || WAYS[way] != "bits flipped" || keeps(&bytes, &base)) {
                attempt(&bytes, WAYS[way]);
            }
        }
    }
}

/// Whether bytes that cannot be taken apart begin as they did: with the same statement and model.
fn keeps(bytes: &[u8], base: &[Parts]) -> bool {
    let start = base[0].body();
    let length = start.windows(6).position(|it| it == b"(model").unwrap_or(0);
    bytes.len() > length && bytes[..length] == start[..length]
}

fn parts(proof: Result<fairly_check::proof::Proof, ProofError>) -> Option<Vec<Parts>> {
    Parts::all(&proof.ok()?.bytes)
}

/// A question about a network, and its answer.
struct Asked {
    property: Property,
    assumption: Assumption,
    /// The certificate of the answer, if there is one.
    certified: Option<Vec<Parts>>,
    holds: bool,
    text: String,
}

fn asked(rng: &mut Rng, tiny: &TinyNetwork, network: &mut Explored<Network>, told: &str) -> Asked {
    let formula = random_formula(rng, &LtlShape { size: 6, ..LtlShape::default() });
    let propositions = random_propositions(rng, tiny, 3);
    let entering = rng.chance(1, 3);
    let reading = if entering { EventPosition::Entering } else { EventPosition::Leaving };
    let text = written(&formula, &propositions, network);
    let mut property = property(network, &text, reading);
    let assumption = Assumption::of(*rng.pick(&NOTIONS));
    let told = format!("{told}: {text} under {assumption}");
    let answer = check(network, &mut property, &assumption, &Options::default());
    let (holds, proof) = match answer.unwrap_or_else(|why| panic!("{told}: {why}")).outcome {
        Outcome::Holds(_) => {
            (true, prove_network(network, &property, &assumption, Bounds::default()))
        }
        Outcome::Violated(found) => {
            let proof = prove_network(network, &property, &assumption, Bounds::default());
            assert!(
                matches!(proof, Err(ProofError::Contradicted | ProofError::NotCovered(_))),
                "{told}: both"
            );
            (false, prove_network_violation(network, &property, &assumption, &found.run))
        }
        Outcome::Doomed(found) => {
            (false, prove_network_doomed(network, &property, &assumption, &found.prefix))
        }
        Outcome::Unknown(why) => panic!("{told}: {why}"),
    };
    let certified = match proof {
        Ok(proof) => {
            if let Err(rejected) = fairly_verify::verify(&proof.bytes) {
                panic!("{told}: {rejected}\n{}", String::from_utf8_lossy(&proof.bytes));
            }
            check_damage(rng, &proof.bytes, 4, &told);
            Parts::all(&proof.bytes)
        }
        Err(ProofError::NotCovered(_)) => None,
        Err(why) => panic!("{told}: {why}"),
    };
    Asked { property, assumption, certified, holds, text }
}

/// How many wrong reasons are tried for a violated formula.
const REASONS: usize = 6;

fn times() -> usize {
    std::env::var("FAIRLY_FORGED_CASES").map_or(3, |text| text.parse().expect("a number"))
}

#[test]
fn answers_about_random_networks_are_certified_and_nothing_forged_is() {
    let (mut held, mut violated, mut without, mut tried) = (0u64, 0u64, 0u64, Tried::new());
    // What another network's certificate shows.
    let mut elsewhere: Vec<Vec<Parts>> = Vec::new();
    let mut systems = 0;
    for seed in timed_seeds(120) {
        systems += 1;
        let mut rng = Rng::new(seed);
        let tiny = random_network(&mut rng, &NetworkShape::default());
        let mut network = network_of(&tiny);
        let told = format!("seed {seed}");
        let all: Vec<Asked> = (0..3).map(|_| asked(&mut rng, &tiny, &mut network, &told)).collect();
        for one in &all {
            let Some(certified) = &one.certified else {
                without += 1;
                continue;
            };
            *(if one.holds { &mut held } else { &mut violated }) += 1;
            let mut claim = certified.clone();
            for line in &mut claim[0].statement {
                // The opposite of the answer.
                match (line.as_str(), one.holds) {
                    ("claim holds", true) => "claim violated".clone_into(line),
                    ("claim violated", false) => "claim holds".clone_into(line),
                    _ => {}
                }
            }
            let mut shown: Vec<Vec<Parts>> = all
                .iter()
                .filter(|other| other.holds != one.holds)
                .filter_map(|other| other.certified.clone())
                .collect();
            shown.extend(elsewhere.iter().cloned());
            if !one.holds {
                for _ in 0..REASONS {
                    let how = rng.below(64) as u32;
                    shown.extend(parts(forge(&mut network, &one.property, &one.assumption, how)));
                }
            }
            let told = format!("{told}: {} under {}", one.text, one.assumption);
            attack(&mut rng, &mut tried, (&claim, &shown, times()), &told);
        }
        elsewhere = all.into_iter().filter_map(|one| one.certified).take(1).collect();
    }
    let forged: u64 = tried.values().sum();
    eprintln!(
        "networks: {systems} systems, {held} answers hold and {violated} are violated, all certified and accepted; \
         {without} not covered; {forged} forged and rejected: {tried:?}"
    );
    assert!(held > 20 && violated > 20 && forged > 1000, "{held} {violated} {forged}");
    assert_eq!(tried.len(), WAYS.len() + 1, "{tried:?}");
}

#[test]
fn refinements_of_random_networks_are_certified_and_nothing_forged_is() {
    const MODELS: [(Model, Refinement); 3] = [
        (Model::Traces, Refinement::Traces),
        (Model::Failures, Refinement::Failures),
        (Model::FailuresDivergences, Refinement::FailuresDivergences),
    ];
    let (mut held, mut violated, mut tried) = (0u64, 0u64, Tried::new());
    for seed in timed_seeds(150) {
        let mut rng = Rng::new(seed);
        let tiny = random_network(&mut rng, &NetworkShape::default());
        // The system itself, one that has lost a step, or any other one.
        let mut other = tiny.clone();
        match rng.below(4) {
            0 => other = random_network(&mut rng, &NetworkShape::default()),
            1 => {}
            _ => {
                let at = rng.below(other.components.len());
                let steps = &mut other.components[at].transitions;
                if !steps.is_empty() {
                    steps.remove(rng.below(steps.len()));
                }
            }
        }
        let (mut network, mut specification) = match rng.chance(1, 2) {
            true => (network_of(&tiny), network_of(&other)),
            false => (network_of(&other), network_of(&tiny)),
        };
        let single = |network: &Explored<Network>| {
            network.space().components().iter().all(|it| it.initial().len() == 1)
        };
        if !single(&network) || !single(&specification) {
            continue;
        }
        for (model, refinement) in MODELS {
            let told = format!("seed {seed}, {model:?}");
            let answer = refines(&mut network, &mut specification, model, Bounds::default());
            let holds = matches!(answer, Ok(Answer::Refines));
            let proof = forge_refinement(&mut network, &mut specification, refinement, !holds);
            let proof = proof.unwrap_or_else(|why| panic!("{told}: {why}"));
            let all = Parts::all(&proof.bytes).expect("a certificate");
            if holds {
                held += 1;
                if let Err(rejected) = fairly_verify::verify(&proof.bytes) {
                    panic!("{told}: {rejected}\n{}", String::from_utf8_lossy(&proof.bytes));
                }
            } else {
                violated += 1;
                let shown = std::slice::from_ref(&all);
                attack(&mut rng, &mut tried, (&all, shown, 8 * times()), &told);
            }
        }
    }
    let forged: u64 = tried.values().sum();
    eprintln!(
        "refinements: {held} hold, all certified and accepted, {violated} do not; {forged} forged and rejected: {tried:?}"
    );
    assert!(held > 20 && violated > 20 && forged > 500, "{held} {violated} {forged}");
}
