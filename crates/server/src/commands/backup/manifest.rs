//! What a backup holds, in a file that tells by itself whether it was touched.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

use blobs::Key;
use domain::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use store::Engine;

use super::TableChecksums;
use super::files::{self, FileEntry};
use crate::commands::Failure;

/// What it is called. It is written last: a folder without it is no backup.
pub const FILE_NAME: &str = "manifest.json";

/// The form of backups that this program writes, and the newest that it reads.
pub const FORMAT: u32 = 2;

/// What a backup holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// In which form all this is.
    pub format: u32,
    /// The program that made it.
    pub keepclear: String,
    /// The engine it was copied from, and is to be restored to.
    pub engine: Engine,
    /// What the installation is called.
    pub installation: Option<String>,
    /// When copying began: everything that was answered before is in it.
    pub made_at: Timestamp,
    /// What the schema has run.
    pub migrations: Vec<String>,
    /// How many rows each table has, and what they come to.
    pub tables: TableChecksums,
    /// The copy of the database.
    pub database: FileEntry,
    /// The objects that its rows name.
    pub objects: Vec<FileEntry>,
    /// Those that were not there: their time was over between copying the rows and copying them.
    pub gone: Vec<String>,
    /// The installation key that its secrets are sealed with; none if they are not sealed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_id: Option<String>,
    /// The file of that key, if it was to be in the backup.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<FileEntry>,
    /// SHA-256 of this file with nothing in this place.
    pub seal: String,
}

/// All that is known of a manifest before its form is.
#[derive(Deserialize)]
struct FormatVersion {
    format: u32,
}

impl Manifest {
    /// Writes it into a backup, and has it on disk.
    pub fn write(mut self, folder: &Path) -> Result<(), Failure> {
        self.seal = self.compute_seal()?;
        let mut file = files::create_file(&folder.join(FILE_NAME))?;
        file.write_all(self.to_text()?.as_bytes())?;
        Ok(file.sync_all()?)
    }

    /// Reads that of a backup; says what is wrong with it.
    pub fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(FILE_NAME);
        let text = fs::read_to_string(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Failure(format!(
                "{} has no {FILE_NAME}: it is no backup, or not a whole one",
                folder.display()
            )),
            _ => Failure(format!("{} cannot be read: {error}", path.display())),
        })?;
        let damaged = |reason: &str| Failure(format!("{} is damaged: {reason}", path.display()));
        let FormatVersion { format } =
            serde_json::from_str(&text).map_err(|error| damaged(&error.to_string()))?;
        if format > FORMAT {
            return Err(Failure(format!(
                "{} is in form {format}, and this program knows forms up to {FORMAT}: a newer Keepclear made it",
                folder.display()
            )));
        }
        let manifest: Self = serde_json::from_str(&text).map_err(|error| damaged(&error.to_string()))?;
        if manifest.seal != manifest.compute_seal()? || manifest.to_text()? != text {
            return Err(damaged("it was changed after it was written"));
        }
        if manifest.database.name != manifest.engine.copy_name() {
            return Err(damaged("it names no copy of a database"));
        }
        if manifest.key.as_ref().is_some_and(|key| key.name != app::KEY_FILE) {
            return Err(damaged("it names no file of a key"));
        }
        let bad = manifest.object_names().find(|name| Key::parse(name).is_none());
        match bad {
            Some(name) => Err(damaged(&format!("{name:?} is no name of an object"))),
            None => Ok(manifest),
        }
    }

    /// The names of all objects that its rows name.
    fn object_names(&self) -> impl Iterator<Item = &str> {
        self.objects.iter().map(|object| &object.name).chain(&self.gone).map(String::as_str)
    }

    /// How long all its files are together.
    pub fn size_bytes(&self) -> u64 {
        self.database.size_bytes + self.objects.iter().map(|object| object.size_bytes).sum::<u64>()
    }

    fn compute_seal(&self) -> Result<String, Failure> {
        let open = Self { seal: String::new(), ..self.clone() };
        Ok(files::to_hex(&Sha256::digest(open.to_text()?)))
    }

    fn to_text(&self) -> Result<String, Failure> {
        let text = serde_json::to_string_pretty(self).map_err(|error| Failure(error.to_string()))?;
        Ok(text + "\n")
    }
}
