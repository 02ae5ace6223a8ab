//! The figures of one machine: tiles, the days of the period, and who drove it.

use app::insights::{
    Breakdown, BreakdownRequest, Compare, LabelledId, Point, Totals, TotalsRequest, Trends, TrendsRequest,
};
use app::{App, Error};
use domain::access::ReadInsights;
use domain::insights::{Dimension, GroupOrder, IncursionFilter, Interval, Measure};
use domain::{Day, MachineId, Period, PeriodBound, Span, TimeZone, Timestamp};
use texts::console::machines as t;
use texts::values;

use crate::behind::{bucket_bounds, link_of};
use crate::frame::Frame;
use crate::parts::{Cell, Column, Empty, Row, Spark, Table, Tile};

/// The measures of the tiles, in their order.
const TILES: [Measure; 6] = [
    Measure::IncursionsPerRuntimeHour,
    Measure::AcknowledgementRate,
    Measure::Incursions,
    Measure::Exposure,
    Measure::AverageAckTime,
    Measure::RuntimeHours,
];

/// The measures of a day.
const OF_DAY: [Measure; 5] = [
    Measure::AcknowledgementRate,
    Measure::Incursions,
    Measure::Unacknowledged,
    Measure::RuntimeHours,
    Measure::IncursionsPerRuntimeHour,
];

const OF_OPERATOR: [Measure; 6] = [
    Measure::Incursions,
    Measure::Unacknowledged,
    Measure::AcknowledgementRate,
    Measure::AverageAckTime,
    Measure::RuntimeHours,
    Measure::IncursionsPerRuntimeHour,
];

/// The number of operators that are listed.
const MAX_OPERATORS: usize = 50;
/// The longest period for which spans of runtime are drawn.
const MAX_GANTT: Span = Span::minutes(31 * 24 * 60);

/// The answers from which the figures are shown.
pub struct Figures {
    id: MachineId,
    totals: Totals,
    days: Trends,
    operators: Breakdown,
}

impl Figures {
    pub async fn load(
        app: &App,
        frame: &Frame,
        id: MachineId,
        filter: &IncursionFilter,
        compare: Compare,
    ) -> Result<Self, Error> {
        let caller = frame.caller::<ReadInsights>()?;
        let filter = IncursionFilter { machines: vec![id], ..filter.clone() };
        let mut measures = TILES.to_vec();
        measures.extend(OF_DAY.into_iter().filter(|measure| !TILES.contains(measure)));
        let by_day = TrendsRequest { interval: Interval::Day, measures, split_by: None };
        let totals = TotalsRequest { measures: &TILES, compare, compared: &TILES };
        let by_operator = BreakdownRequest {
            by: Dimension::Operator,
            measures: OF_OPERATOR.to_vec(),
            order: GroupOrder::Descending(0),
            limit: MAX_OPERATORS,
        };
        let totals = app.insight_totals(&caller, &filter, totals).await?;
        let days = app.insight_trends(&caller, &filter, &by_day).await?;
        let operators = app.insight_breakdown(&caller, &filter, &by_operator).await?;
        Ok(Self { id, totals, days, operators })
    }

    /// The period with its time zones.
    pub fn period(&self, frame: &Frame) -> String {
        frame.formats().period(&self.totals.result)
    }

    pub fn tiles(&self, frame: &Frame) -> Vec<Tile> {
        let id = self.id.to_string();
        let formats = frame.formats();
        let tile = |measure: Measure| {
            let now = self.totals.figures.of(measure);
            Tile {
                label: values::measure(frame.language, measure.as_str()).to_owned(),
                value: formats.figure(measure, now),
                change: formats.change_since(&self.totals, measure),
                spark: Spark::of(&self.values_of(measure)),
                href: link_of(frame, measure, &[("machine_id", &id)]).unwrap_or_else(|| self.runtime(frame)),
                live: measure.as_str(),
            }
        };
        TILES.into_iter().map(tile).collect()
    }

    /// The address of the spans of runtime.
    fn runtime(&self, frame: &Frame) -> String {
        frame.link_with(&format!("/machines/{}/timeline", self.id), &[("kind", "runtime")])
    }

    /// The values of a measure by day.
    fn values_of(&self, measure: Measure) -> Vec<Option<f64>> {
        let series = self.days.series.iter().find(|series| series.measure == measure);
        let points = series.map(|series| series.points.as_slice()).unwrap_or_default();
        points.iter().map(|point| point.value(measure).ok()).collect()
    }

    /// The days of the period, the latest first.
    pub fn day_table(&self, frame: &Frame) -> Table {
        let (formats, id) = (frame.formats(), self.id.to_string());
        let mut columns = vec![Column::text(frame.text(values::DAY))];
        columns.extend(measure_columns(frame, &OF_DAY));
        let days: &[Point] = self.days.series.first().map_or(&[], |series| &series.points);
        let mut rows = Vec::new();
        for place in (0..days.len()).rev() {
            let of = |measure: Measure| {
                let series = self.days.series.iter().find(|series| series.measure == measure)?;
                series.points.get(place)
            };
            let Some(day) = of(Measure::Incursions).and_then(|point| Day::parse(&point.at).ok()) else {
                continue;
            };
            let bounds = bucket_bounds(&self.days, days, place);
            let behind = |measure: Measure| {
                let (from, to) = bounds.as_ref()?;
                let pairs: [(&str, &str); 4] =
                    [("machine_id", &id), ("period", "custom"), ("from", from), ("to", to)];
                link_of(frame, measure, &pairs)
            };
            let mut cells = vec![Cell::text(formats.day(day))];
            // A day that has not begun has no figure.
            cells.extend(OF_DAY.into_iter().map(
                |measure| match of(measure).and_then(|point| point.figure) {
                    Some(figure) => Cell::figure(&formats.figure(measure, figure), behind(measure)),
                    None => Cell::text(frame.text(values::NOT_YET)),
                },
            ));
            rows.push(Row::new(cells));
        }
        Table::new(frame.text(t::DAYS), columns, rows, nothing_happened(frame))
    }

    pub fn operator_table(&self, frame: &Frame) -> Table {
        let (formats, machine) = (frame.formats(), self.id.to_string());
        let mut columns = vec![Column::text(frame.text(values::OPERATOR))];
        columns.extend(measure_columns(frame, &OF_OPERATOR));
        let row = |row: &app::insights::BreakdownRow| {
            let person = match row.part.id {
                LabelledId::Number(id) => Some(id.to_string()),
                LabelledId::Word(_) | LabelledId::None => None,
            };
            let name = match &person {
                Some(id) => Cell::head(row.part.label.as_str(), frame.link(&format!("/people/{id}"))),
                None => Cell::text(frame.text(t::UNKNOWN_OPERATOR)),
            };
            let mut cells = vec![name];
            for (measure, figure) in OF_OPERATOR.into_iter().zip(&row.figures) {
                let href = person.as_ref().and_then(|person| {
                    link_of(frame, measure, &[("machine_id", &machine), ("operator_id", person)])
                });
                cells.push(Cell::figure(&formats.figure(measure, *figure), href));
            }
            Row::new(cells)
        };
        let empty = Empty {
            title: frame.text(t::NO_OPERATORS).to_owned(),
            reason: frame.text(t::NO_OPERATORS_REASON).to_owned(),
            action: None,
        };
        let rows = self.operators.rows.iter().map(row).collect();
        Table::new(frame.text(t::OPERATORS), columns, rows, empty)
    }
}

/// Returns the columns of measures.
pub fn measure_columns(frame: &Frame, measures: &[Measure]) -> Vec<Column> {
    let column = |measure: &Measure| Column::number(values::measure(frame.language, measure.as_str()));
    measures.iter().map(column).collect()
}

/// What a table of figures says without rows.
pub fn nothing_happened(frame: &Frame) -> Empty {
    Empty {
        title: frame.text(t::NO_ENTRIES).to_owned(),
        reason: frame.text(t::NO_MATCH_REASON).to_owned(),
        action: None,
    }
}

/// Whether the period is short enough for spans of runtime to be drawn.
pub fn has_gantt(period: Option<Period>, now: Timestamp) -> bool {
    let Ok((from, to)) = period.unwrap_or_default().bounds(now, &TimeZone::utc()) else { return false };
    let to = to.unwrap_or(PeriodBound::Instant(now));
    to.midnight_or_instant() - from.midnight_or_instant() <= MAX_GANTT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_drawn_for_a_month_at_most() {
        let now = Timestamp::from_seconds(1_772_366_400);
        let period = |from: &str, to: &str| {
            Some(Period { from: PeriodBound::parse(from).ok(), to: PeriodBound::parse(to).ok() })
        };
        assert!(has_gantt(None, now), "28 days by default");
        assert!(has_gantt(period("2026-01-01", "2026-02-01"), now));
        assert!(!has_gantt(period("2026-01-01", "2026-02-02"), now));
        assert!(!has_gantt(period("2026-02-02", "2026-02-01"), now), "reversed");
    }
}
