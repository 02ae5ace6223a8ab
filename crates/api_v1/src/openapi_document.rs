//! The frame of V1's OpenAPI document.

use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Keepclear V1",
        version = "1",
        description = "Workplace-safety data: who came too close to which machine. People sign in with a cookie \
                       session; tester devices send their token as a bearer. Errors are RFC 9457 problem details."
    ),
    tags(
        (name = "session", description = "Signing in and out"),
        (name = "projects", description = "Projects, which hold worksites"),
        (name = "account", description = "Joining, and coming back in without the password; by links in mails"),
        (name = "worksites", description = "Worksites, their boundaries, what was true of them when, and who is there"),
        (name = "entities", description = "People and machines in one list: how they stand, what they were part of"),
        (name = "machines", description = "Machines, the sites they are at, the base stations they carry"),
        (name = "base stations", description = "Base stations, the machines they were on, how far their zones reach"),
        (name = "incursions", description = "Who came too close to which machine, and what the office made of it"),
        (name = "imports", description = "Files of people, machines, tags and base stations"),
        (name = "admin", description = "What admins look after"),
        (name = "tester", description = "What tester devices do; everything in the brand of the device"),
    ),
    components(schemas(web::Problem)),
    servers((url = "/", description = "This installation"))
)]
struct Frame;

/// Title, tags and the ways to authenticate.
pub fn base() -> OpenApi {
    let mut document = Frame::openapi();
    let components = document.components.get_or_insert_default();
    let cookie = ApiKeyValue::with_description(
        web::SESSION_COOKIE,
        "Set by POST /api/v1/session. Over https its name begins with `__Host-`.",
    );
    components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
    let token = Http::builder()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format("kct_…")
        .description(Some("The token of a tester device, issued once by an admin."))
        .build();
    components.add_security_scheme("tester_token", SecurityScheme::Http(token));
    document
}
