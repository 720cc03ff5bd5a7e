//! The folder `.fairly`, in which runs without a name are kept, and reports of bugs.

use std::path::Path;
use std::sync::Mutex;

use fairly_report::json;
use serde_json::Value;

use crate::files::{Folder, Names, slug};

/// Where they are kept.
const FOLDER: &str = ".fairly";

/// The runs that a command has kept so far.
#[derive(Default)]
pub(super) struct RunsKept {
    names: Mutex<Names>,
}

/// Keeps a run under a name, or the name with a number: a run of another model or property with the same
/// name is left as it is. Gives the path of the file.
pub(super) fn keep(
    kept: &RunsKept,
    name: &str,
    trace: &Value,
    text: &str,
) -> std::io::Result<String> {
    let folder = own()?;
    let file = |name: &str| format!("{name}.itf.json");
    let is_free = |name: &str| may_replace(&folder, &file(name), trace);
    // A panic elsewhere leaves nothing half-done here.
    let mut names = kept.names.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let Some(name) = names.give(name, is_free) else {
        return Err(std::io::Error::other(format!("{FOLDER} is full of runs called {name}")));
    };
    folder.write(file(&name), text.as_bytes())?;
    Ok(format!("{FOLDER}/{}", file(&name)))
}

/// Keeps what is known of a bug that showed in a question on a model. Gives the path of the file.
pub(super) fn keep_bundle(
    model: &str,
    question: &str,
    document: &Value,
) -> std::io::Result<String> {
    let stem = Path::new(model).file_stem().unwrap_or_default().to_string_lossy();
    let file = format!("bug-{}.{}.json", slug(&stem), slug(question));
    own()?.write(&file, json::text(document).as_bytes())?;
    Ok(format!("{FOLDER}/{file}"))
}

/// The folder, which says of itself that it belongs in no repository.
fn own() -> std::io::Result<Folder> {
    let (folder, is_new) = Folder::own(FOLDER)?;
    if is_new {
        let _ = folder.write(".gitignore", b"*\n");
    }
    Ok(folder)
}

/// Whether a file is not there, or is an older answer to the same question.
fn may_replace(folder: &Folder, file: &str, trace: &Value) -> bool {
    const MOST: u64 = 64 << 20;
    // An entry that is no regular file is replaced by one, and not opened.
    match folder.read(file, MOST) {
        Ok(None) => !folder.is_folder(file),
        Ok(Some(bytes)) => match serde_json::from_slice::<Value>(&bytes) {
            Ok(other) => {
                let (other, own) = (&other["#meta"], &trace["#meta"]);
                let same = |name: &str| other[name] == own[name];
                // A formula of the command line has no name, and the next one takes its place.
                let is_formula = |meta: &Value| meta["asked"]["formula"].is_string();
                let same_question =
                    (same("asked") && same("property")) || (is_formula(other) && is_formula(own));
                same("source") && same("model") && same_question
            }
            Err(_) => false,
        },
        Err(_) => false,
    }
}
