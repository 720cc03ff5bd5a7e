//! What strangers and bad luck send: requests that are no requests, bodies that never end, clients that sleep, two tabs
//! that edit one file, and questions that ask for too much.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Explorer, LARGE, SMALL};

/// The status line of what comes back; nothing if the connection is closed without a word.
fn status(mut stream: TcpStream) -> String {
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a socket");
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    String::from_utf8_lossy(&text).lines().next().unwrap_or_default().to_owned()
}

/// Resident bytes of a process.
fn resident(process: u32) -> Option<usize> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}

#[test]
fn a_body_is_read_only_of_those_who_know_the_token() {
    let explorer = Explorer::start("unread", "small.pml", SMALL, &[]);
    let host = explorer.host().to_owned();
    // The answer comes before the body, so a stranger's body takes no memory.
    let head = |path: &str, more: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 30000000\r\n{more}\r\n"
        )
    };
    let begun = Instant::now();
    let own = format!("{}api/v1/check", explorer.path());
    assert!(status(explorer.send(&head("/api/v1/check", ""))).contains(" 403 "));
    assert!(
        status(explorer.send(&head(&own, "Origin: http://evil.example\r\n"))).contains(" 403 ")
    );
    assert!(status(explorer.send(&head(&own, "Sec-Fetch-Site: same-site\r\n"))).contains(" 403 "));
    assert!(begun.elapsed() < Duration::from_secs(8), "nothing was waited for");
    // Those who know it do not have all memory either: two such bodies may be on their way, and a third may not.
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut stream = explorer.send(&head(&own, "Expect: 100-continue\r\n"));
        let mut said = [0; 12];
        stream.read_exact(&mut said).expect("an interim response");
        assert_eq!(&said, b"HTTP/1.1 100");
        held.push(stream);
    }
    assert!(status(explorer.send(&head(&own, ""))).contains(" 503 "));
    drop(held);
    // What they held is given back.
    let again = || explorer.call("simulate", &json!({})).0;
    let until = Instant::now() + Duration::from_secs(5);
    while again() != 200 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(again(), 200);
}

#[test]
fn what_is_no_request_ends_and_nobody_else_notices() {
    let explorer = Explorer::start("no-request", "small.pml", SMALL, &[]);
    let (host, path) = (explorer.host().to_owned(), explorer.path().to_owned());
    let odd: Vec<Vec<u8>> = vec![
        b"\0\0\0\0\r\n\r\n".to_vec(),
        b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        b"GET / HTTP/1.1\nHost: x\n\n".to_vec(),
        format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\n\r\n").into_bytes(),
        format!("GET http://evil.example{path} HTTP/1.1\r\nHost: {host}\r\n\r\n").into_bytes(),
        format!("CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\n").into_bytes(),
        format!("POST {path}api/v1/check HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n").into_bytes(),
        format!("POST {path}api/v1/check HTTP/1.1\r\nHost: {host}\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}").into_bytes(),
        format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{}\r\n", "x: y\r\n".repeat(200)).into_bytes(),
        format!("GET {path} HTTP/1.1\r\nHost : {host}\r\n\r\n").into_bytes(),
        format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n folded: x\r\n\r\n").into_bytes(),
    ];
    for bytes in odd {
        let mut stream = TcpStream::connect(&host).expect("it listens");
        stream.write_all(&bytes).expect("it reads");
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let said = status(stream);
        assert!(said.is_empty() || said.contains(" 4") || said.contains(" 501 "), "{said}");
    }
    // Paths that lead out, in every spelling.
    for odd in [
        "..%2f..%2fetc/passwd",
        "....//small.pml",
        "%2e%2e%2fsmall.pml",
        "..\\small.pml",
        "style.css/../small.pml",
        "api/v1/../model",
        "api/v1/model/",
        "%00",
        "style.css%00.pml",
    ] {
        let (status, body) = explorer.get(&format!("{path}{odd}"), "");
        assert!(status == 404 && !body.contains("proctype"), "{odd}: {status} {body}");
    }
    for method in ["PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "PATCH"] {
        let request = format!("{method} {path}api/v1/model HTTP/1.1\r\nHost: {host}\r\n\r\n");
        let status = explorer.response(&request).0;
        assert!(status == 404 || status == 405, "{method}: {status}");
    }
    // Bodies that are JSON and nothing that is asked for, nested and long.
    for body in [
        "[]".to_owned(),
        "null".to_owned(),
        "{".to_owned(),
        "[".repeat(100_000),
        "{\"text\":".repeat(10_000),
        format!("{{\"formula\":\"{}\"}}", "(".repeat(50_000)),
    ] {
        let request = format!(
            "POST {path}api/v1/product HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        assert_eq!(explorer.response(&request).0, 422, "{}", &body[..body.len().min(40)]);
    }
    assert_eq!(explorer.get(&path, "").0, 200);
}

#[test]
fn clients_that_sleep_are_ended_and_others_are_answered() {
    let explorer = Explorer::start("slow", "small.pml", SMALL, &[]);
    let host = explorer.host().to_owned();
    // More than there may be at once: those who said nothing make room.
    let mut sleeping: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = TcpStream::connect(&host).expect("it listens");
            stream.write_all(b"GET / HTTP/1.1\r\nHost: ").expect("it reads");
            stream
        })
        .collect();
    for _ in 0..10 {
        assert_eq!(explorer.get(explorer.path(), "").0, 200);
    }
    assert_eq!(status(sleeping.remove(0)), "", "the first one was sent away");
    // The last one waited for nothing, and is told so.
    let said = status(sleeping.pop().expect("two hundred"));
    assert!(said.contains(" 408 "), "{said}");
}

#[test]
fn a_question_of_a_million_states_sends_little() {
    // Enough states that every one of them, in whatever form, would be seen in the count of bytes.
    let states =
        if std::env::var_os("FAIRLY_RANDOM_CASES").is_some() { 1_000_000 } else { 200_000 };
    let limit = states.to_string();
    let explorer = Explorer::start("million", "large.pml", LARGE, &["--max-states", &limit]);
    let mut stream = explorer.send(&explorer.post("check", &json!({ "question": 2 })));
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("events");
    assert!(text.contains("\"outcome\":\"unknown\""), "{text}");
    let progress = text.matches("event: progress").count();
    let most = text
        .split("\"states\":")
        .filter_map(|rest| rest.split([',', '}']).next()?.parse::<usize>().ok())
        .max();
    assert!(most.is_some_and(|most| most * 2 > states), "{most:?}");
    assert!(
        text.len() < 20_000 + 500 * progress,
        "{} bytes, {progress} times progress",
        text.len()
    );
    // A picture of it is a part of it.
    let (status, drawn) = explorer.call("space", &json!({}));
    assert!(status == 200 && drawn["graph"].is_null(), "{drawn}");
    let (_, part) = explorer.call("space", &json!({ "depth": 3 }));
    assert!(part["graph"]["states"].as_array().is_some_and(|all| all.len() < 200), "{part}");
    let (status, part) = explorer.call("product", &json!({ "question": 2, "path": [] }));
    assert!(
        status == 422 || part["product"]["nodes"].as_array().is_some_and(|all| all.len() < 200)
    );
}

#[test]
fn ten_clients_take_little_more_memory_than_one() {
    let words = ["--max-states", "60000"];
    let explorer = Explorer::start("ten", "large.pml", LARGE, &words);
    let ask = || explorer.ask("check", &json!({ "question": 2 })).wait("answer");
    assert_eq!(ask()["verdict"]["outcome"], "unknown");
    let Some(before) = resident(explorer.process()) else { return };
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| {
                assert_eq!(ask()["verdict"]["outcome"], "unknown");
                assert_eq!(explorer.call("simulate", &json!({ "random": 200 })).0, 200);
            });
        }
    });
    let after = resident(explorer.process()).expect("it lives");
    assert!(after < before * 2 + (64 << 20), "{before} bytes of one, {after} of ten");
}

#[test]
fn two_tabs_do_not_undo_each_other() {
    let explorer = Explorer::start("tabs", "small.pml", SMALL, &[]);
    let model = || -> Value {
        let (_, text) = explorer.get(&format!("{}api/v1/model", explorer.path()), "");
        serde_json::from_str(&text).expect("JSON")
    };
    let known = model()["revision"].clone();
    assert_eq!(
        explorer.ask("check", &json!({ "question": 2, "revision": known })).wait("answer")["verdict"]
            ["outcome"],
        "holds"
    );
    // The other tab saves.
    let other = SMALL.replace("x < 2", "x < 1");
    assert_eq!(explorer.call("save", &json!({ "text": other, "revision": known })).0, 200);
    // What the first one has is about a file that is gone.
    let stale = explorer.ask("check", &json!({ "question": 2, "revision": known })).wait("problem");
    assert!(
        stale[0]["message"].as_str().is_some_and(|said| said.contains("has changed")),
        "{stale}"
    );
    for call in ["simulate", "space"] {
        assert_eq!(explorer.call(call, &json!({ "revision": known })).0, 422, "{call}");
    }
    let (status, _) = explorer.call("save", &json!({ "text": SMALL, "revision": known }));
    assert_eq!(status, 422);
    assert_eq!(fs::read_to_string(explorer.folder.0.join("small.pml")).expect("the file"), other);
    // Read again, it is asked about as it is.
    let known = model()["revision"].clone();
    let (_, said) = explorer.get(&format!("{}api/v1/revision", explorer.path()), "");
    assert_eq!(serde_json::from_str::<Value>(&said).expect("JSON")["revision"], known);
    assert_eq!(
        explorer.ask("check", &json!({ "question": 2, "revision": known })).wait("answer")["verdict"]
            ["outcome"],
        "violated"
    );
    // A text that is edited is about itself.
    assert_eq!(
        explorer.ask("check", &json!({ "question": 2, "text": SMALL })).wait("answer")["verdict"]["outcome"],
        "holds"
    );
}
