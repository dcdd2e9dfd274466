//! The migrations of both databases, embedded in the binary.

use sqlx::{
    PgConnection, SqlSafeStr, SqliteConnection,
    migrate::{Migration, MigrationType, Migrator},
};

use super::error::Result;

struct Step {
    version: i64,
    description: &'static str,
    sqlite: &'static str,
    postgres: &'static str,
}

macro_rules! steps {
    ($($version:literal $file:literal $description:literal,)+) => {
        &[$(Step {
            version: $version,
            description: $description,
            sqlite: include_str!(concat!("../../../../migrations/sqlite/", $file)),
            postgres: include_str!(concat!("../../../../migrations/postgres/", $file)),
        },)+]
    };
}

/// Append only: released migrations are never edited.
const STEPS: &[Step] = steps![
    1 "0001_accounts.sql" "accounts",
    2 "0002_projects.sql" "projects",
    3 "0003_builds.sql" "builds",
    4 "0004_questionnaires.sql" "questionnaires",
    5 "0005_generations.sql" "generations",
    6 "0006_error_history.sql" "error history",
    7 "0007_interviews.sql" "interviews",
    8 "0008_envelopes.sql" "envelopes",
    9 "0009_reviews.sql" "reviews",
    10 "0010_invitations.sql" "invitations",
    11 "0011_audit_log_kept.sql" "audit log kept",
    12 "0012_follow_ups.sql" "follow ups",
    13 "0013_questions_and_answers.sql" "questions and answers",
    14 "0014_project_viewers.sql" "project viewers",
    15 "0015_audit_log_chain.sql" "audit log chain",
    16 "0016_interrupted_steps.sql" "interrupted steps",
    17 "0017_duties.sql" "duties",
    18 "0018_node_heartbeats.sql" "node heartbeats",
    21 "0021_installation_settings.sql" "installation settings",
    22 "0022_lease_fence.sql" "lease fence",
    23 "0023_query_indexes.sql" "query indexes",
    26 "0026_generation_note.sql" "generation note",
    29 "0029_clarification_kind.sql" "clarification kind",
    31 "0031_build_title.sql" "build title",
    32 "0032_plan_question.sql" "plan question",
    33 "0033_build_questions.sql" "build questions",
    34 "0034_multiple_choice.sql" "multiple choice",
    35 "0035_skipped_phases.sql" "skipped phases",
    36 "0036_numbers_and_slugs.sql" "numbers and slugs",
    37 "0037_provider_keys.sql" "provider keys",
    39 "0039_inbox.sql" "inbox",
    40 "0040_notifications.sql" "notifications",
    41 "0041_shared_reviews.sql" "shared reviews",
    42 "0042_demo_speeds.sql" "demo speeds",
    43 "0043_build_totals.sql" "build totals",
    44 "0044_remotes.sql" "remotes",
    45 "0045_branch_deliveries.sql" "branch deliveries",
    48 "0048_gate_reruns.sql" "gate reruns",
    49 "0049_specs.sql" "specs",
    50 "0050_key_scopes.sql" "key scopes",
    53 "0053_sign_in_providers.sql" "sign in providers",
    54 "0054_accounts_without_password.sql" "accounts without password",
    55 "0055_local_repositories.sql" "local repositories",
    56 "0056_backlog.sql" "backlog",
    62 "0062_pull_request_comments.sql" "pull request comments",
    63 "0063_concurrent_builds.sql" "concurrent builds",
    64 "0064_heartbeats.sql" "heartbeats",
    67 "0067_comments_on_several_lines.sql" "comments on several lines",
    68 "0068_work_question.sql" "work question",
    69 "0069_device_sign_ins.sql" "device sign ins",
    70 "0070_events_without_reference.sql" "events without reference",
    71 "0071_repeated_deliveries.sql" "repeated deliveries",
];

/// What all migrations together create in an empty database. SQLite parses its whole schema again for
/// each column that a migration adds, which makes the steps slow.
const SQLITE_SCHEMA: &str = include_str!("../../../../migrations/sqlite_schema.sql");

/// Runs what the database lacks. If others use the database, the connection has to be in a transaction.
pub(super) async fn migrate_sqlite(conn: &mut SqliteConnection) -> Result<()> {
    let objects: i64 =
        sqlx::query_scalar("SELECT count(*) FROM sqlite_schema").fetch_one(&mut *conn).await?;
    let is_empty = objects == 0;
    if is_empty {
        sqlx::raw_sql(SQLITE_SCHEMA).execute(&mut *conn).await?;
    }
    // Those of the schema are recorded as applied.
    sqlite().run_direct(None, conn, is_empty).await?;
    Ok(())
}

/// Runs what the database lacks.
pub(super) async fn migrate_postgres(conn: &mut PgConnection) -> Result<()> {
    postgres().run_direct(None, conn, false).await?;
    Ok(())
}

fn sqlite() -> Migrator {
    migrator(|step| step.sqlite)
}

fn postgres() -> Migrator {
    migrator(|step| step.postgres)
}

fn migrator(text: impl Fn(&Step) -> &'static str) -> Migrator {
    let migration = |step: &Step| {
        let sql = text(step).into_sql_str();
        Migration::new(step.version, step.description.into(), MigrationType::Simple, sql, false)
    };
    Migrator::with_migrations(STEPS.iter().map(migration).collect())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use expect_test::expect_file;
    use sqlx::Connection;

    use super::*;

    #[tokio::test]
    async fn every_file_in_the_folders_is_in_the_binary() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
        for (folder, embedded) in [("sqlite", sqlite()), ("postgres", postgres())] {
            let on_disk = Migrator::new(root.join(folder)).await.unwrap();
            let facts = |m: &Migrator| -> Vec<_> {
                m.iter().map(|m| (m.version, m.description.clone(), m.checksum.clone())).collect()
            };
            assert_eq!(facts(&embedded), facts(&on_disk), "{folder}");
        }
    }

    #[tokio::test]
    async fn the_schema_is_what_the_migrations_create() {
        let mut migrated = SqliteConnection::connect("sqlite::memory:").await.unwrap();
        sqlite().run_direct(None, &mut migrated, false).await.unwrap();
        expect_file!["../../../../migrations/sqlite_schema.sql"]
            .assert_eq(&schema(&mut migrated).await);

        let mut new = SqliteConnection::connect("sqlite::memory:").await.unwrap();
        migrate_sqlite(&mut new).await.unwrap();
        assert_eq!(schema(&mut new).await, SQLITE_SCHEMA);
        assert_eq!(applied(&mut new).await, applied(&mut migrated).await);
    }

    /// The statements that create the database's own tables, indexes and triggers. The tables are empty.
    async fn schema(conn: &mut SqliteConnection) -> String {
        let all: Vec<(String, String, String)> = sqlx::query_as(
            "SELECT type, name, sql FROM sqlite_schema
             WHERE sql IS NOT NULL AND name <> '_sqlx_migrations' ORDER BY rowid",
        )
        .fetch_all(&mut *conn)
        .await
        .unwrap();
        for (_, table, _) in all.iter().filter(|(kind, ..)| kind == "table") {
            let count = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
            let rows: i64 = sqlx::query_scalar(count).fetch_one(&mut *conn).await.unwrap();
            assert_eq!(rows, 0, "{table}");
        }
        let head = "-- Generated from the migrations, see CONTRIBUTING.md.\n";
        all.iter().fold(head.to_owned(), |text, (.., sql)| format!("{text}\n{sql};\n"))
    }

    async fn applied(conn: &mut SqliteConnection) -> Vec<(i64, String, bool, Vec<u8>)> {
        sqlx::query_as(
            "SELECT version, description, success, checksum FROM _sqlx_migrations ORDER BY version",
        )
        .fetch_all(conn)
        .await
        .unwrap()
    }

    /// Triggers, whose syntax differs between the databases, and a constraint, which SQLite cannot drop.
    const IN_OWN_WORDS: [&str; 2] = ["audit log kept", "events without reference"];

    #[test]
    fn the_files_of_both_databases_differ_in_the_names_of_types_only() {
        const TYPES: [(&str, &str); 7] = [
            ("UUID", "TEXT"),
            ("TIMESTAMPTZ", "INTEGER"),
            ("BIGINT", "INTEGER"),
            ("BOOLEAN", "INTEGER"),
            ("DOUBLE PRECISION", "REAL"),
            ("BYTEA", "BLOB"),
            ("\n);", "\n) STRICT;"),
        ];
        for step in STEPS.iter().filter(|step| !IN_OWN_WORDS.contains(&step.description)) {
            let as_sqlite = TYPES
                .iter()
                .fold(step.postgres.to_owned(), |text, (from, to)| text.replace(from, to));
            assert_eq!(step.sqlite, as_sqlite, "{}", step.description);
        }
    }

    #[test]
    fn files_in_own_words_make_no_tables() {
        for name in IN_OWN_WORDS {
            let step = STEPS.iter().find(|step| step.description == name).expect("it is listed");
            let lines = step.sqlite.lines().chain(step.postgres.lines());
            for line in lines.filter(|line| !line.contains("DROP CONSTRAINT")) {
                assert!(!line.contains("TABLE") && !line.contains("INDEX"), "{name}");
            }
        }
    }
}
