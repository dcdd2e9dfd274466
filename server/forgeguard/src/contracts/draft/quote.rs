//! Answers as parts of documents. They stay text: they cannot become headings, code, HTML or cells.

/// Of an answer of several lines.
const MAX_BYTES: usize = 40_000;
const MAX_LINE_CHARS: usize = 600;
const ELLIPSIS: &str = "…";

/// One line without escapes, for formats that quote strings.
pub(super) fn plain(text: &str, max_chars: usize) -> String {
    let mut joined = String::new();
    for said in text.lines().map(flat).filter(|said| !said.is_empty()) {
        let ends = joined.is_empty() || joined.ends_with(['.', '!', '?', ':', ';', ',']);
        let item = item(&said).unwrap_or(&said);
        joined += if ends || joined.ends_with(' ') { "" } else { ";" };
        joined += if joined.is_empty() { "" } else { " " };
        joined += item;
    }
    shorten(&joined, max_chars)
}

/// One line of Markdown.
pub(super) fn line(text: &str) -> String {
    escape(&plain(text, MAX_LINE_CHARS))
}

/// Markdown that keeps paragraphs and lists.
pub(super) fn paragraphs(text: &str) -> String {
    let (kept, mark) = within_bytes(text);
    let mut blocks = String::new();
    let mut in_list = false;
    let mut begins = true;
    for said in kept.lines().map(flat) {
        if said.is_empty() {
            begins = true;
            continue;
        }
        let item = item(&said);
        if !blocks.is_empty() {
            let apart = begins || item.is_some() != in_list;
            blocks += if apart { "\n\n" } else { "\n" };
        }
        match item {
            Some(item) => blocks += &format!("- {}", escape(item)),
            None => blocks += &escape(&said),
        }
        (in_list, begins) = (item.is_some(), false);
    }
    blocks + mark
}

/// A code span.
pub(super) fn code(text: &str) -> String {
    let text = flat(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// The item in a line such as `- milk` or `2) bread`.
fn item(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => line.strip_prefix(['-', '*', '+', '•'])?,
        1..=3 => line[digits..].strip_prefix(['.', ')'])?,
        _ => return None,
    };
    rest.strip_prefix(' ').map(str::trim_start).filter(|rest| !rest.is_empty())
}

/// One line with single spaces and without invisible and bidirectional control characters.
fn flat(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let hidden = |c: char| matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    let mut flat = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !turns(*c) && !hidden(*c)) {
        if !(c.is_whitespace() || c.is_control()) {
            flat.push(c);
        } else if !flat.is_empty() && !flat.ends_with(' ') {
            flat.push(' ');
        }
    }
    flat.truncate(flat.trim_end().len());
    flat
}

/// Cuts at a space if there is one near the end.
fn shorten(text: &str, max_chars: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(max_chars) else { return text.to_owned() };
    let kept = &text[..end];
    let near = kept.rfind(' ').filter(|space| space * 3 > end * 2).unwrap_or(end);
    format!("{}{ELLIPSIS}", kept[..near].trim_end_matches([' ', ',', ';', ':']))
}

fn within_bytes(text: &str) -> (&str, &'static str) {
    let mut end = text.len().min(MAX_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    (&text[..end], if end < text.len() { ELLIPSIS } else { "" })
}

/// Escapes the characters that have a meaning in Markdown at their position.
fn escape(flat: &str) -> String {
    let digits = flat.bytes().take_while(u8::is_ascii_digit).count();
    let mut escaped = String::with_capacity(flat.len() + 8);
    let mut last = ' ';
    let mut chars = flat.char_indices().peekable();
    while let Some((place, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        let has_meaning = match c {
            '\\' | '`' | '*' | '[' | '<' | '|' | '~' => true,
            '_' => !(last.is_alphanumeric() && next.is_alphanumeric()),
            '&' => next == '#' || next.is_ascii_alphabetic(),
            '#' => last == ' ',
            '-' | '+' | '=' | '>' | ':' => place == 0,
            '.' | ')' => digits > 0 && place == digits && next == ' ',
            _ => false,
        };
        if has_meaning {
            escaped.push('\\');
        }
        escaped.push(c);
        last = c;
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_in_answer_is_escaped() {
        for (said, written) in [
            (
                "A member ticks off a task, so that it's done.",
                "A member ticks off a task, so that it's done.",
            ),
            ("due_date and list_tasks in C# (R&D)", "due_date and list_tasks in C# (R\\&D)"),
            ("# Not\n## a heading", "\\# Not; \\## a heading"),
            ("- item", "item"),
            ("--- no item", "\\--- no item"),
            (":--- no table and no definition", "\\:--- no table and no definition"),
            ("=== \u{202e}evil\u{2066}", "\\=== evil"),
            ("<script>--> `x` | ~~~", "\\<script>--> \\`x\\` \\| \\~\\~\\~"),
            ("**Scope:** _x_ ![i](u) &lt;", "\\*\\*Scope:\\*\\* \\_x\\_ !\\[i](u) \\&lt;"),
            (" a\u{2028}\u{85}b\t\u{feff}c ", "a b c"),
            ("שלום 🚀 👩‍👩‍👧", "שלום 🚀 👩‍👩‍👧"),
        ] {
            assert_eq!(line(said), written, "{said}");
        }
    }

    #[test]
    fn paragraphs_and_lists_are_kept() {
        let said = "First.\nStill.\n\n\nSecond:\n- one\n* two\n3) # three\nLast\n```\n    code";
        assert_eq!(
            paragraphs(said),
            "First.\nStill.\n\nSecond:\n\n- one\n- two\n- \\# three\n\nLast\n\\`\\`\\`\ncode"
        );
        assert_eq!(paragraphs(" \n "), "");
    }

    #[test]
    fn command_with_backticks_becomes_one_code_span() {
        for (said, written) in [
            ("npm test", "`npm test`"),
            ("echo `date`\n# x", "`` echo `date` # x ``"),
            ("a | b", "`a | b`"),
        ] {
            assert_eq!(code(said), written);
        }
    }

    #[test]
    fn long_answer_is_cut_with_ellipsis() {
        assert_eq!(plain("one two three", 13), "one two three");
        assert_eq!(plain("one two, three", 9), "one two…");
        assert_eq!(plain("oooooooooo", 4), "oooo…");
        assert_eq!(plain("<b> \"x\"", 40), "<b> \"x\"");
        assert_eq!(plain("Not:\n- a\n\n- b\nAnd c.\nd", 40), "Not: a; b; And c. d");
        assert!(line(&"🚀".repeat(20_000)).ends_with("🚀…"));
        assert!(paragraphs(&"*\n".repeat(20_000)).len() <= 2 * MAX_BYTES);
    }
}
