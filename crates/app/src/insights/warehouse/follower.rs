//! Follows the changes of one brand.

use std::collections::BTreeSet;
use std::time::Duration;

use domain::{BrandId, Monotonic};
use tokio::task::JoinSet;
use tokio::time::Instant;
use warehouse::{CopyId, KeptFrom, NodeId};

use super::failure_log::FailureLog;
use super::fills::Fills;
use super::lack::Lack;
use super::looks::{LookedAt, NodeLooks};
use super::step::{CopyWriter, Positions, StepError};
use crate::platform::feed_lags::HeldCopy;
use crate::{Error, Feed};

/// After a failure a brand rests for this long.
const REST: Duration = Duration::from_secs(1);

/// The follower of one copy.
pub(super) struct Follower {
    writer: CopyWriter,
    /// How far the copy is behind.
    held: HeldCopy,
    /// The nodes that get each page of changes.
    following: Positions,
    /// Fill other nodes.
    fills: Fills,
    looks: NodeLooks,
    /// Drop what is not needed any more. They return a node from which other copies are still to be dropped.
    cleaners: JoinSet<Option<NodeId>>,
    /// The nodes from which other copies are to be dropped, when they answer.
    to_clean: BTreeSet<NodeId>,
    rests_until: Option<Instant>,
    failures: FailureLog,
    /// Of looks at nodes without which the copy cannot answer.
    look_failures: FailureLog,
    /// From when on facts were kept when months were last dropped.
    dropped_before: KeptFrom,
}

impl Follower {
    pub fn new(writer: CopyWriter) -> Self {
        // A copy that is never complete is behind from here on.
        let (app, brand) = (&writer.app, writer.copy.brand);
        let held = app.feed_lags.hold(Feed::Warehouse, brand, app.clock.monotonic());
        Self {
            held,
            to_clean: writer.cluster().nodes().collect(),
            writer,
            following: Positions::new(),
            fills: Fills::default(),
            looks: NodeLooks::default(),
            cleaners: JoinSet::new(),
            rests_until: None,
            failures: FailureLog::default(),
            look_failures: FailureLog::default(),
            dropped_before: KeptFrom::default(),
        }
    }

    pub fn copy(&self) -> CopyId {
        self.writer.copy
    }

    /// Distinguishes it from other followers, also of the same copy.
    pub fn number(&self) -> u64 {
        self.held.holder()
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

    /// Whether a node, or a replica of it, follows.
    fn is_replaced(&self, node: NodeId) -> bool {
        let cluster = self.writer.cluster();
        let shard = cluster.placement(node).shard;
        self.following.keys().any(|other| cluster.placement(*other).shard == shard)
    }

    /// Takes note of the brand's last change, which was read after this time: if nodes have it, they have everything from before.
    pub fn note_last_seq(&self, last_seq: i64, read_after: Monotonic) {
        if self.has_change(last_seq) {
            self.held.complete_as_of(read_after);
        }
    }

    /// Whether there is something to do for a brand whose last change has this number.
    pub fn is_due(&mut self, last_seq: i64) -> bool {
        if self.rests_until.is_some_and(|until| Instant::now() < until) {
            return false;
        }
        while let Some(ended) = self.cleaners.try_join_next() {
            self.to_clean.extend(ended.ok().flatten());
        }
        let have_fills_ended = self.fills.have_ended();
        self.looks.have_ended()
            || have_fills_ended
            || self.nodes_to_look_at().next().is_some()
            || self.following.values().any(|position| position.seq != last_seq)
    }

    fn nodes_to_look_at(&self) -> impl Iterator<Item = NodeId> {
        let nodes = self.writer.cluster().nodes().filter(|node| !self.fills.is_filling(*node));
        nodes.filter(|node| self.looks.is_due(*node, self.following.contains_key(node)))
    }

    /// Does what is due. Failures are logged, and the next round tries again.
    pub async fn round(mut self, last_seq: i64) -> Self {
        match self.try_round(last_seq).await {
            Ok(()) => {
                self.rests_until = None;
                self.failures = FailureLog::default();
            }
            Err(StepError::WentBack) => {
                self.rests_until = Some(Instant::now() + REST);
                self.replace_copy().await;
            }
            Err(StepError::Failed(error)) => {
                self.rests_until = Some(Instant::now() + REST);
                let brand = self.brand();
                self.failures.log("the warehouse does not follow it for now", brand, &error);
            }
        }
        self
    }

    async fn try_round(&mut self, last_seq: i64) -> Result<(), StepError> {
        let began_at = self.writer.app.clock.monotonic();
        self.following.extend(self.fills.take(self.brand())?);
        let unfilled = self.take_looks(last_seq);
        self.begin_filling(&unfilled);
        self.wake_needed_nodes();
        // With each look, because another server may have taken over without a change.
        let has_begun_looks = self.begin_looks();
        let is_behind = self.following.values().any(|position| position.seq != last_seq);
        if is_behind || (has_begun_looks && !self.following.is_empty()) {
            let nodes = self.writer.cluster().nodes();
            let resting: Vec<NodeId> = nodes.filter(|node| self.looks.is_resting(*node)).collect();
            let stepped = self.writer.step(&mut self.following, &resting).await?;
            for node in &stepped.slow {
                // Otherwise their replicas would wait for them again and again.
                self.looks.rest(*node);
            }
            if stepped.is_complete && self.has_change(last_seq) {
                self.held.complete_as_of(began_at);
                self.look_failures = FailureLog::default();
            }
            self.drop_expired(stepped.kept_from);
        }
        Ok(())
    }

    /// Lets nodes that rest come back if no replica of them follows any more: a slow node is better than none.
    fn wake_needed_nodes(&mut self) {
        for node in self.writer.cluster().nodes() {
            if !self.is_replaced(node) {
                self.looks.wake(node);
            }
        }
    }

    /// Begins to fill nodes, each by what it lacks.
    fn begin_filling(&mut self, unfilled: &[(NodeId, Lack)]) {
        let replaced: BTreeSet<NodeId> =
            unfilled.iter().map(|(node, _)| *node).filter(|node| self.is_replaced(*node)).collect();
        for lack in [Lack::Changes, Lack::Rows] {
            let nodes = unfilled.iter().filter(|(_, own)| *own == lack).map(|(node, _)| *node).collect();
            self.fills.begin(&self.writer, lack, nodes, |node| !replaced.contains(&node));
        }
    }

    /// Looks at nodes that are due, and waits for none of them. Returns whether there are some.
    fn begin_looks(&mut self) -> bool {
        let nodes: Vec<NodeId> = self.nodes_to_look_at().collect();
        for node in &nodes {
            self.looks.begin(&self.writer, *node, self.following.get(node).copied());
        }
        !nodes.is_empty()
    }

    /// Takes what nodes said. Those that hold nothing more do not follow, those that hold enough do, and the others are returned.
    fn take_looks(&mut self, last_seq: i64) -> Vec<(NodeId, Lack)> {
        let (mut unfilled, mut failed) = (Vec::new(), Vec::new());
        for look in self.looks.take() {
            let (writer, node) = (&self.writer, look.node);
            let applied = match look.held {
                Ok(applied) => applied,
                Err(error) => {
                    self.following.remove(&node);
                    writer.note_fault(node, &error);
                    failed.push((node, error));
                    continue;
                }
            };
            let placement = writer.cluster().placement(node);
            let own = applied.filter(|applied| applied.is_of_store(writer.app.store_id(), placement));
            // Compared with what was known when the look began. One that was left out since comes back.
            let known = self.following.get(&node).and(look.known.as_ref());
            match LookedAt::new(known, own.as_ref(), last_seq) {
                LookedAt::Unchanged => {}
                LookedAt::Follows(from) => {
                    self.following.insert(node, from);
                }
                LookedAt::Lacks(lack) => {
                    self.following.remove(&node);
                    unfilled.push((node, lack));
                }
            }
            self.drop_other_copies(node);
        }
        // Only now, because a replica may have been looked at after the node.
        for (node, error) in failed {
            if !self.is_replaced(node) {
                let (brand, error) = (self.brand(), Error::internal(error));
                self.look_failures.log("a node that it needs cannot be asked", brand, &error);
            }
        }
        unfilled
    }

    /// Drops whole months of which no fact is kept, when more was deleted. Those who follow do not wait for that.
    fn drop_expired(&mut self, kept_from: KeptFrom) {
        if kept_from == self.dropped_before {
            return;
        }
        for node in self.following.keys().copied() {
            let writer = self.writer.clone();
            self.cleaners.spawn(async move {
                // It is tried again when more was deleted. Until then it costs nothing but space.
                if let Err(error) = writer.cluster().drop_expired(node, writer.copy, kept_from).await {
                    let brand = writer.copy.brand;
                    tracing::warn!("months of brand {brand} that are over were not dropped: {error}");
                }
                None
            });
        }
        self.dropped_before = kept_from;
    }

    /// Drops the tables of copies that this one has replaced from a node that answers, once.
    fn drop_other_copies(&mut self, node: NodeId) {
        if !self.to_clean.remove(&node) {
            return;
        }
        let writer = self.writer.clone();
        self.cleaners.spawn(async move {
            let error = writer.drop_other_copies(node).await.err()?;
            tracing::debug!("copies that were replaced are dropped later: {error}");
            Some(node)
        });
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
