//! The error responses in the OpenAPI documents. Each operation names those that it can return.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use domain::{Permission, Role};
#[cfg(feature = "openapi")]
use utoipa::IntoResponses;
#[cfg(feature = "openapi")]
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};

#[cfg(feature = "openapi")]
pub(super) fn error_response(
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
    ($(#[$doc:meta])* $module:ident, $media_type:literal, $schema:literal) => {
        $(#[$doc])*
        pub mod $module {
            use super::*;

            error_responses!(@ $media_type, $schema,
                /// 401: no valid credentials.
                Unauthenticated { 401 "Credentials are missing, invalid or expired" }
                /// 403: identified, but not permitted.
                Forbidden { 403 "The permission, fresh proof or a second factor is missing; the code says which" }
                /// 404: the resource does not exist or is not visible to the caller.
                NotFound { 404 "The resource does not exist or is not visible to you" }
                /// 400: an unknown or invalid parameter.
                BadParams { 400 "A parameter is unknown or invalid; the error names it" }
                /// All errors of request bodies.
                BadBody {
                    400 "The body cannot be parsed"
                    413 "The body is too large"
                    415 "The media type of the body is not supported"
                    422 "Fields are missing or invalid; the error names all of them"
                }
                /// 406: `Accept` allows none of the available formats.
                NotAcceptable { 406 "None of the available formats is allowed by `Accept`" }
                /// 422: the query would return too much.
                ResultTooLarge { 422 "The result would be too large; the error names the parameter and the limit" }
                /// 503: the query cannot be answered in time.
                Unavailable { 503 "The query takes too long right now; Retry-After says when to try again" }
                /// Errors of the content negotiation of JSON:API.
                NegotiationFailed {
                    406 "Every JSON:API media type in `Accept` has unsupported parameters or extensions"
                    415 "`Content-Type` has unsupported parameters or extensions"
                }
                /// 409: the state of the resource does not allow the operation.
                Conflict { 409 "The state of the resource does not allow the operation" }
                /// 416: the range is beyond the end of the content.
                RangeNotSatisfiable { 416 "The range is beyond the end of the content; Content-Range gives its length" }
                /// 412: the resource has changed since it was read.
                PreconditionFailed { 412 "The resource has changed since you read it" }
                /// 409: an earlier request with the same `Idempotency-Key`.
                IdempotencyConflict {
                    409 "The first request with this `Idempotency-Key` is still running, or its person was erased since"
                }
                /// Errors that any call can get. They are added to every operation by [`crate::complete_document`].
                OfEveryCall {
                    400 "A parameter or header is unknown or invalid; the error names it"
                    429 "The rate limit is exceeded; Retry-After says how long to wait"
                    500 "The service failed; its log has the reason under the request id"
                    503 "The service is busy or cannot reach its database; Retry-After says when to try again. Without it the code is \
                        outcome_unknown: the change may have been made or not"
                }
            );

            /// 401, and 403 unless everyone who is signed in has the permission `P`.
            pub struct Access<P>(PhantomData<P>);

            #[cfg(feature = "openapi")]
            impl<P: Permission> IntoResponses for Access<P> {
                fn responses() -> BTreeMap<String, RefOr<Response>> {
                    let mut responses = Unauthenticated::responses();
                    // Service accounts call V2 only.
                    let refuses_services = !P::FOR_SERVICE_ACCOUNTS && $media_type == crate::JSON_API;
                    if refuses_services || !P::BEFORE_SECOND_FACTOR || P::MIN_ROLE > Role::Viewer {
                        responses.extend(Forbidden::responses());
                    }
                    responses
                }
            }

            /// 401, and 403 without the permission `P` or without fresh proof.
            pub struct FreshAccess<P>(PhantomData<P>);

            #[cfg(feature = "openapi")]
            impl<P: Permission> IntoResponses for FreshAccess<P> {
                fn responses() -> BTreeMap<String, RefOr<Response>> {
                    let mut responses = Unauthenticated::responses();
                    responses.extend(Forbidden::responses());
                    responses
                }
            }
        }
    };
    (@ $media_type:literal, $schema:literal,
        $($(#[$doc:meta])* $name:ident { $($status:literal $text:literal)+ })+) => {$(
        $(#[$doc])*
        pub struct $name;

        #[cfg(feature = "openapi")]
        impl IntoResponses for $name {
            fn responses() -> BTreeMap<String, RefOr<Response>> {
                BTreeMap::from([$(error_response($status, $text, $media_type, $schema)),+])
            }
        }
    )+};
}

error_responses! {
    /// The error responses of V1.
    problem, "application/problem+json", "Problem"
}
error_responses! {
    /// The error responses of V2.
    json_api_errors, "application/vnd.api+json", "ErrorDocument"
}
