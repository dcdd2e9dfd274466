//! All tools for clients, and which of them a client sees.

use std::sync::LazyLock;

use domain::{key_scope::KeyScope, user_role::UserRole};

use super::{
    backlog_tools::backlog_tools, branch_tools::branch_tools, build_tools::build_tools,
    client_tool::ClientTool, project_tools::project_tools, registry_tools::registry_tools,
    review_tools::review_tools, watch_build::WatchBuild, work_tools::work_tools,
};
use crate::api::identity::Identity;

/// In the order in which they are listed.
static TOOLS: LazyLock<Vec<Box<dyn ClientTool>>> = LazyLock::new(|| {
    let mut tools = project_tools();
    tools.extend(registry_tools());
    tools.push(Box::new(WatchBuild));
    tools.extend(build_tools());
    tools.extend(branch_tools());
    tools.extend(work_tools());
    tools.extend(review_tools());
    tools.extend(backlog_tools());
    tools
});

pub fn find(name: &str) -> Option<&'static dyn ClientTool> {
    TOOLS.iter().find(|tool| tool.properties().name == name).map(AsRef::as_ref)
}

/// The tools of a client: those in the scopes of its key, and for reviews only if its user reviews.
pub fn tools_of(by: &Identity) -> impl Iterator<Item = &'static dyn ClientTool> {
    TOOLS.iter().map(AsRef::as_ref).filter(|tool| {
        let scope = tool.properties().scope;
        by.permits(scope) && (scope != KeyScope::Review || by.user.role == UserRole::Admin)
    })
}
