//! Every value in the report of a sealed build is changed in the database or the files:
//! verification names each change, over the API and on the command line.

mod columns;
mod database;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

use domain::{
    contract::{ContractFormat, ContractSource, ContractType, VersionSource},
    errors::{ResolutionMethod, Severity},
    event::{
        EventBody,
        agents::{ContractRead, Task},
        gates::ErrorResolved,
        life::Actor,
        phases::{LogLevel, LogLine},
        questions::{ClarificationRequest, ClarificationResolved, ResolvedHow},
    },
    ids::{BuildId, ProjectId, RunId},
    tracking::{self, ObservedFailure},
};
use forgeguard::{
    engine::seal_key::SealKey,
    journal::Entry,
    store::{self, contracts::NewContract},
};
use futures::FutureExt;
use serde_json::{Value, json};

use crate::{
    harness::{Database as Address, Instance, Person, binary, text},
    project_fixture::git,
    sealed_build::{FILE, sealed_build, sealed_build_of},
};
use columns::{CHANGES, Change, NO_EVIDENCE, ROWS, STATEMENTS};
use database::Database;

/// A sealed, signed and reviewed build with a row in every table that a report reads.
struct Fixture {
    instance: Instance,
    admin: Person,
    owner: Person,
    project: ProjectId,
    build: BuildId,
    url: String,
    database: Database,
    /// Placeholders in statements, and their ids.
    ids: Vec<(&'static str, String)>,
}

impl Fixture {
    async fn new(address: &Address) -> Self {
        let instance = Instance::start(address).await;
        let (admin, owner) = (instance.admin().await, instance.user("ada@example.org").await);
        let other = sealed_build(&instance, &admin).await;
        let project: ProjectId = owner.project("Lists").await.parse().expect("an id");
        let contract = add_contract(&instance, project).await;
        let working = |build, run| work(&instance, &owner, build, run).boxed();
        let build = sealed_build_of(&instance, &owner, project, &working).await;
        review(&admin, build).await;
        let bundle = owner.get(&format!("/api/builds/{build}/bundle")).await;
        assert_eq!(bundle.status, 200, "{}", bundle.text);
        let mut database = Database::open(address.url()).await;
        let query = |what: &str| format!("SELECT CAST({what} AS TEXT) FROM ");
        let of_other = format!("{} builds WHERE id = '{other}'", query("project_id"));
        let other_project = database.text(&of_other).await;
        let entry = format!("{} audit_log WHERE action = 'review_decided'", query("seq"));
        let entry = database.text(&entry).await;
        let blob = database.text("SELECT sha256 FROM blobs").await;
        let ids = vec![
            ("{build}", build.to_string()),
            ("{other}", other.to_string()),
            ("{other_project}", other_project),
            ("{admin}", admin.id.clone()),
            ("{owner}", owner.id.clone()),
            ("{unknown}", uuid::Uuid::max().to_string()),
            ("{contract}", contract),
            ("{blob}", blob),
            ("{entry}", entry),
            ("{sha}", "ab".repeat(20)),
            ("{hash}", "ab".repeat(32)),
        ];
        let url = address.url().to_owned();
        Self { instance, admin, owner, project, build, url, database, ids }
    }

    fn filled(&self, statement: &str) -> String {
        self.ids.iter().fold(statement.to_owned(), |text, (name, id)| text.replace(name, id))
    }

    /// The problems that verification reports.
    async fn problems(&self) -> Vec<String> {
        let found = self.instance.app.engine.verifier().build(self.build).await;
        let found = found.expect("the build can be verified");
        assert_eq!(found.ok, found.problems.is_empty());
        assert!(found.notes.is_empty(), "{:?}", found.notes);
        found.problems.iter().map(ToString::to_string).collect()
    }

    #[track_caller]
    fn assert_named(problems: &[String], word: &str, change: &str) {
        assert!(problems.iter().any(|it| it.contains(word)), "{change} is not named: {problems:?}");
    }

    /// The same over the API and on the command line.
    async fn assert_named_everywhere(&self, word: &str, change: &str) {
        Self::assert_named(&self.problems().await, word, change);
        let answer = self.owner.get(&format!("/api/builds/{}/verify", self.build)).await.json();
        let reported = answer["problems"].as_array().expect("a list").iter();
        let reported: Vec<_> = reported.map(|problem| text(&problem["what"])).collect();
        assert_eq!(answer["ok"], json!(false));
        Self::assert_named(&reported, word, change);
        let (succeeded, printed) = self.command_line(&["verify", &self.build.to_string()]);
        assert!(!succeeded && printed.contains(word), "{change} is not printed: {printed}");
    }

    fn command_line(&self, arguments: &[&str]) -> (bool, String) {
        let mut command = Command::new(binary());
        command.args(arguments).env("DATABASE_URL", &self.url);
        command.env("FORGEGUARD_DATA_DIR", self.data());
        let output = command.output().expect("it runs");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn data(&self) -> PathBuf {
        self.instance.app.engine.paths().root().to_owned()
    }
}

async fn add_contract(instance: &Instance, project: ProjectId) -> String {
    let new = NewContract {
        id: store::new_id(),
        project_id: project,
        kind: ContractType::Stack,
        format: ContractFormat::Markdown,
        content: "# Stack\n\nJavaScript.\n",
        source: VersionSource::Edited,
        author_id: None,
        created_at: store::now(),
    };
    let mut tx = instance.app.db.write().await.expect("a transaction");
    let contract = store::contracts::insert(&mut tx, &new).await.expect("it is stored");
    tx.commit().await.expect("it is durable");
    contract.id.to_string()
}

/// The coder's work: it reads a contract, causes errors, asks a question and prints much output.
async fn work(instance: &Instance, owner: &Person, build: BuildId, run: RunId) {
    let append = |event: EventBody| async move {
        let entry = Entry::given(build, None, vec![event]);
        instance.app.journal.append(entry).await.expect("the event is legal");
    };
    let role = Task::Execute.role();
    let (contract, source) = (ContractType::Stack, ContractSource::Snapshot);
    append(ContractRead { run_id: run, role, contract, version: 1, source }.into()).await;
    for (severity, message) in
        [(Severity::Error, "src/a.js: no such list"), (Severity::Warning, "slow")]
    {
        let state = instance.app.journal.state(build).await.expect("a state");
        let seen = ObservedFailure::new("tool:read_file", severity, message);
        let error = tracking::track(&state, build, store::new_id(), store::now(), seen);
        append(error).await;
    }
    let state = instance.app.journal.state(build).await.expect("a state");
    let error = state.errors.values().find(|error| error.severity == Severity::Error);
    let error_id = error.expect("it was tracked").id;
    let (method, summary) = (ResolutionMethod::AutoFix, Some("it is there now".to_owned()));
    append(ErrorResolved { error_id, method, summary, by: None }.into()).await;
    let question_id = store::new_id();
    let request = ClarificationRequest {
        question_id,
        kind: Default::default(),
        question: "Which order?".to_owned(),
        context: Some("lists have one".to_owned()),
        options: vec!["old first".to_owned(), "new first".to_owned()],
        multiple: false,
        asked_by: role,
        run_id: run,
        call_id: "call-1".to_owned(),
        requirement: None,
        expires_at: None,
    };
    append(request.into()).await;
    let by = Actor::User { id: owner.id.parse().expect("an id"), name: "User".to_owned() };
    let (answer, how) = (Some("new first".to_owned()), ResolvedHow::Answered);
    append(ClarificationResolved { question_id, answer, how, by }.into()).await;
    let message = "a long line of output\n".repeat(4_000);
    let (level, source) = (LogLevel::Info, "test".to_owned());
    append(LogLine { level, source, message }.into()).await;
    put_checkpoint(instance, build).await;
}

/// Stores a checkpoint, as the journal does after more events than this build has.
async fn put_checkpoint(instance: &Instance, build: BuildId) {
    let journal = &instance.app.journal;
    let (seq, state) = journal.folded(build).await.expect("the build exists");
    let state = serde_json::to_string(&*state).expect("a state is JSON");
    let mut tx = journal.db().write().await.expect("a transaction");
    store::checkpoints::put(&mut tx, build, seq, &state).await.expect("it is written");
    tx.commit().await.expect("it is committed");
}

async fn review(admin: &Person, build: BuildId) {
    let comments = format!("/api/reviews/{build}/comments");
    let line = json!({"path": FILE, "side": "new", "number": 2});
    let comment = admin.post(&comments, json!({"text": "0 is wrong", "line": line})).await.json();
    let answer = json!({"text": "Is it?", "parent_id": comment["id"]});
    assert_eq!(admin.post(&comments, answer).await.status, 201);
    let resolve = format!("/api/review-comments/{}/resolve", text(&comment["id"]));
    assert_eq!(admin.post(&resolve, json!({})).await.status, 200);
    let decision = json!({"decision": "approved", "reason": "Fine", "seen": Value::Null});
    let decided = admin.post(&format!("/api/reviews/{build}/decision"), decision).await;
    assert_eq!(decided.status, 201, "{}", decided.text);
}

/// Copies a file over another, regardless of its permissions.
fn overwrite(file: &Path, with: &[u8]) {
    std::fs::remove_file(file).expect("it was there");
    std::fs::write(file, with).expect("it can be written");
}

support::on_both! {
    async fn changed_column_is_named_by_verify(address: Address) {
        let mut fixture = Fixture::new(&address).await;
        assert_eq!(fixture.problems().await, Vec::<String>::new());
        let (succeeded, printed) = fixture.command_line(&["verify", &fixture.build.to_string()]);
        assert!(succeeded && printed.starts_with("ok: "), "{printed}");
        fixture.database.keep().await;

        let changes = CHANGES.iter().map(|Change { table, column, value }| {
            let (_, row, word) = ROWS.iter().find(|row| row.0 == *table).expect("a row");
            let word = match (*table, *column) {
                ("builds", "head_seq" | "head_hash") => "the build's row".to_owned(),
                // The journal does not contain the project, but the signed seal does.
                ("builds", "project_id") => "projectId".to_owned(),
                ("build_events" | "blobs" | "audit_log" | "users" | "contract_snapshots", _)
                | ("build_checkpoints", _)
                | ("contracts", "id" | "type")
                | ("seals", "envelope")
                | (_, "id" | "build_id") => (*word).to_owned(),
                ("build_phases", "number") => (*word).to_owned(),
                (table, column) => format!("{table}.{column}"),
            };
            (*table, format!("UPDATE {table} SET {column} = {value} WHERE {row}"), word)
        });
        let statements = STATEMENTS.iter().map(|(table, statement, word)| (*table, (*statement).to_owned(), (*word).to_owned()));
        let mut shown_everywhere = BTreeSet::new();
        for (table, statement, word) in changes.chain(statements) {
            let statement = fixture.filled(&statement);
            assert!(fixture.database.run(&statement).await > 0, "{statement} changes nothing");
            // One change of each table is also checked over HTTP and on the command line.
            if table != "builds" && shown_everywhere.insert(table) {
                fixture.assert_named_everywhere(&word, &statement).await;
            } else {
                Fixture::assert_named(&fixture.problems().await, &word, &statement);
            }
            fixture.database.restore(table).await;
            // Alarms are entries of the audit log; they were removed with the rest.
            fixture.database.restore("audit_log").await;
        }
        assert_eq!(fixture.problems().await, Vec::<String>::new());
        fixture.instance.stop().await;
    }

    async fn every_column_is_evidence_or_has_a_reason_why_not(address: Address) {
        let instance = Instance::start(&address).await;
        let mut database = Database::open(address.url()).await;
        let columns: BTreeSet<_> = database.columns().await.into_iter().collect();
        let changed = CHANGES.iter().map(|it| (it.table, it.column));
        let known = changed.chain(NO_EVIDENCE.iter().map(|(table, column, _)| (*table, *column)));
        let known: BTreeSet<_> = known.map(|(table, column)| (table.to_owned(), column.to_owned())).collect();
        let whole = |table: &String| known.contains(&(table.clone(), "*".to_owned()));
        let unknown: Vec<_> = columns.iter().filter(|it| !known.contains(it) && !whole(&it.0)).collect();
        assert!(unknown.is_empty(), "classify these in columns.rs: {unknown:?}");
        let gone: Vec<_> = known.iter().filter(|it| it.1 != "*" && !columns.contains(it)).collect();
        assert!(gone.is_empty(), "these are no columns: {gone:?}");
        instance.stop().await;
    }

    async fn changed_repository_or_key_is_named_by_verify(address: Address) {
        let fixture = Fixture::new(&address).await;
        let data = fixture.data();
        let branch = format!("refs/heads/forge/build-{}", fixture.build);
        for (place, words) in [("repos", "the hosted repository"), ("work", "the working clone")] {
            let repository = data.join(place).join(format!("{}.git", fixture.project));
            let head = git(&repository, &["rev-parse", &branch]);
            git(&repository, &["update-ref", &branch, &format!("{head}~1")]);
            fixture.assert_named_everywhere(words, "a branch one commit behind").await;
            let tree = format!("{head}^{{tree}}");
            let ahead = git(&repository, &["commit-tree", &tree, "-p", &head, "-m", "more"]);
            git(&repository, &["update-ref", &branch, &ahead]);
            Fixture::assert_named(&fixture.problems().await, words, "a commit on top of the seal");
            git(&repository, &["update-ref", "-d", &branch]);
            Fixture::assert_named(&fixture.problems().await, words, "no branch");
            git(&repository, &["update-ref", &branch, &head]);
            assert_eq!(fixture.problems().await, Vec::<String>::new());

            // Another valid object under the name of a file's object.
            let object = |what: &str| {
                let sha = git(&repository, &["rev-parse", what]);
                repository.join("objects").join(&sha[..2]).join(&sha[2..])
            };
            let (file, other) = (object(&format!("{head}:{FILE}")), object(&head));
            let bytes = std::fs::read(&file).expect("an object");
            overwrite(&file, &std::fs::read(&other).expect("an object"));
            Fixture::assert_named(&fixture.problems().await, words, "another file");
            std::fs::remove_file(&file).expect("it was there");
            Fixture::assert_named(&fixture.problems().await, words, "a missing file");
            std::fs::write(&file, &bytes).expect("it can be written");
            assert_eq!(fixture.problems().await, Vec::<String>::new());
        }

        let key = data.join("seal.key");
        let bytes = std::fs::read(&key).expect("a key");
        SealKey::load(&data.join("other.key")).expect("another key");
        overwrite(&key, &std::fs::read(data.join("other.key")).expect("a key"));
        fixture.assert_named_everywhere("not signed with this installation's key", "another key").await;
        overwrite(&key, b"no key");
        Fixture::assert_named(&fixture.problems().await, "key cannot be read", "a broken key");
        std::fs::remove_file(&key).expect("it was there");
        Fixture::assert_named(&fixture.problems().await, "key cannot be read", "no key");
        std::fs::write(&key, &bytes).expect("it can be written");
        assert_eq!(fixture.problems().await, Vec::<String>::new());
        fixture.instance.stop().await;
    }

    async fn missing_envelope_raises_an_alarm_and_is_not_signed_again(address: Address) {
        let mut fixture = Fixture::new(&address).await;
        let build = fixture.build;
        let signed = format!("UPDATE seals SET envelope = NULL WHERE build_id = '{build}'");
        assert_eq!(fixture.database.run(&signed).await, 1);
        for _ in 0..2 {
            let refused = fixture.owner.get(&format!("/api/builds/{build}/bundle")).await.problem(409);
            assert!(text(&refused["detail"]).contains("signed seal is missing"), "{refused}");
        }
        let envelope = format!("SELECT COALESCE(envelope, 'none') FROM seals WHERE build_id = '{build}'");
        assert_eq!(fixture.database.text(&envelope).await, "none");
        // One alarm, even if it is verified repeatedly.
        let alarms = fixture.admin.get("/api/audit-log?action=verification_failed").await.json();
        let alarms = alarms["items"].as_array().expect("a list");
        assert_eq!(alarms.len(), 1, "{alarms:?}");
        assert_eq!(alarms[0]["subject"], json!(format!("build/{build}")));
        fixture.instance.stop().await;
    }

    async fn audit_log_is_verified_for_administrators_and_on_the_command_line(address: Address) {
        let mut fixture = Fixture::new(&address).await;
        let found = fixture.admin.get("/api/audit-log/verify").await.json();
        assert_eq!((&found["ok"], &found["seals"]), (&json!(true), &json!(1)), "{found}");
        fixture.owner.get("/api/audit-log/verify").await.problem(403);
        let (succeeded, printed) = fixture.command_line(&["verify", "--audit-log"]);
        assert!(succeeded && printed.contains("1 seals"), "{printed}");

        // If it is truncated and chained again, only the signed seal shows it.
        fixture.database.run("DELETE FROM audit_log").await;
        let key = fixture.admin.post("/api/forge-keys", json!({"name": "laptop"})).await;
        assert_eq!(key.status, 201, "{}", key.text);
        let found = fixture.admin.get("/api/audit-log/verify").await.json();
        let first = text(&found["problems"][0]);
        assert!(first.contains(&format!("build {}", fixture.build)), "{found}");
        let (succeeded, printed) = fixture.command_line(&["verify", "--audit-log"]);
        assert!(!succeeded && printed.contains(&fixture.build.to_string()), "{printed}");
        fixture.instance.stop().await;
    }
}
