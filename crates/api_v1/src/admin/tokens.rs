//! The representation of device tokens, the same for every kind of device.

use std::borrow::Cow;

use axum::response::Response;
use domain::Timestamp;
use serde::Serialize;
#[cfg(feature = "openapi")]
use utoipa::openapi::RefOr;
#[cfg(feature = "openapi")]
use utoipa::openapi::schema::{ObjectBuilder, RefBuilder, Schema, Type};
#[cfg(feature = "openapi")]
use utoipa::{PartialSchema, ToSchema};

/// A token that has been issued, without its secret.
#[web::answer]
pub struct TokenSummary {
    /// Identifier of the token.
    #[schema(example = 3)]
    id: i64,
    /// First characters of the token, by which it can be recognised.
    #[schema(example = "kct_x7Yq2b")]
    begins: String,
    /// Time at which the token was issued, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    issued_at: Timestamp,
    /// Time at which the token was last used, RFC 3339 in UTC, accurate to the minute; null if it has not been used.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_used_at: Option<Timestamp>,
    /// Time at which the token was added, RFC 3339 in UTC; the same as `issued_at`.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the token was last changed, which is when it was last used, RFC 3339 in UTC; that of the issue before that.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

/// A new token. In OpenAPI it is called after its device: the token of a `Gateway` is an `IssuedGatewayToken`.
#[derive(Serialize)]
pub struct IssuedToken<D> {
    token: String,
    device: D,
}

#[cfg(feature = "openapi")]
impl<D: ToSchema> PartialSchema for IssuedToken<D> {
    fn schema() -> RefOr<Schema> {
        let token = ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("The token itself. Only a hash of it is stored."))
            .examples(["kct_…"]);
        let device = RefBuilder::new()
            .description(Some("Device that the token belongs to."))
            .ref_location_from_schema_name(D::name());
        let issued = ObjectBuilder::new()
            .description(Some("A new token. It is shown only once."))
            .property("token", token)
            .property("device", device)
            .required("token")
            .required("device");
        RefOr::T(issued.into())
    }
}

#[cfg(feature = "openapi")]
impl<D: ToSchema> ToSchema for IssuedToken<D> {
    fn name() -> Cow<'static, str> {
        format!("Issued{}Token", D::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((D::name().into_owned(), D::schema()));
        D::schemas(schemas);
    }
}

impl From<domain::TokenSummary> for TokenSummary {
    fn from(token: domain::TokenSummary) -> Self {
        Self {
            id: token.id.0,
            begins: token.hint,
            issued_at: token.issued_at,
            last_used_at: token.last_used_at,
            created_at: token.issued_at,
            updated_at: token.last_used_at.unwrap_or(token.issued_at),
        }
    }
}

/// Answers 201 with a new token and its device. `location` is where the device can be read later, without the token.
pub fn issued_token_response<D: Serialize>(location: &str, issued: app::IssuedToken, device: D) -> Response {
    web::created_response(location, &IssuedToken { token: issued.secret, device })
}
