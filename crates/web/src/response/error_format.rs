//! The error formats: problem details, JSON:API, and the pages of the console.

use app::{Error, ErrorKind, FieldError, FieldLocation};
use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, header};
use serde_json::json;

use crate::response::enum_schemas::ProblemType;
use crate::response::error::{Failure, status};

/// The error format of an API version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorFormat {
    /// RFC 9457 problem details: V1, and everything outside the API versions.
    Problem,
    /// JSON:API errors: V2.
    JsonApi,
    /// Pages, which the console renders in a layer of its own: here the error stays in the response.
    Page,
}

/// An error in the format of RFC 9457 (problem details).
#[macros::answer]
pub struct Problem {
    /// Always `about:blank`. Use `code` to distinguish problems.
    #[serde(rename = "type")]
    kind: ProblemType,
    /// Standard text of the HTTP status.
    #[schema(example = "Unprocessable Entity")]
    title: &'static str,
    /// HTTP status.
    #[schema(example = 422)]
    status: u16,
    /// A sentence that describes this occurrence of the problem.
    detail: String,
    /// Path of the request.
    #[schema(example = "/api/v1/session")]
    instance: String,
    /// Stable, machine-readable error code.
    #[schema(example = "invalid_body")]
    code: &'static str,
    /// Identifier of the request, which also appears in the log of the service.
    request_id: String,
    /// All invalid fields or parameters.
    errors: Vec<ProblemField>,
}

/// One invalid field or parameter.
#[macros::answer]
pub struct ProblemField {
    /// Path of the field in the body, or name of the parameter.
    #[schema(example = "email")]
    field: String,
    /// Stable, machine-readable error code.
    #[schema(example = "required")]
    code: &'static str,
    /// Description of the error, such as `must be given`.
    #[schema(example = "must be given")]
    message: String,
}

impl ErrorFormat {
    /// Sets the body of an error response. Status and headers stay.
    pub(crate) fn render(self, response: &mut Response, failure: &Failure, path: &str, request_id: &str) {
        let error: &Error = &failure.0;
        let (body, media_type) = match self {
            Self::Problem => (render_problem(error, path, request_id), "application/problem+json"),
            Self::JsonApi => (render_json_api(error, request_id), "application/vnd.api+json"),
            Self::Page => return,
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
        kind: ProblemType,
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

/// Returns the source of an error: a header, a query parameter, or a place in the body. A field that starts with a slash is already a
/// JSON pointer.
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
