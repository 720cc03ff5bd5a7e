//! Prints the tables of `bench/record/`.

use std::process::ExitCode;

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
        _ => {
            eprintln!("usage: fairly-bench emptiness [LARGEST-NUMBER-OF-EDGES]");
            ExitCode::from(2)
        }
    }
}
