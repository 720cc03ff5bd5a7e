//! Reading files and standard input.

use std::io::Read;

use fairly_source::{Diagnostic, Span};

use crate::failure::Failure;

/// A text with the name to show for it.
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Reads one file, or standard input for `-`.
pub(crate) fn read(path: &str) -> Result<Input, Failure> {
    let mut bytes = Vec::new();
    let name = if path == "-" { "<stdin>".to_owned() } else { path.to_owned() };
    let outcome = if path == "-" {
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| ())
    } else {
        std::fs::read(path).map(|read| bytes = read)
    };
    outcome.map_err(|error| Failure::usage(format!("cannot read {name}: {error}")))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Input { name, text }),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let diagnostic =
                Diagnostic::error("E0001", "the text is not UTF-8", Span::new(at, at + 1))
                    .label("the first byte that does not belong");
            Err(Failure::Input { name, text, diagnostic: Box::new(diagnostic) })
        }
    }
}

/// Reads several inputs; standard input can be one of them, once.
pub(crate) fn read_all(paths: &[String]) -> Result<Vec<Input>, Failure> {
    if paths.iter().filter(|path| *path == "-").count() > 1 {
        return Err(Failure::usage("`-` stands for standard input, which can be read only once"));
    }
    paths.iter().map(|path| read(path)).collect()
}
