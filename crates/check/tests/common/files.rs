//! The models of the repository.

use std::fs;
use std::path::{Path, PathBuf};

/// The files of some folders with an ending, in a fixed order; there are some.
pub(crate) fn files(folders: &[&str], ending: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in folders {
        let entries = fs::read_dir(root.join(folder)).expect("the folder");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        files.extend(paths.filter(|path| path.extension().is_some_and(|it| it == ending)));
    }
    files.sort();
    assert!(!files.is_empty());
    files
}
