//! Detects versions that have lost most of a contract.

/// Whether a version has less than a fifth of its predecessor's length, as after an incomplete reply
/// or a paste into the wrong field.
pub fn is_much_shorter(before: &str, after: &str) -> bool {
    after.chars().count() * 5 < before.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifth_of_the_length_is_enough() {
        assert!(!is_much_shorter("0123456789", "ab"));
        assert!(is_much_shorter("0123456789", "a"));
        assert!(!is_much_shorter("", ""));
    }
}
