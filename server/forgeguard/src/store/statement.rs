//! Macros that run one statement on either database, and their support code.
//!
//! All rows are always fetched, even if one is needed: a SQLite statement that is not finished keeps
//! its read mark, and the write-ahead log could not be checkpointed.

use std::sync::Arc;

use futures::TryStreamExt;
use sqlx::{
    Either, Executor, Sqlite, SqliteConnection,
    postgres::PgRow,
    query::Query,
    sqlite::{SqliteArguments, SqliteRow},
};

use super::{conn::Conn, error::Result};

/// A statement about more rows is not deferred: each combination of statements that are sent together
/// is prepared on its own, and only so many texts are kept.
pub(super) const MAX_DEFERRED_ROWS: usize = 4;

/// The text of a statement: one for both databases, or two where a clause must differ.
#[derive(Clone, Copy)]
pub(super) struct Sql {
    pub(super) sqlite: &'static str,
    pub(super) postgres: &'static str,
}

impl Sql {
    /// The text for the database of a connection.
    pub(super) fn on(self, conn: &Conn) -> &'static str {
        if conn.is_postgres() { self.postgres } else { self.sqlite }
    }
}

impl From<&'static str> for Sql {
    fn from(text: &'static str) -> Self {
        Self { sqlite: text, postgres: text }
    }
}

/// A struct that can be read from a row; [`row!`] writes the implementation.
pub(super) trait Record: Sized {
    fn sqlite(row: &SqliteRow) -> Result<Self>;
    fn postgres(row: &PgRow) -> Result<Self>;
}

/// A column whose stored value differs from the expected one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub column: &'static str,
    /// For display.
    pub expected: String,
    /// For display.
    pub stored: String,
}

/// A statement about many rows: one round trip per [`MultiRow::MAX_ROWS`] rows.
///
/// The rows are inserted between `before` and `after`, with the columns `column1`, `column2` and so
/// on. PostgreSQL receives one array per column, so that one prepared statement serves any number of
/// rows. SQLite has no arrays: there is a text for each number of rows up to
/// [`MultiRow::MAX_EXACT_ROWS`], and above it only for powers of two, so that they all fit into the
/// statement cache.
pub(super) struct MultiRow {
    sqlite: Vec<Arc<str>>,
    postgres: Arc<str>,
}

impl MultiRow {
    /// With up to 60 columns this stays below SQLite's limit of 32,766 parameters.
    const MAX_ROWS: usize = 512;
    /// Up to this number a batch is one statement on SQLite too: appends are rarely larger.
    const MAX_EXACT_ROWS: usize = 64;

    /// The statement with the rows between `before` and `after`.
    pub(super) fn new(before: &str, columns: usize, after: &str) -> Self {
        let doubled = std::iter::successors(Some(Self::MAX_EXACT_ROWS * 2), |rows| Some(rows * 2));
        let sizes =
            (1..=Self::MAX_EXACT_ROWS).chain(doubled.take_while(|rows| *rows <= Self::MAX_ROWS));
        // Positional parameters: SQLite finds a named one by a linear search, which takes longer than
        // inserting the rows.
        let row = format!("({})", vec!["?"; columns].join(", "));
        let text = |rows| {
            format!("{before} VALUES {} {after}", vec![row.as_str(); rows].join(", ")).into()
        };
        let list =
            |item: fn(usize) -> String| (1..=columns).map(item).collect::<Vec<_>>().join(", ");
        let (arrays, names) = (list(|n| format!("${n}")), list(|n| format!("column{n}")));
        let postgres =
            format!("{before} SELECT * FROM UNNEST({arrays}) AS given ({names}) {after}").into();
        Self { sqlite: sizes.map(text).collect(), postgres }
    }

    /// Splits `rows` into batches, each with the text for its size.
    pub(super) fn pieces<'r, T>(
        &self,
        mut rows: &'r [T],
        is_postgres: bool,
    ) -> impl Iterator<Item = (Arc<str>, &'r [T])> {
        std::iter::from_fn(move || {
            let many = rows.len().min(Self::MAX_ROWS);
            let power = many.checked_ilog2()?;
            let (count, text) = if is_postgres {
                (many, &self.postgres)
            } else if many <= Self::MAX_EXACT_ROWS {
                (many, &self.sqlite[many - 1])
            } else {
                let doublings = (power - Self::MAX_EXACT_ROWS.ilog2()) as usize;
                (1 << power, &self.sqlite[Self::MAX_EXACT_ROWS - 1 + doublings])
            };
            let (piece, rest) = rows.split_at(count);
            rows = rest;
            Some((text.clone(), piece))
        })
    }
}

/// Binds values to a query, in the form for the database: `sqlite` or `postgres`.
macro_rules! bind {
    ($query:expr, $database:ident $(, $bind:expr)* $(,)?) => {{
        let query = $query;
        $(let query = query.bind($crate::store::field::Bind::$database($bind));)*
        query
    }};
}

/// Runs a statement: `execute!(conn, SQL, bind, …)` returns the number of changed rows.
macro_rules! execute {
    ($conn:expr, $sql:expr $(, $bind:expr)* $(,)?) => {{
        let text = $crate::store::statement::Sql::from($sql).on($conn);
        let outcome = match $conn.driver(text).await? {
            ($crate::store::conn::Driver::Sqlite(driver), text) => {
                let query = sqlx::query::<sqlx::Sqlite>(text);
                let query = $crate::store::statement::bind!(query, sqlite $(, $bind)*);
                $crate::store::statement::changed_rows(query, driver).await
            }
            ($crate::store::conn::Driver::Postgres(driver), text) => {
                let query = sqlx::query::<sqlx::Postgres>(text);
                let query = $crate::store::statement::bind!(query, postgres $(, $bind)*);
                let done = $crate::store::conn::in_time(query.execute(driver)).await;
                done.map(|done| done.rows_affected())
            }
        };
        $conn.checked(outcome)?
    }};
}

/// Runs a statement whose result is not needed: `execute_later!(conn, SQL, bind, …)`. On SQLite it is
/// sent together with the next one or the commit, which fail if it fails.
macro_rules! execute_later {
    ($conn:expr, $sql:expr $(, $bind:expr)* $(,)?) => {
        if $conn.is_postgres() {
            $crate::store::statement::execute!($conn, $sql $(, $bind)*);
        } else {
            let values = $crate::store::deferred::Values::default();
            let values = $crate::store::statement::bind!(values, sqlite $(, $bind)*);
            $conn.defer($crate::store::statement::Sql::from($sql).sqlite, values).await?;
        }
    };
}

/// Runs a query: `fetch!(conn, SQL, bind, …)` returns its rows as a `Vec` of a [`Record`].
macro_rules! fetch {
    ($conn:expr, $sql:expr $(, $bind:expr)* $(,)?) => {{
        let text = $crate::store::statement::Sql::from($sql).on($conn);
        match $conn.driver(text).await? {
            ($crate::store::conn::Driver::Sqlite(driver), text) => {
                let query = sqlx::query::<sqlx::Sqlite>(text);
                let query = $crate::store::statement::bind!(query, sqlite $(, $bind)*);
                let rows = query.fetch_all(driver).await;
                $conn.checked(rows)?.iter()
                    .map($crate::store::statement::Record::sqlite)
                    .collect::<$crate::store::error::Result<Vec<_>>>()?
            }
            ($crate::store::conn::Driver::Postgres(driver), text) => {
                let query = sqlx::query::<sqlx::Postgres>(text);
                let query = $crate::store::statement::bind!(query, postgres $(, $bind)*);
                let rows = $crate::store::conn::in_time(query.fetch_all(driver)).await;
                $conn.checked(rows)?.iter()
                    .map($crate::store::statement::Record::postgres)
                    .collect::<$crate::store::error::Result<Vec<_>>>()?
            }
        }
    }};
}

/// Runs a query on SQLite; the number of rows that its last statement has changed. sqlx adds up those
/// of all statements, and SQLite counts those of the previous one for `BEGIN`.
pub(super) async fn changed_rows(
    query: Query<'_, Sqlite, SqliteArguments>,
    driver: &mut SqliteConnection,
) -> sqlx::Result<u64> {
    let mut results = driver.fetch_many(query);
    let mut changed = 0;
    while let Some(result) = results.try_next().await? {
        if let Either::Left(done) = result {
            changed = done.rows_affected();
        }
    }
    Ok(changed)
}

/// Binds one array per column to a query for PostgreSQL: `bind_arrays!(query, rows, |row| bind, …)`.
macro_rules! bind_arrays {
    ($query:expr, $rows:expr, |$row:ident| $($bind:expr),+ $(,)?) => {{
        let query = $query;
        $(
            let column = $rows.iter().map(|$row| {
                // Some columns are equal in all rows.
                let _ = $row;
                $crate::store::field::Bind::postgres($bind)
            });
            let query = query.bind(column.collect::<Vec<_>>());
        )+
        query
    }};
}

/// Runs a statement about many rows: `execute_rows!(conn, MULTI_ROW, rows, |row| bind, …)`. On SQLite,
/// one about few rows is sent together with the next statement or the commit, which fail if it fails.
macro_rules! execute_rows {
    ($conn:expr, $statement:expr, $rows:expr, |$row:ident| $($bind:expr),+ $(,)?) => {
        for (text, piece) in $statement.pieces($rows, $conn.is_postgres()) {
            if !$conn.is_postgres() && piece.len() <= $crate::store::statement::MAX_DEFERRED_ROWS {
                let mut values = $crate::store::deferred::Values::default();
                for $row in piece {
                    $(values = values.bind($crate::store::field::Bind::sqlite($bind));)+
                }
                $conn.defer(&text, values).await?;
                continue;
            }
            let outcome = match $conn.driver(sqlx::AssertSqlSafe(text)).await? {
                ($crate::store::conn::Driver::Sqlite(driver), text) => {
                    let mut query = sqlx::query::<sqlx::Sqlite>(text);
                    for $row in piece {
                        $(query = query.bind($crate::store::field::Bind::sqlite($bind));)+
                    }
                    query.execute(driver).await.map(drop)
                }
                ($crate::store::conn::Driver::Postgres(driver), text) => {
                    let query = sqlx::query::<sqlx::Postgres>(text);
                    let query = $crate::store::statement::bind_arrays!(
                        query, piece, |$row| $($bind),+
                    );
                    $crate::store::conn::in_time(query.execute(driver)).await.map(drop)
                }
            };
            $conn.checked(outcome)?;
        }
    };
}

/// Declares a struct that is read from a row: each field from the column with its name, or with
/// the name after `=`.
macro_rules! row {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[$doc:meta])* pub $field:ident: $type:ty $(= $column:literal)?,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)+
        }

        impl $name {
            /// The columns in which `stored` differs from this row, with both values.
            pub fn differences(&self, stored: &Self) -> Vec<$crate::store::Difference> {
                let mut found = Vec::new();
                $(if self.$field != stored.$field {
                    found.push($crate::store::Difference {
                        column: $crate::store::statement::column!($field $(= $column)?),
                        expected: format!("{:?}", self.$field),
                        stored: format!("{:?}", stored.$field),
                    });
                })+
                found
            }
        }

        impl $crate::store::statement::Record for $name {
            fn sqlite(row: &sqlx::sqlite::SqliteRow) -> $crate::store::error::Result<Self> {
                use sqlx::Row as _;
                Ok(Self {$(
                    $field: <$type as $crate::store::field::Read>::from_sqlite(
                        row.try_get($crate::store::statement::column!($field $(= $column)?))?,
                    )?,
                )+})
            }

            fn postgres(row: &sqlx::postgres::PgRow) -> $crate::store::error::Result<Self> {
                use sqlx::Row as _;
                Ok(Self {$(
                    $field: <$type as $crate::store::field::Read>::from_postgres(
                        row.try_get($crate::store::statement::column!($field $(= $column)?))?,
                    )?,
                )+})
            }
        }
    };
}

macro_rules! column {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident = $column:literal) => {
        $column
    };
}

macro_rules! record_of_columns {
    ($($type:ident $at:literal),+) => {
        impl<$($type: super::field::Read),+> Record for ($($type,)+) {
            fn sqlite(row: &SqliteRow) -> Result<Self> {
                use sqlx::Row as _;
                Ok(($($type::from_sqlite(row.try_get($at)?)?,)+))
            }

            fn postgres(row: &PgRow) -> Result<Self> {
                use sqlx::Row as _;
                Ok(($($type::from_postgres(row.try_get($at)?)?,)+))
            }
        }
    };
}

record_of_columns!(A 0);
record_of_columns!(A 0, B 1);

pub(super) use {bind, bind_arrays, column, execute, execute_later, execute_rows, fetch, row};

#[cfg(test)]
mod tests {
    use super::MultiRow;

    #[test]
    fn pieces_cover_the_rows_in_order_with_texts_of_their_size() {
        let insert = MultiRow::new("INSERT INTO t (a, b)", 2, "");
        for count in [0_usize, 1, 2, 3, 7, 500, 512, 513, 1_300] {
            let rows: Vec<usize> = (0..count).collect();
            let mut seen = Vec::new();
            for (text, piece) in insert.pieces(&rows, false) {
                assert_eq!(text.matches('?').count(), piece.len() * 2, "{count} rows");
                seen.extend_from_slice(piece);
            }
            assert_eq!(seen, rows);
            let pieces: Vec<_> = insert.pieces(&rows, true).map(|(_, piece)| piece).collect();
            assert_eq!(pieces.len(), count.div_ceil(MultiRow::MAX_ROWS));
            assert_eq!(pieces.concat(), rows);
        }
    }

    #[test]
    fn rows_are_placeholders_in_sqlite_and_arrays_in_postgres() {
        let statement = MultiRow::new("UPDATE t SET b = column2 FROM (", 2, ") AS c");
        let text = |is_postgres| statement.pieces(&[1, 2], is_postgres).next().unwrap().0;
        assert_eq!(&*text(false), "UPDATE t SET b = column2 FROM ( VALUES (?, ?), (?, ?) ) AS c");
        assert_eq!(
            &*text(true),
            "UPDATE t SET b = column2 FROM ( SELECT * FROM UNNEST($1, $2) \
             AS given (column1, column2) ) AS c"
        );
    }
}
