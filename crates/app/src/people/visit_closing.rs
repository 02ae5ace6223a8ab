//! Automatic closing of visits that last too long.

use domain::{Span, Timestamp, VisitId, visit};
use store::OpenVisit;

use crate::{App, Editor, Error};

/// Number of open visits that are read at a time.
const PAGE_SIZE: i64 = 200;

#[macros::boxed]
impl App {
    /// Ends every visit that is past its limit, as of that limit, in brands that have this enabled. Returns their number. Several
    /// processes may do so concurrently: each visit ends once.
    pub async fn close_overdue_visits(&self) -> Result<u64, Error> {
        let (mut closed, mut after) = (0, VisitId(0));
        loop {
            let open = self.store.read().await?.open_visits(&self.platform).after(after, PAGE_SIZE).await?;
            let Some(last) = open.last() else { return Ok(closed) };
            after = last.id;
            for visit in &open {
                if closing_time(visit) <= self.clock.now() && self.close_visit(visit).await? {
                    closed += 1;
                }
            }
        }
    }

    async fn close_visit(&self, found: &OpenVisit) -> Result<bool, Error> {
        let scope = self.scope_of(found.brand);
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(&scope).await?;
        // Read again under the brand's lock: it may have ended, or its times may have been corrected.
        let Some(open) = tx.open_visits(&self.platform).find(found.id).await? else { return Ok(false) };
        let at = closing_time(&open);
        let Some(visit) = tx.visitor_sessions(&scope).find(open.id).await? else { return Ok(false) };
        if at > self.clock.now() || !self.end_visit(&mut tx, &Editor::by_service(&scope), &visit, at).await? {
            return Ok(false);
        }
        tx.commit().await?;
        Ok(true)
    }
}

fn closing_time(open: &OpenVisit) -> Timestamp {
    let after_expected = Span::minutes(open.limit_minutes);
    visit::auto_close_at(open.checked_in_at, open.expected_until, after_expected, &open.time_zone)
}
