//! Typed identifiers: UUIDv7, created by the caller.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// The common interface of all identifiers.
pub trait Id: Copy + Eq + Ord + fmt::Display + FromStr + Send + Sync + 'static {
    fn from_uuid(uuid: Uuid) -> Self;
    fn uuid(self) -> Uuid;
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
        #[serde(transparent)]
        #[schema(value_type = String, format = Uuid)]
        pub struct $name(Uuid);

        impl Id for $name {
            fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }
            fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    )*};
}

ids! {
    /// A user with an account.
    UserId;
    /// A signed-in client, until its refresh token expires.
    SessionId;
    /// An API key of a user.
    ForgeKeyId;
    ProjectId;
    /// A version of a contract.
    ContractId;
    /// A set of contract versions that a build pins.
    SnapshotId;
    /// The delivery of a sealed build to a remote.
    BranchDeliveryId;
    /// A run of the gates of a sealed build for a reviewer.
    GateRerunId;
    /// A generation of contracts or answers by a model.
    GenerationId;
    /// A build: one branch, one worktree, one journal, one seal.
    BuildId;
    /// A run of an agent within a build.
    RunId;
    /// A question to the user.
    ClarificationId;
    /// A distinct error of a build.
    BuildErrorId;
    /// A decision about a sealed build.
    ReviewId;
    /// A comment on a line of a sealed build.
    ReviewCommentId;
    /// A row of the queue of builds.
    WorkItemId;
    /// Something that users are notified of by email and webhooks.
    NotificationId;
    /// A URL that is called about notifications.
    WebhookId;
    /// A notification to one webhook or user.
    DeliveryId;
    /// A token or key for remote repositories.
    CredentialId;
    /// A fetch of a remote repository.
    FetchId;
    /// A provider with which users sign in.
    SignInProviderId;
    /// The link between an account and a user of such a provider.
    IdentityId;
    /// Something to be built in a project.
    BacklogItemId;
}
