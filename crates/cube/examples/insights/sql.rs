//! Translates a question into the peer's SQL, over the columns of the saved parts.

use std::fmt::Write as _;

use domain::PeriodBound;
use domain::insights::{Dimension, GroupOrder, Grouping, Measure, Question};

/// Returns the expression that a dimension is grouped by, and the conversion to its key.
fn dimension(dimension: Dimension) -> (String, fn(&str) -> String) {
    let plain: fn(&str) -> String = ToOwned::to_owned;
    let (sql, key): (&str, fn(&str) -> String) = match dimension {
        Dimension::Project => ("project_id", plain),
        Dimension::Worksite => ("worksite_id", plain),
        Dimension::Machine => ("machine_id", plain),
        Dimension::BaseStation => ("base_station_id", plain),
        Dimension::Pedestrian => ("pedestrian_id", plain),
        Dimension::Operator => ("operator_id", plain),
        Dimension::Tag => ("tag_id", plain),
        Dimension::Zone => ("zone", |of| format!("{of} + 1")),
        Dimension::Review => ("review", plain),
        Dimension::Acknowledged => ("waited_ms is not null", |of| format!("{of}::int")),
        Dimension::HourOfDay => ("local_minute // 60 % 24", plain),
        Dimension::DayOfWeek => ("local_minute // 1440", plain),
        Dimension::Day => ("local_day", |of| format!("{of} - date '1970-01-01'")),
        Dimension::Week => {
            ("date_trunc('week', local_day)", |of| format!("({of}::date - date '1969-12-29') // 7"))
        }
        Dimension::Month => {
            ("date_trunc('month', local_day)", |of| format!("year({of}) * 12 + month({of}) - 1 - 1970 * 12"))
        }
        Dimension::Duration => (
            "case when length is null then null when length < 5000 then 0 when length < 15000 then 1 when length < 30000 then 2 \
             when length < 60000 then 3 when length < 120000 then 4 when length < 300000 then 5 else 6 end",
            plain,
        ),
        Dimension::Cell(resolution) => {
            let (keep, set) = resolution.masks();
            return (format!("cell & {keep} | {set}"), plain);
        }
        other => panic!("no question is asked by {}", other.as_str()),
    };
    (sql.to_owned(), key)
}

/// Returns numerator and denominator.
fn measure(measure: Measure) -> [&'static str; 2] {
    match measure {
        Measure::Incursions => ["count(*)", "null"],
        Measure::Acknowledged => ["count(waited_ms)", "null"],
        Measure::AcknowledgementRate => ["count(waited_ms)", "count(*)"],
        Measure::AverageDuration => ["coalesce(sum(length), 0)::bigint", "count(length)"],
        Measure::Exposure => ["coalesce(sum(length), 0)::bigint", "null"],
        Measure::AverageAckTime => ["coalesce(sum(waited_ms), 0)::bigint", "count(waited_ms)"],
        Measure::MedianDuration => ["quantile_disc(length, 0.5)", "count(length)"],
        Measure::P95Duration => ["quantile_disc(length, 0.95)", "count(length)"],
        Measure::Machines => ["count(distinct machine_id)", "null"],
        Measure::Pedestrians => ["count(distinct pedestrian_id)", "null"],
        Measure::Operators => ["count(distinct operator_id)", "null"],
        other => panic!("no question is asked by {}", other.as_str()),
    }
}

fn list<T>(ids: &[T], id: impl Fn(&T) -> i64) -> String {
    ids.iter().map(|one| id(one).to_string()).collect::<Vec<_>>().join(", ")
}

fn conditions(question: &Question) -> String {
    let filter = &question.filter;
    let mut all = Vec::new();
    for (cut, sign) in [(question.from, ">="), (question.to, "<")] {
        match cut {
            Some(PeriodBound::Day(day)) => all.push(format!("local_day {sign} date '{day}'")),
            Some(PeriodBound::Instant(_)) => panic!("no question is cut at an instant"),
            None => {}
        }
    }
    if !filter.worksites.is_empty() {
        all.push(format!("worksite_id in ({})", list(&filter.worksites, |id| id.0)));
    }
    if !filter.machines.is_empty() {
        all.push(format!("machine_id in ({})", list(&filter.machines, |id| id.0)));
    }
    if !filter.zones.is_empty() {
        all.push(format!("zone in ({})", list(&filter.zones, |zone| zone.code() - 1)));
    }
    if !filter.reviews.is_empty() {
        all.push(format!("review in ({})", list(&filter.reviews, |review| review.code())));
    }
    match filter.acknowledged {
        Some(true) => all.push("waited_ms is not null".to_owned()),
        Some(false) => all.push("waited_ms is null".to_owned()),
        None => {}
    }
    if let Some(least) = filter.min_duration {
        all.push(format!("length >= {}", least.micros() / 1_000));
    }
    if all.is_empty() { String::new() } else { format!(" where {}", all.join(" and ")) }
}

/// Returns the value that groups are ordered by.
fn value(measures: &[Measure], at: usize) -> String {
    match measures[at] {
        Measure::Incursions
        | Measure::Acknowledged
        | Measure::Exposure
        | Measure::Machines
        | Measure::Pedestrians
        | Measure::Operators
        | Measure::MedianDuration
        | Measure::P95Duration => format!("n{at}"),
        _ => format!("n{at} / nullif(d{at}, 0)"),
    }
}

/// Returns the SQL of a question: its keys, then numerators and denominators, then the number of the grouping.
pub fn sql(question: &Question) -> String {
    let finest = question.groupings.iter().max_by_key(|grouping| grouping.dimensions.len()).unwrap();
    let mut inner = Vec::new();
    let mut outer = Vec::new();
    for (at, of) in finest.dimensions.iter().enumerate() {
        let (sql, key) = dimension(*of);
        inner.push(format!("{sql} as g{at}"));
        outer.push(format!("{} as k{at}", key(&format!("g{at}"))));
    }
    for (at, of) in question.measures.iter().enumerate() {
        for (letter, sql) in ["n", "d"].into_iter().zip(measure(*of)) {
            inner.push(format!("{sql} as {letter}{at}"));
            outer.push(format!("{letter}{at}"));
        }
    }
    let names = |count: usize| (0..count).map(|at| format!("g{at}")).collect::<Vec<_>>().join(", ");
    let mut grouped = String::new();
    if question.groupings.len() > 1 {
        // Each coarser grouping is a prefix of the finest one.
        let sets: Vec<String> =
            question.groupings.iter().map(|one| format!("({})", names(one.dimensions.len()))).collect();
        inner.push(format!("grouping({}) as g", names(finest.dimensions.len())));
        outer.push("g".to_owned());
        grouped = format!(" group by grouping sets ({})", sets.join(", "));
    } else if !finest.dimensions.is_empty() {
        grouped = format!(" group by {}", names(finest.dimensions.len()));
    }
    let from = format!("(select {} from incursions{}{grouped})", inner.join(", "), conditions(question));
    let mut sql = format!("select {} from {from}", outer.join(", "));
    order(&mut sql, finest, &question.measures);
    sql
}

fn order(sql: &mut String, grouping: &Grouping, measures: &[Measure]) {
    let Some(limit) = grouping.limit else { return };
    let keys =
        (0..grouping.dimensions.len()).map(|at| format!("k{at} nulls last")).collect::<Vec<_>>().join(", ");
    let by = match grouping.order {
        GroupOrder::ByKeys => keys,
        GroupOrder::Ascending(at) => format!("{} asc nulls last, {keys}", value(measures, at)),
        GroupOrder::Descending(at) => format!("{} desc nulls last, {keys}", value(measures, at)),
    };
    write!(sql, " order by {by} limit {limit}").unwrap();
}
