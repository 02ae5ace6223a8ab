//! Looks at what nodes hold, apart from the steps of those that follow: a node that is lost or frozen answers late or never.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;
use warehouse::{Applied, NodeId};

use super::lack::Lack;
use super::step::{CopyWriter, Position};

/// What nodes hold is looked at this often, because one may have lost it, and those that were left out more often.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);
const LOOK_INTERVAL_IF_OUT: Duration = Duration::from_secs(1);
/// Whether it still has all its tables is looked at this often, because that takes longer, and each time while it is left out.
const WHOLE_LOOK_INTERVAL: Duration = Duration::from_mins(1);
/// A node that is much slower than a replica is not looked at for this long.
const REST_OF_SLOW_NODE: Duration = Duration::from_secs(15);
/// A node that lacks at most this many changes follows. They are a page, which arrives in a moment.
const MAX_GAP: i64 = 50_000;

/// What becomes of a node that was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LookedAt {
    /// It holds what is known.
    Unchanged,
    /// It follows from here on.
    Follows(Position),
    /// It does not follow until it is filled.
    Lacks(Lack),
}

impl LookedAt {
    /// Compares what is known of a node that follows with what it holds of this copy.
    pub fn new(known: Option<&Position>, held: Option<&Applied>, last_seq: i64) -> Self {
        match held {
            Some(held) if known.is_some_and(|at| at.filling == held.filling && at.seq <= held.seq) => {
                Self::Unchanged
            }
            // One that holds less than it said before has lost something, and goes on from what it holds.
            Some(held) if last_seq - held.seq <= MAX_GAP => Self::Follows(Position::from(held)),
            Some(held) => Self::Lacks(Lack::after(held.seq, last_seq)),
            None => Self::Lacks(Lack::Rows),
        }
    }
}

/// What a node said.
#[derive(Debug)]
pub(super) struct Look {
    pub node: NodeId,
    /// How far the node was when the look began, if it followed. It may have got further meanwhile.
    pub known: Option<Position>,
    pub held: Result<Option<Applied>, warehouse::Error>,
}

/// The looks at the nodes of a copy, at most one at each node at a time. None waits for another.
#[derive(Default)]
pub(super) struct NodeLooks {
    tasks: JoinSet<Look>,
    under_way: BTreeSet<NodeId>,
    begun_at: BTreeMap<NodeId, Instant>,
    seen_whole_at: BTreeMap<NodeId, Instant>,
    ended: Vec<Look>,
}

impl NodeLooks {
    /// Whether a node, which follows or does not, is to be looked at.
    pub fn is_due(&self, node: NodeId, is_following: bool) -> bool {
        let interval = if is_following { LOOK_INTERVAL } else { LOOK_INTERVAL_IF_OUT };
        !self.under_way.contains(&node) && self.begun_at.get(&node).is_none_or(|at| at.elapsed() >= interval)
    }

    /// Begins to look at a node.
    pub fn begin(&mut self, writer: &CopyWriter, node: NodeId, known: Option<Position>) {
        self.under_way.insert(node);
        self.begun_at.insert(node, Instant::now());
        let (cluster, copy) = (writer.cluster().clone(), writer.copy);
        let is_whole_due = known.is_none() || self.is_whole_look_due(node);
        if is_whole_due {
            self.seen_whole_at.insert(node, Instant::now());
        }
        self.tasks.spawn(async move {
            let held = match is_whole_due {
                true => cluster.applied_if_whole(node, copy).await,
                false => cluster.applied(node, copy).await,
            };
            Look { node, known, held }
        });
    }

    fn is_whole_look_due(&self, node: NodeId) -> bool {
        self.seen_whole_at.get(&node).is_none_or(|at| at.elapsed() >= WHOLE_LOOK_INTERVAL)
    }

    /// Lets a node rest, which its replicas would wait for if it followed.
    pub fn rest(&mut self, node: NodeId) {
        self.begun_at.insert(node, Instant::now() + REST_OF_SLOW_NODE);
        self.ended.retain(|look| look.node != node);
    }

    /// Ends the rest of a node.
    pub fn wake(&mut self, node: NodeId) {
        if self.is_resting(node) {
            self.begun_at.remove(&node);
        }
    }

    pub fn is_resting(&self, node: NodeId) -> bool {
        self.begun_at.get(&node).is_some_and(|at| *at > Instant::now())
    }

    /// Returns whether some looks have ended.
    pub fn have_ended(&mut self) -> bool {
        while let Some(ended) = self.tasks.try_join_next() {
            match ended {
                Ok(look) => {
                    self.under_way.remove(&look.node);
                    if !self.is_resting(look.node) {
                        self.ended.push(look);
                    }
                }
                Err(error) => {
                    // Which node it was is unknown; all are looked at again.
                    tracing::error!("a look at a node of the warehouse ended: {error}");
                    self.tasks = JoinSet::new();
                    self.under_way.clear();
                }
            }
        }
        !self.ended.is_empty()
    }

    /// Returns the looks that have ended.
    pub fn take(&mut self) -> Vec<Look> {
        std::mem::take(&mut self.ended)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use domain::Secret;
    use warehouse::{Cluster, Config, NodeConfig, Origin};

    use super::*;

    fn held(seq: i64, filling: u64) -> Applied {
        let origin = Origin { store_id: "s".to_owned(), timeline: 1 };
        Applied { origin, is_synchronous: false, seq, shard: 1, shards: 1, filling }
    }

    fn position(seq: i64, filling: u64) -> Position {
        Position::from(&held(seq, filling))
    }

    #[test]
    fn a_node_that_holds_less_than_it_said_goes_on_from_what_it_holds() {
        let known = position(10, 7);
        let look = |seq, filling| LookedAt::new(Some(&known), Some(&held(seq, filling)), 10);
        assert_eq!(look(10, 7), LookedAt::Unchanged);
        assert_eq!(look(9, 7), LookedAt::Follows(position(9, 7)));
        assert_eq!(look(10, 8), LookedAt::Follows(position(10, 8)), "someone else has filled it");
    }

    #[test]
    fn a_node_that_holds_nothing_or_too_little_must_be_filled() {
        let known = position(MAX_GAP + 10, 7);
        for known in [None, Some(&known)] {
            let lacks = |held: Option<&Applied>, last_seq| LookedAt::new(known, held, last_seq);
            assert_eq!(lacks(None, MAX_GAP + 10), LookedAt::Lacks(Lack::Rows));
            assert_eq!(lacks(Some(&held(9, 7)), MAX_GAP + 10), LookedAt::Lacks(Lack::Changes));
            assert_eq!(lacks(Some(&held(9, 7)), 100 * MAX_GAP), LookedAt::Lacks(Lack::Rows));
            let enough = LookedAt::new(known, Some(&held(10, 7)), MAX_GAP + 10);
            assert_eq!(enough, LookedAt::Follows(position(10, 7)));
        }
    }

    pub fn first_node() -> NodeId {
        let node = NodeConfig { shard: 1, url: "http://127.0.0.1:9".to_owned(), native: String::new() };
        let config = Config {
            nodes: vec![node],
            database: "keepclear".to_owned(),
            user: "keepclear".to_owned(),
            password: Secret(String::new()),
            max_query_memory_mb: 1_000,
            max_concurrent_queries: 1,
            max_concurrent_queries_per_brand: 1,
        };
        Cluster::new(&config).unwrap().unwrap().nodes().next().unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_node_rests_unless_it_is_needed() {
        let (mut looks, node) = (NodeLooks::default(), first_node());
        assert!(looks.is_due(node, false));
        looks.rest(node);
        tokio::time::advance(REST_OF_SLOW_NODE).await;
        assert!(!looks.is_due(node, false));
        tokio::time::advance(LOOK_INTERVAL_IF_OUT).await;
        assert!(looks.is_due(node, false));
        looks.rest(node);
        looks.wake(node);
        assert!(looks.is_due(node, false));
    }
}
