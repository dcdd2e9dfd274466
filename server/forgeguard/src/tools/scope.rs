//! The paths that a phase may change.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::context::ToolContext;

/// The globs of a phase.
#[derive(Debug)]
pub struct Scope {
    globs: GlobSet,
    text: String,
}

impl Scope {
    /// `None` without globs: all paths may change.
    ///
    /// # Errors
    /// If a glob is invalid.
    pub fn of(globs: &[String]) -> Result<Option<Self>, globset::Error> {
        if globs.is_empty() {
            return Ok(None);
        }
        let mut set = GlobSetBuilder::new();
        for glob in globs {
            set.add(GlobBuilder::new(glob).literal_separator(true).build()?);
        }
        Ok(Some(Self { globs: set.build()?, text: globs.join(", ") }))
    }

    /// Whether this path may change.
    pub fn contains(&self, path: &str) -> bool {
        self.globs.is_match(path)
    }

    /// The globs, as written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Why a path may not change in the phase in progress; `None` if it may. An invalid scope is reported
/// by the scope gate.
pub(super) fn objection(ctx: &ToolContext, path: &str) -> Option<String> {
    let phase = ctx.state.phases.iter().find(|phase| phase.outline.number == ctx.phase)?;
    let scope = Scope::of(&phase.outline.scope).ok()??;
    (!scope.contains(path)).then(|| {
        format!(
            "`{path}` is outside the scope of this phase, where only these paths may change: {}. \
             Nothing was written. To undo a change outside it, use run_command: `rm PATH` for a new \
             file, `git show HEAD:PATH > PATH` for an old one.",
            scope.text()
        )
    })
}
