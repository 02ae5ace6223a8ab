//! Whether writes work, as far as the last ones have shown, and how it is found out that they work again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::Error;
use crate::error::Fault;
use crate::pool::Store;
use crate::statement::sql;

/// A commit this recent proves that a write transaction can begin, so that probes of a busy service take no turn from writers.
const RECENT: Duration = Duration::from_secs(5);

/// How long the outcome of a trial stands for those who ask next.
const TRIED: Duration = Duration::from_millis(500);

/// What the writes of a store have shown; shared by all its transactions.
#[derive(Clone, Debug, Default)]
pub struct Writes {
    state: Arc<Mutex<State>>,
    /// Held by whoever tries, so that many probes are one trial.
    trying: Arc<tokio::sync::Mutex<()>>,
}

#[derive(Debug, Default)]
struct State {
    committed_at: Option<Instant>,
    /// Why the last write failed, until a trial has shown that there is room again.
    fault: Option<(Fault, Instant)>,
}

impl Writes {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of how a commit ended.
    pub(crate) fn ended(&self, outcome: Result<(), sqlx::Error>) -> Result<(), Error> {
        match outcome.map_err(Error::from) {
            Ok(()) => {
                self.state().committed_at = Some(Instant::now());
                Ok(())
            }
            Err(error) => {
                self.note(&error);
                Err(error)
            }
        }
    }

    /// Takes note of a fault of the storage; other errors say nothing about it.
    pub(crate) fn note(&self, error: &Error) {
        if let Error::Storage(fault) = error {
            self.state().fault = Some((fault.clone(), Instant::now()));
        }
    }
}

impl Store {
    /// Proves that writes work: that a transaction can begin and, if the last one failed because of the storage, that there is room
    /// for more than the smallest one, and that a commit reaches the disk. An ordinary commit that succeeds meanwhile does not count:
    /// on a full disk small ones still find room where larger ones do not.
    pub async fn prove_writes(&self) -> Result<(), Error> {
        let writes = self.writes();
        let (is_faulty, is_recent) = {
            let state = writes.state();
            (state.fault.is_some(), state.committed_at.is_some_and(|at| at.elapsed() < RECENT))
        };
        if !is_faulty {
            return if is_recent { Ok(()) } else { self.begin().await.map(drop) };
        }
        let _trying = writes.trying.lock().await;
        match &writes.state().fault {
            None => return Ok(()),
            Some((fault, at)) if at.elapsed() < TRIED => return Err(Error::Storage(fault.clone())),
            Some(_) => {}
        }
        let outcome = self.try_to_write().await;
        match &outcome {
            Ok(()) => writes.state().fault = None,
            Err(error) => writes.note(error),
        }
        outcome
    }

    /// Writes, to the disk.
    async fn try_to_write(&self) -> Result<(), Error> {
        self.find_room().await?;
        let mut tx = self.begin().await?;
        tx.fill_room().await?;
        // A row that differs each time: SQLite writes no page for a row that stays what it was. Housekeeping takes it away.
        tx.execute(sql!(
            "insert into job_slots (reconciler, slot, taken_at) values ('write_trial', 0, 0)
             on conflict (reconciler, slot) do update set taken_at = job_slots.taken_at + 1"
        ))
        .await?;
        tx.commit().await
    }
}
