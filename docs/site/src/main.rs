//! `cargo run -p fairly-site -- OUT`: the book as a site, in the folder OUT.

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fairly_site::site::Site;

fn main() -> ExitCode {
    let arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let standing = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../book");
    let (book, out) = match arguments.as_slice() {
        [out] => (standing(), out),
        [book, out] => (book.clone(), out),
        _ => {
            eprintln!("usage: fairly-site [BOOK] OUT");
            return ExitCode::from(2);
        }
    };
    let written = Site::read(&book).and_then(|site| site.write(out).map(|()| site.pages().len()));
    match written {
        Ok(pages) => {
            println!("{pages} pages: {}", out.join("index.html").display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("fairly-site: {error}");
            ExitCode::FAILURE
        }
    }
}
