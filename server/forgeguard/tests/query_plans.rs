//! The plans of list queries on both databases: none reads a whole table that grows.
#![cfg(test)]

use std::sync::{Mutex, OnceLock, PoisonError};

use chrono::Utc;
use domain::{
    build_group::BuildGroup,
    event::agents::Role,
    generation::GenerationKind,
    ids::{BuildId, Id, ProjectId, UserId},
};
use forgeguard::store::{
    Conn, Db, agent_messages, artifacts, audit_log, build_errors, build_questions, builds,
    builds_overview, clarifications, contracts, deliveries, events, forge_keys, generations, inbox,
    interviews, leases, project_errors, project_viewers, projects, review_comments, reviews,
    sessions, users, webhooks, work_items::BuildQueue,
};
use sqlx::{AssertSqlSafe, Connection, PgConnection, Row, SqliteConnection};
use tracing::{Event, Level, Metadata, Subscriber, field, span};
use uuid::Uuid;

/// Indexes of the rows that are not finished, which stay few.
const SMALL_INDEXES: [&str; 5] = [
    "work_items_due",
    "generations_due",
    "generations_one_unfinished",
    "clarifications_open",
    "deliveries_due",
];

/// The statements that sqlx has executed in this process.
static EXECUTED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The two tests share [`EXECUTED`].
static TEST_LOCK: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Records the statements that sqlx logs.
struct StatementRecorder;

impl Subscriber for StatementRecorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "sqlx::query" && *metadata.level() == Level::DEBUG
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut statement = Statement::default();
        event.record(&mut statement);
        let mut executed = EXECUTED.lock().unwrap_or_else(PoisonError::into_inner);
        executed.push(statement.0);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[derive(Default)]
struct Statement(String);

impl field::Visit for Statement {
    fn record_str(&mut self, field: &field::Field, value: &str) {
        if field.name() == "db.statement" {
            self.0 = value.trim().to_owned();
        }
    }

    fn record_debug(&mut self, _: &field::Field, _: &dyn std::fmt::Debug) {}
}

/// Runs each call and pairs it with the statement that it executed.
macro_rules! executed {
    ($($call:expr),+ $(,)?) => {
        vec![$({
            take_executed();
            $call.await.expect(stringify!($call));
            let statement = take_executed().pop().expect("sqlx logs statements");
            (stringify!($call).replace(char::is_whitespace, ""), statement)
        }),+]
    };
}

fn take_executed() -> Vec<String> {
    std::mem::take(&mut *EXECUTED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// All queries whose result grows with use, as called by the routes and the engine.
async fn list_queries(conn: &mut Conn) -> Vec<(String, String)> {
    let (build, other) = (id::<BuildId>(), id::<BuildId>());
    let (project, user) = (id::<ProjectId>(), id::<UserId>());
    let (now, limit) = (Utc::now(), 50);
    let errors = project_errors::Filter::default();
    let kind = GenerationKind::Contracts;
    let contract = domain::contract::ContractType::Stack;
    let all = audit_log::Filter::default();
    let action = Some(domain::audit::AuditAction::SealSigned);
    let by_action = audit_log::Filter { action, ..all };
    let by_actor = audit_log::Filter { actor: Some(user), ..all };
    let by_both = audit_log::Filter { action, actor: Some(user), ..all };
    let by_project = audit_log::Filter { project: Some(project), ..by_both };
    let by_time = audit_log::Filter { from: Some(now), until: Some(now), ..all };
    let reader = inbox::Reader { user, required_approvals: None, now };
    let seen = builds_overview::Viewer { user, required_approvals: 1, project: None };
    let in_project = builds_overview::Viewer { project: Some(project), ..seen };
    let running = Some(BuildGroup::Running);
    let reviewer = inbox::Reader { required_approvals: Some(1), ..reader };
    executed![
        agent_messages::list(conn, id(), 0, limit),
        artifacts::keys(conn, build, "note", None, now, limit),
        audit_log::list(conn, all, None, limit),
        audit_log::list(conn, by_action, None, limit),
        audit_log::list(conn, by_actor, None, limit),
        audit_log::list(conn, by_both, None, limit),
        audit_log::list(conn, by_project, None, limit),
        audit_log::list(conn, by_time, None, limit),
        audit_log::about(conn, "a"),
        build_errors::list(conn, build, None, limit),
        build_errors::count_open(conn, build),
        build_errors::compared(conn, build, other, true, limit),
        build_errors::compared(conn, build, other, false, limit),
        build_errors::count_compared(conn, build, other),
        build_questions::list(conn, build, None, limit),
        build_questions::usage(conn, build),
        builds::list(conn, project, None, limit),
        builds::newest_of_projects(conn, user, project, project),
        builds::follow_up_of(conn, build),
        builds::list_sealed(conn, project),
        builds_overview::list(conn, seen, None, None, limit),
        builds_overview::list(conn, in_project, running, None, limit),
        builds_overview::counts(conn, seen),
        builds_overview::counts(conn, in_project),
        clarifications::list(conn, build, None, limit),
        clarifications::list_of_owner(conn, user, None, None, limit),
        clarifications::list_of_owner(conn, user, Some("open"), None, limit),
        clarifications::list_answered(conn, project, None, limit),
        clarifications::open(conn, build),
        clarifications::count_open(conn, project),
        contracts::list_current(conn, project),
        contracts::history(conn, project, contract, None, limit),
        contracts::list_frozen(conn, id()),
        deliveries::is_any_due(conn, now),
        deliveries::list(conn, id(), None, limit),
        events::after(conn, build, 0, limit),
        events::before(conn, build, None, limit),
        events::of_type(conn, build, "build_created"),
        events::newest_of_type(conn, build, "build_created", 1),
        events::last_contract_read(conn, build, Role::Coder, 10),
        events::head_seq(conn, build),
        forge_keys::list(conn, user, None, limit),
        generations::list(conn, project, kind, None, limit),
        inbox::list(conn, reader, None, limit),
        inbox::list(conn, reviewer, None, limit),
        inbox::count(conn, reader),
        inbox::count(conn, reviewer),
        interviews::list(conn, project),
        leases::is_any_due::<BuildQueue>(conn, now),
        leases::is_any_due::<generations::ContractQueue>(conn, now),
        leases::held::<BuildQueue>(conn),
        leases::held::<generations::AnswerQueue>(conn),
        project_errors::list(conn, project, &errors, None, limit),
        project_errors::sightings(conn, project, &["a"]),
        project_errors::earlier_fixes(conn, project, other, limit),
        project_viewers::list(conn, project),
        project_viewers::owners(conn, user),
        projects::list(conn, user, false, None, limit),
        projects::names(conn, None, limit),
        review_comments::list(conn, build),
        reviews::list(conn, build),
        reviews::queue(conn, None, 1, None, limit),
        reviews::queue(conn, Some(false), 1, None, limit),
        reviews::progress(conn, project, project, 1),
        sessions::list(conn, user, now),
        users::list(conn, None, limit),
        webhooks::list(conn, Some(project)),
        webhooks::list(conn, None),
    ]
}

fn id<I: Id>() -> I {
    I::from_uuid(Uuid::now_v7())
}

/// Holds the lock that the recorded statements are protected by.
async fn recorded(db: &Db) -> Vec<(String, String)> {
    static RECORDER: OnceLock<()> = OnceLock::new();
    RECORDER.get_or_init(|| {
        tracing::subscriber::set_global_default(StatementRecorder).expect("it is the only one");
    });
    list_queries(&mut db.read().await.unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn list_queries_use_indexes_on_sqlite() {
    let _lock = TEST_LOCK.lock().await;
    let database = support::Sqlite::migrated().await;
    let db = Db::connect(&database.url(), 1).await.unwrap();
    db.migrate().await.unwrap();
    let queries = recorded(&db).await;
    let mut conn = SqliteConnection::connect(&database.url()).await.unwrap();
    let mut violations = Vec::new();
    for (call, statement) in queries {
        let explain = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}"));
        let rows = sqlx::query(explain).fetch_all(&mut conn).await.expect(&statement);
        let plan: Vec<String> = rows.iter().map(|row| row.get("detail")).collect();
        // `SCAN builds`, or `SCAN b USING INDEX …` for a whole index. Scans of the results of the
        // query itself are fine.
        let is_own = |step: &str| {
            [
                "SCAN (",
                "SCAN CONSTANT",
                "SCAN seen",
                "SCAN settled",
                "SCAN past",
                "SCAN items",
                "SCAN placed",
            ]
            .iter()
            .any(|start| step.starts_with(start))
        };
        let scans =
            |step: &&String| step.starts_with("SCAN ") && !is_own(step) && !uses_small_index(step);
        violations.extend(plan.iter().filter(scans).map(|step| format!("{call}: {step}")));
    }
    assert_eq!(violations, [""; 0], "\n{violations:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn list_queries_use_indexes_on_postgres() {
    let _lock = TEST_LOCK.lock().await;
    support::run_on(support::Postgres::create().await, |url| async move {
        let db = Db::connect(&url, 1).await.unwrap();
        db.migrate().await.unwrap();
        let queries = recorded(&db).await;
        db.close().await;
        let mut conn = PgConnection::connect(&url).await.unwrap();
        // With these settings a table is read whole only if no index serves the query. The plan is
        // made for any parameters, as for a statement that is used often.
        let settings = "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; \
            SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off";
        sqlx::raw_sql(settings).execute(&mut conn).await.unwrap();
        // For an empty table PostgreSQL assumes that few projects are not deleted.
        let projects = "INSERT INTO users SELECT gen_random_uuid(), n, '', 'user', '', now() \
            FROM generate_series(1, 1000) AS n; INSERT INTO projects SELECT gen_random_uuid(), \
            id, '', '', 'demo', '', '', now(), now() FROM users; ANALYZE users, projects";
        sqlx::raw_sql(projects).execute(&mut conn).await.unwrap();
        let mut violations = Vec::new();
        for (at, (call, statement)) in queries.into_iter().enumerate() {
            let parameters = 1..=parameter_count(&statement);
            // Optional conditions stay optional, with a parameter type that PostgreSQL can infer.
            let text = parameters.clone().fold(statement.clone(), |text, number| {
                text.replace(&format!("${number} IS NULL"), "random() < 0")
            });
            let prepare = AssertSqlSafe(format!("PREPARE q{at} AS {text}"));
            sqlx::raw_sql(prepare).execute(&mut conn).await.expect(&statement);
            let values = match parameters.count() {
                0 => String::new(),
                count => format!("({})", vec!["NULL"; count].join(", ")),
            };
            let explain = AssertSqlSafe(format!("EXPLAIN EXECUTE q{at}{values}"));
            let rows = sqlx::raw_sql(explain).fetch_all(&mut conn).await.expect(&call);
            let plan: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
            violations.extend(full_scans(&plan).map(|step| format!("{call}: {step}")));
        }
        assert_eq!(violations, [""; 0], "\n{violations:#?}");
    })
    .await;
}

fn parameter_count(statement: &str) -> usize {
    let numbers = statement.split('$').skip(1).filter_map(|rest| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    });
    numbers.max().unwrap_or(0)
}

/// Steps that read a whole table, or a whole index because they have no condition on it.
fn full_scans(plan: &[String]) -> impl Iterator<Item = &str> {
    let is_step = |line: &str| line.contains("(cost=");
    plan.iter().enumerate().filter_map(move |(at, line)| {
        let mut details = plan[at + 1..].iter().take_while(|line| !is_step(line));
        let is_full = line.contains("Seq Scan on")
            || (line.contains("Index") && !details.any(|line| line.contains("Index Cond:")));
        (is_full && is_step(line) && !uses_small_index(line)).then_some(line.trim())
    })
}

fn uses_small_index(step: &str) -> bool {
    step.split_whitespace().any(|word| SMALL_INDEXES.contains(&word))
}
