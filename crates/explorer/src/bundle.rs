//! Modules put together as one script: a page asks for one file, and a page without a server can have its code in it.

use crate::assets;

/// A module and those that it imports as one script: each becomes a function that returns what it exports. Modules keep
/// to two rules, which a test looks at: an import is one line, and an export stands in front of what it exports.
pub(crate) fn bundle(entry: &str) -> String {
    let mut out = "\"use strict\";\n".to_owned();
    let mut done = Vec::new();
    let mut open = vec![(entry.to_owned(), false)];
    while let Some((name, is_ready)) = open.pop() {
        if done.contains(&name) {
            continue;
        }
        let text = assets::find(&name).map_or("", |asset| asset.text);
        if is_ready {
            out.push_str(&function(&name, text));
            done.push(name);
        } else {
            open.push((name, true));
            open.extend(text.lines().filter_map(import).map(|(_, from)| (from.to_owned(), false)));
        }
    }
    out
}

/// The names and the module of an import.
fn import(line: &str) -> Option<(&str, &str)> {
    let (names, from) = line.strip_prefix("import {")?.split_once("} from \"./")?;
    Some((names.trim(), from.strip_suffix("\";")?))
}

/// The name of a module as one of a variable.
fn variable(name: &str) -> String {
    format!("module_{}", name.trim_end_matches(".js").replace(['/', '-', '.'], "_"))
}

fn function(name: &str, text: &str) -> String {
    let mut body = String::new();
    let mut exports = Vec::new();
    for line in text.lines() {
        if let Some((names, from)) = import(line) {
            let names = names.replace(" as ", ": ");
            body.push_str(&format!("const {{ {names} }} = {};\n", variable(from)));
            continue;
        }
        let kept = line.strip_prefix("export ").unwrap_or(line);
        // The library, which was made small, names its exports at its end.
        if let Some((before, list)) = line.rsplit_once("export{") {
            let list = list.trim_end_matches("};").split(',');
            exports.extend(list.map(|item| match item.split_once(" as ") {
                Some((own, name)) => format!("{name}: {own}"),
                None => item.to_owned(),
            }));
            body.push_str(before);
            body.push('\n');
            continue;
        }
        if kept.len() < line.len() {
            let words = kept
                .split([' ', '('])
                .filter(|word| !matches!(*word, "async" | "function" | "class" | "const"));
            exports.extend(words.take(1).map(str::to_owned));
        }
        body.push_str(kept);
        body.push('\n');
    }
    format!(
        "const {} = (() => {{\n{body}return {{ {} }};\n}})();\n",
        variable(name),
        exports.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_become_one_script() {
        let script = bundle("report.js");
        assert!(!script.contains("</script") && !script.contains("<!--"));
        for line in script.lines() {
            assert!(!line.starts_with("import ") && !line.starts_with("export "), "{line}");
        }
        assert!(script.ends_with("})();\n"));
        let begun = script.matches("\nconst module_").count();
        assert!(begun >= 6 && script.contains("const module_report = "));
        let whole = bundle("app.js");
        assert!(!whole.contains("export{") && whole.contains("layout: "));
        // Every module is a part of one of the two.
        for asset in assets::ASSETS.iter().filter(|asset| asset.name.ends_with(".js")) {
            let begin = format!("const {} = ", variable(asset.name));
            assert!(whole.contains(&begin) || script.contains(&begin), "{}", asset.name);
        }
    }

    #[test]
    fn no_module_makes_markup_of_text() {
        let own = assets::ASSETS.iter().filter(|asset| !asset.name.starts_with("vendor/"));
        for asset in own {
            for word in [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
                "new Function",
                "DOMParser",
                "srcdoc",
                "javascript:",
                "http:",
                "https:",
            ] {
                let is_name = word == "http:" && asset.text.contains("http://www.w3.org/2000/svg");
                assert!(is_name || !asset.text.contains(word), "{}: {word}", asset.name);
            }
        }
    }
}
