//! Texts cut up as models send them.

/// Cut after each word.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ')
}

/// Cut anywhere, a few characters each.
pub(crate) fn scraps(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(5).map(|scrap| scrap.iter().collect()).collect()
}
