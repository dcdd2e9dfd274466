//! Decisions and comments of reviewers, compared with their entries in the audit log.

use std::collections::BTreeMap;

use domain::ids::BuildId;
use serde_json::{Value, json};

use crate::{
    journal::verify::{Problem, shorten},
    store::{
        self, Conn,
        audit_log::AuditRow,
        review_comments::{self, ReviewComment},
        reviews::{self, Review},
    },
};

/// Values by column, as JSON.
type Columns = BTreeMap<&'static str, Value>;

/// Compares the decisions and comments about a build with the audit log.
pub async fn compare(conn: &mut Conn, build_id: BuildId) -> store::Result<Vec<Problem>> {
    let entries = store::audit_log::about(conn, &format!("build/{build_id}")).await?;
    let mut problems = Vec::new();
    let rows = reviews::list(conn, build_id).await;
    if let Some(mut rows) = readable(rows, "reviews", &mut problems)? {
        rows.reverse();
        let recorded = of_action(&entries, "review_decided").map(decided);
        let stored = rows.iter().map(decision_columns).collect();
        compare_lists("reviews", recorded.collect(), stored, &mut problems);
    }
    let rows = review_comments::list(conn, build_id).await;
    if let Some(rows) = readable(rows, "review_comments", &mut problems)? {
        let stored = rows.iter().map(comment_columns).collect();
        compare_lists("review_comments", commented(&entries), stored, &mut problems);
    }
    Ok(problems.into_iter().map(Problem::of).collect())
}

fn readable<T>(
    rows: store::Result<T>,
    table: &str,
    problems: &mut Vec<String>,
) -> store::Result<Option<T>> {
    match rows {
        Err(store::Error::Unreadable { wanted, value }) => {
            problems.push(format!("{table}: a row holds {}, no {wanted}", shorten(&value)));
            Ok(None)
        }
        rows => rows.map(Some),
    }
}

fn of_action<'a>(
    entries: &'a [AuditRow],
    action: &'static str,
) -> impl Iterator<Item = (&'a AuditRow, Value)> {
    entries
        .iter()
        .filter(move |entry| entry.action == action)
        .map(|entry| (entry, serde_json::from_str(&entry.detail).unwrap_or_default()))
}

/// Compares the columns that both sides have; entries of earlier versions record fewer.
fn compare_lists(
    table: &str,
    recorded: Vec<Columns>,
    stored: Vec<Columns>,
    problems: &mut Vec<String>,
) {
    if recorded.len() != stored.len() {
        let (rows, entries) = (stored.len(), recorded.len());
        problems.push(format!("{table} has {rows} rows, but the audit log records {entries}"));
    }
    for (number, (recorded, stored)) in (1..).zip(recorded.into_iter().zip(stored)) {
        for (column, value) in recorded {
            let found = stored.get(column).unwrap_or(&Value::Null);
            if *found != value {
                let (found, value) = (shorten(&found.to_string()), shorten(&value.to_string()));
                problems.push(format!(
                    "{table}.{column} of number {number} is {found}; the audit log records {value}"
                ));
            }
        }
    }
}

fn decided((entry, detail): (&AuditRow, Value)) -> Columns {
    let mut columns = Columns::from([
        ("reviewer_id", json!(entry.actor_id)),
        ("reviewer_name", json!(entry.actor_name)),
        ("decision", detail["decision"].clone()),
        ("reason", detail["reason"].clone()),
        ("created_at", json!(entry.at)),
    ]);
    add_recorded(&mut columns, &detail, [("id", "review"), ("number", "number")]);
    columns
}

fn decision_columns(row: &Review) -> Columns {
    Columns::from([
        ("id", json!(row.id)),
        ("number", json!(row.number)),
        ("reviewer_id", json!(row.reviewer_id)),
        ("reviewer_name", json!(row.reviewer_name)),
        ("decision", json!(row.decision)),
        ("reason", json!(row.reason)),
        ("created_at", json!(row.created_at)),
    ])
}

fn commented(entries: &[AuditRow]) -> Vec<Columns> {
    let mut comments: Vec<Columns> = of_action(entries, "review_commented")
        .map(|(entry, detail)| {
            let mut columns = Columns::from([
                ("id", detail["comment"].clone()),
                ("author_id", json!(entry.actor_id)),
                ("author_name", json!(entry.actor_name)),
                ("path", detail["path"].clone()),
                ("line", detail["line"].clone()),
                ("text", detail["text"].clone()),
                ("parent_id", detail["answers"].clone()),
                ("created_at", json!(entry.at)),
                ("resolved_at", Value::Null),
                ("resolved_by", Value::Null),
            ]);
            let names =
                [("side", "side"), ("first_line", "first_line"), ("line_text", "line_text")];
            add_recorded(&mut columns, &detail, names);
            columns
        })
        .collect();
    for (entry, detail) in of_action(entries, "review_comment_resolved") {
        if let Some(comment) =
            comments.iter_mut().find(|comment| comment["id"] == detail["comment"])
        {
            comment.insert("resolved_at", json!(entry.at));
            comment.insert("resolved_by", json!(entry.actor_id));
        }
    }
    // In the order of the rows.
    comments.sort_by_key(|comment| comment["id"].to_string());
    comments
}

fn comment_columns(row: &ReviewComment) -> Columns {
    Columns::from([
        ("id", json!(row.id)),
        ("author_id", json!(row.author_id)),
        ("author_name", json!(row.author_name)),
        ("path", json!(row.path)),
        ("side", json!(row.side)),
        ("first_line", json!(row.first_line)),
        ("line", json!(row.line)),
        ("line_text", json!(row.line_text)),
        ("text", json!(row.text)),
        ("parent_id", json!(row.parent_id)),
        ("created_at", json!(row.created_at)),
        ("resolved_at", json!(row.resolved_at)),
        ("resolved_by", json!(row.resolved_by)),
    ])
}

fn add_recorded<const N: usize>(
    columns: &mut Columns,
    detail: &Value,
    names: [(&'static str, &str); N],
) {
    let recorded = names.into_iter().filter_map(|(column, name)| Some((column, detail.get(name)?)));
    columns.extend(recorded.map(|(column, value)| (column, value.clone())));
}
