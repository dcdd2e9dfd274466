//! The distinct errors of a project over all of its builds, and how each was settled.

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
    /// One distinct error of a project. What can change from build to build is as it was in the
    /// build that saw it last.
    pub struct ProjectError {
        /// Equal for errors that are the same.
        pub fingerprint: String,
        /// When it was seen first, in any build.
        pub first_seen: DateTime<Utc>,
        /// When it was seen last.
        pub last_seen: DateTime<Utc>,
        /// How many builds have seen it.
        pub build_count: u32,
        /// How often all of them have.
        pub occurrence_count: u64,
        /// The build that saw it last.
        pub build_id: BuildId,
        /// What reported it.
        pub source: String,
        /// How grave.
        pub severity: Severity,
        /// The label of the phase in which that build saw it last.
        pub phase: Option<String>,
        /// The file it names.
        pub file_path: Option<String>,
        /// Its words.
        pub message: String,
        /// Whether it is settled in that build.
        pub resolved: bool,
        /// It was settled once and came back, in any build.
        pub regression: bool,
        /// The build in which it was settled last, be it an earlier one.
        pub settled_in: Option<BuildId>,
        /// When.
        pub settled_at: Option<DateTime<Utc>>,
        /// How.
        pub settled_by: Option<ResolutionMethod>,
        /// A note about how.
        pub settled_note: Option<String>,
    }
}

row! {
    /// What one build saw of an error.
    pub struct ErrorSighting {
        /// Which error.
        pub fingerprint: String,
        /// The build.
        pub build_id: BuildId,
        /// When the build was queued.
        pub build_created_at: DateTime<Utc>,
        /// How often it saw it.
        pub occurrence_count: u32,
        /// The label of the phase in which it saw it last.
        pub phase: Option<String>,
        /// The file it named there.
        pub file_path: Option<String>,
        /// When it saw it first.
        pub first_seen: DateTime<Utc>,
        /// When it saw it last.
        pub last_seen: DateTime<Utc>,
        /// The event that told of it first; None for those from before that was written down.
        pub first_seq: Option<u64>,
        /// Whether it is settled there.
        pub resolved: bool,
        /// How.
        pub resolution_method: Option<ResolutionMethod>,
        /// A note about how.
        pub resolution_summary: Option<String>,
        /// It had been settled there once and came back.
        pub regression: bool,
    }
}

row! {
    /// How a fixer settled an error in an earlier build.
    pub struct EarlierFix {
        /// The error's fingerprint.
        pub fingerprint: String,
        /// Its words in this build.
        pub message: String,
        /// What reported it.
        pub source: String,
        /// The fixer's words, then.
        pub summary: String,
    }
}

/// Which errors are wanted.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Words of the message, the file or the source.
    pub words: Option<String>,
    /// Whether it is settled where it was seen last.
    pub resolved: Option<bool>,
    /// Whether that was done by a person who does not care about it.
    pub dismissed: Option<bool>,
    /// Whether it came back in any build.
    pub regression: Option<bool>,
    /// How grave.
    pub severity: Option<Severity>,
}

/// Where a page begins: behind this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// When it was seen last.
    pub last_seen: DateTime<Utc>,
    /// Which it is.
    pub fingerprint: String,
}

/// The next `limit` errors of a project behind `after`, those that were seen last first.
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

/// What each build of a project saw of these errors, the newest build first.
pub async fn sightings(
    conn: &mut Conn,
    project: ProjectId,
    fingerprints: &[&str],
) -> Result<Vec<ErrorSighting>> {
    // Fingerprints are all of one length, so none is found in the seam of two others.
    const SQL: &str = "SELECT e.fingerprint, e.build_id, builds.created_at AS build_created_at, \
            e.occurrence_count, e.phase, e.file_path, e.first_seen, e.last_seen, e.first_seq, \
            e.resolved, e.resolution_method, e.resolution_summary, e.regression \
        FROM build_errors AS e JOIN builds ON builds.id = e.build_id \
        WHERE builds.project_id = $1 AND $2 LIKE '%' || e.fingerprint || '%' \
        ORDER BY e.build_id DESC";
    Ok(fetch!(conn, SQL, project, fingerprints.join(" ")))
}

/// A pattern for LIKE that finds these words anywhere.
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

/// For the open errors of a build, how a fixer settled the same ones in the newest of the project's
/// earlier builds that did; at most `limit`.
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
