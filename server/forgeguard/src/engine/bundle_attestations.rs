//! The attestations in a bundle that other tools read: a file for each predicate type, with a line for
//! each envelope, as the in-toto Attestation Framework names and arranges them.

use domain::{
    attestation::Envelope,
    standard_attestations::{SealedBuild, differences},
};
use serde_json::Value;

use super::seal_key::{PublicKey, SealKey};
use crate::journal::verify::shorten;

/// A test result for each gate that ran tests; absent if none did.
pub const TEST_RESULTS: &str = "test-results.intoto.jsonl";
/// The verdict.
pub const SUMMARY: &str = "verification-summary.intoto.jsonl";
/// What the branch was built from.
pub const PROVENANCE: &str = "provenance.intoto.jsonl";

/// Bundles of seals by earlier rules may lack the files.
const FIRST_RULES: u32 = 5;
/// Differences of one attestation that are reported.
const MAX_DIFFERENCES: usize = 10;

/// The files and their statements. `seal` is the name of the file with the signed statement, and its
/// SHA-256.
pub fn statements(sealed: &SealedBuild<'_>, seal: (&str, &str)) -> [(&'static str, Vec<Value>); 3] {
    [
        (TEST_RESULTS, sealed.test_results()),
        (SUMMARY, vec![sealed.verification_summary(seal)]),
        (PROVENANCE, vec![sealed.provenance()]),
    ]
}

/// Whether a bundle of a seal by these rules contains the files.
pub fn are_required(rules: u32) -> bool {
    rules >= FIRST_RULES
}

/// A file of signed statements.
pub fn sign(statements: &[Value], key: &SealKey) -> serde_json::Result<String> {
    let key_id = key.public().id();
    let mut file = String::new();
    for statement in statements {
        let payload = serde_json::to_vec(statement)?;
        let envelope = Envelope::sign(&payload, key_id.clone(), |bytes| key.sign(bytes));
        file += &serde_json::to_string(&envelope)?;
        file.push('\n');
    }
    Ok(file)
}

/// What is wrong with a file that should contain these statements, signed with this key.
pub fn problems(file: &[u8], expected: &[Value], key: &PublicKey) -> Vec<String> {
    let Ok(text) = std::str::from_utf8(file) else { return vec!["it is not text".to_owned()] };
    let Some(text) = text.strip_suffix('\n') else { return vec!["its end is missing".to_owned()] };
    let lines: Vec<&str> = text.split('\n').collect();
    if lines.len() != expected.len() {
        let (found, wanted) = (lines.len(), expected.len());
        return vec![format!("it has {found} lines, the bundle gives {wanted}")];
    }
    let mut problems = Vec::new();
    for ((number, line), expected) in (1..).zip(lines).zip(expected) {
        match payload(line, key) {
            Ok(found) => {
                let differing = differences(&found, expected).into_iter().take(MAX_DIFFERENCES);
                let shown = differing.map(|what| format!("line {number}: {}", shorten(&what)));
                problems.extend(shown);
            }
            Err(why) => problems.push(format!("line {number}: {why}")),
        }
    }
    problems
}

fn payload(line: &str, key: &PublicKey) -> Result<Value, String> {
    let envelope: Envelope = serde_json::from_str(line).map_err(|error| error.to_string())?;
    if envelope.signatures.iter().any(|signature| signature.keyid != key.id()) {
        return Err("it names another key".to_owned());
    }
    let payload = envelope
        .open(|bytes, signature| key.verifies(bytes, signature))
        .map_err(|error| error.to_string())?
        .ok_or("the signature is not of this key over this text")?;
    serde_json::from_slice(&payload).map_err(|error| error.to_string())
}
