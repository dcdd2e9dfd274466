//! What is written down for good: the words of the audit log.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Something that somebody did to accounts, keys, reviews, or who may look at a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuditAction {
    /// The first account was made with the link of the first start.
    SetupCompleted,
    /// An account was made.
    UserCreated,
    /// An account was shut.
    UserDisabled,
    /// A shut account was opened again.
    UserEnabled,
    /// Somebody may do more or less than before.
    UserRoleChanged,
    /// A link was made by which somebody sets a new password.
    UserInvited,
    /// Somebody changed their own password, or set it by such a link.
    PasswordChanged,
    /// A forge key was made.
    ForgeKeyCreated,
    /// A forge key was ended.
    ForgeKeyRevoked,
    /// Somebody was let to look at a project.
    ViewerAdded,
    /// Somebody may look at a project no longer.
    ViewerRemoved,
    /// A sealed build was approved, or changes to it were requested.
    ReviewDecided,
    /// Somebody said something about a line of a sealed build.
    ReviewCommented,
    /// What was said about a line is settled.
    ReviewCommentResolved,
    /// A build was started that carries out requested changes.
    FollowUpStarted,
}
