//! The table of incursions, one per row: the fields of the list, with the names of what they refer to beside the ids.

use ::exports::{Cell, Column, ColumnKind, DurationUnit, Error, Table, Writer};
use domain::locale::Units;
use domain::{IncursionDetails, PersonName, Span, Timestamp};

use super::formatting::FileFormatting;
use crate::insights::incursion_pages::site_offset_s;

pub(super) const COLUMNS: usize = 36;

const MILLISECONDS: ColumnKind = ColumnKind::Duration(DurationUnit::Milliseconds);
const DEGREES: ColumnKind = ColumnKind::Decimal { digits: 7 };

/// The closest distance, in metric and imperial units.
const CLOSEST_CM: (&str, &str, ColumnKind) = ("closest_cm", "Closest (cm)", ColumnKind::Integer);
const CLOSEST_FT: (&str, &str, ColumnKind) =
    ("closest_ft", "Closest (ft)", ColumnKind::Decimal { digits: 2 });

/// Key, title and kind of each column.
const COLUMN_DEFINITIONS: [(&str, &str, ColumnKind); COLUMNS] = [
    ("id", "Id", ColumnKind::Integer),
    ("seq", "Change", ColumnKind::Integer),
    ("uid", "Uid", ColumnKind::Text),
    ("started_at", "Started at", ColumnKind::Timestamp),
    ("ended_at", "Ended at", ColumnKind::Timestamp),
    ("closed_without_end", "Closed without end", ColumnKind::Boolean),
    ("duration_ms", "Duration", MILLISECONDS),
    ("local_day", "Local day", ColumnKind::Date),
    ("acknowledged", "Acknowledged", ColumnKind::Boolean),
    ("acknowledged_at", "Acknowledged at", ColumnKind::Timestamp),
    ("ack_ms", "Time to acknowledge", MILLISECONDS),
    ("zone", "Zone", ColumnKind::Text),
    CLOSEST_CM,
    ("lat", "Latitude", DEGREES),
    ("lon", "Longitude", DEGREES),
    ("machine_id", "Machine id", ColumnKind::Integer),
    ("machine", "Machine", ColumnKind::Text),
    ("base_station_id", "Base station id", ColumnKind::Integer),
    ("base_station", "Base station", ColumnKind::Text),
    ("tag_id", "Tag id", ColumnKind::Integer),
    ("tag", "Tag", ColumnKind::Text),
    ("operator_tag_id", "Operator's tag id", ColumnKind::Integer),
    ("operator_tag", "Operator's tag", ColumnKind::Text),
    ("pedestrian_id", "Pedestrian id", ColumnKind::Integer),
    ("pedestrian", "Pedestrian", ColumnKind::Text),
    ("operator_id", "Operator id", ColumnKind::Integer),
    ("operator", "Operator", ColumnKind::Text),
    ("worksite_id", "Worksite id", ColumnKind::Integer),
    ("worksite", "Worksite", ColumnKind::Text),
    ("project_id", "Project id", ColumnKind::Integer),
    ("project", "Project", ColumnKind::Text),
    ("review", "Review", ColumnKind::Text),
    ("reviewed_by", "Reviewed by", ColumnKind::Text),
    ("reviewed_at", "Reviewed at", ColumnKind::Timestamp),
    ("review_comment", "Comment", ColumnKind::Text),
    ("received_at", "Received at", ColumnKind::Timestamp),
];

/// Creates the table. The heading of a CSV has the keys, because such files are read by programs.
pub(super) fn table(look: &FileFormatting) -> Result<Table, Error> {
    let columns = COLUMN_DEFINITIONS.iter().map(|described| {
        let (key, title, kind) = match look.preferences().units {
            Units::Imperial if *described == CLOSEST_CM => CLOSEST_FT,
            Units::Imperial | Units::Metric => *described,
        };
        Column::new(key, title, kind)
    });
    Ok(Table::new("Incursions", columns.collect())?.with_csv_key_headings())
}

pub(super) fn write(
    writer: &mut Writer<'_>,
    page: &[IncursionDetails],
    look: &FileFormatting,
) -> Result<(), Error> {
    page.iter().try_for_each(|details| writer.write(&cells(details, look)))
}

fn cells<'a>(details: &'a IncursionDetails, look: &FileFormatting) -> [Cell<'a>; COLUMNS] {
    let row = &details.stored.row;
    let of_site = site_offset_s(row);
    let clock = look.common_time_zone();
    let timestamp = |at: Timestamp| Cell::Timestamp {
        at_us: at.micros(),
        offset_s: clock.map_or(of_site, |clock| clock.offset_s(at)),
    };
    let optional_timestamp = |at: Option<Timestamp>| at.map_or(Cell::Empty, timestamp);
    let elapsed_ms =
        |at: Option<Timestamp>| at.map_or(Cell::Empty, |at| Cell::Integer(milliseconds(at - row.started_at)));
    let number = |number: Option<i64>| number.map_or(Cell::Empty, Cell::Integer);
    let day = i32::try_from(row.attribution.local_day).map_or(Cell::Empty, Cell::Date);
    let (reviewed_by, reviewed_at, comment) = match &details.last_review {
        Some(said) => {
            (text_cell(said.by.name.as_deref()), timestamp(said.at), text_cell(said.comment.as_deref()))
        }
        None => (Cell::Empty, Cell::Empty, Cell::Empty),
    };
    [
        Cell::Integer(details.stored.id.0),
        Cell::Integer(row.seq),
        Cell::Text(&row.uid),
        timestamp(row.started_at),
        optional_timestamp(row.ended_at),
        Cell::Boolean(row.closed_at.is_some() && row.ended_at.is_none()),
        elapsed_ms(row.ended_at),
        day,
        Cell::Boolean(row.acknowledged_at.is_some()),
        optional_timestamp(row.acknowledged_at),
        elapsed_ms(row.acknowledged_at),
        Cell::Text(row.zone.as_str()),
        row.closest_cm.map_or(Cell::Empty, |closest_cm| closest_cell(closest_cm, look.preferences().units)),
        row.position.map_or(Cell::Empty, |place| Cell::Decimal(place.lat())),
        row.position.map_or(Cell::Empty, |place| Cell::Decimal(place.lon())),
        number(details.machine.as_ref().map(|(id, _)| id.0)),
        text_cell(details.machine.as_ref().map(|(_, name)| name.as_str())),
        Cell::Integer(details.base_station.0.0),
        Cell::Text(&details.base_station.1),
        Cell::Integer(details.tag.0.0),
        Cell::Text(&details.tag.1),
        number(details.operator_tag.as_ref().map(|(id, _)| id.0)),
        text_cell(details.operator_tag.as_ref().map(|(_, serial)| serial.as_str())),
        number(details.pedestrian.as_ref().map(|person| person.id.0)),
        name_cell(details.pedestrian.as_ref()),
        number(details.operator.as_ref().map(|person| person.id.0)),
        name_cell(details.operator.as_ref()),
        number(details.worksite.as_ref().map(|(id, _)| id.0)),
        text_cell(details.worksite.as_ref().map(|(_, name)| name.as_str())),
        number(details.project.as_ref().map(|(id, _)| id.0)),
        text_cell(details.project.as_ref().map(|(_, name)| name.as_str())),
        Cell::Text(row.review.as_str()),
        reviewed_by,
        reviewed_at,
        comment,
        timestamp(row.received_at),
    ]
}

fn text_cell(text: Option<&str>) -> Cell<'_> {
    text.map_or(Cell::Empty, Cell::Text)
}

/// A hundredth of a foot is finer than a centimetre.
fn closest_cell(closest_cm: i64, units: Units) -> Cell<'static> {
    const FOOT_CM: f64 = 30.48;
    match units {
        Units::Metric => Cell::Integer(closest_cm),
        Units::Imperial => Cell::Decimal((closest_cm as f64 / FOOT_CM * 100.0).round() / 100.0),
    }
}

fn name_cell(person: Option<&PersonName>) -> Cell<'_> {
    text_cell(person.map(|person| person.name.as_str()))
}

fn milliseconds(span: Span) -> i64 {
    span.micros().div_euclid(1_000)
}
