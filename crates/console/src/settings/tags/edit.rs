//! One tag: its state, its wearer, its tests and what can be changed.

use std::sync::Arc;

use app::{App, Error, TagChange, TagView};
use askama::Template;
use axum::extract::State;
use domain::access::{ReadRegistry, WriteRegistry};
use domain::{Change, PageRequest, TagId, TagRole, TagState};
use texts::console::settings::{self as s, tags as t};
use web::{BodyField, Caller, Fields, PathId, Result};

use super::{
    PATH, REINSTATED, RETIRED, SAVED, SHOWN_ROWS, flag_words, role_choices, role_word, state_badge, wearers,
};
use crate::address::Address;
use crate::done::Done;
use crate::form::{Form, FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Action, Cell, Column, Details, Empty, Field, FormPart, Input, Row, Table};
use crate::response;

const KINDS: &[(&str, Kind)] = &[("role", Kind::Text)];

#[derive(Template)]
#[template(path = "settings/tags/edit.html")]
struct EditPage<'a> {
    frame: &'a Frame,
    serial: &'a str,
    details: Details,
    form: Option<FormPart>,
    hand_out: Option<FormPart>,
    take_back: Option<Action>,
    /// Retires the tag, or brings it back.
    retirement: Option<Action>,
    tests: Table,
    wearers: Table,
}

/// The forms of the page after a fault.
#[derive(Default)]
pub struct Refused {
    pub fields: Option<FormView>,
    pub hand_out: Option<FormView>,
}

fn read_change(fields: &mut Fields) -> Option<TagChange> {
    let role = fields.change("role", TagRole::from_json);
    Some(TagChange { role: role?, retired: Change::Keep })
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    frame: Frame,
    PathId(id): PathId,
) -> Result {
    let view = app.find_tag(&caller.reader(), TagId(id)).await?;
    render(&app, &frame, &view, Refused::default()).await
}

pub async fn save(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let id = TagId(id);
    let editor = caller.editor();
    let stored = app.find_tag(&editor.reader(), id).await?;
    let saved = match form.read(KINDS, read_change) {
        Ok(change) => app.change_tag(&editor, id, &form.if_match(), change).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => Ok(response::redirect(&format!("{PATH}/{id}"), Some((&SAVED, None)))),
        Err(error) => {
            let fields = Some(form.view(&frame, error)?);
            render(&app, &frame, &stored, Refused { fields, ..Refused::default() }).await
        }
    }
}

pub async fn retire(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    form: Form,
) -> Result {
    set_retired(&app, &caller, (TagId(id), true), &form, &RETIRED).await
}

pub async fn reinstate(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    form: Form,
) -> Result {
    set_retired(&app, &caller, (TagId(id), false), &form, &REINSTATED).await
}

async fn set_retired(
    app: &App,
    caller: &app::Caller<WriteRegistry>,
    (id, is_retired): (TagId, bool),
    form: &Form,
    done: &'static Done,
) -> Result {
    let change = TagChange { role: Change::Keep, retired: Change::Set(is_retired) };
    app.change_tag(&caller.editor(), id, &form.if_match(), change).await?;
    Ok(response::redirect(&format!("{PATH}/{id}"), Some((done, Some(id.0)))))
}

pub async fn render(app: &App, frame: &Frame, view: &TagView, refused: Refused) -> Result {
    let tag = &view.details.tag;
    let path = format!("{PATH}/{}", tag.id);
    let faulty = refused.fields.as_ref().or(refused.hand_out.as_ref());
    let status = faulty.map_or(http::StatusCode::OK, |view| view.status);
    let (mut form, mut hand_out, mut take_back, mut retirement) = (None, None, None, None);
    if frame.may::<WriteRegistry>() {
        let stored = FormView::new(vec![("role", tag.role.as_str().to_owned())]);
        let fields = stored.or_refused(frame, refused.fields);
        let role = Field::new(frame, &fields, "role", t::ROLE, Input::Select(role_choices(frame)));
        let part = FormPart::new(path.clone(), &fields, vec![role], frame.text(s::SAVE));
        form = Some(part.changing(tag.version).cancelled_at(PATH));
        let act = |to: &str, text, is_danger| Action {
            to: format!("{path}/{to}"),
            text: frame.text(text).to_owned(),
            is_danger,
            hidden: Vec::new(),
        };
        match view.state {
            TagState::Retired => retirement = Some(act("reinstate", t::REINSTATE, false)),
            TagState::Assigned => {
                take_back = Some(act("take-back", t::TAKE_BACK, false));
                retirement = Some(act("retire", t::RETIRE, true));
            }
            TagState::Stock => {
                hand_out = Some(wearers::form(app, frame, &path, refused.hand_out).await?);
                retirement = Some(act("retire", t::RETIRE, true));
            }
        }
    }
    let page = EditPage {
        frame,
        serial: &tag.serial,
        details: details(frame, view),
        form,
        hand_out,
        take_back,
        retirement,
        tests: tests(app, frame, tag.id).await?,
        wearers: wearers::table(app, frame, tag.id).await?,
    };
    response::page_with(status, frame, &page)
}

fn details(frame: &Frame, view: &TagView) -> Details {
    let (tag, formats) = (&view.details.tag, frame.formats());
    let wearer = match &view.details.person {
        Some(person) => Cell::link(person.name.clone(), frame.link(&format!("/people/{}", person.id))),
        None => Cell::text(frame.text(t::NOBODY)),
    };
    let attention = match view.flags.is_empty() {
        true => frame.text(t::NO_FLAGS).to_owned(),
        false => flag_words(frame, &view.flags),
    };
    let unknown = || frame.text(t::NOT_REPORTED).to_owned();
    let battery = tag.battery_percent.map_or_else(unknown, |percent| format!("{percent} %"));
    let seen = tag.last_seen_at.map_or_else(unknown, |at| formats.own(at));
    let mut state = Cell::badge(state_badge(frame, view.state));
    if let Some(at) = tag.retired_at {
        state = state.note(formats.own(at));
    }
    let tag_id = tag.id.to_string();
    let counted = formats.integer(view.incursions.count);
    let incursions = Cell::link(counted, recent_incursions(frame, &tag_id));
    let rows = [
        (t::STATE, state),
        (t::ROLE, Cell::text(role_word(frame, tag.role))),
        (t::WEARER, wearer),
        (t::ATTENTION, Cell::text(attention)),
        (t::BATTERY, Cell::text(battery)),
        (t::LAST_SEEN, Cell::text(seen)),
        (t::RECENT_INCURSIONS, incursions),
    ];
    Details { rows: rows.into_iter().map(|(label, cell)| (frame.text(label).to_owned(), cell)).collect() }
}

/// The address of the incursions that a tag counts, without the pickers, which might leave some out.
fn recent_incursions(frame: &Frame, tag: &str) -> String {
    let since = frame.now - TagView::RECENT_PERIOD;
    Address::new("/incursions")
        .and("tag_id", tag)
        .and("period", "custom")
        .and("from", &since.to_string())
        .to_string()
}

async fn tests(app: &App, frame: &Frame, id: TagId) -> Result<Table, Error> {
    let caller = frame.caller::<ReadRegistry>()?;
    let page = PageRequest { limit: SHOWN_ROWS, after: None };
    let (found, _) = app.list_tests_of_tag(&caller.reader(), id, &page, false).await?;
    let rows = found.rows.iter().map(|test| {
        let result = frame.text(if test.passed { t::PASSED } else { t::FAILED });
        let wearer = test.person.as_ref().map(|person| person.name.clone()).unwrap_or_default();
        let battery = test.battery_percent.map(|percent| format!("{percent} %")).unwrap_or_default();
        Row::new(vec![
            Cell::text(frame.formats().own(test.tested_at)),
            Cell::text(result),
            Cell::text(battery),
            Cell::text(wearer),
        ])
    });
    let columns = vec![
        Column::text(frame.text(t::TESTED_AT)),
        Column::text(frame.text(t::RESULT)),
        Column::number(frame.text(t::BATTERY)),
        Column::text(frame.text(t::WEARER)),
    ];
    let empty = Empty {
        title: frame.text(t::NEVER_TESTED).to_owned(),
        reason: frame.text(t::NEVER_TESTED_REASON).to_owned(),
        action: None,
    };
    Ok(Table::new(frame.text(t::TESTS), columns, rows.collect(), empty))
}
