//! What a command said and how it ended.

use std::process::Output;

pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().expect("it exits by itself")
}

pub(crate) fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

pub(crate) fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}
