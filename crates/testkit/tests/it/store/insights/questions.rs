//! SQL gives the same answers as the reference implementation.

use domain::insights::{Dimension, Grouping, IncursionFilter, Measure, Question, Resolution};
use domain::{ProjectId, Timestamp};
use store::{FactWatermark, Projects};
use testkit::insights::{FactRows, SeededRandom, random_question};
use testkit::{TestApp, on_both_engines};

use super::{answer, answered, random_facts};

on_both_engines!(
    random_questions_are_answered_as_by_looking_at_every_row,
    every_dimension_and_measure_is_answered_alone,
    a_restricted_scope_counts_nothing_outside_its_projects,
    where_there_is_nothing_everything_together_is_still_a_group,
    an_answer_knows_how_far_its_facts_went,
    facts_from_before_retention_do_not_count,
);

fn every_dimension() -> Vec<Dimension> {
    let others = [Dimension::BaseStation, Dimension::Tag, Dimension::Duration];
    let cells = (9..=13).map(|number| Dimension::Cell(Resolution::new(number).unwrap()));
    Dimension::PIVOTABLE.into_iter().chain(others).chain(cells).collect()
}

fn unfiltered_question(measures: &[Measure], groupings: Vec<Grouping>) -> Question {
    let filter = IncursionFilter::default();
    Question { from: None, to: None, filter, visible_projects: None, measures: measures.to_vec(), groupings }
}

async fn random_questions_are_answered_as_by_looking_at_every_row(app: TestApp) {
    let (facts, rows) = random_facts(&app, 1, 600, 400).await;
    let (store, _) = facts.store_and_scope();
    let (_, platform) = app.database().open().await;
    let brand = app.ensure_brand("Acme").await.id;
    let dice = SeededRandom::new(2);
    let mut groups = 0;
    for number in 0..400 {
        let within = dice.one_in(3).then(|| dice.choose_up_to(&[1, 2, 3, 4, 5, 6].map(ProjectId), 3));
        let projects = within.clone().map_or(Projects::All, Projects::Only);
        let question = random_question(&dice, within);
        let expected = rows.answer(&question);
        let found = answer(store, &platform.scope(brand, projects), &question).await;
        assert_eq!(found, expected, "question {number}: {question:?}");
        groups += expected.groupings.iter().map(|groups| groups.groups.len()).sum::<usize>();
    }
    assert!(groups > 5_000, "most questions found something: {groups}");
}

async fn every_dimension_and_measure_is_answered_alone(app: TestApp) {
    let (facts, rows) = random_facts(&app, 3, 300, 200).await;
    let (store, scope) = facts.store_and_scope();
    let groupings: Vec<Grouping> =
        every_dimension().into_iter().map(|dimension| Grouping::by([dimension])).collect();
    for measure in Measure::ALL {
        let question = unfiltered_question(&[measure], groupings.clone());
        assert_eq!(answer(store, scope, &question).await, rows.answer(&question), "{measure:?}");
    }
    // All dimensions together, some of them twice.
    let all: Vec<Dimension> =
        every_dimension().into_iter().chain([Dimension::Day, Dimension::Zone]).collect();
    let question = unfiltered_question(&Measure::ALL, vec![Grouping::by(all)]);
    assert_eq!(answer(store, scope, &question).await, rows.answer(&question));
}

async fn a_restricted_scope_counts_nothing_outside_its_projects(app: TestApp) {
    let (facts, rows) = random_facts(&app, 4, 200, 200).await;
    let (store, _) = facts.store_and_scope();
    let (_, platform) = app.database().open().await;
    let brand = app.ensure_brand("Acme").await.id;
    let measures = [Measure::Incursions, Measure::RuntimeHours, Measure::Pedestrians];
    let groupings =
        vec![Grouping::by([]), Grouping::by([Dimension::Project]), Grouping::by([Dimension::Month])];
    let mut question = unfiltered_question(&measures, groupings);
    for projects in [vec![], vec![ProjectId(2)], vec![ProjectId(2), ProjectId(4), ProjectId(99)]] {
        question.visible_projects = None;
        let scope = platform.scope(brand, Projects::Only(projects.clone()));
        let by_scope = answer(store, &scope, &question).await;
        question.visible_projects = Some(projects);
        let by_question = answer(store, &platform.scope(brand, Projects::All), &question).await;
        let expected = rows.answer(&question);
        assert_eq!((&by_scope, &by_question), (&expected, &expected));
    }
    // Another brand's facts are not included, whatever the project ids are.
    let all = unfiltered_question(&measures, vec![Grouping::by([Dimension::Project])]);
    assert_eq!(answer(store, facts.store_and_scope().1, &all).await, rows.answer(&all));
    let empty = platform.scope(app.ensure_brand("Empty").await.id, Projects::All);
    assert_eq!(answer(store, &empty, &all).await.groupings[0].groups, []);
}

async fn where_there_is_nothing_everything_together_is_still_a_group(app: TestApp) {
    let facts = app.facts("Acme").await;
    let (store, scope) = facts.store_and_scope();
    let question =
        unfiltered_question(&Measure::ALL, vec![Grouping::by([]), Grouping::by([Dimension::Zone])]);
    let found = answer(store, scope, &question).await;
    assert_eq!(found, FactRows::default().answer(&question));
    assert_eq!((found.groupings[0].groups.len(), found.groupings[1].groups.len()), (1, 0));
}

async fn an_answer_knows_how_far_its_facts_went(app: TestApp) {
    let (facts, _) = random_facts(&app, 5, 30, 20).await;
    let (store, scope) = facts.store_and_scope();
    let question =
        unfiltered_question(&[Measure::Incursions], vec![Grouping::by([]), Grouping::by([Dimension::Day])]);
    let mut snapshot = store.snapshot().await.unwrap();
    let before = snapshot.insights(scope).answer(&question, super::AMPLE_LIMITS).await.unwrap();
    assert_eq!(before.seq, 50);
    let more = facts.incursion(domain::BaseStationId(1), domain::TagId(1), app.clock.now());
    facts.add_incursions(vec![more]).await;
    // The same snapshot sees the same rows and returns the same sequence number.
    assert_eq!(snapshot.insights(scope).answer(&question, super::AMPLE_LIMITS).await.unwrap(), before);
    snapshot.end().await.unwrap();
    let after = answered(store, scope, &question).await;
    let count =
        |answered: &store::AnswerWithSeq| answered.answer.groupings[0].groups[0].figures[0].incursions;
    assert_eq!((after.seq, count(&after)), (51, count(&before) + 1));
}

/// Their rows exist until retention deletes them.
async fn facts_from_before_retention_do_not_count(app: TestApp) {
    let (facts, rows) = random_facts(&app, 7, 400, 300).await;
    let (store, scope) = facts.store_and_scope();
    let [incursions, runtime] =
        ["2026-02-10T12:00:00Z", "2026-02-12T18:30:00Z"].map(|text| Timestamp::parse(text).unwrap());
    let mut tx = store.begin().await.unwrap();
    let mut retention = tx.fact_retention(scope);
    retention.raise_watermark(FactWatermark::IncursionsKeptFrom, incursions).await.unwrap();
    retention.raise_watermark(FactWatermark::RuntimeKeptFrom, runtime).await.unwrap();
    tx.commit().await.unwrap();
    let kept = FactRows {
        incursions: rows.incursions.iter().filter(|fact| fact.started_at >= incursions).copied().collect(),
        runtime: rows.runtime.iter().filter(|piece| piece.started_at >= runtime).copied().collect(),
        kinds: rows.kinds.clone(),
    };
    assert!(kept.incursions.len() < rows.incursions.len() && kept.runtime.len() < rows.runtime.len());
    assert!(!kept.incursions.is_empty() && !kept.runtime.is_empty());
    let dice = SeededRandom::new(8);
    for number in 0..100 {
        let question = random_question(&dice, None);
        let found = answer(store, scope, &question).await;
        assert_eq!(found, kept.answer(&question), "question {number}: {question:?}");
    }
}
