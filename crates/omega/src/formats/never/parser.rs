//! Reading never claims.

use fairly_source::{Diagnostic, Span};
use hashbrown::HashMap;

use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, Builder, StateId};
use crate::formats::expression::{self, Term, Terms};
use crate::formats::never::lexer::{Lexer, ParseError, Token};
use crate::letters::{Import, Label, Letters, Prop};
use crate::marks::{Mark, MarkSet};
use crate::refused::BudgetError;
use fairly_source::suggest::near;

/// All never claims of a text.
///
/// # Errors
/// The first thing that is wrong; see the table of this module.
pub fn parse(text: &str) -> Result<Vec<Automaton>, Diagnostic> {
    let read = || {
        let mut lexer = Lexer::new(text)?;
        let mut claims = Vec::new();
        while lexer.token != Token::Finish {
            claims.push(Claim::read(&mut lexer)?);
        }
        Ok(claims)
    };
    read().map_err(|wrong: ParseError| *wrong)
}

/// Whether `name`, put into a guard, is read as one proposition with exactly that name.
pub(super) fn is_atom(name: &str) -> bool {
    const RESERVED: [&str; 10] =
        ["true", "false", "skip", "else", "goto", "if", "fi", "do", "od", "atomic"];
    if RESERVED.contains(&name) {
        return false;
    }
    let guard = format!("({name})");
    let read = || {
        let mut lexer = Lexer::new(&guard)?;
        let mut claim = Claim::new();
        let label = claim.guard(&mut lexer)?;
        let alone = claim.letters.prop(Prop(0)) == Ok(label) && claim.names == [name];
        Ok::<_, ParseError>(alone && lexer.token == Token::Finish)
    };
    read().unwrap_or(false)
}

/// Where an edge leads.
#[derive(Clone, Copy, Debug)]
enum Target<'a> {
    /// A label, and where it is named.
    Label(&'a str, Span),
    /// The state that is defined next, or the end of the claim.
    Next,
    /// The state itself.
    Stay,
    /// Nothing matters any more: the word is accepted.
    End,
}

/// A claim with the state being read.
struct Claim<'a> {
    letters: Letters,
    names: Vec<String>,
    known: HashMap<String, Prop>,
    labels: HashMap<&'a str, usize>,
    /// For each state whether it accepts.
    accepting: Vec<bool>,
    edges: Vec<(usize, Label, Target<'a>)>,
}

struct GuardTerms<'l, 'c, 'a> {
    lexer: &'l mut Lexer<'a>,
    claim: &'c mut Claim<'a>,
    /// A proposition that `term` has taken already.
    taken: Option<Prop>,
}

impl Terms for GuardTerms<'_, '_, '_> {
    type Error = ParseError;

    fn term(&mut self) -> Result<Term, ParseError> {
        if let Some(prop) = self.taken {
            return Ok(Term::Prop(prop));
        }
        Ok(match self.lexer.token {
            Token::Sign(b'!') => Term::Not,
            Token::Sign(b'&') => Term::And,
            Token::Sign(b'|') => Term::Or,
            Token::Sign(b')') => Term::Close,
            Token::Sign(b'(') if self.lexer.encloses_formula()? => Term::Open,
            Token::Sign(b'(') | Token::Word | Token::Other => {
                if matches!(self.lexer.slice(), "goto" | "fi" | "od" | "else") {
                    return Ok(Term::Other);
                }
                let name = self.lexer.take_atom()?;
                match name.as_str() {
                    // The token is taken, so the constant is put in its place as a label; the
                    // caller's `next` must not skip another one.
                    "true" | "1" | "skip" => return self.constant(Label::TRUE),
                    "false" | "0" => return self.constant(Label::FALSE),
                    _ => {}
                }
                let prop = self.claim.proposition(&name);
                self.taken = Some(prop);
                Term::Prop(prop)
            }
            _ => Term::Other,
        })
    }

    fn next(&mut self) -> Result<(), ParseError> {
        if self.taken.take().is_some() { Ok(()) } else { self.lexer.advance() }
    }

    fn letters(&mut self) -> &mut Letters {
        &mut self.claim.letters
    }

    fn unexpected(&self, expected: &str) -> ParseError {
        self.lexer.unexpected(expected)
    }

    fn refused(&self, refused: BudgetError) -> ParseError {
        too_large(refused, self.lexer.span())
    }
}

impl GuardTerms<'_, '_, '_> {
    fn constant(&mut self, label: Label) -> Result<Term, ParseError> {
        // Any proposition will do: `next` only looks whether there is one.
        self.taken = Some(Prop(0));
        Ok(Term::Label(label))
    }
}

fn too_large(refused: BudgetError, span: Span) -> ParseError {
    let message = format!("the guards are too complicated: {refused}");
    Box::new(Diagnostic::error("E0309", message, span))
}

impl<'a> Claim<'a> {
    fn new() -> Self {
        Claim {
            letters: Letters::new(),
            names: Vec::new(),
            known: HashMap::new(),
            labels: HashMap::new(),
            accepting: Vec::new(),
            edges: Vec::new(),
        }
    }

    /// `never name? { states }`
    fn read(lexer: &mut Lexer<'a>) -> Result<Automaton, ParseError> {
        if !lexer.is("never") {
            let message = "this is not a never claim";
            let wrong = Diagnostic::error("E0302", message, lexer.span());
            return Err(Box::new(wrong.label("expected `never`")));
        }
        lexer.advance()?;
        let mut name = None;
        if lexer.token == Token::Word {
            name = Some(lexer.slice().to_owned());
            lexer.advance()?;
        }
        lexer.expect(b'{', "`{`")?;
        let mut claim = Claim::new();
        while lexer.token != Token::Sign(b'}') {
            claim.state(lexer)?;
        }
        let end = lexer.span();
        lexer.advance()?;
        claim.finish(name, end)
    }

    /// One or more labels and the statement they stand before.
    fn state(&mut self, lexer: &mut Lexer<'a>) -> Result<(), ParseError> {
        let state = self.accepting.len();
        self.accepting.push(false);
        // A first state without a label is fine: the claim starts there.
        let mut labelled = state == 0 && ["if", "do"].iter().any(|word| lexer.is(word));
        while !labelled || (lexer.token == Token::Word && !starts_statement(lexer.slice())) {
            let (label, span) = lexer.expect_word("a label")?;
            lexer.expect(b':', "`:` after the label")?;
            if self.labels.insert(label, state).is_some() {
                let message = format!("the label `{label}` is defined twice");
                return Err(Box::new(Diagnostic::error("E0305", message, span)));
            }
            self.accepting[state] |= label.starts_with("accept");
            labelled = true;
        }
        if lexer.is("if") || lexer.is("do") {
            let repeats = lexer.is("do");
            lexer.advance()?;
            while lexer.token == Token::Sign(b'#') {
                lexer.advance()?;
                self.option(lexer, state, Some(repeats))?;
            }
            let close = if repeats { "od" } else { "fi" };
            if !lexer.is(close) {
                return Err(lexer.unexpected(&format!("`::` or `{close}`")));
            }
            lexer.advance()?;
        } else {
            let skips = lexer.is("skip");
            self.option(lexer, state, None)?;
            while lexer.token == Token::Sign(b';') {
                lexer.advance()?;
            }
            // `accept_all: skip }`: the claim ends here, so everything is accepted.
            if skips && lexer.token == Token::Sign(b'}') {
                self.accepting[state] = true;
                self.edges.last_mut().expect("just added").2 = Target::Stay;
            }
        }
        while lexer.token == Token::Sign(b';') {
            lexer.advance()?;
        }
        Ok(())
    }

    /// `guard -> goto label` and its variants. `repeats` tells in which block it stands: after an
    /// option without a jump a `do` starts again and an `if` goes on behind it.
    fn option(
        &mut self,
        lexer: &mut Lexer<'a>,
        state: usize,
        repeats: Option<bool>,
    ) -> Result<(), ParseError> {
        let atomic = lexer.is("atomic") || lexer.is("d_step");
        if atomic {
            lexer.advance()?;
            lexer.expect(b'{', "`{`")?;
        }
        let mut guard = Label::TRUE;
        if !lexer.is("goto") {
            guard = self.guard(lexer)?;
        }
        let arrow = lexer.token == Token::Sign(b'>');
        if arrow || (lexer.token == Token::Sign(b';') && repeats.is_some()) {
            lexer.advance()?;
        }
        let target = self.action(lexer, guard, repeats)?;
        while lexer.token == Token::Sign(b';') {
            lexer.advance()?;
        }
        if atomic {
            lexer.expect(b'}', "`}`")?;
        }
        self.edges.push((state, guard, target));
        Ok(())
    }

    /// Parses the statement behind the arrow of a guard.
    fn action(
        &mut self,
        lexer: &mut Lexer<'a>,
        guard: Label,
        repeats: Option<bool>,
    ) -> Result<Target<'a>, ParseError> {
        let on = if repeats == Some(true) { Target::Stay } else { Target::Next };
        if lexer.is("goto") {
            lexer.advance()?;
            let (label, span) = lexer.expect_word("a label")?;
            return Ok(Target::Label(label, span));
        }
        if lexer.is("break") && repeats == Some(true) {
            lexer.advance()?;
            return Ok(Target::Next);
        }
        if lexer.is("skip") {
            lexer.advance()?;
            return Ok(on);
        }
        if lexer.is("assert") {
            lexer.advance()?;
            let span = lexer.span();
            let asserted = self.guard(lexer)?;
            let may_hold =
                self.letters.and(guard, asserted).map_err(|refused| too_large(refused, span))?;
            if may_hold != Label::FALSE {
                let message = "this assertion may hold";
                return Err(Box::new(
                    Diagnostic::error("E0307", message, span)
                        .label("only the negation of the guard is understood here"),
                ));
            }
            return Ok(Target::End);
        }
        Ok(on)
    }

    fn guard(&mut self, lexer: &mut Lexer<'a>) -> Result<Label, ParseError> {
        expression::label(&mut GuardTerms { lexer, claim: self, taken: None })
    }

    fn proposition(&mut self, name: &str) -> Prop {
        let next = Prop(self.names.len() as u32);
        *self.known.entry_ref(name).or_insert_with(|| {
            self.names.push(name.to_owned());
            next
        })
    }

    fn finish(self, name: Option<String>, end: Span) -> Result<Automaton, ParseError> {
        let mut sorted: Vec<usize> = (0..self.names.len()).collect();
        sorted.sort_by_key(|&at| &self.names[at]);
        let mut rename = vec![Prop(0); self.names.len()];
        for (new, &old) in sorted.iter().enumerate() {
            rename[old] = Prop(new as u32);
        }
        let mut builder = Builder::new(sorted.iter().map(|&at| self.names[at].clone()).collect());
        builder.set_name(name);
        builder.set_acceptance(Acceptance::buchi(), 1);
        let states = self.accepting.len();
        builder.add_states(states);
        if states > 0 {
            builder.add_initial(StateId(0));
        }
        let mark = |state: usize| -> MarkSet {
            self.accepting
                .get(state)
                .is_none_or(|&yes| yes)
                .then_some(Mark(0))
                .into_iter()
                .collect()
        };
        let mut ends = false;
        let mut import = Import::new(&self.letters, &rename);
        for &(from, label, target) in &self.edges {
            let to = match target {
                Target::Label(label, span) => {
                    *self.labels.get(label).ok_or_else(|| self.unknown_label(label, span))?
                }
                Target::Next => from + 1,
                Target::Stay => from,
                Target::End => states,
            };
            ends |= to == states && label != Label::FALSE;
            let label = import
                .label(builder.letters_mut(), label)
                .map_err(|refused| too_large(refused, end))?;
            builder.add_edge(state_id(from), label, mark(from), state_id(to));
        }
        if ends {
            let accept_all = builder.add_state();
            builder.add_edge(accept_all, Label::TRUE, mark(states), accept_all);
        }
        Ok(builder.build())
    }

    fn unknown_label(&self, label: &str, span: Span) -> ParseError {
        let message = format!("there is no label `{label}`");
        let near = near(label, self.labels.keys().copied());
        let near = near.map(|near| format!("there is a label `{near}`"));
        Box::new(Diagnostic::error("E0306", message, span).help_if(near))
    }
}

fn state_id(state: usize) -> StateId {
    StateId::from_index(state)
}

fn starts_statement(word: &str) -> bool {
    matches!(word, "if" | "do" | "skip" | "false" | "true" | "goto" | "atomic" | "d_step")
        || word.starts_with(|c: char| c.is_ascii_digit())
}
