//! GET /api/v1/webhooks/{id}/deliveries

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ManageBrand;
use domain::{DeliveryState, WebhookId};
use web::{Caller, FromParams, List, ListParams, Params, PathId, Query, Result, enum_schemas, problem};

use super::{WebhookDelivery, shape};

pub struct DeliveryParams {
    states: Vec<DeliveryState>,
    list: ListParams,
}

impl FromParams for DeliveryParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let word = |text: &str| DeliveryState::parse(text).map(DeliveryState::as_str);
        let given = query.many("state", DeliveryState::ALL.len(), word)?;
        let states = DeliveryState::ALL.into_iter().filter(|state| given.contains(&state.as_str()));
        Ok(Self { states: states.collect(), list: ListParams::read(query)? })
    }
}

pub type WebhookDeliveryList = List<WebhookDelivery>;

/// List the deliveries of a webhook
///
/// The newest come first. They are stored as long as the firing that they are about; those of tests for 30 days.
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    get, path = "/api/v1/webhooks/{id}/deliveries", tag = "webhooks", operation_id = "list_webhook_deliveries",
    params(
        ("id" = i64, Path, description = "Identifier of the webhook"),
        ("state" = Option<Vec<enum_schemas::DeliveryState>>, Query,
            description = "Only deliveries in these states; repeat the parameter"),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of deliveries", body = WebhookDeliveryList),
        problem::BadParams, problem::NotFound,
    ),
)]
pub async fn list_webhook_deliveries(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageBrand>,
    PathId(id): PathId,
    Params(DeliveryParams { states, list }): Params<DeliveryParams>,
) -> Result {
    let (id, page) = (WebhookId(id), list.page());
    let found = app.list_webhook_deliveries(&caller, id, &states, &page, list.include_total).await?;
    Ok(web::list_response(&list, found, shape))
}
