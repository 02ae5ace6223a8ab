//! Incursions as they were at a sequence number: single ones, read page by page, or how many each tag had.

use domain::insights::IncursionFilter;
use domain::{IncursionDetails, Span, TagId, Timestamp};
use store::{AsOfCountRequest, AsOfPageRequest, IncursionsOfTag, Scope};
use tokio::time::Instant;

use crate::insights::incursion_pages::{FIRST_WINDOW, PAGE_ROWS, just_before, next_window};
use crate::{App, Error};

/// Up to this many tags are looked up by their ids; for more, all incursions of the time are read.
pub(super) const MAX_TAGS_IN_FILTER: usize = 100;

impl App {
    /// Calls `take` with each matching incursion in order of time, as it was at a sequence number.
    pub(super) async fn each_incursion(
        &self,
        scope: &Scope,
        filter: &IncursionFilter,
        seq: i64,
        take: &mut (dyn FnMut(&IncursionDetails) + Send),
    ) -> Result<(), Error> {
        let (begin, end) = widest_bounds(filter)?;
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

    /// Calls `take` with the numbers of matching incursions of each tag, as they were at a sequence number: once for each part of the
    /// period in which the tag had any, and maybe with other tags, too. The database counts, in parts so that no snapshot is held for
    /// long.
    pub(super) async fn each_tag_with_incursions(
        &self,
        scope: &Scope,
        (filter, tags): (&IncursionFilter, &[TagId]),
        seq: i64,
        test_interval: Span,
        take: &mut (dyn FnMut(IncursionsOfTag) + Send),
    ) -> Result<(), Error> {
        let (mut from, end) = widest_bounds(filter)?;
        if tags.is_empty() {
            return Ok(());
        }
        let mut filter = filter.clone();
        if filter.tags.is_empty() && tags.len() <= MAX_TAGS_IN_FILTER {
            filter.tags = tags.to_vec();
        }
        let mut window = FIRST_WINDOW;
        while from < end {
            let until = end.min(from + window);
            let began = Instant::now();
            let mut snapshot = self.store.snapshot().await?;
            let of = AsOfCountRequest { filter: &filter, seq, started: (from, until), test_interval };
            let found = snapshot.incursions_as_of(scope).count_by_tag(of, self.clock.now()).await?;
            snapshot.end().await?;
            found.into_iter().for_each(&mut *take);
            window = next_window(window, began.elapsed(), 0);
            from = until;
        }
        Ok(())
    }
}

/// Returns the earliest and the latest instant that the period of a filter may stand for at any worksite.
fn widest_bounds(filter: &IncursionFilter) -> Result<(Timestamp, Timestamp), Error> {
    let bounds = filter.period.and_then(|period| period.from.zip(period.to));
    let (from, to) = bounds.ok_or_else(|| Error::internal("the period of a report is not fixed"))?;
    Ok((from.earliest(), to.latest()))
}
