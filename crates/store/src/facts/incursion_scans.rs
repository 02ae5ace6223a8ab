//! Walking over a brand's incursions, a page at a time: for jobs that look at all that may have changed.

use domain::{BaseStationId, IncursionId, TagId, Timestamp};

use crate::engine::statement::sql;
use crate::facts::incursions::STORED_COLUMNS;
use crate::{Error, Scope, StoredIncursion, Tx};

/// Which incursions are walked over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanBy {
    /// Those that a station noticed.
    Station(BaseStationId),
    /// Those of whoever wore a tag, on foot.
    Tag(TagId),
    /// Those of whoever wore a tag and drove.
    OperatorTag(TagId),
    /// All.
    Time,
    /// Those without an end that are still waited for.
    Open,
}

/// Where a walk has come to: after this incursion.
pub type ScanPosition = (Timestamp, IncursionId);

/// A walk over a brand's incursions.
pub struct IncursionScans<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    /// Walks over a brand's incursions, whatever their project.
    pub fn incursion_scans<'a>(&'a mut self, scope: &'a Scope) -> IncursionScans<'a> {
        IncursionScans(self, scope)
    }
}

impl IncursionScans<'_> {
    /// The next ones before a moment, in the order of their start.
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
