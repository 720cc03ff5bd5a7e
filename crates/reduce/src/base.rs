//! The space that is searched in place of a system, before anything is left out.

use std::sync::Arc;

use fairly_model::{Expr, ModelSpace, Passed};
use fairly_omega::Stop;
use fairly_system::{Network, Sequences};

use crate::printed::Figure3;
use crate::processes::{Processes, Unplaced};
use crate::reduced::Unsuited;
use crate::skeleton::Skeleton;
use crate::symmetry::{self, Asymmetric, Symmetry};
use crate::watched::Watched;
use crate::{of_model, of_network};

/// The steps of a system one by one, and what is known of it.
#[derive(Clone)]
pub struct Base {
    space: Arc<dyn Sequences>,
    processes: Arc<dyn Processes>,
    of: Of,
    /// Propositions that are taken to be watched in any case.
    watched: Option<Watched>,
    /// Nothing is known but that processes can be permuted so.
    only: Option<Symmetry>,
}

#[derive(Clone)]
enum Of {
    Model(Arc<ModelSpace>, Option<Arc<Passed>>),
    Network(Arc<Network>),
    Space,
}

impl Base {
    /// A model, whose steps a space gives. Some of its locations may be passed.
    pub fn of_model(
        space: Arc<dyn Sequences>,
        model: Arc<ModelSpace>,
        passed: Option<Arc<Passed>>,
    ) -> Base {
        let processes = Arc::clone(&model) as Arc<dyn Processes>;
        Base { space, processes, of: Of::Model(model, passed), watched: None, only: None }
    }

    /// A network of components.
    pub fn of_network(network: Arc<Network>) -> Base {
        let processes = Arc::clone(&network) as Arc<dyn Processes>;
        let space = Arc::clone(&network) as Arc<dyn Sequences>;
        Base { space, processes, of: Of::Network(network), watched: None, only: None }
    }

    /// A space of which nothing is known but its steps: it is never reduced.
    pub fn of_space(space: Arc<dyn Sequences>) -> Base {
        Base { space, processes: Arc::new(Unplaced), of: Of::Space, watched: None, only: None }
    }

    /// The same, reduced as if this were watched, whatever is: for tests that show what becomes of a reduction
    /// that is wrong.
    #[doc(hidden)]
    #[must_use]
    pub fn as_if_watched(self, watched: Watched) -> Base {
        Base { watched: Some(watched), ..self }
    }

    /// The same, of which nothing is known but that processes can be permuted so, whether or not they can: for
    /// such tests.
    #[doc(hidden)]
    #[must_use]
    pub fn permuted_unchecked(self, symmetry: Symmetry) -> Base {
        Base { only: Some(symmetry), ..self }
    }

    /// The steps.
    pub fn space(&self) -> &Arc<dyn Sequences> {
        &self.space
    }

    /// Where processes are.
    pub fn processes(&self) -> &Arc<dyn Processes> {
        &self.processes
    }

    /// The model, if it is one.
    pub fn model(&self) -> Option<&Arc<ModelSpace>> {
        match &self.of {
            Of::Model(model, _) if self.only.is_none() => Some(model),
            _ => None,
        }
    }

    /// The locations that processes pass, if there are any.
    pub fn passed(&self) -> Option<&Arc<Passed>> {
        match &self.of {
            Of::Model(_, passed) => passed.as_ref(),
            Of::Network(_) | Of::Space => None,
        }
    }

    /// The expressions that are watched.
    pub(crate) fn seen(&self, watched: &Watched) -> Vec<Expr> {
        let watched = self.watched.as_ref().unwrap_or(watched);
        let mut seen = watched.values.clone();
        // Whether the system is stuck is no expression, and depends on nothing that is dead.
        if let Some(model) = self.model() {
            let atoms = watched.all_atoms().into_iter();
            seen.extend(atoms.filter_map(|atom| model.atom_expression(atom)));
        }
        seen
    }

    /// Parts of the processes, with the steps marked that may be followed alone; it is given up when it is
    /// time to stop.
    ///
    /// # Errors
    /// When no reduction is known to be sound.
    pub fn skeleton(&self, watched: &Watched, stop: Stop) -> Result<Skeleton, Unsuited> {
        let watched = self.watched.as_ref().unwrap_or(watched);
        match &self.of {
            _ if self.only.is_some() => Err(Unsuited::Unknown),
            Of::Model(model, _) => of_model::skeleton(model, watched, stop),
            Of::Network(network) => of_network::skeleton(network, watched),
            Of::Space => Err(Unsuited::Unknown),
        }
    }

    /// The tables for the ample sets of a paper.
    ///
    /// # Errors
    /// When nothing is known of the system.
    pub(crate) fn figure3(&self, watched: &Watched, stop: Stop) -> Result<Figure3, Unsuited> {
        let watched = self.watched.as_ref().unwrap_or(watched);
        let skeleton = match &self.of {
            _ if self.only.is_some() => return Err(Unsuited::Unknown),
            Of::Model(model, _) => of_model::without_cycles(model, watched, stop)?,
            Of::Network(network) => of_network::without_cycles(network, watched)?,
            Of::Space => return Err(Unsuited::Unknown),
        };
        Ok(Figure3::new(skeleton, watched.clone()))
    }

    /// Which processes can be permuted without a difference to what is watched; it is given up when it is time to
    /// stop.
    ///
    /// # Errors
    /// When there are none, or none are known.
    pub fn symmetry(&self, watched: &Watched, stop: Stop) -> Result<Symmetry, Asymmetric> {
        if let Some(symmetry) = &self.only {
            return Ok(symmetry.clone());
        }
        let watched = self.watched.as_ref().unwrap_or(watched);
        match &self.of {
            Of::Model(model, _) => symmetry::detect(model, watched, stop),
            Of::Network(_) | Of::Space => Err(Asymmetric::Unknown),
        }
    }
}
