//! `keepclear backup`: the database first, then the objects that its rows name, then the manifest.
//!
//! In that order each row's object is there: objects come before their rows, and go after them.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use app::{KEY_FILE, KeySource};
use blobs::{Blobs, Key, Upload};
use domain::{ClipId, Clock, ExportId};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use store::{Address, DatabaseCopy};

use super::files::{self, ByteDigest, FileEntry};
use super::manifest::{self, Manifest};
use super::{MAX_CONCURRENT_OBJECTS, OBJECTS_FOLDER, compute_checksums, total_rows};
use crate::application;
use crate::commands::progress::{Progress, group_digits, print_status};
use crate::commands::{Failure, print_line, shutdown_signal};
use crate::config::Config;

/// How many rows that name objects are read from the snapshot at once.
const PAGE_SIZE: i64 = 1_000;

/// Makes a backup of everything; of the installation key only `with_key`.
pub async fn create(config: &Config, target: &Path, with_key: bool) -> Result<(), Failure> {
    let stop = shutdown_signal()?;
    let partial = PartialBackup::begin(target)?;
    let made = tokio::select! {
        made = write_backup(config, &partial.folder, with_key) => made,
        () = stop => Err(Failure("it was interrupted; nothing is left of it".to_owned())),
    };
    match made {
        Ok(made) => {
            partial.finish(target)?;
            print_line(&format!(
                "Backed up {} rows of {} tables and {} objects, {} bytes in all, to {}.",
                total_rows(&made.tables),
                made.tables.len(),
                made.objects.len(),
                group_digits(made.size_bytes()),
                target.display()
            ))?;
            match (&made.key_id, &made.key) {
                (Some(id), None) => print_line(&format!(
                    "The installation key {id} is not in it; keep a copy of it elsewhere."
                )),
                (Some(_), Some(_)) => {
                    print_line("The installation key is in it: whoever has the backup can sign in as anyone.")
                }
                (None, _) => Ok(()),
            }
        }
        Err(failure) => {
            partial.remove();
            Err(failure)
        }
    }
}

/// A backup under way, under a name of its own, so that it is never taken for a whole one.
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
            return Err(Failure(format!("{} is no name for a new folder", target.display())));
        };
        let mut name = name.to_owned();
        name.push(".partial");
        let folder = target.with_file_name(name);
        // Not those above it: a disk that is not mounted should not be written beside.
        let mut folders = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
        folders.create(&folder).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Failure(format!(
                "{} is there: a backup is under way, or was killed; if none runs, remove it",
                folder.display()
            )),
            _ => Failure(format!("{} cannot be made: {error}", folder.display())),
        })?;
        Ok(Self { folder })
    }

    fn finish(&self, target: &Path) -> Result<(), Failure> {
        files::sync_folders(&self.folder)?;
        fs::rename(&self.folder, target).map_err(|error| {
            let (from, to) = (self.folder.display(), target.display());
            Failure(format!("the backup is whole, but {from} cannot be renamed to {to}: {error}"))
        })?;
        let parent = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        Ok(fs::File::open(parent.unwrap_or(Path::new(".")))?.sync_all()?)
    }

    fn remove(&self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            print_status(&format!("{} is left: {error}", self.folder.display()));
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
    // A schema that this program does not know may have objects that it does not know.
    store.schema().await?;
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
            "{} objects were not there any more; keepclear check tells if any is missing.",
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

/// Writes the installation key of that id into a backup.
async fn copy_key(config: &Config, id: &str, folder: &Path) -> Result<FileEntry, Failure> {
    let key = KeySource::new(&config.installation, &config.data)?.find(id)?;
    let path = folder.join(KEY_FILE);
    let mut file = files::create_file(&path)?;
    writeln!(file, "{}", key.to_hex())?;
    file.sync_all()?;
    files::hash_file(path, KEY_FILE.to_owned(), |_| ()).await
}

/// An object as a row names it.
struct ObjectReference {
    /// What it is of, for people.
    label: String,
    key: Key,
    size_bytes: u64,
    sha256: Vec<u8>,
}

async fn list_objects(snapshot: &mut DatabaseCopy) -> Result<Vec<ObjectReference>, Failure> {
    let (mut named, mut clip, mut export) = (Vec::new(), ClipId(0), ExportId(0));
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
        let Some(last) = page.last() else { return Ok(named) };
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
}

fn parse_upload(what: &str, text: &str) -> Result<Upload, Failure> {
    let none = || Failure(format!("the row of {what} names no object; keepclear check tells more"));
    Upload::parse(text).ok_or_else(none)
}

/// What became of an object.
enum CopyOutcome {
    Copied(FileEntry),
    Missing(String),
}

/// Copies objects; gives those that were there and those that were not.
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
            if (object.size_bytes, &object.sha256) != (size_bytes, &files::to_hex(&sha256)) {
                // As it is: what is left of it may be of use, and all the rest certainly is.
                print_status(&format!(
                    "{what}: the object {key} is not what was sent; it is backed up as it is"
                ));
            }
            CopyOutcome::Copied(object)
        }
    };
    Ok((size_bytes, copied))
}

/// Copies the bytes of an object into a new file; none if it is not there, or goes meanwhile.
async fn copy_bytes(
    blobs: &Blobs,
    key: &Key,
    size_bytes: u64,
    path: &Path,
) -> Result<Option<ByteDigest>, Failure> {
    let mut file = files::create_file(path)?;
    let mut passed = ByteDigest::default();
    // One more than there should be, so that there being more is seen.
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
