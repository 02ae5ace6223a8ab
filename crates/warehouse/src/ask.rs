//! Asks the cluster a question.
//!
//! What a node holds is read from every node that a question uses, before and after. A node that fails meanwhile is left out, once.

use std::collections::BTreeSet;
use std::time::Duration;

use domain::insights::Answer;
use futures_util::future::{join_all, try_join, try_join_all};
use tokio::time::{Instant, sleep, timeout_at};

use crate::Error;
use crate::client::Client;
use crate::cluster::{Chosen, Cluster, LOOK_TIMEOUT, NodeId};
use crate::cluster_question::ClusterQuestion;
use crate::copy::{CopyId, FactTable};
use crate::question::{DurationType, Translated};
use crate::result_rows::ResultRow;

/// A node that is silent for this long is given up.
const SILENCE_S: u32 = 5;
/// Nodes are asked this often whether they are there, while a question runs.
const PING_INTERVAL: Duration = Duration::from_millis(500);
/// How long it may take to find out which node has failed.
const PROBE_TIMEOUT: Duration = Duration::from_millis(500);
/// A question that is asked again ends this long after it was first asked, or after this long, whichever is later.
const RETRY_END: Duration = Duration::from_millis(7_500);
const RETRY_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of groups in a grouping.
    pub max_groups: usize,
    /// Maximum size of the rows that ClickHouse answers with, eight bytes for each number.
    pub max_result_bytes: usize,
    /// Maximum duration of a question.
    pub timeout: Duration,
}

/// An answer, with how far the nodes were that gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    pub answer: Answer,
    /// The number of the last change that the furthest node held. If the store has not come so far, it went back, and the answer may have
    /// counted what is not there any more.
    pub furthest: i64,
}

/// A question that failed, and the nodes that may be the reason.
pub(crate) struct Failed {
    pub error: Error,
    pub nodes: Vec<NodeId>,
}

impl Cluster {
    /// Asks a question. If a node fails, the question is asked again without it, once.
    pub async fn ask(&self, asked: &ClusterQuestion<'_>, limits: Limits) -> Result<Answered, Error> {
        let began = Instant::now();
        let first_end = began + limits.timeout;
        let translated = Translated::new(asked.question, asked.kinds, asked.kept_from, limits.max_groups);
        let chosen = self.choose(asked, &BTreeSet::new()).await?;
        let failed =
            match self.ask_nodes(asked, &translated, &chosen, (first_end, limits.max_result_bytes)).await {
                Ok(answered) => return Ok(answered),
                // ClickHouse should have said so itself.
                Err(failed) if failed.error.is_fault_of_node() && Instant::now() >= first_end => {
                    return Err(Error::TimedOut);
                }
                Err(failed) if failed.error.is_fault_of_node() => failed,
                Err(failed) => return Err(failed.error),
            };
        let without = self.culprits(&failed, &chosen.nodes, asked).await;
        for node in &without {
            self.0.natives.forget(*node);
        }
        tracing::warn!("a question is asked again without {} nodes: {}", without.len(), failed.error);
        let end = (began + RETRY_END).max(Instant::now() + RETRY_TIMEOUT).min(first_end);
        let again = async {
            let chosen = self.choose(asked, &without).await?;
            let ends = (end, limits.max_result_bytes);
            self.ask_nodes(asked, &translated, &chosen, ends).await.map_err(|failed| failed.error)
        };
        match timeout_at(end, again).await {
            // Nobody else can answer: the first error says why there is no answer.
            Ok(Err(Error::NotCurrent(_))) | Err(_) => Err(failed.error),
            Ok(answered) => answered,
        }
    }

    /// Returns the nodes to leave out: those that are known to have failed, and those that do not say any more that they are current.
    async fn culprits(
        &self,
        failed: &Failed,
        chosen: &[NodeId],
        asked: &ClusterQuestion<'_>,
    ) -> BTreeSet<NodeId> {
        let mut culprits: BTreeSet<NodeId> = failed.nodes.iter().copied().collect();
        let probes = chosen.iter().map(|node| async move {
            let applied = self.applied_within(*node, asked.copy, PROBE_TIMEOUT).await;
            let is_current = applied.is_ok_and(|applied| self.is_current(*node, applied.as_ref(), asked));
            (!is_current).then_some(*node)
        });
        culprits.extend(join_all(probes).await.into_iter().flatten());
        culprits
    }

    /// Asks these nodes, one of each shard.
    async fn ask_nodes(
        &self,
        asked: &ClusterQuestion<'_>,
        translated: &Translated<'_>,
        chosen: &Chosen,
        (end, max_result_bytes): (Instant, usize),
    ) -> Result<Answered, Failed> {
        let nodes = chosen.nodes.as_slice();
        let coordinator = self.coordinator(nodes, end).await?;
        let of_coordinator = |error: Error| self.failed(error, coordinator, nodes);
        let run =
            |table| self.run(translated, table, (asked.copy, coordinator, nodes), (end, max_result_bytes));
        let rows = try_join(run(FactTable::Incursions), run(FactTable::Runtime));
        let (incursions, runtime) = tokio::select! {
            rows = rows => rows.map_err(of_coordinator)?,
            () = until_silent(self.client(coordinator)) => {
                let error = self.client(coordinator).fault(format!("it was silent for {SILENCE_S} s"));
                return Err(Failed { error, nodes: vec![coordinator] });
            }
        };
        let furthest = self.check_after(asked, chosen).await?;
        match translated.answer(&incursions, &runtime) {
            Ok(answer) => Ok(Answered { answer, furthest }),
            Err(error) => Err(Failed { error, nodes: Vec::new() }),
        }
    }

    /// Returns a failure with the nodes that it names. An exception names the node by its native address; the coordinator is to blame only
    /// if it did not answer itself.
    pub(crate) fn failed(&self, error: Error, coordinator: NodeId, chosen: &[NodeId]) -> Failed {
        let native = |node: &NodeId| self.0.nodes[node.0].config.native.as_str();
        let nodes = match &error {
            Error::Node { .. } => vec![coordinator],
            Error::Refused { reason, .. } => {
                let is_named = |node: &NodeId| !native(node).is_empty() && reason.contains(native(node));
                let named: Vec<NodeId> = chosen.iter().copied().filter(is_named).collect();
                if named.is_empty() { vec![coordinator] } else { named }
            }
            _ => Vec::new(),
        };
        Failed { error, nodes }
    }

    /// Runs the statement over a table, if the question needs it.
    async fn run(
        &self,
        translated: &Translated<'_>,
        table: FactTable,
        (copy, coordinator, chosen): (CopyId, NodeId, &[NodeId]),
        (end, max_result_bytes): (Instant, usize),
    ) -> Result<Vec<ResultRow>, Error> {
        let source = self.source(chosen, &copy.table(table));
        let source = source.as_str();
        let run = |durations| async move {
            let Some(statement) = translated.statement(table, source, durations) else {
                return Ok(Vec::new());
            };
            let left = end.saturating_duration_since(Instant::now());
            let mut settings = settings(left, self.0.config.max_query_memory_mb, statement.len());
            settings.push(("max_result_bytes", max_result_bytes.to_string()));
            // ClickHouse says itself that it takes too long; if it does not, the node has failed.
            self.client(coordinator).rows(statement, &settings, left + Duration::from_millis(500)).await
        };
        let rows = run(DurationType::FourBytes).await?;
        if translated.has_long_durations(table, &rows) {
            run(DurationType::EightBytes).await
        } else {
            Ok(rows)
        }
    }

    /// Makes sure that all nodes still hold what they held before, and returns how far the furthest is. One that lost its rows in between
    /// may have counted a part of them.
    async fn check_after(&self, asked: &ClusterQuestion<'_>, chosen: &Chosen) -> Result<i64, Failed> {
        let looks = chosen.nodes.iter().zip(&chosen.fillings).map(|(node, filling)| async move {
            let error = match self.applied_within(*node, asked.copy, LOOK_TIMEOUT).await {
                Ok(Some(applied))
                    if self.is_current(*node, Some(&applied), asked) && applied.filling == *filling =>
                {
                    return Ok(applied.seq);
                }
                Ok(_) => self.client(*node).fault("it lost what it held during a question"),
                Err(error) => error,
            };
            Err(Failed { error, nodes: vec![*node] })
        });
        let found = try_join_all(looks).await?;
        Ok(found.into_iter().max().unwrap_or(asked.last_seq))
    }
}

/// Ends when a node has been silent for long. A node that is busy with a question still answers.
async fn until_silent(client: &Client) {
    let silence = Duration::from_secs(SILENCE_S.into());
    let mut heard = Instant::now();
    loop {
        sleep(PING_INTERVAL).await;
        if timeout_at(heard + silence, client.ping()).await.unwrap_or(false) {
            heard = Instant::now();
        } else if heard.elapsed() >= silence {
            return;
        }
    }
}

/// Returns the settings of a question.
fn settings(left: Duration, max_memory_mb: u32, length: usize) -> Vec<(&'static str, String)> {
    let text = |text: &str| text.to_owned();
    vec![
        // Whoever goes away stops the question. Only questions that change nothing are stopped so.
        ("readonly", text("2")),
        ("cancel_http_readonly_queries_on_client_close", text("1")),
        // All versions of a row have the same start, hence the same month.
        ("do_not_merge_across_partitions_select_final", text("1")),
        ("force_grouping_standard_compatibility", text("1")),
        // A key that follows from another one, as a week from a day, stays a key: `grouping()` names it.
        ("optimize_group_by_function_keys", text("0")),
        ("optimize_injective_functions_in_group_by", text("0")),
        ("optimize_aggregators_of_group_by_keys", text("0")),
        // A part of the facts is no answer.
        ("skip_unavailable_shards", text("0")),
        ("read_overflow_mode", text("throw")),
        ("group_by_overflow_mode", text("throw")),
        ("result_overflow_mode", text("throw")),
        ("fallback_to_stale_replicas_for_distributed_queries", text("0")),
        ("use_hedged_requests", text("0")),
        ("prefer_localhost_replica", text("1")),
        ("connect_timeout_with_failover_ms", text("1000")),
        ("connections_with_failover_max_tries", text("1")),
        ("handshake_timeout_ms", text("2000")),
        // What nodes send each other, durations and sets of ids, hardly gets smaller, and compressing it takes a tenth of the time of a
        // median.
        ("network_compression_method", text("NONE")),
        ("receive_timeout", SILENCE_S.to_string()),
        ("send_timeout", SILENCE_S.to_string()),
        ("max_execution_time", left.as_secs().max(1).to_string()),
        ("timeout_overflow_mode", text("throw")),
        ("max_memory_usage", (u64::from(max_memory_mb) * 1_000_000).to_string()),
        ("max_query_size", (length + 1_024).max(262_144).to_string()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::config;

    #[test]
    fn a_part_of_the_facts_is_no_answer() {
        let all = settings(Duration::from_secs(20), 1_024, 10);
        let value =
            |name: &str| all.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str());
        assert_eq!(value("skip_unavailable_shards"), Some("0"));
        assert_eq!(value("use_hedged_requests"), Some("0"));
        assert_eq!(value("receive_timeout"), Some("5"));
        assert_eq!(value("do_not_merge_across_partitions_select_final"), Some("1"));
        assert_eq!(value("max_memory_usage"), Some("1024000000"));
        assert_eq!(value("max_execution_time"), Some("20"));
    }

    #[test]
    fn an_exception_names_the_node_that_failed() {
        let (a, b) = ("http://10.0.0.1:8123", "http://10.0.0.2:8123");
        let two =
            Cluster::new(&config(&[(1, a, "10.0.0.1:9000"), (2, b, "10.0.0.2:9000")])).unwrap().unwrap();
        let chosen = [NodeId(0), NodeId(1)];
        let nodes = |error| two.failed(error, NodeId(0), &chosen).nodes;
        let refused =
            |reason: &str| Error::Refused { node: a.to_owned(), code: 210, reason: reason.to_owned() };
        assert_eq!(nodes(refused("Connection refused (10.0.0.2:9000)")), [NodeId(1)]);
        assert_eq!(nodes(refused("Unknown table")), [NodeId(0)]);
        assert_eq!(nodes(Error::node(a, "closed")), [NodeId(0)]);
        assert!(nodes(Error::TooManyGroups).is_empty());
    }
}
