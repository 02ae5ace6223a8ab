//! Open visits of all brands that close theirs automatically.

use domain::{BrandId, TimeZone, Timestamp, VisitId};

use crate::engine::statement::{Statement, sql};
use crate::{Error, Platform, Tx};

/// An open visit that may have lasted too long.
#[derive(Clone, Debug, macros::FromRow)]
pub struct OpenVisit {
    pub id: VisitId,
    #[row(column = "brand_id")]
    pub brand: BrandId,
    pub checked_in_at: Timestamp,
    /// Time until which the visitor meant to stay.
    pub expected_until: Option<Timestamp>,
    /// Minutes after the expected end at which the brand closes the visit.
    #[row(column = "visit_limit_minutes")]
    pub limit_minutes: i64,
    /// Time zone of the worksite, or else of the brand.
    pub time_zone: TimeZone,
}

/// The open visits of all brands that close theirs automatically.
pub struct OpenVisits<'a>(&'a mut Tx);

impl Tx {
    pub fn open_visits(&mut self, _: &Platform) -> OpenVisits<'_> {
        OpenVisits(self)
    }
}

#[macros::boxed]
impl OpenVisits<'_> {
    /// Returns up to `limit` open visits after an id, by id.
    pub async fn after(&mut self, id: VisitId, limit: i64) -> Result<Vec<OpenVisit>, Error> {
        let statement =
            select_open().push_with(" and v.id > $? order by v.id limit $?", [id.into(), limit.into()]);
        self.0.all(statement).await
    }

    /// Finds a visit, if it is still open.
    pub async fn find(&mut self, id: VisitId) -> Result<Option<OpenVisit>, Error> {
        self.0.optional(select_open().push_with(" and v.id = $?", [id.into()])).await
    }
}

fn select_open() -> Statement {
    sql!(
        "select v.id, v.brand_id, v.checked_in_at, v.expected_until, b.visit_limit_minutes,
             coalesce(w.time_zone, b.time_zone) as time_zone
         from visitor_sessions v join brands b on b.id = v.brand_id left join worksites w on w.id = v.worksite_id
         where v.checked_out_at is null and b.closes_visits = $1",
        true
    )
}
