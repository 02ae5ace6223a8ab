//! GET /explore/incursions: the incursions behind a number that the filters of the list cannot select, such as those of an hour of the
//! day or without an operator. The store selects those of hours; what else they have in common is looked for here, one by one.

use std::sync::Arc;

use app::{App, Caller, Error, IncursionView};
use askama::Template;
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::{Dimension, DurationBucket, IncursionFilter, Interval, LocalHours};
use domain::{
    Attribution, IncursionOrder, IncursionRow, Invalid, PageRequest, PersonKind, Review, TimeZone, WorksiteId,
};
use texts::console::{explore as t, people};
use texts::values;
use web::{FromParams, Params, Query, Result};

use super::labels;
use crate::frame::Frame;
use crate::incursions::{IncursionCells, zones};
use crate::parts::{self, Column, Empty, MAX_CSV_ROWS, Pager, Row, Table, read_csv_format};
use crate::pickers::{PickerRow, Pickers};
use crate::response;

/// The maximum number of incursions that are listed. A CSV has more of them.
const MAX_SHOWN: usize = 500;

/// What the incursions have in common that no filter says.
#[derive(Default)]
struct Traits {
    /// They have no value of these dimensions.
    without: Vec<Dimension>,
    person_kind: Option<PersonKind>,
    hours: LocalHours,
    length: Option<Length>,
}

/// How long incursions took.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Length {
    Between(DurationBucket),
    /// Their end is not known.
    WithoutEnd,
}

impl Length {
    /// Parses the first second of a bucket, or `none`.
    fn parse(text: &str) -> Result<Self, Invalid> {
        let mut buckets = DurationBucket::all();
        let bucket = buckets.find(|bucket| bucket.bounds_s().0.to_string() == text);
        match (bucket, text) {
            (Some(bucket), _) => Ok(Self::Between(bucket)),
            (None, "none") => Ok(Self::WithoutEnd),
            (None, _) => {
                let firsts = DurationBucket::LOWER_BOUNDS_S.map(|first| first.to_string()).join(", ");
                Err(Invalid::new("invalid_duration", format!("must be one of {firsts}, none")))
            }
        }
    }

    fn of(row: &IncursionRow) -> Self {
        match row.ended_at {
            Some(ended_at) => {
                let milliseconds = (ended_at - row.started_at).micros() / 1_000;
                Self::Between(DurationBucket::from_duration_ms(milliseconds))
            }
            None => Self::WithoutEnd,
        }
    }

    fn describe(self, frame: &Frame) -> String {
        let Self::Between(bucket) = self else { return frame.text(people::WITHOUT_END).to_owned() };
        let (from, to) = bucket.bounds_s();
        let from = from.to_string();
        match to {
            Some(to) => frame.fill(people::SECONDS_BETWEEN, &[("from", &from), ("to", &to.to_string())]),
            None => frame.fill(people::SECONDS_OVER, &[("from", &from)]),
        }
    }
}

pub struct RecordsQuery {
    pickers: Pickers,
    filter: IncursionFilter,
    traits: Traits,
    csv: bool,
}

impl FromParams for RecordsQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let pickers = Pickers::read(query)?;
        let filter = pickers.with(IncursionFilter::read(query)?);
        let hour = |text: &str| {
            let invalid = || Invalid::new("invalid_time", "must be an hour such as 2026-03-01T08:00");
            Interval::Hour.parse_label(text).ok_or_else(invalid)
        };
        let traits = Traits {
            without: query.many("without", Dimension::PIVOTABLE.len(), Dimension::parse)?,
            person_kind: query.one("person_kind", PersonKind::parse)?,
            hours: LocalHours {
                hour: query.one("hour", hour)?,
                hour_of_day: query.integer("hour_of_day", 0..=23)?,
                // ISO 8601 numbers days from 1.
                day_of_week: query.integer("day_of_week", 1..=7)?.map(|day| day - 1),
            },
            length: query.one("duration", Length::parse)?,
        };
        let csv = read_csv_format(query)?;
        Ok(Self { pickers, filter, traits, csv })
    }
}

impl Traits {
    /// Whether an incursion has what no store selects.
    fn fit(&self, row: &IncursionRow, pedestrian: Option<PersonKind>) -> bool {
        self.without.iter().all(|dimension| lacks(&row.attribution, *dimension))
            && self.person_kind.is_none_or(|kind| pedestrian == Some(kind))
            && self.length.is_none_or(|length| length == Length::of(row))
    }

    /// Says what is selected.
    fn describe(&self, frame: &Frame) -> String {
        let language = frame.language;
        let LocalHours { hour, hour_of_day, day_of_week } = self.hours;
        let mut words: Vec<String> = Vec::new();
        for dimension in &self.without {
            let name = labels::dimension(frame, *dimension);
            words.push(frame.fill(t::WITHOUT, &[("dimension", &name)]));
        }
        words.extend(self.person_kind.map(|kind| values::person_kind(language, kind.as_str()).to_owned()));
        words
            .extend(hour.map(|hour| frame.preferences.date_format.reformat_iso(&Interval::Hour.label(hour))));
        words.extend(day_of_week.map(|day| values::weekday(language, day).to_owned()));
        words.extend(hour_of_day.map(|hour| format!("{hour:02}:00")));
        words.extend(self.length.map(|length| length.describe(frame)));
        words.join(", ")
    }
}

/// Whether an incursion has no value of a dimension.
const fn lacks(attribution: &Attribution, dimension: Dimension) -> bool {
    match dimension {
        Dimension::Project => attribution.project.is_none(),
        Dimension::Worksite | Dimension::WorksiteKind => attribution.worksite.is_none(),
        Dimension::Machine | Dimension::MachineKind => attribution.machine.is_none(),
        Dimension::Pedestrian | Dimension::PersonKind => attribution.pedestrian.is_none(),
        Dimension::Operator => attribution.operator.is_none(),
        _ => false,
    }
}

#[derive(Template)]
#[template(path = "explore/records.html")]
struct RecordsPage<'a> {
    frame: &'a Frame,
    pickers: PickerRow,
    what: String,
    found: String,
    /// That not all incursions were looked through.
    searched: Option<String>,
    table: Table,
}

pub async fn show(
    State(app): State<Arc<App>>,
    web::Caller(caller): web::Caller<ReadInsights>,
    frame: Frame,
    Params(query): Params<RecordsQuery>,
) -> Result {
    let pickers = query.pickers.resolved(&frame);
    let filter = pickers.with(query.filter);
    let (rows, is_complete) = find(&app, &caller, &filter, &query.traits).await?;
    let shown = if query.csv { &rows[..] } else { rows.get(..MAX_SHOWN).unwrap_or(&rows) };
    let table = table(&app, &frame, shown).await?.incomplete(!is_complete);
    if query.csv {
        return Ok(parts::csv_response("incursions.csv", &table));
    }
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let pager = Pager::of(&frame, shown.len(), Some(number(rows.len())), None);
    let page = RecordsPage {
        what: frame.fill(t::BEHIND_FILTER, &[("what", &query.traits.describe(&frame))]),
        found: frame.count(t::BEHIND_FOUND, number(rows.len())),
        searched: (!is_complete).then(|| frame.count(t::BEHIND_SEARCHED, i64::from(MAX_CSV_ROWS))),
        table: table.paged(pager).with_csv(&frame),
        pickers: pickers.load(&app, &frame).await?,
        frame: &frame,
    };
    response::page(&frame, &page)
}

/// Returns the incursions that fit, the newest first, and whether all were looked through: no more than a CSV may have are.
async fn find(
    app: &App,
    caller: &Caller<ReadInsights>,
    filter: &IncursionFilter,
    traits: &Traits,
) -> Result<(Vec<IncursionView>, bool), Error> {
    let found = match traits.hours.is_any() {
        true => {
            let page = PageRequest { limit: MAX_CSV_ROWS, after: None };
            app.list_incursions(caller, filter, IncursionOrder::NEWEST_FIRST, &page, false).await?.page
        }
        false => app.list_incursions_at_hours(caller, filter, traits.hours, MAX_CSV_ROWS).await?,
    };
    let mut rows = found.rows;
    rows.retain(|view| {
        let pedestrian = view.details.pedestrian.as_ref().map(|person| person.kind);
        traits.fit(&view.details.stored.row, pedestrian)
    });
    Ok((rows, found.next.is_none()))
}

async fn table(app: &App, frame: &Frame, rows: &[IncursionView]) -> Result<Table, Error> {
    let zones = zones(app, frame, rows).await?;
    let columns = vec![
        Column::text(frame.text(t::STARTED)),
        Column::text(frame.text(t::SITE)),
        Column::text(frame.text(t::MACHINE)),
        Column::text(frame.text(t::PEDESTRIAN)),
        Column::text(frame.text(t::OPERATOR)),
        Column::text(frame.text(t::ZONE)),
        Column::number(frame.text(t::LENGTH)),
        Column::number(frame.text(t::ACKNOWLEDGED_AFTER)),
    ];
    let zone = |site: Option<WorksiteId>| site.and_then(|site| zones.get(&site));
    let rows = rows.iter().map(|view| {
        row(
            frame,
            view,
            zone(view.details.stored.row.attribution.worksite).unwrap_or(&frame.preferences.time_zone),
        )
    });
    let empty = Empty {
        title: frame.text(t::BEHIND_NONE).to_owned(),
        reason: frame.text(t::BEHIND_NONE_REASON).to_owned(),
        action: None,
    };
    Ok(Table::new(frame.text(t::BEHIND), columns, rows.collect(), empty))
}

fn row(frame: &Frame, view: &IncursionView, zone: &TimeZone) -> Row {
    let page = frame.link(&format!("/incursions/{}", view.details.stored.id));
    let cells = IncursionCells::new(frame, view, zone, page).all();
    Row::new(cells).muted(!Review::COUNTED.contains(&view.details.stored.row.review))
}
