//! The chart of how long incursions lasted.

use documents::Block;
use domain::insights::{ChartKind, DurationBucket, Figure, Measure};
use texts::reports;

use super::charts::{figure, plain_chart, series};
use super::composer::Composer;
use crate::insights::{Chart, ChartDetails, ChartPoint, ChartPosition, Labelled, LabelledId};
use crate::reports::figures::GroupView;

/// Draws how long incursions lasted; `totals` is the answer with the percentiles.
pub(super) fn durations(composer: &Composer<'_>, pattern: &str, totals: &str) -> Option<Block> {
    let groups = composer.figures().groups(pattern, "by_duration");
    let count =
        |key: Option<i64>| groups.iter().find(|group| group.key(0) == key).map_or(0, GroupView::incursions);
    if groups.iter().all(|group| group.key(0).is_none()) {
        return None;
    }
    let points = DurationBucket::all().map(|bucket| {
        let (label, incursions) = (duration_label(bucket), count(Some(bucket.number())));
        let figure = Figure { numerator: Some(incursions), denominator: None, incursions };
        let part = Labelled { id: LabelledId::Number(bucket.number()), label };
        ChartPoint::new(ChartPosition::Part(part), Measure::Incursions, figure)
    });
    let percentile = |measure| composer.formats.value(measure, composer.figures().total(totals, measure));
    let (median, longest) = (percentile(Measure::MedianDuration), percentile(Measure::P95Duration));
    let caption = composer.fill(reports::HALF_WERE_SHORTER, &[("median", &median), ("longest", &longest)]);
    let series = vec![series(Measure::Incursions, points.collect())];
    let chart = plain_chart(ChartKind::Durations, series, composer.figures().answer(pattern)?.result());
    let details = ChartDetails::Durations { total: Vec::new() };
    Some(figure(composer, &Chart { without_end: count(None), details, ..chart }, 280, caption, 0.32))
}

/// Returns the label of a bucket as charts of the API have it.
fn duration_label(bucket: DurationBucket) -> String {
    match bucket.bounds_s() {
        (from_s, Some(to_s)) => format!("{from_s}–{to_s} s"),
        (from_s, None) => format!("{from_s} s and longer"),
    }
}
