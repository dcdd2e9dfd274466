//! Tokens of Rust, without comments and contents of strings.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

/// An identifier, a number, a punctuation character, or `""` for any string or character literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a str,
    /// Counted from 1.
    pub(crate) line: usize,
}

/// Tokens without comments. Source that is not Rust has none; the compiler reports it.
pub(crate) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    // Otherwise each span is searched for in all files that were read before.
    proc_macro2::extra::invalidate_current_thread_spans();
    if let Ok(stream) = source.parse() {
        flatten(source, stream, &mut found);
    }
    found
}

fn flatten<'a>(source: &'a str, stream: TokenStream, found: &mut Vec<Token<'a>>) {
    for tree in stream {
        let text = |span: Span| source.get(span.byte_range()).unwrap_or_default();
        let token = |span: Span| Token { text: text(span), line: span.start().line };
        match tree {
            // Documentation comments are parsed as attributes.
            tree if is_comment(text(tree.span())) => {}
            TokenTree::Group(group) => {
                let has_delimiters = group.delimiter() != Delimiter::None;
                found.extend(has_delimiters.then(|| token(group.span_open())));
                flatten(source, group.stream(), found);
                found.extend(has_delimiters.then(|| token(group.span_close())));
            }
            TokenTree::Literal(literal) => {
                let token = token(literal.span());
                let is_number = token.text.starts_with(|c: char| c.is_ascii_digit());
                found.push(if is_number { token } else { Token { text: "\"\"", ..token } });
            }
            tree => found.push(token(tree.span())),
        }
    }
}

fn is_comment(text: &str) -> bool {
    text.starts_with("//") || text.starts_with("/*")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        tokens(source).iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_and_contents_of_strings_are_skipped() {
        for source in ["a /* b /* c */ d */ e", "a // b\n e", "a\ne"] {
            assert_eq!(texts(source), ["a", "e"], "{source}");
        }
        for source in
            [r#"x("use a\"b")"#, r##"x(r#"a"b"#)"##, "x(b\"a\")", r"x('\'')", "x('a')", r"x(b'\\')"]
        {
            assert_eq!(texts(source), ["x", "(", "\"\"", ")"], "{source}");
        }
    }

    #[test]
    fn lifetimes_and_names_with_string_prefixes_are_tokens() {
        assert_eq!(texts("&'a break"), ["&", "'", "a", "break"]);
        assert_eq!(texts("brr::c"), ["brr", ":", ":", "c"]);
    }

    #[test]
    fn line_numbers_include_skipped_lines() {
        let source = "/* 1\n2 */ \"3\n\" r#\"\n\"# here";
        assert_eq!(tokens(source).last(), Some(&Token { text: "here", line: 4 }));
    }
}
