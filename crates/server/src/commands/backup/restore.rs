//! `keepclear restore`: restores objects first and the database last, so that a complete database has all objects that it refers to.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use app::{InstallationKey, KeySource, LostSecrets};
use blobs::{Blobs, Key, Prefix};
use domain::{Clock, Random};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use store::{Address, Restore};

use super::check::Backup;
use super::files::{ByteDigest, FileEntry};
use super::manifest::Manifest;
use super::{MAX_CONCURRENT_OBJECTS, compute_checksums, differences, fail_if_any, total_rows};
use crate::application;
use crate::commands::progress::{Progress, group_digits};
use crate::commands::{Failure, print_line, shutdown_signal};
use crate::config::Config;

/// The number of bytes of an object that are read at a time.
const CHUNK_BYTES: usize = 1 << 18;

/// Restores a backup into the configured database and object storage, which must be empty.
pub async fn restore(config: &Config, folder: &Path, new_key: bool) -> Result<(), Failure> {
    let stop = shutdown_signal()?;
    let not_restored = |Failure(reason): Failure| Failure(format!("nothing was restored: {reason}"));
    let backup = Backup::open(folder).map_err(not_restored)?;
    let address = config.database.address(&config.data).map_err(|invalid| Failure(invalid.to_string()))?;
    let keys = KeySource::new(&config.installation, &config.data)?;
    let restore_all = async {
        let blobs = check_preconditions(config, &address, &backup).await.map_err(not_restored)?;
        let key = plan_key(&backup, &keys, new_key).map_err(not_restored)?;
        put_objects(&blobs, &backup).await?;
        // The database cannot be used without the key.
        if let KeyAction::Install(key) = &key {
            keys.install(key)?;
        }
        restore_database(config, &address, &backup).await?;
        Ok::<_, Failure>((blobs, key))
    };
    let (blobs, key) = tokio::select! {
        brought = restore_all => brought?,
        () = stop => return Err(Failure(
            "the restore was interrupted: there is no database yet; run the command again to continue".to_owned()
        )),
    };

    let opened = application::open_store(config).await?;
    opened.0.migrate(Clock::System.now()).await?;
    let lost = match key {
        KeyAction::Lost => {
            Some(app::replace_lost_key(&opened, &keys, &Clock::System, &Random::System).await?)
        }
        KeyAction::Present | KeyAction::Install(_) => None,
    };
    let app = application::build_app(opened, config, blobs, Clock::System, Random::System).await?;
    let (key, place) = app.describe_key();
    let Manifest { made_at, gone, tables, objects, .. } = &backup.manifest;
    let gone: Vec<Key> = gone.iter().filter_map(|name| Key::parse(name)).collect();
    app.record_restore(*made_at, &gone, lost).await?;
    app.store.close().await;
    print_line(&format!(
        "Restored {} rows of {} tables and {} objects as of {made_at}.",
        total_rows(tables),
        tables.len(),
        objects.len()
    ))?;
    match lost {
        Some(LostSecrets { sessions, links }) => print_line(&format!(
            "There is a new installation key, {key}, in {place}. If another key was there, its file is now beside it, with \
             the id of that key appended to its name. {sessions} sessions and {links} invitations and password resets have ended, \
             second factors must be set up again, webhooks are disabled until their secrets are rotated, and the existing audit \
             log can no longer be verified."
        )),
        None => Ok(()),
    }
}

/// How the installation key of a backup is obtained.
enum KeyAction {
    /// The key is in place already, or none is needed.
    Present,
    /// The key is in the backup.
    Install(InstallationKey),
    /// The key is lost, and the operator accepts that.
    Lost,
}

/// Finds the key of a backup before anything is written, or explains what is lost without it and how to continue.
fn plan_key(backup: &Backup, keys: &KeySource, new_key: bool) -> Result<KeyAction, Failure> {
    let Some(id) = &backup.manifest.key_id else { return Ok(KeyAction::Present) };
    let present_keys = keys.keys()?;
    let is_here = present_keys.iter().any(|key| key.id() == *id);
    let place = keys.describe();
    // A key that a rotation has retired.
    let set_aside_path = keys.retired_key_path(id);
    if new_key {
        let found = match (is_here, backup.key()?, &set_aside_path) {
            (true, ..) => format!("it is {place}"),
            (false, Some(_), _) => "it is in the backup".to_owned(),
            (false, None, Some(path)) => format!("it is {}", path.display()),
            (false, None, None) => return Ok(KeyAction::Lost),
        };
        return Err(Failure(format!(
            "the installation key {id} of the backup is not lost: {found}. --new-key would discard the data that it protects; omit the \
             option, and run keepclear key rotate afterwards to change the key"
        )));
    }
    if is_here {
        return Ok(KeyAction::Present);
    }
    match (backup.key()?, present_keys.first()) {
        (Some(key), None) => Ok(KeyAction::Install(key)),
        (Some(_), Some(other)) => Err(Failure(format!(
            "the backup contains the installation key {id}, but {place} is the key {}; move that one away first",
            other.id()
        ))),
        (None, _) if set_aside_path.is_some() => Err(Failure(format!(
            "the secrets in the backup are encrypted with the installation key {id}, which is {} and not {place}. Move the existing \
             file away, put that one in its place, and run the command again",
            set_aside_path.unwrap_or_default().display()
        ))),
        (None, _) => Err(Failure(format!(
            "the secrets in the backup are encrypted with the installation key {id}, which is neither in the backup nor in {place}. \
             Put it there and run the command again. If it is lost, --new-key restores without it: all sessions, refresh tokens, \
             invitations and password resets become invalid, second factors must be set up again, webhooks need new secrets, \
             and the existing audit log can no longer be verified. Passwords and device tokens remain valid"
        ))),
    }
}

/// Restores the database, and makes it visible once its rows match the manifest.
async fn restore_database(config: &Config, address: &Address, backup: &Backup) -> Result<(), Failure> {
    let filling = Restore::begin(address, &config.database, &backup.database()).await?;
    let sums = compute_checksums(&mut filling.snapshot().await?).await?;
    let faults = differences(&backup.manifest.tables, &sums);
    fail_if_any(&faults, "the restored database differs from the backup and must not be used")?;
    Ok(filling.finish()?)
}

/// Fails if anything would prevent the restore, before anything is written. Returns the object storage.
async fn check_preconditions(config: &Config, address: &Address, backup: &Backup) -> Result<Blobs, Failure> {
    store::ensure_not_newer(&backup.manifest.migrations)?;
    let (made, ours) = (backup.manifest.engine, address.engine());
    if made != ours {
        return Err(Failure(format!("the backup is of {made}, but the configured database is {ours}")));
    }
    store::ensure_empty(address, &config.database).await.map_err(|error| {
        Failure(format!("{error}; a backup can only be restored into an empty installation"))
    })?;
    fail_if_any(&backup.check_files().await?, &format!("the backup {} is damaged", backup.folder.display()))?;
    if let Address::Sqlite(path) = address
        && let Some(folder) = path.parent()
    {
        application::create_private_folder(folder)
            .map_err(|error| Failure(format!("{} cannot be created: {error}", folder.display())))?;
    }
    let blobs = application::open_blobs(config)?;
    reject_foreign_objects(&blobs, backup).await?;
    Ok(blobs)
}

/// Fails if there is any object that does not belong to this backup. Objects of the backup come from an interrupted restore.
async fn reject_foreign_objects(blobs: &Blobs, backup: &Backup) -> Result<(), Failure> {
    let ours: HashMap<&str, u64> =
        backup.manifest.objects.iter().map(|object| (object.name.as_str(), object.size_bytes)).collect();
    let mut objects = std::pin::pin!(blobs.list(Prefix::All));
    while let Some(object) = objects.try_next().await? {
        if ours.get(&*object.key.to_string()) != Some(&object.size_bytes) {
            return Err(Failure(format!(
                "there is an object {} in {}; a backup can only be restored into an empty installation",
                object.key,
                blobs.describe()
            )));
        }
    }
    Ok(())
}

async fn put_objects(blobs: &Blobs, backup: &Backup) -> Result<(), Failure> {
    let objects = &backup.manifest.objects;
    let whole = objects.iter().map(|object| object.size_bytes).sum();
    let mut progress = Progress::new(&Clock::System, whole, "bytes");
    let puts = stream::iter(objects.iter().map(|object| (object, backup.object(&object.name))))
        .map(|(object, path)| put_object(blobs, object, path))
        .buffered(MAX_CONCURRENT_OBJECTS);
    let (mut puts, mut bytes, mut done) = (std::pin::pin!(puts), 0, 0);
    while let Some(size_bytes) = puts.try_next().await? {
        (bytes, done) = (bytes + size_bytes, done + 1);
        progress.update(bytes, &format!("{} objects", group_digits(done)));
    }
    progress.finish();
    Ok(())
}

async fn put_object(blobs: &Blobs, listed: &FileEntry, path: PathBuf) -> Result<u64, Failure> {
    let Some(key) = Key::parse(&listed.name) else {
        return Err(Failure(format!("{:?} is not the name of an object", listed.name)));
    };
    // Objects are written completely or not at all, and names are unique per upload.
    if blobs.head(&key).await?.is_some() {
        return Ok(listed.size_bytes);
    }
    let (mut file, mut passed) = (File::open(&path)?, ByteDigest::default());
    let mut writer = blobs.writer(&key);
    let mut piece = vec![0; CHUNK_BYTES];
    loop {
        let read = file.read(&mut piece)?;
        if read == 0 {
            break;
        }
        passed.add(&piece[..read]);
        writer.write(&piece[..read]).await?;
    }
    if passed.into_entry(listed.name.clone()) != *listed {
        writer.abort().await?;
        return Err(Failure(format!("{} was changed while it was read", path.display())));
    }
    writer.finish().await?;
    Ok(listed.size_bytes)
}
