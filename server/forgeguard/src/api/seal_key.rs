//! `/api/seal-key`: the public key that verifies this installation's seals.

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::{api_error::ProblemDetails, app::Shared, extract::Json, identity::Identity};

#[derive(Debug, Serialize, ToSchema)]
pub struct SealKey {
    /// An Ed25519 key in PEM format.
    public_key: String,
    /// SHA-256 of its SPKI form, in hex: the key id in the signatures of seals.
    key_id: String,
}

/// Gets the public key that verifies this installation's seals.
#[utoipa::path(get, path = "/api/seal-key", tag = "settings", responses(
    (status = 200, body = SealKey),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn get_seal_key(State(app): State<Shared>, _: Identity) -> Json<SealKey> {
    let key = app.engine.public_seal_key();
    Json(SealKey { public_key: key.to_pem(), key_id: key.id() })
}
