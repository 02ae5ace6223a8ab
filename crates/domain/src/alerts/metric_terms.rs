//! What a rule of each metric may say: comparisons, thresholds, windows, splits and scopes.

use crate::{AlertComparison, AlertLevel, AlertMetric, AlertSplit, AlertUnit, AlertWindow, ScopeList};

const HOUR: Option<AlertWindow> = Some(AlertWindow::Rolling { minutes: 60 });
const DAY: Option<AlertWindow> = Some(AlertWindow::Rolling { minutes: 1_440 });

/// Returns the minutes of a threshold in seconds, rounded up.
pub(super) const fn minutes_of(threshold: AlertLevel) -> i64 {
    const MILLIONTHS: i64 = 60_000_000;
    threshold.millionths().saturating_add(MILLIONTHS - 1) / MILLIONTHS
}

impl AlertMetric {
    /// Returns the comparisons that it can have. The first is the default.
    pub const fn comparisons(self) -> &'static [AlertComparison] {
        match self {
            Self::Incursions | Self::UnacknowledgedIncursions | Self::IncursionsPerRuntimeHour => {
                &[AlertComparison::Above, AlertComparison::Below]
            }
            Self::AcknowledgementRate => &[AlertComparison::Below, AlertComparison::Above],
            Self::LongIncursion
            | Self::RepeatPair
            | Self::TagTestOverdue
            | Self::BaseStationSilent
            | Self::VisitorOverstay
            | Self::Drift => &[AlertComparison::Above],
            Self::TagBatteryLow => &[AlertComparison::Below],
        }
    }

    /// Returns what it can be split by. The first is the default.
    pub const fn splits(self) -> &'static [AlertSplit] {
        match self {
            Self::Incursions
            | Self::UnacknowledgedIncursions
            | Self::AcknowledgementRate
            | Self::LongIncursion => &[
                AlertSplit::None,
                AlertSplit::Project,
                AlertSplit::Worksite,
                AlertSplit::Machine,
                AlertSplit::BaseStation,
                AlertSplit::Person,
                AlertSplit::Tag,
            ],
            Self::IncursionsPerRuntimeHour => &[
                AlertSplit::None,
                AlertSplit::Project,
                AlertSplit::Worksite,
                AlertSplit::Machine,
                AlertSplit::BaseStation,
            ],
            Self::RepeatPair => &[AlertSplit::Pair],
            Self::TagTestOverdue | Self::TagBatteryLow => {
                &[AlertSplit::Tag, AlertSplit::Person, AlertSplit::None]
            }
            Self::BaseStationSilent => &[
                AlertSplit::BaseStation,
                AlertSplit::Machine,
                AlertSplit::Worksite,
                AlertSplit::Project,
                AlertSplit::None,
            ],
            Self::VisitorOverstay => {
                &[AlertSplit::Person, AlertSplit::Worksite, AlertSplit::Project, AlertSplit::None]
            }
            Self::Drift => &[AlertSplit::Worksite, AlertSplit::Machine, AlertSplit::None],
        }
    }

    /// Returns the window of a rule that names none, which is long enough for its threshold; none for metrics without a window.
    pub fn usual_window(self, threshold: AlertLevel) -> Option<AlertWindow> {
        match (self, self.default_window()) {
            (Self::LongIncursion, Some(AlertWindow::Rolling { minutes })) => {
                let twice = minutes_of(threshold).saturating_mul(2);
                Some(AlertWindow::Rolling { minutes: twice.clamp(minutes, AlertWindow::MAX_MINUTES) })
            }
            (_, window) => window,
        }
    }

    /// Returns the window of a rule that names none and has a low threshold; none for metrics without a window.
    pub const fn default_window(self) -> Option<AlertWindow> {
        match self {
            Self::Incursions | Self::UnacknowledgedIncursions | Self::LongIncursion => HOUR,
            Self::AcknowledgementRate | Self::IncursionsPerRuntimeHour | Self::RepeatPair => DAY,
            _ => None,
        }
    }

    /// Returns the least minutes of a rolling window, in which it can be known; none for metrics without a window.
    pub const fn least_window_minutes(self) -> Option<i64> {
        match self {
            Self::Incursions | Self::LongIncursion | Self::RepeatPair => Some(5),
            Self::UnacknowledgedIncursions => Some(10),
            Self::AcknowledgementRate => Some(15),
            Self::IncursionsPerRuntimeHour => Some(60),
            _ => None,
        }
    }

    /// Whether it can be compared in this way in a window that begins anew: a count would be low after every midnight.
    pub const fn allows_calendar(self, comparison: AlertComparison) -> bool {
        let is_count = matches!(self, Self::Incursions | Self::UnacknowledgedIncursions);
        !(is_count && matches!(comparison, AlertComparison::Below))
    }

    /// Returns the least and the greatest threshold.
    pub const fn threshold_range(self, comparison: AlertComparison) -> (AlertLevel, AlertLevel) {
        let (least, greatest) = match (self, comparison) {
            (Self::Incursions | Self::UnacknowledgedIncursions, AlertComparison::Above) => (1, 1_000_000),
            (Self::Incursions | Self::UnacknowledgedIncursions, AlertComparison::Below) => (0, 1_000_000),
            // Every rate is at most 1, so that a rule below 1 would fire always and never clear.
            (Self::AcknowledgementRate, AlertComparison::Below) => {
                return (AlertLevel::from_millionths(10_000), AlertLevel::from_millionths(990_000));
            }
            (Self::AcknowledgementRate, AlertComparison::Above) => {
                return (AlertLevel::from_millionths(10_000), AlertLevel::whole(1));
            }
            (Self::IncursionsPerRuntimeHour, _) => {
                return (AlertLevel::from_millionths(1_000), AlertLevel::whole(10_000));
            }
            (Self::LongIncursion, _) => (1, 86_400),
            (Self::RepeatPair, _) => (2, 10_000),
            (Self::TagTestOverdue, _) => (1, 3_650),
            (Self::TagBatteryLow, _) => (1, 99),
            (Self::BaseStationSilent, _) => (10, 43_200),
            (Self::VisitorOverstay, _) => (0, 10_080),
            (Self::Drift, _) => (1, 1_000),
        };
        (AlertLevel::whole(least), AlertLevel::whole(greatest))
    }

    /// Whether thresholds must be whole numbers.
    pub const fn is_whole(self) -> bool {
        matches!(self.unit(), AlertUnit::Count | AlertUnit::Days | AlertUnit::Percent | AlertUnit::Minutes)
    }

    /// Returns the upper end of values, if they have one.
    pub const fn greatest(self) -> Option<AlertLevel> {
        match self {
            Self::AcknowledgementRate => Some(AlertLevel::whole(1)),
            Self::TagBatteryLow => Some(AlertLevel::whole(100)),
            _ => None,
        }
    }

    /// Returns how many incursions the window must have before the value is judged; none if the metric has no such number.
    pub const fn default_minimum_count(self, comparison: AlertComparison) -> Option<i64> {
        match (self, comparison) {
            (Self::AcknowledgementRate, _) => Some(10),
            (Self::IncursionsPerRuntimeHour, AlertComparison::Above) => Some(5),
            (Self::IncursionsPerRuntimeHour, AlertComparison::Below) => Some(0),
            _ => None,
        }
    }

    /// Returns the least and the greatest minimum count; none if the metric has no such number.
    pub const fn minimum_count_range(self) -> Option<(i64, i64)> {
        match self {
            Self::AcknowledgementRate => Some((1, 100_000)),
            Self::IncursionsPerRuntimeHour => Some((0, 100_000)),
            _ => None,
        }
    }

    /// Whether a scope can have this list.
    pub const fn allows(self, list: ScopeList) -> bool {
        match self {
            Self::Incursions
            | Self::UnacknowledgedIncursions
            | Self::AcknowledgementRate
            | Self::LongIncursion => true,
            // Zones narrow the incursions only; runtime has no zone.
            Self::IncursionsPerRuntimeHour => !matches!(list, ScopeList::People | ScopeList::Tags),
            Self::RepeatPair => !matches!(list, ScopeList::Tags | ScopeList::BaseStations),
            Self::TagTestOverdue | Self::TagBatteryLow => matches!(list, ScopeList::People | ScopeList::Tags),
            Self::BaseStationSilent => {
                !matches!(list, ScopeList::People | ScopeList::Tags | ScopeList::Zones)
            }
            Self::VisitorOverstay => {
                matches!(list, ScopeList::Projects | ScopeList::Worksites | ScopeList::People)
            }
            Self::Drift => matches!(list, ScopeList::Projects | ScopeList::Worksites | ScopeList::Machines),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MetricSource;

    #[test]
    fn defaults_are_those_of_the_documentation() {
        use AlertComparison::{Above, Below};
        for (metric, comparison, window, minimum_count, split) in [
            (AlertMetric::Incursions, Above, HOUR, None, AlertSplit::None),
            (AlertMetric::UnacknowledgedIncursions, Above, HOUR, None, AlertSplit::None),
            (AlertMetric::AcknowledgementRate, Below, DAY, Some(10), AlertSplit::None),
            (AlertMetric::IncursionsPerRuntimeHour, Above, DAY, Some(5), AlertSplit::None),
            (AlertMetric::LongIncursion, Above, HOUR, None, AlertSplit::None),
            (AlertMetric::RepeatPair, Above, DAY, None, AlertSplit::Pair),
            (AlertMetric::TagTestOverdue, Above, None, None, AlertSplit::Tag),
            (AlertMetric::TagBatteryLow, Below, None, None, AlertSplit::Tag),
            (AlertMetric::BaseStationSilent, Above, None, None, AlertSplit::BaseStation),
            (AlertMetric::VisitorOverstay, Above, None, None, AlertSplit::Person),
            (AlertMetric::Drift, Above, None, None, AlertSplit::Worksite),
        ] {
            assert_eq!(metric.comparisons()[0], comparison, "{metric:?}");
            assert_eq!(metric.default_window(), window, "{metric:?}");
            assert_eq!(metric.default_minimum_count(comparison), minimum_count, "{metric:?}");
            assert_eq!(metric.splits()[0], split, "{metric:?}");
        }
    }

    #[test]
    fn the_usual_window_is_long_enough_for_a_long_incursion() {
        let minutes = |seconds: i64| match AlertMetric::LongIncursion.usual_window(AlertLevel::whole(seconds))
        {
            Some(AlertWindow::Rolling { minutes }) => minutes,
            other => panic!("{other:?}"),
        };
        assert_eq!((minutes(1), minutes(1_800), minutes(1_801)), (60, 60, 62));
        assert_eq!((minutes(86_400), minutes(i64::MAX)), (2_880, AlertWindow::MAX_MINUTES));
        let threshold = AlertLevel::whole(1_000_000);
        assert_eq!(AlertMetric::Incursions.usual_window(threshold), HOUR);
        assert_eq!(AlertMetric::Drift.usual_window(threshold), None);
    }

    #[test]
    fn every_metric_is_consistent() {
        for metric in AlertMetric::ALL {
            let least = metric.least_window_minutes();
            assert_eq!(least.is_some(), metric.source() == MetricSource::Columns, "{metric:?}");
            let default = metric.default_window().map(|window| match window {
                AlertWindow::Rolling { minutes } => minutes,
                AlertWindow::Calendar(_) => panic!("{metric:?} has a calendar window"),
            });
            assert_eq!(default.is_some(), least.is_some(), "{metric:?}");
            assert!(default >= least && default <= Some(AlertWindow::MAX_MINUTES), "{metric:?}");
            for comparison in metric.comparisons() {
                let (low, high) = metric.threshold_range(*comparison);
                assert!(low < high && low >= AlertLevel::whole(0), "{metric:?}");
                assert!(metric.greatest().is_none_or(|greatest| high <= greatest), "{metric:?}");
                let minimum = metric.default_minimum_count(*comparison);
                assert_eq!(minimum.is_some(), metric.minimum_count_range().is_some(), "{metric:?}");
                let range = metric.minimum_count_range().unwrap_or((0, 0));
                assert!((range.0..=range.1).contains(&minimum.unwrap_or(0)), "{metric:?}");
            }
            let mut dimensions = metric.splits().iter().flat_map(|split| split.dimensions());
            let is_of_runtime = dimensions.all(|dimension| dimension.applies_to_runtime());
            assert!(is_of_runtime || !metric.needs_runtime(), "{metric:?}");
        }
    }

    #[test]
    fn scopes_are_those_of_what_is_measured() {
        let lists = |metric: AlertMetric| -> String {
            let allowed = ScopeList::ALL.into_iter().filter(|list| metric.allows(*list));
            allowed.map(ScopeList::field).collect::<Vec<_>>().join(" ")
        };
        let all = "project_ids worksite_ids machine_ids person_ids tag_ids base_station_ids zones";
        let of_runtime = "project_ids worksite_ids machine_ids base_station_ids zones";
        for (metric, expected) in [
            (AlertMetric::Incursions, all),
            (AlertMetric::UnacknowledgedIncursions, all),
            (AlertMetric::AcknowledgementRate, all),
            (AlertMetric::IncursionsPerRuntimeHour, of_runtime),
            (AlertMetric::LongIncursion, all),
            (AlertMetric::RepeatPair, "project_ids worksite_ids machine_ids person_ids zones"),
            (AlertMetric::TagTestOverdue, "person_ids tag_ids"),
            (AlertMetric::TagBatteryLow, "person_ids tag_ids"),
            (AlertMetric::BaseStationSilent, "project_ids worksite_ids machine_ids base_station_ids"),
            (AlertMetric::VisitorOverstay, "project_ids worksite_ids person_ids"),
            (AlertMetric::Drift, "project_ids worksite_ids machine_ids"),
        ] {
            assert_eq!(lists(metric), expected, "{metric:?}");
        }
    }
}
