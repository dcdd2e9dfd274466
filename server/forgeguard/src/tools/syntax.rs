//! Whether a file of a known language can be parsed.

use tree_sitter::{Node, Parser};

/// What can be said about a file's syntax.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// It parses.
    Fine,
    /// It does not parse.
    Broken(Flaw),
    /// The language is not one that can be checked here.
    Unknown,
}

/// The first thing that does not parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
    /// In plain words.
    pub reason: String,
}

/// Names of the languages that can be checked.
pub const LANGUAGES: &str = "JavaScript, JSON, YAML and TOML";

/// Parses `text` as the language that the ending of `path` tells.
pub fn check(path: &str, text: &str) -> Syntax {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let found = match ending.to_ascii_lowercase().as_str() {
        "js" | "mjs" | "cjs" | "jsx" => javascript(text),
        "json" => json(text),
        "yaml" | "yml" => yaml(text),
        "toml" => toml(text),
        _ => return Syntax::Unknown,
    };
    found.map_or(Syntax::Fine, Syntax::Broken)
}

/// How YAML is read everywhere: `yes` and `on` are texts.
pub fn yaml_options() -> serde_saphyr::Options {
    serde_saphyr::options! { strict_booleans: true, with_snippet: false }
}

fn javascript(text: &str) -> Option<Flaw> {
    let mut parser = Parser::new();
    let at_start = |reason: &str| Some(Flaw { line: 1, column: 1, reason: reason.into() });
    if parser.set_language(&tree_sitter_javascript::LANGUAGE.into()).is_err() {
        return at_start("the grammar cannot be loaded");
    }
    let Some(tree) = parser.parse(text, None) else { return at_start("it cannot be parsed") };
    let flaw = first_flaw(tree.root_node())?;
    let place = flaw.start_position();
    let near: String = text[flaw.byte_range()].chars().take(40).collect();
    let near = near.lines().next().unwrap_or_default();
    let reason = match flaw.is_missing() {
        true => format!("`{}` is missing", flaw.kind()),
        false => format!("unexpected `{near}`"),
    };
    Some(Flaw { line: place.row + 1, column: place.column + 1, reason })
}

/// The first error in the order of the text, as deep as it can be placed.
fn first_flaw(root: Node<'_>) -> Option<Node<'_>> {
    let mut node = root;
    if !node.has_error() {
        return None;
    }
    loop {
        if node.is_missing() {
            return Some(node);
        }
        let mut cursor = node.walk();
        let inner =
            node.children(&mut cursor).find(|child| child.has_error() || child.is_missing());
        match inner {
            Some(child) => node = child,
            None => return Some(node),
        }
    }
}

fn json(text: &str) -> Option<Flaw> {
    let error = serde_json::from_str::<serde::de::IgnoredAny>(text).err()?;
    let reason = error.to_string();
    // The place is told beside it.
    let reason = reason.rsplit_once(" at line ").map_or(reason.as_str(), |(reason, _)| reason);
    Some(Flaw { line: error.line().max(1), column: error.column().max(1), reason: reason.into() })
}

fn yaml(text: &str) -> Option<Flaw> {
    let read = serde_saphyr::from_multiple_with_options::<serde_json::Value>(text, yaml_options());
    read.err().map(|error| yaml_flaw(&error))
}

/// Where and why YAML does not fit.
pub fn yaml_flaw(error: &serde_saphyr::Error) -> Flaw {
    let place = error.location();
    let number = |of: fn(&serde_saphyr::Location) -> u64| {
        place.as_ref().map_or(1, |place| usize::try_from(of(place)).unwrap_or(1).max(1))
    };
    let (line, column) = (number(|place| place.line()), number(|place| place.column()));
    let reason = error.without_snippet().to_string();
    Flaw { line, column, reason }
}

fn toml(text: &str) -> Option<Flaw> {
    let error = toml::from_str::<toml::Table>(text).err()?;
    let start = error.span().map_or(0, |span| span.start);
    let before = &text[..text.floor_char_boundary(start)];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |rest| rest.chars().count()) + 1;
    Some(Flaw { line, column, reason: error.message().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_parses_is_fine() {
        for (path, text) in [
            (
                "a.js",
                "#!/usr/bin/env node\nimport { a } from './b.js';\nexport const c = a?.b ?? 1;\n",
            ),
            ("a.cjs", "module.exports = {};"),
            ("a.jsx", "const a = <b c={1}>d</b>;"),
            ("a.json", "{\"a\": [1, null]}"),
            ("dir/a.yml", "a: yes\n---\nb: [1, 2]\n"),
            ("a.toml", "[a]\nb = 1\n"),
            ("a.js", ""),
        ] {
            assert_eq!(check(path, text), Syntax::Fine, "{path}");
        }
    }

    #[test]
    fn what_does_not_parse_is_placed() {
        for (path, text, line, part) in [
            ("a.js", "const a = 1;\nfunction (\n", 2, ""),
            ("a.mjs", "export const x = {\n  a: 1,\n", 1, ""),
            ("a.js", "foo(1;\n", 1, "missing"),
            ("a.json", "{\n  \"a\": 1,\n}", 3, "key"),
            ("a.json", "", 1, "EOF"),
            ("a.yaml", "a: 1\nb: [1\n", 2, ""),
            ("a.yaml", "a: 1\na: 2\n", 2, "duplicate"),
            ("a.toml", "a = 1\nb = \n", 2, ""),
        ] {
            let Syntax::Broken(flaw) = check(path, text) else { panic!("{path}: {text}") };
            assert!(!flaw.reason.is_empty() && flaw.column > 0, "{path}: {flaw:?}");
            assert!(flaw.reason.contains(part), "{path}: {flaw:?}");
            assert!((line..=line + 1).contains(&flaw.line), "{path}: {flaw:?}");
        }
    }

    #[test]
    fn other_languages_are_unknown() {
        for path in ["a.py", "Makefile", ".json/x", "README.md"] {
            assert_eq!(check(path, "{{{"), Syntax::Unknown, "{path}");
        }
    }
}
