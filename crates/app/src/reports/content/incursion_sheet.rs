//! The table of incursions, one per row: ids with the names that they refer to.

use ::exports::{Column, ColumnKind, DurationUnit, Error, Format, Table};
use domain::insights::Dimension;
use domain::locale::Units;
use domain::{Span, TimeZone, Timestamp};
use texts::{Text, reports, values};

use super::composer::Composer;
use super::sheet_parts::{Sheet, SheetCell, plain_rows};
use crate::reports::figures::IncursionFigure;

const MILLISECONDS: ColumnKind = ColumnKind::Duration(DurationUnit::Milliseconds);
const DEGREES: ColumnKind = ColumnKind::Decimal { digits: 7 };

/// Key, title and kind of each column.
const COLUMNS: [(&str, Text, ColumnKind); 28] = [
    ("id", reports::ID, ColumnKind::Integer),
    ("seq", reports::CHANGE_NUMBER, ColumnKind::Integer),
    ("started_at", reports::STARTED, ColumnKind::Timestamp),
    ("ended_at", reports::ENDED, ColumnKind::Timestamp),
    ("closed_without_end", reports::CLOSED_WITHOUT_END, ColumnKind::Boolean),
    ("duration_ms", reports::LENGTH, MILLISECONDS),
    ("local_day", reports::LOCAL_DAY, ColumnKind::Date),
    ("acknowledged", values::ACKNOWLEDGED, ColumnKind::Boolean),
    ("acknowledged_at", reports::ACKNOWLEDGED_AT, ColumnKind::Timestamp),
    ("ack_ms", reports::ACKNOWLEDGED_AFTER, MILLISECONDS),
    ("zone", values::ZONE, ColumnKind::Text),
    ("closest_cm", reports::CLOSEST_CM, ColumnKind::Integer),
    ("lat", reports::LATITUDE, DEGREES),
    ("lon", reports::LONGITUDE, DEGREES),
    ("machine_id", reports::MACHINE_ID, ColumnKind::Integer),
    ("machine", values::MACHINE, ColumnKind::Text),
    ("base_station_id", reports::BASE_STATION_ID, ColumnKind::Integer),
    ("base_station", values::BASE_STATION, ColumnKind::Text),
    ("tag_id", reports::TAG_ID, ColumnKind::Integer),
    ("tag", values::TAG, ColumnKind::Text),
    ("pedestrian_id", reports::PEDESTRIAN_ID, ColumnKind::Integer),
    ("pedestrian", values::PEDESTRIAN, ColumnKind::Text),
    ("operator_id", reports::OPERATOR_ID, ColumnKind::Integer),
    ("operator", values::OPERATOR, ColumnKind::Text),
    ("worksite_id", reports::WORKSITE_ID, ColumnKind::Integer),
    ("worksite", values::WORKSITE, ColumnKind::Text),
    ("project", values::PROJECT, ColumnKind::Text),
    ("review", values::REVIEW, ColumnKind::Text),
];

/// Returns the table of incursions. In CSV, which programs read, zones and reviews are the words of the API.
pub(super) fn sheet<'a>(composer: &Composer<'a>, format: Format) -> Result<Sheet<'a>, Error> {
    let composer = *composer;
    let preferences = &composer.content.request.preferences;
    let clock = common_clock(&composer);
    // The heading of a time names the clock, unless it is that of the worksite. CSV has the offset of each time.
    let titled = |title: Text, kind: ColumnKind| match clock {
        Some(clock) if kind == ColumnKind::Timestamp => {
            let title = composer.text(title);
            composer.fill(reports::TIME_BY_CLOCK, &[("title", &title), ("zone", clock.as_str())])
        }
        _ => composer.text(title),
    };
    let columns = COLUMNS.into_iter().map(|(key, title, kind)| match (key, preferences.units) {
        ("closest_cm", Units::Imperial) => {
            let kind = ColumnKind::Decimal { digits: 2 };
            Column::new("closest_ft", composer.text(reports::CLOSEST_FT), kind)
        }
        _ => Column::new(key, titled(title, kind), kind),
    });
    let title = values::INCURSIONS.get(composer.language());
    let table = Table::new(title, columns.collect())?.with_csv_key_headings();
    let rows = composer.figures().incursions.iter().map(move |row| cells(&composer, row, clock, format));
    Ok(Sheet { table, rows: plain_rows(rows) })
}

/// Returns the author's clock if all times are by it: where worksites have several time zones.
pub(super) fn common_clock<'a>(composer: &Composer<'a>) -> Option<&'a TimeZone> {
    let zone = &composer.content.request.preferences.time_zone;
    (composer.figures().time_zones.len() > 1).then_some(zone)
}

fn cells(
    composer: &Composer<'_>,
    row: &IncursionFigure,
    clock: Option<&TimeZone>,
    format: Format,
) -> Vec<SheetCell> {
    let language = composer.language();
    let (zone, review) = match format {
        Format::Xlsx => (values::zone(language, &row.zone), values::review(language, &row.review)),
        _ => (row.zone.as_str(), row.review.as_str()),
    };
    let offset_s = |at: Timestamp| clock.map_or(row.offset_s, |clock| clock.offset_s(at));
    let time = |at: Timestamp| SheetCell::Timestamp(at, offset_s(at));
    let elapsed = |at: Option<Timestamp>| SheetCell::number(at.map(|at| milliseconds(at - row.started_at)));
    let name = |dimension: Dimension, key: Option<i64>| {
        SheetCell::text(key.map(|key| composer.label(dimension, Some(key))))
    };
    let degrees = |e7: Option<i32>| e7.map_or(SheetCell::Empty, |e7| SheetCell::Decimal(f64::from(e7) / 1e7));
    let units = composer.content.request.preferences.units;
    vec![
        SheetCell::Integer(row.id),
        SheetCell::Integer(row.seq),
        time(row.started_at),
        row.ended_at.map_or(SheetCell::Empty, time),
        SheetCell::Boolean(row.closed),
        elapsed(row.ended_at),
        SheetCell::Date(row.local_day),
        SheetCell::Boolean(row.acknowledged_at.is_some()),
        row.acknowledged_at.map_or(SheetCell::Empty, time),
        elapsed(row.acknowledged_at),
        SheetCell::Text(zone.to_owned()),
        row.closest_cm.map_or(SheetCell::Empty, |closest_cm| closest_cell(closest_cm, units)),
        degrees(row.lat_e7),
        degrees(row.lon_e7),
        SheetCell::number(row.machine),
        name(Dimension::Machine, row.machine),
        SheetCell::Integer(row.base_station),
        name(Dimension::BaseStation, Some(row.base_station)),
        SheetCell::Integer(row.tag),
        name(Dimension::Tag, Some(row.tag)),
        SheetCell::number(row.pedestrian),
        name(Dimension::Pedestrian, row.pedestrian),
        SheetCell::number(row.operator),
        name(Dimension::Operator, row.operator),
        SheetCell::number(row.worksite),
        name(Dimension::Worksite, row.worksite),
        name(Dimension::Project, row.project),
        SheetCell::Text(review.to_owned()),
    ]
}

/// A hundredth of a foot is finer than a centimetre.
fn closest_cell(closest_cm: i64, units: Units) -> SheetCell {
    const FOOT_CM: f64 = 30.48;
    match units {
        Units::Metric => SheetCell::Integer(closest_cm),
        Units::Imperial => SheetCell::Decimal((closest_cm as f64 / FOOT_CM * 100.0).round() / 100.0),
    }
}

fn milliseconds(span: Span) -> i64 {
    span.micros().div_euclid(1_000)
}
