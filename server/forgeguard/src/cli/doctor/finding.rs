//! What one look found.

/// A thing, whether it is as it should be, and what to do if not.
pub(super) struct Finding {
    pub what: &'static str,
    pub holds: bool,
    /// Without it nothing works; others only matter for some.
    pub needed: bool,
    pub seen: String,
    pub remedy: Option<String>,
}
