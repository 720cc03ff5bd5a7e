//! One page of verdicts with their runs, which needs no server: for mails, papers, and artefacts of a workflow.
//!
//! The page has the code of the explorer's views in it, put together as one script, and the answers as data. The data
//! is JSON in an element that browsers do not run, and no `<` stands in it. The policy of the page allows its one
//! script and its one style sheet by their hashes and nothing else, so even a mistake in the escaping could run nothing.

use std::collections::BTreeMap;

use fairly_report::document::Document;
use fairly_report::json;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::answer::{Origin, answer};
use crate::assets;
use crate::bundle::bundle;

/// The schema of the data of a page.
const SCHEMA: &str = "fairly.page/1";
/// The module that begins.
const ENTRY: &str = "report.js";

#[derive(Serialize)]
struct PageDocument<'a> {
    schema: &'static str,
    version: &'static str,
    /// The texts of the models, each once.
    texts: Vec<&'a str>,
    answers: Vec<AnswerOnPage>,
    problems: Vec<Value>,
}

#[derive(Serialize)]
struct AnswerOnPage {
    answer: Value,
    files: Vec<String>,
    /// Position of its model's text.
    text: Option<usize>,
}

/// A page with all answers.
pub fn page(documents: &[Document]) -> String {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut page = PageDocument {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        texts: Vec::new(),
        answers: Vec::new(),
        problems: Vec::new(),
    };
    for document in documents {
        let (verdict, place) = match document {
            Document::Verdict(verdict, place) => (verdict, place),
            Document::Problem(problem) => {
                page.problems.push(json::value(problem));
                continue;
            }
            // A ladder has a report of its own.
            Document::Table(_) => continue,
        };
        let origin = place.origin.clone().unwrap_or_default();
        let text = place.origin.as_ref().and_then(|origin| origin.text.as_deref());
        let text = text.map(|text| {
            *known.entry(text).or_insert_with(|| {
                page.texts.push(text);
                page.texts.len() - 1
            })
        });
        let upgrade = verdict.violation().and_then(|(_, violation)| violation.upgrade.as_ref());
        let excluding: Vec<String> = upgrade.iter().map(|it| it.constraint.clone()).collect();
        let found = answer(
            verdict,
            &excluding,
            &Origin {
                files: &origin.files,
                options: &origin.options,
                source: origin.source(),
                asked: origin.asked.clone(),
                place: origin.place,
                title: &place.title,
                constraints: &origin.constraints,
                command: &origin.command,
            },
        );
        page.answers.push(AnswerOnPage { answer: found, files: origin.files.clone(), text });
    }
    whole(&json::value(&page))
}

/// The page for data.
fn whole(data: &Value) -> String {
    let style = assets::find("style.css").map_or("", |asset| asset.text);
    let script = bundle(ENTRY);
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data: blob:; base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(style)
    );
    let data = inert(&data.to_string());
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"fairly\">\n\
         <title>Fairly</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>{style}</style>\n</head>\n<body>\n\
         <header id=\"header\"></header>\n<main id=\"main\" tabindex=\"-1\"></main>\n\
         <div id=\"status\" role=\"status\" aria-live=\"polite\"></div>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n<script>{script}</script>\n</body>\n</html>\n"
    )
}

/// JSON in which no character means anything to HTML; inside of its strings, which is where they stand, each is written
/// as its number.
fn inert(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 16);
    for sign in json.chars() {
        match sign {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            other => out.push(other),
        }
    }
    out
}

/// The source expression that allows a text.
fn hash(text: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(text.as_bytes())))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let all = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            match digit <= three.len() {
                true => out.push(char::from(DIGITS[(all >> (18 - 6 * digit) & 63) as usize])),
                false => out.push('='),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_inert_and_stays_the_same() {
        let hostile =
            serde_json::json!({ "</script><script>alert(1)</script>": "<!-- & \u{2028} ]]>" });
        let text = inert(&hostile.to_string());
        assert!(!text.contains(['<', '>', '&', '\u{2028}']), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), hostile);
    }

    #[test]
    fn hashes_are_written_as_policies_want_them() {
        let empty = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
        assert_eq!(hash(""), empty);
        assert_eq!(base64(b"M"), "TQ==");
        assert_eq!(base64(b"Ma"), "TWE=");
    }
}
