//! The rights that docs/warehouse.md grants to the user are all needed, suffice, and are checked.

use std::path::Path;

use domain::Timestamp;
use domain::insights::{Answer, Dimension, Grouping, IncursionFilter, Measure, Question};
use futures_util::future::join_all;
use testbed::ClickHouseNode;
use testkit::insights::{FactRows, SeededRandom};
use warehouse::{Advance, Config, Error, KeptFrom};

use super::{TestCopy, check, config_of};

/// Returns the rights in the words of the document, each by itself: `insert on keepclear.*`.
fn documented_rights() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/warehouse.md");
    let document = std::fs::read_to_string(path).unwrap();
    let grants =
        document.lines().filter_map(|line| line.strip_prefix("grant ")?.strip_suffix(" to keepclear;"));
    let each = grants.flat_map(|grant| {
        let (rights, of) = grant.split_once(" on ").unwrap();
        rights.split(", ").map(move |right| format!("{right} on {of}"))
    });
    each.collect()
}

fn question() -> Question {
    Question {
        from: None,
        to: None,
        filter: IncursionFilter::default(),
        visible_projects: None,
        measures: vec![Measure::Incursions, Measure::MedianDuration, Measure::RuntimeHours],
        groupings: vec![Grouping::by([]), Grouping::by([Dimension::Month])],
    }
}

/// Does with nodes everything that Keepclear does, with a copy of its own, and returns the answer of its question.
async fn use_nodes(config: &Config, token: u64, rows: &FactRows) -> Result<Answer, Error> {
    let mut copy = TestCopy::of_config(config, token);
    let nodes = copy.nodes();
    let mut tables = Vec::new();
    for node in &nodes {
        tables.push(copy.cluster.prepare_empty(*node, copy.copy, &copy.origin.store_id).await?);
    }
    copy.try_write(&nodes, rows).await?;
    for (node, tables) in nodes.iter().zip(&tables) {
        copy.try_finish(*node, tables, 7).await?;
    }
    let filled = copy.last_seq;
    copy.try_write(&nodes, rows).await?;
    for node in &nodes {
        let step = Advance {
            origin: &copy.origin,
            is_synchronous: false,
            after: filled,
            seq: copy.last_seq,
            filling: 7,
        };
        copy.cluster.advance(*node, copy.copy, &step).await?;
        copy.cluster.applied_if_whole(*node, copy.copy).await?;
    }
    let answer = copy.ask(&question()).await?;
    let kept_from = Some(Timestamp::parse("2026-02-10T12:00:00Z").unwrap());
    for node in nodes {
        let kept_from = KeptFrom { incursions: kept_from, runtime: kept_from };
        copy.cluster.drop_expired(node, copy.copy, kept_from).await?;
        copy.cluster.copies(node, &copy.origin.store_id).await?;
        copy.cluster.drop_copy(node, copy.copy).await?;
    }
    Ok(answer)
}

#[tokio::test]
async fn the_documented_rights_are_needed_and_suffice() {
    let rights = documented_rights();
    assert!(rights.len() > 5, "{rights:?}");
    // Each user but one lacks a right.
    let mut users = vec![("all".to_owned(), rights.clone())];
    for number in 0..rights.len() {
        let mut others = rights.clone();
        others.remove(number);
        users.push((format!("without_{number}"), others));
    }
    let nodes = [(); 2].map(|()| ClickHouseNode::start_with_users(users.clone()).unwrap());
    let config =
        |user: &str| Config { user: user.to_owned(), ..config_of(&[(1, &nodes[0]), (2, &nodes[1])]) };
    let rows = FactRows::random(&SeededRandom::new(91), 100, 50);
    assert_eq!(check(&TestCopy::of_config(&config("all"), 1).cluster).await, []);
    let mut used = use_nodes(&config("all"), 101, &rows).await;
    // Nodes that other tests keep busy may take too long.
    for token in 102..110 {
        if used.is_err() {
            used = use_nodes(&config("all"), token, &rows).await;
        }
    }
    assert_eq!(used, Ok(rows.answer(&question())));
    let tried = rights.iter().enumerate().map(async |(number, right)| {
        let (user, token) = (format!("without_{number}"), 2 + number as u64);
        let config = config(&user);
        let used = use_nodes(&config, token, &rows).await;
        assert!(used.is_err(), "{right} is superfluous");
        let faults = check(&TestCopy::of_config(&config, token).cluster).await;
        let expected = format!("the user {user} lacks rights: {right}");
        assert!(
            faults.len() == 2 && faults.iter().all(|fault| fault.to_string().ends_with(&expected)),
            "{faults:?}"
        );
    });
    join_all(tried).await;
}
