//! Incursions as they come in and change. Reading them for people is in `incursion_pages.rs`.

use domain::{
    BaseStationId, Coordinates, IncursionId, MachineId, PersonId, ProjectId, Review, TagId, Timestamp,
    WorksiteId, Zone,
};

use crate::engine::dialect::{BulkStatement, Rows};
use crate::engine::page::Count;
use crate::engine::row::{FromRow, Row};
use crate::engine::statement::sql;
use crate::{Error, Scope, Tx};

/// Whom and what a fact belongs to, by the links of its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Attribution {
    /// The machine the station was on.
    pub machine: Option<MachineId>,
    /// Who wore the tag.
    pub pedestrian: Option<PersonId>,
    /// Who wore the operator's tag.
    pub operator: Option<PersonId>,
    /// The site.
    pub worksite: Option<WorksiteId>,
    /// The site's project.
    pub project: Option<ProjectId>,
    /// The day on the site's clock, counted from 1970.
    pub local_day: i64,
    /// The minute of the week on the site's clock, from Monday 0:00.
    pub local_minute: i64,
    /// The H3 cell of resolution 13 around the position.
    pub cell: Option<i64>,
}

/// Everything of an incursion but its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncursionRow {
    /// The number of its last change.
    pub seq: i64,
    /// The station that noticed it.
    pub base_station: BaseStationId,
    /// What the station calls it.
    pub uid: String,
    /// The tag that came near.
    pub tag: TagId,
    /// The tag of who drove.
    pub operator_tag: Option<TagId>,
    /// Since when.
    pub started_at: Timestamp,
    /// Until when.
    pub ended_at: Option<Timestamp>,
    /// When it was given up waiting for its end.
    pub closed_at: Option<Timestamp>,
    /// When the button in the cab was pressed.
    pub acknowledged_at: Option<Timestamp>,
    /// The worst zone.
    pub zone: Zone,
    /// The least distance.
    pub closest_cm: Option<i64>,
    /// Where.
    pub position: Option<Coordinates>,
    /// Whose it is.
    pub attribution: Attribution,
    /// What the office made of it.
    pub review: Review,
    /// When it was first heard of.
    pub received_at: Timestamp,
}

/// An incursion as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredIncursion {
    /// Its id.
    pub id: IncursionId,
    /// Everything else.
    pub row: IncursionRow,
}

/// Why an incursion was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeCause {
    /// More was reported of it.
    Report,
    /// A link was corrected.
    Attribution,
    /// The office reviewed it.
    Review,
    /// Its end never came.
    Closing,
}

impl ChangeCause {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Attribution => "attribution",
            Self::Review => "review",
            Self::Closing => "closing",
        }
    }
}

/// All columns of a kept one; `i` is the table.
pub(crate) const STORED_COLUMNS: &str =
    "select i.id, i.seq, i.base_station_id, i.uid, i.tag_id, i.operator_tag_id, i.started_at, i.ended_at,
    i.closed_at, i.acknowledged_at, i.zone, i.closest_cm, i.lat_e7, i.lon_e7, i.machine_id, i.pedestrian_id, i.operator_id,
    i.worksite_id, i.project_id, i.local_day, i.local_minute, i.cell, i.review, i.received_at from ";

impl FromRow for StoredIncursion {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            id: row.get("id")?,
            row: IncursionRow {
                seq: row.get("seq")?,
                base_station: row.get("base_station_id")?,
                uid: row.get("uid")?,
                tag: row.get("tag_id")?,
                operator_tag: row.get("operator_tag_id")?,
                started_at: row.get("started_at")?,
                ended_at: row.get("ended_at")?,
                closed_at: row.get("closed_at")?,
                acknowledged_at: row.get("acknowledged_at")?,
                zone: row.parse_code("zone", Zone::from_code)?,
                closest_cm: row.get("closest_cm")?,
                position: row.position("lat_e7", "lon_e7")?,
                attribution: Attribution {
                    machine: row.get("machine_id")?,
                    pedestrian: row.get("pedestrian_id")?,
                    operator: row.get("operator_id")?,
                    worksite: row.get("worksite_id")?,
                    project: row.get("project_id")?,
                    local_day: row.get("local_day")?,
                    local_minute: row.get("local_minute")?,
                    cell: row.get("cell")?,
                },
                review: row.parse_code("review", Review::from_code)?,
                received_at: row.get("received_at")?,
            },
        })
    }
}

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

/// The incursions of a brand, whatever their project: for intake and jobs.
pub struct Incursions<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    /// The incursions of a brand, for intake and jobs.
    pub fn incursions<'a>(&'a mut self, scope: &'a Scope) -> Incursions<'a> {
        Incursions(self, scope)
    }
}

impl Incursions<'_> {
    /// Adds those whose uid is new, and tells how many were.
    pub async fn add(&mut self, all: &[IncursionRow]) -> Result<u64, Error> {
        let brand = self.1.brand();
        let place = |row: &IncursionRow, part: fn(Coordinates) -> i32| {
            row.position.map(|place| i64::from(part(place)))
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
            .column(all.iter().map(|row| place(row, |place| place.lat_e7)))
            .column(all.iter().map(|row| place(row, |place| place.lon_e7)))
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

    /// Those that stations call so.
    pub async fn by_uids(&mut self, uids: &[(BaseStationId, &str)]) -> Result<Vec<StoredIncursion>, Error> {
        self.by_uids_before(uids, i64::MAX).await
    }

    /// The same, as far as they have not changed since a number was taken.
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

    /// Puts rows in the place of what they were, which goes to the history; `replaced` is the number each had. One that was
    /// changed meanwhile is left alone. Tells how many were replaced.
    pub async fn replace(
        &mut self,
        all: &[(StoredIncursion, i64)],
        cause: ChangeCause,
        now: Timestamp,
    ) -> Result<u64, Error> {
        let brand = self.1.brand();
        let history = Rows::default()
            .column(all.iter().map(|(kept, _)| kept.id))
            .column(all.iter().map(|(_, replaced)| *replaced))
            .column(all.iter().map(|(kept, _)| kept.row.seq))
            .column(all.iter().map(|_| now))
            .column(all.iter().map(|_| cause.as_str()));
        self.0.execute_bulk(INSERT_HISTORY, history).await?;
        let place = |kept: &StoredIncursion, part: fn(Coordinates) -> i32| {
            kept.row.position.map(|place| i64::from(part(place)))
        };
        let rows = Rows::default()
            .column(all.iter().map(|(kept, _)| kept.id))
            .column(all.iter().map(|(_, replaced)| *replaced))
            .column(all.iter().map(|_| brand))
            .column(all.iter().map(|(kept, _)| kept.row.seq))
            .column(all.iter().map(|(kept, _)| kept.row.operator_tag))
            .column(all.iter().map(|(kept, _)| kept.row.ended_at))
            .column(all.iter().map(|(kept, _)| kept.row.closed_at))
            .column(all.iter().map(|(kept, _)| kept.row.acknowledged_at))
            .column(all.iter().map(|(kept, _)| kept.row.zone.code()))
            .column(all.iter().map(|(kept, _)| kept.row.closest_cm))
            .column(all.iter().map(|(kept, _)| place(kept, |place| place.lat_e7)))
            .column(all.iter().map(|(kept, _)| place(kept, |place| place.lon_e7)))
            .column(all.iter().map(|(kept, _)| kept.row.attribution.machine))
            .column(all.iter().map(|(kept, _)| kept.row.attribution.pedestrian))
            .column(all.iter().map(|(kept, _)| kept.row.attribution.operator))
            .column(all.iter().map(|(kept, _)| kept.row.attribution.worksite))
            .column(all.iter().map(|(kept, _)| kept.row.attribution.project))
            .column(all.iter().map(|(kept, _)| kept.row.attribution.local_day))
            .column(all.iter().map(|(kept, _)| kept.row.attribution.local_minute))
            .column(all.iter().map(|(kept, _)| kept.row.attribution.cell))
            .column(all.iter().map(|(kept, _)| kept.row.review.code()));
        self.0.execute_bulk(UPDATE, rows).await
    }

    /// How many there are.
    pub async fn count(&mut self) -> Result<i64, Error> {
        let statement = sql!("select count(*) as count from incursions where brand_id = $1", self.1.brand());
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    /// Whether there is any from a moment on.
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
