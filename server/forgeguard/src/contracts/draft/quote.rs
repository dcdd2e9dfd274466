//! Answers as parts of documents: whatever somebody wrote stays text. It makes no heading, no list,
//! no code, no HTML and no cell of its own.

/// Bytes that one answer may take in a contract, so that nine of the longest still fit.
const MOST_BYTES: usize = 40_000;
/// Stands where something was left out.
const CUT: &str = "…";

/// An answer as one line without marks, for formats with quotes of their own.
pub(super) fn plain(text: &str, most_chars: usize) -> String {
    let mut joined = String::new();
    for said in text.lines().map(flat).filter(|said| !said.is_empty()) {
        let ends = joined.is_empty() || joined.ends_with(['.', '!', '?', ':', ';', ',']);
        let item = item(&said).unwrap_or(&said);
        joined += if ends || joined.ends_with(' ') { "" } else { ";" };
        joined += if joined.is_empty() { "" } else { " " };
        joined += item;
    }
    shorten(&joined, most_chars)
}

/// An answer as one line of Markdown.
pub(super) fn line(text: &str) -> String {
    let (kept, mark) = within_bytes(text);
    escape(&flat(kept)) + mark
}

/// The answer to a choice in somebody's own words, as one line of Markdown.
pub(super) fn choice(text: &str) -> String {
    short(text, 200)
}

/// An answer as one line of Markdown, cut after so many characters.
pub(super) fn short(text: &str, most_chars: usize) -> String {
    escape(&plain(text, most_chars))
}

/// An answer as Markdown: paragraphs stay apart, items of lists stay items.
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

/// A command or a name as code.
pub(super) fn code(text: &str) -> String {
    let text = flat(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// The same within a table, where a bar would end the cell even in code.
pub(super) fn code_cell(text: &str) -> String {
    code(text).replace('|', "\\|")
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

/// One line, single spaces, and none of the characters that turn the order of others around.
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

/// Cut at a space where there is one near the end.
fn shorten(text: &str, most_chars: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(most_chars) else { return text.to_owned() };
    let kept = &text[..end];
    let near = kept.rfind(' ').filter(|space| space * 3 > end * 2).unwrap_or(end);
    format!("{}{CUT}", kept[..near].trim_end_matches([' ', ',', ';', ':']))
}

fn within_bytes(text: &str) -> (&str, &'static str) {
    let mut end = text.len().min(MOST_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    (&text[..end], if end < text.len() { CUT } else { "" })
}

/// Marks of Markdown with a backslash before them, but only where they would mean something.
fn escape(flat: &str) -> String {
    let digits = flat.bytes().take_while(u8::is_ascii_digit).count();
    let mut escaped = String::with_capacity(flat.len() + 8);
    let mut last = ' ';
    let mut chars = flat.char_indices().peekable();
    while let Some((place, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        let means_something = match c {
            '\\' | '`' | '*' | '[' | '<' | '|' | '~' => true,
            '_' => !(last.is_alphanumeric() && next.is_alphanumeric()),
            '&' => next == '#' || next.is_ascii_alphabetic(),
            '#' => last == ' ',
            '-' | '+' | '=' | '>' => place == 0,
            '.' | ')' => digits > 0 && place == digits && next == ' ',
            _ => false,
        };
        if means_something {
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
    fn marks_become_text_and_plain_words_stay_as_they_are() {
        for (said, written) in [
            (
                "A member ticks off a task, so that it's done.",
                "A member ticks off a task, so that it's done.",
            ),
            ("due_date and list_tasks in C# (R&D)", "due_date and list_tasks in C# (R\\&D)"),
            ("# Not\n## a heading", "\\# Not \\## a heading"),
            ("- no item", "\\- no item"),
            ("1. no item", "1\\. no item"),
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
    fn paragraphs_and_lists_keep_their_form() {
        let said = "First.\nStill.\n\n\nSecond:\n- one\n* two\n3) # three\nLast\n```\n    code";
        assert_eq!(
            paragraphs(said),
            "First.\nStill.\n\nSecond:\n\n- one\n- two\n- \\# three\n\nLast\n\\`\\`\\`\ncode"
        );
        assert_eq!(paragraphs(" \n "), "");
    }

    #[test]
    fn commands_stay_whole_in_code_and_in_cells() {
        for (said, written) in [
            ("npm test", "`npm test`"),
            ("echo `date`\n# x", "`` echo `date` # x ``"),
            ("a | b", "`a | b`"),
        ] {
            assert_eq!(code(said), written);
        }
        assert_eq!(code_cell("a | b"), "`a \\| b`");
    }

    #[test]
    fn what_is_too_long_says_so() {
        assert_eq!(short("one two three", 13), "one two three");
        assert_eq!(short("one two, three", 9), "one two…");
        assert_eq!(short("oooooooooo", 4), "oooo…");
        assert_eq!(plain("<b> \"x\"", 40), "<b> \"x\"");
        assert_eq!(plain("Not:\n- a\n\n- b\nAnd c.\nd", 40), "Not: a; b; And c. d");
        assert!(line(&"🚀".repeat(20_000)).ends_with("🚀…"));
        assert!(paragraphs(&"*\n".repeat(20_000)).len() <= 2 * MOST_BYTES);
    }
}
