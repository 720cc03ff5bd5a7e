//! Promela models in several files, with macros of the arguments, and in other encodings.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use crate::common::{code, err, out};

/// A folder that is gone after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &[u8])]) -> Folder {
        let path = std::env::temp_dir().join(format!("fairly-{name}-{}", std::process::id()));
        for (file, text) in files {
            let file = path.join(file);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder of its own");
            std::fs::write(file, text).expect("a file");
        }
        Folder(path)
    }

    fn fairly(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_fairly"))
            .args(arguments)
            .current_dir(self.0.join("model"))
            .env("NO_COLOR", "1")
            .env("COLUMNS", "100")
            .stdin(Stdio::null())
            .output()
            .expect("the binary runs")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const MAIN: &[u8] =
    b"#include \"lib/counter.h\"\nactive [N] proctype P() { up(); assert(n < 3) }\n";
const COUNTER: &[u8] = b"#ifndef N\n#define N 2\n#endif\nbyte n;\ninline up() { n++ }\n";

#[test]
fn a_trace_is_of_the_model_with_its_macros_and_files() {
    let folder = Folder::new("include", &[("model/m.pml", MAIN), ("model/lib/counter.h", COUNTER)]);
    assert_eq!(code(&folder.fairly(&["check", "m.pml"])), 0);
    let found = folder.fairly(&["check", "m.pml", "-DN=3", "-p", "assertions"]);
    assert_eq!(code(&found), 1, "{}", err(&found));
    assert!(out(&found).contains("lib/counter.h:5"), "{}", out(&found));
    let trace = ".fairly/m.assertions.itf.json";
    let verified = folder.fairly(&["trace", "verify", trace]);
    assert_eq!(code(&verified), 0, "{}{}", out(&verified), err(&verified));
    let shown = folder.fairly(&["trace", "show", trace]);
    assert!(out(&shown).contains("lib/counter.h:5"), "{}", out(&shown));
    // With another macro in it, the trace is of another model.
    let path = folder.0.join("model").join(trace);
    let text = std::fs::read_to_string(&path).expect("the trace");
    assert!(text.contains("--define=N=3"), "{text}");
    std::fs::write(&path, text.replace("--define=N=3", "--define=N=4")).expect("written");
    assert_eq!(code(&folder.fairly(&["trace", "verify", trace])), 1);
    // So it is when an included file changes.
    std::fs::write(&path, text).expect("written");
    let other = String::from_utf8_lossy(COUNTER).replace("n++", "n = n + 2");
    std::fs::write(folder.0.join("model/lib/counter.h"), other).expect("written");
    assert_eq!(code(&folder.fairly(&["trace", "verify", trace])), 1);
    for command in [&["ladder", "-f", "<> (n == 2)"][..], &["least", "-f", "<> (n == 2)"]] {
        let arguments = [command, &["m.pml", "-DN=1"]].concat();
        let output = folder.fairly(&arguments);
        assert_ne!(code(&output), 2, "{}", err(&output));
    }
    let drawn = folder.fairly(&["graph", "m.pml", "-DN=1"]);
    assert_eq!(code(&drawn), 0, "{}", err(&drawn));
}

#[test]
fn files_outside_are_read_only_where_that_is_allowed() {
    let secret: &[u8] = b"byte secret = 7;\n";
    let main: &[u8] = b"#include \"../other/secret.h\"\ninit { assert(secret == 7) }\n";
    let link: &[u8] = b"#include \"link.h\"\ninit { skip }\n";
    let named: &[u8] = b"#include \"secret.h\"\ninit { assert(secret == 7) }\n";
    let files = [
        ("other/secret.h", secret),
        ("model/m.pml", main),
        ("model/l.pml", link),
        ("model/n.pml", named),
    ];
    let folder = Folder::new("outside", &files);
    let refused = folder.fairly(&["check", "m.pml"]);
    assert_eq!(code(&refused), 2);
    assert!(err(&refused).contains("E1117") && err(&refused).contains("-I DIR"));
    assert_eq!(code(&folder.fairly(&["check", "m.pml", "-I", "../other"])), 0);
    assert_eq!(code(&folder.fairly(&["check", "n.pml", "-I../other"])), 0);
    assert!(err(&folder.fairly(&["check", "n.pml"])).contains("E1106"));
    #[cfg(unix)]
    {
        let link = folder.0.join("model/link.h");
        std::os::unix::fs::symlink(folder.0.join("other/secret.h"), link).expect("a link");
        assert!(err(&folder.fairly(&["check", "l.pml"])).contains("E1117"));
        // A name that is no text is opened as it is, and not as the text that is shown of it.
        use std::os::unix::ffi::OsStrExt;
        let inside = folder.0.join("model");
        let odd = std::ffi::OsStr::from_bytes(b"odd\xff.h");
        std::fs::write(inside.join(odd), "byte secret = 8;\n").expect("a file");
        std::fs::remove_file(inside.join("link.h")).expect("a link");
        std::os::unix::fs::symlink(odd, inside.join("link.h")).expect("a link");
        let shown = inside.join("odd\u{fffd}.h");
        std::os::unix::fs::symlink(folder.0.join("other/secret.h"), shown).expect("a link");
        let asked = folder.fairly(&["check", "l.pml", "-f", "[] (secret == 8)"]);
        assert_eq!(code(&asked), 0, "{}{}", out(&asked), err(&asked));
    }
}

#[test]
fn an_error_in_an_included_file_has_its_place_in_every_format() {
    let files: [(&str, &[u8]); 2] = [
        ("model/m.pml", b"#include \"a.h\"\ninit { skip }\n"),
        ("model/a.h", b"byte x;\nbyte x;\n"),
    ];
    let folder = Folder::new("included-error", &files);
    let human = folder.fairly(&["check", "m.pml"]);
    assert!(err(&human).contains(" --> a.h:2:6"), "{}", err(&human));
    let json = out(&folder.fairly(&["check", "m.pml", "--format", "json"]));
    assert!(json.contains("\"file\": \"a.h\"") && json.contains("\"line\": 2"), "{json}");
}

#[test]
fn bytes_that_are_not_utf_8_may_stand_in_comments_and_strings() {
    let good: &[u8] =
        b"/* caf\xe9 \x9b2J */ byte x; // \xfc\ninit { printf(\"\xe9\\n\"); x = 1 }\n";
    let bad: &[u8] = b"/* \xe9\xe9 */ byte \xe9;\ninit { skip }\n";
    let folder = Folder::new("latin", &[("model/good.pml", good), ("model/bad.pml", bad)]);
    let checked = folder.fairly(&["check", "good.pml"]);
    assert_eq!(code(&checked), 0, "{}", err(&checked));
    let refused = folder.fairly(&["check", "bad.pml"]);
    assert_eq!(code(&refused), 2);
    assert!(err(&refused).contains("bad.pml:1:15"), "{}", err(&refused));
    // Nothing that a terminal obeys comes out.
    let shown = folder.fairly(&["sim", "good.pml", "--random"]);
    assert!(!out(&shown).contains('\u{9b}') && !err(&refused).contains('\u{9b}'));
}

#[test]
fn the_option_for_more_processes_is_named_where_there_is_no_room() {
    let text: &[u8] = b"byte n;\nproctype Worker() { n = 1; false }\n\
        init { byte i; do :: i < 30 -> run Worker(); i++ :: else -> break od; assert(n < 2) }\n";
    let folder = Folder::new("room", &[("model/m.pml", text)]);
    let cut = folder.fairly(&["check", "m.pml", "-p", "assertions", "--max-processes", "3"]);
    assert_eq!(code(&cut), 3, "{}{}", out(&cut), err(&cut));
    let said = out(&cut).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("at most 3 can be alive at once (see --max-processes)"), "{said}");
    let wrong = folder.fairly(&["check", "m.pml", "--max-processes", "256"]);
    assert_eq!(code(&wrong), 2);
    let few: &[u8] = b"byte n;\nproctype Producer() { n++ }\nproctype Consumer() { n-- }\n\
        init { atomic { run Producer(); run Consumer() } }\n";
    let folder = Folder::new("named", &[("model/m.pml", few)]);
    let checked = folder.fairly(&["check", "m.pml", "-f", "[] (n < 1)"]);
    let said = out(&checked);
    assert!(said.contains("Producer[1]") && !said.contains("process["), "{said}");
    let constraint = ["--constraint", "wf(Consumer[2])"];
    let constrained =
        folder.fairly(&[&["check", "m.pml", "-f", "<> (n == 0)"][..], &constraint].concat());
    assert_ne!(code(&constrained), 2, "{}", err(&constrained));
}
