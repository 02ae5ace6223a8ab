//! What the database knows of the files that heads were recorded in: the last line of each, sealed. So a file that was shortened or removed
//! is noticed, unless someone also puts back an older copy of this value.

use std::sync::atomic::Ordering;

use domain::{Random, Timestamp};
use serde::{Deserialize, Serialize};
use store::{Platform, Tx};

use super::file::Tip;
use crate::platform::sealing::KeyRing;
use crate::{App, Error, ErrorKind};

/// What the value is sealed for, and the row it stands in.
const SEAL_CONTEXT: (&str, &[u8]) = ("installation.heads", b"1");

/// How many files are remembered, the newest: hosts come and go.
const MAX_FILES: usize = 64;

/// A file that heads were recorded in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RecordedFile {
    /// What its lines call it.
    pub file: String,
    /// Where it was, as the host that wrote it calls it.
    pub path: String,
    /// What that host calls itself.
    pub host: String,
    /// The signature of a line of it, the last one but for those of the moment.
    pub tip: String,
    pub at: Timestamp,
}

/// Writes down that no head was recorded yet: what a new installation begins with.
pub(crate) async fn init_recorded_files(
    tx: &mut Tx,
    platform: &Platform,
    (keys, random): (&KeyRing, &Random),
) -> Result<(), Error> {
    store_recorded_files(tx, platform, (keys, random), &[]).await
}

async fn store_recorded_files(
    tx: &mut Tx,
    platform: &Platform,
    (keys, random): (&KeyRing, &Random),
    files: &[RecordedFile],
) -> Result<(), Error> {
    let plain = serde_json::to_vec(files).map_err(Error::internal)?;
    let sealed = keys.seal(SEAL_CONTEXT.0, SEAL_CONTEXT.1, &plain, random)?;
    Ok(tx.installation(platform).set_heads(&sealed).await?)
}

impl App {
    /// The files that heads were recorded in; none if the database does not say.
    pub(crate) async fn recorded_files(&self) -> Result<Option<Vec<RecordedFile>>, Error> {
        let mut tx = self.store.read().await?;
        self.recorded_files_in(&mut tx).await
    }

    async fn recorded_files_in(&self, tx: &mut Tx) -> Result<Option<Vec<RecordedFile>>, Error> {
        let Some(sealed) = tx.installation(&self.platform).heads().await? else { return Ok(None) };
        // What does not open was put there by someone without the key.
        let plain = match self.unseal_in(tx, SEAL_CONTEXT, &sealed).await {
            Ok(plain) => plain,
            // The store, and not the key: that one of an unknown epoch is missing is what a made-up value looks like.
            Err(error)
                if error.kind == ErrorKind::Unavailable && error.code != "installation_key_missing" =>
            {
                return Err(error);
            }
            Err(_) => return Ok(None),
        };
        Ok(serde_json::from_slice(&plain).ok())
    }

    /// Remembers the last line of this process's file. If `alone`, it is the only file that counts from here on. What an older version
    /// or someone else left without this value stays without: only an operator says that this is as it should be.
    pub(crate) async fn record_tip(&self, tip: &Tip, is_only_file: bool) -> Result<(), Error> {
        let mut tx = self.store.begin().await?;
        tx.installation(&self.platform).lock().await?;
        let keys = self.refresh_keys(&mut tx).await?;
        let mut files = match self.recorded_files_in(&mut tx).await? {
            _ if is_only_file => Vec::new(),
            Some(files) => files,
            None => return Ok(()),
        };
        // The line that the database knows must still be there: else the file was cut, which an end that is written over would hide.
        let is_there =
            |known: &RecordedFile| tip.seen_signatures.as_ref().is_none_or(|read| read.contains(&known.tip));
        if let Some(known) = files.iter().find(|known| known.file == tip.file && !is_there(known)) {
            tracing::error!(
                "{}: the line of recorded heads that was written at {} is missing: run keepclear check",
                known.path,
                known.at
            );
            self.audit_heads.is_truncated.store(true, Ordering::Relaxed);
        }
        if is_only_file {
            self.audit_heads.is_truncated.store(false, Ordering::Relaxed);
        } else if self.audit_heads.is_truncated.load(Ordering::Relaxed) {
            return Ok(());
        }
        files.retain(|known| known.file != tip.file);
        files.push(RecordedFile {
            file: tip.file.clone(),
            path: self.heads_path().display().to_string(),
            host: host_name(),
            tip: tip.signature.clone(),
            at: self.clock.now(),
        });
        let surplus = files.len().saturating_sub(MAX_FILES);
        files.drain(..surplus);
        store_recorded_files(&mut tx, &self.platform, (&keys, &self.random), &files).await?;
        tx.commit().await?;
        Ok(())
    }
}

/// What this host calls itself, as far as the system says. In a container that may change with every start.
pub(crate) fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname");
    name.map(|name| name.trim().to_owned()).unwrap_or_default()
}
