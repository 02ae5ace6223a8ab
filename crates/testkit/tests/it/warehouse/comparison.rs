//! The warehouse gives the same answers as a loop over all rows.

use domain::insights::{Dimension, Grouping, IncursionFact, IncursionFilter, Measure, Question, Resolution};
use domain::{Day, PeriodBound, ProjectId, Review, Span, Timestamp, Zone};
use testkit::insights::{FactRows, SeededRandom, random_question};
use warehouse::{ClusterQuestion, Error, FactTable, KeptFrom, Kinds, Limits};

use super::{LIMITS, TestCopy, shared_nodes};

/// Returns a copy of random facts, some of which had other values before.
async fn random_copy(nodes: &[(u32, &testbed::ClickHouseNode)], token: u64) -> (TestCopy, FactRows) {
    let rows = FactRows::random(&SeededRandom::new(token), 600, 400);
    (copy_of(nodes, token, &rows).await, rows)
}

/// Returns a copy of these facts, some of which had other values before.
async fn copy_of(nodes: &[(u32, &testbed::ClickHouseNode)], token: u64, rows: &FactRows) -> TestCopy {
    let mut copy = TestCopy::new(nodes, token);
    copy.kinds = Kinds {
        worksites: rows.kinds.worksites.clone(),
        machines: rows.kinds.machines.clone(),
        people: rows.kinds.people.clone(),
    };
    let before = |fact: &IncursionFact| IncursionFact {
        zone: Zone::Warning,
        review: Review::Unreviewed,
        ended_at: None,
        machine: None,
        ..*fact
    };
    let outdated = FactRows {
        incursions: rows.incursions.iter().step_by(3).map(before).collect(),
        runtime: rows.runtime.iter().step_by(5).copied().collect(),
        ..FactRows::default()
    };
    let all = copy.nodes();
    copy.fill(&all, &outdated, 1).await;
    copy.fill(&all, rows, 2).await;
    copy
}

async fn compare(copy: &TestCopy, rows: &FactRows, seed: u64, questions: usize) {
    let dice = SeededRandom::new(seed);
    let mut groups = 0;
    for number in 0..questions {
        let within = dice.one_in(3).then(|| dice.choose_up_to(&[1, 2, 3, 4, 5, 6].map(ProjectId), 3));
        let question = random_question(&dice, within);
        let expected = rows.answer(&question);
        let found = copy.ask(&question).await.unwrap();
        assert_eq!(found, expected, "question {number}: {question:?}");
        groups += expected.groupings.iter().map(|groups| groups.groups.len()).sum::<usize>();
    }
    assert!(groups > questions, "most questions found something: {groups}");
}

fn question(measures: &[Measure], groupings: Vec<Grouping>) -> Question {
    let filter = IncursionFilter::default();
    Question { from: None, to: None, filter, visible_projects: None, measures: measures.to_vec(), groupings }
}

#[tokio::test]
async fn two_shards_answer_random_questions_as_by_looking_at_every_row() {
    let [first, second] = shared_nodes();
    let (copy, rows) = random_copy(&[(1, first), (2, second)], 21).await;
    compare(&copy, &rows, 22, 60).await;
    // Every dimension alone, and all of them together.
    let cells = (9..=13).map(|number| Dimension::Cell(Resolution::new(number).unwrap()));
    let others = [Dimension::BaseStation, Dimension::Tag, Dimension::Duration];
    let every: Vec<Dimension> = Dimension::PIVOTABLE.into_iter().chain(others).chain(cells).collect();
    let mut groupings: Vec<Grouping> = every.iter().map(|by| Grouping::by([*by])).collect();
    groupings.push(Grouping::by(every));
    let asked = question(&Measure::ALL, groupings);
    assert_eq!(copy.ask(&asked).await.unwrap(), rows.answer(&asked));
}

#[tokio::test]
async fn one_shard_answers_random_questions_as_by_looking_at_every_row() {
    let [first, second] = shared_nodes();
    let (copy, rows) = random_copy(&[(1, first), (1, second)], 31).await;
    compare(&copy, &rows, 32, 40).await;
}

#[tokio::test]
async fn durations_of_more_than_four_bytes_are_ranked() {
    let [first, second] = shared_nodes();
    let mut rows = FactRows::random(&SeededRandom::new(35), 600, 0);
    let asked = question(
        &[Measure::MedianDuration, Measure::P95Duration, Measure::LongestDuration],
        vec![Grouping::by([]), Grouping::by([Dimension::Worksite]), Grouping::by([Dimension::BaseStation])],
    );
    let without = rows.answer(&asked);
    // Four bytes end after 49 days. Ingest refuses such durations, and negative ones; the tables have no limit.
    for (fact, days) in rows.incursions.iter_mut().step_by(3).zip((-20..=180).cycle()) {
        fact.ended_at = Some(fact.started_at + Span::minutes(days * 24 * 60));
    }
    let expected = rows.answer(&asked);
    assert_ne!(expected, without);
    let copy = copy_of(&[(1, first), (2, second)], 35, &rows).await;
    assert_eq!(copy.ask(&asked).await.unwrap(), expected);
}

#[tokio::test]
async fn what_is_not_kept_is_not_counted_and_whole_months_are_dropped() {
    let [first, second] = shared_nodes();
    let (copy, rows) = random_copy(&[(1, first), (2, second)], 41).await;
    let kept_from = Timestamp::parse("2026-02-10T12:00:00Z").unwrap();
    let kept = FactRows {
        incursions: rows.incursions.iter().filter(|fact| fact.started_at >= kept_from).copied().collect(),
        runtime: rows.runtime.iter().filter(|piece| piece.started_at >= kept_from).copied().collect(),
        kinds: rows.kinds.clone(),
    };
    let question = question(
        &[Measure::Incursions, Measure::RuntimeHours],
        vec![Grouping::by([]), Grouping::by([Dimension::Month])],
    );
    let since = KeptFrom { incursions: Some(kept_from), runtime: Some(kept_from) };
    let asked = ClusterQuestion {
        question: &question,
        copy: copy.copy,
        origin: &copy.origin,
        last_seq: copy.last_seq,
        kept_from: since,
        kinds: &copy.kinds,
    };
    assert_eq!(copy.cluster.ask(&asked, LIMITS).await.unwrap().answer, kept.answer(&question));
    for node in copy.nodes() {
        copy.cluster.drop_expired(node, copy.copy, since).await.unwrap();
    }
    assert_eq!(copy.cluster.ask(&asked, LIMITS).await.unwrap().answer, kept.answer(&question));
    // The month in which the first fact is kept is still there as a whole.
    let asked = ClusterQuestion { kept_from: KeptFrom::default(), ..asked };
    let months = &copy.cluster.ask(&asked, LIMITS).await.unwrap().answer.groupings[1];
    assert!(months.groups.len() <= 3, "{months:?}");
}

/// The calendar of ClickHouse goes from 1900 to 2299, and gives months faster than they are computed.
#[tokio::test]
async fn months_are_the_same_within_the_calendar_and_beyond() {
    let [first, second] = shared_nodes();
    let days: Vec<i64> =
        (-25_620..-25_420).chain(20_000..20_100).chain(120_400..120_600).step_by(4).collect();
    let mut rows = FactRows::random(&SeededRandom::new(71), i64::try_from(days.len()).unwrap(), 0);
    for (fact, day) in rows.incursions.iter_mut().zip(&days) {
        fact.local_day = Day::from_number(*day);
        fact.started_at = fact.local_day.midnight_utc() + Span::minutes(720);
        fact.ended_at = Some(fact.started_at + Span::seconds(7));
    }
    let copy = copy_of(&[(1, first), (2, second)], 71, &rows).await;
    let by = vec![Grouping::by([Dimension::Month]), Grouping::by([Dimension::Worksite, Dimension::Month])];
    let mut asked = question(&[Measure::Incursions, Measure::MedianDuration], by);
    // The second is the longest period that the calendar is used for.
    let bounds =
        [(-26_000, 121_000), (-25_499, 120_449), (-25_498, 120_448), (-25_500, 120_449), (-25_499, 120_450)];
    let day = |number| Some(PeriodBound::Day(Day::from_number(number)));
    for (from, to) in bounds {
        (asked.from, asked.to) = (day(from), day(to));
        let expected = rows.answer(&asked);
        assert!(expected.groupings[0].groups.len() > 7, "{expected:?}");
        assert_eq!(copy.ask(&asked).await.unwrap(), expected, "from {from} to {to}");
    }
    (asked.from, asked.to) = (None, None);
    assert_eq!(copy.ask(&asked).await.unwrap(), rows.answer(&asked));
}

#[tokio::test]
async fn too_many_groups_are_refused() {
    let [first, second] = shared_nodes();
    let (copy, _) = random_copy(&[(1, first), (2, second)], 51).await;
    let question = question(&[Measure::Incursions], vec![Grouping::by([Dimension::Hour])]);
    let asked = ClusterQuestion {
        question: &question,
        copy: copy.copy,
        origin: &copy.origin,
        last_seq: copy.last_seq,
        kept_from: KeptFrom::default(),
        kinds: &copy.kinds,
    };
    let few = Limits { max_groups: 3, ..LIMITS };
    assert_eq!(copy.cluster.ask(&asked, few).await, Err(Error::TooManyGroups));
    // Some ten groups of three numbers.
    let small = Limits { max_result_bytes: 64, ..LIMITS };
    assert_eq!(copy.cluster.ask(&asked, small).await, Err(Error::TooManyGroups));
}

/// Erasing a person takes away texts about them, and leaves the ids in facts. So nothing is to be done here.
#[tokio::test]
async fn no_text_about_anyone_is_stored() {
    let [first, _] = shared_nodes();
    let (copy, _) = random_copy(&[(1, first)], 61).await;
    for table in FactTable::ALL {
        let statement = format!(
            "select type from system.columns where database = currentDatabase() and table = '{}'",
            copy.copy.table(table)
        );
        let answered = testkit::http_client()
            .build()
            .unwrap()
            .post(format!("{}/?database=keepclear", first.url()))
            .header("X-ClickHouse-User", testbed::ClickHouseNode::USER)
            .header("X-ClickHouse-Key", testbed::ClickHouseNode::PASSWORD)
            .body(statement)
            .send()
            .await
            .unwrap();
        let types = answered.text().await.unwrap();
        assert!(types.lines().count() > 10, "{types}");
        assert!(types.lines().all(|of| of.contains("Int") || of == "Bool"), "{types}");
    }
}
