//! Promela models in several files: the same model as in one, and errors that tell their file.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use fairly_front::include::{IncludeError, Included, Includes, NoFiles};
use fairly_front::promela::{Options, ParsedFile, Setup, lower, parse, parse_with};
use fairly_source::{Diagnostic, Style, parts, render};

/// Files by name; those in `outside` may not be read.
#[derive(Default)]
struct Files {
    texts: HashMap<String, String>,
    asked: usize,
}

impl Files {
    fn of<const N: usize>(texts: [(&str, &str); N]) -> Files {
        let texts = texts.map(|(name, text)| (name.to_owned(), text.to_owned()));
        Files { texts: texts.into(), asked: 0 }
    }
}

impl Includes for Files {
    fn include(&mut self, path: &str, _: &str) -> Result<Included, IncludeError> {
        self.asked += 1;
        match self.texts.get(path) {
            Some(text) => Ok(Included { name: path.to_owned(), text: text.clone() }),
            None if path.starts_with("..") => Err(IncludeError::Outside),
            None => Err(IncludeError::Missing(vec![".".to_owned()])),
        }
    }
}

fn read(text: &str, files: &mut Files) -> ParsedFile {
    parse_with(text, Setup { name: "main.pml", ..Setup::new(files) })
}

fn errors(text: &str, files: &mut Files) -> (String, Vec<Diagnostic>) {
    let ParsedFile { text, model, .. } = read(text, files);
    (text, model.err().unwrap_or_default())
}

fn with_macros(text: &str, defines: &[&str], undefines: &[&str]) -> ParsedFile {
    let owned = |texts: &[&str]| -> Vec<String> { texts.iter().map(|&it| it.to_owned()).collect() };
    let (defines, undefines) = (owned(defines), owned(undefines));
    let mut files = NoFiles;
    let setup = Setup { defines: &defines, undefines: &undefines, ..Setup::new(&mut files) };
    parse_with(text, setup)
}

#[test]
fn an_error_is_shown_in_its_file() {
    let mut files = Files::of([
        ("a.h", "byte x;\n#include \"b.h\"\nbyte z;\n"),
        ("b.h", "/* é */\nproctype Q() { y = 1 }\n"),
    ]);
    let (text, wrong) = errors("// main\n#include \"a.h\"\ninit { w = 1 }\n", &mut files);
    let drawn: Vec<String> =
        wrong.iter().map(|it| render(it, "main.pml", &text, Style::Plain)).collect();
    assert_eq!(drawn.len(), 2, "{drawn:?}");
    assert!(drawn[0].contains("main.pml:3:8") && drawn[0].contains("3 | init { w = 1 }"));
    assert!(drawn[1].contains("b.h:2:16") && drawn[1].contains("2 | proctype Q() { y = 1 }"));
}

#[test]
fn the_use_of_a_macro_is_named_with_its_file() {
    let mut files = Files::of([("a.h", "#define set x = nowhere\n"), ("b.h", "\ninit { set }\n")]);
    let (text, wrong) = errors("byte x;\n#include \"a.h\"\n#include \"b.h\"\n", &mut files);
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    assert!(wrong[0].help.as_deref().is_some_and(|help| help.ends_with("used at b.h:2:8")));
    assert_eq!(parts::locate("main.pml", &text, wrong[0].span.start).file, "a.h");
}

#[test]
fn files_that_include_each_other_end() {
    let mut files = Files::of([("a.h", "#include \"b.h\"\n"), ("b.h", "#include \"a.h\"\n")]);
    let (text, wrong) = errors("#include \"a.h\"\ninit { skip }\n", &mut files);
    assert_eq!(wrong.iter().map(|it| it.code).collect::<Vec<_>>(), ["E1116"]);
    let help = wrong[0].help.as_deref().unwrap_or_default();
    assert!(help.contains("main.pml → a.h → b.h → a.h"), "{help}");
    assert!(files.asked < 1_000 && text.len() < 100_000);
    // A file that includes itself twice does not double at every level.
    let mut files = Files::of([("a.h", "#include \"a.h\"\n#include \"a.h\"\n")]);
    assert_eq!(errors("#include \"a.h\"\n", &mut files).1[0].code, "E1116");
    assert!(files.asked < 1_000);
    // Guards make it right.
    let guarded = "#ifndef A\n#define A\n#include \"a.h\"\nbyte x;\n#endif\n";
    let mut files = Files::of([("a.h", guarded)]);
    let main = "#include \"a.h\"\n#include \"a.h\"\ninit { x = 1 }\n";
    assert!(read(main, &mut files).model.is_ok());
}

#[test]
fn many_small_files_are_too_much_in_the_end() {
    let mut files = Files::default();
    for level in 0..8 {
        let next = format!("#include \"{}.h\"\n", level + 1).repeat(10);
        files.texts.insert(format!("{level}.h"), next);
    }
    files.texts.insert("8.h".to_owned(), String::new());
    let (_, wrong) = errors("#include \"0.h\"\ninit { skip }\n", &mut files);
    assert_eq!(wrong.iter().map(|it| it.code).collect::<Vec<_>>(), ["E1124"]);
    assert!(files.asked < 20_000);
}

#[test]
fn what_cannot_be_included_is_said() {
    let codes = |text: &str| -> Vec<&str> {
        errors(text, &mut Files::default()).1.iter().map(|it| it.code).collect()
    };
    assert_eq!(codes("#include \"nothing.h\"\ninit { x = 1 }"), ["E1106"]);
    assert_eq!(codes("#include \"../up.h\"\ninit { x = 1 }"), ["E1117"]);
    assert_eq!(codes("#include <stdio.h>\ninit { skip }"), ["E1106"]);
    assert_eq!(codes("#include\ninit { skip }"), ["E1106"]);
    assert_eq!(codes("#include nothing\ninit { skip }"), ["E1106"]);
    assert!(codes("#if 0\n#include \"nothing.h\"\n#endif\ninit { skip }").is_empty());
    // A condition is closed in the file that opens it.
    let mut files = Files::of([("a.h", "#endif\n"), ("b.h", "#if 1\n")]);
    let main = "#if 1\n#include \"a.h\"\n#endif\n#include \"b.h\"\ninit { skip }\n";
    let found: Vec<&str> = errors(main, &mut files).1.iter().map(|it| it.code).collect();
    assert_eq!(found, ["E1108", "E1109"]);
}

#[test]
fn a_macro_may_name_the_file() {
    let mut files = Files::of([("a.h", "byte x;\n")]);
    let main = "#define FILE \"a.h\"\n#include FILE\ninit { x = 1 }\n";
    assert!(read(main, &mut files).model.is_ok());
}

#[test]
fn macros_of_the_arguments_come_first() {
    let text =
        "#ifndef N\n#define N 2\n#endif\nbyte a[N];\n#ifdef M\nbyte b[M];\n#endif\ninit { skip }\n";
    let lengths = |defines: &[&str], undefines: &[&str]| -> Vec<Option<u32>> {
        let model = with_macros(text, defines, undefines).model.expect("a model");
        model.globals.iter().map(|it| it.length).collect()
    };
    assert_eq!(lengths(&[], &[]), [Some(2)]);
    assert_eq!(lengths(&["N=5"], &[]), [Some(5)]);
    assert_eq!(lengths(&["N=5", "N=6", "M"], &[]), [Some(6), Some(1)]);
    assert_eq!(lengths(&["N=5"], &["N", "K"]), [Some(2)]);
    assert_eq!(lengths(&["N=2 +\n1"], &[]), [Some(3)]);
    let reading = with_macros(text, &["=3"], &[]);
    let wrong = reading.model.err().unwrap_or_default();
    assert_eq!(wrong[0].code, "E1111");
    assert!(render(&wrong[0], "m", &reading.text, Style::Plain).contains("<arguments>:1:"));
    // Another tool can be given what was read.
    let reading = with_macros(text, &["N=7"], &[]);
    let flat = reading.flat.expect("there are macros");
    assert_eq!(parse(&flat).expect("a model").globals[0].length, Some(7));
}

/// The text as a main file and included ones, cut at ends of lines outside of everything.
fn cut(text: &str, seed: usize) -> (String, Files) {
    let mut files = Files::default();
    let (mut main, mut piece) = (String::new(), String::new());
    let (mut depth, mut number, mut comment) = (0i32, seed, false);
    for line in text.lines() {
        piece.push_str(line);
        piece.push('\n');
        let mut rest = line;
        while !rest.is_empty() {
            if comment {
                let end = rest.find("*/").map(|at| at + 2);
                comment = end.is_none();
                rest = &rest[end.unwrap_or(rest.len())..];
            } else if rest.starts_with("//") {
                break;
            } else if rest.starts_with("/*") {
                comment = true;
                rest = &rest[2..];
            } else {
                let sign = rest.chars().next().unwrap_or(' ');
                depth += i32::from("({[".contains(sign)) - i32::from(")}]".contains(sign));
                rest = &rest[sign.len_utf8()..];
            }
        }
        number = number.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let is_whole = depth == 0 && !comment && !line.trim_end().ends_with('\\');
        if is_whole && (number >> 60) % 3 == 0 {
            let name = format!("part{}.h", files.texts.len());
            // Some parts are included by parts.
            if (number >> 50) % 2 == 0 && !files.texts.is_empty() {
                let outer = format!("outer{}.h", files.texts.len());
                files.texts.insert(outer.clone(), format!("#include \"{name}\"\n"));
                let _ = writeln!(main, "#include \"{outer}\"");
            } else {
                let _ = writeln!(main, "#include \"{name}\"");
            }
            files.texts.insert(name, std::mem::take(&mut piece));
        }
    }
    (main + &piece, files)
}

/// The model in an order that does not depend on lines.
fn meaning(text: &str, model: &fairly_front::promela::Model) -> Result<Vec<usize>, String> {
    let lowered = lower(model, Options::new(text)).map_err(|wrong| wrong[0].message.clone())?;
    let model = lowered.model;
    let mut numbers =
        vec![model.slots.len(), model.variables.len(), model.channels.len(), model.events.len()];
    for template in &model.templates {
        let edges = |at: usize| template.locations[at].edges.as_ref().map_or(0, Vec::len);
        numbers.extend((0..template.locations.len()).map(edges));
    }
    Ok(numbers)
}

#[test]
fn a_program_cut_into_files_is_the_same_model() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut compared = 0;
    for folder in ["examples/promela", "corpus/promela"] {
        for entry in fs::read_dir(root.join(folder)).expect("the folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|ending| ending != "pml") {
                continue;
            }
            let text = fs::read_to_string(&path).expect("text");
            // A condition must be closed in the file that opens it, and lines are numbered otherwise.
            if text.contains("#if") || text.contains("__LINE__") {
                continue;
            }
            let Ok(whole) = parse(&text) else { continue };
            for seed in [1, 2, 3] {
                let (main, mut files) = cut(&text, seed);
                let reading = read(&main, &mut files);
                let model = reading.model.unwrap_or_else(|wrong| {
                    panic!("{path:?}: {}", render(&wrong[0], "main", &reading.text, Style::Plain))
                });
                let is = meaning(&reading.text, &model);
                assert_eq!(is, meaning(&text, &whole), "{path:?} with seed {seed}");
                // And the files in place are the program again.
                if let Some(flat) = reading.flat {
                    let squeezed = |text: &str| -> String { text.split_whitespace().collect() };
                    assert_eq!(squeezed(&flat), squeezed(&text), "{path:?} with seed {seed}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 50, "only {compared}");
}
