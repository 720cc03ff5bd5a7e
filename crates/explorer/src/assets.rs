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
    SCRIPT "accepting.js",
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
    SCRIPT "product.js",
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

#[cfg(test)]
mod tests {
    use super::*;

    /// How much two colours differ for the eye, as the W3C counts it.
    fn contrast(one: &str, other: &str) -> f64 {
        let light = |colour: &str| {
            let part = |at: usize| {
                let value = u8::from_str_radix(&colour[at..at + 2], 16).expect("a colour");
                let value = f64::from(value) / 255.0;
                if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
        };
        let (one, other) = (light(one), light(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn every_word_can_be_read_on_every_ground() {
        let style = find("style.css").expect("a file").text;
        let themes: Vec<&str> = style.split("--ground: ").skip(1).collect();
        assert_eq!(themes.len(), 3, "light, dark, and dark if it was chosen");
        for theme in themes {
            let theme = &theme[..theme.find("color-scheme").expect("the end")];
            let colour = |name: &str| match theme.split_once(&format!("--{name}: ")) {
                Some((_, rest)) => &rest[..7],
                None => &theme[..7],
            };
            let words =
                ["text", "quiet", "accent", "holds", "violated", "unknown", "taken", "enabled"];
            for word in words {
                for ground in ["ground", "raised", "chosen", "loop", "code", "changed"] {
                    let found = contrast(colour(word), colour(ground));
                    assert!(found >= 4.5, "{word} on {ground}: {found:.2}, {theme}");
                }
            }
        }
    }
}
