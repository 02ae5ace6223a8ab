//! A measure for each hour of each day of the week.

use std::collections::HashMap;

use domain::access::ReadInsights;
use domain::insights::{ChartKind, Dimension, Figure, Grouping, IncursionFilter, Key, Measure};

use super::{Chart, ChartPlace, ChartPoint, ChartSeries, SeriesKind, key_of};
use crate::insights::asking::AskedOf;
use crate::insights::labels::Labels;
use crate::insights::nothing::nothing_of;
use crate::insights::totals::figures_of;
use crate::{App, Caller, Error};

impl App {
    /// A measure by day of the week and hour of the day: a series for each day, from the one on with which the
    /// caller's weeks begin, with all hours.
    pub async fn hours_of_week_chart(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        measure: Measure,
    ) -> Result<Chart, Error> {
        let (day, hour) = (Dimension::DayOfWeek, Dimension::HourOfDay);
        let of = AskedOf {
            filter,
            measures: vec![measure],
            groupings: vec![Grouping::by([day, hour]), Grouping::by([])],
        };
        let mut asked = self.ask(caller, of).await?;
        let found: HashMap<Vec<Key>, Figure> = asked
            .next()
            .groups
            .into_iter()
            .filter_map(|group| Some((group.keys, group.figures.first().copied()?)))
            .collect();
        let everything = figures_of(asked.next());
        let nothing = nothing_of(&[measure], &everything, true).first().copied().unwrap_or_default();
        let labels = Labels::default();
        let weekdays = self.preferences_of(caller).await?.first_day_of_week.weekdays();
        let series = weekdays.into_iter().map(|weekday| {
            let of = labels.of(day, Some(weekday));
            let points = (0..24).map(|number| {
                let figure = found.get(&vec![Some(weekday), Some(number)]).copied().unwrap_or(nothing);
                ChartPoint::new(ChartPlace::Part(labels.of(hour, Some(number))), measure, figure)
            });
            ChartSeries {
                key: key_of(&of.id),
                label: of.label,
                measure,
                kind: SeriesKind::Measured,
                points: points.collect(),
            }
        });
        let series = series.collect();
        let plain = Chart::plain(ChartKind::HoursOfWeek, measure.unit(), series, filter, asked);
        Ok(Chart { title: format!("{}: {}", plain.title, lower(measure.label())), ..plain })
    }
}

/// A label inside a title.
pub(super) fn lower(label: &str) -> String {
    let mut text = label.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    text
}
