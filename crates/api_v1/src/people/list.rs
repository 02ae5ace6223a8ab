//! GET /api/v1/people

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{PeopleFilter, PersonKind};
use web::{Caller, FromParams, List, ListParams, Params, Query, Result, enum_schemas, problem};

use super::{Person, shape};

pub struct PeopleParams {
    filter: PeopleFilter,
    list: ListParams,
}

impl FromParams for PeopleParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let filter = PeopleFilter {
            kind: query.one("kind", PersonKind::parse)?,
            q: query.search("q")?,
            archived: query.flag("archived")?,
        };
        Ok(Self { filter, list: ListParams::read(query)? })
    }
}

pub type PersonList = List<Person>;

/// List people
///
/// People are sorted by name, or by identifier for callers who may not see names.
#[web::operation(
    get, path = "/api/v1/people", tag = "people", operation_id = "list_people",
    params(
        ("kind" = Option<enum_schemas::PersonKind>, Query, description = "Only staff or only visitors", example = "staff"),
        ("q" = Option<String>, Query, description = "Part of the name as you see it; case and accents are ignored"),
        ("archived" = Option<bool>, Query, description = "`true` returns archived rows instead of active ones"),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of people", body = PersonList),
        problem::BadParams,
    ),
)]
pub async fn list_people(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    Params(params): Params<PeopleParams>,
) -> Result {
    let list = &params.list;
    let found = app.list_people(&caller.reader(), &params.filter, &list.page(), list.include_total).await?;
    Ok(web::list_response(list, found, shape))
}
