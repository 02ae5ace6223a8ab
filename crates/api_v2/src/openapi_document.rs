//! Title, tags, error schemas and security scheme of V2's OpenAPI document.

use serde::Serialize;
use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::{OpenApi as _, ToSchema};

/// A JSON:API error document.
#[derive(Serialize, ToSchema)]
pub struct Errors {
    /// Version of JSON:API that the document follows.
    jsonapi: JsonApi,
    /// All errors of the request.
    errors: Vec<ErrorObject>,
    /// Information about the request.
    meta: ErrorMeta,
}

/// The version of JSON:API that a document follows.
#[derive(Serialize, ToSchema)]
pub struct JsonApi {
    /// Version number of JSON:API.
    #[schema(example = "1.1")]
    version: String,
}

/// Information about a failed request.
#[derive(Serialize, ToSchema)]
pub struct ErrorMeta {
    /// Id of the request, as it appears in the server's log.
    request_id: String,
}

/// A JSON:API error object.
#[derive(Serialize, ToSchema)]
pub struct ErrorObject {
    /// Id of the request, as it appears in the server's log.
    id: String,
    /// HTTP status code, as a string.
    #[schema(example = "401")]
    status: String,
    /// Stable error code for programs.
    #[schema(example = "credentials_missing")]
    code: String,
    /// Title of the HTTP status.
    #[schema(example = "Unauthorized")]
    title: String,
    /// Sentence that describes this occurrence of the error.
    detail: String,
    /// Part of the request that caused the error.
    source: Option<ErrorSource>,
}

/// The part of a request that caused an error.
#[derive(Serialize, ToSchema)]
pub struct ErrorSource {
    /// JSON pointer into the request body.
    #[schema(example = "/email")]
    pointer: Option<String>,
    /// Name of the query parameter.
    parameter: Option<String>,
    /// Name of the request header.
    header: Option<String>,
}

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Keepclear V2",
        version = "2",
        description = "Workplace-safety data for programs. Sign in with POST /api/v2/login, which returns the \
                       headers AccessToken, AccessTokenExpiry and RefreshToken. Send the access token as a bearer token. Errors are \
                       JSON:API errors."
    ),
    tags(
        (name = "session", description = "Sign in, refresh tokens and sign out."),
        (name = "charts", description = "Charts of incursions and runtime, as data to plot or as images."),
        (name = "projects", description = "Projects, as JSON:API documents."),
        (name = "worksites", description = "Worksites, as JSON:API documents."),
        (name = "saved views", description = "Pivots and filters saved under a name, as JSON:API documents."),
        (name = "user preferences", description = "Display preferences of the current user, as JSON:API documents."),
        (name = "base stations", description = "Details, GPS tracks and events of base stations and their machines.")
    ),
    components(schemas(Errors)),
    servers((url = "/", description = "This installation."))
)]
struct BaseDocument;

/// Returns the document without paths.
pub fn base() -> OpenApi {
    let mut document = BaseDocument::openapi();
    let jwt = Http::builder()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format("JWT")
        .description(Some("The access token that POST /api/v2/login returns in the header AccessToken."))
        .build();
    document.components.get_or_insert_default().add_security_scheme("jwt", SecurityScheme::Http(jwt));
    document
}
