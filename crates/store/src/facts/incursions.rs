//! Writes incursions as they are reported and change, and keeps their history. Reads for users are in `incursion_pages.rs`.

use domain::{BaseStationId, ChangeCause, Coordinates, IncursionRow, StoredIncursion, Timestamp};

use crate::engine::dialect::{BulkStatement, Rows};
use crate::engine::page::Count;
use crate::engine::statement::sql;
use crate::{Error, Scope, Tx};

/// The columns of [`StoredIncursion`]; `i` is the table.
pub(crate) const STORED_COLUMNS: &str =
    "select i.id, i.seq, i.base_station_id, i.uid, i.tag_id, i.operator_tag_id, i.started_at, i.ended_at,
    i.closed_at, i.acknowledged_at, i.zone, i.closest_cm, i.lat_e7, i.lon_e7, i.machine_id, i.pedestrian_id, i.operator_id,
    i.worksite_id, i.project_id, i.local_day, i.local_minute, i.cell, i.review, i.received_at from ";

const ADD: BulkStatement = BulkStatement {
    before: "insert into incursions (brand_id, seq, base_station_id, uid, tag_id, operator_tag_id, started_at, ended_at,
                 closed_at, acknowledged_at, zone, closest_cm, lat_e7, lon_e7, machine_id, pedestrian_id, operator_id, worksite_id,
                 project_id, local_day, local_minute, cell, review, received_at)
             select * from ",
    after: "where true on conflict (brand_id, base_station_id, uid) do nothing",
};

const BY_UID: BulkStatement = BulkStatement {
    before: STORED_COLUMNS,
    after: "cross join incursions i
            where i.brand_id = v.column1 and i.base_station_id = v.column2 and i.uid = v.column3 and i.seq < v.column4",
};

const INSERT_HISTORY: BulkStatement = BulkStatement {
    before: "insert into incursion_history (brand_id, incursion_id, seq, replaced_seq, replaced_at, cause, ended_at, closed_at,
                 acknowledged_at, zone, closest_cm, lat_e7, lon_e7, operator_tag_id, machine_id, pedestrian_id, operator_id,
                 worksite_id, project_id, local_day, local_minute, cell, review)
             select i.brand_id, i.id, i.seq, v.column3, v.column4, v.column5, i.ended_at, i.closed_at, i.acknowledged_at, i.zone,
                 i.closest_cm, i.lat_e7, i.lon_e7, i.operator_tag_id, i.machine_id, i.pedestrian_id, i.operator_id, i.worksite_id,
                 i.project_id, i.local_day, i.local_minute, i.cell, i.review
             from ",
    after: "cross join incursions i where i.id = v.column1 and i.seq = v.column2",
};

const UPDATE: BulkStatement = BulkStatement {
    before: "update incursions set seq = v.column4, operator_tag_id = v.column5, ended_at = v.column6, closed_at = v.column7,
                 acknowledged_at = v.column8, zone = v.column9, closest_cm = v.column10, lat_e7 = v.column11,
                 lon_e7 = v.column12, machine_id = v.column13, pedestrian_id = v.column14, operator_id = v.column15,
                 worksite_id = v.column16, project_id = v.column17, local_day = v.column18, local_minute = v.column19,
                 cell = v.column20, review = v.column21
             from ",
    after: "where incursions.id = v.column1 and incursions.seq = v.column2 and incursions.brand_id = v.column3",
};

/// The incursions of a brand, regardless of project: for ingest and jobs.
pub struct Incursions<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn incursions<'a>(&'a mut self, scope: &'a Scope) -> Incursions<'a> {
        Incursions(self, scope)
    }
}

#[macros::boxed]
impl Incursions<'_> {
    /// Inserts the incursions whose uid is new, and returns how many were.
    pub async fn add(&mut self, all: &[IncursionRow]) -> Result<u64, Error> {
        let brand = self.1.brand();
        let coordinate = |row: &IncursionRow, part: fn(Coordinates) -> i32| {
            row.position.map(|position| i64::from(part(position)))
        };
        let rows = Rows::default()
            .column(all.iter().map(|_| brand))
            .column(all.iter().map(|row| row.seq))
            .column(all.iter().map(|row| row.base_station))
            .column(all.iter().map(|row| row.uid.clone()))
            .column(all.iter().map(|row| row.tag))
            .column(all.iter().map(|row| row.operator_tag))
            .column(all.iter().map(|row| row.started_at))
            .column(all.iter().map(|row| row.ended_at))
            .column(all.iter().map(|row| row.closed_at))
            .column(all.iter().map(|row| row.acknowledged_at))
            .column(all.iter().map(|row| row.zone.code()))
            .column(all.iter().map(|row| row.closest_cm))
            .column(all.iter().map(|row| coordinate(row, |position| position.lat_e7)))
            .column(all.iter().map(|row| coordinate(row, |position| position.lon_e7)))
            .column(all.iter().map(|row| row.attribution.machine))
            .column(all.iter().map(|row| row.attribution.pedestrian))
            .column(all.iter().map(|row| row.attribution.operator))
            .column(all.iter().map(|row| row.attribution.worksite))
            .column(all.iter().map(|row| row.attribution.project))
            .column(all.iter().map(|row| row.attribution.local_day))
            .column(all.iter().map(|row| row.attribution.local_minute))
            .column(all.iter().map(|row| row.attribution.cell))
            .column(all.iter().map(|row| row.review.code()))
            .column(all.iter().map(|row| row.received_at));
        self.0.execute_bulk(ADD, rows).await
    }

    pub async fn by_uids(&mut self, uids: &[(BaseStationId, &str)]) -> Result<Vec<StoredIncursion>, Error> {
        self.by_uids_before(uids, i64::MAX).await
    }

    /// Finds incursions by uid whose sequence number is still below `seq`, which excludes rows changed since it was allocated.
    pub async fn by_uids_before(
        &mut self,
        uids: &[(BaseStationId, &str)],
        seq: i64,
    ) -> Result<Vec<StoredIncursion>, Error> {
        let brand = self.1.brand();
        let rows = Rows::default()
            .column(uids.iter().map(|_| brand))
            .column(uids.iter().map(|(station, _)| *station))
            .column(uids.iter().map(|(_, uid)| *uid))
            .column(uids.iter().map(|_| seq));
        self.0.query_bulk(BY_UID, rows).await
    }

    /// Replaces incursions and copies the previous versions to the history. Each row comes with the sequence number that it
    /// replaces; a row that was changed meanwhile is left alone. Returns how many were replaced.
    pub async fn replace(
        &mut self,
        all: &[(StoredIncursion, i64)],
        cause: ChangeCause,
        now: Timestamp,
    ) -> Result<u64, Error> {
        let brand = self.1.brand();
        let history = Rows::default()
            .column(all.iter().map(|(stored, _)| stored.id))
            .column(all.iter().map(|(_, replaced)| *replaced))
            .column(all.iter().map(|(stored, _)| stored.row.seq))
            .column(all.iter().map(|_| now))
            .column(all.iter().map(|_| cause.as_str()));
        self.0.execute_bulk(INSERT_HISTORY, history).await?;
        let coordinate = |stored: &StoredIncursion, part: fn(Coordinates) -> i32| {
            stored.row.position.map(|position| i64::from(part(position)))
        };
        let rows = Rows::default()
            .column(all.iter().map(|(stored, _)| stored.id))
            .column(all.iter().map(|(_, replaced)| *replaced))
            .column(all.iter().map(|_| brand))
            .column(all.iter().map(|(stored, _)| stored.row.seq))
            .column(all.iter().map(|(stored, _)| stored.row.operator_tag))
            .column(all.iter().map(|(stored, _)| stored.row.ended_at))
            .column(all.iter().map(|(stored, _)| stored.row.closed_at))
            .column(all.iter().map(|(stored, _)| stored.row.acknowledged_at))
            .column(all.iter().map(|(stored, _)| stored.row.zone.code()))
            .column(all.iter().map(|(stored, _)| stored.row.closest_cm))
            .column(all.iter().map(|(stored, _)| coordinate(stored, |position| position.lat_e7)))
            .column(all.iter().map(|(stored, _)| coordinate(stored, |position| position.lon_e7)))
            .column(all.iter().map(|(stored, _)| stored.row.attribution.machine))
            .column(all.iter().map(|(stored, _)| stored.row.attribution.pedestrian))
            .column(all.iter().map(|(stored, _)| stored.row.attribution.operator))
            .column(all.iter().map(|(stored, _)| stored.row.attribution.worksite))
            .column(all.iter().map(|(stored, _)| stored.row.attribution.project))
            .column(all.iter().map(|(stored, _)| stored.row.attribution.local_day))
            .column(all.iter().map(|(stored, _)| stored.row.attribution.local_minute))
            .column(all.iter().map(|(stored, _)| stored.row.attribution.cell))
            .column(all.iter().map(|(stored, _)| stored.row.review.code()));
        self.0.execute_bulk(UPDATE, rows).await
    }

    pub async fn count(&mut self) -> Result<i64, Error> {
        let statement = sql!("select count(*) as count from incursions where brand_id = $1", self.1.brand());
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    /// Returns whether any incursion started at or after a time.
    pub async fn any_since(&mut self, from: Timestamp) -> Result<bool, Error> {
        let Count(count) = self
            .0
            .one(sql!(
                "select count(*) as count from
                     (select 1 from incursions where brand_id = $1 and started_at >= $2 limit 1) as any_incursion",
                self.1.brand(),
                from
            ))
            .await?;
        Ok(count > 0)
    }
}
