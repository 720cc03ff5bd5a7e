//! The definition and the use of inlines.
//!
//! A use is replaced by the tokens of the definition, with each parameter replaced by the tokens of
//! its argument, as SPIN does with the text: `a` for `x+1` in `a*2` gives `x+1*2`.

use std::rc::Rc;

use fairly_source::Span;
use hashbrown::HashMap;

use super::super::ast::{Origin, Stmt, StmtKind, VarRef};
use super::super::place::{Expansion, ExpansionId, ExpansionKind, ParseError, Place, Read};
use super::super::token::{Kind, Sign, Token};
use super::statements::plain;
use super::{Global, MAX_TOKENS, Parser};

/// How many inlines may be used inside each other.
const MAX_INLINES: usize = 16;

/// How many parameters an inline may have.
const MAX_PARAMETERS: usize = 255;

/// A definition.
pub(super) struct Inline {
    name: Rc<str>,
    definition: Span,
    parameters: Vec<Rc<str>>,
    /// From the opening to the closing brace.
    body: Rc<[Token]>,
}

impl Parser<'_> {
    pub(super) fn inline_definition(&mut self) -> Read<()> {
        self.bump();
        let (name, place) = self.name("the name of an inline")?;
        self.new_name(&name, place);
        self.expect(Sign::OpenParen)?;
        let mut parameters = Vec::new();
        while !self.sees(Sign::CloseParen) {
            let (parameter, at) = self.name("a parameter")?;
            if parameters.contains(&parameter) {
                self.report(
                    ParseError::new("E1141", format!("`{parameter}` is already a parameter"), at)
                        .label("declared again here")
                        .help("choose another name"),
                );
            }
            parameters.push(parameter);
            if parameters.len() > MAX_PARAMETERS {
                return Err(ParseError::new("E1150", "an inline with very many parameters", at)
                    .label(format!("at most {MAX_PARAMETERS}"))
                    .help("pass a struct, or use global variables"));
            }
            if !self.takes(Sign::Comma) {
                break;
            }
        }
        self.expect(Sign::CloseParen)?;
        let mut body = vec![self.expect(Sign::OpenBrace)?];
        let mut depth = 1usize;
        while depth > 0 {
            let token = self.bump();
            match token.kind {
                Kind::End => return Err(self.unexpected("`}` at the end of the inline")),
                Kind::Sign(Sign::OpenBrace) => depth += 1,
                Kind::Sign(Sign::CloseBrace) => depth -= 1,
                _ => {}
            }
            // An annotation in an inline that is not used is no mistake.
            if let Some(used) = (token.note as usize).checked_sub(1) {
                self.used_notes[used] = true;
            }
            body.push(token);
        }
        let definition = place.span;
        let inline = Inline { name: name.clone(), definition, parameters, body: body.into() };
        self.inlines.push(inline);
        self.names.entry(name).or_insert(Global::Inline(self.inlines.len() - 1));
        Ok(())
    }

    /// A use of an inline, whose value goes into `target`.
    pub(super) fn inline_use(
        &mut self,
        inline: usize,
        target: Option<VarRef>,
        start: Place,
    ) -> Read<Stmt> {
        self.bump();
        let arguments = self.inline_arguments()?;
        let call = self.since(start);
        let found = &self.inlines[inline];
        let (name, wanted) = (found.name.clone(), found.parameters.len());
        if arguments.len() != wanted {
            let message = format!("`{name}` is used with {} arguments", arguments.len());
            return Err(ParseError::new("E1150", message, call)
                .label(format!("it has {wanted}"))
                .help(format!("give it {wanted}")));
        }
        if self.inlining.iter().any(|(open, _)| *open == inline) {
            return Err(ParseError::new("E1151", format!("the inline `{name}` uses itself"), call)
                .label("this would go on for ever")
                .help("use a loop, or a proctype"));
        }
        let tokens = self.instantiate(inline, &arguments, call)?;
        self.stream.insert(tokens);
        self.inlining.push((inline, target));
        let sequence = self.nested(call, Self::block);
        self.inlining.pop();
        let stmt = plain(StmtKind::Block(sequence?), call);
        Ok(Stmt { origin: Origin::Inline, ..stmt })
    }

    fn inline_arguments(&mut self) -> Read<Vec<Vec<Token>>> {
        let open = self.expect(Sign::OpenParen)?.place;
        let mut arguments = vec![Vec::new()];
        let mut depth = 0usize;
        loop {
            // Read on to the end of the text, a brace would seem to be missing.
            if depth == 0 && (self.sees(Sign::CloseBrace) || self.sees(Sign::CloseBracket)) {
                return Err(unclosed(open));
            }
            let token = self.bump();
            match token.kind {
                Kind::End => return Err(unclosed(open)),
                Kind::Sign(Sign::OpenParen | Sign::OpenBracket | Sign::OpenBrace) => depth += 1,
                Kind::Sign(Sign::CloseParen) if depth == 0 => break,
                Kind::Sign(Sign::CloseParen | Sign::CloseBracket | Sign::CloseBrace) => {
                    depth = depth.saturating_sub(1);
                }
                Kind::Sign(Sign::Comma) if depth == 0 => {
                    arguments.push(Vec::new());
                    continue;
                }
                Kind::LineEnd => continue,
                _ => {}
            }
            if let Some(last) = arguments.last_mut() {
                last.push(token);
            }
        }
        if arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        if arguments.iter().any(Vec::is_empty) {
            let place = self.stream.last();
            return Err(ParseError::new("E1150", "an empty argument", place)
                .label("of the inline used here")
                .help("remove the comma, or write the argument"));
        }
        Ok(arguments)
    }

    /// The body with its parameters replaced.
    fn instantiate(
        &mut self,
        inline: usize,
        arguments: &[Vec<Token>],
        call: Place,
    ) -> Read<Rc<[Token]>> {
        let Inline { name, definition, parameters, body } = &self.inlines[inline];
        // Said once, where it happened first: everything after it would be too much as well.
        let place = *self.too_much_inlined.get_or_insert(call);
        let too_much =
            ParseError::new("E1152", format!("the inline `{name}` expands to too much"), place)
                .label(format!("more than {MAX_TOKENS} tokens, or {MAX_INLINES} levels"))
                .help("use a proctype, or a loop");
        if place != call || self.inlining.len() >= MAX_INLINES {
            return Err(too_much);
        }
        let expansion = self.expansions.add(Expansion {
            kind: ExpansionKind::Inline,
            name: name.to_string(),
            call,
            definition: *definition,
        });
        // Macros in the body were expanded with the definition; here they are part of this use.
        let mut moved: HashMap<ExpansionId, ExpansionId> = HashMap::new();
        let mut tokens: Vec<Token> = Vec::with_capacity(body.len());
        for token in body.iter() {
            let parameter = token.word().and_then(|word| {
                let constant = matches!(self.names.get(word), Some(Global::Constant(..)));
                parameters.iter().position(|name| !constant && **name == *word)
            });
            if let Some(parameter) = parameter {
                let first = tokens.len();
                let argument = &arguments[parameter];
                let last = argument.last().map_or(call, |token| token.place);
                let span = argument.first().map_or(call, |token| token.place).span;
                let id = self.expansions.add(Expansion {
                    kind: ExpansionKind::Argument,
                    name: String::new(),
                    call: Place { span: token.place.span, expansion: Some(expansion) },
                    definition: Span::new(span.start, last.span.end.max(span.end)),
                });
                for token in argument {
                    let place = Place { span: token.place.span, expansion: Some(id) };
                    tokens.push(Token { newline: false, place, ..token.clone() });
                }
                if let Some(first) = tokens.get_mut(first) {
                    first.newline = token.newline;
                }
            } else {
                let mut token = token.clone();
                token.place.expansion = match token.place.expansion {
                    None => Some(expansion),
                    Some(old) => match moved.get(&old) {
                        Some(&new) => Some(new),
                        None => {
                            let new =
                                relocate(&mut self.expansions.all, &mut moved, old, expansion);
                            Some(new)
                        }
                    },
                };
                tokens.push(token);
            }
            if self.inlined + tokens.len() > MAX_TOKENS {
                return Err(too_much);
            }
        }
        self.too_much_inlined = None;
        if let Some(first) = tokens.first_mut() {
            first.newline = false;
        }
        self.inlined += tokens.len();
        Ok(tokens.into())
    }

    /// `return value`: the assignment to what the inline's value goes to.
    pub(super) fn return_statement(&mut self) -> Read<Stmt> {
        let start = self.bump().place;
        let Some((_, Some(target))) = self.inlining.last().cloned() else {
            return Err(ParseError::new("E1153", "`return` without anything to return to", start)
                .label("not in an inline that is used as `x = f(…)`")
                .help("use the inline in an assignment"));
        };
        let value = self.full_expression()?;
        let place = self.since(start);
        self.check_assignment(target.kind, "the variable", &value);
        Ok(plain(StmtKind::Assign(target, value), place))
    }
}

/// The expansion `old` of a definition, and those around it, as part of the use `inside`.
fn relocate(
    all: &mut Vec<Expansion>,
    moved: &mut HashMap<ExpansionId, ExpansionId>,
    old: ExpansionId,
    inside: ExpansionId,
) -> ExpansionId {
    // From the innermost out, then back in: a loop, since macros may nest deep.
    let mut chain = Vec::new();
    let mut next = Some(old);
    while let Some(id) = next
        && !moved.contains_key(&id)
    {
        chain.push(id);
        next = all[id.0 as usize].call.expansion;
    }
    let mut outer = next.map_or(inside, |id| moved[&id]);
    for id in chain.into_iter().rev() {
        let mut copy = all[id.0 as usize].clone();
        copy.call.expansion = Some(outer);
        outer = ExpansionId(u32::try_from(all.len()).unwrap_or(u32::MAX));
        all.push(copy);
        moved.insert(id, outer);
    }
    outer
}

/// The error that the arguments of an inline do not end.
fn unclosed(open: Place) -> ParseError {
    ParseError::new("E1120", "this `(` is not closed", open)
        .label("the arguments of the inline begin here")
        .help("write `)` after the last argument")
}
