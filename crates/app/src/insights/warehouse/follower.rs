//! Follows the changes of one brand.

use std::time::Duration;

use domain::{BrandId, Monotonic};
use futures_util::future::join_all;
use tokio::task::JoinSet;
use tokio::time::Instant;
use warehouse::{CopyId, KeptFrom, NodeId};

use super::step::{CopyWriter, Position, Positions, StepError};
use crate::{Error, Feed};

/// What nodes hold is looked at this often, because one may have lost it, and those that were left out more often.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);
const LOOK_INTERVAL_IF_SOME_ARE_OUT: Duration = Duration::from_secs(1);
/// A node that lacks at most this many changes follows. They are a page, which arrives in a moment.
const MAX_GAP: i64 = 50_000;
/// After a failure a brand rests for this long.
const REST: Duration = Duration::from_secs(1);

/// The follower of one copy.
pub(super) struct Follower {
    writer: CopyWriter,
    /// The nodes that get each page of changes.
    following: Positions,
    /// The task that fills other nodes, at most one.
    filler: JoinSet<Result<Positions, StepError>>,
    /// The nodes that it fills.
    filled: Vec<NodeId>,
    /// What it returned.
    outcome: Option<Result<Positions, StepError>>,
    looked_at: Option<Instant>,
    rests_until: Option<Instant>,
    /// From when on facts were kept when months were last dropped.
    dropped_before: KeptFrom,
    has_dropped_others: bool,
}

impl Follower {
    pub fn new(writer: CopyWriter) -> Self {
        Self {
            writer,
            following: Positions::new(),
            filler: JoinSet::new(),
            filled: Vec::new(),
            outcome: None,
            looked_at: None,
            rests_until: None,
            dropped_before: KeptFrom::default(),
            has_dropped_others: false,
        }
    }

    pub fn copy(&self) -> CopyId {
        self.writer.copy
    }

    fn brand(&self) -> BrandId {
        self.writer.copy.brand
    }

    /// Whether some node of every shard has this change.
    fn has_change(&self, seq: i64) -> bool {
        let cluster = self.writer.cluster();
        (1..=cluster.shards()).all(|shard| {
            self.following.iter().any(|(node, at)| cluster.placement(*node).shard == shard && at.seq >= seq)
        })
    }

    /// Takes note of the brand's last change, which was read after this time: if nodes have it, they have everything from before.
    pub fn note_last_seq(&self, last_seq: i64, read_after: Monotonic) {
        if self.has_change(last_seq) {
            self.writer.app.feed_lags.complete_as_of(Feed::Warehouse, self.brand(), read_after);
        }
    }

    /// Whether there is something to do for a brand whose last change has this number.
    pub fn is_due(&mut self, last_seq: i64) -> bool {
        if self.rests_until.is_some_and(|until| Instant::now() < until) {
            return false;
        }
        if self.outcome.is_none() {
            self.outcome = self.filler.try_join_next().map(|ended| match ended {
                Ok(outcome) => outcome,
                Err(error) => Err(StepError::Failed(Error::internal(error))),
            });
        }
        self.outcome.is_some()
            || self.is_look_due()
            || self.following.values().any(|position| position.seq != last_seq)
    }

    fn is_look_due(&self) -> bool {
        let known = self.following.len() + self.filled.len();
        let interval = match known < self.writer.cluster().nodes().count() {
            true => LOOK_INTERVAL_IF_SOME_ARE_OUT,
            false => LOOK_INTERVAL,
        };
        self.looked_at.is_none_or(|at| at.elapsed() >= interval)
    }

    /// Does what is due. Failures are logged, and the next round tries again.
    pub async fn round(mut self, last_seq: i64) -> Self {
        match self.try_round(last_seq).await {
            Ok(()) => self.rests_until = None,
            Err(StepError::WentBack) => {
                self.rests_until = Some(Instant::now() + REST);
                self.replace_copy().await;
            }
            Err(StepError::Failed(error)) => {
                // Of failures in a row, only the first is logged.
                if self.rests_until.replace(Instant::now() + REST).is_none() {
                    tracing::warn!("the warehouse does not follow brand {} for now: {error}", self.brand());
                }
            }
        }
        self
    }

    async fn try_round(&mut self, last_seq: i64) -> Result<(), StepError> {
        let began_at = self.writer.app.clock.monotonic();
        self.take_filled()?;
        let to_fill = match self.is_look_due() {
            true => self.look(last_seq).await,
            false => Vec::new(),
        };
        if !self.following.is_empty() {
            let stepped = self.writer.step(&mut self.following).await?;
            if stepped.is_complete && self.has_change(last_seq) {
                self.writer.app.feed_lags.complete_as_of(Feed::Warehouse, self.brand(), began_at);
            }
            self.drop_expired(stepped.kept_from).await;
        }
        if self.filler.is_empty() && !to_fill.is_empty() {
            self.filled.clone_from(&to_fill);
            self.filler.spawn(self.writer.clone().fill(to_fill));
        }
        Ok(())
    }

    /// Lets the nodes that were filled follow.
    fn take_filled(&mut self) -> Result<(), StepError> {
        let Some(outcome) = self.outcome.take() else { return Ok(()) };
        self.filled.clear();
        self.following.extend(outcome?);
        Ok(())
    }

    /// Looks at what nodes hold. Those that hold nothing more do not follow, those that hold enough do, and the others are returned.
    async fn look(&mut self, last_seq: i64) -> Vec<NodeId> {
        self.looked_at = Some(Instant::now());
        self.drop_other_copies().await;
        let (writer, mut to_fill) = (&self.writer, Vec::new());
        let others = writer.cluster().nodes().filter(|node| !self.filled.contains(node));
        let looks =
            others.map(|node| async move { (node, writer.cluster().applied(node, writer.copy).await) });
        for (node, applied) in join_all(looks).await {
            let applied = match applied {
                Ok(applied) => applied,
                Err(error) => {
                    writer.leave_out(&mut self.following, node, &error);
                    continue;
                }
            };
            let placement = writer.cluster().placement(node);
            let own = applied.filter(|applied| applied.is_of_store(writer.app.store_id(), placement));
            let known = self.following.get(&node);
            match own {
                // One that holds less than it said before has lost something, and goes on from what it holds.
                Some(own) if known.is_some_and(|at| at.filling == own.filling && at.seq <= own.seq) => {}
                Some(own) if last_seq - own.seq <= MAX_GAP => {
                    self.following.insert(node, Position::from(&own));
                }
                _ => {
                    self.following.remove(&node);
                    to_fill.push(node);
                }
            }
        }
        to_fill
    }

    /// Drops whole months of which no fact is kept, when more was deleted.
    async fn drop_expired(&mut self, kept_from: KeptFrom) {
        if kept_from == self.dropped_before {
            return;
        }
        for node in self.following.keys() {
            // It is tried again when more was deleted. Until then it costs nothing but space.
            if let Err(error) = self.writer.cluster().drop_expired(*node, self.copy(), kept_from).await {
                tracing::warn!("months of brand {} that are over were not dropped: {error}", self.brand());
            }
        }
        self.dropped_before = kept_from;
    }

    /// Drops the tables of copies that this one has replaced.
    async fn drop_other_copies(&mut self) {
        if self.has_dropped_others {
            return;
        }
        match self.writer.drop_other_copies().await {
            Ok(()) => self.has_dropped_others = true,
            Err(error) => tracing::debug!("copies that were replaced are dropped later: {error}"),
        }
    }

    /// Gives the copy up for another one, because the database does not have all its changes any more.
    async fn replace_copy(&mut self) {
        let brand = self.brand();
        tracing::warn!(
            "the database may not have all changes of brand {brand} any more; its copy is made anew"
        );
        self.following.clear();
        let app = &self.writer.app;
        let (old, new) = (self.copy().token.cast_signed(), app.random_token());
        let replaced: Result<(), Error> = async {
            let mut tx = app.store.begin().await?;
            tx.warehouse_copies(&app.platform).replace(brand, old, new).await?;
            tx.commit().await?;
            Ok(())
        }
        .await;
        if let Err(error) = replaced {
            tracing::warn!("the copy of brand {brand} is made anew later: {error}");
        }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.writer.app.feed_lags.end(Feed::Warehouse, self.brand());
    }
}
