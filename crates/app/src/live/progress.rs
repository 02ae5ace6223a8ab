//! How far the reports, exports and site reports of a brand are, as the last poll found it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use domain::{Span, Timestamp, UserId, WorkKind, WorkProgress};
use store::{OwnedWork, Scope, Tx};

use crate::Error;

/// Time for which finished work is still reported, so that nobody misses its end.
const RECENT_PERIOD: Span = Span::minutes(10);
/// The most work of one user that streams report, the newest of each kind.
const MAX_PER_USER: usize = 100;

type WorkKey = (WorkKind, i64);

/// The work of each user by kind, the newest of each first.
pub(super) type ProgressByUser = HashMap<UserId, Vec<WorkProgress>>;

/// Looks at the work of a brand.
#[derive(Default)]
pub(super) struct ProgressPoll {
    unfinished: BTreeSet<WorkKey>,
    /// Work that a poll found finished after it was unfinished. It may not be among the newest, which a poll finds by itself.
    finished: BTreeMap<WorkKey, OwnedWork>,
    pub current: Option<Arc<ProgressByUser>>,
}

impl ProgressPoll {
    /// Reads the progress, and returns whether it has changed.
    pub async fn poll(&mut self, tx: &mut Tx, scope: &Scope, now: Timestamp) -> Result<bool, Error> {
        let finished_after = now - RECENT_PERIOD;
        let found = tx.work_of(scope).current(finished_after).await?;
        let mut work: BTreeMap<WorkKey, OwnedWork> = found.into_iter().map(|one| (key(&one), one)).collect();
        for kind in WorkKind::ALL {
            let is_missing = |known: &&WorkKey| known.0 == kind && !work.contains_key(*known);
            let ids: Vec<i64> = self.unfinished.iter().filter(is_missing).map(|(_, id)| *id).collect();
            if !ids.is_empty() {
                let ended = tx.work_of(scope).among(kind, &ids).await?;
                self.finished.extend(ended.into_iter().map(|one| (key(&one), one)));
            }
        }
        self.finished.retain(|_, one| one.finished_at.is_some_and(|at| at > finished_after));
        for (key, one) in &self.finished {
            work.entry(*key).or_insert_with(|| one.clone());
        }
        self.unfinished = work.iter().filter(|(_, one)| !one.is_finished).map(|(key, _)| *key).collect();
        let mut by_user = ProgressByUser::new();
        for one in work.into_values().rev() {
            let own = by_user.entry(one.user).or_default();
            if own.len() < MAX_PER_USER {
                own.push(one.progress);
            }
        }
        if self.current.as_deref() == Some(&by_user) {
            return Ok(false);
        }
        self.current = Some(Arc::new(by_user));
        Ok(true)
    }
}

fn key(work: &OwnedWork) -> WorkKey {
    (work.progress.kind, work.progress.id)
}
