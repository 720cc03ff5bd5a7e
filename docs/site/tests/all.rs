//! The book becomes a site, and a book with a dead link does not.

use std::fs;
use std::path::{Path, PathBuf};

use fairly_site::SiteError;
use fairly_site::site::Site;

fn standing() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../book")
}

/// A folder of a test's own, empty.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("fairly-site-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// A book with two chapters.
fn book(name: &str, first: &str, second: &str) -> PathBuf {
    let folder = folder(name);
    fs::create_dir_all(folder.join("below")).expect("a folder");
    let summary = "# Summary\n\n[Start](README.md)\n\n- [Second](below/second.md)\n";
    for (file, text) in [("SUMMARY.md", summary), ("README.md", first), ("below/second.md", second)]
    {
        fs::write(folder.join(file), text).expect("a file");
    }
    folder
}

fn wrong(book: &Path) -> Vec<String> {
    match Site::read(book) {
        Err(SiteError::Links(wrong)) => wrong,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_book_has_all_its_pages_and_pictures() {
    let site = Site::read(&standing()).expect("no dead link");
    let out = folder("book");
    site.write(&out).expect("a site");
    for page in site.pages() {
        let html = fs::read_to_string(out.join(page.output())).expect("a page");
        assert!(html.contains("aria-current=\"page\""), "{}", page.file);
        assert!(page.headings.iter().any(|heading| heading.level == 1), "{}", page.file);
        assert!(!html.contains("{{#"), "{}: something is not included", page.file);
        // Pages ask nobody for anything.
        for source in html.split(" src=\"").skip(1).chain(html.split("<link ").skip(1)) {
            let place = source.split('"').next().expect("a part");
            assert!(!place.contains("://"), "{}: {place}", page.file);
        }
        for link in page.links.iter().filter(|link| link.is_picture) {
            let (file, _) = fairly_site::page::resolve(&page.file, &link.target).expect("a file");
            assert!(out.join(&file).is_file(), "{file}");
        }
    }
    let index = fs::read_to_string(out.join("search-index.js")).expect("an index");
    assert!(index.contains("strong fairness"), "the search knows the words of the book");
    fs::remove_dir_all(out).expect("it is ours");
}

#[test]
fn links_between_chapters_become_links_between_pages() {
    let first = "# Start\n\nSee [it](below/second.md#a-b) and [here](#start).\n";
    let second = "# Second\n\n## A `b`\n\nBack [to the start](../README.md), ![a](../a.png)\n";
    let book = book("between", first, second);
    fs::write(book.join("a.png"), "a picture").expect("a file");
    let site = Site::read(&book).expect("a site");
    let out = book.join("out");
    site.write(&out).expect("a site");
    let first = fs::read_to_string(out.join("index.html")).expect("a page");
    assert!(first.contains("href=\"below/second.html#a-b\""), "{first}");
    let second = fs::read_to_string(out.join("below/second.html")).expect("a page");
    assert!(second.contains("href=\"../index.html\""), "{second}");
    assert!(second.contains("<h2 id=\"a-b\">"), "{second}");
    assert!(out.join("a.png").is_file());
    fs::remove_dir_all(book).expect("it is ours");
}

#[test]
fn dead_links_are_named() {
    let first = "# Start\n\n[a](none.md) [b](below/second.md#none) ![c](none.png) [d](../out.md)\n";
    let book = book("dead", first, "# Second\n\n[e](https://example.org/none) [f](#second)\n");
    let wrong = wrong(&book);
    let about: Vec<&str> = wrong.iter().map(|line| line.split('`').nth(1).expect("it")).collect();
    assert_eq!(about, ["none.md", "below/second.md#none", "none.png", "../out.md"], "{wrong:#?}");
    fs::remove_dir_all(book).expect("it is ours");
}

#[test]
fn what_a_chapter_says_is_text() {
    let code =
        "# Start <b>x</b>\n\n```console\n$ fairly check -f '<> p' <a>\n<b>printed</b>\n```\n";
    let book = book("text", &format!("{code}\n<script>alert(1)</script>\n"), "# Second\n");
    let site = Site::read(&book).expect("a site");
    let html = &site.pages()[0].html;
    assert!(!html.contains("<script") && !html.contains("<b>"), "{html}");
    assert!(html.contains("fairly check -f '&lt;&gt; p' &lt;a&gt;</span>"), "{html}");
    fs::remove_dir_all(book).expect("it is ours");
}

#[test]
fn a_list_of_chapters_that_cannot_be_read_is_an_error_with_its_line() {
    let book = book("list", "# Start\n", "# Second\n");
    fs::write(book.join("SUMMARY.md"), "# Summary\n\n- Second\n").expect("a file");
    let error = Site::read(&book).expect_err("no link");
    assert!(error.to_string().starts_with("SUMMARY.md:3: "), "{error}");
    fs::remove_dir_all(book).expect("it is ours");
}
