//! A browser that a test drives: Chromium, over its DevTools protocol.
//!
//! The protocol goes through two pipes, which a shell puts where Chromium looks for them, so nothing listens on a port
//! and no library of WebSockets is needed.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::Folder;

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    number: u64,
    events: VecDeque<Value>,
    is_over: Arc<AtomicBool>,
    _profile: Folder,
}

/// The browser of this machine, if there is one.
pub(crate) fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("FAIRLY_BROWSER") {
        return Some(PathBuf::from(named)).filter(|path| path.is_file());
    }
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let all = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    all.into_iter().find(|path| path.is_file())
}

/// How long a test may wait for a page before it is said to hang.
const PATIENCE: Duration = Duration::from_secs(120);

impl Browser {
    /// Starts a browser with a profile of its own.
    pub(crate) fn start(program: &Path, name: &str) -> Browser {
        let profile = Folder::new(&format!("browser-{name}"));
        // Descriptors 3 and 4 are where Chromium reads and writes.
        let pipes = "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null";
        let mut child = Command::new("sh")
            .args(["-c", pipes])
            .arg(program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic"])
            .args([
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
            ])
            .args(["--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars"])
            .arg("--remote-debugging-pipe")
            .arg(format!("--user-data-dir={}", profile.0.display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let to = child.stdin.take().expect("a pipe");
        let from = BufReader::new(child.stdout.take().expect("a pipe"));
        let is_over = Arc::new(AtomicBool::new(false));
        watch(child.id(), Arc::clone(&is_over));
        let (session, number, events) = (None, 0, VecDeque::new());
        let mut browser =
            Browser { child, to, from, session, number, events, is_over, _profile: profile };
        let targets = browser.call("Target.getTargets", &json!({}));
        let all = targets["targetInfos"].as_array().expect("a list");
        let page = all.iter().find(|target| target["type"] == "page").expect("a page");
        let about = json!({ "targetId": page["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", &about);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        browser
    }

    /// Calls a method of the protocol.
    pub(crate) fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.number += 1;
        let mut message = json!({ "id": self.number, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).expect("the browser reads");
        loop {
            let mut bytes = Vec::new();
            self.from.read_until(0, &mut bytes).expect("the browser answers");
            assert_eq!(bytes.pop(), Some(0), "the browser ended, or was ended because it hung");
            let answer: Value = serde_json::from_slice(&bytes).expect("JSON");
            if answer["id"] == self.number {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.events.push_back(answer);
        }
    }

    /// The value of an expression in the page.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let about =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let found = self.call("Runtime.evaluate", &about);
        let exception = &found["exceptionDetails"];
        assert!(exception.is_null(), "{expression}: {exception}");
        found["result"]["value"].clone()
    }

    /// The text of the first element with a selector.
    pub(crate) fn text(&mut self, selector: &str) -> String {
        let found = self.value(&format!("document.querySelector({selector:?})?.textContent"));
        found.as_str().unwrap_or_default().to_owned()
    }

    /// Waits until an expression is true in the page.
    pub(crate) fn wait(&mut self, expression: &str) {
        const TRIES: usize = 1_500;
        for _ in 0..TRIES {
            if self.value(&format!("Boolean({expression})")) == json!(true) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let page = self.value("document.body.innerText");
        panic!("it does not happen: {expression}\n{page}");
    }

    /// Opens a page.
    pub(crate) fn open(&mut self, url: &str) {
        self.call("Page.navigate", &json!({ "url": url }));
        self.wait("document.readyState === 'complete'");
    }

    /// Clicks the first element with a selector whose text contains some words.
    pub(crate) fn click(&mut self, selector: &str, words: &str) {
        let find = format!(
            "[...document.querySelectorAll({selector:?})].find((it) => it.textContent.includes({words:?}))"
        );
        self.wait(&find);
        // As a mouse does: with the focus, where elements are HTML.
        self.value(&format!("(({find}).focus?.(), {find}.dispatchEvent(new MouseEvent('click', {{ bubbles: true }})), 0)"));
    }

    /// Presses a key.
    pub(crate) fn press(&mut self, key: &str, code: u32) {
        for kind in ["keyDown", "keyUp"] {
            let mut about = json!({ "type": kind, "key": key, "windowsVirtualKeyCode": code });
            if kind == "keyDown" && (key.chars().count() == 1 || key == "Enter") {
                about["text"] = json!(if key == "Enter" { "\r" } else { key });
            }
            self.call("Input.dispatchKeyEvent", &about);
        }
    }

    /// Types a text into the element that has the focus.
    pub(crate) fn type_in(&mut self, text: &str) {
        self.call("Input.insertText", &json!({ "text": text }));
    }

    /// Gives the page a size, and the system a theme.
    pub(crate) fn look(&mut self, (width, height): (u32, u32), theme: &str) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500 });
        self.call("Emulation.setDeviceMetricsOverride", &size);
        let feature = json!({ "name": "prefers-color-scheme", "value": theme });
        self.call("Emulation.setEmulatedMedia", &json!({ "features": [feature] }));
    }

    /// Writes a picture of what can be seen.
    pub(crate) fn picture(&mut self, file: &Path) {
        let taken = self.call("Page.captureScreenshot", &json!({ "format": "png" }));
        let bytes = decoded(taken["data"].as_str().expect("a picture"));
        std::fs::write(file, bytes).expect("a folder that can be written");
    }

    /// Has files that a page saves written to a folder.
    pub(crate) fn save_in(&mut self, folder: &Path) {
        let session = self.session.take();
        let about = json!({ "behavior": "allow", "downloadPath": folder });
        self.call("Browser.setDownloadBehavior", &about);
        self.session = session;
    }

    /// Complaints of the page's console, and exceptions that nobody caught.
    pub(crate) fn complaints(&mut self) -> Vec<String> {
        self.value("0");
        let is_one = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => {
                matches!(event["params"]["type"].as_str(), Some("error" | "warning" | "assert"))
            }
            Some("Log.entryAdded") => {
                matches!(event["params"]["entry"]["level"].as_str(), Some("error" | "warning"))
            }
            _ => false,
        };
        self.events.iter().filter(is_one).map(|event| event["params"].to_string()).collect()
    }

    /// The addresses of all requests.
    pub(crate) fn requests(&mut self) -> Vec<String> {
        self.value("0");
        let sent =
            self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        let url = |event: &Value| event["params"]["request"]["url"].as_str().map(str::to_owned);
        sent.filter_map(url).collect()
    }
}

/// Ends a browser that hangs.
fn watch(process: u32, is_over: Arc<AtomicBool>) {
    std::thread::spawn(move || {
        let pause = Duration::from_millis(200);
        for _ in 0..PATIENCE.as_millis() / pause.as_millis() {
            std::thread::sleep(pause);
            if is_over.load(Ordering::Relaxed) {
                return;
            }
        }
        let _ = Command::new("kill").arg(process.to_string()).status();
    });
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The bytes that base64 stands for.
fn decoded(text: &str) -> Vec<u8> {
    let digit = |sign: u8| match sign {
        b'A'..=b'Z' => Some(u32::from(sign - b'A')),
        b'a'..=b'z' => Some(u32::from(sign - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(sign - b'0') + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits: Vec<u32> = text.bytes().filter_map(digit).collect();
    let mut out = Vec::new();
    for four in digits.chunks(4) {
        let all = four.iter().fold(0, |all, digit| all << 6 | digit) << (6 * (4 - four.len()));
        let bytes = [all >> 16, all >> 8, all];
        out.extend(bytes.iter().take(four.len() - 1).map(|byte| (byte & 255) as u8));
    }
    out
}
