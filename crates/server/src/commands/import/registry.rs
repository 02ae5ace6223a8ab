//! `keepclear import registry`: imports people, machines, tags and base stations from files.

use std::path::Path;

use app::{App, BaseStationEntry, ImportMode, TagEntry};
use domain::{Name, NewMachine, NewPerson};
use web::read_csv;

use crate::cli::RegistryKind;
use crate::commands::{Failure, print_line};

/// Imports all lines of a file or none, and names every invalid line.
pub async fn import_registry(
    app: &App,
    brand: &Name,
    kind: RegistryKind,
    file: &Path,
    run: ImportMode,
) -> Result<(), Failure> {
    let brand = app.find_brand(brand).await?;
    let bytes = std::fs::read(file)
        .map_err(|error| Failure(format!("{} cannot be read: {error}", file.display())))?;
    let imported = match kind {
        RegistryKind::People => {
            app.import_from_command_line(&brand, &with_line_errors(read_csv::<NewPerson>(&bytes))?, run).await
        }
        RegistryKind::Machines => {
            app.import_from_command_line(&brand, &with_line_errors(read_csv::<NewMachine>(&bytes))?, run)
                .await
        }
        RegistryKind::Tags => {
            app.import_from_command_line(&brand, &with_line_errors(read_csv::<TagEntry>(&bytes))?, run).await
        }
        RegistryKind::BaseStations => {
            let lines = with_line_errors(read_csv::<BaseStationEntry>(&bytes))?;
            app.import_from_command_line(&brand, &lines, run).await
        }
    };
    let lines = with_line_errors(imported)?.lines;
    match run {
        ImportMode::DryRun => {
            print_line(&format!("{lines} lines are valid. Nothing was stored, because this was a dry run."))
        }
        ImportMode::Commit => print_line(&format!("Added {lines} to {}.", brand.name)),
    }
}

/// Adds every invalid line to the message.
fn with_line_errors<T>(outcome: Result<T, app::Error>) -> Result<T, Failure> {
    outcome.map_err(|error| match error.fields.as_slice() {
        [] => error.into(),
        fields => {
            let lines = fields.iter().map(|fault| format!("\n  {}: {}", fault.field, fault.invalid.message));
            Failure(format!("nothing was added:{}", lines.collect::<String>()))
        }
    })
}
