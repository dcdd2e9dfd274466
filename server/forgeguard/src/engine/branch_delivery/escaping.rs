//! Escaping of untrusted text in the Markdown of forges.

/// Text on one line that no forge interprets: no formatting, HTML, links, images, mentions of users,
/// references to issues, or commands. `|` is left to tables.
pub fn escape(text: &str) -> String {
    /// Between a character and what a forge would combine it with.
    const SEPARATOR: char = '\u{200B}';
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut escaped = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' => escaped.extend(['\\', c]),
            '@' | '#' | '!' | '~' | '%' | '$' | '&' | '^' | ':' | '/' => {
                escaped.extend([c, SEPARATOR]);
            }
            // Bidirectional overrides would show the rest of the page in another order.
            '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {}
            c if c.is_control() => {}
            c => escaped.push(c),
        }
    }
    escaped
}

/// Text as code, which no forge interprets.
pub fn code(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("`{}`", line.replace('`', "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_that_a_forge_interprets() {
        let text = "fixes #1 @team/all <img src=x> ![a](https://x)\n/merge **now** `rm` \u{202E}";
        let escaped = escape(text);
        for active in ["#1", "@team", "![", "://", "/merge", "\n", "**", "\u{202E}"] {
            assert!(!escaped.contains(active), "{active}: {escaped}");
        }
        for c in ['<', '`', '[', ']', '*'] {
            let count = |text: &str, part: &str| text.matches(part).count();
            let (all, own) = (count(&escaped, &c.to_string()), count(&escaped, &format!("\\{c}")));
            assert!(all == own && own > 0, "{c}: {escaped}");
        }
        assert_eq!(escape("A  plain\ttext."), "A plain text.");
        assert_eq!(code("a `b` c"), "`a 'b' c`");
    }
}
