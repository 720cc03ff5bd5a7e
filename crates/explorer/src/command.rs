//! The command line that asks what a page asks.

use fairly_report::shell::quoted;

/// A command on a model: its options, what is asked, and the files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Command {
    words: Vec<String>,
}

impl Command {
    /// A command such as `check`.
    pub(crate) fn new(name: &str) -> Command {
        Command { words: vec!["fairly".to_owned(), name.to_owned()] }
    }

    /// Adds an option and its value, if there is one.
    pub(crate) fn with(mut self, option: &str, value: Option<&str>) -> Command {
        if let Some(value) = value {
            match value.starts_with('-') && option.starts_with("--") {
                true => self.words.push(quoted(&format!("{option}={value}"))),
                false => self.words.extend([option.to_owned(), quoted(value)]),
            }
        }
        self
    }

    /// Adds an option without a value.
    pub(crate) fn flag(mut self, option: &str) -> Command {
        self.words.push(option.to_owned());
        self
    }

    /// The whole line, for the model of these files and options; nothing for a model without files, which no command
    /// line can name.
    pub(crate) fn on(mut self, files: &[String], options: &[String]) -> String {
        if files.is_empty() {
            return String::new();
        }
        self.words.extend(options.iter().map(|option| quoted(option)));
        self.words.extend(files.iter().map(|file| match file.starts_with('-') && file != "-" {
            true => quoted(&format!("./{file}")),
            false => quoted(file),
        }));
        self.words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_can_be_pasted() {
        let files = ["-odd name.pml".to_owned()];
        let command = Command::new("check")
            .with("-p", Some("served"))
            .with("--fairness", None)
            .with("--constraint", Some("wf(it's)"))
            .with("--formula", Some("-1 < x"));
        assert_eq!(
            command.on(&files, &["--define=A=1".to_owned()]),
            "fairly check -p served --constraint 'wf(it'\\''s)' '--formula=-1 < x' --define=A=1 './-odd name.pml'"
        );
    }
}
