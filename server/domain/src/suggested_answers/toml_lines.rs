//! The lines of a TOML document with the table and key that they belong to: a suggestion names the
//! line of an array's item, also in a document that a TOML parser rejects.

/// A table header, or a line of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TomlLine<'a> {
    /// From 1.
    pub number: u32,
    /// Without brackets; empty at the root.
    pub table: &'a str,
    /// Empty for the header of the table.
    pub key: &'a str,
    /// The part of the value on this line, without comment.
    pub value: &'a str,
    /// The value began on an earlier line.
    pub is_continuation: bool,
}

/// Without comments, empty lines and the contents of multi-line strings.
pub fn toml_lines(text: &str) -> Vec<TomlLine<'_>> {
    let mut lines = Vec::new();
    let (mut table, mut key) = ("", "");
    let mut open_brackets = 0_usize;
    let mut closing_quotes: Option<&str> = None;
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(quotes) = closing_quotes {
            closing_quotes = (!line.contains(quotes)).then_some(quotes);
            continue;
        }
        let line = without_comment(line).trim();
        if line.is_empty() {
            continue;
        }
        let is_continuation = open_brackets > 0;
        let value = if is_continuation {
            line
        } else if let Some(header) = line.strip_prefix('[') {
            (table, key) = (header.trim_matches(['[', ']', ' ']), "");
            lines.push(TomlLine { number, table, key, value: "", is_continuation: false });
            continue;
        } else if let Some((name, value)) = line.split_once('=') {
            key = name.trim().trim_matches(['"', '\'']);
            value.trim()
        } else {
            continue;
        };
        closing_quotes =
            [r#"""""#, "'''"].into_iter().find(|quotes| value.matches(quotes).count() % 2 == 1);
        open_brackets = brackets(value, open_brackets);
        lines.push(TomlLine { number, table, key, value, is_continuation });
    }
    lines
}

fn without_comment(line: &str) -> &str {
    let comment = outside_strings(line).find(|(_, c)| *c == '#');
    comment.map_or(line, |(at, _)| &line[..at])
}

/// The number of open brackets after `value`.
fn brackets(value: &str, before: usize) -> usize {
    outside_strings(value).fold(before, |open, (_, c)| match c {
        '[' | '{' => open + 1,
        ']' | '}' => open.saturating_sub(1),
        _ => open,
    })
}

fn outside_strings(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut quote = None;
    let mut is_escaped = false;
    text.char_indices().filter(move |(_, c)| match quote {
        Some(open) => {
            let closes = *c == open && !is_escaped;
            is_escaped = open == '"' && *c == '\\' && !is_escaped;
            if closes {
                quote = None;
            }
            false
        }
        None => {
            quote = matches!(c, '"' | '\'').then_some(*c);
            quote.is_none()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_belong_to_their_table_and_key() {
        let text = "a = 1 # one\n\n[t.u]\nb = [ # many\n  \"x # y\",\n  \"z]\",\n]\nc = '''\nd = 2\n'''\ne = { f = 1 }\n";
        let found: Vec<_> = toml_lines(text)
            .iter()
            .map(|line| (line.number, line.table, line.key, line.value))
            .collect();
        assert_eq!(
            found,
            [
                (1, "", "a", "1"),
                (3, "t.u", "", ""),
                (4, "t.u", "b", "["),
                (5, "t.u", "b", "\"x # y\","),
                (6, "t.u", "b", "\"z]\","),
                (7, "t.u", "b", "]"),
                (8, "t.u", "c", "'''"),
                (11, "t.u", "e", "{ f = 1 }"),
            ]
        );
    }
}
