//! The text form of certificates, for people to read: the statement and the model as they are, then a line for each node
//! list and each state.

use std::io::{BufRead, Write};

use crate::format::{BLOCK, File};
use crate::rejected::{Rejected, Rule, reject};
use crate::state::read;

/// Writes the certificates of a file as text. They are read, but not verified.
///
/// # Errors
/// When a certificate cannot be read, or the text not be written.
pub fn text(from: &mut dyn BufRead, to: &mut dyn Write) -> Result<(), Rejected> {
    loop {
        let file = File::read(from)?;
        file.check_whole()?;
        if let Err(error) = write(&file, to) {
            return reject(Rule::Format, format!("the text cannot be written: {error}"));
        }
        if from.fill_buf().map_or(true, <[u8]>::is_empty) {
            return Ok(());
        }
    }
}

fn write(file: &File, to: &mut dyn Write) -> std::io::Result<()> {
    writeln!(to, "certificate\n{}\n{}", file.statement, file.model)?;
    for (at, list) in file.lists.iter().enumerate() {
        write!(to, "list {at} :")?;
        for (first, second) in list {
            write!(to, " ({first} {second})")?;
        }
        writeln!(to)?;
    }
    let (mut state, mut states) = (Vec::new(), file.table.block(0));
    for at in 0..file.table.count {
        if at.is_multiple_of(BLOCK) {
            state.clear();
        }
        let Some(list) = states.advance(&mut state) else { break };
        write!(to, "state {at} list {list} :")?;
        let mut rest = &state[..];
        while let Some(value) = read(&mut rest) {
            write!(to, " {value}")?;
        }
        writeln!(to)?;
    }
    writeln!(to, "end")
}
