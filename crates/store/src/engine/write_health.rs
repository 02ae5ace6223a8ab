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
    pub(crate) fn record_commit(&self, outcome: Result<(), Error>) -> Result<(), Error> {
        match outcome {
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

    /// Records a storage fault, and that the last commit proves nothing about a server that is gone or read-only. Other errors are ignored.
    pub(crate) fn record_error(&self, error: &Error) {
        match error {
            Error::Storage(fault) => self.state().fault = Some((fault.clone(), Instant::now())),
            Error::Unavailable(_) | Error::OutcomeUnknown(_) => self.state().committed_at = None,
            _ => {}
        }
    }
}
