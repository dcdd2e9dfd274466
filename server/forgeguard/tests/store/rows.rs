//! Rows that many tests need before they can begin.

use domain::{
    chain,
    event::agents::Role,
    ids::{BuildId, ProjectId, UserId},
    state::Status,
};
use forgeguard::store::{
    self, Conn, Db,
    builds::{self, NewBuild},
    clarifications::Clarification,
    events::EventRow,
    projects::{self, Project},
    users::{self, User},
    work_items::{self, Lease},
};

pub fn user(email: &str) -> User {
    User {
        id: store::new_id(),
        email: email.to_owned(),
        name: "Ada".to_owned(),
        role: "user".to_owned(),
        password_hash: "$argon2id$".to_owned(),
        created_at: store::now(),
        disabled_at: None,
    }
}

pub fn project(owner: UserId, name: &str) -> Project {
    Project {
        id: store::new_id(),
        owner_id: owner,
        name: name.to_owned(),
        description: String::new(),
        origin: domain::event::life::Origin::Questionnaire,
        default_branch: "main".to_owned(),
        settings: "{}".to_owned(),
        created_at: store::now(),
        updated_at: store::now(),
    }
}

pub fn build(owner: UserId, project: ProjectId) -> NewBuild<'static> {
    NewBuild {
        id: store::new_id(),
        project_id: project,
        started_by: owner,
        snapshot_batch: None,
        follows: None,
        status: Status::Queued,
        head_hash: chain::GENESIS,
        created_at: store::now(),
    }
}

pub fn question(build: BuildId) -> Clarification {
    Clarification {
        id: store::new_id(),
        build_id: build,
        run_id: store::new_id(),
        call_id: "call-1".to_owned(),
        question: "Which colour?".to_owned(),
        context: None,
        options: r#"["red","blue"]"#.to_owned(),
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

/// Commits a build with all that it stands on, queued as of now.
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

/// Claims what is due for half a minute.
pub async fn claim(conn: &mut Conn, owner: &str) -> Option<Lease> {
    let now = store::now();
    let until = now + chrono::Duration::seconds(30);
    work_items::claim(conn, owner, now, until).await.unwrap().map(|item| item.lease())
}
