//! The least of some assumptions that a promise rests on.

use crate::check::Check;
use crate::fairness::Fairness;
use crate::model::Model;
use crate::verdict::{Mistake, Outcome};

/// Every set of assumptions may have to be tried.
const MOST: usize = 10;

impl<M: Model> Check<M> {
    /// The least sets of these assumptions under which all promises hold: under no part of one of them does each
    /// promise hold. There is none if a promise is violated under all of them together, and the empty set is the only
    /// one if nothing has to be assumed. What the check [assumes](Check::assume) besides is always assumed.
    ///
    /// Each set that is tried is a check of its own, with the limits of this one.
    ///
    /// # Errors
    /// As [`try_run`](Check::try_run); and if a limit leaves a set unknown, or there are more than ten assumptions.
    ///
    /// ```
    /// use fairly::{Model, check, strong, weak};
    ///
    /// /// A coin that may be tossed, and a lamp that may be switched.
    /// #[derive(Clone)]
    /// struct Table;
    ///
    /// impl Model for Table {
    ///     type State = (bool, bool);
    ///     type Action = &'static str;
    ///
    ///     fn init(&self) -> Vec<(bool, bool)> {
    ///         vec![(false, false)]
    ///     }
    ///
    ///     fn actions(&self, &(_, is_lit): &(bool, bool), actions: &mut Vec<&'static str>) {
    ///         actions.extend(["tails", "switch"]);
    ///         // In the dark nobody sees heads.
    ///         actions.extend(is_lit.then_some("heads"));
    ///     }
    ///
    ///     fn next(&self, &(_, is_lit): &(bool, bool), action: &'static str) -> Option<(bool, bool)> {
    ///         Some((action == "heads", is_lit != (action == "switch")))
    ///     }
    /// }
    ///
    /// let heads = check(&Table).eventually("heads", |&(heads, _)| heads);
    /// let least = heads.least_of([
    ///     ("a fair coin", strong().event("heads")),
    ///     ("a patient coin", weak().event("heads")),
    ///     ("somebody at the switch", weak().event("switch")),
    /// ])?;
    /// assert_eq!(least, [["a fair coin", "somebody at the switch"]]);
    /// # Ok::<(), fairly::Mistake>(())
    /// ```
    pub fn least_of<N: Into<String>>(
        self,
        assumptions: impl IntoIterator<Item = (N, Fairness)>,
    ) -> Result<Vec<Vec<String>>, Mistake> {
        let assumptions: Vec<(String, Fairness)> =
            assumptions.into_iter().map(|(name, fairness)| (name.into(), fairness)).collect();
        if assumptions.len() > MOST {
            let said =
                format!("{} assumptions are weighed, and {MOST} is the most", assumptions.len());
            return Err(Mistake::new(said));
        }
        if self.properties.is_empty() {
            return Err(Mistake::new("nothing was promised of the model: add a property"));
        }
        let all = (1_u32 << assumptions.len()) - 1;
        let holds = |set: u32| {
            let chosen = (0..assumptions.len()).filter(|at| set >> at & 1 == 1);
            let chosen = chosen.map(|at| assumptions[at].1.clone());
            let mut check = self.again();
            check.assumed.extend(chosen);
            let verdicts = check.try_run()?;
            match verdicts.iter().find(|it| !it.holds()) {
                None => Ok(true),
                Some(verdict) if verdict.outcome() == Outcome::Violated => Ok(false),
                Some(verdict) => {
                    let why = verdict.why_unknown().unwrap_or("no reason is known");
                    Err(Mistake::new(format!("`{}` is unknown: {why}", verdict.property())))
                }
            }
        };
        // More assumptions leave fewer runs, so a promise that is violated under all of them is under each set.
        if !holds(all)? {
            return Ok(Vec::new());
        }
        let mut sets: Vec<u32> = (0..all).collect();
        sets.sort_by_key(|set| set.count_ones());
        let mut found: Vec<u32> = Vec::new();
        for set in sets {
            let is_more = found.iter().any(|less| set & less == *less);
            if !is_more && holds(set)? {
                found.push(set);
            }
        }
        if found.is_empty() {
            found.push(all);
        }
        let named = |set: u32| {
            let chosen = assumptions.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
            chosen.map(|(_, (name, _))| name.clone()).collect()
        };
        Ok(found.into_iter().map(named).collect())
    }

    /// The same check, which saves nothing and looks for nothing beside the answer.
    fn again(&self) -> Check<M> {
        Check {
            model: self.model.clone(),
            assumed: self.assumed.clone(),
            conditions: self.conditions.clone(),
            properties: self.properties.clone(),
            atoms: self.atoms.clone(),
            limits: self.limits,
            allows_unknown: self.allows_unknown,
            folder: crate::check::Folder::Nowhere,
            least: false,
            keep: self.keep,
        }
    }
}
