//! The signed seal: whether it is the recorded one, signed by this installation's key, and about
//! this build as stored.

use std::collections::BTreeMap;

use domain::{
    attestation::{Envelope, Statement, sha256, statement},
    audit::{AuditAction, AuditHead},
    ids::BuildId,
};
use serde_json::Value;

use crate::{
    engine::{error::EngineError, paths::Paths, seal_key::SealKey, statement},
    journal::verify::{Problem, Verification, shorten},
    store::{self, Conn, seals},
};

/// The digest of the envelope that the audit log recorded when the seal was signed; `None` for a
/// seal that was never signed.
///
/// # Errors
/// If the database fails.
pub async fn recorded_digest(conn: &mut Conn, build_id: BuildId) -> store::Result<Option<String>> {
    let entries = store::audit_log::about(conn, &format!("build/{build_id}")).await?;
    let signed = entries.into_iter().find(|entry| entry.is(AuditAction::SealSigned));
    Ok(signed.map(|entry| {
        let detail: Value = serde_json::from_str(&entry.detail).unwrap_or_default();
        detail["envelope_sha256"].as_str().unwrap_or_default().to_owned()
    }))
}

/// The audit log entries that signed seals name. An envelope that cannot be read is reported when
/// its own build is verified.
pub async fn signed_audit_heads(conn: &mut Conn) -> store::Result<BTreeMap<BuildId, AuditHead>> {
    let heads = seals::envelopes(conn).await?.into_iter().filter_map(|(build, envelope)| {
        let envelope: Envelope = serde_json::from_str(&envelope).ok()?;
        let payload = envelope.open(|_, _| true).ok()??;
        Some((build, statement(&payload).ok()?.predicate.audit_log?))
    });
    Ok(heads.collect())
}

/// Compares the envelope with its record, the key and the database.
pub async fn compare(
    conn: &mut Conn,
    paths: &Paths,
    build_id: BuildId,
    found: &mut Verification,
) -> Result<(), EngineError> {
    let recorded = recorded_digest(conn, build_id).await?;
    let text = match (seals::envelope(conn, build_id).await?, recorded) {
        (None, None) => {
            found.notes.push("The seal is not signed yet.".to_owned());
            return Ok(());
        }
        (None, Some(_)) => {
            let what = "seals.envelope: the signed seal is missing, although the audit log records \
                that it was signed";
            found.extend([Problem::of(what)]);
            return Ok(());
        }
        (Some(text), recorded) => {
            let digest = sha256(text.as_bytes());
            let what = match recorded {
                None => Some("the audit log does not record that this seal was signed"),
                Some(recorded) if recorded != digest => {
                    Some("the signed seal is not the one that the audit log records")
                }
                Some(_) => None,
            };
            found.extend(what.map(|what| Problem::of(format!("seals.envelope: {what}"))));
            text
        }
    };
    let signed = match opened(&text, paths) {
        Ok(signed) => signed,
        Err(what) => {
            found.extend([Problem::of(format!("seals.envelope: {what}"))]);
            return Ok(());
        }
    };
    // Unreadable parts are reported by the checks before this one.
    if let Ok(derived) = statement::of_build(conn, build_id, found).await {
        let derived = match signed.predicate.branch {
            Some(_) => derived,
            None => derived.in_earlier_form(),
        };
        found.extend(differences(&signed, &derived).into_iter().map(Problem::of));
    }
    Ok(())
}

/// The statement, if this installation's key signed it.
fn opened(text: &str, paths: &Paths) -> Result<Statement, String> {
    let envelope: Envelope = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let key = SealKey::read(&paths.seal_key())
        .map_err(|error| format!("the installation's key cannot be read: {error}"))?
        .public();
    let payload = envelope
        .open(|bytes, signature| key.verifies(bytes, signature))
        .map_err(|error| error.to_string())?
        .ok_or_else(|| format!("it is not signed with this installation's key {}", key.id()))?;
    statement(&payload).map_err(|error| error.to_string())
}

fn differences(signed: &Statement, derived: &Statement) -> Vec<String> {
    let mut found = Vec::new();
    if signed.subject != derived.subject {
        found.push("seals.envelope: the signed statement is about another journal".to_owned());
    }
    let as_json = |statement: &Statement| serde_json::to_value(&statement.predicate);
    let (Ok(Value::Object(signed)), Ok(Value::Object(derived))) =
        (as_json(signed), as_json(derived))
    else {
        return found;
    };
    let names = signed.keys().chain(derived.keys().filter(|name| !signed.contains_key(*name)));
    found.extend(names.filter(|name| signed.get(*name) != derived.get(*name)).map(|name| {
        let shown = |value: Option<&Value>| shorten(&value.unwrap_or(&Value::Null).to_string());
        let (was, is) = (shown(signed.get(name)), shown(derived.get(name)));
        format!("the signed seal says that {name} is {was}, the database gives {is}")
    }));
    found
}
