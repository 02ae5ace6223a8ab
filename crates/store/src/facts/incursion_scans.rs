//! Scans a brand's incursions page by page, for jobs that examine everything that may have changed.

use domain::{BaseStationId, IncursionId, StoredIncursion, TagId, Timestamp};

use crate::engine::statement::sql;
use crate::facts::incursions::STORED_COLUMNS;
use crate::{Error, Scope, Tx};

/// Selects the incursions of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanBy {
    /// Incursions reported by a station.
    Station(BaseStationId),
    /// Incursions in which this was the pedestrian's tag.
    Tag(TagId),
    /// Incursions in which this was the operator's tag.
    OperatorTag(TagId),
    /// All incursions.
    Time,
    /// Incursions that have neither ended nor been closed.
    Open,
}

/// The start and id of the last incursion that was read.
pub type ScanPosition = (Timestamp, IncursionId);

/// Scans over a brand's incursions, regardless of project.
pub struct IncursionScans<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn incursion_scans<'a>(&'a mut self, scope: &'a Scope) -> IncursionScans<'a> {
        IncursionScans(self, scope)
    }
}

#[macros::boxed]
impl IncursionScans<'_> {
    /// Returns the next incursions that started before a time, in order of their start.
    pub async fn next_page(
        &mut self,
        by: ScanBy,
        after: ScanPosition,
        before: Timestamp,
        limit: i64,
    ) -> Result<Vec<StoredIncursion>, Error> {
        let statement = sql!(STORED_COLUMNS).push_with(
            "incursions i where i.brand_id = $? and (i.started_at, i.id) > ($?, $?) and i.started_at < $?",
            [self.1.brand().into(), after.0.into(), after.1.into(), before.into()],
        );
        let statement = match by {
            ScanBy::Station(station) => statement.push_with(" and i.base_station_id = $?", [station.into()]),
            ScanBy::Tag(tag) => statement.push_with(" and i.tag_id = $?", [tag.into()]),
            ScanBy::OperatorTag(tag) => statement.push_with(" and i.operator_tag_id = $?", [tag.into()]),
            ScanBy::Time => statement,
            ScanBy::Open => statement.push(" and i.ended_at is null and i.closed_at is null"),
        };
        let statement = statement.push_with(" order by i.started_at, i.id limit $?", [limit.into()]);
        self.0.all(statement).await
    }
}
