//! CSP#, the language of PAT: text to a syntax tree with every name resolved, or diagnostics.
//!
//! Nothing here says what a process *does*: [`parse`] knows the grammar, the names, the types and
//! whatever can be computed before the system runs. The tree is in [`syntax`]; [`print()`] writes
//! it as text again.
//!
//! Where PAT's documentation is silent, its grammar and its evaluator decide: `%` is never
//! negative for a positive divisor ([`fold::binary`]), in `c?x` a name that is bound already is a
//! value to be matched, and the connectives of a formula all bind alike (`formula.rs`).
//! The libraries that come with PAT are part of the language: see [`library`]. Refused with a code of
//! their own are other C# libraries, process counters, unbounded replication, initial values `*`, and
//! arrays as arguments and messages. The errors are explained in `docs/book/errors.md`.
//!
//! ```
//! let spec = fairly_front::csp::parse("
//!     #define N 2;
//!     Phil(i) = get.i.(i+1)%N -> eat.i -> Phil(i);
//!     College() = || x:{0..N-1}@Phil(x);
//!     // expect: holds
//!     #assert College() |= []<> eat.0;
//! ").unwrap();
//! assert_eq!(spec.definitions[0].name.text, "Phil");
//! assert_eq!(spec.assertions[0].remarks[0].text, "holds");
//!
//! let wrong = fairly_front::csp::parse("P = a -> Q;").unwrap_err();
//! assert_eq!((wrong[0].code, wrong[0].span.start), ("E1032", 9));
//! ```

mod access;
mod array;
mod assertion;
mod assignment;
pub mod codes;
mod collection;
mod declaration;
mod expression;
pub mod fold;
mod formula;
mod include;
mod items;
mod lexer;
pub mod library;
mod load;
mod lower;
mod macros;
mod math;
mod names;
mod parser;
mod print;
mod process;
mod program;
mod specification;
pub mod syntax;
mod written;

use fairly_source::{Diagnostic, Span};

use crate::include::{Includes, NoFiles};

pub use declaration::MOST_ELEMENTS;
pub use load::Csp;
pub use lower::{Lowered, Parts, Plan, expression, lower, lower_as, lower_counting, lower_with};
pub use parser::MAX_NESTING;
pub use print::print;
pub use syntax::Specification;
pub use written::written;

/// How many errors of one text are reported.
pub const MOST_ERRORS: usize = 100;

/// How many bytes a text may have.
pub const MAX_TEXT: usize = 4 << 20;

/// Reads a specification.
///
/// # Errors
/// The errors, in the order of the text. At least one, at most [`MOST_ERRORS`].
pub fn parse(text: &str) -> Result<Specification, Vec<Diagnostic>> {
    parse_with(text, "", &mut NoFiles).specification
}

/// A text that has been read.
pub struct ParsedFile {
    /// The text with all included ones as [parts](fairly_source::parts); spans are places in it.
    pub text: String,
    /// The specification, or what is wrong, in the order of the text: at least one error, at most
    /// [`MOST_ERRORS`].
    pub specification: Result<Specification, Vec<Diagnostic>>,
}

/// Reads a specification that may include files; `name` is that of the text itself.
///
/// ```
/// use fairly_front::csp::parse_with;
/// use fairly_front::include::{Included, Includes, IncludeError};
/// struct Library;
/// impl Includes for Library {
///     fn include(&mut self, path: &str, _: &str) -> Result<Included, IncludeError> {
///         Ok(Included { name: path.to_owned(), text: "#define N 3;".to_owned() })
///     }
/// }
/// let reading = parse_with("#include \"lib.csp\"; var a[N];", "main.csp", &mut Library);
/// assert_eq!(reading.specification.unwrap().variables[0].dimensions, [3]);
/// ```
pub fn parse_with(text: &str, name: &str, includes: &mut dyn Includes) -> ParsedFile {
    let whole = include::whole(text, name, includes);
    let specification = match whole.errors.is_empty() {
        true => parse_whole(&whole.text),
        // Without the file, most names are unknown.
        false => Err(whole.errors),
    };
    ParsedFile { text: whole.text, specification }
}

fn parse_whole(text: &str) -> Result<Specification, Vec<Diagnostic>> {
    if text.len() > MAX_TEXT {
        return Err(vec![
            Diagnostic::error(codes::SIZE, "the text is too long", Span::at(0))
                .label(format!("more than {MAX_TEXT} bytes"))
                .help("no state of such a system would fit into memory; generate a smaller model"),
        ]);
    }
    let lexed = lexer::tokens(text);
    let items = items::items(text, &lexed.tokens);
    let mut parser = parser::Parser::new(text, &lexed.tokens, &items.partners);
    parser.capacities = lexed.capacities;
    parser.specification(&items.items, lexed.remarks);
    let parser::Parser { spec, errors: found, .. } = parser;
    let mut errors = lexed.errors;
    // A token that is wrong in itself may well be wrong where it stands; once is enough.
    let lexical: Vec<Span> = errors.iter().map(|wrong| wrong.span).collect();
    let inside = |span: Span| {
        let before = lexical.partition_point(|other| other.start <= span.start);
        before.checked_sub(1).is_some_and(|last| span.end <= lexical[last].end)
    };
    errors.extend(items.errors.into_iter().chain(found).filter(|wrong| !inside(wrong.span)));
    if errors.is_empty() {
        return Ok(spec);
    }
    // A missing library is reported once, not at each use.
    if errors.iter().any(|wrong| wrong.code == codes::IMPORT) {
        errors.retain(|wrong| ![codes::CALL, codes::TYPE, codes::METHOD].contains(&wrong.code));
    }
    errors.sort_by_key(|wrong| wrong.span);
    errors.truncate(MOST_ERRORS);
    Err(errors)
}
