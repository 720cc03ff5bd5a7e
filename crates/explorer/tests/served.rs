//! A model that is no file, served and asked about.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpStream};

use fairly_explorer::{Limits, Model, Server, Settings, Text};
use fairly_front::include::NoFiles;
use fairly_front::languages::Language;
use fairly_front::loaded::{self, Loaded};
use fairly_report::document::Problem;

const NETWORK: &str =
    "component P {\n  initial 0\n  0 -a-> 1\n  1 -b-> 0\n}\nproperty again: G F a\n";

/// A network in memory.
struct Memory;

impl Model for Memory {
    fn files(&self) -> Vec<String> {
        vec!["memory.net".to_owned()]
    }

    fn text(&self) -> Result<Option<Text>, Vec<Problem>> {
        let (name, text) = ("memory.net".to_owned(), NETWORK.to_owned());
        Ok(Some(Text { name, text, is_editable: false }))
    }

    fn load(&self, text: Option<&str>, formulas: &[String]) -> Result<Loaded, Vec<Problem>> {
        let name = "memory.net".to_owned();
        let loader = Language::of(&name).expect("a language").loader;
        let text = loaded::Text { name, text: text.unwrap_or(NETWORK).to_owned() };
        let mut includes = NoFiles;
        let settings = loaded::Settings { formulas, ..loaded::Settings::new(&mut includes) };
        loader
            .load(&[text], settings)
            .map_err(|error| vec![Problem::new(None, &format!("{error:?}"), None)])
    }
}

/// The response to a request, as it comes.
fn asked(url: &str, method: &str, call: &str, body: &str) -> String {
    let rest = url.trim_start_matches("http://");
    let (host, path) = rest.split_once('/').expect("a path");
    let mut stream = TcpStream::connect(host).expect("it listens");
    let length = body.len();
    write!(
        stream,
        "{method} /{path}api/v1/{call} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .expect("it reads");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("text");
    text
}

#[test]
fn a_model_in_memory_is_asked_about_and_not_saved() {
    let settings =
        Settings { address: IpAddr::V4(Ipv4Addr::LOCALHOST), port: 0, limits: Limits::default() };
    let server = Server::bind(Box::new(Memory), &settings).expect("an address");
    let url = server.url();
    std::thread::spawn(move || server.run());
    let model = asked(&url, "GET", "model", "");
    assert!(model.contains("\"again\"") && model.contains("fairly.model/1"), "{model}");
    let answer = asked(&url, "POST", "check", "{\"question\": 0}");
    assert!(
        answer.contains("event: answer") && answer.contains("\"outcome\":\"holds\""),
        "{answer}"
    );
    let answer = asked(&url, "POST", "check", "{\"formula\": \"F G b\"}");
    assert!(answer.contains("\"outcome\":\"violated\""), "{answer}");
    let saved = asked(&url, "POST", "save", "{\"text\": \"\"}");
    assert!(saved.starts_with("HTTP/1.1 422 "), "{saved}");
    // Ten at once are answered, too.
    let all: Vec<_> = (0..10)
        .map(|_| {
            let url = url.clone();
            std::thread::spawn(move || asked(&url, "POST", "check", "{\"question\": 0}"))
        })
        .collect();
    for one in all {
        assert!(one.join().expect("an answer").contains("event: answer"));
    }
}
