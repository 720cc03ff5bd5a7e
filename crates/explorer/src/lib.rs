//! The explorer: verdicts, runs and state spaces of a model in the browser.
//!
//! - [`Server`] serves a [`Model`] on an address, to those who know its [`url`](Server::url);
//! - [`page`] makes one page of verdicts that needs no server.
//!
//! A page is a client of the interface that `docs/book/explorer.md` describes, `/api/v1/…`, and of nothing private:
//! verdicts are `fairly.verdict/2`, runs are traces as `fairly check --trace` writes them. What a model is called and
//! says is material: it reaches a page as data and becomes text there, never markup.
//!
//! Two threads hold systems, however many clients ask: one answers questions one after the other, however heavy they are; the other
//! one does what a person waits for, such as a step of a simulation, within fixed limits. So ten clients hold no more
//! memory than one. A question is a connection, and ends with it.

mod answer;
mod api;
mod ask;
mod assets;
mod bench;
mod bundle;
mod command;
mod edit;
mod guard;
mod http;
mod model;
mod notions;
mod open;
pub mod page;
mod server;
mod simulate;
mod space;

pub use answer::{Origin, answer};
pub use model::{Model, Text};
pub use open::open;
pub use server::{Limits, Server, Settings};
