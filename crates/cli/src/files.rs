//! Every file that the command writes goes through here.
//!
//! A model comes from a stranger, and so may the folder that it is checked in. Names of properties are made
//! harmless by [`slug`]; a folder of our own is opened without following a symbolic link ([`Folder`]); a file
//! is written to a temporary file beside it and renamed, so that a full disk leaves what was there, and a link
//! with the name of an output is replaced, never followed. A path that the user names ([`Output`]) may be
//! anywhere. It is tried before the search, so that a typing error does not cost an hour.
//!
//! `rustix` gives `openat` and its kin as safe functions. `cap-std` would forbid leaving a folder
//! altogether; the paths that users name may leave it, and what remains is one `O_NOFOLLOW`.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::fs::{self, Access, AtFlags, CWD, FileType, Mode, OFlags};

use crate::failure::CliError;

/// A folder, opened once: whatever happens to its path later, files are made in it.
pub(crate) struct Folder {
    folder: OwnedFd,
}

impl Folder {
    /// Opens a folder of our own, and makes it if it is not there. A symbolic link is not followed.
    ///
    /// The second value is whether the folder is new.
    pub(crate) fn own(path: &str) -> io::Result<(Folder, bool)> {
        let is_new = match fs::mkdirat(CWD, path, Mode::from_raw_mode(0o777)) {
            Ok(()) => true,
            Err(rustix::io::Errno::EXIST) => false,
            Err(error) => return Err(error.into()),
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match fs::openat(CWD, path, flags, Mode::empty()) {
            Ok(folder) => Ok((Folder { folder }, is_new)),
            Err(rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR) => Err(io::Error::other(
                format!("{path} is a symbolic link or no folder, and is left alone"),
            )),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens the folder of a path that the user named, by whichever way the path leads there.
    fn of(path: &Path) -> io::Result<Folder> {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Folder { folder: fs::openat(CWD, parent, flags, Mode::empty())? })
    }

    /// Kind of the entry with a name in the folder; a link is a link.
    fn kind(&self, name: &OsStr) -> io::Result<Option<(FileType, Mode)>> {
        match fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some((
                FileType::from_raw_mode(stat.st_mode),
                Mode::from_raw_mode(stat.st_mode) & Mode::from_raw_mode(0o777),
            ))),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The beginning of a regular file in the folder, up to so many bytes; none if there is no such file.
    pub(crate) fn read(&self, name: &str, most: u64) -> io::Result<Option<Vec<u8>>> {
        use std::io::Read;
        if !matches!(self.kind(OsStr::new(name))?, Some((FileType::RegularFile, _))) {
            return Ok(None);
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(fs::openat(&self.folder, name, flags, Mode::empty())?);
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// Whether the name is that of a folder.
    pub(crate) fn is_folder(&self, name: &str) -> bool {
        matches!(self.kind(OsStr::new(name)), Ok(Some((FileType::Directory, _))))
    }

    /// Makes a file with a name that nothing has.
    fn temporary(&self) -> io::Result<(OsString, File)> {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        loop {
            let number = MADE.fetch_add(1, Ordering::Relaxed);
            let name = OsString::from(format!(".fairly-{}-{number}.tmp", std::process::id()));
            let flags =
                OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            match fs::openat(&self.folder, &name, flags, Mode::from_raw_mode(0o666)) {
                Ok(file) => return Ok((name, File::from(file))),
                // Left over by another process with our number.
                Err(rustix::io::Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Whether a file with this name could be written: says why not.
    fn try_out(&self, name: &OsStr) -> io::Result<()> {
        match self.kind(name)? {
            Some((FileType::Directory, _)) => return Err(io::ErrorKind::IsADirectory.into()),
            // Renaming would pass over the permissions of the file.
            Some((FileType::RegularFile, _)) => {
                fs::accessat(&self.folder, name, Access::WRITE_OK, AtFlags::empty())?;
            }
            _ => {}
        }
        let (made, _) = self.temporary()?;
        Ok(fs::unlinkat(&self.folder, made, AtFlags::empty())?)
    }

    /// Writes a file: it has the whole text afterwards, or is as it was.
    pub(crate) fn write(&self, name: impl AsRef<OsStr>, text: &[u8]) -> io::Result<()> {
        let name = name.as_ref();
        let before = self.kind(name)?;
        let (made, mut file) = self.temporary()?;
        let written = (|| {
            if let Some((FileType::RegularFile, mode)) = before {
                fs::fchmod(&file, mode)?;
            }
            file.write_all(text)?;
            // Or a crash soon after could leave an empty file with the new name.
            file.sync_all()?;
            Ok(fs::renameat(&self.folder, &made, &self.folder, name)?)
        })();
        if written.is_err() {
            let _ = fs::unlinkat(&self.folder, &made, AtFlags::empty());
        }
        written
    }
}

/// Where something is written that the user named.
///
/// A regular file is replaced as a whole, and a symbolic link by a file. A device or a FIFO is opened and
/// written to. `-` and `/dev/stdout` are standard output.
pub(crate) struct Output {
    path: String,
    to: To,
}

enum To {
    Stdout,
    Stderr,
    /// Something that is no regular file: what is written is gone.
    Stream,
    File(Folder, OsString),
}

impl Output {
    /// Finds the place, and out whether anything can be written there.
    pub(crate) fn open(path: &str) -> Result<Output, CliError> {
        let opened = Output::find(path);
        opened.map_err(|error| CliError::usage(format!("cannot write {path}: {error}")))
    }

    fn find(path: &str) -> io::Result<Output> {
        let is = |to| Ok(Output { path: path.to_owned(), to });
        match path {
            "-" | "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1" => return is(To::Stdout),
            "/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2" => return is(To::Stderr),
            _ => {}
        }
        if path.contains('\0') {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the name has a zero byte"));
        }
        let whole = Path::new(path);
        let Some(name) = whole.file_name().filter(|_| !path.ends_with('/')) else {
            return Err(io::Error::other("it names a folder"));
        };
        if !is_stream(path) {
            let folder = Folder::of(whole)?;
            folder.try_out(name)?;
            return is(To::File(folder, name.to_owned()));
        }
        fs::accessat(CWD, path, Access::WRITE_OK, AtFlags::empty())?;
        is(To::Stream)
    }

    /// Writes the whole text.
    pub(crate) fn write(&self, text: &str) -> Result<(), CliError> {
        self.write_bytes(text.as_bytes())
    }

    /// Writes all bytes.
    pub(crate) fn write_bytes(&self, bytes: &[u8]) -> Result<(), CliError> {
        let cannot = |error| CliError::usage(format!("cannot write {}: {error}", self.path));
        self.put(bytes).map_err(cannot)
    }

    fn put(&self, bytes: &[u8]) -> io::Result<()> {
        match &self.to {
            To::Stdout => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(bytes).and_then(|()| stdout.flush())
            }
            To::Stderr => io::stderr().write_all(bytes),
            To::File(folder, name) => folder.write(name, bytes),
            To::Stream => {
                let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NOCTTY | OFlags::CLOEXEC;
                let stream = fs::openat(CWD, self.path.as_str(), flags, Mode::empty())?;
                File::from(stream).write_all(bytes)
            }
        }
    }
}

/// Whether what is written to a path goes on to somewhere else, as with a FIFO or `/dev/stdout`, and is not
/// kept in a file. What the system keeps in `/dev` and `/proc` leads to files that are open already.
pub(crate) fn is_stream(path: &str) -> bool {
    use FileType::{BlockDevice, CharacterDevice, Fifo, Socket};
    let whole = Path::new(path);
    if path == "-" || whole.starts_with("/dev") || whole.starts_with("/proc") {
        return whole.parent() != Some(Path::new("/dev/shm"));
    }
    fs::statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|stat| {
        let kind = FileType::from_raw_mode(stat.st_mode);
        matches!(kind, Fifo | CharacterDevice | BlockDevice | Socket)
    })
}

/// Finds out whether files that are written leave what is read, and each other, as they are.
///
/// # Errors
/// When one of them is an input, or two are the same.
pub(crate) fn keep_apart<'a>(
    outputs: impl IntoIterator<Item = &'a str>,
    inputs: &[String],
) -> Result<(), CliError> {
    let id = |path: &str, flags| fs::statat(CWD, path, flags).ok().map(|it| (it.st_dev, it.st_ino));
    let mut read = Vec::new();
    for path in inputs.iter().filter(|path| !is_stream(path)) {
        // A link that is replaced by a file is lost too.
        read.extend(id(path, AtFlags::empty()));
        read.extend(id(path, AtFlags::SYMLINK_NOFOLLOW));
    }
    let mut written = Vec::new();
    for path in outputs.into_iter().filter(|path| !is_stream(path)) {
        let refuse = |why: &str| Err(CliError::usage(format!("cannot write {path}: {why}")));
        if id(path, AtFlags::SYMLINK_NOFOLLOW).is_some_and(|id| read.contains(&id)) {
            return refuse("it is an input of this command");
        }
        let parent = Path::new(path).parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = id(&parent.unwrap_or(Path::new(".")).to_string_lossy(), AtFlags::empty());
        let place = (folder, Path::new(path).file_name());
        if folder.is_some() && written.contains(&place) {
            return refuse("something else is written there too");
        }
        written.push(place);
    }
    Ok(())
}

/// A title as a part of a file's name: letters, digits, `_` and `-`, and few of them. It may be empty.
///
/// Different titles may give the same name, also where case does not count; see [`Names`].
pub(crate) fn slug(title: &str) -> String {
    const LONGEST: usize = 40;
    let mut out = String::new();
    for letter in title.chars() {
        if letter.is_ascii_alphanumeric() || letter == '_' {
            out.push(letter);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    out.truncate(LONGEST);
    out.trim_end_matches('-').to_owned()
}

/// Names that have been given, so that none is given twice.
#[derive(Default)]
pub(crate) struct Names {
    given: Vec<String>,
}

impl Names {
    /// The name, with a number if it was given before or is not `free`. File systems may take upper and
    /// lower case for the same, so names that differ only there are the same here. None if there are
    /// too many of the name.
    pub(crate) fn give(
        &mut self,
        name: &str,
        mut free: impl FnMut(&str) -> bool,
    ) -> Option<String> {
        const MOST: usize = 10_000;
        let numbered = |number: usize| match number {
            1 => name.to_owned(),
            _ => format!("{name}-{number}"),
        };
        let is_new = |wanted: &String| {
            let lower = wanted.to_lowercase();
            self.given.iter().all(|known| *known != lower) && free(wanted)
        };
        let chosen = (1..=MOST).map(numbered).find(is_new)?;
        self.given.push(chosen.to_lowercase());
        Some(chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_becomes_a_name_of_a_file() {
        assert_eq!(slug("System() |= []<> enter.0"), "System-enter-0");
        assert_eq!(slug("live"), "live");
        assert_eq!(slug(&"x".repeat(99)).len(), 40);
        assert_eq!(slug("./../../evil"), "evil");
        for nothing in ["", ".", "..", "/", "\0", "\u{1b}[2J"] {
            assert!(!slug(nothing).contains(['.', '/', '\0', '\u{1b}']), "{nothing:?}");
        }
    }

    #[test]
    fn no_name_is_given_twice() {
        let mut names = Names::default();
        let mut give = |name: &str| names.give(name, |it| it != "taken");
        assert_eq!(give("lock").as_deref(), Some("lock"));
        assert_eq!(give("LOCK").as_deref(), Some("LOCK-2"));
        assert_eq!(give("lock-2").as_deref(), Some("lock-2-2"));
        assert_eq!(give("taken").as_deref(), Some("taken-2"));
    }
}
