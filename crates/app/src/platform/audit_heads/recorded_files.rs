//! The database's record of the heads files: the last line of each, sealed. It reveals a file that was truncated or removed, unless an
//! older copy of this record is restored as well.

use std::sync::atomic::Ordering;

use domain::{Random, Timestamp};
use serde::{Deserialize, Serialize};
use store::{Platform, Tx};

use super::file::Tip;
use crate::platform::sealing::KeyRing;
use crate::{App, Error, ErrorKind};

/// Purpose and context of the seal.
const SEAL_CONTEXT: (&str, &[u8]) = ("installation.heads", b"1");

/// Maximum number of files that are remembered, the newest; hosts come and go.
const MAX_FILES: usize = 64;

/// A file in which heads were recorded.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RecordedFile {
    /// The id of the file in its lines.
    pub file: String,
    /// The path on the host that wrote it.
    pub path: String,
    /// The name of that host.
    pub host: String,
    /// The signature of a line of the file: the last one, except for lines that were just written.
    pub tip: String,
    pub at: Timestamp,
}

/// Stores an empty record, for a new installation.
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
    /// Returns the files in which heads were recorded; none if the database has no valid record.
    pub(crate) async fn recorded_files(&self) -> Result<Option<Vec<RecordedFile>>, Error> {
        let mut tx = self.store.read().await?;
        self.recorded_files_in(&mut tx).await
    }

    async fn recorded_files_in(&self, tx: &mut Tx) -> Result<Option<Vec<RecordedFile>>, Error> {
        let Some(sealed) = tx.installation(&self.platform).heads().await? else { return Ok(None) };
        // A value that cannot be unsealed was written by someone without the key.
        let plain = match self.unseal_in(tx, SEAL_CONTEXT, &sealed).await {
            Ok(plain) => plain,
            // A failing store is reported; a missing key is not, because that is also how a forged value of an unknown epoch appears.
            Err(error)
                if error.kind == ErrorKind::Unavailable && error.code != "installation_key_missing" =>
            {
                return Err(error);
            }
            Err(_) => return Ok(None),
        };
        Ok(serde_json::from_slice(&plain).ok())
    }

    /// Remembers the last line of this process's file. With `is_only_file`, all other files are forgotten. A missing record stays missing,
    /// because only an operator can say that this is legitimate.
    pub(crate) async fn record_tip(&self, tip: &Tip, is_only_file: bool) -> Result<(), Error> {
        let mut tx = self.store.begin().await?;
        tx.installation(&self.platform).lock().await?;
        let keys = self.refresh_keys(&mut tx).await?;
        let mut files = match self.recorded_files_in(&mut tx).await? {
            _ if is_only_file => Vec::new(),
            Some(files) => files,
            None => return Ok(()),
        };
        // The line that the database knows must still be there. Otherwise the file was truncated, and updating the record would hide it.
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

/// Returns the host name according to the system. In a container it may change with every start.
pub(crate) fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname");
    name.map(|name| name.trim().to_owned()).unwrap_or_default()
}
