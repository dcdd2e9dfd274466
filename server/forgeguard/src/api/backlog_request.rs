//! Requests that add or change items of a backlog.

use domain::{
    backlog::{MAX_DEPENDENCIES, MAX_SCOPE, cycle},
    ids::BacklogItemId,
};
use globset::Glob;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{api_error::ApiError, backlog_item::BacklogItem, check::Check, specs};
use crate::{engine::EngineError, store::backlog_items::ItemContent};

/// In characters.
const MAX_TITLE_LENGTH: usize = 120;
/// In characters.
const MAX_DESCRIPTION_LENGTH: usize = 20_000;
/// In characters.
const MAX_GLOB_LENGTH: usize = 200;
/// In characters.
const MAX_EXTERNAL_ID_LENGTH: usize = 200;

/// An item to add: a title with a description, or a spec.
#[derive(Debug, Deserialize, ToSchema)]
pub struct AddBacklogItemRequest {
    #[serde(flatten)]
    item: BacklogItemRequest,
    /// What another program calls the item. If the project has an item with this id, that one is
    /// returned unchanged.
    #[serde(default)]
    #[schema(max_length = 200)]
    external_id: Option<String>,
}

/// What an item asks for.
#[derive(Debug, Deserialize, ToSchema)]
pub struct BacklogItemRequest {
    /// One line; the title of the spec if omitted.
    #[serde(default)]
    #[schema(max_length = 120)]
    title: Option<String>,
    /// What to change, as Markdown.
    #[serde(default)]
    #[schema(max_length = 20_000)]
    description: String,
    /// A spec, which the build follows instead of the description. When the item starts, it becomes
    /// the next spec of the project.
    #[serde(default)]
    #[schema(max_length = 500_000)]
    spec: Option<String>,
    /// Globs of paths that the build may change; at most 50. Empty means any.
    #[serde(default)]
    scope: Vec<String>,
    /// Items of the project that must be built first; at most 50.
    #[serde(default)]
    depends_on: Vec<BacklogItemId>,
}

/// A valid request.
pub struct CheckedItem {
    pub content: ItemContent,
    pub depends_on: Vec<BacklogItemId>,
}

impl AddBacklogItemRequest {
    pub async fn checked(self) -> Result<(CheckedItem, Option<String>), ApiError> {
        let mut check = Check::new();
        let filled = self.external_id.filter(|id| !id.trim().is_empty());
        let external_id = filled.map(|id| check.line("external_id", &id, MAX_EXTERNAL_ID_LENGTH));
        Ok((self.item.checked_with(check).await?, external_id))
    }
}

impl BacklogItemRequest {
    pub async fn checked(self) -> Result<CheckedItem, ApiError> {
        self.checked_with(Check::new()).await
    }

    async fn checked_with(self, mut check: Check) -> Result<CheckedItem, ApiError> {
        let Self { title, description, spec, scope, mut depends_on } = self;
        let (mut title, mut spec) = (title.unwrap_or_default(), spec);
        if let Some(text) = spec.take().filter(|text| !text.trim().is_empty()) {
            let (parsed, text) = specs::parse("spec", text, 1).await?;
            if !parsed.is_valid() {
                let problems: Vec<String> = parsed.errors.iter().map(ToString::to_string).collect();
                check.reject("spec", problems.join("\n"));
            }
            if title.trim().is_empty() {
                title = parsed.spec.title.chars().take(MAX_TITLE_LENGTH).collect();
            }
            spec = Some(text);
        }
        let title = check.line("title", &title, MAX_TITLE_LENGTH);
        let description = check.text("description", description.trim(), 0, MAX_DESCRIPTION_LENGTH);
        if scope.len() > MAX_SCOPE {
            check.reject("scope", format!("use at most {MAX_SCOPE} patterns"));
        }
        let scope: Vec<String> = scope.iter().map(|it| it.trim().to_owned()).collect();
        for glob in scope.iter().take(MAX_SCOPE) {
            if glob.chars().count() > MAX_GLOB_LENGTH || Glob::new(glob).is_err() || glob.is_empty()
            {
                check.reject("scope", "each pattern must be a glob such as `src/**`");
            }
        }
        depends_on.sort_unstable();
        depends_on.dedup();
        if depends_on.len() > MAX_DEPENDENCIES {
            check.reject("depends_on", format!("choose at most {MAX_DEPENDENCIES} items"));
        }
        check.done()?;
        let scope = serde_json::to_string(&scope).map_err(EngineError::from)?;
        Ok(CheckedItem { content: ItemContent { title, description, spec, scope }, depends_on })
    }
}

/// Rejects dependencies on items that are not among `items`, and those that close a cycle, which is
/// reported with its path. `item` is None for a new one.
pub fn check_dependencies(
    item: Option<BacklogItemId>,
    depends_on: &[BacklogItemId],
    items: &[BacklogItem],
) -> Result<(), ApiError> {
    let of = |id: BacklogItemId| items.iter().find(|item| item.id == id);
    if depends_on.iter().any(|id| of(*id).is_none()) {
        return Err(ApiError::invalid("depends_on", "choose items of the same project"));
    }
    let Some(item) = item else { return Ok(()) };
    let edges = items.iter().flat_map(|it| it.depends_on.iter().map(|needed| (it.id, *needed)));
    let Some(path) = cycle(item, depends_on, edges) else { return Ok(()) };
    let names = path.iter().filter_map(|id| of(*id));
    let names: Vec<String> = names.map(|it| format!("{} ({})", it.number, it.title)).collect();
    Err(ApiError::invalid(
        "depends_on",
        format!("an item cannot depend on itself: {}", names.join(" → ")),
    ))
}
