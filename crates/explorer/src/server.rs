//! Listening for clients, and what a client waits for while a question is answered.

use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
/// Bytes of the bodies of all requests together, so that ten clients hold little more than one: a body is at most
/// half of it.
const MOST_BYTES: usize = 64 << 20;
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
    strangers: Strangers,
    /// Bytes of the bodies of requests that are being answered.
    bodies: AtomicUsize,
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
            strangers: Strangers::default(),
            bodies: AtomicUsize::new(0),
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
        for (number, stream) in (0..).zip(self.listener.incoming()) {
            let Ok(mut stream) = stream else {
                // There are no more files to be had, for a while.
                std::thread::sleep(PAUSE);
                continue;
            };
            let state = Arc::clone(&self.state);
            // A connection without a request makes room for the next one, so idle connections keep no client out.
            // Clients that have shown the token stay.
            let is_full = state.connections.load(Ordering::Relaxed) >= MOST_CONNECTIONS;
            if is_full && !state.strangers.drop_oldest() {
                http::turn_away(&mut stream);
                continue;
            }
            state.connections.fetch_add(1, Ordering::Relaxed);
            state.strangers.add(number, &stream);
            let of_thread = Arc::clone(&state);
            let serve = move || {
                let _counted = Counted(&of_thread, number);
                of_thread.serve(&mut stream, number);
            };
            if std::thread::Builder::new().name("client".to_owned()).spawn(serve).is_err() {
                drop(Counted(&state, number));
            }
        }
    }
}

/// Connections of clients that have not shown the token, the oldest first.
#[derive(Default)]
struct Strangers(Mutex<VecDeque<(u64, TcpStream)>>);

impl Strangers {
    fn all(&self) -> MutexGuard<'_, VecDeque<(u64, TcpStream)>> {
        // Nothing is left half done while it is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, number: u64, stream: &TcpStream) {
        if let Ok(stream) = stream.try_clone() {
            self.all().push_back((number, stream));
        }
    }

    fn remove(&self, number: u64) {
        self.all().retain(|(other, _)| *other != number);
    }

    /// Ends the connection of the one that has been here the longest; false if there is none.
    fn drop_oldest(&self) -> bool {
        let Some((_, stream)) = self.all().pop_front() else { return false };
        // The thread that reads from it ends.
        let _ = stream.shutdown(Shutdown::Both);
        true
    }
}

/// Bytes of bodies that are held, given back when it is dropped.
struct Held<'a>(&'a AtomicUsize, usize);

impl Held<'_> {
    fn take(held: &AtomicUsize, bytes: usize) -> Option<Held<'_>> {
        let before = held.fetch_add(bytes, Ordering::Relaxed);
        let taken = Held(held, bytes);
        (before.saturating_add(bytes) <= MOST_BYTES).then_some(taken)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(self.1, Ordering::Relaxed);
    }
}

/// One connection fewer when it is dropped, the one with this number.
struct Counted<'a>(&'a State, u64);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.strangers.remove(self.1);
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A response as a whole: its status and its document.
pub(crate) type Reply = (u16, Value);

impl State {
    /// Reads a request and answers it.
    fn serve(&self, stream: &mut TcpStream, number: u64) {
        let begun = match http::begin(stream) {
            Ok(Some(begun)) => begun,
            Ok(None) => return,
            Err(Malformed(status, why)) => return refuse(stream, status, why),
        };
        let rest = match admitted(&begun.request, &self.token, self.at) {
            Ok(rest) => rest.to_owned(),
            Err(why) => return refuse(stream, 403, why),
        };
        self.strangers.remove(number);
        let Some(_held) = Held::take(&self.bodies, begun.length()) else {
            return refuse(stream, 503, "too much is sent at once");
        };
        match begun.read(stream) {
            Ok(Some(request)) => api::route(self, stream, &request, &rest),
            Ok(None) => {}
            Err(Malformed(status, why)) => refuse(stream, status, why),
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
