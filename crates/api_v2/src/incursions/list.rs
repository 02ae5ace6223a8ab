//! GET /api/v2/incursions

use std::sync::Arc;

use app::{App, Error, IncursionSlice, IncursionView, IncursionsWithRelated, RelatedRecords};
use axum::extract::State;
use domain::access::{ReadInsights, ReadRegistry};
use domain::{IncursionId, IncursionRow, PageRequest, ReviewedIncursion, Slice, WindowPosition};
use web::{Caller, Result, json_api_errors};

use super::Incursion;
use super::documents::{add_included, object, relations};
use super::entries::{IncursionListMeta, gone};
use super::filter::{IncursionListFilter, with_filter_names};
use crate::json_api::{
    self, CollectionParams, DocumentQuery, Included, ListOf, Negotiated, with_cursor_parameter,
};

/// An incursion, or the id and sequence number of one that the caller can no longer see.
type Entry = Result<IncursionView<ReviewedIncursion>, (IncursionId, i64)>;

type IncursionListing = CollectionParams<Incursion>;
type IncursionList = ListOf<Incursion>;

/// List incursions
///
/// Returns the incursions that you can see, the newest first, or with `filter[after_seq]` their changes, the oldest first. With
/// `duration_ms` or `ack_ms` among the sort keys, the period has at most 31 days, or at most a million incursions match; otherwise the
/// answer is 400 `too_wide`.
#[web::operation(
    get, path = "/api/v2/incursions", tag = "incursions", operation_id = "list_incursions",
    params(IncursionListing),
    responses(
        (status = 200, description = "A page of incursions.", body = IncursionList, content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn list_incursions(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: Negotiated,
    query: DocumentQuery<IncursionListing>,
) -> Result {
    let CollectionParams { filter, window, include, total, .. } = &query.params;
    let named = |error: Error| with_filter_names(with_cursor_parameter(error, &window.position));
    let reader = match include.is_given() {
        true => Some(caller.with_permission::<ReadRegistry>()?),
        false => None,
    };
    let wanted = reader.as_ref().map(|reader| (reader, relations(include)));
    let (entries, meta, related) = match filter {
        IncursionListFilter::Matching { filter, ids, order } => {
            let matching = (&**filter, &ids[..]);
            let found =
                app.slice_incursions_with_related(&caller, matching, *order, window, *total, wanted).await;
            let IncursionsWithRelated { found, related } = found.map_err(named)?;
            let IncursionSlice { slice: Slice { rows, previous, next }, total, seq } = found;
            let rows: Vec<Entry> = rows.into_iter().map(Ok).collect();
            let meta = IncursionListMeta { total, seq, last_seq: seq };
            (Slice { rows, previous, next }, meta, related)
        }
        IncursionListFilter::ChangedAfter(after) => {
            let place = match &window.position {
                WindowPosition::After(cursor) => Some(cursor.clone()),
                WindowPosition::Start | WindowPosition::Before(_) => None,
            };
            let page = PageRequest { limit: window.size, after: place };
            let feed = app.list_incursion_changes(&caller, *after, &page).await.map_err(named)?;
            let meta = IncursionListMeta { total: None, seq: feed.seq, last_seq: feed.last_seq };
            let entries = feed.entries.into_iter();
            let rows: Vec<Entry> = entries.map(|entry| entry.map(IncursionView::without_names)).collect();
            let related = match wanted {
                Some((reader, relations)) => {
                    let links: Vec<_> = incursion_rows(&rows).map(|row| row.attribution).collect();
                    app.find_related_records(reader, &links, relations).await?
                }
                None => RelatedRecords::default(),
            };
            (Slice { rows, previous: None, next: feed.next }, meta, related)
        }
    };
    let mut included = Included::default();
    if let Some(reader) = &reader {
        let rows: Vec<&IncursionRow> = incursion_rows(&entries.rows).collect();
        add_included(&app, reader, &rows, include, (related, &mut included)).await?;
    }
    let Slice { rows, previous, next } = entries;
    let rows = rows.into_iter().map(|entry| match entry {
        Ok(view) => object(view),
        Err((id, seq)) => gone(id, seq),
    });
    let page = Slice { rows: rows.collect(), previous, next };
    Ok(json_api::page_response(&query, &page, included, &meta))
}

/// Returns the incursions among the entries of a list.
fn incursion_rows(entries: &[Entry]) -> impl Iterator<Item = &IncursionRow> {
    entries.iter().filter_map(|entry| entry.as_ref().ok()).map(|view| &view.details.stored.row)
}
