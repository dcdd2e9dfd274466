//! The supported languages, and their detection.

use super::{formats, syntax_error::SyntaxError};

pub(super) struct Language {
    pub name: &'static str,
    /// File extensions, in lower case.
    pub endings: &'static [&'static str],
    /// Interpreters named by a first line `#!`.
    pub interpreters: &'static [&'static str],
    pub reader: Reader,
    /// Whether it has dialects or a preprocessor that the grammar does not cover.
    pub dialects: bool,
}

#[derive(Clone, Copy)]
pub(super) enum Reader {
    /// A tree-sitter grammar.
    Grammar(fn() -> tree_sitter::Language),
    /// A parser that stops at the first error.
    Format(fn(&str) -> Option<SyntaxError>),
}

macro_rules! language {
    ($name:literal, $endings:expr, $reader:expr) => {
        language!($name, $endings, &[], $reader, dialects: false)
    };
    ($name:literal, $endings:expr, $interpreters:expr, $reader:expr) => {
        language!($name, $endings, $interpreters, $reader, dialects: false)
    };
    ($name:literal, $endings:expr, $interpreters:expr, $reader:expr, dialects: $dialects:literal) => {
        Language {
            name: $name,
            endings: &$endings,
            interpreters: $interpreters,
            reader: $reader,
            dialects: $dialects,
        }
    };
}

macro_rules! grammar {
    ($grammar:path) => {
        Reader::Grammar(|| $grammar.into())
    };
}

pub(super) const ALL: &[Language] = &[
    language!("Rust", ["rs"], grammar!(tree_sitter_rust::LANGUAGE)),
    language!(
        "Python",
        ["py", "pyi"],
        &["python", "python3"],
        grammar!(tree_sitter_python::LANGUAGE)
    ),
    language!(
        "JavaScript",
        ["js", "mjs", "cjs", "jsx"],
        &["node"],
        grammar!(tree_sitter_javascript::LANGUAGE)
    ),
    language!(
        "TypeScript",
        ["ts", "mts", "cts"],
        grammar!(tree_sitter_typescript::LANGUAGE_TYPESCRIPT)
    ),
    language!("TSX", ["tsx"], grammar!(tree_sitter_typescript::LANGUAGE_TSX)),
    language!("Go", ["go"], grammar!(tree_sitter_go::LANGUAGE)),
    language!("Java", ["java"], grammar!(tree_sitter_java::LANGUAGE)),
    language!("C", ["c"], &[], grammar!(tree_sitter_c::LANGUAGE), dialects: true),
    // A header may be either; C++ understands most of C.
    language!(
        "C++",
        ["cpp", "cc", "cxx", "h", "hpp", "hh", "hxx"],
        &[],
        grammar!(tree_sitter_cpp::LANGUAGE),
        dialects: true
    ),
    language!("C#", ["cs"], grammar!(tree_sitter_c_sharp::LANGUAGE)),
    language!("Ruby", ["rb", "rake", "gemspec"], &["ruby"], grammar!(tree_sitter_ruby::LANGUAGE)),
    language!("PHP", ["php"], &["php"], grammar!(tree_sitter_php::LANGUAGE_PHP)),
    language!(
        "Bash",
        ["sh", "bash"],
        &["sh", "bash", "dash"],
        grammar!(tree_sitter_bash::LANGUAGE),
        dialects: true
    ),
    // Pages are often templates of another language.
    language!(
        "HTML",
        ["html", "htm"],
        &[],
        grammar!(tree_sitter_html::LANGUAGE),
        dialects: true
    ),
    language!("CSS", ["css"], &[], grammar!(tree_sitter_css::LANGUAGE), dialects: true),
    language!("SQL", ["sql"], &[], grammar!(tree_sitter_sequel::LANGUAGE), dialects: true),
    language!("JSON", ["json"], Reader::Format(formats::json)),
    language!("YAML", ["yaml", "yml"], Reader::Format(formats::yaml)),
    language!("TOML", ["toml"], Reader::Format(formats::toml)),
];

/// The language of a file, by its extension, or by its first line if it has none.
pub(super) fn of(path: &str, text: &str) -> Option<&'static Language> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((_, ending)) = name.rsplit_once('.') else { return by_first_line(text) };
    if takes_comments(path, name) || is_chart(path) {
        return None;
    }
    let ending = ending.to_ascii_lowercase();
    ALL.iter().find(|language| language.endings.contains(&ending.as_str()))
}

fn by_first_line(text: &str) -> Option<&'static Language> {
    let mut words = text.lines().next()?.strip_prefix("#!")?.split_whitespace();
    let program = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    let mut interpreter = program(words.next()?);
    if interpreter == "env" {
        interpreter = program(words.find(|word| !word.starts_with('-'))?);
    }
    ALL.iter().find(|language| language.interpreters.contains(&interpreter.as_str()))
}

/// Files with the extension of JSON that may contain comments.
fn takes_comments(path: &str, name: &str) -> bool {
    let configures = ["tsconfig", "jsconfig", "devcontainer", ".eslintrc"];
    name.ends_with(".json")
        && (configures.iter().any(|start| name.starts_with(start))
            || path.split('/').any(|folder| folder == ".vscode"))
}

/// Helm templates become YAML only after rendering.
fn is_chart(path: &str) -> bool {
    path.split('/').any(|folder| folder == "templates")
        && (path.ends_with(".yaml") || path.ends_with(".yml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_is_detected_by_extension_or_first_line() {
        for (path, text, expected) in [
            ("src/a.RS", "", Some("Rust")),
            ("a.tsx", "", Some("TSX")),
            ("a.h", "", Some("C++")),
            ("bin/run", "#!/usr/bin/env -S node --test\n", Some("JavaScript")),
            ("bin/run", "#!/bin/sh -e\n", Some("Bash")),
            ("bin/run", "#!/usr/bin/awk\n", None),
            ("bin/run", "no first line of a script", None),
            ("Makefile", "all:\n", None),
            ("Dockerfile", "FROM scratch", None),
            ("README.md", "#!/bin/sh", None),
            (".json/x", "{", None),
            ("web/tsconfig.app.json", "// a", None),
            (".vscode/settings.json", "// a", None),
            ("package.json", "{}", Some("JSON")),
            ("chart/templates/a.yaml", "{{- if x }}", None),
        ] {
            assert_eq!(of(path, text).map(|language| language.name), expected, "{path}");
        }
    }

    #[test]
    fn extensions_are_unique() {
        let mut endings: Vec<_> = ALL.iter().flat_map(|language| language.endings).collect();
        let count = endings.len();
        endings.sort();
        endings.dedup();
        assert_eq!(endings.len(), count);
    }
}
