//! Who wears a tag: the form that hands it out, and who wore it before.

use app::{App, Error};
use domain::access::ReadRegistry;
use domain::{PageRequest, PeopleFilter, TagId};
use texts::console::settings::tags as t;

use super::SHOWN_ROWS;
use crate::form::FormView;
use crate::frame::Frame;
use crate::parts::{Cell, Choice, Column, Empty, Field, FormPart, Input, Row, Table};
use crate::settings;

/// The form that hands the tag out, empty or with its faults.
pub async fn form(app: &App, frame: &Frame, tag: &str, refused: Option<FormView>) -> Result<FormPart, Error> {
    let caller = frame.caller::<ReadRegistry>()?;
    let people = app.list_people(&caller.reader(), &PeopleFilter::default(), &settings::by_name()).await?;
    let people = people.rows.into_iter().map(|person| Choice::new(person.id.to_string(), person.name));
    let choices = settings::with_blank(frame, people);
    let view = refused.unwrap_or_else(|| FormView::new(Vec::new()));
    let field = Field::new(frame, &view, "person_id", t::WEARER, Input::Select(choices)).required();
    Ok(FormPart::new(format!("{tag}/hand-out"), &view, vec![field], frame.text(t::HAND_OUT)).creating(frame))
}

/// Who wore the tag, the latest first.
pub async fn table(app: &App, frame: &Frame, id: TagId) -> Result<Table, Error> {
    let caller = frame.caller::<ReadRegistry>()?;
    let page = PageRequest { limit: SHOWN_ROWS, after: None };
    let (found, _) = app.list_assignments_of_tag(&caller.reader(), id, &page, false).await?;
    let formats = frame.formats();
    let rows = found.rows.iter().map(|row| {
        let until = row.ended_at.map_or_else(|| frame.text(t::STILL).to_owned(), |at| formats.own(at));
        Row::new(vec![
            Cell::head(row.person.name.clone(), frame.link(&format!("/people/{}", row.person.id))),
            Cell::text(formats.own(row.assigned_at)),
            Cell::text(until),
        ])
    });
    let columns = [t::WEARER, t::FROM, t::UNTIL].map(|label| Column::text(frame.text(label)));
    let empty = Empty {
        title: frame.text(t::NEVER_WORN).to_owned(),
        reason: frame.text(t::NEVER_WORN_REASON).to_owned(),
        action: None,
    };
    Ok(Table::new(frame.text(t::WEARERS), columns.into_iter().collect(), rows.collect(), empty))
}
