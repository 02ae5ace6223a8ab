//! Whether the native addresses of nodes lead to the same servers as their HTTP addresses.
//!
//! What a node holds is asked over HTTP, and with several shards its rows are read by its native address. If that leads to another node,
//! the rows of one shard are counted twice, and those of another not at all. It is the node that puts an answer together which resolves
//! the address, and `127.0.0.1`, or a name of a hosts file, leads elsewhere on each. So it is proved for each pair of a node that asks and
//! one that is asked. Servers are told apart by the random uuids of their database and of themselves, with their host name and port:
//! databases that were made `on cluster` have the same uuid, and so have servers on machines that were cloned.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::{join_all, try_join_all};
use tokio::time::{Instant, timeout_at};

use crate::Error;
use crate::ask::Failed;
use crate::cluster::{Cluster, LOOK_TIMEOUT, NodeId};
use crate::schema::quoted;

/// A pair is proved again after this while, because addresses can come to belong to another server.
const PROOF_LIFETIME: Duration = Duration::from_secs(60);
/// It may take this long to find the node that puts an answer together. Two looks may take four seconds, and a
/// third is only taken if an address has come to lead elsewhere, or if one of two failed.
const COORDINATOR_TIMEOUT: Duration = Duration::from_secs(5);

/// The node that asks, and the one whose native address it uses.
type Pair = (NodeId, NodeId);

/// The identity of a server, with when it was seen.
type Seen = (Instant, String);

/// What is known about the native addresses of nodes.
#[derive(Debug, Default)]
pub(crate) struct NativeProofs(Mutex<KnownPairs>);

#[derive(Debug, Default)]
struct KnownPairs {
    /// Those of which the address leads to the node, with its server and when that was proved.
    proved: HashMap<Pair, Seen>,
    /// The servers to which HTTP addresses lead.
    seen: HashMap<NodeId, Seen>,
    /// The nodes that did not reach another, with when that was so.
    unfit: HashMap<NodeId, Instant>,
    /// Those of which it was logged that the address does not.
    logged: HashSet<Pair>,
}

impl NativeProofs {
    fn known(&self) -> MutexGuard<'_, KnownPairs> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the identity of the node that is asked, if it was proved a moment ago that it is reached.
    fn find(&self, pair: Pair, now: Instant) -> Option<String> {
        let known = self.known();
        let (at, identity) = known.proved.get(&pair)?;
        (now < *at + PROOF_LIFETIME).then(|| identity.clone())
    }

    fn remember(&self, pair: Pair, identity: &str, now: Instant) {
        let mut known = self.known();
        known.logged.remove(&pair);
        known.proved.insert(pair, (now, identity.to_owned()));
    }

    /// Returns the server to which the HTTP address of a node led a moment ago.
    fn find_seen(&self, node: NodeId, now: Instant) -> Option<Seen> {
        self.known().seen.get(&node).filter(|(at, _)| now < *at + PROOF_LIFETIME).cloned()
    }

    fn note_seen(&self, node: NodeId, identity: &str, at: Instant) {
        self.known().seen.insert(node, (at, identity.to_owned()));
    }

    fn note_unfit(&self, node: NodeId, now: Instant) {
        self.known().unfit.insert(node, now);
    }

    /// Whether a node did not reach another a moment ago.
    fn is_unfit(&self, node: NodeId, now: Instant) -> bool {
        self.known().unfit.get(&node).is_some_and(|at| now < *at + PROOF_LIFETIME)
    }

    /// Forgets what was proved of a node that failed. When it is back, it may be another server.
    pub fn forget(&self, node: NodeId) {
        let mut known = self.known();
        known.seen.remove(&node);
        known.proved.retain(|(from, to), _| *from != node && *to != node);
    }

    fn warn_once(&self, pair: Pair, reason: &Error) {
        if self.known().logged.insert(pair) {
            tracing::warn!("a node is not asked in this way for now: {reason}");
        }
    }
}

impl Cluster {
    /// Whether the native address of a node leads to it from itself, as far as it is used.
    pub(crate) async fn is_reached_by_native(&self, node: NodeId) -> bool {
        if self.shards() == 1 {
            return true;
        }
        let fault = match self.prove(node, &[node]).await {
            Ok(proofs) if proofs.iter().all(Option::is_some) => return true,
            Ok(_) => self.leads_elsewhere(node, node),
            Err(failed) => failed.error,
        };
        self.0.natives.warn_once((node, node), &fault);
        false
    }

    /// Returns the node that puts an answer together, of those that were chosen: the next from which the native addresses of all lead to
    /// them. Those that did not reach another a moment ago are tried last, because that can take a second.
    pub(crate) async fn coordinator(&self, chosen: &[NodeId], end: Instant) -> Result<NodeId, Failed> {
        let now = Instant::now();
        let end = end.min(now + COORDINATOR_TIMEOUT);
        let mut turns: Vec<NodeId> = self.in_turn(chosen).collect();
        turns.sort_by_key(|from| self.0.natives.is_unfit(*from, now));
        let mut failed = Failed { error: Error::TimedOut, nodes: Vec::new() };
        for from in turns {
            let Ok(tried) = timeout_at(end, self.not_reached_from(from, chosen)).await else { break };
            match tried {
                Ok(astray) => {
                    let Some(first) = astray.first() else { return Ok(from) };
                    failed.error = self.leads_elsewhere(from, *first);
                    self.0.natives.warn_once((from, *first), &failed.error);
                    failed.nodes.extend(astray);
                }
                // It answers, and says that it does not reach another. The others may.
                Err(refused) if matches!(refused.error, Error::Refused { .. }) => {
                    let node = refused.nodes.first().copied().unwrap_or(from);
                    self.0.natives.warn_once((from, node), &refused.error);
                    failed.error = refused.error;
                    failed.nodes.extend(refused.nodes);
                }
                // A chosen node does not answer anybody.
                Err(silent) => return Err(silent),
            }
            self.0.natives.note_unfit(from, now);
        }
        Err(failed)
    }

    /// Returns those of the chosen nodes whose native addresses do not lead to them from another.
    async fn not_reached_from(&self, from: NodeId, chosen: &[NodeId]) -> Result<Vec<NodeId>, Failed> {
        if self.shards() == 1 {
            return Ok(Vec::new());
        }
        let proofs = self.prove(from, chosen).await?;
        let mut identities = BTreeSet::new();
        let mut astray = Vec::new();
        for (node, identity) in chosen.iter().zip(proofs) {
            // Servers with the same identity are indistinguishable.
            let is_reached = identity.is_some_and(|identity| identities.insert(identity));
            if !is_reached {
                astray.push(*node);
            }
        }
        Ok(astray)
    }

    /// Returns the fault of each of these nodes whose native address does not lead to it from all of them.
    pub(crate) async fn check_natives(&self, nodes: &[NodeId]) -> Vec<Error> {
        if self.shards() == 1 {
            return Vec::new();
        }
        let checks = nodes.iter().copied().map(|node| async move {
            let from_all = nodes.iter().copied().map(|from| async move {
                let proofs = self.prove(from, &[node]).await;
                let proofs = proofs.map_err(|failed| self.cannot_be_used(from, node, failed.error))?;
                proofs.into_iter().next().flatten().ok_or_else(|| self.leads_elsewhere(from, node))
            });
            let identities: Result<Vec<String>, Error> = join_all(from_all).await.into_iter().collect();
            (node, identities)
        });
        let (mut faults, mut known) = (Vec::new(), BTreeSet::new());
        for (node, identities) in join_all(checks).await {
            let is_new = identities.map(|identities| known.insert(identities.into_iter().next()));
            let same =
                "it is indistinguishable from another node: database, server, host and port are the same";
            match is_new {
                Ok(true) => {}
                Ok(false) => faults.push(self.client(node).fault(same)),
                Err(fault) => faults.push(fault),
            }
        }
        faults
    }

    /// Returns the identity of each node's server if its native address leads to it from another; none if it leads elsewhere. What is not
    /// known yet is asked in one statement for all of them.
    async fn prove(&self, from: NodeId, nodes: &[NodeId]) -> Result<Vec<Option<String>>, Failed> {
        // Before the looks: what has changed since then is not proved.
        let now = Instant::now();
        let natives = &self.0.natives;
        let known: Vec<Option<String>> = nodes.iter().map(|node| natives.find((from, *node), now)).collect();
        let is_open = |(node, known): (&NodeId, &Option<String>)| known.is_none().then_some(*node);
        let open: Vec<NodeId> = nodes.iter().zip(&known).filter_map(is_open).collect();
        if open.is_empty() {
            return Ok(known);
        }
        // First, so that a node that does not answer anybody is found out by that.
        let seen = try_join_all(open.iter().map(|node| self.see(*node, now))).await?;
        let by_native = match self.identities_by_native(from, &open).await {
            Err(failed) if matches!(failed.error, Error::Node { .. }) => {
                // It may have waited for a node that does not answer any more.
                try_join_all(open.iter().map(|node| self.look(*node, now))).await?;
                return Err(failed);
            }
            by_native => by_native?,
        };
        let pairs = open.iter().zip(seen.into_iter().zip(by_native));
        let proofs = pairs.map(|(node, (seen, by_native))| self.confirm(*node, seen, by_native, now));
        let mut proofs = open.iter().zip(try_join_all(proofs).await?);
        let mut all = Vec::new();
        for identity in known {
            let proved = identity.or_else(|| {
                let (node, (at, identity)) = proofs.next().and_then(|(node, proof)| Some((node, proof?)))?;
                natives.remember((from, *node), &identity, at.min(now));
                Some(identity)
            });
            all.push(proved);
        }
        Ok(all)
    }

    /// Returns the identity that was found by the native address of a node if its HTTP address leads to the same server, with when that was
    /// seen. If it led elsewhere a moment ago, it is looked up again.
    async fn confirm(
        &self,
        node: NodeId,
        seen: Option<Seen>,
        by_native: Option<String>,
        now: Instant,
    ) -> Result<Option<Seen>, Failed> {
        let Some(by_native) = by_native else { return Ok(None) };
        let is_same = |(_, identity): &Seen| *identity == by_native;
        match seen.filter(is_same) {
            Some(seen) => Ok(Some(seen)),
            None => Ok(self.look(node, now).await?.filter(is_same)),
        }
    }

    /// Returns the server to which the HTTP address of a node leads. It is looked up unless that was done a moment ago.
    async fn see(&self, node: NodeId, now: Instant) -> Result<Option<Seen>, Failed> {
        match self.0.natives.find_seen(node, now) {
            Some(seen) => Ok(Some(seen)),
            None => self.look(node, now).await,
        }
    }

    /// Looks up the server to which the HTTP address of a node leads; none if it has no database.
    async fn look(&self, node: NodeId, now: Instant) -> Result<Option<Seen>, Failed> {
        let found = self.identities(node, "system.databases", "1").await;
        let found = found.map_err(|error| self.failed(error, node, &[node]))?;
        let Some((_, identity)) = found.into_iter().next() else { return Ok(None) };
        self.0.natives.note_seen(node, &identity, now);
        Ok(Some((now, identity)))
    }

    /// Returns what identifies the servers to which the native addresses of nodes lead from another.
    async fn identities_by_native(
        &self,
        from: NodeId,
        nodes: &[NodeId],
    ) -> Result<Vec<Option<String>>, Failed> {
        let natives: Vec<&str> =
            nodes.iter().map(|node| self.0.nodes[node.0].config.native.as_str()).collect();
        let remote = self.remote(&natives.join(","), "system", "databases");
        let found = self.identities(from, &remote, "_shard_num").await;
        let mut found: HashMap<usize, String> =
            found.map_err(|error| self.failed(error, from, nodes))?.into_iter().collect();
        Ok((1..=nodes.len()).map(|place| found.remove(&place)).collect())
    }

    /// Returns the fault of a node whose native address another node refused to use.
    fn cannot_be_used(&self, from: NodeId, node: NodeId, error: Error) -> Error {
        let native = &self.0.nodes[node.0].config.native;
        match error {
            Error::Refused { reason, .. } => self.client(node).fault(format!(
                "its native address {native} cannot be used from {}: {reason}",
                self.name(from)
            )),
            other => other,
        }
    }

    fn leads_elsewhere(&self, from: NodeId, node: NodeId) -> Error {
        let native = &self.0.nodes[node.0].config.native;
        self.client(node).fault(format!(
            "from {}, its native address {native} leads to another server, or to an indistinguishable one",
            self.name(from)
        ))
    }

    /// Returns what identifies the servers whose databases a node reads from here, each with its place. The functions of an identity are
    /// evaluated where the databases are.
    async fn identities(
        &self,
        from: NodeId,
        source: &str,
        place: &str,
    ) -> Result<Vec<(usize, String)>, Error> {
        let database = quoted(&self.0.config.database);
        let text = format!(
            "select {place}, concat(toString(uuid), ' ', toString(serverUUID()), ' ', hostName(), ':', toString(tcpPort())) \
             from {source} where name = {database} format JSONCompact"
        );
        let settings = [
            ("skip_unavailable_shards", "0".to_owned()),
            ("connect_timeout_with_failover_ms", "1000".to_owned()),
            ("connections_with_failover_max_tries", "1".to_owned()),
            // Within the time of a look, so that it says itself whom it does not reach.
            ("handshake_timeout_ms", "1000".to_owned()),
        ];
        self.client(from).rows(text, &settings, LOOK_TIMEOUT).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_holds_for_its_pair_until_it_is_old_or_a_node_fails() {
        let (proofs, now) = (NativeProofs::default(), Instant::now());
        let (a, b, c) = (NodeId(0), NodeId(1), NodeId(2));
        proofs.remember((a, b), "of b", now);
        proofs.remember((c, a), "of a", now);
        let just_before = now + PROOF_LIFETIME - Duration::from_millis(1);
        assert_eq!(proofs.find((a, b), just_before).as_deref(), Some("of b"));
        assert_eq!(proofs.find((a, b), now + PROOF_LIFETIME), None);
        assert_eq!((proofs.find((b, b), now), proofs.find((b, a), now)), (None, None));
        proofs.forget(b);
        assert_eq!((proofs.find((a, b), now), proofs.find((c, a), now)), (None, Some("of a".to_owned())));
        proofs.forget(c);
        assert_eq!(proofs.find((c, a), now), None);
        proofs.note_seen(a, "of a", now);
        assert_eq!(proofs.find_seen(a, just_before), Some((now, "of a".to_owned())));
        assert_eq!(proofs.find_seen(a, now + PROOF_LIFETIME), None);
        proofs.forget(a);
        assert_eq!(proofs.find_seen(a, now), None);
    }

    #[test]
    fn a_node_that_did_not_reach_another_is_unfit_for_a_while() {
        let (proofs, now) = (NativeProofs::default(), Instant::now());
        proofs.note_unfit(NodeId(0), now);
        assert!(proofs.is_unfit(NodeId(0), now) && !proofs.is_unfit(NodeId(1), now));
        assert!(!proofs.is_unfit(NodeId(0), now + PROOF_LIFETIME));
    }
}
