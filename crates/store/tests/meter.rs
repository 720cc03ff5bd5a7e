//! The allocator that counts. Alone in its program: it is that program's allocator.
//!
//! Tests that end a process run in another one, which is this program again, told by the environment which test
//! to run.

use std::hint::black_box;
use std::process::{Command, Output};
use std::time::Duration;

use fairly_store::meter::{self, BATCH, Exhausted, LEAST, MARGIN, PROGRAM};
use fairly_store::{StoreError, Trees};

#[global_allocator]
static ALLOCATOR: meter::Metered = meter::Metered;

const MIB: usize = 1 << 20;
/// Says which of the processes this is.
const ROLE: &str = "FAIRLY_METER_ROLE";

fn main() {
    meter::begin();
    match std::env::var(ROLE).as_deref() {
        Ok("unguarded") => exhaust(),
        Ok("guarded") => {
            std::thread::spawn(guard);
            // The guard has to be there first.
            std::thread::sleep(Duration::from_millis(50));
            exhaust();
        }
        Ok("steps") => small_steps(),
        Ok(other) => panic!("no role {other}"),
        Err(_) => {
            counts();
            refuses_what_can_be_refused();
            ends_in_time();
            println!("test result: ok");
        }
    }
}

/// Memory is counted when it is taken and when it is given back.
fn counts() {
    let before = meter::used().expect("it counts");
    let block = black_box(vec![1_u8; 10 * MIB]);
    let during = meter::used().expect("it counts");
    assert!((during - before).abs_diff(10 * MIB) < MIB, "{before} {during}");
    drop(block);
    let after = meter::used().expect("it counts");
    assert!(after.abs_diff(before) < MIB, "{before} {after}");
    // Many small ones, each with what it takes to manage it.
    let blocks: Vec<Box<u64>> = (0..100_000).map(|at| black_box(Box::new(at))).collect();
    let during = meter::used().expect("it counts");
    assert!(during + 2 * BATCH - after >= 100_000 * (8 + 32), "{after} {during}");
    drop(blocks);
    let mut list: Vec<u64> = Vec::new();
    (0..1 << 20).for_each(|at| list.push(at));
    let grown = meter::used().expect("it counts");
    assert!((grown - after).abs_diff(8 * MIB) < MIB, "{after} {grown}");
}

/// A limit is kept by requests that can be refused, before the memory is taken.
fn refuses_what_can_be_refused() {
    const LIMIT: usize = 64 * MIB;
    meter::limit(LIMIT);
    assert!(!meter::is_exceeded());
    let taken = black_box(vec![1_u8; LIMIT - PROGRAM - 10 * MIB]);
    let mut list: Vec<u8> = Vec::new();
    assert!(meter::fallibly(|| list.try_reserve_exact(20 * MIB)).is_err());
    assert!(meter::fallibly(|| list.try_reserve_exact(5 * MIB)).is_ok());
    drop(list);
    // A table that may take more than there is.
    let mut trees = Trees::new(4, usize::MAX >> 1).expect("there is room for an empty one");
    let full = (0_u64..).find_map(|at| trees.insert(&[at, at ^ 77, at >> 3, 5 * at]).err());
    assert_eq!(full, Some(StoreError::Budget { limit: LIMIT }));
    assert!(meter::used().expect("it counts") <= LIMIT - PROGRAM);
    drop((taken, trees));
    meter::limit(0);
    assert!(meter::limit_before(LEAST + MIB).is_some() && meter::limit_before(0).is_none());
    meter::limit(usize::MAX);
}

/// A request that cannot be refused ends the process, with a message.
fn ends_in_time() {
    let run = |role: &str| -> Output {
        let this = std::env::current_exe().expect("this program");
        Command::new(this).env(ROLE, role).output().expect("it runs")
    };
    let said = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let unguarded = run("unguarded");
    assert_eq!(unguarded.status.code(), Some(3), "{}", said(&unguarded));
    assert_eq!(said(&unguarded), "unknown: out of memory\n");
    let guarded = run("guarded");
    assert_eq!(guarded.status.code(), Some(42), "{}", said(&guarded));
    assert_eq!(said(&guarded), "the guard has seen it\n");
    let steps = run("steps");
    assert_eq!(steps.status.code(), Some(42), "{}", said(&steps));
}

/// Takes more than the limit allows at once.
fn exhaust() {
    meter::limit(LEAST + PROGRAM);
    black_box(vec![1_u8; 2 * LEAST]);
    panic!("there was room for it");
}

/// Takes a little at a time, much more than is counted at once.
fn small_steps() {
    std::thread::spawn(|| {
        meter::stand_guard();
        while meter::exhausted().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let most = LEAST + (LEAST / MARGIN).max(MIB) + MIB;
        let used = meter::used().expect("it counts");
        assert!(used > LEAST && used < most, "{used}");
        std::process::exit(42);
    });
    std::thread::sleep(Duration::from_millis(50));
    meter::limit(0);
    let mut blocks = Vec::new();
    loop {
        blocks.push(black_box(Box::new([0_u8; 1000])));
    }
}

fn guard() {
    meter::stand_guard();
    loop {
        if let Some(what) = meter::exhausted() {
            assert_eq!(what, Exhausted::Limit);
            // It may take more, for the report.
            let said = black_box("the guard has seen it\n".repeat(1 << 18));
            eprint!("{}", &said[..22]);
            std::process::exit(42);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
