//! A node whose tables were made anew during a question may have counted a part of its rows.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::insights::{Grouping, IncursionFilter, Measure, Question};
use warehouse::{Config, Error, NodeConfig};

use super::{TestCopy, config_of, start_fake_node};

/// Starts what answers as a node without facts, and returns its address. It says each time that it is looked at what its filling is: the
/// next of these, and in the end the last.
async fn start_node(fillings: &'static [u64]) -> String {
    let looks = Arc::new(AtomicUsize::new(0));
    start_fake_node(move |statement| {
        let looks = Arc::clone(&looks);
        async move {
            if !statement.contains("_applied") {
                return r#"{"data": [], "rows": 0}"#.to_owned();
            }
            let look = looks.fetch_add(1, Ordering::SeqCst);
            let filling = fillings[look.min(fillings.len() - 1)];
            format!(r#"{{"data": [["a store", 1, 0, 0, 1, 1, {filling}]], "rows": 1}}"#)
        }
    })
    .await
}

/// Asks a cluster of this node how many incursions there are.
async fn count(fillings: &'static [u64]) -> Result<i64, Error> {
    let node = NodeConfig { shard: 1, url: start_node(fillings).await, native: String::new() };
    let copy = TestCopy::of_config(&Config { nodes: vec![node], ..config_of(&[]) }, 1);
    let question = Question {
        from: None,
        to: None,
        filter: IncursionFilter::default(),
        visible_projects: None,
        measures: vec![Measure::Incursions],
        groupings: vec![Grouping::by([])],
    };
    let answer = copy.ask(&question).await?;
    Ok(answer.groupings[0].groups[0].figures[0].incursions)
}

#[tokio::test]
async fn a_node_must_have_the_same_filling_before_and_after_a_question() {
    assert_eq!(count(&[7]).await, Ok(0));
    // It is given up, and there is no other replica.
    let refused = count(&[7, 8]).await;
    assert!(matches!(&refused, Err(Error::Node { reason, .. }) if reason.contains("lost")), "{refused:?}");
}
