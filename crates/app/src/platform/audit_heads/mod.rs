//! Heads of the audit chains, recorded outside the database.
//!
//! Whoever can write to the database can put an older copy of it in place, and nothing in it would show that. So whenever the
//! sealer has moved chains, it appends their heads to a file that lies beside the installation key, and to the log. A line is JSON,
//! signed with the key of its epoch, and names the signature of the line before it; the database keeps the last of them, sealed. The newest
//! head of a chain stands for all before it, so the file need not grow for ever: when it is large, it becomes `….1` in the place of an
//! older one, and a new one begins with the newest heads of all chains.

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
pub(crate) use recorded_files::init_recorded_files;
pub(crate) use recorded_heads::{ChainHeads, HeadsByPosition};
pub use recorded_heads::{HeadsLog, RecordedHeads};

/// What the file is called, in the data folder.
pub(crate) const HEADS_FILE: &str = "audit-heads.log";

/// Why nothing counts as it did before a line.
#[derive(Clone, Copy)]
enum Reset {
    /// The database is that of a backup of this time.
    Restored(Timestamp),
    /// An operator takes the chains as they are.
    Accepted,
}

/// The file of this process, and what could not be written to it yet.
pub(crate) struct AuditHeads {
    path: PathBuf,
    /// Newest heads that are not in the file: its disk was full, or it is new.
    pending: Mutex<BTreeMap<i64, Head>>,
    /// What this process wrote last.
    tip: Arc<Mutex<Option<Tip>>>,
    /// Whether this process has recorded where all chains stood when it began: what a killed one left out.
    has_begun: AtomicBool,
    /// Whether a line that the database knows was found missing. It stays so until an operator accepts it.
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

impl App {
    /// Where heads are recorded.
    pub fn heads_path(&self) -> &Path {
        &self.audit_heads.path
    }

    /// Records heads in the file and in the log. If the file cannot be written to, they wait for the next time.
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

    /// Records where all chains stand, once in a process: one that was killed may have moved them without a record.
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

    /// Records that the database is now that of a backup, and so may lack what was recorded.
    pub(crate) async fn record_restore_reset(&self, made_at: Timestamp) -> Result<(), Error> {
        let heads = self.all_heads().await?;
        self.append_line(heads, Some(Reset::Restored(made_at))).await
    }

    /// Takes the chains as they are: their ends are authenticated anew, and of what was recorded before nothing counts any more. It
    /// cannot hide that a row was changed, since that breaks the chain itself.
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
            // The line stands; the next one tells the database of both.
            None => {
                if let Err(error) = remembered {
                    tracing::warn!("the recorded heads were not noted in the database: {error}");
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests;
