//! Listening for clients, and what a client waits for while a question is answered.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use fairly_check::workers::Workers;
use fairly_report::json;
use fairly_search::{Engine, Watch};
use fairly_store::meter;
use serde_json::{Value, json};

use crate::api;
use crate::ask::{self, Ask, Kind, problem};
use crate::bench::{Bench, Worker};
use crate::guard::{Token, admitted};
use crate::http::{self, Events, Malformed};
use crate::model::Model;

/// Connections at once; a browser opens six.
const MOST_CONNECTIONS: usize = 64;
/// Questions that wait for the one that is answered.
const MOST_WAITING: usize = 32;
/// How often a client hears how far a search is.
const PAUSE: Duration = Duration::from_millis(100);

/// Limits of every question.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Time of one.
    pub time: Option<Duration>,
    /// Nodes of one.
    pub states: Option<usize>,
    /// Bytes of memory.
    pub bytes: Option<usize>,
    /// The engine, if one is chosen.
    pub engine: Option<&'static Engine>,
    /// Workers that search at once.
    pub workers: Workers,
}

/// Where a server listens, and what it allows.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The address.
    pub address: IpAddr,
    /// The port; any that is free if it is 0.
    pub port: u16,
    /// Limits of every question.
    pub limits: Limits,
}

/// A server of one model.
pub struct Server {
    listener: TcpListener,
    state: Arc<State>,
}

/// Everything that connections share.
pub(crate) struct State {
    pub(crate) model: Arc<dyn Model>,
    token: Token,
    at: SocketAddr,
    pub(crate) limits: Limits,
    /// Answers questions, one after the other.
    heavy: Worker,
    /// Does what a person waits for.
    light: Worker,
    connections: AtomicUsize,
}

impl Server {
    /// Listens for clients of a model.
    ///
    /// # Errors
    /// When the address is not to be had.
    pub fn bind(model: Box<dyn Model>, settings: &Settings) -> io::Result<Server> {
        let listener = TcpListener::bind((settings.address, settings.port))?;
        let model: Arc<dyn Model> = Arc::from(model);
        let state = State {
            at: listener.local_addr()?,
            token: Token::random()?,
            limits: settings.limits,
            heavy: Worker::start("questions", Arc::clone(&model), MOST_WAITING)?,
            light: Worker::start("views", Arc::clone(&model), MOST_WAITING)?,
            connections: AtomicUsize::new(0),
            model,
        };
        Ok(Server { listener, state: Arc::new(state) })
    }

    /// The address of the page, with the token in it.
    pub fn url(&self) -> String {
        let State { at, token, .. } = &*self.state;
        let host = match at.ip() {
            ip if ip.is_unspecified() => format!("localhost:{}", at.port()),
            _ => at.to_string(),
        };
        format!("http://{host}/{}/", token.text())
    }

    /// Serves clients until the process ends.
    pub fn run(self) {
        for stream in self.listener.incoming() {
            let Ok(mut stream) = stream else {
                // There are no more files to be had, for a while.
                std::thread::sleep(PAUSE);
                continue;
            };
            let state = Arc::clone(&self.state);
            if state.connections.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
                state.connections.fetch_sub(1, Ordering::Relaxed);
                http::respond(&mut stream, 503, "text/plain", b"there are too many connections\n");
                continue;
            }
            let of_thread = Arc::clone(&state);
            let serve = move || {
                let _counted = Counted(&of_thread.connections);
                of_thread.serve(&mut stream);
            };
            if std::thread::Builder::new().name("client".to_owned()).spawn(serve).is_err() {
                state.connections.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }
}

/// One connection fewer when it is dropped.
struct Counted<'a>(&'a AtomicUsize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A response as a whole: its status and its document.
pub(crate) type Reply = (u16, Value);

impl State {
    /// Reads a request and answers it.
    fn serve(&self, stream: &mut TcpStream) {
        let request = match http::read(stream) {
            Ok(Some(request)) => request,
            Ok(None) => return,
            Err(Malformed(status, why)) => return refuse(stream, status, why),
        };
        match admitted(&request, &self.token, self.at) {
            Ok(rest) => api::route(self, stream, &request, rest),
            Err(why) => refuse(stream, 403, why),
        }
    }

    /// Does something with the bench for views, and gives what comes of it.
    pub(crate) fn view(&self, work: impl FnOnce(&mut Bench) -> Reply + Send + 'static) -> Reply {
        let (sender, receiver) = mpsc::sync_channel(1);
        let put = self.light.put(Box::new(move |bench| {
            // The client may be gone.
            let _ = sender.send(work(bench));
        }));
        if put.is_err() {
            return (503, json::value(&problem("too much is asked at once")));
        }
        // A panic drops the sender.
        let bug = || (500, json::value(&problem("internal error: this is a bug in fairly")));
        receiver.recv().unwrap_or_else(|_| bug())
    }

    /// Answers a question as a stream of events, until the client closes it.
    pub(crate) fn answer(&self, stream: &mut TcpStream, ask: Ask, kind: Kind) {
        // A search looks at it from wherever it is, so it stays: a few dozen bytes a question.
        let watch: &'static Watch = Box::leak(Box::default());
        let (sender, receiver) = mpsc::channel();
        let limits = self.limits;
        let put = self.heavy.put(Box::new(move |bench| {
            if !watch.is_stopped() {
                ask::answered(bench, (&ask, kind), &limits, watch, &sender);
            }
        }));
        let Ok(number) = put else {
            return refuse(stream, 503, "too many questions wait already");
        };
        if self.tell(stream, number, watch, &receiver).is_err() {
            watch.stop();
            self.heavy.withdraw(number);
        }
    }

    /// Tells a client what comes of a question. Fails when the client is gone.
    fn tell(
        &self,
        stream: &mut TcpStream,
        number: u64,
        watch: &Watch,
        receiver: &mpsc::Receiver<ask::Event>,
    ) -> io::Result<()> {
        let mut events = Events::begin(stream)?;
        let (mut begun, mut told, mut is_answered) = (None, None, false);
        loop {
            match receiver.recv_timeout(PAUSE) {
                Ok((event, data)) => {
                    is_answered |= event != "partial";
                    events.send(event, &data)?;
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => match self.heavy.before(number) {
                    // Said once: what is in front changes seldom.
                    Some(before) if told == Some(before) => {}
                    Some(before) => {
                        told = Some(before);
                        events.send("waiting", &json!({ "before": before }))?;
                    }
                    None => {
                        let begun: &Instant = begun.get_or_insert_with(Instant::now);
                        events.send("progress", &progress(watch, *begun))?;
                    }
                },
            }
            if events.is_closed() {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
        }
        if !is_answered {
            events.send(
                "problem",
                &json::value(&problem("internal error: this is a bug in fairly")),
            )?;
        }
        events.send("end", &json!({}))?;
        events.end();
        Ok(())
    }
}

/// How far a search is.
fn progress(watch: &Watch, begun: Instant) -> Value {
    let seen = watch.seen();
    json!({
        "phase": watch.phase().map(|phase| phase.to_string()),
        "states": seen.nodes,
        "steps": seen.steps,
        "depth": seen.waiting,
        "components": seen.components,
        "bytes": seen.bytes,
        "memory": meter::used(),
        "seconds": begun.elapsed().as_secs_f64(),
    })
}

/// Says why there is no answer.
pub(crate) fn refuse(stream: &mut TcpStream, status: u16, why: &str) {
    respond(stream, (status, json::value(&problem(why))));
}

/// Writes a document.
pub(crate) fn respond(stream: &mut TcpStream, (status, document): Reply) {
    http::respond(stream, status, "application/json", document.to_string().as_bytes());
}

/// Workers as the command line counts them.
impl Limits {
    /// The same with so many workers.
    #[must_use]
    pub fn with_workers(mut self, count: NonZeroUsize) -> Limits {
        self.workers = Workers { count, ..Workers::default() };
        self
    }
}
