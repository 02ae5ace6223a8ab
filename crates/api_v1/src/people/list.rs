//! GET /api/v1/people

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{ListOrder, PeopleFilter, PersonKind, RegistryRows};
use web::{
    Caller, FromParams, ListParams, Params, Query, RegistryList, Result, SortOrders, enum_schemas, problem,
};

use super::{Person, shape};

pub struct PeopleParams {
    filter: PeopleFilter,
    order: ListOrder,
    list: ListParams,
}

impl FromParams for PeopleParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let order = SortOrders::BY_NAME.read(query, &["kind", "q", "archived"])?;
        let filter = PeopleFilter {
            kinds: query.one("kind", PersonKind::parse)?.into_iter().collect(),
            q: query.search("q")?,
            archived: query.flag("archived")?,
            rows: RegistryRows::default(),
        };
        Ok(Self { filter, order, list: ListParams::read(query)? })
    }
}

pub type PersonList = RegistryList<Person>;

/// List people
///
/// For callers who may not see names, the identifier takes the place of the name in sort orders.
#[web::operation(
    get, path = "/api/v1/people", tag = "people", operation_id = "list_people",
    params(
        ("kind" = Option<enum_schemas::PersonKind>, Query, description = "Only staff or only visitors", example = "staff"),
        ("q" = Option<String>, Query, description = "Part of the name as you see it; case and accents are ignored"),
        ("archived" = Option<bool>, Query, description = "`true` returns archived rows instead of active ones"),
        ("sort" = Option<enum_schemas::NamedSort>, Query,
            description = "Sort order; a leading minus sorts in descending order. The default is `name`"),
        ("after_version" = Option<i64>, Query, minimum = 0,
            description = "Incremental sync: every row that changed after this version of the registry, in the order of the changes and \
                including archived rows; 0 starts from the beginning. No filter and no `sort` may be given with it. Pass the answer's \
                `page.registry_version` next time. Start again from 0 when your projects change."),
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
    let PeopleParams { filter, order, list } = params;
    let found = app.list_people(&caller.reader(), &filter, &list.request(order)).await?;
    Ok(web::registry_list_response(&list, found, shape))
}
