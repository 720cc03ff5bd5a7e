//! Subjects of the benchmarks. `cargo bench -p fairly-bench` times single cases while you work; `cargo run
//! --release -p fairly-bench -- TABLE` prints the tables of `bench/record/`.

pub mod certificates;
pub mod clock;
pub mod cores;
pub mod emptiness;
pub mod fairness;
pub mod generate;
pub mod inherent;
pub mod ltl;
pub mod native;
pub mod papers;
pub mod peers;
pub mod plot;
pub mod reduction;
pub mod spin;
pub mod systems;
pub mod units;
