//! The settings of the brand.

use std::sync::Arc;

use app::{App, unrestricted};
use askama::Template;
use axum::extract::State;
use domain::BrandSettings;
use domain::access::ManageBrand;
use texts::console::settings::{self as s, brand as t};
use web::{Caller, Result};

use super::fields::{KINDS, fields_of, read_change, view_of};
use super::{LOGO_PATH, PATH, SAVED};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::{Action, Field, FormPart, Input};
use crate::{prove, response, settings};

#[derive(Template)]
#[template(path = "settings/brand/page.html")]
struct BrandPage<'a> {
    frame: &'a Frame,
    /// None for a reader who may not change the brand; so for the form of the logo.
    form: Option<FormPart>,
    logo_form: Option<FormPart>,
    remove_logo: Option<Action>,
    logo: Option<LogoPart>,
}

/// The logo as the page shows it.
struct LogoPart {
    /// The address, which changes with the picture.
    src: String,
    alt: String,
    since: String,
}

/// The forms of the page after a fault.
#[derive(Default)]
pub struct Refused {
    pub settings: Option<FormView>,
    pub logo: Option<FormView>,
}

pub async fn show(State(app): State<Arc<App>>, Caller(caller): Caller<ManageBrand>, frame: Frame) -> Result {
    let stored = app.find_brand_settings(&caller).await?;
    render(&app, &frame, &caller, &stored, Refused::default()).await
}

pub async fn save(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageBrand>,
    frame: Frame,
    form: Form,
) -> Result {
    caller.require_unrestricted(unrestricted::CHANGE_BRAND)?;
    let stored = app.find_brand_settings(&caller).await?;
    let fresh = match prove::fresh(&app, &frame, caller.clone(), &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    let saved = match form.read(KINDS, read_change) {
        Ok(change) => app.change_brand_settings(&fresh, &form.if_match(), change).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => Ok(response::redirect(PATH, Some((&SAVED, None)))),
        Err(error) => {
            let settings = Some(form.view(&frame, error)?.beside(&frame, view_of(&stored.values)));
            render(&app, &frame, &caller, &stored, Refused { settings, logo: None }).await
        }
    }
}

pub async fn render(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ManageBrand>,
    stored: &BrandSettings,
    refused: Refused,
) -> Result {
    let faulty = refused.settings.as_ref().or(refused.logo.as_ref());
    let status = faulty.map_or(http::StatusCode::OK, |view| view.status);
    let (mut form, mut logo_form, mut remove_logo) = (None, None, None);
    if settings::is_unrestricted(frame) {
        let view = refused.settings.unwrap_or_else(|| view_of(&stored.values));
        let fields = fields_of(frame, &view, &stored.values);
        let part = FormPart::new(PATH, &view, fields, frame.text(s::SAVE)).changing(stored.version);
        form = Some(part.proven(prove::fields(app, frame, caller)));
        let view = refused.logo.unwrap_or_else(|| FormView::new(Vec::new()));
        let file = Field::new(frame, &view, "logo", t::LOGO_FILE, Input::File { accept: "image/png" });
        let fields = vec![file.required().hint(frame.text(t::LOGO_HINT))];
        logo_form = Some(FormPart::new(LOGO_PATH, &view, fields, frame.text(t::UPLOAD)).upload());
        remove_logo = stored.logo_updated_at.map(|_| Action {
            to: format!("{LOGO_PATH}/remove"),
            text: frame.text(t::REMOVE_LOGO).to_owned(),
            is_danger: true,
            hidden: Vec::new(),
        });
    }
    let logo = stored.logo_updated_at.map(|at| LogoPart {
        src: format!("{LOGO_PATH}?at={}", at.seconds()),
        alt: frame.fill(t::LOGO_OF, &[("brand", stored.values.name.as_str())]),
        since: frame.fill(t::LOGO_SINCE, &[("at", &frame.formats().own(at))]),
    });
    response::page_with(status, frame, &BrandPage { frame, form, logo_form, remove_logo, logo })
}
