//! GET /api/v1/tags

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{PersonId, TagFilter, TagFlag, TagRole, TagState};
use web::{Caller, FromParams, List, ListParams, Params, Query, Result, enum_schemas, problem};

use super::{Tag, shape};

pub struct TagParams {
    filter: TagFilter,
    list: ListParams,
}

impl FromParams for TagParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let filter = TagFilter {
            q: query.search("q")?,
            role: query.one("role", TagRole::parse)?,
            state: query.one("state", TagState::parse)?,
            flag: query.one("flag", TagFlag::parse)?,
            person: query.id("person_id")?.map(PersonId),
        };
        Ok(Self { filter, list: ListParams::read(query)? })
    }
}

pub type TagList = List<Tag>;

/// List tags of the brand
///
/// The tags are sorted by serial number.
#[web::operation(
    get, path = "/api/v1/tags", tag = "tags", operation_id = "list_tags",
    params(
        ("q" = Option<String>, Query, description = "Part of a serial number; case is ignored"),
        ("role" = Option<enum_schemas::TagRole>, Query, description = "Only tags that are meant for this role", example = "operator"),
        ("state" = Option<enum_schemas::TagState>, Query, description = "Only tags in this state", example = "stock"),
        ("flag" = Option<enum_schemas::TagFlag>, Query, description = "Only tags with this flag", example = "test_due"),
        ("person_id" = Option<i64>, Query, description = "Only tags that this person wears"),
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
    let list = &params.list;
    let found = app.list_tags(&caller.reader(), &params.filter, &list.page(), list.include_total).await?;
    Ok(web::list_response(list, found, shape))
}
