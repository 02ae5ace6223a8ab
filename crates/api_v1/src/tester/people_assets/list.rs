//! GET /api/v1/tester/people_assets

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::{ListOrder, PeopleFilter, PersonKind};
use web::{FromParams, ListParams, Params, Query, Result, SortOrders, Tester, enum_schemas, problem};

use crate::people::{PersonList, shape};

pub struct PeopleParams {
    filter: PeopleFilter,
    order: ListOrder,
    list: ListParams,
}

impl FromParams for PeopleParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let order = SortOrders::BY_NAME.read(query, &["kind", "q"])?;
        let kinds = query.one("kind", PersonKind::parse)?.into_iter().collect();
        let filter = PeopleFilter { kinds, q: query.search("q")?, ..PeopleFilter::default() };
        Ok(Self { filter, order, list: ListParams::read(query)? })
    }
}

/// List people of the device's brand
///
/// People who are not archived are listed; with `after_version` also archived ones, without their names and other details, so that they
/// can be removed from a copy.
#[web::operation(
    get, path = "/api/v1/tester/people_assets", tag = "tester", operation_id = "list_people_assets",
    params(
        ("kind" = Option<enum_schemas::PersonKind>, Query, description = "Only staff or only visitors", example = "staff"),
        ("q" = Option<String>, Query, description = "Part of a name; case and accents are ignored"),
        ("sort" = Option<enum_schemas::NamedSort>, Query,
            description = "Sort order; a leading minus sorts in descending order. The default is `name`"),
        ("after_version" = Option<i64>, Query, minimum = 0,
            description = "Incremental sync: every row that changed after this version of the registry, in the order of the changes and \
                including archived rows; 0 starts from the beginning. No filter and no `sort` may be given with it. Pass the answer's \
                `page.registry_version` next time."),
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
    let PeopleParams { filter, order, list } = params;
    let found = app.list_people(&tester.reader(), &filter, &list.request(order)).await?;
    Ok(web::registry_list_response(&list, found, shape))
}
