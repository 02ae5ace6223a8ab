//! What OpenAPI says of every operation: the errors that any call can get, the headers that the layers around the handlers add, and the
//! types of the headers that clients send.

use std::collections::{BTreeMap, BTreeSet};

use utoipa::IntoResponses;
use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::schema::{Schema, SchemaType};
use utoipa::openapi::{Header, Object, OpenApi, PathItem, Ref, RefOr, Response, Type};

use crate::response::error_format::ErrorFormat;
use crate::response::error_responses::{error_response, json_api_errors, problem};

/// The errors that any call can get, with their names in the document.
const ERRORS: [(&str, &str); 4] = [
    ("400", "BadRequest"),
    ("429", "TooManyRequests"),
    ("500", "InternalServerError"),
    ("503", "ServiceUnavailable"),
];

/// Headers of every response. They are documented where clients read them: on success, and at the rate limit.
const OF_EVERY_RESPONSE: &[&str] = &["RateLimit", "RateLimit-Policy", "X-Request-Id"];

const HEADERS: [(&str, Type, &str); 7] = [
    ("ETag", Type::String, "Version of the resource"),
    ("Location", Type::String, "Path of the new resource"),
    ("RateLimit", Type::String, "Calls that are left, and the seconds until the quota is full again"),
    ("RateLimit-Policy", Type::String, "The quota that the call counts against"),
    ("Retry-After", Type::Integer, "Seconds to wait before the next attempt"),
    ("WWW-Authenticate", Type::String, "The scheme of the credentials that the path accepts"),
    ("X-Request-Id", Type::String, "Identifier of the request, which also appears in the log of the service"),
];

/// Completes a document that has all its operations. A response that an operation describes itself keeps its text.
pub fn complete_document(document: &mut OpenApi, format: ErrorFormat) {
    let mut used = UsedParts::default();
    let versioned = paths_with_etag(document);
    for (path, item) in &mut document.paths.paths {
        let is_member = |other: &String| {
            let name = other.strip_prefix(path.as_str()).and_then(|rest| rest.strip_prefix("/{"));
            name.is_some_and(|name| !name.contains('/'))
        };
        let creates_versioned = versioned.iter().any(is_member);
        for (_, operation) in operations(item) {
            used.complete(&mut operation.responses.responses, creates_versioned);
            remove_null_from_headers(operation);
        }
    }
    let components = document.components.get_or_insert_default();
    let mut errors = match format {
        // Pages have no document.
        ErrorFormat::Problem | ErrorFormat::Page => problem::OfEveryCall::responses(),
        ErrorFormat::JsonApi => json_api_errors::OfEveryCall::responses(),
    };
    for (status, name) in ERRORS {
        if let Some(RefOr::T(mut response)) = errors.remove(status)
            && used.responses.contains(name)
        {
            used.add_headers(status, &mut response, false);
            components.responses.insert(name.to_owned(), RefOr::T(response));
        }
    }
    for (name, kind, text) in HEADERS {
        if used.headers.contains(name) {
            let mut header = Header::new(Object::with_type(kind));
            header.description = Some(text.to_owned());
            components.headers.insert(name.to_owned(), RefOr::T(header));
        }
    }
}

/// Adds the 403 of a write by a page of another origin, for operations that are protected against it.
pub fn document_cross_site_refusals(document: &mut OpenApi) {
    const TEXT: &str = "A page of another origin made the call: `cross_site_request`";
    let writes = document.paths.paths.values_mut().flat_map(operations).filter(|(is_write, _)| *is_write);
    for (_, operation) in writes {
        let forbidden = operation.responses.responses.entry("403".to_owned());
        let forbidden = forbidden.and_modify(|response| {
            if let RefOr::T(response) = response {
                response.description = format!("{}. {TEXT}", response.description);
            }
        });
        forbidden.or_insert_with(|| error_response(403, TEXT, "application/problem+json", "Problem").1);
    }
}

/// The shared parts that the document refers to. Others would be dead weight, and linters report them.
#[derive(Default)]
struct UsedParts {
    responses: BTreeSet<&'static str>,
    headers: BTreeSet<&'static str>,
}

impl UsedParts {
    fn complete(&mut self, responses: &mut BTreeMap<String, RefOr<Response>>, creates_versioned: bool) {
        for (status, response) in responses.iter_mut() {
            if let RefOr::T(response) = response {
                self.add_headers(status, response, creates_versioned);
            }
        }
        for (status, name) in ERRORS {
            if !responses.contains_key(status) {
                responses.insert(status.to_owned(), RefOr::Ref(Ref::from_response_name(name)));
                self.responses.insert(name);
            }
        }
    }

    fn add_headers(&mut self, status: &str, response: &mut Response, creates_versioned: bool) {
        let own: &[&str] = match status {
            "201" if creates_versioned => &["ETag", "Location"],
            "201" => &["Location"],
            "304" => &["ETag"],
            "401" => &["WWW-Authenticate"],
            "429" | "503" => &["Retry-After"],
            _ => &[],
        };
        let is_error = status.starts_with(['4', '5']);
        let general: &[&str] = if is_error && status != "429" { &[] } else { OF_EVERY_RESPONSE };
        for name in own.iter().chain(general).copied() {
            if !response.headers.contains_key(name) {
                let header = RefOr::Ref(Ref::new(format!("#/components/headers/{name}")));
                response.headers.insert(name.to_owned(), header);
                self.headers.insert(name);
            }
        }
    }
}

/// Removes null from the types of header parameters, which utoipa adds to optional ones: a header is sent or not, and never null.
fn remove_null_from_headers(operation: &mut Operation) {
    for parameter in operation.parameters.iter_mut().flatten() {
        if let RefOr::T(parameter) = parameter
            && parameter.parameter_in == ParameterIn::Header
            && let Some(RefOr::T(Schema::Object(schema))) = &mut parameter.schema
            && let SchemaType::Array(types) = &schema.schema_type
            && let Some(kind) = types.iter().find(|kind| **kind != Type::Null).cloned()
        {
            schema.schema_type = SchemaType::Type(kind);
        }
    }
}

/// Returns the paths of the records that have an `ETag`.
fn paths_with_etag(document: &OpenApi) -> Vec<String> {
    let has_etag = |item: &PathItem| {
        let found = item.get.as_ref().and_then(|get| get.responses.responses.get("200"));
        matches!(found, Some(RefOr::T(response)) if response.headers.contains_key("ETag"))
    };
    let paths = document.paths.paths.iter();
    paths.filter(|(_, item)| has_etag(item)).map(|(path, _)| path.clone()).collect()
}

/// Returns the operations of a path, and whether each is a write.
fn operations(item: &mut PathItem) -> impl Iterator<Item = (bool, &mut Operation)> {
    let PathItem { get, put, post, patch, delete, .. } = item;
    let all = [(false, get), (true, put), (true, post), (true, patch), (true, delete)];
    all.into_iter().filter_map(|(is_write, operation)| Some((is_write, operation.as_mut()?)))
}
