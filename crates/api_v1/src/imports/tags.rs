//! POST /api/v1/imports/tags

use std::sync::Arc;

use app::{App, TagEntry};
use axum::extract::State;
use domain::access::WriteRegistry;
use web::{Caller, CsvFile, Params, Result, problem};

use super::{ImportParams, ImportReport, idempotent_import};

/// Import tags from a CSV file
///
/// Either all tags of the file are added or none.
///
/// The file is UTF-8, separated by commas or semicolons, with a header line of the columns `serial` and, optionally, `role`. It may have
/// at most 5,000 lines and 1 MiB. The errors of all invalid lines are reported together.
#[web::operation(
    post, path = "/api/v1/imports/tags", tag = "imports", operation_id = "import_tags",
    params(ImportParams),
    request_body(content = String, content_type = "text/csv", example = "serial,role\nTAG-0042,pedestrian\nTAG-0043,operator\n"),
    responses(
        (status = 200, description = "With `dry_run`: the file can be imported, and nothing was added", body = ImportReport),
        (status = 201, description = "All tags were added", body = ImportReport),
        problem::BadBody,
    ),
)]
pub async fn import_tags(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    Params(params): Params<ImportParams>,
    CsvFile { lines, key }: CsvFile<TagEntry>,
) -> Result {
    let once = idempotent_import(key, "/api/v1/tags");
    Ok(web::render_stored(app.import(&caller, &lines, params.run(), once).await?))
}
