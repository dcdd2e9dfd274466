//! The errors of a project over its builds: each distinct one once, and how it was settled.

use chrono::{DateTime, Duration, Utc};
use domain::{
    errors::{ResolutionMethod, Severity},
    ids::{BuildErrorId, BuildId, ProjectId, UserId},
    state::Status,
};
use forgeguard::store::{
    self, Conn, Db,
    build_errors::TrackedError,
    builds::{self, NewBuild},
    project_errors::{self, Cursor, Filter, ProjectError},
};

use crate::rows;

/// A project with builds whose errors are seen at even seconds.
struct World {
    project: ProjectId,
    owner: UserId,
    dawn: DateTime<Utc>,
}

impl World {
    async fn new(db: &Db) -> Self {
        let (owner, project) = rows::add_project(db).await;
        Self { project, owner, dawn: store::now() }
    }

    fn at(&self, second: i64) -> DateTime<Utc> {
        self.dawn + Duration::seconds(second)
    }

    async fn build(&self, conn: &mut Conn) -> BuildId {
        let build = rows::build(self.owner, self.project);
        // Only one build of a project may be under way.
        builds::insert(conn, &NewBuild { status: Status::Sealed, ..build }).await.unwrap();
        build.id
    }

    async fn see(&self, conn: &mut Conn, build: BuildId, name: &str, second: i64) -> BuildErrorId {
        let severity = if name == "dusty" { Severity::Warning } else { Severity::Error };
        let (source, message) =
            (format!("gate:{name}"), format!("the board is {name} in {second}%"));
        let fingerprint = fingerprint(name);
        let seen = TrackedError {
            last_seen: self.at(second),
            phase: None,
            file_path: Some("src/Shelf.js"),
            source: &source,
            severity,
            ..rows::tracked_error(build, &fingerprint, &message)
        };
        rows::track_error(conn, seen).await.id
    }

    async fn list(&self, conn: &mut Conn, filter: Filter) -> Vec<ProjectError> {
        project_errors::list(conn, self.project, &filter, None, 50).await.unwrap()
    }

    async fn names(&self, conn: &mut Conn, filter: Filter) -> Vec<String> {
        let all = self.list(conn, filter).await;
        all.iter().map(|error| error.source.replace("gate:", "")).collect()
    }
}

fn fingerprint(name: &str) -> String {
    format!("{name:0>16}")
}

fn words(text: &str) -> Filter {
    Filter { words: Some(text.to_owned()), ..Filter::default() }
}

support::on_both! {
    async fn error_is_listed_once_for_all_builds_of_its_project(db: Db) {
        let (world, other) = (World::new(&db).await, World::new(&db).await);
        let mut tx = db.write().await.unwrap();
        let (first, second) = (world.build(&mut tx).await, world.build(&mut tx).await);
        let elsewhere = other.build(&mut tx).await;
        let crooked = world.see(&mut tx, first, "crooked", 0).await;
        world.see(&mut tx, first, "crooked", 2).await;
        let how = ResolutionMethod::AutoFix;
        rows::resolve_error(&mut tx, crooked, how, Some("Sawed it."), world.at(3)).await;
        world.see(&mut tx, second, "crooked", 8).await;
        let missing = world.see(&mut tx, first, "missing", 4).await;
        let how = ResolutionMethod::Dismissed;
        rows::resolve_error(&mut tx, missing, how, None, world.at(5)).await;
        other.see(&mut tx, elsewhere, "crooked", 10).await;

        let all = world.list(&mut tx, Filter::default()).await;
        assert_eq!(all.len(), 2);
        let error = &all[0];
        assert_eq!((error.fingerprint.as_str(), error.build_id), (&*fingerprint("crooked"), second));
        assert_eq!((error.first_seen, error.last_seen), (world.at(0), world.at(8)));
        assert_eq!((error.build_count, error.occurrence_count, error.resolved), (2, 3, false));
        assert_eq!(error.message, "the board is crooked in 8%");
        assert_eq!((error.settled_in, error.settled_at), (Some(first), Some(world.at(3))));
        assert_eq!(error.settled_note.as_deref(), Some("Sawed it."));
        let error = &all[1];
        assert_eq!((error.build_id, error.build_count, error.resolved), (first, 1, true));
        assert_eq!((error.settled_by, &error.settled_note), (Some(ResolutionMethod::Dismissed), &None));
        assert_eq!(other.list(&mut tx, Filter::default()).await.len(), 1);

        let names = [fingerprint("crooked"), fingerprint("odd")];
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let seen = project_errors::sightings(&mut tx, world.project, &names).await.unwrap();
        let [newer, older] = seen.as_slice() else { panic!("{seen:?}") };
        assert_eq!((newer.build_id, newer.occurrence_count, newer.resolved), (second, 1, false));
        assert_eq!((older.build_id, older.occurrence_count, older.first_seq), (first, 2, Some(7)));
        assert_eq!(older.resolution_summary.as_deref(), Some("Sawed it."));
        assert_eq!(older.resolution_method, Some(ResolutionMethod::AutoFix));
    }

    async fn errors_are_filtered_by_dismissal_and_regression(db: Db) {
        let world = World::new(&db).await;
        let mut tx = db.write().await.unwrap();
        let (first, second) = (world.build(&mut tx).await, world.build(&mut tx).await);
        let fix = ResolutionMethod::AutoFix;
        for (name, how) in [("fixed", fix), ("waved", ResolutionMethod::Dismissed), ("back", fix)] {
            let id = world.see(&mut tx, first, name, 0).await;
            rows::resolve_error(&mut tx, id, how, None, world.at(1)).await;
        }
        world.see(&mut tx, first, "back", 2).await;
        // That it came back in the first build is not forgotten in the next.
        world.see(&mut tx, second, "back", 4).await;
        let resolved = Filter { resolved: Some(true), ..Filter::default() };
        for (filter, expected) in [
            (Filter { dismissed: Some(true), ..resolved.clone() }, &["waved"][..]),
            (Filter { dismissed: Some(false), ..resolved }, &["fixed"]),
            (Filter { regression: Some(true), ..Filter::default() }, &["back"]),
            (Filter { regression: Some(false), ..Filter::default() }, &["waved", "fixed"]),
        ] {
            assert_eq!(world.names(&mut tx, filter.clone()).await, expected, "{filter:?}");
        }
    }

    async fn errors_are_filtered_by_words_state_and_severity(db: Db) {
        let world = World::new(&db).await;
        let mut tx = db.write().await.unwrap();
        let (first, second) = (world.build(&mut tx).await, world.build(&mut tx).await);
        world.see(&mut tx, first, "crooked", 0).await;
        let dusty = world.see(&mut tx, second, "dusty", 2).await;
        let how = ResolutionMethod::PhaseComplete;
        rows::resolve_error(&mut tx, dusty, how, Some("It is over."), world.at(3)).await;
        world.see(&mut tx, second, "missing", 4).await;
        for (filter, expected) in [
            (Filter::default(), &["missing", "dusty", "crooked"][..]),
            (Filter { resolved: Some(true), ..Filter::default() }, &["dusty"]),
            (Filter { resolved: Some(false), ..Filter::default() }, &["missing", "crooked"]),
            (Filter { severity: Some(Severity::Warning), ..Filter::default() }, &["dusty"]),
            (Filter { severity: Some(Severity::Fatal), ..Filter::default() }, &[]),
            (words("BOARD is crooked"), &["crooked"]),
            (words("shelf.JS"), &["missing", "dusty", "crooked"]),
            (words("gate:m"), &["missing"]),
            (words("4%"), &["missing"]),
            (words("_"), &[]),
            (Filter { resolved: Some(false), ..words("in 0%") }, &["crooked"]),
        ] {
            assert_eq!(world.names(&mut tx, filter.clone()).await, expected, "{filter:?}");
        }
    }

    async fn pages_list_each_error_once_newest_first(db: Db) {
        let world = World::new(&db).await;
        let mut tx = db.write().await.unwrap();
        let build = world.build(&mut tx).await;
        // Two at the same time, as they come from one gate.
        for (name, second) in [("a", 0), ("b", 2), ("c", 2), ("d", 4), ("e", 6)] {
            world.see(&mut tx, build, name, second).await;
        }
        let (mut seen, mut after) = (Vec::new(), None::<Cursor>);
        loop {
            let filter = Filter::default();
            let page = project_errors::list(&mut tx, world.project, &filter, after.as_ref(), 2);
            let page = page.await.unwrap();
            let Some(last) = page.last() else { break };
            let (last_seen, fingerprint) = (last.last_seen, last.fingerprint.clone());
            after = Some(Cursor { last_seen, fingerprint });
            seen.extend(page.into_iter().map(|error| error.source));
        }
        assert_eq!(seen, ["gate:e", "gate:d", "gate:c", "gate:b", "gate:a"]);
    }

    async fn earlier_fix_is_the_newest_of_other_builds(db: Db) {
        let (world, other) = (World::new(&db).await, World::new(&db).await);
        let mut tx = db.write().await.unwrap();
        let builds = [world.build(&mut tx).await, world.build(&mut tx).await];
        let (now, elsewhere) = (world.build(&mut tx).await, other.build(&mut tx).await);
        let fix = ResolutionMethod::AutoFix;
        for (build, name, second, how, note) in [
            (builds[0], "crooked", 0, fix, Some("Sawed it.")),
            (builds[1], "crooked", 4, fix, Some("Planed it.")),
            (builds[0], "missing", 0, ResolutionMethod::PhaseComplete, Some("It is over.")),
            (builds[0], "odd", 0, ResolutionMethod::Dismissed, None),
            (builds[0], "mended", 0, fix, Some("Mended it.")),
            (elsewhere, "missing", 0, fix, Some("Bought it.")),
        ] {
            let id = world.see(&mut tx, build, name, second).await;
            rows::resolve_error(&mut tx, id, how, note, world.at(second + 1)).await;
        }
        for name in ["crooked", "missing", "odd"] {
            world.see(&mut tx, now, name, 20).await;
        }
        let mended = world.see(&mut tx, now, "mended", 20).await;
        rows::resolve_error(&mut tx, mended, fix, Some("Again."), world.at(21)).await;

        let past = project_errors::earlier_fixes(&mut tx, world.project, now, 20).await.unwrap();
        let told: Vec<_> =
            past.iter().map(|past| (past.source.as_str(), past.summary.as_str())).collect();
        assert_eq!(told, [("gate:crooked", "Planed it.")]);
        let none = project_errors::earlier_fixes(&mut tx, world.project, now, 0).await.unwrap();
        assert!(none.is_empty());
    }
}
