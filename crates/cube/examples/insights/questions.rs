//! The questions that are measured.

use domain::insights::{Dimension, GroupOrder, Grouping, IncursionFilter, Measure, Question, Resolution};
use domain::{Day, MachineId, PeriodBound, Review, Span, WorksiteId, Zone};

use crate::data::{LAST_DAY, Prng};

fn question(measures: &[Measure], by: &[Dimension]) -> Question {
    Question {
        from: None,
        to: None,
        filter: IncursionFilter::default(),
        visible_projects: None,
        measures: measures.to_vec(),
        groupings: vec![Grouping::by(by)],
    }
}

fn since(question: Question, day: i64) -> Question {
    Question { from: Some(PeriodBound::Day(Day::from_number(day))), ..question }
}

fn top(mut question: Question, limit: usize) -> Question {
    for grouping in &mut question.groupings {
        (grouping.order, grouping.limit) = (GroupOrder::Descending(0), Some(limit));
    }
    question
}

/// Asks for the machines with the most incursions since a day.
pub fn window(day: i64) -> Question {
    since(top(question(&[Measure::Incursions, Measure::AcknowledgementRate], &[Dimension::Machine]), 20), day)
}

/// Returns the six questions of the design, a table with subtotals, and a heat map.
pub fn fixed() -> Vec<(String, Question)> {
    use Dimension as D;
    use Measure as M;
    let one_site = |question: Question| {
        let filter = IncursionFilter { worksites: vec![WorksiteId(3)], ..question.filter };
        Question { filter, ..question }
    };
    let mut pivot = question(
        &[M::Incursions, M::AcknowledgementRate, M::AverageDuration],
        &[D::Project, D::Worksite, D::Month],
    );
    let finest = pivot.groupings[0].dimensions.clone();
    pivot.groupings.extend((0..3).rev().map(|dimensions| Grouping::by(&finest[..dimensions])));
    let mut heat =
        one_site(question(&[M::Incursions, M::Exposure], &[D::Cell(Resolution::new(12).unwrap())]));
    heat.filter.zones = vec![Zone::Danger];
    heat.filter.reviews = Review::COUNTED.to_vec();
    heat.filter.min_duration = Some(Span::seconds(5));
    let all = [
        ("per day: count, acknowledged", question(&[M::Incursions, M::Acknowledged], &[D::Day])),
        (
            "site x month x zone: count, duration",
            question(&[M::Incursions, M::AverageDuration], &[D::Worksite, D::Month, D::Zone]),
        ),
        (
            "top machines, last 30 days",
            since(top(question(&[M::Incursions], &[D::Machine]), 20), LAST_DAY - 30),
        ),
        (
            "machine x person pairs, top 100",
            top(question(&[M::Incursions], &[D::Machine, D::Pedestrian]), 100),
        ),
        ("weekday x hour of one site", one_site(question(&[M::Incursions], &[D::DayOfWeek, D::HourOfDay]))),
        ("distinct people per site and week", question(&[M::Pedestrians], &[D::Worksite, D::Week])),
        ("project x site x month with subtotals and totals", pivot),
        ("heat map of one site, filtered", heat),
    ];
    all.into_iter().map(|(name, question)| (name.to_owned(), question)).collect()
}

/// Generates random questions with at most a million groups.
pub fn generated(count: usize, seed: u64) -> Vec<(String, Question)> {
    let mut chance = Prng(seed);
    (1..=count).map(|number| random_question(&mut chance, number)).collect()
}

fn random_question(chance: &mut Prng, number: usize) -> (String, Question) {
    use Dimension as D;
    use Measure as M;
    let dimensions = [
        (D::Project, 41),
        (D::Worksite, 201),
        (D::Machine, 2_001),
        (D::Pedestrian, 5_001),
        (D::Operator, 4_001),
        (D::Zone, 2),
        (D::Acknowledged, 2),
        (D::Review, 4),
        (D::HourOfDay, 24),
        (D::DayOfWeek, 7),
        (D::Day, 366),
        (D::Week, 53),
        (D::Month, 12),
        (D::Duration, 8),
    ];
    let measures = [
        M::Incursions,
        M::Incursions,
        M::Acknowledged,
        M::AcknowledgementRate,
        M::AverageDuration,
        M::Exposure,
        M::AverageAckTime,
        M::Machines,
        M::Pedestrians,
        M::Operators,
        M::MedianDuration,
        M::P95Duration,
    ];
    let mut by = Vec::new();
    let mut groups = 1_u64;
    for _ in 0..1 + chance.below(3) {
        let (dimension, size) = dimensions[chance.below(dimensions.len())];
        if !by.contains(&dimension) && groups * size <= 1_000_000 {
            by.push(dimension);
            groups *= size;
        }
    }
    let mut chosen_measures = Vec::new();
    for _ in 0..1 + chance.below(3) {
        let measure = measures[chance.below(measures.len())];
        if !chosen_measures.contains(&measure) {
            chosen_measures.push(measure);
        }
    }
    let mut question = question(&chosen_measures, &by);
    match chance.below(5) {
        0 => question = since(question, LAST_DAY - 7 - chance.below(90) as i64),
        1 => {
            let from = LAST_DAY - 60 - chance.below(200) as i64;
            question = since(question, from);
            question.to = Some(PeriodBound::Day(Day::from_number(from + 31)));
        }
        _ => {}
    }
    match chance.below(7) {
        0 => question.filter.zones = vec![Zone::Danger],
        1 => question.filter.worksites = (0..3).map(|_| WorksiteId(1 + chance.below(100) as i64)).collect(),
        2 => {
            question.filter.machines = (0..20).map(|_| MachineId(1 + chance.below(500) as i64 * 3)).collect();
        }
        3 => question.filter.reviews = Review::COUNTED.to_vec(),
        4 => question.filter.acknowledged = Some(false),
        _ => {}
    }
    if groups > 1_000 && chance.below(2) == 0 {
        question = top(question, 100);
    }
    let words: Vec<&str> = by.iter().map(|dimension| dimension.as_str()).collect();
    let measured: Vec<&str> = chosen_measures.iter().map(|measure| measure.as_str()).collect();
    (format!("{number}: {} by {}", measured.join(", "), words.join(" x ")), question)
}
