//! Incursions that started at certain hours of the clocks of their sites.

use domain::access::ReadInsights;
use domain::insights::{IncursionFilter, LocalHours};
use domain::{Page, PageRequest};
use store::{Scope, Tx};

use crate::facts::incursion_clips::{IncursionView, with_clips};
use crate::{App, Caller, Error, Names};

#[macros::boxed]
impl App {
    /// Returns the newest incursions that the caller may see and that started at certain hours. The cursor says whether there are more,
    /// and leads nowhere.
    pub async fn list_incursions_at_hours(
        &self,
        caller: &Caller<ReadInsights>,
        sent: &IncursionFilter,
        hours: LocalHours,
        limit: u16,
    ) -> Result<Page<IncursionView>, Error> {
        let (scope, names) = (caller.scope(), caller.names());
        let filter = self.with_period_start(scope, sent, None).await?;
        // No index has these hours, so that a connection may be held for long.
        let place = self.columns.sql_permit(scope.brand()).await?;
        let mut snapshot = self.store.snapshot().await?;
        snapshot.attach_guard(place);
        let found = self.page_at_hours(&mut snapshot, (scope, names), &filter, (hours, limit)).await;
        // Also after a failure: otherwise the connection would be closed.
        snapshot.end().await?;
        found
    }

    async fn page_at_hours(
        &self,
        tx: &mut Tx,
        (scope, names): (&Scope, Names),
        filter: &IncursionFilter,
        (hours, limit): (LocalHours, u16),
    ) -> Result<Page<IncursionView>, Error> {
        let mut pages = tx.incursion_pages(scope).at_hours(hours).within(self.columns.sql_timeout());
        let page = PageRequest { limit, after: None };
        let Page { rows, next } = pages.page(filter, self.clock.now(), &page).await?;
        Ok(Page { rows: with_clips(tx, scope, names, rows).await?, next })
    }
}
