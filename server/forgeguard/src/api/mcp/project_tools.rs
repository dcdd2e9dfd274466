//! Tools about projects: list them, choose one for the session, and edit its contracts.

use std::sync::PoisonError;

use axum::extract::State;
use domain::{contract::ContractType, ids::ProjectId, key_scope::KeyScope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    call::{Call, Intent, Rejection, Target},
    client_tool::{About, ClientEffect, ClientReply, ClientTool, Properties, Replying},
};
use crate::{
    api::{
        contracts::{self, ContractParams},
        extract::{Json, PathParams},
        list::Page,
    },
    store::projects,
    tools::input,
};

pub fn project_tools() -> Vec<Box<dyn ClientTool>> {
    vec![Box::new(ListProjects), Box::new(SetSession), Box::new(UpdateContract)]
}

/// Parses what a REST request would have in its body.
pub fn body<T: for<'de> Deserialize<'de>>(value: Value) -> Result<Json<T>, Rejection> {
    serde_json::from_value(value).map(Json).map_err(|error| Rejection(format!("{error}.")))
}

struct ListProjects;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListProjectsParams {
    /// `next` of the previous page.
    #[serde(default)]
    after: Option<String>,
    /// Projects per page, at most 200; default 50.
    #[serde(default)]
    limit: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
struct ProjectList {
    items: Vec<ProjectRow>,
    /// The value of `after` for the next page; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ProjectRow {
    project_id: String,
    slug: String,
    name: String,
    description: String,
    default_branch: String,
    /// Whether you own it; otherwise you can only view it.
    is_owner: bool,
}

impl ClientTool for ListProjects {
    fn properties(&self) -> Properties {
        Properties {
            name: "forge_list_projects",
            title: "List projects",
            description: "Lists the projects that you own or may view, newest first.",
            scope: KeyScope::Read,
            effect: ClientEffect::Read,
            about: About::Nothing,
        }
    }

    fn input(&self) -> Value {
        input::schema::<ListProjectsParams>()
    }

    fn output(&self) -> Value {
        input::schema::<ProjectList>()
    }

    fn call<'a>(&'a self, call: &'a Call, input: Value) -> Replying<'a> {
        Box::pin(async move {
            let ListProjectsParams { after, limit } = input::read(input)?;
            let page = Page { after, limit };
            let (user, after, rows) = (call.by.user.id, page.after::<ProjectId>()?, page.rows()?);
            let mut conn = call.app.db.read().await?;
            let mut found = match call.by.key().and_then(|key| key.project()) {
                Some(bound) => projects::get(&mut conn, bound).await?.into_iter().collect(),
                None => projects::list(&mut conn, user, false, after, rows).await?,
            };
            drop(conn);
            found.retain(|project| call.by.covers(project.id, None));
            let list = page.list(
                found,
                |project| project.id.to_string(),
                |project| ProjectRow {
                    project_id: project.id.to_string(),
                    slug: project.slug,
                    name: project.name,
                    description: project.description,
                    default_branch: project.default_branch,
                    is_owner: project.owner_id == user,
                },
            )?;
            ClientReply::of(&ProjectList { items: list.items, next: list.next })
        })
    }
}

struct SetSession;

pub const SET_SESSION: &str = "forge_set_session";

#[derive(Serialize, JsonSchema)]
struct SessionData {
    project_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    build_id: Option<String>,
}

impl ClientTool for SetSession {
    fn properties(&self) -> Properties {
        Properties {
            name: SET_SESSION,
            title: "Choose the project",
            description: "Sets the project, and optionally the build, that other calls of this \
                session are about unless they name another one.",
            scope: KeyScope::Read,
            effect: ClientEffect::Add,
            about: About::Project,
        }
    }

    fn input(&self) -> Value {
        json!({ "type": "object" })
    }

    fn output(&self) -> Value {
        input::schema::<SessionData>()
    }

    fn call<'a>(&'a self, call: &'a Call, input: Value) -> Replying<'a> {
        Box::pin(async move {
            let input::Nothing {} = input::read(input)?;
            let Target { project, build } = &call.target;
            if project.is_none() && build.is_none() {
                return Err(Rejection("Send `project_id`, and optionally `build_id`.".into()));
            }
            let build = match build {
                Some(_) => Some(call.build(Intent::Read).await?.resource.build.id.to_string()),
                None => None,
            };
            let project = call.project(Intent::Read).await?.resource.id.to_string();
            let target = Target { project: Some(project.clone()), build: build.clone() };
            *call.session.lock().unwrap_or_else(PoisonError::into_inner) = target;
            ClientReply::of(&SessionData { project_id: project, build_id: build })
        })
    }
}

struct UpdateContract;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UpdateContractParams {
    /// manifesto, blueprint, stack, schema, physics, boundaries, ui, phases, builder_directive.
    contract_type: String,
    /// The whole text, in the format of this contract.
    content: String,
    /// The version that you have edited; 0 if there was none.
    version: u32,
    /// True: also write a text that has less than a fifth of the current length.
    #[serde(default)]
    confirm: bool,
}

#[derive(Serialize, JsonSchema)]
struct WrittenContract {
    contract_type: &'static str,
    version: u64,
    /// Gaps (`[TODO: …]`) that are left; a build starts only without any.
    gap_count: u64,
}

impl ClientTool for UpdateContract {
    fn properties(&self) -> Properties {
        Properties {
            name: "forge_update_contract",
            title: "Write a contract",
            description: "Writes a new version of a contract of the project. It is validated first, \
                and earlier versions are kept. Running builds keep the version they started with.",
            scope: KeyScope::Contracts,
            effect: ClientEffect::Destroy,
            about: About::Project,
        }
    }

    fn input(&self) -> Value {
        input::schema::<UpdateContractParams>()
    }

    fn output(&self) -> Value {
        input::schema::<WrittenContract>()
    }

    fn call<'a>(&'a self, call: &'a Call, input: Value) -> Replying<'a> {
        Box::pin(async move {
            let params: UpdateContractParams = input::read(input)?;
            let kind: ContractType = params
                .contract_type
                .parse()
                .map_err(|unknown| Rejection(format!("`contract_type`: {unknown}.")))?;
            let request = body(json!({
                "content": params.content, "version": params.version, "confirm": params.confirm,
            }))?;
            let owned = call.project(Intent::Change).await?;
            let (app, kind) = (State(call.app.clone()), PathParams(ContractParams { kind }));
            let Json(written) = contracts::update_contract(app, owned, kind, request).await?;
            ClientReply::of(&WrittenContract {
                contract_type: written.kind.name(),
                version: written.version.into(),
                gap_count: written.gap_count as u64,
            })
        })
    }
}
