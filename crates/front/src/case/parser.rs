//! Text to [`Case`]. The grammar and the table of error codes are in [`super`].
//!
//! Each line is read on its own, so that an error in one says nothing of the next. What needs the
//! whole file (do these names exist?) is asked at the end.

use fairly_logic::Formulas;
use fairly_source::{Diagnostic, Span};
use fairly_system::{Annotation, LocalTransition};
use hashbrown::{HashMap, HashSet};

use super::lines::{Cursor, Name, lines};
use super::{
    Case, CaseComponent, Constraint, Demand, Expectation, FormulaText, Notion, Property, Target,
    Verdict,
};
use fairly_source::suggest::did_you_mean;

/// How many errors of one text are reported.
pub const MOST_ERRORS: usize = 100;

const ITEMS: [&str; 5] = ["component", "interleave", "property", "constraint", "expect"];
const MEMBERS: [&str; 4] = ["initial", "states", "alphabet", "label"];

/// Reads a case.
///
/// # Errors
/// The errors, in the order of the text; see the table of [this module](super). At least one.
///
/// ```
/// let wrong = fairly_front::case::parse("component P {\n  0 -a-> 1\n}\n").unwrap_err();
/// assert_eq!((wrong.len(), wrong[0].code), (1, "E0708"));
/// ```
pub fn parse(text: &str) -> Result<Case, Vec<Diagnostic>> {
    let mut parser = Parser::default();
    for line in lines(text) {
        if parser.errors.len() >= MOST_ERRORS {
            break;
        }
        if let Err(wrong) = parser.line(text, line) {
            parser.errors.push(wrong);
        }
    }
    parser.close(false);
    if parser.errors.len() < MOST_ERRORS {
        parser.check_names(text);
    }
    let Parser { case, mut errors, .. } = parser;
    if errors.is_empty() {
        return Ok(case);
    }
    errors.sort_by_key(|wrong| wrong.span);
    errors.truncate(MOST_ERRORS);
    Err(errors)
}

/// Reads one constraint alone, as a command line gives it: `sf(P1)`. Whether what it names exists
/// is not asked.
///
/// # Errors
/// The errors in the text.
///
/// ```
/// use fairly_front::case::{Demand, Target, parse_constraint};
/// use fairly_system::Annotation;
/// let constraint = parse_constraint("sf(get.0 of Phil0)").unwrap();
/// let target = Target::EventOf { event: "get.0".into(), process: "Phil0".into() };
/// assert_eq!(constraint.demand, Demand::Fair(Annotation::StrongFair, target));
/// assert_eq!(parse_constraint("fair(P)").unwrap_err().code, "E0716");
/// ```
pub fn parse_constraint(text: &str) -> Result<Constraint, Diagnostic> {
    let mut formulas = Formulas::new();
    let read = |text: &str| constraint(&mut Cursor::new(text, Span::new(0, text.len())));
    let (constraint, _) = match read(text) {
        Ok(constraint) => constraint,
        // Names of processes and events come from models too, `Phil(0)` or `get.*`, and are shown
        // without quotes: what is shown can be typed.
        Err(diagnostic) => quoted(text).and_then(|text| read(&text).ok()).ok_or(diagnostic)?,
    };
    for formula in formulas_of(&constraint.demand) {
        check_set(&mut formulas, formula, &|_| false)?;
    }
    Ok(constraint)
}

/// A constraint `wf(NAME)` or `wf(NAME of NAME)` with quotes around its names.
fn quoted(text: &str) -> Option<String> {
    let (kind, inside) = text.trim().split_once('(')?;
    let inside = inside.strip_suffix(')')?;
    let count = |sign: char| inside.matches(sign).count();
    let unclear = inside.contains('"') || count('(') != count(')');
    if unclear || Annotation::named(kind.trim()).is_none() {
        return None;
    }
    let name = |part: &str| {
        let part = part.trim();
        for keyword in ["event ", "process "] {
            if let Some(rest) = part.strip_prefix(keyword) {
                return format!("{keyword}\"{}\"", rest.trim());
            }
        }
        format!("\"{part}\"")
    };
    let names: Vec<String> = inside.split(" of ").map(name).collect();
    Some(format!("{}({})", kind.trim(), names.join(" of ")))
}

/// A block that is open.
#[derive(Default)]
enum Block {
    #[default]
    None,
    Component(Box<Open>),
    Expect {
        property: Name,
        opened: Span,
        known: HashSet<Notion>,
    },
}

/// A component that is being read.
struct Open {
    component: CaseComponent,
    numbers: HashMap<String, u32>,
    initial: HashSet<u32>,
    alphabet: HashSet<String>,
    labelled: HashSet<(usize, String)>,
    /// Whether a `states` line said what there is.
    listed: bool,
    /// States that were named outside a `states` line, each once.
    used: Vec<Name>,
    named: Span,
    opened: Span,
}

#[derive(Default)]
struct Parser {
    case: Case,
    block: Block,
    component_names: HashSet<String>,
    property_names: HashSet<String>,
    interleaved: HashMap<String, Span>,
    /// The properties that have expectations, and where they are named.
    expected: HashMap<String, Span>,
    /// Targets of the constraints, to be looked up at the end.
    targets: Vec<Option<Span>>,
    errors: Vec<Diagnostic>,
}

fn twice(what: &str, name: &Name) -> Diagnostic {
    let message = format!("{what} `{}` is listed twice", name.text.escape_debug());
    Diagnostic::error("E0712", message, name.span)
}

impl Parser {
    fn line(&mut self, text: &str, line: Span) -> Result<(), Diagnostic> {
        let mut cursor = Cursor::new(text, line);
        if matches!(self.block, Block::None) {
            return self.item(cursor, line);
        }
        if cursor.takes("}") {
            self.close(true);
            return cursor.expect_end();
        }
        // An item inside a block: the block was not closed.
        let mut after = cursor.clone();
        if ITEMS.contains(&after.word()) {
            let word = after.word();
            after.takes(word);
            if !after.sees("-") && !after.sees(":") {
                self.close(false);
                return self.item(cursor, line);
            }
        }
        match &mut self.block {
            Block::Component(open) => open.member(&mut cursor),
            Block::Expect { property, known, .. } => {
                let expectation = expectation(&mut cursor, &property.text, line)?;
                if !known.insert(expectation.notion) {
                    let message = format!("a second expectation under `{}`", expectation.notion);
                    return Err(Diagnostic::error("E0721", message, line));
                }
                self.case.expectations.push(expectation);
                Ok(())
            }
            Block::None => Ok(()),
        }
    }

    /// Ends the open block, if any; `closed` says whether its `}` was there.
    fn close(&mut self, closed: bool) {
        let block = std::mem::take(&mut self.block);
        let opened = match &block {
            Block::None => None,
            Block::Component(open) => Some(open.opened),
            Block::Expect { opened, .. } => Some(*opened),
        };
        if let (false, Some(opened)) = (closed, opened) {
            let wrong = Diagnostic::error("E0705", "this block is not closed", opened)
                .label("opened here")
                .help("a line with `}` alone closes it");
            self.errors.push(wrong);
        }
        if let Block::Component(open) = block {
            self.case.components.push(open.finish(&mut self.errors));
        }
    }

    fn item(&mut self, mut cursor: Cursor<'_>, line: Span) -> Result<(), Diagnostic> {
        let keyword = cursor.word();
        let start = cursor.rest().1.start;
        if cursor.sees("}") {
            return Err(Diagnostic::error("E0706", "no block is open here", line));
        }
        if !ITEMS.contains(&keyword) {
            let wanted = "expected `component`, `interleave`, `property`, `constraint` or `expect`";
            let span = Span::new(start, start + keyword.len().max(1));
            let belongs = || format!("`{keyword}` belongs inside a component");
            let help =
                did_you_mean(keyword, ITEMS).or_else(|| MEMBERS.contains(&keyword).then(belongs));
            let wrong = Diagnostic::error("E0703", "this line means nothing here", span)
                .label(if keyword.is_empty() { "" } else { wanted })
                .help_if(help);
            return Err(wrong);
        }
        cursor.takes(keyword);
        match keyword {
            "component" => self.component(&mut cursor, line),
            "interleave" => {
                for event in cursor.names("an event")? {
                    if self.interleaved.insert(event.text.clone(), event.span).is_some() {
                        self.errors.push(twice("the event", &event));
                    } else {
                        self.case.interleaved.push(event.text);
                    }
                }
                cursor.expect_end()
            }
            "property" => {
                let name = cursor.name("the name of a property")?;
                cursor.expect(":")?;
                let (text, span) = cursor.rest();
                if !self.property_names.insert(name.text.clone()) {
                    let message = format!("two properties are called `{}`", name.text);
                    self.errors.push(Diagnostic::error("E0714", message, name.span));
                }
                let formula = FormulaText { text: text.to_owned(), span };
                self.case.properties.push(Property { name: name.text, formula });
                Ok(())
            }
            "constraint" => {
                let (constraint, target) = constraint(&mut cursor)?;
                self.case.constraints.push(constraint);
                self.targets.push(target);
                Ok(())
            }
            _ => {
                let property = cursor.name("the name of a property")?;
                cursor.expect("{")?;
                if self.expected.insert(property.text.clone(), property.span).is_some() {
                    let message = format!("`{}` has expectations already", property.text);
                    self.errors.push(Diagnostic::error("E0721", message, property.span));
                }
                self.block = Block::Expect { property, opened: line, known: HashSet::new() };
                cursor.expect_end()
            }
        }
    }

    fn component(&mut self, cursor: &mut Cursor<'_>, line: Span) -> Result<(), Diagnostic> {
        let name = cursor.name("the name of a component")?;
        cursor.expect("{")?;
        if !self.component_names.insert(name.text.clone()) {
            let message = format!("two components are called `{}`", name.text.escape_debug());
            self.errors.push(Diagnostic::error("E0707", message, name.span));
        }
        self.block = Block::Component(Box::new(Open {
            component: CaseComponent { name: name.text, ..CaseComponent::default() },
            numbers: HashMap::new(),
            initial: HashSet::new(),
            alphabet: HashSet::new(),
            labelled: HashSet::new(),
            listed: false,
            used: Vec::new(),
            named: name.span,
            opened: line,
        }));
        cursor.expect_end()
    }

    /// Whether what the file names exists, and what its formulas say.
    fn check_names(&mut self, text: &str) {
        let Parser { case, errors, .. } = self;
        if case.components.is_empty() && errors.is_empty() {
            let message = "there is no component, so there is no system";
            errors.push(Diagnostic::error("E0725", message, Span::at(text.len())));
        }
        let mut events: HashSet<&str> = HashSet::new();
        let mut labels: HashSet<&str> = HashSet::new();
        let mut moves: HashSet<(&str, &str)> = HashSet::new();
        for component in &case.components {
            events.extend(component.alphabet.iter().map(String::as_str));
            labels.extend(component.labels.iter().flatten().map(String::as_str));
            for transition in &component.transitions {
                events.insert(&transition.event);
                moves.insert((&component.name, &transition.event));
            }
        }
        let unshared = case.interleaved.iter().filter(|event| !events.contains(event.as_str()));
        for event in unshared.take(MOST_ERRORS) {
            let span = self.interleaved[event];
            errors.push(unknown("E0713", "event", event, span, events.iter().copied()));
        }
        let unstated = self.expected.iter().filter(|it| !self.property_names.contains(it.0));
        for (property, &span) in unstated.take(MOST_ERRORS) {
            let names = self.property_names.iter().map(String::as_str);
            errors.push(unknown("E0719", "property", property, span, names));
        }
        let processes = &self.component_names;
        // A single letter stays an operator, as where the formula is bound to the system.
        let is_name =
            |word: &str| word.len() > 1 && (events.contains(word) || labels.contains(word));
        let mut formulas = Formulas::new();
        for (constraint, target) in case.constraints.iter().zip(&self.targets) {
            if errors.len() >= MOST_ERRORS {
                break;
            }
            let span = target.unwrap_or(constraint.span);
            if let Demand::Fair(kind, target) = &constraint.demand {
                errors.extend(wrong_target(*kind, target, span, processes, &events, &moves));
            }
            for formula in formulas_of(&constraint.demand) {
                errors.extend(check_set(&mut formulas, formula, &is_name).err());
            }
        }
        for Property { formula, .. } in &case.properties {
            let read = formulas.parse_with(&formula.text, &is_name);
            errors.extend(read.err().map(|wrong| moved(wrong, formula.span)));
        }
        if !case.constraints.is_empty() {
            let inherent =
                case.expectations.iter().filter(|expected| expected.notion.is_inherent());
            errors.extend(inherent.map(|expected| {
                let message = "`inherent` is not defined for a network with constraints";
                Diagnostic::error("E0724", message, expected.span)
                    .help("put the constraints and this expectation in different files")
            }));
        }
    }
}

impl Open {
    fn member(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Diagnostic> {
        let keyword = cursor.word();
        let mut after = cursor.clone();
        after.takes(keyword);
        if MEMBERS.contains(&keyword) && !after.sees("-") {
            *cursor = after;
            return self.listing(keyword, cursor);
        }
        let from = cursor.name("the state that a transition leaves")?;
        if !cursor.takes("-") {
            let wrong = cursor.unexpected("`-event-> state`");
            return Err(wrong.help_if(did_you_mean(&from.text, MEMBERS)));
        }
        let event = cursor.name("the event of a transition")?;
        let mut annotation = None;
        if cursor.takes("(") {
            let kind = cursor.name("an annotation")?;
            annotation = Annotation::named(&kind.text);
            if annotation.is_none() {
                let message = format!("there is no annotation `{}`", kind.text.escape_debug());
                return Err(Diagnostic::error("E0710", message, kind.span)
                    .label("expected `wf`, `sf`, `wl` or `sl`"));
            }
            cursor.expect(")")?;
        }
        cursor.expect("->")?;
        let to = cursor.name("the state that a transition leads to")?;
        cursor.expect_end()?;
        no_idle(&event)?;
        let (from, to) = (self.state(from), self.state(to));
        let marks = fairly_omega::MarkSet::new();
        let transition = LocalTransition { from, event: event.text, to, annotation, marks };
        self.component.transitions.push(transition);
        Ok(())
    }

    fn listing(&mut self, keyword: &str, cursor: &mut Cursor<'_>) -> Result<(), Diagnostic> {
        match keyword {
            "initial" => {
                let names = cursor.names("an initial state")?;
                cursor.expect_end()?;
                for name in names {
                    let state = self.state(name.clone());
                    if !self.initial.insert(state) {
                        return Err(twice("the initial state", &name));
                    }
                    self.component.initial.push(state);
                }
            }
            "states" => {
                let names = cursor.names("a state")?;
                cursor.expect_end()?;
                if std::mem::replace(&mut self.listed, true) {
                    let message = "a second `states` line in one component";
                    return Err(Diagnostic::error("E0712", message, names[0].span));
                }
                let mut listed = HashSet::new();
                let mut again = None;
                for name in &names {
                    if !listed.insert(name.text.as_str()) {
                        again = again.or(Some(name));
                    }
                    self.number(&name.text);
                }
                self.used.retain(|name| !listed.contains(name.text.as_str()));
                if let Some(name) = again {
                    return Err(twice("the state", name));
                }
            }
            "alphabet" => {
                let names = cursor.names("an event")?;
                cursor.expect_end()?;
                for name in names {
                    no_idle(&name)?;
                    if !self.alphabet.insert(name.text.clone()) {
                        return Err(twice("the event", &name));
                    }
                    self.component.alphabet.push(name.text);
                }
            }
            _ => {
                let state = cursor.name("a state")?;
                cursor.expect(":")?;
                let names = cursor.names("a proposition")?;
                cursor.expect_end()?;
                let state = self.state(state) as usize;
                for name in names {
                    if !self.labelled.insert((state, name.text.clone())) {
                        return Err(twice("the proposition", &name));
                    }
                    self.component.labels[state].push(name.text);
                }
            }
        }
        Ok(())
    }

    /// The number of a state, new or not.
    fn number(&mut self, name: &str) -> (u32, bool) {
        if let Some(&known) = self.numbers.get(name) {
            return (known, false);
        }
        let number = self.component.states.len() as u32;
        self.numbers.insert(name.to_owned(), number);
        self.component.states.push(name.to_owned());
        self.component.labels.push(Vec::new());
        (number, true)
    }

    fn state(&mut self, name: Name) -> u32 {
        let (number, new) = self.number(&name.text);
        if new {
            self.used.push(name);
        }
        number
    }

    fn finish(self, errors: &mut Vec<Diagnostic>) -> CaseComponent {
        if self.component.initial.is_empty() {
            let name = self.component.name.escape_debug();
            let message = format!("the component `{name}` has no initial state");
            let wrong = Diagnostic::error("E0708", message, self.named)
                .help("say where it starts: `initial STATE`");
            errors.push(wrong);
        }
        if self.listed {
            let states = self.component.states.iter().map(String::as_str);
            let used: HashSet<&str> = self.used.iter().map(|name| name.text.as_str()).collect();
            errors.extend(self.used.iter().take(MOST_ERRORS).map(|name| {
                let others = states.clone().filter(|state| !used.contains(state));
                unknown("E0711", "state", &name.text, name.span, others)
                    .label("the `states` line does not list it")
            }));
        }
        self.component
    }
}

fn no_idle(event: &Name) -> Result<(), Diagnostic> {
    if event.text != "idle" {
        return Ok(());
    }
    let message = "no component has the event `idle`";
    Err(Diagnostic::error("E0709", message, event.span)
        .label("this is the step of a state in which nothing is enabled"))
}

fn unknown<'a>(
    code: &'static str,
    what: &str,
    name: &str,
    span: Span,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    let message = format!("there is no {what} `{}`", name.escape_debug());
    let wrong = Diagnostic::error(code, message, span);
    // The least of them, since the candidates of a set come in any order.
    let mut candidates: Vec<&str> = candidates.into_iter().take(10_000).collect();
    candidates.sort_unstable();
    wrong.help_if(did_you_mean(name, candidates))
}

/// A constraint, and where its target stands.
fn constraint(cursor: &mut Cursor<'_>) -> Result<(Constraint, Option<Span>), Diagnostic> {
    let whole = cursor.rest().1;
    let kind = cursor.name("a constraint")?;
    let annotation = Annotation::named(&kind.text);
    if annotation.is_none() && !["justice", "compassion"].contains(&kind.text.as_str()) {
        let message = format!("there is no constraint `{}`", kind.text.escape_debug());
        return Err(Diagnostic::error("E0716", message, kind.span)
            .label("expected `wf`, `sf`, `wl`, `sl`, `justice` or `compassion`"));
    }
    cursor.expect("(")?;
    if let Some(annotation) = annotation {
        let start = cursor.rest().1;
        let (target, end) = target(cursor)?;
        cursor.expect(")")?;
        cursor.expect_end()?;
        let demand = Demand::Fair(annotation, target);
        let span = Span::new(start.start, end);
        return Ok((Constraint { demand, span: whole }, Some(span)));
    }
    let (rest, span) = cursor.rest();
    let Some(inside) = rest.strip_suffix(')') else {
        let wrong = Diagnostic::error("E0704", "the line ends too early", Span::at(span.end));
        return Err(wrong.label("expected `)`"));
    };
    let commas = commas(inside);
    let wanted = if kind.text == "justice" { 1 } else { 2 };
    if commas.len() + 1 != wanted {
        let message = match wanted {
            1 => "`justice` takes one formula",
            _ => "`compassion` takes two formulas",
        };
        return Err(Diagnostic::error("E0704", message, span));
    }
    let part = |from: usize, to: usize| {
        let text = &inside[from..to];
        let start = span.start + to - text.trim_start().len();
        let text = text.trim();
        FormulaText { text: text.to_owned(), span: Span::new(start, start + text.len()) }
    };
    let demand = match commas.as_slice() {
        [] => Demand::Justice(part(0, inside.len())),
        [comma, ..] => Demand::Compassion(part(0, *comma), part(comma + 1, inside.len())),
    };
    Ok((Constraint { demand, span: whole }, None))
}

/// Where the commas are that stand in no quotes and no brackets.
fn commas(text: &str) -> Vec<usize> {
    let (mut depth, mut quoted, mut escaped) = (0i64, false, false);
    let mut found = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            ',' if depth == 0 => found.push(at),
            _ => {}
        }
    }
    found
}

/// A target and where it ends.
fn target(cursor: &mut Cursor<'_>) -> Result<(Target, usize), Diagnostic> {
    let what = "a component or an event";
    let word = cursor.word();
    let first = cursor.name(what)?;
    if cursor.sees(")") {
        return Ok((Target::Name(first.text), first.span.end));
    }
    let qualified = |name: Name| {
        let end = name.span.end;
        if word == "process" {
            (Target::Process(name.text), end)
        } else {
            (Target::Event(name.text), end)
        }
    };
    let qualifies = word == "process" || word == "event";
    if cursor.word() == "of" {
        let of = cursor.name(what)?;
        // `process of` is the component with that name; `process of P` the event of a component.
        if qualifies && cursor.sees(")") {
            return Ok(qualified(of));
        }
        let process = cursor.name("a component")?;
        let end = process.span.end;
        return Ok((Target::EventOf { event: first.text, process: process.text }, end));
    }
    if !qualifies {
        return Err(cursor.unexpected("`)` or `of`"));
    }
    Ok(qualified(cursor.name(what)?))
}

fn wrong_target(
    kind: Annotation,
    target: &Target,
    span: Span,
    processes: &HashSet<String>,
    events: &HashSet<&str>,
    moves: &HashSet<(&str, &str)>,
) -> Option<Diagnostic> {
    let live = matches!(kind, Annotation::WeakLive | Annotation::StrongLive);
    let not_live = |name: &str| {
        let message = format!("`{kind}` is about events, and `{name}` is a component");
        Diagnostic::error("E0726", message, span)
            .help(format!("use `{kind}(EVENT)` or `{kind}(EVENT of {name})`"))
    };
    let no = |what: &str, name: &str| {
        let names = processes.iter().map(String::as_str).filter(|_| what != "event");
        let events = events.iter().copied().filter(|_| what != "component");
        unknown("E0717", what, name, span, names.chain(events))
    };
    match target {
        Target::Name(name) => match (processes.contains(name), events.contains(name.as_str())) {
            (true, true) => {
                let message = format!("`{name}` is a component and an event");
                Some(
                    Diagnostic::error("E0718", message, span)
                        .help(format!("write `process {name}` or `event {name}`")),
                )
            }
            (true, false) => live.then(|| not_live(name)),
            (false, true) => None,
            (false, false) => Some(no("component or event", name)),
        },
        Target::Process(name) if !processes.contains(name) => Some(no("component", name)),
        Target::Process(name) => live.then(|| not_live(name)),
        Target::Event(name) => (!events.contains(name.as_str())).then(|| no("event", name)),
        Target::EventOf { event, process } => {
            if !processes.contains(process) {
                return Some(no("component", process));
            }
            if !moves.contains(&(process.as_str(), event.as_str())) {
                let message = format!("`{process}` has no transition with the event `{event}`");
                return Some(Diagnostic::error("E0717", message, span));
            }
            None
        }
    }
}

fn formulas_of(demand: &Demand) -> Vec<&FormulaText> {
    match demand {
        Demand::Fair(..) => vec![],
        Demand::Justice(formula) => vec![formula],
        Demand::Compassion(p, q) => vec![p, q],
    }
}

/// Whether the formula says something of single positions.
fn check_set(
    formulas: &mut Formulas,
    formula: &FormulaText,
    is_name: &dyn Fn(&str) -> bool,
) -> Result<(), Diagnostic> {
    let read =
        formulas.parse_with(&formula.text, is_name).map_err(|wrong| moved(wrong, formula.span))?;
    if formulas.is_propositional(read) {
        return Ok(());
    }
    let message = "this set is described with a temporal operator";
    Err(Diagnostic::error("E0715", message, formula.span)
        .label("expected something that is true or false of a single step"))
}

/// The error of a formula at its place in the file.
fn moved(mut wrong: Diagnostic, formula: Span) -> Diagnostic {
    wrong.span.start += formula.start;
    wrong.span.end += formula.start;
    wrong
}

/// `notion: verdict flags`
fn expectation(
    cursor: &mut Cursor<'_>,
    property: &str,
    line: Span,
) -> Result<Expectation, Diagnostic> {
    let (rest, span) = cursor.rest();
    let Some((left, right)) = rest.split_once(':') else {
        let message = "an expectation is a notion, a `:` and a verdict";
        return Err(Diagnostic::error("E0704", message, span));
    };
    let words: Vec<&str> = left.split_whitespace().collect();
    let notion = Notion::named(&words.join(" ")).ok_or_else(|| {
        let span = Span::new(span.start, span.start + left.trim_end().len());
        let names = Notion::ALL.map(|notion| notion.to_string());
        let wrong = Diagnostic::error("E0720", "there is no such notion of fairness", span);
        let near = did_you_mean(&words.join(" "), names.iter().map(String::as_str));
        wrong.help(near.unwrap_or_else(|| format!("the notions are `{}`", names.join("`, `"))))
    })?;
    let start = span.end - right.len();
    let mut words = right.split_whitespace().map(|word| {
        let at = start + (word.as_ptr() as usize - right.as_ptr() as usize);
        (word, Span::new(at, at + word.len()))
    });
    let verdict = match words.next() {
        Some(("holds", _)) => Verdict::Holds,
        Some(("violated", _)) => Verdict::Violated,
        Some((_, span)) => {
            return Err(Diagnostic::error("E0722", "there is no such verdict", span)
                .label("expected `holds` or `violated`"));
        }
        None => {
            return Err(Diagnostic::error("E0722", "the verdict is missing", Span::at(span.end))
                .label("expected `holds` or `violated`"));
        }
    };
    let (mut feasible, mut machine_closed) = (true, true);
    for (word, span) in words {
        match word {
            "infeasible" => (feasible, machine_closed) = (false, false),
            "not-machine-closed" => machine_closed = false,
            _ => {
                return Err(Diagnostic::error("E0722", "there is no such flag", span)
                    .label("expected `infeasible` or `not-machine-closed`"));
            }
        }
        let message = if notion.is_inherent() {
            "the inherent notions are no conditions on runs, so they have no flags"
        } else if verdict == Verdict::Violated && !feasible {
            "what is violated has a fair run, so it is feasible"
        } else {
            continue;
        };
        return Err(Diagnostic::error("E0723", message, span));
    }
    let property = property.to_owned();
    Ok(Expectation { property, notion, verdict, feasible, machine_closed, span: line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_models_need_no_quotes() {
        let target = |text: &str| match parse_constraint(text).unwrap().demand {
            Demand::Fair(_, target) => target,
            other => panic!("{other:?}"),
        };
        assert_eq!(target("sf(Phil(0))"), Target::Name("Phil(0)".to_owned()));
        assert_eq!(target("wf(event get.*)"), Target::Event("get.*".to_owned()));
        let part = Target::EventOf { event: "c!1".to_owned(), process: "P(1,2)".to_owned() };
        assert_eq!(target("sl(c!1 of P(1,2))"), part);
        assert_eq!(target("sf(get.0)"), Target::Name("get.0".to_owned()));
        assert!(parse_constraint("sf(Phil(0)").is_err());
        assert!(parse_constraint("maybe(Phil(0))").is_err());
    }
}
