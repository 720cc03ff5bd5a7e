//! Fair runs in a quotient by permutations of processes.
//!
//! Where one state stands for all in which processes have changed places, a step leads to the state that
//! stands for its target, and there is an *permutation* between the two: the process in one slot is found in
//! another. Who is meant by a constraint moves with it. A component of the quotient in which every slot is
//! served again and again need not have a fair run: the slot may be a different process each time (C28 of
//! `docs/papers.md`, 004-27). So clauses of the condition are followed through the permutations.
//!
//! Emerson and Sistla (*Utilizing symmetry when model-checking under fairness assumptions*, 1997) do so in
//! the *threaded* graph, whose nodes are those of the quotient with one process each. Here is what makes it
//! cheaper. Permutations are bijections, so over a strongly connected part the threaded graph falls into
//! strongly connected parts as well, the *threads*, without steps between them. Which clauses are in one
//! thread is known from one node: take for every other node a permutation that leads there along a tree; every
//! other edge closes a cycle, and its permutation says which clauses stand for each other.
//!
//! A component of the system that lies over a component of the quotient looks the same for every process of
//! one thread, up to a permutation that maps it to itself. So
//!
//! - a clause holds of all runs that go through all of it if some edge of the thread has a mark that the
//!   clause asks for, or if it has a mark to be avoided and no edge of the thread carries it;
//! - if it does not hold for one clause of a thread, then for none, and all edges that carry what is to be
//!   avoided for one of them have to go. What is left is decomposed again (Emerson and Lei, 1987).

use std::collections::VecDeque;

use fairly_omega::emptiness::Explored;
use fairly_omega::{Clause, Hop, Lasso, Mark, MarkSetId, StateId};
use hashbrown::HashMap;

/// A quotient that has been explored to its end.
pub struct Quotient<'a> {
    /// Its nodes and steps.
    pub explored: &'a Explored,
    /// The condition, all of it; a clause has one mark to be avoided at the most.
    pub clauses: &'a [Clause],
    /// By position of the step: its permutation.
    pub permutations: &'a [u32],
    /// By permutation: which clause of the target each clause of the source is.
    pub clauses_after: &'a [Vec<u32>],
}

/// Whether the search can follow these clauses.
pub fn follows(clauses: &[Clause]) -> bool {
    clauses.iter().all(|clause| clause.fin.len() <= 1)
}

/// A strongly connected part, seen from one of its nodes.
struct Part {
    members: Vec<u32>,
    /// By class of clauses at the first member: whether it has to be served again and again.
    demands: Vec<bool>,
}

const NONE: u32 = u32::MAX;

/// The search for a fair component.
struct Search<'a, 'q> {
    quotient: &'a Quotient<'q>,
    /// By set of marks: the clauses in which one of them is to be avoided, and is asked for.
    avoided: HashMap<MarkSetId, Vec<u32>>,
    sought: HashMap<MarkSetId, Vec<u32>>,
    /// By node: the part it is in.
    part_of: Vec<u32>,
    parts: u32,
    /// By position of the step: whether it was taken out.
    removed: Vec<bool>,
}

impl Quotient<'_> {
    /// A path such that what follows it in the system, from a state that its first node stands for, meets
    /// all clauses. The cycle is one of the quotient: in the system the processes may be elsewhere after it,
    /// and come back when it is repeated. It has everything that is asked for whichever process is meant.
    pub fn find(&self) -> Option<Lasso> {
        let mut search = Search::new(self);
        let part = search.fair_part()?;
        let first = StateId(part.members[0]);
        Some(Lasso { stem: self.explored.path_to(first), cycle: search.cycle(&part) })
    }
}

impl<'a, 'q> Search<'a, 'q> {
    fn new(quotient: &'a Quotient<'q>) -> Self {
        debug_assert!(follows(quotient.clauses), "one mark to be avoided");
        let mut owners: HashMap<Mark, (Vec<u32>, Vec<u32>)> = HashMap::new();
        for (at, clause) in (0u32..).zip(quotient.clauses) {
            clause.fin.iter().for_each(|mark| owners.entry(mark).or_default().0.push(at));
            clause.inf.iter().for_each(|mark| owners.entry(mark).or_default().1.push(at));
        }
        let (mut avoided, mut sought) = (HashMap::new(), HashMap::new());
        let explored = quotient.explored;
        for step in explored.nodes().flat_map(|node| explored.steps_of(node)) {
            if sought.contains_key(&step.marks) {
                continue;
            }
            let [mut fin, mut inf] = [Vec::new(), Vec::new()];
            for mark in explored.mark_set(step.marks).iter() {
                if let Some((avoiding, seeking)) = owners.get(&mark) {
                    fin.extend(avoiding);
                    inf.extend(seeking);
                }
            }
            avoided.insert(step.marks, fin);
            sought.insert(step.marks, inf);
        }
        Search {
            quotient,
            avoided,
            sought,
            part_of: vec![NONE; explored.node_count()],
            parts: 0,
            removed: vec![false; explored.edge_count()],
        }
    }

    /// The steps of a node that stay in its part: position, place among the steps, target, marks.
    fn inner(&self, node: u32) -> impl Iterator<Item = (usize, u32, u32, MarkSetId)> + '_ {
        let explored = self.quotient.explored;
        let positions = explored.positions(StateId(node));
        let steps = positions.zip(0u32..).zip(explored.steps_of(StateId(node)));
        steps.map(|((position, nth), step)| (position, nth, step.target.0, step.marks)).filter(
            move |&(position, _, target, _)| {
                !self.removed[position]
                    && self.part_of[target as usize] == self.part_of[node as usize]
            },
        )
    }

    fn separate(&mut self, members: &[u32]) {
        for &member in members {
            self.part_of[member as usize] = self.parts;
        }
        self.parts += 1;
    }

    fn fair_part(&mut self) -> Option<Part> {
        let all: Vec<u32> = self.quotient.explored.nodes().map(|node| node.0).collect();
        let mut open = vec![all];
        while let Some(members) = open.pop() {
            self.separate(&members);
            let components = self.components(&members);
            // Parts are told apart before the first is looked at, so that steps between them are gone.
            components.iter().for_each(|component| self.separate(component));
            for mut component in components {
                component.sort_unstable();
                if component.iter().all(|&node| self.inner(node).next().is_none()) {
                    continue;
                }
                match self.judge(component) {
                    Judged::Fair(part) => return Some(part),
                    Judged::Smaller(rest) => open.push(rest),
                    Judged::Unfair => {}
                }
            }
        }
        None
    }

    /// The strongly connected components of a part (Tarjan), without recursion.
    fn components(&self, members: &[u32]) -> Vec<Vec<u32>> {
        let mut numbers: HashMap<u32, (u32, u32)> = HashMap::with_capacity(members.len());
        let mut on_stack: HashMap<u32, bool> = HashMap::with_capacity(members.len());
        let (mut stack, mut found) = (Vec::new(), Vec::new());
        for &start in members {
            if numbers.contains_key(&start) {
                continue;
            }
            let mut path: Vec<(u32, Vec<u32>)> = Vec::new();
            let mut enter = Some(start);
            loop {
                if let Some(node) = enter.take() {
                    let number = u32::try_from(numbers.len()).expect("nodes have 32 bits");
                    numbers.insert(node, (number, number));
                    on_stack.insert(node, true);
                    stack.push(node);
                    path.push((node, self.inner(node).map(|step| step.2).collect()));
                }
                let Some((node, targets)) = path.last_mut() else { break };
                let node = *node;
                if let Some(target) = targets.pop() {
                    match numbers.get(&target) {
                        None => enter = Some(target),
                        Some(&(number, _)) if on_stack[&target] => {
                            let low = &mut numbers.get_mut(&node).expect("it was entered").1;
                            *low = (*low).min(number);
                        }
                        Some(_) => {}
                    }
                    continue;
                }
                path.pop();
                let (number, low) = numbers[&node];
                if let Some((parent, _)) = path.last() {
                    let above = &mut numbers.get_mut(parent).expect("it was entered").1;
                    *above = (*above).min(low);
                }
                if number == low {
                    let first = stack.iter().rposition(|&other| other == node);
                    let component = stack.split_off(first.expect("it is on the stack"));
                    component.iter().for_each(|&member| {
                        on_stack.insert(member, false);
                    });
                    found.push(component);
                }
            }
        }
        found
    }

    /// For each node of a part which clause of the first member each of its clauses is, along a tree.
    fn seen_from_first(&self, members: &[u32]) -> HashMap<u32, Vec<u32>> {
        let count = u32::try_from(self.quotient.clauses.len()).expect("few clauses");
        let mut seen: HashMap<u32, Vec<u32>> = HashMap::with_capacity(members.len());
        seen.insert(members[0], (0..count).collect());
        let mut queue = VecDeque::from([members[0]]);
        while let Some(node) = queue.pop_front() {
            for (position, _, target, _) in self.inner(node) {
                if seen.contains_key(&target) {
                    continue;
                }
                let after = self.after(position);
                let mut there = vec![0; after.len()];
                for (here, &then) in after.iter().enumerate() {
                    there[then as usize] = seen[&node][here];
                }
                seen.insert(target, there);
                queue.push_back(target);
            }
        }
        seen
    }

    fn after(&self, position: usize) -> &[u32] {
        &self.quotient.clauses_after[self.quotient.permutations[position] as usize]
    }

    /// Whether a strongly connected part is fair, or what is left of it.
    fn judge(&mut self, members: Vec<u32>) -> Judged {
        let clauses = self.quotient.clauses;
        let seen = self.seen_from_first(&members);
        let mut threads = Threads::new(clauses.len());
        for &node in &members {
            for (position, _, target, _) in self.inner(node) {
                let (here, there) = (&seen[&node], &seen[&target]);
                for (clause, &then) in self.after(position).iter().enumerate() {
                    threads.join(here[clause], there[then as usize]);
                }
            }
        }
        let mut met = vec![(false, false); clauses.len()];
        for &node in &members {
            for (_, _, _, marks) in self.inner(node) {
                for &clause in &self.avoided[&marks] {
                    met[threads.of(seen[&node][clause as usize])].0 = true;
                }
                for &clause in &self.sought[&marks] {
                    met[threads.of(seen[&node][clause as usize])].1 = true;
                }
            }
        }
        let mut demands = vec![false; clauses.len()];
        let mut unmet = vec![false; clauses.len()];
        for (at, clause) in clauses.iter().enumerate() {
            let thread = threads.of(u32::try_from(at).expect("few clauses"));
            let (avoided, sought) = met[thread];
            demands[at] = clause.fin.is_empty() || avoided;
            unmet[at] = demands[at] && !sought;
            if unmet[at] && clause.fin.is_empty() {
                return Judged::Unfair;
            }
        }
        if !unmet.contains(&true) {
            return Judged::Fair(Part { members, demands });
        }
        let mut gone = Vec::new();
        for &node in &members {
            for (position, _, _, marks) in self.inner(node) {
                let clauses = self.avoided[&marks].iter();
                let mut first = clauses.map(|&clause| seen[&node][clause as usize]);
                if first.any(|clause| unmet[clause as usize]) {
                    gone.push(position);
                }
            }
        }
        gone.into_iter().for_each(|position| self.removed[position] = true);
        Judged::Smaller(members)
    }

    /// A cycle of the quotient through the first member of a fair part, on which every clause that has to
    /// be served is, whichever process it is about at the start.
    fn cycle(&self, part: &Part) -> Vec<Hop> {
        let first = part.members[0];
        let mut at = first;
        let mut hops = Vec::new();
        // By clause at the first member: where it is now, and whether it is to be served yet.
        let mut now: Vec<u32> = (0..).take(self.quotient.clauses.len()).collect();
        let mut due = part.demands.clone();
        let mut walk = |path: Vec<Hop>, at: &mut u32, now: &mut Vec<u32>, due: &mut Vec<bool>| {
            for hop in path {
                let position = self.quotient.explored.positions(hop.from).start + hop.nth as usize;
                let steps = &mut self.quotient.explored.steps_of(hop.from);
                let marks = steps.nth(hop.nth as usize).expect("it has the step").marks;
                for (clause, now) in now.iter_mut().enumerate() {
                    due[clause] &= !self.sought[&marks].contains(now);
                    *now = self.after(position)[*now as usize];
                }
                *at = hop.to.0;
                hops.push(hop);
            }
        };
        while let Some(clause) = due.iter().position(|&due| due) {
            let path = self
                .way((at, now[clause]), |_, clause, marks| self.sought[&marks].contains(&clause));
            walk(path, &mut at, &mut now, &mut due);
        }
        if at != first || !part.demands.contains(&true) {
            walk(self.way((at, NONE), |target, _, _| target == first), &mut at, &mut now, &mut due);
        }
        hops
    }

    /// A shortest way inside a part, from a node and one of its clauses or [`NONE`], to and with the first
    /// step that will do: asked are its target, the clause where it starts, and its marks.
    fn way(&self, start: (u32, u32), will_do: impl Fn(u32, u32, MarkSetId) -> bool) -> Vec<Hop> {
        let mut from: HashMap<(u32, u32), ((u32, u32), u32)> = HashMap::new();
        let mut queue = VecDeque::from([start]);
        let hop = |(from, _): (u32, u32), nth: u32, to: u32| Hop {
            from: StateId(from),
            nth,
            to: StateId(to),
        };
        while let Some(here) = queue.pop_front() {
            for (position, nth, target, marks) in self.inner(here.0) {
                let then = self.after(position).get(here.1 as usize);
                let next = (target, then.copied().unwrap_or(NONE));
                if will_do(target, here.1, marks) {
                    let mut path = vec![hop(here, nth, target)];
                    let mut at = here;
                    while at != start {
                        let (before, nth) = from[&at];
                        path.push(hop(before, nth, at.0));
                        at = before;
                    }
                    path.reverse();
                    return path;
                }
                if next != start && !from.contains_key(&next) {
                    from.insert(next, (here, nth));
                    queue.push_back(next);
                }
            }
        }
        unreachable!("a thread is strongly connected, and has what was seen in it")
    }
}

/// Result of looking at a part.
enum Judged {
    Fair(Part),
    /// Some of its steps were taken out.
    Smaller(Vec<u32>),
    Unfair,
}

/// Which clauses stand for each other.
struct Threads {
    parents: Vec<u32>,
}

impl Threads {
    fn new(clauses: usize) -> Threads {
        Threads { parents: (0..).take(clauses).collect() }
    }

    fn of(&mut self, clause: u32) -> usize {
        let mut at = clause as usize;
        while self.parents[at] as usize != at {
            self.parents[at] = self.parents[self.parents[at] as usize];
            at = self.parents[at] as usize;
        }
        at
    }

    fn join(&mut self, one: u32, other: u32) {
        if one != other {
            let (one, other) = (self.of(one), self.of(other));
            self.parents[one] = u32::try_from(other).expect("a clause");
        }
    }
}
