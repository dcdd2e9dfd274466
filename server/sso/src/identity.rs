//! Whom a provider has authenticated.

use serde_json::{Map, Value};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Unique and stable within the provider.
    pub subject: String,
    pub email: Option<String>,
    /// Whether the provider has verified that the address is the person's.
    pub email_verified: bool,
    pub name: Option<String>,
    /// Claims that the protocol does not define, such as roles.
    pub claims: Map<String, Value>,
}

impl Identity {
    /// Whether a claim is or contains this value. The claim is a name, or a path with dots, such as
    /// `realm_access.roles`.
    pub fn has_claim(&self, claim: &str, value: &str) -> bool {
        match self.claim(claim) {
            Some(Value::String(text)) => text == value,
            Some(Value::Array(items)) => items.iter().any(|item| item.as_str() == Some(value)),
            Some(Value::Bool(flag)) => flag.to_string() == value,
            _ => false,
        }
    }

    fn claim(&self, claim: &str) -> Option<&Value> {
        // Names can contain dots themselves, such as `https://example.org/roles`.
        if let Some(found) = self.claims.get(claim) {
            return Some(found);
        }
        let mut names = claim.split('.');
        let first = self.claims.get(names.next()?)?;
        names.try_fold(first, |value, name| value.get(name))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn claim_is_found_by_name_or_path() {
        let Value::Object(claims) = json!({
            "groups": ["users", "forge-admins"], "role": "admin", "is_admin": true,
            "realm_access": { "roles": ["owner"] }, "https://example.org/roles": ["owner"],
        }) else {
            unreachable!("it is an object")
        };
        let (email, name) = (None, None);
        let subject = "1".to_owned();
        let identity = Identity { subject, email, email_verified: false, name, claims };
        for (claim, value, expected) in [
            ("groups", "forge-admins", true),
            ("groups", "forge", false),
            ("role", "admin", true),
            ("role", "adm", false),
            ("is_admin", "true", true),
            ("realm_access.roles", "owner", true),
            ("realm_access.groups", "owner", false),
            ("https://example.org/roles", "owner", true),
            ("missing", "owner", false),
        ] {
            assert_eq!(identity.has_claim(claim, value), expected, "{claim} {value}");
        }
    }
}
