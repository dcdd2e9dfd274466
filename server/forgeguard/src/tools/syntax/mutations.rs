//! Small changes to code that a test should notice: a flipped operator, a changed constant, a removed
//! statement, an early return.

use tree_sitter::Node;

use super::{
    grammar::{self, Reading},
    languages::{self, Reader},
};

/// Languages whose code is mutated.
const LANGUAGES: [&str; 12] = [
    "Rust",
    "Python",
    "JavaScript",
    "TypeScript",
    "TSX",
    "Go",
    "Java",
    "C",
    "C++",
    "C#",
    "Ruby",
    "PHP",
];

const OPERATORS: [(&str, &str); 17] = [
    ("==", "!="),
    ("!=", "=="),
    ("===", "!=="),
    ("!==", "==="),
    ("<", ">="),
    (">=", "<"),
    (">", "<="),
    ("<=", ">"),
    ("&&", "||"),
    ("||", "&&"),
    ("and", "or"),
    ("or", "and"),
    ("+", "-"),
    ("-", "+"),
    ("*", "/"),
    ("/", "*"),
    ("%", "*"),
];

/// Calls whose removal no test should notice.
const OUTPUT: [&str; 12] = [
    "console.",
    "print",
    "echo",
    "puts",
    "log",
    "LOG",
    "fmt.Print",
    "println!",
    "eprintln!",
    "tracing::",
    "System.out",
    "System.err",
];

/// A replacement of bytes in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutation {
    /// From 1.
    pub line: usize,
    start: usize,
    end: usize,
    pub replacement: String,
    /// Texts are changed only where nothing else can be.
    is_text: bool,
}

impl Mutation {
    /// The replaced text.
    pub fn original<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start..self.end]
    }

    /// The file with the change; `None` if it does not parse.
    pub fn apply(&self, path: &str, text: &str) -> Option<String> {
        let mutated = [&text[..self.start], &self.replacement, &text[self.end..]].concat();
        // Where the grammar does not cover the file itself, compilers judge.
        (parses(path, &mutated) || !parses(path, text)).then_some(mutated)
    }
}

fn parses(path: &str, text: &str) -> bool {
    let Some(Reader::Grammar(grammar)) = languages::of(path, text).map(|it| it.reader) else {
        return false;
    };
    grammar::read(&grammar(), text, 1) == Reading::Complete(Vec::new())
}

/// The possible mutations of a file, by line. Lines with others have none of texts.
pub fn mutations(path: &str, text: &str) -> Vec<Mutation> {
    let Some(language) = languages::of(path, text) else { return Vec::new() };
    let Reader::Grammar(grammar) = language.reader else { return Vec::new() };
    if !LANGUAGES.contains(&language.name) {
        return Vec::new();
    }
    let Some(tree) = grammar::parse(&grammar(), text) else { return Vec::new() };
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    // Not recursive, because the depth of the tree is not limited.
    loop {
        let node = cursor.node();
        found.extend(of_node(node, text, language.name));
        if !is_ignored(node) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                let code: Vec<usize> =
                    found.iter().filter(|it| !it.is_text).map(|it| it.line).collect();
                found.retain(|it| !it.is_text || !code.contains(&it.line));
                return found;
            }
        }
    }
}

/// Imports, comments, attributes and texts have no mutations inside.
fn is_ignored(node: Node<'_>) -> bool {
    let kind = node.kind();
    ["import", "use_declaration", "using_", "package_", "comment", "attribute", "annotation"]
        .iter()
        .any(|ignored| kind.contains(ignored))
        || is_text(kind)
}

fn is_text(kind: &str) -> bool {
    matches!(
        kind,
        "string"
            | "string_literal"
            | "interpreted_string_literal"
            | "template_string"
            | "raw_string_literal"
            | "encapsed_string"
    )
}

fn of_node(node: Node<'_>, text: &str, language: &str) -> Option<Mutation> {
    let (kind, range) = (node.kind(), node.byte_range());
    let own = text.get(range.clone())?;
    let mutation = |range: std::ops::Range<usize>, replacement: &str| Mutation {
        line: node.start_position().row + 1,
        start: range.start,
        end: range.end,
        replacement: replacement.to_owned(),
        is_text: is_text(kind),
    };
    let parent = node.parent().map_or("", |parent| parent.kind());
    let is_operand = ["binary", "comparison", "boolean"].iter().any(|it| parent.contains(it));
    if !node.is_named() && is_operand {
        let (_, flipped) = OPERATORS.iter().find(|(operator, _)| *operator == kind)?;
        return Some(mutation(range, flipped));
    }
    if !node.is_named() || is_ignored(node) && !is_text(kind) {
        return None;
    }
    if node.start_position().row == node.end_position().row {
        if kind == "return_statement" {
            return early_return(node, text, language).map(|(range, value)| mutation(range, value));
        }
        if kind == "expression_statement" {
            let is_noise = OUTPUT.iter().any(|call| own.starts_with(call));
            let inner = node.named_child(0).map_or("", |child| child.kind());
            let nothing = if language == "Python" { "pass" } else { ";" };
            let is_statement = !is_noise && !is_text(inner) && !inner.contains("return");
            return is_statement.then(|| mutation(range, nothing));
        }
    }
    if own.len() < 18 && own.bytes().all(|byte| byte.is_ascii_digit()) {
        let is_literal = ["int", "number", "decimal"].iter().any(|it| kind.contains(it));
        let next = own.parse::<u64>().ok()? + 1;
        return is_literal.then(|| mutation(range, &next.to_string()));
    }
    match own {
        "true" => return Some(mutation(range, "false")),
        "false" => return Some(mutation(range, "true")),
        "True" => return Some(mutation(range, "False")),
        "False" => return Some(mutation(range, "True")),
        _ => {}
    }
    let quote = own.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
    let is_plain = own.len() > 2 && own.ends_with(quote) && !own.starts_with("\"\"\"");
    let is_value = is_text(kind) && is_plain && parent != "expression_statement";
    is_value.then(|| mutation(range, &format!("{quote}{quote}")))
}

/// A return of nothing instead of a value, in languages that compile it everywhere.
fn early_return(
    node: Node<'_>,
    text: &str,
    language: &str,
) -> Option<(std::ops::Range<usize>, &'static str)> {
    let nothing = match language {
        "Python" => "None",
        "JavaScript" | "TypeScript" | "TSX" => "undefined",
        "PHP" => "null",
        _ => return None,
    };
    let value = node.named_child(0)?.byte_range();
    (text.get(value.clone())? != nothing).then_some((value, nothing))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(path: &str, text: &str) -> Vec<String> {
        mutations(path, text).iter().filter_map(|it| it.apply(path, text)).collect()
    }

    #[test]
    fn operators_constants_and_statements_are_mutated() {
        for (path, text, expected) in [
            ("a.py", "x = a < b\n", "x = a >= b\n"),
            ("a.rs", "fn f() -> u8 { 9 }\n", "fn f() -> u8 { 10 }\n"),
            ("a.go", "package a\n\nvar b = c && d\n", "package a\n\nvar b = c || d\n"),
            ("A.java", "class A { boolean b = true; }\n", "class A { boolean b = false; }\n"),
            ("a.js", "save(a);\n", ";\n"),
            ("a.py", "def f():\n    save()\n", "def f():\n    pass\n"),
            ("a.js", "function f() { return a; }\n", "function f() { return undefined; }\n"),
            ("a.ts", "const a = 'b';\n", "const a = '';\n"),
        ] {
            let found = applied(path, text);
            assert!(found.iter().any(|it| it == expected), "{path}: {found:?}");
        }
    }

    #[test]
    fn imports_comments_and_output_are_not_mutated() {
        for (path, text) in [
            ("a.py", "\"\"\"About 1.\"\"\"\nimport a\nprint(a)\n# 1 < 2\n"),
            ("a.js", "import a from 'b';\n// 1 < 2\nconsole.log(a);\n"),
            ("a.rs", "use a::b;\n#[cfg(feature = \"c\")]\nstruct D;\n"),
            ("a.css", "a { width: 1px }\n"),
            ("a.json", "{\"a\": 1}\n"),
        ] {
            assert_eq!(mutations(path, text), [], "{path}");
        }
    }

    #[test]
    fn type_parameters_are_not_comparisons() {
        assert_eq!(applied("a.ts", "let a: Map<B, C>;\n"), Vec::<String>::new());
    }
}
