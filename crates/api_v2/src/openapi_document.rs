//! Title, tags, error schemas and security scheme of V2's OpenAPI document.

#[cfg(feature = "openapi")]
use utoipa::OpenApi as _;
#[cfg(feature = "openapi")]
use utoipa::openapi::OpenApi;
#[cfg(feature = "openapi")]
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use web::enum_schemas;

use crate::refresh::RefreshBody;

/// A JSON:API error document.
#[web::answer]
pub struct ErrorDocument {
    /// Version of JSON:API that the document follows.
    jsonapi: JsonApi,
    /// All errors of the request.
    errors: Vec<ErrorObject>,
    /// Information about the request.
    meta: ErrorMeta,
}

/// The version of JSON:API that a document follows.
#[web::answer]
pub struct JsonApi {
    /// Version number of JSON:API.
    #[schema(example = "1.1")]
    version: String,
}

/// Information about a failed request.
#[web::answer]
pub struct ErrorMeta {
    /// Id of the request, as it appears in the server's log.
    request_id: String,
}

/// A JSON:API error object.
#[web::answer]
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
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<ErrorSource>,
}

/// The part of a request that caused an error.
#[web::answer]
pub struct ErrorSource {
    /// JSON pointer into the request body.
    #[schema(example = "/email")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<String>,
    /// Name of the query parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter: Option<String>,
    /// Name of the request header.
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<String>,
}

#[cfg(feature = "openapi")]
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
        (name = "incursions", description = "Incursions, their changes and their reviews, as JSON:API documents."),
        (name = "insights", description = "Metrics, trends and breakdowns of incursions, as in V1."),
        (name = "charts", description = "Charts of incursions and runtime, as data to plot or as images."),
        (name = "advanced insights", description = "Pivots, exports and outliers."),
        (name = "stream", description = "Live events: new facts, open alarms, progress and devices."),
        (name = "projects", description = "Projects, as JSON:API documents."),
        (name = "worksites", description = "Worksites, as JSON:API documents."),
        (name = "machines", description = "Machines, as JSON:API documents, and their positions and tracks, as GeoJSON."),
        (name = "people", description = "People who wear tags, as JSON:API documents."),
        (name = "tags", description = "Tags, as JSON:API documents."),
        (name = "visitor sessions", description = "Visits, from check-in to check-out, as JSON:API documents."),
        (name = "reports", description = "Reports and their files, as JSON:API documents."),
        (name = "site reports", description = "Written site reports, as JSON:API documents."),
        (name = "alert firings", description = "Firings of alerts, as JSON:API documents."),
        (name = "saved views", description = "Pivots and filters saved under a name, as JSON:API documents."),
        (name = "user preferences", description = "Display preferences of the current user, as JSON:API documents."),
        (name = "base stations", description = "Base stations, their details, GPS tracks and events.")
    ),
    // utoipa collects the schemas of bodies and responses, but not those of parameters and those that are given by reference.
    components(schemas(
        ErrorDocument,
        RefreshBody,
        enum_schemas::AlertMetric,
        enum_schemas::AlertSeverity,
        enum_schemas::BreakdownDimension,
        enum_schemas::ChartFormat,
        enum_schemas::ChartTheme,
        enum_schemas::ChartTitle,
        enum_schemas::ComparedPeriod,
        enum_schemas::FiringState,
        enum_schemas::HeatmapShade,
        enum_schemas::Interval,
        enum_schemas::MachineKind,
        enum_schemas::Measure,
        enum_schemas::MeasureSort,
        enum_schemas::OutlierDimension,
        enum_schemas::PivotCellFormat,
        enum_schemas::RateDimension,
        enum_schemas::ReportFormat,
        enum_schemas::ReportKind,
        enum_schemas::ReportState,
        enum_schemas::Review,
        enum_schemas::TimelineKind,
        enum_schemas::WorksiteKind,
        enum_schemas::Zone,
        enum_schemas::ZoneTimeDimension,
    )),
    servers((url = "/", description = "This installation."))
)]
struct BaseDocument;

/// Returns the document without paths.
#[cfg(feature = "openapi")]
pub fn base() -> OpenApi {
    let mut document = BaseDocument::openapi();
    let jwt = Http::builder()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format("JWT")
        .description(Some("The access token that POST /api/v2/login returns in the header AccessToken, or the token of a service account."))
        .build();
    document.components.get_or_insert_default().add_security_scheme("jwt", SecurityScheme::Http(jwt));
    document
}
