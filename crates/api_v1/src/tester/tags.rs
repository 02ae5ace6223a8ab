//! GET /api/v1/tester/tags/{serial}

use std::sync::Arc;

use app::{App, Error};
use axum::extract::{Path, State};
use domain::Serial;
use web::{NoParams, OperationRouter, Result, Tester, problem, routes};

use crate::tags::{Tag, shape};

pub fn routes() -> OperationRouter {
    OperationRouter::new().routes(routes!(get_tag))
}

/// Get a tag by serial number
///
/// Returns the tag with its wearer, its last test and its battery; 404 if no tag of the brand has this serial number.
#[web::operation(
    get, path = "/api/v1/tester/tags/{serial}", tag = "tester", operation_id = "get_tester_tag",
    params(("serial" = String, Path, description = "Serial number printed on the tag; case is ignored")),
    responses(
        (status = 200, description = "The tag", body = Tag),
        problem::NotFound,
    ),
)]
pub async fn get_tag(
    State(app): State<Arc<App>>,
    Tester(tester): Tester,
    serial: Result<Path<String>, axum::extract::rejection::PathRejection>,
    _: NoParams,
) -> Result {
    // A text that cannot be a serial number names no tag, so the answer is 404.
    let serial = serial
        .ok()
        .and_then(|Path(text)| Serial::parse(&text).ok())
        .ok_or_else(|| Error::not_found("tag"))?;
    Ok(web::json_response(&shape(app.find_tag_by_serial(&tester.reader(), &serial).await?)))
}
