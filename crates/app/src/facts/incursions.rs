//! Reading incursions: lists, the change feed and single incursions with their history.

use domain::access::{ReadInsights, ReadRegistry, ReviewIncursions};
use domain::insights::IncursionFilter;
use domain::{
    Attribution, IncursionChange, IncursionDetails, IncursionId, IncursionOrder, IncursionVersion, Invalid,
    Page, PageRequest, Period, PeriodBound, ReviewedIncursion, Slice, Span, StoredIncursion, StoredReview,
    TagId, Timestamp, VisitId, Window, WindowPosition,
};
use store::{Counters, FeedEntry, IncursionPages, ListedIncursion, Projects, Scope, Tx};

use crate::accounts::names::RedactNames;
use crate::facts::incursion_clips::{IncursionView, with_clips};
use crate::facts::incursion_relations::{IncursionRelations, RelatedRecords};
use crate::facts::related_cache::RegistryState;
use crate::insights::ResolvedPeriod;
use crate::people::visitor_sessions;
use crate::registry::tags;
use crate::{App, Caller, Error, Names, Tester};

/// The longest period whose incursions are sorted by duration or acknowledgement time, however many there are. Those of a longer period
/// are sorted this way if they are not too many.
const MAX_SORTED_DAYS: i64 = 31;

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

/// A part of the list that can be read from either end.
#[derive(Clone, Debug)]
pub struct IncursionSlice<R = IncursionDetails> {
    pub slice: Slice<IncursionView<R>>,
    /// The number of all matching incursions, if it was requested.
    pub total: Option<i64>,
    /// The brand's last sequence number before the slice was read; later changes have higher ones.
    pub seq: i64,
}

/// A part of the list without names, and the records that its incursions refer to.
#[derive(Clone, Debug)]
pub struct IncursionsWithRelated {
    pub found: IncursionSlice<ReviewedIncursion>,
    pub related: RelatedRecords,
}

/// A part of the list as a caller requests it.
#[derive(Clone, Copy)]
struct IncursionRequest<'a> {
    /// The filter as it was sent, to which cursors are bound.
    sent: &'a IncursionFilter,
    /// The same with the start of its period.
    filter: &'a IncursionFilter,
    /// Only the incursions with these ids, if there are any.
    ids: &'a [IncursionId],
    order: IncursionOrder,
    window: &'a Window,
    include_total: bool,
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
    /// Returns a page of the incursions that the caller may see.
    pub async fn list_incursions(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        order: IncursionOrder,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<IncursionList, Error> {
        let position = page.after.clone().map_or(WindowPosition::Start, WindowPosition::After);
        let window = Window { size: page.limit, position };
        let found =
            self.slice_sorted_incursions(caller, (filter, &[]), order, &window, include_total).await?;
        let IncursionSlice { slice, total, seq } = found;
        Ok(IncursionList { page: Page { rows: slice.rows, next: slice.next }, total, seq })
    }

    /// Returns a slice of the incursions that the caller may see, in any order; those with these ids only, if there are any. By duration
    /// or acknowledgement time, all matching rows are read, so that the period or the number of rows is limited.
    pub async fn slice_sorted_incursions(
        &self,
        caller: &Caller<ReadInsights>,
        (sent, ids): (&IncursionFilter, &[IncursionId]),
        order: IncursionOrder,
        window: &Window,
        include_total: bool,
    ) -> Result<IncursionSlice, Error> {
        let (scope, names) = (caller.scope(), caller.names());
        let start = IncursionPages::carried_start(sent, ids, order, &window.position)?;
        if let Some(direction) = order.of_start() {
            let mut tx = self.store.read().await?;
            let (filter, counters) = self.with_period_start_in(&mut tx, scope, sent, start).await?;
            let request = IncursionRequest { sent, filter: &filter, ids, order, window, include_total };
            let mut pages = tx.incursion_pages(scope).with_ids(ids).sent_as(sent);
            let found = pages.slice(&filter, self.clock.now(), direction, window).await?;
            return self.complete_slice(&mut tx, (scope, names), request, (found, counters.last_seq)).await;
        }
        let filter = &self.with_period_start(scope, sent, start).await?;
        let request = IncursionRequest { sent, filter, ids, order, window, include_total };
        // Reading all matching rows holds a connection for long, unless they are those of a few ids.
        let place = match ids {
            [] => Some(self.columns.sql_permit(scope.brand()).await?),
            _ => None,
        };
        let mut snapshot = self.store.snapshot().await?;
        snapshot.attach_guard(place);
        let found = self.slice_by_spans(&mut snapshot, (scope, names), request).await;
        // Also after a refusal: otherwise the connection would be closed.
        snapshot.end().await?;
        found
    }

    /// Returns the same without names, and the records that the incursions refer to. In the order of an index, all of it is read on one
    /// connection, with few statements.
    pub async fn slice_incursions_with_related(
        &self,
        caller: &Caller<ReadInsights>,
        (sent, ids): (&IncursionFilter, &[IncursionId]),
        order: IncursionOrder,
        window: &Window,
        include_total: bool,
        related: Option<(&Caller<ReadRegistry>, IncursionRelations)>,
    ) -> Result<IncursionsWithRelated, Error> {
        let Some(direction) = order.of_start() else {
            let found =
                self.slice_sorted_incursions(caller, (sent, ids), order, window, include_total).await?;
            let found = without_names(found);
            let related = match related {
                Some((reader, relations)) => {
                    self.find_related_records(reader, &links(&found), relations).await?
                }
                None => RelatedRecords::default(),
            };
            return Ok(IncursionsWithRelated { found, related });
        };
        let (scope, names) = (caller.scope(), caller.names());
        let start = IncursionPages::carried_start(sent, ids, order, &window.position)?;
        let timeline = self.store.server_timeline();
        let mut tx = self.store.read().await?;
        let (filter, counters) = self.with_period_start_in(&mut tx, scope, sent, start).await?;
        let request = IncursionRequest { sent, filter: &filter, ids, order, window, include_total };
        let mut pages = tx.incursion_pages(scope).with_ids(ids).sent_as(sent);
        let found = pages.slice_without_names(&filter, self.clock.now(), direction, window).await?;
        let found = self.complete_slice(&mut tx, (scope, names), request, (found, counters.last_seq)).await?;
        let related = match related {
            Some((reader, relations)) => {
                let state = RegistryState { timeline, version: counters.registry_version };
                self.read_related_records(&mut tx, reader, &links(&found), relations, state).await?
            }
            None => RelatedRecords::default(),
        };
        Ok(IncursionsWithRelated { found, related })
    }

    /// Reads a slice in an order that no index has. The transaction must be a snapshot.
    async fn slice_by_spans(
        &self,
        tx: &mut Tx,
        (scope, names): (&Scope, Names),
        request: IncursionRequest<'_>,
    ) -> Result<IncursionSlice, Error> {
        let IncursionRequest { sent, filter, ids, order, window, .. } = request;
        let now = self.clock.now();
        let seq = tx.counters(scope).await?.last_seq;
        self.refuse_too_many_to_sort(tx, scope, (filter, ids), now).await?;
        let pages = tx.incursion_pages(scope).with_ids(ids).sent_as(sent);
        let found = pages.within(self.columns.sql_timeout()).by_spans(filter, now, order, window).await?;
        self.complete_slice(tx, (scope, names), request, (found, seq)).await
    }

    /// Redacts the rows of a slice, adds their clips, and counts all matching incursions if that was requested. The sequence number was
    /// read before the rows.
    async fn complete_slice<R: RedactNames + AsRef<StoredIncursion>>(
        &self,
        tx: &mut Tx,
        (scope, names): (&Scope, Names),
        request: IncursionRequest<'_>,
        (found, seq): (Slice<ListedIncursion<R>>, i64),
    ) -> Result<IncursionSlice<R>, Error> {
        let Slice { rows, previous, next } = found;
        let rows = with_clips(tx, scope, names, rows).await?;
        let total = match request.include_total {
            true => {
                let mut pages = tx.incursion_pages(scope).with_ids(request.ids);
                Some(pages.count(request.filter, self.clock.now()).await?)
            }
            false => None,
        };
        Ok(IncursionSlice { slice: Slice { rows, previous, next }, total, seq })
    }

    /// Refuses to sort the incursions of a long period by an order that no index has, if they are too many. The transaction must be a
    /// snapshot.
    async fn refuse_too_many_to_sort(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        (filter, ids): (&IncursionFilter, &[IncursionId]),
        now: Timestamp,
    ) -> Result<(), Error> {
        if is_short(filter, now) {
            return Ok(());
        }
        let max = i64::from(self.max_sorted_incursions);
        let mut pages = tx.incursion_pages(scope).with_ids(ids).within(self.columns.sql_timeout());
        if pages.count_up_to(filter, now, max + 1).await? > max {
            let text = format!(
                "needs a period of at most {MAX_SORTED_DAYS} days, or filters that at most {max} incursions match"
            );
            return Err(Error::bad_parameter("sort", Invalid::new("too_wide", text)));
        }
        Ok(())
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
                FeedEntry::Changed(listed) => {
                    entries.push(None);
                    changed.push(*listed);
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
        let by = (reader.scope, reader.names);
        let (found, total) = self.page_of_incursions(&mut tx, by, &filter, page, include_total).await?;
        let seen = |view: IncursionView| IncursionView { details: reader.redact(view.details), ..view };
        Ok((Page { rows: found.rows.into_iter().map(seen).collect(), next: found.next }, total))
    }

    /// Returns the filter with the start of its period: that of the list's first page, if a cursor carried it. Rejects a period that is
    /// too long or ends before it starts.
    pub(super) async fn with_period_start(
        &self,
        scope: &Scope,
        sent: &IncursionFilter,
        carried: Option<PeriodBound>,
    ) -> Result<IncursionFilter, Error> {
        let Some(filter) = with_carried_start(sent, carried) else { return Ok(sent.clone()) };
        let bounds = self.resolve_period(scope, &filter, self.clock.now()).await?;
        with_bounds(filter, bounds, carried)
    }

    /// The same in a transaction, and the brand's last sequence number, with one statement.
    async fn with_period_start_in(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        sent: &IncursionFilter,
        carried: Option<PeriodBound>,
    ) -> Result<(IncursionFilter, Counters), Error> {
        let Some(filter) = with_carried_start(sent, carried) else {
            return Ok((sent.clone(), tx.counters(scope).await?));
        };
        let (bounds, counters) = self.resolve_period_in(tx, scope, &filter, self.clock.now()).await?;
        Ok((with_bounds(filter, bounds, carried)?, counters))
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

/// Returns the filter with the start that a cursor carried; none if it has no period.
fn with_carried_start(sent: &IncursionFilter, carried: Option<PeriodBound>) -> Option<IncursionFilter> {
    let period = sent.period?;
    let period = Some(Period { from: carried.or(period.from), ..period });
    Some(IncursionFilter { period, ..sent.clone() })
}

/// Returns the filter with the bounds of its period.
fn with_bounds(
    filter: IncursionFilter,
    bounds: ResolvedPeriod,
    carried: Option<PeriodBound>,
) -> Result<IncursionFilter, Error> {
    let (from, to) = bounds.map_err(|(name, invalid)| match carried {
        None => Error::bad_parameter(name, invalid),
        // No page before this one had such a period.
        Some(_) => store::Error::InvalidCursor.into(),
    })?;
    Ok(IncursionFilter { period: Some(Period { from: Some(from), to }), ..filter })
}

/// Returns a slice without the names of what its incursions refer to.
fn without_names(found: IncursionSlice) -> IncursionSlice<ReviewedIncursion> {
    let IncursionSlice { slice: Slice { rows, previous, next }, total, seq } = found;
    let rows = rows.into_iter().map(IncursionView::without_names).collect();
    IncursionSlice { slice: Slice { rows, previous, next }, total, seq }
}

fn links(found: &IncursionSlice<ReviewedIncursion>) -> Vec<Attribution> {
    found.slice.rows.iter().map(|view| view.details.stored.row.attribution).collect()
}

/// Returns whether the period of a filter, whose start is known, has at most [`MAX_SORTED_DAYS`].
fn is_short(filter: &IncursionFilter, now: Timestamp) -> bool {
    let Some(Period { from: Some(from), to }) = filter.period else { return false };
    let to = to.unwrap_or(PeriodBound::Instant(now)).midnight_or_instant();
    to - from.midnight_or_instant() <= Span::minutes(MAX_SORTED_DAYS * 24 * 60)
}

pub(crate) fn incursion_not_found() -> Error {
    Error::not_found("incursion")
}
