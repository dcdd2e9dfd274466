//! Derives the rows of a journal again, in a separate database, and compares them with the stored
//! ones.

use std::{collections::BTreeMap, fmt::Display};

use chrono::{DateTime, Utc};
use domain::{
    event::{
        Event, EventBody,
        life::{Actor, Queued},
    },
    ids::{BuildId, Id, ProjectId, UserId},
    state::{BuildState, Status},
};
use uuid::Uuid;

use super::problem::{Problem, shorten};
use crate::{
    journal::projection,
    store::{
        self, Conn, Difference, Result, build_errors, build_phases, builds, clarifications,
        events::{self, EventRow},
        seals,
        users::{self, User},
    },
};

/// Per table; further problems are counted.
const MAX_LISTED: usize = 20;
/// Columns that earlier versions left empty.
const ADDED_LATER: [&str; 4] = ["asked_seq", "resolved_seq", "contract", "first_seq"];

/// An in-memory database with the rows derived from the journal.
pub struct Replay {
    conn: Conn,
    build_id: BuildId,
    names: BTreeMap<UserId, String>,
    /// Whether this version recorded the whole build, so that all of its columns can be derived.
    is_complete: bool,
    /// Whether the journal contains the build's number.
    is_numbered: bool,
}

impl Replay {
    /// Before the first event.
    pub async fn start(build_id: BuildId) -> Result<Self> {
        let conn = store::scratch().await?;
        Ok(Self { conn, build_id, names: BTreeMap::new(), is_complete: false, is_numbered: false })
    }

    /// Derives the rows of events that were just folded into `state`.
    pub async fn take(&mut self, events: &[(Event, EventRow)], state: &BuildState) -> Result<()> {
        let (Some((first, _)), Some((last, _))) = (events.first(), events.last()) else {
            return Ok(());
        };
        for (event, row) in events {
            match &event.body {
                EventBody::BuildQueued(queued) => self.open(event.at, queued).await?,
                // A question is shown with the contract that the agent read last.
                EventBody::BuildContractRead(_) => {
                    events::insert_batch(&mut self.conn, self.build_id, std::slice::from_ref(row))
                        .await?;
                }
                EventBody::BuildClarificationResolved(resolved) => {
                    self.name(&resolved.by, event.at).await?;
                }
                _ => {}
            }
        }
        let (conn, id) = (&mut self.conn, self.build_id);
        let bodies: Vec<_> = events.iter().map(|(e, _)| (e.at, e.body.clone())).collect();
        let row = projection::build_row((last.seq, &last.hash), state, &bodies);
        // Events are compared by their hashes, and so need no rows.
        projection::write(conn, id, first.seq, &bodies, &[], &row).await?;
        conn.send_deferred().await
    }

    /// Compares all derived tables with those of `stored`.
    pub async fn compare(mut self, stored: &mut Conn) -> Result<Vec<Problem>> {
        let mut problems = Vec::new();
        let (id, derived) = (self.build_id, &mut self.conn);

        let mut expected: Vec<_> = builds::get(derived, id).await?.into_iter().collect();
        if let Some(rows) = readable(builds::get(stored, id).await, "builds", &mut problems)? {
            let rows: Vec<_> = rows.into_iter().collect();
            if let (Some(expected), Some(row)) = (expected.first_mut(), rows.first()) {
                // The journal does not contain the project; the signed seal does.
                expected.project_id = row.project_id;
                if !self.is_complete {
                    expected.created_at = row.created_at;
                }
                if !self.is_numbered {
                    expected.number = row.number;
                }
            }
            let table = Table { name: "builds", is_complete: self.is_complete };
            table.compare(expected, rows, |row| row.id, builds::Build::differences, &mut problems);
        }

        macro_rules! compare {
            ($name:literal, $row:ty, $read:expr, $key:expr) => {{
                let read = $read;
                let expected = read(&mut *derived).await?;
                if let Some(rows) = readable(read(&mut *stored).await, $name, &mut problems)? {
                    let table = Table { name: $name, is_complete: self.is_complete };
                    table.compare(expected, rows, $key, <$row>::differences, &mut problems);
                }
            }};
        }
        compare!(
            "build_phases",
            build_phases::Phase,
            async |conn: &mut Conn| build_phases::list(conn, id).await,
            |row| row.number
        );
        compare!(
            "build_errors",
            build_errors::BuildError,
            async |conn: &mut Conn| build_errors::list(conn, id, None, i64::MAX).await,
            |row| row.id
        );
        compare!(
            "clarifications",
            clarifications::Clarification,
            async |conn: &mut Conn| clarifications::list(conn, id, None, i64::MAX).await,
            |row| row.id
        );
        compare!(
            "seals",
            seals::Seal,
            async |conn: &mut Conn| Ok(Vec::from_iter(seals::get(conn, id).await?)),
            |row| row.build_id
        );
        Ok(problems)
    }

    async fn open(&mut self, at: DateTime<Utc>, queued: &Queued) -> Result<()> {
        self.is_complete = queued.contracts.is_some();
        self.is_numbered = queued.number.is_some();
        let build = builds::NewBuild {
            id: self.build_id,
            project_id: ProjectId::from_uuid(Uuid::nil()),
            number: queued.number.unwrap_or_default(),
            slot: 0,
            started_by: queued.started_by,
            snapshot_batch: Some(queued.snapshot_batch),
            follows: queued.follows.as_ref().map(|follows| follows.build_id),
            title: queued.title.as_deref(),
            status: Status::Queued,
            head_hash: domain::chain::GENESIS,
            created_at: at,
        };
        builds::insert(&mut self.conn, &build).await
    }

    /// Inserts a user with the name in the journal, for rows that show it.
    async fn name(&mut self, actor: &Actor, at: DateTime<Utc>) -> Result<()> {
        let Actor::User { id, name } = actor else { return Ok(()) };
        if self.names.insert(*id, name.clone()).is_some() {
            return Ok(());
        }
        let user = User {
            id: *id,
            email: id.to_string(),
            name: name.clone(),
            role: domain::user_role::UserRole::User,
            password_hash: String::new(),
            created_at: at,
            disabled_at: None,
        };
        users::insert(&mut self.conn, &user).await
    }
}

/// `None`, and a problem, if a row contains values that this service never writes.
fn readable<T>(rows: Result<T>, table: &str, problems: &mut Vec<Problem>) -> Result<Option<T>> {
    match rows {
        Err(store::Error::Unreadable { wanted, value }) => {
            let value = shorten(&value);
            problems
                .push(Problem::of(format!("{table}: a row holds {value}, which is no {wanted}")));
            Ok(None)
        }
        rows => rows.map(Some),
    }
}

struct Table {
    name: &'static str,
    is_complete: bool,
}

impl Table {
    fn compare<R, K: Ord + Display>(
        &self,
        expected: Vec<R>,
        stored: Vec<R>,
        key: impl Fn(&R) -> K,
        differences: impl Fn(&R, &R) -> Vec<Difference>,
        problems: &mut Vec<Problem>,
    ) {
        let name = self.name;
        let mut stored: BTreeMap<K, R> = stored.into_iter().map(|row| (key(&row), row)).collect();
        let mut found = Vec::new();
        for row in &expected {
            let id = key(row);
            match stored.remove(&id) {
                None => found.push(format!("{name}: the row of {id} is missing")),
                Some(stored) => {
                    let differences = differences(row, &stored);
                    let counted = differences.iter().filter(|difference| {
                        self.is_complete
                            || difference.stored != "None"
                            || !ADDED_LATER.contains(&difference.column)
                    });
                    found.extend(counted.map(|difference| {
                        let Difference { column, expected, stored } = difference;
                        let (stored, expected) = (shorten(stored), shorten(expected));
                        format!("{name}.{column} of {id} is {stored}; the journal gives {expected}")
                    }));
                }
            }
        }
        found.extend(stored.keys().map(|id| format!("{name}: no event gives the row of {id}")));
        let rest = found.len().saturating_sub(MAX_LISTED);
        problems.extend(found.into_iter().take(MAX_LISTED).map(Problem::of));
        if rest > 0 {
            problems.push(Problem::of(format!("{name}: {rest} more differences")));
        }
    }
}
