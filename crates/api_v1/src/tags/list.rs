//! GET /api/v1/tags

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{ListOrder, PersonId, RegistryRows, TagFilter, TagFlag, TagRole, TagState};
use web::{
    Caller, FromParams, ListParams, Params, Query, RegistryList, Result, SortOrders, enum_schemas, problem,
};

use super::{Tag, shape};

pub struct TagParams {
    filter: TagFilter,
    order: ListOrder,
    list: ListParams,
}

impl FromParams for TagParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let order = SortOrders::BY_SERIAL.read(query, &["q", "role", "state", "flag", "person_id"])?;
        let filter = TagFilter {
            q: query.search("q")?,
            roles: query.one("role", TagRole::parse)?.into_iter().collect(),
            states: query.one("state", TagState::parse)?.into_iter().collect(),
            flags: query.one("flag", TagFlag::parse)?.into_iter().collect(),
            people: query.id("person_id")?.map(PersonId).into_iter().collect(),
            rows: RegistryRows::default(),
        };
        Ok(Self { filter, order, list: ListParams::read(query)? })
    }
}

pub type TagList = RegistryList<Tag>;

/// List tags of the brand
///
/// Changes by people count as changes for `after_version`, also who wears the tag, and so does a test at a tester device; contacts, battery
/// levels and tests that base stations report do not.
#[web::operation(
    get, path = "/api/v1/tags", tag = "tags", operation_id = "list_tags",
    params(
        ("q" = Option<String>, Query, description = "Part of a serial number; case is ignored"),
        ("role" = Option<enum_schemas::TagRole>, Query, description = "Only tags that are meant for this role", example = "operator"),
        ("state" = Option<enum_schemas::TagState>, Query, description = "Only tags in this state", example = "stock"),
        ("flag" = Option<enum_schemas::TagFlag>, Query, description = "Only tags with this flag", example = "test_due"),
        ("person_id" = Option<i64>, Query, description = "Only tags that this person wears"),
        ("sort" = Option<enum_schemas::SerialSort>, Query,
            description = "Sort order; a leading minus sorts in descending order. The default is `serial`"),
        ("after_version" = Option<i64>, Query, minimum = 0,
            description = "Incremental sync: every row that changed after this version of the registry, in the order of the changes and \
                including archived rows; 0 starts from the beginning. No filter and no `sort` may be given with it. Pass the answer's \
                `page.registry_version` next time. Start again from 0 when your projects change."),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of tags", body = TagList),
        problem::BadParams,
    ),
)]
pub async fn list_tags(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    Params(params): Params<TagParams>,
) -> Result {
    let TagParams { filter, order, list } = params;
    let found = app.list_tags(&caller.reader(), &filter, &list.request(order)).await?;
    Ok(web::registry_list_response(&list, found, shape))
}
