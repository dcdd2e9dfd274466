//! The result of a check of `forgeguard doctor`.

pub(super) struct Check {
    pub name: &'static str,
    pub passed: bool,
    /// Required for all installations; other checks matter only for some.
    pub required: bool,
    pub observed: String,
    pub remedy: Option<String>,
}
