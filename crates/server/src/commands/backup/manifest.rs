//! The manifest of a backup, with a checksum of itself.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

use blobs::Key;
use domain::{Timestamp, encode_hex};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use store::Engine;

use super::TableChecksums;
use super::files::{self, FileEntry};
use crate::commands::Failure;

/// The name of the manifest. It is written last, so a folder without it is not a complete backup.
pub const FILE_NAME: &str = "manifest.json";

/// The format that this program writes, and the newest that it reads.
pub const FORMAT: u32 = 2;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub format: u32,
    /// The version of the program that created the backup.
    pub keepclear: String,
    /// The database engine, which must be the same for a restore.
    pub engine: Engine,
    /// The id of the installation.
    pub installation: Option<String>,
    /// The time at which copying began. Everything that was acknowledged before is in the backup.
    pub made_at: Timestamp,
    pub migrations: Vec<String>,
    /// The number of rows and the checksum of each table.
    pub tables: TableChecksums,
    pub database: FileEntry,
    /// The objects that rows refer to.
    pub objects: Vec<FileEntry>,
    /// Objects that were missing, because they expired between copying the rows and copying the objects.
    pub gone: Vec<String>,
    /// The id of the installation key that encrypts the secrets; none if they are not encrypted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_id: Option<String>,
    /// The file of that key, if the backup includes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<FileEntry>,
    /// SHA-256 of this file with an empty value in this place.
    pub seal: String,
}

/// Reads only the format of a manifest, which decides how the rest is read.
#[derive(Deserialize)]
struct FormatVersion {
    format: u32,
}

impl Manifest {
    /// Writes the manifest into a backup and syncs it to disk.
    pub fn write(mut self, folder: &Path) -> Result<(), Failure> {
        self.seal = self.compute_seal()?;
        let mut file = files::create_file(&folder.join(FILE_NAME))?;
        file.write_all(self.to_text()?.as_bytes())?;
        Ok(file.sync_all()?)
    }

    /// Reads and checks the manifest of a backup.
    pub fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(FILE_NAME);
        let text = fs::read_to_string(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Failure(format!(
                "{} has no {FILE_NAME}: it is not a backup, or not a complete one",
                folder.display()
            )),
            _ => Failure(format!("{} cannot be read: {error}", path.display())),
        })?;
        let damaged = |reason: &str| Failure(format!("{} is damaged: {reason}", path.display()));
        let FormatVersion { format } =
            serde_json::from_str(&text).map_err(|error| damaged(&error.to_string()))?;
        if format > FORMAT {
            return Err(Failure(format!(
                "{} has format {format}, but this program reads formats up to {FORMAT}: a newer Keepclear made it",
                folder.display()
            )));
        }
        let manifest: Self = serde_json::from_str(&text).map_err(|error| damaged(&error.to_string()))?;
        if manifest.seal != manifest.compute_seal()? || manifest.to_text()? != text {
            return Err(damaged("it was changed after it was written"));
        }
        if manifest.database.name != manifest.engine.copy_name() {
            return Err(damaged("it does not name a copy of the database"));
        }
        if manifest.key.as_ref().is_some_and(|key| key.name != app::KEY_FILE) {
            return Err(damaged("it does not name a key file"));
        }
        let bad = manifest.object_names().find(|name| Key::parse(name).is_none());
        match bad {
            Some(name) => Err(damaged(&format!("{name:?} is not the name of an object"))),
            None => Ok(manifest),
        }
    }

    /// Returns the names of all objects that rows refer to, including the missing ones.
    fn object_names(&self) -> impl Iterator<Item = &str> {
        self.objects.iter().map(|object| &object.name).chain(&self.gone).map(String::as_str)
    }

    /// Returns the total size of all files.
    pub fn size_bytes(&self) -> u64 {
        self.database.size_bytes + self.objects.iter().map(|object| object.size_bytes).sum::<u64>()
    }

    fn compute_seal(&self) -> Result<String, Failure> {
        let open = Self { seal: String::new(), ..self.clone() };
        Ok(encode_hex(&Sha256::digest(open.to_text()?)))
    }

    fn to_text(&self) -> Result<String, Failure> {
        let text = serde_json::to_string_pretty(self).map_err(|error| Failure(error.to_string()))?;
        Ok(text + "\n")
    }
}
