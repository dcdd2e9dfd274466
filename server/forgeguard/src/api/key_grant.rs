//! What a forge key permits: its scopes, and the project or build that it is bound to.
//!
//! The routes are checked in one place, by their scope. A route without one requires full access, so
//! that a new route is closed to scoped keys until it is listed here.

use axum::http::Method;
use domain::{
    ids::{BuildId, ForgeKeyId, ProjectId},
    key_scope::{KeyAccess, KeyScope},
};

use super::api_error::ApiError;
use crate::store::forge_keys::ForgeKey;

pub const MCP_PATH: &str = "/mcp";

/// Paths with the scope of the requests that change something, by prefix; the first match counts.
const CHANGES: [(&str, KeyScope); 14] = [
    ("/api/reviews/{build}/", KeyScope::Review),
    ("/api/review-comments/", KeyScope::Review),
    ("/api/builds/{build}/", KeyScope::Build),
    ("/api/projects/{project}/builds", KeyScope::Build),
    ("/api/projects/{project}/backlog", KeyScope::Build),
    ("/api/projects/{project}/build/clarify", KeyScope::Build),
    ("/api/projects/{project}/contracts", KeyScope::Contracts),
    ("/api/projects/{project}/questionnaire", KeyScope::Contracts),
    ("/api/projects/{project}/interview", KeyScope::Contracts),
    ("/api/projects/{project}/requirements", KeyScope::Contracts),
    ("/api/projects/{project}/notepad", KeyScope::Contracts),
    ("/api/generations/{generation}/", KeyScope::Contracts),
    // A key can revoke only itself.
    ("/api/forge-keys/", KeyScope::Read),
    // Each tool has its own scope.
    (MCP_PATH, KeyScope::Read),
];

/// The permissions of a forge key.
#[derive(Clone, Debug)]
pub struct KeyGrant {
    pub id: ForgeKeyId,
    access: KeyAccess,
    bound_to: Option<Binding>,
}

#[derive(Clone, Copy, Debug)]
struct Binding {
    project: ProjectId,
    build: Option<BuildId>,
}

impl From<&ForgeKey> for KeyGrant {
    fn from(key: &ForgeKey) -> Self {
        let build = key.build_id;
        Self {
            id: key.id,
            access: KeyAccess::from_stored(key.scopes.as_deref()),
            bound_to: key.project_id.map(|project| Binding { project, build }),
        }
    }
}

impl KeyGrant {
    pub fn permits(&self, scope: KeyScope) -> bool {
        self.access.permits(scope)
    }

    /// Whether the key gives access to a project, or to a build of it. A key of one build reads the
    /// build's project too.
    pub fn covers(&self, project: ProjectId, build: Option<BuildId>) -> bool {
        self.bound_to.is_none_or(|bound| {
            bound.project == project
                && (build.is_none() || bound.build.is_none() || bound.build == build)
        })
    }

    /// The only project of the key, if it is bound to one.
    pub fn project(&self) -> Option<ProjectId> {
        self.bound_to.map(|bound| bound.project)
    }

    /// The only build of the key, if it is bound to one.
    pub fn build(&self) -> Option<BuildId> {
        self.bound_to.and_then(|bound| bound.build)
    }

    /// Rejects a request whose route the key does not permit.
    pub fn check_route(&self, method: &Method, path: &str) -> Result<(), ApiError> {
        if self.bound_to.is_some() && !is_of_a_project(path) {
            let why = "This forge key is bound to a project or a build; use another one for this.";
            return Err(ApiError::forbidden(why));
        }
        match scope(method, path) {
            Some(scope) if self.permits(scope) => Ok(()),
            None if self.access == KeyAccess::Full => Ok(()),
            Some(scope) => Err(lacks_scope(scope)),
            None => Err(ApiError::forbidden(
                "This requires a forge key with full access; this one is limited to scopes.",
            )),
        }
    }
}

/// 403: the key lacks a scope.
pub fn lacks_scope(scope: KeyScope) -> ApiError {
    let name = scope.name();
    ApiError::forbidden(format!(
        "This forge key does not have the scope `{name}`. Use a key that has it; keys are created in \
         the settings."
    ))
}

/// Whether the path names a resource that is checked against the key's project.
fn is_of_a_project(path: &str) -> bool {
    let names = ["{project}", "{build}", "{generation}"];
    let is_named = names.iter().any(|name| path.contains(name));
    (is_named && !path.starts_with("/api/reviews/")) || path == MCP_PATH || path == "/api/session"
}

/// The scope that a route requires; `None` if it requires full access.
fn scope(method: &Method, path: &str) -> Option<KeyScope> {
    if method.is_safe() {
        return Some(KeyScope::Read);
    }
    CHANGES.iter().find(|(prefix, _)| path.starts_with(prefix)).map(|(_, scope)| *scope)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store;

    fn grant(scopes: Option<&str>, bound_to: Option<Binding>) -> KeyGrant {
        KeyGrant { id: store::new_id(), access: KeyAccess::from_stored(scopes), bound_to }
    }

    fn permits(grant: &KeyGrant, method: &Method, path: &str) -> bool {
        grant.check_route(method, path).is_ok()
    }

    #[test]
    fn changes_require_the_scope_of_their_route() {
        let paths = [
            ("/api/builds/{build}/pause", "build"),
            ("/api/projects/{project}/builds", "build"),
            ("/api/projects/{project}/contracts/{type}", "contracts"),
            ("/api/reviews/{build}/decision", "review"),
        ];
        for (path, wanted) in paths {
            for scope in ["read", "build", "contracts", "review"] {
                let grant = grant(Some(&format!("read {scope}")), None);
                assert_eq!(permits(&grant, &Method::POST, path), scope == wanted, "{path} {scope}");
                assert!(permits(&grant, &Method::GET, path), "{path} {scope}");
            }
        }
        let all = grant(Some("read build contracts review"), None);
        assert!(!permits(&all, &Method::PATCH, "/api/projects/{project}"));
        assert!(permits(&grant(None, None), &Method::PATCH, "/api/projects/{project}"));
        let reading = grant(Some("read"), None);
        assert!(permits(&reading, &Method::DELETE, "/api/forge-keys/{key}"));
        assert!(!permits(&reading, &Method::POST, "/api/forge-keys"));
    }

    #[test]
    fn bound_key_reaches_only_its_project_and_build() {
        let (project, build) = (store::new_id(), store::new_id());
        let of_build = grant(None, Some(Binding { project, build: Some(build) }));
        assert!(of_build.covers(project, None) && of_build.covers(project, Some(build)));
        assert!(!of_build.covers(project, Some(store::new_id())));
        assert!(!of_build.covers(store::new_id(), None));
        let of_project = grant(None, Some(Binding { project, build: None }));
        assert!(of_project.covers(project, Some(store::new_id())));
        for (method, path, expected) in [
            (Method::GET, "/api/projects", false),
            (Method::GET, "/api/reviews/{build}", false),
            (Method::GET, "/api/projects/{project}", true),
            (Method::POST, "/api/builds/{build}/pause", true),
            (Method::POST, MCP_PATH, true),
        ] {
            assert_eq!(permits(&of_build, &method, path), expected, "{method} {path}");
            assert_eq!(permits(&of_project, &method, path), expected, "{method} {path}");
        }
    }
}
