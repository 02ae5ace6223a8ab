//! `keepclear check --backup`, and the checks before a restore.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use app::InstallationKey;
use domain::Clock;
use store::{DatabaseCopy, Engine};

use super::files::{self, FileEntry};
use super::manifest::{self, Manifest};
use super::{OBJECTS_FOLDER, TableChecksums, compute_checksums, differences, fail_if_any, total_rows};
use crate::commands::progress::{Progress, group_digits, print_status};
use crate::commands::{Failure, print_line};
use crate::config::Config;

/// Compares a backup with its manifest: first the files, then the rows in the copy of the database.
pub async fn check(config: &Config, folder: &Path) -> Result<(), Failure> {
    let backup = Backup::open(folder)?;
    let damaged = format!("the backup {} is damaged", folder.display());
    fail_if_any(&backup.check_files().await?, &damaged)?;
    fail_if_any(&backup.check_rows(config).await?, &damaged)?;
    let Manifest { engine, made_at, tables, objects, key_id, key, .. } = &backup.manifest;
    print_line(&format!(
        "backup          good ({engine}, made at {made_at}, {} rows, {} objects)",
        total_rows(tables),
        objects.len()
    ))?;
    match (key_id, key) {
        (Some(id), Some(_)) => print_line(&format!("key             {id}, which is in the backup")),
        (Some(id), None) => print_line(&format!(
            "key             {id}, which is not in the backup and is needed to restore it"
        )),
        (None, _) => Ok(()),
    }
}

/// A backup with a valid manifest.
pub struct Backup {
    pub folder: PathBuf,
    pub manifest: Manifest,
}

impl Backup {
    pub fn open(folder: &Path) -> Result<Self, Failure> {
        Ok(Self { folder: folder.to_owned(), manifest: Manifest::read(folder)? })
    }

    /// Returns the path of an object in the backup.
    pub fn object(&self, name: &str) -> PathBuf {
        self.folder.join(OBJECTS_FOLDER).join(name)
    }

    /// Returns the path of the copy of the database.
    pub fn database(&self) -> PathBuf {
        self.folder.join(self.manifest.engine.copy_name())
    }

    /// Returns the installation key in the backup, if it has one.
    pub fn key(&self) -> Result<Option<InstallationKey>, Failure> {
        let Some(FileEntry { name, .. }) = &self.manifest.key else { return Ok(None) };
        let path = self.folder.join(name);
        let text = fs::read_to_string(&path)
            .map_err(|error| Failure(format!("{} cannot be read: {error}", path.display())))?;
        match InstallationKey::parse(&text).filter(|key| Some(key.id()) == self.manifest.key_id) {
            Some(key) => Ok(Some(key)),
            None => Err(Failure(format!("{} is not the key of the backup", path.display()))),
        }
    }

    /// Returns the faults of its files: missing, changed or unexpected.
    pub async fn check_files(&self) -> Result<Vec<String>, Failure> {
        let objects =
            self.manifest.objects.iter().map(|object| (format!("{OBJECTS_FOLDER}/{}", object.name), object));
        let mut expected: BTreeMap<PathBuf, (String, &FileEntry)> = objects
            .chain([(self.manifest.database.name.clone(), &self.manifest.database)])
            .chain(self.manifest.key.iter().map(|key| (key.name.clone(), key)))
            .map(|(path, listed)| (PathBuf::from(&path), (path, listed)))
            .collect();
        let mut faults = Vec::new();
        let mut progress = Progress::new(&Clock::System, self.manifest.size_bytes(), "bytes");
        let (seen, mut done) = (Arc::new(AtomicU64::new(0)), 0_usize);
        let found = files::list_files(&self.folder)
            .map_err(|error| Failure(format!("{} cannot be read: {error}", self.folder.display())))?;
        for path in found {
            if path == Path::new(manifest::FILE_NAME) {
                continue;
            }
            let Some((name, listed)) = expected.remove(&path) else {
                faults.push(format!("{} is not in the manifest", path.display()));
                continue;
            };
            faults.extend(self.check_file(&path, &name, listed, &seen).await);
            done += 1;
            progress.update(seen.load(Ordering::Relaxed), &format!("{} files", group_digits(done as u64)));
        }
        progress.finish();
        faults.extend(expected.into_values().map(|(name, _)| format!("{name} is missing")));
        Ok(faults)
    }

    async fn check_file(
        &self,
        path: &Path,
        name: &str,
        listed: &FileEntry,
        seen: &Arc<AtomicU64>,
    ) -> Option<String> {
        let path = self.folder.join(path);
        // A link could lead anywhere.
        if !fs::symlink_metadata(&path).is_ok_and(|about| about.is_file()) {
            return Some(format!("{name} is not a file"));
        }
        let seen = Arc::clone(seen);
        let on_progress = move |bytes| {
            seen.fetch_add(bytes as u64, Ordering::Relaxed);
        };
        match files::hash_file(path, listed.name.clone(), on_progress).await {
            Err(Failure(reason)) => Some(format!("{name} cannot be read: {reason}")),
            Ok(found) if found.size_bytes != listed.size_bytes => {
                Some(format!("{name} has {} bytes instead of {}", found.size_bytes, listed.size_bytes))
            }
            Ok(found) if found != *listed => Some(format!("{name} was changed")),
            Ok(_) => None,
        }
    }

    /// Returns the faults of the rows in the copy of the database. A copy of PostgreSQL is read without a server.
    async fn check_rows(&self, config: &Config) -> Result<Vec<String>, Failure> {
        let (sums, mut faults): (TableChecksums, Vec<String>) = match self.manifest.engine {
            Engine::Sqlite => {
                let mut snapshot = DatabaseCopy::open_file(&self.database()).await?;
                (compute_checksums(&mut snapshot).await?, snapshot.integrity_faults().await?)
            }
            Engine::Postgresql => {
                let on_progress = |rows| {
                    if rows % (1 << 20) == 0 {
                        print_status(&format!("{} rows", group_digits(rows)));
                    }
                };
                (store::checksum_dump(&config.database, &self.database(), on_progress).await?, Vec::new())
            }
        };
        faults.extend(differences(&self.manifest.tables, &sums));
        Ok(faults)
    }
}
