//! How often tags came near machines, and machines near tags, of late.

use std::collections::BTreeMap;

use domain::{BaseStationId, Review, TagId, Timestamp};

use crate::engine::row::{FromColumn, FromRow, Row};
use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

/// The incursions of a tag or a station in few words; those that were dismissed or none are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IncursionSummary {
    /// How many there were since the moment that was asked for.
    pub count: i64,
    /// When the last one began, whenever that was.
    pub last_at: Option<Timestamp>,
}

struct SummaryRow<T>(T, IncursionSummary);

impl<T: FromColumn> FromRow for SummaryRow<T> {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let summary = IncursionSummary { count: row.get("count")?, last_at: row.get("last_at")? };
        Ok(Self(row.get("id")?, summary))
    }
}

/// How often tags came near machines, as far as the scope shows it.
pub struct IncursionSummaries<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    /// How often tags came near machines, as far as the scope shows it.
    pub fn incursion_summaries<'a>(&'a mut self, scope: &'a Scope) -> IncursionSummaries<'a> {
        IncursionSummaries(self, scope)
    }
}

impl IncursionSummaries<'_> {
    /// Of these tags, with how many there were from a moment on; each by the index of tags.
    pub async fn of_tags(
        &mut self,
        tags: &[TagId],
        since: Timestamp,
    ) -> Result<BTreeMap<TagId, IncursionSummary>, Error> {
        let statement = sql!("select t.id, (select count(*) from incursions i");
        let statement = self.of_tag(statement).push_with(" and i.started_at >= $?", [since.into()]);
        let statement = statement.push(") as count, (select i.started_at from incursions i");
        let statement = self
            .of_tag(statement)
            .push(" order by i.started_at desc limit 1) as last_at from tags t")
            .push_with(" where t.brand_id = $?", [self.1.brand().into()])
            .and_in("t.id", tags.iter().copied());
        let found: Vec<SummaryRow<TagId>> = self.0.all(statement).await?;
        Ok(found.into_iter().map(|SummaryRow(tag, summary)| (tag, summary)).collect())
    }

    /// Of what these stations noticed, with how many there were from a moment on; each by the index of stations.
    pub async fn of_stations(
        &mut self,
        stations: &[BaseStationId],
        since: Timestamp,
    ) -> Result<BTreeMap<BaseStationId, IncursionSummary>, Error> {
        let statement = sql!("select s.id, (select count(*) from incursions i");
        let statement = self.of_station(statement).push_with(" and i.started_at >= $?", [since.into()]);
        let statement = statement.push(") as count, (select i.started_at from incursions i");
        let statement = self
            .of_station(statement)
            .push(" order by i.started_at desc limit 1) as last_at from base_stations s")
            .push_with(" where s.brand_id = $?", [self.1.brand().into()])
            .and_in("s.id", stations.iter().copied());
        let found: Vec<SummaryRow<BaseStationId>> = self.0.all(statement).await?;
        Ok(found.into_iter().map(|SummaryRow(station, summary)| (station, summary)).collect())
    }

    /// Appends the conditions on the incursions `i` of the station `s`.
    fn of_station(&self, statement: Statement) -> Statement {
        statement
            .push_with(" where i.brand_id = $? and i.base_station_id = s.id", [self.1.brand().into()])
            .and_in_projects(self.1.projects(), "i.project_id")
            .and_in("i.review", Review::COUNTED.map(Review::code))
    }

    /// Appends the conditions on the incursions `i` of the tag `t`.
    fn of_tag(&self, statement: Statement) -> Statement {
        statement
            .push_with(" where i.brand_id = $? and i.tag_id = t.id", [self.1.brand().into()])
            .and_in_projects(self.1.projects(), "i.project_id")
            .and_in("i.review", Review::COUNTED.map(Review::code))
    }
}
