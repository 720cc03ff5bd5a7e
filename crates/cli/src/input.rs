//! Reading files and standard input: not more than [`MOST`] bytes, and not longer than the patience of the
//! user.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use fairly_front::languages::Encoding;
pub(crate) use fairly_front::loaded::Text as Input;
use fairly_search::Watch;
use fairly_source::escape::without_noncharacters;
use fairly_source::{Diagnostic, Span};

use crate::failure::CliError;

/// The largest file that is read.
pub(crate) const MOST: u64 = 128 << 20;

/// Time that reading may take: a FIFO without a writer has no end.
#[derive(Clone, Copy, Default)]
pub(crate) struct Patience {
    /// Who says that everything is to stop.
    pub(crate) watch: Option<&'static Watch>,
    /// How many seconds there are.
    pub(crate) time: Option<Duration>,
}

/// Reads one file, or standard input for `-`. Use [`read_within`] where there is a limit on time.
pub(crate) fn read(path: &str) -> Result<Input, CliError> {
    read_within(path, Encoding::Utf8, Patience::default())
}

/// Reads one file, or standard input for `-`, within a time.
pub(crate) fn read_within(
    path: &str,
    encoding: Encoding,
    patience: Patience,
) -> Result<Input, CliError> {
    match path {
        "-" => read_as("<stdin>".to_owned(), None, encoding, patience),
        _ => read_as(path.to_owned(), Some(Path::new(path)), encoding, patience),
    }
}

/// Reads the file of a path, or standard input without one, and calls it so. A path need not be text, so a name is
/// never opened in place of it.
pub(crate) fn read_as(
    name: String,
    path: Option<&Path>,
    encoding: Encoding,
    patience: Patience,
) -> Result<Input, CliError> {
    let bytes = bytes(path, patience, &name)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Input { name, text: without_noncharacters(text) }),
        Err(error) if encoding == Encoding::Latin1 => {
            let text = with_latin1(error.as_bytes());
            Ok(Input { name, text: without_noncharacters(text) })
        }
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let diagnostic =
                Diagnostic::error("E0001", "the text is not UTF-8", Span::new(at, at + 1))
                    .label("the first byte that does not belong");
            Err(CliError::Input { name, text, diagnostic: Box::new(diagnostic) })
        }
    }
}

/// The text that bytes are, where each one that is not UTF-8 is a character of its own.
fn with_latin1(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|&byte| char::from(byte)));
    }
    text
}

fn bytes(path: Option<&Path>, patience: Patience, name: &str) -> Result<Vec<u8>, CliError> {
    let unreadable = |error: io::Error| CliError::Unreadable {
        code: "E0003",
        message: format!("cannot read {name}: {error}"),
    };
    let bytes = if patience.watch.is_none() && patience.time.is_none() {
        at_most(path).map_err(unreadable)?
    } else {
        waited_for(path, patience, name)?.map_err(unreadable)?
    };
    if bytes.len() as u64 > MOST {
        return Err(CliError::Unreadable {
            code: "E0002",
            message: format!("{name} is too large: there are more than {} MiB", MOST >> 20),
        });
    }
    Ok(bytes)
}

/// The first bytes of a file, one more than are allowed if there are so many.
fn at_most(path: Option<&Path>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match path {
        None => io::stdin().lock().take(MOST + 1).read_to_end(&mut bytes)?,
        // A folder can be opened, but not read.
        Some(path) => File::open(path)?.take(MOST + 1).read_to_end(&mut bytes)?,
    };
    Ok(bytes)
}

/// Reads in another thread, which is left alone if it takes too long: opening a FIFO cannot be given up.
fn waited_for(
    path: Option<&Path>,
    patience: Patience,
    name: &str,
) -> Result<io::Result<Vec<u8>>, CliError> {
    const PAUSE: Duration = Duration::from_millis(20);
    let (sender, receiver) = mpsc::channel();
    let wanted = path.map(Path::to_owned);
    let reading = move || {
        // If it took too long, the receiver is gone.
        let _ = sender.send(at_most(wanted.as_deref()));
    };
    if std::thread::Builder::new().name("reading".to_owned()).spawn(reading).is_err() {
        // The system has no more threads, so there is none to wait.
        return Ok(at_most(path));
    }
    let started = Instant::now();
    loop {
        match receiver.recv_timeout(PAUSE) {
            Ok(read) => return Ok(read),
            Err(RecvTimeoutError::Disconnected) => {
                return Ok(Err(io::Error::other("reading failed")));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let stopped = patience.watch.is_some_and(Watch::is_stopped);
        if stopped || patience.time.is_some_and(|time| started.elapsed() >= time) {
            return Err(CliError::Stopped(format!("stopped while reading {name}")));
        }
    }
}

/// The text of a regular file that is not too large, as far as it is text; nothing of any other.
pub(crate) fn glance(path: &Path, most: u64) -> String {
    let is_small = std::fs::metadata(path).is_ok_and(|it| it.is_file() && it.len() <= most);
    let bytes = if is_small { std::fs::read(path).unwrap_or_default() } else { Vec::new() };
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads several inputs, each with an encoding; standard input can be one of them, once.
pub(crate) fn read_all(
    paths: &[String],
    encoding: impl Fn(&str) -> Encoding,
    patience: Patience,
) -> Result<Vec<Input>, CliError> {
    if paths.iter().filter(|path| *path == "-").count() > 1 {
        return Err(CliError::usage("`-` stands for standard input, which can be read only once"));
    }
    paths.iter().map(|path| read_within(path, encoding(path), patience)).collect()
}
