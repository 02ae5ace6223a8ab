//! The frame of V2's OpenAPI document.

use serde::Serialize;
use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::{OpenApi as _, ToSchema};

/// A JSON:API error document.
#[derive(Serialize, ToSchema)]
pub struct Errors {
    /// Which JSON:API this is.
    jsonapi: JsonApi,
    /// All that was wrong.
    errors: Vec<ErrorObject>,
    /// About the request.
    meta: ErrorMeta,
}

/// Which JSON:API a document is of.
#[derive(Serialize, ToSchema)]
pub struct JsonApi {
    /// Its version.
    #[schema(example = "1.1")]
    version: String,
}

/// What is told of a request that failed.
#[derive(Serialize, ToSchema)]
pub struct ErrorMeta {
    /// Finds the request in the log.
    request_id: String,
}

/// One thing that was wrong.
#[derive(Serialize, ToSchema)]
pub struct ErrorObject {
    /// Finds the request in the log.
    id: String,
    /// The status, as a string.
    #[schema(example = "401")]
    status: String,
    /// Stable, for programs.
    #[schema(example = "credentials_missing")]
    code: String,
    /// The status in words.
    #[schema(example = "Unauthorized")]
    title: String,
    /// One sentence about this case.
    detail: String,
    /// Which parameter, or which place of the body.
    source: Option<ErrorSource>,
}

/// What an error is about.
#[derive(Serialize, ToSchema)]
pub struct ErrorSource {
    /// A JSON pointer into the body.
    #[schema(example = "/email")]
    pointer: Option<String>,
    /// The name of a query parameter.
    parameter: Option<String>,
    /// The name of a header.
    header: Option<String>,
}

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Keepclear V2",
        version = "2",
        description = "Workplace-safety data, for programs. Sign in with POST /api/v2/login, which answers with the \
                       headers AccessToken, AccessTokenExpiry and RefreshToken; send the first as a bearer. Errors are \
                       JSON:API errors."
    ),
    tags(
        (name = "session", description = "Signing in, staying in, signing out"),
        (name = "charts", description = "What the facts come to, as data to plot and as pictures"),
        (name = "projects", description = "Projects, as JSON:API"),
        (name = "worksites", description = "Worksites, as JSON:API"),
        (name = "saved views", description = "Pivots and filters that are kept under a name, as JSON:API"),
        (name = "user preferences", description = "How you want things shown, as JSON:API"),
        (name = "base stations", description = "A machine's page, where it went, what happened around it")
    ),
    components(schemas(Errors)),
    servers((url = "/", description = "This installation"))
)]
struct Frame;

/// Title, tags and the way to authenticate.
pub fn base() -> OpenApi {
    let mut document = Frame::openapi();
    let jwt = Http::builder()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format("JWT")
        .description(Some("The AccessToken of POST /api/v2/login."))
        .build();
    document.components.get_or_insert_default().add_security_scheme("jwt", SecurityScheme::Http(jwt));
    document
}
