//! Requests read from a connection, and responses written to it: the part of HTTP/1.1 that a browser and `curl` need.
//!
//! A connection carries one request, blocks one thread and has a deadline, so a client that sends slowly or stops
//! reading ends by itself. What arrives is bounded before it is kept. Asynchronous servers were the alternative: they
//! bring some sixty crates and a runtime for a dozen connections of one person, and a search blocks its thread anyway.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// Bytes of the first line and the headers.
const LARGEST_HEAD: usize = 16 << 10;
/// Bytes of a body: a model or a trace.
const LARGEST_BODY: usize = 32 << 20;
/// Headers of a request.
const MOST_HEADERS: usize = 64;
/// Time that a request may take to arrive, and a piece of a response to leave.
const PATIENCE: Duration = Duration::from_secs(10);
/// Time for what a client still sends when it has been answered.
const LINGER: Duration = Duration::from_secs(2);

/// A request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// The path without the query, which no call has.
    pub(crate) path: String,
    pub(crate) host: Option<String>,
    pub(crate) origin: Option<String>,
    /// `Sec-Fetch-Site`, by which browsers say where a request comes from.
    pub(crate) site: Option<String>,
    pub(crate) content_type: Option<String>,
    pub(crate) body: Vec<u8>,
}

/// Why there is no request: the status of the response, and the error in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) u16, pub(crate) &'static str);

/// The head of a request, and where its body begins.
struct Head {
    request: Request,
    length: usize,
    body: usize,
    continues: bool,
}

/// Reads the head if it is complete.
fn head(bytes: &[u8]) -> Result<Option<Head>, Malformed> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let status = parsed.parse(bytes).map_err(|_| Malformed(400, "the request is malformed"))?;
    let httparse::Status::Complete(body) = status else { return Ok(None) };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let target = parsed.path.unwrap_or_default();
    let mut request = Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        path: target.split(['?', '#']).next().unwrap_or_default().to_owned(),
        ..Request::default()
    };
    let (mut length, mut continues) = (None, false);
    for header in parsed.headers.iter() {
        let value = || Some(text(header.value));
        // What stands twice means one thing to one reader and another thing to the next.
        let once = |slot: &mut Option<String>| match slot.replace(text(header.value)) {
            None => Ok(()),
            Some(_) => Err(Malformed(400, "a header stands twice")),
        };
        match header.name.to_ascii_lowercase().as_str() {
            "host" => once(&mut request.host)?,
            "origin" => once(&mut request.origin)?,
            "sec-fetch-site" => once(&mut request.site)?,
            "content-type" => once(&mut request.content_type)?,
            "content-length" => once(&mut length)?,
            "expect" => {
                continues = value().is_some_and(|it| it.eq_ignore_ascii_case("100-continue"));
            }
            "transfer-encoding" => {
                return Err(Malformed(501, "a body has its length in Content-Length"));
            }
            _ => {}
        }
    }
    let length = match length {
        None => 0,
        Some(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            text.parse().map_err(|_| Malformed(413, "the body is too large"))?
        }
        Some(_) => return Err(Malformed(400, "Content-Length is no number")),
    };
    if length > LARGEST_BODY {
        return Err(Malformed(413, "the body is too large"));
    }
    Ok(Some(Head { request, length, body, continues }))
}

/// A request whose body has not been read.
pub(crate) struct Begun {
    pub(crate) request: Request,
    /// Bytes that have arrived.
    bytes: Vec<u8>,
    body: usize,
    length: usize,
    continues: bool,
    deadline: Instant,
}

/// Reads the head of one request; none if the client closed the connection without one.
///
/// # Errors
/// Why a request is refused.
pub(crate) fn begin(stream: &mut TcpStream) -> Result<Option<Begun>, Malformed> {
    let deadline = Instant::now() + PATIENCE;
    let mut bytes = Vec::new();
    loop {
        if let Some(Head { request, length, body, continues }) = head(&bytes)? {
            return Ok(Some(Begun { request, bytes, body, length, continues, deadline }));
        }
        if bytes.len() >= LARGEST_HEAD {
            return Err(Malformed(431, "the headers are too large"));
        }
        if more(stream, &mut bytes, deadline)? == 0 {
            return Ok(None);
        }
    }
}

impl Begun {
    /// Bytes of the body.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Reads the body, which may be large: after the request was admitted. None if the client closed the connection.
    ///
    /// # Errors
    /// If it does not arrive in time.
    pub(crate) fn read(self, stream: &mut TcpStream) -> Result<Option<Request>, Malformed> {
        let Begun { mut request, mut bytes, body, length, continues, deadline } = self;
        if continues && bytes.len() < body + length {
            let _ = stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n");
        }
        while bytes.len() < body + length {
            if more(stream, &mut bytes, deadline)? == 0 {
                return Ok(None);
            }
        }
        bytes.truncate(body + length);
        request.body = bytes.split_off(body);
        Ok(Some(request))
    }
}

/// Appends what has arrived.
fn more(
    stream: &mut TcpStream,
    bytes: &mut Vec<u8>,
    deadline: Instant,
) -> Result<usize, Malformed> {
    const LATE: Malformed = Malformed(408, "the request did not arrive in time");
    let mut piece = [0; 16 << 10];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
            return Err(LATE);
        }
        match stream.read(&mut piece) {
            Ok(count) => {
                bytes.extend_from_slice(&piece[..count]);
                return Ok(count);
            }
            Err(error) => match error.kind() {
                io::ErrorKind::Interrupted => {}
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => return Err(LATE),
                _ => return Ok(0),
            },
        }
    }
}

/// Headers of every response. No script but those of this server runs in a page, it calls no other server, no page shows
/// it in a frame, and its address, which has the token in it, is told to none.
const ALWAYS: &str = "Connection: close\r\n\
    Cache-Control: no-store\r\n\
    X-Content-Type-Options: nosniff\r\n\
    X-Frame-Options: DENY\r\n\
    Referrer-Policy: no-referrer\r\n\
    Cross-Origin-Opener-Policy: same-origin\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\n\
    Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'\r\n";

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Content",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        _ => "Error",
    }
}

/// Writes a whole response and ends the connection.
pub(crate) fn respond(stream: &mut TcpStream, status: u16, kind: &str, body: &[u8]) {
    let head = format!(
        "HTTP/1.1 {status} {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{ALWAYS}\r\n",
        reason(status),
        body.len()
    );
    let _ = stream.set_write_timeout(Some(PATIENCE));
    let written = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
    if written.is_ok() {
        end(stream);
    }
}

/// Says that nothing follows, and takes in what the client still sends: closing a connection with unread bytes would
/// take back the response.
fn end(stream: &mut TcpStream) {
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
    // Bounds how long a client that goes on sending, however slowly, holds its connection.
    let deadline = Instant::now() + LINGER;
    let mut sink = [0; 16 << 10];
    while let Ok(1..) = stream.read(&mut sink) {
        if Instant::now() >= deadline {
            break;
        }
    }
}

/// Refuses a client at once, without reading from it, so that the thread that accepts connections never waits.
pub(crate) fn turn_away(stream: &mut TcpStream) {
    let _ = stream.set_nonblocking(true);
    let said =
        b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let _ = stream.write_all(said);
}

/// A response that is a stream of server-sent events.
pub(crate) struct Events<'a> {
    stream: &'a mut TcpStream,
}

impl<'a> Events<'a> {
    /// Begins the stream.
    pub(crate) fn begin(stream: &'a mut TcpStream) -> io::Result<Events<'a>> {
        stream.set_write_timeout(Some(PATIENCE))?;
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{ALWAYS}\r\n");
        stream.write_all(head.as_bytes())?;
        Ok(Events { stream })
    }

    /// Sends an event whose data is a JSON document.
    pub(crate) fn send(&mut self, event: &str, data: &serde_json::Value) -> io::Result<()> {
        // JSON has no line ends of its own, so it is one line of data.
        write!(self.stream, "event: {event}\ndata: {data}\n\n")?;
        self.stream.flush()
    }

    /// Whether the client has closed the connection.
    pub(crate) fn is_closed(&mut self) -> bool {
        let mut sink = [0; 512];
        let _ = self.stream.set_nonblocking(true);
        let read = self.stream.read(&mut sink);
        let _ = self.stream.set_nonblocking(false);
        match read {
            Ok(count) => count == 0,
            Err(error) => {
                !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
            }
        }
    }

    /// Ends the stream.
    pub(crate) fn end(self) {
        end(self.stream);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(text: &str) -> u16 {
        head(text.as_bytes()).err().map_or(200, |Malformed(status, _)| status)
    }

    #[test]
    fn heads_are_read_and_bounded() {
        let text = "POST /t/api/v1/ask?x=1 HTTP/1.1\r\nHOST: a:1\r\nContent-Length: 3\r\n\r\n{}";
        let head = head(text.as_bytes()).ok().flatten().expect("a head");
        assert_eq!((head.length, head.body), (3, text.len() - 2));
        assert_eq!(head.request.path, "/t/api/v1/ask");
        assert_eq!(head.request.host.as_deref(), Some("a:1"));
        assert_eq!(status("GET / HTTP/1.1\r\n"), 200, "it is not complete yet");
        assert_eq!(status("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
        assert_eq!(status("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"), 400);
        assert_eq!(status("GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n"), 413);
        assert_eq!(status("GET / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n"), 413);
        assert_eq!(status("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), 501);
        assert_eq!(status("GET\0 / HTTP/1.1\r\n\r\n"), 400);
    }
}
