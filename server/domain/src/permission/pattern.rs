//! Wildcards over a whole subject: `*` is any text, `?` any one character.

/// Stands in a subject for text that is known only once it runs, such as `$HOME`.
pub const HOLE: char = '\u{fffc}';

/// How a pattern fits a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// Whatever fills the holes.
    Always,
    /// It depends on what fills the holes.
    Perhaps,
    /// Whatever fills the holes.
    Never,
}

/// How `pattern` fits the whole of `subject`.
pub fn fit(pattern: &str, subject: &str) -> Fit {
    // Most patterns fail here already, which counts where each file of a tree is judged.
    if !subject.contains(HOLE) && !ends_alike(pattern, subject) {
        return Fit::Never;
    }
    let pattern: Vec<char> = pattern.chars().collect();
    if matches(&pattern, subject, false) {
        Fit::Always
    } else if subject.contains(HOLE) && matches(&pattern, subject, true) {
        Fit::Perhaps
    } else {
        Fit::Never
    }
}

/// Whether the subject ends as the pattern says after its last wildcard.
fn ends_alike(pattern: &str, subject: &str) -> bool {
    let plain = pattern.rfind(['*', '?']).map_or(pattern, |last| &pattern[last + 1..]);
    subject.ends_with(plain)
}

/// Whether the subject fits: with holes `filled` for at least one filling, otherwise for all of
/// them, when only a `*` covers a hole.
fn matches(pattern: &[char], subject: &str, filled: bool) -> bool {
    // `places[i]`: the subject so far fits the first `i` characters of the pattern.
    let mut places = vec![false; pattern.len() + 1];
    places[0] = true;
    pass_stars(pattern, &mut places);
    let mut next = vec![false; pattern.len() + 1];
    for c in subject.chars() {
        let Some(first) = places.iter().position(|reached| *reached) else { return false };
        if c == HOLE && filled {
            // There is a text that leads from here to any later place.
            places[first..].fill(true);
            continue;
        }
        next.fill(false);
        for place in (first..pattern.len()).filter(|place| places[*place]) {
            match pattern[place] {
                '*' => next[place] = true,
                one if c != HOLE && (one == '?' || one == c) => next[place + 1] = true,
                _ => {}
            }
        }
        pass_stars(pattern, &mut next);
        std::mem::swap(&mut places, &mut next);
    }
    places[pattern.len()]
}

/// A `*` may stand for nothing.
fn pass_stars(pattern: &[char], places: &mut [bool]) {
    for (place, c) in pattern.iter().enumerate() {
        if *c == '*' && places[place] {
            places[place + 1] = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pattern_matches_the_whole_subject() {
        for (pattern, subject, fits) in [
            ("*", "", true),
            ("*", "anything at all\nand more", true),
            ("", "", true),
            ("", "a", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("?", "é", true),
            ("rm *", "rm -rf build", true),
            ("rm *", "rm", false),
            ("rm *", "farm -x", false),
            ("*.env", ".env", true),
            ("*.env", "web/.env", true),
            ("*.env", ".env.example", false),
            ("src/*/a.js", "src/b/c/a.js", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("[a]", "a", false),
            ("a.c", "abc", false),
        ] {
            let expected = if fits { Fit::Always } else { Fit::Never };
            assert_eq!(fit(pattern, subject), expected, "{pattern} {subject}");
        }
    }

    #[test]
    fn hole_matches_any_text() {
        for (pattern, subject, expected) in [
            ("*", "\u{fffc}", Fit::Always),
            ("rm *", "rm \u{fffc}", Fit::Always),
            ("rm ?", "rm \u{fffc}", Fit::Perhaps),
            ("rm -rf /*", "rm -rf \u{fffc}", Fit::Perhaps),
            ("rm -rf /*", "rm \u{fffc}", Fit::Perhaps),
            ("rm -rf /*", "rm -rf ./\u{fffc}", Fit::Never),
            ("git push", "\u{fffc}", Fit::Perhaps),
            ("git push", "git \u{fffc} origin", Fit::Never),
            ("git push*", "git \u{fffc} origin", Fit::Perhaps),
            ("\u{fffc}", "\u{fffc}", Fit::Perhaps),
        ] {
            assert_eq!(fit(pattern, subject), expected, "{pattern} {subject}");
        }
    }

    proptest! {
        #[test]
        fn pattern_without_wildcards_matches_literally(text in "[a-z /.$-]{0,12}", other in "[a-z /.$-]{0,12}") {
            prop_assert_eq!(fit(&text, &text), Fit::Always);
            prop_assert_eq!(fit(&text, &other) == Fit::Always, text == other);
        }

        #[test]
        fn wildcards_agree_with_a_regular_expression(pattern in "[ab*?]{0,8}", subject in "[ab]{0,8}") {
            let expression = format!("^{}$", pattern.replace('?', ".").replace('*', ".*"));
            let expected = regex::Regex::new(&expression).unwrap().is_match(&subject);
            prop_assert_eq!(fit(&pattern, &subject) == Fit::Always, expected);
        }

        #[test]
        fn certain_match_holds_for_any_filling(
            pattern in "[ab*?]{0,6}",
            before in "[ab]{0,3}",
            after in "[ab]{0,3}",
            filling in "[ab]{0,4}",
        ) {
            let filled = fit(&pattern, &format!("{before}{filling}{after}"));
            match fit(&pattern, &format!("{before}{HOLE}{after}")) {
                Fit::Always => prop_assert_eq!(filled, Fit::Always),
                Fit::Never => prop_assert_eq!(filled, Fit::Never),
                Fit::Perhaps => {}
            }
        }
    }
}
