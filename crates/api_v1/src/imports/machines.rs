//! POST /api/v1/imports/machines

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::NewMachine;
use domain::access::WriteRegistry;
use web::{Caller, CsvFile, Params, Result, problem};

use super::{ImportParams, ImportReport, idempotent_import};

/// Import machines from a CSV file
///
/// Either all machines of the file are added or none.
///
/// The file is UTF-8, separated by commas or semicolons, with a header line of some of the columns `name`, `kind`, `serial_number`,
/// `manufacturer`, `model`, `year` and `number_plate`. It may have at most 5,000 lines and 1 MiB. The errors of all invalid lines are
/// reported together.
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    post, path = "/api/v1/imports/machines", tag = "imports", operation_id = "import_machines",
    params(ImportParams),
    request_body(content = String, content_type = "text/csv", example = "name,kind,serial_number,manufacturer,model,year,number_plate\nExcavator 4,excavator,CAT0320EJ4711,Caterpillar,320,2019,B-KC 320\nCrane 2,crane,,,,,\n"),
    responses(
        (status = 200, description = "With `dry_run`: the file can be imported, and nothing was added", body = ImportReport),
        (status = 201, description = "All machines were added", body = ImportReport),
        problem::BadBody,
    ),
)]
pub async fn import_machines(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    Params(params): Params<ImportParams>,
    CsvFile { lines, key }: CsvFile<NewMachine>,
) -> Result {
    let once = idempotent_import(key, "/api/v1/machines");
    Ok(web::render_stored(app.import(&caller, &lines, params.run(), once).await?))
}
