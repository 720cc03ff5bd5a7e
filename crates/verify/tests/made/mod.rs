//! A certificate by hand.

use fairly_verify::{MAGIC, checksum};

pub const MODEL: &str = "model atomicity priority, exit any
event e0 idle : idle
event e1 a : visible
event e2 b : visible
variable g0 x : 0..3 = 0
template t0 P parameters 0 {
  location q0 on {
    -> q0 if g0 == 0 on e1 do { g0 := 1 } as a
    -> q0 if g0 == 1 on e2 do { g0 := 0 } as b
  }
}
slot p0 P : t0 start t0()
proposition zero : g0 == 0
";

/// `G F zero`: the negation is `true U (false R !zero)`, whose subformulas are `true`, `false`, `!zero`,
/// `false R !zero` and itself.
pub const STATEMENT: &str = "claim holds
fairness none
atom zero proposition 0
formula (G (F a0))
class - acyclic
class - postponed 4
set 4
set 3";

/// The values of the states with 0 and 1, and their nodes.
pub const STATES: [(&[u8], usize); 2] = [(&[0, 2, 0], 0), (&[2, 2, 0], 1)];
pub const LISTS: [&[(u8, u8)]; 2] = [&[(0, 1), (1, 0)], &[(0, 1)]];

fn text(out: &mut Vec<u8>, text: &str) {
    let mut length = text.len();
    while length >= 0x80 {
        out.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend(text.bytes());
}

pub fn certificate(
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
