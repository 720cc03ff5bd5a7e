//! Tokens to the resolved tree, in one pass as in SPIN: a name means what was declared before.
//!
//! Only proctypes may be run before they are declared, so their names are collected first; and
//! formulas are read last, as in SPIN, since they may name anything.
//!
//! | where | what |
//! |---|---|
//! | [`units`] | what stands outside of processes, and the processes themselves |
//! | [`declarations`] | variables, channels, types |
//! | [`statements`] | sequences, control |
//! | [`messages`] | sending, receiving, polling |
//! | [`loops`] | `for` and `select` |
//! | [`inlines`] | definition and use of inlines |
//! | [`expressions`] | expressions and formulas, which share their operators |
//! | [`operands`] | what operators stand between |
//! | [`references`] | variables, elements and fields |

mod declarations;
mod expressions;
mod inlines;
mod loops;
mod messages;
mod operands;
mod references;
mod statements;
mod units;

use std::rc::Rc;

use fairly_source::Diagnostic;
use fairly_system::Annotation;
use hashbrown::HashMap;

use super::super::include::{Includes, NoFiles};
use super::ast::{
    Expr, ExprKind, GlobalId, Model, MtypeId, Pattern, Proctype, ProctypeId, TypedefId, VarRef,
};
use super::lexer::{MAX_TOKENS, Note};
use super::place::{Errors, ExpansionId, Expansions, ParseError, Place, Read};
use super::preprocess::{Preprocessed, preprocess};
use super::scopes::Scopes;
use super::stream::Stream;
use super::token::{Kind, Sign, Token, is_keyword};
use inlines::Inline;

/// How many bytes a text may have.
pub const MAX_TEXT: usize = 1 << 24;

/// How deep statements and parentheses may nest.
pub const MAX_DEPTH: usize = 120;

/// How high the tree of an expression may be: a chain of operators makes it high without nesting.
pub const MAX_HEIGHT: u32 = 1000;

/// Reads a model.
///
/// # Errors
/// The errors, in the order of the text; see the table of [this module](super). At least one.
///
/// ```
/// let wrong = fairly_front::promela::parse("init { x = 1 }").unwrap_err();
/// assert_eq!((wrong.len(), wrong[0].code), (1, "E1140"));
/// ```
pub fn parse(text: &str) -> Result<Model, Vec<Diagnostic>> {
    parse_with(text, Setup::new(&mut NoFiles)).model
}

/// How a text is read: what is defined beside it, and where included files come from.
pub struct Setup<'a> {
    /// Name of the file, for what it includes.
    pub name: &'a str,
    /// Macros as they stand after `-D`: `NAME`, which is 1, or `NAME=VALUE`.
    pub defines: &'a [String],
    /// Macros that are not defined, as they stand after `-U`; they count after [`Setup::defines`].
    pub undefines: &'a [String],
    /// Gives the included files.
    pub includes: &'a mut dyn Includes,
}

impl<'a> Setup<'a> {
    /// Nothing but the files.
    pub fn new(includes: &'a mut dyn Includes) -> Setup<'a> {
        Setup { name: "", defines: &[], undefines: &[], includes }
    }
}

/// A text that has been read.
pub struct ParsedFile {
    /// The text with all included ones as [parts](fairly_source::parts); spans are places in it.
    pub text: String,
    /// The model, or what is wrong: at least one error, in the order of the text.
    pub model: Result<Model, Vec<Diagnostic>>,
    /// The text with included files in place and with the macros of the [`Setup`]; none if there are neither.
    pub flat: Option<String>,
}

/// Reads a model that may include files.
///
/// ```
/// use fairly_front::include::{Included, Includes, IncludeError};
/// use fairly_front::promela::{Setup, parse_with};
/// struct Library;
/// impl Includes for Library {
///     fn include(&mut self, path: &str, _: &str) -> Result<Included, IncludeError> {
///         Ok(Included { name: path.to_owned(), text: "byte x = N;".to_owned() })
///     }
/// }
/// let (defines, mut library) = (["N=3".to_owned()], Library);
/// let setup = Setup { defines: &defines, ..Setup::new(&mut library) };
/// let reading = parse_with("#include \"lib.h\"\ninit { x++ }", setup);
/// assert_eq!(reading.model.unwrap().globals[0].name, "x");
/// ```
pub fn parse_with(text: &str, setup: Setup<'_>) -> ParsedFile {
    let mut errors = Errors::default();
    let mut expansions = Expansions::default();
    if text.len() > MAX_TEXT {
        let wrong = too_large(Place::plain(fairly_source::Span::at(0)));
        errors.add(wrong.label(format!("more than {MAX_TEXT} bytes")), &expansions, "");
        return ParsedFile { text: text.to_owned(), model: Err(errors.finish()), flat: None };
    }
    let Preprocessed { text, tokens, notes, expectations, flat } =
        preprocess(text.to_owned(), setup, &mut errors, &mut expansions);
    // Then part of the text is missing, and whatever it declares.
    const INCOMPLETE: [&str; 8] =
        ["E1101", "E1106", "E1113", "E1114", "E1116", "E1117", "E1124", "E1125"];
    if INCOMPLETE.iter().any(|code| errors.has(code)) {
        return ParsedFile { text, model: Err(errors.finish()), flat };
    }
    let tokens: Rc<[Token]> = tokens.into();
    let mut parser = Parser {
        text: &text,
        errors,
        expansions,
        used_notes: vec![false; notes.len()],
        notes,
        stream: Stream::new(tokens.clone()),
        model: Model { expectations, ..Model::default() },
        names: HashMap::new(),
        process_at: HashMap::new(),
        process_names: HashMap::new(),
        processes: Vec::new(),
        label_scopes: Vec::new(),
        outermost: Vec::new(),
        mtypes: HashMap::new(),
        properties: hashbrown::HashSet::new(),
        unnamed: 0,
        runs: Vec::new(),
        inlines: Vec::new(),
        inlining: Vec::new(),
        inlined: 0,
        too_much_inlined: None,
        spread: 0,
        depth: 0,
        context: None,
        formulas: Vec::new(),
        in_formula: false,
        remote_labels: Vec::new(),
        sent: Vec::new(),
        widest: 0,
    };
    parser.collect_processes(&tokens);
    parser.all_units();
    let model = parser.finish();
    ParsedFile { text, model, flat }
}

pub(super) fn too_large(place: Place) -> ParseError {
    ParseError::new("E1124", "the text is too large", place).help("split the model")
}

/// Role of a word outside of processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Global {
    Variable(GlobalId),
    Proctype(ProctypeId),
    Typedef(TypedefId),
    Constant(MtypeId, i32),
    Inline(usize),
}

impl Global {
    fn what(self) -> &'static str {
        match self {
            Global::Variable(_) => "a variable",
            Global::Proctype(_) => "a proctype",
            Global::Typedef(_) => "a typedef",
            Global::Constant(..) => "a constant of an mtype",
            Global::Inline(_) => "an inline",
        }
    }
}

/// The process that is being read.
struct Context {
    /// Its number if it can be run.
    id: Option<ProctypeId>,
    process: Proctype,
    scopes: Scopes,
    /// Whether a statement was read: later declarations are statements themselves.
    started: bool,
    /// The `d_step` each open loop is in.
    loops: Vec<u32>,
    d_steps: u32,
    /// Whether the next statement is the first of an option, so that it may be `else`.
    guard: bool,
    /// The counter of `for … in` in each scope.
    counters: HashMap<u32, super::ast::LocalId>,
    /// How many options of `if` and `do` are open.
    choices: usize,
    /// The variables for what is received for `_pid`.
    received: Vec<super::ast::LocalId>,
    /// For other processes: of the variables of each name the outermost, and of these the first.
    outermost: HashMap<Rc<str>, (u32, super::ast::LocalId)>,
    /// Whether the statement just read wants its labels on what was put before it.
    label_before: bool,
}

/// A `run`, to be compared with the parameters once all are known.
struct PendingRun {
    proctype: ProctypeId,
    arguments: Vec<(Option<TypedefId>, Place)>,
    place: Place,
}

struct Parser<'a> {
    text: &'a str,
    errors: Errors,
    expansions: Expansions,
    notes: Vec<Note>,
    used_notes: Vec<bool>,
    stream: Stream,
    model: Model,
    names: HashMap<Rc<str>, Global>,
    /// The number of the process that is named there.
    process_at: HashMap<(usize, Option<ExpansionId>), ProctypeId>,
    process_names: HashMap<Rc<str>, ProctypeId>,
    /// The processes that have been read.
    processes: Vec<Option<Proctype>>,
    /// The labels of the processes that have been read.
    label_scopes: Vec<Option<Scopes>>,
    /// The value of [`Context::outermost`] for each of them.
    outermost: Vec<HashMap<Rc<str>, (u32, super::ast::LocalId)>>,
    /// The numbers of the mtypes.
    mtypes: HashMap<Option<String>, MtypeId>,
    /// The names of claims and formulas.
    properties: hashbrown::HashSet<String>,
    unnamed: usize,
    runs: Vec<PendingRun>,
    inlines: Vec<Inline>,
    /// The inlines that are being expanded, each with what its value goes to.
    inlining: Vec<(usize, Option<VarRef>)>,
    /// How many tokens inlines have put in.
    inlined: usize,
    /// The use of an inline that was too much.
    too_much_inlined: Option<Place>,
    /// How many fields structs in messages have been spread into.
    spread: usize,
    depth: usize,
    context: Option<Context>,
    /// The formulas, to be read at the end: name, place, tokens.
    formulas: Vec<(Option<Token>, Place, Rc<[Token]>)>,
    in_formula: bool,
    /// The labels that other processes or formulas look at.
    remote_labels: Vec<(ProctypeId, super::ast::LabelId)>,
    /// How many fields are sent, and where.
    sent: Vec<(usize, Place)>,
    /// The most fields that messages of a channel have.
    widest: usize,
}

impl Parser<'_> {
    fn report(&mut self, wrong: ParseError) {
        self.errors.add(wrong, &self.expansions, self.text);
    }

    fn peek(&mut self) -> &Token {
        self.stream.peek()
    }

    fn bump(&mut self) -> Token {
        self.stream.bump()
    }

    /// Where the next token stands.
    fn here(&mut self) -> Place {
        self.peek().place
    }

    /// From `start` to the last token that was taken.
    fn since(&self, start: Place) -> Place {
        self.expansions.join(start, self.stream.last())
    }

    fn sees(&mut self, sign: Sign) -> bool {
        self.peek().is(sign)
    }

    fn sees_word(&mut self, word: &str) -> bool {
        self.peek().is_word(word)
    }

    fn takes(&mut self, sign: Sign) -> bool {
        let found = self.sees(sign);
        if found {
            self.bump();
        }
        found
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let found = self.sees_word(word);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, sign: Sign) -> Read<Token> {
        if self.sees(sign) {
            return Ok(self.bump());
        }
        Err(self.unexpected(&format!("`{}`", sign.text())))
    }

    /// The error that something else should stand here.
    fn unexpected(&mut self, expected: &str) -> ParseError {
        let token = self.peek().clone();
        if token.kind == Kind::End && self.in_formula {
            let place = self.stream.last();
            let wrong = ParseError::new("E1121", "the formula ends too early", place);
            return match expected {
                "`)`" => wrong
                    .label("expected `)` after this")
                    .help("a parenthesis is open; close it before the end of the formula"),
                _ => wrong
                    .label(format!("expected {expected} after this"))
                    .help("an operator stands before what it is about, or between two of them"),
            };
        }
        if token.kind == Kind::End {
            let place = self.stream.last();
            return ParseError::new("E1121", "the text ends too early", place)
                .label(format!("expected {expected} after this"))
                .help("is a `}`, `fi` or `od` missing?");
        }
        if let Kind::Bad(code, message, _) = token.kind {
            // It was reported; what is reported twice is kept once.
            return ParseError::new(code, message, token.place);
        }
        let message = format!("{} cannot stand here", token.kind);
        let wrong =
            ParseError::new("E1120", message, token.place).label(format!("expected {expected}"));
        let is_in_choice = self.context.as_ref().is_some_and(|context| context.choices > 0);
        let is_in_process = self.context.is_some();
        match &token.kind {
            Kind::Sign(Sign::CloseBrace) if is_in_choice => {
                wrong.help("is a `fi` or `od` missing before it?")
            }
            Kind::Word(word) if is_in_process && OUTSIDE.contains(&&**word) => wrong.help(
                "this stands outside of processes: is a `}`, `fi` or `od` missing before it?",
            ),
            Kind::Sign(Sign::OpenParen) if expected.starts_with("`::`") => {
                wrong.help("write a choice as `if :: condition -> … :: else -> … fi`")
            }
            Kind::Sign(Sign::Assign) if self.stream.after_operator => {
                wrong.help("there is no such assignment: write `x = x + 1`, or `x++`")
            }
            Kind::LineEnd => wrong.help(LINE_ENDS),
            Kind::Sign(_) if self.stream.after_line_end => wrong.help(LINE_ENDS),
            Kind::Sign(Sign::Assign) => wrong.help("to compare, write `==`"),
            _ if expected.contains("separator") => {
                wrong.help("statements are separated by `;` or `->`")
            }
            _ => wrong.help(format!("write {expected} before it, or remove it")),
        }
    }

    /// Takes a name; `what` it is the name of is for the error.
    fn name(&mut self, what: &str) -> Read<(Rc<str>, Place)> {
        let token = self.peek().clone();
        match token.kind {
            Kind::Word(word) if !is_keyword(&word) => {
                self.bump();
                Ok((word, token.place))
            }
            Kind::Word(word) => Err(ParseError::new(
                "E1137",
                format!("`{word}` is a word of the language"),
                token.place,
            )
            .label(format!("expected {what}"))
            .help("choose another name")),
            _ => Err(self.unexpected(what)),
        }
    }

    /// Does something one level deeper.
    fn nested<T>(&mut self, place: Place, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= MAX_DEPTH {
            return Err(too_deep(place));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Takes the annotation before the next token.
    fn annotation(&mut self) -> Option<Annotation> {
        let note = self.peek().note as usize;
        let index = note.checked_sub(1)?;
        self.used_notes[index] = true;
        self.notes[index].annotation
    }

    /// An expression, if it is not too high.
    fn make(&self, kind: ExprKind, place: Place) -> Read<Expr> {
        let of = |variable: &VarRef| {
            let indices = variable.fields.iter().filter_map(|field| field.index.as_ref());
            indices.chain(variable.index.as_deref()).map(|index| index.height).max().unwrap_or(0)
        };
        let below = match &kind {
            ExprKind::Variable(variable)
            | ExprKind::Length(variable)
            | ExprKind::Probe(_, variable) => of(variable),
            ExprKind::Unary(_, operand)
            | ExprKind::Enabled(operand)
            | ExprKind::PcValue(operand)
            | ExprKind::GetPriority(operand) => operand.height,
            ExprKind::Binary(_, left, right) => left.height.max(right.height),
            ExprKind::Conditional(parts) => parts.iter().map(|part| part.height).max().unwrap_or(0),
            ExprKind::Run(run) => run.arguments.iter().map(|value| value.height).max().unwrap_or(0),
            ExprKind::Poll { channel, fields, .. } => {
                let field = |field: &Pattern| match field {
                    Pattern::Store(variable) => of(variable),
                    Pattern::Any => 0,
                    Pattern::Equal(value) => value.height,
                };
                fields.iter().map(field).max().unwrap_or(0).max(of(channel))
            }
            ExprKind::RemoteLabel(_, pid, _) => pid.as_ref().map_or(0, |pid| pid.height),
            ExprKind::RemoteVariable(remote) => {
                let parts = remote.pid.iter().chain(&remote.index);
                parts.map(|part| part.height).max().unwrap_or(0)
            }
            ExprKind::Number(_)
            | ExprKind::Constant(..)
            | ExprKind::Timeout
            | ExprKind::NonProgress => 0,
        };
        if below >= MAX_HEIGHT {
            return Err(too_deep(place));
        }
        Ok(Expr { kind, place, height: below + 1 })
    }

    /// A number in an expression that is not written.
    fn number(&self, value: i32, place: Place) -> Expr {
        Expr { kind: ExprKind::Number(value), place, height: 1 }
    }
}

/// Words that start nothing inside a process.
const OUTSIDE: [&str; 8] =
    ["active", "proctype", "D_proctype", "init", "never", "trace", "notrace", "ltl"];

const LINE_ENDS: &str =
    "SPIN ends the statement with the line; put the operator at the end of the line before";

fn too_deep(place: Place) -> ParseError {
    ParseError::new("E1122", "this is nested too deep", place)
        .label(format!("more than {MAX_DEPTH} levels, or {MAX_HEIGHT} operators in a chain"))
        .help("split it with a variable, a macro or an inline")
}
