//! GET /api/v1/tester/people_assets

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::{PeopleFilter, PersonKind};
use web::{FromParams, ListParams, Params, Query, Result, Tester, enum_schemas, problem};

use crate::people::{PersonList, shape};

pub struct PeopleParams {
    filter: PeopleFilter,
    list: ListParams,
}

impl FromParams for PeopleParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let kind = query.one("kind", PersonKind::parse)?;
        let q = query.search("q")?;
        Ok(Self { filter: PeopleFilter { kind, q, archived: false }, list: ListParams::read(query)? })
    }
}

/// List people of the device's brand
///
/// People who are not archived are listed, sorted by name.
#[web::operation(
    get, path = "/api/v1/tester/people_assets", tag = "tester", operation_id = "list_people_assets",
    params(
        ("kind" = Option<enum_schemas::PersonKind>, Query, description = "Only staff or only visitors", example = "staff"),
        ("q" = Option<String>, Query, description = "Part of a name; case and accents are ignored"),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of people", body = PersonList),
        problem::BadParams,
    ),
)]
pub async fn list_people_assets(
    State(app): State<Arc<App>>,
    Tester(tester): Tester,
    Params(params): Params<PeopleParams>,
) -> Result {
    let list = &params.list;
    let found = app.list_people(&tester.reader(), &params.filter, &list.page(), list.include_total).await?;
    Ok(web::list_response(list, found, shape))
}
