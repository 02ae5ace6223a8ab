//! `keepclear import registry`: files of people, machines, tags and base stations.

use std::path::Path;

use api_v1::imports::{read_base_stations, read_machines, read_people, read_tags};
use app::{App, Run};
use domain::Name;

use crate::cli::Registry;
use crate::commands::{Failure, say};

/// Adds all of a file, or nothing, and names every bad line.
pub async fn registry(app: &App, brand: &Name, kind: Registry, file: &Path, run: Run) -> Result<(), Failure> {
    let brand = app.find_brand(brand).await?;
    let bytes = std::fs::read(file)
        .map_err(|error| Failure(format!("{} cannot be read: {error}", file.display())))?;
    let imported = match kind {
        Registry::People => app.import_from_command_line(&brand, &read(read_people(&bytes))?, run).await,
        Registry::Machines => app.import_from_command_line(&brand, &read(read_machines(&bytes))?, run).await,
        Registry::Tags => app.import_from_command_line(&brand, &read(read_tags(&bytes))?, run).await,
        Registry::BaseStations => {
            app.import_from_command_line(&brand, &read(read_base_stations(&bytes))?, run).await
        }
    };
    let lines = read(imported)?.lines;
    match run {
        Run::Dry => say(&format!("{lines} lines are good. Nothing was kept: this was a dry run.")),
        Run::Real => say(&format!("Added {lines} to {}.", brand.name)),
    }
}

/// Puts every bad line into what is said.
fn read<T>(outcome: Result<T, app::Error>) -> Result<T, Failure> {
    outcome.map_err(|error| match error.fields.as_slice() {
        [] => error.into(),
        fields => {
            let lines = fields.iter().map(|fault| format!("\n  {}: {}", fault.field, fault.invalid.message));
            Failure(format!("nothing was added:{}", lines.collect::<String>()))
        }
    })
}
