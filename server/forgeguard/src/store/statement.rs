//! The macros that expand one statement for either driver, and what they stand on.
//!
//! Rows are always fetched to the end, even where one is wanted: a SQLite statement that is left
//! before its end keeps its read mark, and the write-ahead log could then never be folded back.

use std::sync::Arc;

use sqlx::{postgres::PgRow, sqlite::SqliteRow};

use super::error::Result;

/// The text of a statement: one for both databases, or two where a clause must differ.
#[derive(Clone, Copy)]
pub(super) struct Sql {
    pub(super) sqlite: &'static str,
    pub(super) postgres: &'static str,
}

impl From<&'static str> for Sql {
    fn from(text: &'static str) -> Self {
        Self { sqlite: text, postgres: text }
    }
}

/// A struct that a row can be read into; [`row!`] writes the implementation.
pub(super) trait Record: Sized {
    fn sqlite(row: &SqliteRow) -> Result<Self>;
    fn postgres(row: &PgRow) -> Result<Self>;
}

/// An `INSERT` of many rows at once. Only powers of two are ever sent, so that a connection's
/// cache of prepared statements holds them all, whatever the sizes of the batches.
pub(super) struct MultiRow {
    texts: Vec<Arc<str>>,
}

impl MultiRow {
    /// The greatest number of rows in one statement; with up to 60 columns this stays below the
    /// 32,766 parameters that SQLite takes.
    const MOST: usize = 512;

    /// `head` is the statement up to and including `VALUES`.
    pub(super) fn new(head: &str, columns: usize) -> Self {
        let sizes = std::iter::successors(Some(1), |n| Some(n * 2).filter(|n| *n <= Self::MOST));
        Self { texts: sizes.map(|rows| multi_row_text(head, columns, rows).into()).collect() }
    }

    /// Cuts `rows` into pieces, each with the text that inserts it.
    pub(super) fn pieces<'r, T>(
        &self,
        mut rows: &'r [T],
    ) -> impl Iterator<Item = (Arc<str>, &'r [T])> {
        std::iter::from_fn(move || {
            let power = rows.len().min(Self::MOST).checked_ilog2()?;
            let (piece, rest) = rows.split_at(1 << power);
            rows = rest;
            Some((self.texts[power as usize].clone(), piece))
        })
    }
}

fn multi_row_text(head: &str, columns: usize, rows: usize) -> String {
    let row = |r: usize| {
        let marks: Vec<_> = (1..=columns).map(|c| format!("${}", r * columns + c)).collect();
        format!("({})", marks.join(", "))
    };
    format!("{head} {}", (0..rows).map(row).collect::<Vec<_>>().join(", "))
}

/// Runs a statement: `execute!(conn, SQL, bind, …)` gives the number of rows it changed.
macro_rules! execute {
    ($conn:expr, $sql:expr $(, $bind:expr)* $(,)?) => {{
        let sql = $crate::store::statement::Sql::from($sql);
        match $conn.driver() {
            $crate::store::conn::Driver::Sqlite(driver) => {
                let query = sqlx::query::<sqlx::Sqlite>(sql.sqlite);
                $(let query = query.bind($crate::store::field::Bind::sqlite($bind));)*
                query.execute(driver).await?.rows_affected()
            }
            $crate::store::conn::Driver::Postgres(driver) => {
                let query = sqlx::query::<sqlx::Postgres>(sql.postgres);
                $(let query = query.bind($crate::store::field::Bind::postgres($bind));)*
                query.execute(driver).await?.rows_affected()
            }
        }
    }};
}

/// Runs a query: `fetch!(conn, SQL, bind, …)` gives its rows as a `Vec` of a [`Record`].
macro_rules! fetch {
    ($conn:expr, $sql:expr $(, $bind:expr)* $(,)?) => {{
        let sql = $crate::store::statement::Sql::from($sql);
        match $conn.driver() {
            $crate::store::conn::Driver::Sqlite(driver) => {
                let query = sqlx::query::<sqlx::Sqlite>(sql.sqlite);
                $(let query = query.bind($crate::store::field::Bind::sqlite($bind));)*
                let rows = query.fetch_all(driver).await?;
                rows.iter()
                    .map($crate::store::statement::Record::sqlite)
                    .collect::<$crate::store::error::Result<Vec<_>>>()?
            }
            $crate::store::conn::Driver::Postgres(driver) => {
                let query = sqlx::query::<sqlx::Postgres>(sql.postgres);
                $(let query = query.bind($crate::store::field::Bind::postgres($bind));)*
                let rows = query.fetch_all(driver).await?;
                rows.iter()
                    .map($crate::store::statement::Record::postgres)
                    .collect::<$crate::store::error::Result<Vec<_>>>()?
            }
        }
    }};
}

/// Inserts many rows: `insert_rows!(conn, MULTI_ROW, rows, |row| bind, …)`.
macro_rules! insert_rows {
    ($conn:expr, $insert:expr, $rows:expr, |$row:pat_param| $($bind:expr),+ $(,)?) => {
        for (text, piece) in $insert.pieces($rows) {
            match $conn.driver() {
                $crate::store::conn::Driver::Sqlite(driver) => {
                    let mut query = sqlx::query::<sqlx::Sqlite>(sqlx::AssertSqlSafe(text));
                    for $row in piece {
                        $(query = query.bind($crate::store::field::Bind::sqlite($bind));)+
                    }
                    query.execute(driver).await?;
                }
                $crate::store::conn::Driver::Postgres(driver) => {
                    let mut query = sqlx::query::<sqlx::Postgres>(sqlx::AssertSqlSafe(text));
                    for $row in piece {
                        $(query = query.bind($crate::store::field::Bind::postgres($bind));)+
                    }
                    query.execute(driver).await?;
                }
            }
        }
    };
}

/// Declares a struct and reads it from a row, each field from the column of its name, or from
/// the one given after `=`.
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

pub(super) use {column, execute, fetch, insert_rows, row};

#[cfg(test)]
mod tests {
    use super::MultiRow;

    #[test]
    fn pieces_cover_the_rows_in_order_with_texts_of_their_size() {
        let insert = MultiRow::new("INSERT INTO t (a, b) VALUES", 2);
        for count in [0_usize, 1, 2, 3, 7, 500, 512, 513, 1_300] {
            let rows: Vec<usize> = (0..count).collect();
            let mut seen = Vec::new();
            for (text, piece) in insert.pieces(&rows) {
                assert_eq!(text.matches('$').count(), piece.len() * 2, "{count} rows");
                seen.extend_from_slice(piece);
            }
            assert_eq!(seen, rows);
        }
    }

    #[test]
    fn parameters_are_numbered_row_by_row() {
        let insert = MultiRow::new("INSERT INTO t (a, b) VALUES", 2);
        let (text, _) = insert.pieces(&[1, 2]).next().unwrap();
        assert_eq!(&*text, "INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4)");
    }
}
