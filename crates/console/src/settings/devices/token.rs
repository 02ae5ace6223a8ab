//! The token of a device: it is issued, shown once, rotated and revoked.

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::DeviceId;
use domain::access::ManageDevices;
use web::{Caller, PathId, Result};

use super::{Device, edit};
use crate::form::Form;
use crate::frame::Frame;
use crate::settings::token_panel;
use crate::{prove, response};

/// Issues a token and shows it. Whoever sends the form twice, by a double click or a reload, issues one: a second one would end the first.
/// A second click shows the same token; later it is not shown again, because only a hash of it is stored.
pub async fn issue<D: Device>(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    caller.require_unrestricted(D::REFUSED.manage_token)?;
    D::find(&app, &caller, DeviceId(id)).await?;
    let fresh = match prove::fresh(&app, &frame, caller.clone(), &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    let place = |device: &DeviceId| format!("{}/{device}", D::PAGES.path);
    let once = response::made(form.once(&frame), place);
    let shown = app.issue_device_token_once(&fresh, (D::KIND, DeviceId(id)), once).await?;
    let Some(secret) = shown.secret else { return Ok(token_panel::issued_before(shown.answer)) };
    let device = D::find(&app, &caller, DeviceId(id)).await?;
    edit::render(&app, &frame, &caller, &device, &edit::view_of(&device), Some(secret)).await
}

pub async fn revoke<D: Device>(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    caller.require_unrestricted(D::REFUSED.manage_token)?;
    D::find(&app, &caller, DeviceId(id)).await?;
    let fresh = match prove::fresh(&app, &frame, caller, &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    app.revoke_device_token(&fresh, (D::KIND, DeviceId(id))).await?;
    Ok(response::redirect(&format!("{}/{id}", D::PAGES.path), Some((D::PAGES.revoked, None))))
}
