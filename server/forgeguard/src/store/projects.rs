//! Projects and their owners.

use chrono::{DateTime, Utc};
use domain::{
    event::life::Origin,
    ids::{Id, ProjectId, UserId},
};
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    project_slugs,
    statement::{Sql, execute, fetch, row},
};

row! {
    /// A project. A deleted project's row is kept, because its builds and journals are.
    pub struct Project {
        pub id: ProjectId = "project_id",
        pub owner_id: UserId,
        /// Its name in URLs, unique in the installation.
        pub slug: String,
        pub name: String,
        pub description: String,
        pub origin: Origin,
        /// The branch that builds start from. Builds never change it.
        pub default_branch: String,
        /// JSON.
        pub settings: String,
        pub created_at: DateTime<Utc> = "project_created_at",
        pub updated_at: DateTime<Utc>,
        /// Set while it is archived, and therefore read-only.
        pub archived_at: Option<DateTime<Utc>>,
    }
}

/// A project before it has a slug.
#[derive(Clone, Debug)]
pub struct NewProject {
    pub id: ProjectId,
    pub owner_id: UserId,
    pub name: String,
    pub description: String,
    pub origin: Origin,
    pub default_branch: String,
    /// JSON.
    pub settings: String,
    pub created_at: DateTime<Utc>,
}

/// With names that differ from those of a build's columns, so that one row can have both.
macro_rules! columns {
    () => {
        "projects.id AS project_id, owner_id, projects.slug, name, description, origin, \
         default_branch, settings, projects.created_at AS project_created_at, updated_at, archived_at"
    };
}
pub(super) use columns;

/// The ids of the projects that the user `$1` may view: their own and those shared with them, each with
/// further conditions.
macro_rules! viewable {
    () => {
        viewable!("", "")
    };
    ($own:literal, $shared:literal) => {
        concat!(
            "(SELECT own.id FROM projects AS own WHERE own.owner_id = $1",
            $own,
            " UNION SELECT project_id FROM project_viewers WHERE user_id = $1",
            $shared,
            ")"
        )
    };
}
pub(super) use viewable;

/// Adds a project, with a slug made from its name.
pub async fn insert(conn: &mut Conn, new: &NewProject) -> Result<Project> {
    const SQL: &str = "INSERT INTO projects (id, owner_id, name, description, origin, \
        default_branch, settings, created_at, updated_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)";
    execute!(
        conn,
        SQL,
        new.id,
        new.owner_id,
        new.name.as_str(),
        new.description.as_str(),
        new.origin,
        new.default_branch.as_str(),
        new.settings.as_str(),
        new.created_at,
    );
    let slug = project_slugs::assign(conn, new.id, &new.name).await?;
    Ok(Project {
        id: new.id,
        owner_id: new.owner_id,
        slug,
        name: new.name.clone(),
        description: new.description.clone(),
        origin: new.origin,
        default_branch: new.default_branch.clone(),
        settings: new.settings.clone(),
        created_at: new.created_at,
        updated_at: new.created_at,
        archived_at: None,
    })
}

/// None if it was deleted.
pub async fn get(conn: &mut Conn, id: ProjectId) -> Result<Option<Project>> {
    const SQL: &str =
        concat!("SELECT ", columns!(), " FROM projects WHERE id = $1 AND deleted_at IS NULL");
    Ok(fetch!(conn, SQL, id).pop())
}

/// The project with this slug, or that had it before. None if it was deleted.
pub async fn by_slug(conn: &mut Conn, slug: &str) -> Result<Option<Project>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM project_slugs JOIN projects ON projects.id = project_id \
         WHERE project_slugs.slug = $1 AND deleted_at IS NULL"
    );
    Ok(fetch!(conn, SQL, slug).pop())
}

/// All projects, oldest first.
pub async fn all(conn: &mut Conn) -> Result<Vec<Project>> {
    const SQL: &str =
        concat!("SELECT ", columns!(), " FROM projects WHERE deleted_at IS NULL ORDER BY id");
    Ok(fetch!(conn, SQL))
}

/// The next `limit` projects that a user may view with an id below `before`, newest first: either
/// those that are archived, or the others.
pub async fn list(
    conn: &mut Conn,
    user: UserId,
    archived: bool,
    before: Option<ProjectId>,
    limit: i64,
) -> Result<Vec<Project>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM projects WHERE id IN ",
        viewable!(" AND own.id < $2", " AND project_id < $2"),
        " AND deleted_at IS NULL AND (archived_at IS NOT NULL) = $4 ORDER BY id DESC LIMIT $3"
    );
    let before = before.unwrap_or(ProjectId::from_uuid(Uuid::max()));
    Ok(fetch!(conn, SQL, user, before, limit, archived))
}

/// Sets name and description; None keeps the stored one. A new name leads to a new slug; the earlier
/// one still leads to the project. None if the project does not exist.
pub async fn describe(
    conn: &mut Conn,
    id: ProjectId,
    name: Option<&str>,
    description: Option<&str>,
    now: DateTime<Utc>,
) -> Result<Option<Project>> {
    const SQL: &str = "UPDATE projects SET name = COALESCE($2, name), \
        description = COALESCE($3, description), updated_at = $4 \
        WHERE id = $1 AND deleted_at IS NULL";
    if execute!(conn, SQL, id, name, description, now) == 0 {
        return Ok(None);
    }
    if let Some(name) = name {
        project_slugs::assign(conn, id, name).await?;
    }
    get(conn, id).await
}

/// Archives a project, or makes it active again if `at` is None. None if it does not exist.
pub async fn set_archived(
    conn: &mut Conn,
    id: ProjectId,
    at: Option<DateTime<Utc>>,
) -> Result<Option<Project>> {
    const SQL: &str = "UPDATE projects SET archived_at = $2 WHERE id = $1 AND deleted_at IS NULL";
    execute!(conn, SQL, id, at);
    get(conn, id).await
}

/// Gives a project another owner. None if it does not exist.
pub async fn set_owner(
    conn: &mut Conn,
    id: ProjectId,
    owner: UserId,
    now: DateTime<Utc>,
) -> Result<Option<Project>> {
    const SQL: &str = "UPDATE projects SET owner_id = $2, updated_at = $3 \
        WHERE id = $1 AND deleted_at IS NULL";
    execute!(conn, SQL, id, owner, now);
    get(conn, id).await
}

/// Changes the branch that builds start from, as its remote has.
pub async fn set_default_branch(conn: &mut Conn, id: ProjectId, branch: &str) -> Result<()> {
    const SQL: &str =
        "UPDATE projects SET default_branch = $2 WHERE id = $1 AND default_branch <> $2";
    execute!(conn, SQL, id, branch);
    Ok(())
}

/// Locks a project until the transaction ends, and returns how many builds it has ever had. Until then it
/// cannot be archived or deleted, and no other build of it starts. None if it was archived or deleted.
pub async fn lock_active(conn: &mut Conn, id: ProjectId) -> Result<Option<u32>> {
    // The lock leaves room for the one that inserting a build takes.
    const SQL: Sql = Sql {
        sqlite: "SELECT build_count FROM projects \
            WHERE id = $1 AND deleted_at IS NULL AND archived_at IS NULL",
        postgres: "SELECT build_count FROM projects \
            WHERE id = $1 AND deleted_at IS NULL AND archived_at IS NULL FOR NO KEY UPDATE",
    };
    let counts: Vec<(u32,)> = fetch!(conn, SQL, id);
    Ok(counts.first().map(|(count,)| *count))
}

/// Sets how many builds it has ever had. The caller has locked the project.
pub async fn set_build_count(conn: &mut Conn, id: ProjectId, count: u32) -> Result<()> {
    execute!(conn, "UPDATE projects SET build_count = $2 WHERE id = $1", id, count);
    Ok(())
}

/// Replaces the settings, JSON text. False if the project does not exist.
pub async fn set_settings(
    conn: &mut Conn,
    id: ProjectId,
    settings: &str,
    now: DateTime<Utc>,
) -> Result<bool> {
    const SQL: &str = "UPDATE projects SET settings = $2, updated_at = $3 \
        WHERE id = $1 AND deleted_at IS NULL";
    Ok(execute!(conn, SQL, id, settings, now) > 0)
}

/// Marks a project as deleted, and frees its slugs. False if it does not exist.
pub async fn remove(conn: &mut Conn, id: ProjectId, now: DateTime<Utc>) -> Result<bool> {
    const SQL: &str = "UPDATE projects SET deleted_at = $2, slug = NULL \
        WHERE id = $1 AND deleted_at IS NULL";
    if execute!(conn, SQL, id, now) == 0 {
        return Ok(false);
    }
    project_slugs::free(conn, id).await?;
    Ok(true)
}

/// The next `limit` projects of all users with an id below `before`, newest first, also deleted ones:
/// ids and names.
pub async fn names(
    conn: &mut Conn,
    before: Option<ProjectId>,
    limit: i64,
) -> Result<Vec<(ProjectId, String)>> {
    const SQL: &str = "SELECT id, name FROM projects WHERE id < $1 ORDER BY id DESC LIMIT $2";
    let before = before.unwrap_or(ProjectId::from_uuid(Uuid::max()));
    Ok(fetch!(conn, SQL, before, limit))
}
