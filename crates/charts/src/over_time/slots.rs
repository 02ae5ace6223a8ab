//! The slots of a bar chart: series and intervals are combined, and gaps are found.

use std::collections::BTreeMap;

use crate::calendar::{Interval, LocalTime};
use crate::options::ChartOptions;
use crate::over_time::gapped_line::{self, Sample, numeric_points};
use crate::series::{Series, Value};
use crate::svg::style::{MAX_STYLES, Tone};
use crate::svg::text::clean;

/// The arrangement of several series at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Arrangement {
    #[default]
    Stacked,
    /// Side by side if there is room, otherwise stacked.
    Grouped,
}

/// The value of each series at each time.
pub(crate) type Slots = BTreeMap<LocalTime, Vec<Option<f64>>>;

/// One interval, or several that were combined.
pub(crate) struct Slot {
    pub(crate) from: LocalTime,
    pub(crate) to: LocalTime,
    pub(crate) values: Vec<Option<f64>>,
    /// Whether one of its intervals is not complete.
    pub(crate) partial: bool,
}

impl Slot {
    /// Returns the lowest and highest value that its bars reach.
    pub(crate) fn value_range(&self, arrangement: Arrangement) -> (f64, f64) {
        let values = self.values.iter().flatten().copied();
        match arrangement {
            Arrangement::Stacked => values
                .fold((0.0, 0.0), |(low, high), v| if v < 0.0 { (low + v, high) } else { (low, high + v) }),
            Arrangement::Grouped => values.fold((0.0f64, 0.0f64), |(low, high), v| (low.min(v), high.max(v))),
        }
    }
}

/// Combines the smallest series if there are too many. One neutral series, which stands for others already, is not counted.
pub(crate) fn merge_smallest_series(series: &[Series], picture: &ChartOptions) -> Vec<Series> {
    let neutral = series.iter().filter(|series| series.tone == Tone::Neutral).count();
    if series.len() <= MAX_STYLES + neutral.min(1) {
        return series.to_vec();
    }
    let total =
        |series: &Series| numeric_points(&series.points).iter().map(|value| value.1.abs()).sum::<f64>();
    let mut order: Vec<(usize, f64)> = series.iter().map(total).enumerate().collect();
    order.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    let mut kept: Vec<usize> = order.iter().take(MAX_STYLES - 1).map(|&(index, _)| index).collect();
    kept.sort_unstable();
    let rest = series.iter().enumerate().filter(|(index, _)| !kept.contains(index));
    let others = Series {
        label: format!(
            "{} {}",
            picture.translations.numbers.count(series.len() - kept.len()),
            clean(&picture.translations.others)
        ),
        tone: Tone::Neutral,
        points: rest.flat_map(|(_, series)| series.points.clone()).collect(),
    };
    kept.iter().map(|&index| series[index].clone()).chain([others]).collect()
}

/// Collects the value of each series at each time; several values of a series at one time are added up.
pub(crate) fn build_slots(series: &[Series]) -> Slots {
    let mut slots: Slots = BTreeMap::new();
    for (index, series) in series.iter().enumerate() {
        for point in &series.points {
            let slot = slots.entry(point.at).or_insert_with(|| vec![None; index + 1]);
            slot.resize(slot.len().max(index + 1), None);
            if let Some(value) = point.value.number() {
                slot[index] = Some(slot[index].unwrap_or(0.0) + value);
            }
        }
    }
    for slot in slots.values_mut() {
        slot.resize(series.len(), None);
    }
    slots
}

/// Returns the periods in which no series has a value.
pub(crate) fn gaps(slots: &Slots, interval: Interval) -> Vec<(LocalTime, LocalTime)> {
    let (some, none) = (Value::Number(0.0), Value::Gap(String::new()));
    let stops: Vec<Sample<'_>> = slots
        .iter()
        .map(|(&at, values)| Sample {
            at,
            value: if values.iter().any(Option::is_some) { &some } else { &none },
            range: None,
        })
        .collect();
    gapped_line::gaps(&stops, interval)
}

/// Combines neighbouring slots into the mean of those with a value, so that the unit stays the same. `partial` are the periods
/// that are not complete, in order.
pub(crate) fn merge_slots(
    slots: &Slots,
    partial: &[(LocalTime, LocalTime)],
    interval: Interval,
    first: LocalTime,
    group_size: i64,
) -> Vec<Slot> {
    let is_partial = |at: LocalTime| {
        let after = partial.partition_point(|(from, _)| *from <= at);
        after > 0 && at < partial[after - 1].1
    };
    let mut merged: Vec<(i64, Slot, Vec<u32>)> = Vec::new();
    for (&at, values) in slots {
        let place = interval.count(first, at).div_euclid(group_size);
        match merged.last_mut() {
            Some((last, slot, counts)) if *last == place && group_size > 1 => {
                slot.to = interval.end(at);
                slot.partial |= is_partial(at);
                for ((sum, count), value) in slot.values.iter_mut().zip(counts).zip(values) {
                    if let Some(value) = value {
                        *sum = Some(sum.unwrap_or(0.0) + value);
                        *count += 1;
                    }
                }
            }
            _ => {
                let counts = values.iter().map(|value| u32::from(value.is_some())).collect();
                let (values, partial) = (values.clone(), is_partial(at));
                merged.push((place, Slot { from: at, to: interval.end(at), values, partial }, counts));
            }
        }
    }
    merged
        .into_iter()
        .map(|(_, mut slot, counts)| {
            for (sum, count) in slot.values.iter_mut().zip(counts) {
                *sum = sum.map(|sum| sum / f64::from(count.max(1)));
            }
            slot
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::Date;
    use crate::series::Point;

    fn day(day: u8) -> LocalTime {
        Date::new(2026, 3, day).unwrap().into()
    }

    fn series(label: &str, points: Vec<Point>) -> Series {
        Series { label: label.into(), points, ..Series::default() }
    }

    #[test]
    fn two_values_at_one_time_are_added_up() {
        let found = build_slots(&[
            series("a", vec![Point::new(day(1), 2.0), Point::new(day(1), 3.0)]),
            series("b", vec![]),
        ]);
        assert_eq!(found[&day(1)], [Some(5.0), None]);
    }

    #[test]
    fn neighbours_become_the_mean_of_those_with_a_value() {
        let gap = Value::Gap("closed".into());
        let points = vec![
            Point::new(day(1), 2.0),
            Point::new(day(2), gap),
            Point::new(day(3), 6.0),
            Point::new(day(4), 1.0),
        ];
        let partial = [(day(4), day(5))];
        let merged = merge_slots(&build_slots(&[series("a", points)]), &partial, Interval::Day, day(1), 3);
        assert_eq!(merged.len(), 2);
        assert_eq!((merged[0].partial, merged[1].partial), (false, true));
        assert_eq!(merged[0].values, [Some(4.0)]);
        assert_eq!((merged[0].from, merged[0].to), (day(1), day(4)));
    }

    #[test]
    fn of_too_many_series_the_smallest_are_put_together() {
        let many: Vec<Series> =
            (0..13).map(|n| series(&n.to_string(), vec![Point::new(day(1), f64::from(n))])).collect();
        let folded = merge_smallest_series(&many, &ChartOptions::titled(""));
        assert_eq!(folded.len(), MAX_STYLES);
        assert_eq!(folded[0].label, "4");
        assert_eq!(folded[9].label, "4 others");
        assert_eq!(folded[9].points.len(), 4);
        // Ten and one that stands for others already.
        let mut eleven = many[..11].to_vec();
        eleven[10].tone = Tone::Neutral;
        assert_eq!(merge_smallest_series(&eleven, &ChartOptions::titled("")).len(), 11);
    }
}
