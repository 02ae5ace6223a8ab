//! GET and HEAD /links/reports/{token}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use http::{HeaderMap, Method};
use web::{NoParams, PathText, Result, problem};

/// Download the report of a link
///
/// The link is in the mail of a report schedule whose file was too large to be attached. It expires after some days and stops working when
/// the report is deleted. A single `Range` gives 206 with that part, so that an interrupted download can be resumed. `HEAD` returns the
/// headers only.
///
/// Fails with 404 `link_expired` or `report_expired` if the link or the report has expired or the report was deleted, with 404
/// `not_found` if there is no such link, and with 409 `not_ready` while the report is being made again after a person in it was erased.
/// A browser gets a page that says so, in the language of `Accept-Language`.
#[web::operation(
    get, path = "/links/reports/{token}", tag = "links", operation_id = "get_linked_report", security(),
    params(
        ("token" = String, Path, description = "Token at the end of the link"),
        ("Range" = Option<String>, Header, description = "Part of the file to return, such as `bytes=0-1023`"),
        ("If-Range" = Option<String>, Header, description = "ETag of the parts you have; the whole file is returned if it has changed"),
        ("If-None-Match" = Option<String>, Header, description = "ETag of the copy you have; the answer is 304 if it is still current"),
        ("Accept-Language" = Option<String>, Header, description = "Languages of the page that a browser gets if there is no file"),
    ),
    responses(
        (status = 200, description = "The file",
            content(
                (inline(web::BinaryContent) = "application/pdf"),
                (inline(web::BinaryContent) = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
                (String = "text/csv; charset=utf-8; header=present"),
                (serde_json::Value = "application/json"),
            ),
            headers(
                ("ETag" = String, description = "SHA-256 of the file"),
                ("Content-Disposition" = String, description = "File name for saving"),
                ("Accept-Ranges" = String, description = "Always `bytes`"),
            )),
        (status = 206, description = "A part of the file",
            content(
                (inline(web::BinaryContent) = "application/pdf"),
                (inline(web::BinaryContent) = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
                (String = "text/csv; charset=utf-8; header=present"),
                (inline(web::BinaryContent) = "application/json"),
            ),
            headers(("Content-Range" = String, description = "Range of the part, and the total number of bytes"))),
        (status = 304, description = "Not modified: your copy is current"),
        web::LinkErrors, problem::PreconditionFailed, problem::RangeNotSatisfiable,
    ),
)]
pub async fn get_linked_report(
    State(app): State<Arc<App>>,
    PathText(token): PathText,
    _: NoParams,
    method: Method,
    headers: HeaderMap,
) -> Result {
    web::or_link_page(serve(&app, &token, &method, &headers).await, &headers)
}

async fn serve(app: &App, token: &str, method: &Method, headers: &HeaderMap) -> Result {
    let file = app.open_linked_report(token).await?;
    web::report_file_response(app, method, headers, file).await
}
