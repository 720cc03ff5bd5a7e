//! The Promela models that are run: what they are, how large, and which promises they keep.

use std::fmt::Write;

use super::channels;
use crate::spin;

/// A Promela model of some size.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// Name of the model.
    pub(crate) name: &'static str,
    /// How many processes, floors or stations.
    pub(crate) n: usize,
    /// The program, with its formulas.
    pub(crate) text: String,
    /// How many states it has, where that is known from its construction or from the literature.
    pub(crate) states: Option<usize>,
    /// A formula that holds on all runs.
    pub(crate) always: Option<&'static str>,
    /// A formula that holds on weakly fair runs.
    pub(crate) weak: Option<&'static str>,
    /// A formula that holds on strongly fair runs only.
    pub(crate) strong: Option<&'static str>,
    /// Processes, which SPIN's weak fairness counts.
    pub(crate) processes: usize,
    /// Whether it is small enough to be run on every change.
    pub(crate) quick: bool,
}

/// All of them, in the order of the tables.
pub(crate) fn all() -> Vec<Model> {
    vec![
        peterson(4),
        peterson(5),
        peterson(6),
        semaphore(8),
        semaphore(12),
        philosophers(11),
        polite_philosophers(11),
        scheduler(12),
        scheduler(14),
        scheduler_by_rendezvous(12),
        election(7),
        elevator(7),
        sliding_window(),
        caches(),
    ]
    .into_iter()
    .chain(channels::all())
    .collect()
}

/// Peterson's protocol as the table of fairness has it.
pub(crate) fn peterson(n: usize) -> Model {
    let mut text = spin::promela(n);
    // Some process gets in, however unfair the schedule is: they cannot all wait.
    let inside: Vec<String> = (0..n).map(|i| format!("P{i}@cs")).collect();
    let _ = writeln!(text, "ltl someone {{ [] <> ({}) }}", inside.join(" || "));
    Model {
        name: "Peterson",
        n,
        text,
        states: [None, Some(9_272), Some(223_105)].get(n - 3).copied().flatten(),
        always: Some("someone"),
        weak: Some("live"),
        strong: None,
        processes: n,
        quick: n == 4,
    }
}

/// A semaphore without a queue; a process is idle, waits, and is inside.
pub(crate) fn semaphore(n: usize) -> Model {
    let text = format!(
        "bool taken;
active [{n}] proctype Process() {{
    do
    :: true -> // Idle until here.
waiting:
       atomic {{ !taken -> taken = true }};
inside:
       taken = false
    od
}}
ltl someone {{ [] <> taken }}
ltl first {{ [] (Process[0]@waiting -> <> Process[0]@inside) }}
"
    );
    Model {
        name: "semaphore",
        n,
        text,
        // All idle or waiting, or one inside.
        states: Some((1 << n) + (n << (n - 1))),
        always: Some("someone"),
        weak: Some("someone"),
        strong: Some("first"),
        processes: n,
        quick: n == 8,
    }
}

/// Some philosopher eats again and again; and each who is hungry, here the first.
fn meals(n: usize, polite: bool) -> String {
    let of = |i: usize| if polite && i == n - 1 { "Polite" } else { "Philosopher" };
    let eating: Vec<String> = (0..n).map(|i| format!("{}[{i}]@eats", of(i))).collect();
    format!(
        "ltl someone {{ [] <> ({}) }}
ltl first {{ [] (Philosopher[0]@hungry -> <> Philosopher[0]@eats) }}
",
        eating.join(" || ")
    )
}

/// Philosophers who take the left fork, then the right, and lay them down in the same order. A fork
/// lies on the table or is in one of two hands; only that all have the right one cannot be.
fn philosophers(n: usize) -> Model {
    let text = format!("{}{}", philosopher(n, n), meals(n, false));
    Model {
        name: "philosophers",
        n,
        text,
        states: Some(3usize.pow(u32::try_from(n).expect("small")) - 1),
        always: None,
        weak: None,
        strong: None,
        processes: n,
        quick: false,
    }
}

/// So many of `n` philosophers, and their forks.
fn philosopher(n: usize, how_many: usize) -> String {
    format!(
        "bool taken[{n}];
#define left taken[_pid]
#define right taken[(_pid + 1) % {n}]
active [{how_many}] proctype Philosopher() {{
    do
    :: atomic {{ !left -> left = true }};
hungry:
       atomic {{ !right -> right = true }};
eats:
       left = false;
       right = false
    od
}}
"
    )
}

/// The same, but the last one begins with the right fork, so that there is no deadlock.
fn polite_philosophers(n: usize) -> Model {
    let text = format!(
        "{}active proctype Polite() {{
    do
    :: atomic {{ !right -> right = true }};
       atomic {{ !left -> left = true }};
eats:
       right = false;
       left = false
    od
}}
{}",
        philosopher(n, n - 1),
        meals(n, true)
    );
    Model {
        name: "philosophers, one polite",
        n,
        text,
        states: None,
        always: Some("someone"),
        weak: Some("someone"),
        strong: Some("first"),
        processes: n,
        quick: false,
    }
}

/// Milner's scheduler: cells start their tasks in turn, and a task may end at any time before its
/// turn comes again.
pub(crate) fn scheduler(n: usize) -> Model {
    let text = format!(
        "bool works[{n}];
byte turn;
active [{n}] proctype Cell() {{
    do
    :: atomic {{ turn == _pid && !works[_pid] -> works[_pid] = true }};
       turn = (turn + 1) % {n}
    od
}}
active [{n}] proctype Task() {{
    do
    :: atomic {{ works[_pid - {n}] -> works[_pid - {n}] = false }}
    od
}}
ltl around {{ [] <> (turn == 0) }}
"
    );
    Model {
        name: "Milner's scheduler",
        n,
        text,
        // Whose turn it is, before or after the start; and who works.
        states: Some((2 * n) << n),
        always: Some("around"),
        weak: Some("around"),
        strong: None,
        processes: 2 * n,
        quick: false,
    }
}

/// The same, with the turn handed over and tasks started by rendezvous.
fn scheduler_by_rendezvous(n: usize) -> Model {
    let mut text =
        format!("chan turn[{n}] = [0] of {{ bit }};\nchan start[{n}] = [0] of {{ bit }};\n");
    for i in 0..n {
        let begin = if i == 0 { "goto mine;" } else { "" };
        let next = (i + 1) % n;
        let _ = writeln!(
            text,
            "active proctype Cell{i}() {{
    {begin}
again: turn[{i}]?_;
mine: start[{i}]!0;
    turn[{next}]!0;
    goto again
}}
active proctype Task{i}() {{
again: start[{i}]?_;
    skip; // It works until here.
    goto again
}}"
        );
    }
    text.push_str("ltl around { [] <> Cell0@mine }\n");
    Model {
        name: "Milner's scheduler, rendezvous",
        n,
        text,
        states: Some((2 * n) << n),
        always: Some("around"),
        weak: Some("around"),
        strong: None,
        processes: 2 * n,
        quick: false,
    }
}

/// Election on a ring in one direction by Dolev, Klawe and Rodeh: `examples/promela` explains it.
fn election(n: usize) -> Model {
    // Some order in which the greatest is neither first nor last.
    let numbers = (0..n).map(|i| (i * (n - 1) + n / 2) % n + 1);
    let run: Vec<String> =
        numbers.enumerate().map(|(i, mine)| format!("run Station({i}, {mine})")).collect();
    let text = format!(
        "mtype = {{ one, two }};
chan link[{n}] = [2] of {{ mtype, byte }};
byte leaders;
#define left link[here]
#define right link[(here + 1) % {n}]
proctype Station(byte here; byte carried) {{
    byte near, far;
    right!one, carried;
active_station:
    left?one, near;
    if
    :: near == carried -> leaders++; goto done
    :: else
    fi;
    right!two, near;
    left?two, far;
    if
    :: near > carried && near > far ->
       carried = near;
       right!one, carried;
       goto active_station
    :: else
    fi;
    near = 0; far = 0;
end:
    do
    :: left?one, near -> right!one, near
    :: left?two, near -> right!two, near
    od;
done:
    skip
}}
init {{ atomic {{ {} }} }}
ltl elects {{ <> (leaders == 1) }}
",
        run.join("; ")
    );
    Model {
        name: "election",
        n,
        text,
        states: None,
        always: Some("elects"),
        weak: Some("elects"),
        strong: None,
        processes: n + 1,
        quick: false,
    }
}

/// An elevator that goes on in its direction as long as there is a call ahead; on each floor a passenger calls
/// whenever there is no call.
fn elevator(n: usize) -> Model {
    let any = |of: &dyn Fn(usize) -> String| (0..n).map(of).collect::<Vec<_>>().join(" || ");
    let above = any(&|i| format!("(floor < {i} && called[{i}])"));
    let below = any(&|i| format!("(floor > {i} && called[{i}])"));
    let text = format!(
        "#define above ({above})
#define below ({below})
bool called[{n}];
byte floor;
bool open, moving;
bool up = true;
inline go() {{
    if
    :: up && above -> atomic {{ moving = true; floor++ }}; moving = false
    :: !up && below -> atomic {{ moving = true; floor-- }}; moving = false
    :: up && !above && below -> up = false
    :: !up && !below && above -> up = true
    :: else
    fi
}}
active proctype Cabin() {{
end:
    do
    :: called[floor] ->
       open = true;
       called[floor] = false;
       open = false;
       go()
    :: !called[floor] && (above || below) -> go()
    od
}}
active [{n}] proctype Person() {{
end:
    do
    :: !called[_pid - 1] -> called[_pid - 1] = true
    od
}}
ltl opens {{ [] <> open }}
ltl served {{ [] (called[{top}] -> <> (open && floor == {top})) }}
",
        top = n - 1
    );
    Model {
        name: "elevator",
        n,
        text,
        states: None,
        always: Some("opens"),
        weak: Some("served"),
        strong: None,
        processes: n + 1,
        quick: false,
    }
}

/// A sliding window with selective repeat on a line that loses some messages, but not for ever.
fn sliding_window() -> Model {
    let text = "#define WINDOW 3
#define NUMBERS 6
#define FRAMES 7
#define LOSSES 3
chan data = [WINDOW] of { byte, byte };
chan ack = [WINDOW] of { byte };
byte delivered;
byte losses;
active proctype Sender() {
    byte base, i, at;
    bool acked[FRAMES + WINDOW];
end:
    do
    :: ack?i ->
       d_step {
           at = base;
           do
           :: at < base + WINDOW && at % NUMBERS != i -> at++
           :: else -> break
           od;
           if
           :: at < base + WINDOW -> acked[at] = true
           :: else
           fi;
           do
           :: base < FRAMES && acked[base] -> base++
           :: else -> break
           od;
           i = 0;
           at = 0
       }
    :: base < FRAMES && empty(ack) ->
       for (i : base .. base + WINDOW - 1) {
           if
           :: i < FRAMES && !acked[i] ->
              if
              :: data!(i % NUMBERS), i
              :: losses < LOSSES -> losses++
              fi
           :: else
           fi
       }
       i = 0
    od
}
active proctype Receiver() {
    byte number, content, at;
    byte kept[NUMBERS] = 255;
end:
    do
    :: data?number, content ->
       d_step {
           at = 0;
           do
           :: at < WINDOW && (delivered + at) % NUMBERS != number -> at++
           :: else -> break
           od;
           if
           :: at < WINDOW -> kept[number] = content
           :: else
           fi;
           do
           :: kept[delivered % NUMBERS] != 255 ->
              kept[delivered % NUMBERS] = 255;
              delivered++
           :: else -> break
           od;
           content = 0;
           at = 0
       }
       if
       :: ack!number
       :: losses < LOSSES -> losses++
       fi;
       number = 0
    od
}
ltl delivers { <> (delivered == FRAMES) }
";
    Model {
        name: "sliding window",
        n: 3,
        text: text.to_owned(),
        states: None,
        always: Some("delivers"),
        weak: Some("delivers"),
        strong: None,
        processes: 2,
        quick: false,
    }
}

/// Caches that keep lines coherent by MSI: modified (2), shared (1) or invalid (0). The bus is the one
/// step in which all change.
fn caches() -> Model {
    let text = "#define N 4
#define LINES 3
#define mine (_pid * LINES + l)
byte state[12];
bit value[12];
bit memory[LINES];
inline snoop(after) {
    i = 0;
    do
    :: i < N ->
       if
       :: i != _pid && state[i * LINES + l] == 2 ->
          memory[l] = value[i * LINES + l]; state[i * LINES + l] = after
       :: i != _pid && state[i * LINES + l] == 1 -> state[i * LINES + l] = after
       :: else
       fi;
       if
       :: state[i * LINES + l] == 0 -> value[i * LINES + l] = 0
       :: else
       fi;
       i++
    :: else -> break
    od;
    i = 0
}
inline read(line) {
    d_step {
        state[_pid * LINES + line] == 0 ->
        l = line;
        snoop(1);
        value[mine] = memory[l];
        state[mine] = 1;
        l = 0
    }
}
inline write(line, v) {
    d_step {
        l = line;
        snoop(0);
        state[mine] = 2;
        value[mine] = v;
        l = 0
    }
}
inline evict(line) {
    d_step {
        state[_pid * LINES + line] != 0 ->
        l = line;
        if
        :: state[mine] == 2 -> memory[l] = value[mine]
        :: else
        fi;
        state[mine] = 0;
        value[mine] = 0;
        l = 0
    }
}
active [N] proctype Processor() {
    byte i, l;
    do
    :: read(0) :: read(1) :: read(2)
    :: write(0, 0) :: write(0, 1)
    :: write(1, 0) :: write(1, 1)
    :: write(2, 0) :: write(2, 1)
    :: evict(0) :: evict(1) :: evict(2)
    od
}
ltl single { [] !(state[0] == 2 && state[LINES] != 0) }
";
    Model {
        name: "MSI caches",
        n: 4,
        text: text.to_owned(),
        states: None,
        always: Some("single"),
        weak: Some("single"),
        strong: None,
        processes: 4,
        quick: false,
    }
}
