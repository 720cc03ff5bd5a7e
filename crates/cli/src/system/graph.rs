//! `fairly graph`: a small state space, drawn.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use fairly_report::Source;
use fairly_report::graph::{self, Drawn};
use fairly_system::TransitionSystem;

use super::arguments::Model;
use super::with::{Work, with_system};
use crate::failure::{self, Failure};
use crate::output::Destination;

#[derive(Args)]
pub(crate) struct Graph {
    #[command(flatten)]
    pub(crate) model: Model,
    /// How to draw it.
    #[arg(long, value_enum, default_value_t = To::Dot)]
    to: To,
    /// Where to write it; without it, to standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum To {
    /// Graphviz; components are coloured by the fairness of the runs that stay in them.
    Dot,
    /// Aldebaran, as CADP and mCRL2 read it.
    Aut,
    /// The Hanoi format, with the events as propositions.
    Hoa,
    /// Mermaid's state diagram, which GitHub draws.
    Mermaid,
}

/// States that can still be drawn.
const MOST: usize = 500;

pub(crate) fn graph(request: &Graph) -> Result<ExitCode, Failure> {
    let destination = Destination::open(request.output.as_deref())?;
    let most = request.model.options()?.bounds.nodes.unwrap_or(MOST);
    let drawn = with_system(&request.model, Explore { most })?;
    request.model.quiet();
    let Some(drawn) = drawn else {
        eprintln!(
            "unknown: there are more than {most} states; --max-states N draws more, and `fairly sim` \
             looks at a few"
        );
        return Ok(ExitCode::from(failure::UNKNOWN));
    };
    let text = match request.to {
        To::Dot => drawn.dot(),
        To::Aut => drawn.aut(),
        To::Hoa => drawn.hoa(),
        To::Mermaid => drawn.mermaid(),
    };
    destination.write(&text)?;
    Ok(ExitCode::SUCCESS)
}

struct Explore {
    most: usize,
}

impl Work for Explore {
    type Output = Option<Drawn>;

    fn run<S: TransitionSystem>(
        self,
        system: &mut S,
        _source: Option<Source<'_>>,
    ) -> Result<Option<Drawn>, Failure> {
        Ok(graph::explore(system, self.most))
    }
}
