//! /api/v1/imports: files of people, machines, tags and base stations. All of a file is added, or nothing.

mod base_stations;
mod machines;
mod people;
mod tags;

use app::{Error, Imported, Once, Run};
use serde::Serialize;
use store::{Answer, IdempotencyKey};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{EdgeState, FromParams, Query};

pub use base_stations::read_base_stations;
pub use machines::read_machines;
pub use people::read_people;
pub use tags::read_tags;

pub(crate) fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(people::import_people))
        .routes(routes!(machines::import_machines))
        .routes(routes!(tags::import_tags))
        .routes(routes!(base_stations::import_base_stations))
}

/// Whether anything is kept.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ImportParams {
    /// Whether everything is only checked, as if it were added.
    #[param(default = false, required = false)]
    dry_run: bool,
}

impl FromParams for ImportParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self { dry_run: query.flag("dry_run")? })
    }
}

impl ImportParams {
    fn run(&self) -> Run {
        if self.dry_run { Run::Dry } else { Run::Real }
    }
}

/// What came of a file.
#[derive(Serialize, ToSchema)]
pub struct ImportReport {
    /// How many things were added, or would be.
    #[schema(example = 2)]
    lines: usize,
    /// Whether everything was only checked.
    #[schema(example = false)]
    dry_run: bool,
}

/// Answers with what came of a file; what was added stands at `location`.
fn once(key: Option<IdempotencyKey>, location: &'static str) -> Once<'static, Imported> {
    Once::new(key, move |imported: &Imported| {
        let report = ImportReport { lines: imported.lines, dry_run: imported.run == Run::Dry };
        match imported.run {
            Run::Real => web::made(location.to_owned(), &report),
            Run::Dry => Answer { status: 200, location: None, body: web::json(&report) },
        }
    })
}
