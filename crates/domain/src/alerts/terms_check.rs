//! What a rule may say, as far as that can be checked without the store.

use super::metric_terms::minutes_of;
use crate::{AlertMetric, AlertScope, AlertTerms, AlertWindow, CalendarUnit, Invalid, ScopeList, Zone};

/// Minutes after which the end of an incursion is known at the latest, if nothing is late.
const KNOWN_AFTER: i64 = 2;
/// Minutes of the shortest day, on which clocks are set forward.
const SHORTEST_DAY: i64 = 23 * 60;

impl AlertTerms {
    /// Checks everything that does not need the store. Returns one fault for each field, in the order of the fields.
    pub fn check(&self) -> Vec<(&'static str, Invalid)> {
        let faults = [
            self.check_comparison().map(|invalid| ("comparison", invalid)),
            self.check_threshold().map(|invalid| ("threshold", invalid)),
            self.check_window(),
            self.check_minimum_count().map(|invalid| ("minimum_count", invalid)),
        ];
        let lists = ScopeList::ALL.into_iter();
        let of_scope = lists.filter_map(|list| self.check_list(list).map(|invalid| (list.path(), invalid)));
        let of_split = self.check_split().map(|invalid| ("split_by", invalid));
        faults.into_iter().flatten().chain(of_scope).chain(of_split).collect()
    }

    fn check_comparison(&self) -> Option<Invalid> {
        let comparisons = self.metric.comparisons();
        if !comparisons.contains(&self.comparison) {
            return Some(not_allowed("comparison", comparisons.iter().map(|comparison| comparison.as_str())));
        }
        let is_calendar = matches!(self.window, Some(AlertWindow::Calendar(_)));
        (is_calendar && !self.metric.allows_calendar(self.comparison)).then(|| {
            Invalid::new(
                "not_allowed",
                "must be above in a window that begins anew each day or week; give window_minutes instead",
            )
        })
    }

    fn check_threshold(&self) -> Option<Invalid> {
        let (least, greatest) = self.metric.threshold_range(self.comparison);
        let is_in_range = self.is_threshold_in_range();
        let is_whole = self.threshold.is_whole() || !self.metric.is_whole();
        let number = if self.metric.is_whole() { "a whole number" } else { "a number" };
        (!is_in_range || !is_whole)
            .then(|| Invalid::new("out_of_range", format!("must be {number} from {least} to {greatest}")))
    }

    fn is_threshold_in_range(&self) -> bool {
        let (least, greatest) = self.metric.threshold_range(self.comparison);
        (least..=greatest).contains(&self.threshold)
    }

    /// Returns the least minutes of a window. An incursion counts from its beginning and is known when it has ended: in a window that is
    /// not longer than the threshold, it would be gone by then.
    fn least_window_minutes(&self) -> Option<i64> {
        let least = self.metric.least_window_minutes()?;
        let is_of_duration = self.metric == AlertMetric::LongIncursion && self.is_threshold_in_range();
        Some(if is_of_duration { least.max(minutes_of(self.threshold) + KNOWN_AFTER) } else { least })
    }

    fn check_window(&self) -> Option<(&'static str, Invalid)> {
        let Some(least) = self.least_window_minutes() else {
            let field = match self.window? {
                AlertWindow::Rolling { .. } => "window_minutes",
                AlertWindow::Calendar(_) => "window",
            };
            return Some((field, Invalid::new("not_allowed", "is not a field of this metric")));
        };
        let invalid = match self.window {
            None => Invalid::new("required", "must be given, or window"),
            Some(AlertWindow::Calendar(CalendarUnit::Day)) if least > SHORTEST_DAY => {
                let text = format!("is too short for the threshold; give window_minutes from {least} on");
                return Some(("window", Invalid::new("out_of_range", text)));
            }
            Some(AlertWindow::Calendar(_)) => return None,
            Some(AlertWindow::Rolling { minutes }) => {
                let greatest = AlertWindow::MAX_MINUTES;
                if (least..=greatest).contains(&minutes) {
                    return None;
                }
                Invalid::new("out_of_range", format!("must be a whole number from {least} to {greatest}"))
            }
        };
        Some(("window_minutes", invalid))
    }

    fn check_minimum_count(&self) -> Option<Invalid> {
        let count = self.minimum_count?;
        let Some((least, greatest)) = self.metric.minimum_count_range() else {
            return Some(Invalid::new("not_allowed", "is not a field of this metric"));
        };
        (!(least..=greatest).contains(&count)).then(|| {
            Invalid::new("out_of_range", format!("must be a whole number from {least} to {greatest}"))
        })
    }

    fn check_list(&self, list: ScopeList) -> Option<Invalid> {
        let length = self.scope.len_of(list);
        if length > 0 && !self.metric.allows(list) {
            return Some(Invalid::new("not_allowed", "does not restrict this metric"));
        }
        if length > AlertScope::MAX_IDS {
            let text = format!("must have at most {} items", AlertScope::MAX_IDS);
            return Some(Invalid::new("too_many", text));
        }
        match list {
            ScopeList::Zones => self.scope.zones.iter().find_map(|word| Zone::parse(word).err()),
            _ => None,
        }
    }

    fn check_split(&self) -> Option<Invalid> {
        let splits = self.metric.splits();
        (!splits.contains(&self.split_by))
            .then(|| not_allowed("split", splits.iter().map(|split| split.as_str())))
    }
}

/// The refusal of a word that the metric does not have.
fn not_allowed(what: &str, words: impl Iterator<Item = &'static str>) -> Invalid {
    let words = words.collect::<Vec<_>>().join(", ");
    Invalid::new("not_allowed", format!("is not a {what} of this metric; it can have {words}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AlertComparison, AlertLevel, AlertSplit};

    const NO_WINDOW: (&str, &str) = ("window_minutes not_allowed", "window not_allowed");
    const DAY: Option<AlertWindow> = Some(AlertWindow::Calendar(CalendarUnit::Day));

    fn rolling(minutes: i64) -> Option<AlertWindow> {
        Some(AlertWindow::Rolling { minutes })
    }

    /// Returns the fields and codes of faults, as text.
    fn faults(terms: &AlertTerms) -> String {
        let faults = terms.check().into_iter().map(|(field, invalid)| format!("{field} {}", invalid.code));
        faults.collect::<Vec<_>>().join(", ")
    }

    fn usual(metric: AlertMetric) -> AlertTerms {
        let (least, _) = metric.threshold_range(metric.comparisons()[0]);
        AlertTerms { threshold: least, ..AlertTerms::usual(metric, 1.0) }
    }

    #[test]
    fn what_every_metric_has_by_default_is_accepted() {
        for metric in AlertMetric::ALL {
            let terms = usual(metric);
            assert_eq!(faults(&terms), "", "{metric:?}");
            let (_, greatest) = metric.threshold_range(terms.comparison);
            let window = metric.usual_window(greatest);
            assert_eq!(faults(&AlertTerms { threshold: greatest, window, ..terms }), "", "{metric:?}");
        }
    }

    #[test]
    fn thresholds_out_of_the_range_of_the_metric_are_refused() {
        for metric in AlertMetric::ALL {
            for comparison in metric.comparisons() {
                let (least, greatest) = metric.threshold_range(*comparison);
                for millionths in [least.millionths() - 1, greatest.millionths() + 1, -1, i64::MAX] {
                    let threshold = AlertLevel::from_millionths(millionths);
                    let terms = AlertTerms { comparison: *comparison, threshold, ..usual(metric) };
                    assert_eq!(faults(&terms), "threshold out_of_range", "{metric:?} {millionths}");
                }
                let threshold = AlertLevel::from_millionths(greatest.millionths() - 1);
                let window = metric.usual_window(threshold);
                let terms = AlertTerms { comparison: *comparison, threshold, window, ..usual(metric) };
                let expected = if metric.is_whole() { "threshold out_of_range" } else { "" };
                assert_eq!(faults(&terms), expected, "{metric:?}");
            }
        }
        let invalid = AlertTerms::usual(AlertMetric::AcknowledgementRate, 2.0).check().remove(0).1;
        assert_eq!(invalid.message, "must be a number from 0.01 to 0.99");
        let invalid = AlertTerms::usual(AlertMetric::RepeatPair, 1.0).check().remove(0).1;
        assert_eq!(invalid.message, "must be a whole number from 2 to 10000");
    }

    #[test]
    fn windows_in_which_the_metric_cannot_be_known_are_refused() {
        for metric in AlertMetric::ALL {
            let with = |window| faults(&AlertTerms { window, ..usual(metric) });
            let Some(least) = metric.least_window_minutes() else {
                assert_eq!((with(rolling(60)).as_str(), with(DAY).as_str()), NO_WINDOW, "{metric:?}");
                continue;
            };
            for minutes in [least, 43_200] {
                assert_eq!(with(rolling(minutes)), "", "{metric:?}");
            }
            assert_eq!(with(DAY), "", "{metric:?}");
            for minutes in [least - 1, 43_201, 0, -5, i64::MAX] {
                assert_eq!(with(rolling(minutes)), "window_minutes out_of_range", "{metric:?}");
            }
            assert_eq!(with(None), "window_minutes required", "{metric:?}");
        }
    }

    #[test]
    fn a_long_incursion_needs_a_window_that_is_longer() {
        let with = |seconds, window| {
            let threshold = AlertLevel::whole(seconds);
            faults(&AlertTerms { threshold, window, ..usual(AlertMetric::LongIncursion) })
        };
        let too_short = "window_minutes out_of_range";
        for (seconds, least) in [(1, 5), (180, 5), (181, 6), (600, 12), (86_400, 1_442)] {
            assert_eq!(with(seconds, rolling(least)), "", "{seconds}");
            assert_eq!(with(seconds, rolling(least - 1)), too_short, "{seconds}");
        }
        assert_eq!(with(82_680, DAY), "");
        assert_eq!(with(82_681, DAY), "window out_of_range");
        assert_eq!(with(86_400, Some(AlertWindow::Calendar(CalendarUnit::Week))), "");
    }

    #[test]
    fn a_low_count_is_not_awaited_from_midnight_on() {
        for metric in AlertMetric::ALL {
            let below = AlertTerms { comparison: AlertComparison::Below, window: DAY, ..usual(metric) };
            let is_refused = faults(&below).contains("comparison not_allowed");
            let is_accepted = matches!(
                metric,
                AlertMetric::AcknowledgementRate
                    | AlertMetric::IncursionsPerRuntimeHour
                    | AlertMetric::TagBatteryLow
            );
            assert_eq!(is_refused, !is_accepted, "{metric:?}");
        }
    }

    #[test]
    fn fields_that_the_metric_does_not_have_are_refused_together() {
        let scope = AlertScope {
            machine_ids: vec![1],
            tag_ids: (0..201).collect(),
            zones: vec!["danger".to_owned()],
            ..AlertScope::default()
        };
        let terms = AlertTerms {
            comparison: AlertComparison::Above,
            threshold: AlertLevel::whole(100),
            window: rolling(60),
            minimum_count: Some(3),
            scope,
            split_by: AlertSplit::Machine,
            ..usual(AlertMetric::TagBatteryLow)
        };
        let expected = "comparison not_allowed, threshold out_of_range, window_minutes not_allowed, \
            minimum_count not_allowed, scope.machine_ids not_allowed, scope.tag_ids too_many, \
            scope.zones not_allowed, split_by not_allowed";
        assert_eq!(faults(&terms), expected);
        let pair = AlertTerms { split_by: AlertSplit::Pair, ..usual(AlertMetric::Incursions) };
        let words = "none, project, worksite, machine, base_station, person, tag";
        assert!(pair.check()[0].1.message.ends_with(&format!("it can have {words}")));
    }

    #[test]
    fn minimum_counts_and_zones_are_checked() {
        for (metric, count, expected) in [
            (AlertMetric::AcknowledgementRate, 0, "minimum_count out_of_range"),
            (AlertMetric::AcknowledgementRate, 1, ""),
            (AlertMetric::AcknowledgementRate, 100_001, "minimum_count out_of_range"),
            (AlertMetric::IncursionsPerRuntimeHour, 0, ""),
            (AlertMetric::IncursionsPerRuntimeHour, -1, "minimum_count out_of_range"),
        ] {
            let terms = AlertTerms { minimum_count: Some(count), ..usual(metric) };
            assert_eq!(faults(&terms), expected, "{metric:?} {count}");
        }
        let zones = vec!["danger".to_owned(), "outer".to_owned()];
        let scope = AlertScope { zones, ..AlertScope::default() };
        let terms = AlertTerms { scope, ..usual(AlertMetric::Incursions) };
        assert_eq!(faults(&terms), "scope.zones invalid_zone");
    }
}
