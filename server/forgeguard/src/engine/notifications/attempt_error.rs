//! Why an attempt to deliver a notification failed.

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttemptError {
    /// It may succeed later.
    Failed(String),
    /// The receiver wants no more.
    Gone(String),
}
