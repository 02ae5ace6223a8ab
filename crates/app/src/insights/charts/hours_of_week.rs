//! A measure by day of the week and hour of the day.

use std::collections::HashMap;

use domain::access::ReadInsights;
use domain::insights::{ChartKind, Dimension, Figure, Grouping, HoursOfWeek, IncursionFilter, Key, Measure};

use super::{Chart, ChartPoint, ChartPosition, ChartSeries, SeriesKind, series_key};
use crate::insights::empty_figures::empty_figures;
use crate::insights::labels::Labels;
use crate::insights::query::QuerySpec;
use crate::insights::totals::single_group_figures;
use crate::{App, Caller, Error};

#[macros::boxed]
impl App {
    /// Returns a measure by day of the week and hour of the day: one series per day with all 24 hours, starting with the first day of
    /// the caller's week. An hour that the period does not contain has no value.
    pub async fn hours_of_week_chart(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        measure: Measure,
    ) -> Result<Chart, Error> {
        let (day, hour) = (Dimension::DayOfWeek, Dimension::HourOfDay);
        let of = QuerySpec {
            filter,
            measures: vec![measure],
            groupings: vec![Grouping::by([day, hour]), Grouping::by([])],
        };
        let mut result = self.run_query(caller, of).await?;
        let found: HashMap<Vec<Key>, Figure> = result
            .take_next_groups()
            .groups
            .into_iter()
            .filter_map(|group| Some((group.keys, group.figures.first().copied()?)))
            .collect();
        let everything = single_group_figures(result.take_next_groups());
        let nothing = empty_figures(&[measure], &everything, true).first().copied().unwrap_or_default();
        let covered = HoursOfWeek::of(result.from, result.to, result.now, &result.time_zones);
        let labels = Labels::default();
        let weekdays = self.preferences_of(caller).await?.first_day_of_week.weekdays();
        let series = weekdays.into_iter().map(|weekday| {
            let of = labels.label(day, Some(weekday));
            let points = (0..24).map(|number| {
                let position = ChartPosition::Part(labels.label(hour, Some(number)));
                let figure = found.get(&vec![Some(weekday), Some(number)]).copied();
                let point = match (figure, covered.no_value_reason(weekday, number)) {
                    (None, Some(reason)) => ChartPoint::without_value(position, reason),
                    (figure, _) => ChartPoint::new(position, measure, figure.unwrap_or(nothing)),
                };
                ChartPoint { partial: covered.is_partial(weekday, number), ..point }
            });
            ChartSeries {
                key: series_key(&of.id),
                label: of.label,
                measure,
                kind: SeriesKind::Measured,
                points: points.collect(),
            }
        });
        let series = series.collect();
        let plain = Chart::without_details(ChartKind::HoursOfWeek, measure.unit(), series, filter, result);
        Ok(Chart { title: format!("{}: {}", plain.title, lowercase_first(measure.label())), ..plain })
    }
}

/// Makes a label fit inside a title.
pub(super) fn lowercase_first(label: &str) -> String {
    let mut text = label.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    text
}
