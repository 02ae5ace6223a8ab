//! The figures of a group.

use domain::insights::{Figure, Measure};

use super::found::{Compact, Found};

/// The figure of a measure of a group.
pub(super) fn figure(found: &Found, group: usize, measure: Measure) -> Figure {
    let incursions = i64::from(found.count(group));
    let count = |of: &Vec<u32>| i64::from(of.get(group).copied().unwrap_or(0));
    let sum = |of: &Vec<i64>| of.get(group).copied().unwrap_or(0);
    let totals = &found.totals;
    let runtime = || found.runtime.as_ref().map(|(_, millis)| sum(millis));
    let (numerator, denominator) = match measure {
        Measure::Incursions => (Some(incursions), None),
        Measure::Acknowledged => (Some(count(&totals.acknowledged)), None),
        Measure::Unacknowledged => (Some(incursions - count(&totals.acknowledged)), None),
        Measure::AcknowledgementRate => (Some(count(&totals.acknowledged)), Some(incursions)),
        Measure::AverageDuration => (Some(sum(&totals.length)), Some(count(&totals.ended))),
        Measure::Exposure => (Some(sum(&totals.length)), None),
        Measure::AverageAckTime => (Some(sum(&totals.waited)), Some(count(&totals.acknowledged))),
        Measure::MedianDuration | Measure::P95Duration => {
            (percentile(found, group, measure), Some(count(&totals.ended)))
        }
        Measure::Machines | Measure::Pedestrians | Measure::Operators => {
            (Some(distinct(found, group, measure)), None)
        }
        Measure::RuntimeHours => (runtime(), None),
        Measure::IncursionsPerRuntimeHour => (Some(incursions), runtime()),
    };
    Figure { numerator, denominator, incursions }
}

/// The place of a group among those that were counted anew.
fn compact(found: &Found, group: usize) -> Option<usize> {
    let place = found.compact.as_ref()?.places.get(group).copied()?;
    (place != Compact::NONE).then_some(place as usize)
}

fn percentile(found: &Found, group: usize, measure: Measure) -> Option<i64> {
    let (_, ranked) = found.percentiles.iter().find(|(of, _)| *of == measure)?;
    if found.totals.ended.get(group).copied().unwrap_or(0) == 0 {
        return None;
    }
    ranked.get(compact(found, group)?).copied()
}

fn distinct(found: &Found, group: usize, measure: Measure) -> i64 {
    let counts = found.distinct.iter().find(|(of, _)| *of == measure).map(|(_, counts)| counts);
    let place = counts.and_then(|counts| counts.get(compact(found, group)?));
    i64::from(place.copied().unwrap_or(0))
}
