//! Who may call: those who know the token, under the name of this server, from its own pages.

use std::net::{IpAddr, SocketAddr};

use crate::http::Request;

/// Secret part of every address of a server.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Token(String);

impl Token {
    /// A token that cannot be guessed: 128 bits of the system's randomness.
    pub(crate) fn random() -> std::io::Result<Token> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
        Ok(Token(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Whether a text is the token. How long that takes does not depend on where it differs.
    fn is(&self, other: &str) -> bool {
        let (own, other) = (self.0.as_bytes(), other.as_bytes());
        let differences = own.iter().zip(other).fold(0, |all, (one, other)| all | (one ^ other));
        own.len() == other.len() && differences == 0
    }
}

/// Part of a path behind the token.
///
/// # Errors
/// Why the request is refused, in a sentence.
pub(crate) fn admitted<'r>(
    request: &'r Request,
    token: &Token,
    at: SocketAddr,
) -> Result<&'r str, &'static str> {
    let host = request.host.as_deref().unwrap_or_default();
    // A page of another server can have its own name lead here; the browser still says that name.
    if !is_own(host, at) {
        return Err("the request is for another host");
    }
    if request.origin.as_deref().is_some_and(|origin| origin != format!("http://{host}")) {
        return Err("the request comes from a page of another origin");
    }
    if !matches!(request.site.as_deref(), None | Some("same-origin" | "none")) {
        return Err("the request comes from a page of another site");
    }
    let path = request.path.strip_prefix('/').unwrap_or_default();
    let (given, rest) = path.split_once('/').unwrap_or((path, ""));
    if !token.is(given) {
        return Err("the address has no token: open the one that `fairly explore` prints");
    }
    Ok(rest)
}

/// Whether `Host` is a name of the server that listens at an address.
fn is_own(host: &str, at: SocketAddr) -> bool {
    let Some((name, port)) = host.rsplit_once(':') else { return false };
    if port != at.port().to_string() {
        return false;
    }
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    match address {
        // A server for all addresses is called by any of them, but by no name that a stranger could have lead here.
        Ok(address) => address == at.ip() || at.ip().is_unspecified(),
        Err(_) => name == "localhost" && (at.ip().is_loopback() || at.ip().is_unspecified()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(path: &str, host: &str) -> Request {
        Request { path: path.to_owned(), host: Some(host.to_owned()), ..Request::default() }
    }

    #[test]
    fn only_who_knows_the_token_is_admitted() {
        let token = Token::random().expect("randomness");
        assert!(token.text().len() == 32 && token != Token::random().expect("randomness"));
        let at: SocketAddr = "127.0.0.1:8080".parse().expect("an address");
        let path = format!("/{}/api/v1/model", token.text());
        let admit = |request: &Request| admitted(request, &token, at).map(str::to_owned);
        assert_eq!(admit(&request(&path, "127.0.0.1:8080")).as_deref(), Ok("api/v1/model"));
        assert_eq!(admit(&request(&path, "localhost:8080")).as_deref(), Ok("api/v1/model"));
        let bare = format!("/{}", token.text());
        assert_eq!(admit(&request(&bare, "localhost:8080")).as_deref(), Ok(""));
        for host in ["", "127.0.0.1", "127.0.0.1:80", "evil.example:8080", "10.0.0.1:8080"] {
            assert!(admit(&request(&path, host)).is_err(), "{host}");
        }
        for path in ["/", "", "//", "/api/v1/model", "/0/api/v1/model", &path[..20], &path[1..]] {
            assert!(admit(&request(path, "localhost:8080")).is_err(), "{path}");
        }
        let from = |origin: &str| Request {
            origin: Some(origin.to_owned()),
            ..request(&path, "localhost:8080")
        };
        assert!(admit(&from("http://localhost:8080")).is_ok());
        for origin in
            ["null", "http://evil.example", "http://localhost:81", "https://localhost:8080"]
        {
            assert!(admit(&from(origin)).is_err(), "{origin}");
        }
        let site = |site: &str| Request {
            site: Some(site.to_owned()),
            ..request(&path, "localhost:8080")
        };
        assert!(admit(&site("same-origin")).is_ok() && admit(&site("none")).is_ok());
        assert!(admit(&site("cross-site")).is_err() && admit(&site("same-site")).is_err());
    }

    #[test]
    fn a_server_for_all_addresses_is_called_by_numbers() {
        let at: SocketAddr = "0.0.0.0:80".parse().expect("an address");
        assert!(is_own("192.0.2.7:80", at) && is_own("[::1]:80", at) && is_own("localhost:80", at));
        assert!(!is_own("rebound.example:80", at));
    }
}
