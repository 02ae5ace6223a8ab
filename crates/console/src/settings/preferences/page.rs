//! The reader's own preferences.

use std::sync::Arc;

use app::{App, PreferencesChange};
use askama::Template;
use axum::extract::State;
use domain::access::ManageOwnPreferences;
use domain::{Change, UserPreferences};
use texts::console::settings::{self as s, preferences as t};
use web::{Caller, Result};

use super::dimensions::{self, DimensionForm};
use super::fields::{KINDS, fields_of, read_change, view_of};
use super::{DIMENSIONS_PATH, DIMENSIONS_SAVED, PATH, SAVED};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::FormPart;
use crate::response;

#[derive(Template)]
#[template(path = "settings/preferences/page.html")]
struct PreferencesPage<'a> {
    frame: &'a Frame,
    form: FormPart,
    dimensions: DimensionForm,
    dimensions_path: &'static str,
    /// The version of the preferences that the dimensions were filled from.
    version: i64,
}

/// The forms of the page after a fault.
#[derive(Default)]
struct Refused {
    formats: Option<FormView>,
    dimensions: Option<FormView>,
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageOwnPreferences>,
    frame: Frame,
) -> Result {
    let stored = app.find_preferences(&caller).await?;
    render(&app, &frame, &stored, Refused::default()).await
}

pub async fn save(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageOwnPreferences>,
    frame: Frame,
    form: Form,
) -> Result {
    let stored = app.find_preferences(&caller).await?;
    let saved = match form.read(KINDS, read_change) {
        Ok(mut change) => {
            // A default view that the reader cannot see now is shown as none, and stays.
            if change.default_view == Change::Set(stored.default_view) {
                change.default_view = Change::Keep;
            }
            app.change_preferences(&caller, &form.if_match(), change).await
        }
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => Ok(response::redirect(PATH, Some((&SAVED, None)))),
        Err(error) => {
            let formats = Some(form.view(&frame, error)?.beside(&frame, view_of(&stored)));
            render(&app, &frame, &stored, Refused { formats, dimensions: None }).await
        }
    }
}

/// Saves the list of dimensions, or returns to the default.
pub async fn save_dimensions(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageOwnPreferences>,
    frame: Frame,
    form: Form,
) -> Result {
    let stored = app.find_preferences(&caller).await?;
    let wanted = match form.has("_reset") {
        true => form.read(&[], |fields| {
            fields.ignore_unknown();
            Some(None)
        }),
        false => dimensions::read(&form, &stored.effective().dimensions).map(Some),
    };
    let saved = match wanted {
        Ok(list) => {
            let change = PreferencesChange { dimensions: Change::Set(list), ..PreferencesChange::default() };
            app.change_preferences(&caller, &form.if_match(), change).await
        }
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => Ok(response::redirect(PATH, Some((&DIMENSIONS_SAVED, None)))),
        Err(error) => {
            let dimensions = Some(form.view(&frame, error)?);
            render(&app, &frame, &stored, Refused { formats: None, dimensions }).await
        }
    }
}

async fn render(app: &App, frame: &Frame, stored: &UserPreferences, refused: Refused) -> Result {
    let faulty = refused.formats.as_ref().or(refused.dimensions.as_ref());
    let status = faulty.map_or(http::StatusCode::OK, |view| view.status);
    let list = stored.effective().dimensions;
    let dimensions = match &refused.dimensions {
        Some(view) => DimensionForm::of_refused(frame, &list, view),
        None => DimensionForm::of(frame, &list),
    };
    let version = refused.dimensions.as_ref().map_or(stored.version, |view| view.version(stored.version));
    let view = refused.formats.unwrap_or_else(|| view_of(stored));
    let fields = fields_of(app, frame, &view, stored).await?;
    let form = FormPart::new(PATH, &view, fields, frame.text(s::SAVE)).changing(stored.version);
    let page = PreferencesPage { frame, form, dimensions, dimensions_path: DIMENSIONS_PATH, version };
    response::page_with(status, frame, &page)
}
