//! Notes on machines and people.

use app::{App, Error};
use domain::access::{ReadRegistry, WriteRegistry};
use domain::{EntityType, MultilineText, Note, PageRequest, StoredResponse, TimeZone};
use texts::console::machines as t;
use web::{BodyField, Fields};

use super::parts::actor_name;
use crate::form::{Form, FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Cell, Column, Empty, Field, FormPart, Input, Row, Table};
use crate::response;

/// The number of notes that are listed.
const MAX_NOTES: u16 = 50;

const KINDS: &[(&str, Kind)] = &[("note", Kind::Text)];

pub struct NotePanel {
    pub table: Table,
    /// None for those who may not write any.
    pub form: Option<FormPart>,
}

impl NotePanel {
    /// Lists the notes on a record, with a form that posts to `to`.
    pub async fn load(
        app: &App,
        frame: &Frame,
        on: (EntityType, i64),
        (to, view): (String, &FormView),
        zone: &TimeZone,
    ) -> Result<Self, Error> {
        let page = PageRequest { limit: MAX_NOTES, after: None };
        let (notes, _) = app.list_notes(&frame.caller::<ReadRegistry>()?, on, &page, false).await?;
        let columns = vec![
            Column::text(frame.text(t::NOTES)),
            Column::text(frame.text(t::BY)),
            Column::text(frame.text(t::WRITTEN)),
        ];
        let rows = notes.rows.iter().map(|note| row(frame, note, zone)).collect();
        let empty = Empty {
            title: frame.text(t::NO_NOTES).to_owned(),
            reason: frame.text(t::NO_NOTES_REASON).to_owned(),
            action: None,
        };
        let form = frame.may::<WriteRegistry>().then(|| {
            let note = Field::new(frame, view, "note", t::NOTE, Input::Area { rows: 3 }).required();
            FormPart::new(to, view, vec![note], frame.text(t::ADD_NOTE)).creating(frame)
        });
        Ok(Self { table: Table::new(frame.text(t::NOTES), columns, rows, empty), form })
    }
}

fn row(frame: &Frame, note: &Note, zone: &TimeZone) -> Row {
    let body = match &note.body {
        Some(body) => body.as_str(),
        None if frame.sees_names() => frame.text(t::ERASED),
        None => frame.text(t::HIDDEN),
    };
    Row::new(vec![
        Cell::text(body),
        Cell::text(actor_name(frame, &note.author)),
        Cell::text(frame.formats().instant(note.created_at, zone)),
    ])
}

fn read(fields: &mut Fields) -> Option<MultilineText> {
    fields.required("note", MultilineText::from_json)
}

/// Adds the note of a form to a record. The answer leads to `place`.
pub async fn add(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<WriteRegistry>,
    on: (EntityType, i64),
    form: &Form,
    place: String,
) -> Result<StoredResponse, Error> {
    let body = form.read(KINDS, read)?;
    let once = response::made(form.once(frame), move |_: &Note| place);
    app.create_note(caller, on, &body, once).await
}
