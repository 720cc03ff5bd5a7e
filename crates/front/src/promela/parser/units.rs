//! The units of a model: declarations outside of processes, and the processes themselves.

use std::rc::Rc;

use super::super::ast::{
    Constant, Formula, LabelId, Local, Ltl, Model, Mtype, MtypeId, ProcessKind, Proctype,
    ProctypeId, Sequence, Type, Typedef, TypedefId,
};
use super::super::finish;
use super::super::place::{ParseError, Place, Read};
use super::super::scopes::Scopes;
use super::super::suggest::in_promela;
use super::super::token::{Kind, Sign, Token};
use super::declarations::Role;
use super::{Context, Global, Parser};
use fairly_source::Diagnostic;
use fairly_source::suggest::did_you_mean;
use hashbrown::{HashMap, HashSet};

/// Words that start something outside of processes.
const STARTS: &str = "active proctype D_proctype init never trace notrace ltl inline typedef hidden show local bit \
                      bool byte pid short int unsigned mtype chan c_code c_decl c_state c_track";

/// A process that has been read.
struct Done {
    process: Proctype,
    scopes: Scopes,
    outermost: HashMap<Rc<str>, (u32, super::super::ast::LocalId)>,
}

impl Parser<'_> {
    /// Numbers the proctypes and `init`, which may be run before they are declared.
    pub(super) fn collect_processes(&mut self, tokens: &[Token]) {
        let mut depth = 0usize;
        for (at, token) in tokens.iter().enumerate() {
            let named = match &token.kind {
                Kind::Sign(Sign::OpenBrace) => {
                    depth += 1;
                    continue;
                }
                Kind::Sign(Sign::CloseBrace) => {
                    depth = depth.saturating_sub(1);
                    continue;
                }
                Kind::Word(word) if depth == 0 && matches!(&**word, "proctype" | "D_proctype") => {
                    match tokens.get(at + 1) {
                        Some(next) if next.word().is_some() => next,
                        _ => continue,
                    }
                }
                Kind::Word(word) if depth == 0 && &**word == "init" => token,
                _ => continue,
            };
            let id = self.new_process();
            self.process_at.insert((named.place.span.start, named.place.expansion), id);
            if let Kind::Word(name) = &named.kind {
                self.process_names.entry(name.clone()).or_insert(id);
            }
        }
    }

    fn new_process(&mut self) -> ProctypeId {
        self.processes.push(None);
        self.label_scopes.push(None);
        self.outermost.push(HashMap::new());
        ProctypeId(u32::try_from(self.processes.len() - 1).unwrap_or(u32::MAX))
    }

    pub(super) fn all_units(&mut self) {
        loop {
            self.stream.in_sequence = false;
            self.stream.parens = 0;
            if self.peek().kind == Kind::End || self.errors.full() {
                break;
            }
            let start = self.here();
            if let Err(wrong) = self.unit() {
                self.report(wrong);
                self.context = None;
                self.depth = 0;
                self.inlining.clear();
                if self.here() == start {
                    self.bump();
                }
                self.skip_to_unit();
            }
        }
        for (name, place, tokens) in std::mem::take(&mut self.formulas) {
            if let Err(wrong) = self.formula(name.as_ref(), place, &tokens) {
                self.report(wrong);
            }
        }
    }

    /// Skips to something that may stand outside of processes. Braces are not counted, since one
    /// of them may be what is wrong; so only words that start nothing else stop it.
    fn skip_to_unit(&mut self) {
        self.stream.in_sequence = false;
        let always =
            ["active", "proctype", "D_proctype", "init", "never", "trace", "notrace", "ltl"];
        let mut depth = 0usize;
        loop {
            let token = self.peek();
            match &token.kind {
                Kind::End => return,
                Kind::Word(word) if always.contains(&&**word) => return,
                Kind::Word(word) if depth == 0 && STARTS.split(' ').any(|it| it == &**word) => {
                    return;
                }
                Kind::Sign(Sign::OpenBrace) => depth += 1,
                Kind::Sign(Sign::CloseBrace) => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.bump();
        }
    }

    fn unit(&mut self) -> Read<()> {
        let token = self.peek().clone();
        let Kind::Word(word) = &token.kind else {
            if self.takes(Sign::Semicolon) || self.takes(Sign::Arrow) {
                return Ok(());
            }
            return Err(self.unexpected("a declaration, `proctype`, `init`, `never` or `ltl`"));
        };
        match &**word {
            "active" | "proctype" | "D_proctype" => self.proctype(),
            "init" => {
                self.bump();
                let id = self.process_id(token.place);
                let priority = self.priority()?;
                // SPIN starts several; their names tell them apart.
                let others = self.processes.iter().flatten();
                let others = others.filter(|process| process.kind == ProcessKind::Init).count();
                let name = if others == 0 { "init".into() } else { format!("init:{}", others + 1) };
                let mut process = process(name, token.place, ProcessKind::Init);
                process.priority = priority;
                let done = self.process(Some(id), process, |_| Ok(()))?;
                self.keep(id, done);
                Ok(())
            }
            "never" => {
                self.bump();
                let (name, place) = match self.peek().word() {
                    Some(_) => self.name("the name of the claim")?,
                    None => (format!("never_{}", self.model.claims.len()).into(), token.place),
                };
                if !self.properties.insert(name.to_string()) {
                    self.report(twice(&format!("the claim `{name}`"), place));
                }
                let claim = process(name.to_string(), place, ProcessKind::Never);
                let claim = self.process(None, claim, |_| Ok(()))?.process;
                self.model.claims.push(claim);
                Ok(())
            }
            "trace" | "notrace" => {
                self.bump();
                let kind =
                    if &**word == "trace" { ProcessKind::Trace } else { ProcessKind::NoTrace };
                if self.model.trace.is_some() {
                    self.report(twice("the trace", token.place));
                }
                let trace = process(word.to_string(), token.place, kind);
                let trace = self.process(None, trace, |_| Ok(()))?.process;
                self.model.trace = Some(trace);
                Ok(())
            }
            "ltl" => self.set_formula_aside(),
            "inline" => self.inline_definition(),
            "typedef" => self.typedef(),
            "c_code" | "c_decl" | "c_state" | "c_track" => Err(no_c(word, token.place)),
            _ if self.declaration_starts() => self.declaration(Role::Global, &mut Vec::new()),
            _ => {
                let wrong = self.unexpected("a declaration, `proctype`, `init`, `never` or `ltl`");
                let second = self.stream.peek_second();
                let declares = second.is_some_and(|next| next.word().is_some());
                if declares && !super::is_keyword(word) {
                    let types = self.model.typedefs.iter().map(|known| known.name.as_str());
                    let help = in_promela(word).map(str::to_owned);
                    let names = types.chain(STARTS.split(' '));
                    let help = help.or_else(|| did_you_mean(word, names));
                    return Err(ParseError::new(
                        "E1142",
                        format!("there is no type `{word}`"),
                        token.place,
                    )
                    .help(help.unwrap_or_else(|| "a typedef comes before its use".into())));
                }
                Err(wrong.help("statements stand inside a process"))
            }
        }
    }

    fn process_id(&mut self, named: Place) -> ProctypeId {
        match self.process_at.get(&(named.span.start, named.expansion)) {
            Some(&id) => id,
            // A brace too many hid it from the first look; that is an error elsewhere.
            None => self.new_process(),
        }
    }

    fn keep(&mut self, id: ProctypeId, done: Done) {
        self.processes[id.index()] = Some(done.process);
        self.label_scopes[id.index()] = Some(done.scopes);
        self.outermost[id.index()] = done.outermost;
    }

    fn proctype(&mut self) -> Read<()> {
        let mut active = 0;
        if self.takes_word("active") {
            active = 1;
            if self.takes(Sign::OpenBracket) {
                let place = self.here();
                let count = self.constant("the number of processes")?;
                self.expect(Sign::CloseBracket)?;
                match u32::try_from(count) {
                    Ok(count) if count <= 255 => active = count,
                    _ => self.report(
                        ParseError::new(
                            "E1180",
                            format!("{count} processes cannot be"),
                            self.since(place),
                        )
                        .label("there are 0 to 255")
                        .help("SPIN numbers processes with a byte"),
                    ),
                }
            }
        }
        let deterministic = self.sees_word("D_proctype");
        if !self.takes_word("proctype") && !self.takes_word("D_proctype") {
            return Err(self.unexpected("`proctype`"));
        }
        let (name, place) = self.name("the name of a proctype")?;
        let id = self.process_id(place);
        self.new_name(&name, place);
        self.names.entry(name.clone()).or_insert(Global::Proctype(id));
        let kind = ProcessKind::Proctype { active, deterministic };
        let head = process(name.to_string(), place, kind);
        let done = self.process(Some(id), head, |parser| {
            parser.expect(Sign::OpenParen)?;
            parser.parameters()?;
            parser.expect(Sign::CloseParen)?;
            let priority = parser.priority()?;
            let provided = parser.provided()?;
            if let Some(context) = &mut parser.context {
                context.process.priority = priority;
                context.process.provided = provided;
            }
            Ok(())
        })?;
        self.keep(id, done);
        Ok(())
    }

    fn provided(&mut self) -> Read<Option<super::super::ast::Expr>> {
        if !self.takes_word("provided") {
            return Ok(None);
        }
        self.expect(Sign::OpenParen)?;
        let condition = self.full_expression()?;
        self.expect(Sign::CloseParen)?;
        if let Some(place) = finish::find_unfit(&condition) {
            self.report(
                ParseError::new("E1182", "a condition of `provided` cannot look at this", place)
                    .label("not here")
                    .help("it is about global variables, `_pid` and constants"),
            );
        }
        Ok(Some(condition))
    }

    /// `priority` and a number, if it is there.
    pub(super) fn priority(&mut self) -> Read<Option<i32>> {
        if !self.takes_word("priority") {
            return Ok(None);
        }
        match self.peek().kind {
            Kind::Number(value, true) => {
                self.bump();
                Ok(Some(value))
            }
            _ => Err(self.unexpected("a number")),
        }
    }

    /// Reads the head and the body of a process.
    fn process(
        &mut self,
        id: Option<ProctypeId>,
        process: Proctype,
        head: impl FnOnce(&mut Self) -> Read<()>,
    ) -> Read<Done> {
        self.context = Some(Context {
            id,
            process,
            scopes: Scopes::new(),
            started: false,
            loops: Vec::new(),
            d_steps: 0,
            guard: false,
            counters: HashMap::new(),
            received: Vec::new(),
            choices: 0,
            outermost: HashMap::new(),
            label_before: false,
        });
        head(self)?;
        let open = self.expect(Sign::OpenBrace)?;
        self.stream.in_sequence = true;
        let steps = self.sequence(Sign::CloseBrace, open.place)?;
        self.expect(Sign::CloseBrace)?;
        self.stream.in_sequence = false;
        let place = self.since(open.place);
        let Some(context) = self.context.take() else { return Err(self.unexpected("a process")) };
        let Context { mut process, scopes, outermost, .. } = context;
        process.body = Sequence { steps, place };
        let mut targets = Vec::with_capacity(scopes.jumps.len());
        for jump in &scopes.jumps {
            targets.push(match scopes.target(jump) {
                Ok(label) => label,
                Err(wrong) => {
                    self.report(wrong);
                    LabelId(0)
                }
            });
        }
        finish::set_targets(&mut process.body, &targets);
        Ok(Done { process, scopes, outermost })
    }

    fn parameters(&mut self) -> Read<()> {
        while !self.sees(Sign::CloseParen) {
            if !self.declaration_starts() {
                return Err(self.unexpected("the type of a parameter"));
            }
            self.declaration(Role::Parameter, &mut Vec::new())?;
            if !self.takes(Sign::Semicolon) {
                if self.sees(Sign::Comma) {
                    return Err(self.unexpected("`;` between parameters of different types"));
                }
                break;
            }
        }
        let mut hidden = Vec::new();
        if let Some(context) = &mut self.context {
            context.process.parameters = context.process.locals.len();
            for local in &context.process.locals {
                if holds_array(&self.model.typedefs, local.variable.kind) {
                    hidden.push((local.variable.name.clone(), local.variable.place));
                }
            }
        }
        for (name, place) in hidden {
            self.report(
                ParseError::new(
                    "E1177",
                    format!("the parameter `{name}` has an array in it"),
                    place,
                )
                .label("parameters are no arrays, and their fields are none")
                .help("pass an index into a global array of structs"),
            );
        }
        Ok(())
    }

    /// Reports a name that is taken outside of processes; the answer is whether it was free.
    pub(super) fn new_name(&mut self, name: &str, place: Place) -> bool {
        let Some(known) = self.names.get(name) else { return true };
        self.report(
            ParseError::new("E1141", format!("`{name}` is already {}", known.what()), place)
                .label("declared again here")
                .help("choose another name: declarations do not hide each other in SPIN"),
        );
        false
    }

    fn typedef(&mut self) -> Read<()> {
        self.bump();
        let (name, place) = self.name("the name of a typedef")?;
        self.new_name(&name, place);
        let open = self.expect(Sign::OpenBrace)?;
        self.stream.in_sequence = true;
        let fields = self.fields(open.place)?;
        self.stream.in_sequence = false;
        let id = TypedefId(u32::try_from(self.model.typedefs.len()).unwrap_or(u32::MAX));
        self.model.typedefs.push(Typedef { name: name.to_string(), place, fields });
        self.names.entry(name).or_insert(Global::Typedef(id));
        Ok(())
    }

    /// The set of that name; it is made when it is first named.
    pub(super) fn mtype(&mut self, name: Option<&str>) -> MtypeId {
        let name = name.map(str::to_owned);
        if let Some(&id) = self.mtypes.get(&name) {
            return id;
        }
        let id = MtypeId(u32::try_from(self.model.mtypes.len()).unwrap_or(u32::MAX));
        self.model.mtypes.push(Mtype { name: name.clone(), constants: Vec::new() });
        self.mtypes.insert(name, id);
        id
    }

    /// The constants of an mtype between braces.
    pub(super) fn constants(&mut self, set: MtypeId) -> Read<()> {
        let open = self.expect(Sign::OpenBrace)?;
        let mut new: Vec<(Rc<str>, Place)> = Vec::new();
        loop {
            if self.takes(Sign::Comma) || self.peek().kind == Kind::LineEnd {
                if self.peek().kind == Kind::LineEnd {
                    self.bump();
                }
                continue;
            }
            if self.takes(Sign::CloseBrace) {
                break;
            }
            let (name, place) = self.name("a constant")?;
            if new.len() > 255 {
                continue;
            }
            if new.iter().any(|(known, _)| *known == name)
                || matches!(self.names.get(&name), Some(Global::Constant(..)))
            {
                self.report(
                    ParseError::new(
                        "E1149",
                        format!("the constant `{name}` is declared twice"),
                        place,
                    )
                    .label("again here")
                    .help("constants of all mtypes share their names"),
                );
            } else if self.new_name(&name, place) {
                new.push((name, place));
            }
        }
        if new.is_empty() && self.errors.is_empty() {
            let place = self.since(open.place);
            self.report(
                ParseError::new("E1120", "an mtype without constants", place)
                    .label("expected a constant")
                    .help("write `mtype = { a, b }`"),
            );
        }
        let place = self.since(open.place);
        // The last one gets the smallest number.
        for (name, place) in new.into_iter().rev() {
            let constants = &mut self.model.mtypes[set.index()].constants;
            constants.push(Constant { name: name.to_string(), place });
            let value = i32::try_from(constants.len()).unwrap_or(i32::MAX);
            self.names.insert(name, Global::Constant(set, value));
        }
        if self.model.mtypes[set.index()].constants.len() > 255 {
            self.report(
                ParseError::new("E1183", "an mtype has more than 255 constants", place)
                    .label("the last of them are here")
                    .help("an mtype is a byte; use a named set `mtype:name` for some"),
            );
        }
        Ok(())
    }

    /// Puts a formula aside until everything is known.
    fn set_formula_aside(&mut self) -> Read<()> {
        let start = self.bump().place;
        let name = self.peek().word().is_some().then(|| self.bump());
        if let Some(token) = &name
            && token.word().is_some_and(super::is_keyword)
        {
            let word = token.word().unwrap_or_default();
            let message = format!("`{word}` is a word of the language");
            self.report(
                ParseError::new("E1137", message, token.place)
                    .label("expected the name of a formula")
                    .help("choose another name"),
            );
        }
        let place = name.as_ref().map_or(start, |name| name.place);
        self.expect(Sign::OpenBrace)?;
        let mut tokens: Vec<Token> = Vec::new();
        let mut depth = 0usize;
        loop {
            let token = self.bump();
            match token.kind {
                Kind::End => return Err(self.unexpected("`}` at the end of the formula")),
                Kind::Sign(Sign::OpenBrace) => depth += 1,
                Kind::Sign(Sign::CloseBrace) if depth == 0 => {
                    let place = token.place;
                    tokens.push(Token { kind: Kind::End, place, ..token });
                    break;
                }
                Kind::Sign(Sign::CloseBrace) => depth -= 1,
                _ => {}
            }
            tokens.push(token);
        }
        let name = name.filter(|token| token.word().is_some());
        self.formulas.push((name, place, temporal(tokens).into()));
        Ok(())
    }

    fn formula(&mut self, name: Option<&Token>, place: Place, tokens: &[Token]) -> Read<()> {
        self.stream = super::Stream::new(self.apart(tokens));
        self.context = None;
        self.depth = 0;
        let name = match name.and_then(Token::word) {
            Some(name) => name.to_owned(),
            None => {
                self.unnamed += 1;
                format!("ltl_{}", self.unnamed - 1)
            }
        };
        if !self.properties.insert(name.clone()) {
            self.report(twice(&format!("the formula `{name}`"), place));
        }
        if self.peek().kind == Kind::End {
            return Err(ParseError::new("E1121", "this formula is empty", place)
                .help("write a formula between the braces, such as `[] (x == 0)`"));
        }
        self.in_formula = true;
        let ltl = self.temporal_formula();
        self.in_formula = false;
        let ltl: Ltl = ltl?;
        self.takes(Sign::Semicolon);
        if self.peek().kind != Kind::End {
            return Err(self.unexpected("an operator or `}`"));
        }
        self.model.formulas.push(Formula { name, place, ltl });
        Ok(())
    }

    /// The tokens of a formula with operators apart that are written together, as in `GF p`, unless the model
    /// has such a name.
    fn apart(&self, tokens: &[Token]) -> Rc<[Token]> {
        let mut out = Vec::with_capacity(tokens.len());
        for token in tokens {
            let together = token.word().filter(|word| {
                let is_operator = |letter: char| matches!(letter, 'G' | 'F' | 'X');
                word.len() > 1 && word.chars().all(is_operator) && !self.names.contains_key(*word)
            });
            let Some(word) = together else {
                out.push(token.clone());
                continue;
            };
            let start = token.place.span.start;
            for (at, letter) in word.char_indices() {
                let mut one = token.clone();
                one.kind = Kind::Word(letter.to_string().into());
                one.place.span = fairly_source::Span::new(start + at, start + at + 1);
                out.push(one);
            }
        }
        out.into()
    }

    /// The model, if nothing was wrong.
    pub(super) fn finish(mut self) -> Result<Model, Vec<Diagnostic>> {
        self.check_runs();
        self.check_sent();
        for (note, used) in self.notes.clone().into_iter().zip(self.used_notes.clone()) {
            let place = Place::plain(note.span);
            if note.annotation.is_none() {
                self.report(
                    ParseError::new("E1135", "there is no such annotation", place)
                        .label("expected `wf`, `sf`, `wl` or `sl`")
                        .help("write `/*@ wf */`, or `/* @` for a plain comment"),
                );
            } else if !used {
                self.report(
                    ParseError::new(
                        "E1136",
                        "this annotation is before no statement and no option",
                        place,
                    )
                    .label("nothing to annotate")
                    .help("put it before `::` or at the start of a statement"),
                );
            }
        }
        if !self.errors.is_empty() {
            return Err(self.errors.finish());
        }
        let mut model = self.model;
        model.processes = self.processes.into_iter().flatten().collect();
        model.expansions = self.expansions.all;
        let mut looked_at: HashMap<ProctypeId, HashSet<LabelId>> = HashMap::new();
        for (process, label) in self.remote_labels {
            looked_at.entry(process).or_default().insert(label);
        }
        for (process, labels) in looked_at {
            if let Some(process) = model.processes.get_mut(process.index()) {
                finish::separate_jumps(&mut process.body, &labels);
            }
        }
        Ok(model)
    }

    /// Compares the arguments of each `run` with the parameters.
    fn check_runs(&mut self) {
        for run in std::mem::take(&mut self.runs) {
            let Some(Some(process)) = self.processes.get(run.proctype.index()) else { continue };
            let name = process.name.clone();
            if process.kind == ProcessKind::Init {
                continue;
            }
            let count = process.parameters;
            let parameters: Vec<Local> = process.locals[..count].to_vec();
            if run.arguments.len() != count {
                let message = format!("`{name}` is run with {} arguments", run.arguments.len());
                self.report(
                    ParseError::new("E1166", message, run.place)
                        .label(format!("it has {count} parameters"))
                        .help(format!("give it {count}")),
                );
                continue;
            }
            for (parameter, (given, place)) in parameters.iter().zip(run.arguments) {
                let wanted = match parameter.variable.kind {
                    super::super::ast::Type::Struct(id) => Some(id),
                    _ => None,
                };
                if wanted != given {
                    let message = "the argument and the parameter are of different types";
                    self.report(
                        ParseError::new("E1163", message, place)
                            .label(format!("for the parameter `{}`", parameter.variable.name))
                            .help("a struct is given for a parameter of its own typedef"),
                    );
                }
            }
        }
    }
}

fn process(name: String, place: Place, kind: ProcessKind) -> Proctype {
    Proctype {
        name,
        place,
        kind,
        parameters: 0,
        locals: Vec::new(),
        labels: Vec::new(),
        priority: None,
        provided: None,
        exclusive: Vec::new(),
        body: Sequence { steps: Vec::new(), place },
    }
}

fn twice(what: &str, place: Place) -> ParseError {
    ParseError::new("E1154", format!("{what} is there already"), place)
        .label("again here")
        .help("remove one of them, or rename it")
}

/// C in a model.
pub(super) fn no_c(word: &str, place: Place) -> ParseError {
    ParseError::new("E1125", format!("C code (`{word}`) is not supported"), place)
        .label("this is C")
        .help("write it in Promela")
}

/// Makes operators of the signs that only formulas have.
fn temporal(tokens: Vec<Token>) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut tokens = tokens.into_iter().peekable();
    while let Some(mut token) = tokens.next() {
        let next = tokens.peek().filter(|next| token.touches(next)).map(|next| next.kind.clone());
        let glued = match (&token.kind, next) {
            (Kind::Sign(Sign::OpenBracket), Some(Kind::Sign(Sign::CloseBracket))) => {
                Some(Kind::Word("always".into()))
            }
            (Kind::Sign(Sign::Less), Some(Kind::Sign(Sign::Greater))) => {
                Some(Kind::Word("eventually".into()))
            }
            (Kind::Sign(Sign::Less), Some(Kind::Sign(Sign::Arrow)))
            | (Kind::Sign(Sign::LessEqual), Some(Kind::Sign(Sign::Greater))) => {
                Some(Kind::Word("equivalent".into()))
            }
            (Kind::Sign(Sign::Assign), Some(Kind::Sign(Sign::Greater))) => {
                Some(Kind::Word("implies".into()))
            }
            (Kind::Sign(Sign::Divide), Some(Kind::Sign(Sign::Backslash))) => {
                Some(Kind::Sign(Sign::And))
            }
            (Kind::Sign(Sign::Backslash), Some(Kind::Sign(Sign::Divide))) => {
                Some(Kind::Sign(Sign::Or))
            }
            _ => None,
        };
        if let Some(kind) = glued
            && let Some(second) = tokens.next()
        {
            token.place.span = token.place.span.to(second.place.span);
            token.kind = kind;
        } else if token.is(Sign::Arrow) {
            token.kind = Kind::Word("implies".into());
        }
        out.push(token);
    }
    out
}

/// Whether a struct has an array among its fields, or among theirs.
fn holds_array(typedefs: &[Typedef], kind: Type) -> bool {
    let Type::Struct(id) = kind else { return false };
    // A struct uses only earlier ones. They may share them, so each is looked at once.
    let mut holds: Vec<bool> = Vec::new();
    for typedef in typedefs.iter().take(id.index() + 1) {
        let inside = |kind: Type| match kind {
            Type::Struct(inner) => holds.get(inner.index()).copied().unwrap_or(false),
            _ => false,
        };
        holds.push(typedef.fields.iter().any(|it| it.length.is_some() || inside(it.kind)));
    }
    holds.last().copied().unwrap_or(false)
}
