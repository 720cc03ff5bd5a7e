//! The derived implementation of `Permute`.
//!
//! The names of fields are all there is to know of a type, and their attributes; so tokens are enough, and no parser of
//! types is needed.

use std::iter::Peekable;

use proc_macro::token_stream::IntoIter;
use proc_macro::{Delimiter, Spacing, Span, TokenStream, TokenTree};

use crate::Wrong;

/// What becomes of a field.
#[derive(Clone, Copy)]
enum Way {
    Permute,
    Indexed,
    Index,
    Bits,
    Fixed,
}

/// The fields of a structure or variant.
enum Fields {
    None,
    /// By name.
    Named(Vec<(String, Way)>),
    /// By position.
    Listed(Vec<Way>),
}

type Tokens = Peekable<IntoIter>;

/// The implementation for a structure or an enumeration.
pub(crate) fn derive(input: TokenStream) -> Result<TokenStream, Wrong> {
    let mut tokens = input.into_iter().peekable();
    way(&mut tokens)?;
    skip_visibility(&mut tokens);
    let (kind, at) = word(&mut tokens)?;
    if kind != "struct" && kind != "enum" {
        return Err(Wrong::new(at, "`Permute` is derived for structures and enumerations"));
    }
    let (name, _) = word(&mut tokens)?;
    let generics = generics(&mut tokens);
    let mut clause = String::new();
    let body = loop {
        match tokens.next() {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                break Some(group);
            }
            Some(TokenTree::Group(group))
                if group.delimiter() == Delimiter::Parenthesis && clause.is_empty() =>
            {
                // A `where` may follow.
                clause = tokens.by_ref().map(|token| format!("{token} ")).collect();
                clause = clause.trim_end().trim_end_matches(';').to_owned();
                break Some(group);
            }
            Some(TokenTree::Punct(end)) if end.as_char() == ';' => break None,
            Some(other) => clause.push_str(&format!("{other} ")),
            None => break None,
        }
    };
    let arms = match (kind.as_str(), &body) {
        ("struct", Some(group)) => arm("Self", &fields(group.delimiter(), group.stream())?),
        ("struct", None) => arm("Self", &Fields::None),
        (_, Some(group)) => variants(group.stream())?,
        (_, None) => String::new(),
    };
    let Generics { declared, used, types } = generics;
    let bounds: String = types.iter().map(|name| format!("{name}: ::fairly::Permute,")).collect();
    let clause = clause.trim();
    let clause = match clause.strip_prefix("where") {
        Some(given) if given.trim_end().ends_with(',') || given.trim().is_empty() => {
            format!("where {given} {bounds}")
        }
        Some(given) => format!("where {given}, {bounds}"),
        None => format!("where {bounds}"),
    };
    let body = match arms.is_empty() {
        // An enumeration without variants has no values.
        true => "match *self {}".to_owned(),
        false => format!("match self {{ {arms} }}"),
    };
    let code = format!(
        "#[automatically_derived] #[allow(unused_variables)] impl<{declared}> ::fairly::Permute for {name}<{used}> {clause} \
         {{ fn permute(&self, places: &[usize]) -> Self {{ {body} }} }}"
    );
    code.parse().map_err(|_| {
        Wrong::new(Span::call_site(), "`Permute` cannot be derived here: implement it by hand")
    })
}

/// An arm that makes the same value with other things in it.
fn arm(path: &str, fields: &Fields) -> String {
    let call = |field: &str, way: Way| match way {
        Way::Permute => format!("::fairly::Permute::permute({field}, places)"),
        Way::Indexed => format!("::fairly::permute::Indexed::reordered({field}, places)"),
        Way::Index => format!("::fairly::permute::Index::moved({field}, places)"),
        Way::Bits => format!("::fairly::permute::Bits::scattered({field}, places)"),
        Way::Fixed => format!("::core::clone::Clone::clone({field})"),
    };
    match fields {
        Fields::None => format!("{path} => {path},"),
        Fields::Named(fields) => {
            let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
            let made = fields.iter().map(|(name, way)| format!("{name}: {},", call(name, *way)));
            format!(
                "{path} {{ {} }} => {path} {{ {} }},",
                names.join(", "),
                made.collect::<String>()
            )
        }
        Fields::Listed(ways) => {
            let names: String = (0..ways.len()).map(|at| format!("field{at}, ")).collect();
            let made = ways.iter().enumerate();
            let made = made.map(|(at, way)| format!("{}, ", call(&format!("field{at}"), *way)));
            format!("{path}({names}) => {path}({}),", made.collect::<String>())
        }
    }
}

fn variants(stream: TokenStream) -> Result<String, Wrong> {
    let mut tokens = stream.into_iter().peekable();
    let mut arms = String::new();
    while tokens.peek().is_some() {
        way(&mut tokens)?;
        let (name, _) = word(&mut tokens)?;
        let inner = match tokens.peek() {
            Some(TokenTree::Group(group)) => fields(group.delimiter(), group.stream())?,
            _ => Fields::None,
        };
        arms.push_str(&arm(&format!("Self::{name}"), &inner));
        skip_to_comma(&mut tokens);
    }
    Ok(arms)
}

fn fields(delimiter: Delimiter, stream: TokenStream) -> Result<Fields, Wrong> {
    let mut tokens = stream.into_iter().peekable();
    let (mut named, mut listed) = (Vec::new(), Vec::new());
    let is_named = delimiter == Delimiter::Brace;
    while tokens.peek().is_some() {
        let way = way(&mut tokens)?;
        skip_visibility(&mut tokens);
        if is_named {
            named.push((word(&mut tokens)?.0, way));
        } else {
            listed.push(way);
        }
        skip_to_comma(&mut tokens);
    }
    Ok(if is_named { Fields::Named(named) } else { Fields::Listed(listed) })
}

/// Reads attributes, and what they say of a field.
fn way(tokens: &mut Tokens) -> Result<Way, Wrong> {
    let mut way = Way::Permute;
    while let Some(TokenTree::Punct(sign)) = tokens.peek() {
        if sign.as_char() != '#' {
            break;
        }
        tokens.next();
        let Some(TokenTree::Group(attribute)) = tokens.next() else { continue };
        let mut inner = attribute.stream().into_iter();
        if inner.next().is_none_or(|name| name.to_string() != "permute") {
            continue;
        }
        let said = match inner.next() {
            Some(TokenTree::Group(group)) => group.stream().to_string(),
            _ => String::new(),
        };
        way = match said.as_str() {
            "indexed" => Way::Indexed,
            "index" => Way::Index,
            "bits" => Way::Bits,
            "fixed" => Way::Fixed,
            _ => {
                let message = "expected `#[permute(indexed)]` for a list with a member for each thing, \
                               `#[permute(index)]` for the number of a thing, `#[permute(bits)]` for a bit \
                               for each thing, or `#[permute(fixed)]` for what speaks of no thing";
                return Err(Wrong::new(attribute.span(), message));
            }
        };
    }
    Ok(way)
}

fn skip_visibility(tokens: &mut Tokens) {
    if matches!(tokens.peek(), Some(TokenTree::Ident(word)) if word.to_string() == "pub") {
        tokens.next();
        if matches!(tokens.peek(), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis)
        {
            tokens.next();
        }
    }
}

fn word(tokens: &mut Tokens) -> Result<(String, Span), Wrong> {
    match tokens.next() {
        Some(TokenTree::Ident(word)) => Ok((word.to_string(), word.span())),
        Some(other) => Err(Wrong::new(other.span(), "expected a name here")),
        None => Err(Wrong::new(Span::call_site(), "expected a name")),
    }
}

/// Skips a type, or a value, and the comma after it. Commas between `<` and `>` are none of those.
fn skip_to_comma(tokens: &mut Tokens) {
    let (mut depth, mut is_arrow) = (0_usize, false);
    for token in tokens.by_ref() {
        let TokenTree::Punct(sign) = token else {
            is_arrow = false;
            continue;
        };
        match sign.as_char() {
            ',' if depth == 0 => return,
            '<' => depth += 1,
            '>' if !is_arrow => depth = depth.saturating_sub(1),
            _ => {}
        }
        is_arrow = sign.as_char() == '-' && sign.spacing() == Spacing::Joint;
    }
}

/// Parameters of a type.
#[derive(Default)]
struct Generics {
    /// As they are declared, without defaults.
    declared: String,
    /// As they are used.
    used: String,
    /// The names of those that are types.
    types: Vec<String>,
}

fn generics(tokens: &mut Tokens) -> Generics {
    let mut all = Generics::default();
    if !matches!(tokens.peek(), Some(TokenTree::Punct(sign)) if sign.as_char() == '<') {
        return all;
    }
    tokens.next();
    let (mut depth, mut is_arrow) = (1_usize, false);
    let mut parameter: Vec<TokenTree> = Vec::new();
    for token in tokens.by_ref() {
        let sign = match &token {
            TokenTree::Punct(sign) => sign.as_char(),
            _ => ' ',
        };
        match sign {
            '<' => depth += 1,
            '>' if !is_arrow => depth -= 1,
            _ => {}
        }
        is_arrow = sign == '-';
        if depth == 0 {
            break;
        }
        if sign == ',' && depth == 1 {
            all.add(&std::mem::take(&mut parameter));
        } else {
            parameter.push(token);
        }
    }
    all.add(&parameter);
    all
}

impl Generics {
    fn add(&mut self, parameter: &[TokenTree]) {
        let is = |token: &TokenTree, sign: char| matches!(token, TokenTree::Punct(it) if it.as_char() == sign);
        let words: Vec<String> = parameter
            .iter()
            .take_while(|token| !is(token, ':') && !is(token, '='))
            .map(ToString::to_string)
            .collect();
        let Some(first) = words.first() else { return };
        let name = match first.as_str() {
            "'" => words.concat(),
            "const" => words.get(1).cloned().unwrap_or_default(),
            name => {
                self.types.push(name.to_owned());
                name.to_owned()
            }
        };
        let declared: TokenStream =
            parameter.iter().take_while(|token| !is(token, '=')).cloned().collect();
        self.declared.push_str(&format!("{declared}, "));
        self.used.push_str(&format!("{name}, "));
    }
}
