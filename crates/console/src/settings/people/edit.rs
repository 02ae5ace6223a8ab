//! One person: their fields, and what else can be done.

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::{ErasePeople, ReadRegistry, WriteRegistry};
use domain::{Person, PersonId};
use texts::console::settings::{self as s, people as t};
use texts::values;
use web::{Caller, PathId, Result};

use super::{KINDS, PATH, SAVED, fields_of, read_change};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::{Cell, Details, FormPart};
use crate::response;
use crate::settings::record_page::RecordPage;

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    frame: Frame,
    PathId(id): PathId,
) -> Result {
    let person = app.find_person(&caller.reader(), PersonId(id)).await?;
    render(&frame, &person, &view_of(&person))
}

pub async fn save(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let editor = caller.editor();
    let stored = app.find_person(&editor.reader(), PersonId(id)).await?;
    let saved = match form.read(KINDS, read_change) {
        Ok(change) => app.change_person(&editor, PersonId(id), &form.if_match(), change).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => Ok(response::redirect(&format!("{PATH}/{id}"), Some((&SAVED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?.beside(&frame, view_of(&stored));
            render(&frame, &stored, &view)
        }
    }
}

/// The form as it is filled from the stored person.
pub fn view_of(person: &Person) -> FormView {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    FormView::new(vec![
        ("kind", person.kind.as_str().to_owned()),
        ("name", person.name.clone()),
        ("employee_id", text(&person.employee_id)),
        ("email", text(&person.email)),
        ("company", text(&person.company)),
    ])
}

pub fn render(frame: &Frame, person: &Person, view: &FormView) -> Result {
    let path = format!("{PATH}/{}", person.id);
    let id = person.id.to_string();
    let own = |at| frame.formats().own(at);
    let mut page = RecordPage::new(frame, &person.name, t::PERSON)
        .linking(t::FIGURES, frame.link(&format!("/people/{id}")))
        .linking(t::TAGS, frame.link_with("/settings/tags", &[("person_id", &id)]));
    if let Some(at) = person.erased_at {
        page = page.noticing(frame.fill(t::ERASED_SINCE, &[("at", &own(at))]));
        return page.refusing(view).respond();
    }
    if let Some(at) = person.archived_at {
        page = page.noticing(frame.fill(t::ARCHIVED_SINCE, &[("at", &own(at))]));
    }
    if !frame.sees_names() {
        page = page.noticing(frame.text(t::NAMES_HIDDEN));
    }
    // Who does not see names would store the placeholder in place of the name.
    if !frame.may::<WriteRegistry>() || !frame.sees_names() {
        return page.detailed(details(frame, person)).respond();
    }
    if frame.may::<ErasePeople>() {
        page = page.linking(t::ERASE_LINK, format!("{path}/erase"));
    }
    let form = FormPart::new(path.clone(), view, fields_of(frame, view), frame.text(s::SAVE))
        .changing(person.version)
        .cancelled_at(PATH);
    let is_archived = person.archived_at.is_some();
    page.changing(view, form).archiving(&path, is_archived, Some(t::ARCHIVE_HINT)).respond()
}

fn details(frame: &Frame, person: &Person) -> Details {
    let kind = Some(values::person_kind(frame.language, person.kind.as_str()).to_owned());
    let texts = [
        (t::KIND, &kind),
        (t::EMPLOYEE_ID, &person.employee_id),
        (t::EMAIL, &person.email),
        (t::COMPANY, &person.company),
    ];
    let known = texts.into_iter().filter_map(|(label, value)| Some((label, value.clone()?)));
    Details { rows: known.map(|(label, value)| (frame.text(label).to_owned(), Cell::text(value))).collect() }
}
