//! Lines of keys in a JSON document, which JSON parsers do not report.

/// The line of the last of `keys`, each of which follows the one before it.
pub fn line_of_key(text: &str, keys: &[&str]) -> Option<u32> {
    let mut start = 0;
    for key in keys {
        start = after_key(text, start, key)?;
    }
    let before = &text.as_bytes()[..start];
    let newlines = before.iter().filter(|byte| **byte == b'\n').count();
    u32::try_from(newlines + 1).ok()
}

/// The position behind `"key"`, if a colon follows.
fn after_key(text: &str, start: usize, key: &str) -> Option<usize> {
    let quoted = format!("\"{key}\"");
    let rest = &text[start..];
    let mut ends = rest.match_indices(&quoted).map(|(at, found)| at + found.len());
    ends.find(|end| rest[*end..].trim_start().starts_with(':')).map(|end| start + end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_found_behind_its_parents() {
        let text =
            "{\n \"name\": \"test\",\n \"test\": 1,\n \"scripts\": {\n  \"test\" : \"x\"\n }\n}";
        assert_eq!(line_of_key(text, &["name"]), Some(2));
        assert_eq!(line_of_key(text, &["test"]), Some(3));
        assert_eq!(line_of_key(text, &["scripts", "test"]), Some(5));
        assert_eq!(line_of_key(text, &["scripts", "name"]), None);
    }
}
