//! Cursor-based pagination: `?after=&limit=`.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::api_error::ApiError;

const DEFAULT_LIMIT: u32 = 50;
const MAX_LIMIT: u32 = 200;

/// A page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct List<T> {
    pub items: Vec<T>,
    /// The value of `after` for the next page; null at the end.
    #[schema(required)]
    pub next: Option<String>,
}

/// Which page to return.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Page {
    /// `next` of the previous page.
    pub after: Option<String>,
    /// Items per page, at most 200; default 50.
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<u32>,
}

impl Page {
    /// The parsed cursor; 422 if it is invalid.
    pub fn after<K: std::str::FromStr>(&self) -> Result<Option<K>, ApiError> {
        let parsed = self.after.as_deref().map(str::parse).transpose();
        parsed.map_err(|_| ApiError::invalid("after", "use the `next` of a page"))
    }

    /// How many rows to query: one more than the page shows, to detect whether there is a next
    /// page.
    pub fn rows(&self) -> Result<i64, ApiError> {
        Ok(i64::from(self.limit()?) + 1)
    }

    /// The page, from the rows queried.
    pub fn list<R, T>(
        &self,
        mut rows: Vec<R>,
        key: impl Fn(&R) -> String,
        show: impl Fn(R) -> T,
    ) -> Result<List<T>, ApiError> {
        let limit = self.limit()? as usize;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| more).map(key);
        Ok(List { items: rows.into_iter().map(show).collect(), next })
    }

    fn limit(&self) -> Result<u32, ApiError> {
        match self.limit.unwrap_or(DEFAULT_LIMIT) {
            limit @ 1..=MAX_LIMIT => Ok(limit),
            _ => Err(ApiError::invalid("limit", format!("must be between 1 and {MAX_LIMIT}"))),
        }
    }
}

impl<T> List<T> {
    /// A list without pagination.
    pub fn unpaginated(items: Vec<T>) -> Self {
        Self { items, next: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_is_null_on_the_last_page() {
        let page = |limit| Page { after: None, limit: Some(limit) };
        let list =
            |limit: u32, rows| page(limit).list(rows, |n: &u32| n.to_string(), |n| n).unwrap();
        let (full, last) = (list(2, vec![1, 2, 3]), list(2, vec![4, 5]));
        assert_eq!((full.items, full.next), (vec![1, 2], Some("2".to_owned())));
        assert_eq!((last.items, last.next), (vec![4, 5], None));
        assert!(page(0).rows().is_err() && page(201).rows().is_err());
    }
}
