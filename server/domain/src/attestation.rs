//! A seal in a form that third parties can verify: an in-toto statement in a DSSE envelope.
//!
//! Formats: in-toto Attestation Framework, Statement v1; DSSE v1 (`PAE`, envelope). Creating keys and
//! signatures is up to the caller.

use std::collections::BTreeMap;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    audit::AuditHead,
    contract::ContractType,
    ids::{BuildId, ProjectId},
    verdict::{Evidence, Verdict},
};

/// The media type of an envelope's payload.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
/// The type of the statement.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// The type of the predicate.
pub const PREDICATE_TYPE: &str = "urn:forgeguard:seal:v1";
/// Algorithm name of a commit's digest.
const GIT_COMMIT: &str = "gitCommit";
/// Algorithm name of a file's digest.
const SHA256: &str = "sha256";
/// The exported journal in a bundle: one event per line, with a final newline.
pub const JOURNAL_FILE: &str = "journal.ndjson";

/// The statement about a sealed build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Statement {
    /// [`STATEMENT_TYPE`].
    #[serde(rename = "_type")]
    pub form: String,
    /// The exported journal by its SHA-256, the digest that every in-toto library reads. In
    /// statements of earlier versions: the branch, by its seal commit.
    pub subject: Vec<Subject>,
    /// [`PREDICATE_TYPE`].
    pub predicate_type: String,
    pub predicate: Predicate,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// The file in the bundle; in statements of earlier versions the branch.
    pub name: String,
    /// `sha256` or `gitCommit`, and its value in hex.
    pub digest: BTreeMap<String, String>,
}

/// The claims about a sealed branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Predicate {
    pub build_id: BuildId,
    pub project_id: ProjectId,
    /// Follows from the evidence by fixed rules.
    pub verdict: Verdict,
    /// 0 to 100, for display only.
    pub score: u8,
    /// The commit that the branch started from, or that its base branch had when it was merged last.
    pub baseline: String,
    /// Missing in statements of earlier versions, where it is the subject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<BranchEnd>,
    pub journal: JournalEnd,
    /// SHA-256 of the evidence in the journal's last event, as JSON.
    pub evidence_sha256: String,
    /// The pinned contracts, in their order.
    pub contracts: Vec<ContractDigest>,
    pub sealed_at: DateTime<Utc>,
    /// The newest entry of the installation's audit log when the build was sealed; missing in
    /// statements of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit_log: Option<AuditHead>,
}

/// A branch and its last commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BranchEnd {
    /// Without `refs/heads/`.
    pub name: String,
    /// The seal commit.
    pub commit: String,
}

/// The end of a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalEnd {
    /// The number of events.
    pub events: u64,
    /// The hash of the last event.
    pub head: String,
}

/// A contract, by the digest of its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContractDigest {
    #[serde(rename = "type")]
    pub kind: ContractType,
    pub version: u32,
    /// Of its content.
    pub sha256: String,
}

/// A DSSE envelope: a payload and its signatures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Envelope {
    /// [`PAYLOAD_TYPE`].
    pub payload_type: String,
    /// In base64.
    pub payload: String,
    /// One valid signature is sufficient.
    pub signatures: Vec<Signature>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// Identifies the key.
    pub keyid: String,
    /// In base64.
    pub sig: String,
}

/// Why an envelope contains no statement about a seal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    #[error("the envelope cannot be read: {0}")]
    Form(String),
    #[error("expected {wanted}, found {found}")]
    Type { found: String, wanted: &'static str },
}

impl Statement {
    /// A statement about a sealed build, with the SHA-256 of its exported journal as the subject.
    pub fn about(journal_sha256: String, predicate: Predicate) -> Self {
        let digest = BTreeMap::from([(SHA256.to_owned(), journal_sha256)]);
        Self {
            form: STATEMENT_TYPE.to_owned(),
            subject: vec![Subject { name: JOURNAL_FILE.to_owned(), digest }],
            predicate_type: PREDICATE_TYPE.to_owned(),
            predicate,
        }
    }

    /// The statement as earlier versions wrote it: about the branch, by its commit.
    pub fn in_earlier_form(mut self) -> Self {
        if let Some(BranchEnd { name, commit }) = self.predicate.branch.take() {
            let digest = BTreeMap::from([(GIT_COMMIT.to_owned(), commit)]);
            self.subject = vec![Subject { name, digest }];
        }
        self
    }

    /// The branch and its last commit, if the statement names them.
    pub fn branch(&self) -> Option<(&str, &str)> {
        if let Some(branch) = &self.predicate.branch {
            return Some((&branch.name, &branch.commit));
        }
        let [subject] = self.subject.as_slice() else { return None };
        Some((&subject.name, subject.digest.get(GIT_COMMIT)?))
    }

    /// SHA-256 of the exported journal; `None` in statements of earlier versions.
    pub fn journal_sha256(&self) -> Option<&str> {
        let subject = self.subject.iter().find(|subject| subject.name == JOURNAL_FILE)?;
        subject.digest.get(SHA256).map(String::as_str)
    }
}

impl Envelope {
    /// The payload with a signature of [`pae`], created by `sign`.
    pub fn sign(payload: &[u8], keyid: String, sign: impl FnOnce(&[u8]) -> Vec<u8>) -> Self {
        let sig = BASE64_STANDARD.encode(sign(&pae(PAYLOAD_TYPE, payload)));
        Self {
            payload_type: PAYLOAD_TYPE.to_owned(),
            payload: BASE64_STANDARD.encode(payload),
            signatures: vec![Signature { keyid, sig }],
        }
    }

    /// The payload, if `verify` accepts one of the signatures. It receives the signed bytes and the
    /// signature.
    ///
    /// # Errors
    /// If the envelope is malformed.
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

/// Parses the statement in an envelope's payload.
///
/// # Errors
/// If it is not a statement about a seal.
pub fn statement(payload: &[u8]) -> Result<Statement, EnvelopeError> {
    let statement: Statement =
        serde_json::from_slice(payload).map_err(|error| EnvelopeError::Form(error.to_string()))?;
    expect(&statement.form, STATEMENT_TYPE)?;
    expect(&statement.predicate_type, PREDICATE_TYPE)?;
    Ok(statement)
}

/// The bytes that are signed: type and payload, each with its length (DSSE v1, "PAE").
pub fn pae(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let mut bytes =
        format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len()).into_bytes();
    bytes.extend_from_slice(payload);
    bytes
}

/// The digest by which a statement names evidence.
pub fn evidence_sha256(evidence: &Evidence) -> String {
    sha256(serde_json::to_string(evidence).unwrap_or_default().as_bytes())
}

/// SHA-256 in hex.
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
    fn pae_matches_the_example_of_the_protocol() {
        // From the DSSE v1 protocol.
        let signed = pae("http://example.com/HelloWorld", b"hello world");
        assert_eq!(signed, b"DSSEv1 29 http://example.com/HelloWorld 11 hello world");
    }

    #[test]
    fn envelope_opens_only_with_a_valid_signature() {
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
