//! POST /api/v1/imports/people

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::NewPerson;
use domain::access::WriteRegistry;
use web::{Caller, CsvFile, Params, Result, problem};

use super::{ImportParams, ImportReport, idempotent_import};

/// Import people from a CSV file
///
/// Either all people of the file are added or none.
///
/// The file is UTF-8, separated by commas or semicolons, with a header line of some of the columns `kind`, `name`, `employee_id`, `email`
/// and `company`. It may have at most 5,000 lines and 1 MiB. The errors of all invalid lines are reported together.
#[web::operation(
    post, path = "/api/v1/imports/people", tag = "imports", operation_id = "import_people",
    params(ImportParams),
    request_body(content = String, content_type = "text/csv", example = "kind,name,employee_id,email,company\nstaff,Ada Lovelace,E-1815,ada@example.com,Analytical Engines\nvisitor,Charles Babbage,,,\n"),
    responses(
        (status = 200, description = "With `dry_run`: the file can be imported, and nothing was added", body = ImportReport),
        (status = 201, description = "All people were added", body = ImportReport),
        problem::BadBody,
    ),
)]
pub async fn import_people(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    Params(params): Params<ImportParams>,
    CsvFile { lines, key }: CsvFile<NewPerson>,
) -> Result {
    let once = idempotent_import(key, "/api/v1/people");
    Ok(web::render_stored(app.import(&caller, &lines, params.run(), once).await?))
}
