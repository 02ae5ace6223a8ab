//! Incursions with the names of what they join, what was said about them, and what they were before.

use domain::{
    BaseStationId, ClipId, IncursionId, MachineId, ProjectId, Review, TagId, Timestamp, UserId, WorksiteId,
    Zone,
};

use crate::engine::row::{FromRow, Row};
use crate::engine::statement::sql;
use crate::{Attribution, Error, PersonName, Scope, StoredIncursion, Tx};

/// What someone of the office last said about an incursion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReview {
    /// What it said.
    pub review: Review,
    /// Who.
    pub user: UserId,
    /// What they are called.
    pub user_name: String,
    /// When.
    pub at: Timestamp,
    /// Why, in their words.
    pub comment: Option<String>,
    /// The number of the change it made.
    pub seq: i64,
}

/// An incursion with the names of what it joins.
#[derive(Clone, Debug)]
pub struct IncursionDetails {
    /// The row.
    pub stored: StoredIncursion,
    /// The machine.
    pub machine: Option<(MachineId, String)>,
    /// The station, with its serial.
    pub base_station: (BaseStationId, String),
    /// The tag, with its serial.
    pub tag: (TagId, String),
    /// The tag of who drove, with its serial.
    pub operator_tag: Option<(TagId, String)>,
    /// Who was on foot.
    pub pedestrian: Option<PersonName>,
    /// Who drove.
    pub operator: Option<PersonName>,
    /// The site.
    pub worksite: Option<(WorksiteId, String)>,
    /// The project.
    pub project: Option<(ProjectId, String)>,
    /// What was last said about it.
    pub last_review: Option<StoredReview>,
}

/// One incursion, and whether there is more to read about it: of most there is not.
#[derive(Clone, Debug)]
pub struct IncursionWithFlags {
    /// The incursion.
    pub details: IncursionDetails,
    /// Whether it was changed.
    pub has_changes: bool,
    /// Whether someone asked for video of it.
    pub has_clips: bool,
}

/// A change of an incursion, with what it replaced.
#[derive(Clone, Debug)]
pub struct IncursionChange {
    /// The number of the change.
    pub seq: i64,
    /// When it was made.
    pub at: Timestamp,
    /// Why; one of the words of [`crate::ChangeCause`].
    pub cause: String,
    /// What it was until then; none for those who did not see it then.
    pub replaced: Option<IncursionVersion>,
}

/// What an incursion was for a while, as far as that can change.
#[derive(Clone, Debug)]
pub struct IncursionVersion {
    /// The number of the change that made it so.
    pub seq: i64,
    /// Until when it lasted.
    pub ended_at: Option<Timestamp>,
    /// When it was given up waiting for its end.
    pub closed_at: Option<Timestamp>,
    /// When the button in the cab was pressed.
    pub acknowledged_at: Option<Timestamp>,
    /// The worst zone.
    pub zone: Zone,
    /// The least distance.
    pub closest_cm: Option<i64>,
    /// Whose it was.
    pub attribution: Attribution,
    /// What the office made of it.
    pub review: Review,
}

/// A piece of video of an incursion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncursionClip {
    /// Its id.
    pub id: ClipId,
    /// What it shows.
    pub incursion: IncursionId,
    /// Which camera.
    pub camera: String,
    /// How far it is.
    pub state: String,
}

/// What is read of each; `i` is a table or a query of incursions.
pub(crate) const COLUMNS: &str = "select i.id, i.seq, i.base_station_id, i.uid, i.tag_id, i.operator_tag_id, i.started_at,
    i.ended_at, i.closed_at, i.acknowledged_at, i.zone, i.closest_cm, i.lat_e7, i.lon_e7, i.machine_id, i.pedestrian_id,
    i.operator_id, i.worksite_id, i.project_id, i.local_day, i.local_minute, i.cell, i.review, i.received_at,
    m.name as machine_name, b.serial as station_serial, t.serial as tag_serial, o.serial as operator_tag_serial,
    p.name as pedestrian_name, p.kind as pedestrian_kind, d.name as operator_name, d.kind as operator_kind,
    w.name as worksite_name, j.name as project_name, r.review as reviewed_as, r.user_id, r.created_at as reviewed_at,
    r.comment, r.seq as reviewed_seq, u.name as user_name";

/// What is read besides of one by itself.
const FLAGS: &str = ", exists (select 1 from incursion_history h where h.brand_id = i.brand_id and h.incursion_id = i.id) as has_changes,
    exists (select 1 from video_clips c where c.brand_id = i.brand_id and c.incursion_id = i.id) as has_clips";

/// The tables that name what an incursion joins.
pub(crate) const NAME_JOINS: &str = " i left join machines m on m.id = i.machine_id
    join base_stations b on b.id = i.base_station_id join tags t on t.id = i.tag_id
    left join tags o on o.id = i.operator_tag_id left join people p on p.id = i.pedestrian_id
    left join people d on d.id = i.operator_id left join worksites w on w.id = i.worksite_id
    left join projects j on j.id = i.project_id";

/// What was last said about it.
pub(crate) const REVIEW_JOIN: &str = "
    left join incursion_reviews r on r.id = (select max(l.id) from incursion_reviews l
        where l.brand_id = i.brand_id and l.incursion_id = i.id)
    left join users u on u.id = r.user_id";

impl FromRow for IncursionDetails {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let kept = StoredIncursion::from_row(row)?;
        let of = &kept.row;
        let name = |column| -> Result<Option<String>, Error> { row.get(column) };
        let reviewed: Option<UserId> = row.get("user_id")?;
        Ok(Self {
            machine: of.attribution.machine.zip(name("machine_name")?),
            base_station: (of.base_station, row.get("station_serial")?),
            tag: (of.tag, row.get("tag_serial")?),
            operator_tag: of.operator_tag.zip(name("operator_tag_serial")?),
            pedestrian: row.person("pedestrian_id", "pedestrian_name", "pedestrian_kind")?,
            operator: row.person("operator_id", "operator_name", "operator_kind")?,
            worksite: of.attribution.worksite.zip(name("worksite_name")?),
            project: of.attribution.project.zip(name("project_name")?),
            last_review: match reviewed {
                Some(user) => Some(StoredReview {
                    review: row.parse_code("reviewed_as", Review::from_code)?,
                    user,
                    user_name: row.get("user_name")?,
                    at: row.get("reviewed_at")?,
                    comment: row.get("comment")?,
                    seq: row.get("reviewed_seq")?,
                }),
                None => None,
            },
            stored: kept,
        })
    }
}

impl FromRow for IncursionWithFlags {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            details: IncursionDetails::from_row(row)?,
            has_changes: row.get("has_changes")?,
            has_clips: row.get("has_clips")?,
        })
    }
}

impl FromRow for IncursionChange {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            seq: row.get("replaced_seq")?,
            at: row.get("replaced_at")?,
            cause: row.get("cause")?,
            replaced: Some(IncursionVersion {
                seq: row.get("seq")?,
                ended_at: row.get("ended_at")?,
                closed_at: row.get("closed_at")?,
                acknowledged_at: row.get("acknowledged_at")?,
                zone: row.parse_code("zone", Zone::from_code)?,
                closest_cm: row.get("closest_cm")?,
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
            }),
        })
    }
}

impl FromRow for StoredReview {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            review: row.parse_code("review", Review::from_code)?,
            user: row.get("user_id")?,
            user_name: row.get("name")?,
            at: row.get("created_at")?,
            comment: row.get("comment")?,
            seq: row.get("seq")?,
        })
    }
}

impl FromRow for IncursionClip {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            id: row.get("id")?,
            incursion: row.get("incursion_id")?,
            camera: row.get("camera")?,
            state: row.get("state")?,
        })
    }
}

/// The incursions of a brand that the scope shows, one by one.
pub struct IncursionsInDetail<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    /// The incursions of a brand that the scope shows, one by one.
    pub fn incursions_in_detail<'a>(&'a mut self, scope: &'a Scope) -> IncursionsInDetail<'a> {
        IncursionsInDetail(self, scope)
    }
}

impl IncursionsInDetail<'_> {
    /// The one of that id.
    pub async fn find(&mut self, id: IncursionId) -> Result<Option<IncursionWithFlags>, Error> {
        let statement = sql!(COLUMNS)
            .push(FLAGS)
            .push(" from incursions")
            .push(NAME_JOINS)
            .push(REVIEW_JOIN)
            .push_with(" where i.brand_id = $? and i.id = $?", [self.1.brand().into(), id.into()])
            .and_in_projects(self.1.projects(), "i.project_id");
        self.0.optional(statement).await
    }

    /// What one was before, the oldest first. It was found in this scope; what it was may lie outside.
    pub async fn changes(&mut self, id: IncursionId) -> Result<Vec<IncursionChange>, Error> {
        self.0
            .all(sql!(
                "select seq, replaced_seq, replaced_at, cause, ended_at, closed_at, acknowledged_at, zone, closest_cm,
                     machine_id, pedestrian_id, operator_id, worksite_id, project_id, local_day, local_minute, cell, review
                 from incursion_history where brand_id = $1 and incursion_id = $2 order by seq",
                self.1.brand(),
                id
            ))
            .await
    }

    /// What was said about one, the oldest first.
    pub async fn reviews(&mut self, id: IncursionId) -> Result<Vec<StoredReview>, Error> {
        self.0
            .all(sql!(
                "select r.review, r.user_id, u.name, r.created_at, r.comment, r.seq
                 from incursion_reviews r join users u on u.id = r.user_id
                 where r.brand_id = $1 and r.incursion_id = $2 order by r.id",
                self.1.brand(),
                id
            ))
            .await
    }

    /// Writes down what was said about one; the row itself is changed beside.
    pub async fn add_review(&mut self, id: IncursionId, said: &StoredReview) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "insert into incursion_reviews (brand_id, incursion_id, seq, review, comment, user_id, created_at)
                 values ($1, $2, $3, $4, $5, $6, $7)",
                self.1.brand(),
                id,
                said.seq,
                said.review.code(),
                said.comment.as_deref(),
                said.user,
                said.at
            ))
            .await?;
        Ok(())
    }

    /// The video of some of them that the scope shows.
    pub async fn clips(
        &mut self,
        ids: impl IntoIterator<Item = IncursionId>,
    ) -> Result<Vec<IncursionClip>, Error> {
        let statement = sql!("select id, incursion_id, camera, state from video_clips where brand_id = $1")
            .bind(self.1.brand())
            .and_in_projects(self.1.projects(), "project_id")
            .and_in("incursion_id", ids)
            .push(" order by id");
        self.0.all(statement).await
    }
}
