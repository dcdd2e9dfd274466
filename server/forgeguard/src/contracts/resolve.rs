//! Resolves contracts: the version that a build is bound to, or the project's current version, or the
//! neutral example if there is none.

use domain::{
    contract::ContractSource,
    ids::{ProjectId, SnapshotId},
};

use super::templates::template;
use crate::{
    contract_set::{ContractSet, ContractText},
    store::{self, Conn, contracts},
};

/// The contract versions that a build is bound to.
///
/// # Errors
/// If the database fails.
pub async fn of_snapshot(conn: &mut Conn, batch: SnapshotId) -> store::Result<ContractSet> {
    let rows = contracts::list_frozen(conn, batch).await?;
    Ok(complete(rows, ContractSource::Snapshot))
}

/// The current contracts of a project.
///
/// # Errors
/// If the database fails.
pub async fn of_project(conn: &mut Conn, project: ProjectId) -> store::Result<ContractSet> {
    let rows = contracts::list_current(conn, project).await?;
    Ok(complete(rows, ContractSource::Project))
}

/// The examples alone.
pub fn examples() -> ContractSet {
    complete(Vec::new(), ContractSource::Project)
}

fn complete(rows: Vec<contracts::Contract>, source: ContractSource) -> ContractSet {
    let text = |row: contracts::Contract| ContractText {
        kind: row.kind,
        version: row.version,
        source,
        content: row.content,
        updated_at: Some(row.created_at),
    };
    ContractSet::complete(rows.into_iter().map(text).collect(), template)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Db, new_id, now};
    use domain::{
        contract::{ContractType, VersionSource},
        event::life::Origin,
    };

    async fn write(db: &Db, project: ProjectId, kind: ContractType, content: &str) {
        let next = contracts::NewContract {
            id: new_id(),
            project_id: project,
            kind,
            format: kind.format(),
            content,
            source: VersionSource::Edited,
            author_id: None,
            created_at: now(),
        };
        let mut tx = db.write().await.unwrap();
        contracts::insert(&mut tx, &next).await.unwrap();
        tx.commit().await.unwrap();
    }

    async fn project(db: &Db) -> ProjectId {
        let owner = store::users::User {
            id: new_id(),
            email: "a@example.org".into(),
            name: "A".into(),
            role: domain::user_role::UserRole::Admin,
            password_hash: String::new(),
            created_at: now(),
            disabled_at: None,
        };
        let project = store::projects::NewProject {
            id: new_id(),
            owner_id: owner.id,
            name: "P".into(),
            description: String::new(),
            origin: Origin::Demo,
            default_branch: "main".into(),
            settings: "{}".into(),
            created_at: now(),
        };
        let mut tx = db.write().await.unwrap();
        store::users::insert(&mut tx, &owner).await.unwrap();
        store::projects::insert(&mut tx, &project).await.unwrap();
        tx.commit().await.unwrap();
        project.id
    }

    #[tokio::test]
    async fn pinned_then_current_then_template() {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open_file(&folder.path().join("a.db"), 2).await.unwrap();
        db.migrate().await.unwrap();
        let project = project(&db).await;
        write(&db, project, ContractType::Stack, "# one\n").await;
        let batch: SnapshotId = new_id();
        let mut tx = db.write().await.unwrap();
        contracts::freeze(&mut tx, batch, project, now()).await.unwrap();
        tx.commit().await.unwrap();
        write(&db, project, ContractType::Stack, "# two\n").await;

        let mut conn = db.read().await.unwrap();
        let seen = |set: &ContractSet, kind| {
            let text = set.get(kind);
            (text.source, text.version, text.content.clone())
        };
        let pinned = of_snapshot(&mut conn, batch).await.unwrap();
        let current = of_project(&mut conn, project).await.unwrap();
        let one = (ContractSource::Snapshot, 1, "# one\n".to_owned());
        let two = (ContractSource::Project, 2, "# two\n".to_owned());
        assert_eq!(seen(&pinned, ContractType::Stack), one);
        assert_eq!(seen(&current, ContractType::Stack), two);
        for set in [pinned, current] {
            let (source, version, content) = seen(&set, ContractType::Ui);
            assert_eq!((source, version), (ContractSource::Template, 0));
            assert!(content.contains("TaskFlow") || content.contains("Today"));
        }
    }
}
