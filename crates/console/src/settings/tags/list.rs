//! The list of tags, and the form that registers one.

use std::sync::Arc;

use app::{App, Error, TagView};
use axum::extract::State;
use domain::access::{ReadRegistry, WriteRegistry};
use domain::{PersonId, RegistryRows, Serial, TagFilter, TagFlag, TagRole, TagState};
use texts::console::settings::{self as s, tags as t};
use web::{BodyField, Caller, Fields, FromParams, Params, Query, Result, SortOrders};

use super::{ADDED, PATH, flag_word, flag_words, role_choices, role_word, state_badge, state_word};
use crate::form::{Form, FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Cell, Choice, Column, Field, FormPart, Input, Pager, Plain, Row, Table, csv_response};
use crate::response;
use crate::settings::list_page::{self, ListPage};
use crate::settings::list_params::RegistryParams;

const KINDS: &[(&str, Kind)] = &[("serial", Kind::Text), ("role", Kind::Text)];

fn read_new(fields: &mut Fields) -> Option<(Serial, TagRole)> {
    let serial = fields.required("serial", Serial::from_json);
    let role = fields.required("role", TagRole::from_json);
    serial.zip(role)
}

pub struct ListQuery {
    role: Option<TagRole>,
    state: Option<TagState>,
    flag: Option<TagFlag>,
    person: Option<PersonId>,
    registry: RegistryParams,
}

impl FromParams for ListQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self {
            role: query.one("role", TagRole::parse)?,
            state: query.one("state", TagState::parse)?,
            flag: query.one("flag", TagFlag::parse)?,
            person: query.id("person_id")?.map(PersonId),
            registry: RegistryParams::read(query, &SortOrders::BY_SERIAL)?,
        })
    }
}

impl ListQuery {
    fn filter(&self) -> TagFilter {
        TagFilter {
            q: self.registry.q.clone(),
            roles: self.role.into_iter().collect(),
            states: self.state.into_iter().collect(),
            flags: self.flag.into_iter().collect(),
            people: self.person.into_iter().collect(),
            rows: RegistryRows::default(),
        }
    }

    fn is_filtered(&self) -> bool {
        let has_choice = self.role.is_some() || self.state.is_some() || self.flag.is_some();
        has_choice || self.person.is_some() || self.registry.q.is_some()
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    frame: Frame,
    Params(params): Params<ListQuery>,
) -> Result {
    let table = table(&app, &frame, &caller, &params).await?;
    if params.registry.page.csv {
        return Ok(csv_response("tags.csv", &table));
    }
    render(&frame, table, &params, &FormView::new(Vec::new()))
}

pub async fn create(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    frame: Frame,
    Params(params): Params<ListQuery>,
    form: Form,
) -> Result {
    let made = match form.read(KINDS, read_new) {
        Ok((serial, role)) => {
            let place = |made: &TagView| format!("{PATH}/{}", made.details.tag.id);
            let once = response::made(form.once(&frame), place);
            app.create_tag(&caller.editor(), (&serial, role), once).await
        }
        Err(error) => Err(error),
    };
    match made {
        Ok(stored) => Ok(response::redirect(&response::stored_location(stored), Some((&ADDED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?;
            let reader = frame.caller::<ReadRegistry>()?;
            let table = table(&app, &frame, &reader, &params).await?;
            render(&frame, table, &params, &view)
        }
    }
}

async fn table(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ReadRegistry>,
    params: &ListQuery,
) -> Result<Table, Error> {
    let found = app.list_tags(&caller.reader(), &params.filter(), &params.registry.request()).await?;
    let sort = params.registry.sort("serial");
    let columns = vec![
        Column::text(frame.text(t::SERIAL)).sorted(frame, "serial", &sort),
        Column::text(frame.text(t::ROLE)),
        Column::text(frame.text(t::STATE)),
        Column::text(frame.text(t::WEARER)),
        Column::text(frame.text(t::ATTENTION)),
        Column::text(frame.text(t::LAST_TEST)),
        Column::number(frame.text(t::BATTERY)),
    ];
    let rows: Vec<Row> = found.rows.iter().map(|view| row(frame, view)).collect();
    let pager = Pager::of(frame, rows.len(), found.total, found.next.as_ref());
    let empty = list_page::empty(frame, params.is_filtered(), (t::NONE_YET, t::NONE_YET_REASON), PATH);
    Ok(Table::new(frame.text(t::TITLE), columns, rows, empty).paged(pager).with_csv(frame))
}

fn row(frame: &Frame, view: &TagView) -> Row {
    let (tag, formats) = (&view.details.tag, frame.formats());
    let wearer = match &view.details.person {
        Some(person) => Cell::link(person.name.clone(), frame.link(&format!("/people/{}", person.id))),
        None => Cell::text(""),
    };
    let tested = view.details.last_test.map(|test| formats.own(test.tested_at)).unwrap_or_default();
    let battery = tag.battery_percent.map(|percent| format!("{percent} %")).unwrap_or_default();
    let cells = vec![
        Cell::head(tag.serial.clone(), format!("{PATH}/{}", tag.id)),
        Cell::text(role_word(frame, tag.role)),
        Cell::badge(state_badge(frame, view.state)),
        wearer,
        Cell::text(flag_words(frame, &view.flags)),
        Cell::text(tested).plain(Plain::time(view.details.last_test.map(|test| test.tested_at))),
        Cell::text(battery).plain(match tag.battery_percent {
            Some(percent) => Plain { unit: Some("%"), ..Plain::whole(percent) },
            None => Plain::nothing(),
        }),
    ];
    Row::new(cells).muted(view.state == TagState::Retired)
}

fn render(frame: &Frame, table: Table, params: &ListQuery, view: &FormView) -> Result {
    let page = ListPage::new(frame, t::TITLE, t::LEAD, table)
        .searched(params.registry.q.as_deref(), filter_fields(frame, params));
    if !frame.may::<WriteRegistry>() {
        return page.respond();
    }
    let fields = vec![
        Field::new(frame, view, "serial", t::SERIAL, Input::Text).required().hint(frame.text(t::SERIAL_HINT)),
        Field::new(frame, view, "role", t::ROLE, Input::Select(role_choices(frame))).required(),
    ];
    let form = FormPart::new(PATH, view, fields, frame.text(s::ADD)).creating(frame);
    page.linking(s::IMPORT, "/settings/tags/import").adding(t::NEW, view, form).respond()
}

fn filter_fields(frame: &Frame, params: &ListQuery) -> Vec<Field> {
    let with_all = |choices: Vec<Choice>| -> Vec<Choice> {
        std::iter::once(Choice::blank(frame.text(s::ALL_OF_THEM))).chain(choices).collect()
    };
    let states = TagState::ALL.map(|state| Choice::new(state.as_str(), state_word(frame, state)));
    let flags = TagFlag::ALL.map(|flag| Choice::new(flag.as_str(), flag_word(frame, flag)));
    let word = |word: Option<&'static str>| word.unwrap_or_default().to_owned();
    // The form that adds a tag has a field `role` too, so the filter by role is only in the address.
    let view = FormView::new(vec![
        ("state", word(params.state.map(TagState::as_str))),
        ("flag", word(params.flag.map(TagFlag::as_str))),
    ]);
    vec![
        Field::new(frame, &view, "state", t::STATE, Input::Select(with_all(states.into_iter().collect()))),
        Field::new(frame, &view, "flag", t::ATTENTION, Input::Select(with_all(flags.into_iter().collect()))),
    ]
}
