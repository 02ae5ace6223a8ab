//! Nodes that fail in the midst of questions that take long, and nodes that must not be used. Run by `make soak`, which writes docs/soak.md.

use std::sync::Arc;
use std::time::Duration;

use domain::Span;
use domain::insights::{Answer, Dimension, Grouping, IncursionFilter, Measure, Question};
use testbed::ClickHouseNode;
use testkit::insights::{FactRows, SeededRandom};
use tokio::time::Instant;
use warehouse::{Error, FactTable};

use super::{TestCopy, run_statement};
use crate::fleet::{print_row, summarise};

/// Rows of each shard: a question takes a second or more.
const ROWS: u32 = 2_000_000;
const ROUNDS: u32 = 6;
/// So often a round is tried in which the node that is to be frozen must be at work.
const ATTEMPTS: u32 = 5;
const EQUAL: &str = "an equal answer";

fn question() -> Question {
    Question {
        from: None,
        to: None,
        filter: IncursionFilter::default(),
        visible_projects: None,
        measures: vec![Measure::Incursions, Measure::MedianDuration, Measure::Pedestrians],
        groupings: vec![Grouping::by([Dimension::Worksite, Dimension::Hour]), Grouping::by([])],
    }
}

/// Writes generated incursions into the table of a node.
async fn generate(node: &ClickHouseNode, table: &str) {
    let statement = format!(
        "insert into {table} (started_at, id, seq, duration_ms, ack_ms, ended, acknowledged, zone, review, project, worksite, machine,
             station, pedestrian, operator, tag, local_day, local_minute, cell)
         select 1770000000000000 + number * 1000000 as at, number + 1, 1, cityHash64(number) % 60000, 0, 1, 0, 1 + number % 2, 0,
             1 + number % 3, 1 + number % 6, 1 + number % 60, 1 + number % 60, 1 + number % 997, 1 + number % 101, 1 + number % 997,
             intDiv(at, 86400000000), intDiv(at, 60000000) % 10080, 0
         from numbers({ROWS})"
    );
    run_statement(node, statement).await;
}

/// Asks while something happens to a node, and returns how long it took until there was an answer or none.
async fn ask_while(
    copy: &TestCopy,
    expected: &Answer,
    after: Duration,
    happens: impl Future<Output = ()> + Send + 'static,
) -> (Duration, &'static str) {
    let began = Instant::now();
    let happening = tokio::spawn(async move {
        tokio::time::sleep(after).await;
        happens.await;
    });
    let outcome = match copy.ask(&question()).await {
        Ok(answer) => {
            assert_eq!(answer, *expected);
            EQUAL
        }
        Err(Error::Node { .. } | Error::Refused { .. } | Error::NotCurrent(_) | Error::TimedOut) => {
            "no answer"
        }
        Err(other) => panic!("{other}"),
    };
    let took = began.elapsed();
    happening.await.unwrap();
    (took, outcome)
}

/// Nodes of two shards, with two replicas each, that hold the same rows as their replicas.
struct LargeCopy {
    nodes: [Arc<ClickHouseNode>; 4],
    copy: TestCopy,
    expected: Answer,
    /// How long a question takes.
    whole: Duration,
}

impl LargeCopy {
    #[expect(clippy::print_stdout, reason = "whoever runs the soak sees how far it is")]
    async fn start() -> Self {
        let nodes: [Arc<ClickHouseNode>; 4] =
            std::array::from_fn(|_| Arc::new(ClickHouseNode::start().unwrap()));
        let places: Vec<(u32, &ClickHouseNode)> =
            [1, 1, 2, 2].into_iter().zip(nodes.iter().map(|node| &**node)).collect();
        let mut copy = TestCopy::new(&places, 1);
        for (node, id) in nodes.iter().zip(copy.nodes()) {
            copy.prepare(id).await;
            generate(node, &copy.copy.table(FactTable::Incursions)).await;
        }
        copy.last_seq = 1;
        copy.finish(&copy.nodes(), 7).await;
        let expected = copy.ask(&question()).await.unwrap();
        let began = Instant::now();
        assert_eq!(copy.ask(&question()).await.unwrap(), expected);
        let whole = began.elapsed();
        println!("a question takes {whole:?}");
        Self { nodes, copy, expected, whole }
    }

    /// Asks so often that both replicas of each shard have been used, and nodes are connected to each other again. Returns how long a
    /// question takes then.
    async fn warm_up(&self) -> Duration {
        let mut whole = self.whole;
        for _ in 0..8 {
            let began = Instant::now();
            assert_eq!(self.copy.ask(&question()).await.as_ref(), Ok(&self.expected));
            whole = whole.min(began.elapsed());
        }
        whole
    }

    /// Whether a node works on a question.
    async fn is_asked(&self, node: &ClickHouseNode) -> bool {
        let table = self.copy.copy.table(FactTable::Incursions);
        let statement = format!(
            "select count() from system.processes where position(query, '{table}') > 0 and query not like '%processes%'"
        );
        run_statement(node, statement).await.trim() != "0"
    }
}

/// What became of questions.
#[derive(Default)]
struct Outcomes {
    times: Vec<Duration>,
    answered: usize,
}

impl Outcomes {
    #[expect(clippy::print_stdout, reason = "whoever runs the soak sees how far it is")]
    fn note(&mut self, what: &str, (took, outcome): (Duration, &str)) {
        println!("{what}: {outcome} after {took:?}");
        self.times.push(took);
        self.answered += usize::from(outcome == EQUAL);
    }

    fn summary(&self) -> String {
        let (answered, all) = (self.answered, self.times.len());
        let after = summarise(&self.times, Duration::from_secs(8));
        format!("an equal answer in {answered} of {all} rounds and none in the others, after {after}")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes"]
async fn a_node_that_fails_in_the_midst_of_a_question_never_changes_a_number() {
    let large = Arc::new(LargeCopy::start().await);
    let (mut killed, mut frozen) = (Outcomes::default(), Outcomes::default());
    for round in 0..ROUNDS {
        let after = moment(large.whole, round);
        for node in &large.nodes {
            let failing = Arc::clone(node);
            let happens = async move { tokio::task::spawn_blocking(move || failing.kill()).await.unwrap() };
            killed.note("killed", ask_while(&large.copy, &large.expected, after, happens).await);
            node.restart().unwrap();
        }
    }
    for round in 0..ROUNDS {
        for shard in [0, 1] {
            // In the last rounds a shard has often ended its part already.
            for _ in 0..ATTEMPTS {
                let whole = large.warm_up().await;
                let (frozen_node, found) = tokio::sync::oneshot::channel();
                let freezes = freeze_who_is_asked(Arc::clone(&large), shard, frozen_node);
                let asked = ask_while(&large.copy, &large.expected, moment(whole, round), freezes).await;
                if let Ok(node) = found.await {
                    frozen.note("frozen", asked);
                    large.nodes[node].thaw().unwrap();
                    break;
                }
            }
        }
    }
    // They are only given up after a time without a word, unless they were just done.
    let given_up = frozen.times.iter().filter(|took| **took > Duration::from_secs(5)).count();
    assert!(given_up >= ROUNDS as usize, "{:?}", frozen.times);
    print_row(
        "ClickHouse node killed or frozen in mid-question",
        "equal answer or 503 within 8 s, never a wrong number",
        &format!(
            "killed: {}; frozen while it worked on the question: {}; a question takes {:.1} s",
            killed.summary(),
            frozen.summary(),
            large.whole.as_secs_f64()
        ),
    );
}

/// When something happens in a round to a node that works on a question which takes this long.
fn moment(whole: Duration, round: u32) -> Duration {
    whole * (round + 1) / (ROUNDS + 1)
}

/// Freezes the replica of a shard that works on a question, and says which of the nodes it is; if none does, nobody.
async fn freeze_who_is_asked(
    large: Arc<LargeCopy>,
    shard: usize,
    frozen: tokio::sync::oneshot::Sender<usize>,
) {
    for place in [2 * shard, 2 * shard + 1] {
        if large.is_asked(&large.nodes[place]).await {
            large.nodes[place].freeze().unwrap();
            frozen.send(place).unwrap();
            return;
        }
    }
}

/// Two replicas of one shard take turns: one lacks the last changes, or has lost everything, and is asked again and again meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes"]
async fn a_replica_that_is_behind_or_was_emptied_is_not_used_until_it_is_rebuilt() {
    let nodes = [ClickHouseNode::start().unwrap(), ClickHouseNode::start().unwrap()];
    let mut copy = TestCopy::new(&[(1, &nodes[0]), (1, &nodes[1])], 2);
    let all = copy.nodes();
    let mut rows = FactRows::random(&SeededRandom::new(1), 2_000, 500);
    copy.fill(&all, &rows, 1).await;
    let mut asked = 0;
    for round in 0..20_u64 {
        let (stale, current) = (all[(round % 2) as usize], all[((round + 1) % 2) as usize]);
        // Changes that only one of them gets. Other durations change the answer.
        for fact in rows.incursions.iter_mut().step_by(7) {
            fact.ended_at = Some(fact.started_at + Span::seconds(1 + i64::try_from(round).unwrap()));
        }
        copy.fill(&[current], &rows, 2 + 2 * round).await;
        let expected = rows.answer(&question());
        for _ in 0..10 {
            assert_eq!(copy.ask(&question()).await, Ok(expected.clone()), "behind, round {round}");
        }
        let node = &nodes[(round % 2) as usize];
        node.empty().unwrap();
        node.restart().unwrap();
        for _ in 0..10 {
            assert_eq!(copy.ask(&question()).await, Ok(expected.clone()), "emptied, round {round}");
        }
        asked += 20;
        let last_seq = copy.last_seq;
        copy.last_seq = last_seq - i64::try_from(rows.incursions.len() + rows.runtime.len()).unwrap();
        copy.fill(&[stale], &rows, 3 + 2 * round).await;
        assert_eq!(copy.last_seq, last_seq);
    }
    print_row(
        "replica behind; a caught-up node's folder emptied",
        "never used until rebuilt",
        &format!(
            "{asked} questions, all with the right numbers, while one of two replicas was behind or empty"
        ),
    );
}
