//! Reading incursions: lists, the change feed and single incursions with their history.

use domain::access::{ReadInsights, ReviewIncursions};
use domain::insights::IncursionFilter;
use domain::{
    IncursionChange, IncursionClip, IncursionDetails, IncursionId, IncursionVersion, Invalid, Page,
    PageRequest, Period, PeriodBound, StoredReview, TagId, Timestamp, VisitId,
};
use store::{FeedEntry, Projects, Scope, Tx};

use crate::people::visitor_sessions;
use crate::registry::tags;
use crate::{App, Caller, Error, Names, Tester};

/// An incursion as it appears in lists.
#[derive(Clone, Debug)]
pub struct IncursionView {
    /// The row, with the names of what it refers to.
    pub details: IncursionDetails,
    pub clips: Vec<IncursionClip>,
}

/// An incursion with its reviews and changes.
#[derive(Clone, Debug)]
pub struct IncursionRecord {
    pub view: IncursionView,
    /// The oldest comes first.
    pub reviews: Vec<StoredReview>,
    /// Earlier versions, the oldest first.
    pub changes: Vec<IncursionChange>,
}

#[derive(Clone, Debug)]
pub struct IncursionList {
    pub page: Page<IncursionView>,
    /// The number of all matching incursions, if the caller asked for it.
    pub total: Option<i64>,
    /// The brand's last sequence number before the page was read; later changes have higher ones.
    pub seq: i64,
}

/// A page of the change feed.
#[derive(Clone, Debug)]
pub struct IncursionChanges {
    /// The changed incursions as they are now, or the id and sequence number of an incursion that the caller can no longer see.
    pub entries: Vec<Result<IncursionView, (IncursionId, i64)>>,
    /// The sequence number up to which this page is complete.
    pub seq: i64,
    /// The brand's last sequence number when the page was read.
    pub last_seq: i64,
    /// The next page, if there are more changes now.
    pub next: Option<domain::Cursor>,
}

#[macros::boxed]
impl App {
    /// Returns a page of the incursions that the caller may see, the newest first.
    pub async fn list_incursions(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<IncursionList, Error> {
        let now = self.clock.now();
        check_filter_period(filter, now)?;
        let mut tx = self.store.read().await?;
        let seq = tx.counters(caller.scope()).await?.last_seq;
        let (page, total) = self
            .page_of_incursions(&mut tx, (caller.scope(), caller.names()), filter, page, include_total)
            .await?;
        Ok(IncursionList { page, total, seq })
    }

    /// Returns changes of the incursions that the caller may see, after a sequence number.
    pub async fn list_incursion_changes(
        &self,
        caller: &Caller<ReadInsights>,
        after: i64,
        page: &PageRequest,
    ) -> Result<IncursionChanges, Error> {
        let (scope, names) = (caller.scope(), caller.names());
        let mut tx = self.store.read().await?;
        let feed = tx.incursion_feed(scope).after(after, page).await?;
        // A caller who is ahead of the brand followed another copy of it, and would silently miss the next changes.
        if after > feed.last_seq {
            let text = format!("is ahead of the last change, {}; start again with 0", feed.last_seq);
            return Err(Error::bad_parameter("after_seq", Invalid::new("out_of_range", text)));
        }
        let (mut changed, mut entries) = (Vec::new(), Vec::new());
        for entry in feed.entries {
            match entry {
                FeedEntry::Changed(details) => {
                    entries.push(None);
                    changed.push(*details);
                }
                FeedEntry::Gone { id, seq } => entries.push(Some((id, seq))),
            }
        }
        let mut changed = with_clips(&mut tx, scope, names, changed).await?.into_iter();
        let entries = entries.into_iter().filter_map(|gone| match gone {
            Some(gone) => Some(Err(gone)),
            None => changed.next().map(Ok),
        });
        Ok(IncursionChanges {
            entries: entries.collect(),
            seq: feed.seq,
            last_seq: feed.last_seq,
            next: feed.next,
        })
    }

    /// Returns an incursion that the caller may see, with its reviews and changes.
    pub async fn find_incursion(
        &self,
        caller: &Caller<ReadInsights>,
        id: IncursionId,
    ) -> Result<IncursionRecord, Error> {
        self.incursion_record((caller.scope(), caller.names()), id).await
    }

    /// Returns the same to a caller who may review it.
    pub async fn find_incursion_to_review(
        &self,
        caller: &Caller<ReviewIncursions>,
        id: IncursionId,
    ) -> Result<IncursionRecord, Error> {
        self.incursion_record((caller.scope(), caller.names()), id).await
    }

    async fn incursion_record(
        &self,
        (scope, names): (&Scope, Names),
        id: IncursionId,
    ) -> Result<IncursionRecord, Error> {
        let mut tx = self.store.read().await?;
        let found = tx.incursions_in_detail(scope).find(id).await?.ok_or_else(incursion_not_found)?;
        let details = found.details;
        let reviews = match details.last_review {
            Some(_) => tx.incursions_in_detail(scope).reviews(id).await?,
            None => Vec::new(),
        };
        let mut changes = match found.has_changes {
            true => tx.incursions_in_detail(scope).changes(id).await?,
            false => Vec::new(),
        };
        let clips = match found.has_clips {
            true => tx.incursions_in_detail(scope).clips([id]).await?,
            false => Vec::new(),
        };
        if let Projects::Only(projects) = scope.projects() {
            let is_seen = |was: &IncursionVersion| {
                was.attribution.project.is_some_and(|project| projects.contains(&project))
            };
            for change in &mut changes {
                change.replaced = change.replaced.take().filter(is_seen);
            }
        }
        Ok(IncursionRecord {
            view: IncursionView { details: names.redact_record(details), clips },
            reviews: reviews.into_iter().map(|said| names.redact_record(said)).collect(),
            changes,
        })
    }

    /// Returns a page of all incursions of a tag worn on foot, the newest first.
    pub async fn list_incursions_of_tag(
        &self,
        caller: &Caller<ReadInsights>,
        id: TagId,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<IncursionView>, Option<i64>), Error> {
        let mut tx = self.store.read().await?;
        tx.tags(caller.scope()).find(id).await?.ok_or_else(tags::tag_not_found)?;
        let filter = IncursionFilter { tags: vec![id], ..Default::default() };
        let by = (caller.scope(), caller.names());
        self.page_of_incursions(&mut tx, by, &filter, page, include_total).await
    }

    /// Returns a page of the incursions of a visitor's tag during the visit, the newest first.
    pub async fn list_incursions_of_visit(
        &self,
        tester: &Tester,
        id: VisitId,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<IncursionView>, Option<i64>), Error> {
        let reader = tester.reader();
        let mut tx = self.store.read().await?;
        let visit = tx.visitor_sessions(reader.scope).find(id).await?;
        let visit = visit.ok_or_else(visitor_sessions::visit_not_found)?;
        // A tag that was returned early may be worn by someone else before the visitor leaves.
        let assignment = tx.tag_assignments(reader.scope).find(visit.assignment).await?;
        let taken_back = assignment.and_then(|assignment| assignment.ended_at);
        let until = [visit.checked_out_at, taken_back].into_iter().flatten().min();
        let period = Period {
            from: Some(PeriodBound::Instant(visit.checked_in_at)),
            to: until.map(PeriodBound::Instant),
        };
        let filter = IncursionFilter { period: Some(period), tags: vec![visit.tag], ..Default::default() };
        self.page_of_incursions(&mut tx, (reader.scope, reader.names), &filter, page, include_total).await
    }

    async fn page_of_incursions(
        &self,
        tx: &mut Tx,
        (scope, names): (&Scope, Names),
        filter: &IncursionFilter,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<IncursionView>, Option<i64>), Error> {
        let now = self.clock.now();
        let Page { rows, next } = tx.incursion_pages(scope).page(filter, now, page).await?;
        let rows = with_clips(tx, scope, names, rows).await?;
        let total = match include_total {
            true => Some(tx.incursion_pages(scope).count(filter, now).await?),
            false => None,
        };
        Ok((Page { rows, next }, total))
    }
}

pub(crate) fn incursion_not_found() -> Error {
    Error::not_found("incursion")
}

/// Rejects a period that is too long or ends before it starts.
pub(crate) fn check_filter_period(filter: &IncursionFilter, now: Timestamp) -> Result<(), Error> {
    match filter.period.map(|period| period.bounds(now)) {
        Some(Err((name, invalid))) => Err(Error::bad_parameter(name, invalid)),
        _ => Ok(()),
    }
}

/// Redacts rows as the reader requires and adds their clips, with one query for all rows.
async fn with_clips(
    tx: &mut Tx,
    scope: &Scope,
    names: Names,
    rows: Vec<IncursionDetails>,
) -> Result<Vec<IncursionView>, Error> {
    let clips = match rows.is_empty() {
        true => Vec::new(),
        false => tx.incursions_in_detail(scope).clips(rows.iter().map(|row| row.stored.id)).await?,
    };
    let views = rows.into_iter().map(|details| {
        let of = |clip: &&IncursionClip| clip.incursion == details.stored.id;
        let clips = clips.iter().filter(of).cloned().collect();
        IncursionView { details: names.redact_record(details), clips }
    });
    Ok(views.collect())
}
