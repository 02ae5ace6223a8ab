//! The tables of ClickHouse that hold copies of facts, and the questions that they answer.

mod comparison;
mod fillings;
mod memory;
mod natives;
mod nodes;
mod rights;
mod soak;
mod steps;
mod tls;

use std::sync::OnceLock;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::response::IntoResponse;
use domain::insights::{Answer, Question};
use domain::{BrandId, Secret};
use testbed::ClickHouseNode;
use testkit::insights::FactRows;
use warehouse::{
    Batch, Cluster, ClusterQuestion, Config, CopyId, Error, Fill, FillTables, KeptFrom, Kinds, Limits,
    NodeConfig, NodeId, Origin,
};

/// Two nodes that tests share. Each test has tables of its own.
pub fn shared_nodes() -> &'static [ClickHouseNode; 2] {
    static NODES: OnceLock<[ClickHouseNode; 2]> = OnceLock::new();
    NODES.get_or_init(|| [ClickHouseNode::start().unwrap(), ClickHouseNode::start().unwrap()])
}

/// Returns the configuration of nodes, each with the number of its shard.
pub fn config_of(nodes: &[(u32, &ClickHouseNode)]) -> Config {
    let node = |(shard, node): &(u32, &ClickHouseNode)| NodeConfig {
        shard: *shard,
        url: node.url(),
        native: node.native(),
    };
    Config {
        nodes: nodes.iter().map(node).collect(),
        database: ClickHouseNode::DATABASE.to_owned(),
        user: ClickHouseNode::USER.to_owned(),
        password: Secret(ClickHouseNode::PASSWORD.to_owned()),
        max_query_memory_mb: 1_000,
        max_concurrent_queries: 8,
        max_concurrent_queries_per_brand: 8,
    }
}

/// Runs a statement on a node, past the code under test.
pub async fn run_statement(node: &ClickHouseNode, statement: String) -> String {
    let answered = testkit::http_client()
        .build()
        .unwrap()
        .post(format!("{}/?database={}", node.url(), ClickHouseNode::DATABASE))
        .header("X-ClickHouse-User", ClickHouseNode::USER)
        .header("X-ClickHouse-Key", ClickHouseNode::PASSWORD)
        .body(statement)
        .send()
        .await
        .unwrap();
    let (status, body) = (answered.status(), answered.text().await.unwrap());
    assert!(status.is_success(), "{body}");
    body
}

/// Starts what answers statements as a node, and returns its address.
async fn start_fake_node<R, A>(answer: impl Fn(String) -> R + Clone + Send + Sync + 'static) -> String
where
    R: Future<Output = A> + Send + 'static,
    A: IntoResponse + 'static,
{
    let node = Router::new().fallback(move |body: Bytes| answer(String::from_utf8_lossy(&body).into_owned()));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        axum::serve(listener, node).await.unwrap();
    });
    format!("http://{address}")
}

const LIMITS: Limits =
    Limits { max_groups: 100_000, max_result_bytes: 100_000_000, timeout: Duration::from_secs(20) };

/// A copy of facts that a test writes.
struct TestCopy {
    cluster: Cluster,
    copy: CopyId,
    origin: Origin,
    kinds: Kinds,
    last_seq: i64,
}

/// What a node fails with that other tests keep busy.
const TOO_BUSY: &str = "did not answer in time";

/// Looks for faults of nodes, and again if one is too busy to answer.
async fn check(cluster: &Cluster) -> Vec<Error> {
    for _ in 0..20 {
        let faults = cluster.check().await;
        if !faults.iter().any(|fault| fault.to_string().contains(TOO_BUSY)) {
            return faults;
        }
    }
    panic!("nodes do not answer");
}

impl TestCopy {
    /// Returns an empty copy. Tests that share nodes choose different tokens.
    fn new(nodes: &[(u32, &ClickHouseNode)], token: u64) -> Self {
        Self::of_config(&config_of(nodes), token)
    }

    fn of_config(config: &Config, token: u64) -> Self {
        let cluster = Cluster::new(config).unwrap().unwrap();
        let origin = Origin { store_id: "a store".to_owned(), timeline: 1 };
        let copy = CopyId { brand: BrandId(1), token };
        Self { cluster, copy, origin, kinds: Kinds::default(), last_seq: 0 }
    }

    fn nodes(&self) -> Vec<NodeId> {
        self.cluster.nodes().collect()
    }

    /// Writes facts to these nodes, as later changes than those before.
    async fn write(&mut self, nodes: &[NodeId], rows: &FactRows) {
        self.try_write(nodes, rows).await.unwrap();
    }

    async fn try_write(&mut self, nodes: &[NodeId], rows: &FactRows) -> Result<(), Error> {
        let mut batch = Batch::new(self.cluster.shards());
        for fact in &rows.incursions {
            self.last_seq += 1;
            batch.push_incursion(self.last_seq, fact).unwrap();
        }
        for fact in &rows.runtime {
            self.last_seq += 1;
            batch.push_runtime(self.last_seq, fact).unwrap();
        }
        let failed = self.cluster.insert(nodes, self.copy, &mut batch).await;
        failed.into_iter().next().map_or(Ok(()), |(_, error)| Err(error))
    }

    /// Creates the tables of a node, unless it has them.
    async fn prepare(&self, node: NodeId) -> FillTables {
        self.cluster.prepare(node, self.copy, &self.origin.store_id).await.unwrap()
    }

    /// Fills nodes with facts.
    async fn fill(&mut self, nodes: &[NodeId], rows: &FactRows, filling: u64) {
        for node in nodes {
            self.prepare(*node).await;
        }
        self.write(nodes, rows).await;
        self.finish(nodes, filling).await;
    }

    async fn finish(&self, nodes: &[NodeId], filling: u64) {
        for node in nodes {
            let tables = self.prepare(*node).await;
            self.try_finish(*node, &tables, filling).await.unwrap();
        }
    }

    /// Says that these tables of a node hold everything up to the last change.
    async fn try_finish(&self, node: NodeId, tables: &FillTables, filling: u64) -> Result<(), Error> {
        let fill = Fill { origin: &self.origin, is_synchronous: false, seq: self.last_seq, filling };
        self.cluster.finish_fill(node, self.copy, tables, &fill).await
    }

    /// Asks for everything up to the last change.
    async fn ask(&self, question: &Question) -> Result<Answer, Error> {
        let asked = ClusterQuestion {
            question,
            copy: self.copy,
            origin: &self.origin,
            last_seq: self.last_seq,
            kept_from: KeptFrom::default(),
            kinds: &self.kinds,
        };
        self.cluster.ask(&asked, LIMITS).await.map(|answered| answered.answer)
    }
}
