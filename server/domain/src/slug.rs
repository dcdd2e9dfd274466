//! Names as they appear in URLs and branches.

/// The text in lowercase ASCII letters, digits and single hyphens, cut between words to at most
/// `max_length` characters. Empty if nothing of it can be written that way.
pub fn slug(text: &str, max_length: usize) -> String {
    let whole = slug::slugify(text);
    if whole.len() <= max_length {
        return whole;
    }
    let cut = &whole[..max_length];
    let is_between_words = whole.as_bytes()[max_length] == b'-';
    let words = match cut.rsplit_once('-') {
        Some((words, _)) if !is_between_words => words,
        _ => cut,
    };
    words.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_lowercase_ascii_words_of_limited_length() {
        for (text, max_length, expected) in [
            ("Due dates", 40, "due-dates"),
            ("  Fällige Bücher! ", 40, "fallige-bucher"),
            ("a/../b.git", 40, "a-b-git"),
            ("---", 40, ""),
            ("one two three", 9, "one-two"),
            ("one two three", 7, "one-two"),
            ("one two three", 8, "one-two"),
            ("abcdefgh", 4, "abcd"),
        ] {
            assert_eq!(slug(text, max_length), expected, "{text}");
        }
        assert_eq!(slug("日本語", 40), "ri-ben-yu");
    }
}
