//! A check in the browser: the explorer on a model that has no text.

use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use fairly_explorer::{Limits as Bounds, Model as Explored, Server, Settings, Text};
use fairly_fairness::{AnnotationLevel, Level, Notion, PrefixKind, Strength};
use fairly_front::case::{self, Constraint};
use fairly_front::loaded::{
    Asked, Claim, EventTests, Formula as Written, Kind, Loaded, Lowered, Program, Question,
    SystemSource,
};
use fairly_logic::{Formulas, pattern_matches};
use fairly_report::document::Problem;
use fairly_system::{EventId, EventKind, Sequences, TransitionSystem};

use crate::answers::{NO_PANIC, Prepared};
use crate::check::{Check, Condition, Limits, Promise};
use crate::fairness::Assumed;
use crate::formula::StateTest;
use crate::model::Model;
use crate::rows::Rows;
use crate::verdict::Mistake;

/// The [explorer](Check::explorer) of a check: it listens at an address, and answers once it [serves](Explorer::serve).
#[must_use = "nobody is answered until it serves"]
pub struct Explorer(Server);

impl Explorer {
    /// The address of the page. It has a token in it, without which nobody is answered.
    pub fn url(&self) -> String {
        self.0.url()
    }

    /// Answers until the process ends.
    pub fn serve(self) {
        self.0.run();
    }
}

impl<M: Model> Check<M> {
    /// Opens the check in the browser: verdicts, runs, the simulator, the state space, and what fairness is needed.
    /// It serves until the process ends, by Ctrl-C for example, and is meant for a program of its own, such as an
    /// example, or for a test while one looks into its failure. Only this machine is let in.
    ///
    /// # Panics
    /// If the check itself is wrong, or no port is to be had.
    #[track_caller]
    pub fn explore(self) {
        match self.explorer(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))) {
            Ok(explorer) => {
                let url = explorer.url();
                // Past the capture of tests, which would hide the address.
                let _ = writeln!(io::stderr(), "The model is explored at {url}\nCtrl-C ends it.");
                fairly_explorer::open(&url);
                explorer.serve();
            }
            Err(mistake) => panic!("{mistake}"),
        }
    }

    /// The same at an address, without a browser; any port that is free if it is 0. An address that is not one of
    /// this machine alone lets others in who know the token.
    ///
    /// # Errors
    /// If the check itself is wrong, or the address is not to be had.
    pub fn explorer(self, at: SocketAddr) -> Result<Explorer, Mistake> {
        let Check { model, assumed, conditions, properties, atoms, limits, .. } = self;
        let mut notions = assumed.iter().filter_map(|it| match it.0 {
            Assumed::Notion(notion) => Some(notion),
            _ => None,
        });
        let notion = notions.next().unwrap_or(Notion::None);
        if notions.any(|other| other != notion) {
            return Err(Mistake::new(
                "the explorer assumes one notion of fairness: assume single constraints besides it",
            ));
        }
        let bounds = limits.options(Instant::now()).bounds;
        let time =
            bounds.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let shown = Bounds { time, states: bounds.nodes, bytes: bounds.bytes, ..Bounds::default() };
        let shown = shown.with_workers(limits.workers.unwrap_or(NonZeroUsize::MIN));
        let served = Served { model, assumed, conditions, properties, atoms, limits, notion };
        // What is wrong is said before a page is opened.
        served.loaded(&[])?;
        let settings = Settings { address: at.ip(), port: at.port(), limits: shown };
        let server = Server::bind(Box::new(served), &settings);
        let server =
            server.map_err(|error| Mistake::new(format!("cannot listen at {at}: {error}")));
        server.map(Explorer)
    }
}

/// A check that is asked again and again.
struct Served<M: Model> {
    model: M,
    assumed: Vec<crate::Fairness>,
    conditions: Vec<Condition<M::State>>,
    properties: Vec<Promise<M>>,
    atoms: Vec<(String, StateTest<M::State>)>,
    limits: Limits,
    notion: Notion,
}

impl<M: Model> Served<M> {
    /// The check as the explorer has models: its promises as texts in which each closure has a name.
    fn loaded(&self, formulas: &[String]) -> Result<Loaded, Mistake> {
        let mut prepared = Prepared::new(
            self.model.clone(),
            &self.properties,
            &self.conditions,
            &self.atoms,
            self.limits.options(Instant::now()),
            self.limits.memory,
        );
        // What the assumptions mean takes all states, for some of them.
        if let Err(why) = prepared.assumption(&self.assumed, &self.conditions)? {
            return Err(Mistake::new(format!("it is not known what is assumed: {why}")));
        }
        let constraints = self.constraints(&mut prepared)?;
        let mut questions =
            vec![Question::new(NO_PANIC, Kind::Errors, Asked::Claim(Claim::NoErrors))];
        for (name, formula) in &self.properties {
            let property = prepared.bind(name, formula)?;
            let formula = Written::written(name, property.text(), 0);
            questions.push(Question::new(name, Kind::Formula, Asked::Formula(formula)));
        }
        for text in formulas {
            let mut read = Formulas::new();
            // A text that cannot be read is reported with its place where it is asked.
            if let Ok(formula) = read.parse(text) {
                let atoms = read.atoms(formula);
                let names: Vec<String> =
                    atoms.into_iter().map(|atom| read.atom_of(atom).text().to_owned()).collect();
                prepared.look_for_all(&names);
            }
            let formula = Written::written("formula", text, 0);
            let question = Question::new(text, Kind::Formula, Asked::Formula(formula));
            questions.push(Question { choice: None, ..question });
        }
        let rows = Arc::clone(&prepared.rows);
        let is_shared = self.limits.workers.is_some_and(|count| count.get() > 1);
        let lower = move || {
            Ok(Lowered::Program(Program {
                space: Arc::clone(&rows) as Arc<dyn Sequences>,
                is_shared,
                tests: Arc::clone(&rows) as Arc<dyn EventTests>,
            }))
        };
        let systems = vec![SystemSource { name: None, lower: Box::new(lower) }];
        let nothing = "nothing was promised of the model: add a property";
        Ok(Loaded { systems, questions, constraints, nothing, ..Loaded::default() })
    }

    /// The single constraints that are assumed.
    fn constraints(&self, prepared: &mut Prepared<M>) -> Result<Vec<Constraint>, Mistake> {
        let mut texts = Vec::new();
        for fairness in &self.assumed {
            match &fairness.0 {
                Assumed::Notion(_) => {}
                Assumed::Text(text) => texts.push(text.clone()),
                Assumed::Each(strength, pattern) => {
                    let signature = prepared.system.signature();
                    let is_meant = |&event: &EventId| {
                        signature.event_kind(event) == EventKind::Visible
                            && pattern_matches(pattern, signature.event_name(event))
                    };
                    let kind = match strength {
                        Strength::Weak => "wf",
                        Strength::Strong => "sf",
                    };
                    texts.extend(signature.event_ids().filter(is_meant).map(|event| {
                        let name = signature.event_name(event);
                        let name = name.replace('\\', "\\\\").replace('"', "\\\"");
                        format!("{kind}(event \"{name}\")")
                    }));
                }
            }
        }
        texts.extend(self.conditions.iter().map(|condition| prepared.condition(condition)));
        let read = |text: &String| {
            case::parse_constraint(text).map_err(|wrong| {
                Mistake::new(format!("the assumption `{text}` is wrong: {}", wrong.message))
            })
        };
        texts.iter().map(read).collect()
    }
}

impl<M: Model> Explored for Served<M> {
    fn files(&self) -> Vec<String> {
        Vec::new()
    }

    fn name(&self) -> String {
        let whole = std::any::type_name::<M>();
        let head = whole.split('<').next().unwrap_or(whole);
        let own = head.rsplit("::").next().unwrap_or(head);
        own.to_owned()
    }

    fn fairness(&self) -> Notion {
        self.notion
    }

    fn text(&self) -> Result<Option<Text>, Vec<Problem>> {
        Ok(None)
    }

    fn load(&self, _: Option<&str>, formulas: &[String]) -> Result<Loaded, Vec<Problem>> {
        self.loaded(formulas)
            .map_err(|mistake| vec![Problem::new(None, &mistake.to_string(), None)])
    }

    fn assumptions(&self, notion: Notion, constraints: &[String]) -> String {
        let of = |strength: &str, level: Level| {
            let of_what = match level {
                Level::Process => "processes",
                Level::Event => "events",
                Level::Action => "actions",
            };
            format!("{strength}().{of_what}()")
        };
        let call = match notion {
            Notion::None => None,
            Notion::Weak(level) => Some(of("weak", level)),
            Notion::Strong(level) => Some(of("strong", level)),
            Notion::WeakLive => Some("weak_live()".to_owned()),
            Notion::StrongLive => Some("strong_live()".to_owned()),
            Notion::Annotated(AnnotationLevel::Name) => {
                Some("annotated(Annotations::Events)".to_owned())
            }
            Notion::Annotated(AnnotationLevel::Occurrence) => {
                Some("annotated(Annotations::Parts)".to_owned())
            }
            Notion::Global => Some("global()".to_owned()),
            Notion::Inherent(PrefixKind::Trace) => Some("inherent(Beginning::Trace)".to_owned()),
            Notion::Inherent(PrefixKind::Run) => Some("inherent(Beginning::Run)".to_owned()),
        };
        let constraints = constraints.iter().map(|text| format!("{text:?}"));
        call.into_iter().chain(constraints).map(|what| format!(".assume({what})")).collect()
    }
}

impl<M: Model> EventTests for Rows<M> {
    fn passing(&self, name: &str) -> Option<Vec<EventId>> {
        self.is_test(name).then(|| Rows::passing(self, name))
    }

    fn count(&self) -> usize {
        self.passed_tests()
    }

    fn failure(&self) -> Option<String> {
        self.failures().test
    }
}
