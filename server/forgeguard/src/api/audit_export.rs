//! `/api/audit-log/export`: the audit log as a file, for administrators.

use std::{collections::VecDeque, io, sync::Arc};

use axum::{
    body::Body,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use domain::user_role::UserRole;
use futures::stream;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    access::AccessWatch,
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    audit_log::AuditQuery,
    extract::QueryParams,
    identity::{Admin, Identity},
};
use crate::store::{
    self,
    audit_log::{self, AuditEntry, Filter},
    users,
};

/// Entries in memory.
const PAGE: i64 = 500;

/// The form of the file.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExportFormat {
    Csv,
    /// One JSON object per line.
    Jsonl,
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ExportQuery {
    #[param(inline)]
    format: ExportFormat,
}

/// A line of the file.
#[derive(Serialize)]
struct Line<'a> {
    seq: u64,
    at: String,
    actor_id: Option<String>,
    actor_name: &'a str,
    action: serde_json::Value,
    subject: &'a str,
    detail: &'a serde_json::value::RawValue,
    hash: Option<&'a str>,
}

const COLUMNS: [&str; 8] =
    ["seq", "at", "actor_id", "actor_name", "action", "subject", "detail", "hash"];

/// Downloads the entries that match the filters, newest first, as CSV or as lines of JSON.
#[utoipa::path(get, path = "/api/audit-log/export", tag = "reviews",
    params(ExportQuery, AuditQuery), responses(
        (status = 200, content((String = "text/csv"), (String = "application/x-ndjson"))),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn export_audit_log(
    State(app): State<Shared>,
    _: Admin,
    identity: Identity,
    QueryParams(ExportQuery { format }): QueryParams<ExportQuery>,
    QueryParams(query): QueryParams<AuditQuery>,
) -> Result<Response, ApiError> {
    let watch = identity.watch(&app);
    let export = Export {
        app,
        watch,
        identity,
        format,
        filter: query.into(),
        before: None,
        pieces: format.head().into(),
        is_done: false,
    };
    let pieces = stream::try_unfold(export, |mut export| async move {
        Ok::<_, io::Error>(export.next().await?.map(|piece| (piece, export)))
    });
    let (media_type, extension) = match format {
        ExportFormat::Csv => ("text/csv; charset=utf-8", "csv"),
        ExportFormat::Jsonl => ("application/x-ndjson", "jsonl"),
    };
    let headers = [
        (header::CONTENT_TYPE, media_type.to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"audit-log.{extension}\"")),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((headers, Body::from_stream(pieces)).into_response())
}

struct Export {
    app: Arc<App>,
    watch: AccessWatch,
    identity: Identity,
    format: ExportFormat,
    filter: Filter,
    /// The last exported entry.
    before: Option<u64>,
    pieces: VecDeque<Bytes>,
    is_done: bool,
}

impl Export {
    /// The next piece of the file; an error if access has ended.
    async fn next(&mut self) -> io::Result<Option<Bytes>> {
        if self.pieces.is_empty() && !self.is_done {
            let page = load(&self.app, &self.identity, self.filter, self.before);
            let rows = tokio::select! {
                biased;
                _ = self.watch.lost() => return Err(io::Error::other("access has ended")),
                rows = page => rows.map_err(io::Error::other)?,
            };
            let rows = rows.ok_or_else(|| io::Error::other("access has ended"))?;
            self.is_done = (rows.len() as i64) < PAGE;
            self.before = rows.last().map(|row| row.seq);
            self.pieces.push_back(self.format.write(&rows)?.into());
        }
        Ok(self.pieces.pop_front())
    }
}

/// The next page; None if the user is no longer an administrator.
async fn load(
    app: &App,
    identity: &Identity,
    filter: Filter,
    before: Option<u64>,
) -> store::Result<Option<Vec<AuditEntry>>> {
    let mut conn = app.db.read().await?;
    let user = users::get(&mut conn, identity.user.id).await?;
    if user.is_none_or(|user| user.role != UserRole::Admin || user.disabled_at.is_some()) {
        return Ok(None);
    }
    audit_log::list(&mut conn, filter, before, PAGE).await.map(Some)
}

impl ExportFormat {
    fn head(self) -> Vec<Bytes> {
        match self {
            Self::Csv => vec![format!("{}\r\n", COLUMNS.join(",")).into()],
            Self::Jsonl => Vec::new(),
        }
    }

    fn write(self, rows: &[AuditEntry]) -> io::Result<Vec<u8>> {
        match self {
            Self::Csv => csv_lines(rows),
            Self::Jsonl => json_lines(rows),
        }
    }
}

fn json_lines(rows: &[AuditEntry]) -> io::Result<Vec<u8>> {
    let mut lines = Vec::new();
    for row in rows {
        let line = Line {
            seq: row.seq,
            at: time(row),
            actor_id: row.actor_id.map(|id| id.to_string()),
            actor_name: &row.actor_name,
            action: serde_json::to_value(row.action)?,
            subject: &row.subject,
            detail: serde_json::from_str(&row.detail)?,
            hash: row.hash.as_deref(),
        };
        serde_json::to_writer(&mut lines, &line)?;
        lines.push(b'\n');
    }
    Ok(lines)
}

fn csv_lines(rows: &[AuditEntry]) -> io::Result<Vec<u8>> {
    let terminator = csv::Terminator::CRLF;
    let mut lines = csv::WriterBuilder::new().terminator(terminator).from_writer(Vec::new());
    for row in rows {
        let action = serde_json::to_value(row.action)?;
        lines.write_record([
            row.seq.to_string(),
            time(row),
            row.actor_id.map(|id| id.to_string()).unwrap_or_default(),
            text_cell(&row.actor_name),
            action.as_str().unwrap_or_default().to_owned(),
            text_cell(&row.subject),
            text_cell(&row.detail),
            row.hash.clone().unwrap_or_default(),
        ])?;
    }
    lines.into_inner().map_err(|error| io::Error::other(error.to_string()))
}

fn time(row: &AuditEntry) -> String {
    row.at.to_rfc3339_opts(chrono::SecondsFormat::Micros, true)
}

/// A text that spreadsheets do not evaluate as a formula.
fn text_cell(text: &str) -> String {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => format!("'{text}"),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use domain::audit::AuditAction;

    fn entry(actor_name: &str, detail: &str) -> AuditEntry {
        AuditEntry {
            seq: 7,
            at: DateTime::UNIX_EPOCH,
            actor_id: None,
            actor_name: actor_name.to_owned(),
            action: AuditAction::SignedIn,
            subject: "user/1".to_owned(),
            detail: detail.to_owned(),
            hash: Some("ab".to_owned()),
        }
    }

    #[test]
    fn csv_quotes_texts_and_disarms_formulas() {
        let lines = csv_lines(&[entry("=cmd()", r#"{"a":"b,c"}"#)]).unwrap();
        let expected = "7,1970-01-01T00:00:00.000000Z,,'=cmd(),signed_in,user/1,\
            \"{\"\"a\"\":\"\"b,c\"\"}\",ab\r\n";
        assert_eq!(String::from_utf8(lines).unwrap(), expected);
    }

    #[test]
    fn json_lines_contain_the_detail_as_stored() {
        let lines = json_lines(&[entry("Ada", r#"{"b": 1,"a":2}"#)]).unwrap();
        let expected = "{\"seq\":7,\"at\":\"1970-01-01T00:00:00.000000Z\",\"actor_id\":null,\
            \"actor_name\":\"Ada\",\"action\":\"signed_in\",\"subject\":\"user/1\",\
            \"detail\":{\"b\": 1,\"a\":2},\"hash\":\"ab\"}\n";
        assert_eq!(String::from_utf8(lines).unwrap(), expected);
    }
}
