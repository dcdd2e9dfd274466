//! `/api/settings`: limits and models of the installation, for administrators.

use axum::extract::State;
use domain::{
    audit::AuditAction, budget::Budgets, budget_limits::BudgetLimits, event::agents::Role,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    check::Check,
    extract::Json,
    identity::{Admin, SignedInAdmin},
};
use crate::{
    engine::{
        InstallationSettings as Stored,
        models::{ModelChoices, ModelSource},
        settings::validate_budgets,
    },
    store::{
        self,
        audit_log::{self, NewEntry},
        installation_settings,
    },
};

/// In characters.
const MAX_MODEL_NAME_LENGTH: usize = 200;

/// Settings of the installation.
#[derive(Debug, Serialize, ToSchema)]
pub struct InstallationSettings {
    /// Limits of builds whose project sets none.
    budgets: BudgetLimits,
    /// Limits if neither the installation nor the project sets any.
    default_budgets: Budgets,
    /// The model of each role, preceded by the default for contracts and for roles without their
    /// own.
    models: Vec<RoleModel>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct RoleModel {
    /// Null for the default.
    #[schema(required)]
    role: Option<Role>,
    /// What was chosen here, such as `anthropic/claude-sonnet-5-5`.
    #[schema(required)]
    chosen: Option<String>,
    /// The environment variable or setting that names the model and takes precedence over `chosen`.
    #[schema(required)]
    fixed_by: Option<String>,
    /// The model of the next run; null if the chosen one is unavailable on this node.
    #[schema(required)]
    in_use: Option<String>,
}

/// New settings. Limits and models that are omitted use ForgeGuard's defaults.
#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdateInstallationSettingsRequest {
    /// Limits of builds whose project sets none.
    budgets: BudgetLimits,
    /// Models by role. The configuration of a node takes precedence.
    models: ModelChoices,
}

/// Gets the limits and models of the installation.
#[utoipa::path(get, path = "/api/settings", tag = "settings", responses(
    (status = 200, body = InstallationSettings),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn get_installation_settings(
    State(app): State<Shared>,
    _: Admin,
) -> Result<Json<InstallationSettings>, ApiError> {
    let stored = Stored::load(&mut app.db.read().await?).await?;
    let source = app.engine.model_source().await?;
    Ok(Json(show(&source, stored)))
}

/// Replaces the limits and models of the installation. Limits apply to builds started afterwards,
/// models to agent runs started afterwards; no restart is needed.
#[utoipa::path(put, path = "/api/settings", tag = "settings",
    request_body = UpdateInstallationSettingsRequest, responses(
        (status = 200, body = InstallationSettings),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn update_installation_settings(
    State(app): State<Shared>,
    SignedInAdmin(admin): SignedInAdmin,
    Json(request): Json<UpdateInstallationSettingsRequest>,
) -> Result<Json<InstallationSettings>, ApiError> {
    let UpdateInstallationSettingsRequest { budgets, models } = request;
    validate_budgets("budgets", &budgets)
        .map_err(|invalid| ApiError::invalid(invalid.field, invalid.reason))?;
    let source = app.engine.model_source().await?;
    let settings = Stored { budgets, models: checked(&source, models)? };
    let detail = json!({ "budgets": settings.budgets, "models": settings.models });
    let (now, action) = (store::now(), AuditAction::InstallationSettingsChanged);
    let entry = NewEntry::by(&admin, now, action, "installation".to_owned(), detail);
    let mut tx = app.db.write().await?;
    installation_settings::set(&mut tx, &settings.text(), now).await?;
    audit_log::append(&mut tx, &entry).await?;
    tx.commit().await?;
    Ok(Json(show(&source, settings)))
}

/// The choices, trimmed. Those that take effect must be available on this node.
fn checked(source: &ModelSource, models: ModelChoices) -> Result<ModelChoices, ApiError> {
    let mut check = Check::new();
    let mut checked = |role: Option<Role>, field: &'static str, name: Option<String>| {
        let name = name.filter(|name| !name.trim().is_empty())?;
        let name = check.line(field, &name, MAX_MODEL_NAME_LENGTH);
        if !source.fixed.contains_key(&role)
            && let Err(reason) = (source.open)(&name)
        {
            check.reject(field, reason);
        }
        Some(name)
    };
    let models = ModelChoices {
        default: checked(None, "models.default", models.default),
        scout: checked(Some(Role::Scout), "models.scout", models.scout),
        coder: checked(Some(Role::Coder), "models.coder", models.coder),
        auditor: checked(Some(Role::Auditor), "models.auditor", models.auditor),
        fixer: checked(Some(Role::Fixer), "models.fixer", models.fixer),
    };
    check.done()?;
    Ok(models)
}

fn show(source: &ModelSource, settings: Stored) -> InstallationSettings {
    let in_use = source.models(&settings.models).ok();
    let show = |role: Option<Role>| RoleModel {
        role,
        chosen: settings.models.of(role).map(str::to_owned),
        fixed_by: source.fixed.get(&role).map(|fixed| fixed.fixed_by.clone()),
        in_use: in_use
            .as_ref()
            .map(|models| role.map_or(models.usual(), |role| models.of(role)).qualified_name()),
    };
    let roles = std::iter::once(None).chain(Role::ALL.map(Some));
    InstallationSettings {
        models: roles.map(show).collect(),
        budgets: settings.budgets,
        default_budgets: Budgets::default(),
    }
}
