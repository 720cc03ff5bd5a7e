//! Help for those who know other languages.

/// A line of help for a word of another language, in which the same is said otherwise.
pub(super) fn in_promela(word: &str) -> Option<&'static str> {
    Some(match word {
        "while" => "write a loop as `do :: condition -> … :: else -> break od`",
        "switch" | "case" | "elif" | "elseif" | "elsif" => {
            "write a choice as `if :: condition -> … :: other -> … :: else -> … fi`"
        }
        "boolean" | "Bool" | "Boolean" => "the type is called `bool`",
        "char" | "uint8" | "uint8_t" | "uint" => "use `byte`, 0 to 255",
        "long" | "integer" | "Integer" | "uint32_t" | "int32_t" => "use `int`, which has 32 bits",
        "float" | "double" | "real" => "there are only integers; count in small units",
        "string" | "String" => "there are no strings; use the constants of an `mtype`",
        "const" | "constexpr" | "final" => "write a constant as `#define NAME value`",
        "void" | "function" | "def" | "procedure" => {
            "write a process as `proctype P() { … }`, and a part of one as `inline f() { … }`"
        }
        "continue" => "jump to a label at the start of the loop with `goto`",
        "enum" => "write `mtype = { first, second }`",
        "struct" => "write `typedef Name { … }`",
        "null" | "NULL" | "nil" => "use a number that means nothing else, such as 0 or 255",
        "True" | "TRUE" => "write `true`",
        "False" | "FALSE" => "write `false`",
        "and" | "AND" => "write `&&`",
        "or" | "OR" => "write `||`",
        _ => return None,
    })
}
