//! `/api/projects/{project}/permissions`: rules that apply in addition to the project's, and a
//! preview.

use axum::extract::State;
use domain::permission::{self, Action, Judged, Layer, Layers, Permission, Rule};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    check::Check,
    extract::Json,
    owned::Owned,
};
use crate::{
    engine::{ProjectSettings, settings::validate_permissions},
    store::projects::Project,
};

/// Rules that apply in addition to the project's, each list in order of evaluation.
#[derive(Debug, Serialize, ToSchema)]
pub struct PermissionRules {
    /// ForgeGuard's defaults, which apply unless other rules match.
    built_in: Vec<Rule>,
    /// The installation's rules: a project can only be stricter.
    installation: Vec<Rule>,
}

/// A hypothetical action of an agent.
#[derive(Debug, Deserialize, ToSchema)]
pub struct TryPermissionRequest {
    /// The permission that the action requires.
    permission: Permission,
    /// A path, a shell line or a tool's name: 1 to 8,192 characters.
    #[schema(min_length = 1, max_length = 8_192)]
    subject: String,
    /// Evaluated instead of the project's saved rules.
    rules: Option<Vec<Rule>>,
}

/// The evaluation of a hypothetical action.
#[derive(Debug, Serialize, ToSchema)]
pub struct PermissionVerdict {
    action: Action,
    /// Whose rule decides; null if no rule matches, in which case the user is asked.
    #[schema(required)]
    layer: Option<Layer>,
    /// The rule that decides.
    #[schema(required)]
    rule: Option<Rule>,
    /// The whole subject first, then each command of a shell line; the strictest result decides.
    parts: Vec<Judged>,
}

/// Gets the rules that apply in addition to the project's.
#[utoipa::path(get, path = "/api/projects/{project}/permissions", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 200, body = PermissionRules),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_permissions(
    State(app): State<Shared>,
    _: Owned<Project>,
) -> Json<PermissionRules> {
    Json(PermissionRules {
        built_in: permission::built_in().to_vec(),
        installation: app.engine.permissions().to_vec(),
    })
}

/// Evaluates the rules for a hypothetical action. Nothing is executed.
#[utoipa::path(post, path = "/api/projects/{project}/permissions/try", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")),
    request_body = TryPermissionRequest, responses(
        (status = 200, body = PermissionVerdict),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn try_permission(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    Json(request): Json<TryPermissionRequest>,
) -> Result<Json<PermissionVerdict>, ApiError> {
    let mut check = Check::new();
    let subject = check.text("subject", &request.subject, 1, 8_192);
    check.done()?;
    let rules = match request.rules {
        Some(rules) => {
            validate_permissions("rules", &rules)
                .map_err(|invalid| ApiError::invalid(invalid.field, invalid.reason))?;
            rules
        }
        None => ProjectSettings::read(&project.settings).map_err(ApiError::internal)?.permissions,
    };
    let layers = Layers {
        built_in: permission::built_in(),
        installation: app.engine.permissions(),
        project: &rules,
    };
    let judgement = permission::judge(&layers, request.permission, &subject);
    let Judged { action, layer, rule, .. } = judgement.deciding().clone();
    Ok(Json(PermissionVerdict { action, layer, rule, parts: judgement.parts }))
}
