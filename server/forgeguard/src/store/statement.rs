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

/// An `INSERT` of many rows at once. Any number up to [`MultiRow::SMALL`] has its own text, and
/// above it only powers of two, so that a connection's cache of prepared statements holds them all.
pub(super) struct MultiRow {
    texts: Vec<MultiRowText>,
}

/// The text for one number of rows. To SQLite parameters go by their place alone: it finds a named
/// one by looking at all before it, which takes longer than inserting the rows.
#[derive(Clone)]
pub(super) struct MultiRowText {
    pub(super) sqlite: Arc<str>,
    pub(super) postgres: Arc<str>,
}

impl MultiRow {
    /// The greatest number of rows in one statement; with up to 60 columns this stays below the
    /// 32,766 parameters that SQLite takes.
    const MOST: usize = 512;
    /// Up to here a batch is one statement: an append is rarely larger, and every statement is a
    /// journey to the database.
    pub(super) const SMALL: usize = 64;

    /// `head` is the statement up to and including `VALUES`.
    pub(super) fn new(head: &str, columns: usize) -> Self {
        let doubled = std::iter::successors(Some(Self::SMALL * 2), |rows| Some(rows * 2));
        let sizes = (1..=Self::SMALL).chain(doubled.take_while(|rows| *rows <= Self::MOST));
        let text = |rows| MultiRowText {
            sqlite: multi_row_text(head, columns, rows, |_| "?".to_owned()).into(),
            postgres: multi_row_text(head, columns, rows, |n| format!("${n}")).into(),
        };
        Self { texts: sizes.map(text).collect() }
    }

    /// Cuts `rows` into pieces, each with the text that inserts it.
    pub(super) fn pieces<'r, T>(
        &self,
        mut rows: &'r [T],
    ) -> impl Iterator<Item = (MultiRowText, &'r [T])> {
        std::iter::from_fn(move || {
            let many = rows.len().min(Self::MOST);
            let power = many.checked_ilog2()?;
            let (count, text) = if many <= Self::SMALL {
                (many, many - 1)
            } else {
                (1 << power, Self::SMALL - 1 + (power - Self::SMALL.ilog2()) as usize)
            };
            let (piece, rest) = rows.split_at(count);
            rows = rest;
            Some((self.texts[text].clone(), piece))
        })
    }
}

fn multi_row_text(
    head: &str,
    columns: usize,
    rows: usize,
    mark: impl Fn(usize) -> String,
) -> String {
    let row = |r: usize| {
        let marks: Vec<_> = (1..=columns).map(|c| mark(r * columns + c)).collect();
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
                    let mut query = sqlx::query::<sqlx::Sqlite>(sqlx::AssertSqlSafe(text.sqlite));
                    for $row in piece {
                        $(query = query.bind($crate::store::field::Bind::sqlite($bind));)+
                    }
                    query.execute(driver).await?;
                }
                $crate::store::conn::Driver::Postgres(driver) => {
                    let mut query = sqlx::query::<sqlx::Postgres>(sqlx::AssertSqlSafe(text.postgres));
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
                assert_eq!(text.postgres.matches('$').count(), piece.len() * 2, "{count} rows");
                assert_eq!(text.sqlite.matches('?').count(), piece.len() * 2, "{count} rows");
                seen.extend_from_slice(piece);
            }
            assert_eq!(seen, rows);
        }
    }

    #[test]
    fn parameters_are_numbered_row_by_row() {
        let insert = MultiRow::new("INSERT INTO t (a, b) VALUES", 2);
        let (text, _) = insert.pieces(&[1, 2]).next().unwrap();
        assert_eq!(&*text.postgres, "INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4)");
        assert_eq!(&*text.sqlite, "INSERT INTO t (a, b) VALUES (?, ?), (?, ?)");
    }
}
