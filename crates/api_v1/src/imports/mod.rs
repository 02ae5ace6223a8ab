//! /api/v1/imports: CSV files of people, machines, tags and base stations. A file is imported as a whole or not at all.

mod base_stations;
mod machines;
mod people;
mod tags;

use app::{Error, Idempotent, ImportMode, ImportSummary};
use domain::{IdempotencyKey, StoredResponse};
use web::{FromParams, IntoParams, OperationRouter, Query, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(people::import_people))
        .routes(routes!(machines::import_machines))
        .routes(routes!(tags::import_tags))
        .routes(routes!(base_stations::import_base_stations))
}

/// The query parameters of an import.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ImportParams {
    /// Whether the file is only checked and nothing is added.
    #[param(default = false, required = false)]
    dry_run: bool,
}

impl FromParams for ImportParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self { dry_run: query.flag("dry_run")? })
    }
}

impl ImportParams {
    fn run(&self) -> ImportMode {
        if self.dry_run { ImportMode::DryRun } else { ImportMode::Commit }
    }
}

/// The result of an import.
#[web::answer]
pub struct ImportReport {
    /// Number of rows that were added, or with `dry_run` would be added.
    #[schema(example = 2)]
    lines: usize,
    /// Whether the file was only checked and nothing was added.
    #[schema(example = false)]
    dry_run: bool,
}

/// Renders the result of an import. The imported rows can be read at `location`.
fn idempotent_import(
    key: Option<IdempotencyKey>,
    location: &'static str,
) -> Idempotent<'static, ImportSummary> {
    Idempotent::new(key, move |imported: &ImportSummary| {
        let report = ImportReport { lines: imported.lines, dry_run: imported.mode == ImportMode::DryRun };
        match imported.mode {
            ImportMode::Commit => web::created_to_store(location.to_owned(), &report),
            ImportMode::DryRun => {
                StoredResponse { status: 200, location: None, version: None, body: web::to_json(&report) }
            }
        }
    })
}
