//! GET /api/v1/webhooks

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ManageBrand;
use web::{Caller, FromParams, List, ListParams, Params, Query, Result, problem};

use super::{Webhook, shape};

pub struct WebhookParams {
    q: Option<String>,
    list: ListParams,
}

impl FromParams for WebhookParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self { q: query.search("q")?, list: ListParams::read(query)? })
    }
}

pub type WebhookList = List<Webhook>;

/// List webhooks
///
/// The webhooks of the brand are sorted by name. Their secrets are not shown.
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    get, path = "/api/v1/webhooks", tag = "webhooks", operation_id = "list_webhooks",
    params(
        ("q" = Option<String>, Query, description = "Part of a name; case and accents are ignored"),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of webhooks", body = WebhookList),
        problem::BadParams,
    ),
)]
pub async fn list_webhooks(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageBrand>,
    Params(WebhookParams { q, list }): Params<WebhookParams>,
) -> Result {
    let found = app.list_webhooks(&caller, q.as_deref(), &list.page(), list.include_total).await?;
    Ok(web::list_response(&list, found, shape))
}
