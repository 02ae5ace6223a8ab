//! Durations of incursions as a chart.

use domain::access::ReadInsights;
use domain::insights::{ChartKind, Figure, IncursionFilter, Measure, Unit};

use super::{Chart, ChartDetails, ChartPoint, ChartPosition, ChartSeries, SeriesKind};
use crate::insights::{Durations, Labelled, LabelledId};
use crate::{App, Caller, Error};

#[macros::boxed]
impl App {
    /// Returns the number of incursions by duration.
    pub async fn durations_chart(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
    ) -> Result<Chart, Error> {
        let Durations { buckets: steps, without_end, total, result: asked } =
            self.insight_durations(caller, filter).await?;
        let measure = Measure::Incursions;
        let points = steps.into_iter().map(|step| {
            let (key, label) = match step.to_s {
                Some(to_s) => (format!("{}-{to_s}", step.from_s), format!("{}–{to_s} s", step.from_s)),
                None => (format!("{}+", step.from_s), format!("{} s and longer", step.from_s)),
            };
            let figure =
                Figure { numerator: Some(step.incursions), denominator: None, incursions: step.incursions };
            let part = Labelled { id: LabelledId::Word(key), label };
            ChartPoint::new(ChartPosition::Part(part), measure, figure)
        });
        let series = ChartSeries {
            key: measure.as_str().to_owned(),
            label: measure.label().to_owned(),
            measure,
            kind: SeriesKind::Measured,
            points: points.collect(),
        };
        let details = ChartDetails::Durations { total };
        let plain = Chart::without_details(ChartKind::Durations, Unit::Count, vec![series], filter, asked);
        Ok(Chart { without_end, details, ..plain })
    }
}
