//! POST /api/v1/imports/base_stations

use std::sync::Arc;

use app::{App, BaseStationEntry, Error, Line};
use axum::extract::State;
use domain::access::ManageDevices;
use web::{Caller, Cell, CsvFile, FromLine, Params, Repeatable, Result, problem};

use super::{ImportParams, ImportReport, once};
use crate::base_stations::NewStationFields;

impl FromLine for NewStationFields {
    const COLUMNS: &[(&str, Cell)] = &[("serial", Cell::Text), ("name", Cell::Text), ("cameras", Cell::List)];
}

/// Reads a file of base stations.
pub fn read_base_stations(bytes: &[u8]) -> Result<Vec<Line<BaseStationEntry>>, Error> {
    web::read_csv::<NewStationFields>(bytes).map(entries)
}

/// Adds the base stations of a CSV file: all of them, or none.
///
/// UTF-8, with commas or semicolons, and a head with some of the columns `serial`, `name` and `cameras` (with a `|` between them); at most 5,000 lines
/// and 1 MiB. Every bad line is named.
///
/// 403 `restricted` if you are restricted to projects.
#[utoipa::path(
    post, path = "/api/v1/imports/base_stations", tag = "imports", operation_id = "import_base_stations", security(("session" = [])),
    params(ImportParams, Repeatable),
    request_body(content = String, content_type = "text/csv", example = "serial,name,cameras\nBS-0042,Mast of crane 4,front|rear\nBS-0043,,\n"),
    extensions(("x-permission" = json!("manage_devices"))),
    responses(
        (status = 201, description = "All of them were added", body = ImportReport),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden,
    ),
)]
pub async fn import_base_stations(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    Params(params): Params<ImportParams>,
    CsvFile { lines, key }: CsvFile<NewStationFields>,
) -> Result {
    let once = once(key, "/api/v1/base_stations");
    Ok(web::reply(app.import(&caller, &entries(lines), params.run(), once).await?))
}

fn entries(lines: Vec<Line<NewStationFields>>) -> Vec<Line<BaseStationEntry>> {
    lines
        .into_iter()
        .map(|Line { number, value: NewStationFields(serial, rest) }| Line {
            number,
            value: BaseStationEntry { serial, rest },
        })
        .collect()
}
