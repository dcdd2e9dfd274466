//! Rust source as words and signs with their lines: no comments, no contents of strings.

/// An identifier, a number, one sign, or `""` for any string or character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a str,
    /// Counted from 1.
    pub(crate) line: usize,
}

/// Cuts `source`; never fails, what it cannot read comes out as single signs.
pub(crate) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut cutter = Cutter { source, at: 0, line: 1, found: Vec::new() };
    while cutter.at < source.len() {
        cutter.next();
    }
    cutter.found
}

struct Cutter<'a> {
    source: &'a str,
    at: usize,
    line: usize,
    found: Vec<Token<'a>>,
}

impl<'a> Cutter<'a> {
    fn next(&mut self) {
        let rest = self.rest();
        let first = rest.chars().next().unwrap_or(' ');
        if rest.starts_with("//") {
            self.skip(rest.find('\n').unwrap_or(rest.len()));
        } else if rest.starts_with("/*") {
            self.skip(block_comment(rest));
        } else if let Some(length) = string(rest) {
            self.found.push(Token { text: "\"\"", line: self.line });
            self.skip(length);
        } else if first.is_alphanumeric() || first == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            self.take(end.unwrap_or(rest.len()));
        } else if first.is_whitespace() {
            self.skip(first.len_utf8());
        } else {
            self.take(first.len_utf8());
        }
    }

    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    fn take(&mut self, length: usize) {
        self.found.push(Token { text: &self.rest()[..length], line: self.line });
        self.skip(length);
    }

    fn skip(&mut self, length: usize) {
        self.line += self.rest()[..length].matches('\n').count();
        self.at += length;
    }
}

/// Length of the comment at the start of `text`; comments nest.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// Length of the string or character literal at the start of `text`, with its prefix.
fn string(text: &str) -> Option<usize> {
    if text.starts_with('\'') {
        return character(text);
    }
    let open = text.trim_start_matches(['b', 'c', 'r']);
    let prefix = text.len() - open.len();
    if prefix > 2 {
        return None;
    }
    let signs = open.len() - open.trim_start_matches('#').len();
    if !open[signs..].starts_with('"') || (signs > 0 && !text[..prefix].contains('r')) {
        return (prefix == 1 && open.starts_with('\'')).then(|| character(open))?.map(|n| n + 1);
    }
    let body = prefix + signs + 1;
    if text[..prefix].contains('r') {
        let close = format!("\"{}", "#".repeat(signs));
        return Some(text[body..].find(&close).map_or(text.len(), |end| body + end + close.len()));
    }
    let mut escaped = false;
    for (at, c) in text[body..].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(body + at + 1),
            _ => {}
        }
    }
    Some(text.len())
}

/// Length of `'x'` or `'\…'`; nothing for a lifetime.
fn character(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('\'')?;
    let first = inner.chars().next()?;
    if first == '\\' {
        return inner[2..].find('\'').map(|end| end + 4);
    }
    inner[first.len_utf8()..].starts_with('\'').then_some(first.len_utf8() + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        tokens(source).iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_and_the_insides_of_strings_are_gone() {
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
    fn lifetimes_and_names_with_the_letters_of_prefixes_are_words() {
        assert_eq!(texts("&'a break"), ["&", "'", "a", "break"]);
        assert_eq!(texts("brr::c"), ["brr", ":", ":", "c"]);
    }

    #[test]
    fn lines_are_counted_through_everything() {
        let source = "/* 1\n2 */ \"3\n\" r#\"\n\"# here";
        assert_eq!(tokens(source).last(), Some(&Token { text: "here", line: 4 }));
    }
}
