//! How often tags came near machines of late.

use std::collections::BTreeMap;

use domain::{Review, TagId, Timestamp};

use crate::row::{FromRow, Row};
use crate::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

/// The incursions of a tag in few words; those that were dismissed or none are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IncursionSummary {
    /// How many there were since the moment that was asked for.
    pub count: i64,
    /// When the last one began, whenever that was.
    pub last_at: Option<Timestamp>,
}

struct OfTag(TagId, IncursionSummary);

impl FromRow for OfTag {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let summary = IncursionSummary { count: row.get("count")?, last_at: row.get("last_at")? };
        Ok(Self(row.get("id")?, summary))
    }
}

/// How often tags came near, as far as the scope shows it.
pub struct IncursionSummaries<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    /// How often tags came near, as far as the scope shows it.
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
            .among("t.id", tags.iter().copied());
        let found: Vec<OfTag> = self.0.all(statement).await?;
        Ok(found.into_iter().map(|OfTag(tag, summary)| (tag, summary)).collect())
    }

    /// Appends the conditions on the incursions `i` of the tag `t`.
    fn of_tag(&self, statement: Statement) -> Statement {
        statement
            .push_with(" where i.brand_id = $? and i.tag_id = t.id", [self.1.brand().into()])
            .within(self.1.projects(), "i.project_id")
            .among("i.review", Review::COUNTED.map(Review::code))
    }
}
