//! Heads of the audit chains, recorded outside the database.
//!
//! Anyone who can write to the database can replace it by an older copy, and nothing in it would show that. After sealing, the heads of
//! the chains are therefore appended to a file beside the installation key, and to the log. A line is JSON, signed with the key of its
//! epoch, and names the signature of the previous line; the database stores the last one, sealed. Because the newest head of a chain
//! covers all before it, the file can be rotated: a large file becomes `….1`, and a new one starts with the newest heads of all chains.

mod file;
mod line;
mod recorded_files;
mod recorded_heads;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::Timestamp;
use serde_json::json;

use crate::platform::audit_chain_ends::authenticate_ends;
use crate::{App, Error};
use file::Tip;
pub(crate) use line::Head;
use line::HeadsLine;
pub(crate) use recorded_files::{host_name, init_recorded_files};
pub(crate) use recorded_heads::{ChainHeads, HeadsByPosition};
pub use recorded_heads::{HeadsLog, RecordedHeads};

/// The reason why earlier records no longer count.
#[derive(Clone, Copy)]
enum Reset {
    /// The database was restored from a backup of this time.
    Restored(Timestamp),
    /// An operator accepted the chains as they are.
    Accepted,
}

/// The heads file of this process, and the heads that could not be written yet.
pub(crate) struct AuditHeads {
    path: PathBuf,
    /// The newest heads that are not in the file yet, for example because its disk was full.
    pending: Mutex<BTreeMap<i64, Head>>,
    /// The last write of this process.
    tip: Arc<Mutex<Option<Tip>>>,
    /// Whether this process has recorded the heads of all chains, as it does once to cover what a killed process left out.
    has_begun: AtomicBool,
    /// Whether a line that the database knows is missing from the file. Stays set until an operator accepts it.
    is_truncated: AtomicBool,
}

impl AuditHeads {
    pub fn at(path: PathBuf) -> Self {
        Self {
            path,
            pending: Mutex::default(),
            tip: Arc::default(),
            has_begun: AtomicBool::new(false),
            is_truncated: AtomicBool::new(false),
        }
    }

    fn pending(&self) -> MutexGuard<'_, BTreeMap<i64, Head>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[macros::boxed]
impl App {
    pub fn heads_path(&self) -> &Path {
        &self.audit_heads.path
    }

    /// Records heads in the file and in the log. If the file cannot be written, they are recorded the next time.
    pub(crate) async fn record_heads(&self, moved: Vec<Head>) {
        let heads: Vec<Head> = {
            let mut pending = self.audit_heads.pending();
            pending.extend(moved.into_iter().map(|head| (head.chain, head)));
            pending.values().cloned().collect()
        };
        if heads.is_empty() {
            return;
        }
        match self.append_line(heads.clone(), None).await {
            Ok(()) => self.audit_heads.pending().retain(|_, head| !heads.contains(head)),
            Err(error) => tracing::error!("the heads of the audit chains were not recorded: {error}"),
        }
    }

    /// Records the heads of all chains once per process, because a killed process may have extended chains without a record.
    pub(crate) async fn record_initial_heads(&self) -> Result<(), Error> {
        if !self.audit_heads.has_begun.load(Ordering::Relaxed) {
            let heads = self.all_heads().await?;
            self.record_heads(heads).await;
            self.audit_heads.has_begun.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    async fn all_heads(&self) -> Result<Vec<Head>, Error> {
        let ends = self.store.read().await?.audits(&self.platform).ends().await?;
        let epoch = i64::from(self.keys().current);
        Ok(ends.iter().filter(|end| end.position > 0).map(|end| Head::of(end, epoch)).collect())
    }

    /// Records that the database was restored from a backup, and may therefore lack what was recorded.
    pub(crate) async fn record_restore_reset(&self, made_at: Timestamp) -> Result<(), Error> {
        let heads = self.all_heads().await?;
        self.append_line(heads, Some(Reset::Restored(made_at))).await
    }

    /// Accepts the chains as they are: authenticates their ends, and discards earlier records. This cannot hide a changed row, because that
    /// breaks the chain itself.
    pub async fn accept_heads(&self) -> Result<(), Error> {
        let mut tx = self.store.begin().await?;
        self.lock_audit_log(&mut tx).await?;
        let keys = self.refresh_keys(&mut tx).await?;
        let chains = authenticate_ends(&mut tx, &self.platform, &keys).await?;
        let details = json!({ "chains": chains });
        self.record_installation_audit(&mut tx, "audit_heads.accepted", details).await?;
        tx.commit().await?;
        let heads = self.all_heads().await?;
        self.append_line(heads, Some(Reset::Accepted)).await
    }

    async fn append_line(&self, heads: Vec<Head>, reset: Option<Reset>) -> Result<(), Error> {
        let (keys, random) = (self.keys(), self.random.clone());
        let line = HeadsLine {
            at: self.clock.now(),
            store: self.store_id.clone(),
            epoch: i64::from(keys.current),
            file: String::new(),
            previous: String::new(),
            restored_from: match reset {
                Some(Reset::Restored(made_at)) => Some(made_at),
                _ => None,
            },
            accepted: matches!(reset, Some(Reset::Accepted)),
            begins: false,
            heads,
        };
        let (path, known) = (self.audit_heads.path.clone(), Arc::clone(&self.audit_heads.tip));
        let work = move || {
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            let tip = file::append(&path, known.as_ref(), line, (&keys, &random));
            let tip = tip.map_err(|error| format!("{}: {error}", path.display()))?;
            *known = Some(tip.clone());
            Ok::<_, String>(tip)
        };
        let tip = tokio::task::spawn_blocking(work).await.map_err(Error::internal)?;
        let tip = tip.map_err(Error::internal)?;
        let remembered = self.record_tip(&tip, reset.is_some()).await;
        match reset {
            Some(_) => remembered,
            // The line is written; the next one updates the database for both.
            None => {
                if let Err(error) = remembered {
                    tracing::warn!("the database was not updated after heads were recorded: {error}");
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests;
