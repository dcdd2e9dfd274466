//! Resources of MCP clients: the contracts of projects, and the reports of builds.

use domain::{
    contract::{ContractFormat, ContractSource, ContractType},
    ids::{BuildId, ProjectId},
};
use rmcp::model::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};

use super::call::Rejection;
use crate::{
    api::{
        api_error::ApiError,
        app::Shared,
        identity::Identity,
        owned::{self, BuildRef, Owned, ProjectBuild, ProjectRef},
    },
    contracts,
    store::{builds, projects, projects::Project},
};

const SCHEME: &str = "forgeguard://";
const MARKDOWN: &str = "text/markdown";
/// A page has the resources of this many projects.
const PROJECTS_PER_PAGE: usize = 10;

enum ResourceRef<'a> {
    Contract { project: &'a str, kind: &'a str },
    Report { build: &'a str },
}

fn parse(uri: &str) -> Option<ResourceRef<'_>> {
    let path: Vec<&str> = uri.strip_prefix(SCHEME)?.split('/').collect();
    match path.as_slice() {
        ["projects", project, "contracts", kind] => Some(ResourceRef::Contract { project, kind }),
        ["builds", build, "report"] => Some(ResourceRef::Report { build }),
        _ => None,
    }
}

/// The contracts of the next projects after the cursor, and the report of each one's newest build.
pub async fn list(
    app: &Shared,
    by: &Identity,
    cursor: Option<String>,
) -> Result<ListResourcesResult, Rejection> {
    let unknown = |_| Rejection("Use `nextCursor` of a page as the cursor.".into());
    let after: Option<ProjectId> =
        cursor.map(|cursor| cursor.parse().map_err(unknown)).transpose()?;
    let mut conn = app.db.read().await?;
    let mut found = match by.key().and_then(|key| key.project()) {
        Some(bound) => {
            let project = projects::get(&mut conn, bound).await?;
            let reference = project.map(|project| ProjectRef::Id(project.id));
            drop(conn);
            match reference {
                Some(reference) => {
                    let owned: Owned<Project> =
                        owned::authorize(app, by.clone(), reference, false).await?;
                    vec![owned.resource]
                }
                None => Vec::new(),
            }
        }
        None => {
            let rows = PROJECTS_PER_PAGE as i64 + 1;
            let found = projects::list(&mut conn, by.user.id, false, after, rows).await?;
            drop(conn);
            found
        }
    };
    let has_more = found.len() > PROJECTS_PER_PAGE;
    found.truncate(PROJECTS_PER_PAGE);
    let mut resources = Vec::new();
    for project in &found {
        resources.extend(of_project(app, by, project).await?);
    }
    let mut page = ListResourcesResult::with_all_items(resources);
    page.next_cursor = found.last().filter(|_| has_more).map(|project| project.id.to_string());
    Ok(page)
}

async fn of_project(
    app: &Shared,
    by: &Identity,
    project: &Project,
) -> Result<Vec<Resource>, Rejection> {
    let mut conn = app.db.read().await?;
    let set = contracts::of_project(&mut conn, project.id).await?;
    let newest = match by.key().and_then(|key| key.build()) {
        Some(bound) => builds::get(&mut conn, bound).await?,
        None => builds::list(&mut conn, project.id, None, 1).await?.pop(),
    };
    drop(conn);
    let written = set.iter().filter(|text| text.source != ContractSource::Template);
    let contracts = written.map(|text| {
        let kind = text.kind;
        let uri = format!("{SCHEME}projects/{}/contracts/{kind}", project.id);
        Resource::new(uri, format!("{kind} of {}", project.name))
            .with_mime_type(media_type(kind))
            .with_size(text.content.len() as u64)
    });
    let report = newest.map(|build| {
        let name = format!("Report of {} of {}", build.display_name(), project.name);
        Resource::new(report_uri(build.id), name).with_mime_type(MARKDOWN)
    });
    Ok(contracts.chain(report).collect())
}

pub fn report_uri(build: BuildId) -> String {
    format!("{SCHEME}builds/{build}/report")
}

pub fn templates() -> ListResourceTemplatesResult {
    ListResourceTemplatesResult::with_all_items(vec![
        ResourceTemplate::new(
            format!("{SCHEME}projects/{{project_id}}/contracts/{{contract_type}}"),
            "Contract of a project",
        )
        .with_description("The current version of one of a project's contracts."),
        ResourceTemplate::new(format!("{SCHEME}builds/{{build_id}}/report"), "Report of a build")
            .with_description("Verdict, evidence, phases, errors and costs of a build.")
            .with_mime_type(MARKDOWN),
    ])
}

/// The resource; `None` if it does not exist or the user has no access to it.
pub async fn read(
    app: &Shared,
    by: &Identity,
    uri: &str,
) -> Result<Option<ReadResourceResult>, Rejection> {
    let Some(reference) = parse(uri) else { return Ok(None) };
    let found = match reference {
        ResourceRef::Contract { project, kind } => contract(app, by, project, kind).await,
        ResourceRef::Report { build } => report(app, by, build).await,
    };
    let (text, media_type) = match found {
        Ok(Some(found)) => found,
        Ok(None) => return Ok(None),
        Err(error) if error.status() == axum::http::StatusCode::NOT_FOUND => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let contents = ResourceContents::text(text, uri).with_mime_type(media_type);
    Ok(Some(ReadResourceResult::new(vec![contents])))
}

async fn contract(
    app: &Shared,
    by: &Identity,
    project: &str,
    kind: &str,
) -> Result<Option<(String, &'static str)>, ApiError> {
    let Ok(kind) = kind.parse() else { return Ok(None) };
    let owned: Owned<Project> = owned::authorize(app, by.clone(), project.into(), false).await?;
    let set = contracts::of_project(&mut app.db.read().await?, owned.resource.id).await?;
    let text = set.get(kind);
    let is_written = text.source != ContractSource::Template;
    Ok(is_written.then(|| (text.content.clone(), media_type(text.kind))))
}

async fn report(
    app: &Shared,
    by: &Identity,
    build: &str,
) -> Result<Option<(String, &'static str)>, ApiError> {
    let Ok(build) = build.parse() else { return Ok(None) };
    let owned: Owned<ProjectBuild> =
        owned::authorize(app, by.clone(), BuildRef::Id(build), false).await?;
    let ProjectBuild { build, project } = owned.resource;
    let report = app.engine.report(build, &project.name).await?;
    Ok(Some((report.markdown()?, MARKDOWN)))
}

fn media_type(kind: ContractType) -> &'static str {
    match kind.format() {
        ContractFormat::Markdown => MARKDOWN,
        ContractFormat::Yaml => "application/yaml",
        ContractFormat::Json => "application/json",
    }
}
