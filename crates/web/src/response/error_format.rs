//! The two formats of errors.

use app::{Error, ErrorKind, FieldError, FieldLocation};
use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, header};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use crate::response::error::{Failure, status};

/// A face of the service, as far as its errors look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorFormat {
    /// RFC 9457 problem details: V1, and everything outside the versions.
    Problem,
    /// JSON:API errors: V2.
    JsonApi,
}

/// RFC 9457 problem details, with the fields at fault.
#[derive(Serialize, ToSchema)]
pub struct Problem {
    /// Always `about:blank`: `code` tells problems apart.
    #[serde(rename = "type")]
    #[schema(example = "about:blank")]
    kind: &'static str,
    /// The status in words.
    #[schema(example = "Unprocessable Entity")]
    title: &'static str,
    /// The status.
    #[schema(example = 422)]
    status: u16,
    /// One sentence about this case.
    detail: String,
    /// The path that was asked for.
    #[schema(example = "/api/v1/session")]
    instance: String,
    /// Stable, for programs.
    #[schema(example = "invalid_body")]
    code: &'static str,
    /// Finds the request in the log.
    request_id: String,
    /// The fields or parameters at fault, all of them.
    errors: Vec<ProblemField>,
}

/// One field or parameter at fault.
#[derive(Serialize, ToSchema)]
pub struct ProblemField {
    /// Its path in the body, or the parameter's name.
    #[schema(example = "email")]
    field: String,
    /// Stable, for programs.
    #[schema(example = "required")]
    code: &'static str,
    /// A sentence.
    #[schema(example = "must be given")]
    message: String,
}

impl ErrorFormat {
    /// Gives a failure its body, keeping status and headers.
    pub(crate) fn render(self, response: &mut Response, failure: &Failure, path: &str, request_id: &str) {
        let error: &Error = &failure.0;
        let (body, media_type) = match self {
            Self::Problem => (render_problem(error, path, request_id), "application/problem+json"),
            Self::JsonApi => (render_json_api(error, request_id), "application/vnd.api+json"),
        };
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        headers.remove(header::CONTENT_LENGTH);
        *response.body_mut() = Body::from(body);
    }
}

fn render_problem(error: &Error, path: &str, request_id: &str) -> Vec<u8> {
    let status = status(error.kind);
    let problem = Problem {
        kind: "about:blank",
        title: status.canonical_reason().unwrap_or_default(),
        status: status.as_u16(),
        detail: error.detail.clone().into_owned(),
        instance: path.to_owned(),
        code: error.code,
        request_id: request_id.to_owned(),
        errors: error
            .fields
            .iter()
            .map(|field| ProblemField {
                field: field.field.clone(),
                code: field.invalid.code,
                message: field.invalid.message.clone().into_owned(),
            })
            .collect(),
    };
    serde_json::to_vec(&problem).unwrap_or_default()
}

fn render_json_api(error: &Error, request_id: &str) -> Vec<u8> {
    let status = status(error.kind);
    let title = status.canonical_reason().unwrap_or_default();
    let object = |code: &str, detail: &str, source: Option<serde_json::Value>| {
        let mut object = json!({
            "id": request_id, "status": status.as_str(), "code": code, "title": title, "detail": detail,
        });
        if let Some(source) = source {
            object["source"] = source;
        }
        object
    };
    let errors: Vec<_> = if error.fields.is_empty() {
        vec![object(error.code, &error.detail, None)]
    } else {
        let fields = error.fields.iter().map(|field| {
            let detail = format!("{}: {}", field.field, field.invalid.message);
            object(field.invalid.code, &detail, Some(source(error, field)))
        });
        fields.collect()
    };
    let document =
        json!({ "jsonapi": { "version": "1.1" }, "errors": errors, "meta": { "request_id": request_id } });
    serde_json::to_vec(&document).unwrap_or_default()
}

/// What a fault is about: a header, a query parameter, or a place in the body. What begins with a slash is a pointer already.
fn source(error: &Error, fault: &FieldError) -> serde_json::Value {
    let (kind, field) = (error.kind, &fault.field);
    let is_about_header = matches!(kind, ErrorKind::NotAcceptable | ErrorKind::UnsupportedMediaType)
        || fault.invalid.code == "invalid_header";
    if is_about_header {
        json!({ "header": field })
    } else if kind == ErrorKind::BadRequest || error.field_location == FieldLocation::Query {
        json!({ "parameter": field })
    } else if field.starts_with('/') {
        json!({ "pointer": field })
    } else {
        json!({ "pointer": format!("/{}", field.replace('.', "/")) })
    }
}
