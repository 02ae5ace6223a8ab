//! One person: on foot and driving side by side, lengths, machines met, tags and tests, visits and notes.

use std::sync::Arc;

use app::App;
use askama::Template;
use axum::extract::State;
use domain::access::{ReadInsights, ReadRegistry, WriteRegistry};
use domain::{EntityType, Person, PersonId};
use texts::console::machines as entities;
use texts::console::people as t;
use texts::values;
use web::{Caller, Params, PathId, Result};

use super::figures::{Figures, role_table};
use super::tags::TagPanel;
use crate::entities::notes::NotePanel;
use crate::entities::parts::{activity_badge, link_table, open_alarms, option_of};
use crate::form::FormView;
use crate::frame::Frame;
use crate::machines::PickerParams;
use crate::parts::{Attention, Badge, Cell, ChartImage, Details, Slot, Table};
use crate::pickers::{PickerRow, Pickers};
use crate::response;
use crate::visitors::visits::visits_of_person;

#[derive(Template)]
#[template(path = "people/show.html")]
struct PersonPage<'a> {
    frame: &'a Frame,
    pickers: PickerRow,
    name: &'a str,
    activity: Badge,
    period: String,
    /// What is to be known before reading: names are hidden, the person is archived or erased.
    notices: Vec<String>,
    alarms: Attention,
    roles: Table,
    lengths_chart: ChartImage,
    lengths: Table,
    score_chart: ChartImage,
    machines: Table,
    incursions: String,
    details: Details,
    edit: Option<String>,
    tags: TagPanel,
    links: Table,
    more_links: bool,
    /// None for people who were never checked in.
    visits: Option<Table>,
    notes: NotePanel,
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(_): Caller<ReadInsights>,
    frame: Frame,
    PathId(id): PathId,
    Params(PickerParams(pickers)): Params<PickerParams>,
) -> Result {
    let registry = frame.caller::<ReadRegistry>()?;
    let person = app.find_person(&registry.reader(), PersonId(id)).await?;
    render(&app, &frame, &person, pickers, &FormView::new(Vec::new())).await
}

/// Shows the page; the form of a note may come back with faults.
pub async fn render(app: &App, frame: &Frame, person: &Person, pickers: Pickers, note: &FormView) -> Result {
    let id = person.id;
    let caller = frame.caller::<ReadInsights>()?;
    let pickers = pickers.load(app, frame).await?;
    let details = app.find_person_entity(&caller, id, &pickers.filter).await?;
    let figures = Figures::load(app, frame, id, &pickers.filter).await?;
    let zone = &frame.preferences.time_zone;
    let note_address = frame.link(&format!("/people/{id}/notes"));
    let notes = NotePanel::load(app, frame, (EntityType::Person, id.0), (note_address, note), zone).await?;
    let text = id.to_string();
    let chart = |kind: &'static str, parameter: &str, height: u32, alt: texts::Text| {
        ChartImage::new(frame, kind, &[(parameter, text.as_str())], Slot::Half, height, frame.text(alt))
    };
    let page = PersonPage {
        name: &person.name,
        activity: activity_badge(frame, details.activity),
        period: frame.formats().period(&details.query_result),
        notices: notices(frame, person),
        alarms: open_alarms(frame, &details),
        roles: role_table(frame, &details),
        lengths_chart: chart("durations", "person_id", 260, t::LENGTHS_ALT),
        lengths: figures.length_table(frame),
        score_chart: chart("acknowledgement-score", "operator_id", 260, t::SCORE_ALT),
        machines: figures.machine_table(frame),
        incursions: frame.incursions(&[("person_id", &text)]),
        details: describe(frame, person, option_of(frame, details.entity.last_seen_at, entities::NEVER_SEEN)),
        edit: frame.may::<WriteRegistry>().then(|| format!("/settings/people/{id}")),
        tags: TagPanel::load(app, frame, id, &details).await?,
        links: link_table(frame, &details, t::LINKS, zone),
        more_links: details.more_links,
        visits: visits_of_person(app, frame, id).await?,
        notes,
        pickers,
        frame,
    };
    response::page_with(note.status, frame, &page)
}

fn notices(frame: &Frame, person: &Person) -> Vec<String> {
    let mut notices = Vec::new();
    if person.erased_at.is_some() {
        notices.push(frame.text(t::PERSON_ERASED).to_owned());
    } else if let Some(at) = person.archived_at {
        notices.push(frame.fill(t::PERSON_ARCHIVED, &[("at", &frame.formats().own(at))]));
    }
    if !frame.sees_names() {
        notices.push(frame.text(t::NAMES_HIDDEN).to_owned());
    }
    notices
}

fn describe(frame: &Frame, person: &Person, last_seen: String) -> Details {
    let row = |text: texts::Text, cell: Cell| (frame.text(text).to_owned(), cell);
    let kind = values::person_kind(frame.language, person.kind.as_str());
    let mut rows =
        vec![row(entities::KIND, Cell::text(kind)), row(entities::LAST_SEEN, Cell::text(last_seen))];
    let texts =
        [(t::COMPANY, &person.company), (t::EMPLOYEE_ID, &person.employee_id), (t::EMAIL, &person.email)];
    for (text, value) in texts {
        if let Some(value) = value {
            rows.push(row(text, Cell::text(value.as_str())));
        }
    }
    Details { rows }
}
