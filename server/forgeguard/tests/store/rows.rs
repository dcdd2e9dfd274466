//! Rows that many tests need before they can begin.

use std::sync::atomic::{AtomicU32, Ordering};

use chrono::{DateTime, Utc};
use domain::{
    chain,
    errors::{ResolutionMethod, Severity},
    event::agents::Role,
    ids::{BuildErrorId, BuildId, ProjectId, UserId},
    remote::ForgeKind,
    state::Status,
};
use forgeguard::store::{
    self, Conn, Db,
    build_errors::{self, BuildError, Resolution, TrackedError},
    builds::{self, NewBuild},
    clarifications::Clarification,
    events::EventRow,
    leases,
    projects::{self, NewProject},
    remotes::{self, Remote},
    users::{self, User},
    work_items::{self, BuildQueue, Lease},
};

static NEXT_NUMBER: AtomicU32 = AtomicU32::new(1);

pub fn user(email: &str) -> User {
    User {
        id: store::new_id(),
        email: email.to_owned(),
        name: "Ada".to_owned(),
        role: domain::user_role::UserRole::User,
        password_hash: "$argon2id$".to_owned(),
        created_at: store::now(),
        disabled_at: None,
    }
}

pub fn project(owner: UserId, name: &str) -> NewProject {
    NewProject {
        id: store::new_id(),
        owner_id: owner,
        name: name.to_owned(),
        description: String::new(),
        origin: domain::event::life::Origin::Questionnaire,
        default_branch: "main".to_owned(),
        settings: "{}".to_owned(),
        created_at: store::now(),
    }
}

/// Numbered across projects.
pub fn build(owner: UserId, project: ProjectId) -> NewBuild<'static> {
    NewBuild {
        id: store::new_id(),
        project_id: project,
        number: NEXT_NUMBER.fetch_add(1, Ordering::Relaxed),
        slot: 0,
        started_by: owner,
        snapshot_batch: None,
        follows: None,
        title: None,
        status: Status::Queued,
        head_hash: chain::GENESIS,
        created_at: store::now(),
    }
}

pub fn question(build: BuildId) -> Clarification {
    Clarification {
        id: store::new_id(),
        build_id: build,
        kind: Default::default(),
        run_id: store::new_id(),
        call_id: "call-1".to_owned(),
        question: "Which colour?".to_owned(),
        context: None,
        options: r#"["red","blue"]"#.to_owned(),
        multiple: false,
        asked_by: Role::Coder,
        asked_at: store::now(),
        expires_at: None,
        status: "open".to_owned(),
        answer: None,
        answered_by: None,
        answered_by_name: None,
        asked_seq: None,
        resolved_seq: None,
        contract: None,
        resolved_at: None,
    }
}

/// Events `first` to `last`; what they say does not matter to the store.
pub fn events(first: u64, last: u64) -> Vec<EventRow> {
    let event = |seq| EventRow {
        seq,
        kind: "build_log".to_owned(),
        at: store::now(),
        body: format!(r#"{{"seq":{seq},"text":"naïve ✓"}}"#),
        hash: format!("{seq:064x}"),
    };
    (first..=last).map(event).collect()
}

/// An error that is seen now for the first time.
pub fn tracked_error<'a>(
    build_id: BuildId,
    fingerprint: &'a str,
    message: &'a str,
) -> TrackedError<'a> {
    let at = store::now();
    TrackedError {
        id: store::new_id(),
        build_id,
        is_new: true,
        seq: 7,
        fingerprint,
        first_seen: at,
        last_seen: at,
        occurrence_count: 1,
        phase: Some("Phase 0: Lists"),
        file_path: None,
        source: "gate:test",
        severity: Severity::Error,
        message: message.into(),
        regression: false,
    }
}

/// Writes a sighting, counted on from the stored row as the journal does from its state.
pub async fn track_error(conn: &mut Conn, seen: TrackedError<'_>) -> BuildError {
    let all = build_errors::list(conn, seen.build_id, None, i64::MAX).await.unwrap();
    let before = all.into_iter().find(|error| error.fingerprint == seen.fingerprint);
    let error = match &before {
        None => TrackedError { first_seen: seen.last_seen, ..seen },
        Some(before) => TrackedError {
            id: before.id,
            is_new: false,
            first_seen: before.first_seen,
            occurrence_count: before.occurrence_count + 1,
            regression: before.regression || before.resolved,
            ..seen
        },
    };
    if error.is_new {
        build_errors::insert_batch(conn, std::slice::from_ref(&error)).await.unwrap();
    } else {
        build_errors::update_batch(conn, &[&error]).await.unwrap();
    }
    build_errors::get(conn, error.build_id, error.id).await.unwrap().unwrap()
}

/// Writes how an error was resolved.
pub async fn resolve_error(
    conn: &mut Conn,
    id: BuildErrorId,
    method: ResolutionMethod,
    summary: Option<&str>,
    at: DateTime<Utc>,
) {
    let resolution = Resolution { at, method, summary: summary.map(Into::into) };
    build_errors::set_resolutions(conn, &[(id, Some(resolution))]).await.unwrap();
}

/// Commits a person and their project.
pub async fn add_project(db: &Db) -> (UserId, ProjectId) {
    let owner = user(&format!("{}@example.org", store::new_id::<UserId>()));
    let project = project(owner.id, "Demo");
    let mut tx = db.write().await.unwrap();
    users::insert(&mut tx, &owner).await.unwrap();
    projects::insert(&mut tx, &project).await.unwrap();
    tx.commit().await.unwrap();
    (owner.id, project.id)
}

/// Commits a person and their project, which has a remote.
pub async fn add_project_with_remote(db: &Db) -> (UserId, ProjectId) {
    let (owner, project) = add_project(db).await;
    let remote = Remote {
        project_id: project,
        url: "https://git.example.org/a.git".to_owned(),
        forge: ForgeKind::Other,
        default_branch: None,
        credential_id: None,
        findings: None,
        sealed_hook_secret: None,
        fetched_at: None,
        fetch_error: None,
        created_by: owner,
        created_at: store::now(),
    };
    let mut tx = db.write().await.unwrap();
    remotes::insert(&mut tx, &remote).await.unwrap();
    tx.commit().await.unwrap();
    (owner, project)
}

/// Inserts a build, with owner and project, and queues it.
pub async fn add_build(db: &Db) -> BuildId {
    let (owner, project) = add_project(db).await;
    let build = build(owner, project);
    let mut tx = db.write().await.unwrap();
    builds::insert(&mut tx, &build).await.unwrap();
    work_items::enqueue(&mut tx, store::new_id(), build.id, store::now(), store::now())
        .await
        .unwrap();
    tx.commit().await.unwrap();
    build.id
}

/// Claims a build that is due, for 30 s.
pub async fn claim(conn: &mut Conn, owner: &str) -> Option<Lease> {
    let now = store::now();
    let until = now + chrono::Duration::seconds(30);
    leases::claim::<BuildQueue>(conn, owner, now, until).await.unwrap()
}
