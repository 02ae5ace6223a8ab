//! Native addresses that lead elsewhere from some nodes. The node that puts an answer together resolves them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::http::{HeaderMap, HeaderValue};
use domain::insights::{Grouping, IncursionFilter, Measure, Question};
use warehouse::{Config, Error, NodeConfig};

use super::{TestCopy, config_of, start_fake_node};

/// The native addresses of the two nodes. Nobody connects to them.
const NATIVES: [&str; 2] = ["127.0.0.1:9000", "10.0.0.2:9000"];
/// What a node finds at an address to which it cannot connect.
const NOBODY: &str = "nobody";
/// What it finds at an address of a server without the database.
const NO_DATABASE: &str = "";

struct FakeNode {
    url: String,
    /// How often it was to put an answer together.
    questions: Arc<AtomicUsize>,
}

/// Starts what answers as a node of a shard without facts. Its server has these identities, one after the other, and it finds others at the
/// native addresses.
async fn start_node(shard: u32, identities: &'static [&'static str], found: [&'static str; 2]) -> FakeNode {
    let (questions, looks) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let asked = Arc::clone(&questions);
    let url = start_fake_node(move |statement| {
        let rows = if statement.contains("_applied") {
            vec![format!(r#"["a store", 1, 0, 0, {shard}, 2, 7]"#)]
        } else if statement.contains("from system.databases") {
            let look = looks.fetch_add(1, Ordering::SeqCst).min(identities.len() - 1);
            vec![format!(r#"[1, "{}"]"#, identities[look])]
        } else if statement.contains("'system', 'databases'") {
            let (_, natives) = statement.split_once("remote('").unwrap();
            let natives = natives.split('\'').next().unwrap().split(',');
            let found = natives.map(|native| found[usize::from(native == NATIVES[1])]);
            let found = found.enumerate().filter(|(_, identity)| *identity != NO_DATABASE);
            found.map(|(place, identity)| format!(r#"[{}, "{identity}"]"#, place + 1)).collect()
        } else {
            asked.fetch_add(usize::from(statement.contains("remote(")), Ordering::SeqCst);
            Vec::new()
        };
        async move {
            let mut headers = HeaderMap::new();
            if rows.iter().any(|row| row.contains(NOBODY)) {
                headers.insert("x-clickhouse-exception-code", HeaderValue::from_static("279"));
                return (headers, format!("Connection refused ({})", NATIVES[usize::from(shard == 1)]));
            }
            (headers, format!(r#"{{"data": [{}], "rows": {}}}"#, rows.join(", "), rows.len()))
        }
    })
    .await;
    FakeNode { url, questions }
}

/// Asks a cluster of two shards how many incursions there are.
async fn count(nodes: [&FakeNode; 2], times: usize) -> Vec<Result<i64, Error>> {
    let nodes = [1, 2].into_iter().zip(nodes).zip(NATIVES).map(|((shard, node), native)| NodeConfig {
        shard,
        url: node.url.clone(),
        native: native.to_owned(),
    });
    let copy = TestCopy::of_config(&Config { nodes: nodes.collect(), ..config_of(&[]) }, 1);
    let question = Question {
        from: None,
        to: None,
        filter: IncursionFilter::default(),
        visible_projects: None,
        measures: vec![Measure::Incursions],
        groupings: vec![Grouping::by([])],
    };
    let mut counts = Vec::new();
    for _ in 0..times {
        let answered = copy.ask(&question).await;
        counts.push(answered.map(|answer| answer.groupings[0].groups[0].figures[0].incursions));
    }
    counts
}

#[tokio::test]
async fn a_node_from_which_an_address_leads_elsewhere_puts_no_answer_together() {
    let (first, second) = (start_node(1, &["a"], ["a", "b"]).await, start_node(2, &["b"], ["b", "b"]).await);
    assert_eq!(count([&first, &second], 4).await, [Ok(0), Ok(0), Ok(0), Ok(0)]);
    assert!(first.questions.load(Ordering::SeqCst) >= 4);
    assert_eq!(second.questions.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_node_that_cannot_connect_to_another_puts_no_answer_together() {
    let (first, second) =
        (start_node(1, &["a"], ["a", NOBODY]).await, start_node(2, &["b"], ["a", "b"]).await);
    assert_eq!(count([&first, &second], 4).await, [Ok(0), Ok(0), Ok(0), Ok(0)]);
    assert_eq!(first.questions.load(Ordering::SeqCst), 0);
    assert!(second.questions.load(Ordering::SeqCst) >= 4);
}

#[tokio::test]
async fn nodes_that_reach_each_other_take_turns() {
    let (first, second) = (start_node(1, &["a"], ["a", "b"]).await, start_node(2, &["b"], ["a", "b"]).await);
    assert_eq!(count([&first, &second], 2).await, [Ok(0), Ok(0)]);
    for node in [first, second] {
        assert!(node.questions.load(Ordering::SeqCst) >= 1);
    }
}

#[tokio::test]
async fn without_a_node_that_reaches_all_there_is_no_answer() {
    let (first, second) = (start_node(1, &["a"], ["a", "a"]).await, start_node(2, &["b"], ["b", "b"]).await);
    assert!(matches!(&count([&first, &second], 1).await[..], [Err(Error::Node { .. })]));
    // Nothing tells these apart.
    let (first, second) = (start_node(1, &["a"], ["a", "a"]).await, start_node(2, &["a"], ["a", "a"]).await);
    assert!(matches!(&count([&first, &second], 1).await[..], [Err(Error::Node { .. })]));
    for node in [first, second] {
        assert_eq!(node.questions.load(Ordering::SeqCst), 0);
    }
}

#[tokio::test]
async fn a_node_that_reaches_a_server_without_the_database_puts_no_answer_together() {
    let first = start_node(1, &["a"], ["a", NO_DATABASE]).await;
    let second = start_node(2, &["b"], ["a", "b"]).await;
    assert_eq!(count([&first, &second], 4).await, [Ok(0), Ok(0), Ok(0), Ok(0)]);
    assert_eq!(first.questions.load(Ordering::SeqCst), 0);
    assert!(second.questions.load(Ordering::SeqCst) >= 4);
}

#[tokio::test]
async fn a_server_that_was_exchanged_is_looked_up_again() {
    let (first, second) =
        (start_node(1, &["a"], ["a", "c"]).await, start_node(2, &["b", "c"], ["a", "b"]).await);
    assert_eq!(count([&first, &second], 1).await, [Ok(0)]);
    assert!(first.questions.load(Ordering::SeqCst) >= 1);
}
