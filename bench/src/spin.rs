//! SPIN on the same systems, where it is installed.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Statistics of SPIN about a run.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// States of the product in its table.
    pub stored: usize,
    /// States visited, one for each value of its fairness counter.
    pub visited: usize,
    /// Processor time of the verifier; generating and compiling it is not counted.
    pub time: Duration,
}

/// Peterson's protocol as [`crate::systems`] models it, step for step.
pub fn promela(n: usize) -> String {
    let mut text = format!("byte pos[{n}];\nbyte step[{n}];\n");
    for i in 0..n {
        let _ = writeln!(text, "active proctype P{i}() {{\nagain:");
        for l in 1..n {
            let _ = writeln!(text, "  pos[{i}] = {l};\nw{l}: step[{l}] = {i};");
            let others: Vec<String> =
                (0..n).filter(|&j| j != i).map(|j| format!("pos[{j}] < {l}")).collect();
            let _ = writeln!(text, "  (({}) || step[{l}] != {i});", others.join(" && "));
        }
        let _ = writeln!(text, "cs: pos[{i}] = 0;\n  goto again\n}}");
    }
    text.push_str("ltl live { [] (P0@w1 -> <> P0@cs) }\n");
    text
}

/// States of the never claim that SPIN makes of a formula, and the time on the wall.
///
/// # Errors
/// With a remark when SPIN is not there, or when it needs more than the seconds or 4 GiB.
pub fn translation(formula: &str, seconds: u64) -> Result<(usize, Duration), String> {
    if Command::new("spin").arg("-V").output().is_err() {
        return Err("not installed".to_owned());
    }
    let command = format!("ulimit -v 4194304; exec timeout {seconds} spin -f '{formula}'");
    let begin = Instant::now();
    let output =
        Command::new("bash").args(["-c", &command]).current_dir(std::env::temp_dir()).output();
    let time = begin.elapsed();
    let output = output.map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let is_label = |line: &&str| line.ends_with(':') && !line.starts_with(char::is_whitespace);
    match text.lines().filter(is_label).count() {
        0 => Err("given up".to_owned()),
        _ if !output.status.success() => Err("given up".to_owned()),
        states => Ok((states, time)),
    }
}

/// Checks Peterson's protocol under weak fairness with SPIN, without partial-order reduction.
///
/// # Errors
/// With a remark when SPIN or a C compiler is not there, or when the run fails.
///
/// # Panics
/// If SPIN finds the protocol not live.
pub fn peterson(n: usize) -> Result<Run, String> {
    let folder = std::env::temp_dir().join(format!("fairly-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let run = verify(&folder, n);
    let _ = std::fs::remove_dir_all(&folder);
    run
}

fn verify(folder: &Path, n: usize) -> Result<Run, String> {
    std::fs::write(folder.join("m.pml"), promela(n)).map_err(|error| error.to_string())?;
    let on = |program: &str, arguments: &[&str]| -> Result<Output, String> {
        let output = Command::new(program).args(arguments).current_dir(folder).output();
        let output = output.map_err(|error| format!("{program}: {error}"))?;
        if output.status.success() { Ok(output) } else { Err(format!("{program} failed")) }
    };
    on("spin", &["-a", "m.pml"])?;
    let fair = format!("-DNFAIR={}", n / 4 + 2);
    on("gcc", &["-O3", "-DNOREDUCE", &fair, "-o", "pan", "pan.c"])?;
    // The shell tells the processor time of its child on standard error.
    // Its tables are sized to the system: on small ones it would do nothing but allocate them.
    let exponent = u32::try_from(n).map_err(|error| error.to_string())?;
    let (depth, table) = (5 * 10u64.pow(exponent + 1), 14 + 2 * n);
    let pan = format!("TIMEFORMAT='%U %S'; time ./pan -m{depth} -w{table} -a -f 2>/dev/null");
    let output = on("bash", &["-c", &pan])?;
    let text = String::from_utf8_lossy(&output.stdout);
    if text.contains("too small") {
        return Err(format!("SPIN's stack was too small for {n} processes"));
    }
    assert!(text.contains("errors: 0"), "SPIN on Peterson {n}:\n{text}");
    let count = |what: &str| -> Option<usize> {
        let line = text.lines().find(|line| line.contains(what))?;
        let number = line.split_whitespace().next()?;
        number.parse::<f64>().ok().map(|number| number as usize)
    };
    let times = String::from_utf8_lossy(&output.stderr);
    let seconds = times.split_whitespace().filter_map(|part| part.parse::<f64>().ok()).sum();
    let visited = text
        .lines()
        .find_map(|line| line.split_once("states, stored (")?.1.split_once(" visited"))
        .and_then(|(number, _)| number.parse::<f64>().ok());
    let stored = count("states, stored").ok_or("SPIN's output was not understood")?;
    Ok(Run {
        stored,
        visited: visited.map_or(stored, |number| number as usize),
        time: Duration::from_secs_f64(seconds),
    })
}
