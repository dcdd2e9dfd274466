//! Places in tools' output: `path:line:column` in its forms.

/// A file, and perhaps a line in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    /// The path as the tool wrote it, normalised_path.
    pub file: String,
    /// From 1.
    pub line: Option<u32>,
}

impl SourceLocation {
    /// A location in a file as it is written somewhere.
    pub fn new(path: &str, line: Option<u32>) -> Self {
        Self { file: normalised_path(path), line }
    }

    /// Whether the file may belong to the project: not a library's, not the system's.
    pub fn is_own(&self) -> bool {
        is_own(&self.file)
    }
}

/// Bytes of the longest path that is taken for one.
const MAX_PATH_BYTES: usize = 260;

/// A path without what does not matter.
pub fn normalised_path(path: &str) -> String {
    let path = path.trim().trim_start_matches("file://");
    let mut path = path.replace('\\', "/");
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.to_owned();
    }
    path
}

fn is_own(path: &str) -> bool {
    let elsewhere = ["/", "../", "<", "[", "node:", "internal/", "_testmain.go"];
    let library = ["node_modules/", "site-packages/", ".cargo/registry/"];
    let drive = path.as_bytes().get(1) == Some(&b':');
    !path.is_empty()
        && !drive
        && !elsewhere.iter().any(|start| path.starts_with(start))
        && !library.iter().any(|part| path.contains(part))
}

/// The decimal number at the beginning of a text, and the text behind it.
pub fn number(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take(10).take_while(u8::is_ascii_digit).count();
    Some((text.get(..digits)?.parse().ok()?, &text[digits..]))
}

/// `path:line[:column]` at the beginning of a line that is not indented, and what follows. Only
/// names that look like those of files count.
pub fn leading(line: &str) -> Option<(SourceLocation, &str)> {
    if line.starts_with(char::is_whitespace) {
        return None;
    }
    let line_at = |at: usize| number(&line[at + 1..]);
    let (at, (number_of_line, mut rest)) = line
        .match_indices(':')
        .take_while(|(at, _)| *at <= MAX_PATH_BYTES)
        .find_map(|(at, _)| Some((at, line_at(at)?)))?;
    let path = &line[..at];
    if !is_path(path) {
        return None;
    }
    while let Some((_, behind)) = rest.strip_prefix(':').and_then(number) {
        rest = behind;
    }
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    Some((SourceLocation::new(path, Some(number_of_line)), rest.trim_start()))
}

/// Whether a text looks like the path of a file.
pub fn is_path(path: &str) -> bool {
    let rooted = path.starts_with(['/', '.']) || path.as_bytes().get(1) == Some(&b':');
    let strange = |c: char| "<>|*?\"'`(){}=,;".contains(c) || c.is_control();
    if path.is_empty()
        || path.len() > MAX_PATH_BYTES
        || path.contains("://")
        || path.contains(strange)
    {
        return false;
    }
    if path.contains(": ") || (path.contains(' ') && !rooted) {
        return false;
    }
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let extension = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        let short = (1..=10).contains(&extension.len());
        !stem.is_empty() && short && extension.bytes().all(|b| b.is_ascii_alphanumeric())
    });
    let starts_big = name.starts_with(|c: char| c.is_ascii_uppercase());
    extension || (starts_big && name.ends_with("file")) || path.contains("/include/")
}

/// `path:line[:column]` at the end of a text, brackets around it left out.
pub fn trailing(text: &str) -> Option<SourceLocation> {
    let text = text.trim().trim_end_matches([')', ':', '>', ',']);
    let text = text.rsplit(['(', ' ', '\t']).next()?;
    let (before, last) = text.rsplit_once(':')?;
    let last = last.parse().ok()?;
    if let Some((path, line)) = before.rsplit_once(':')
        && let Ok(line) = line.parse()
    {
        return Some(SourceLocation::new(path, Some(line)));
    }
    Some(SourceLocation::new(before, Some(last)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_place_at_the_beginning_of_a_line() {
        for (line, expected) in [
            ("src/a.c:3:5: error: x", Some(("src/a.c", 3, "error: x"))),
            ("./a.go:3: x", Some(("a.go", 3, "x"))),
            ("/abs/with space/a.c:3:5: error: x", Some(("/abs/with space/a.c", 3, "error: x"))),
            ("C:\\a\\b.c:3: x", Some(("C:/a/b.c", 3, "x"))),
            ("a.py:1:14:1:19: error: x", Some(("a.py", 1, "error: x"))),
            ("src/a.ts:1:14 - error TS1: x", Some(("src/a.ts", 1, "- error TS1: x"))),
            ("Makefile:2: *** missing", Some(("Makefile", 2, "*** missing"))),
            ("http://example.com:80/a", None),
            ("12:30:01 started", None),
            ("it broke in a.c:3", None),
            ("  a.c:3: indented", None),
            ("thread 'x' panicked at src/lib.rs:9:9:", None),
            ("localhost:8080: refused", None),
        ] {
            let found = leading(line);
            let found = found.as_ref().map(|(p, rest)| (p.file.as_str(), p.line.unwrap(), *rest));
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn reads_a_place_at_the_end_of_a_text() {
        for (text, expected) in [
            ("at Object.toBe (shelf.test.js:4:20)", Some(("shelf.test.js", 4))),
            ("at file:///a/b.js:3:6", Some(("/a/b.js", 3))),
            ("❯ title shelf.js:2:43", Some(("shelf.js", 2))),
            ("panicked at src/lib.rs:9:9:", Some(("src/lib.rs", 9))),
            ("at new Promise (<anonymous>)", None),
        ] {
            let found = trailing(text);
            let found = found.as_ref().map(|p| (p.file.as_str(), p.line.unwrap()));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn knows_files_of_others() {
        for (path, own) in [
            ("src/a.js", true),
            ("node_modules/jest/a.js", false),
            ("/usr/lib/python3.11/ast.py", false),
            ("../tools/a.py", false),
            ("node:internal/a", false),
        ] {
            assert_eq!(SourceLocation::new(path, None).is_own(), own, "{path}");
        }
    }
}
