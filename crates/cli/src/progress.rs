//! How far a search is, on stderr: one line that is drawn again on a terminal, a line every ten seconds
//! elsewhere. And Ctrl-C: the first asks the search to stop, so that what was learned is printed; the
//! second quits.
//!
//! Another thread stands guard: it ends the process with what has been answered so far when memory is
//! exhausted, and when the work has not ended [`GRACE`] after it should have. Searches end by themselves
//! long before that; it is for whatever does not look at the clock often enough.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fairly_report::Look;
use fairly_search::{Seen, Watch};
use fairly_source::escape::in_line;
use fairly_store::meter::{self, Exhausted};

use crate::files::Output;
use crate::interim::Interim;
use crate::output;
use crate::system::Limit;

/// The present search, and its beginning.
struct Search {
    what: String,
    is_question: bool,
    since: Instant,
    /// When something was last printed, and how much had been seen by then.
    printed: Option<(Instant, usize)>,
    /// Whether a line stands on the terminal that is drawn again.
    drawn: bool,
}

/// Shows what searches do, from a thread of its own.
pub(crate) struct Progress {
    watch: Watch,
    search: Mutex<Option<Search>>,
    look: Look,
    is_terminal: bool,
    interim: Mutex<Interim>,
    /// When the work has to end, and since when it has had the time.
    time: Mutex<Option<(Instant, Instant)>>,
    /// The limit on memory, for the report; 0 if there is none.
    memory: AtomicUsize,
    /// The limit on states; 0 if there is none.
    states: AtomicUsize,
    /// Whether nothing is shown.
    is_hidden: AtomicBool,
    /// States of the search for the answer before this one; 0 if there was none.
    before: AtomicUsize,
}

/// How far the work is, as far as that is known. How many states there will be is not: what a limit allows,
/// and how many the answer before took, is all that can be said honestly.
#[derive(Default)]
struct Far {
    /// Which of how many questions it is.
    asked: Option<(usize, usize)>,
    /// How long it may take.
    given: Option<Duration>,
    /// How many states there may be; 0 for any number.
    most: usize,
    /// How many states the question before had; 0 if there was none.
    before: usize,
}

/// Until then a search is not worth a line.
const SHORT: Duration = Duration::from_millis(700);
const REDRAW: Duration = Duration::from_millis(200);
const ELSEWHERE: Duration = Duration::from_secs(10);
/// How often the guard looks.
const LOOK: Duration = Duration::from_millis(10);
/// How much later than it should the work may end by itself.
pub(crate) const GRACE: Duration = Duration::from_millis(700);
/// The exit code after a second Ctrl-C, as shells have it.
const INTERRUPTED: i32 = 130;

impl Progress {
    /// Begins to show what searches do, and to listen for Ctrl-C. It lasts as long as the program.
    pub(crate) fn start(look: Look) -> &'static Progress {
        let progress: &'static Progress = Box::leak(Box::new(Progress {
            watch: Watch::default(),
            search: Mutex::new(None),
            look,
            is_terminal: std::io::stderr().is_terminal(),
            interim: Mutex::default(),
            time: Mutex::default(),
            memory: AtomicUsize::new(0),
            states: AtomicUsize::new(0),
            is_hidden: AtomicBool::new(false),
            before: AtomicUsize::new(0),
        }));
        // Without a handler Ctrl-C ends the program as ever. It waits for nothing: a lock may be held by a
        // thread that writes to a terminal which takes nothing.
        let _ = ctrlc::set_handler(move || {
            if progress.watch.is_stopped() {
                std::process::exit(INTERRUPTED);
            }
            progress.watch.stop();
        });
        // Where the system has no more threads, there is no line of progress, and no guard.
        let thread = |name: &str| std::thread::Builder::new().name(name.to_owned());
        let _ = thread("guard").spawn(move || progress.stand_guard());
        let _ = thread("progress").spawn(move || {
            let mut is_told = false;
            loop {
                std::thread::sleep(REDRAW);
                if progress.watch.is_stopped() && !is_told {
                    progress.say("stopping; Ctrl-C again quits without a report");
                    is_told = true;
                }
                progress.tick();
            }
        });
        progress
    }

    /// The answers so far.
    pub(crate) fn interim(&self) -> std::sync::MutexGuard<'_, Interim> {
        self.interim.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The work has to end by then, if there is a time; it begins now.
    pub(crate) fn until(&self, deadline: Option<Instant>) {
        let mut time = self.time.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *time = deadline.map(|deadline| (deadline, Instant::now()));
    }

    /// The work may use so many bytes.
    pub(crate) fn within(&self, bytes: usize) {
        self.memory.store(bytes, Ordering::Relaxed);
    }

    /// Nothing is shown.
    pub(crate) fn hide(&self) {
        self.is_hidden.store(true, Ordering::Relaxed);
    }

    /// A search may meet so many states.
    pub(crate) fn at_most(&self, states: usize) {
        self.states.store(states, Ordering::Relaxed);
    }

    /// Ends the process when the work cannot go on, or should have ended.
    fn stand_guard(&self) {
        meter::stand_guard();
        let mut stopped: Option<Instant> = None;
        loop {
            std::thread::sleep(LOOK);
            if let Some(what) = meter::exhausted() {
                self.give_up(&self.exhausted(what), Limit::Memory);
            }
            if self.watch.is_stopped() {
                let since = *stopped.get_or_insert_with(Instant::now);
                if since.elapsed() >= GRACE {
                    self.give_up("interrupted", Limit::Interrupted);
                }
            }
            let time = self.time.try_lock().ok().and_then(|time| *time);
            if let Some((deadline, since)) = time
                && Instant::now() >= deadline + GRACE
            {
                let why = format!("stopped after {:.1} s", since.elapsed().as_secs_f64());
                self.give_up(&why, Limit::Time);
            }
        }
    }

    fn exhausted(&self, what: Exhausted) -> String {
        match what {
            Exhausted::Limit => {
                let limit = self.memory.load(Ordering::Relaxed);
                format!("stopped at the memory limit of {}", bytes(limit))
            }
            Exhausted::System => "out of memory: the system has no more".to_owned(),
        }
    }

    /// Reports what has been answered, and ends the process. The thread that did the work may hold any lock,
    /// also that of stdout, so none is waited for.
    fn give_up(&self, why: &str, limit: Limit) -> ! {
        let Ok(interim) = self.interim.try_lock() else {
            self.end(&format!("unknown: {why}\n"), crate::failure::UNKNOWN);
        };
        if interim.is_complete() {
            self.end("", crate::failure::UNKNOWN);
        }
        let doing = self.search.try_lock().ok().and_then(|search| {
            let search = search.as_ref()?;
            (!search.is_question).then(|| search.what.clone())
        });
        let phase = doing.or_else(|| self.watch.phase().map(|phase| phase.to_string()));
        let why = match phase {
            Some(doing) => format!("{why}, while {doing}"),
            None => why.to_owned(),
        };
        let last = interim.last_words(&why, limit);
        output::without_lock(&std::io::stdout(), &last.stdout);
        for (file, text) in &last.files {
            let _ = Output::open(file).and_then(|to| to.write(text));
        }
        self.end(&last.stderr, last.code);
    }

    fn end(&self, said: &str, code: u8) -> ! {
        let clears = if self.is_terminal { "\r\x1b[K" } else { "" };
        output::without_lock(&std::io::stderr(), &format!("{clears}{said}"));
        std::process::exit(i32::from(code))
    }

    /// The watch that searches report to.
    pub(crate) fn watch(&'static self) -> &'static Watch {
        &self.watch
    }

    /// A search begins, for the answer to a question.
    pub(crate) fn begin(&self, question: &str) {
        self.work_on(question, true);
    }

    /// Something else begins, such as reading a model.
    pub(crate) fn begin_work(&self, what: &str) {
        self.work_on(what, false);
    }

    fn work_on(&self, what: &str, is_question: bool) {
        let seen = self.watch.seen().nodes;
        self.watch.begin();
        let mut search = self.lock();
        let was_question = search.as_ref().is_some_and(|search| search.is_question);
        self.before.store(if was_question { seen } else { 0 }, Ordering::Relaxed);
        let drawn = search.as_ref().is_some_and(|search| search.drawn);
        let (what, since) = (what.to_owned(), Instant::now());
        *search = Some(Search { what, is_question, since, printed: None, drawn });
    }

    /// Nothing is searched any more: whatever is printed next stands on a line of its own.
    pub(crate) fn quiet(&self) {
        self.until(None);
        self.interim().complete();
        if self.lock().take().is_some_and(|search| search.drawn) {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }

    fn say(&self, what: &str) {
        let mut search = self.lock();
        if let Some(search) = search.as_mut().filter(|search| search.drawn) {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
            search.drawn = false;
        }
        let _ = writeln!(std::io::stderr(), "{what}");
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Search>> {
        // A panic elsewhere leaves nothing half-done here.
        self.search.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn tick(&self) {
        let mut search = self.lock();
        let Some(search) = search.as_mut() else { return };
        let now = Instant::now();
        let wait = if self.is_terminal { SHORT } else { ELSEWHERE };
        let due = match search.printed {
            None => now - search.since >= wait,
            Some((at, _)) => self.is_terminal || now - at >= ELSEWHERE,
        };
        if !due || self.is_hidden.load(Ordering::Relaxed) {
            return;
        }
        let seen = self.watch.seen();
        let (since, before) = search.printed.unwrap_or((search.since, 0));
        let rate = rate(seen.nodes.saturating_sub(before), now - since);
        let asked = self.interim.try_lock().ok().and_then(|interim| interim.position());
        let asked = asked.filter(|_| search.is_question);
        let time = self.time.try_lock().ok().and_then(|time| *time);
        let given = time.map(|(deadline, since)| deadline.saturating_duration_since(since));
        let before = self.before.load(Ordering::Relaxed);
        let far = Far { asked, given, most: self.states.load(Ordering::Relaxed), before };
        let line = line(&in_line(&search.what), &seen, rate, now - search.since, &far);
        let line = match self.look.verbose {
            true => line + &of_workers(&self.watch.workers()),
            false => line,
        };
        let line = self.look.finish(line);
        let mut stderr = std::io::stderr().lock();
        if self.is_terminal {
            let room = self.look.width.saturating_sub(1);
            let line: String = line.chars().take(room).collect();
            let _ = write!(stderr, "\r\x1b[K{line}");
            let _ = stderr.flush();
            search.drawn = true;
        } else {
            let _ = writeln!(stderr, "{line}");
        }
        search.printed = Some((now, seen.nodes));
    }
}

fn rate(count: usize, time: Duration) -> usize {
    (count as f64 / time.as_secs_f64().max(0.001)) as usize
}

/// Addition to the line for several workers: how many of the states are whose.
fn of_workers(nodes: &[usize]) -> String {
    match nodes {
        [] | [_] => String::new(),
        several => {
            let several: Vec<String> = several.iter().map(|&nodes| short(nodes)).collect();
            format!(", by worker {}", several.join(" "))
        }
    }
}

/// The line. What is zero is not known, or not worth a word.
fn line(what: &str, seen: &Seen, rate: usize, time: Duration, far: &Far) -> String {
    let what = match far.asked {
        Some((at, all)) => format!("property {at} of {all}: {what}"),
        None => what.to_owned(),
    };
    let of = match (far.most, far.before) {
        (0, 0) => String::new(),
        (0, before) => format!(" ({} for the one before)", short(before)),
        (most, _) => format!(" of at most {}", short(most)),
    };
    let mut parts = vec![
        what,
        format!("{} states{of}", short(seen.nodes)),
        format!("{} trans", short(seen.steps)),
        format!("{}/s", short(rate)),
    ];
    if seen.waiting > 0 {
        parts.push(format!("open {}", short(seen.waiting)));
    }
    if seen.components > 0 {
        // Those with a fair run that violates the property end the search, so these are the others.
        parts.push(format!("components {}", short(seen.components)));
    }
    if seen.bytes > 0 {
        parts.push(bytes(seen.bytes));
    }
    let clock = |time: Duration| format!("{}:{:02}", time.as_secs() / 60, time.as_secs() % 60);
    parts.push(match far.given {
        Some(given) => format!("{} of {}", clock(time), clock(given)),
        None => clock(time),
    });
    parts.join("  ")
}

/// A number in three digits and a unit.
fn short(number: usize) -> String {
    let (unit, sign) = match number {
        0..10_000 => return number.to_string(),
        10_000..1_000_000 => (1e3, "k"),
        1_000_000..1_000_000_000 => (1e6, "M"),
        _ => (1e9, "G"),
    };
    let value = number as f64 / unit;
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.digits$}{sign}")
}

fn bytes(count: usize) -> String {
    let mebibytes = count as f64 / f64::from(1 << 20);
    if mebibytes < 1000.0 {
        format!("{mebibytes:.0} MiB")
    } else {
        format!("{:.1} GiB", mebibytes / 1024.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_is_known() {
        let seen = Seen {
            nodes: 1_240_000,
            steps: 3_410_000,
            waiting: 812,
            components: 12,
            bytes: 1_180_000_000,
        };
        assert_eq!(
            line("live", &seen, 412_345, Duration::from_secs(63), &Far::default()),
            "live  1.24M states  3.41M trans  412k/s  open 812  components 12  1.1 GiB  1:03"
        );
        let nothing = Seen { nodes: 64, ..Seen::default() };
        let short = line("live", &nothing, 64, Duration::from_secs(1), &Far::default());
        assert_eq!(short, "live  64 states  0 trans  64/s  0:01");
        let far = Far {
            asked: Some((2, 4)),
            given: Some(Duration::from_secs(90)),
            most: 20_000,
            before: 300,
        };
        let second = line("live", &nothing, 64, Duration::from_secs(1), &far);
        let states = "64 states of at most 20.0k";
        assert_eq!(second, format!("property 2 of 4: live  {states}  0 trans  64/s  0:01 of 1:30"));
        let unlimited = Far { most: 0, given: None, ..far };
        let second = line("live", &nothing, 64, Duration::from_secs(1), &unlimited);
        let states = "64 states (300 for the one before)";
        assert_eq!(second, format!("property 2 of 4: live  {states}  0 trans  64/s  0:01"));
    }

    #[test]
    fn numbers_have_three_digits() {
        let all = [9_999, 10_000, 999_400, 1_000_000, 12_345_678, 2_000_000_000].map(short);
        assert_eq!(all, ["9999", "10.0k", "999k", "1.00M", "12.3M", "2.00G"]);
    }
}
