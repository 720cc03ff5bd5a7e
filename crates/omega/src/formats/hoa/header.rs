//! Everything before `--BODY--`.

use fairly_source::{Diagnostic, Span};
use hashbrown::{HashMap, HashSet};

use crate::formats::expression::{self, Term, Terms};
use crate::formats::hoa::condition::{self, Condition, Name};
use crate::formats::hoa::lexer::{Lexer, ParseError, Token};
use crate::letters::{Label, Letters, Prop};
use crate::refused::BudgetError;
use fairly_source::suggest::near;

/// Contents of the header.
#[derive(Debug)]
pub(super) struct Header<'a> {
    pub(super) name: Option<String>,
    pub(super) states: Option<(u32, Span)>,
    /// Conjunctions of states, one for each `Start:`.
    pub(super) starts: Vec<Vec<(u32, Span)>>,
    pub(super) propositions: Vec<String>,
    pub(super) condition: Condition,
    pub(super) properties: Vec<Property<'a>>,
    pub(super) formulas: Formulas<'a>,
    pub(super) warnings: Vec<Diagnostic>,
}

/// One word after `properties:`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Property<'a> {
    pub(super) name: &'a str,
    /// False if it is written with `!`, as version 1.1 allows.
    pub(super) claimed: bool,
    pub(super) span: Span,
}

/// Context that is needed to read a label.
#[derive(Debug)]
pub(super) struct Formulas<'a> {
    pub(super) letters: Letters,
    aliases: HashMap<&'a str, Label>,
    /// How many propositions there are; in the header this may still be unknown.
    known: Option<u32>,
    /// The largest proposition used so far and where, to be judged when `AP:` is known.
    largest: Option<(u32, Span)>,
}

/// The terms of a label, as [`expression::label`] wants them.
pub(super) struct LabelTerms<'l, 'a> {
    pub(super) lexer: &'l mut Lexer<'a>,
    pub(super) formulas: &'l mut Formulas<'a>,
}

impl Terms for LabelTerms<'_, '_> {
    type Error = ParseError;

    fn term(&mut self) -> Result<Term, ParseError> {
        Ok(match self.lexer.token {
            Token::Sign(b'!') => Term::Not,
            Token::Sign(b'&') => Term::And,
            Token::Sign(b'|') => Term::Or,
            Token::Sign(b'(') => Term::Open,
            Token::Sign(b')') => Term::Close,
            Token::Word if self.lexer.slice() == "t" => Term::Label(Label::TRUE),
            Token::Word if self.lexer.slice() == "f" => Term::Label(Label::FALSE),
            Token::Alias => Term::Label(self.formulas.alias(self.lexer)?),
            Token::Int => {
                // The number is checked on a copy: the token itself is taken by `next`.
                let mut ahead = self.lexer.clone();
                let (prop, span) = ahead.expect_number("a proposition")?;
                Term::Prop(self.formulas.proposition(prop, span)?)
            }
            _ => Term::Other,
        })
    }

    fn next(&mut self) -> Result<(), ParseError> {
        self.lexer.advance()
    }

    fn letters(&mut self) -> &mut Letters {
        &mut self.formulas.letters
    }

    fn unexpected(&self, expected: &str) -> ParseError {
        self.lexer.unexpected(expected)
    }

    fn refused(&self, refused: BudgetError) -> ParseError {
        too_large(refused, self.lexer.span())
    }
}

/// The error for labels that need more nodes than there may be.
pub(super) fn too_large(refused: BudgetError, span: Span) -> ParseError {
    let message = format!("the labels are too complicated: {refused}");
    Diagnostic::error("E0227", message, span).into()
}

impl<'a> Formulas<'a> {
    fn alias(&self, lexer: &Lexer<'a>) -> Result<Label, ParseError> {
        if let Some(&label) = self.aliases.get(lexer.slice()) {
            return Ok(label);
        }
        let message = format!("the alias {} is not defined", lexer.found());
        let near = near(lexer.slice(), self.aliases.keys().copied());
        Err(Diagnostic::error("E0218", message, lexer.span())
            .label("an alias must be defined before it is used")
            .help_if(near.map(|near| format!("there is an alias `{near}`")))
            .into())
    }

    fn proposition(&mut self, prop: u32, span: Span) -> Result<Prop, ParseError> {
        match self.known {
            Some(count) => check_proposition(prop, count, span)?,
            None if self.largest.is_none_or(|(largest, _)| prop > largest) => {
                self.largest = Some((prop, span));
            }
            None => {}
        }
        Ok(Prop(prop))
    }
}

fn check_proposition(prop: u32, count: u32, span: Span) -> Result<(), ParseError> {
    if prop < count {
        return Ok(());
    }
    let message = format!("there is no proposition {prop}");
    let label = match count {
        0 => "no propositions are declared".into(),
        1 => "only proposition 0 is declared".into(),
        _ => format!("propositions 0 to {} are declared", count - 1),
    };
    Err(Diagnostic::error("E0217", message, span).label(label).into())
}

/// Reads from `HOA:` to `--BODY--`; the lexer is then at the first token of the body.
pub(super) fn read<'a>(lexer: &mut Lexer<'a>) -> Result<Header<'a>, ParseError> {
    version(lexer)?;
    let mut reader = HeaderReader::new();
    while lexer.token == Token::Header {
        reader.item(lexer)?;
    }
    if lexer.token != Token::Body {
        return Err(lexer.unexpected("a header such as `Start:`, or `--BODY--`"));
    }
    let header = reader.finish(lexer.span())?;
    lexer.advance()?;
    Ok(header)
}

fn version(lexer: &mut Lexer<'_>) -> Result<(), ParseError> {
    if lexer.token != Token::Header || lexer.slice() != "HOA" {
        if lexer.token == Token::Abort {
            return Err(ParseError::Abort);
        }
        let message = format!("expected an automaton, found {}", lexer.found());
        return Err(Diagnostic::error("E0206", message, lexer.span())
            .label("an automaton starts with `HOA: v1`")
            .into());
    }
    lexer.advance()?;
    if lexer.token != Token::Word {
        return Err(lexer.unexpected("the version `v1`"));
    }
    if !matches!(lexer.slice(), "v1" | "v1.1") {
        let message = format!("version {} of HOA is not supported", lexer.found());
        return Err(Diagnostic::error("E0208", message, lexer.span())
            .label("expected `v1` or `v1.1`")
            .into());
    }
    lexer.advance()
}

struct HeaderReader<'a> {
    seen: HashSet<&'a str>,
    name: Option<String>,
    states: Option<(u32, Span)>,
    starts: Vec<Vec<(u32, Span)>>,
    propositions: Option<Vec<String>>,
    condition: Option<Condition>,
    acc_name: Option<Name<'a>>,
    properties: Vec<Property<'a>>,
    formulas: Formulas<'a>,
}

impl<'a> HeaderReader<'a> {
    fn new() -> Self {
        HeaderReader {
            seen: HashSet::new(),
            name: None,
            states: None,
            starts: Vec::new(),
            propositions: None,
            condition: None,
            acc_name: None,
            properties: Vec::new(),
            formulas: Formulas {
                letters: Letters::new(),
                aliases: HashMap::new(),
                known: None,
                largest: None,
            },
        }
    }

    /// One header with what belongs to it.
    fn item(&mut self, lexer: &mut Lexer<'a>) -> Result<(), ParseError> {
        let (header, span) = (lexer.slice(), lexer.span());
        let repeatable = matches!(header, "Start" | "Alias" | "properties");
        if header == "HOA" || !(repeatable || self.seen.insert(header)) {
            let message = format!("`{header}:` is given twice");
            let mut wrong = Diagnostic::error("E0209", message, span);
            if header == "HOA" {
                wrong = wrong.help("the automaton before has no `--BODY--` and `--END--`");
            }
            return Err(wrong.into());
        }
        lexer.advance()?;
        match header {
            "States" => self.states = Some(lexer.expect_number("the number of states")?),
            "Start" => {
                let mut all = vec![lexer.expect_number("an initial state")?];
                while lexer.token == Token::Sign(b'&') {
                    lexer.advance()?;
                    all.push(lexer.expect_number("an initial state")?);
                }
                self.starts.push(all);
            }
            "AP" => self.propositions = Some(propositions(lexer)?),
            "Alias" => self.alias(lexer)?,
            "Acceptance" => self.condition = Some(condition::read(lexer)?),
            "acc-name" => self.acc_name = Some(Name::read(lexer)?),
            "tool" => {
                for part in ["the name of a tool", "a version"] {
                    if lexer.token == Token::Text {
                        lexer.advance()?;
                    } else if part != "a version" {
                        return Err(lexer.unexpected(part));
                    }
                }
            }
            "name" => {
                if lexer.token != Token::Text {
                    return Err(lexer.unexpected("a name in quotes"));
                }
                self.name = Some(lexer.unquoted().into_owned());
                lexer.advance()?;
            }
            "properties" => {
                while matches!(lexer.token, Token::Word | Token::Sign(b'!')) {
                    let start = lexer.span();
                    let claimed = lexer.token == Token::Word;
                    if !claimed {
                        lexer.advance()?;
                        if lexer.token != Token::Word {
                            return Err(lexer.unexpected("the name of a property"));
                        }
                    }
                    let (name, span) = (lexer.slice(), start.to(lexer.span()));
                    self.properties.push(Property { name, claimed, span });
                    lexer.advance()?;
                }
            }
            _ if header.starts_with(|initial: char| initial.is_ascii_uppercase()) => {
                let message = format!("the header `{header}:` is not known");
                return Err(Diagnostic::error("E0210", message, span)
                    .label("the capital says that it must not be ignored")
                    .into());
            }
            _ => {
                while matches!(lexer.token, Token::Int | Token::Text | Token::Word) {
                    lexer.advance()?;
                }
            }
        }
        Ok(())
    }

    fn alias(&mut self, lexer: &mut Lexer<'a>) -> Result<(), ParseError> {
        if lexer.token != Token::Alias {
            return Err(lexer.unexpected("an alias such as `@a`"));
        }
        let (name, span) = (lexer.slice(), lexer.span());
        if self.formulas.aliases.contains_key(name) {
            let message = format!("the alias `{name}` is defined twice");
            return Err(Diagnostic::error("E0219", message, span).into());
        }
        lexer.advance()?;
        let label = expression::label(&mut LabelTerms { lexer, formulas: &mut self.formulas })?;
        self.formulas.aliases.insert(name, label);
        Ok(())
    }

    /// Checks that need all headers.
    fn finish(mut self, end: Span) -> Result<Header<'a>, ParseError> {
        let Some(condition) = self.condition else {
            let message = "the header `Acceptance:` is missing";
            return Err(Diagnostic::error("E0211", message, end)
                .help("`Acceptance: 0 t` accepts every run")
                .into());
        };
        let mut warnings = Vec::new();
        if let Some(name) = self.acc_name
            && !name.agrees(&condition.formula)
        {
            let message = "`acc-name:` and `Acceptance:` disagree";
            let warning = Diagnostic::warning("E0212", message, name.span)
                .label(format!("this is not {}", shortened(&condition.formula.to_string())))
                .help("`Acceptance:` is what counts; `acc-name:` may be left out");
            warnings.push(warning);
        }
        let propositions = self.propositions.unwrap_or_default();
        let count = u32::try_from(propositions.len()).unwrap_or(u32::MAX);
        if let Some((largest, span)) = self.formulas.largest {
            check_proposition(largest, count, span)?;
        }
        self.formulas.known = Some(count);
        if let Some((states, _)) = self.states {
            for &(start, span) in self.starts.iter().flatten() {
                check_state(start, states, span)?;
            }
        }
        Ok(Header {
            name: self.name,
            states: self.states,
            starts: self.starts,
            propositions,
            condition,
            properties: self.properties,
            formulas: self.formulas,
            warnings,
        })
    }
}

fn shortened(text: &str) -> String {
    if text.len() <= 60 { text.into() } else { format!("{}…", &text[..60]) }
}

/// `AP: 2 "a" "b"`
fn propositions(lexer: &mut Lexer<'_>) -> Result<Vec<String>, ParseError> {
    let (count, span) = lexer.expect_number("the number of propositions")?;
    let mut names: Vec<String> = Vec::new();
    let mut known = HashSet::new();
    while lexer.token == Token::Text {
        let name = lexer.unquoted();
        if !known.insert(name.clone()) {
            let message = format!("the proposition {} is listed twice", lexer.slice());
            return Err(Diagnostic::error("E0216", message, lexer.span()).into());
        }
        names.push(name.into_owned());
        lexer.advance()?;
    }
    if names.len() != count as usize {
        if lexer.is_cut_off() {
            return Err(lexer.unexpected("the name of a proposition"));
        }
        let message = format!("{count} propositions are announced but {} named", names.len());
        return Err(Diagnostic::error("E0215", message, span).into());
    }
    Ok(names)
}

/// The error for a state that is not below the number of states.
pub(super) fn check_state(state: u32, states: u32, span: Span) -> Result<(), ParseError> {
    if state < states {
        return Ok(());
    }
    let message = format!("there is no state {state}");
    let label = match states {
        0 => "`States:` announces none".into(),
        1 => "`States:` announces only state 0".into(),
        _ => format!("`States:` announces states 0 to {}", states - 1),
    };
    Err(Diagnostic::error("E0221", message, span).label(label).into())
}
