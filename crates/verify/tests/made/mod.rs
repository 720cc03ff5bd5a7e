//! A certificate by hand.

use fairly_verify::{MAGIC, checksum};

pub(crate) const MODEL: &str = r#"(model)
(event a idle)
(event a visible)
(event b visible)
(variable x (0 3) 0)
(template P
  (location on
    (q0 e1 (if (== g0 0)) (do (set g0 1)))
    (q0 e2 (if (== g0 1)) (do (set g0 0)))
  )
)
(slot P (t0) (start t0))
"#;

/// `G F zero`: the table is of its negation, `true U (false R !zero)`.
pub(crate) const STATEMENT: &str = "(claim holds)
(fairness none)
(atom zero condition (== g0 0))
(node true)
(node false)
(node not a0)
(node R 1 2)
(node U 0 3)
(formula 4)
(class - acyclic)
(class - postponed 4)
(set 4)
(set 3)
";

/// The values of the states with 0 and 1, and their nodes.
pub(crate) const STATES: [(&[u8], usize); 2] = [(&[0, 2, 0], 0), (&[2, 2, 0], 1)];
pub(crate) const LISTS: [&[(u8, u8)]; 2] = [&[(0, 1), (1, 0)], &[(0, 1)]];

fn text(out: &mut Vec<u8>, text: &str) {
    let mut length = text.len();
    while length >= 0x80 {
        out.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend(text.bytes());
}

pub(crate) fn certificate(
    statement: &str,
    model: &str,
    lists: &[&[(u8, u8)]],
    states: &[(&[u8], usize)],
) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    text(&mut out, statement);
    text(&mut out, model);
    out.push(lists.len() as u8);
    for list in lists {
        out.push(list.len() as u8);
        list.iter().for_each(|&(set, class)| out.extend([set, class]));
    }
    out.push(states.len() as u8);
    for (state, list) in states {
        out.push(state.len() as u8);
        out.extend(*state);
        out.push(*list as u8);
    }
    out.extend(checksum(&out).to_le_bytes());
    out
}
