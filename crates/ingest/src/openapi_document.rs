//! The general part of the OpenAPI document.

use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Keepclear for devices",
        version = "1",
        description = "Base stations and gateways send events and fetch commands with the token that an admin issued for them. \
                       Errors are RFC 9457 problem details."
    ),
    tags((name = "devices", description = "Events, commands and video of base stations and gateways.")),
    components(schemas(web::Problem)),
    servers((url = "/", description = "This installation"))
)]
struct BaseDocument;

/// Returns a document with title, tags and security scheme.
pub fn base() -> OpenApi {
    let mut document = BaseDocument::openapi();
    let components = document.components.get_or_insert_default();
    let token = Http::builder()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format("kcs_… or kcg_…")
        .description(Some("The token of a base station, or of a gateway that sends for many base stations."))
        .build();
    components.add_security_scheme("device_token", SecurityScheme::Http(token));
    document
}
