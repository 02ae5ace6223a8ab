//! One device: its fields and its token.

use std::sync::Arc;

use app::App;
use askama::Template;
use axum::extract::State;
use domain::DeviceId;
use domain::access::ManageDevices;
use texts::console::settings as t;
use web::{Caller, PathId, Result};

use super::{Device, DeviceSummary};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::FormPart;
use crate::settings::token_panel::TokenPanel;
use crate::{response, settings};

#[derive(Template)]
#[template(path = "settings/devices/edit.html")]
struct EditPage<'a> {
    frame: &'a Frame,
    name: &'a str,
    /// What the device is, such as a gateway.
    kind: &'static str,
    /// None for a reader who may only look.
    form: Option<FormPart>,
    /// Why a reader may only look.
    restricted: &'static str,
    /// None for a reader who may only look.
    token: Option<TokenPanel>,
}

pub async fn show<D: Device>(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    frame: Frame,
    PathId(id): PathId,
) -> Result {
    let device = D::find(&app, &caller, DeviceId(id)).await?;
    render(&app, &frame, &caller, &device, &view_of(&device), None).await
}

pub async fn save<D: Device>(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    caller.require_unrestricted(D::REFUSED.change)?;
    let device = D::find(&app, &caller, DeviceId(id)).await?;
    match D::change(&app, &caller, DeviceId(id), &form).await {
        Ok(_) => Ok(response::redirect(&format!("{}/{id}", D::PAGES.path), Some((D::PAGES.saved, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?.beside(&frame, view_of(&device));
            render(&app, &frame, &caller, &device, &view, None).await
        }
    }
}

/// The form as it is filled from the stored device.
pub fn view_of<D: Device>(device: &D) -> FormView {
    FormView::new(device.values())
}

/// Shows the page; `secret` is a token that was issued just now.
pub async fn render<D: Device>(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ManageDevices>,
    device: &D,
    view: &FormView,
    secret: Option<String>,
) -> Result {
    let (pages, DeviceSummary { id, name, token, version, .. }) = (D::PAGES, device.summary());
    let path = format!("{}/{id}", pages.path);
    let (form, token) = match settings::is_unrestricted(frame) {
        true => {
            let fields = D::fields(app, frame, view, Some(device)).await?;
            let form = FormPart::new(path.clone(), view, fields, frame.text(t::SAVE))
                .changing(version)
                .cancelled_at(pages.path);
            (Some(form), Some(TokenPanel::new(app, frame, caller, path, token, secret).await))
        }
        false => (None, None),
    };
    let (kind, restricted) = (frame.text(pages.device), frame.text(pages.restricted));
    response::page_with(view.status, frame, &EditPage { frame, name, kind, form, restricted, token })
}
