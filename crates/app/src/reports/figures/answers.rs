//! Answers as they are stored with a report.

use domain::insights::{Figure, Group, Measure};
use domain::{PeriodBound, TimeZone, Timestamp};
use serde::{Deserialize, Serialize};

use crate::insights::QueryResult;

/// The answer to one question, with several groupings of the same facts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredAnswer {
    /// Such as `main`, `pattern`, `previous`.
    pub name: String,
    pub from: String,
    pub to: String,
    pub now: Timestamp,
    pub time_zones: Vec<String>,
    pub seq: i64,
    /// The last change that it may include, if that is a later one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest_seq: Option<i64>,
    pub measures: Vec<String>,
    pub groupings: Vec<StoredGrouping>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredGrouping {
    pub name: String,
    /// The words of its dimensions.
    #[serde(default)]
    pub by: Vec<String>,
    pub groups: Vec<StoredGroup>,
    /// Number of groups beyond the limit.
    #[serde(default)]
    pub more: u64,
}

/// A figure as it is stored: numerator, denominator, incursions.
pub(crate) type StoredFigure = (Option<i64>, Option<i64>, i64);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredGroup {
    /// The keys.
    pub k: Vec<Option<i64>>,
    /// One figure for each measure of the answer.
    pub f: Vec<StoredFigure>,
}

/// A group with its figures by measure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupView<'a> {
    pub keys: &'a [Option<i64>],
    pub(super) answer: &'a StoredAnswer,
    pub(super) group: &'a StoredGroup,
}

impl GroupView<'_> {
    /// Returns a figure; the default one if the answer does not have the measure.
    pub fn figure(&self, measure: Measure) -> Figure {
        let place = self.answer.measures.iter().position(|word| word == measure.as_str());
        place.and_then(|place| self.group.f.get(place)).copied().map(read_figure).unwrap_or_default()
    }

    pub fn key(&self, place: usize) -> Option<i64> {
        self.keys.get(place).copied().flatten()
    }

    pub fn incursions(&self) -> i64 {
        self.group.f.first().map_or(0, |(_, _, incursions)| *incursions)
    }
}

pub(crate) fn store_figure(figure: Figure) -> StoredFigure {
    (figure.numerator, figure.denominator, figure.incursions)
}

pub(crate) fn read_figure((numerator, denominator, incursions): StoredFigure) -> Figure {
    Figure { numerator, denominator, incursions }
}

pub(super) fn store_group(group: Group) -> StoredGroup {
    StoredGroup { k: group.keys, f: group.figures.into_iter().map(store_figure).collect() }
}

impl StoredAnswer {
    /// Returns the provenance of the answer, without its groups.
    pub fn result(&self) -> QueryResult {
        let bound =
            |text: &str| PeriodBound::parse(text).unwrap_or(PeriodBound::Instant(Timestamp::from_micros(0)));
        QueryResult {
            groupings: Vec::new(),
            from: bound(&self.from),
            to: bound(&self.to),
            now: self.now,
            time_zones: self.time_zones.iter().filter_map(|zone| TimeZone::parse(zone).ok()).collect(),
            seq: self.seq,
            latest_seq: self.latest_seq.unwrap_or(self.seq),
        }
    }

    /// Returns the last change that the answer includes, and a later one that it may include.
    pub fn seqs(&self) -> impl Iterator<Item = i64> + use<> {
        [Some(self.seq), self.latest_seq].into_iter().flatten()
    }
}
