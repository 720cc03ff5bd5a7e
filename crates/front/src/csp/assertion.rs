//! `#assert`.

use fairly_source::{Diagnostic, Span};

use super::codes;
use super::names::Global;
use super::parser::{Parsed, Parser};
use super::syntax::{Assertion, Claim, Expr, ExprKind, Extreme, Refinement, Subject, Type};
use fairly_source::suggest::{MOST_CANDIDATES, did_you_mean};

const CLAIMS: [&str; 6] =
    ["deadlockfree", "nonterminating", "divergencefree", "deterministic", "reaches", "refines"];

impl Parser<'_> {
    pub(super) fn assertion(&mut self) -> Parsed<()> {
        self.fresh();
        let start = self.span();
        self.at += 2;
        let process = self.subject()?;
        let claim = self.claim()?;
        self.end_of_item()?;
        let span = self.since(start);
        if let (Some(process), Some(claim)) = (process, claim) {
            self.spec.assertions.push(Assertion { process, claim, remarks: Vec::new(), span });
        }
        Ok(())
    }

    /// A process with constant arguments; nothing if there is none such.
    fn subject(&mut self) -> Parsed<Option<Subject>> {
        let name = self.name("a process")?;
        let arguments =
            if self.sees("(") { self.bracketed("(", Self::arguments)? } else { Some(Vec::new()) };
        let span = self.since(name.span);
        let definition = self.definition(name.span);
        let (Some(definition), Some(arguments)) = (definition, arguments) else { return Ok(None) };
        self.arity(definition, arguments.len(), span);
        for argument in &arguments {
            self.known(argument, "an argument of an assertion");
        }
        Ok(Some(Subject { definition, arguments, span }))
    }

    fn claim(&mut self) -> Parsed<Option<Claim>> {
        if self.takes("|=") {
            return Ok(self.formula()?.map(Claim::Satisfies));
        }
        let span = self.span();
        let word = self.word_at(self.at);
        self.at += usize::from(!word.is_empty());
        Ok(Some(match word {
            "deadlockfree" => Claim::DeadlockFree,
            "nonterminating" => Claim::NonTerminating,
            "divergencefree" => Claim::DivergenceFree,
            "deterministic" => Claim::Deterministic,
            "reaches" => return self.reaches(),
            "refines" => {
                let compared = self.compared()?;
                return Ok(self.subject()?.map(|specification| match compared {
                    Some(model) => Claim::Refines { model, specification },
                    None => Claim::RefinesFairly { specification },
                }));
            }
            _ => {
                let help = did_you_mean(word, CLAIMS).unwrap_or_else(|| {
                    format!("write `|=` and a formula, or one of {}", CLAIMS.join(", "))
                });
                return Err(self.stop(
                    Diagnostic::error(codes::CLAIM, "this is nothing that can be asserted", span)
                        .label("expected what is claimed of the process")
                        .help(help),
                ));
            }
        }))
    }

    /// `<F>`, `<FD>`, `<fair>` or nothing: the model in which processes are compared, or none for fair runs.
    fn compared(&mut self) -> Parsed<Option<Refinement>> {
        if !self.takes("<") {
            return Ok(Some(Refinement::Traces));
        }
        let model = match self.word_at(self.at) {
            "F" => Some(Refinement::Failures),
            "FD" => Some(Refinement::FailuresDivergences),
            "fair" => None,
            _ => return Err(self.unexpected("`F>`, `FD>` or `fair>`")),
        };
        self.at += 1;
        self.expect(">")?;
        Ok(model)
    }

    fn reaches(&mut self) -> Parsed<Option<Claim>> {
        let span = self.span();
        let condition = if self.sees_word("true") || self.sees_word("false") {
            self.at += 1;
            self.at_name()?
        } else {
            let name = self.name("a condition")?;
            match self.global(&name.text) {
                Some(Global::Broken) => None,
                Some(_) => self.at_name()?,
                None => {
                    self.no_proposition(span);
                    None
                }
            }
        };
        if let Some(condition) = &condition {
            self.want(condition, Type::Bool);
        }
        let mut optimum = None;
        if self.takes_word("with") {
            let goal = match self.word_at(self.at) {
                "min" => Extreme::Least,
                "max" => Extreme::Greatest,
                _ => return Err(self.unexpected("`min(…)` or `max(…)`")),
            };
            self.at += 1;
            let expr = self.bracketed("(", Self::expression)?;
            if let Some(expr) = expr {
                self.want(&expr, Type::Int);
                optimum = Some((goal, expr));
            }
        }
        Ok(condition.map(|condition| Claim::Reaches { condition, optimum }))
    }

    /// The word that was just taken as an expression; nothing if that is wrong.
    fn at_name(&mut self) -> Parsed<Option<Expr>> {
        self.at -= 1;
        let outer = std::mem::replace(&mut self.end, self.at + 1);
        let read = self.expression();
        self.end = outer;
        let expr = read?;
        // An unreadable expression is a number without a type.
        let wrong = matches!(expr.kind, ExprKind::Int(_)) && expr.ty == Type::Unknown;
        Ok((!wrong).then_some(expr))
    }

    /// Notes that the name is no condition and no event.
    pub(super) fn no_proposition(&mut self, span: Span) {
        if self.is_full() {
            return;
        }
        let name = self.slice(span);
        let events = self
            .occurring
            .keys()
            .map(|id| self.spec.events[id.index()].as_str())
            .chain(self.spec.channels.iter().map(|channel| channel.name.text.as_str()));
        let defines = self.spec.defines.iter().map(|define| define.name.text.as_str());
        let few = self.spec.events.len() <= MOST_CANDIDATES;
        let near = did_you_mean(name, events.chain(defines)).filter(|_| few);
        let help =
            near.unwrap_or_else(|| format!("give the condition a name: `#define {name} …;`"));
        let message = format!("`{name}` is neither a condition nor an event of this model");
        self.note(
            Diagnostic::error(codes::PROPOSITION, message, span).label("not known").help(help),
        );
    }
}
