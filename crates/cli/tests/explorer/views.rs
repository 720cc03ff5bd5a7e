//! The views of the explorer in a browser: by keyboard, by mouse, with a model that means harm, and as pictures.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use super::{Explorer, LARGE, write};
use crate::common::Folder;
use crate::common::browser::{self, Browser};

const LOCK: &str = include_str!("../../src/new/lock.pml");
/// Two locks, taken in opposite order.
const DEADLOCK: &str = "bool a, b;\n\
    active proctype P() { atomic { !a -> a = true }; atomic { !b -> b = true }; a = false; b = false }\n\
    active proctype Q() { atomic { !b -> b = true }; atomic { !a -> a = true }; a = false; b = false }\n";
/// Messages over a channel, and a rendezvous.
const MESSAGES: &str = include_str!("../../../../examples/promela/alternating_bit.pml");
/// A model two of whose runs differ in the middle.
const WRITERS: &str = include_str!("../../../../examples/promela/readers_writers.pml");
/// Sizes of a screen and of a phone.
const SIZES: [(&str, (u32, u32)); 2] = [("screen", (1280, 800)), ("phone", (390, 844))];

/// A browser, if there is one on this machine.
pub(super) fn browser(name: &str) -> Option<Browser> {
    let found = browser::find();
    if found.is_none() {
        eprintln!(
            "{name}: there is no Chromium, so nothing is looked at; FAIRLY_BROWSER names one"
        );
    }
    found.map(|program| Browser::start(&program, name))
}

/// No fact is missing where the page wants to tell one.
fn says_everything(browser: &mut Browser) {
    let text = browser.value("document.body.innerText");
    let text = text.as_str().unwrap_or_default();
    for word in ["undefined", "NaN", "[object", "null"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
}

/// Nothing was complained of, and nobody else was called.
pub(super) fn is_clean(browser: &mut Browser, url: &str) {
    says_everything(browser);
    assert_eq!(browser.complaints(), Vec::<String>::new());
    let is_own = |address: &String| {
        address.starts_with(url) || address.starts_with("data:") || address.starts_with("blob:")
    };
    let requests = browser.requests();
    assert!(!requests.is_empty() && requests.iter().all(is_own), "{requests:?}");
}

/// All questions have answers.
pub(super) const ANSWERED: &str = "document.querySelectorAll('.question').length > 0 && \
    [...document.querySelectorAll('.question')].every((it) => /holds|violated|unknown/.test(it.className))";

#[test]
fn a_loop_is_walked_by_keyboard_and_a_constraint_makes_the_property_hold() {
    let Some(mut page) = browser("loop") else { return };
    let explorer = Explorer::start("loop", "lock.pml", LOCK, &[]);
    page.look((1280, 800), "light");
    page.open(&explorer.url);
    page.wait(ANSWERED);
    assert_eq!(page.value("document.querySelectorAll('.question.violated').length"), json!(1));
    // What fails is shown without being asked for.
    page.wait("document.querySelector('.answer.violated .lasso')");
    page.value("document.querySelector('.lasso .scroll').focus()");
    let chosen = "document.querySelector('.row.chosen').getAttribute('aria-label')";
    let at = |page: &mut Browser| page.value(chosen).as_str().unwrap_or_default().to_owned();
    assert!(at(&mut page).starts_with("step 1 of 5, in the stem"), "{}", at(&mut page));
    for _ in 0..4 {
        page.press("ArrowRight", 39);
    }
    assert!(at(&mut page).starts_with("step 5 of 5, in the loop"), "{}", at(&mut page));
    // From the end of the loop to its beginning, and back.
    page.press("ArrowRight", 39);
    assert!(at(&mut page).starts_with("step 2 of 5"), "{}", at(&mut page));
    assert!(page.text(".lasso .tools").contains("round 2"));
    page.press("ArrowLeft", 37);
    assert!(at(&mut page).starts_with("step 5 of 5"), "{}", at(&mut page));
    page.press("l", 76);
    assert!(at(&mut page).starts_with("step 2 of 5"), "{}", at(&mut page));
    assert!(page.text(".excerpt .here").contains(":: true ->"));
    // The state changes are marked.
    page.press("ArrowRight", 39);
    page.press("ArrowRight", 39);
    assert!(page.text(".state .changed").contains("was"));
    // The ledger's button adds the constraint and asks again.
    page.click("button.add", "Add and ask again");
    page.wait(ANSWERED);
    page.wait("document.querySelectorAll('.question.holds').length === 4");
    assert_eq!(page.text(".chip code"), "sf(Worker[0])");
    assert!(page.text(".detail .command code").contains("--constraint 'sf(Worker[0])'"));
    // Under another notion; two runs beside each other.
    page.value("(() => { const it = document.querySelector('#fairness'); it.value = 'weak'; it.dispatchEvent(new Event('change')); })()");
    page.click(".chip button", "×");
    page.wait("document.querySelectorAll('.question.violated').length === 1");
    page.value("location.hash = 'compare'");
    page.wait("document.querySelectorAll('.compare .lasso').length === 2");
    assert!(page.text(".compare > p").contains("same"), "{}", page.text(".compare > p"));
    // Another run differs from it somewhere, and both timelines go there.
    page.value("location.hash = 'verdicts'");
    page.value("document.querySelector('#formula').focus()");
    page.type_in("[] !(Worker[1]@works)");
    page.press("Enter", 13);
    page.wait("document.querySelectorAll('.question.violated').length === 2");
    page.value("location.hash = 'compare'");
    page.wait("document.querySelectorAll('.compare .row.differs').length === 2");
    let marked = page.text(".compare .row.differs .number");
    assert!(marked.contains('≠'), "{marked}");
    let said = page.text(".compare > p");
    assert!(said.contains(marked.trim_start_matches("≠ ")), "{said} {marked}");
    assert_eq!(
        page.value("document.querySelectorAll('.compare .row.chosen.differs').length"),
        json!(2)
    );
    is_clean(&mut page, &explorer.url);
}

/// The method of automata, step by step: the automaton of the negation beside the product, in sync.
#[test]
fn the_automaton_and_the_product_step_in_sync_and_show_the_violating_run() {
    let Some(mut page) = browser("sync") else { return };
    let explorer = Explorer::start("sync", "lock.pml", LOCK, &[]);
    page.look((1280, 800), "light");
    page.open(&format!("{}#states", explorer.url));
    page.wait("document.querySelector('.graph .node')");
    page.value("(() => { const it = document.querySelector('.space select'); it.value = '3'; it.dispatchEvent(new Event('change')); })()");
    page.wait("document.querySelectorAll('.pair .graph').length === 2");
    let left = "document.querySelector('.pair figure:first-child .node.chosen').getAttribute('aria-label')";
    let right =
        "document.querySelector('.pair figure:last-child .node.chosen').getAttribute('aria-label')";
    let is_in_sync = |page: &mut Browser| {
        let (left, right) = (page.value(left), page.value(right));
        let left =
            left.as_str().and_then(|it| it.split(' ').nth(1)).unwrap_or("nowhere").to_owned();
        assert!(
            right.as_str().is_some_and(|it| it.contains(&format!(": {left},"))),
            "{left} {right}"
        );
    };
    is_in_sync(&mut page);
    for _ in 0..3 {
        page.click(".space .aside li button", "");
        is_in_sync(&mut page);
    }
    // The run that violates the formula goes round an accepting cycle.
    page.click("button", "Walk a violating run");
    let mut is_accepting = false;
    for _ in 0..12 {
        page.click(".walk button", "▶");
        is_in_sync(&mut page);
        is_accepting |= page.text(".space .aside").contains("which is accepting");
    }
    assert!(is_accepting && page.text(".walk").contains("cycle"), "{}", page.text(".space .aside"));
    assert_eq!(
        page.value("document.querySelectorAll('.pair figure:last-child .edge.taken').length"),
        json!(1)
    );
    // A formula that holds has no such run, and one of a person's own is drawn, too.
    page.value("(() => { const it = document.querySelector('.space select'); it.value = 'formula'; it.dispatchEvent(new Event('change')); })()");
    page.value("document.querySelector('.space input[aria-label=\"A formula\"]').focus()");
    page.type_in("<> [] !free");
    page.press("Enter", 13);
    page.wait("document.querySelectorAll('.pair .graph').length === 2");
    page.wait("document.querySelector('.space').textContent.includes('!free')");
    is_clean(&mut page, &explorer.url);
}

/// Where a product is too large for a picture, a person explores it outward.
#[test]
fn what_is_too_large_is_explored_outward() {
    let Some(mut page) = browser("outward") else { return };
    let explorer = Explorer::start("outward", "large.pml", LARGE, &["--max-states", "20000"]);
    page.look((1280, 800), "light");
    page.open(&format!("{}#states", explorer.url));
    page.wait("document.querySelector('.graph .node')");
    assert!(page.text(".space").contains("The whole has more than"), "{}", page.text(".space"));
    page.click(".graph .node:last-child", "");
    page.click(".space .aside button", "Show around it");
    page.wait("document.querySelector('.graph .node')");
    page.value("(() => { const it = document.querySelector('.space select'); it.value = '2'; it.dispatchEvent(new Event('change')); })()");
    page.wait("document.querySelector('.space .under, .space')?.textContent.includes('product')");
    page.wait("document.querySelectorAll('.pair .graph').length === 2 || document.querySelector('.space .problem') || document.querySelector('.aside').textContent.includes('empty')");
    is_clean(&mut page, &explorer.url);
}

/// Every control has a name for those who do not see it, and every view is reached and used by keys alone.
#[test]
fn views_have_names_and_keys() {
    let Some(mut page) = browser("keys") else { return };
    let explorer = Explorer::start("keys", "lock.pml", LOCK, &[]);
    page.look((1280, 800), "light");
    page.open(&explorer.url);
    page.wait(ANSWERED);
    page.wait("document.querySelector('.answer.violated .lasso')");
    page.press("?", 191);
    page.wait("document.querySelector('dialog').open");
    page.press("Escape", 27);
    page.wait("!document.querySelector('dialog').open");
    page.call("Accessibility.enable", &json!({}));
    for (at, view) in
        ["verdicts", "compare", "simulate", "states", "fairness", "source"].into_iter().enumerate()
    {
        let digit = char::from(b'1' + at as u8).to_string();
        let key = json!({ "type": "keyDown", "key": digit, "code": format!("Digit{digit}"), "windowsVirtualKeyCode": 49 + at, "modifiers": 1 });
        page.call("Input.dispatchKeyEvent", &key);
        page.wait(&format!("location.hash === '#{view}'"));
        let drawn = match view {
            "simulate" => "document.querySelector('.offered .step')",
            "states" => "document.querySelector('.graph .node')",
            "fairness" => {
                "document.querySelector('.notion') && document.querySelector('.fairness .aside .command')"
            }
            _ => "document.querySelector('main').childElementCount > 0",
        };
        page.wait(drawn);
        let tree = page.call("Accessibility.getFullAXTree", &json!({}));
        let roles = [
            "button",
            "link",
            "textbox",
            "combobox",
            "listbox",
            "option",
            "spinbutton",
            "checkbox",
            "image",
            "img",
        ];
        for node in tree["nodes"].as_array().expect("a list") {
            let role = node["role"]["value"].as_str().unwrap_or_default();
            let is_hidden = node["ignored"] == json!(true);
            let name = node["name"]["value"].as_str().unwrap_or_default();
            assert!(
                is_hidden || !roles.contains(&role) || !name.trim().is_empty(),
                "{view}: {node}"
            );
        }
    }
    is_clean(&mut page, &explorer.url);
}

/// Paper is light, and everything that is pressed is not on it.
#[test]
fn every_view_is_printed_light_and_whole() {
    let Some(mut page) = browser("print") else { return };
    let explorer = Explorer::start("print", "lock.pml", LOCK, &[]);
    page.look((1280, 800), "dark");
    page.open(&explorer.url);
    page.wait(ANSWERED);
    page.wait("document.querySelector('.answer.violated .lasso')");
    page.value("document.documentElement.dataset.theme = 'dark'");
    let dark = page.value("getComputedStyle(document.body).backgroundColor");
    page.call("Emulation.setEmulatedMedia", &json!({ "media": "print", "features": [{ "name": "prefers-color-scheme", "value": "dark" }] }));
    let light = page.value("getComputedStyle(document.body).backgroundColor");
    assert!(light == json!("rgb(255, 255, 255)") && dark != light, "{dark} {light}");
    for view in ["verdicts", "simulate", "states", "fairness", "source"] {
        page.value(&format!("location.hash = {view:?}"));
        page.wait("document.querySelector('main').innerText.trim() !== ''");
        let pressed = page.value("[...document.querySelectorAll('.tools button, .settings, nav, select')].filter((it) => it.checkVisibility()).length");
        assert_eq!(pressed, json!(0), "{view}");
        let printed = page.call("Page.printToPDF", &json!({}));
        assert!(printed["data"].as_str().is_some_and(|data| data.len() > 4_000), "{view}");
    }
}

#[test]
fn a_simulation_reaches_a_deadlock_and_an_edit_shows_a_diagnostic() {
    let Some(mut page) = browser("simulate") else { return };
    let explorer = Explorer::start("simulate", "locks.pml", DEADLOCK, &[]);
    page.look((1280, 800), "light");
    page.open(&explorer.url);
    page.wait(ANSWERED);
    page.wait("document.querySelector('.answer.violated .lasso')");
    assert!(page.text(".answer").contains("waits for"), "{}", page.text(".answer"));
    says_everything(&mut page);
    page.open("about:blank");
    page.open(&format!("{}#simulate", explorer.url));
    page.wait("document.querySelector('.offered .step')");
    page.wait("document.activeElement.matches('.step')");
    page.press("1", 49);
    page.wait("document.querySelector('.offered h2').textContent.startsWith('Step 2')");
    page.click(".group:last-of-type .step", "");
    page.wait("document.querySelector('.said').textContent.includes('deadlock')");
    assert!(page.text(".offered h2").contains("Nothing can happen"));
    page.press("Backspace", 8);
    page.wait("document.querySelector('.offered h2').textContent.startsWith('Step 2')");
    // Until a condition becomes true.
    page.value("document.querySelector('.simulate input[aria-label=Until]').focus()");
    page.type_in("a == 1 && b == 1");
    page.press("Enter", 13);
    page.wait("/stopped|further/.test(document.querySelector('.said').textContent)");
    // The states, of which one is a deadlock.
    page.value("location.hash = 'states'");
    page.wait("document.querySelector('.node.deadlock')");
    // The text: what is typed is looked at, and the file stays as it is until it is saved.
    page.value("location.hash = 'source'");
    page.wait("document.querySelector('.editor textarea').value.includes('proctype')");
    page.value("(() => { const it = document.querySelector('.editor textarea'); it.focus(); it.setSelectionRange(0, 0); })()");
    page.type_in("byte c = ;\n");
    page.wait("document.querySelector('#diagnostics .problem')");
    assert!(
        page.text("#diagnostics .problem").contains("locks.pml:1:"),
        "{}",
        page.text("#diagnostics")
    );
    assert!(page.text(".gutter .wrong").contains('1'));
    let saved = || fs::read_to_string(explorer.folder.0.join("locks.pml")).expect("the file");
    assert_eq!(saved(), DEADLOCK);
    page.click(".edit button", "Undo all changes");
    page.value("(() => { const it = document.querySelector('.editor textarea'); it.focus(); it.setSelectionRange(0, 0); })()");
    page.type_in("byte c;\n");
    page.wait("document.querySelector('#diagnostics').textContent.includes('Nothing is wrong')");
    page.click(".edit button", "Save to the file");
    page.wait("document.querySelector('.edit .tools').textContent.includes('saved') && !document.querySelector('.edit .tools').textContent.includes('not saved')");
    assert_eq!(saved(), format!("byte c;\n{DEADLOCK}"));
    is_clean(&mut page, &explorer.url);
}

#[test]
fn names_that_mean_harm_are_text() {
    let Some(mut page) = browser("hostile") else { return };
    let name = "<img src=x onerror=harm=1>.aut";
    let text = "des (0, 3, 2)\n(0, \"<script>window.harm = 1</script>\", 1)\n\
                (1, \"<img src=x onerror='window.harm=1'>\", 0)\n(1, \"</script><svg onload=window.harm=1>\", 1)\n";
    let explorer = Explorer::start("hostile", name, text, &[]);
    page.look((1280, 800), "dark");
    page.open(&explorer.url);
    let harmless = "window.harm === undefined && document.querySelectorAll('img, script:not([src]), iframe').length === 0";
    page.wait("document.querySelector('#formula')");
    page.value("document.querySelector('#formula').focus()");
    page.type_in("[] <> \"<b>harm</b>\"");
    page.press("Enter", 13);
    page.wait("document.querySelector('.problem')");
    page.value("document.querySelector('#formula').select()");
    page.type_in("<> [] false");
    page.press("Enter", 13);
    page.wait("document.querySelector('.answer.violated .lasso')");
    assert!(page.text(".lasso .rows").contains("<script>"), "{}", page.text(".lasso .rows"));
    page.click("button", "Message chart");
    for view in ["simulate", "states", "fairness", "source", "compare"] {
        page.value(&format!("location.hash = {view:?}"));
        page.wait(&format!("document.querySelector('main').childElementCount > 0 && {harmless}"));
    }
    page.value("location.hash = 'states'");
    page.wait("document.querySelector('.graph .edge-label')");
    assert!(page.text(".graph").contains("<script>"));
    page.wait(harmless);
    assert!(page.value("document.title").as_str().is_some_and(|title| title.contains("<img")));
    is_clean(&mut page, &explorer.url);
    // The same in a page of its own, which has the names as data.
    let status = Command::new(env!("CARGO_BIN_EXE_fairly"))
        .args([
            "check",
            "-q",
            "-f",
            "<> [] false",
            "--report",
            "html=page.html",
            &format!("./{name}"),
        ])
        .current_dir(&explorer.folder.0)
        .stdout(Stdio::null())
        .status()
        .expect("the binary runs");
    assert_eq!(status.code(), Some(1));
    page.open(&format!("file://{}/page.html", explorer.folder.0.display()));
    page.wait("document.querySelector('.lasso .rows .row')");
    assert!(page.text(".lasso .rows").contains("<script>"));
    let script = "window.harm === undefined && document.querySelectorAll('img, iframe, svg[onload]').length === 0 && document.scripts.length === 2";
    page.wait(script);
    assert_eq!(page.complaints(), Vec::<String>::new());
}

#[test]
fn a_run_of_thousands_of_steps_scrolls() {
    let Some(mut page) = browser("long") else { return };
    let text = "short x;\nactive proctype P() { do :: x < 5000 -> x++ :: else -> x = 0 od }\nltl low { [] (x < 5000) }\n";
    let explorer = Explorer::start("long", "long.pml", text, &[]);
    page.look((1280, 800), "light");
    page.open(&explorer.url);
    page.wait(ANSWERED);
    page.click(".question.violated .choose", "low");
    page.wait("document.querySelector('.lasso')");
    let count = page.value("document.querySelector('.row.chosen').getAttribute('aria-setsize')");
    let count: usize = count.as_str().and_then(|count| count.parse().ok()).expect("a number");
    assert!(count > 5000, "{count}");
    page.value("document.querySelector('.lasso .scroll').focus()");
    page.press("End", 35);
    page.wait(&format!(
        "document.querySelector('.row.chosen').getAttribute('aria-posinset') === '{count}'"
    ));
    // Only what is seen is in the page.
    assert!(page.value("document.querySelectorAll('.row').length < 100") == json!(true));
    is_clean(&mut page, &explorer.url);
}

#[test]
fn pictures_of_every_view_are_taken() {
    let Some(mut page) = browser("pictures") else { return };
    let (kept, folder) = pictures();
    let explorer = Explorer::start("pictures", "lock.pml", LOCK, &[]);
    let channels = Explorer::start("channels", "alternating_bit.pml", MESSAGES, &[]);
    let writers = Explorer::start("writers", "readers_writers.pml", WRITERS, &[]);
    let large = Explorer::start("progress", "large.pml", LARGE, &["--max-states", "50000000"]);
    write(&explorer.folder.0, "lock.pml", LOCK);
    let written = Command::new(env!("CARGO_BIN_EXE_fairly"))
        .args(["check", "-q", "--report", "html=page.html", "lock.pml"])
        .current_dir(&explorer.folder.0)
        .stdout(Stdio::null())
        .status();
    assert!(written.is_ok());
    for (size, pixels) in SIZES {
        for theme in ["light", "dark"] {
            // A phone is looked at in one theme, a screen in both.
            if size == "phone" && theme == "dark" {
                continue;
            }
            page.look(pixels, theme);
            let take = |page: &mut Browser, view: &str| {
                says_everything(page);
                // No text runs out of the page sideways.
                let wide = page.value("document.documentElement.scrollWidth <= innerWidth + 1");
                assert_eq!(wide, json!(true), "{view}, {size}");
                let kind = if size == "phone" { "phone" } else { theme };
                let file = folder.join(format!("{view}-{kind}.png"));
                page.picture(&file);
                // The book is read over networks; where the program is not there, a picture is a little larger.
                if kept.is_none() {
                    let _ = Command::new("optipng").args(["-quiet", "-o2"]).arg(&file).status();
                }
            };
            page.open("about:blank");
            page.open(&explorer.url);
            page.wait(ANSWERED);
            page.wait("document.querySelector('.answer.violated .lasso')");
            page.value("document.querySelector('.lasso .scroll').focus({ preventScroll: true })");
            for _ in 0..3 {
                page.press("ArrowRight", 39);
            }
            page.value("scrollTo(0, 0)");
            take(&mut page, "verdicts");
            page.value("location.hash = 'simulate'");
            page.wait("document.querySelector('.offered .step')");
            for step in 1..4 {
                page.click(".step", "");
                page.wait(&format!(
                    "document.querySelector('.offered h2').textContent.startsWith('Step {}')",
                    step + 1
                ));
            }
            take(&mut page, "simulate");
            page.value("location.hash = 'states'");
            page.wait("document.querySelector('.graph .node')");
            page.click(".graph .node", "");
            take(&mut page, "states");
            page.value("(() => { const it = document.querySelector('.space select'); it.value = '3'; it.dispatchEvent(new Event('change')); })()");
            page.wait("document.querySelectorAll('.pair .graph').length === 2");
            page.click(".space .aside li button", "");
            take(&mut page, "product");
            page.value("location.hash = 'fairness'");
            page.wait("document.querySelector('.lattice')");
            page.value("(() => { const it = document.querySelector('.fairness select'); it.value = it.options[it.options.length - 1].value; it.dispatchEvent(new Event('change')); })()");
            page.wait("document.querySelector('.notion.violated') && document.querySelector('.fairness .set')");
            take(&mut page, "fairness");
            page.value("location.hash = 'source'");
            page.wait("document.querySelector('.editor textarea')");
            page.value("(() => { const it = document.querySelector('.edit .aside input'); it.value = '[] (free -> <> !free)'; it.dispatchEvent(new Event('input')); })()");
            page.wait("document.querySelector('.tried .graph')");
            page.value("(() => { const text = document.querySelector('.editor textarea'); text.value = text.value.replace('free = true  ', 'fre = true  '); text.dispatchEvent(new Event('input')); })()");
            page.wait("document.querySelector('#diagnostics .problem')");
            take(&mut page, "source");
            page.open(&channels.url);
            page.wait(ANSWERED);
            page.wait("document.querySelector('.answer .lasso')");
            page.click("button", "Message chart");
            page.wait("document.querySelector('.chart')");
            if size == "phone" {
                page.value("document.querySelector('.chart').closest('.picture').scrollIntoView()");
            }
            take(&mut page, "chart");
            page.open(&writers.url);
            page.wait(ANSWERED);
            page.value("(() => { const it = document.querySelector('#fairness'); it.value = 'weak'; it.dispatchEvent(new Event('change')); })()");
            page.wait(ANSWERED);
            page.value("location.hash = 'compare'");
            page.wait("document.querySelectorAll('.compare .lasso').length === 2");
            page.value("(() => { for (const [which, at] of [[0, 0], [1, 4]]) { const it = document.querySelectorAll('.compare select')[which]; it.value = [...it.options].find((one) => one.textContent.includes('shared') && one.textContent.includes(which === 0 ? 'no fairness' : 'weak')).value; it.dispatchEvent(new Event('change')); } })()");
            page.wait("document.querySelectorAll('.compare .row.differs').length === 2");
            assert!(page.text(".compare > p").contains("They differ first in step"));
            take(&mut page, "compare");
            page.open(&large.url);
            page.click(".question .choose", "small");
            page.wait("(document.querySelector('.plot polyline')?.getAttribute('points').split(' ').length ?? 0) > 8");
            take(&mut page, "progress");
            // A tab that is closed stops its search.
            page.open(&format!("file://{}/page.html", explorer.folder.0.display()));
            page.wait("document.querySelector('.lasso .row')");
            take(&mut page, "page");
        }
    }
    assert_eq!(page.complaints(), Vec::<String>::new());
}

/// Where pictures go: into the book, if they are wanted there.
pub(super) fn pictures() -> (Option<Folder>, PathBuf) {
    if std::env::var_os("FAIRLY_BLESS").is_some() {
        let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/explorer");
        fs::create_dir_all(&book).expect("the book");
        return (None, book);
    }
    let folder = Folder::new("explorer-pictures-taken");
    let path = folder.0.clone();
    (Some(folder), path)
}
