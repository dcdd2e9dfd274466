//! Extractors of handlers, with their rejections as [`ApiError`].

use axum::{
    extract::{FromRequest, FromRequestParts, Request, rejection::PathRejection},
    http::{HeaderMap, header, request::Parts},
    response::{IntoResponse, Response},
};
use serde::{Serialize, de::DeserializeOwned};

use super::{api_error::ApiError, body, json_value::JsonValue};

/// A JSON body. Unknown fields are rejected if the type denies them.
pub struct Json<T>(pub T);

/// Path parameters; 404 if one cannot be parsed.
pub struct PathParams<T>(pub T);

/// Query parameters.
pub struct QueryParams<T>(pub T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        if !is_json(&parts.headers) {
            return Err(ApiError::unsupported_media_type("application/json"));
        }
        let bytes = body::read(&parts.headers, body, body::MAX_JSON_BYTES).await?;
        parse(&bytes).map(Self)
    }
}

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for PathParams<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match axum::extract::Path::from_request_parts(parts, state).await {
            Ok(axum::extract::Path(value)) => Ok(Self(value)),
            Err(PathRejection::FailedToDeserializePathParams(_)) => {
                Err(ApiError::not_found("resource"))
            }
            Err(error) => Err(ApiError::internal(error)),
        }
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for QueryParams<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let query = parts.uri.query().unwrap_or_default();
        let pairs = serde_urlencoded::Deserializer::new(form_urlencoded::parse(query.as_bytes()));
        serde_path_to_error::deserialize(pairs).map(Self).map_err(invalid_field)
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = value.and_then(|value| value.split(';').next()).unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
        || (essence.starts_with("application/") && essence.ends_with("+json"))
}

/// 422 for a field of the wrong type, 400 for invalid JSON.
fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let not_json = |e: &serde_json::Error| ApiError::bad_request(format!("This is not JSON: {e}."));
    let value: JsonValue = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        // Invalid UTF-8 in a string belongs to a field.
        match error.inner().to_string().starts_with("invalid unicode") {
            true => invalid_field(error),
            false => not_json(error.inner()),
        }
    })?;
    json.end().map_err(|error| not_json(&error))?;
    serde_path_to_error::deserialize(value).map_err(invalid_field)
}

/// Serde reports a missing field at the path of the object around it.
fn invalid_field<E: std::fmt::Display>(error: serde_path_to_error::Error<E>) -> ApiError {
    let path = error.path().to_string();
    let why = error.inner().to_string();
    let why = why.split(" at line ").next().unwrap_or_default().to_owned();
    let prefixes = ["missing field `", "unknown field `", "duplicate field `"];
    let named = prefixes.iter().find_map(|prefix| why.strip_prefix(prefix));
    let field = match (named.and_then(|rest| rest.split('`').next()), path.as_str()) {
        (Some(name), ".") => name.to_owned(),
        (Some(name), path) if !path.ends_with(name) => format!("{path}.{name}"),
        (_, ".") => "body".to_owned(),
        (_, path) => path.to_owned(),
    };
    let why = if why.starts_with("missing field") { "is missing".to_owned() } else { why };
    ApiError::invalid(field, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::StatusCode;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only read")]
    struct Outer {
        name: String,
        gates: Vec<Inner>,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only read")]
    struct Inner {
        timeout_s: u32,
    }

    #[test]
    fn invalid_field_is_named() {
        for (body, field) in [
            (&b"{\"name\":1}"[..], "name"),
            (b"{\"gates\":[]}", "name"),
            (b"{\"name\":\"a\",\"gates\":[{}]}", "gates[0].timeout_s"),
            (b"{\"name\":\"a\",\"gates\":[{\"timeout_s\":-1}]}", "gates[0].timeout_s"),
            (b"{\"name\":\"\xff\xfe\",\"gates\":[]}", "name"),
            (b"[]", "body"),
            (b" [\"a\", []]", "body"),
            (b"{\"name\":\"a\",\"gates\":[[5]]}", "gates[0]"),
            (b"{\"name\":\"a\",\"name\":\"b\",\"gates\":[]}", "name"),
            (b"null", "body"),
        ] {
            let error = parse::<Outer>(body).unwrap_err();
            let context = format!("{}: {}", String::from_utf8_lossy(body), error.detail());
            assert_eq!(error.status(), StatusCode::UNPROCESSABLE_ENTITY, "{context}");
            assert!(error.detail().starts_with(&format!("{field}: ")), "{context}");
        }
    }

    #[test]
    fn invalid_json_is_a_bad_request() {
        for body in [
            &b""[..],
            b"{",
            b"{\"name\":\"a\",",
            b"[1",
            b"nonsense",
            b"{\"name\":\"a\",\"gates\":[]} x",
        ] {
            let error = parse::<Outer>(body).unwrap_err();
            let context = format!("{}: {}", String::from_utf8_lossy(body), error.detail());
            assert_eq!(error.status(), StatusCode::BAD_REQUEST, "{context}");
        }
    }
}
