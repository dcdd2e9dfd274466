//! How our types are stored in columns of either database.
//!
//! Identifiers are UUID in PostgreSQL and hyphenated TEXT in SQLite. Times are TIMESTAMPTZ and
//! INTEGER microseconds: eight bytes that compare as numbers, where text would take 27 and a
//! parser. Both are truncated to microseconds, PostgreSQL's precision, so that times are equal when
//! read.

use chrono::{DateTime, SubsecRound, Utc};
use domain::{
    audit::AuditAction,
    branch_delivery::{DeliveryState, PullRequestState},
    contract::{ContractFormat, ContractType, VersionSource},
    demo_speed::DemoSpeed,
    device_sign_in::DeviceSignInStatus,
    errors::{ResolutionMethod, Severity},
    event::{
        agents::Role,
        branch::BranchLife,
        life::Origin,
        questions::{ClarificationKind, ResolvedHow},
    },
    gate::SandboxLevel,
    gate_rerun::RerunStatus,
    generation::{DraftStatus, GenerationKind, GenerationStatus},
    ids::{
        BacklogItemId, BranchDeliveryId, BuildErrorId, BuildId, ClarificationId, ContractId,
        CredentialId, DeliveryId, FetchId, ForgeKeyId, GateRerunId, GenerationId, Id, IdentityId,
        NotificationId, ProjectId, ReviewCommentId, ReviewId, RunId, SessionId, SignInProviderId,
        SnapshotId, UserId, WebhookId, WorkItemId,
    },
    interview::Author,
    model_provider::ModelProvider,
    notification::{DeliveryStatus, NotificationKind},
    questionnaire::Size,
    remote::{CredentialKind, CredentialScope, FetchKind, FetchStatus, ForgeKind, RemoteProblem},
    review::{DiffSide, ReviewDecision},
    sign_in_provider::{FirstSignIn, SignInProviderKind},
    state::{PhaseStatus, Status},
    user_role::UserRole,
    verdict::Verdict,
};
use serde::{Deserialize, de::IntoDeserializer};
use sqlx::{Decode, Postgres, Sqlite, Type};
use uuid::{Uuid, fmt::Hyphenated};

use super::error::{Error, Result};

/// A value that can be bound to a statement.
pub(crate) trait Bind {
    type Sqlite;
    type Postgres;
    fn sqlite(self) -> Self::Sqlite;
    fn postgres(self) -> Self::Postgres;
}

/// A value that can be read from a column.
pub(crate) trait Read: Sized {
    type Sqlite: for<'r> Decode<'r, Sqlite> + Type<Sqlite>;
    type Postgres: for<'r> Decode<'r, Postgres> + Type<Postgres>;
    fn from_sqlite(stored: Self::Sqlite) -> Result<Self>;
    fn from_postgres(stored: Self::Postgres) -> Result<Self>;
}

macro_rules! bind_as_is {
    ($($type:ty),+) => {$(
        impl Bind for $type {
            type Sqlite = Self;
            type Postgres = Self;
            fn sqlite(self) -> Self {
                self
            }
            fn postgres(self) -> Self {
                self
            }
        }
    )+};
}

macro_rules! read_as_is {
    ($($type:ty),+) => {$(
        impl Read for $type {
            type Sqlite = Self;
            type Postgres = Self;
            fn from_sqlite(stored: Self) -> Result<Self> {
                Ok(stored)
            }
            fn from_postgres(stored: Self) -> Result<Self> {
                Ok(stored)
            }
        }
    )+};
}

bind_as_is!(i64, f64, bool, &str, String, &[u8], Vec<u8>);
read_as_is!(i64, f64, bool, String, Vec<u8>);

/// Both databases have signed 64-bit integers only, which suffice for all counts.
macro_rules! unsigned {
    ($($type:ty),+) => {$(
        impl Bind for $type {
            type Sqlite = i64;
            type Postgres = i64;
            fn sqlite(self) -> i64 {
                i64::try_from(self).unwrap_or(i64::MAX)
            }
            fn postgres(self) -> i64 {
                self.sqlite()
            }
        }

        impl Read for $type {
            type Sqlite = i64;
            type Postgres = i64;
            fn from_sqlite(stored: i64) -> Result<Self> {
                Self::try_from(stored)
                    .map_err(|_| Error::Unreadable { wanted: "count", value: stored.to_string() })
            }
            fn from_postgres(stored: i64) -> Result<Self> {
                Self::from_sqlite(stored)
            }
        }
    )+};
}

unsigned!(u32, u64);

impl Bind for Uuid {
    type Sqlite = Hyphenated;
    type Postgres = Uuid;
    fn sqlite(self) -> Hyphenated {
        self.hyphenated()
    }
    fn postgres(self) -> Uuid {
        self
    }
}

impl Read for Uuid {
    type Sqlite = Hyphenated;
    type Postgres = Uuid;
    fn from_sqlite(stored: Hyphenated) -> Result<Self> {
        Ok(stored.into_uuid())
    }
    fn from_postgres(stored: Uuid) -> Result<Self> {
        Ok(stored)
    }
}

macro_rules! ids {
    ($($type:ty),+ $(,)?) => {$(
        impl Bind for $type {
            type Sqlite = Hyphenated;
            type Postgres = Uuid;
            fn sqlite(self) -> Hyphenated {
                self.uuid().hyphenated()
            }
            fn postgres(self) -> Uuid {
                self.uuid()
            }
        }

        impl Read for $type {
            type Sqlite = Hyphenated;
            type Postgres = Uuid;
            fn from_sqlite(stored: Hyphenated) -> Result<Self> {
                Ok(Self::from_uuid(stored.into_uuid()))
            }
            fn from_postgres(stored: Uuid) -> Result<Self> {
                Ok(Self::from_uuid(stored))
            }
        }
    )+};
}

// A blanket implementation over `Id` would overlap with the others: the trait is another crate's.
ids!(
    BacklogItemId,
    BranchDeliveryId,
    BuildErrorId,
    BuildId,
    ClarificationId,
    ContractId,
    CredentialId,
    IdentityId,
    SignInProviderId,
    DeliveryId,
    FetchId,
    ForgeKeyId,
    GateRerunId,
    GenerationId,
    NotificationId,
    ProjectId,
    ReviewCommentId,
    ReviewId,
    RunId,
    SessionId,
    SnapshotId,
    UserId,
    WebhookId,
    WorkItemId,
);

/// Enums without fields are stored by their names in JSON.
macro_rules! words {
    ($($type:ty),+ $(,)?) => {$(
        impl Bind for $type {
            type Sqlite = String;
            type Postgres = String;
            fn sqlite(self) -> String {
                match serde_json::to_value(self) {
                    Ok(serde_json::Value::String(word)) => word,
                    other => unreachable!("{self:?} is no word in JSON but {other:?}"),
                }
            }
            fn postgres(self) -> String {
                self.sqlite()
            }
        }

        impl Read for $type {
            type Sqlite = String;
            type Postgres = String;
            fn from_sqlite(stored: String) -> Result<Self> {
                let word: serde::de::value::StrDeserializer<'_, serde::de::value::Error> =
                    stored.as_str().into_deserializer();
                Self::deserialize(word)
                    .map_err(|_| Error::Unreadable { wanted: stringify!($type), value: stored })
            }
            fn from_postgres(stored: String) -> Result<Self> {
                Self::from_sqlite(stored)
            }
        }
    )+};
}

words!(
    AuditAction,
    Author,
    BranchLife,
    ClarificationKind,
    ContractFormat,
    ContractType,
    CredentialKind,
    FirstSignIn,
    SignInProviderKind,
    CredentialScope,
    DeliveryState,
    DeliveryStatus,
    DemoSpeed,
    DeviceSignInStatus,
    DiffSide,
    DraftStatus,
    FetchKind,
    FetchStatus,
    ForgeKind,
    GenerationKind,
    GenerationStatus,
    ModelProvider,
    NotificationKind,
    Origin,
    PhaseStatus,
    PullRequestState,
    RemoteProblem,
    RerunStatus,
    ResolutionMethod,
    ResolvedHow,
    ReviewDecision,
    Role,
    SandboxLevel,
    Severity,
    Size,
    Status,
    UserRole,
    Verdict,
    VersionSource,
);

impl Bind for DateTime<Utc> {
    type Sqlite = i64;
    type Postgres = Self;
    fn sqlite(self) -> i64 {
        self.timestamp_micros()
    }
    fn postgres(self) -> Self {
        self.trunc_subsecs(6)
    }
}

impl Read for DateTime<Utc> {
    type Sqlite = i64;
    type Postgres = Self;
    fn from_sqlite(stored: i64) -> Result<Self> {
        Self::from_timestamp_micros(stored)
            .ok_or_else(|| Error::Unreadable { wanted: "time", value: stored.to_string() })
    }
    fn from_postgres(stored: Self) -> Result<Self> {
        Ok(stored)
    }
}

impl<T: Bind> Bind for Option<T> {
    type Sqlite = Option<T::Sqlite>;
    type Postgres = Option<T::Postgres>;
    fn sqlite(self) -> Self::Sqlite {
        self.map(T::sqlite)
    }
    fn postgres(self) -> Self::Postgres {
        self.map(T::postgres)
    }
}

impl<T: Read> Read for Option<T>
where
    Option<T::Sqlite>: for<'r> Decode<'r, Sqlite> + Type<Sqlite>,
    Option<T::Postgres>: for<'r> Decode<'r, Postgres> + Type<Postgres>,
{
    type Sqlite = Option<T::Sqlite>;
    type Postgres = Option<T::Postgres>;
    fn from_sqlite(stored: Self::Sqlite) -> Result<Self> {
        stored.map(T::from_sqlite).transpose()
    }
    fn from_postgres(stored: Self::Postgres) -> Result<Self> {
        stored.map(T::from_postgres).transpose()
    }
}
