//! The actions that the audit log records.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An action on accounts, keys, reviews or project viewers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuditAction {
    /// The first account was created with the setup link.
    SetupCompleted,
    UserCreated,
    UserDisabled,
    UserEnabled,
    UserRoleChanged,
    /// A link to set a new password was created.
    UserInvited,
    /// A user changed their password, or set it by such a link.
    PasswordChanged,
    ForgeKeyCreated,
    ForgeKeyRevoked,
    /// A user was given access to view a project.
    ViewerAdded,
    ViewerRemoved,
    /// A sealed build was approved, or changes were requested.
    ReviewDecided,
    /// An approval was rejected because the reviewer contributed to the build.
    ApprovalRefused,
    /// A comment was made on a line of a sealed build.
    ReviewCommented,
    /// A thread of comments was resolved.
    ReviewCommentResolved,
    /// A build was started that implements requested changes.
    FollowUpStarted,
    /// Entries written by an earlier version were added to the hash chain.
    ChainStarted,
    /// The limits or models of the installation were changed.
    InstallationSettingsChanged,
    /// The seal of a build was signed; the detail contains the envelope's digest.
    SealSigned,
    /// The verification of a build found a mismatch.
    VerificationFailed,
}

/// The newest entry of the audit log at some time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditHead {
    /// 0 for an empty log.
    pub seq: u64,
    /// In hex.
    pub hash: String,
}
