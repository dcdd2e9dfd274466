//! When a build's branch is compared with its base branch, and what its phases may change meanwhile.

use crate::state::{BuildState, PhaseState, Stage, Status};

/// Merges of the base branch before a build is sealed without another one.
const MAX_MERGES: usize = 10;

impl BuildState {
    /// Whether the base branch has to be compared with the branch before the next step.
    pub(crate) fn must_compare_base(&self) -> bool {
        self.status == Status::Running && self.may_compare_base() && !self.is_base_compared()
    }

    /// All phases are complete, or a merge is attempted again while no agent works on it.
    pub(crate) fn may_compare_base(&self) -> bool {
        let Some(phase) = self.phase() else { return self.base.conflict.is_none() };
        let is_outdated = self.base.conflict.as_ref().is_some_and(|open| open.is_outdated);
        is_outdated && phase.run.is_none() && matches!(phase.stage, Stage::Refused | Stage::Gates)
    }

    /// Whether nothing is left to merge, as far as is known.
    pub(crate) fn is_base_compared(&self) -> bool {
        let head = self.branch.as_ref().map(|branch| &branch.head_sha);
        let is_at_head = head.is_some() && self.base.compared_head.as_ref() == head;
        let is_limited = self.base.merges.len() >= MAX_MERGES;
        let is_done = is_at_head || is_limited || !self.queued.merges_base;
        is_done && self.base.conflict.is_none()
    }

    /// Globs of the paths that a phase may change; empty for any. Files with conflicts are among them.
    pub fn scope_of(&self, phase: &PhaseState) -> Vec<String> {
        let mut globs = phase.outline.scope.clone();
        if let Some(open) = self.base.conflict.as_ref().filter(|_| !globs.is_empty()) {
            globs.extend(open.found.paths.iter().map(|path| literal(path)));
        }
        globs
    }
}

/// The glob for exactly this path.
fn literal(path: &str) -> String {
    let mut glob = String::new();
    for c in path.chars() {
        match c {
            '?' | '*' | '[' | ']' | '{' | '}' | '!' => glob.extend(['[', c, ']']),
            '\\' => glob.push_str("\\\\"),
            c => glob.push(c),
        }
    }
    glob
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_path_has_no_wildcards() {
        assert_eq!(literal("src/a.js"), "src/a.js");
        assert_eq!(literal("pages/[id]/{a}*.js"), "pages/[[]id[]]/[{]a[}][*].js");
    }
}
