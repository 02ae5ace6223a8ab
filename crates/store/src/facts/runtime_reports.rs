//! Runtime as stations reported it.

use domain::row::FromRow;
use domain::{BaseStationId, Span, TagId, Timestamp};

use crate::Error;
use crate::engine::dialect::{BulkStatement, Rows};
use crate::engine::row::{Id, Row};
use crate::engine::statement::sql;
use crate::facts::runtime::{Runtime, RuntimeWindow};

/// A period in which a station reported the ignition as on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedRuntime {
    pub base_station: BaseStationId,
    pub started_at: Timestamp,
    pub ended_at: Timestamp,
    pub operator_tag: Option<TagId>,
}

/// A report that was received once, or several times while it grew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedRuntime {
    /// With the latest end.
    pub report: ReportedRuntime,
    pub first_received_at: Timestamp,
    pub last_received_at: Timestamp,
}

impl FromRow<Row> for ReportedRuntime {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let tag: i64 = row.get("operator_tag_id")?;
        Ok(Self {
            base_station: row.get("base_station_id")?,
            started_at: row.get("started_at")?,
            ended_at: row.get("ended_at")?,
            operator_tag: (tag != 0).then_some(TagId(tag)),
        })
    }
}

const UPSERT_REPORT: BulkStatement = BulkStatement {
    before: "insert into runtime_reports (brand_id, base_station_id, started_at, operator_tag_id, ended_at, received_at,
                 last_received_at)
             select * from ",
    after: "where true on conflict (brand_id, base_station_id, started_at, operator_tag_id)
            do update set ended_at = excluded.ended_at,
                last_received_at = case when runtime_reports.last_received_at > excluded.last_received_at
                    then runtime_reports.last_received_at else excluded.last_received_at end
            where excluded.ended_at > runtime_reports.ended_at
            returning base_station_id, started_at, operator_tag_id, ended_at",
};

const SELECT_REPORTS: BulkStatement = BulkStatement {
    before: "select r.base_station_id, r.started_at, r.operator_tag_id, r.ended_at from ",
    after: "cross join runtime_reports r
            where r.brand_id = v.column1 and r.base_station_id = v.column2
            and r.started_at >= v.column5 and r.started_at < v.column4 and r.ended_at > v.column3",
};

#[macros::boxed]
impl Runtime<'_> {
    /// Stores reports with the latest end of each. No two may share station, start and operator tag. Returns those that are new
    /// or have a later end.
    pub async fn record_reports(&mut self, all: &[ReceivedRuntime]) -> Result<Vec<ReportedRuntime>, Error> {
        let brand = self.1.brand();
        let rows = Rows::default()
            .column(all.iter().map(|_| brand))
            .column(all.iter().map(|one| one.report.base_station))
            .column(all.iter().map(|one| one.report.started_at))
            .column(all.iter().map(|one| one.report.operator_tag.map_or(0, |tag| tag.0)))
            .column(all.iter().map(|one| one.report.ended_at))
            .column(all.iter().map(|one| one.first_received_at))
            .column(all.iter().map(|one| one.last_received_at));
        self.0.query_bulk(UPSERT_REPORT, rows).await
    }

    /// Returns the reports that overlap the windows. Reports that started earlier than `longest` before their window are not
    /// found. The windows of a station must not overlap.
    pub async fn find_reports(
        &mut self,
        windows: &[RuntimeWindow],
        longest: Span,
    ) -> Result<Vec<ReportedRuntime>, Error> {
        let rows = self.windows(windows).column(windows.iter().map(|window| window.from - longest));
        self.0.query_bulk(SELECT_REPORTS, rows).await
    }

    /// Returns the start of the first report of a station that ends after a time.
    pub async fn next_report(
        &mut self,
        station: BaseStationId,
        after: Timestamp,
    ) -> Result<Option<Timestamp>, Error> {
        #[derive(macros::FromRow)]
        struct Next(#[row(column = "started_at")] Timestamp);
        let next: Option<Next> = self
            .0
            .optional(sql!(
                "select started_at from runtime_reports where brand_id = $1 and base_station_id = $2 and ended_at > $3
                 order by started_at limit 1",
                self.1.brand(),
                station,
                after
            ))
            .await?;
        Ok(next.map(|Next(at)| at))
    }

    /// Returns the stations for which runtime with this operator tag was reported after a time.
    pub async fn stations_driven_with(
        &mut self,
        tag: TagId,
        after: Timestamp,
    ) -> Result<Vec<BaseStationId>, Error> {
        let found: Vec<Id<BaseStationId>> = self
            .0
            .all(sql!(
                "select distinct base_station_id as id from runtime_reports
                 where brand_id = $1 and operator_tag_id = $2 and ended_at > $3 order by 1",
                self.1.brand(),
                tag,
                after
            ))
            .await?;
        Ok(found.into_iter().map(|Id(id)| id).collect())
    }

    /// Returns the stations for which runtime was reported after a time.
    pub async fn stations_since(&mut self, after: Timestamp) -> Result<Vec<BaseStationId>, Error> {
        let found: Vec<Id<BaseStationId>> = self
            .0
            .all(sql!(
                "select distinct base_station_id as id from runtime_reports where brand_id = $1 and ended_at > $2 order by 1",
                self.1.brand(),
                after
            ))
            .await?;
        Ok(found.into_iter().map(|Id(id)| id).collect())
    }
}
