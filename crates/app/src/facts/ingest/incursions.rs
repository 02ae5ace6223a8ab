//! Ingest of incursions.

use std::collections::HashMap;

use domain::event::IncursionReport;
use domain::{
    BaseStationId, ChangeCause, EventPayload, IncursionRow, Invalid, Review, SortedSet, StoredIncursion,
    TagId,
};
use futures_util::future::join;

use super::attribution_cache::AttributionCache;
use super::batch_context::BatchContext;
use super::events::{EventOutcome, ResolvedEvent};
use super::merge;
use crate::Error;

/// A report with the ids of its tags.
struct ReportWithTags<'a> {
    index: usize,
    tag: TagId,
    operator_tag: Option<TagId>,
    report: &'a IncursionReport,
}

/// Stores incursions.
pub(super) async fn ingest(
    context: &mut BatchContext<'_>,
    events: &[ResolvedEvent<'_>],
) -> Result<(), Error> {
    let mut rows: Vec<IncursionRow> = Vec::new();
    // All reports of each row, so that they can be merged again if the row is stored already.
    let mut reports: Vec<Vec<ReportWithTags<'_>>> = Vec::new();
    let mut by_uid: HashMap<(BaseStationId, &str), usize> = HashMap::new();
    for event in events {
        let EventPayload::Incursion(report) = &event.received.event.payload else { continue };
        let links = &*context.links;
        let Some(tag) = links.tag(&report.tag) else { continue };
        let operator_tag = report.operator_tag.as_ref().and_then(|serial| links.tag(serial));
        let new = ReportWithTags { index: event.index, tag, operator_tag, report };
        let uid = event.received.event.uid.as_str();
        let next = rows.len();
        let place = *by_uid.entry((event.station, uid)).or_insert(next);
        if place == next {
            let seq = context.first_seq + i64::try_from(next).unwrap_or(0);
            rows.push(row(&new, event, uid, seq));
            reports.push(vec![new]);
            continue;
        }
        context.outcomes[event.index] = merge_outcome(&mut rows[place], &new, context);
        reports[place].push(new);
    }
    if rows.is_empty() {
        return Ok(());
    }
    let added = insert_rows(context, &mut rows).await?;
    if added < rows.len() as u64 {
        merge_into_stored(context, &rows, &reports).await?;
    }
    Ok(())
}

/// Rows per insert; the next ones are attributed while the database works on one.
const ROWS_PER_INSERT: usize = 1_280;

/// Attributes and inserts rows, and returns how many were new. The next rows are attributed while the database inserts some.
async fn insert_rows(context: &mut BatchContext<'_>, rows: &mut [IncursionRow]) -> Result<u64, Error> {
    let (now, links) = (context.now, &*context.links);
    let attribute_all = |rows: &mut [IncursionRow]| {
        for row in rows {
            merge::close_overdue(row, now);
            attribute(row, links);
        }
    };
    let mut parts = rows.chunks_mut(ROWS_PER_INSERT);
    let mut next = parts.next();
    if let Some(first) = &mut next {
        attribute_all(first);
    }
    let mut added = 0;
    while let Some(part) = next.take() {
        let meanwhile = async {
            next = parts.next();
            if let Some(part) = &mut next {
                attribute_all(part);
            }
        };
        let (done, ()) = join(context.tx.incursions(context.scope).add(part), meanwhile).await;
        added += done?;
    }
    Ok(added)
}

/// Merges reports into the rows that were stored before.
async fn merge_into_stored(
    context: &mut BatchContext<'_>,
    rows: &[IncursionRow],
    reports: &[Vec<ReportWithTags<'_>>],
) -> Result<(), Error> {
    let uids: Vec<(BaseStationId, &str)> =
        rows.iter().map(|row| (row.base_station, row.uid.as_str())).collect();
    let places: HashMap<(BaseStationId, &str), usize> =
        uids.iter().enumerate().map(|(place, uid)| (*uid, place)).collect();
    let mut changed: Vec<(StoredIncursion, i64)> = Vec::new();
    // Rows that were just inserted have sequence numbers of this commit.
    let before = context.first_seq;
    let all = context.tx.incursions(context.scope).by_uids_before(&uids, before).await?;
    // A new report may leave out the operator that an earlier one named.
    let tags = all.iter().flat_map(|kept| [Some(kept.row.tag), kept.row.operator_tag]).flatten();
    let tags: SortedSet<TagId> = tags.collect();
    context.links.load_missing_tags(context.tx, context.scope, tags).await?;
    for mut kept in all {
        let Some(place) = places.get(&(kept.row.base_station, kept.row.uid.as_str())).copied() else {
            continue;
        };
        let replaced = kept.row.seq;
        let before = kept.row.clone();
        for new in &reports[place] {
            context.outcomes[new.index] = merge_outcome(&mut kept.row, new, context);
        }
        if kept.row == before {
            continue;
        }
        merge::close_overdue(&mut kept.row, context.now);
        attribute(&mut kept.row, context.links);
        kept.row.seq = rows[place].seq;
        changed.push((kept, replaced));
    }
    context.tx.incursions(context.scope).replace(&changed, ChangeCause::Report, context.now).await?;
    Ok(())
}

/// Merges a report into a row and returns its outcome.
fn merge_outcome(
    row: &mut IncursionRow,
    new: &ReportWithTags<'_>,
    context: &BatchContext<'_>,
) -> EventOutcome {
    if !merge::is_same_incursion(row, new.tag, new.report) {
        let text = "uid: belongs to another incursion with a different tag or start";
        return EventOutcome::Rejected(Invalid::new("uid_conflict", text));
    }
    if merge::merge_report(row, new.report, new.operator_tag, context.links) {
        EventOutcome::Accepted
    } else {
        EventOutcome::Duplicate
    }
}

fn row(new: &ReportWithTags<'_>, event: &ResolvedEvent<'_>, uid: &str, seq: i64) -> IncursionRow {
    let report = new.report;
    IncursionRow {
        seq,
        base_station: event.station,
        uid: uid.to_owned(),
        tag: new.tag,
        operator_tag: new.operator_tag,
        started_at: report.started_at,
        ended_at: report.ended_at,
        closed_at: None,
        acknowledged_at: report.acknowledged_at,
        zone: report.zone,
        closest_cm: report.closest_cm,
        position: report.position,
        attribution: domain::Attribution::default(),
        review: Review::Unreviewed,
        received_at: event.received.received_at,
    }
}

fn attribute(row: &mut IncursionRow, links: &AttributionCache) {
    row.attribution =
        links.attribute(row.base_station, row.tag, row.operator_tag, row.position, row.started_at);
}
