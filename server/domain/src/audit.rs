//! The actions that the audit log records.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An action on accounts, sessions, keys, settings, projects, builds or reviews.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuditAction {
    /// The first account was created with the setup link.
    SetupCompleted,
    /// A user signed in with a password, a one-time link or a provider.
    SignedIn,
    /// The password was wrong, there is no such account, or a sign-in with a provider failed. Not
    /// every attempt is recorded.
    SignInFailed,
    SignedOut,
    /// A user ended one or all of their other sessions.
    SessionsEnded,
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
    ProjectRenamed,
    /// A project became read-only.
    ProjectArchived,
    ProjectUnarchived,
    /// A project got another owner.
    ProjectTransferred,
    ProjectDeleted,
    /// Gates, permissions, limits or other settings of a project were changed.
    ProjectSettingsChanged,
    /// A project got a spec, or a new version of it.
    ProjectSpecSubmitted,
    BuildStarted,
    /// A user requested that a build end without a seal.
    BuildCancelled,
    /// A user allowed or denied a tool call, or left the decision to the agent.
    PermissionAnswered,
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
    /// The settings of the server that sends email were changed or removed.
    EmailSettingsChanged,
    /// A provider with which users sign in was added.
    SignInProviderAdded,
    SignInProviderChanged,
    SignInProviderRemoved,
    SignInProviderTested,
    /// A user of a provider was linked to an account.
    IdentityLinked,
    IdentityUnlinked,
    WebhookAdded,
    /// Kinds of a webhook were changed, or it was enabled again.
    WebhookChanged,
    WebhookRemoved,
    /// The key or address of a model provider was set.
    ProviderKeySet,
    ProviderKeyRemoved,
    /// A request was sent to a model provider to test its key.
    ProviderKeyTested,
    /// A token or key for remote repositories was added.
    CredentialAdded,
    CredentialRemoved,
    /// A project was created from a remote repository.
    RemoteConnected,
    /// Address, credential or webhook secret of a project's remote was changed.
    RemoteChanged,
    RemoteDisconnected,
    /// A sealed build's pull request was requested.
    PullRequestRequested,
    /// An administrator requested that the gates of a sealed build run again.
    GateRerunRequested,
    GateRerunFinished,
    /// A connection to a remote repository was tested.
    RemoteTested,
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
