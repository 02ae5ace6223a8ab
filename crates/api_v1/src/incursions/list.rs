//! GET /api/v1/incursions

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::IncursionFilter;
use domain::{IncursionOrder, Invalid};
use serde::Serialize;
#[cfg(feature = "openapi")]
use web::enum_schemas::always_true;
use web::{
    Caller, FactFilters, FromParams, ListParams, PageInfo, Params, Query, Result, ToSchema, enum_schemas,
    problem,
};

use super::{Incursion, shape};

pub enum IncursionParams {
    /// A page of the incursions that match a filter.
    List(Box<IncursionFilter>, IncursionOrder, ListParams),
    /// The changes after a sequence number.
    Changes(i64, ListParams),
}

impl FromParams for IncursionParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let Some(after) = query.integer("after_seq", 0..=i64::MAX)? else {
            let filter = Box::new(IncursionFilter::read(query)?);
            let order = query.one("sort", IncursionOrder::parse)?.unwrap_or(IncursionOrder::NEWEST_FIRST);
            return Ok(Self::List(filter, order, ListParams::read(query)?));
        };
        let refused = match FactFilters::NAMES.into_iter().chain(["sort"]).find(|name| query.has(name)) {
            None if query.flag("include_total")? => Some("include_total"),
            other => other,
        };
        if let Some(name) = refused {
            let text = "must not be given together with after_seq";
            return Err(Error::bad_parameter(name, Invalid::new("not_with_after_seq", text)));
        }
        Ok(Self::Changes(after, ListParams::read_without_total(query)?))
    }
}

/// A page of incursions or of the change feed.
#[web::answer]
pub struct IncursionList {
    data: Vec<IncursionEntry>,
    page: PageInfo,
    /// With `after_seq`: the sequence number that this page reaches; pass it as the next `after_seq`. Without: the sequence number up to
    /// which the list is complete; the change feed after it contains what changed since.
    #[schema(example = 1207)]
    seq: i64,
    /// Sequence number of the latest change in the brand.
    #[schema(example = 1207)]
    last_seq: i64,
}

/// An incursion, or with `after_seq` also the notice that one is no longer visible to you.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum IncursionEntry {
    /// The incursion in its current form.
    Incursion(Box<Incursion>),
    /// The incursion is no longer visible to you: remove it from your copy.
    Gone(GoneIncursion),
}

/// An incursion that was in a project visible to you and no longer is.
#[web::answer]
pub struct GoneIncursion {
    /// Identifier of the incursion.
    #[schema(example = 31)]
    id: i64,
    /// Sequence number of the change that made it invisible to you.
    #[schema(example = 1207)]
    seq: i64,
    #[schema(schema_with = always_true)]
    gone: bool,
}

/// List incursions
///
/// Lists the incursions visible to you, the newest first. With `after_seq`, lists their changes, the oldest first.
#[web::operation(
    get, path = "/api/v1/incursions", tag = "incursions", operation_id = "list_incursions",
    params(
        FactFilters,
        ("sort" = Option<enum_schemas::IncursionSort>, Query,
            description = "Sort order; a leading minus sorts in descending order. The default is `-started_at`. By `duration_ms` and \
                `ack_ms`, the period has at most 31 days, or at most a million incursions match; otherwise the answer is 400 `too_wide`. \
                Incursions without the value count as the shortest."),
        ("after_seq" = Option<i64>, Query, minimum = 0,
            description = "Change feed: every incursion that changed after this sequence number, in its current form and without any \
                filter; 0 starts from the beginning. No filter and no `include_total=true` may be given with it. Pass the answer's `seq` next time. An \
                incursion that leaves the projects visible to you is listed once as `gone`. Start again from 0 when your projects change."),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of incursions", body = IncursionList),
        problem::BadParams,
    ),
)]
pub async fn list_incursions(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(params): Params<IncursionParams>,
) -> Result {
    let answer = match params {
        IncursionParams::List(filter, order, list) => {
            let found =
                app.list_incursions(&caller, &filter, order, &list.page(), list.include_total).await?;
            let rows = found.page.rows.into_iter();
            IncursionList {
                data: rows.map(|row| IncursionEntry::Incursion(Box::new(shape(row)))).collect(),
                page: PageInfo::new(list.limit, found.page.next.as_ref(), found.total),
                seq: found.seq,
                last_seq: found.seq,
            }
        }
        IncursionParams::Changes(after, list) => {
            let feed = app.list_incursion_changes(&caller, after, &list.page()).await?;
            let entries = feed.entries.into_iter().map(|entry| match entry {
                Ok(view) => IncursionEntry::Incursion(Box::new(shape(view))),
                Err((id, seq)) => IncursionEntry::Gone(GoneIncursion { id: id.0, seq, gone: true }),
            });
            IncursionList {
                data: entries.collect(),
                page: PageInfo::new(list.limit, feed.next.as_ref(), None),
                seq: feed.seq,
                last_seq: feed.last_seq,
            }
        }
    };
    Ok(web::json_response(&answer))
}
