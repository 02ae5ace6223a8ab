//! How refusals stand in the OpenAPI documents, so that each operation names those it makes in a word.

use std::collections::BTreeMap;

use utoipa::IntoResponses;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::{ContentBuilder, OpenApi, Ref, RefOr, Response, ResponseBuilder};

fn error_response(
    status: u16,
    description: &str,
    media_type: &str,
    schema: &str,
) -> (String, RefOr<Response>) {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(schema))).build();
    let response = ResponseBuilder::new().description(description).content(media_type, content).build();
    (status.to_string(), RefOr::T(response))
}

macro_rules! error_responses {
    ($(#[$doc:meta])* $face:ident, $media_type:literal, $schema:literal) => {
        $(#[$doc])*
        pub mod $face {
            use super::*;

            error_responses!(@ $media_type, $schema,
                /// 401: nobody is known.
                Unauthenticated { 401 "No credentials, or none that are good here" }
                /// 403: known, but not allowed.
                Forbidden { 403 "Without the permission, fresh proof or a second factor where those are asked for; the code says which" }
                /// 404: not there, or not for this caller.
                NotFound { 404 "Not there, or not yours" }
                /// 400: a parameter that is unknown or wrong.
                BadParams { 400 "A parameter is unknown or wrong; it is named" }
                /// What a body can be refused for.
                BadBody {
                    400 "The body cannot be read"
                    413 "The body is too large"
                    415 "The body is of another type"
                    422 "Fields are missing or wrong; all of them are named"
                }
                /// 406: in no form that the caller takes.
                NotAcceptable { 406 "Accept takes none of the forms there are" }
                /// 422: a question whose answer nobody could read.
                ResultTooLarge { 422 "The answer would be too large; the parameter and the limit are named" }
                /// 503: the numbers are not ready.
                Unavailable { 503 "It takes too long right now; Retry-After says when to ask again" }
                /// What a document of JSON:API can be refused for by its headers.
                NegotiationFailed {
                    406 "Each form of JSON:API that `Accept` names has parameters or extensions that are not known here"
                    415 "`Content-Type` has parameters or extensions that are not known here"
                }
                /// 409: its state does not allow it.
                Conflict { 409 "Its state does not allow it" }
                /// 416: no byte of what is asked for.
                RangeNotSatisfiable { 416 "It has no byte of that range; Content-Range says how long it is" }
                /// 412: changed since it was read.
                PreconditionFailed { 412 "It was changed since you read it" }
                /// 429: too often.
                RateLimited { 429 "Too often; Retry-After says how long to wait" }
            );
        }
    };
    (@ $media_type:literal, $schema:literal,
        $($(#[$doc:meta])* $name:ident { $($status:literal $text:literal)+ })+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl IntoResponses for $name {
            fn responses() -> BTreeMap<String, RefOr<Response>> {
                BTreeMap::from([$(error_response($status, $text, $media_type, $schema)),+])
            }
        }
    )+};
}

error_responses! {
    /// V1's refusals.
    problem, "application/problem+json", "Problem"
}
error_responses! {
    /// V2's refusals.
    json_api_errors, "application/vnd.api+json", "Errors"
}

/// Says of every operation that it can be forbidden, but of those whose path `is_open` to sessions without the second factor that
/// their role must have.
pub fn document_forbidden<R: IntoResponses>(document: &mut OpenApi, is_open: fn(&str) -> bool) {
    for (path, item) in &mut document.paths.paths {
        if is_open(path) {
            continue;
        }
        for operation in operations(item) {
            for (status, response) in R::responses() {
                operation.responses.responses.entry(status).or_insert(response);
            }
        }
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, put, post, delete, patch, .. } = item;
    [get, put, post, delete, patch].into_iter().flatten()
}
