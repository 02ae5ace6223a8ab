//! Rules: what is judged, and how people are notified.

use std::cmp::Ordering;

use crate::{
    ActiveHours, Actor, AlertComparison, AlertLevel, AlertMetric, AlertRuleId, AlertScope, AlertSplit,
    AlertWindow, Invalid, Measurement, OutsideHours, Timestamp,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AlertSeverity {
    Info,
    Warning,
    Critical,
}

impl AlertSeverity {
    pub const ALL: [Self; 3] = [Self::Info, Self::Warning, Self::Critical];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|severity| severity.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_severity", "must be one of info, warning, critical"))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlertStatus {
    Ok,
    /// At least one firing is open.
    Firing,
    /// Nothing is known at present; it neither fires nor clears.
    NoData,
    /// Nothing of its scope is left that could be judged.
    Stopped,
    Disabled,
}

impl AlertStatus {
    pub const ALL: [Self; 5] = [Self::Ok, Self::Firing, Self::NoData, Self::Stopped, Self::Disabled];

    /// The reasons why a rule has stopped or is disabled.
    pub const REASONS_TO_STOP: [&'static str; 4] =
        ["scope_archived", "scope_empty", "by_user", "person_erased"];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Firing => "firing",
            Self::NoData => "no_data",
            Self::Stopped => "stopped",
            Self::Disabled => "disabled",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|status| status.as_str() == text);
        found.ok_or_else(|| {
            let words = Self::ALL.map(Self::as_str).join(", ");
            Invalid::new("invalid_status", format!("must be one of {words}"))
        })
    }
}

/// What is judged: a change of it closes open firings.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct AlertTerms {
    pub metric: AlertMetric,
    pub comparison: AlertComparison,
    pub threshold: AlertLevel,
    /// None for metrics without a window.
    #[row(flatten)]
    pub window: Option<AlertWindow>,
    /// The number of incursions below which there is no data; none for metrics without it.
    pub minimum_count: Option<i64>,
    pub scope: AlertScope,
    pub split_by: AlertSplit,
}

impl AlertTerms {
    /// Whether a value is on the threshold or beyond it.
    pub fn fires(&self, value: &Measurement) -> bool {
        match self.comparison {
            AlertComparison::Above => value.compare(self.threshold) != Ordering::Less,
            AlertComparison::Below => value.compare(self.threshold) != Ordering::Greater,
        }
    }

    /// Whether a value is so far on the good side that a firing ends. For `above` that is below `clear_percent` per cent of the threshold;
    /// for `below` it is above the threshold divided by as much, or above the middle between the threshold and the greatest value, which
    /// could otherwise be out of reach.
    pub fn clears(&self, value: &Measurement, clear_percent: u32) -> bool {
        let (threshold, percent) = (i128::from(self.threshold.millionths()), i128::from(clear_percent));
        match self.comparison {
            AlertComparison::Above => value.compare_quotient(threshold * percent, 100) == Ordering::Less,
            AlertComparison::Below => {
                let exceeds =
                    |millionths, divisor| value.compare_quotient(millionths, divisor) == Ordering::Greater;
                let greatest = self.metric.greatest().map(|greatest| i128::from(greatest.millionths()));
                exceeds(threshold * 100, percent)
                    || greatest.is_some_and(|greatest| exceeds(threshold + greatest, 2))
            }
        }
    }
}

#[derive(Clone, Debug, macros::FromRow)]
pub struct AlertRule {
    pub id: AlertRuleId,
    #[row(columns("owner_kind", "owner_id", "owner_name"))]
    pub owner: Actor,
    /// Since when the owner can no longer have alerts: then it belongs to the admins.
    pub owner_left_at: Option<Timestamp>,
    pub name: String,
    #[row(flatten)]
    pub terms: AlertTerms,
    /// None for all hours.
    pub active_hours: Option<ActiveHours>,
    pub outside_hours: OutsideHours,
    /// From the clearing of a firing until the same split can fire again.
    pub cool_down_minutes: i64,
    pub severity: AlertSeverity,
    pub notify_on_clear: bool,
    pub enabled: bool,
    /// Whether it sees all projects of the brand, and not only certain ones.
    pub all_projects: bool,
    pub status: AlertStatus,
    /// Why it has no data, has stopped or is disabled.
    pub status_reason: Option<String>,
    /// When its status was last found anew.
    pub judged_at: Option<Timestamp>,
    /// Rises with every change; the `ETag`.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The folded name, by which lists are sorted.
    pub name_key: String,
}

/// Filters of a list of rules. Empty lists and `None` do not restrict.
#[derive(Clone, Debug, Default)]
pub struct AlertRuleFilter {
    pub metrics: Vec<AlertMetric>,
    pub severities: Vec<AlertSeverity>,
    pub statuses: Vec<AlertStatus>,
    pub enabled: Option<bool>,
    /// Only rules whose name contains this, ignoring case and accents.
    pub q: Option<String>,
}

#[cfg(test)]
impl AlertTerms {
    /// Returns the terms of a rule that gives only a metric and a threshold.
    pub(super) fn usual(metric: AlertMetric, threshold: f64) -> Self {
        let comparison = metric.comparisons()[0];
        Self {
            metric,
            comparison,
            threshold: AlertLevel::from_f64(threshold).unwrap(),
            window: metric.usual_window(AlertLevel::from_f64(threshold).unwrap()),
            minimum_count: metric.default_minimum_count(comparison),
            scope: AlertScope::default(),
            split_by: metric.splits()[0],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_both_ways() {
        for severity in AlertSeverity::ALL {
            assert_eq!(AlertSeverity::parse(severity.as_str()), Ok(severity));
        }
        for status in AlertStatus::ALL {
            assert_eq!(AlertStatus::parse(status.as_str()), Ok(status));
        }
        assert_eq!(AlertSeverity::parse("error").map_err(|invalid| invalid.code), Err("invalid_severity"));
        assert_eq!(AlertStatus::parse("held").map_err(|invalid| invalid.code), Err("invalid_status"));
        assert!(AlertSeverity::ALL.is_sorted());
    }

    /// Asserts whether a value fires, and whether it clears.
    fn check(terms: &AlertTerms, percent: u32, value: Measurement, fires: bool, clears: bool) {
        let found = (terms.fires(&value), terms.clears(&value, percent));
        assert_eq!(found, (fires, clears), "{value:?} of {terms:?} at {percent} %");
    }

    #[test]
    fn above_fires_at_the_threshold_and_clears_below_a_part_of_it() {
        let terms = AlertTerms::usual(AlertMetric::Incursions, 10.0);
        for (value, fires, clears) in
            [(11, true, false), (10, true, false), (9, false, false), (8, false, true), (0, false, true)]
        {
            check(&terms, 90, Measurement::count(value), fires, clears);
        }
        // Without a margin, whatever does not fire clears.
        check(&terms, 100, Measurement::count(9), false, true);
        // 90 per cent of 1 is below 1, so that one fires and none clears.
        let one = AlertTerms::usual(AlertMetric::Incursions, 1.0);
        check(&one, 90, Measurement::count(1), true, false);
        check(&one, 90, Measurement::count(0), false, true);
        // 3.5 incursions an hour; 3.15 is the clear level.
        let rate = AlertTerms::usual(AlertMetric::IncursionsPerRuntimeHour, 3.5);
        let of_hours = |numerator, hours: i64| Measurement {
            numerator,
            denominator: hours * 3_600_000,
            scale: AlertMetric::IncursionsPerRuntimeHour.scale(),
        };
        check(&rate, 90, of_hours(35, 10), true, false);
        check(&rate, 90, of_hours(315, 100), false, false);
        check(&rate, 90, of_hours(314, 100), false, true);
    }

    #[test]
    fn below_fires_at_the_threshold_and_clears_within_reach() {
        let of_hundred = |numerator| Measurement { numerator, denominator: 100, scale: 1 };
        // 0.45 divided by 0.9 is 0.5.
        let rate = AlertTerms::usual(AlertMetric::AcknowledgementRate, 0.45);
        check(&rate, 90, of_hundred(45), true, false);
        check(&rate, 90, of_hundred(50), false, false);
        check(&rate, 90, of_hundred(51), false, true);
        // 0.96 divided by 0.9 cannot be reached; the middle is 0.98.
        let high = AlertTerms::usual(AlertMetric::AcknowledgementRate, 0.96);
        check(&high, 90, of_hundred(96), true, false);
        check(&high, 90, of_hundred(98), false, false);
        check(&high, 90, of_hundred(99), false, true);
        let battery = AlertTerms::usual(AlertMetric::TagBatteryLow, 99.0);
        check(&battery, 90, Measurement::count(99), true, false);
        check(&battery, 90, Measurement::count(100), false, true);
        let quiet = AlertTerms {
            comparison: AlertComparison::Below,
            ..AlertTerms::usual(AlertMetric::Incursions, 0.0)
        };
        check(&quiet, 90, Measurement::count(0), true, false);
        check(&quiet, 90, Measurement::count(1), false, true);
    }

    /// A rule that fires whatever happens, or never clears, says nothing.
    #[test]
    fn every_threshold_can_be_on_both_sides() {
        for metric in AlertMetric::ALL {
            for comparison in metric.comparisons() {
                let usual = AlertTerms::usual(metric, 1.0);
                let (least, greatest) = metric.threshold_range(*comparison);
                for threshold in [least, greatest] {
                    let terms = AlertTerms { comparison: *comparison, threshold, ..usual.clone() };
                    let highest = metric.greatest().unwrap_or(AlertLevel::whole(1_000_000_000));
                    let value = |level: AlertLevel| Measurement {
                        numerator: level.millionths(),
                        denominator: 1_000_000 * metric.scale(),
                        scale: metric.scale(),
                    };
                    let (low, high) = (value(AlertLevel::whole(0)), value(highest));
                    let (good, bad) = match comparison {
                        AlertComparison::Above => (low, high),
                        AlertComparison::Below => (high, low),
                    };
                    assert!(terms.fires(&bad) && !terms.clears(&bad, 90), "{metric:?} {threshold}");
                    // A visit that is not overdue is not measured at all.
                    let can_clear = terms.clears(&good, 90) || metric == AlertMetric::VisitorOverstay;
                    assert!(can_clear, "{metric:?} {threshold}");
                }
            }
        }
    }
}
