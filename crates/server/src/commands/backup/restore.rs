//! `keepclear restore`: objects first and the database last, so that what is there whole is there with all it speaks of.

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

/// How much of an object is read at once.
const CHUNK_BYTES: usize = 1 << 18;

/// Restores a backup into the configured places, which must be empty.
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
        // Before the database, which is of no use without it.
        if let KeyAction::Install(key) = &key {
            keys.install(key)?;
        }
        restore_database(config, &address, &backup).await?;
        Ok::<_, Failure>((blobs, key))
    };
    let (blobs, key) = tokio::select! {
        brought = restore_all => brought?,
        () = stop => return Err(Failure(
            "it was interrupted: there is no database yet, and running it again goes on".to_owned()
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
            "There is a new installation key, {key}, in {place}; a file with another key that was there stays beside it, with \
             the id of that key behind its name. {sessions} sessions and {links} invitations and password resets ended, second \
             factors are to be set up again, and the audit log so far cannot be checked any more."
        )),
        None => Ok(()),
    }
}

/// Where the installation key of a backup comes from.
enum KeyAction {
    /// It is here already, or none is needed.
    Present,
    /// From the backup.
    Install(InstallationKey),
    /// It is lost, and whoever restores knows.
    Lost,
}

/// Finds the key of a backup, before anything is written; or says what is lost without it, and how to go on.
fn plan_key(backup: &Backup, keys: &KeySource, new_key: bool) -> Result<KeyAction, Failure> {
    let Some(id) = &backup.manifest.key_id else { return Ok(KeyAction::Present) };
    let present_keys = keys.keys()?;
    let is_here = present_keys.iter().any(|key| key.id() == *id);
    let place = keys.describe();
    // One that a rotation has set aside.
    let set_aside_path = keys.retired_key_path(id);
    if new_key {
        let found = match (is_here, backup.key()?, &set_aside_path) {
            (true, ..) => format!("it is {place}"),
            (false, Some(_), _) => "it is in the backup".to_owned(),
            (false, None, Some(path)) => format!("it is {}", path.display()),
            (false, None, None) => return Ok(KeyAction::Lost),
        };
        return Err(Failure(format!(
            "the installation key {id} of the backup is not lost: {found}. --new-key would give up what it opens; leave it out, and \
             run keepclear key rotate afterwards if the key is to be changed"
        )));
    }
    if is_here {
        return Ok(KeyAction::Present);
    }
    match (backup.key()?, present_keys.first()) {
        (Some(key), None) => Ok(KeyAction::Install(key)),
        (Some(_), Some(other)) => Err(Failure(format!(
            "the backup holds the installation key {id}, and {place} is the key {}; move that one away first",
            other.id()
        ))),
        (None, _) if set_aside_path.is_some() => Err(Failure(format!(
            "the secrets in the backup are sealed with the installation key {id}, which is {} and not {place}. Move the file that is \
             there away, put that one in its place, and run this again",
            set_aside_path.unwrap_or_default().display()
        ))),
        (None, _) => Err(Failure(format!(
            "the secrets in the backup are sealed with the installation key {id}, which is neither in it nor in {place}. \
             Put it there and run this again. If it is lost, --new-key goes on without it: all sessions, refresh tokens, \
             invitations and password resets end, second factors are to be set up again, and the audit log so far \
             cannot be checked any more. Passwords and device tokens stay as they are"
        ))),
    }
}

/// Fills the database, and lets it be seen once its rows are those that were backed up.
async fn restore_database(config: &Config, address: &Address, backup: &Backup) -> Result<(), Failure> {
    let filling = Restore::begin(address, &config.database, &backup.database()).await?;
    let sums = compute_checksums(&mut filling.snapshot().await?).await?;
    let faults = differences(&backup.manifest.tables, &sums);
    fail_if_any(&faults, "the restored database is not what was backed up, and must not be used")?;
    Ok(filling.finish()?)
}

/// Fails for whatever would keep a backup from being restored, before anything is written; gives where objects go.
async fn check_preconditions(config: &Config, address: &Address, backup: &Backup) -> Result<Blobs, Failure> {
    store::ensure_not_newer(&backup.manifest.migrations)?;
    let (made, ours) = (backup.manifest.engine, address.engine());
    if made != ours {
        return Err(Failure(format!("the backup is of {made}, and the configured database of {ours}")));
    }
    store::ensure_empty(address, &config.database)
        .await
        .map_err(|error| Failure(format!("{error}; a backup is only restored where nothing is")))?;
    fail_if_any(&backup.check_files().await?, &format!("the backup {} is damaged", backup.folder.display()))?;
    if let Address::Sqlite(path) = address
        && let Some(folder) = path.parent()
    {
        application::create_private_folder(folder)
            .map_err(|error| Failure(format!("{} cannot be made: {error}", folder.display())))?;
    }
    let blobs = application::open_blobs(config)?;
    reject_foreign_objects(&blobs, backup).await?;
    Ok(blobs)
}

/// Fails if there is any object that is not of this backup. Those that are were put there by a restore that was interrupted.
async fn reject_foreign_objects(blobs: &Blobs, backup: &Backup) -> Result<(), Failure> {
    let ours: HashMap<&str, u64> =
        backup.manifest.objects.iter().map(|object| (object.name.as_str(), object.size_bytes)).collect();
    let mut objects = std::pin::pin!(blobs.list(Prefix::All));
    while let Some(object) = objects.try_next().await? {
        if ours.get(&*object.key.to_string()) != Some(&object.size_bytes) {
            return Err(Failure(format!(
                "there is an object {} in {}; a backup is only restored where nothing is",
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
        return Err(Failure(format!("{:?} is no name of an object", listed.name)));
    };
    // Objects are there whole or not at all, and no two uploads have the same name.
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
