//! The frame of the OpenAPI document.

use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Keepclear for devices",
        version = "1",
        description = "What base stations and gateways send and fetch, with the token an admin issued them. Errors are \
                       RFC 9457 problem details."
    ),
    tags((name = "devices", description = "Events in, commands out")),
    components(schemas(web::Problem)),
    servers((url = "/", description = "This installation"))
)]
struct Frame;

/// Title, tags and the way to authenticate.
pub fn base() -> OpenApi {
    let mut document = Frame::openapi();
    let components = document.components.get_or_insert_default();
    let token = Http::builder()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format("kcs_… or kcg_…")
        .description(Some("The token of a base station, or of a gateway that speaks for many."))
        .build();
    components.add_security_scheme("device_token", SecurityScheme::Http(token));
    document
}
