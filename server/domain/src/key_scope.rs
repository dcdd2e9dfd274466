//! What a forge key permits.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A group of operations that a key can be limited to.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum KeyScope {
    /// View and clone. Every key has it.
    Read,
    /// Start and control builds, answer their questions, and push.
    Build,
    /// Edit and generate contracts, and what they are written from.
    Contracts,
    /// Comment on and decide about sealed builds.
    Review,
}

/// The operations that a key permits, within the permissions of its account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyAccess {
    /// All operations that accept forge keys.
    Full,
    Scoped(BTreeSet<KeyScope>),
}

impl KeyScope {
    pub const ALL: [Self; 4] = [Self::Read, Self::Build, Self::Contracts, Self::Review];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Build => "build",
            Self::Contracts => "contracts",
            Self::Review => "review",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }
}

impl KeyAccess {
    /// These scopes, and reading, without which none of them is useful.
    pub fn scoped(scopes: impl IntoIterator<Item = KeyScope>) -> Self {
        Self::Scoped(scopes.into_iter().chain([KeyScope::Read]).collect())
    }

    pub fn permits(&self, scope: KeyScope) -> bool {
        match self {
            Self::Full => true,
            Self::Scoped(scopes) => scopes.contains(&scope),
        }
    }

    /// The scopes in order; `None` if the key has full access.
    pub fn scopes(&self) -> Option<Vec<KeyScope>> {
        match self {
            Self::Full => None,
            Self::Scoped(scopes) => Some(scopes.iter().copied().collect()),
        }
    }

    /// As stored: names separated by spaces; `None` for full access.
    pub fn to_stored(&self) -> Option<String> {
        let names = self.scopes()?.into_iter().map(KeyScope::name).collect::<Vec<_>>();
        Some(names.join(" "))
    }

    /// The access in a stored text. Unknown scopes permit nothing.
    pub fn from_stored(text: Option<&str>) -> Self {
        match text {
            None => Self::Full,
            Some(text) => {
                Self::Scoped(text.split_whitespace().filter_map(KeyScope::from_name).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_access_is_read_back() {
        for access in [
            KeyAccess::Full,
            KeyAccess::scoped([]),
            KeyAccess::scoped([KeyScope::Build, KeyScope::Review]),
        ] {
            assert_eq!(KeyAccess::from_stored(access.to_stored().as_deref()), access);
        }
        assert_eq!(KeyAccess::scoped([KeyScope::Build]).to_stored().as_deref(), Some("read build"));
    }

    #[test]
    fn unknown_scope_permits_nothing() {
        let access = KeyAccess::from_stored(Some("everything"));
        assert!(KeyScope::ALL.into_iter().all(|scope| !access.permits(scope)));
        assert!(KeyScope::ALL.into_iter().all(|scope| KeyAccess::Full.permits(scope)));
    }
}
