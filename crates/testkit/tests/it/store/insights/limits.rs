//! The cost limits of questions.

use std::time::Duration;

use domain::insights::{Dimension, Grouping, IncursionFilter, Measure, Question};
use store::{Error, QueryLimits};
use testkit::{TestApp, on_both_engines};

use super::{AMPLE_LIMITS, answer, random_facts};

on_both_engines!(
    the_number_of_statements_does_not_grow_with_groups,
    more_groups_than_may_be_are_refused,
    a_deadline_leaves_nothing_behind_whether_it_is_met_or_not,
);

fn question(groupings: Vec<Grouping>) -> Question {
    let filter = IncursionFilter::default();
    Question {
        from: None,
        to: None,
        filter,
        visible_projects: None,
        measures: Measure::ALL.to_vec(),
        groupings,
    }
}

async fn the_number_of_statements_does_not_grow_with_groups(app: TestApp) {
    let (facts, rows) = random_facts(&app, 6, 300, 200).await;
    let (store, scope) = facts.store_and_scope();
    let mut counts = Vec::new();
    for by in [vec![], vec![Dimension::Machine], vec![Dimension::Day, Dimension::Machine]] {
        let question = question(vec![Grouping::by(by)]);
        let mut snapshot = store.snapshot().await.unwrap();
        let answered = snapshot.insights(scope).answer(&question, AMPLE_LIMITS).await.unwrap();
        assert_eq!(answered.answer, rows.answer(&question));
        counts.push((answered.answer.groupings[0].groups.len(), snapshot.statement_count()));
        snapshot.end().await.unwrap();
    }
    let most = counts.iter().map(|(_, statements)| *statements).max();
    assert!(
        counts[2].0 > 100 && counts.iter().all(|(_, statements)| Some(*statements) == most),
        "{counts:?}"
    );
    // Queries for the last sequence number, incursions and runtime; on PostgreSQL also for the timeout.
    assert!(most <= Some(4), "{counts:?}");
}

async fn more_groups_than_may_be_are_refused(app: TestApp) {
    let (facts, rows) = random_facts(&app, 7, 100, 50).await;
    let (store, scope) = facts.store_and_scope();
    let question = question(vec![Grouping { limit: Some(1), ..Grouping::by([Dimension::Hour]) }]);
    let all = rows.answer(&question).groupings[0].more + 1;
    let all = usize::try_from(all).unwrap();
    for (groups, fits) in [(all, true), (all - 1, false), (0, false)] {
        let mut snapshot = store.snapshot().await.unwrap();
        let outcome = snapshot
            .insights(scope)
            .answer(&question, QueryLimits { max_groups: groups, ..AMPLE_LIMITS })
            .await;
        match outcome {
            Ok(answered) => assert!(fits && answered.answer == rows.answer(&question), "{groups}"),
            Err(Error::TooManyGroups(most)) => assert!(!fits && most == groups, "{groups}"),
            Err(other) => panic!("{other}"),
        }
        snapshot.end().await.unwrap();
    }
}

async fn a_deadline_leaves_nothing_behind_whether_it_is_met_or_not(app: TestApp) {
    let (facts, rows) = random_facts(&app, 8, 100, 50).await;
    let (store, scope) = facts.store_and_scope();
    let question = question(vec![Grouping::by([Dimension::Day])]);
    // More often than there are connections; either completed or abandoned.
    for round in 0..12 {
        let mut snapshot = store.snapshot().await.unwrap();
        let limits = QueryLimits { timeout: Duration::from_millis(round), ..AMPLE_LIMITS };
        match snapshot.insights(scope).answer(&question, limits).await {
            Ok(answered) => assert_eq!(answered.answer, rows.answer(&question)),
            Err(refused) => assert!(matches!(refused, Error::TimedOut), "{refused:?}"),
        }
        if round % 2 == 0 {
            snapshot.end().await.unwrap();
        }
    }
    for _ in 0..12 {
        assert_eq!(answer(store, scope, &question).await, rows.answer(&question));
    }
}
