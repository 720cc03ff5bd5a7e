//! Sequences and the statements in them.

use std::rc::Rc;

use super::super::ast::{
    Base, BinaryOp, Choice, Exclusive, Expr, ExprKind, Label, LabelId, Origin, ProcessKind,
    Sequence, Stmt, StmtKind, Type, VarRef,
};
use super::super::finish;
use super::super::place::{ParseError, Place, Read};
use super::super::scopes::{Inside, d_step_jump};
use super::super::token::{Kind, Sign, Token};
use super::declarations::{Role, only_outside};
use super::references::Wanted;
use super::{Context, Global, Parser};

impl Parser<'_> {
    /// The process that is being read. Statements are read only inside one.
    pub(super) fn inside(&mut self) -> Read<&mut Context> {
        let place = self.here();
        self.context.as_mut().ok_or_else(|| {
            ParseError::new("E1120", "a statement outside of a process", place)
                .help("statements stand inside a process")
        })
    }

    /// Statements up to, not including, what ends them: `}`, or for an option `::`, `fi` or `od`.
    pub(super) fn sequence(&mut self, end: Sign, open: Place) -> Read<Vec<Stmt>> {
        let mut steps = Vec::new();
        let (parens, depth) = (self.stream.parens, self.depth);
        let mut first = true;
        let mut empty = true;
        loop {
            let mut separated = first || self.stream.separator_is_optional();
            while self.at_separator() {
                // SPIN has separators between statements only; at the start they mean nothing.
                if first {
                    return Err(self.unexpected("a statement"));
                }
                self.bump();
                separated = true;
            }
            if self.at_end(end) || self.peek().kind == Kind::End || self.errors.full() {
                break;
            }
            let start = self.here();
            let result = if separated {
                self.step(&mut steps)
            } else {
                Err(self.unexpected("a separator: `;`, `->` or the end of the line"))
            };
            if let Err(wrong) = result {
                self.report(wrong);
                self.stream.parens = parens;
                self.depth = depth;
                if self.here() == start && !self.at_end(end) {
                    self.bump();
                }
                self.skip_statement(end);
            }
            first = false;
            empty = false;
            if let Some(context) = &mut self.context {
                context.guard = false;
            }
        }
        if empty && self.peek().kind != Kind::End {
            let place = self.since(open);
            self.report(
                ParseError::new("E1123", "there is no statement here", place)
                    .label("expected at least one")
                    .help("write `skip` to do nothing"),
            );
        }
        Ok(steps)
    }

    fn at_separator(&mut self) -> bool {
        matches!(self.peek().kind, Kind::LineEnd | Kind::Sign(Sign::Semicolon | Sign::Arrow))
    }

    fn at_end(&mut self, end: Sign) -> bool {
        let token = self.peek();
        match end {
            Sign::Separator => {
                token.is(Sign::Separator) || token.is_word("fi") || token.is_word("od")
            }
            end => token.is(end),
        }
    }

    /// Skips what is left of a statement that cannot be read.
    fn skip_statement(&mut self, end: Sign) {
        let mut open = 0usize;
        loop {
            if open == 0 && (self.at_separator() || self.at_end(end)) {
                return;
            }
            match &self.peek().kind {
                Kind::End => return,
                Kind::Sign(Sign::OpenBrace) => open += 1,
                Kind::Word(word) if matches!(&**word, "if" | "do") => open += 1,
                Kind::Word(word) if matches!(&**word, "fi" | "od") => {
                    open = open.saturating_sub(1);
                }
                Kind::Sign(Sign::CloseBrace) if open == 0 => return,
                Kind::Sign(Sign::CloseBrace) => open -= 1,
                _ => {}
            }
            let parens = self.stream.parens;
            self.bump();
            // A parenthesis too many must not hide the ends of the lines.
            self.stream.parens = parens;
        }
    }

    /// One step of a sequence: a declaration or a statement, maybe with its escape.
    fn step(&mut self, out: &mut Vec<Stmt>) -> Read<()> {
        let token = self.peek().clone();
        match token.word() {
            Some(word @ ("xr" | "xs")) => return self.exclusive(word == "xs"),
            Some("typedef") => return Err(only_outside("a typedef", token.place)),
            Some("inline") => return Err(only_outside("an inline", token.place)),
            _ => {}
        }
        if self.declaration_starts() {
            return self.declaration(Role::Local, out);
        }
        let annotation = self.annotation();
        let mut stmt = self.statement(out)?;
        if self.sees_word("unless") {
            self.bump();
            let escape = self.statement(out)?;
            stmt = self.unless(stmt, escape)?;
        }
        stmt.annotation = annotation;
        let special = {
            let context = self.inside()?;
            context.started = true;
            let labels = &context.process.labels;
            stmt.labels.iter().any(|label| {
                let label = &labels[label.index()];
                label.is_end() || label.is_progress() || label.is_accept()
            })
        };
        // A jump is no step of its own in SPIN, so a label that means something gets one.
        if special && matches!(stmt.kind, StmtKind::Goto(_) | StmtKind::Break) {
            let labels = std::mem::take(&mut stmt.labels);
            let skip = self.skip(stmt.place);
            out.push(Stmt { labels, ..skip });
        }
        out.push(stmt);
        Ok(())
    }

    /// `skip` for a label.
    fn skip(&self, place: Place) -> Stmt {
        let kind = StmtKind::Condition(self.number(1, place));
        Stmt { origin: Origin::Label, ..plain(kind, place) }
    }

    fn exclusive(&mut self, sends: bool) -> Read<()> {
        self.bump();
        loop {
            let channel = self.reference(Wanted::Whole)?;
            self.check_channel(&channel)?;
            self.inside()?.process.exclusive.push(Exclusive { channel, sends });
            if !self.takes(Sign::Comma) {
                return Ok(());
            }
        }
    }

    fn unless(&mut self, main: Stmt, escape: Stmt) -> Read<Stmt> {
        let place = self.expansions.join(main.place, escape.place);
        let escape = match escape {
            Stmt { kind: StmtKind::Block(sequence), labels, .. } if labels.is_empty() => sequence,
            escape => {
                self.no_label(&escape, "an escape cannot be jumped to")?;
                Sequence { place: escape.place, steps: vec![escape] }
            }
        };
        let Stmt { labels, kind, place: main_place, annotation, origin } = main;
        let wrap: Option<fn(Sequence) -> StmtKind> = match &kind {
            StmtKind::Block(_) => Some(StmtKind::Block),
            StmtKind::Atomic(_) => Some(StmtKind::Atomic),
            StmtKind::DStep(_) => Some(StmtKind::DStep),
            _ => None,
        };
        match (kind, wrap) {
            (StmtKind::Block(inner), _) if labels.is_empty() => {
                Ok(plain(StmtKind::Unless(inner, escape), place))
            }
            (
                StmtKind::Block(inner) | StmtKind::Atomic(inner) | StmtKind::DStep(inner),
                Some(wrap),
            ) if !labels.is_empty() => {
                // SPIN lifts the label: it is on a block with the whole `unless` inside.
                let inner = plain(StmtKind::Unless(inner, escape), place);
                let kind = wrap(Sequence { steps: vec![inner], place });
                Ok(Stmt { labels, ..plain(kind, place) })
            }
            (kind, _) => {
                let main = Stmt { labels, kind, place: main_place, annotation, origin };
                self.no_label(&main, "a label before `unless` needs braces")?;
                let main = Sequence { steps: vec![main], place: main_place };
                Ok(plain(StmtKind::Unless(main, escape), place))
            }
        }
    }

    fn no_label(&mut self, stmt: &Stmt, message: &str) -> Read<()> {
        if stmt.labels.is_empty() {
            return Ok(());
        }
        Err(misplaced(message, stmt.place, "write `L: { … unless … }`"))
    }

    /// A statement. What `for` and `select` put before it goes into `out`.
    pub(super) fn statement(&mut self, out: &mut Vec<Stmt>) -> Read<Stmt> {
        let place = self.here();
        self.nested(place, |parser| parser.labelled(out))
    }

    fn labelled(&mut self, out: &mut Vec<Stmt>) -> Read<Stmt> {
        let start = self.here();
        let mut labels = Vec::new();
        while let Kind::Word(word) = self.peek().kind.clone()
            && !super::is_keyword(&word)
            && !matches!(self.names.get(&word), Some(Global::Proctype(_)))
            && self.stream.peek_second().is_some_and(|next| next.is(Sign::Colon))
        {
            labels.push(self.label(&word)?);
            if self.declaration_starts() || self.sees_word("xr") || self.sees_word("xs") {
                return Err(ParseError::new(
                    "E1132",
                    "a label before a declaration",
                    self.since(start),
                )
                .label("this labels no statement")
                .help("put the label after the declaration"));
            }
        }
        if labels.is_empty() {
            return self.unlabelled(out);
        }
        let ends = self.at_separator()
            || self.at_end(Sign::Separator)
            || self.sees(Sign::CloseBrace)
            || self.sees_word("unless");
        if ends {
            let skip = self.skip(self.since(start));
            return Ok(Stmt { labels, ..skip });
        }
        let place = self.here();
        let mut stmt = self.nested(place, |parser| parser.unlabelled(out))?;
        let before = std::mem::take(&mut self.inside()?.label_before);
        match out.last_mut() {
            Some(assignment) if before => assignment.labels = labels,
            _ => stmt.labels = labels,
        }
        Ok(stmt)
    }

    /// A label and its colon.
    fn label(&mut self, name: &Rc<str>) -> Read<LabelId> {
        let place = self.bump().place;
        self.bump();
        self.label_name(name, place)?;
        let inline = self.inlining.last().map(|(inline, _)| *inline);
        let context = self.inside()?;
        let id = LabelId(u32::try_from(context.process.labels.len()).unwrap_or(u32::MAX));
        let new = context.scopes.mark(name, id, inline);
        context.process.labels.push(Label { name: name.to_string(), place });
        if !new {
            self.report(
                ParseError::new("E1146", format!("the label `{name}` is there already"), place)
                    .label("again here")
                    .help("choose another name"),
            );
        }
        Ok(id)
    }

    /// Reports a label that has the name of something else.
    fn label_name(&mut self, name: &str, place: Place) -> Read<()> {
        let what = match self.inside()?.scopes.find(name) {
            Some(Inside::Variable(_)) => Some("a variable"),
            Some(Inside::Label(_)) => None,
            None => self.names.get(name).map(|global| global.what()),
        };
        match what {
            None => Ok(()),
            Some(what) => {
                Err(ParseError::new("E1147", format!("`{name}` is {what}, not a label"), place)
                    .help("choose another name for the label"))
            }
        }
    }

    fn unlabelled(&mut self, out: &mut Vec<Stmt>) -> Read<Stmt> {
        let token = self.peek().clone();
        let start = token.place;
        let stmt = self.any_statement(out, &token)?;
        let is_event = matches!(
            stmt.kind,
            StmtKind::Send { sorted: false, .. }
                | StmtKind::Receive { random: false, peek: false, .. }
                | StmtKind::If(_)
                | StmtKind::Do(_)
                | StmtKind::Goto(_)
                | StmtKind::Break
        );
        let kind = self.inside()?.process.kind;
        if !is_event && matches!(kind, ProcessKind::Trace | ProcessKind::NoTrace) {
            return Err(ParseError::new(
                "E1179",
                "a trace is made of plain sends and receives",
                start,
            )
            .label("this is neither")
            .help("conditions and assignments belong into a `never` claim"));
        }
        Ok(stmt)
    }

    fn any_statement(&mut self, out: &mut Vec<Stmt>, token: &Token) -> Read<Stmt> {
        let start = token.place;
        let Kind::Word(word) = &token.kind else {
            if self.sees(Sign::OpenBrace) {
                let sequence = self.block()?;
                let place = self.since(start);
                return Ok(plain(StmtKind::Block(sequence), place));
            }
            return self.condition();
        };
        let kind = match &**word {
            "if" | "do" => return self.selection(&**word == "do"),
            "for" => return self.for_loop(out),
            "select" => return self.select(out),
            "atomic" => {
                self.bump();
                StmtKind::Atomic(self.block()?)
            }
            "d_step" => {
                self.bump();
                let context = self.inside()?;
                context.d_steps += 1;
                let outside = std::mem::replace(&mut context.scopes.d_step, context.d_steps);
                let sequence = self.block();
                self.inside()?.scopes.d_step = outside;
                StmtKind::DStep(sequence?)
            }
            "else" => {
                self.bump();
                if self.inside()?.guard {
                    StmtKind::Else
                } else {
                    // SPIN takes `else` where nothing else can be taken; without options beside
                    // it that is always.
                    StmtKind::Condition(self.number(1, start))
                }
            }
            "break" => {
                self.bump();
                let context = self.inside()?;
                match context.loops.last() {
                    None => {
                        return Err(ParseError::new("E1128", "`break` outside of a loop", start)
                            .label("no `do` or `for` is open here")
                            .help("leave a process with `goto` and a label at its end"));
                    }
                    Some(&d_step) if d_step != context.scopes.d_step => {
                        return Err(d_step_jump("a `break` out of `d_step`", start));
                    }
                    Some(_) => StmtKind::Break,
                }
            }
            "goto" => {
                self.bump();
                let (name, place) = self.name("a label")?;
                self.label_name(&name, place)?;
                let jump = self.inside()?.scopes.jump(name, place);
                // The number of the jump stands in for the label until all labels are known.
                StmtKind::Goto(LabelId(u32::try_from(jump).unwrap_or(u32::MAX)))
            }
            "assert" => {
                self.bump();
                StmtKind::Assert(self.full_expression()?)
            }
            "printf" => return self.printf(),
            "printm" => {
                self.bump();
                self.expect(Sign::OpenParen)?;
                let value = self.value()?;
                self.expect(Sign::CloseParen)?;
                StmtKind::Printm(value)
            }
            "set_priority" => {
                self.bump();
                self.expect(Sign::OpenParen)?;
                let process = self.value()?;
                self.expect(Sign::Comma)?;
                let priority = self.value()?;
                self.expect(Sign::CloseParen)?;
                StmtKind::SetPriority(process, priority)
            }
            "return" => return self.return_statement(),
            "c_code" | "c_decl" | "c_expr" | "c_state" | "c_track" => {
                return Err(super::units::no_c(word, start));
            }
            _ if super::is_keyword(word) => return self.condition(),
            _ => match self.names.get(word) {
                Some(&Global::Inline(inline)) => return self.inline_use(inline, None, start),
                Some(Global::Constant(..) | Global::Proctype(_)) => return self.condition(),
                _ => return self.on_variable(start),
            },
        };
        let place = self.since(start);
        Ok(plain(kind, place))
    }

    /// A statement that starts with a variable.
    fn on_variable(&mut self, start: Place) -> Read<Stmt> {
        let variable = self.nested(start, |parser| parser.reference(Wanted::Message))?;
        let next = self.peek().clone();
        let polls = self.stream.peek_second().is_some_and(|second| second.is(Sign::OpenBracket));
        match next.kind {
            Kind::Sign(Sign::Send | Sign::SortedSend) => return self.send(variable),
            Kind::Sign(Sign::Receive | Sign::RandomReceive) if !polls => {
                return self.receive(variable);
            }
            _ => {}
        }
        if matches!(variable.kind, Type::Struct(_)) {
            return Err(ParseError::new("E1163", "a struct is not a value", variable.place)
                .label("expected a field of it")
                .help("name one of its fields; structs are not assigned or compared as a whole"));
        }
        match next.kind {
            Kind::Sign(Sign::Assign) => {
                self.bump();
                self.check_target(&variable)?;
                let inline = match self.stream.peek().word().and_then(|word| self.names.get(word)) {
                    Some(&Global::Inline(inline)) => Some(inline),
                    _ => None,
                };
                if let Some(inline) = inline {
                    return self.inline_use(inline, Some(variable), start);
                }
                let value = self.full_expression()?;
                self.check_assignment(variable.kind, &self.shown(variable.place), &value);
                let place = self.since(start);
                Ok(plain(StmtKind::Assign(variable, value), place))
            }
            Kind::Sign(sign @ (Sign::Increment | Sign::Decrement)) => {
                self.bump();
                self.check_target(&variable)?;
                let place = self.since(start);
                if variable.kind == Type::Chan {
                    return Err(ParseError::new("E1165", "a channel is not a number", place)
                        .label("nothing is computed with it")
                        .help("use a `byte` to count"));
                }
                let op = if sign == Sign::Increment { BinaryOp::Add } else { BinaryOp::Subtract };
                self.step_by_one(variable, op, place)
            }
            _ => {
                let condition = self.full_after(variable)?;
                self.finish_condition(condition)
            }
        }
    }

    /// `x = x + 1` or `x = x - 1`.
    pub(super) fn step_by_one(
        &mut self,
        variable: VarRef,
        op: BinaryOp,
        place: Place,
    ) -> Read<Stmt> {
        if variable.base == Base::Scratch {
            return Err(unreadable(variable.place));
        }
        let one = self.number(1, place);
        let old = self.make(ExprKind::Variable(variable.clone()), variable.place)?;
        let value = self.make(ExprKind::Binary(op, Box::new(old), Box::new(one)), place)?;
        Ok(plain(StmtKind::Assign(variable, value), place))
    }

    /// How it is written.
    fn shown(&self, place: Place) -> String {
        self.text.get(place.span.start..place.span.end).unwrap_or("it").to_owned()
    }

    /// Reports something that is not to be assigned.
    pub(super) fn check_target(&self, variable: &VarRef) -> Read<()> {
        let name = match variable.base {
            Base::Pid => "_pid",
            Base::Processes => "_nr_pr",
            Base::Last => "_last",
            _ => return Ok(()),
        };
        Err(ParseError::new("E1169", format!("`{name}` cannot be assigned"), variable.place)
            .label("its value is given")
            .help("copy it into a variable of your own"))
    }

    fn condition(&mut self) -> Read<Stmt> {
        let condition = self.full_expression()?;
        if self.sees(Sign::Assign) {
            return Err(ParseError::new("E1120", "`=` cannot stand here", self.here())
                .label("what is left of it is no variable")
                .help("to compare, write `==`"));
        }
        self.finish_condition(condition)
    }

    fn finish_condition(&mut self, condition: Expr) -> Read<Stmt> {
        if finish::count_runs(&condition) > 1 {
            return Err(ParseError::new(
                "E1175",
                "a condition with more than one `run`",
                condition.place,
            )
            .label("it could be left half done")
            .help("run them one after the other"));
        }
        let place = condition.place;
        Ok(plain(StmtKind::Condition(condition), place))
    }

    fn printf(&mut self) -> Read<Stmt> {
        let start = self.bump().place;
        self.expect(Sign::OpenParen)?;
        let Kind::Text(mut format) = self.peek().kind.clone() else {
            return Err(self.unexpected("a string"));
        };
        self.bump();
        // The C preprocessor joins strings; SPIN does not, but macros are written as if it did.
        while let Kind::Text(more) = self.peek().kind.clone() {
            self.bump();
            format = format!("{}{}", &format[..format.len() - 1], &more[1..]).into();
        }
        let mut values = Vec::new();
        while self.takes(Sign::Comma) {
            values.push(self.value()?);
        }
        self.expect(Sign::CloseParen)?;
        let place = self.since(start);
        Ok(plain(StmtKind::Printf(format.to_string(), values), place))
    }

    /// Braces with statements in them, which no label may start.
    pub(super) fn block(&mut self) -> Read<Sequence> {
        let open = self.expect(Sign::OpenBrace)?;
        let context = self.inside()?;
        context.started = true;
        context.scopes.enter();
        let steps = self.sequence(Sign::CloseBrace, open.place);
        self.inside()?.scopes.leave();
        let steps = steps?;
        self.expect(Sign::CloseBrace)?;
        if let Some(first) = steps.first()
            && let Some(label) = first.labels.first()
        {
            let place = self.inside()?.process.labels[label.index()].place;
            let help = "write `L: { … }` instead of `{ L: … }`";
            self.report(misplaced("a label cannot be first inside braces", place, help));
        }
        let place = self.since(open.place);
        Ok(Sequence { steps, place })
    }

    fn selection(&mut self, repeats: bool) -> Read<Stmt> {
        let start = self.bump().place;
        let context = self.inside()?;
        context.started = true;
        let d_step = context.scopes.d_step;
        if repeats {
            context.loops.push(d_step);
        }
        let open = context.loops.len();
        let choices = self.choices();
        let context = self.inside()?;
        if repeats {
            context.loops.truncate(open - 1);
        }
        let choices = choices?;
        let end = if repeats { "od" } else { "fi" };
        // A line end before `fi` is a separator of the last option and was taken with it.
        if !self.takes_word(end) {
            return Err(self.unexpected(&format!("`::` or `{end}`")));
        }
        let is_else = |choice: &&Choice| {
            matches!(choice.body.steps.first(), Some(Stmt { kind: StmtKind::Else, .. }))
        };
        if let Some(second) = choices.iter().filter(is_else).nth(1) {
            let place = second.body.steps[0].place;
            self.report(
                ParseError::new("E1127", "a second `else`", place)
                    .label("only one option may be `else`")
                    .help("put both into one option, with an `if` inside"),
            );
        }
        let place = self.since(start);
        let kind = if repeats { StmtKind::Do(choices) } else { StmtKind::If(choices) };
        Ok(plain(kind, place))
    }

    fn choices(&mut self) -> Read<Vec<Choice>> {
        let mut choices = Vec::new();
        while self.peek().kind == Kind::LineEnd {
            self.bump();
        }
        if !self.sees(Sign::Separator) {
            return Err(self.unexpected("`::` and an option"));
        }
        while self.sees(Sign::Separator) {
            let annotation = self.annotation();
            self.inside()?.choices += 1;
            let mark = self.bump();
            self.inside()?.guard = true;
            let steps = self.sequence(Sign::Separator, mark.place);
            self.inside()?.choices -= 1;
            let steps = steps?;
            let place = self.since(mark.place);
            choices.push(Choice { body: Sequence { steps, place }, annotation });
            if self.errors.full() {
                break;
            }
        }
        Ok(choices)
    }
}

pub(super) fn plain(kind: StmtKind, place: Place) -> Stmt {
    Stmt { labels: Vec::new(), kind, place, annotation: None, origin: Origin::Written }
}

/// The value of `_`.
pub(super) fn unreadable(place: Place) -> ParseError {
    ParseError::new("E1170", "`_` cannot be read", place)
        .label("it is only written")
        .help("use a variable of your own")
}

fn misplaced(message: &str, place: Place, help: &str) -> ParseError {
    ParseError::new("E1133", message, place).label("not a state of its own").help(help)
}
