//! Running one test body on both databases.

use std::{future::Future, panic};

use crate::postgres::Postgres;

/// Defines two tests, `name::sqlite` and `name::postgres`, from one body with a migrated database:
/// `on_both! { async fn name(db: Db) { … } }`. Works with any `Db` that has `connect(&str, u32)`
/// and `migrate()`; the test's crate requires tokio.
#[macro_export]
macro_rules! on_both {
    ($($(#[$meta:meta])* async fn $name:ident($db:ident: $type:ty) $body:block)+) => {$(
        $(#[$meta])*
        #[cfg(test)]
        mod $name {
            use super::*;

            async fn body($db: $type) $body

            async fn on_database_at(url: String) {
                let db = <$type>::connect(&url, 8).await.expect("the database opens");
                db.migrate().await.expect("the migrations run");
                body(db).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                let database = $crate::Sqlite::migrated().await;
                on_database_at(database.url()).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                $crate::run_on($crate::Postgres::create().await, on_database_at).await;
            }
        }
    )+};
}

/// Runs `body` with the database's URL, then drops the database, even if the body panics.
pub async fn run_on<F>(database: Postgres, body: impl FnOnce(String) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let outcome = tokio::spawn(body(database.url().to_owned())).await;
    database.remove().await;
    if let Err(error) = outcome {
        panic::resume_unwind(error.into_panic());
    }
}
