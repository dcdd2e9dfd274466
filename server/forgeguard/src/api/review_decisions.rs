//! `/api/reviews/{build}/decision`: approving a sealed build, or requesting changes.

use axum::{extract::State, http::StatusCode};
use domain::{
    audit::AuditAction,
    ids::{BuildId, ReviewId},
    notification::NotificationKind,
    review::{ApprovalObstacle, ReviewDecision},
};
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    approvals,
    check::Check,
    extract::Json,
    owned::ProjectBuild,
    review::Decision,
    reviewed::Reviewed,
};
use crate::store::{
    self,
    audit_log::{self, NewEntry},
    notifications::{self, NewNotification},
    reviews::{self, NewReview},
    users::User,
};

#[derive(Debug, Deserialize, ToSchema)]
pub struct DecideReviewRequest {
    decision: ReviewDecision,
    /// At most 4,000 characters; required when requesting changes.
    #[serde(default)]
    #[schema(max_length = 4_000)]
    reason: String,
    /// The newest decision that the reviewer has seen, if there was one.
    seen: Option<ReviewId>,
}

/// Approves a sealed build or requests changes. Contributors to the build cannot approve it. If
/// another administrator has decided in the meantime, the response is a 409 and nothing changes.
#[utoipa::path(post, path = "/api/reviews/{build}/decision", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id")),
    request_body = DecideReviewRequest, responses(
        (status = 201, body = Decision),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn decide_review(
    State(app): State<Shared>,
    Reviewed { build, by }: Reviewed,
    Json(DecideReviewRequest { decision, reason, seen }): Json<DecideReviewRequest>,
) -> Result<(StatusCode, Json<Decision>), ApiError> {
    let mut check = Check::new();
    let reason = check.text("reason", reason.trim(), min_reason_length(decision), 4_000);
    check.done()?;
    if decision == ReviewDecision::Approved {
        let decisions = reviews::list(&mut app.db.read().await?, build.build.id).await?;
        if let Some(obstacle) = approvals::obstacle(&app, &build, &decisions, &by).await? {
            return Err(refuse_approval(&app, &build, &by, &obstacle).await?);
        }
    }
    let build = build.build;
    let mut tx = app.db.write().await?;
    let newest = reviews::list(&mut tx, build.id).await?.into_iter().next();
    if newest.as_ref().map(|newest| newest.id) != seen {
        return Err(newest.map_or_else(unseen, decided_meanwhile));
    }
    let new = NewReview {
        id: store::new_id(),
        build_id: build.id,
        number: newest.map_or(1, |newest| newest.number + 1),
        reviewer_id: by.id,
        decision,
        reason: &reason,
        created_at: store::now(),
    };
    match reviews::insert(&mut tx, &new).await {
        Err(store::Error::AlreadyExists(_)) => {
            drop(tx);
            let mut conn = app.db.read().await?;
            let newest = reviews::list(&mut conn, build.id).await?.into_iter().next();
            return Err(newest.map_or_else(unseen, decided_meanwhile));
        }
        inserted => inserted?,
    }
    let decisions = reviews::list(&mut tx, build.id).await?;
    let notification = NewNotification {
        id: store::new_id(),
        kind: NotificationKind::Review,
        build_id: build.id,
        item: &format!("decision/{}", new.id),
        text: Some(&reason),
        decision: Some(decision),
        actor_id: Some(by.id),
        created_at: new.created_at,
    };
    notifications::insert(&mut tx, &notification).await?;
    let detail = json!({
        "review": new.id, "number": new.number, "decision": decision, "reason": reason, "branch": build.branch,
        "approvals": approvals::count(&decisions), "required_approvals": app.approval.required,
    });
    let subject = format!("build/{}", build.id);
    let entry = NewEntry::by(&by, new.created_at, AuditAction::ReviewDecided, subject, detail);
    audit_log::append(&mut tx, &entry).await?;
    tx.commit().await?;
    let decided = decisions
        .into_iter()
        .next()
        .ok_or_else(|| ApiError::internal("a decision was not stored"))?;
    Ok((StatusCode::CREATED, Json(decided.into())))
}

/// Records an approval attempt by a contributor in the audit log, and returns the error.
async fn refuse_approval(
    app: &App,
    build: &ProjectBuild,
    by: &User,
    obstacle: &ApprovalObstacle,
) -> Result<ApiError, ApiError> {
    let why = obstacle.explanation();
    if *obstacle == ApprovalObstacle::AlreadyApproved {
        return Ok(ApiError::conflict(why));
    }
    let detail = json!({ "reason": why, "branch": build.build.branch });
    let subject = format!("build/{}", build.build.id);
    let action = AuditAction::ApprovalRefused;
    let mut tx = app.db.write().await?;
    audit_log::append(&mut tx, &NewEntry::by(by, store::now(), action, subject, detail)).await?;
    tx.commit().await?;
    Ok(ApiError::forbidden(why))
}

fn min_reason_length(decision: ReviewDecision) -> usize {
    match decision {
        ReviewDecision::Approved => 0,
        ReviewDecision::ChangesRequested => 1,
    }
}

fn decided_meanwhile(newest: reviews::Review) -> ApiError {
    let (who, what) = (newest.reviewer_name, newest.decision.words());
    let reason = match newest.reason.as_str() {
        "" => String::new(),
        reason => format!(" {}", as_sentence(reason)),
    };
    let colon = if reason.is_empty() { "." } else { ":" };
    ApiError::conflict(format!(
        "{who} has {what} in the meantime{colon}{reason} Review this decision, then decide again."
    ))
}

fn unseen() -> ApiError {
    ApiError::invalid("seen", "this build has no such decision")
}

fn as_sentence(reason: &str) -> String {
    let end = if reason.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{reason}{end}")
}
