//! Who may approve a sealed build: no contributor to it, and no account that a contributor has
//! recently given access.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use domain::{
    audit::AuditAction,
    ids::{ProjectId, UserId},
    review::{Account, ApprovalObstacle, Contributors, Grant, approval_obstacle, approvers},
};

use super::{api_error::ApiError, app::App, branch_view, owned::ProjectBuild};
use crate::store::{self, Conn, audit_log, builds, projects::Project, reviews::Review, users};

/// Counts the current approvals of a build. `decisions` are newest first.
pub fn count(decisions: &[Review]) -> u32 {
    current_approvers(decisions).len() as u32
}

/// Why this administrator cannot approve a build. `decisions` are newest first.
pub async fn obstacle(
    app: &App,
    build: &ProjectBuild,
    decisions: &[Review],
    reviewer: &users::User,
) -> Result<Option<ApprovalObstacle>, ApiError> {
    if current_approvers(decisions).contains(&reviewer.id) {
        return Ok(Some(ApprovalObstacle::AlreadyApproved));
    }
    let contributors = contributors(app, build).await?;
    let (now, cooldown) = (store::now(), app.approval.cooldown);
    let mut conn = app.db.read().await?;
    let grants = grants(&mut conn, reviewer.id, cooldown).await?;
    drop(conn);
    Ok(approval_obstacle(&account(reviewer), &contributors, &grants, now, cooldown))
}

fn current_approvers(decisions: &[Review]) -> BTreeSet<UserId> {
    approvers(decisions.iter().map(|review| (review.reviewer_id, review.decision)))
}

/// Contributors to a build and to all builds that it follows, whose commits it contains.
async fn contributors(app: &App, build: &ProjectBuild) -> Result<Contributors, ApiError> {
    let mut contributors = Contributors {
        starter: Some(build.build.started_by),
        owner: Some(build.project.owner_id),
        ..Contributors::default()
    };
    contributors.earlier_owners = earlier_owners(app, build.project.id).await?;
    contributors.author_emails = author_emails(app, build.build.clone(), &build.project).await?;
    let mut follows = build.build.follows;
    while let Some(id) = follows {
        let earlier = builds::get(&mut app.db.read().await?, id).await?;
        let Some(earlier) = earlier else { break };
        follows = earlier.follows;
        contributors.earlier_starters.insert(earlier.started_by);
        let emails = author_emails(app, earlier, &build.project).await?;
        contributors.author_emails.extend(emails);
    }
    Ok(contributors)
}

/// The accounts that owned the project before it was transferred.
async fn earlier_owners(app: &App, project: ProjectId) -> Result<BTreeSet<UserId>, ApiError> {
    let subject = format!("project/{project}");
    let entries = audit_log::about(&mut app.db.read().await?, &subject).await?;
    let transfers = entries.iter().filter(|entry| entry.is(AuditAction::ProjectTransferred));
    Ok(transfers.filter_map(|entry| entry.actor_id).collect())
}

async fn author_emails(
    app: &App,
    build: builds::Build,
    project: &Project,
) -> Result<BTreeSet<String>, ApiError> {
    let build = ProjectBuild { build, project: project.clone() };
    let emails = branch_view::read(app, &build, |view| view.author_emails()).await?;
    Ok(emails.unwrap_or_default())
}

/// The chain of accounts that granted access to this one within the cooldown, nearest first.
async fn grants(conn: &mut Conn, user: UserId, cooldown: TimeDelta) -> store::Result<Vec<Grant>> {
    let oldest = store::now() - cooldown;
    let (mut chain, mut seen) = (Vec::new(), BTreeSet::from([user]));
    let mut next = user;
    while let Some(users::Grant { granted_by: Some(by), granted_at: Some(at) }) =
        users::grant(conn, next).await?
    {
        let granter = users::get(conn, by).await?.filter(|_| at > oldest && seen.insert(by));
        let Some(granter) = granter else { break };
        chain.push(Grant { by: account(&granter), at });
        next = by;
    }
    Ok(chain)
}

fn account(user: &users::User) -> Account {
    Account { id: user.id, name: user.name.clone(), email: user.email.clone() }
}
