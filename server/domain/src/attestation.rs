//! What a seal says to the outside: an in-toto statement in a DSSE envelope.
//!
//! Forms: in-toto Attestation Framework, Statement v1; DSSE v1 (`PAE`, envelope). Keys and
//! signatures are somebody else's.

use std::collections::BTreeMap;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    contract::ContractType,
    ids::{BuildId, ProjectId},
    verdict::{Evidence, Verdict},
};

/// The media type of what an envelope holds.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
/// The form of the statement.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// What the statement is about.
pub const PREDICATE_TYPE: &str = "urn:forgeguard:seal:v1";
/// The digest that names a commit.
const GIT_COMMIT: &str = "gitCommit";

/// A sealed build as others may check it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Statement {
    /// [`STATEMENT_TYPE`].
    #[serde(rename = "_type")]
    pub form: String,
    /// The branch, by its seal commit: one entry.
    pub subject: Vec<Subject>,
    /// [`PREDICATE_TYPE`].
    pub predicate_type: String,
    /// What is said of it.
    pub predicate: Predicate,
}

/// What a statement is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// The branch.
    pub name: String,
    /// `gitCommit` → its last commit.
    pub digest: BTreeMap<String, String>,
}

/// What is said of a sealed branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Predicate {
    /// The build.
    pub build_id: BuildId,
    /// Its project.
    pub project_id: ProjectId,
    /// By the rules, from the evidence.
    pub verdict: Verdict,
    /// 0 to 100, for the reader.
    pub score: u8,
    /// The commit that the branch began at.
    pub baseline: String,
    /// Where the journal ends.
    pub journal: JournalEnd,
    /// sha256 of the evidence in the journal's last event, as JSON.
    pub evidence_sha256: String,
    /// The contracts that the build was bound to, in their order.
    pub contracts: Vec<ContractDigest>,
    /// When it was sealed.
    pub sealed_at: DateTime<Utc>,
}

/// The last event of a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalEnd {
    /// How many events there are.
    pub events: u64,
    /// The hash of the last one.
    pub head: String,
}

/// One contract, by its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContractDigest {
    /// Which of the nine.
    #[serde(rename = "type")]
    pub kind: ContractType,
    /// Its version.
    pub version: u32,
    /// Of its text.
    pub sha256: String,
}

/// A signed payload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Envelope {
    /// [`PAYLOAD_TYPE`].
    pub payload_type: String,
    /// In base64.
    pub payload: String,
    /// One is enough.
    pub signatures: Vec<Signature>,
}

/// Who signed, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// Names the key.
    pub keyid: String,
    /// In base64.
    pub sig: String,
}

/// Why an envelope holds no statement about a seal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// Its parts are not what they should be.
    #[error("it is no envelope: {0}")]
    Form(String),
    /// It holds something else.
    #[error("it holds {found} where {wanted} is wanted")]
    Type {
        /// What it says.
        found: String,
        /// What it should say.
        wanted: &'static str,
    },
}

impl Statement {
    /// About the branch of a build that ends in `seal_commit`.
    pub fn about(branch: String, seal_commit: String, predicate: Predicate) -> Self {
        let digest = BTreeMap::from([(GIT_COMMIT.to_owned(), seal_commit)]);
        Self {
            form: STATEMENT_TYPE.to_owned(),
            subject: vec![Subject { name: branch, digest }],
            predicate_type: PREDICATE_TYPE.to_owned(),
            predicate,
        }
    }

    /// The branch and its last commit, if it is about one.
    pub fn branch(&self) -> Option<(&str, &str)> {
        let [subject] = self.subject.as_slice() else { return None };
        Some((&subject.name, subject.digest.get(GIT_COMMIT)?))
    }
}

impl Envelope {
    /// The payload with a signature that `sign` makes of [`pae`].
    pub fn sign(payload: &[u8], keyid: String, sign: impl FnOnce(&[u8]) -> Vec<u8>) -> Self {
        let sig = BASE64_STANDARD.encode(sign(&pae(PAYLOAD_TYPE, payload)));
        Self {
            payload_type: PAYLOAD_TYPE.to_owned(),
            payload: BASE64_STANDARD.encode(payload),
            signatures: vec![Signature { keyid, sig }],
        }
    }

    /// The payload, if `verify` holds for one of the signatures over it: it gets what was signed and
    /// the signature.
    ///
    /// # Errors
    /// When the envelope is damaged.
    pub fn open(
        &self,
        verify: impl Fn(&[u8], &[u8]) -> bool,
    ) -> Result<Option<Vec<u8>>, EnvelopeError> {
        expect(&self.payload_type, PAYLOAD_TYPE)?;
        let payload = decode(&self.payload)?;
        let signed = pae(&self.payload_type, &payload);
        for signature in &self.signatures {
            if verify(&signed, &decode(&signature.sig)?) {
                return Ok(Some(payload));
            }
        }
        Ok(None)
    }
}

/// Reads the statement that an envelope held.
///
/// # Errors
/// When it is none, or about something else.
pub fn statement(payload: &[u8]) -> Result<Statement, EnvelopeError> {
    let statement: Statement =
        serde_json::from_slice(payload).map_err(|error| EnvelopeError::Form(error.to_string()))?;
    expect(&statement.form, STATEMENT_TYPE)?;
    expect(&statement.predicate_type, PREDICATE_TYPE)?;
    Ok(statement)
}

/// What a signature is made of: type and payload, each with its length (DSSE v1, "PAE").
pub fn pae(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let mut bytes =
        format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len()).into_bytes();
    bytes.extend_from_slice(payload);
    bytes
}

/// The digest under which evidence is signed.
pub fn evidence_sha256(evidence: &Evidence) -> String {
    sha256(serde_json::to_string(evidence).unwrap_or_default().as_bytes())
}

/// sha256 in hex.
pub fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

fn expect(found: &str, wanted: &'static str) -> Result<(), EnvelopeError> {
    match found == wanted {
        true => Ok(()),
        false => Err(EnvelopeError::Type { found: found.chars().take(100).collect(), wanted }),
    }
}

fn decode(text: &str) -> Result<Vec<u8>, EnvelopeError> {
    BASE64_STANDARD.decode(text).map_err(|error| EnvelopeError::Form(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_signed_is_what_the_form_says() {
        // The example of the DSSE v1 protocol.
        let signed = pae("http://example.com/HelloWorld", b"hello world");
        assert_eq!(signed, b"DSSEv1 29 http://example.com/HelloWorld 11 hello world");
    }

    #[test]
    fn an_envelope_opens_for_its_signature_alone() {
        let sign = |bytes: &[u8]| Sha256::digest(bytes).to_vec();
        let good = |bytes: &[u8], signature: &[u8]| sign(bytes) == signature;
        let envelope = Envelope::sign(b"{}", "k".into(), sign);
        assert_eq!(envelope.open(good), Ok(Some(b"{}".to_vec())));
        let other = Envelope { payload: BASE64_STANDARD.encode("[]"), ..envelope.clone() };
        assert_eq!(other.open(good), Ok(None));
        let damaged = Envelope { payload: "~".into(), ..envelope.clone() };
        assert!(matches!(damaged.open(good), Err(EnvelopeError::Form(_))));
        let foreign = Envelope { payload_type: "text/plain".into(), ..envelope };
        let refused = foreign.open(good).unwrap_err().to_string();
        assert!(refused.contains("text/plain"), "{refused}");
        assert!(matches!(statement(b"{}"), Err(EnvelopeError::Form(_))));
    }
}
