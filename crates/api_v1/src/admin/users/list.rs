//! GET /api/v1/admin/users

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ManageUsers;
use domain::{Invalid, Role, UserFilter, UserState};
use web::{Caller, FromParams, List, ListParams, Params, Query, Result, enum_schemas, problem};

use super::{User, shape};

pub struct UserParams {
    filter: UserFilter,
    list: ListParams,
}

impl FromParams for UserParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let state = |text: &str| {
            let text = UserState::parse(text);
            text.ok_or_else(|| Invalid::new("invalid_state", "must be one of invited, active, deactivated"))
        };
        let filter = UserFilter {
            role: query.one("role", Role::parse)?,
            state: query.one("state", state)?,
            q: query.search("q")?,
        };
        Ok(Self { filter, list: ListParams::read(query)? })
    }
}

pub type UserList = List<User>;

/// List users of the brand
///
/// The users are sorted by name.
///
/// If your access is restricted to projects, only users whose access is within these projects are listed.
#[web::operation(
    get, path = "/api/v1/admin/users", tag = "admin", operation_id = "list_users",
    params(
        ("role" = Option<enum_schemas::Role>, Query, description = "Only users with this role"),
        ("state" = Option<enum_schemas::UserState>, Query, description = "Only users in this state"),
        ("q" = Option<String>, Query, description = "Part of a name or email; case and accents are ignored"),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of users", body = UserList),
        problem::BadParams,
    ),
)]
pub async fn list_users(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageUsers>,
    Params(UserParams { filter, list }): Params<UserParams>,
) -> Result {
    let found = app.list_users(&caller, &filter, &list.page(), list.include_total).await?;
    Ok(web::list_response(&list, found, shape))
}
