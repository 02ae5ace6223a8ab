//! The token of a base station: it is issued, shown once, rotated and revoked.

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageDevices;
use domain::{BaseStationId, DeviceId, DeviceKind};
use web::{Caller, PathId, Result};

use super::edit::{self, Shown};
use super::{PATH, REVOKED};
use crate::form::Form;
use crate::frame::Frame;
use crate::settings::token_panel;
use crate::{prove, response};

/// Issues a token and shows it. Whoever sends the form twice, by a double click or a reload, issues one: a second one would end the first.
/// A second click shows the same token; later it is not shown again, because only a hash of it is stored.
pub async fn issue(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    app.check_base_station(&caller, BaseStationId(id)).await?;
    let fresh = match prove::fresh(&app, &frame, caller, &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    let once = response::made(form.once(&frame), |device: &DeviceId| format!("{PATH}/{device}"));
    let issued = app.issue_device_token_once(&fresh, (DeviceKind::Station, DeviceId(id)), once).await?;
    let Some(secret) = issued.secret else { return Ok(token_panel::issued_before(issued.answer)) };
    let station = app.find_base_station(&fresh, BaseStationId(id)).await?;
    let shown = Shown { secret: Some(secret), ..Shown::default() };
    edit::render(&app, &frame, &station, shown).await
}

pub async fn revoke(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    app.check_base_station(&caller, BaseStationId(id)).await?;
    let fresh = match prove::fresh(&app, &frame, caller, &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    app.revoke_device_token(&fresh, (DeviceKind::Station, DeviceId(id))).await?;
    Ok(response::redirect(&format!("{PATH}/{id}"), Some((&REVOKED, None))))
}
