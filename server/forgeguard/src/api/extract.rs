//! What handlers take from a request: `Json`, `Params` and `Search`, refused as problems.

use axum::{
    extract::{FromRequest, FromRequestParts, Request, rejection::PathRejection},
    http::{HeaderMap, header, request::Parts},
    response::{IntoResponse, Response},
};
use serde::{Serialize, de::DeserializeOwned};

use super::{body, problem::Problem};

/// A JSON body. Fields that the route does not know are refused where the type says so.
pub struct Json<T>(pub T);

/// The parameters of the path. One that cannot be read names nothing that exists.
pub struct Params<T>(pub T);

/// The query's parameters.
pub struct Search<T>(pub T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        if !is_json(&parts.headers) {
            return Err(Problem::wrong_media_type("application/json"));
        }
        let bytes = body::read(&parts.headers, body, body::LIMIT).await?;
        parse(&bytes).map(Self)
    }
}

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match axum::extract::Path::from_request_parts(parts, state).await {
            Ok(axum::extract::Path(value)) => Ok(Self(value)),
            Err(PathRejection::FailedToDeserializePathParams(_)) => {
                Err(Problem::not_found("thing"))
            }
            Err(error) => Err(Problem::internal(error)),
        }
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Search<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        let pairs = serde_urlencoded::Deserializer::new(form_urlencoded::parse(query.as_bytes()));
        serde_path_to_error::deserialize(pairs).map(Self).map_err(misfit)
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = value.and_then(|value| value.split(';').next()).unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
        || (essence.starts_with("application/") && essence.ends_with("+json"))
}

/// Reads JSON; says which field does not fit, or where the text stops being JSON.
fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let not_json = |e: &serde_json::Error| Problem::unreadable(format!("This is not JSON: {e}."));
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        // Bytes that are no text lie within one field, whatever else is right.
        let not_text = error.inner().to_string().starts_with("invalid unicode");
        match error.inner().is_data() || not_text {
            true => misfit(error),
            false => not_json(error.inner()),
        }
    })?;
    json.end().map_err(|error| not_json(&error))?;
    Ok(value)
}

/// The problem that names the field. Serde reports a missing field at the place around it.
fn misfit<E: std::fmt::Display>(error: serde_path_to_error::Error<E>) -> Problem {
    let place = error.path().to_string();
    let why = error.inner().to_string();
    let why = why.split(" at line ").next().unwrap_or_default().to_owned();
    let named = why.strip_prefix("missing field `").or_else(|| why.strip_prefix("unknown field `"));
    let field = match (named.and_then(|rest| rest.split('`').next()), place.as_str()) {
        (Some(name), ".") => name.to_owned(),
        (Some(name), place) if !place.ends_with(name) => format!("{place}.{name}"),
        (_, ".") => "body".to_owned(),
        (_, place) => place.to_owned(),
    };
    let why = if why.starts_with("missing field") { "is missing".to_owned() } else { why };
    Problem::invalid(field, why)
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
    fn the_field_that_does_not_fit_is_named() {
        for (body, field) in [
            (&b"{\"name\":1}"[..], "name"),
            (b"{\"gates\":[]}", "name"),
            (b"{\"name\":\"a\",\"gates\":[{}]}", "gates[0].timeout_s"),
            (b"{\"name\":\"a\",\"gates\":[{\"timeout_s\":-1}]}", "gates[0].timeout_s"),
            (b"{\"name\":\"\xff\xfe\",\"gates\":[]}", "name"),
            (b"[]", "body"),
            (b"null", "body"),
        ] {
            let problem = parse::<Outer>(body).unwrap_err();
            let said = format!("{}: {}", String::from_utf8_lossy(body), problem.detail());
            assert_eq!(problem.status(), StatusCode::UNPROCESSABLE_ENTITY, "{said}");
            assert!(problem.detail().starts_with(&format!("{field}: ")), "{said}");
        }
    }

    #[test]
    fn what_is_no_json_is_not_read() {
        for body in
            [&b""[..], b"{", b"{\"name\":\"a\",", b"nonsense", b"{\"name\":\"a\",\"gates\":[]} x"]
        {
            let problem = parse::<Outer>(body).unwrap_err();
            let said = format!("{}: {}", String::from_utf8_lossy(body), problem.detail());
            assert_eq!(problem.status(), StatusCode::BAD_REQUEST, "{said}");
        }
    }
}
