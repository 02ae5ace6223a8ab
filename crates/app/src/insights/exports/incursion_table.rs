//! Incursions as a table, one a row: the fields that lists show, with what they join side by side.

use ::exports::{Cell, Column, Error, Kind, Table, Unit, Writer};
use domain::locale::Units;
use domain::{Span, Timestamp};
use store::{IncursionDetails, IncursionRow, PersonName};

use super::look::Look;
use super::pipe::Sink;

/// How many columns there are.
pub(super) const COLUMNS: usize = 36;

/// How far a clock may be from UTC. What says more was made up.
const FARTHEST_MINUTES: i64 = 18 * 60;

const MILLISECONDS: Kind = Kind::Duration(Unit::Milliseconds);
const DEGREES: Kind = Kind::Decimal { digits: 7 };

/// How near someone came, for readers of either units.
const CLOSEST_CM: (&str, &str, Kind) = ("closest_cm", "Closest (cm)", Kind::Integer);
const CLOSEST_FT: (&str, &str, Kind) = ("closest_ft", "Closest (ft)", Kind::Decimal { digits: 2 });

/// Key, title and kind of each.
const DESCRIBED: [(&str, &str, Kind); COLUMNS] = [
    ("id", "Id", Kind::Integer),
    ("seq", "Change", Kind::Integer),
    ("uid", "Uid", Kind::Text),
    ("started_at", "Started at", Kind::Timestamp),
    ("ended_at", "Ended at", Kind::Timestamp),
    ("closed_without_end", "Closed without end", Kind::Boolean),
    ("duration_ms", "Duration", MILLISECONDS),
    ("local_day", "Local day", Kind::Date),
    ("acknowledged", "Acknowledged", Kind::Boolean),
    ("acknowledged_at", "Acknowledged at", Kind::Timestamp),
    ("ack_ms", "Time to acknowledge", MILLISECONDS),
    ("zone", "Zone", Kind::Text),
    CLOSEST_CM,
    ("lat", "Latitude", DEGREES),
    ("lon", "Longitude", DEGREES),
    ("machine_id", "Machine id", Kind::Integer),
    ("machine", "Machine", Kind::Text),
    ("base_station_id", "Base station id", Kind::Integer),
    ("base_station", "Base station", Kind::Text),
    ("tag_id", "Tag id", Kind::Integer),
    ("tag", "Tag", Kind::Text),
    ("operator_tag_id", "Operator's tag id", Kind::Integer),
    ("operator_tag", "Operator's tag", Kind::Text),
    ("pedestrian_id", "Pedestrian id", Kind::Integer),
    ("pedestrian", "Pedestrian", Kind::Text),
    ("operator_id", "Operator id", Kind::Integer),
    ("operator", "Operator", Kind::Text),
    ("worksite_id", "Worksite id", Kind::Integer),
    ("worksite", "Worksite", Kind::Text),
    ("project_id", "Project id", Kind::Integer),
    ("project", "Project", Kind::Text),
    ("review", "Review", Kind::Text),
    ("reviewed_by", "Reviewed by", Kind::Text),
    ("reviewed_at", "Reviewed at", Kind::Timestamp),
    ("review_comment", "Comment", Kind::Text),
    ("received_at", "Received at", Kind::Timestamp),
];

/// The table. The first line of a CSV has the keys: such files are for programs.
pub(super) fn table(look: &Look) -> Result<Table, Error> {
    let columns = DESCRIBED.iter().map(|described| {
        let (key, title, kind) = match look.preferences().units {
            Units::Imperial if *described == CLOSEST_CM => CLOSEST_FT,
            Units::Imperial | Units::Metric => *described,
        };
        Column::new(key, title, kind)
    });
    Ok(Table::new("Incursions", columns.collect())?.headed_by_keys())
}

/// Writes a page.
pub(super) fn write(writer: &mut Writer<Sink>, page: &[IncursionDetails], look: &Look) -> Result<(), Error> {
    page.iter().try_for_each(|details| writer.write(&cells(details, look)))
}

fn cells<'a>(of: &'a IncursionDetails, look: &Look) -> [Cell<'a>; COLUMNS] {
    let row = &of.kept.row;
    let of_site = offset_s(row);
    let clock = look.common_clock();
    let moment = |at: Timestamp| Cell::Timestamp {
        at_us: at.micros(),
        offset_s: clock.map_or(of_site, |clock| clock.offset_s(at)),
    };
    let moment_if = |at: Option<Timestamp>| at.map_or(Cell::Empty, moment);
    let after =
        |at: Option<Timestamp>| at.map_or(Cell::Empty, |at| Cell::Integer(milliseconds(at - row.started_at)));
    let number = |number: Option<i64>| number.map_or(Cell::Empty, Cell::Integer);
    let day = i32::try_from(row.attribution.local_day).map_or(Cell::Empty, Cell::Date);
    let (reviewed_by, reviewed_at, comment) = match &of.reviewed {
        Some(said) => (Cell::Text(&said.user_name), moment(said.at), text(said.comment.as_deref())),
        None => (Cell::Empty, Cell::Empty, Cell::Empty),
    };
    [
        Cell::Integer(of.kept.id.0),
        Cell::Integer(row.seq),
        Cell::Text(&row.uid),
        moment(row.started_at),
        moment_if(row.ended_at),
        Cell::Boolean(row.closed_at.is_some() && row.ended_at.is_none()),
        after(row.ended_at),
        day,
        Cell::Boolean(row.acknowledged_at.is_some()),
        moment_if(row.acknowledged_at),
        after(row.acknowledged_at),
        Cell::Text(row.zone.as_str()),
        row.closest_cm.map_or(Cell::Empty, |closest_cm| closest(closest_cm, look.preferences().units)),
        row.place.map_or(Cell::Empty, |place| Cell::Decimal(place.lat())),
        row.place.map_or(Cell::Empty, |place| Cell::Decimal(place.lon())),
        number(of.machine.as_ref().map(|(id, _)| id.0)),
        text(of.machine.as_ref().map(|(_, name)| name.as_str())),
        Cell::Integer(of.base_station.0.0),
        Cell::Text(&of.base_station.1),
        Cell::Integer(of.tag.0.0),
        Cell::Text(&of.tag.1),
        number(of.operator_tag.as_ref().map(|(id, _)| id.0)),
        text(of.operator_tag.as_ref().map(|(_, serial)| serial.as_str())),
        number(of.pedestrian.as_ref().map(|person| person.id.0)),
        name_of(of.pedestrian.as_ref()),
        number(of.operator.as_ref().map(|person| person.id.0)),
        name_of(of.operator.as_ref()),
        number(of.worksite.as_ref().map(|(id, _)| id.0)),
        text(of.worksite.as_ref().map(|(_, name)| name.as_str())),
        number(of.project.as_ref().map(|(id, _)| id.0)),
        text(of.project.as_ref().map(|(_, name)| name.as_str())),
        Cell::Text(row.review.as_str()),
        reviewed_by,
        reviewed_at,
        comment,
        moment(row.received_at),
    ]
}

fn text(text: Option<&str>) -> Cell<'_> {
    text.map_or(Cell::Empty, Cell::Text)
}

/// A hundredth of a foot is finer than a centimetre.
fn closest(closest_cm: i64, units: Units) -> Cell<'static> {
    const FOOT_CM: f64 = 30.48;
    match units {
        Units::Metric => Cell::Integer(closest_cm),
        Units::Imperial => Cell::Decimal((closest_cm as f64 / FOOT_CM * 100.0).round() / 100.0),
    }
}

fn name_of(person: Option<&PersonName>) -> Cell<'_> {
    text(person.map(|person| person.name.as_str()))
}

fn milliseconds(span: Span) -> i64 {
    span.micros().div_euclid(1_000)
}

/// How far the site's clock was ahead of UTC when it began: the row has what that clock showed.
fn offset_s(row: &IncursionRow) -> i32 {
    let shown = row.attribution.local_day * 1_440 + row.attribution.local_minute.rem_euclid(1_440);
    let minutes = shown - row.started_at.seconds().div_euclid(60);
    if minutes.abs() > FARTHEST_MINUTES {
        return 0;
    }
    i32::try_from(minutes * 60).unwrap_or(0)
}
