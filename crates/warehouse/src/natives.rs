//! Whether the native address of a node leads to the same server as its HTTP address.
//!
//! What a node holds is asked over HTTP, and with several shards its rows are read by its native address. If that leads to another node,
//! the rows of one shard are counted twice, and those of another not at all. Servers are told apart by the random uuid of their database.

use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::join_all;

use crate::Error;
use crate::cluster::{Cluster, LOOK_TIMEOUT, NodeId};
use crate::schema::quoted;

/// What is known about the native address of a node.
#[derive(Debug, Default)]
pub(crate) struct NativeProof {
    /// It leads to the node. That is proved once.
    is_proved: AtomicBool,
    /// That it does not was logged.
    is_logged: AtomicBool,
}

impl Cluster {
    /// Whether the native address of a node leads to it, as far as it is used.
    pub(crate) async fn is_reached_by_native(&self, node: NodeId) -> bool {
        let proof = &self.0.nodes[node.0].native;
        if self.shards() == 1 || proof.is_proved.load(Ordering::Relaxed) {
            return true;
        }
        match self.check_native(node, node).await {
            Ok(()) => {
                proof.is_proved.store(true, Ordering::Relaxed);
                true
            }
            Err(error) => {
                if !proof.is_logged.swap(true, Ordering::Relaxed) {
                    tracing::warn!("a node is not asked for now: {error}");
                }
                false
            }
        }
    }

    /// Returns the fault of each of these nodes whose native address does not lead to it from all of them.
    pub(crate) async fn check_natives(&self, nodes: &[NodeId]) -> Vec<Error> {
        if self.shards() == 1 {
            return Vec::new();
        }
        let checks = nodes.iter().copied().map(|node| async move {
            let from_all = nodes.iter().copied().map(|from| self.check_native(from, node));
            join_all(from_all).await.into_iter().find_map(Result::err)
        });
        join_all(checks).await.into_iter().flatten().collect()
    }

    /// Fails unless the native address of a node leads to it from another.
    async fn check_native(&self, from: NodeId, node: NodeId) -> Result<(), Error> {
        let native = &self.0.nodes[node.0].config.native;
        let by_url = self.database_uuid(node, "system.databases").await?;
        let remote = self.remote(native, "system", "databases");
        let by_native = self.database_uuid(from, &remote).await?;
        if by_native == by_url && by_url.is_some() {
            return Ok(());
        }
        Err(self.client(node).fault(format!("its native address {native} leads to another server")))
    }

    /// Returns the uuid of the database, which a node reads from here.
    async fn database_uuid(&self, from: NodeId, source: &str) -> Result<Option<String>, Error> {
        let database = quoted(&self.0.config.database);
        let text = format!("select toString(uuid) from {source} where name = {database} format JSONCompact");
        let settings = [
            ("skip_unavailable_shards", "0".to_owned()),
            ("connect_timeout_with_failover_ms", "1000".to_owned()),
            ("connections_with_failover_max_tries", "1".to_owned()),
        ];
        let found: Vec<(String,)> = self.client(from).rows(text, &settings, LOOK_TIMEOUT).await?;
        Ok(found.into_iter().next().map(|(uuid,)| uuid))
    }
}
