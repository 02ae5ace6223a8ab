//! Repeated questions are answered from indexes: aggregates by day or worksite, or posting lists of few worksites, machines or people.

use cube::{Cube, IncursionFact, Settings};
use domain::insights::{Dimension, Grouping, IncursionFilter, Measure, Question};
use domain::{Day, MachineId, PeriodBound, PersonId, ProjectId, Review, Span, Timestamp, WorksiteId, Zone};
use proptest::strategy::{Strategy, ValueTree};

use crate::facts::{attributes, incursion};
use crate::reference::Rows;
use crate::{answer, pool};

const ROWS: i64 = 30_000;
const FIRST_DAY: i64 = 20_000;

/// Incursions of a week, all of them short. People are pedestrians and operators, some of them both at the same time.
fn facts() -> Vec<IncursionFact> {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let like = incursion(40).new_tree(&mut runner).unwrap().current();
    let one = |id: i64| {
        let mixed = id * 7_919 % 10_007;
        let mut fact = like;
        fact.id.0 = id;
        fact.started_at = Timestamp::from_micros(FIRST_DAY * 86_400_000_000 + id * 20_000_000);
        let after = |seconds: i64| Timestamp::from_micros(fact.started_at.micros() + seconds * 1_000_000);
        (fact.ended_at, fact.acknowledged_at) = (Some(after(mixed % 90)), Some(after(mixed % 7)));
        fact.ended_at = fact.ended_at.filter(|_| mixed % 13 != 0);
        fact.acknowledged_at = fact.acknowledged_at.filter(|_| mixed % 3 != 0);
        fact.zone = if mixed % 4 == 0 { Zone::Danger } else { Zone::Warning };
        fact.review = Review::ALL[usize::try_from(mixed % 4).unwrap()];
        fact.worksite = (mixed % 31 != 0).then_some(WorksiteId(mixed % 40));
        fact.project = Some(ProjectId(mixed % 5));
        fact.machine = Some(MachineId(mixed % 90));
        fact.pedestrian = Some(PersonId(mixed % 70));
        fact.operator = Some(PersonId(if mixed % 2 == 0 { mixed % 70 } else { mixed % 11 }));
        // Worksites have different time zones.
        let local = id * 20 + mixed % 40 * 1_800;
        fact.local_day = Day::from_number(FIRST_DAY + local / 86_400);
        fact.local_minute = local / 60 % (7 * 1_440);
        fact
    };
    (0..ROWS).map(one).collect()
}

fn questions() -> Vec<Question> {
    use Dimension as D;
    use Measure as M;
    let sums = [
        M::Incursions,
        M::Acknowledged,
        M::AverageDuration,
        M::AverageAckTime,
        M::Exposure,
        M::MedianDuration,
    ];
    let groupings = [
        vec![Grouping::by([D::Day])],
        vec![Grouping::by([D::Week, D::Zone, D::Review]), Grouping::by([D::Week]), Grouping::by([])],
        vec![Grouping::by([D::Acknowledged])],
        // Every answer of the service is also grouped by worksite.
        vec![Grouping::by([D::Day]), Grouping::by([]), Grouping::by([D::Worksite])],
        vec![Grouping::by([D::WorksiteKind, D::Zone]), Grouping::by([D::Machine])],
        vec![Grouping::by([D::Machine, D::HourOfDay])],
        vec![Grouping::by([D::Pedestrian, D::Day, D::Duration])],
    ];
    let none = IncursionFilter::default;
    let filters = [
        none(),
        IncursionFilter { reviews: Review::COUNTED.to_vec(), zones: vec![Zone::Danger], ..none() },
        IncursionFilter { worksites: vec![WorksiteId(3)], ..none() },
        IncursionFilter { worksites: vec![WorksiteId(3), WorksiteId(4)], acknowledged: Some(true), ..none() },
        IncursionFilter {
            machines: vec![MachineId(7), MachineId(50)],
            worksites: (0..20).map(WorksiteId).collect(),
            projects: vec![ProjectId(1), ProjectId(2)],
            min_duration: Some(Span::seconds(5)),
            ..none()
        },
        IncursionFilter { people: vec![PersonId(8), PersonId(33)], ..none() },
        IncursionFilter { pedestrians: vec![PersonId(8)], people: vec![PersonId(4)], ..none() },
        IncursionFilter { operators: vec![PersonId(20), PersonId(999)], ..none() },
    ];
    let day = |day: i64| Some(PeriodBound::Day(Day::from_number(FIRST_DAY + day)));
    let at = |hour: i64| {
        Some(PeriodBound::Instant(Timestamp::from_micros(FIRST_DAY * 86_400_000_000 + hour * 3_600_000_000)))
    };
    let windows = [(None, None), (day(2), day(5)), (at(30), at(71))];
    let mut questions = Vec::new();
    for groupings in &groupings {
        for filter in &filters {
            for (from, to) in windows {
                let (measures, groupings) = (sums.to_vec(), groupings.clone());
                questions.push(Question {
                    from,
                    to,
                    filter: filter.clone(),
                    visible_projects: None,
                    measures,
                    groupings,
                });
            }
        }
    }
    questions
}

#[test]
fn shorter_ways_lead_to_the_same() {
    let (pool, attributes, questions) = (pool(), attributes(), questions());
    let mut cube = Cube::new(Settings::default());
    let mut rows = Rows::default();
    let facts = facts();
    // Each changes a column that an existing index depends on.
    let changed = |change: fn(&mut IncursionFact)| {
        facts.iter().skip(17).step_by(501).map(move |fact| {
            let mut fact = *fact;
            change(&mut fact);
            fact
        })
    };
    let batches: [Vec<IncursionFact>; 5] = [
        facts.clone(),
        changed(|fact| fact.worksite = Some(WorksiteId(3))).collect(),
        changed(|fact| fact.acknowledged_at = Some(fact.started_at)).collect(),
        changed(|fact| (fact.pedestrian, fact.operator) = (fact.operator, Some(PersonId(33)))).collect(),
        changed(|fact| fact.local_day = Day::from_number(fact.local_day.number() - 1)).collect(),
    ];
    for batch in batches {
        cube.apply(&batch, &[]).unwrap();
        rows.apply(&(batch, Vec::new()));
        let (snapshot, before) = (cube.snapshot(), cube.bytes());
        for question in &questions {
            let found = answer(&snapshot, question, &attributes, &pool);
            assert!(found == rows.answer(question, &attributes), "{question:?}");
        }
        assert!(cube.bytes() > before, "some ways were found, and they weigh something");
    }
}
