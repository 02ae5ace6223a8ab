//! A question that needs more memory on a node than it may take is refused.

use axum::http::StatusCode;
use domain::BrandId;
use domain::insights::{Dimension, Grouping, IncursionFilter, Measure, Question};
use testbed::ClickHouseNode;
use testkit::Engine;
use testkit::insights::FactRows;
use warehouse::{Cluster, Config, Error, FactTable};

use super::{TestCopy, config_of, run_statement, shared_nodes};
use crate::v1::insights::warehouse::Followed;

/// The least that can be configured. Durations have four bytes, but take up to thirteen while they are collected and sorted.
const MEMORY_MB: u32 = 64;
/// More than fit when each is held once, and once for each of the groupings below. Other tests use the same nodes, so that there are no more.
const DURATIONS_OF_ONE_GROUPING: i64 = 6_000_000;
const DURATIONS: i64 = 2_000_000;
const GROUPINGS: [&[Dimension]; 8] = [
    &[],
    &[Dimension::Month],
    &[Dimension::Week],
    &[Dimension::DayOfWeek],
    &[Dimension::Zone],
    &[Dimension::Review],
    &[Dimension::Machine],
    &[Dimension::Worksite],
];

const MAX_TRIES: u32 = 30;

fn small(nodes: &[(u32, &ClickHouseNode)]) -> Config {
    Config { max_query_memory_mb: MEMORY_MB, ..config_of(nodes) }
}

async fn ask(copy: &TestCopy, measure: Measure) -> Result<Option<i64>, Error> {
    let question = Question {
        from: None,
        to: None,
        filter: IncursionFilter::default(),
        visible_projects: None,
        measures: vec![measure],
        groupings: GROUPINGS.map(Grouping::by).to_vec(),
    };
    // Nodes that have much to write may take longer to say what they hold.
    for _ in 0..MAX_TRIES {
        match copy.ask(&question).await {
            Err(Error::NotCurrent(_)) => {}
            Err(error) => return Err(error),
            Ok(answer) => return Ok(answer.groupings[0].groups[0].figures[0].numerator),
        }
    }
    panic!("nodes do not say that they hold what was written");
}

/// Asks for a median of durations that a node holds, or each of two.
async fn median_exceeds_memory(nodes: &[(u32, &ClickHouseNode)], token: u64) {
    let mut copy = TestCopy::new(nodes, token);
    let all = copy.nodes();
    copy.fill(&all, &FactRows::default(), 7).await;
    let table = copy.copy.table(FactTable::Incursions);
    for (_, node) in nodes {
        let durations = format!(
            "insert into {table} (started_at, id, seq, duration_ms, ended) \
             select 1772000000000000 + number, 1 + number, 1, 1 + number, true from numbers({DURATIONS})"
        );
        run_statement(node, durations).await;
    }
    let limited = TestCopy::of_config(&small(nodes), token);
    let count = DURATIONS * nodes.len() as i64;
    // Each node puts answers together once.
    for _ in nodes {
        assert_eq!(ask(&limited, Measure::Incursions).await, Ok(Some(count)));
        assert_eq!(ask(&limited, Measure::MedianDuration).await, Err(Error::TooManyGroups));
    }
    assert_eq!(ask(&copy, Measure::MedianDuration).await, Ok(Some(DURATIONS / 2)));
    for node in all {
        copy.cluster.drop_copy(node, copy.copy).await.unwrap();
    }
}

#[tokio::test]
async fn a_median_that_one_shard_has_no_memory_for_is_refused() {
    let [first, _] = shared_nodes();
    median_exceeds_memory(&[(1, first)], 0xA1).await;
}

#[tokio::test]
async fn a_median_that_two_shards_have_no_memory_for_is_refused() {
    let [first, second] = shared_nodes();
    median_exceeds_memory(&[(1, first), (2, second)], 0xA2).await;
}

#[test]
#[ignore = "to write its 6 million rows takes memory of a node that other tests share"]
fn a_median_that_needs_too_much_memory_is_422() {
    testkit::run(Engine::Sqlite, |engine: Engine| async move {
        let [node, _] = shared_nodes();
        let config = small(&[(1, node)]);
        let followed = Followed::on_nodes(engine, config.clone()).await;
        let (app, admin) = (&followed.yard.app, &followed.yard.admin);
        let cluster = Cluster::new(&config).unwrap().unwrap();
        let id = cluster.nodes().next().unwrap();
        let copies = cluster.copies(id, app.app.store_id()).await.unwrap();
        let copy = copies.into_iter().find(|copy| copy.brand == BrandId(1)).unwrap();
        let table = copy.table(FactTable::Incursions);
        let more = format!(
            "insert into {table} select * replace (id + 1000000 * (1 + arrayJoin(range({}))) as id) from {table}",
            DURATIONS_OF_ONE_GROUPING / 120
        );
        run_statement(node, more).await;
        let get = async |metric: &str| {
            let path = format!("/api/v1/insights/trends?metric={metric}");
            for _ in 0..MAX_TRIES {
                let reply = app.get(&path).cookie(&admin.cookie).send().await;
                if reply.status != StatusCode::SERVICE_UNAVAILABLE {
                    return reply;
                }
            }
            panic!("the node does not say that it holds what was written");
        };
        get("incursions").await.expect(200);
        let refused = get("median_duration").await.expect(422);
        assert_eq!(refused.code(), "too_many_groups");
        // Whoever follows would fill it again.
        drop(followed);
        cluster.drop_copy(id, copy).await.unwrap();
    });
}
