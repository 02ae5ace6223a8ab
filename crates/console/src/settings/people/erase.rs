//! Erasing what names a person. The page says first what is lost.

use std::sync::Arc;

use app::App;
use askama::Template;
use axum::extract::State;
use domain::access::{ErasePeople, ReadRegistry};
use domain::person::placeholder_name;
use domain::{Invalid, Person, PersonId};
use texts::console::settings::people as t;
use web::{Caller, PathId, Result};

use super::{ERASED, PATH};
use crate::form::{Form, FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Field, FormPart, Input};
use crate::response;

const KINDS: &[(&str, Kind)] = &[("confirmation", Kind::Text)];

#[derive(Template)]
#[template(path = "settings/people/erase.html")]
struct ErasePage<'a> {
    frame: &'a Frame,
    title: String,
    lost: Vec<&'static str>,
    /// What is shown in place of the name.
    kept: String,
    form: FormPart,
}

pub async fn show(
    State(app): State<Arc<App>>,
    _: Caller<ErasePeople>,
    frame: Frame,
    PathId(id): PathId,
) -> Result {
    let person = app.find_person(&frame.caller::<ReadRegistry>()?.reader(), PersonId(id)).await?;
    render(&frame, &person, &FormView::new(Vec::new()))
}

pub async fn erase(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ErasePeople>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let person = app.find_person(&frame.caller::<ReadRegistry>()?.reader(), PersonId(id)).await?;
    let confirmed = form.read(KINDS, |fields| {
        let given = fields.required("confirmation", web::text(|text| Ok(text.to_owned())))?;
        match given == person.name {
            true => Some(()),
            false => {
                let invalid = Invalid::new("wrong_confirmation", "must be the name of the person");
                fields.add_fault("confirmation", invalid)
            }
        }
    });
    match confirmed {
        Ok(()) => {
            app.erase_person(&caller, PersonId(id)).await?;
            Ok(response::redirect(&format!("{PATH}/{id}"), Some((&ERASED, None))))
        }
        Err(error) => render(&frame, &person, &form.view(&frame, error)?),
    }
}

fn render(frame: &Frame, person: &Person, view: &FormView) -> Result {
    let path = format!("{PATH}/{}", person.id);
    // There is nothing left to erase.
    if person.erased_at.is_some() {
        return Ok(response::redirect(&path, None));
    }
    let field = Field::new(frame, view, "confirmation", t::CONFIRMATION, Input::Text)
        .required()
        .autocomplete("off")
        .hint(frame.text(t::CONFIRMATION_HINT));
    let lost = [
        t::LOST_FIELDS,
        t::LOST_VISITS,
        t::LOST_AUDIT,
        t::LOST_EXPORTS,
        t::LOST_REPORTS,
        t::LOST_ADDRESS,
        t::LOST_TAGS,
    ];
    let page = ErasePage {
        frame,
        title: frame.fill(t::ERASE_TITLE, &[("name", &person.name)]),
        lost: lost.into_iter().map(|text| frame.text(text)).collect(),
        kept: frame.fill(t::KEPT_TEXT, &[("placeholder", &placeholder_name(person.id))]),
        form: FormPart::new(format!("{path}/erase"), view, vec![field], frame.text(t::ERASE))
            .cancelled_at(path),
    };
    response::page_with(view.status, frame, &page)
}
