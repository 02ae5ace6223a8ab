//! The tables: sites and machines by their rate, and the numbers beneath the charts.

use app::insights::{Breakdown, BreakdownRow, Chart, LabelledId, Point, Trends};
use domain::insights::{Interval, Measure};
use domain::{Day, PeriodBound};
use texts::Text;
use texts::console::overview as t;
use texts::values;

use super::order::{MEASURES, TableOrder};
use crate::behind::{bucket_bounds, link_of, link_of_hour};
use crate::formats::Shown;
use crate::frame::Frame;
use crate::parts::{Cell, Column, Empty, Row, Table};

/// What a table ranks.
#[derive(Clone, Copy)]
pub enum Ranked {
    Sites,
    Machines,
}

impl Ranked {
    /// Returns the caption, the head of the first column, the dimension, the filter and the section.
    const fn words(self) -> (Text, Text, &'static str, &'static str, &'static str) {
        match self {
            Self::Sites => (t::SITES_CAPTION, t::SITE, "worksite", "worksite_id", "/sites"),
            Self::Machines => (t::MACHINES_CAPTION, t::MACHINE, "machine", "machine_id", "/machines"),
        }
    }
}

/// The heads of the columns of [`MEASURES`].
const HEADS: [Text; 5] = [t::PER_HOUR, t::COUNT, t::SHARE, t::MEAN_LENGTH, t::RUNTIME];

pub fn ranking(frame: &Frame, found: &Breakdown, ranked: Ranked, order: TableOrder) -> Table {
    let (caption, head, ..) = ranked.words();
    let current = order.word();
    let mut columns = vec![Column::text(frame.text(head))];
    columns.extend(
        MEASURES.iter().zip(HEADS).map(|(measure, head)| {
            Column::number(frame.text(head)).sorted(frame, measure.as_str(), &current)
        }),
    );
    let rates = found.rows.iter().filter_map(|row| row.figures.first()?.value(MEASURES[0]).ok());
    let highest = rates.fold(0.0, f64::max);
    let rows = found.rows.iter().map(|row| ranked_row(frame, row, ranked, highest)).collect();
    let empty = Empty {
        title: frame.text(t::NOTHING).to_owned(),
        reason: frame.text(t::NOTHING_RANKED).to_owned(),
        action: None,
    };
    Table::new(frame.text(caption), columns, rows, empty)
}

fn ranked_row(frame: &Frame, row: &BreakdownRow, ranked: Ranked, highest: f64) -> Row {
    let (_, _, dimension, parameter, section) = ranked.words();
    // What belongs to no site or machine cannot be filtered for.
    let id = match row.part.id {
        LabelledId::Number(id) => Some(id.to_string()),
        LabelledId::Word(_) | LabelledId::None => None,
    };
    let mut cells = vec![match &id {
        Some(id) => Cell::head(row.part.label.as_str(), frame.link(&format!("{section}/{id}"))),
        None => Cell::text(values::no_value(frame.language, dimension)),
    }];
    for (measure, figure) in MEASURES.into_iter().zip(&row.figures) {
        let shown = Shown { of: None, ..frame.formats().figure(measure, *figure) };
        let href = id.as_deref().and_then(|id| link_of(frame, measure, &[(parameter, id)]));
        cells.push(match (measure, figure.value(measure)) {
            (Measure::IncursionsPerRuntimeHour, Ok(rate)) => Cell::bar(&shown, rate, highest, href),
            _ => Cell::figure(&shown, href),
        });
    }
    Row::new(cells)
}

/// The measures of the table beneath the trend.
const TREND_COLUMNS: [(Measure, Text); 5] = [
    (Measure::Incursions, t::COUNT),
    (Measure::Acknowledged, t::ACKNOWLEDGED_COUNT),
    (Measure::Unacknowledged, t::UNACKNOWLEDGED_COUNT),
    (Measure::AcknowledgementRate, t::SHARE),
    (Measure::IncursionsPerRuntimeHour, t::PER_HOUR),
];

pub fn trend_numbers(frame: &Frame, trends: &Trends) -> Table {
    let mut columns = vec![Column::text(values::dimension(frame.language, trends.interval.as_str()))];
    columns.extend(TREND_COLUMNS.iter().map(|(_, head)| Column::number(frame.text(*head))));
    let buckets: &[Point] = trends.series.first().map_or(&[], |series| &series.points);
    let rows = (0..buckets.len()).map(|place| {
        let bounds = bucket_bounds(trends, buckets, place);
        let mut cells = vec![Cell::text(bucket_name(frame, trends.interval, &buckets[place]))];
        cells.extend(TREND_COLUMNS.iter().map(|(measure, _)| {
            let series = trends.series.iter().find(|series| series.measure == *measure);
            let figure = series.and_then(|series| series.points.get(place)?.figure);
            let shown = match figure {
                Some(figure) => Shown { of: None, ..frame.formats().figure(*measure, figure) },
                None => Shown {
                    text: "–".to_owned(),
                    of: None,
                    reason: Some(values::reason(frame.language, "not_yet").to_owned()),
                },
            };
            let href = figure.and_then(|_| match &bounds {
                Some((from, to)) => {
                    link_of(frame, *measure, &[("period", "custom"), ("from", from), ("to", to)])
                }
                // An hour begins at another time in each zone, so that no period has exactly its incursions.
                None => link_of_hour(frame, *measure, &[("hour", &buckets[place].at)]),
            });
            Cell::figure(&shown, href)
        }));
        Row::new(cells)
    });
    let empty = Empty { title: frame.text(t::NOTHING).to_owned(), reason: String::new(), action: None };
    Table::new(frame.text(t::TREND_CAPTION), columns, rows.collect(), empty)
}

fn bucket_name(frame: &Frame, interval: Interval, point: &Point) -> String {
    match (interval, PeriodBound::parse(&point.at)) {
        (Interval::Day, _) => frame.formats().day(Day::from_number(point.bucket)),
        (Interval::Week, Ok(PeriodBound::Day(day))) => {
            frame.fill(t::WEEK_FROM, &[("day", &frame.formats().day(day))])
        }
        (Interval::Month, _) => point.at.chars().take(7).collect(),
        _ => point.at.replace('T', " "),
    }
}

/// One row for each day of the week, with a column for each hour.
pub fn week_numbers(frame: &Frame, week: &Chart) -> Table {
    let mut columns = vec![Column::text(values::dimension(frame.language, "day_of_week"))];
    columns.extend((0..24).map(|hour| Column::number(format!("{hour:02}"))));
    let rows = week.series.iter().map(|series| {
        // The key is the number of the day, of which Monday is 1.
        let number = series.key.parse::<i64>().ok();
        let day = match number {
            Some(number) => values::weekday(frame.language, number - 1).to_owned(),
            None => series.label.clone(),
        };
        let mut cells = vec![Cell::text(day)];
        cells.extend(series.points.iter().enumerate().map(|(hour, point)| {
            let Ok(value) = point.value else { return Cell::text("–") };
            let value = frame.formats().decimal(value, 0);
            let hour = hour.to_string();
            let pairs = [("day_of_week", series.key.as_str()), ("hour_of_day", hour.as_str())];
            match number.and_then(|_| link_of_hour(frame, Measure::Incursions, &pairs)) {
                Some(href) => Cell::link(value, href),
                None => Cell::text(value),
            }
        }));
        Row::new(cells)
    });
    let empty = Empty { title: frame.text(t::NOTHING).to_owned(), reason: String::new(), action: None };
    Table::new(frame.text(t::WEEK_CAPTION), columns, rows.collect(), empty)
}
