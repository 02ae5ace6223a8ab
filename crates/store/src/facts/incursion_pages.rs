//! Pages of incursions, newest first.

use domain::insights::IncursionFilter;
use domain::{IncursionDetails, IncursionId, Page, PageRequest, Timestamp};

use crate::engine::page::{self, Count};
use crate::engine::statement::sql;
use crate::facts::incursion_details::{COLUMNS, NAME_JOINS, REVIEW_JOIN};
use crate::facts::incursion_filter;
use crate::{Error, Scope, Tx};

/// The incursions of a brand that are visible in the scope, in pages.
pub struct IncursionPages<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn incursion_pages<'a>(&'a mut self, scope: &'a Scope) -> IncursionPages<'a> {
        IncursionPages(self, scope)
    }
}

#[macros::boxed]
impl IncursionPages<'_> {
    /// Returns a page, newest first. A period without a beginning is computed from `now`.
    pub async fn page(
        &mut self,
        filter: &IncursionFilter,
        now: Timestamp,
        page: &PageRequest,
    ) -> Result<Page<IncursionDetails>, Error> {
        // The filter as it was requested: a beginning that is left out moves with the clock, and the cursor must stay valid.
        let list = format!("incursions {filter:?}");
        let order = (" and (i.started_at, i.id) < ($?, $?)", " order by i.started_at desc, i.id desc");
        // The page is selected before the names are joined, so that rows which have to be sorted are small.
        let mut statement = sql!(COLUMNS).push(" from (select i.* from (");
        for (number, part) in
            incursion_filter::choose_access_path(filter, self.0, self.1).await?.split().iter().enumerate()
        {
            statement = statement
                .push(if number == 0 { "" } else { " union all " })
                .push("select * from (select i.* from incursions i");
            statement = incursion_filter::conditions(filter, statement, self.1, part, now);
            statement = page::order_by_time_desc(statement, order, &list, page)?.push(") as part");
        }
        let one_more = i64::from(page.limit) + 1;
        let statement = statement
            .push(") as i order by i.started_at desc, i.id desc")
            .push_with(" limit $?)", [one_more.into()])
            .push(NAME_JOINS)
            .push(REVIEW_JOIN)
            .push(" order by i.started_at desc, i.id desc");
        let rows: Vec<IncursionDetails> = self.0.all(statement).await?;
        Ok(page::into_page_by(rows, &list, page, |row| {
            let IncursionId(id) = row.stored.id;
            (row.stored.row.started_at.micros().to_string(), id)
        }))
    }

    /// Counts the incursions that match the filter.
    pub async fn count(&mut self, filter: &IncursionFilter, now: Timestamp) -> Result<i64, Error> {
        let lookup = incursion_filter::choose_access_path(filter, self.0, self.1).await?;
        let statement = sql!("select count(*) as count from incursions i");
        let statement = incursion_filter::conditions(filter, statement, self.1, &lookup, now);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }
}
