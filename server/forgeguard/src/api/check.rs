//! Checks of what people type, with all that is wrong said at once.

use std::collections::BTreeMap;

use super::problem::Problem;

/// Collects what does not fit, field by field.
#[derive(Debug, Default)]
pub struct Check {
    fields: BTreeMap<String, String>,
}

impl Check {
    /// Nothing is wrong yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// One line of 1 to `most` characters; the spaces around it are dropped.
    pub fn line(&mut self, field: &'static str, text: &str, most: usize) -> String {
        let text = text.trim();
        match text.chars().count() {
            0 => self.refuse(field, "write something here"),
            n if n > most => self.refuse(field, format!("use at most {most} characters, not {n}")),
            _ if text.chars().any(char::is_control) => {
                self.refuse(field, "write one line without control characters");
            }
            _ => {}
        }
        text.to_owned()
    }

    /// Text of `least` to `most` characters, of any number of lines, kept as it is.
    pub fn text(&mut self, field: &'static str, text: &str, least: usize, most: usize) -> String {
        let count = text.chars().count();
        if text.trim().chars().count() < least {
            self.refuse(field, "write something here");
        } else if count > most {
            self.refuse(field, format!("use at most {most} characters, not {count}"));
        } else if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
            self.refuse(field, "leave out control characters");
        }
        text.to_owned()
    }

    /// An address such as `ada@example.org`, in lower case.
    pub fn email(&mut self, field: &'static str, text: &str) -> String {
        let email = text.trim().to_lowercase();
        let parts = email.split_once('@');
        let fits = email.chars().count() <= 254
            && !email.chars().any(|c| c.is_whitespace() || c.is_control())
            && parts.is_some_and(|(who, host)| {
                !who.is_empty() && !host.is_empty() && !host.contains('@')
            });
        if !fits {
            self.refuse(field, "write an address such as ada@example.org");
        }
        email
    }

    /// A password of 10 to 200 characters.
    pub fn password(&mut self, field: &'static str, text: &str) {
        match text.chars().count() {
            0..10 => self.refuse(field, "use at least 10 characters"),
            201.. => self.refuse(field, "use at most 200 characters"),
            _ => {}
        }
    }

    /// Something else that is wrong with a field; the first reason stays.
    pub fn refuse(&mut self, field: impl Into<String>, why: impl Into<String>) {
        self.fields.entry(field.into()).or_insert_with(|| why.into());
    }

    /// Ok, or the problem that names every field.
    pub fn done(self) -> Result<(), Problem> {
        match self.fields.is_empty() {
            true => Ok(()),
            false => Err(Problem::invalid_fields(self.fields)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(check: impl FnOnce(&mut Check)) -> Option<String> {
        let mut checks = Check::new();
        check(&mut checks);
        checks.done().err().map(|problem| problem.detail().to_owned())
    }

    #[test]
    fn lines_are_trimmed_and_bounded() {
        let mut check = Check::new();
        assert_eq!(check.line("name", "  Ada  ", 3), "Ada");
        assert!(check.done().is_ok());
        for text in ["", "   ", "Adam", "A\nb", "A\u{0}"] {
            assert!(refused(|check| drop(check.line("name", text, 3))).is_some(), "{text:?}");
        }
    }

    #[test]
    fn length_counts_characters_and_not_bytes() {
        assert_eq!(refused(|check| drop(check.text("note", "äöü", 1, 3))), None);
        assert!(refused(|check| drop(check.text("note", "äöüß", 1, 3))).is_some());
    }

    #[test]
    fn addresses_need_two_sides() {
        for text in ["ada", "@b", "a@", "a@b@c", "a b@c", ""] {
            assert!(refused(|check| drop(check.email("email", text))).is_some(), "{text:?}");
        }
        assert_eq!(Check::new().email("email", " Ada@Example.ORG "), "ada@example.org");
    }

    #[test]
    fn everything_wrong_is_said_at_once() {
        let said = refused(|check| {
            check.line("name", "", 3);
            check.password("password", "short");
        });
        let said = said.unwrap();
        assert!(said.contains("name:") && said.contains("password:"), "{said}");
    }
}
