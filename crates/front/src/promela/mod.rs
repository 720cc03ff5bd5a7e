//! Promela, the language of SPIN 6: text to a tree with every name resolved.
//!
//! [`parse`] carries out directives and macros, expands inlines, and gives a [`Model`] or what is
//! wrong; [`print()`] writes a model as text. What the tree means, where it writes out what SPIN
//! writes out, and when variables get their values is said in [`ast`]. [`lower`] builds control flow
//! and gives it its meaning.
//!
//! ```
//! let model = fairly_front::promela::parse("
//! mtype = { ping, pong };
//! chan c = [1] of { mtype };
//! active proctype A() { do :: c!ping; c?pong od }
//! active proctype B() { do :: /*@ sf */ c?ping -> c!pong od }
//! ltl live { [] <> (len(c) == 1) }
//! // expect: holds
//! ").unwrap();
//! assert_eq!(model.processes.len(), 2);
//! assert_eq!(model.mtypes[0].constants[0].name, "pong");
//! assert_eq!(model.expectations[0].text, "holds");
//! ```
//!
//! # Comments of ours
//!
//! `/*@ wf */`, `sf`, `wl` and `sl` before `::` or a statement annotate it with a demand of
//! fairness. A comment that starts with `expect:` is kept for a test runner.
//!
//! # What is read otherwise than by SPIN
//!
//! - C code is refused. So is a temporal operator beside arithmetic (`[] x == 1`), of which SPIN makes
//!   nonsense without a word.
//! - In formulas `G`, `F`, `R`, `=>`, `<=>` and `not` are operators, unless the model has such a name. `~` of a
//!   truth value is its negation; to SPIN it is a number that is never 0. `X` and `next` are names of the
//!   model where no operator can stand.
//! - `c?_pid` takes a message and is an error if it holds another number; SPIN's verifier changes `_pid`.
//! - `run` of a proctype that does not exist, or with the wrong number of arguments, is refused;
//!   SPIN leaves that to the C compiler. So is an index on something that is no array.
//! - Formulas may use `X`, `full` and the like anywhere. Several declarators may follow a channel
//!   or a list of values (`chan a = [1] of { byte }, b`). Any number of separators may stand at the
//!   end of a sequence. `!!p` may stand for two negations.
//! - A label passed to an inline need not be declared before. `else` may stand beside sends and
//!   receives even if `xr` or `xs` is used.
//!
//! # Errors
//!
//! Several errors of one text are reported together, at most [`MOST_ERRORS`].
//!
//! | code | what is wrong |
//! |---|---|
//! | `E1100` | a character that means nothing |
//! | `E1101` | a comment that does not end |
//! | `E1102` | a string that does not end in its line |
//! | `E1103` | a character in quotes that is not one ASCII character |
//! | `E1104` | a number above 9223372036854775807 |
//! | `E1105` | a number with letters in it; there is no hexadecimal |
//! | `E1106` | a file that cannot be included |
//! | `E1107` | a directive that does not exist, lacks its name, or is not at the start of a line |
//! | `E1108` | `#else`, `#elif` or `#endif` without its `#if` |
//! | `E1109` | `#if` without `#endif` |
//! | `E1110` | a condition of `#if` that cannot be computed |
//! | `E1111` | a malformed `#define` |
//! | `E1112` | a macro used with the wrong number of arguments |
//! | `E1113` | arguments of a macro that do not end |
//! | `E1114` | macros that expand to too much |
//! | `E1115` | `#error` is reached |
//! | `E1116` | files that include each other without end |
//! | `E1117` | an included file outside the folders that may be read |
//! | `E1120` | something else was expected |
//! | `E1121` | the text ends too early |
//! | `E1122` | nested too deep, or a chain of operators that is too long |
//! | `E1123` | a block, an option or a typedef with nothing in it |
//! | `E1124` | a text that is too large |
//! | `E1125` | C code |
//! | `E1127` | a second `else` in one `if` or `do` |
//! | `E1128` | `break` outside of a loop |
//! | `E1129` | `full`, `empty`, `nfull` or `nempty` under another operator than `&&` and `\|\|` |
//! | `E1130` | a temporal formula where a number is needed, as in `[] x == 1`; `taken(…)` of what is no process |
//! | `E1132` | a label before a declaration |
//! | `E1133` | a label where no state is: first inside braces, or before `unless` without braces |
//! | `E1134` | a jump into or out of `d_step` |
//! | `E1135` | an annotation other than `wf`, `sf`, `wl`, `sl` |
//! | `E1136` | an annotation that is before no statement and no option |
//! | `E1137` | a word of the language as a name |
//! | `E1140` | a variable that is not declared, or not visible here |
//! | `E1141` | a name that is declared already; SPIN lets no declaration hide another |
//! | `E1142` | a type that does not exist |
//! | `E1143` | a proctype that does not exist |
//! | `E1144` | a reference to a process before its proctype |
//! | `E1145` | a label that does not exist |
//! | `E1146` | a label that is there already |
//! | `E1147` | a name that is something else than a variable or a label |
//! | `E1148` | a field that does not exist |
//! | `E1149` | a constant of an mtype that is declared twice |
//! | `E1150` | an inline used with the wrong number of arguments |
//! | `E1151` | an inline that uses itself |
//! | `E1152` | inlines that expand to too much |
//! | `E1153` | `return` in an inline that is not used as `x = f(…)` |
//! | `E1154` | a second `trace`, or two claims or formulas of one name |
//! | `E1155` | a typedef, an inline or constants of an mtype inside a process |
//! | `E1160` | an array without an index |
//! | `E1161` | an index on something that is no array |
//! | `E1162` | a field of something that is no struct |
//! | `E1163` | a struct where a value is needed, or the other way round |
//! | `E1164` | a message to or from something that is no channel |
//! | `E1165` | arithmetic with a channel |
//! | `E1166` | `run` with the wrong number of arguments |
//! | `E1167` | a message with more fields than any channel has, or than 255 |
//! | `E1168` | a constant of another mtype |
//! | `E1169` | an assignment to `_pid`, `_nr_pr` or `_last` |
//! | `E1170` | the value of `_` |
//! | `E1171` | an array without elements, or a channel for more than 255 messages |
//! | `E1172` | a width that is missing, out of range, or not on an `unsigned` |
//! | `E1173` | an initial value of the wrong kind or in the wrong place |
//! | `E1174` | a value that must be constant and is not |
//! | `E1175` | `run` where it cannot be |
//! | `E1176` | a `bit` that is `hidden` |
//! | `E1177` | an array as a parameter, or an array of structs in a message |
//! | `E1178` | `for` or `select` over or with something that cannot be |
//! | `E1179` | a `trace` with something besides sends and receives |
//! | `E1180` | more than 255 active processes |
//! | `E1182` | `provided` with something it cannot look at |
//! | `E1183` | an mtype with more than 255 constants |
//! | `E1184` | a range whose first number is greater than its last |
//! | `E1185` | a trail with a line that is none |
//! | `E1186` | a trail of a search that permuted its processes |

mod finish;
mod given;
mod lexer;
mod load;
mod lower;
mod parser;
mod place;
mod preprocess;
mod printer;
mod scopes;
mod stream;
mod suggest;
mod token;

pub mod ast;

pub use ast::Model;
pub use load::Promela;
pub use lower::{Claim, ClaimState, ClaimStep, Lowered, Options, lower};
pub use parser::{MAX_DEPTH, MAX_HEIGHT, MAX_TEXT, ParsedFile, Setup, parse, parse_with};
pub use place::{Expansion, ExpansionId, ExpansionKind, MOST_ERRORS, Place};
pub use printer::print;
