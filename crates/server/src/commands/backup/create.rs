//! `keepclear backup`: copies the database first, then the objects that its rows refer to, then writes the manifest.
//!
//! The order matters: objects are written before their rows and deleted after them, so the object of each copied row exists.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use app::{KEY_FILE, KeySource};
use blobs::{Blobs, Key, Upload};
use domain::{ClipId, Clock, ExportId, ReportId, encode_hex};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use store::{Address, DatabaseCopy, SchemaState};

use super::files::{self, ByteDigest, FileEntry};
use super::manifest::{self, Manifest};
use super::{MAX_CONCURRENT_OBJECTS, OBJECTS_FOLDER, compute_checksums, total_rows};
use crate::application;
use crate::commands::progress::{Progress, group_digits, print_status};
use crate::commands::{Failure, print_line, shutdown_signal};
use crate::config::Config;

/// The number of rows with objects that are read from the snapshot at a time.
const PAGE_SIZE: i64 = 1_000;

/// Creates a backup of everything, without the installation key unless `with_key` is set.
pub async fn create(config: &Config, target: &Path, with_key: bool) -> Result<(), Failure> {
    let stop = shutdown_signal()?;
    let partial = PartialBackup::begin(target)?;
    let made = tokio::select! {
        made = write_backup(config, &partial.folder, with_key) => made,
        () = stop => Err(Failure("the backup was interrupted and has been removed".to_owned())),
    };
    match made {
        Ok(made) => {
            partial.finish(target)?;
            print_line(&format!(
                "Backed up {} rows of {} tables and {} objects, {} bytes in total, to {}.",
                total_rows(&made.tables),
                made.tables.len(),
                made.objects.len(),
                group_digits(made.size_bytes()),
                target.display()
            ))?;
            match (&made.key_id, &made.key) {
                (Some(id), None) => print_line(&format!(
                    "The backup does not contain the installation key {id}; keep a copy of it elsewhere."
                )),
                (Some(_), Some(_)) => print_line(
                    "The backup contains the installation key: whoever has the backup can sign in as anyone.",
                ),
                (None, _) => Ok(()),
            }
        }
        Err(failure) => {
            partial.remove();
            Err(failure)
        }
    }
}

/// An unfinished backup, under a temporary name, so that it is not mistaken for a complete one.
struct PartialBackup {
    folder: PathBuf,
}

impl PartialBackup {
    fn begin(target: &Path) -> Result<Self, Failure> {
        match fs::read_dir(target).map(|mut entries| entries.next().is_none()) {
            Ok(true) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Ok(false) => return Err(Failure(format!("{} is not empty", target.display()))),
            Err(error) => return Err(Failure(format!("{} cannot be used: {error}", target.display()))),
        }
        let Some(name) = target.file_name() else {
            return Err(Failure(format!("{} is not a valid name for a new folder", target.display())));
        };
        let mut name = name.to_owned();
        name.push(".partial");
        let folder = target.with_file_name(name);
        // Does not create the parents: the disk may not be mounted.
        let mut folders = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
        folders.create(&folder).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Failure(format!(
                "{} exists: another backup is running or was killed; remove it if none is running",
                folder.display()
            )),
            _ => Failure(format!("{} cannot be created: {error}", folder.display())),
        })?;
        Ok(Self { folder })
    }

    fn finish(&self, target: &Path) -> Result<(), Failure> {
        files::sync_folders(&self.folder)?;
        fs::rename(&self.folder, target).map_err(|error| {
            let (from, to) = (self.folder.display(), target.display());
            Failure(format!("the backup is complete, but {from} cannot be renamed to {to}: {error}"))
        })?;
        let parent = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        Ok(fs::File::open(parent.unwrap_or(Path::new(".")))?.sync_all()?)
    }

    fn remove(&self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            print_status(&format!("{} cannot be removed: {error}", self.folder.display()));
        }
    }
}

async fn write_backup(config: &Config, folder: &Path, with_key: bool) -> Result<Manifest, Failure> {
    let address = config.database.address(&config.data).map_err(|invalid| Failure(invalid.to_string()))?;
    if let Address::Sqlite(path) = &address
        && !path.exists()
    {
        return Err(Failure(format!("there is no database at {}", path.display())));
    }
    let (store, _) = application::open_store(config).await?;
    // A newer schema may have objects that this program does not know.
    if let SchemaState::Ahead(newer) = store.schema().await? {
        let newer = newer.join(", ");
        return Err(Failure(format!("a newer Keepclear has run {newer}: make the backup with that program")));
    }
    store.close().await;
    let (blobs, made_at) = (application::open_blobs(config)?, Clock::System.now());

    let name = address.engine().copy_name();
    let copy = folder.join(name);
    let file = files::create_file(&copy)?;
    let mut snapshot = DatabaseCopy::create(&address, &config.database, &copy).await?;
    file.sync_all()?;
    let migrations = snapshot.migrations().await?;
    if migrations.is_empty() {
        return Err(Failure("the database is empty".to_owned()));
    }
    let tables = compute_checksums(&mut snapshot).await?;
    let installation = snapshot.store_id().await?;
    let key_id = snapshot.key_id().await?;
    let references = list_objects(&mut snapshot).await?;
    drop(snapshot);
    let key = match &key_id {
        Some(id) if with_key => Some(copy_key(config, id, folder).await?),
        _ => None,
    };

    let (objects, gone) = copy_objects(&blobs, references, &folder.join(OBJECTS_FOLDER)).await?;
    if !gone.is_empty() {
        print_status(&format!(
            "{} objects no longer exist. Run keepclear check to find out whether any is missing.",
            gone.len()
        ));
    }
    let manifest = Manifest {
        format: manifest::FORMAT,
        keepclear: env!("CARGO_PKG_VERSION").to_owned(),
        engine: address.engine(),
        installation,
        made_at,
        migrations,
        tables,
        database: files::hash_file(copy, name.to_owned(), |_| ()).await?,
        objects,
        gone,
        key_id,
        key,
        seal: String::new(),
    };
    manifest.clone().write(folder)?;
    Ok(manifest)
}

/// Writes the installation key with that id into a backup.
async fn copy_key(config: &Config, id: &str, folder: &Path) -> Result<FileEntry, Failure> {
    let key = KeySource::new(&config.installation, &config.data)?.find(id)?;
    let path = folder.join(KEY_FILE);
    let mut file = files::create_file(&path)?;
    writeln!(file, "{}", key.to_hex())?;
    file.sync_all()?;
    files::hash_file(path, KEY_FILE.to_owned(), |_| ()).await
}

/// A reference from a row to an object.
struct ObjectReference {
    /// Describes the row for people.
    label: String,
    key: Key,
    size_bytes: u64,
    sha256: Vec<u8>,
}

async fn list_objects(snapshot: &mut DatabaseCopy) -> Result<Vec<ObjectReference>, Failure> {
    let (mut named, mut clip, mut export) = (Vec::new(), ClipId(0), ExportId(0));
    let mut report = (ReportId(0), String::new());
    loop {
        let page = snapshot.clips(clip, PAGE_SIZE).await?;
        let Some(last) = page.last() else { break };
        clip = last.object.clip;
        for kept in page {
            let (what, object) = (format!("clip {}", kept.object.clip), kept.object);
            let key = Key::Clip(object.brand, object.clip, parse_upload(&what, &object.upload)?);
            named.push(ObjectReference {
                label: what,
                key,
                size_bytes: kept.size_bytes,
                sha256: kept.sha256,
            });
        }
    }
    loop {
        let page = snapshot.exports(export, PAGE_SIZE).await?;
        let Some(last) = page.last() else { break };
        export = last.object.export;
        for kept in page {
            let (what, object) = (format!("export {}", kept.object.export), kept.object);
            let key = Key::Export(object.brand, object.export, parse_upload(&what, &object.upload)?);
            named.push(ObjectReference {
                label: what,
                key,
                size_bytes: kept.size_bytes,
                sha256: kept.sha256,
            });
        }
    }
    loop {
        let page = snapshot.report_objects(report.clone(), PAGE_SIZE).await?;
        let Some(last) = page.last() else { return Ok(named) };
        report = (last.object.report, last.object.upload.clone());
        for kept in page {
            let (what, object) = (format!("report {}", kept.object.report), kept.object);
            let key = Key::Report(object.brand, object.report, parse_upload(&what, &object.upload)?);
            named.push(ObjectReference {
                label: what,
                key,
                size_bytes: kept.size_bytes,
                sha256: kept.sha256,
            });
        }
    }
}

fn parse_upload(what: &str, text: &str) -> Result<Upload, Failure> {
    let none =
        || Failure(format!("the row of {what} does not refer to an object; run keepclear check for details"));
    Upload::parse(text).ok_or_else(none)
}

enum CopyOutcome {
    Copied(FileEntry),
    Missing(String),
}

/// Copies objects. Returns those that were found and those that were missing.
async fn copy_objects(
    blobs: &Blobs,
    references: Vec<ObjectReference>,
    folder: &Path,
) -> Result<(Vec<FileEntry>, Vec<String>), Failure> {
    let whole = references.iter().map(|object| object.size_bytes).sum();
    let mut progress = Progress::new(&Clock::System, whole, "bytes");
    let (mut objects, mut gone, mut bytes) = (Vec::new(), Vec::new(), 0);
    let copies = stream::iter(references)
        .map(|object| copy_object(blobs, object, folder))
        .buffered(MAX_CONCURRENT_OBJECTS);
    let mut copies = std::pin::pin!(copies);
    while let Some((size_bytes, copied)) = copies.try_next().await? {
        match copied {
            CopyOutcome::Copied(object) => objects.push(object),
            CopyOutcome::Missing(name) => gone.push(name),
        }
        bytes += size_bytes;
        progress.update(bytes, &format!("{} objects", group_digits(objects.len() as u64)));
    }
    progress.finish();
    Ok((objects, gone))
}

async fn copy_object(
    blobs: &Blobs,
    named: ObjectReference,
    folder: &Path,
) -> Result<(u64, CopyOutcome), Failure> {
    let ObjectReference { label: what, key, size_bytes, sha256 } = named;
    let path = folder.join(key.to_string());
    if let Some(folder) = path.parent() {
        files::create_folder(folder)?;
    }
    let copied = match copy_bytes(blobs, &key, size_bytes, &path).await? {
        None => {
            fs::remove_file(&path)?;
            CopyOutcome::Missing(key.to_string())
        }
        Some(passed) => {
            let object = passed.into_entry(key.to_string());
            if (object.size_bytes, &object.sha256) != (size_bytes, &encode_hex(&sha256)) {
                // A damaged object is copied anyway, because a part of it may be useful.
                print_status(&format!(
                    "{what}: the object {key} does not match its recorded hash; it is backed up as it is"
                ));
            }
            CopyOutcome::Copied(object)
        }
    };
    Ok((size_bytes, copied))
}

/// Copies the bytes of an object into a new file. Returns `None` if it does not exist, or is deleted meanwhile.
async fn copy_bytes(
    blobs: &Blobs,
    key: &Key,
    size_bytes: u64,
    path: &Path,
) -> Result<Option<ByteDigest>, Failure> {
    let mut file = files::create_file(path)?;
    let mut passed = ByteDigest::default();
    // Asks for one more byte than expected, to notice an object that is too long.
    let mut bytes = match blobs.read(key, 0..size_bytes.saturating_add(1)).await {
        Ok(bytes) => bytes,
        Err(blobs::Error::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    loop {
        match bytes.try_next().await {
            Ok(Some(some)) => {
                file.write_all(&some)?;
                passed.add(&some);
            }
            Ok(None) => break,
            Err(blobs::Error::NotFound(_)) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
    file.sync_all()?;
    Ok(Some(passed))
}
