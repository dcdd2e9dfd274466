//! What tools say, without what differs from one run to the next.

use crate::errors;

/// Bytes of a text that tell one error from another.
const MAX_NORMALISED_BYTES: usize = 600;
/// Words before a number that is no count.
const IDENTIFYING_WORDS: [&str; 7] = ["status", "code", "http", "errno", "signal", "exit", "port"];

/// A message with its numbers, hashes, locations, times and kinds of quotes made equal.
pub fn normalised(text: &str) -> String {
    let text = &text[..text.floor_char_boundary(MAX_NORMALISED_BYTES)];
    let text = errors::normalise(text).replace(['‘', '’'], "'").replace(['“', '”'], "\"");
    let mut out = String::with_capacity(text.len());
    let mut before = "";
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, behind) = rest.split_at(length);
        let count = word.bytes().all(|b| b.is_ascii_digit());
        let means = IDENTIFYING_WORDS.contains(&before.to_ascii_lowercase().as_str());
        out.push_str(match word {
            _ if count && !means => "<n>",
            _ if is_hash(word) => "<hash>",
            _ => word,
        });
        if is_word(first) {
            before = word;
        } else if !" :=".contains(first) {
            before = "";
        }
        rest = behind;
    }
    out.trim_end_matches(['.', ' ']).to_owned()
}

/// A name as it is, except for parts that no two runs have in common.
pub fn normalised_name(name: &str) -> String {
    let short = &name[..name.floor_char_boundary(MAX_NORMALISED_BYTES)];
    let line = |word: &str| word.trim_end_matches(')').parse::<u32>().is_ok();
    let mut out = String::with_capacity(short.len());
    let mut after_line = false;
    for word in short.split(' ').filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        let strange = word.contains("0x") || word.contains("/tmp/") || word.contains('-');
        if after_line && line(word) {
            out.push_str("<n>");
        } else if strange {
            out.push_str(&errors::normalise(word));
        } else {
            out.push_str(word);
        }
        after_line = word.ends_with("(line");
    }
    out
}

/// Eight or more hex digits with both kinds among them: no word, no number.
fn is_hash(word: &str) -> bool {
    (8..=64).contains(&word.len())
        && word.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        && word.bytes().any(|b| b.is_ascii_digit())
        && word.bytes().any(|b| b.is_ascii_lowercase())
}

/// A text without one pair of quotes around it.
pub fn unquoted(text: &str) -> &str {
    let text = text.trim();
    ['\'', '"', '`']
        .iter()
        .find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(text)
}

/// The name of an exception and its message: `ValueError: no title`, `AssertionError [CODE]: x`.
pub fn exception(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let (name, message) = line.split_once(':').unwrap_or((line, ""));
    let name = name.split_once(" [").map_or(name, |(name, _)| name);
    let last = name.rsplit('.').next()?;
    let is_name = !last.is_empty()
        && name.split('.').all(|part| part.starts_with(|c: char| c.is_alphabetic() || c == '_'))
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._$".contains(&b));
    let ends = ["Error", "Exception", "Warning", "Failed", "Failure", "Exit", "Interrupt", "Group"];
    let known = ends.iter().any(|end| last.ends_with(end));
    (is_name && known).then_some((name, message.trim()))
}

/// Whether an exception of this name is an assertion that did not hold.
pub fn is_assertion(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    matches!(
        last,
        "AssertionError" | "AssertionFailedError" | "ComparisonFailure" | "MultipleFailuresError"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_do_not_tell_errors_apart() {
        for (a, b) in [
            ("Expected 2 arguments, but got 3.", "Expected 2 arguments, but got 4"),
            ("index 5 out of bounds for length 3", "index 7 out of bounds for length 4"),
            ("‘total’ undeclared", "'total' undeclared"),
            ("deps/shelf-a76afb6c539a4cf7 failed", "deps/shelf-bcaf35715c95ebef failed"),
            ("coverage 45.00% is too low", "coverage 7.25% is too low"),
            ("Unexpected token (4:12)", "Unexpected token (9:1)"),
            ("connect to 127.0.0.1:45123", "connect to 127.0.0.1:33001"),
        ] {
            assert_eq!(normalised(a), normalised(b));
        }
    }

    #[test]
    fn names_and_meanings_do() {
        for (a, b) in [
            ("cannot find `lost1`", "cannot find `lost2`"),
            ("expected `u32`, found `u64`", "expected `u64`, found `u32`"),
            ("exited with code 3", "exited with code 4"),
            ("status code 404", "status code 500"),
            ("HTTP 404", "HTTP 500"),
        ] {
            assert_ne!(normalised(a), normalised(b));
        }
    }

    #[test]
    fn numbers_in_names_stay() {
        assert_ne!(normalised_name("due in 1 day"), normalised_name("due in 2 days"));
        assert_ne!(normalised_name("waits 5 s"), normalised_name("waits 6 s"));
        assert_eq!(
            normalised_name("src/lib.rs - price (line 1)"),
            normalised_name("src/lib.rs - price (line 44)")
        );
        assert_eq!(
            normalised_name("reads[/tmp/a-1/x.txt]"),
            normalised_name("reads[/tmp/b-2/x.txt]")
        );
    }

    #[test]
    fn knows_exceptions() {
        for (line, expected) in [
            ("ValueError: no title", Some(("ValueError", "no title"))),
            ("json.decoder.JSONDecodeError: x: y", Some(("json.decoder.JSONDecodeError", "x: y"))),
            ("AssertionError [ERR_ASSERTION]: x", Some(("AssertionError", "x"))),
            ("RecursionError", Some(("RecursionError", ""))),
            ("not an Error: x", None),
            ("error: x", None),
        ] {
            assert_eq!(exception(line), expected, "{line}");
        }
    }
}
