//! The names of projects in URLs. A project keeps its earlier ones, so that old links work.

use domain::{ids::ProjectId, slug::slug};
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch},
};

const MAX_SLUG_LENGTH: usize = 50;
/// For names that cannot be written in ASCII.
const FALLBACK: &str = "project";

/// Gives a project a slug made from its name, with a number if another project has or had it. It takes
/// few queries, however many projects have the name.
pub async fn assign(conn: &mut Conn, project: ProjectId, name: &str) -> Result<String> {
    const OWN: &str = "SELECT slug FROM project_slugs WHERE project_id = $1 ORDER BY slug";
    const INSERT: &str = "INSERT INTO project_slugs (slug, project_id) VALUES ($1, $2) \
        ON CONFLICT (slug) DO NOTHING";
    const UPDATE: &str = "UPDATE projects SET slug = $2 WHERE id = $1";
    let base = base_slug(name);
    let own: Vec<(String,)> = fetch!(conn, OWN, project);
    let mut found = own.into_iter().map(|(slug,)| slug).find(|slug| is_numbered(slug, &base));
    // The highest number that is known to be taken, and the lowest that may be free.
    let (mut taken, mut free) = (0_u64, 1_u64);
    let slug = loop {
        if let Some(slug) = found {
            break slug;
        }
        while is_taken(conn, &numbered(&base, free)).await? {
            (taken, free) = (free, free * 2);
        }
        while free - taken > 1 {
            let middle = taken.midpoint(free);
            match is_taken(conn, &numbered(&base, middle)).await? {
                true => taken = middle,
                false => free = middle,
            }
        }
        // Another transaction may be faster.
        let slug = numbered(&base, free);
        found = (execute!(conn, INSERT, slug.as_str(), project) > 0).then_some(slug);
    };
    execute!(conn, UPDATE, project, slug.as_str());
    Ok(slug)
}

fn numbered(base: &str, number: u64) -> String {
    if number == 1 { base.to_owned() } else { format!("{base}-{number}") }
}

fn is_numbered(slug: &str, base: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    slug.strip_prefix(base)
        .is_some_and(|rest| rest.is_empty() || rest.strip_prefix('-').is_some_and(is_number))
}

async fn is_taken(conn: &mut Conn, slug: &str) -> Result<bool> {
    let found: Vec<(String,)> =
        fetch!(conn, "SELECT slug FROM project_slugs WHERE slug = $1", slug);
    Ok(!found.is_empty())
}

/// Makes all slugs of a project available to others.
pub async fn free(conn: &mut Conn, project: ProjectId) -> Result<()> {
    execute!(conn, "DELETE FROM project_slugs WHERE project_id = $1", project);
    Ok(())
}

/// Gives slugs to projects of earlier versions, oldest first.
pub async fn assign_missing(conn: &mut Conn) -> Result<()> {
    const SQL: &str = "SELECT id, name FROM projects WHERE slug IS NULL AND deleted_at IS NULL \
        ORDER BY id";
    let projects: Vec<(ProjectId, String)> = fetch!(conn, SQL);
    for (id, name) in projects {
        assign(conn, id, &name).await?;
    }
    Ok(())
}

/// A slug cannot be mistaken for an id.
fn base_slug(name: &str) -> String {
    match slug(name, MAX_SLUG_LENGTH) {
        empty if empty.is_empty() => FALLBACK.to_owned(),
        id if Uuid::try_parse(&id).is_ok() => format!("{FALLBACK}-{id}"),
        slug => slug,
    }
}
