//! Models as text, to be read by a person and kept in a file: `.fir`.
//!
//! [`print()`] shows a model, [`parse`] reads it back, and what is read back is the model that was
//! shown, with every span and name. Neither asks whether the model makes sense: that is
//! [`verify()`](crate::verify()). To *write* models, a modelling language is the better choice.
//!
//! ```
//! use fairly_model::{text, verify};
//! let model = text::parse("
//! model atomicity priority, exit any
//!
//! event e0 idle : idle
//! event e1 enter : visible
//! event e2 leave : visible
//! variable g0 busy : 0..1 = 0
//!
//! template t0 User parameters 1 {
//!   local l0 number : 0..3 = 0
//!   location q0 outside ends {
//!     -> q1 if g0 == 0 && l0 < 2 on e1 sf do { g0 := 1 } as enter
//!   }
//!   location q1 inside {
//!     -> q0 on e2 do { g0 := 0 @40..47 } as leave @30..55
//!   }
//! }
//!
//! slot p0 User.0 : t0 start t0(0)
//! slot p1 User.1 : t0 start t0(1)
//! proposition both : t0[0].{q1} && t0[1].{q1}
//! ").unwrap();
//! assert!(verify(&model).is_ok());
//! assert_eq!(text::parse(&text::print(&model)).unwrap(), model);
//! ```
//!
//! # The grammar
//!
//! Line ends mean as much as blanks; only where something is wrong does reading go on at the next
//! line. `#` starts a comment that runs to the end of the line. Items come in any order, and each
//! carries its id, which is its position among those of its kind.
//!
//! ```text
//! text        = "model" "atomicity" ( "priority" | "exclusive" )
//!               "," "exit" ( "any" | "last_first" ) { item }
//! item        = "event" e# name ":" ( "idle" | "visible" | "internal" | "termination" )
//!             | "gather" e# ":" gathering
//!             | "variable" g# variable
//!             | "channel" c# name [ "lose" ] [ "of" p# t# ] "capacity" number
//!               ":" "(" [ range { "," range } ] ")" [ "shown" "(" [ kind { "," kind } ] ")" ] [ span ]
//!             | "template" t# name "parameters" number [ span ] "{" { member } "}"
//!             | "slot" p# name ":" [ t# { "," t# } ] [ "start" t# "(" numbers ")" ]
//!               [ "rename" name "to" e# { "," name "to" e# } ]
//!             | "proposition" name ":" expr
//! gathering   = p# | ( "all" | "one" ) "(" [ gathering { "," gathering } ] ")"
//! variable    = name [ "[" number "]" ] [ "count" g# ] ":" [ "scratch" ] range "=" numbers
//!               [ "shown" kind ] [ "parts" "(" [ part { "," part } ] ")" ] [ span ]
//! kind        = "number" | "truth" | "channel" | "(" [ name { "," name } ] ")"
//! part        = name { "[" number "]" }
//! range       = [ "wrap" | "limit" ] integer ".." integer
//! member      = "local" l# variable
//!             | "begin" block
//!             | "location" q# name [ "atomic" ] [ "ends" ] [ "labels" "(" names ")" ] [ span ]
//!               ( "{" { edge } "}" | "unexplored" )
//! edge        = "->" ( q# | "exit" ) [ "if" expr ] [ "rank" number ] [ "hold" ] [ communication ]
//!               "on" ( e# | "message" | "data" name "(" exprs ")" )
//!               [ "wf" | "sf" | "wl" | "sl" ] [ "do" block ] "as" name [ span ]
//! communication = "send" [ "sorted" ] expr "(" exprs ")"
//!             | "receive" [ "first" ] [ "keep" ] expr "(" patterns ")"
//! block       = "{" [ statement { ";" statement } ] "}"
//! statement   = ( "skip" | place { "," place } ":=" expr { "," expr }
//!             | "if" expr block [ "else" block ] | "while" expr block | "assert" expr [ "else" name ]
//!             | "start" t# "(" exprs ")" [ "into" place ]
//!             | "put" [ "sorted" ] expr "(" exprs ")"
//!             | "take" [ "first" ] [ "keep" ] expr "(" patterns ")" "into" "(" targets ")"
//!             ) [ span ]
//! patterns    = [ ( "_" | expr ) { "," ( "_" | expr ) } ]
//! targets     = [ ( "_" | place ) { "," ( "_" | place ) } ]
//! place       = ( g# | l# | t# "[" expr "]" "." l# ) [ "[" expr "]" ]
//! expr        = binary [ "?" expr ":" expr ]
//! binary      = unary { operator unary }
//! unary       = { "!" | "-" | "~" | "int" } primary
//! primary     = number | place | "$" number | "(" expr ")"
//!             | t# "[" expr "]" "." "{" [ q# { "," q# } ] "}"
//!             | ( "length" | "empty" | "full" | "capacity" | "executable" ) "(" expr ")"
//!             | "checked" "(" expr "," number ")"
//!             | ( "poll" | "poll_first" ) "(" expr ";" patterns ")"
//!             | "own" | "running" | "last" | "timeout"
//! operator    = "||" | "&&" | "|" | "^" | "&" | "==" | "!=" | "<" | "<=" | ">" | ">="
//!             | "<<" | ">>" | "+" | "-" | "*" | "/" | "%" | "mod"
//! span        = "@" number ".." number
//! name        = word { "." word } | '"' { any character, escaped as in Rust } '"'
//! ```
//!
//! `#` after a letter stands for a number, `g0`; `numbers`, `names` and `exprs` for several with
//! commas between them. Operators bind as in C, those of one line of its table from the left.
//! `-1` is a number, `-(1)` the negation of one.
//!
//! # Errors
//!
//! Several errors of one text are reported together, at most [`MOST_ERRORS`]; those of single
//! tokens before all others.
//!
//! | code | what is wrong |
//! |---|---|
//! | `E0900` | a character that means nothing |
//! | `E0901` | a quoted name that does not end |
//! | `E0902` | an escape in a quoted name that does not exist |
//! | `E0903` | a number that is too large |
//! | `E0904` | something else was expected |
//! | `E0905` | the text ends too early |
//! | `E0906` | the text does not begin with `model` |
//! | `E0907` | something that starts no item |
//! | `E0908` | an id out of order |
//! | `E0909` | nested deeper than [`NESTING`](crate::NESTING) levels |
//! | `E0910` | not as many values as places |

mod lexer;
mod parse;
mod parse_expr;
mod print;

pub use parse::{MOST_ERRORS, parse};
pub use print::print;
