//! GET /api/v1/incursions

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::Invalid;
use domain::access::ReadInsights;
use domain::insights::IncursionFilter;
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, FactFilters, FromParams, ListParams, PageInfo, Params, Query, Result, problem};

use super::{Incursion, shape};

/// What is asked for.
pub enum IncursionParams {
    /// A page of those that a filter finds.
    List(Box<IncursionFilter>, ListParams),
    /// What changed after a number.
    Changes(i64, ListParams),
}

impl FromParams for IncursionParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let Some(after) = query.integer("after_seq", 0..=i64::MAX)? else {
            return Ok(Self::List(Box::new(IncursionFilter::read(query)?), ListParams::read(query)?));
        };
        let mut others = FactFilters::NAMES.into_iter().chain(["include_total"]);
        if let Some(name) = others.find(|name| query.has(name)) {
            let text = "does not go with after_seq: the change feed tells of everything you see";
            return Err(Error::bad_parameter(name, Invalid::new("not_with_after_seq", text)));
        }
        Ok(Self::Changes(after, ListParams::read_without_total(query)?))
    }
}

/// A page of incursions, or a piece of the change feed.
#[derive(Serialize, ToSchema)]
pub struct IncursionList {
    data: Vec<IncursionEntry>,
    page: PageInfo,
    /// With `after_seq`: how far this piece reaches; pass it as the next `after_seq`. Without: everything up to this number
    /// was seen by the list, so that the feed after it tells what changed since.
    #[schema(example = 1207)]
    seq: i64,
    /// The number of the brand's last change.
    #[schema(example = 1207)]
    last_seq: i64,
}

/// An incursion, or with `after_seq` one that you no longer see.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum IncursionEntry {
    /// As it is now.
    Incursion(Box<Incursion>),
    /// It left what you see: forget it.
    Gone(GoneIncursion),
}

/// An incursion that was in a project you see, and is no more.
#[derive(Serialize, ToSchema)]
pub struct GoneIncursion {
    /// Its id.
    #[schema(example = 31)]
    id: i64,
    /// The number of the change by which it left.
    #[schema(example = 1207)]
    seq: i64,
    /// Always true.
    #[schema(example = true)]
    gone: bool,
}

/// Lists the incursions that you see, the newest first; with `after_seq`, what changed of them, the oldest change first.
#[utoipa::path(
    get, path = "/api/v1/incursions", tag = "incursions", operation_id = "list_incursions", security(("session" = [])),
    params(
        FactFilters,
        ("after_seq" = Option<i64>, Query, minimum = 0,
            description = "The change feed: every incursion that changed after this number, at its last change, without any \
                filter; 0 begins from the start. Only `limit` and `cursor` go with it. Pass the answer's `seq` next time. What \
                leaves the projects you see comes once as `gone`. Begin anew when the projects you see are changed."),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of incursions", body = IncursionList),
        problem::BadParams, problem::Unauthenticated,
    ),
)]
pub async fn list_incursions(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(params): Params<IncursionParams>,
) -> Result {
    let answer = match params {
        IncursionParams::List(filter, list) => {
            let found = app.list_incursions(&caller, &filter, &list.page(), list.include_total).await?;
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
