//! Lists in pages by key: `?after=&limit=`.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::problem::Problem;

const USUAL: u32 = 50;
const MOST: u32 = 200;

/// A page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct List<T> {
    /// In the list's order.
    pub items: Vec<T>,
    /// What to send as `after` for the next page; null at the end.
    #[schema(required)]
    pub next: Option<String>,
}

/// Which page is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Page {
    /// `next` of the page before.
    pub after: Option<String>,
    /// How many items, at most 200; 50 if not said.
    pub limit: Option<u32>,
}

impl Page {
    /// The cursor, or the problem that names it.
    pub fn after<K: std::str::FromStr>(&self) -> Result<Option<K>, Problem> {
        let parsed = self.after.as_deref().map(str::parse).transpose();
        parsed.map_err(|_| Problem::invalid("after", "this is not the `next` of a page"))
    }

    /// How many rows to ask for: one more than are shown, to see whether there is a next page.
    pub fn rows(&self) -> Result<i64, Problem> {
        Ok(i64::from(self.limit()?) + 1)
    }

    /// The page, from one row more than it shows.
    pub fn list<R, T>(
        &self,
        mut rows: Vec<R>,
        key: impl Fn(&R) -> String,
        show: impl Fn(R) -> T,
    ) -> Result<List<T>, Problem> {
        let limit = self.limit()? as usize;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| more).map(key);
        Ok(List { items: rows.into_iter().map(show).collect(), next })
    }

    fn limit(&self) -> Result<u32, Problem> {
        match self.limit.unwrap_or(USUAL) {
            limit @ 1..=MOST => Ok(limit),
            _ => Err(Problem::invalid("limit", format!("choose between 1 and {MOST}"))),
        }
    }
}

impl<T> List<T> {
    /// A list that is always whole.
    pub fn whole(items: Vec<T>) -> Self {
        Self { items, next: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_knows_whether_another_follows() {
        let page = |limit| Page { after: None, limit: Some(limit) };
        let list =
            |limit: u32, rows| page(limit).list(rows, |n: &u32| n.to_string(), |n| n).unwrap();
        let (full, last) = (list(2, vec![1, 2, 3]), list(2, vec![4, 5]));
        assert_eq!((full.items, full.next), (vec![1, 2], Some("2".to_owned())));
        assert_eq!((last.items, last.next), (vec![4, 5], None));
        assert!(page(0).rows().is_err() && page(201).rows().is_err());
    }
}
