//! `keepclear key`: the installation key.

use app::App;

use super::{Failure, say};
use crate::cli::Key;

pub async fn run(app: &App, command: Key) -> Result<(), Failure> {
    match command {
        Key::Prepare => {
            let place = app.prepare_installation_key()?;
            say(&format!(
                "The next installation key is in {place}. Copy it to the same place on every other host, \
                 then run keepclear key rotate on one of them."
            ))
        }
        Key::Rotate => {
            let (before, _) = app.describe_key();
            let app::RotatedKey { id, was_done } = app.rotate_installation_key().await?;
            let (_, place) = app.describe_key();
            if was_done {
                return say(&format!(
                    "The installation key {id} ({place}) is in use already: an earlier run had sealed everything with it, and its \
                     rotation is complete now."
                ));
            }
            say(&format!(
                "Everything is sealed with the installation key {id} from now on ({place}). Every other host needs it. \
                 Backups from before need the old key, {before}. If it was a file, it stays beside the new one, with its id \
                 behind its name: move it to where you keep passwords, or delete it once no backup needs it."
            ))
        }
    }
}
