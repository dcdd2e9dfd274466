//! The paths that a phase may change.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::{context::ToolContext, error::ToolError, worktree::Worktree};

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

/// Why a path may not change in the phase in progress; `None` if neither the path nor the target of
/// its links is outside the scope. An invalid scope is reported by the scope gate.
///
/// # Errors
/// If the path cannot be resolved.
pub(super) async fn objection(ctx: &ToolContext, path: &str) -> Result<Option<String>, ToolError> {
    let Some(scope) = of_phase(ctx) else { return Ok(None) };
    let named = path.to_owned();
    let resolve = move |tree: &Worktree| Ok(tree.resolve(&Worktree::path(&named)?)?.to_string());
    let target = ctx.on_files(resolve).await?;
    let outside = [path, target.as_str()].into_iter().find(|path| !scope.contains(path));
    Ok(outside.map(|path| {
        format!(
            "`{path}` is outside the scope of this phase, where only these paths may change: {}. \
             Nothing was written. To undo a change outside it, use discard_files.",
            scope.text()
        )
    }))
}

/// The scope of the phase in progress; `None` if all paths may change.
pub(super) fn of_phase(ctx: &ToolContext) -> Option<Scope> {
    let phase = ctx.state.phases.iter().find(|phase| phase.outline.number == ctx.phase)?;
    Scope::of(&ctx.state.scope_of(phase)).ok()?
}
