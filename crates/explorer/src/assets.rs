//! The files of the page, which are a part of the program.

use std::sync::LazyLock;

use crate::bundle::bundle;

/// A file.
pub(crate) struct Asset {
    /// Path below the address of the server.
    pub(crate) name: &'static str,
    /// Content type.
    pub(crate) kind: &'static str,
    /// Contents.
    pub(crate) text: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! assets {
    ($($kind:ident $name:literal,)*) => {
        /// Every file.
        pub(crate) const ASSETS: &[Asset] = &[
            $(Asset { name: $name, kind: $kind, text: include_str!(concat!("../web/", $name)) },)*
        ];
    };
}

assets! {
    HTML "index.html",
    CSS "style.css",
    SCRIPT "answer.js",
    SCRIPT "api.js",
    SCRIPT "app.js",
    SCRIPT "chart.js",
    SCRIPT "compare.js",
    SCRIPT "dom.js",
    SCRIPT "edit.js",
    SCRIPT "export.js",
    SCRIPT "highlight.js",
    SCRIPT "lasso.js",
    SCRIPT "lattice.js",
    SCRIPT "layout.js",
    SCRIPT "ledger.js",
    SCRIPT "problems.js",
    SCRIPT "report.js",
    SCRIPT "run.js",
    SCRIPT "runs.js",
    SCRIPT "simulate.js",
    SCRIPT "source.js",
    SCRIPT "space.js",
    SCRIPT "verdicts.js",
    SCRIPT "vendor/dagre.js",
}

/// The script of the page: every module that its first one needs.
static SCRIPT_OF_PAGE: LazyLock<String> = LazyLock::new(|| bundle("app.js"));

/// The file with a name.
pub(crate) fn find(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

/// A file that is served, and its content type.
pub(crate) fn served(name: &str) -> Option<(&'static str, &'static str)> {
    match name {
        "explorer.js" => Some((SCRIPT, &SCRIPT_OF_PAGE)),
        "index.html" | "style.css" => find(name).map(|asset| (asset.kind, asset.text)),
        _ => None,
    }
}
