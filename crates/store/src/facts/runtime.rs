//! Runtime: attributed pieces that are derived from the times which stations reported (`runtime_reports`).

use domain::{
    BaseStationId, MachineId, PersonId, ProjectId, RuntimePieceId, Span, TagId, Timestamp, WorksiteId,
};

use crate::engine::dialect::{BulkStatement, Rows};
use crate::engine::row::Id;
use crate::engine::statement::sql;
use crate::{Error, Scope, Tx};

/// A stretch of runtime within one local hour and one set of links. A piece of zero length counts as deleted.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct RuntimePiece {
    #[row(column = "base_station_id")]
    pub base_station: BaseStationId,
    pub started_at: Timestamp,
    pub ended_at: Timestamp,
    #[row(column = "operator_tag_id")]
    pub operator_tag: Option<TagId>,
    /// The machine on which the station was installed.
    #[row(column = "machine_id")]
    pub machine: Option<MachineId>,
    /// The person who wore the operator's tag.
    #[row(column = "operator_id")]
    pub operator: Option<PersonId>,
    #[row(column = "worksite_id")]
    pub worksite: Option<WorksiteId>,
    /// The worksite's project.
    #[row(column = "project_id")]
    pub project: Option<ProjectId>,
    /// The day in the worksite's time zone, in days since 1970.
    pub local_day: i64,
    /// The hour of the day in the worksite's time zone.
    pub local_hour: i64,
}

#[derive(Clone, Debug, macros::FromRow)]
pub struct StoredRuntimePiece {
    pub id: RuntimePieceId,
    /// Sequence number of the last change.
    pub seq: i64,
    #[row(flatten)]
    pub piece: RuntimePiece,
}

/// A period of one station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuntimeWindow {
    pub base_station: BaseStationId,
    pub from: Timestamp,
    /// Exclusive.
    pub to: Timestamp,
}

const PIECES: BulkStatement = BulkStatement {
    before: "select p.id, p.seq, p.base_station_id, p.started_at, p.ended_at, p.operator_tag_id, p.machine_id, p.operator_id,
                 p.worksite_id, p.project_id, p.local_day, p.local_hour
             from ",
    after: "cross join runtime_pieces p
            where p.brand_id = v.column1 and p.base_station_id = v.column2
            and p.started_at >= v.column3 and p.started_at < v.column4",
};

const INSERT_HISTORY: BulkStatement = BulkStatement {
    before: "insert into runtime_history (brand_id, piece_id, seq, replaced_seq, replaced_at, ended_at, operator_tag_id, machine_id,
                 operator_id, worksite_id, project_id, local_day, local_hour)
             select p.brand_id, p.id, p.seq, v.column4, v.column5, p.ended_at, p.operator_tag_id, p.machine_id, p.operator_id,
                 p.worksite_id, p.project_id, p.local_day, p.local_hour
             from ",
    after: "cross join runtime_pieces p
            where p.brand_id = v.column1 and p.base_station_id = v.column2 and p.started_at = v.column3",
};

const UPSERT_PIECES: BulkStatement = BulkStatement {
    before: "insert into runtime_pieces (brand_id, seq, base_station_id, started_at, ended_at, operator_tag_id, machine_id,
                 operator_id, worksite_id, project_id, local_day, local_hour)
             select * from ",
    after: "where true on conflict (brand_id, base_station_id, started_at) do update set seq = excluded.seq,
                ended_at = excluded.ended_at, operator_tag_id = excluded.operator_tag_id, machine_id = excluded.machine_id,
                operator_id = excluded.operator_id, worksite_id = excluded.worksite_id, project_id = excluded.project_id,
                local_day = excluded.local_day, local_hour = excluded.local_hour",
};

/// The runtime of a brand's machines, regardless of project: for ingest and jobs.
pub struct Runtime<'a>(pub(super) &'a mut Tx, pub(super) &'a Scope);

impl Tx {
    pub fn runtime<'a>(&'a mut self, scope: &'a Scope) -> Runtime<'a> {
        Runtime(self, scope)
    }
}

#[macros::boxed]
impl Runtime<'_> {
    /// Returns the pieces that start within the windows, which must not overlap.
    pub async fn pieces_in(&mut self, windows: &[RuntimeWindow]) -> Result<Vec<StoredRuntimePiece>, Error> {
        let rows = self.windows(windows);
        self.0.query_bulk(PIECES, rows).await
    }

    pub(super) fn windows(&self, windows: &[RuntimeWindow]) -> Rows {
        let brand = self.1.brand();
        Rows::default()
            .column(windows.iter().map(|_| brand))
            .column(windows.iter().map(|window| window.base_station))
            .column(windows.iter().map(|window| window.from))
            .column(windows.iter().map(|window| window.to))
    }

    /// Returns whether there is any runtime after a time. Looks an hour further back, the maximum length of a piece.
    pub async fn any_since(&mut self, from: Timestamp) -> Result<bool, Error> {
        let found: Option<Id<i64>> = self
            .0
            .optional(sql!(
                "select id from runtime_pieces where brand_id = $1 and started_at >= $2 limit 1",
                self.1.brand(),
                from - Span::minutes(60)
            ))
            .await?;
        Ok(found.is_some())
    }

    /// Returns the pieces of a station that start within a period, earliest first.
    pub async fn pieces(
        &mut self,
        station: BaseStationId,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<StoredRuntimePiece>, Error> {
        self.0
            .all(sql!(
                "select id, seq, base_station_id, started_at, ended_at, operator_tag_id, machine_id, operator_id, worksite_id,
                     project_id, local_day, local_hour
                 from runtime_pieces
                 where brand_id = $1 and base_station_id = $2 and started_at >= $3 and started_at < $4 order by started_at",
                self.1.brand(),
                station,
                from,
                to
            ))
            .await
    }

    /// Stores pieces and replaces those with the same station and start, which are copied to the history. The first piece gets
    /// the sequence number `first_seq`, the others the following ones.
    pub async fn upsert_pieces(
        &mut self,
        all: &[RuntimePiece],
        first_seq: i64,
        now: Timestamp,
    ) -> Result<(), Error> {
        let brand = self.1.brand();
        let seqs = || (0..all.len()).map(|place| first_seq + i64::try_from(place).unwrap_or(0));
        let history = Rows::default()
            .column(all.iter().map(|_| brand))
            .column(all.iter().map(|piece| piece.base_station))
            .column(all.iter().map(|piece| piece.started_at))
            .column(seqs())
            .column(all.iter().map(|_| now));
        self.0.execute_bulk(INSERT_HISTORY, history).await?;
        let rows = Rows::default()
            .column(all.iter().map(|_| brand))
            .column(seqs())
            .column(all.iter().map(|piece| piece.base_station))
            .column(all.iter().map(|piece| piece.started_at))
            .column(all.iter().map(|piece| piece.ended_at))
            .column(all.iter().map(|piece| piece.operator_tag))
            .column(all.iter().map(|piece| piece.machine))
            .column(all.iter().map(|piece| piece.operator))
            .column(all.iter().map(|piece| piece.worksite))
            .column(all.iter().map(|piece| piece.project))
            .column(all.iter().map(|piece| piece.local_day))
            .column(all.iter().map(|piece| piece.local_hour));
        self.0.execute_bulk(UPSERT_PIECES, rows).await?;
        Ok(())
    }
}
