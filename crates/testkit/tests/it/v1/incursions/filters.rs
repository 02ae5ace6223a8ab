//! Each filter of GET /api/v1/incursions, compared with a simple model over random rows.

use domain::{
    BaseStationId, IncursionId, IncursionRow, MachineId, PersonId, ProjectId, Review, Span, TagId, Timestamp,
    WorksiteId, Zone,
};
use testkit::{TestApp, on_both_engines, utc_day};

use super::Yard;

on_both_engines!(filters_find_what_a_plain_model_of_them_finds);

/// A random source that returns the same numbers in every run.
struct SeededRandom(u64);

impl SeededRandom {
    fn below(&mut self, end: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as i64) % end
    }

    fn choose<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as i64) as usize]
    }
}

fn random_row(yard: &Yard, dice: &mut SeededRandom) -> IncursionRow {
    let (station, machine) =
        dice.choose(&[(1, Some(1)), (2, Some(1)), (2, Some(2)), (3, Some(3)), (3, None)]);
    let (tag, pedestrian) = dice.choose(&[(1, Some(1)), (2, Some(2)), (2, Some(3)), (3, None)]);
    let started_at = yard.app.clock.now() - Span::seconds(dice.below(40 * 24 * 60 * 60));
    let mut row = yard.facts.incursion(BaseStationId(station), TagId(tag), started_at);
    let offset = Span::minutes(60 * dice.choose(&[0, 14, -11, 2]));
    row.attribution.local_day = utc_day(started_at + offset);
    row.attribution.machine = machine.map(MachineId);
    row.attribution.pedestrian = pedestrian.map(PersonId);
    row.attribution.operator = dice.choose(&[None, Some(1), Some(4)]).map(PersonId);
    row.attribution.worksite = dice.choose(&[None, Some(1), Some(2), Some(3)]).map(WorksiteId);
    row.attribution.project = dice.choose(&[None, Some(1), Some(2)]).map(ProjectId);
    row.zone = dice.choose(&Zone::ALL);
    row.review = dice.choose(&Review::ALL);
    row.ended_at =
        dice.choose(&[None, Some(0), Some(5), Some(30), Some(600)]).map(|s| started_at + Span::seconds(s));
    row.acknowledged_at = dice.choose(&[None, Some(2)]).map(|s| started_at + Span::seconds(s));
    row
}

type Condition = Box<dyn Fn(&IncursionRow) -> bool>;

/// A filter as it is sent, and the equivalent predicate.
struct FilterCase {
    query: Vec<String>,
    conditions: Vec<Condition>,
}

impl FilterCase {
    fn add(&mut self, query: String, means: impl Fn(&IncursionRow) -> bool + 'static) {
        self.query.push(query);
        self.conditions.push(Box::new(means));
    }

    /// Adds one or two ids of a column.
    fn add_ids(&mut self, dice: &mut SeededRandom, name: &str, of: fn(&IncursionRow) -> Vec<i64>) {
        if dice.below(5) > 0 {
            return;
        }
        let ids: Vec<i64> = (0..=dice.below(2)).map(|_| dice.below(5)).collect();
        let query: Vec<String> = ids.iter().map(|id| format!("{name}={id}")).collect();
        self.add(query.join("&"), move |row| of(row).iter().any(|id| ids.contains(id)));
    }

    /// Adds a bound of the period, some hours ago, as a time or a date.
    fn add_bound(&mut self, dice: &mut SeededRandom, name: &'static str, at: Timestamp) {
        let is_from = name == "from";
        if dice.below(2) == 0 {
            self.add(format!("{name}={at}"), move |row| (row.started_at >= at) == is_from);
        } else {
            let day = utc_day(at);
            let date = domain::Day::from_number(day);
            self.add(format!("{name}={date}"), move |row| (row.attribution.local_day >= day) == is_from);
        }
    }
}

fn random_filter(yard: &Yard, dice: &mut SeededRandom) -> FilterCase {
    let now = yard.app.clock.now();
    let mut asked = FilterCase { query: Vec::new(), conditions: Vec::new() };
    let hours = dice.below(35 * 24);
    let earlier = now - Span::minutes(60 * (hours + 48 + dice.below(20 * 24)));
    match dice.below(4) {
        0 => {
            let first = utc_day(now) - (domain::Period::DEFAULT_DAYS - 1);
            asked.conditions.push(Box::new(move |row| row.attribution.local_day >= first));
        }
        1 => asked.add_bound(dice, "from", earlier),
        _ => {
            asked.add_bound(dice, "from", earlier);
            asked.add_bound(dice, "to", now - Span::minutes(60 * hours));
        }
    }
    asked.add_ids(dice, "project_id", |row| row.attribution.project.iter().map(|id| id.0).collect());
    asked.add_ids(dice, "worksite_id", |row| row.attribution.worksite.iter().map(|id| id.0).collect());
    asked.add_ids(dice, "machine_id", |row| row.attribution.machine.iter().map(|id| id.0).collect());
    asked.add_ids(dice, "base_station_id", |row| vec![row.base_station.0]);
    asked.add_ids(dice, "tag_id", |row| vec![row.tag.0]);
    asked.add_ids(dice, "pedestrian_id", |row| row.attribution.pedestrian.iter().map(|id| id.0).collect());
    asked.add_ids(dice, "operator_id", |row| row.attribution.operator.iter().map(|id| id.0).collect());
    asked.add_ids(dice, "person_id", |row| {
        [row.attribution.pedestrian, row.attribution.operator].into_iter().flatten().map(|id| id.0).collect()
    });
    if dice.below(4) == 0 {
        let zone = dice.choose(&Zone::ALL);
        asked.add(format!("zone={}", zone.as_str()), move |row| row.zone == zone);
    }
    if dice.below(4) == 0 {
        let wanted = dice.below(2) == 0;
        asked.add(format!("acknowledged={wanted}"), move |row| row.acknowledged_at.is_some() == wanted);
    }
    let least = dice.choose(&[None, None, Some(0), Some(5), Some(6), Some(600)]);
    let most = dice.choose(&[None, None, Some(600), Some(601)]);
    let lasted = |row: &IncursionRow| row.ended_at.map(|at| (at - row.started_at).whole_seconds());
    if let Some(least) = least {
        asked.add(format!("min_duration_s={least}"), move |row| lasted(row).is_some_and(|s| s >= least));
    }
    if let Some(most) = most {
        asked.add(format!("max_duration_s={most}"), move |row| lasted(row).is_some_and(|s| s <= most));
    }
    match dice.below(3) {
        0 => {
            let (one, other) = (dice.choose(&Review::ALL), dice.choose(&Review::ALL));
            let query = format!("review={}&review={}", one.as_str(), other.as_str());
            asked.add(query, move |row| [one, other].contains(&row.review));
        }
        _ => asked.conditions.push(Box::new(|row| Review::COUNTED.contains(&row.review))),
    }
    asked
}

async fn filters_find_what_a_plain_model_of_them_finds(app: TestApp) {
    let yard = Yard::new(app).await;
    let mut dice = SeededRandom(20_260_301);
    let rows: Vec<IncursionRow> = (0..400).map(|_| random_row(&yard, &mut dice)).collect();
    let ids = yard.facts.add_incursions(rows.clone()).await;
    let mut all: Vec<(IncursionId, IncursionRow)> = ids.into_iter().zip(rows).collect();
    all.sort_by_key(|(id, row)| std::cmp::Reverse((row.started_at, *id)));
    let some = yard.restricted("some@example.com", domain::Role::Viewer, &[2]).await;
    let mut found = 0;
    for round in 0..200 {
        let asked = random_filter(&yard, &mut dice);
        for (user, sees) in [(&yard.admin, None), (&some, Some(ProjectId(2)))] {
            let expected: Vec<i64> = all
                .iter()
                .filter(|(_, row)| sees.is_none() || row.attribution.project == sees)
                .filter(|(_, row)| asked.conditions.iter().all(|means| means(row)))
                .map(|(id, _)| id.0)
                .collect();
            let query = format!("?limit=500&include_total=true&{}", asked.query.join("&"));
            let list = yard.get(user, query.trim_end_matches('&')).await.expect(200).json();
            assert_eq!(super::ids(&list), expected, "round {round}: {query}");
            assert_eq!(list["page"]["total"], expected.len(), "round {round}: {query}");
            found += expected.len();
        }
    }
    // The filters matched enough rows to prove something.
    assert!(found > 1_000, "{found}");
}
