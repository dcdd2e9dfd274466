//! Contracts: versions without holes, and frozen sets that do not move.

use domain::{
    contract::{ContractFormat, ContractType, VersionSource},
    ids::{ProjectId, SnapshotId},
};
use forgeguard::store::{
    self, Conn, Db,
    contracts::{self, Contract, Edition, NewContract},
};

use crate::rows::add_project;

pub async fn write(
    conn: &mut Conn,
    project: ProjectId,
    kind: ContractType,
    text: &str,
) -> Contract {
    let new = NewContract {
        id: store::new_id(),
        project_id: project,
        kind,
        format: ContractFormat::Markdown,
        content: text,
        source: VersionSource::Edited,
        author_id: None,
        created_at: store::now(),
    };
    contracts::insert(conn, &new).await.unwrap()
}

support::on_both! {
    async fn each_edit_creates_the_next_version(db: Db) {
        let (_, project) = add_project(&db).await;
        let (_, other) = add_project(&db).await;
        let mut tx = db.write().await.unwrap();
        let kind = ContractType::Stack;
        for n in 1..=3 {
            let text = format!("text {n}");
            assert_eq!(write(&mut tx, project, kind, &text).await.version, n);
        }
        let ui = write(&mut tx, project, ContractType::Ui, "ui").await;
        assert_eq!(write(&mut tx, other, kind, "other").await.version, 1);

        let newest = contracts::current(&mut tx, project, kind).await.unwrap().unwrap();
        assert_eq!((newest.version, newest.content.as_str()), (3, "text 3"));
        assert_eq!(contracts::list_current(&mut tx, project).await.unwrap(), [newest, ui]);
        assert_eq!(contracts::current(&mut tx, other, ContractType::Ui).await.unwrap(), None);
        let versions = |page: Vec<Edition>| page.iter().map(|c| c.version).collect::<Vec<_>>();
        let page = contracts::history(&mut tx, project, kind, None, 2).await.unwrap();
        assert_eq!((page[0].length, page[0].source, &page[0].author), (6, VersionSource::Edited, &None));
        assert_eq!(versions(page), [3, 2]);
        let page = contracts::history(&mut tx, project, kind, Some(2), 2).await.unwrap();
        assert_eq!(versions(page), [1]);
        let second = contracts::version(&mut tx, project, kind, 2).await.unwrap().unwrap();
        assert_eq!(second.content, "text 2");
        assert_eq!(contracts::version(&mut tx, project, kind, 4).await.unwrap(), None);
    }

    async fn snapshot_does_not_include_later_versions(db: Db) {
        let (_, project) = add_project(&db).await;
        let batch: SnapshotId = store::new_id();
        let mut tx = db.write().await.unwrap();
        write(&mut tx, project, ContractType::Stack, "old").await;
        let stack = write(&mut tx, project, ContractType::Stack, "pinned").await;
        let phases = write(&mut tx, project, ContractType::Phases, "phases").await;
        let at = store::now();
        assert_eq!(contracts::freeze(&mut tx, batch, project, at).await.unwrap(), 2);
        assert_eq!(contracts::frozen_at(&mut tx, project, batch).await.unwrap(), Some(at));
        let other: ProjectId = store::new_id();
        assert_eq!(contracts::frozen_at(&mut tx, other, batch).await.unwrap(), None);
        write(&mut tx, project, ContractType::Stack, "later").await;
        write(&mut tx, project, ContractType::Ui, "later").await;

        let all = contracts::list_frozen(&mut tx, batch).await.unwrap();
        assert_eq!(all, [phases, stack.clone()]);
        let one = contracts::frozen(&mut tx, batch, ContractType::Stack).await.unwrap();
        assert_eq!(one, Some(stack));
        assert_eq!(contracts::frozen(&mut tx, batch, ContractType::Ui).await.unwrap(), None);
        assert_eq!(contracts::list_frozen(&mut tx, store::new_id()).await.unwrap(), []);
    }
}
