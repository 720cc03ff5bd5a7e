//! Laws of `|` and `&`: operands that become one, and operands that go.

use hashbrown::HashMap;

use super::{MAX_PAIRWISE, Side, Simplifier};
use crate::formula::{Formula, Formulas, Op};

impl Simplifier {
    /// `|` of the items.
    pub(super) fn join(&mut self, fs: &mut Formulas, side: Side, items: &[Formula]) -> Formula {
        let mut current = Self::raw(fs, side, Op::Or, items);
        loop {
            let Some(items) = Self::joined(fs, side, current) else { return current };
            let next = match self
                .merge(fs, side, &items)
                .or_else(|| self.unfolded(fs, side, &items))
                .or_else(|| self.pairwise(fs, side, &items))
            {
                Some(items) => Self::raw(fs, side, Op::Or, &items),
                None => return current,
            };
            if fs.size(next) > fs.size(current) || next == current {
                return current;
            }
            current = next;
        }
    }

    /// Two or more items with one operator become one item.
    fn merge(&mut self, fs: &mut Formulas, side: Side, items: &[Formula]) -> Option<Vec<Formula>> {
        let mut groups: HashMap<(Law, Formula), Vec<Formula>> = HashMap::new();
        let mut keys: Vec<(Law, Formula)> = Vec::new();
        let mut merged = Vec::new();
        for &item in items {
            let Some(key) = merge_key(fs, side, item) else {
                merged.push(item);
                continue;
            };
            let group = groups.entry(key).or_default();
            if group.is_empty() {
                keys.push(key);
            }
            group.push(item);
        }
        if keys.iter().all(|key| groups[key].len() == 1) {
            return None;
        }
        for key in keys {
            merged.push(match groups[&key][..] {
                [only] => only,
                ref members => self.merged(fs, side, key, members),
            });
        }
        Some(merged)
    }

    /// The one item that the members, which have the key in common, become.
    fn merged(
        &mut self,
        fs: &mut Formulas,
        side: Side,
        key: (Law, Formula),
        members: &[Formula],
    ) -> Formula {
        let parts = |fs: &Formulas, which: usize| -> Vec<Formula> {
            members.iter().map(|&member| fs.children(member)[which]).collect()
        };
        let any =
            |fs: &Formulas, op: Op| members.iter().any(|&member| fs.op(member) == side.op(op));
        match key.0 {
            Law::Next => {
                let inner = parts(fs, 0);
                let inner = self.join(fs, side, &inner);
                self.next(fs, inner)
            }
            Law::Finally => {
                let inner = parts(fs, 0);
                let inner = self.join(fs, side, &inner);
                self.finally(fs, side, inner)
            }
            Law::Often => {
                let mut inner = parts(fs, 0);
                for eventually in &mut inner {
                    *eventually = fs.children(*eventually)[0];
                }
                let inner = self.join(fs, side, &inner);
                let eventually = self.finally(fs, side, inner);
                self.finally(fs, side.other(), eventually)
            }
            // (a U b) | (a W c) = a W (b | c)
            Law::Left => {
                let right = parts(fs, 1);
                let right = self.join(fs, side, &right);
                if any(fs, Op::WeakUntil) {
                    self.weak(fs, side, key.1, right)
                } else {
                    self.until(fs, side, key.1, right)
                }
            }
            // (a M b) | (c R b) = (a | c) R b
            Law::Right => {
                let left = parts(fs, 0);
                let left = self.join(fs, side, &left);
                if any(fs, Op::Release) {
                    self.until(fs, side.other(), left, key.1)
                } else {
                    self.weak(fs, side.other(), left, key.1)
                }
            }
        }
    }

    /// Items that are an operator unfolded.
    fn unfolded(
        &mut self,
        fs: &mut Formulas,
        side: Side,
        items: &[Formula],
    ) -> Option<Vec<Formula>> {
        let has = |f: Formula| items.binary_search(&f).is_ok();
        for &item in items {
            let op = fs.op(item);
            let children = fs.children(item).to_vec();
            let (mut gone, new) = if op == side.op(Op::Until) {
                // (a U b) | G a = a W b
                let always = Self::raw(fs, side, Op::Globally, &[children[0]]);
                (vec![item, always], self.weak(fs, side, children[0], children[1]))
            } else if op == side.op(Op::StrongRelease) {
                // (a M b) | G b = a R b
                let always = Self::raw(fs, side, Op::Globally, &[children[1]]);
                (vec![item, always], self.until(fs, side.other(), children[0], children[1]))
            } else if op == Op::Next && fs.op(children[0]) == side.op(Op::Finally) {
                // a | X F a = F a
                let inner = fs.children(children[0])[0];
                let mut gone = Self::joined(fs, side, inner).unwrap_or_else(|| vec![inner]);
                gone.push(item);
                (gone, children[0])
            } else {
                continue;
            };
            if gone.iter().all(|&f| has(f)) {
                gone.sort_unstable();
                let mut rest: Vec<Formula> =
                    items.iter().copied().filter(|f| gone.binary_search(f).is_err()).collect();
                rest.push(new);
                return Some(rest);
            }
        }
        None
    }

    /// Compares items with each other.
    fn pairwise(
        &mut self,
        fs: &mut Formulas,
        side: Side,
        items: &[Formula],
    ) -> Option<Vec<Formula>> {
        if items.len() > MAX_PAIRWISE {
            return None;
        }
        for (i, &a) in items.iter().enumerate() {
            for (j, &b) in items.iter().enumerate() {
                if i == j {
                    continue;
                }
                // a | b = b if a entails b
                if self.below(fs, side, a, b) {
                    return Some(items.iter().copied().filter(|&item| item != a).collect());
                }
                if i < j && self.total(fs, side, a, b) {
                    return Some(vec![side.top()]);
                }
                // a | (c & b) = a | b if a | c always holds
                if let Some(parts) = Self::met(fs, side, b)
                    && parts.len() <= MAX_PAIRWISE
                {
                    let mut kept = Vec::new();
                    for &part in &parts {
                        if !self.total(fs, side, a, part) {
                            kept.push(part);
                        }
                    }
                    if kept.len() < parts.len() {
                        let shorter = self.join(fs, side.other(), &kept);
                        let mut rest: Vec<Formula> =
                            items.iter().copied().filter(|&item| item != b).collect();
                        rest.push(shorter);
                        return Some(rest);
                    }
                }
            }
        }
        None
    }
}

/// A law by which items become one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Law {
    Next,
    Finally,
    Often,
    Left,
    Right,
}

/// Items with the same key merge: which law, and the operand they must have in common.
fn merge_key(fs: &Formulas, side: Side, item: Formula) -> Option<(Law, Formula)> {
    let op = fs.op(item);
    let children = fs.children(item);
    if op == Op::Next {
        Some((Law::Next, Formula::TRUE))
    } else if op == side.op(Op::Finally) && !side.universal(fs, children[0]) {
        // F a | F b = F(a | b), but FG a | FG b stay apart: they are conditions on their own.
        Some((Law::Finally, Formula::TRUE))
    } else if op == side.op(Op::Globally) && fs.op(children[0]) == side.op(Op::Finally) {
        // GF a | GF b = GF(a | b)
        Some((Law::Often, Formula::TRUE))
    } else if op == side.op(Op::Until) || op == side.op(Op::WeakUntil) {
        Some((Law::Left, children[0]))
    } else if op == side.op(Op::Release) || op == side.op(Op::StrongRelease) {
        Some((Law::Right, children[1]))
    } else {
        None
    }
}
