//! Subjects of the benchmarks. `cargo bench -p fairly-bench` times single cases while you work; `cargo run
//! --release -p fairly-bench -- TABLE` prints the tables of `bench/record/`.

pub mod certificates;
pub mod clock;
pub mod cores;
pub mod emptiness;
pub mod fairness;
pub mod generate;
pub mod growth;
pub mod hiding;
pub mod inherent;
pub mod lazy;
pub mod ltl;
pub mod native;
pub mod papers;
pub mod peers;
pub mod plot;
pub mod reduction;
pub mod smv;
pub mod spin;
pub mod systems;
pub mod units;
