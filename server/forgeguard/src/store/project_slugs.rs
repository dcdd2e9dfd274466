//! The names of projects in URLs. A project keeps its earlier ones, so that old links work.

use std::collections::BTreeMap;

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

/// Gives a project a slug made from its name, with a number if another project has or had it.
pub async fn assign(conn: &mut Conn, project: ProjectId, name: &str) -> Result<String> {
    const TAKEN: &str = "SELECT slug, project_id FROM project_slugs \
        WHERE slug = $1 OR slug LIKE $1 || '-%'";
    const INSERT: &str = "INSERT INTO project_slugs (slug, project_id) VALUES ($1, $2) \
        ON CONFLICT (slug) DO NOTHING";
    const UPDATE: &str = "UPDATE projects SET slug = $2 WHERE id = $1";
    let base = base_slug(name);
    let taken: Vec<(String, ProjectId)> = fetch!(conn, TAKEN, base.as_str());
    let taken: BTreeMap<String, ProjectId> = taken.into_iter().collect();
    let mut number = 1;
    loop {
        let slug = if number == 1 { base.clone() } else { format!("{base}-{number}") };
        let is_ours = match taken.get(&slug) {
            Some(owner) => *owner == project,
            // Another transaction may be faster.
            None => execute!(conn, INSERT, slug.as_str(), project) > 0,
        };
        if is_ours {
            execute!(conn, UPDATE, project, slug.as_str());
            return Ok(slug);
        }
        number += 1;
    }
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
