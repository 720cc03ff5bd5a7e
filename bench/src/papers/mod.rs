//! The figures of the papers beside ours: `bench/record/papers.md` and its pictures.
//!
//! Each paper has a section: what it measured, the same measured here, and a paragraph on what agrees. The papers are
//! those of `docs/papers.md`. Where a paper has a picture whose numbers are not in its text, what the text says
//! of it is compared.

mod premises;
mod streett;

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use fairly_check::{Assumption, Object, Options, Parts, Property, System, Systems, objects};
use fairly_fairness::Notion;
use fairly_front::promela::Promela;
use fairly_logic::Formulas;
use fairly_omega::Automaton;
use fairly_system::EventPosition;
use peak_alloc::PeakAlloc;

use crate::growth::{self, Growing};
use crate::{fairness, hiding, inherent, plot, reduction};

/// How far each family goes.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Of 000.
    pub fairness: fairness::Plan,
    /// Vertices of the components of 002 whose loops are measured, and how many of them.
    pub vertices: &'static [usize],
    /// How many components a row.
    pub components: u64,
    /// Vertices of the components whose search is timed.
    pub large: usize,
    /// Pairs of these.
    pub pairs: &'static [u32],
    /// Copies of vertices that the references of 002 may make.
    pub copies: usize,
    /// Pairs and states at which the procedures of 003 are given up.
    pub inherent: usize,
    /// Most switches that are hidden.
    pub switches: usize,
    /// Whether only the smallest models of 004 are checked.
    pub quick: bool,
    /// After so many seconds a row is given up.
    pub seconds: u64,
}

impl Default for Plan {
    fn default() -> Self {
        let seconds = 20;
        Plan {
            fairness: fairness::Plan {
                // The paper's machine ran out of memory there.
                nodes: 2_000_000,
                limit: Some(Duration::from_secs(seconds)),
                processes: [6, 18],
            },
            vertices: &[20, 100, 500],
            components: 100,
            large: 1_000,
            pairs: &[1, 2, 4, 8, 16, 32, 64],
            copies: 20_000,
            inherent: 200_000,
            switches: 10,
            quick: false,
            seconds,
        }
    }
}

impl Plan {
    /// Sizes that take a few seconds.
    pub fn small() -> Plan {
        Plan {
            fairness: fairness::Plan { nodes: 20_000, limit: None, processes: [3, 4] },
            vertices: &[10],
            components: 5,
            large: 50,
            pairs: &[1, 4],
            copies: 1_000,
            inherent: 1_000,
            switches: 4,
            quick: true,
            seconds: 1,
        }
    }
}

/// Names of pictures, and the pictures in SVG.
type Pictures = Vec<(&'static str, String)>;

/// Everything that is recorded.
pub struct Report {
    /// In Markdown, with `@PICTURES@` and `@BOOK@` for where the pictures and the book are.
    text: String,
    /// Names of pictures, and the pictures in SVG.
    pictures: Pictures,
}

impl Report {
    /// The text, given where the pictures and the pages of the book are.
    pub fn text(&self, pictures: &str, book: &str) -> String {
        self.text.replace("@PICTURES@", pictures).replace("@BOOK@", book)
    }

    /// Writes `papers.md` and the pictures into a folder.
    ///
    /// # Errors
    /// When that fails.
    pub fn write(&self, folder: &Path) -> std::io::Result<()> {
        self.write_pictures(folder)?;
        std::fs::write(folder.join("papers.md"), self.text(".", "docs/book"))
    }

    fn write_pictures(&self, folder: &Path) -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        self.pictures.iter().try_for_each(|(name, text)| std::fs::write(folder.join(name), text))
    }

    /// Writes the record, `bench/record/papers.md`, and the page of the book with the same tables.
    ///
    /// # Errors
    /// When that fails.
    pub fn record(&self) -> std::io::Result<()> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        self.write_pictures(&root.join("docs/book/papers/pictures"))?;
        let record = self.text("../../docs/book/papers/pictures", "../../docs/book");
        std::fs::write(root.join("bench/record/papers.md"), record)?;
        std::fs::write(root.join("docs/book/papers/figures.md"), self.text("pictures", ".."))
    }
}

/// Measures everything; `peak` is the program's allocator.
///
/// # Panics
/// If an answer is wrong: a benchmark of wrong answers is worth nothing.
pub fn report(plan: &Plan, peak: &PeakAlloc) -> Report {
    let mut text = String::from(
        "# The papers' figures beside ours\n\n    cargo run --release -p fairly-bench -- papers\n\nNumbers of papers are those of \
         [the papers](@BOOK@/papers.md), where numbers such as 002-9 are rows, too. States, nodes, steps and lengths do not depend on \
         the machine. Times\ndo: they are processor time on one core of a machine that others use too, and those of the papers are of machines of \
         their time.\n\n",
    );
    let mut pictures = Vec::new();
    let mut families = fairness_in_automata(&mut text, &mut pictures, plan, peak);
    the_program_of_the_slides(&mut text);
    streett::section(&mut text, &mut pictures, plan);
    inherent_fairness(&mut text, plan);
    families.extend(event_fairness(&mut text, &mut pictures, plan, peak));
    growing(&mut text, &families);
    Report { text, pictures }
}

fn fairness_in_automata(
    text: &mut String,
    pictures: &mut Pictures,
    plan: &Plan,
    peak: &PeakAlloc,
) -> Vec<Growing> {
    text.push_str(
        "## 000: Malinen and Luukkainen, Figure 1\n\n\
         Peterson's protocol and the semaphore; nested search with monitors (the paper's 2DFS, here `ndfs`) against components (its SCC, here `streett`), \
         weak and\nstrong fairness. A run is given up at 2 000 000 nodes, where the paper's machine ran out of memory, or after 20 s; then that engine is \
         not asked about more processes.\n\n\
         | the paper says | measured here |\n|---|---|\n\
         | Peterson is live under weak fairness | holds, in every row |\n\
         | Peterson with 4 processes has over 100 000 states | 9 272; with 5 processes 223 105 |\n\
         | 2DFS is given up on Peterson with 4 processes, weak and strong | `ndfs` does 4 under both, and is given up at the row with `>` |\n\
         | SCC does 4, and its curves for weak and strong fairness overlap | `streett` visits the same nodes under both, up to 5 |\n\
         | the semaphore is not live under weak fairness, and live under strong | so it is |\n\
         | the semaphore with 12 processes has about 77 000 states | 28 672 |\n\
         | 2DFS does 10 processes under weak fairness, and 6 under strong | `ndfs` does all sizes under weak, and 10 under strong |\n\
         | SCC does 12 under both, at almost the same cost | `streett` does 12, and goes on to the row with `>` |\n\
         | strong fairness multiplies the product of 2DFS by up to 2^k | the last column of the fourth table: half as much again with every process |\n\n\
         **What agrees.** All verdicts, and the shape of all curves: monitors multiply the product, and deciding fairness in the search costs no node. That \
         strong fairness is free where weak is\nenough, which surprised the authors, is exact here: the same nodes and the same steps.\n\n\
         **What does not.** The numbers of states, because the models are not in the paper. (3n + 2) · 2^(n-1) is 77 824 for n = 12, which is what a semaphore \
         has whose holder takes three steps;\nhere it takes one, and there are (n + 2) · 2^(n-1). In Peterson's protocol here the test of all other processes is \
         one step. So all methods get a few processes further than in the paper, on\na machine with more memory too. Times of the paper are only in its \
         figure, which is not in the text at hand; ours are in the tables.\n\n\
         ![Nodes, nodes a state, time](@PICTURES@/papers-000.svg)\n\n",
    );
    let report = fairness::report(&plan.fairness, peak);
    text.push_str(&report.tables);
    let note = "An arrow upwards: the run was given up there. Hollow on filled: both notions cost the same.";
    pictures.push(("papers-000.svg", plot::svg(&report.panels, note)));
    report.growth
}

/// The Promela program of the slides, as it stands in the examples.
const SLIDES: &str = include_str!("../../../examples/promela/paper/collatz.pml");

fn the_program_of_the_slides(text: &mut String) {
    text.push_str(
        "## 001: Tsay's slides, one program\n\nThe Promela program of the slides (N = 4) with its automata, products and never claim. The page \
         [a check, object by object](@BOOK@/paper-automata.md) prints and draws each.\n\n\
         | object | states | edges |\n|---|---:|---:|\n",
    );
    for (name, object) in [
        ("the processes", Object::Processes),
        ("asynchronous product", Object::System),
        ("the same from a Kripke structure", Object::Kripke),
        ("never claim", Object::Negation),
        ("synchronous product", Object::Product),
    ] {
        for automaton in object_of_slides(object) {
            let of = automaton.name().map_or(String::new(), |name| format!(" ({name})"));
            let (states, edges) = (automaton.state_count(), automaton.edge_count());
            let _ = writeln!(text, "| {name}{of} | {states} | {edges} |");
        }
    }
    text.push_str(
        "\n**What agrees.** The objects are those of the slides, made in their order, and can be read back and combined by hand.\n\n**What does not.** The slides \
         draw them, and the drawings are not in the text at hand, so that only their words can be compared. For N = 4 there is no accepting run, as the \
         page of the book says; for N = 5 there\nis one.\n\n",
    );
}

fn object_of_slides(object: Object) -> Vec<Automaton> {
    let read = Systems::of_text(&Promela, SLIDES);
    let mut file = read.unwrap_or_else(|wrong| panic!("the program of the slides: {wrong:?}"));
    let which = file.loaded().questions[0].system;
    let Ok(System::Model(system)) = file.system(which) else { panic!("a model") };
    let mut formulas = Formulas::new();
    let parsed = formulas.parse("!(F G \"x < N\")").expect("a formula");
    let mut property = Property::bind("it", formulas, parsed, system).expect("its names");
    let assumption = Assumption::of(Notion::None);
    let reading = EventPosition::Leaving;
    let parts =
        Parts { property: Some(&mut property), assumption: &assumption, reading, most: 1_000 };
    let made = objects(system, object, parts, &Options::default());
    made.expect("it makes sense").expect("it is small")
}

fn inherent_fairness(text: &mut String, plan: &Plan) {
    text.push_str(
        "## 003: Nicola, Nießner and Ultes-Nitsche\n\nThe paper has no measurements. It argues that the procedure of Section 6 avoids the complement of the \
         naive one, and proposes in Section 9 to ask for live\nstates first. A family on which the sets explode:\n\n",
    );
    let table = inherent::table(plan.inherent, true);
    // Without the heading of the record.
    text.push_str(table.split_once("\n\n").map_or(table.as_str(), |(_, rest)| rest));
    text.push_str(
        "\n**What agrees.** Section 6 builds half of what the naive procedure builds, and asking for live states first makes the difference that Section 9 hopes \
         for: the sets hold live\nstates only, and one of them decides. **What does not.** Section 6 as printed merges what different words lead to and is wrong \
         (003-1); the sets are kept apart here, so that it saves a\nfactor and no exponent.\n\n\
         ### Hiding\n\nThe relation was made for abstraction (Nitsche and Wolper 1997). Beside `a` and `b` there are switches that are turned at will; the \
         promise speaks of `a` and `b`. The check of the whole system\ngrows with 2ⁿ, that of the abstraction not at all. That the abstraction carries over is \
         decided once for all promises; that closes a set of states after every word, which is quadratic here.\n\n",
    );
    text.push_str(&hiding::table(plan.switches));
    text.push('\n');
}

fn event_fairness(
    text: &mut String,
    pictures: &mut Pictures,
    plan: &Plan,
    peak: &PeakAlloc,
) -> Vec<Growing> {
    text.push_str("## 004: Sun, Liu, Dong and Wang\n\n");
    premises::table(text, plan.seconds);
    text.push_str(
        "\n**What agrees.** SPIN's construction grows so fast with strong premises that three are out of reach here, too. **What does not.** The numbers of states: \
         SPIN 6 makes smaller\nautomata than SPIN 4.3 did. That five weak premises are infeasible is a matter of that construction and not of the problem \
         (004-30): two states are enough for any number.\n\nTable 2, beyond its sizes. A dash is what was given up, or is larger than what was.\n\n",
    );
    let limit = Duration::from_secs(plan.seconds);
    let measured = reduction::Plan { is_quick: plan.quick, limit, peak: Some(peak) };
    let report = reduction::report(&measured);
    text.push_str(&report.table);
    text.push_str(
        "\n**What agrees.** All verdicts; that reduction saves nothing on the annotated philosophers and nearly everything on the scheduler; that readers and \
         writers without names need one state\na process. **What does not.** Milner's scheduler of 400 takes seconds and not two minutes, and the philosophers \
         without fairness are refuted after a few states at every size. The paper's own definition calls a\nstep visible that changes which annotated events \
         are enabled, and its table shows the annotated scheduler reduced all the same (004-31). The ample sets of Figure 3 as printed (`--reduction paper`) on \
         smaller models:\n\n",
    );
    text.push_str(&reduction::as_printed());
    text.push_str("\n![States over the size](@PICTURES@/papers-004.svg)\n\n");
    let note =
        "States that were stored until the answer was known. Hollow on filled: nothing is saved.";
    pictures.push(("papers-004.svg", plot::svg(&report.panels, note)));
    report.growth
}

fn growing(text: &mut String, families: &[Growing]) {
    text.push_str(
        "## Growth\n\nTime and memory of the families above against states that were stored, where everything had to be searched: exponents of power laws fitted \
         to the sizes that take at least\nhalf a millisecond. 1 is linear.\n\n",
    );
    text.push_str(&growth::table(families));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_paper_has_a_section_and_its_pictures() {
        let peak = PeakAlloc;
        let report = report(&Plan::small(), &peak);
        for heading in ["## 000", "## 001", "## 002", "## 003", "## 004"] {
            assert!(report.text.contains(heading), "{heading}");
        }
        assert!(report.text.contains("| asynchronous product | 6 | 6 |"), "{}", report.text);
        assert!(report.text.contains("| synchronous product | 10 |"), "{}", report.text);
        let text = report.text("pictures", "..");
        assert!(!text.contains('@'), "{text}");
        for (name, picture) in &report.pictures {
            assert!(report.text.contains(name) && picture.starts_with("<svg"), "{name}");
        }
    }
}
