//! Stays that are not over, across all brands that want theirs closed.

use domain::{BrandId, TimeZone, Timestamp, VisitId};

use crate::engine::row::{FromRow, Row};
use crate::engine::statement::{Statement, sql};
use crate::{Error, Platform, Tx};

/// A stay that may have lasted too long.
#[derive(Clone, Debug)]
pub struct OpenVisit {
    /// Its id.
    pub id: VisitId,
    /// The tenant.
    pub brand: BrandId,
    /// Since when.
    pub checked_in_at: Timestamp,
    /// Until when they meant to stay.
    pub expected_until: Option<Timestamp>,
    /// How long after that the brand closes it.
    pub limit_minutes: i64,
    /// The zone of its worksite, or else of its brand.
    pub time_zone: TimeZone,
}

impl FromRow for OpenVisit {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            id: row.get("id")?,
            brand: row.get("brand_id")?,
            checked_in_at: row.get("checked_in_at")?,
            expected_until: row.get("expected_until")?,
            limit_minutes: row.get("visit_limit_minutes")?,
            time_zone: row.parse("time_zone", TimeZone::parse)?,
        })
    }
}

/// The stays that are not over.
pub struct OpenVisits<'a>(&'a mut Tx);

impl Tx {
    /// The stays that are not over, of all brands that want theirs closed.
    pub fn open_visits(&mut self, _: &Platform) -> OpenVisits<'_> {
        OpenVisits(self)
    }
}

impl OpenVisits<'_> {
    /// Up to `limit` of them after an id, by id.
    pub async fn after(&mut self, id: VisitId, limit: i64) -> Result<Vec<OpenVisit>, Error> {
        let statement =
            select_open().push_with(" and v.id > $? order by v.id limit $?", [id.into(), limit.into()]);
        self.0.all(statement).await
    }

    /// The one of that id, if it is still among them.
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
