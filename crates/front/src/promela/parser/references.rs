//! Variables, elements and fields.

use std::rc::Rc;

use super::super::ast::{Base, Expr, ExprKind, FieldRef, Type, TypedefId, VarRef, Variable};
use super::super::place::{ParseError, Place, Read};
use super::super::scopes::Inside;
use super::super::suggest::in_promela;
use super::super::token::Sign;
use super::declarations::{array_of_structs, too_many_fields};
use super::{Global, MAX_TOKENS, Parser};
use fairly_source::suggest::did_you_mean;

/// Use of a reference.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A value, so no struct and no whole array.
    Value,
    /// A value or a whole struct, for a message or an argument.
    Message,
    /// Anything, with its arrays left whole.
    Whole,
}

impl Parser<'_> {
    /// The variable of that name.
    pub(super) fn variable_named(&mut self, name: &str, place: Place) -> Read<Base> {
        let predefined = match name {
            "_pid" => Some(Base::Pid),
            "_nr_pr" => Some(Base::Processes),
            "_last" => Some(Base::Last),
            "_priority" => Some(Base::Priority),
            "_" => Some(Base::Scratch),
            _ => None,
        };
        if let Some(base) = predefined {
            return Ok(base);
        }
        match self.context.as_ref().and_then(|context| context.scopes.find(name)) {
            Some(Inside::Variable(local)) => return Ok(Base::Local(local)),
            Some(Inside::Label(_)) => return Err(other_thing(name, "a label", place)),
            None => {}
        }
        match self.names.get(name) {
            Some(Global::Variable(global)) => Ok(Base::Global(*global)),
            Some(other) => Err(other_thing(name, other.what(), place)),
            None if self.process_names.contains_key(name) => Err(ParseError::new(
                "E1144",
                format!("the proctype `{name}` is declared later"),
                place,
            )
            .label("a reference to a process comes after its declaration")
            .help("move this below the proctype")),
            None => Err(self.undeclared(name, place)),
        }
    }

    fn undeclared(&self, name: &str, place: Place) -> ParseError {
        let local = self.context.iter().flat_map(|context| context.scopes.visible());
        let help = in_promela(name).map(str::to_owned);
        let near = || did_you_mean(name, local.chain(self.names.keys().map(|name| &**name)));
        let help = help.or_else(near);
        let inner = self.context.as_ref().is_some_and(|context| {
            context.process.locals.iter().any(|local| local.variable.name == *name)
        });
        let help = help.unwrap_or_else(|| {
            if inner {
                "it is declared inside braces that are closed here".to_owned()
            } else if self.in_formula {
                "formulas see global variables; for others write `P:x` or `P[1]:x`".to_owned()
            } else {
                "a variable is declared before its use".to_owned()
            }
        });
        ParseError::new("E1140", format!("there is no variable `{name}` here"), place).help(help)
    }

    /// How the variable is declared; `None` for a predefined one.
    fn declared(&self, base: Base) -> Option<&Variable> {
        match base {
            Base::Global(id) => self.model.globals.get(id.index()),
            Base::Local(id) => {
                let local = self.context.as_ref()?.process.locals.get(id.index())?;
                Some(&local.variable)
            }
            _ => None,
        }
    }

    /// A variable, an element or a field.
    pub(super) fn reference(&mut self, wanted: Wanted) -> Read<VarRef> {
        let (name, place) = self.name("a variable")?;
        let base = self.variable_named(&name, place)?;
        let (mut kind, mut length) = match self.declared(base) {
            Some(variable) => (variable.kind, variable.length),
            None if matches!(base, Base::Pid | Base::Processes | Base::Last) => (Type::Pid, None),
            None => (Type::Int, None),
        };
        let index = self.index(&name, place, length, wanted)?.map(Box::new);
        if index.is_some() {
            length = None;
        }
        let mut fields = Vec::new();
        while self.sees(Sign::Dot) {
            self.bump();
            let (field, at) = self.name("a field")?;
            let Type::Struct(id) = kind else {
                let message = format!("`{name}` has no fields");
                return Err(ParseError::new("E1162", message, self.since(place))
                    .label("it is no struct")
                    .help("only a variable of a typedef has fields"));
            };
            if length.is_some() {
                return Err(missing_index(&name, place));
            }
            let (number, found) = self.field(id, &field, at)?;
            (kind, length) = found;
            let index = self.index(&field, at, length, wanted)?;
            if index.is_some() {
                length = None;
            }
            fields.push(FieldRef { field: number, index });
        }
        let place = self.since(place);
        if let (Type::Struct(_), Wanted::Value) = (kind, wanted) {
            return Err(ParseError::new(
                "E1163",
                format!("`{name}` is a struct, not a value"),
                place,
            )
            .label("expected a field of it")
            .help("name one of its fields; structs are not assigned or compared as a whole"));
        }
        Ok(VarRef { base, index, fields, kind, place })
    }

    /// The number of a field, its type and its length.
    fn field(
        &mut self,
        id: TypedefId,
        name: &str,
        place: Place,
    ) -> Read<(usize, (Type, Option<u32>))> {
        let typedef = &self.model.typedefs[id.index()];
        if let Some(at) = typedef.fields.iter().position(|field| field.name == name) {
            return Ok((at, (typedef.fields[at].kind, typedef.fields[at].length)));
        }
        let names = typedef.fields.iter().map(|field| field.name.as_str());
        let help = did_you_mean(name, names.clone())
            .unwrap_or_else(|| format!("it has {}", names.collect::<Vec<_>>().join(", ")));
        let message = format!("`{}` has no field `{name}`", typedef.name);
        Err(ParseError::new("E1148", message, place).help(help))
    }

    /// The index in brackets, if there is one.
    fn index(
        &mut self,
        name: &str,
        place: Place,
        length: Option<u32>,
        wanted: Wanted,
    ) -> Read<Option<Expr>> {
        if !self.sees(Sign::OpenBracket) {
            return match length {
                Some(_) if wanted != Wanted::Whole => Err(missing_index(name, place)),
                _ => Ok(None),
            };
        }
        let open = self.bump();
        let index = self.nested(open.place, Self::value)?;
        self.expect(Sign::CloseBracket)?;
        if length.is_none() {
            return Err(ParseError::new(
                "E1161",
                format!("`{name}` is no array"),
                self.since(place),
            )
            .label("it has no elements")
            .help("remove the index, or declare it with a length"));
        }
        Ok(Some(index))
    }

    /// A channel.
    pub(super) fn channel_reference(&mut self) -> Read<VarRef> {
        let channel = self.reference(Wanted::Message)?;
        self.check_channel(&channel)?;
        Ok(channel)
    }

    pub(super) fn check_channel(&self, channel: &VarRef) -> Read<()> {
        if channel.kind == Type::Chan {
            return Ok(());
        }
        Err(ParseError::new("E1164", "this is no channel", channel.place)
            .label("expected a `chan`")
            .help("messages are sent to and received from variables of type `chan`"))
    }

    /// The struct as its elementary parts, in order. Anything else is itself.
    pub(super) fn spread(&mut self, whole: VarRef, parts: &mut Vec<VarRef>) -> Read<()> {
        let Type::Struct(id) = whole.kind else {
            self.spread += 1;
            if parts.len() >= 255 || self.spread > MAX_TOKENS {
                return Err(too_many_fields(whole.place));
            }
            parts.push(whole);
            return Ok(());
        };
        for field in 0..self.model.typedefs[id.index()].fields.len() {
            let declared = &self.model.typedefs[id.index()].fields[field];
            let (kind, length) = (declared.kind, declared.length);
            if length.is_some() && matches!(kind, Type::Struct(_)) {
                return Err(array_of_structs(whole.place));
            }
            for element in 0..length.unwrap_or(1) {
                let number = || self.number(i32::try_from(element).unwrap_or(0), whole.place);
                let index = length.map(|_| number());
                let mut part = VarRef { kind, ..whole.clone() };
                part.fields.push(FieldRef { field, index });
                self.nested(whole.place, |parser| parser.spread(part, parts))?;
            }
        }
        Ok(())
    }

    /// Parses an argument that is sent as a message or passed to a process: a value, or a struct.
    pub(super) fn message_part(&mut self) -> Read<Expr> {
        let word: Option<Rc<str>> = self.peek().word().map(Into::into);
        let struct_alone = word.is_some_and(|name| self.names_struct(&name));
        if !struct_alone {
            return self.value();
        }
        let variable = self.reference(Wanted::Message)?;
        if matches!(variable.kind, Type::Struct(_)) {
            let place = variable.place;
            return self.make(ExprKind::Variable(variable), place);
        }
        self.value_after(variable)
    }

    fn names_struct(&self, name: &str) -> bool {
        let base = match self.context.as_ref().and_then(|context| context.scopes.find(name)) {
            Some(Inside::Variable(local)) => Base::Local(local),
            Some(Inside::Label(_)) => return false,
            None => match self.names.get(name) {
                Some(Global::Variable(global)) => Base::Global(*global),
                _ => return false,
            },
        };
        self.declared(base).is_some_and(|variable| matches!(variable.kind, Type::Struct(_)))
    }

    /// The channel that a variable is declared with.
    pub(super) fn channel_fields(&self, channel: &VarRef) -> Option<usize> {
        use super::super::ast::Initial;
        let mut variable = self.declared(channel.base)?;
        for step in &channel.fields {
            let Type::Struct(id) = variable.kind else { return None };
            variable = self.model.typedefs[id.index()].fields.get(step.field)?;
        }
        match &variable.initial {
            Initial::Channel(channel) => Some(channel.fields.len()),
            _ => None,
        }
    }
}

fn missing_index(name: &str, place: Place) -> ParseError {
    ParseError::new("E1160", format!("the array `{name}` needs an index"), place)
        .label("which element?")
        .help(format!("write `{name}[i]`"))
}

pub(super) fn other_thing(name: &str, what: &str, place: Place) -> ParseError {
    ParseError::new("E1147", format!("`{name}` is {what}, not a variable"), place)
        .help("declare a variable of another name")
}
