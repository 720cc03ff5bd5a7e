//! The libraries of PAT that are part of the language here: five collections of integers, difference bound
//! matrices, and arithmetic.
//!
//! PAT runs libraries as C#. The ones that come with it have a documented meaning, and this module says which
//! methods they have; `lower/collections.rs` and `lower/methods.rs` say what the methods do. A collection is a
//! global variable. It belongs to the state by its contents: assigning one copies it, and two with the same
//! contents are equal. A [`Class::Set`] is sorted, so that the order in which elements were added does not
//! matter, and so are the keys of a [`Class::HashTable`].

use fairly_source::Span;

use super::syntax::{Expr, Type, VariableId};

/// A kind of collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// `PAT.Lib.List`: a sequence.
    List,
    /// `PAT.Lib.Stack`: last in, first out.
    Stack,
    /// `PAT.Lib.Queue`: first in, first out.
    Queue,
    /// `PAT.Lib.Set`: sorted, without duplicates.
    Set,
    /// `PAT.Lib.HashTable`: integers to integers.
    HashTable,
    /// `PAT.Lib.DBM`: a difference bound matrix, which says what the values of timers can be.
    Dbm,
}

impl Class {
    /// All of them.
    pub const ALL: [Class; 6] =
        [Class::List, Class::Stack, Class::Queue, Class::Set, Class::HashTable, Class::Dbm];

    /// The name in a declaration.
    pub fn name(self) -> &'static str {
        match self {
            Class::List => "List",
            Class::Stack => "Stack",
            Class::Queue => "Queue",
            Class::Set => "Set",
            Class::HashTable => "HashTable",
            Class::Dbm => "DBM",
        }
    }

    /// The class with that name. PAT's `SerializableList` is its `List`, copied in another way.
    pub fn named(name: &str) -> Option<Class> {
        let name = if name == "SerializableList" { "List" } else { name };
        Class::ALL.into_iter().find(|class| class.name() == name)
    }

    /// The names of its integer fields. A list of PAT has a field that means nothing to the list, and a
    /// property that reads and writes that field.
    pub fn fields(self) -> &'static [&'static str] {
        if self == Class::List { &["Field", "Property"] } else { &[] }
    }
}

/// Library that `#import` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Library {
    /// `PAT.Lib.Set` and the like.
    Collection(Class),
    /// `PAT.Math`.
    Math,
}

impl Library {
    /// The library with that name.
    pub fn named(name: &str) -> Option<Library> {
        if name == "PAT.Math" {
            return Some(Library::Math);
        }
        name.strip_prefix("PAT.Lib.").and_then(Class::named).map(Library::Collection)
    }

    /// The name that `#import` gives it.
    pub fn name(self) -> String {
        match self {
            Library::Collection(class) => format!("PAT.Lib.{}", class.name()),
            Library::Math => "PAT.Math".to_owned(),
        }
    }
}

/// Initial contents and capacity of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collection {
    /// Its kind.
    pub class: Class,
    /// How many elements it can hold, or its greatest timer, if a comment `// capacity: N` says so.
    pub capacity: Option<u32>,
    /// The variable for the field of a list, if the text uses that field.
    pub field: Option<VariableId>,
}

/// How many elements a collection that grows can hold beside those it begins with, unless a comment
/// says otherwise.
pub const DEFAULT_CAPACITY: u32 = 32;

/// The largest capacity.
pub const MOST_CAPACITY: u32 = 1024;

/// The greatest timer of a difference bound matrix, unless a comment says otherwise.
pub const DEFAULT_TIMERS: u32 = 4;

/// The largest such number. A matrix has the square of it, and each step may take its third power.
pub const MOST_TIMERS: u32 = 16;

/// A method of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// How many elements there are.
    Count,
    /// Whether there are none.
    IsEmpty,
    /// Removes all elements.
    Clear,
    /// Whether a value is an element, or a key of a table.
    Contains,
    /// Appends to a list; puts into a set, or a key with a value into a table, unless it is there.
    Add,
    /// Takes away a value: the first of a list, an element of a set, a key of a table.
    Remove,
    /// Takes away the element at an index.
    RemoveAt,
    /// The element at an index.
    Get,
    /// The first element.
    First,
    /// The last element; of a stack, the one that comes next.
    Last,
    /// Appends.
    Append,
    /// Takes away the first element, and gives it.
    TakeFirst,
    /// Takes away the last element, and gives it.
    TakeLast,
    /// The value of a key.
    GetValue,
    /// Whether two sets have a common element.
    IsOverlapping,
    /// Whether two sets have none.
    IsDisjoint,
    /// Keeps the elements whose bits are set in a number.
    KeepByIndex,
    /// A copy.
    Clone,
    /// One after the other.
    Concat,
    /// The elements of either.
    Union,
    /// The elements of both.
    Intersect,
    /// The elements of the first that are not in the second.
    Subtract,
    /// A method of a difference bound matrix, which is a program of its own: see `lower/dbm.csp`.
    Program,
    /// A matrix with only some of its timers.
    KeepTimers,
}

/// Kind of a parameter of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// An integer.
    Value,
    /// A collection of the same class.
    Object,
    /// Some timers: `s.GetSubsetByIndex(n)` of a set, or an array.
    Timers,
}

/// Result of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// Nothing.
    Nothing,
    /// An integer.
    Int,
    /// A truth value.
    Bool,
    /// A collection of the same class.
    Object,
}

impl Gives {
    /// The type of a call, if it is a single value.
    pub fn ty(self) -> Option<Type> {
        match self {
            Gives::Int => Some(Type::Int),
            Gives::Bool => Some(Type::Bool),
            Gives::Nothing | Gives::Object => None,
        }
    }
}

/// A method as it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its name.
    pub name: &'static str,
    /// The effect.
    pub method: Method,
    /// The parameters.
    pub parameters: &'static [Parameter],
    /// The result.
    pub gives: Gives,
    /// Whether it changes the collection, so that only programs can call it.
    pub changes: bool,
}

const NONE: &[Parameter] = &[];
const VALUE: &[Parameter] = &[Parameter::Value];
const TWO_VALUES: &[Parameter] = &[Parameter::Value, Parameter::Value];
const THREE_VALUES: &[Parameter] = &[Parameter::Value, Parameter::Value, Parameter::Value];
const OBJECT: &[Parameter] = &[Parameter::Object];
const TWO_OBJECTS: &[Parameter] = &[Parameter::Object, Parameter::Object];

const fn asks(
    name: &'static str,
    method: Method,
    parameters: &'static [Parameter],
    gives: Gives,
) -> Signature {
    Signature { name, method, parameters, gives, changes: false }
}

const fn changes(
    name: &'static str,
    method: Method,
    parameters: &'static [Parameter],
    gives: Gives,
) -> Signature {
    Signature { name, method, parameters, gives, changes: true }
}

/// Methods of every class.
const COMMON: &[Signature] = &[
    asks("Count", Method::Count, NONE, Gives::Int),
    asks("IsEmpty", Method::IsEmpty, NONE, Gives::Bool),
    changes("Clear", Method::Clear, NONE, Gives::Nothing),
    asks("GetClone", Method::Clone, NONE, Gives::Object),
];

const LIST: &[Signature] = &[
    changes("Add", Method::Append, VALUE, Gives::Nothing),
    asks("Get", Method::Get, VALUE, Gives::Int),
    asks("Contains", Method::Contains, VALUE, Gives::Bool),
    changes("Remove", Method::Remove, VALUE, Gives::Nothing),
    changes("RemoveAt", Method::RemoveAt, VALUE, Gives::Nothing),
    asks("Concat", Method::Concat, TWO_OBJECTS, Gives::Object),
];

const STACK: &[Signature] = &[
    changes("Push", Method::Append, VALUE, Gives::Nothing),
    changes("Pop", Method::TakeLast, NONE, Gives::Int),
    asks("Peek", Method::Last, NONE, Gives::Int),
    asks("Contains", Method::Contains, VALUE, Gives::Bool),
];

const QUEUE: &[Signature] = &[
    changes("Enqueue", Method::Append, VALUE, Gives::Nothing),
    // In some versions of PAT it gives nothing.
    changes("Dequeue", Method::TakeFirst, NONE, Gives::Int),
    asks("First", Method::First, NONE, Gives::Int),
    asks("Last", Method::Last, NONE, Gives::Int),
    asks("Contains", Method::Contains, VALUE, Gives::Bool),
    asks("Concat", Method::Concat, TWO_OBJECTS, Gives::Object),
];

const SET: &[Signature] = &[
    changes("Add", Method::Add, VALUE, Gives::Bool),
    changes("Remove", Method::Remove, VALUE, Gives::Bool),
    asks("Contains", Method::Contains, VALUE, Gives::Bool),
    asks("Get", Method::Get, VALUE, Gives::Int),
    asks("Union", Method::Union, TWO_OBJECTS, Gives::Object),
    asks("Intersect", Method::Intersect, TWO_OBJECTS, Gives::Object),
    asks("Substract", Method::Subtract, TWO_OBJECTS, Gives::Object),
    asks("IsOverlapping", Method::IsOverlapping, OBJECT, Gives::Bool),
    asks("IsDisjoint", Method::IsDisjoint, OBJECT, Gives::Bool),
    changes("GetSubsetByIndex", Method::KeepByIndex, VALUE, Gives::Nothing),
];

const TABLE: &[Signature] = &[
    changes("Add", Method::Add, TWO_VALUES, Gives::Nothing),
    asks("ContainsKey", Method::Contains, VALUE, Gives::Bool),
    asks("GetValue", Method::GetValue, VALUE, Gives::Int),
    changes("Remove", Method::Remove, VALUE, Gives::Nothing),
];

// Methods that take a program to compute can only be called in one.
const DBM: &[Signature] = &[
    asks("GetTimerCount", Method::Count, NONE, Gives::Int),
    changes("GetNewTimerID", Method::Program, NONE, Gives::Int),
    changes("AddTimer", Method::Program, VALUE, Gives::Nothing),
    changes("ResetTimer", Method::Program, VALUE, Gives::Nothing),
    changes("AddConstraint", Method::Program, THREE_VALUES, Gives::Nothing),
    changes("Implies", Method::Program, THREE_VALUES, Gives::Bool),
    changes("Delay", Method::Program, NONE, Gives::Nothing),
    changes("IsConstraintNotSatisfied", Method::Program, NONE, Gives::Bool),
    changes("IsTimersBounded", Method::Program, VALUE, Gives::Bool),
    changes("IsSubSetOf", Method::Program, OBJECT, Gives::Bool),
    changes("Conjunction", Method::Program, OBJECT, Gives::Nothing),
    changes("KeepTimers", Method::KeepTimers, &[Parameter::Timers], Gives::Object),
    asks("Clone", Method::Clone, NONE, Gives::Object),
    asks("GetClone", Method::Clone, NONE, Gives::Object),
];

impl Class {
    /// Its methods.
    pub fn methods(self) -> impl Iterator<Item = &'static Signature> {
        let own = match self {
            Class::List => LIST,
            Class::Stack => STACK,
            Class::Queue => QUEUE,
            Class::Set => SET,
            Class::HashTable => TABLE,
            Class::Dbm => return DBM.iter().chain(&[]),
        };
        own.iter().chain(COMMON)
    }

    /// The method with that name.
    pub fn method(self, name: &str) -> Option<&'static Signature> {
        self.methods().find(|method| method.name == name)
    }

    /// Whether elements, or keys, are kept in order.
    pub fn is_sorted(self) -> bool {
        matches!(self, Class::Set | Class::HashTable)
    }
}

/// A call of a method that gives a value or changes its collection.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodCall {
    /// The collection.
    pub object: VariableId,
    /// The method; one that gives a collection only in [`ObjectValue::Kept`].
    pub signature: &'static Signature,
    /// The integers it takes.
    pub arguments: Vec<Expr>,
    /// The collection it takes, if it takes one.
    pub other: Option<VariableId>,
    /// All of it.
    pub span: Span,
}

/// A collection as a value, to be assigned.
#[derive(Clone, Debug, PartialEq)]
pub enum ObjectValue {
    /// `new List()`, `new List([1, x])`: these elements. Only a list has any. `new DBM(c)`: the ceiling.
    New(Class, Vec<Expr>),
    /// The contents of another one.
    Copy(VariableId),
    /// `a.Union(a, b)`. The object of the call does not matter.
    Combined(&'static Signature, VariableId, VariableId),
    /// `d.KeepTimers(s.GetSubsetByIndex(n))`: the call, of which the other collection is the set, and `n` the
    /// argument. Without a set, the arguments are the timers.
    Kept(Box<MethodCall>),
}

/// A function of `PAT.Math`. PAT offers those of .NET's `System.Math` that give an integer or a
/// floating-point number; the latter is rounded to the nearest integer, and to the even one if two are
/// as near.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MathFunction {
    /// `Abs(x)`.
    Abs,
    /// `Max(x, y)`.
    Max,
    /// `Min(x, y)`.
    Min,
    /// `Pow(x, y)`.
    Pow,
    /// `Sqrt(x)`.
    Sqrt,
    /// `Sign(x)`: -1, 0 or 1.
    Sign,
    /// `Round(x)`, `Floor(x)`, `Ceiling(x)`, `Truncate(x)`: x, which is an integer.
    Same,
}

impl MathFunction {
    /// Names, functions and how many arguments they take.
    pub const ALL: [(&'static str, MathFunction, usize); 10] = [
        ("Abs", MathFunction::Abs, 1),
        ("Max", MathFunction::Max, 2),
        ("Min", MathFunction::Min, 2),
        ("Pow", MathFunction::Pow, 2),
        ("Sqrt", MathFunction::Sqrt, 1),
        ("Sign", MathFunction::Sign, 1),
        ("Round", MathFunction::Same, 1),
        ("Floor", MathFunction::Same, 1),
        ("Ceiling", MathFunction::Same, 1),
        ("Truncate", MathFunction::Same, 1),
    ];
}
