//! Directives and macros, as the C preprocessor that SPIN calls would treat them.
//!
//! Only what models use is here: `#define` (with parameters, `#` and `##`), `#undef`, conditions,
//! `#include` and `#error`. Included texts come from an [`Includes`], since a front end reads no files.
//! The expansion of macros is in [`macros`], the arithmetic of `#if` in [`condition`].

mod c_code;
mod condition;
mod include;
mod macros;

use std::fmt::Write as _;
use std::rc::Rc;

use fairly_source::{Fragment, Span, parts};
use hashbrown::HashMap;

use super::super::include::Includes;
use super::lexer::{Lexed, MAX_TOKENS, Note, lex};
use super::parser::{Setup, too_large};
use super::place::{Errors, Expansions, ParseError, Place};
use super::token::{Kind, Sign, Token};
use include::Inclusion;
use macros::Macro;

/// How deep files may include files. The C preprocessor of GCC has the same limit.
const MAX_FILES: usize = 200;
/// How often files may be included in all.
const MAX_INCLUSIONS: usize = 10_000;

/// Name of the macros of the arguments in messages.
const ARGUMENTS: &str = "<arguments>";

/// A text with all directives carried out.
pub(super) struct Preprocessed {
    /// The text with all included ones as parts.
    pub(super) text: String,
    pub(super) tokens: Vec<Token>,
    pub(super) notes: Vec<Note>,
    pub(super) expectations: Vec<Fragment>,
    /// The text with included files in place and with the macros of the arguments, if there are any.
    pub(super) flat: Option<String>,
}

/// The state of the preprocessor.
pub(super) struct Preprocessor<'a> {
    text: String,
    includes: &'a mut dyn Includes,
    errors: &'a mut Errors,
    expansions: &'a mut Expansions,
    macros: HashMap<Rc<str>, Macro>,
    /// Macros that are being expanded, which are not expanded inside themselves.
    busy: hashbrown::HashSet<Rc<str>>,
    /// Tokens that expansion has made so far; a limit on it bounds time and memory.
    work: usize,
    exhausted: bool,
    groups: Vec<Group>,
    /// The files that are being read, the innermost last.
    files: Vec<Open>,
    /// Where files are included, and where these stand in the text.
    inclusions: Vec<Inclusion>,
    notes: Vec<Note>,
    expectations: Vec<Fragment>,
    /// Where the lines of the text end, as far as that was needed.
    line_ends: Vec<usize>,
}

/// A file that is being read.
struct Open {
    name: String,
    tokens: Rc<[Token]>,
    at: usize,
    /// How many conditions were open where it was included.
    groups: usize,
    /// Where it begins in the text.
    start: usize,
}

/// An open `#if`.
struct Group {
    place: Place,
    /// Whether the text around it is read.
    outside: bool,
    /// Whether its current part is read.
    active: bool,
    /// Whether a part of it was read.
    taken: bool,
    otherwise: bool,
}

/// The tokens with all directives carried out.
pub(super) fn preprocess(
    text: String,
    setup: Setup<'_>,
    errors: &mut Errors,
    expansions: &mut Expansions,
) -> Preprocessed {
    let Setup { name, defines, undefines, includes } = setup;
    let (main, own) = (lex(&text), text.len());
    let mut preprocessor = Preprocessor {
        text,
        includes,
        errors,
        expansions,
        macros: HashMap::new(),
        busy: hashbrown::HashSet::new(),
        work: 0,
        exhausted: false,
        groups: Vec::new(),
        files: Vec::new(),
        inclusions: Vec::new(),
        notes: Vec::new(),
        expectations: Vec::new(),
        line_ends: Vec::new(),
    };
    let end = main.tokens.last().cloned();
    preprocessor.open_file(name.to_owned(), main, 0);
    let mut given = String::new();
    // A line is all that a definition can take.
    let line = |text: &str| text.replace(['\n', '\r'], " ");
    for define in defines {
        let (name, value) = define.split_once('=').unwrap_or((define, "1"));
        let _ = writeln!(given, "#define {} {}", line(name), line(value));
    }
    for name in undefines {
        let _ = writeln!(given, "#undef {}", line(name));
    }
    if !given.is_empty() {
        let start = parts::append(&mut preprocessor.text, ARGUMENTS, &given);
        let lexed = lex(&given).shifted(start, preprocessor.notes.len());
        preprocessor.open_file(ARGUMENTS.to_owned(), lexed, start);
    }
    let mut tokens = preprocessor.run();
    tokens.extend(end);
    let Preprocessor { text, notes, expectations, mut inclusions, .. } = preprocessor;
    inclusions.sort_by_key(|it| it.line.start);
    let is_whole = given.is_empty() && inclusions.is_empty();
    let flat = (!is_whole).then(|| given + &include::flat(&text, Span::new(0, own), &inclusions));
    Preprocessed { text, tokens, notes, expectations, flat }
}

impl Preprocessor<'_> {
    fn wrong(&mut self, wrong: ParseError) {
        self.errors.add(wrong, self.expansions, &self.text);
    }

    fn active(&self) -> bool {
        self.groups.last().is_none_or(|group| group.active)
    }

    /// Whether the innermost file has opened a condition that is not closed.
    fn has_group(&self) -> bool {
        self.files.last().is_some_and(|file| self.groups.len() > file.groups)
    }

    fn open_file(&mut self, name: String, lexed: Lexed, start: usize) {
        if let Some(cut) = lexed.cut {
            let wrong = too_large(Place::plain(cut));
            self.wrong(wrong.label(format!("more than {MAX_TOKENS} tokens")));
        }
        self.notes.extend(lexed.notes);
        self.expectations.extend(lexed.expectations);
        let groups = self.groups.len();
        self.files.push(Open { name, tokens: lexed.tokens.into(), at: 0, groups, start });
    }

    /// Reports the conditions that the innermost file leaves open, and leaves it.
    fn close_file(&mut self) {
        let Some(file) = self.files.pop() else { return };
        for group in self.groups.split_off(file.groups) {
            let wrong = ParseError::new("E1109", "this condition has no `#endif`", group.place)
                .label("opened here")
                .help("close it with a line `#endif`");
            self.wrong(wrong);
        }
    }

    fn run(&mut self) -> Vec<Token> {
        let mut out = Vec::new();
        let directive = |token: &Token| token.newline && token.is(Sign::Hash);
        let mut pending_newline = false;
        while let Some(file) = self.files.last_mut() {
            let (tokens, at) = (file.tokens.clone(), file.at);
            if tokens.get(at).is_none_or(|token| token.kind == Kind::End) {
                self.close_file();
                continue;
            }
            if directive(&tokens[at]) {
                let length = tokens[at + 1..].iter().take_while(|token| !token.newline).count();
                file.at += 1 + length;
                self.directive(&tokens[at], &tokens[at + 1..at + 1 + length]);
                if self.exhausted {
                    break;
                }
                continue;
            }
            let ends = |token: &&Token| !directive(token) && token.kind != Kind::End;
            let length = tokens[at..].iter().take_while(ends).count();
            file.at += length;
            if self.active() {
                let chunk: Rc<[Token]> = tokens[at..at + length].into();
                pending_newline = self.expand(chunk, 0, pending_newline, &mut out);
            }
            if out.len() > MAX_TOKENS {
                out.truncate(MAX_TOKENS);
                self.too_large(tokens[(at + length).min(tokens.len() - 1)].place);
                break;
            }
        }
        if self.report_c(&out) {
            return out;
        }
        // An unreadable token is an error only if it is used. It stays, so that the parser knows that something
        // was there.
        for token in &out {
            if let Kind::Bad(code, message, label) = token.kind {
                let wrong = unreadable(code, message, label, token.place);
                self.errors.add(wrong, self.expansions, &self.text);
            }
        }
        // A sign of the preprocessor alone means nothing to SPIN.
        for token in &out {
            if token.is(Sign::Hash) || token.is(Sign::Paste) {
                let wrong = ParseError::new(
                    "E1107",
                    "`#` starts a directive only at the start of a line",
                    token.place,
                );
                self.errors.add(
                    wrong.help("put the directive on a line of its own"),
                    self.expansions,
                    &self.text,
                );
            }
        }
        out.retain(|token| !token.is(Sign::Hash) && !token.is(Sign::Paste));
        out
    }

    fn too_large(&mut self, place: Place) {
        if !std::mem::replace(&mut self.exhausted, true) {
            let wrong = ParseError::new("E1114", "the expansion of macros is too large", place)
                .label(format!("more than {MAX_TOKENS} tokens, or nested too deep"))
                .help("use a proctype or an inline instead of nested macros");
            self.wrong(wrong);
        }
    }

    fn directive(&mut self, hash: &Token, line: &[Token]) {
        let Some(first) = line.first() else { return };
        let name = first.word().unwrap_or_default();
        let rest = line.get(1..).unwrap_or_default();
        let whole = self.expansions.join(hash.place, line.last().unwrap_or(hash).place);
        match name {
            "if" | "ifdef" | "ifndef" => self.open(name, first.place, rest),
            "elif" => self.other_part(first.place, Some(rest)),
            "else" => self.other_part(first.place, None),
            "endif" => {
                if self.has_group() {
                    self.groups.pop();
                } else {
                    self.wrong(no_group(name, first.place));
                }
            }
            _ if !self.active() => {}
            "define" => self.define(first.place, rest),
            "undef" => match rest {
                [Token { kind: Kind::Word(name), .. }] => {
                    self.macros.remove(name);
                }
                _ => self.wrong(
                    ParseError::new("E1107", "`#undef` needs the name of a macro", whole)
                        .help("write `#undef NAME`"),
                ),
            },
            "include" => self.include(whole, rest),
            "error" => self.wrong(
                ParseError::new("E1115", "the text refuses to be read", whole)
                    .label("this line is reached")
                    .help("the condition around it decides this; define what it asks for"),
            ),
            "pragma" | "ident" | "line" | "warning" => {}
            _ if matches!(first.kind, Kind::Number(..)) => {}
            _ => self.wrong(
                ParseError::new(
                    "E1107",
                    format!("there is no directive {}", first.kind),
                    first.place,
                )
                .help("there are include, define, undef, if, ifdef, ifndef, elif, else, endif"),
            ),
        }
    }

    fn open(&mut self, name: &str, place: Place, rest: &[Token]) {
        let outside = self.active();
        let active = outside
            && match name {
                "if" => self.condition(place, rest),
                _ => {
                    let defined = match rest.first().map(|token| &token.kind) {
                        Some(Kind::Word(name)) => self.macros.contains_key(name),
                        _ => {
                            let message = format!("`#{name}` needs the name of a macro");
                            let help = format!("write `#{name} NAME`");
                            self.wrong(ParseError::new("E1107", message, place).help(help));
                            false
                        }
                    };
                    defined == (name == "ifdef")
                }
            };
        self.groups.push(Group { place, outside, active, taken: active, otherwise: false });
    }

    /// `#else`, or `#elif` with its condition.
    fn other_part(&mut self, place: Place, condition: Option<&[Token]>) {
        let name = if condition.is_some() { "elif" } else { "else" };
        let Some(group) = self.groups.last().filter(|_| self.has_group()) else {
            self.wrong(no_group(name, place));
            return;
        };
        if group.otherwise {
            self.wrong(
                ParseError::new("E1108", format!("`#{name}` after `#else`"), place)
                    .help("a condition has one `#else`, which is its last part"),
            );
            return;
        }
        let wanted = group.outside && !group.taken;
        let active = wanted && condition.is_none_or(|rest| self.condition(place, rest));
        if let Some(group) = self.groups.last_mut() {
            group.active = active;
            group.taken |= active;
            group.otherwise |= condition.is_none();
        }
    }

    fn define(&mut self, place: Place, rest: &[Token]) {
        let malformed = |message: &str, place: Place| {
            ParseError::new("E1111", message, place)
                .help("write `#define NAME text` or `#define NAME(a, b) text`")
        };
        let [Token { kind: Kind::Word(name), place: named, .. }, body @ ..] = rest else {
            self.wrong(malformed("`#define` needs a name", place));
            return;
        };
        let mut body = body;
        let mut parameters = None;
        let (mut is_variadic, mut anonymous) = (false, false);
        if body.first().is_some_and(|next| next.is(Sign::OpenParen) && rest[0].touches(next)) {
            let Some(close) = body.iter().position(|token| token.is(Sign::CloseParen)) else {
                self.wrong(malformed("these parameters do not end", body[0].place));
                return;
            };
            let mut names: Vec<Rc<str>> = Vec::new();
            let mut list = &body[1..close];
            // `...` is written as `..` and `.`; a name before it stands for the arguments.
            if let [rest @ .., dots, dot] = list
                && dots.is(Sign::Range)
                && dot.is(Sign::Dot)
            {
                is_variadic = true;
                let is_named = rest.last().is_some_and(|last| last.word().is_some());
                anonymous = !is_named;
                list = if is_named { rest } else { rest.split_last().map_or(rest, |it| it.1) };
            }
            for (at, token) in list.iter().enumerate() {
                match &token.kind {
                    Kind::Word(name)
                        if at % 2 == 0 && names.len() < 255 && !names.contains(name) =>
                    {
                        names.push(name.clone());
                    }
                    Kind::Sign(Sign::Comma) if at % 2 == 1 && at + 1 < list.len() => {}
                    _ => {
                        self.wrong(malformed("expected a new parameter", token.place));
                        return;
                    }
                }
            }
            if anonymous {
                names.push("__VA_ARGS__".into());
            }
            parameters = Some(names);
            body = &body[close + 1..];
        }
        let definition: Span = named.span;
        let body: Rc<[Token]> = body.into();
        self.macros.insert(name.clone(), Macro { parameters, is_variadic, body, definition });
    }
}

fn no_group(name: &str, place: Place) -> ParseError {
    ParseError::new("E1108", format!("`#{name}` without `#if`"), place)
        .label("no condition is open here")
        .help("remove it, or open a condition before it")
}

fn unreadable(code: &'static str, message: &str, label: &str, place: Place) -> ParseError {
    let help = match code {
        "E1100" => "remove it; names are made of ASCII letters, digits and `_`",
        "E1101" => "close the comment",
        "E1102" => "close the string with `\"`, and write a line end as `\\n`",
        "E1103" => "write a number, or a single character between `'`",
        "E1104" => "an `int` has 32 bits with a sign, and a larger number is cut off at that",
        _ => "SPIN reads neither hexadecimal nor octal numbers",
    };
    ParseError::new(code, message, place).label(label).help(help)
}
