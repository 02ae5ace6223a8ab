//! The nodes by their shards, and the choice of one replica of each.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::{join_all, select_all, try_join_all};
use tokio::time::{sleep, timeout};

use crate::applied::{self, Applied, AppliedRow, ShardPlacement};
use crate::client::{self, Client};
use crate::cluster_question::ClusterQuestion;
use crate::copy::CopyId;
use crate::insert_throttle::InsertThrottle;
use crate::natives::NativeProofs;
use crate::schema::quoted;
use crate::{Config, Error, NodeConfig, OLDEST_VERSION};

/// A question waits for nodes for this long.
pub(crate) const CHOICE_TIMEOUT: Duration = Duration::from_secs(2);
/// What a node holds is read again after this while, if it is not enough.
const LOOKED_AGAIN_AFTER: Duration = Duration::from_millis(50);
/// Reading what a node holds takes milliseconds.
pub(crate) const LOOK_TIMEOUT: Duration = Duration::from_secs(2);

/// One node of the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) usize);

#[derive(Debug)]
pub(crate) struct Node {
    pub client: Client,
    pub config: NodeConfig,
}

/// The nodes that a question is asked of, one of each shard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub nodes: Vec<NodeId>,
    /// The filling that each of them held when it was chosen. Afterwards it must be the same: a node that was emptied meanwhile and
    /// filled again may have counted a part of its rows.
    pub fillings: Vec<u64>,
}

/// A cluster of ClickHouse. Clones share it.
#[derive(Clone, Debug)]
pub struct Cluster(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub nodes: Vec<Node>,
    pub config: Config,
    pub throttle: InsertThrottle,
    pub natives: NativeProofs,
    /// Lets the nodes of a question take turns in putting its answer together.
    turn: AtomicUsize,
}

impl Cluster {
    /// Returns the configured cluster; none if no node is configured. An error holds the key that is wrong and the reason.
    pub fn new(config: &Config) -> Result<Option<Self>, (&'static str, String)> {
        config.check()?;
        if !config.is_set() {
            return Ok(None);
        }
        let fault = |reason| ("analytics.warehouse.nodes", reason);
        let http = client::connections().map_err(fault)?;
        let node = |of: &NodeConfig| -> Result<Node, String> {
            let client = Client::new(http.clone(), &of.url, config)?;
            Ok(Node { client, config: of.clone() })
        };
        let nodes = config.nodes.iter().map(node).collect::<Result<Vec<_>, _>>().map_err(fault)?;
        let inner = Inner {
            nodes,
            config: config.clone(),
            throttle: InsertThrottle::default(),
            natives: NativeProofs::default(),
            turn: AtomicUsize::new(0),
        };
        Ok(Some(Self(Arc::new(inner))))
    }

    pub fn shards(&self) -> u32 {
        self.0.config.shards()
    }

    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.0.nodes.len()).map(NodeId)
    }

    /// Returns the address of a node.
    pub fn name(&self, node: NodeId) -> &str {
        self.client(node).name()
    }

    /// Returns the place of a node.
    pub fn placement(&self, node: NodeId) -> ShardPlacement {
        ShardPlacement { shard: self.0.nodes[node.0].config.shard, shards: self.shards() }
    }

    pub(crate) fn client(&self, node: NodeId) -> &Client {
        &self.0.nodes[node.0].client
    }

    /// Returns the fault of each node that cannot be used: it cannot be reached, lacks the database, is older than what is tested, or is
    /// another one by its native address.
    pub async fn check(&self) -> Vec<Error> {
        let checks = self.nodes().map(|node| self.check_node(node));
        let (mut sound, mut faults) = (Vec::new(), Vec::new());
        for (node, checked) in self.nodes().zip(join_all(checks).await) {
            match checked {
                Ok(()) => sound.push(node),
                Err(fault) => faults.push(fault),
            }
        }
        faults.extend(self.check_natives(&sound).await);
        faults
    }

    async fn check_node(&self, node: NodeId) -> Result<(), Error> {
        let (client, database) = (self.client(node), quoted(&self.0.config.database));
        let text = format!(
            "select version(), toUInt8(count()) from system.databases where name = {database} format JSONCompact"
        );
        let found = client.rows(text, &[], LOOK_TIMEOUT).await;
        let found: Vec<(String, u8)> = found.map_err(|error| with_hint_of_tls(client.name(), error))?;
        let (version, databases) = found.into_iter().next().unwrap_or_default();
        if databases == 0 {
            return Err(client.fault(format!("it has no database {database}")));
        }
        if is_too_old(&version) {
            let (major, minor) = OLDEST_VERSION;
            let (node, oldest) = (client.name().to_owned(), format!("{major}.{minor}"));
            return Err(Error::TooOld { node, version, oldest });
        }
        let rights = needed_rights(&self.0.config.database, self.shards());
        let checks = rights.iter().map(|right| async move {
            let settings = [("default_format", "TabSeparated".to_owned())];
            let answer = client.run(format!("check grant {right}"), &settings, LOOK_TIMEOUT).await?;
            Ok::<bool, Error>(answer.trim_ascii() == b"1")
        });
        let granted = try_join_all(checks).await?;
        let missing: Vec<&str> =
            rights.iter().zip(granted).filter(|(_, is)| !is).map(|(right, _)| right.as_str()).collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(client.fault(format!("the user {} lacks rights: {}", self.0.config.user, missing.join("; "))))
    }

    /// Returns what a node says that it holds of a copy; none if it says nothing.
    pub async fn applied(&self, node: NodeId, copy: CopyId) -> Result<Option<Applied>, Error> {
        self.applied_within(node, copy, LOOK_TIMEOUT).await
    }

    pub(crate) async fn applied_within(
        &self,
        node: NodeId,
        copy: CopyId,
        limit: Duration,
    ) -> Result<Option<Applied>, Error> {
        self.read_applied(node, applied::select_statement(copy), limit).await
    }

    /// Returns what a node says that it holds of a copy; none if it says nothing, or has lost a table of facts.
    pub async fn applied_if_whole(&self, node: NodeId, copy: CopyId) -> Result<Option<Applied>, Error> {
        self.read_applied(node, applied::select_if_whole_statement(copy), LOOK_TIMEOUT).await
    }

    async fn read_applied(
        &self,
        node: NodeId,
        statement: String,
        limit: Duration,
    ) -> Result<Option<Applied>, Error> {
        match self.client(node).rows::<AppliedRow>(statement, &[], limit).await {
            Ok(rows) => Ok(applied::latest(rows)),
            Err(error) if error.is_missing_table() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether a node holds everything that a question needs.
    pub(crate) fn is_current(
        &self,
        node: NodeId,
        applied: Option<&Applied>,
        asked: &ClusterQuestion<'_>,
    ) -> bool {
        applied.is_some_and(|applied| {
            applied.is_of(asked.origin, self.placement(node)) && applied.seq >= asked.last_seq
        })
    }

    /// Chooses a node of each shard, except for these, that holds everything that a question needs. Of the replicas of a shard, the one
    /// that says so first.
    pub(crate) async fn choose(
        &self,
        asked: &ClusterQuestion<'_>,
        without: &BTreeSet<NodeId>,
    ) -> Result<Chosen, Error> {
        let choices = (1..=self.shards()).map(|shard| async move {
            let replicas: Vec<NodeId> = self
                .nodes()
                .filter(|node| self.placement(*node).shard == shard && !without.contains(node))
                .collect();
            if replicas.is_empty() {
                return Err(Error::NotCurrent(shard));
            }
            let waits = replicas.into_iter().map(|node| Box::pin(self.wait_until_current(node, asked)));
            let chosen = timeout(CHOICE_TIMEOUT, select_all(waits)).await;
            chosen.map(|(found, ..)| found).map_err(|_| Error::NotCurrent(shard))
        });
        let (nodes, fillings) = try_join_all(choices).await?.into_iter().unzip();
        Ok(Chosen { nodes, fillings })
    }

    /// Returns the node with what it was filled with, as soon as it is current.
    async fn wait_until_current(&self, node: NodeId, asked: &ClusterQuestion<'_>) -> (NodeId, u64) {
        loop {
            match self.applied(node, asked.copy).await {
                Ok(Some(applied)) if self.is_current(node, Some(&applied), asked) => {
                    if self.is_reached_by_native(node).await {
                        return (node, applied.filling);
                    }
                }
                Ok(_) => {}
                Err(error) => {
                    self.0.natives.forget(node);
                    tracing::debug!("{error}");
                }
            }
            sleep(LOOKED_AGAIN_AFTER).await;
        }
    }

    /// Returns the chosen nodes in the order in which they are to put an answer together. They take turns.
    pub(crate) fn in_turn<'a>(&self, chosen: &'a [NodeId]) -> impl Iterator<Item = NodeId> + use<'a> {
        let turn = self.0.turn.fetch_add(1, Ordering::Relaxed);
        let (before, next) = chosen.split_at(turn.checked_rem(chosen.len()).unwrap_or(0));
        next.iter().chain(before).copied()
    }

    /// Returns from where a table of the chosen nodes is read. With one shard, its node reads its own.
    pub(crate) fn source(&self, chosen: &[NodeId], table: &str) -> String {
        if self.shards() == 1 {
            return table.to_owned();
        }
        let natives: Vec<&str> =
            chosen.iter().map(|node| self.0.nodes[node.0].config.native.as_str()).collect();
        self.remote(&natives.join(","), &self.0.config.database, table)
    }

    /// Returns from where a table of nodes with these native addresses is read.
    pub(crate) fn remote(&self, natives: &str, database: &str, table: &str) -> String {
        let config = &self.0.config;
        let is_secure = self.0.nodes.iter().all(|node| node.config.url.starts_with("https://"));
        format!(
            "{}({}, {}, {}, {}, {})",
            if is_secure { "remoteSecure" } else { "remote" },
            quoted(natives),
            quoted(database),
            quoted(table),
            quoted(&config.user),
            quoted(&config.password.0)
        )
    }
}

/// Returns the rights that the user needs on each node, in the words of `grant`. docs/warehouse.md has them, too.
fn needed_rights(database: &str, shards: u32) -> Vec<String> {
    let mut rights: Vec<String> = ["select", "insert", "create table", "drop table", "alter delete"]
        .into_iter()
        .map(|right| format!("{right} on {database}.*"))
        .collect();
    // Everyone may read what `system.tables` and `system.databases` say of tables and databases to which they have rights.
    rights.extend(["select on system.parts", "table engine on ReplacingMergeTree"].map(str::to_owned));
    if shards > 1 {
        // `remote` asks for the columns of `system.databases`, which not everyone may.
        rights.extend(["show columns on system.databases", "remote on *.*"].map(str::to_owned));
    }
    rights
}

/// What is seen of a port that closes connections because nobody speaks TLS to it; servers differ in how they close.
const TLS_CLOSES_WITH: [&str; 2] = ["connection closed before message completed", "Connection reset by peer"];

/// Adds what an error of the connection may mean: one side speaks TLS.
fn with_hint_of_tls(url: &str, error: Error) -> Error {
    let Error::Node { node, reason } = error else { return error };
    let hint = match url.starts_with("https://") {
        true if reason.contains("InvalidContentType") => {
            " (it does not speak TLS there: perhaps its url must begin with http://)"
        }
        false if TLS_CLOSES_WITH.iter().any(|said| reason.contains(said)) => {
            " (perhaps it speaks TLS there, and its url must begin with https://)"
        }
        _ => "",
    };
    Error::Node { node, reason: format!("{reason}{hint}") }
}

/// Whether a version such as `26.7.2.1` is older than what is tested. What cannot be read is.
fn is_too_old(version: &str) -> bool {
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().ok());
    match (numbers.next().flatten(), numbers.next().flatten()) {
        (Some(major), Some(minor)) => (major, minor) < OLDEST_VERSION,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::config;

    #[test]
    fn versions_are_compared_as_numbers() {
        for (version, expected) in [
            ("26.7.2.1", false),
            ("26.10.1", false),
            ("27.1", false),
            ("26.5.1.1", true),
            ("9.9", true),
            ("", true),
        ] {
            assert_eq!(is_too_old(version), expected, "{version}");
        }
    }

    #[test]
    fn one_side_that_speaks_tls_is_hinted_at() {
        let of = |url, reason: &str| with_hint_of_tls(url, Error::node(url, reason)).to_string();
        assert!(
            of("https://a:8123", "received corrupt message of type InvalidContentType").contains("http://)")
        );
        for closed in TLS_CLOSES_WITH {
            assert!(of("http://a:8443", closed).contains("https://)"));
        }
        assert!(of("http://a:8123", "Connection refused").ends_with("failed: Connection refused"));
    }

    #[test]
    fn a_node_reads_its_own_table_unless_there_are_several_shards() {
        let (a, b) = ("http://10.0.0.1:8123", "http://10.0.0.2:8123");
        let one = Cluster::new(&config(&[(1, a, ""), (1, b, "")])).unwrap().unwrap();
        assert_eq!(one.source(&[NodeId(1)], "t"), "t");
        let two =
            Cluster::new(&config(&[(1, a, "10.0.0.1:9000"), (2, b, "10.0.0.2:9000")])).unwrap().unwrap();
        let expected = r"remote('10.0.0.1:9000,10.0.0.2:9000', 'keepclear', 't', 'keepclear', 'it\'s')";
        assert_eq!(two.source(&[NodeId(0), NodeId(1)], "t"), expected);
    }

    #[test]
    fn nodes_take_turns() {
        let (a, b) = ("http://10.0.0.1:8123", "http://10.0.0.2:8123");
        let two =
            Cluster::new(&config(&[(1, a, "10.0.0.1:9000"), (2, b, "10.0.0.2:9000")])).unwrap().unwrap();
        let chosen = [NodeId(0), NodeId(1)];
        let mut turns = Vec::new();
        for _ in 0..3 {
            turns.push(two.in_turn(&chosen).map(|node| node.0).collect::<Vec<usize>>());
        }
        assert_eq!(turns, [[0, 1], [1, 0], [0, 1]]);
        assert_eq!(two.in_turn(&[]).next(), None);
    }
}
