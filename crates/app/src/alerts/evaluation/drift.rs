//! Drift: how much of the fall of the rate since the installation was climbed back.

use domain::{Measurement, SortedMap};
use serde_json::{Value, json};
use statistics::NoDrift;

use crate::insights::installation::{WeekTotals, find_baseline};

/// Weeks that are compared with each other: the last ones, and the lowest ones.
pub(crate) const SPAN: i64 = 4;
/// Four weeks with less runtime say nothing.
const LEAST_HOURS_OF_SPAN: f64 = 40.0;
/// A value is a number of thousandths of a per cent.
const PARTS: f64 = 1_000.0;

/// Returns how many per cent of the fall from the baseline to the lowest four weeks the lower bound of the last four weeks has climbed
/// back, with what explains it; or why there is no value. Weeks have the numbers of `Week` and are known from `first_known` on;
/// `now_week` is the one that has not ended.
pub(crate) fn drift_value(
    weeks: &SortedMap<i64, WeekTotals>,
    first_known: i64,
    now_week: i64,
) -> Result<(Measurement, Value), &'static str> {
    let baseline = find_baseline(weeks, first_known, now_week)?;
    let since_week = baseline.last().map_or(now_week, |(number, _)| number + 1);
    if since_week + SPAN > now_week {
        // There are no four weeks yet that do not belong to the baseline.
        return Err("no_fall");
    }
    let first_parts: Vec<(u64, f64)> = baseline.iter().map(|(_, week)| week.part()).collect();
    let since: Vec<(u64, f64)> =
        (since_week..now_week).map(|number| weeks.get(&number).copied().unwrap_or_default().part()).collect();
    let found = statistics::measure_drift(&first_parts, &since, LEAST_HOURS_OF_SPAN);
    let drift = found.map_err(|reason| match reason {
        NoDrift::TooLittleNow => "no_runtime",
        NoDrift::NoBaseline => "no_baseline",
        NoDrift::NoFall => "no_fall",
    })?;
    // Places are offsets from the first week after the baseline.
    let lowest_from = since_week + i64::try_from(drift.lowest_at).unwrap_or(0);
    let details = json!({
        "baseline": drift.baseline,
        "baseline_weeks": baseline.iter().map(|(number, _)| monday(*number)).collect::<Vec<_>>(),
        "lowest": drift.lowest,
        "lowest_from": monday(lowest_from),
        "lowest_high": drift.lowest_high,
        "now": drift.now,
        "now_from": monday(now_week - SPAN),
        "now_low": drift.now_interval.low,
        "now_high": drift.now_interval.high,
    });
    Ok((Measurement { numerator: thousandths(drift.climbed), denominator: 1_000, scale: 1 }, details))
}

fn monday(week: i64) -> String {
    domain::insights::Week::from_number(week).first_day().to_string()
}

#[expect(clippy::cast_possible_truncation, reason = "at most 1e15")]
fn thousandths(percent: f64) -> i64 {
    (percent * PARTS).round().min(1e15) as i64
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use domain::AlertLevel;

    use super::*;

    const HOUR_MS: i64 = 3_600_000;
    const NOW: i64 = 3_000;

    /// The weeks before now with these incursions in hours each, oldest first.
    fn weeks(of: &[(i64, i64)]) -> SortedMap<i64, WeekTotals> {
        let first = NOW - i64::try_from(of.len()).unwrap();
        let totals = of
            .iter()
            .map(|(incursions, hours)| WeekTotals { incursions: *incursions, runtime_ms: hours * HOUR_MS });
        (first..NOW).zip(totals).collect()
    }

    fn parts(rows: &[&[(i64, i64)]]) -> SortedMap<i64, WeekTotals> {
        weeks(&rows.concat())
    }

    fn value_of(weeks: &SortedMap<i64, WeekTotals>) -> Result<(Measurement, Value), &'static str> {
        drift_value(weeks, NOW - 260, NOW)
    }

    fn value(weeks: &SortedMap<i64, WeekTotals>) -> Result<f64, &'static str> {
        value_of(weeks).map(|(value, _)| value.as_f64())
    }

    #[test]
    fn a_climb_counts_by_its_lower_bound() {
        // From 10 per hour down to 2 per hour, and now 4.404 per hour: 30.05 per cent of the fall, less what chance explains.
        let many = 100_000;
        let found = parts(&[&[(10 * many, many); 4], &[(2 * many, many); 8], &[(440_400, many); 4]]);
        let (value, details) = value_of(&found).unwrap();
        assert_eq!(value.denominator, 1_000);
        assert_eq!(value.compare(AlertLevel::whole(29)), Ordering::Greater, "{value:?}");
        assert_eq!(value.compare(AlertLevel::whole(30)), Ordering::Less, "{value:?}");
        let more = parts(&[&[(10 * many, many); 4], &[(2 * many, many); 8], &[(445_000, many); 4]]);
        let (value, _) = value_of(&more).unwrap();
        assert_eq!(value.compare(AlertLevel::whole(30)), Ordering::Greater, "{value:?}");
        assert_eq!(value.compare(AlertLevel::whole(31)), Ordering::Less, "{value:?}");
        assert_eq!((&details["baseline"], &details["lowest"]), (&json!(10.0), &json!(2.0)));
        assert_eq!(details["now"], json!(4.404));
        assert_eq!(details["lowest_from"], json!(monday(NOW - 12)));
        let high = details["lowest_high"].as_f64().unwrap();
        assert!(high > 2.0 && high < 2.01, "{high}");
    }

    #[test]
    fn with_few_incursions_the_same_climb_is_less() {
        // 10 per hour, 2 per hour, 4.5 per hour, in 10 hours each.
        let found = parts(&[&[(100, 10); 4], &[(20, 10); 8], &[(45, 10); 4]]);
        let wide = value(&found).unwrap();
        assert!(wide > 14.0 && wide < 17.0, "{wide}");
    }

    #[test]
    fn too_little_runtime_is_no_data() {
        assert_eq!(value(&SortedMap::default()), Err("no_runtime"));
        assert_eq!(value(&weeks(&[(5, 0); 20])), Err("no_runtime"));
        // The last four weeks have 39 hours.
        let quiet = parts(&[&[(100, 10); 12], &[(10, 10), (10, 10), (10, 10), (10, 9)]]);
        assert_eq!(value(&quiet), Err("no_runtime"));
        // Three weeks with five hours among the first eight.
        let few = parts(&[&[(50, 5); 3], &[(1, 4); 5], &[(20, 20); 8]]);
        assert_eq!(value(&few), Err("no_baseline"));
        // Too young.
        assert_eq!(value(&weeks(&[(100, 20); 3])), Err("no_baseline"));
        assert_eq!(value(&weeks(&[(100, 20); 7])), Err("no_fall"));
    }

    #[test]
    fn weeks_without_runtime_do_not_belong_to_the_baseline() {
        // The second week stood still; the baseline ends with the fifth.
        let first = [(100, 10), (0, 0), (100, 10), (100, 10), (100, 10)];
        let found = parts(&[&first, &[(20, 10); 12]]);
        let (_, details) = value_of(&found).unwrap();
        assert_eq!(details["baseline"], json!(10.0));
        assert_eq!(details["baseline_weeks"].as_array().unwrap().len(), 4);
        assert_eq!(details["lowest"], json!(2.0));
    }

    #[test]
    fn what_never_fell_has_no_drift_and_what_still_falls_has_none_yet() {
        assert_eq!(value(&parts(&[&[(100, 10); 4], &[(120, 10); 12]])), Err("no_fall"));
        // Five per cent less are chance.
        assert_eq!(value(&parts(&[&[(100, 10); 4], &[(95, 10); 8], &[(100, 10); 4]])), Err("no_fall"));
        let falling: Vec<(i64, i64)> = (0..20).map(|week| (200 - week * 10, 10)).collect();
        assert_eq!(value(&weeks(&falling)), Ok(0.0));
        // There is nothing between the baseline and now.
        assert_eq!(value(&parts(&[&[(100, 10); 4], &[(500, 10); 4]])), Err("no_fall"));
    }

    #[test]
    fn an_installation_is_the_first_runtime_and_not_the_first_that_is_looked_at() {
        // Five years are looked at.
        let found = parts(&[&[(100, 10); 4], &[(20, 10); 250]]);
        let (_, details) = value_of(&found).unwrap();
        assert_eq!(details["baseline"], json!(10.0));
        assert_eq!(value(&weeks(&[(20, 10); 260])), Err("no_baseline"));
        assert_eq!(value(&weeks(&[(20, 10); 259])), Err("no_baseline"));
    }

    #[test]
    fn the_lowest_weeks_end_before_the_last_four_begin() {
        // The lowest four weeks are the last four themselves.
        let found = parts(&[&[(100, 10); 4], &[(50, 10); 8], &[(10, 10); 4]]);
        let (value, details) = value_of(&found).unwrap();
        assert_eq!((value.numerator, &details["lowest"]), (0, &json!(5.0)));
    }
}
