//! The figures of a group.

use domain::insights::{Figure, Measure};

use super::group_results::{CompactIndex, GroupResults};

/// Returns the figure of a measure for a group.
pub(super) fn figure(results: &GroupResults, group: usize, measure: Measure) -> Figure {
    let incursions = i64::from(results.count(group));
    let count = |of: &Vec<u32>| i64::from(of.get(group).copied().unwrap_or(0));
    let sum = |of: &Vec<i64>| of.get(group).copied().unwrap_or(0);
    let totals = &results.totals;
    let runtime = || results.runtime.as_ref().map(|(_, millis)| sum(millis));
    let (numerator, denominator) = match measure {
        Measure::Incursions => (Some(incursions), None),
        Measure::Acknowledged => (Some(count(&totals.acknowledged)), None),
        Measure::Unacknowledged => (Some(incursions - count(&totals.acknowledged)), None),
        Measure::AcknowledgementRate => (Some(count(&totals.acknowledged)), Some(incursions)),
        Measure::AverageDuration => (Some(sum(&totals.length)), Some(count(&totals.ended))),
        Measure::Exposure => (Some(sum(&totals.length)), None),
        Measure::AverageAckTime => (Some(sum(&totals.ack_time)), Some(count(&totals.acknowledged))),
        Measure::MedianDuration | Measure::P95Duration | Measure::LongestDuration => {
            (percentile(results, group, measure), Some(count(&totals.ended)))
        }
        Measure::Machines | Measure::Pedestrians | Measure::Operators => {
            (Some(distinct(results, group, measure)), None)
        }
        Measure::RuntimeHours => (runtime(), None),
        Measure::IncursionsPerRuntimeHour => (Some(incursions), runtime()),
    };
    Figure { numerator, denominator, incursions }
}

/// Returns the compact index of a group.
fn compact_index(found: &GroupResults, group: usize) -> Option<usize> {
    let place = found.compact_index.as_ref()?.positions.get(group).copied()?;
    (place != CompactIndex::NONE).then_some(place as usize)
}

fn percentile(found: &GroupResults, group: usize, measure: Measure) -> Option<i64> {
    let (_, ranked) = found.percentiles.iter().find(|(of, _)| *of == measure)?;
    if found.totals.ended.get(group).copied().unwrap_or(0) == 0 {
        return None;
    }
    ranked.get(compact_index(found, group)?).copied()
}

fn distinct(found: &GroupResults, group: usize, measure: Measure) -> i64 {
    let counts = found.distinct.iter().find(|(of, _)| *of == measure).map(|(_, counts)| counts);
    let place = counts.and_then(|counts| counts.get(compact_index(found, group)?));
    i64::from(place.copied().unwrap_or(0))
}
