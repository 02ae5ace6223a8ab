//! The logo of the brand: it is shown, uploaded and removed.

use std::sync::Arc;

use app::{App, Error, unrestricted};
use axum::extract::State;
use domain::Invalid;
use domain::access::{BeSignedIn, ManageBrand};
use domain::png::Png;
use web::{Caller, Result};

use super::page::{self, Refused};
use super::{LOGO_REMOVED, LOGO_SAVED, PATH};
use crate::form::{Form, Upload};
use crate::frame::Frame;
use crate::response;
use crate::settings::account_access;

/// The picture, for everyone who is signed in.
pub async fn show(State(app): State<Arc<App>>, Caller(caller): Caller<BeSignedIn>) -> Result {
    let logo = app.find_logo(&caller).await?;
    Ok(response::bytes("image/png", logo.bytes, None))
}

pub async fn upload(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageBrand>,
    frame: Frame,
    upload: Upload,
) -> Result {
    caller.require_unrestricted(unrestricted::CHANGE_BRAND)?;
    let stored = app.find_brand_settings(&caller).await?;
    let saved = match read(&upload) {
        Ok(png) => app.set_logo(&caller, &png).await,
        Err(invalid) => Err(Error::invalid_field("logo", invalid)),
    };
    match saved {
        Ok(_) => Ok(response::redirect(PATH, Some((&LOGO_SAVED, None)))),
        Err(error) => {
            let logo = Some(upload.form().view(&frame, error)?);
            page::render(&app, &frame, &caller, &stored, Refused { settings: None, logo }).await
        }
    }
}

fn read(upload: &Upload) -> Result<Png, Invalid> {
    match upload.file.len() {
        0 => Err(Invalid::new("required", "must be given")),
        1..=Png::MAX_BYTES => Png::parse(&upload.file),
        _ => Err(Invalid::new("invalid_picture", "must have at most 1 MiB")),
    }
}

pub async fn remove(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageBrand>,
    frame: Frame,
    form: Form,
) -> Result {
    caller.require_unrestricted(unrestricted::CHANGE_BRAND)?;
    let stored = app.find_brand_settings(&caller).await?;
    let removed = match account_access::read_button(&form) {
        Ok(()) => app.remove_logo(&caller).await,
        Err(error) => Err(error),
    };
    match removed {
        Ok(_) => Ok(response::redirect(PATH, Some((&LOGO_REMOVED, None)))),
        Err(error) => {
            let logo = Some(form.view(&frame, error)?);
            page::render(&app, &frame, &caller, &stored, Refused { settings: None, logo }).await
        }
    }
}
