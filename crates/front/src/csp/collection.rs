//! Collections: `#import`, `var<Set> s = new Set();`, `s.Add(1)`. What there is, is in `library.rs`.

use fairly_source::{Diagnostic, Span};

use super::codes;
use super::expression::{Deep, Level, are, constant, count};
use super::lexer::Kind;
use super::library::{
    Class, Collection, DEFAULT_CAPACITY, Gives, Library, MOST_CAPACITY, MOST_TIMERS, Method,
    MethodCall, ObjectValue, Parameter, Signature,
};
use super::names::Global;
use super::parser::{ParseError, Parsed, Parser};
use super::syntax::{
    Expr, ExprKind, Name, Place, PlaceKind, StatementKind, Type, UnaryOperator, Value, Variable,
    VariableId,
};
use fairly_source::suggest::near;

/// A collection and its kind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Object {
    id: VariableId,
    class: Class,
}

/// The arguments of a method.
#[derive(Default)]
struct Arguments {
    values: Vec<Expr>,
    objects: Vec<VariableId>,
    depth: usize,
    count: usize,
    /// Whether one of them could not be read.
    wrong: bool,
}

impl Parser<'_> {
    /// `#import "PAT.Lib.Set"`, at the `#`.
    pub(super) fn import(&mut self, span: Span) {
        let place = match self.kind_at(self.at + 2) {
            Some(Kind::Text) => self.tokens[self.at + 2].span,
            _ => span,
        };
        let name = self.slice(place).trim_matches('"').trim();
        if let Some(library) = Library::named(name) {
            if !self.spec.imports.contains(&library) {
                self.spec.imports.push(library);
            }
            return;
        }
        let known = Class::ALL.map(|class| Library::Collection(class).name());
        let names = known.iter().map(String::as_str).chain(["PAT.Math"]);
        let help = match near(name, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                "Fairly runs no C#; it has PAT's own List, Stack, Queue, Set, HashTable, DBM and \
                     PAT.Math. Write other methods as programs on variables, arrays and these \
                     collections"
                    .to_owned()
            }
        };
        self.refuse(codes::IMPORT, "a model that needs a C# library", place, &help);
    }

    /// `var<Set> s = new Set();`, at the `<`.
    pub(super) fn collection(&mut self, hidden: bool) -> Parsed<()> {
        let (start, declared) = (self.span(), self.at.saturating_sub(1));
        self.at += 1;
        let class_at = self.span();
        if !matches!(self.kind(), Some(Kind::Name)) {
            return Err(self.unexpected("a class of a library"));
        }
        self.at += 1;
        self.expect(">")?;
        let name = self.name("a variable")?;
        let key = self.slice(name.span);
        let first = self.names.declared(key) == Some(name.span);
        if first {
            self.names.settle(key, Global::Broken);
        }
        let span = start.to(class_at);
        let class = self.class(class_at, span)?;
        if self.sees("[") {
            return Err(self.refuse(
                codes::TYPE,
                "an array of collections",
                name.span,
                "declare a variable for each of them",
            ));
        }
        let mut initial = Vec::new();
        if self.takes("=") {
            let at = self.span();
            if !self.sees_word("new") {
                return Err(self.unexpected(&format!("`new {}()`", class.name())));
            }
            let value = self.object_value(class)?;
            if let Some(ObjectValue::New(_, elements)) = value {
                for element in &elements {
                    match self.first_value(element) {
                        Some(Value::Int(value)) => initial.push(Value::Int(value)),
                        _ => return Err(ParseError),
                    }
                }
            }
            let span = self.since(at);
            if initial.len() > MOST_CAPACITY as usize {
                return Err(self.capacity_is_wrong(MOST_CAPACITY, span));
            }
        }
        self.end_of_item()?;
        let is_matrix = class == Class::Dbm;
        let most = if is_matrix { MOST_TIMERS } else { MOST_CAPACITY };
        let capacity = self.capacity_of(self.tokens[declared].span.start, most)?;
        let room = match is_matrix {
            true => (MOST_TIMERS as usize + 1).pow(2),
            false => capacity.unwrap_or(DEFAULT_CAPACITY) as usize + initial.len(),
        };
        self.not_too_many(room, name.span)?;
        self.elements += room;
        if first {
            let id = VariableId::from_index(self.spec.variables.len());
            self.names.settle(key, Global::Variable(id));
            let field = self.field_of(class, &name);
            let next = VariableId::from_index(id.index() + 1);
            let collection = Collection { class, capacity, field: field.as_ref().map(|_| next) };
            let variable = |name, initial, collection| Variable {
                name,
                hidden,
                dimensions: Vec::new(),
                bounds: None,
                ty: Type::Int,
                initial,
                collection,
            };
            self.spec.variables.push(variable(name, initial, Some(collection)));
            let field = field.map(|name| variable(name, vec![Value::Int(0)], None));
            self.spec.variables.extend(field);
        }
        Ok(())
    }

    /// The name of the variable for the field of a collection, if the class has one and the text uses it.
    fn field_of(&mut self, class: Class, name: &Name) -> Option<Name> {
        let first = class.fields().first()?;
        if self.with_fields.is_none() {
            let before = self.tokens.windows(2).filter(|pair| pair[1].kind == Kind::Sign("$"));
            self.with_fields = Some(before.map(|pair| self.slice(pair[0].span)).collect());
        }
        let used = self.with_fields.as_ref().is_some_and(|it| it.contains(name.text.as_str()));
        used.then(|| Name { text: format!("{}${first}", name.text), span: name.span })
    }

    /// The variable for `$Field` after the name of a collection, at the `$`.
    fn field(&mut self, object: Object, start: Span) -> Parsed<VariableId> {
        let place = self.tokens[(self.at + 1).min(self.end - 1)].span;
        let name = self.word_at(self.at + 1);
        let field = self.spec.variables[object.id.index()].collection.and_then(|it| it.field);
        match field {
            Some(field) if object.class.fields().contains(&name) => {
                self.at += 2;
                Ok(field)
            }
            // PAT's other classes have no fields that a model can use.
            None => {
                self.refuse_member(start)?;
                Err(ParseError)
            }
            Some(_) => Err(self.stop(
                Diagnostic::error(
                    codes::METHOD,
                    format!("a {} has no field `{name}`", object.class.name()),
                    place,
                )
                .label("unknown")
                .help(format!("there are {}", object.class.fields().join(", "))),
            )),
        }
    }

    /// Initial value of an element: a constant, or an element of an array that is declared above.
    fn first_value(&mut self, element: &Expr) -> Option<Value> {
        if let ExprKind::Element(id, indices) = &element.kind
            && let [index] = &indices[..]
            && let Some(Value::Int(index)) = constant(index)
        {
            let at = usize::try_from(index).ok()?;
            return self.spec.variables[id.index()].initial.get(at).copied();
        }
        self.known(element, "an initial value")
    }

    /// The class whose name stands at `at`, if its library is imported.
    fn class(&mut self, at: Span, span: Span) -> Parsed<Class> {
        let name = self.slice(at);
        let Some(class) = Class::named(name) else {
            let help = match near(name, Class::ALL.map(Class::name)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => {
                    "there are List, Stack, Queue, Set, HashTable and DBM; model other data with \
                         variables and arrays"
                        .to_owned()
                }
            };
            return Err(self.refuse(codes::TYPE, "a variable of a C# type", span, &help));
        };
        let library = Library::Collection(class);
        if !self.spec.imports.contains(&library) {
            return Err(self.stop(
                Diagnostic::error(codes::TYPE, format!("`{name}` is not imported"), span)
                    .label("a class of a library")
                    .help(format!("write `#import \"{}\";` above", library.name())),
            ));
        }
        Ok(class)
    }

    /// The capacity that a comment beside or directly above the declaration gives, which starts at
    /// `start` and has just been read.
    fn capacity_of(&mut self, start: usize, most: u32) -> Parsed<Option<u32>> {
        let (text, end) = (self.text, self.previous().end);
        let beside = |at: usize| at >= end && !text[end..at].contains('\n');
        // On a line of its own: at the end of a line it belongs to what stands before it.
        let is_alone = |at: usize| {
            let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
            text[line..at].trim_start().starts_with("//")
        };
        let above = |at: usize| {
            let between = if at < start { &text[at..start] } else { "" };
            let (_, rest) = between.split_once('\n').unwrap_or(("", "…"));
            rest.trim().is_empty() && !rest.contains('\n') && is_alone(at)
        };
        let found = self.capacities.iter().find(|remark| beside(remark.span.start));
        let found = found.or_else(|| self.capacities.iter().find(|it| above(it.span.start)));
        let Some(remark) = found else { return Ok(None) };
        let digits = remark.text.find(|c: char| !c.is_ascii_digit()).unwrap_or(remark.text.len());
        if digits == 0 {
            // A comment like any other.
            return Ok(None);
        }
        let span = Span::new(remark.span.start, remark.span.start + digits);
        match remark.text[..digits].parse() {
            Ok(capacity) if (1..=most).contains(&capacity) => Ok(Some(capacity)),
            _ => {
                // The collection exists all the same, so that its uses are not errors as well.
                self.capacity_is_wrong(most, span);
                Ok(None)
            }
        }
    }

    fn capacity_is_wrong(&mut self, most: u32, span: Span) -> ParseError {
        self.stop(
            Diagnostic::error(codes::CAPACITY, "a collection cannot have this capacity", span)
                .label(format!("expected 1 to {most}"))
                .help("every state has room for all elements; use a smaller collection"),
        )
    }

    /// The collection that a name stands for.
    pub(super) fn as_collection(&self, global: Global) -> Option<Object> {
        let Global::Variable(id) = global else { return None };
        let class = self.spec.variables[id.index()].collection?.class;
        Some(Object { id, class })
    }

    /// The collection whose name is the next token.
    pub(super) fn collection_here(&self) -> Option<Object> {
        let name = match self.kind() {
            Some(Kind::Name) => self.word_at(self.at),
            _ => return None,
        };
        if self.local(name).is_some() {
            return None;
        }
        self.global(name).and_then(|global| self.as_collection(global))
    }

    /// Parses the rest of an expression behind the name of a collection.
    pub(super) fn collection_operand(&mut self, object: Object, start: Span) -> Parsed<Deep> {
        let name = self.slice(start);
        if self.sees(".") && matches!(self.kind_at(self.at + 1), Some(Kind::Name)) {
            let Some((call, depth)) = self.method_call(object, start)? else {
                return Ok(Deep::stand_in(self.since(start)));
            };
            let span = call.span;
            let Some(ty) = call.signature.gives.ty() else {
                self.note(
                    Diagnostic::error(
                        codes::OBJECT,
                        format!("`{}` gives no single value", call.signature.name),
                        span,
                    )
                    .label(match call.signature.gives {
                        Gives::Object => "a collection",
                        _ => "nothing",
                    })
                    .help(match call.signature.gives {
                        Gives::Object => "assign it to a variable, and ask that one",
                        _ => "call it as a statement of its own",
                    }),
                );
                return Ok(Deep::stand_in(span));
            };
            if call.signature.changes && !self.in_program {
                let method = call.signature.name;
                self.note(
                    Diagnostic::error(
                        codes::CHANGES,
                        format!("`{method}` changes `{name}` where nothing can change"),
                        span,
                    )
                    .label("not in a program")
                    .help(format!(
                        "call it in the program of an event, `e{{{name}.{method}(…);}} -> …`"
                    )),
                );
                return Ok(Deep::stand_in(span));
            }
            return self.above(depth, ExprKind::Method(Box::new(call)), ty, span);
        }
        if self.sees("$") {
            let field = self.field(object, start)?;
            let span = self.since(start);
            return Ok(Deep::leaf(ExprKind::Variable(field), Type::Int, span));
        }
        let equal = self.sees("==");
        if equal || self.sees("!=") {
            self.at += 1;
            if let Some(other) = self.collection_here()
                && self.sign_at(self.at + 1) != "."
            {
                let place = self.span();
                self.at += 1;
                self.same_class(object.class, other, place);
                let span = self.since(start);
                let same = ExprKind::SameContents(object.id, other.id);
                let same = self.above(1, same, Type::Bool, span)?;
                if equal {
                    return Ok(same);
                }
                let kind = ExprKind::Unary(UnaryOperator::Not, Box::new(same.expr));
                return self.above(same.depth, kind, Type::Bool, span);
            }
            self.at -= 1;
        }
        self.note(
            Diagnostic::error(
                codes::OBJECT,
                format!("the collection `{name}` stands where a single value should"),
                start,
            )
            .label(format!("a {}", object.class.name()))
            .help(format!(
                "ask it for something, for example `{name}.Count()`; collections are not passed \
                 to processes or through channels"
            )),
        );
        Ok(Deep::stand_in(start))
    }

    /// Notes that a collection is of another class.
    fn same_class(&mut self, class: Class, other: Object, span: Span) {
        if other.class != class {
            let name = self.slice(span);
            self.note(
                Diagnostic::error(
                    codes::OBJECT,
                    format!("`{name}` is a {}, not a {}", other.class.name(), class.name()),
                    span,
                )
                .label(format!("expected a {}", class.name()))
                .help("only collections of one class are combined, compared and assigned"),
            );
        }
    }

    /// `.Add(1)` after the name of a collection; nothing if there is no such call.
    fn method_call(&mut self, object: Object, start: Span) -> Parsed<Option<(MethodCall, usize)>> {
        let Some((signature, arguments)) = self.method(object.class)? else { return Ok(None) };
        let span = self.since(start);
        let Arguments { values, objects, depth, .. } = arguments;
        let other = objects.first().copied();
        let call = MethodCall { object: object.id, signature, arguments: values, other, span };
        Ok(Some((call, depth.max(1))))
    }

    /// A method and its arguments, from the dot on.
    fn method(&mut self, class: Class) -> Parsed<Option<(&'static Signature, Arguments)>> {
        self.at += 1;
        let place = self.span();
        let name = self.slice(place);
        self.at += 1;
        let Some(signature) = class.method(name) else {
            let wrong = Diagnostic::error(
                codes::METHOD,
                format!("a {} has no method `{name}`", class.name()),
                place,
            )
            .label("unknown");
            let names: Vec<&str> = class.methods().map(|method| method.name).collect();
            let help = match near(name, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", names.join(", ")),
            };
            self.note(wrong.help(help));
            if self.sees("(") {
                self.at = self.partners[self.at] + 1;
            }
            return Ok(None);
        };
        if !self.sees("(") {
            return Err(self.unexpected("`(`"));
        }
        let read = self.bracketed("(", |parser| parser.method_arguments(class, signature))?;
        let Some(arguments) = read else { return Ok(None) };
        let wanted = signature.parameters.len();
        if arguments.count != wanted {
            let span = self.since(place);
            self.note(
                Diagnostic::error(
                    codes::ARGUMENTS,
                    format!(
                        "`{name}` takes {} and {} given",
                        count(wanted, "argument"),
                        are(arguments.count, "argument", "arguments"),
                    ),
                    span,
                )
                .label(format!("expected {}", count(wanted, "argument")))
                .help("look at the table of methods in the documentation of CSP#"),
            );
            return Ok(None);
        }
        Ok((!arguments.wrong).then_some((signature, arguments)))
    }

    fn method_arguments(&mut self, class: Class, signature: &Signature) -> Parsed<Arguments> {
        let mut read = Arguments::default();
        while self.at < self.end {
            match signature.parameters.get(read.count) {
                Some(Parameter::Object) => match self.object_argument(class)? {
                    Some(object) => read.objects.push(object),
                    None => read.wrong = true,
                },
                Some(Parameter::Timers) => self.timers(&mut read)?,
                _ => {
                    let value = self.nested(|parser| parser.binary(Level::Or))?;
                    self.want(&value.expr, Type::Int);
                    read.depth = read.depth.max(value.depth);
                    read.values.push(value.expr);
                }
            }
            read.count += 1;
            if self.at < self.end {
                self.expect(",")?;
                if self.at == self.end {
                    return Err(self.unexpected("an argument"));
                }
            }
        }
        Ok(read)
    }

    /// Some timers: `s.GetSubsetByIndex(n)`, or an array.
    fn timers(&mut self, read: &mut Arguments) -> Parsed<()> {
        let set = self.collection_here().filter(|object| object.class == Class::Set);
        let Some(set) = set.filter(|_| self.word_at(self.at + 2) == "GetSubsetByIndex") else {
            read.values = self.contents()?;
            return Ok(());
        };
        self.at += 1;
        match self.method(Class::Set)? {
            Some((_, arguments)) => {
                read.objects.push(set.id);
                *read = Arguments { objects: std::mem::take(&mut read.objects), ..arguments };
                read.count = 0;
            }
            None => read.wrong = true,
        }
        Ok(())
    }

    /// The name of a collection; nothing if it is of another class.
    fn object_argument(&mut self, class: Class) -> Parsed<Option<VariableId>> {
        let place = self.span();
        let after = self.sign_at(self.at + 1);
        if let Some(object) = self.collection_here()
            && after != "."
        {
            self.at += 1;
            self.same_class(class, object, place);
            return Ok((object.class == class).then_some(object.id));
        }
        Err(self.stop(
            Diagnostic::error(codes::OBJECT, "the name of a collection should stand here", place)
                .label(format!("expected a {}", class.name()))
                .help("assign what is computed to a variable first, and name that one"),
        ))
    }

    /// `s.Add(1);`, `s = new Set();`
    pub(super) fn collection_statement(&mut self, object: Object) -> Parsed<StatementKind> {
        let start = self.span();
        self.at += 1;
        if self.takes("=") {
            let value = self.object_value(object.class)?;
            self.end_of_statement()?;
            // The error in it has been noted, and the tree is not used.
            let Some(value) = value else { return Ok(StatementKind::Block(Vec::new())) };
            return Ok(StatementKind::Replace { target: object.id, value });
        }
        if self.sees(".") && matches!(self.kind_at(self.at + 1), Some(Kind::Name)) {
            let call = self.method_call(object, start)?;
            self.end_of_statement()?;
            let Some((call, depth)) = call else { return Ok(StatementKind::Block(Vec::new())) };
            self.deepest = self.deepest.max(depth);
            return Ok(match (call.signature.gives, call.other) {
                // The new collection is thrown away; the set of `d.KeepTimers(s.GetSubsetByIndex(n))` changes.
                (Gives::Object, Some(set)) if call.signature.method == Method::KeepTimers => {
                    let signature = Class::Set.method("GetSubsetByIndex").unwrap_or(call.signature);
                    StatementKind::Method(MethodCall {
                        object: set,
                        signature,
                        other: None,
                        ..call
                    })
                }
                (Gives::Object, _) => StatementKind::Block(Vec::new()),
                _ => StatementKind::Method(call),
            });
        }
        if self.sees("$") {
            let field = self.field(object, start)?;
            let place = Place { kind: PlaceKind::Variable(field), span: self.since(start) };
            return self.assigned(Some(place), start);
        }
        // Reading it as a value says what is wrong.
        self.at -= 1;
        self.expression()?;
        let span = self.since(start);
        Err(self.changes_nothing(span))
    }

    /// Parses a value that can be assigned to a collection; `None` if there is an error in it.
    fn object_value(&mut self, class: Class) -> Parsed<Option<ObjectValue>> {
        let start = self.span();
        if self.takes_word("new") {
            return self.new_object(class);
        }
        if let Some(object) = self.collection_here() {
            self.at += 1;
            if !self.sees(".") {
                self.same_class(class, object, start);
                return Ok(Some(ObjectValue::Copy(object.id)));
            }
            return self.combined(object.class, Some(object), class, start);
        }
        // `Set.Union(a, b)`.
        if let Some(named) = Class::named(self.word_at(self.at))
            && self.sign_at(self.at + 1) == "."
        {
            self.at += 1;
            return self.combined(named, None, class, start);
        }
        Err(self.stop(
            Diagnostic::error(codes::OBJECT, "a collection should stand here", start)
                .label(format!("expected a {}", class.name()))
                .help(format!("write `new {}()`, or the name of another one", class.name())),
        ))
    }

    /// `.Union(a, b)` after an object or the name of a class.
    fn combined(
        &mut self,
        class: Class,
        object: Option<Object>,
        wanted: Class,
        start: Span,
    ) -> Parsed<Option<ObjectValue>> {
        if !matches!(self.kind_at(self.at + 1), Some(Kind::Name)) {
            return Err(self.unexpected("a method"));
        }
        let Some((signature, arguments)) = self.method(class)? else { return Ok(None) };
        let span = self.since(start);
        if class != wanted || signature.gives != Gives::Object {
            self.note(
                Diagnostic::error(codes::OBJECT, "a collection should stand here", span)
                    .label(format!("expected a {}", wanted.name()))
                    .help("only a collection of the same class can be assigned to one"),
            );
            return Ok(None);
        }
        Ok(match (signature.method, object, &arguments.objects[..]) {
            (Method::Clone, Some(object), _) => Some(ObjectValue::Copy(object.id)),
            (Method::KeepTimers, Some(object), others) => {
                let other = others.first().copied();
                let arguments = arguments.values;
                let call = MethodCall { object: object.id, signature, arguments, other, span };
                Some(ObjectValue::Kept(Box::new(call)))
            }
            (_, _, &[one, other]) => Some(ObjectValue::Combined(signature, one, other)),
            _ => return Err(self.unexpected("an object")),
        })
    }

    /// `List([1, 2])`, after `new`.
    fn new_object(&mut self, wanted: Class) -> Parsed<Option<ObjectValue>> {
        let place = self.span();
        if !matches!(self.kind(), Some(Kind::Name)) {
            return Err(self.unexpected("a class of a library"));
        }
        self.at += 1;
        let class = self.class(place, place)?;
        if class != wanted {
            self.note(
                Diagnostic::error(
                    codes::OBJECT,
                    format!("a {} cannot be a {}", wanted.name(), class.name()),
                    place,
                )
                .label(format!("expected `{}`", wanted.name()))
                .help("an object is assigned to variables of its own class"),
            );
        }
        if !self.sees("(") {
            return Err(self.unexpected("`(`"));
        }
        let elements = self.bracketed("(", |parser| {
            if parser.at == parser.end {
                return Ok(Vec::new());
            }
            match class {
                Class::List => parser.contents(),
                Class::Dbm => {
                    let ceiling = parser.expression()?;
                    parser.want(&ceiling, Type::Int);
                    Ok(vec![ceiling])
                }
                _ => Err(parser.unexpected("`)`")),
            }
        })?;
        Ok(elements.map(|elements| ObjectValue::New(class, elements)))
    }

    /// Parses the contents of a list: `[1, x]`, or an array.
    fn contents(&mut self) -> Parsed<Vec<Expr>> {
        let place = self.span();
        if self.sees("[") {
            let read = self.bracketed("[", |parser| {
                let mut elements = Vec::new();
                while parser.at < parser.end {
                    let element = parser.expression()?;
                    parser.want(&element, Type::Int);
                    elements.push(element);
                    if parser.at < parser.end {
                        parser.expect(",")?;
                    }
                }
                Ok(elements)
            })?;
            return read.ok_or(ParseError);
        }
        let name = match self.kind() {
            Some(Kind::Name) => self.word_at(self.at),
            _ => return Err(self.unexpected("`[…]` or the name of an array")),
        };
        if self.local(name).is_none()
            && let Some(Global::Variable(id)) = self.global(name)
            && let variable = &self.spec.variables[id.index()]
            && let [size] = variable.dimensions[..]
            && variable.ty == Type::Int
        {
            self.at += 1;
            if size > MOST_CAPACITY {
                return Err(self.capacity_is_wrong(MOST_CAPACITY, place));
            }
            let element = |at: u32| {
                let at = i32::try_from(at).unwrap_or(i32::MAX);
                let index = Expr { kind: ExprKind::Int(at), ty: Type::Int, span: place };
                Expr { kind: ExprKind::Element(id, vec![index]), ty: Type::Int, span: place }
            };
            return Ok((0..size).map(element).collect());
        }
        Err(self.unexpected("`[…]` or the name of an array"))
    }
}
