//! The recent number of incursions per tag and per station, and the time of the last one.

use std::collections::BTreeMap;

use domain::{BaseStationId, IncursionSummary, Review, TagId, Timestamp};

use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

#[derive(macros::FromRow)]
struct SummaryRow<T>(#[row(column = "id")] T, #[row(flatten)] IncursionSummary);

/// Summaries of the incursions that are visible in the scope.
pub struct IncursionSummaries<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn incursion_summaries<'a>(&'a mut self, scope: &'a Scope) -> IncursionSummaries<'a> {
        IncursionSummaries(self, scope)
    }
}

#[macros::boxed]
impl IncursionSummaries<'_> {
    /// Summarises the incursions of tags; `count` covers those since `since`. Uses the index on tags.
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

    /// Summarises the incursions reported by stations; `count` covers those since `since`. Uses the index on stations.
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

    fn of_station(&self, statement: Statement) -> Statement {
        statement
            .push_with(" where i.brand_id = $? and i.base_station_id = s.id", [self.1.brand().into()])
            .and_in_projects(self.1.projects(), "i.project_id")
            .and_in("i.review", Review::COUNTED.map(Review::code))
    }

    fn of_tag(&self, statement: Statement) -> Statement {
        statement
            .push_with(" where i.brand_id = $? and i.tag_id = t.id", [self.1.brand().into()])
            .and_in_projects(self.1.projects(), "i.project_id")
            .and_in("i.review", Review::COUNTED.map(Review::code))
    }
}
