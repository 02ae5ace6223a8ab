//! Incursions with the names of linked records, their reviews and their history.

use domain::row::FromRow;
use domain::{
    Actor, ChangeCause, IncursionChange, IncursionClip, IncursionDetails, IncursionId, IncursionVersion,
    ReviewedIncursion, StoredIncursion, StoredReview,
};

use crate::engine::row::{Row, impl_from_word};
use crate::engine::statement::sql;
use crate::{Error, Scope, Tx};

impl_from_word! { ChangeCause, |word| ChangeCause::parse(word).ok_or(()); }

/// An incursion, with flags that save further queries for the usual case of no changes and no video.
#[derive(Clone, Debug, macros::FromRow)]
pub struct IncursionWithFlags {
    #[row(flatten)]
    pub details: IncursionDetails,
    pub has_changes: bool,
    /// True if video of it was requested.
    pub has_clips: bool,
}

/// An incursion of a list, with a flag that saves a further query for the usual page without video.
#[derive(Clone, Debug, macros::FromRow)]
pub struct ListedIncursion<T> {
    #[row(flatten)]
    pub incursion: T,
    /// True if video of it was requested.
    pub has_clips: bool,
}

/// The columns of [`IncursionDetails`]; `i` is a table or subquery of incursions, and the others are those of [`NAME_JOINS`] and
/// [`REVIEW_JOIN`].
pub(crate) const COLUMNS: [&str; 3] = [ROW_COLUMNS, REVIEW_COLUMNS, NAME_COLUMNS];

/// The columns of [`ReviewedIncursion`], which need no [`NAME_JOINS`].
pub(crate) const COLUMNS_WITHOUT_NAMES: [&str; 2] = [ROW_COLUMNS, REVIEW_COLUMNS];

const ROW_COLUMNS: &str = "i.id, i.seq, i.base_station_id, i.uid, i.tag_id, i.operator_tag_id, i.started_at, i.ended_at, i.closed_at,
    i.acknowledged_at, i.zone, i.closest_cm, i.lat_e7, i.lon_e7, i.machine_id, i.pedestrian_id, i.operator_id, i.worksite_id,
    i.project_id, i.local_day, i.local_minute, i.cell, i.review, i.received_at";

/// A row whose sequence number is in no row of the history has not changed since it was received.
const REVIEW_COLUMNS: &str = "u.kind as user_kind, r.user_id, u.name as user_name, r.review as reviewed_as, r.created_at as reviewed_at,
    r.comment, r.seq as reviewed_seq,
    coalesce((select max(h.replaced_at) from incursion_history h where h.brand_id = i.brand_id and h.replaced_seq = i.seq),
        i.received_at) as updated_at";

const NAME_COLUMNS: &str = "m.name as machine_name, b.serial as station_serial, t.serial as tag_serial, o.serial as operator_tag_serial,
    p.name as pedestrian_name, p.kind as pedestrian_kind, d.name as operator_name, d.kind as operator_kind,
    w.name as worksite_name, j.name as project_name";

/// The additional column of [`ListedIncursion`].
pub(crate) const CLIP_FLAG: &str = "exists (select 1 from video_clips c where c.brand_id = i.brand_id and c.incursion_id = i.id) as has_clips";

/// The additional column of [`IncursionWithFlags`], besides [`CLIP_FLAG`].
const CHANGE_FLAG: &str = "exists (select 1 from incursion_history h where h.brand_id = i.brand_id and h.incursion_id = i.id) as has_changes";

/// Joins the tables that hold the names.
pub(crate) const NAME_JOINS: &str = " left join machines m on m.id = i.machine_id
    join base_stations b on b.id = i.base_station_id join tags t on t.id = i.tag_id
    left join tags o on o.id = i.operator_tag_id left join people p on p.id = i.pedestrian_id
    left join people d on d.id = i.operator_id left join worksites w on w.id = i.worksite_id
    left join projects j on j.id = i.project_id";

/// Joins the last review, if there is one.
pub(crate) const REVIEW_JOIN: &str = "
    left join incursion_reviews r on r.id = (select max(l.id) from incursion_reviews l
        where l.brand_id = i.brand_id and l.incursion_id = i.id)
    left join users u on u.id = r.user_id";

impl FromRow<Row> for ReviewedIncursion {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let stored = StoredIncursion::from_row(row)?;
        let reviewer: Option<Actor> = row.get_columns(["user_kind", "user_id", "user_name"])?;
        let last_review = match reviewer {
            Some(by) => Some(StoredReview {
                review: row.get("reviewed_as")?,
                by,
                at: row.get("reviewed_at")?,
                comment: row.get("comment")?,
                seq: row.get("reviewed_seq")?,
            }),
            None => None,
        };
        Ok(Self { stored, last_review, updated_at: row.get("updated_at")? })
    }
}

impl FromRow<Row> for IncursionDetails {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let ReviewedIncursion { stored, last_review, updated_at } = ReviewedIncursion::from_row(row)?;
        let of = &stored.row;
        let name = |column| -> Result<Option<String>, Error> { row.get(column) };
        Ok(Self {
            machine: of.attribution.machine.zip(name("machine_name")?),
            base_station: (of.base_station, row.get("station_serial")?),
            tag: (of.tag, row.get("tag_serial")?),
            operator_tag: of.operator_tag.zip(name("operator_tag_serial")?),
            pedestrian: row.get_columns(["pedestrian_id", "pedestrian_name", "pedestrian_kind"])?,
            operator: row.get_columns(["operator_id", "operator_name", "operator_kind"])?,
            worksite: of.attribution.worksite.zip(name("worksite_name")?),
            project: of.attribution.project.zip(name("project_name")?),
            last_review,
            updated_at,
            stored,
        })
    }
}

impl FromRow<Row> for IncursionChange {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            seq: row.get("replaced_seq")?,
            at: row.get("replaced_at")?,
            cause: row.get("cause")?,
            replaced: Some(IncursionVersion::from_row(row)?),
        })
    }
}

/// The incursions of a brand that are visible in the scope, for reading one at a time.
pub struct IncursionsInDetail<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn incursions_in_detail<'a>(&'a mut self, scope: &'a Scope) -> IncursionsInDetail<'a> {
        IncursionsInDetail(self, scope)
    }
}

#[macros::boxed]
impl IncursionsInDetail<'_> {
    pub async fn find(&mut self, id: IncursionId) -> Result<Option<IncursionWithFlags>, Error> {
        let [row, review, names] = COLUMNS;
        let statement = self.0.select(&[row, review, names, CHANGE_FLAG, CLIP_FLAG]);
        let statement = statement
            .push(" from incursions i")
            .push(NAME_JOINS)
            .push(REVIEW_JOIN)
            .push_with(" where i.brand_id = $? and i.id = $?", [self.1.brand().into(), id.into()])
            .and_in_projects(self.1.projects(), "i.project_id");
        self.0.optional(statement).await
    }

    /// Returns the changes of an incursion that was found in this scope, oldest first. Earlier versions may be out of scope.
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

    /// Returns the reviews of an incursion, oldest first.
    pub async fn reviews(&mut self, id: IncursionId) -> Result<Vec<StoredReview>, Error> {
        self.0
            .all(sql!(
                "select r.review, r.user_id, u.kind as user_kind, u.name, r.created_at, r.comment, r.seq
                 from incursion_reviews r join users u on u.id = r.user_id
                 where r.brand_id = $1 and r.incursion_id = $2 order by r.id",
                self.1.brand(),
                id
            ))
            .await
    }

    /// Stores a review. The caller updates the incursion itself.
    pub async fn add_review(&mut self, id: IncursionId, review: &StoredReview) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "insert into incursion_reviews (brand_id, incursion_id, seq, review, comment, user_id, created_at)
                 values ($1, $2, $3, $4, $5, $6, $7)",
                self.1.brand(),
                id,
                review.seq,
                review.review.code(),
                review.comment.as_deref(),
                review.by.id,
                review.at
            ))
            .await?;
        Ok(())
    }

    /// Returns the visible video clips of incursions.
    pub async fn clips(
        &mut self,
        ids: impl IntoIterator<Item = IncursionId>,
    ) -> Result<Vec<IncursionClip>, Error> {
        let statement = sql!("select id, incursion_id, camera, state from video_clips where brand_id = $1")
            .bind(self.1.brand())
            .and_in_projects(self.1.projects(), "project_id")
            .and_in_padded("incursion_id", ids)
            .push(" order by id");
        self.0.all(statement).await
    }
}
