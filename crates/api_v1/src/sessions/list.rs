//! GET /api/v1/sessions

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::BeSignedIn;
use web::{Caller, FromParams, List, ListParams, Params, Query, Result, problem};

use super::{Session, shape};

pub type SessionList = List<Session>;

pub struct SessionParams(ListParams);

impl FromParams for SessionParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        ListParams::read_without_total(query).map(Self)
    }
}

/// List your open sessions
///
/// The newest sessions come first.
#[web::operation(
    get, path = "/api/v1/sessions", tag = "session", operation_id = "list_sessions",
    params(
        ("limit" = Option<u16>, Query, description = "Maximum number of rows, 1 to 500", minimum = 1, maximum = 500),
        ("cursor" = Option<String>, Query, description = "Value of `next` from the previous page"),
    ),
    responses(
        (status = 200, description = "A page of sessions", body = SessionList),
        problem::BadParams,
    ),
)]
pub async fn list_sessions(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<BeSignedIn>,
    Params(SessionParams(list)): Params<SessionParams>,
) -> Result {
    let page = app.list_own_sessions(&caller, &list.page()).await?;
    Ok(web::list_response(&list, (page, None), |session| shape(session, &caller)))
}
