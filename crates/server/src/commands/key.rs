//! `keepclear key`: the installation key.

use app::App;

use super::{Failure, print_line};
use crate::cli::KeyCommand;

pub async fn run(app: &App, command: KeyCommand) -> Result<(), Failure> {
    match command {
        KeyCommand::Prepare => {
            let place = app.prepare_installation_key()?;
            print_line(&format!(
                "The next installation key is in {place}. Copy it to the same place on every other host, \
                 then run keepclear key rotate on one of them."
            ))
        }
        KeyCommand::Rotate => {
            let (before, _) = app.describe_key();
            let app::RotatedKey { id, was_already_sealed: was_done } = app.rotate_installation_key().await?;
            let (_, place) = app.describe_key();
            if was_done {
                return print_line(&format!(
                    "The installation key {id} ({place}) is in use already: an earlier run had encrypted everything with it, and its \
                     rotation is complete now."
                ));
            }
            print_line(&format!(
                "All secrets are now encrypted with the installation key {id} ({place}). Every other host needs it. \
                 Earlier backups need the old key, {before}. If it was a file, it is now beside the new one, with its id \
                 appended to its name: move it to where you keep passwords, or delete it once no backup needs it."
            ))
        }
    }
}
