//! POST /api/v1/imports/base_stations

use std::sync::Arc;

use app::{App, BaseStationEntry};
use axum::extract::State;
use domain::access::ManageDevices;
use web::{Caller, CsvFile, Params, Result, problem};

use super::{ImportParams, ImportReport, idempotent_import};

/// Import base stations from a CSV file
///
/// Either all base stations of the file are added or none.
///
/// The file is UTF-8, separated by commas or semicolons, with a header line of some of the columns `serial`, `name` and `cameras`
/// (separated by `|`). It may have at most 5,000 lines and 1 MiB. The errors of all invalid lines are reported together.
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    post, path = "/api/v1/imports/base_stations", tag = "imports", operation_id = "import_base_stations",
    params(ImportParams),
    request_body(content = String, content_type = "text/csv", example = "serial,name,cameras\nBS-0042,Mast of crane 4,front|rear\nBS-0043,,\n"),
    responses(
        (status = 200, description = "With `dry_run`: the file can be imported, and nothing was added", body = ImportReport),
        (status = 201, description = "All base stations were added", body = ImportReport),
        problem::BadBody,
    ),
)]
pub async fn import_base_stations(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    Params(params): Params<ImportParams>,
    CsvFile { lines, key }: CsvFile<BaseStationEntry>,
) -> Result {
    let once = idempotent_import(key, "/api/v1/base_stations");
    Ok(web::render_stored(app.import(&caller, &lines, params.run(), once).await?))
}
