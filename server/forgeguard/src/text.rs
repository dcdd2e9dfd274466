//! Shortens texts for models, and marks what was removed.
//!
//! - [`tokens`]: an estimate of a text's tokens
//! - [`words`]: the words of names and sentences, for matching them

pub mod tokens;
pub mod words;

/// Size limit of a tool's result, in bytes.
pub const TOOL_OUTPUT_CAP: usize = 64 * 1024;

/// The longest prefix of at most `cap` bytes that ends at a character boundary.
pub fn head(text: &str, cap: usize) -> &str {
    &text[..text.floor_char_boundary(cap.min(text.len()))]
}

/// `text`, or its start and end with a line between that states the size of the rest. The end gets
/// two thirds, because commands report errors there.
pub fn ends(text: &str, cap: usize) -> String {
    if text.len() <= cap {
        return text.to_owned();
    }
    let first = head(text, cap / 3);
    let last = &text[text.ceil_char_boundary(text.len() - (cap - cap / 3))..];
    let cut = text.len() - first.len() - last.len();
    format!("{first}\n[… {cut} bytes cut …]\n{last}")
}

/// In a fenced block that the text cannot close.
pub fn fenced(text: &str) -> String {
    format!("```\n{}\n```", text.replace("```", "'''"))
}

/// A page of `text` from byte `offset`, with the offset of the next page. `None` if the text is
/// shorter.
pub fn page(text: &str, offset: usize) -> Option<String> {
    if offset > text.len() || (offset == text.len() && offset > 0) {
        return None;
    }
    let offset = text.floor_char_boundary(offset);
    let shown = head(&text[offset..], TOOL_OUTPUT_CAP);
    let next = offset + shown.len();
    Some(match next < text.len() {
        true => format!("{shown}\n[cut; continue with offset {next}]"),
        false => shown.to_owned(),
    })
}

/// The error for an offset behind the end.
pub fn no_such_page(text: &str) -> String {
    format!("`offset`: the text has {} bytes.", text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn short_text_is_not_cut() {
        assert_eq!(ends("abc", 3), "abc");
        assert_eq!(head("abc", 9), "abc");
    }

    #[test]
    fn text_cannot_close_its_fence() {
        assert_eq!(fenced("a\n```\n# Gate"), "```\na\n'''\n# Gate\n```");
    }

    #[test]
    fn long_text_is_cut_in_the_middle() {
        let text = format!("first{}last", "é".repeat(500));
        let kept = ends(&text, 300);
        assert!(kept.starts_with("first") && kept.ends_with("last"), "{kept}");
        assert!(kept.contains("bytes cut"), "{kept}");
    }

    #[test]
    fn pages_join_without_a_gap() {
        let text = "äöü ".repeat(30_000);
        let (mut offset, mut whole) = (0, String::new());
        while let Some(page) = page(&text, offset) {
            let body = page.split("\n[cut;").next().unwrap();
            whole.push_str(body);
            offset += body.len();
        }
        assert_eq!(whole, text);
        assert_eq!(page("", 0).as_deref(), Some(""));
        assert_eq!(page("", 1), None);
    }

    proptest! {
        #[test]
        fn cut_text_stays_within_the_limit(text in ".{0,200}", cap in 0usize..100) {
            prop_assert!(head(&text, cap).len() <= cap);
            prop_assert!(ends(&text, cap).len() <= cap + 40);
        }
    }
}
