//! The distinct errors of a project over all of its builds, and their resolutions.

use chrono::{DateTime, Utc};
use domain::{
    errors::{ResolutionMethod, Severity},
    ids::{BuildId, ProjectId},
};

use super::{
    conn::Conn,
    error::Result,
    statement::{fetch, row},
};

row! {
    /// A distinct error of a project. Values that may differ between builds are those of the last build
    /// in which it occurred.
    pub struct ProjectError {
        /// Equal for occurrences of the same error.
        pub fingerprint: String,
        /// In any build.
        pub first_seen: DateTime<Utc>,
        /// In any build.
        pub last_seen: DateTime<Utc>,
        /// The number of builds in which it occurred.
        pub build_count: u32,
        /// In all builds.
        pub occurrence_count: u64,
        /// The last build in which it occurred.
        pub build_id: BuildId,
        /// Such as `gate:test`.
        pub source: String,
        pub severity: Severity,
        /// The label of the phase of its last occurrence.
        pub phase: Option<String>,
        /// The file that the message names.
        pub file_path: Option<String>,
        pub message: String,
        /// Whether it is resolved in that build.
        pub resolved: bool,
        /// Whether it was resolved and occurred again, in any build.
        pub regression: bool,
        /// The build in which it was last resolved, which may be an earlier one.
        pub settled_in: Option<BuildId>,
        pub settled_at: Option<DateTime<Utc>>,
        pub settled_by: Option<ResolutionMethod>,
        pub settled_note: Option<String>,
    }
}

row! {
    /// The occurrences of an error in one build.
    pub struct ErrorSighting {
        pub fingerprint: String,
        pub build_id: BuildId,
        pub build_number: u32,
        pub build_title: Option<String>,
        /// The time at which the build was queued.
        pub build_created_at: DateTime<Utc>,
        pub occurrence_count: u32,
        /// The label of the phase of its last occurrence.
        pub phase: Option<String>,
        /// The file that the message names.
        pub file_path: Option<String>,
        pub first_seen: DateTime<Utc>,
        pub last_seen: DateTime<Utc>,
        /// The event that first recorded it; None if an earlier version recorded it.
        pub first_seq: Option<u64>,
        pub resolved: bool,
        pub resolution_method: Option<ResolutionMethod>,
        pub resolution_summary: Option<String>,
        /// Whether it was resolved in this build and occurred again.
        pub regression: bool,
    }
}

row! {
    /// A fix of the same error in an earlier build.
    pub struct EarlierFix {
        pub fingerprint: String,
        /// The message in the current build.
        pub message: String,
        /// Such as `gate:test`.
        pub source: String,
        /// Written by the fixer.
        pub summary: String,
    }
}

#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Words in the message, the file or the source.
    pub words: Option<String>,
    /// Whether it is resolved in the last build in which it occurred.
    pub resolved: Option<bool>,
    /// Whether it was dismissed by a user.
    pub dismissed: Option<bool>,
    /// Whether it occurred again after it was resolved, in any build.
    pub regression: Option<bool>,
    pub severity: Option<Severity>,
}

/// The position of a page: after this error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub last_seen: DateTime<Utc>,
    pub fingerprint: String,
}

/// The next `limit` errors of a project after `after`, by last occurrence, newest first.
pub async fn list(
    conn: &mut Conn,
    project: ProjectId,
    filter: &Filter,
    after: Option<&Cursor>,
    limit: i64,
) -> Result<Vec<ProjectError>> {
    const SQL: &str = "WITH seen AS (SELECT e.fingerprint, e.last_seen, e.build_id, e.source, \
            e.severity, e.phase, e.file_path, e.message, e.resolved, \
            COALESCE(e.resolution_method = 'dismissed', FALSE) AS dismissed, \
            MAX(CASE WHEN e.regression THEN 1 ELSE 0 END) OVER same = 1 AS regression, \
            MIN(e.first_seen) OVER same AS first_seen, COUNT(*) OVER same AS build_count, \
            CAST(SUM(e.occurrence_count) OVER same AS BIGINT) AS occurrence_count, \
            ROW_NUMBER() OVER (PARTITION BY e.fingerprint ORDER BY e.last_seen DESC, e.id DESC) \
            AS place FROM build_errors AS e JOIN builds ON builds.id = e.build_id \
            WHERE builds.project_id = $1 WINDOW same AS (PARTITION BY e.fingerprint)), \
        settled AS (SELECT e.fingerprint, e.build_id, e.resolved_at, e.resolution_method, \
            e.resolution_summary, ROW_NUMBER() OVER (PARTITION BY e.fingerprint \
            ORDER BY e.resolved_at DESC, e.id DESC) AS place \
            FROM build_errors AS e JOIN builds ON builds.id = e.build_id \
            WHERE builds.project_id = $1 AND e.resolved = TRUE) \
        SELECT seen.fingerprint, first_seen, last_seen, build_count, occurrence_count, \
            seen.build_id, source, severity, phase, file_path, message, resolved, regression, \
            settled.build_id AS settled_in, settled.resolved_at AS settled_at, \
            settled.resolution_method AS settled_by, settled.resolution_summary AS settled_note \
        FROM seen LEFT JOIN settled \
            ON settled.fingerprint = seen.fingerprint AND settled.place = 1 \
        WHERE seen.place = 1 \
            AND ($2 IS NULL OR (last_seen, seen.fingerprint) < ($2, $3)) \
            AND ($4 IS NULL OR resolved = $4) AND ($5 IS NULL OR severity = $5) \
            AND ($6 IS NULL OR LOWER(message) LIKE LOWER($6) ESCAPE '!' \
                OR LOWER(file_path) LIKE LOWER($6) ESCAPE '!' \
                OR LOWER(source) LIKE LOWER($6) ESCAPE '!') \
            AND ($8 IS NULL OR dismissed = $8) AND ($9 IS NULL OR regression = $9) \
        ORDER BY last_seen DESC, seen.fingerprint DESC LIMIT $7";
    let last_seen = after.map(|after| after.last_seen);
    let fingerprint = after.map(|after| after.fingerprint.as_str());
    let words = filter.words.as_deref().map(anywhere);
    let words = words.as_deref();
    let (resolved, severity) = (filter.resolved, filter.severity);
    let (dismissed, regression) = (filter.dismissed, filter.regression);
    Ok(fetch!(
        conn,
        SQL,
        project,
        last_seen,
        fingerprint,
        resolved,
        severity,
        words,
        limit,
        dismissed,
        regression,
    ))
}

/// The occurrences of these errors in each build of a project, newest build first.
pub async fn sightings(
    conn: &mut Conn,
    project: ProjectId,
    fingerprints: &[&str],
) -> Result<Vec<ErrorSighting>> {
    // Fingerprints have the same length, so that a match cannot span two of them.
    const SQL: &str = "SELECT e.fingerprint, e.build_id, builds.number AS build_number, \
            builds.title AS build_title, builds.created_at AS build_created_at, \
            e.occurrence_count, e.phase, e.file_path, e.first_seen, e.last_seen, e.first_seq, \
            e.resolved, e.resolution_method, e.resolution_summary, e.regression \
        FROM build_errors AS e JOIN builds ON builds.id = e.build_id \
        WHERE builds.project_id = $1 AND $2 LIKE '%' || e.fingerprint || '%' \
        ORDER BY e.build_id DESC";
    Ok(fetch!(conn, SQL, project, fingerprints.join(" ")))
}

/// A LIKE pattern that matches these words anywhere.
fn anywhere(words: &str) -> String {
    let mut pattern = String::from("%");
    for character in words.chars() {
        if "!%_".contains(character) {
            pattern.push('!');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

/// For the open errors of a build, the fixes of the same errors in the newest earlier builds of the
/// project; at most `limit`.
pub async fn earlier_fixes(
    conn: &mut Conn,
    project: ProjectId,
    build: BuildId,
    limit: i64,
) -> Result<Vec<EarlierFix>> {
    const SQL: &str = "WITH past AS (SELECT now.id, now.fingerprint, now.message, now.source, \
            e.resolution_summary AS summary, \
            ROW_NUMBER() OVER (PARTITION BY now.id ORDER BY e.resolved_at DESC, e.id DESC) AS place \
            FROM build_errors AS now \
            JOIN build_errors AS e ON e.fingerprint = now.fingerprint AND e.build_id <> $2 \
            JOIN builds ON builds.id = e.build_id AND builds.project_id = $1 \
            WHERE now.build_id = $2 AND now.resolved = FALSE AND e.resolved = TRUE \
            AND e.resolution_method = 'auto-fix' AND e.resolution_summary <> '') \
        SELECT fingerprint, message, source, summary FROM past WHERE place = 1 ORDER BY id LIMIT $3";
    Ok(fetch!(conn, SQL, project, build, limit))
}

#[cfg(test)]
mod tests {
    use super::anywhere;

    #[test]
    fn words_are_found_as_they_are() {
        assert_eq!(anywhere("50% of a_b!"), "%50!% of a!_b!!%");
    }
}
