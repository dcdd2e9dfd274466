"""Rust: what cargo and rustc say of code that does not compile."""

from case import Case

NEEDS = ["cargo"]
MANIFEST = '[package]\nname = "shelf"\nversion = "0.1.0"\nedition = "2021"\n'
BUILD = "cargo build --offline --quiet"
LOUD = "cargo build --offline"

BROKEN = {
    "undeclared": "pub fn price() -> u32 {\n    total\n}\n",
    "undeclared-other": "pub fn price() -> u32 {\n    discount\n}\n",
    "mismatched": 'pub fn title() -> String {\n    "Shelf"\n}\n',
    "mismatched-number": "pub fn count(books: &[u8]) -> u32 {\n    books.len()\n}\n",
    "moved-value": "pub fn twice(name: String) -> (String, String) {\n    let first = name;\n    (first, name)\n}\n",
    "borrowed": "pub fn push(list: &mut Vec<u8>) {\n    let first = &list[0];\n    list.push(1);\n    println!(\"{first}\");\n}\n",
    "import": "use crate::nowhere::Book;\n\npub fn book() -> Book {\n    Book\n}\n",
    "crate": "use serde_yaml::Value;\n\npub fn value() -> Value {\n    Value::Null\n}\n",
    "module": "mod missing;\n\npub fn fine() {}\n",
    "arguments": "fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n\npub fn three() -> u32 {\n    add(1, 2, 3)\n}\n",
    "arguments-four": "fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n\npub fn three() -> u32 {\n    add(1, 2, 3, 4)\n}\n",
    "syntax": "pub fn broken( -> u32 {\n    1\n}\n",
    "unclosed": "pub fn open() {\n    if true {\n        let _a = 1;\n}\n",
    "method": "pub struct Book;\n\npub fn read(book: Book) {\n    book.open_at(3);\n}\n",
    "field": "pub struct Book {\n    pub pages: u32,\n}\n\npub fn pages(book: &Book) -> u32 {\n    book.page_count\n}\n",
    "trait": "pub trait Read {\n    fn read(&self) -> u32;\n    fn close(&self);\n}\n\npub struct Book;\n\nimpl Read for Book {\n    fn read(&self) -> u32 {\n        1\n    }\n}\n",
    "bound": "fn show<T: std::fmt::Display>(_: T) {}\n\npub struct Book;\n\npub fn go() {\n    show(Book);\n}\n",
    "lifetime": "pub fn longest(a: &str, b: &str) -> &str {\n    if a.len() > b.len() { a } else { b }\n}\n",
    "match": "pub enum Kind {\n    Novel,\n    Poem,\n}\n\npub fn name(kind: Kind) -> &'static str {\n    match kind {\n        Kind::Novel => \"novel\",\n    }\n}\n",
    "private": "mod inner {\n    fn hidden() {}\n}\n\npub fn go() {\n    inner::hidden();\n}\n",
    "macro": "pub fn go() {\n    prinln!(\"x\");\n}\n",
}


def library(name, text, run=BUILD, **more):
    return Case(name, run, {"Cargo.toml": MANIFEST, "src/lib.rs": text, **more})


def cases():
    for name, text in BROKEN.items():
        case = library(name, text)
        yield case
        if name in ("undeclared", "mismatched", "borrowed", "arguments", "method", "match"):
            yield case.moved("src/lib.rs", "//")
        if name in ("undeclared", "trait"):
            yield case.coloured()
    first, second = BROKEN["undeclared"], BROKEN["method"].replace("Book", "Paper")
    yield library("two", first + "\n" + second)
    yield library("two-turned", second + "\n" + first)
    yield library("two-one-fixed", second + "\n" + first.replace("total", "1"))
    yield library("undeclared-loud", first, LOUD)
    # Library and tests are compiled at once, and both complain.
    yield library("undeclared-tests", first, "cargo test --offline")
    yield Case(
        "undeclared-in-module", BUILD,
        {"Cargo.toml": MANIFEST, "src/lib.rs": "pub mod price;\n", "src/price.rs": first},
    )
    yield library("undeclared-short", first, "cargo build --offline --message-format short")
    warned = "pub fn count() -> u32 {\n    let unused = 1;\n    2\n}\n\nfn never() {}\n"
    yield library("warnings", warned, LOUD).called("warnings", may_pass=True)
    yield library("warnings-moved", "// one\n// two\n" + warned, LOUD).called(
        "warnings-moved", may_pass=True)
    yield library("warning-and-error", warned + first, LOUD)
    yield library("denied", "#![deny(unused_variables)]\n" + warned, LOUD)
    yield library("deprecated", "#[deprecated(note = \"use new\")]\npub fn old() {}\n\npub fn go() {\n    old();\n}\n",
                  "RUSTFLAGS=-Dwarnings cargo build --offline")
    clippy = "pub fn one(list: &Vec<u8>) -> usize {\n    return list.len();\n}\n"
    yield library("clippy", clippy, "cargo clippy --offline -- -D warnings")
    yield library("clippy-moved", "// one\n" + clippy, "cargo clippy --offline -- -D warnings")
    yield library("clippy-warn", clippy, "cargo clippy --offline").called("clippy-warn", may_pass=True)
    yield library("format", "pub fn  spaced( ) {}\n", "cargo fmt --check")
    yield Case("plain-rustc", "rustc --crate-type lib price.rs", {"price.rs": first})
    yield Case("manifest", BUILD, {"Cargo.toml": "[package]\nname = \n", "src/lib.rs": ""})
    yield Case("no-manifest", BUILD, {"src/lib.rs": ""})
    yield Case("dependency", BUILD, {
        "Cargo.toml": MANIFEST + '\n[dependencies]\nno-such-crate-of-ours = "1"\n', "src/lib.rs": ""})
    yield Case("no-target", BUILD, {"Cargo.toml": MANIFEST})
    yield Case("build-script", BUILD, {
        "Cargo.toml": MANIFEST, "src/lib.rs": "",
        "build.rs": 'fn main() {\n    panic!("no compiler for the shaders");\n}\n'})
    yield Case("linker", BUILD, {
        "Cargo.toml": MANIFEST,
        "src/main.rs": 'extern "C" {\n    fn shelf_open() -> i32;\n}\n\nfn main() {\n    unsafe { shelf_open() };\n}\n'})
    yield Case("panic-main", "cargo run --offline --quiet", {
        "Cargo.toml": MANIFEST,
        "src/main.rs": 'fn main() {\n    let books: Vec<u8> = Vec::new();\n    println!("{}", books[std::env::args().count()]);\n}\n'})
    yield Case("panic-main-moved", "cargo run --offline --quiet -- a b", {
        "Cargo.toml": MANIFEST,
        "src/main.rs": '// one\n// two\nfn main() {\n    let books: Vec<u8> = Vec::new();\n    println!("{}", books[std::env::args().count()]);\n}\n'})
    many = "".join(f"pub fn f{n}() -> u32 {{\n    lost_{n}\n}}\n" for n in range(60))
    yield library("sixty", many)
