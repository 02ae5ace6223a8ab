//! Single records in the figures of a report: ids, times and numbers.

use domain::{Span, Timestamp};
use serde::{Deserialize, Serialize};

use super::StoredFigure;

/// A member that was compared with its peers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct OutlierFigure {
    /// `machine`, `pedestrian`, `operator` or `worksite`.
    pub by: String,
    pub id: i64,
    /// The kind that the peers share, and their worksite, if it is one.
    pub peer_kind: Option<i64>,
    pub peer_site: Option<i64>,
    /// Of the exposure: `runtime_hours` or `days`.
    pub unit: String,
    pub peers: u64,
    pub observed: u64,
    pub exposure: f64,
    pub expected: f64,
    /// The range of 95 % of the cases among peers.
    pub interval: (u64, u64),
    pub adjusted_p: f64,
}

/// A tag with its tests in the period.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TagFigure {
    pub tag: i64,
    /// The last wearer in the period.
    pub person: Option<i64>,
    pub tests: i64,
    pub passed: i64,
    /// The last test before the end of the period, which may be before its beginning.
    pub last_test: Option<Timestamp>,
    pub last_passed: Option<bool>,
    /// Local days with an assignment, and of those the ones that were covered by a passed test.
    pub worn_days: i64,
    pub covered_days: i64,
    /// Whether someone wore it at the end of the period, or when the figures were computed.
    #[serde(default)]
    pub worn_at_end: bool,
    /// Incursions of the tag, and those at whose time it was in test.
    pub incursions: i64,
    pub incursions_in_test: i64,
}

impl TagFigure {
    /// Returns when the cover of its last test ended or ends: at once if it was failed. None if it was never tested.
    pub fn in_test_until(&self, interval: Span) -> Option<Timestamp> {
        let tested_at = self.last_test?;
        Some(if self.last_passed == Some(true) { tested_at + interval } else { tested_at })
    }

    /// Whether it is in test at a time, which must not be before its last test.
    pub fn is_in_test(&self, at: Timestamp, interval: Span) -> bool {
        self.in_test_until(interval).is_some_and(|until| at < until)
    }

    pub fn incursions_outside_test(&self) -> i64 {
        self.incursions - self.incursions_in_test
    }
}

/// The days on which tags were worn in a week.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TestWeekFigure {
    /// The number of the week.
    pub week: i64,
    pub worn_days: i64,
    pub covered_days: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VisitFigure {
    pub visit: i64,
    pub person: i64,
    pub worksite: Option<i64>,
    pub tag: i64,
    pub checked_in_at: Timestamp,
    pub checked_out_at: Option<Timestamp>,
    pub expected_until: Option<Timestamp>,
    pub closed_automatically: bool,
    /// Between check-in and check-out, or until the tag was handed back.
    pub incursions: i64,
    /// The worksite's offset from UTC at the check-in.
    pub offset_s: i32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IncursionFigure {
    pub id: i64,
    pub seq: i64,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// Whether the service stopped waiting for an end.
    pub closed: bool,
    pub local_day: i64,
    pub acknowledged_at: Option<Timestamp>,
    pub zone: String,
    pub closest_cm: Option<i64>,
    pub lat_e7: Option<i32>,
    pub lon_e7: Option<i32>,
    pub machine: Option<i64>,
    pub base_station: i64,
    pub tag: i64,
    pub pedestrian: Option<i64>,
    pub operator: Option<i64>,
    pub worksite: Option<i64>,
    pub project: Option<i64>,
    pub review: String,
    /// The worksite's offset from UTC at the start.
    pub offset_s: i32,
}

/// A pivot: keys by dimension, figures by column and measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PivotFigure {
    pub columns: Vec<Vec<Option<i64>>>,
    /// Each followed by its children.
    pub rows: Vec<PivotFigureRow>,
    pub totals: PivotFigureRow,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PivotFigureRow {
    pub keys: Vec<Option<i64>>,
    pub level: usize,
    /// For each column, one figure for each measure.
    pub cells: Vec<Vec<StoredFigure>>,
    pub total: Vec<StoredFigure>,
    /// Number of children beyond the limit.
    pub more: u64,
}

/// A base station without contact for longer than the brand's silence limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SilentFigure {
    pub base_station: i64,
    pub machine: Option<i64>,
    pub last_seen_at: Option<Timestamp>,
}

/// The zones around an antenna during a part of the period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ZoneFigure {
    pub base_station: i64,
    pub antenna: String,
    pub warning_cm: i64,
    pub danger_cm: i64,
    pub from: Timestamp,
    pub to: Option<Timestamp>,
}

/// A written site report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WrittenFigure {
    pub facts: narrative::FactSheet,
    pub sentences: Vec<narrative::Sentence>,
    /// `rules` or `model`.
    pub generator: String,
    pub model: Option<String>,
    /// Why the rules wrote it although there is a model.
    pub fallback_reason: Option<String>,
    /// The last change of the brand that the facts include, and the time zones of their days.
    pub seq: i64,
    pub time_zones: Vec<String>,
    /// When it was written, after its facts were computed.
    #[serde(default)]
    pub written_at: Option<Timestamp>,
    /// The projects whose facts went into it; none for all of them.
    #[serde(default)]
    pub projects: Option<Vec<i64>>,
}
