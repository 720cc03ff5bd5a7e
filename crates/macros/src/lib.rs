//! The macro `ltl!`, which reads a formula when a program is compiled, and the derived `Permute`.
//!
//! The first is a procedural macro, and not one by example, because formulas have precedence, and because a mistake is
//! shown where it is. Both read tokens themselves: parsers of Rust and printers of code would take longer to build than the rest
//! of a user's test.

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

mod permute;

/// How deep a formula may nest.
const DEEP: usize = 100;

/// A formula about a model: `ltl!(model, G (waiting(0) -> F [Action::Enter(0)]))`.
///
/// | written | means |
/// |---|---|
/// | `name`, `name(argument, …)` | the model's method of this name, called with the state and the arguments |
/// | `[pattern]` | the next action matches the pattern |
/// | `"name"`, `"name.*"` | the next action has an event of this name, or one that the pattern names |
/// | `true`, `false` | constants |
/// | `!`, `X`, `F`, `G` | not, next, eventually, always; also glued: `GF` |
/// | `U`, `W`, `R` | until, weak until, release |
/// | `&&`, `\|\|`, `->`, `<->` | and, or, implies, equivalent |
///
/// Operators in the same row bind alike; those in a row above bind tighter. Binary operators group to the right.
#[proc_macro]
pub fn ltl(input: TokenStream) -> TokenStream {
    expand(input).unwrap_or_else(Wrong::compile_error)
}

/// Implements `Permute`: see there.
#[proc_macro_derive(Permute, attributes(permute))]
pub fn derive_permute(input: TokenStream) -> TokenStream {
    permute::derive(input).unwrap_or_else(Wrong::compile_error)
}

/// A mistake, and its place.
struct Wrong {
    span: Span,
    message: String,
}

impl Wrong {
    fn new(span: Span, message: impl Into<String>) -> Wrong {
        Wrong { span, message: message.into() }
    }

    fn compile_error(self) -> TokenStream {
        let mut message = Literal::string(&self.message);
        message.set_span(self.span);
        let inner = TokenStream::from(TokenTree::from(message));
        let mut group = Group::new(Delimiter::Brace, inner);
        group.set_span(self.span);
        let mut bang = Punct::new('!', Spacing::Alone);
        bang.set_span(self.span);
        [Ident::new("compile_error", self.span).into(), bang.into(), TokenTree::from(group)]
            .into_iter()
            .collect()
    }
}

fn expand(input: TokenStream) -> Result<TokenStream, Wrong> {
    let tokens: Vec<TokenTree> = input.into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(it) if it.as_char() == ',');
    let Some(comma) = tokens.iter().position(is_comma).filter(|&at| at > 0) else {
        let message = "a formula is about a model: `ltl!(model, G F ready)`";
        return Err(Wrong::new(Span::call_site(), message));
    };
    let model: TokenStream = tokens[..comma].iter().cloned().collect();
    let mut parser = Parser { tokens: tokens[comma + 1..].to_vec(), at: 0, model, depth: 0 };
    let formula = parser.binary(0)?;
    match parser.tokens.get(parser.at) {
        None => Ok(formula),
        Some(token) => Err(Wrong::new(token.span(), "expected an operator here")),
    }
}

struct Parser {
    tokens: Vec<TokenTree>,
    at: usize,
    model: TokenStream,
    depth: usize,
}

/// Binary operators, those that bind least first.
const LEVELS: [&[&str]; 4] = [&["->", "<->"], &["||"], &["&&"], &["U", "W", "R"]];

impl Parser {
    /// The sign or word of an operator here, and how many tokens it has.
    fn operator(&self) -> Option<(String, usize)> {
        match self.tokens.get(self.at)? {
            TokenTree::Ident(word) => Some((word.to_string(), 1)),
            TokenTree::Punct(_) => {
                let mut sign = String::new();
                for token in &self.tokens[self.at..] {
                    let TokenTree::Punct(punct) = token else { break };
                    sign.push(punct.as_char());
                    if punct.spacing() == Spacing::Alone
                        || ["->", "<->", "&&", "||"].contains(&&*sign)
                    {
                        break;
                    }
                }
                let count = sign.len();
                Some((sign, count))
            }
            _ => None,
        }
    }

    fn binary(&mut self, level: usize) -> Result<TokenStream, Wrong> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let one = self.binary(level + 1)?;
        let Some((operator, count)) =
            self.operator().filter(|(sign, _)| operators.contains(&sign.as_str()))
        else {
            return Ok(one);
        };
        self.at += count;
        self.enter()?;
        let other = self.binary(level)?;
        self.depth -= 1;
        let name = match operator.as_str() {
            "->" => "implies",
            "<->" => "equivalent",
            "||" => "or",
            "&&" => "and",
            "U" => "until",
            "W" => "unless",
            _ => "release",
        };
        Ok(method(one, name, other))
    }

    fn enter(&mut self) -> Result<(), Wrong> {
        self.depth += 1;
        match self.depth > DEEP {
            true => Err(Wrong::new(self.span(), "the formula nests too deep")),
            false => Ok(()),
        }
    }

    /// The place of the next token, or of the last.
    fn span(&self) -> Span {
        let token = self.tokens.get(self.at).or(self.tokens.last());
        token.map_or_else(Span::call_site, TokenTree::span)
    }

    fn unary(&mut self) -> Result<TokenStream, Wrong> {
        let Some(token) = self.tokens.get(self.at).cloned() else {
            return Err(Wrong::new(self.span(), "the formula ends where an operand should be"));
        };
        match &token {
            TokenTree::Punct(sign) if sign.as_char() == '!' => self.prefix("negated", 1),
            TokenTree::Ident(word) => {
                let (text, word) = (word.to_string(), word.clone());
                match text.as_str() {
                    "U" | "W" | "R" => Err(Wrong::new(word.span(), "expected an operand here")),
                    "true" | "false" => {
                        self.at += 1;
                        Ok(self.call("constant", token.into(), None))
                    }
                    _ if text.chars().all(|letter| "GFX".contains(letter)) => self.prefixes(&text),
                    _ => self.named(&word),
                }
            }
            TokenTree::Group(group) => self.group(group),
            TokenTree::Literal(_) => {
                self.at += 1;
                Ok(self.call("event", token.into(), None))
            }
            TokenTree::Punct(_) => Err(Wrong::new(token.span(), "expected an operand here")),
        }
    }

    fn prefix(&mut self, name: &str, count: usize) -> Result<TokenStream, Wrong> {
        self.at += count;
        self.enter()?;
        let inner = self.unary()?;
        self.depth -= 1;
        Ok(method(inner, name, TokenStream::new()))
    }

    fn prefixes(&mut self, letters: &str) -> Result<TokenStream, Wrong> {
        self.at += 1;
        self.enter()?;
        let mut inner = self.unary()?;
        self.depth -= 1;
        for letter in letters.chars().rev() {
            let name = match letter {
                'G' => "globally",
                'F' => "finally",
                _ => "next",
            };
            inner = method(inner, name, TokenStream::new());
        }
        Ok(inner)
    }

    fn group(&mut self, group: &Group) -> Result<TokenStream, Wrong> {
        self.at += 1;
        match group.delimiter() {
            Delimiter::Parenthesis | Delimiter::None => {
                self.enter()?;
                let tokens = group.stream().into_iter().collect();
                let mut inner =
                    Parser { tokens, at: 0, model: self.model.clone(), depth: self.depth };
                if inner.tokens.is_empty() {
                    return Err(Wrong::new(group.span(), "expected a formula here"));
                }
                let formula = inner.binary(0)?;
                self.depth -= 1;
                match inner.tokens.get(inner.at) {
                    None => Ok(formula),
                    Some(token) => Err(Wrong::new(token.span(), "expected an operator here")),
                }
            }
            Delimiter::Bracket => {
                // |action| matches!(action, pattern)
                let span = group.span();
                let mut arguments = TokenStream::from(TokenTree::from(Ident::new("action", span)));
                arguments.extend([TokenTree::from(Punct::new(',', Spacing::Alone))]);
                arguments.extend(group.stream());
                let mut test: TokenStream = "|action|".parse().unwrap_or_default();
                test.extend("::core::matches!".parse::<TokenStream>().unwrap_or_default());
                test.extend([TokenTree::from(Group::new(Delimiter::Parenthesis, arguments))]);
                let name = Literal::string(&plain(&group.stream().to_string()));
                Ok(self.call("action", TokenTree::from(name).into(), Some(test)))
            }
            Delimiter::Brace => {
                Err(Wrong::new(group.span(), "expected a formula, a name or `[pattern]` here"))
            }
        }
    }

    /// `name` or `name(argument, …)`: a method of the model.
    fn named(&mut self, word: &Ident) -> Result<TokenStream, Wrong> {
        self.at += 1;
        let mut shown = word.to_string();
        let mut arguments: TokenStream = "state,".parse().unwrap_or_default();
        if let Some(TokenTree::Group(group)) = self.tokens.get(self.at)
            && group.delimiter() == Delimiter::Parenthesis
        {
            shown = format!("{shown}({})", plain(&group.stream().to_string()));
            arguments.extend(group.stream());
            self.at += 1;
        }
        // move |model, state| model.name(state, argument, …)
        let mut test: TokenStream = "move |model, state| model.".parse().unwrap_or_default();
        test.extend([
            TokenTree::from(word.clone()),
            TokenTree::from(Group::new(Delimiter::Parenthesis, arguments)),
        ]);
        let name = TokenTree::from(Literal::string(&shown));
        Ok(self.call("state", name.into(), Some(test)))
    }

    /// A call of a function that the library has for this macro: with the model, something, and a closure.
    fn call(&self, name: &str, with: TokenStream, test: Option<TokenStream>) -> TokenStream {
        let mut out: TokenStream =
            format!("::fairly::formula_of::{name}").parse().unwrap_or_default();
        let comma = || TokenTree::from(Punct::new(',', Spacing::Alone));
        let mut arguments = TokenStream::from(TokenTree::from(Punct::new('&', Spacing::Alone)));
        let model = Group::new(Delimiter::Parenthesis, self.model.clone());
        arguments.extend([TokenTree::from(model), comma()]);
        arguments.extend(with);
        if let Some(test) = test {
            arguments.extend([comma()]);
            arguments.extend(test);
        }
        out.extend([TokenTree::from(Group::new(Delimiter::Parenthesis, arguments))]);
        out
    }
}

/// `::fairly::formula_of::name(one, other)`.
fn method(one: TokenStream, name: &str, other: TokenStream) -> TokenStream {
    let mut out: TokenStream = format!("::fairly::formula_of::{name}").parse().unwrap_or_default();
    let mut arguments = one;
    if !other.is_empty() {
        arguments.extend([TokenTree::from(Punct::new(',', Spacing::Alone))]);
        arguments.extend(other);
    }
    out.extend([TokenTree::from(Group::new(Delimiter::Parenthesis, arguments))]);
    out
}

/// The text of tokens without the spaces that only separate them.
fn plain(text: &str) -> String {
    text.replace(" (", "(")
        .replace("( ", "(")
        .replace(" )", ")")
        .replace(" ,", ",")
        .replace(" :: ", "::")
}
