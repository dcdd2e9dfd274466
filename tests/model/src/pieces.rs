//! Splits texts into pieces, as models stream them.

/// Splits after each word.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ')
}

/// Splits into pieces of a few characters.
pub(crate) fn scraps(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(5).map(|scrap| scrap.iter().collect()).collect()
}
