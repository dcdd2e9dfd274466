//! Changed files outside the phase's scope, such as those that commands leave behind.

use std::time::Duration;

use domain::failure::ErrorClass;

use super::{context::ToolContext, error::ToolError, scope};
use crate::threads;

const LIST_TIMEOUT: Duration = Duration::from_secs(120);
/// Paths that a note names.
const MAX_NAMED: usize = 10;

/// The changed paths outside the phase's scope.
///
/// # Errors
/// If the repository cannot be read.
pub(super) async fn list(ctx: &ToolContext) -> Result<Vec<String>, ToolError> {
    let Some(scope) = scope::of_phase(ctx) else { return Ok(Vec::new()) };
    let changes = ctx.changes.clone();
    let paths = threads::run(LIST_TIMEOUT, move || changes.paths()).await;
    let broken = |reason| ToolError::broken(ErrorClass::Resource, reason);
    let paths = paths.map_err(|error| broken(error.to_string()))?.map_err(broken)?;
    Ok(paths.into_iter().filter(|path| !scope.contains(path)).collect())
}

/// What the result of a command says about them; empty if there are none, or
/// if it ran in a copy.
///
/// # Errors
/// Those of [`list`].
pub(super) async fn note(ctx: &ToolContext) -> Result<String, ToolError> {
    if ctx.copy.is_some() {
        return Ok(String::new());
    }
    let paths = list(ctx).await?;
    let (count, named) = (paths.len(), paths.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>());
    let more = if count > MAX_NAMED { ", …" } else { "" };
    let files = match count {
        0 => return Ok(String::new()),
        1 => "1 file outside the scope was".to_owned(),
        count => format!("{count} files outside the scope were"),
    };
    let named = named.join(", ");
    Ok(format!(
        "\n[{files} created or changed: {named}{more}. The phase cannot be completed with them: call \
         discard_files.]"
    ))
}
