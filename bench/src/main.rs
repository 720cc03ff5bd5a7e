//! Prints the tables of `bench/record/`.

use std::process::ExitCode;

use fairly_bench::fairness::Plan;
use fairly_bench::papers;
use peak_alloc::PeakAlloc;

#[global_allocator]
static PEAK: PeakAlloc = PeakAlloc;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("emptiness") => {
            let largest = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(10_000_000);
            print!("{}", fairly_bench::emptiness::table(largest, &PEAK));
            ExitCode::SUCCESS
        }
        Some("fairness") => {
            let picture = arguments.next();
            let mut plan = Plan::default();
            if let Some(nodes) = arguments.next().and_then(|text| text.parse().ok()) {
                plan.nodes = nodes;
            }
            let report = fairly_bench::fairness::report(&plan, &PEAK);
            print!("{}", report.tables);
            let Some(picture) = picture else { return ExitCode::SUCCESS };
            let note = "An arrow upwards: the run was given up there, at the limit on nodes. Hollow on \
                        filled: both notions cost the same.";
            draw(&picture, &report.panels, note)
        }
        Some("reduction") => {
            let arguments: Vec<String> = arguments.collect();
            let (quick, pictures): (Vec<&String>, Vec<&String>) =
                arguments.iter().partition(|it| *it == "--quick");
            let plan = fairly_bench::reduction::Plan::recorded(!quick.is_empty());
            let report = fairly_bench::reduction::report(&plan);
            print!("{}", report.table);
            let Some(picture) = pictures.first() else { return ExitCode::SUCCESS };
            let note = "States that were stored until the answer was known. Hollow on filled: nothing is \
                        saved. Both axes are logarithmic where the sizes differ much.";
            draw(picture, &report.panels, note)
        }
        Some("inherent") => {
            let most = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(200_000);
            print!("{}", fairly_bench::inherent::table(most, false));
            ExitCode::SUCCESS
        }
        Some("cores") => {
            let arguments: Vec<String> = arguments.collect();
            let plan = match fairly_bench::cores::Plan::of(&arguments) {
                Ok(plan) => plan,
                Err(wrong) => {
                    eprintln!("{wrong}");
                    return ExitCode::from(2);
                }
            };
            let report = fairly_bench::cores::report(&plan, &PEAK);
            print!("{}", report.table);
            let Some(picture) = &plan.picture else { return ExitCode::SUCCESS };
            let note =
                "How many times faster than the best sequential engine. Both axes are logarithmic.";
            draw(picture, &report.panels, note)
        }
        Some("hiding") => {
            let most = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(10);
            print!("{}", fairly_bench::hiding::table(most));
            ExitCode::SUCCESS
        }
        Some("certificates") => {
            let most = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(4);
            print!("{}", fairly_bench::certificates::table(most));
            ExitCode::SUCCESS
        }
        Some("papers") => {
            let arguments: Vec<String> = arguments.collect();
            let (small, folders): (Vec<&String>, Vec<&String>) =
                arguments.iter().partition(|it| *it == "--small");
            let plan =
                if small.is_empty() { papers::Plan::default() } else { papers::Plan::small() };
            let report = papers::report(&plan, &PEAK);
            let written = match folders.first() {
                Some(folder) => report.write(std::path::Path::new(folder)),
                None if small.is_empty() => report.record(),
                None => {
                    print!("{}", report.text("pictures", "docs/book"));
                    Ok(())
                }
            };
            match written {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    eprintln!("the tables cannot be written: {error}");
                    ExitCode::FAILURE
                }
            }
        }
        Some("ltl") => {
            print!("{}", fairly_bench::ltl::table());
            ExitCode::SUCCESS
        }
        Some("native") => {
            let quick = match arguments.next().as_deref() {
                None => false,
                Some("--quick") => true,
                Some(other) => {
                    eprintln!("`{other}`: only --quick may stand here");
                    return ExitCode::from(2);
                }
            };
            print!("{}", fairly_bench::native::report(quick));
            ExitCode::SUCCESS
        }
        Some("peers") => {
            let (mut is_quick, mut is_recorded) = (false, false);
            for argument in arguments {
                match argument.as_str() {
                    "--quick" => is_quick = true,
                    "--record" => is_recorded = true,
                    other => {
                        eprintln!("`{other}`: only --quick and --record may stand here");
                        return ExitCode::from(2);
                    }
                }
            }
            let (page, is_wrong) = fairly_bench::peers::report(is_quick);
            print!("{page}");
            if is_wrong {
                eprintln!("a verdict of Fairly is not the right one");
                return ExitCode::FAILURE;
            }
            if is_recorded && let Err(error) = fairly_bench::peers::record(&page) {
                eprintln!("the page cannot be written: {error}");
                return ExitCode::FAILURE;
            }
            ExitCode::SUCCESS
        }
        Some("rust") => {
            // The peer is a dependency of tests and benchmarks only, so the table is printed by a benchmark.
            let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            let done = std::process::Command::new(cargo)
                .args(["bench", "-p", "fairly-bench", "--bench", "rust", "--"])
                .args(arguments)
                .status();
            match done {
                Ok(status) if status.success() => ExitCode::SUCCESS,
                Ok(_) => ExitCode::FAILURE,
                Err(error) => {
                    eprintln!("cargo: {error}");
                    ExitCode::FAILURE
                }
            }
        }
        _ => {
            eprintln!(
                "usage: fairly-bench cores [SVG-FILE] [--workers 1,2,4,…] [--seconds LIMIT] [--only TEXT]\n       \
                 fairly-bench emptiness [LARGEST-NUMBER-OF-EDGES]\n       \
                 fairly-bench inherent [LIMIT]\n       \
                 fairly-bench hiding [MOST-SWITCHES]\n       \
                 fairly-bench certificates [MOST-PROCESSES]\n       \
                 fairly-bench ltl\n       \
                 fairly-bench native [--quick]\n       \
                 fairly-bench papers [FOLDER] [--small]\n       \
                 fairly-bench peers [--quick] [--record]\n       \
                 fairly-bench reduction [SVG-FILE] [--quick]\n       \
                 fairly-bench rust [TEXT]\n       \
                 fairly-bench fairness [SVG-FILE [LIMIT-ON-NODES]]"
            );
            ExitCode::from(2)
        }
    }
}

fn draw(picture: &str, panels: &[fairly_bench::plot::Panel], note: &str) -> ExitCode {
    match std::fs::write(picture, fairly_bench::plot::svg(panels, note)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{picture}: {error}");
            ExitCode::FAILURE
        }
    }
}
