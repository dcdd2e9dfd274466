//! Validation of request fields, which reports all errors together.

use std::collections::BTreeMap;

use super::api_error::ApiError;

/// Collects validation errors by field.
#[derive(Debug, Default)]
pub struct Check {
    fields: BTreeMap<String, String>,
}

impl Check {
    pub fn new() -> Self {
        Self::default()
    }

    /// One line of 1 to `max` characters; surrounding spaces are trimmed.
    pub fn line(&mut self, field: &'static str, text: &str, max: usize) -> String {
        let text = text.trim();
        match text.chars().count() {
            0 => self.reject(field, "must not be empty"),
            n if n > max => self.reject(field, format!("use at most {max} characters, not {n}")),
            _ if text.chars().any(char::is_control) => {
                self.reject(field, "must be one line without control characters");
            }
            _ => {}
        }
        text.to_owned()
    }

    /// Text of `min` to `max` characters, with any number of lines; not trimmed.
    pub fn text(&mut self, field: &'static str, text: &str, min: usize, max: usize) -> String {
        let count = text.chars().count();
        if text.trim().chars().count() < min {
            self.reject(field, "must not be empty");
        } else if count > max {
            self.reject(field, format!("use at most {max} characters, not {count}"));
        } else if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
            self.reject(field, "must not contain control characters");
        }
        text.to_owned()
    }

    /// An email address, returned in lower case.
    pub fn email(&mut self, field: &'static str, text: &str) -> String {
        let email = text.trim().to_lowercase();
        let parts = email.split_once('@');
        let is_valid = email.chars().count() <= 254
            && !email.chars().any(|c| c.is_whitespace() || c.is_control())
            && parts.is_some_and(|(who, host)| {
                !who.is_empty() && !host.is_empty() && !host.contains('@')
            });
        if !is_valid {
            self.reject(field, "must be an email address such as ada@example.org");
        }
        email
    }

    /// A password of 10 to 200 characters.
    pub fn password(&mut self, field: &'static str, text: &str) {
        match text.chars().count() {
            0..10 => self.reject(field, "use at least 10 characters"),
            201.. => self.reject(field, "use at most 200 characters"),
            _ => {}
        }
    }

    /// Adds an error. Only the first error of a field is kept.
    pub fn reject(&mut self, field: impl Into<String>, why: impl Into<String>) {
        self.fields.entry(field.into()).or_insert_with(|| why.into());
    }

    /// An error with all invalid fields, if there are any.
    pub fn done(self) -> Result<(), ApiError> {
        match self.fields.is_empty() {
            true => Ok(()),
            false => Err(ApiError::invalid_fields(self.fields)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejected(check: impl FnOnce(&mut Check)) -> Option<String> {
        let mut checks = Check::new();
        check(&mut checks);
        checks.done().err().map(|error| error.detail().to_owned())
    }

    #[test]
    fn lines_are_trimmed_and_limited_in_length() {
        let mut check = Check::new();
        assert_eq!(check.line("name", "  Ada  ", 3), "Ada");
        assert!(check.done().is_ok());
        for text in ["", "   ", "Adam", "A\nb", "A\u{0}"] {
            assert!(rejected(|check| drop(check.line("name", text, 3))).is_some(), "{text:?}");
        }
    }

    #[test]
    fn length_is_counted_in_characters() {
        assert_eq!(rejected(|check| drop(check.text("note", "äöü", 1, 3))), None);
        assert!(rejected(|check| drop(check.text("note", "äöüß", 1, 3))).is_some());
    }

    #[test]
    fn address_needs_a_user_and_a_host() {
        for text in ["ada", "@b", "a@", "a@b@c", "a b@c", ""] {
            assert!(rejected(|check| drop(check.email("email", text))).is_some(), "{text:?}");
        }
        assert_eq!(Check::new().email("email", " Ada@Example.ORG "), "ada@example.org");
    }

    #[test]
    fn all_errors_are_reported_together() {
        let error = rejected(|check| {
            check.line("name", "", 3);
            check.password("password", "short");
        });
        let error = error.unwrap();
        assert!(error.contains("name:") && error.contains("password:"), "{error}");
    }
}
