//! Statements of a SQLite transaction that are sent together with a later one.
//!
//! A statement that is sent to SQLite's thread and answered costs two switches between threads, which
//! take longer than most statements. Those whose result is not needed are answered together.

use sqlx::{AssertSqlSafe, Sqlite, query::Query, sqlite::SqliteArguments};
use uuid::fmt::Hyphenated;

/// Statements are sent when there are so many. Each sequence of statements is prepared on its own, and
/// few sequences occur often.
const MAX_STATEMENTS: usize = 16;

/// Statements that have not been sent yet, in order.
#[derive(Default)]
pub(super) struct Deferred {
    text: String,
    values: Vec<Value>,
    count: usize,
}

/// The values of a statement, in the order of its parameters.
#[derive(Default)]
pub(super) struct Values(Vec<Value>);

/// A value in one of SQLite's storage classes.
#[derive(Clone)]
pub(super) enum Value {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

impl Values {
    pub(super) fn bind(mut self, value: impl Into<Value>) -> Self {
        self.0.push(value.into());
        self
    }
}

impl Deferred {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn is_full(&self) -> bool {
        self.count >= MAX_STATEMENTS
    }

    /// Adds a statement with the parameters `$1`, `$2` and so on, or with `?` for each value.
    pub(super) fn push(&mut self, statement: &str, Values(values): Values) {
        if self.count > 0 {
            self.text.push_str("; ");
        }
        self.count += 1;
        if !statement.contains('$') {
            self.text.push_str(statement);
            self.values.extend(values);
            return;
        }
        // Numbers would depend on what precedes the statement, and more texts would be prepared.
        let mut pieces = statement.split('$');
        self.text.push_str(pieces.next().unwrap_or_default());
        for piece in pieces {
            let end = piece.find(|c: char| !c.is_ascii_digit()).unwrap_or(piece.len());
            let (number, rest) = piece.split_at(end);
            let index = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let value = index.and_then(|index| values.get(index)).cloned();
            self.values.push(value.unwrap_or(Value::Null));
            self.text.push('?');
            self.text.push_str(rest);
        }
    }

    /// All statements as one query.
    pub(super) fn into_query(self, begin: Option<&str>) -> Query<'static, Sqlite, SqliteArguments> {
        let text = match begin {
            Some(begin) => format!("{begin}; {}", self.text),
            None => self.text,
        };
        self.values.into_iter().fold(sqlx::query(AssertSqlSafe(text)), |query, value| match value {
            Value::Null => query.bind(None::<i64>),
            Value::Integer(value) => query.bind(value),
            Value::Real(value) => query.bind(value),
            Value::Text(value) => query.bind(value),
            Value::Blob(value) => query.bind(value),
        })
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, T::into)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Integer(value.into())
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<Vec<u8>> for Value {
    fn from(value: Vec<u8>) -> Self {
        Self::Blob(value)
    }
}

impl From<&[u8]> for Value {
    fn from(value: &[u8]) -> Self {
        Self::Blob(value.to_owned())
    }
}

impl From<Hyphenated> for Value {
    fn from(value: Hyphenated) -> Self {
        Self::Text(value.to_string())
    }
}

#[cfg(test)]
mod tests {
    use sqlx::Execute;

    use super::*;

    #[test]
    fn statements_become_one_query_with_positional_parameters_in_order() {
        let mut deferred = Deferred::default();
        let (given, numbered) = ("INSERT INTO a VALUES (?, ?)", "UPDATE b SET c = $2 WHERE d = $1");
        deferred.push(given, Values::default().bind(1).bind(2));
        deferred.push(numbered, Values::default().bind(3).bind(4));
        deferred.push("COMMIT", Values::default());
        let mut query = deferred.into_query(Some("BEGIN"));
        let arguments = query.take_arguments().unwrap().unwrap();
        assert_eq!(
            query.sql().as_str(),
            "BEGIN; INSERT INTO a VALUES (?, ?); UPDATE b SET c = ? WHERE d = ?; COMMIT"
        );
        let integers: Vec<_> = [1, 2, 4, 3].map(|n| format!("Int64({n})")).into();
        assert_eq!(format!("{arguments:?}").matches("Int64").count(), integers.len());
        assert!(format!("{arguments:?}").contains(&integers.join(", ")));
    }
}
