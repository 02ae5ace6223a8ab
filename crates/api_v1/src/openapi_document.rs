//! The frame of the OpenAPI document of V1: title, tags and security schemes.

use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Keepclear V1",
        version = "1",
        description = "Workplace-safety data: incursions of people into the zones around machines. People sign in with a cookie \
                       session; tester devices send a bearer token. Errors are RFC 9457 problem details."
    ),
    tags(
        (name = "session", description = "Signing in and out"),
        (name = "projects", description = "Projects, which hold worksites"),
        (name = "account", description = "Accepting invitations and resetting passwords, with the links in mails"),
        (name = "worksites", description = "Worksites, their boundaries, terms and assignments"),
        (name = "entities", description = "People and machines in one list, with their activity and metrics"),
        (name = "machines", description = "Machines, their worksites and their base stations"),
        (name = "base stations", description = "Base stations, their installations and their zones"),
        (name = "incursions", description = "Incursions, their history and their reviews"),
        (name = "imports", description = "CSV files of people, machines, tags and base stations"),
        (name = "admin", description = "Administration of users, devices and the brand"),
        (name = "tester", description = "Calls of tester devices, within the brand of the device"),
    ),
    components(schemas(web::Problem)),
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
