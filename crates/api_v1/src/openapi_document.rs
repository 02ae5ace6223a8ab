//! The frame of the OpenAPI document of V1: title, tags and security schemes.

use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use web::enum_schemas;

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Keepclear V1",
        version = "1",
        description = "Workplace-safety data: incursions of people into the zones around machines. People sign in with a cookie \
                       session; tester devices send a bearer token. Errors are RFC 9457 problem details."
    ),
    tags(
        (name = "session", description = "Signing in and out, one's own sessions, password and second factor"),
        (name = "account", description = "Accepting invitations and resetting passwords, with the links in mails"),
        (name = "insights", description = "Numbers of incursions: totals, trends, breakdowns, durations and heat maps"),
        (name = "entities", description = "People and machines in one list, with their activity and metrics"),
        (name = "stream", description = "Live events: new facts, open alarms, progress and devices"),
        (name = "incursions", description = "Incursions, their history and their reviews"),
        (name = "reports", description = "Reports, their files and their schedules"),
        (name = "alerts", description = "Alerts, their firings and dry runs"),
        (name = "webhooks", description = "Calls to other systems when alerts fire or clear"),
        (name = "links", description = "Files behind the signed links in mails, and unsubscribing from alerts"),
        (name = "projects", description = "Projects, which hold worksites"),
        (name = "worksites", description = "Worksites, their boundaries, terms and assignments"),
        (name = "machines", description = "Machines, their worksites and their base stations"),
        (name = "people", description = "People who wear tags: staff and visitors"),
        (name = "base stations", description = "Base stations, their installations, zones, messages and requested video"),
        (name = "video clips", description = "Video clips of all base stations"),
        (name = "tags", description = "Tags, their incursions, tests and assignments"),
        (name = "tag assignments", description = "Which person wears which tag, and when"),
        (name = "visitor sessions", description = "Visits, from check-in to check-out"),
        (name = "notes", description = "Notes on people and machines"),
        (name = "imports", description = "CSV files of people, machines, tags and base stations"),
        (name = "admin", description = "Administration of users, service accounts, devices and the brand"),
        (name = "tester", description = "Calls of tester devices, within the brand of the device"),
    ),
    // utoipa collects the schemas of bodies and responses, but not those of parameters.
    components(schemas(
        web::Problem,
        enum_schemas::Activity,
        enum_schemas::AlertMetric,
        enum_schemas::AlertSeverity,
        enum_schemas::AlertStatus,
        enum_schemas::BreakdownDimension,
        enum_schemas::ChartFormat,
        enum_schemas::ChartTheme,
        enum_schemas::ChartTitle,
        enum_schemas::ClipState,
        enum_schemas::ComparedPeriod,
        enum_schemas::DeliveryState,
        enum_schemas::EntitySort,
        enum_schemas::EntityType,
        enum_schemas::FiringState,
        enum_schemas::IncursionSort,
        enum_schemas::Interval,
        enum_schemas::MachineKind,
        enum_schemas::Measure,
        enum_schemas::MeasureSort,
        enum_schemas::NamedSort,
        enum_schemas::PersonKind,
        enum_schemas::ReportFormat,
        enum_schemas::ReportKind,
        enum_schemas::ReportState,
        enum_schemas::Review,
        enum_schemas::Role,
        enum_schemas::SerialSort,
        enum_schemas::StationStatus,
        enum_schemas::TagAssignmentSort,
        enum_schemas::TagFlag,
        enum_schemas::TagRole,
        enum_schemas::TagState,
        enum_schemas::TimelineKind,
        enum_schemas::UserState,
        enum_schemas::VisitState,
        enum_schemas::VisitorSessionSort,
        enum_schemas::WorksiteKind,
        enum_schemas::Zone,
    )),
    servers((url = "/", description = "This installation"))
)]
struct BaseDocument;

/// Returns the document without any operation.
pub fn base() -> OpenApi {
    let mut document = BaseDocument::openapi();
    let components = document.components.get_or_insert_default();
    let cookie = ApiKeyValue::with_description(
        web::SESSION_COOKIE,
        "Session cookie, set by POST /api/v1/session. Over https its name starts with `__Host-`.",
    );
    components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
    let token = Http::builder()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format("kct_…")
        .description(Some("Token of a tester device. An administrator issues it, and it is shown only once."))
        .build();
    components.add_security_scheme("tester_token", SecurityScheme::Http(token));
    document
}
