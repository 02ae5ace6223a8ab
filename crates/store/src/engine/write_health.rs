//! Tracks whether writes work, by the outcome of recent commits.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use crate::Error;
use crate::engine::error::StorageFault;

/// The outcome of the store's recent writes, shared by all its transactions.
#[derive(Clone, Debug, Default)]
pub struct WriteHealth {
    state: Arc<Mutex<State>>,
    /// Held during a probe, so that concurrent health checks cause one probe only.
    pub(super) probe_lock: Arc<tokio::sync::Mutex<()>>,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub committed_at: Option<Instant>,
    /// The fault that made the last write fail, until a probe has succeeded.
    pub fault: Option<(StorageFault, Instant)>,
}

impl WriteHealth {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the outcome of a commit.
    pub(crate) fn record_commit(&self, outcome: Result<(), sqlx::Error>) -> Result<(), Error> {
        match outcome.map_err(Error::from) {
            Ok(()) => {
                self.state().committed_at = Some(Instant::now());
                Ok(())
            }
            Err(error) => {
                self.record_error(&error);
                Err(error)
            }
        }
    }

    /// Records a storage fault. Other errors are ignored.
    pub(crate) fn record_error(&self, error: &Error) {
        if let Error::Storage(fault) = error {
            self.state().fault = Some((fault.clone(), Instant::now()));
        }
    }
}
