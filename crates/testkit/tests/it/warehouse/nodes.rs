//! Nodes that are behind, emptied, killed or frozen never give a wrong number.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::insights::{Answer, Grouping, IncursionFilter, Measure, Question};
use testbed::ClickHouseNode;
use testkit::insights::{FactRows, SeededRandom};
use warehouse::{Advance, Config, Error, NodeConfig, NodeId};

use super::{TestCopy, config_of, shared_nodes, start_fake_node};

fn count() -> Question {
    Question {
        from: None,
        to: None,
        filter: IncursionFilter::default(),
        visible_projects: None,
        measures: vec![Measure::Incursions, Measure::MedianDuration],
        groupings: vec![Grouping::by([])],
    }
}

fn nodes() -> [ClickHouseNode; 2] {
    [ClickHouseNode::start().unwrap(), ClickHouseNode::start().unwrap()]
}

fn incursions(answer: &Answer) -> i64 {
    answer.groupings[0].groups[0].figures[0].incursions
}

fn facts(seed: u64) -> FactRows {
    FactRows::random(&SeededRandom::new(seed), 200, 0)
}

#[tokio::test]
async fn a_node_is_used_as_soon_as_it_holds_the_last_change() {
    let [first, second] = nodes();
    let mut copy = TestCopy::new(&[(1, &first), (1, &second)], 1);
    let all = copy.nodes();
    copy.fill(&all, &facts(1), 7).await;
    assert_eq!(copy.ask(&count()).await.map(|answer| incursions(&answer)), Ok(200));
    // One more change, which no node has yet.
    let before = copy.last_seq;
    copy.last_seq += 1;
    assert_eq!(copy.ask(&count()).await, Err(Error::NotCurrent(1)));
    let step = Advance {
        origin: &copy.origin,
        is_synchronous: false,
        after: before,
        seq: copy.last_seq,
        filling: 7,
    };
    copy.cluster.advance(all[1], copy.copy, &step).await.unwrap();
    assert_eq!(copy.ask(&count()).await.map(|answer| incursions(&answer)), Ok(200));
    // Another store, or another timeline of it.
    copy.origin.timeline = 2;
    assert_eq!(copy.ask(&count()).await, Err(Error::NotCurrent(1)));
}

#[tokio::test]
async fn a_node_that_was_emptied_is_not_used_until_it_is_filled_again() {
    let [first, second] = nodes();
    let mut copy = TestCopy::new(&[(1, &first), (2, &second)], 1);
    let all = copy.nodes();
    let rows = facts(2);
    copy.fill(&all, &rows, 7).await;
    let expected = copy.ask(&count()).await.unwrap();
    first.empty().unwrap();
    first.restart().unwrap();
    assert_eq!(copy.ask(&count()).await, Err(Error::NotCurrent(1)));
    // It gets its tables, and someone who does not know that it is empty goes on.
    copy.prepare(all[0]).await;
    let seq = copy.last_seq;
    let step = Advance { origin: &copy.origin, is_synchronous: false, after: seq, seq: seq + 1, filling: 7 };
    assert!(copy.cluster.advance(all[0], copy.copy, &step).await.is_err());
    assert_eq!(copy.cluster.applied(all[0], copy.copy).await, Ok(None));
    assert_eq!(copy.ask(&count()).await, Err(Error::NotCurrent(1)));
    copy.last_seq = 0;
    copy.write(&all[..1], &rows).await;
    copy.finish(&all[..1], 8).await;
    assert_eq!(copy.ask(&count()).await, Ok(expected));
}

/// Two processes fill a node, because the first has lost its lease and does not know yet.
#[tokio::test]
async fn a_node_that_was_emptied_while_it_was_filled_is_not_complete() {
    let node = ClickHouseNode::start().unwrap();
    let mut copy = TestCopy::new(&[(1, &node)], 1);
    let (all, rows) = (copy.nodes(), facts(5));
    let of_first = copy.prepare(all[0]).await;
    copy.write(&all, &rows).await;
    node.empty().unwrap();
    node.restart().unwrap();
    while !copy.cluster.check().await.is_empty() {}
    // The second begins anew. The first finds its tables there, and writes the rest.
    let of_second = copy.prepare(all[0]).await;
    assert_ne!(of_first, of_second);
    let last = FactRows { incursions: rows.incursions[199..].to_vec(), ..FactRows::default() };
    copy.write(&all, &last).await;
    assert!(copy.try_finish(all[0], &of_first, 7).await.is_err());
    assert_eq!(copy.cluster.applied(all[0], copy.copy).await, Ok(None));
    assert_eq!(copy.ask(&count()).await, Err(Error::NotCurrent(1)));
    copy.write(&all, &rows).await;
    copy.try_finish(all[0], &of_second, 8).await.unwrap();
    assert_eq!(copy.ask(&count()).await.map(|answer| incursions(&answer)), Ok(200));
    // It stays the same table for whoever comes next.
    assert_eq!(copy.prepare(all[0]).await, of_second);
}

#[tokio::test]
async fn a_node_that_has_another_place_now_is_not_used() {
    let [first, second] = nodes();
    let mut copy = TestCopy::new(&[(1, &first), (2, &second)], 1);
    let all = copy.nodes();
    copy.fill(&all, &facts(3), 7).await;
    let mut exchanged = TestCopy::new(&[(2, &first), (1, &second)], 1);
    exchanged.last_seq = copy.last_seq;
    assert!(matches!(exchanged.ask(&count()).await, Err(Error::NotCurrent(_))));
    // Their tables are made anew.
    exchanged.last_seq = 0;
    let all = exchanged.nodes();
    exchanged.fill(&all, &facts(3), 8).await;
    assert_eq!(exchanged.ask(&count()).await.map(|answer| incursions(&answer)), Ok(200));
}

/// Asks again and again while something happens to a node. Each answer is right, or there is none.
async fn ask_during(copy: &TestCopy, expected: &Answer, happens: impl FnOnce() + Send + 'static) {
    let happening = tokio::task::spawn_blocking(happens);
    let mut right = 0;
    while right < 5 || !happening.is_finished() {
        match copy.ask(&count()).await {
            Ok(answer) => {
                assert_eq!(answer, *expected);
                right += 1;
            }
            Err(Error::Node { .. } | Error::Refused { .. } | Error::NotCurrent(_)) => {}
            Err(other) => panic!("{other}"),
        }
    }
    happening.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_is_killed_or_frozen_is_done_without() {
    let [first, second] = nodes().map(Arc::new);
    let mut copy = TestCopy::new(&[(1, &*first), (1, &*second)], 1);
    let all: Vec<NodeId> = copy.nodes();
    copy.fill(&all, &facts(4), 7).await;
    let expected = copy.ask(&count()).await.unwrap();
    let node = Arc::clone(&first);
    ask_during(&copy, &expected, move || node.kill()).await;
    let node = Arc::clone(&first);
    ask_during(&copy, &expected, move || node.restart().unwrap()).await;
    let node = Arc::clone(&second);
    ask_during(&copy, &expected, move || node.freeze().unwrap()).await;
    assert_eq!(copy.ask(&count()).await.as_ref(), Ok(&expected));
    second.thaw().unwrap();
    assert_eq!(copy.ask(&count()).await, Ok(expected));
}

/// Starts what says that it holds the first change, after so many milliseconds, and answers questions, or says nothing any more when it is
/// asked one.
async fn start_replica(delay_ms: u64, falls_silent: bool) -> NodeConfig {
    let is_silent = Arc::new(AtomicBool::new(false));
    let url = start_fake_node(move |statement| {
        let is_silent = Arc::clone(&is_silent);
        async move {
            let is_question = statement.contains("count()");
            is_silent.fetch_or(falls_silent && is_question, Ordering::SeqCst);
            if is_silent.load(Ordering::SeqCst) {
                std::future::pending::<()>().await;
            }
            if is_question {
                return r#"{"data": [[0, 5, null, 5, 0]], "rows": 1}"#;
            }
            tokio::time::sleep(Duration::from_millis(delay_ms)).await;
            r#"{"data": [["a store", 1, 0, 1, 1, 1, 7]], "rows": 1}"#
        }
    })
    .await;
    NodeConfig { shard: 1, url, native: String::new() }
}

#[tokio::test]
async fn a_node_that_falls_silent_in_the_midst_of_a_question_is_given_up() {
    let nodes = vec![start_replica(0, true).await, start_replica(300, false).await];
    let mut copy = TestCopy::of_config(&Config { nodes, ..config_of(&[]) }, 1);
    copy.last_seq = 1;
    assert_eq!(copy.ask(&count()).await.map(|answer| incursions(&answer)), Ok(5));
    // Without a replica there is no answer.
    let nodes = vec![start_replica(0, true).await];
    let mut alone = TestCopy::of_config(&Config { nodes, ..config_of(&[]) }, 1);
    alone.last_seq = 1;
    let refused = alone.ask(&count()).await;
    assert!(matches!(&refused, Err(Error::Node { reason, .. }) if reason.contains("silent")), "{refused:?}");
}

#[tokio::test]
async fn a_native_address_that_leads_to_another_node_is_noticed() {
    let [first, second] = shared_nodes();
    let mut config = config_of(&[(1, first), (2, second)]);
    (config.nodes[0].native, config.nodes[1].native) = (second.native(), first.native());
    let mut copy = TestCopy::of_config(&config, 0x5A);
    assert_eq!(copy.cluster.check().await.len(), 2);
    let all = copy.nodes();
    copy.fill(&all, &facts(6), 7).await;
    assert!(matches!(copy.ask(&count()).await, Err(Error::NotCurrent(_))));
}

#[tokio::test]
async fn every_node_is_checked() {
    let [first, second] = nodes();
    let copy = TestCopy::new(&[(1, &first), (2, &second)], 1);
    assert!(copy.cluster.check().await.is_empty());
    second.kill();
    let faults = copy.cluster.check().await;
    assert!(matches!(&faults[..], [Error::Node { node, .. }] if *node == second.url()), "{faults:?}");
}

#[tokio::test]
async fn a_native_address_that_cannot_be_used_is_named_with_its_node() {
    let [first, second] = shared_nodes();
    let mut config = config_of(&[(1, first), (2, second)]);
    // Nobody listens there.
    config.nodes[1].native = "127.0.0.1:1".to_owned();
    let faults = TestCopy::of_config(&config, 1).cluster.check().await;
    let [fault] = &faults[..] else { panic!("{faults:?}") };
    let text = fault.to_string();
    assert!(text.contains(&second.url()) && text.contains("native address 127.0.0.1:1"), "{text}");
}

#[tokio::test]
async fn rights_that_the_user_lacks_are_named() {
    let url = start_fake_node(|statement| async move {
        match statement.strip_prefix("check grant ") {
            Some(right) if right.starts_with("insert") || right.starts_with("alter") => "0\n",
            Some(_) => "1\n",
            None => r#"{"data": [["26.7.2.1", 1]], "rows": 1}"#,
        }
    })
    .await;
    let config =
        Config { nodes: vec![NodeConfig { shard: 1, url, native: String::new() }], ..config_of(&[]) };
    let faults = TestCopy::of_config(&config, 1).cluster.check().await;
    let [fault] = &faults[..] else { panic!("{faults:?}") };
    let expected = "the user keepclear lacks rights: insert on keepclear.*; alter delete on keepclear.*";
    assert!(fault.to_string().ends_with(expected), "{fault}");
}

#[tokio::test]
async fn a_node_that_is_older_than_what_is_tested_is_refused() {
    let start = async |version: &'static str| {
        start_fake_node(move |statement| async move {
            match statement.starts_with("check grant ") {
                true => "1\n".to_owned(),
                false => format!(r#"{{"data": [["{version}", 1]], "rows": 1}}"#),
            }
        })
        .await
    };
    let urls = [start("26.7.1.1").await, start("26.6.9.2").await];
    let node = |url: &String| NodeConfig { shard: 1, url: url.clone(), native: String::new() };
    let config = Config { nodes: urls.iter().map(node).collect(), ..config_of(&[]) };
    let faults = TestCopy::of_config(&config, 1).cluster.check().await;
    let [fault] = &faults[..] else { panic!("{faults:?}") };
    let expected = format!("the ClickHouse node {} has version 26.6.9.2, which is older than 26.7", urls[1]);
    assert_eq!(fault.to_string(), expected);
}
