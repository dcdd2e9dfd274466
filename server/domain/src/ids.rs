//! Typed identifiers: a UUIDv7 each, made outside this crate, never mixed up inside it.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// What every identifier can do, so that storage and tests can treat them alike.
pub trait Id: Copy + Eq + Ord + fmt::Display + FromStr + Send + Sync + 'static {
    /// Wraps a UUID that the caller made.
    fn from_uuid(uuid: Uuid) -> Self;
    /// The UUID inside.
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
    /// A person with an account.
    UserId;
    /// A signed-in browser or script, alive until its refresh token expires.
    SessionId;
    /// An API key of a user.
    ForgeKeyId;
    /// What is being built.
    ProjectId;
    /// One version of one contract.
    ContractId;
    /// A frozen set of contract versions ("batch") that a build pins.
    SnapshotId;
    /// One run of a model that writes contracts or answers.
    GenerationId;
    /// One build cycle: one branch, one worktree, one journal, one seal.
    BuildId;
    /// One run of one agent within a build.
    RunId;
    /// A question that the builder asked.
    ClarificationId;
    /// One distinct error of a build.
    BuildErrorId;
    /// One decision about a sealed build.
    ReviewId;
    /// What somebody said about a line of a sealed build.
    ReviewCommentId;
    /// A row of the queue.
    WorkItemId;
}
