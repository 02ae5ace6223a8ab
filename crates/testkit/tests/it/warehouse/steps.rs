//! A node that is much slower than a replica of it is left out of a step.

use std::time::Duration;

use testkit::insights::{FactRows, SeededRandom};
use tokio::time::Instant;
use warehouse::{Advance, Batch, Config, Error, NodeConfig};

use super::{TestCopy, config_of, start_fake_node};

/// Starts what answers each statement after so many milliseconds, and says that it holds the first change.
async fn start_node(delay_ms: u64) -> NodeConfig {
    let url = start_fake_node(move |_| async move {
        tokio::time::sleep(Duration::from_millis(delay_ms)).await;
        r#"{"data": [["a store", 1, 0, 1, 1, 1, 7]], "rows": 1}"#.to_owned()
    })
    .await;
    NodeConfig { shard: 1, url, native: String::new() }
}

/// Returns what becomes of replicas in a step, which is two statements.
async fn step(nodes: Vec<NodeConfig>) -> Vec<Result<(), Error>> {
    let copy = TestCopy::of_config(&Config { nodes, ..config_of(&[]) }, 1);
    let step = Advance { origin: &copy.origin, is_synchronous: false, after: 0, seq: 1, filling: 7 };
    let steps: Vec<_> = copy.nodes().into_iter().map(|node| (node, Some(step))).collect();
    let applied = copy.cluster.apply(copy.copy, &mut Batch::new(1), &steps, &[]).await;
    applied.into_iter().map(|(_, outcome)| outcome).collect()
}

#[tokio::test]
async fn a_step_does_without_a_node_that_is_much_slower_than_a_replica() {
    let slow = start_node(2_500).await;
    let expected = Error::Slow { node: slow.url.clone() };
    assert_eq!(step(vec![start_node(0).await, slow]).await, [Ok(()), Err(expected)]);
}

#[tokio::test]
async fn a_step_waits_for_nodes_that_are_all_slow() {
    assert_eq!(step(vec![start_node(700).await, start_node(700).await]).await, [Ok(()), Ok(())]);
    assert_eq!(step(vec![start_node(700).await]).await, [Ok(())]);
}

#[tokio::test]
async fn a_step_does_not_wait_as_long_for_a_node_that_can_be_replaced() {
    let nodes = vec![start_node(1_700).await, start_node(0).await];
    let copy = TestCopy::of_config(&Config { nodes, ..config_of(&[]) }, 1);
    let step = Advance { origin: &copy.origin, is_synchronous: false, after: 0, seq: 1, filling: 7 };
    let (cluster, nodes) = (&copy.cluster, copy.nodes());
    let steps = [(nodes[0], Some(step))];
    let applied = cluster.apply(copy.copy, &mut Batch::new(1), &steps, &nodes[1..]).await;
    let reason = "it did not end a step in time".to_owned();
    let expected = Error::Node { node: cluster.name(nodes[0]).to_owned(), reason };
    assert_eq!(applied, [(nodes[0], Err(expected))]);
}

/// Each insert makes a part, which ClickHouse merges with others. What a node holds is written to a table, too.
#[tokio::test]
async fn a_table_gets_at_most_two_inserts_a_second() {
    let nodes = vec![start_node(0).await];
    let copy = TestCopy::of_config(&Config { nodes, ..config_of(&[]) }, 1);
    let step = Advance { origin: &copy.origin, is_synchronous: false, after: 0, seq: 1, filling: 7 };
    let began = Instant::now();
    let mut steps = 0;
    while steps < 4 {
        copy.cluster.advance(copy.nodes()[0], copy.copy, &step).await.unwrap();
        steps += 1;
    }
    // The first one waits for none.
    assert!(began.elapsed() >= Duration::from_millis(500) * (steps - 1));
    let fact = FactRows::random(&SeededRandom::new(1), 1, 0).incursions.remove(0);
    let began = Instant::now();
    for round in 0..3_i64 {
        let mut batch = Batch::new(1);
        batch.push_incursion(round, &fact).unwrap();
        assert_eq!(copy.cluster.insert(&copy.nodes(), copy.copy, &mut batch).await, []);
    }
    assert!(began.elapsed() >= Duration::from_secs(1));
}
