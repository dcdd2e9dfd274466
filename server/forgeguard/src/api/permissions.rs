//! `/api/projects/{project}/permissions`: the rules above the project's, and a way to try them.

use axum::extract::State;
use domain::{
    ids::ProjectId,
    permission::{self, Action, Judged, Layer, Layers, Permission, Rule},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    app::Shared,
    check::Check,
    extract::Json,
    owned::Owned,
    problem::{Problem, ProblemBody},
};
use crate::{
    engine::{ProjectSettings, settings::validate_permissions},
    store::projects::Project,
};

/// The rules that hold beside the project's own, each list in the order in which they count.
#[derive(Debug, Serialize, ToSchema)]
pub struct PermissionRules {
    /// ForgeGuard's: they hold where nobody says otherwise.
    built_in: Vec<Rule>,
    /// The installation's: a project can tighten them and not loosen them.
    installation: Vec<Rule>,
}

/// Something that an agent might want to do.
#[derive(Debug, Deserialize, ToSchema)]
pub struct TryPermissionRequest {
    /// What it needs leave for.
    permission: Permission,
    /// A path, a shell line or a tool's name: 1 to 8,192 characters.
    subject: String,
    /// In place of the project's saved rules.
    rules: Option<Vec<Rule>>,
}

/// What would come of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct PermissionVerdict {
    /// What follows.
    action: Action,
    /// Whose rule decides; none where no rule fits, and then a person is asked.
    #[schema(required)]
    layer: Option<Layer>,
    /// The rule that decides.
    #[schema(required)]
    rule: Option<Rule>,
    /// The whole first, then every command in a shell line; the strictest decides.
    parts: Vec<Judged>,
}

/// The rules that hold beside the project's own.
#[utoipa::path(get, path = "/api/projects/{project}/permissions", tag = "projects",
    params(("project" = ProjectId, Path, description = "The project's id")), responses(
        (status = 200, body = PermissionRules),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
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

/// Tells what would come of something that an agent wants to do. Nothing is done.
#[utoipa::path(post, path = "/api/projects/{project}/permissions/try", tag = "projects",
    params(("project" = ProjectId, Path, description = "The project's id")),
    request_body = TryPermissionRequest, responses(
        (status = 200, body = PermissionVerdict),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn try_permission(
    State(app): State<Shared>,
    Owned { thing: project, .. }: Owned<Project>,
    Json(request): Json<TryPermissionRequest>,
) -> Result<Json<PermissionVerdict>, Problem> {
    let mut check = Check::new();
    let subject = check.text("subject", &request.subject, 1, 8_192);
    check.done()?;
    let rules = match request.rules {
        Some(rules) => {
            validate_permissions("rules", &rules)
                .map_err(|invalid| Problem::invalid(invalid.field, invalid.reason))?;
            rules
        }
        None => ProjectSettings::read(&project.settings).map_err(Problem::internal)?.permissions,
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
