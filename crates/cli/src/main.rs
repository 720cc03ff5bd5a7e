//! The binary `fairly`; the library of this package does its work.

use std::process::ExitCode;

use fairly_store::meter::Metered;

/// Counts every allocation, so that `--max-memory` covers all of them and running out of memory ends in an
/// *unknown*, not in an abort.
#[global_allocator]
static ALLOCATOR: Metered = Metered;

fn main() -> ExitCode {
    fairly_cli::main()
}
