//! Single incursions as they were at a sequence number, read page by page.

use domain::IncursionDetails;
use domain::insights::IncursionFilter;
use store::{AsOfPageRequest, Scope};
use tokio::time::Instant;

use crate::insights::incursion_pages::{FIRST_WINDOW, PAGE_ROWS, just_before, next_window};
use crate::{App, Error};

impl App {
    /// Calls `take` with each matching incursion in order of time, as it was at a sequence number.
    pub(super) async fn each_incursion(
        &self,
        scope: &Scope,
        filter: &IncursionFilter,
        seq: i64,
        take: &mut (dyn FnMut(&IncursionDetails) + Send),
    ) -> Result<(), Error> {
        let Some((from, to)) = filter.period.and_then(|period| period.from.zip(period.to)) else {
            return Err(Error::internal("the period of a report is not fixed"));
        };
        let (begin, end) = (from.earliest(), to.latest());
        let (mut after, mut window) = (just_before(begin), FIRST_WINDOW);
        while after.0 < end {
            let until = end.min(after.0 + window);
            let began = Instant::now();
            let mut snapshot = self.store.snapshot().await?;
            let page = AsOfPageRequest { filter, seq, after, until, limit: PAGE_ROWS };
            let rows = snapshot.incursions_as_of(scope).page(page, self.clock.now()).await?;
            snapshot.end().await?;
            rows.iter().for_each(&mut *take);
            let found = i64::try_from(rows.len()).unwrap_or(PAGE_ROWS);
            window = next_window(window, began.elapsed(), found);
            match rows.last().filter(|_| found >= PAGE_ROWS) {
                Some(last) => after = (last.stored.row.started_at, last.stored.id),
                None if until == end => return Ok(()),
                None => after = just_before(until),
            }
        }
        Ok(())
    }
}
