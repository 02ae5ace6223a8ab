//! The programs' part of `bench/warehouse.py`: writes the same generated incursions into a cube and into clusters of ClickHouse, and asks all of
//! them the questions that it reads from standard input, one per line.
//!
//! ```text
//! questions ROWS DAYS CLUSTER…    a cluster is the addresses of its nodes, url|native, separated by commas; each node is a shard
//! ```
//!
//! It prints the number of rows and the bytes of the cube, and the names of the questions. `cube NUMBER` asks the cube, and `CLUSTER NUMBER`
//! asks a cluster, counted from 0; both print milliseconds. `compare NUMBER` compares the answers of all.
#![expect(clippy::print_stdout, reason = "it prints results for the caller")]
#![expect(clippy::disallowed_methods, reason = "it measures time")]
#![expect(clippy::unwrap_used, reason = "any error ends the program")]

#[path = "../../../cube/examples/insights/data.rs"]
mod data;
#[expect(dead_code, reason = "the benchmark of the cube asks more of them")]
#[path = "../../../cube/examples/insights/questions.rs"]
mod questions;

use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

use cube::{Attributes, Cube, ScanContext, Settings, Snapshot};
use domain::insights::{Answer, Dimension, Grouping, IncursionFilter, Measure, Question};
use domain::{BrandId, Secret};
use warehouse::{
    Batch, Cluster, ClusterQuestion, Config, CopyId, Fill, KeptFrom, Kinds, Limits, NodeConfig, NodeId,
    Origin,
};

const COPY: CopyId = CopyId { brand: BrandId(1), token: 1 };
const LIMITS: Limits =
    Limits { max_groups: 1_000_000, max_result_bytes: 1_000_000_000, timeout: Duration::from_secs(120) };
/// The memory limit for groups and counters.
const MEMORY_BYTES: usize = 1 << 30;
/// Rows of an insert.
const INSERT_ROWS: u64 = 1 << 18;

#[tokio::main]
async fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (rows, days): (u64, u64) = (words[0].parse().unwrap(), words[1].parse().unwrap());
    let clusters: Vec<Cluster> = words[2..].iter().map(|nodes| connect(nodes)).collect();
    for cluster in &clusters {
        fill(cluster, rows, days).await;
    }
    let cube = build_cube(rows, days);
    let snapshot = cube.snapshot();
    println!("{{\"rows\": {rows}, \"bytes\": {}}}", cube.bytes());
    let all = all_questions();
    println!("{}", all.len());
    for (name, _) in &all {
        println!("{name}");
    }
    std::io::stdout().flush().unwrap();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let (word, number) = line.split_once(' ').unwrap();
        let question = &all[number.parse::<usize>().unwrap()].1;
        let began = Instant::now();
        let took = |began: Instant| format!("{:.3}", began.elapsed().as_secs_f64() * 1e3);
        let said = match word {
            "compare" => {
                let expected = ask_cube(&snapshot, question);
                for cluster in &clusters {
                    assert!(ask(cluster, rows, question).await == expected, "the answers differ");
                }
                "equal".to_owned()
            }
            "cube" => {
                drop(ask_cube(&snapshot, question));
                took(began)
            }
            cluster => {
                drop(ask(&clusters[cluster.parse::<usize>().unwrap()], rows, question).await);
                took(began)
            }
        };
        println!("{said}");
        std::io::stdout().flush().unwrap();
    }
}

/// Returns the questions of the benchmark of the cube, and medians.
fn all_questions() -> Vec<(String, Question)> {
    let median = Question {
        from: None,
        to: None,
        filter: IncursionFilter::default(),
        visible_projects: None,
        measures: vec![Measure::MedianDuration],
        groupings: vec![Grouping::by([Dimension::Worksite])],
    };
    questions::fixed().into_iter().chain([("median duration per site".to_owned(), median)]).collect()
}

fn origin() -> Origin {
    Origin { store_id: "bench".to_owned(), timeline: 1 }
}

fn connect(nodes: &str) -> Cluster {
    let node = |(place, node): (usize, &str)| {
        let (url, native) = node.split_once('|').unwrap();
        let shard = u32::try_from(place).unwrap() + 1;
        NodeConfig { shard, url: url.to_owned(), native: native.to_owned() }
    };
    let config = Config {
        nodes: nodes.split(',').enumerate().map(node).collect(),
        database: "keepclear".to_owned(),
        user: "keepclear".to_owned(),
        password: Secret("keepclear".to_owned()),
        max_query_memory_mb: 1_500,
        max_concurrent_queries: 1,
        max_concurrent_queries_per_brand: 1,
    };
    Cluster::new(&config).unwrap().unwrap()
}

/// Writes all rows, as whoever follows the changes of a brand does.
async fn fill(cluster: &Cluster, rows: u64, days: u64) {
    let (nodes, origin) = (cluster.nodes().collect::<Vec<NodeId>>(), origin());
    let mut tables = Vec::new();
    for node in &nodes {
        tables.push(cluster.prepare(*node, COPY, &origin.store_id).await.unwrap());
    }
    let mut world = data::FactGenerator::new(rows, days);
    let mut seq = 0;
    while seq < rows {
        let mut batch = Batch::new(cluster.shards());
        for fact in world.generate(INSERT_ROWS.min(rows - seq)) {
            seq += 1;
            batch.push_incursion(seq.cast_signed(), &fact).unwrap();
        }
        let failed = cluster.insert(&nodes, COPY, &mut batch).await;
        assert!(failed.is_empty(), "{failed:?}");
    }
    let fill = Fill { origin: &origin, is_synchronous: false, seq: seq.cast_signed(), filling: 1 };
    for (node, tables) in nodes.iter().zip(&tables) {
        cluster.finish_fill(*node, COPY, tables, &fill).await.unwrap();
    }
}

fn build_cube(rows: u64, days: u64) -> Cube {
    let mut world = data::FactGenerator::new(rows, days);
    let mut cube = Cube::new(Settings::default());
    let mut left = rows;
    while left > 0 {
        let batch = world.generate(left.min(INSERT_ROWS));
        left -= batch.len() as u64;
        cube.apply(&batch, &[]).unwrap();
    }
    cube
}

async fn ask(cluster: &Cluster, rows: u64, question: &Question) -> Answer {
    let (origin, kinds) = (origin(), Kinds::default());
    let asked = ClusterQuestion {
        question,
        copy: COPY,
        origin: &origin,
        last_seq: rows.cast_signed(),
        kept_from: KeptFrom::default(),
        kinds: &kinds,
    };
    cluster.ask(&asked, LIMITS).await.unwrap().answer
}

fn ask_cube(snapshot: &Snapshot, question: &Question) -> Answer {
    static POOL: std::sync::OnceLock<rayon::ThreadPool> = std::sync::OnceLock::new();
    let scan = ScanContext {
        pool: POOL.get_or_init(|| rayon::ThreadPoolBuilder::new().build().unwrap()),
        attributes: &Attributes::default(),
        max_memory_bytes: MEMORY_BYTES,
        is_cancelled: &|| false,
    };
    snapshot.answer(question, &scan).unwrap()
}
