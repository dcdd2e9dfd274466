//! `/api/reviews/{build}/decision`: approving a sealed build, or requesting changes.

use axum::{extract::State, http::StatusCode};
use domain::{
    audit::AuditAction,
    ids::{BuildId, ReviewId},
    review::ReviewDecision,
};
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{
    app::Shared,
    check::Check,
    extract::Json,
    problem::{Problem, ProblemBody},
    review::Decision,
    reviewed::Reviewed,
};
use crate::store::{
    self,
    audit_log::{self, NewEntry},
    reviews::{self, NewReview},
};

/// A decision about a sealed build.
#[derive(Debug, Deserialize, ToSchema)]
pub struct DecideReviewRequest {
    /// What is decided.
    decision: ReviewDecision,
    /// Why, 1 to 4,000 characters.
    reason: String,
    /// The newest decision that its maker has seen, if there was one.
    seen: Option<ReviewId>,
}

/// Decides about a sealed build. Whoever started it cannot approve it; and where somebody else has
/// decided since, nothing happens but that this is said.
#[utoipa::path(post, path = "/api/reviews/{build}/decision", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id")),
    request_body = DecideReviewRequest, responses(
        (status = 201, body = Decision),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn decide_review(
    State(app): State<Shared>,
    Reviewed { build, by }: Reviewed,
    Json(DecideReviewRequest { decision, reason, seen }): Json<DecideReviewRequest>,
) -> Result<(StatusCode, Json<Decision>), Problem> {
    let mut check = Check::new();
    let reason = check.text("reason", reason.trim(), 1, 4_000);
    check.done()?;
    let build = build.build;
    if !decision.is_open_to(by.id, build.started_by) {
        return Err(Problem::forbidden(
            "You started this build, so somebody else has to approve it. You may request changes.",
        ));
    }
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
    let detail = json!({ "decision": decision, "reason": reason, "branch": build.branch });
    let subject = format!("build/{}", build.id);
    let entry = NewEntry::by(&by, new.created_at, AuditAction::ReviewDecided, subject, detail);
    audit_log::append(&mut tx, &entry).await?;
    let decided = reviews::list(&mut tx, build.id).await?.into_iter().next();
    tx.commit().await?;
    let decided = decided.ok_or_else(|| Problem::internal("a decision was not stored"))?;
    Ok((StatusCode::CREATED, Json(decided.into())))
}

fn decided_meanwhile(newest: reviews::Review) -> Problem {
    let (who, what) = (newest.reviewer_name, newest.decision.words());
    Problem::conflict(format!(
        "{who} has {what} meanwhile, for this reason: {} Read that, then decide again.",
        as_sentence(&newest.reason)
    ))
}

fn unseen() -> Problem {
    Problem::invalid("seen", "this is no decision about this build")
}

fn as_sentence(reason: &str) -> String {
    let end = if reason.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{reason}{end}")
}
