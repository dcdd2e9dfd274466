//! Scratchpads, transcripts and blobs.

use chrono::Duration;
use domain::ids::RunId;
use forgeguard::store::{
    self, Db, Error,
    agent_messages::{self, AgentMessage},
    artifacts::{self, Place},
    blobs::{self, Blob},
};

use crate::rows::add_build;

support::on_both! {
    async fn artifact_is_replaced_and_appended_to(db: Db) {
        let build = add_build(&db).await;
        let (now, later) = (store::now(), store::now() + Duration::seconds(5));
        let page = |key| Place { build, kind: "scratchpad", key };
        let mut tx = db.write().await.unwrap();
        artifacts::append(&mut tx, page("plan"), "one", now).await.unwrap();
        artifacts::append(&mut tx, page("plan"), " two", later).await.unwrap();
        artifacts::put(&mut tx, page("facts"), "old", now, None).await.unwrap();
        artifacts::put(&mut tx, page("facts"), "new", later, None).await.unwrap();

        let plan = artifacts::get(&mut tx, page("plan"), later).await.unwrap().unwrap();
        assert_eq!(plan.content, "one two");
        assert_eq!((plan.created_at, plan.updated_at), (now, later));
        let facts = artifacts::get(&mut tx, page("facts"), later).await.unwrap().unwrap();
        assert_eq!(facts.content, "new");
        let other = Place { kind: "dossier", ..page("plan") };
        assert_eq!(artifacts::get(&mut tx, other, later).await.unwrap(), None);

        let keys = artifacts::keys(&mut tx, build, "scratchpad", None, later, 1).await.unwrap();
        assert_eq!(keys, ["facts"]);
        let keys = artifacts::keys(&mut tx, build, "scratchpad", Some("facts"), later, 9).await;
        assert_eq!(keys.unwrap(), ["plan"]);
    }

    async fn expired_artifact_is_not_found(db: Db) {
        let build = add_build(&db).await;
        let now = store::now();
        let end = now + Duration::minutes(5);
        let place = Place { build, kind: "dossier", key: "scout" };
        let mut tx = db.write().await.unwrap();
        artifacts::put(&mut tx, place, "text", now, Some(end)).await.unwrap();
        assert!(artifacts::get(&mut tx, place, now).await.unwrap().is_some());
        assert!(artifacts::get(&mut tx, place, end).await.unwrap().is_none());
        let keys = artifacts::keys(&mut tx, build, "dossier", None, end, 9).await.unwrap();
        assert!(keys.is_empty());
        assert_eq!(artifacts::remove_expired(&mut tx, now).await.unwrap(), 0);
        assert_eq!(artifacts::remove_expired(&mut tx, end).await.unwrap(), 1);
    }

    async fn transcript_is_read_in_order(db: Db) {
        let build = add_build(&db).await;
        let run: RunId = store::new_id();
        let messages: Vec<AgentMessage> = (0..20)
            .map(|position| AgentMessage {
                position,
                role: "assistant".to_owned(),
                message: format!(r#"{{"text":"turn {position}"}}"#),
                created_at: store::now(),
            })
            .collect();
        let mut tx = db.write().await.unwrap();
        agent_messages::insert_batch(&mut tx, build, run, &messages[10..]).await.unwrap();
        agent_messages::insert_batch(&mut tx, build, run, &messages[..10]).await.unwrap();
        let all = agent_messages::list(&mut tx, run, 0, 100).await.unwrap();
        assert_eq!(all, messages);
        let page = agent_messages::list(&mut tx, run, 5, 3).await.unwrap();
        assert_eq!(page, messages[5..8]);
        let twice = async {
            agent_messages::insert_batch(&mut tx, build, run, &messages[..1]).await?;
            tx.commit().await
        };
        let twice = twice.await;
        assert!(matches!(twice, Err(Error::AlreadyExists(_))), "{twice:?}");
    }

    async fn blob_is_stored_once(db: Db) {
        let blob = Blob {
            sha256: "ab".repeat(32),
            size: 100_000,
            zstd: (0..=255).collect(),
            created_at: store::now(),
        };
        let mut tx = db.write().await.unwrap();
        let other = Blob { sha256: "cd".repeat(32), ..blob.clone() };
        blobs::insert_batch(&mut tx, &[blob.clone(), blob.clone()]).await.unwrap();
        let later = Blob { created_at: store::now(), ..blob.clone() };
        blobs::insert_batch(&mut tx, &[other.clone(), later]).await.unwrap();
        assert_eq!(blobs::get(&mut tx, &other.sha256).await.unwrap(), Some(other));
        assert_eq!(blobs::get(&mut tx, &blob.sha256).await.unwrap(), Some(blob));
        assert_eq!(blobs::get(&mut tx, "none").await.unwrap(), None);
    }
}
