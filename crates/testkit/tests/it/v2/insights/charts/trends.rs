//! GET /api/v2/insights/charts/trends

use app::LoadingHistory;
use domain::{BrandId, Day};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{Yard, chart, incursion, send_get, series};

on_both_engines!(
    the_period_before_stands_beside_this_one,
    a_wild_day_does_not_turn_the_line,
    a_day_that_is_not_over_is_not_looked_at,
    a_trend_line_ends_today,
    a_trend_of_counts_is_never_negative,
    the_hours_of_a_day_have_no_trend,
    while_history_is_loading_there_is_no_line_through_it,
    one_chart_has_one_unit,
);

/// Adds this number of incursions on each day from 10 February on.
async fn yard_with_counts(app: TestApp, counts: &[usize]) -> Yard {
    let yard = Yard::new(app).await;
    let days = counts.iter().enumerate().flat_map(|(day, count)| vec![day + 10; *count]);
    let rows = days.map(|day| incursion(&yard, &format!("2026-02-{day}T10:00:00Z"), 10));
    yard.facts.add_incursions(rows.collect()).await;
    yard
}

fn find_series<'a>(answer: &'a Value, key: &str) -> &'a Value {
    answer["series"].as_array().unwrap().iter().find(|series| series["key"] == key).unwrap()
}

async fn the_period_before_stands_beside_this_one(app: TestApp) {
    let yard = yard_with_counts(app, &[1, 2, 0, 0, 0, 0, 0, 3, 4]).await;
    let answer = chart(&yard, "/trends?from=2026-02-17&to=2026-02-19&compare=previous").await;
    let all = series(&answer);
    assert_eq!(all[0], json!(["incursions", "Incursions", [["2026-02-17", 3], ["2026-02-18", 4]]]));
    assert_eq!(
        all[1],
        json!(["incursions.previous", "Incursions, previous period", [["2026-02-10", 1], ["2026-02-11", 2]]])
    );
    assert_eq!(answer["previous"], json!({ "from": "2026-02-10", "to": "2026-02-12", "weeks": 1 }));
    let kinds: Vec<&Value> =
        answer["series"].as_array().unwrap().iter().map(|series| &series["kind"]).collect();
    assert_eq!(kinds, ["measured", "previous", "trend"]);
    let alone = chart(&yard, "/trends?from=2026-02-17&to=2026-02-19").await;
    assert_eq!((&alone["previous"], alone["series"].as_array().unwrap().len()), (&json!(null), 2));
    // A day of the week is compared with the same day of the week, also where the weeks are several.
    let answer = chart(&yard, "/trends?from=2026-02-17&to=2026-02-27&compare=previous").await;
    assert_eq!(answer["previous"], json!({ "from": "2026-02-03", "to": "2026-02-13", "weeks": 2 }));
    // The running day is cut where it is cut now.
    let answer = chart(&yard, "/trends?compare=previous").await;
    let before = yard.app.clock.now() - domain::Span::minutes(28 * 24 * 60);
    let previous = json!({ "from": "2026-01-05", "to": before.to_string(), "weeks": 4 });
    assert_eq!((&answer["from"], &answer["previous"]), (&json!("2026-02-02"), &previous));
    for key in ["incursions", "incursions.previous", "incursions.trend"] {
        let points = find_series(&answer, key)["points"].as_array().unwrap();
        let partial: Vec<bool> = points.iter().map(|point| point["partial"].as_bool().unwrap()).collect();
        assert_eq!(partial.len(), 28, "{key}");
        assert!(partial[27] && !partial[..27].contains(&true), "{key}");
    }
    // The description of the picture gives the days of the previous period itself.
    let rest = "/trends?from=2026-02-17&to=2026-02-19&compare=previous&format=svg";
    let svg = send_get(&yard, &yard.admin, rest).await.expect(200);
    let svg = String::from_utf8(svg.body).unwrap();
    assert!(svg.contains("Incursions: mean 3.5, lowest 3, highest 4 (18/02/2026)."), "{svg}");
    let before = "Incursions, previous period: mean 1.5, lowest 1, highest 2 (11/02/2026).";
    assert!(svg.contains(before), "{svg}");
    // Weeks and months have a picture too, although months do not consist of weeks.
    for interval in ["hour", "week", "month"] {
        let rest = format!("/trends?compare=previous&interval={interval}&format=svg");
        let svg = send_get(&yard, &yard.admin, &rest).await.expect(200);
        assert!(String::from_utf8(svg.body).unwrap().contains("previous period 05/01/2026"), "{interval}");
    }
}

async fn a_wild_day_does_not_turn_the_line(app: TestApp) {
    let yard = yard_with_counts(app, &[1, 2, 3, 4, 30, 6, 7, 8]).await;
    let answer = chart(&yard, "/trends?from=2026-02-10&to=2026-02-18").await;
    let line = &answer["trends"][0];
    assert_eq!(
        (&line["metric"], &line["method"], &line["slope"], &line["values"]),
        (&json!("incursions"), &json!("theil_sen"), &json!(1.0), &json!(8))
    );
    let (low, high) = (line["slope_low"].as_f64().unwrap(), line["slope_high"].as_f64().unwrap());
    assert!(low <= 1.0 && high >= 1.0);
    let points = &find_series(&answer, "incursions.trend")["points"];
    assert_eq!((&points[0]["value"], &points[7]["value"]), (&json!(1), &json!(8)));
    // A single day has no trend.
    let answer = chart(&yard, "/trends?from=2026-02-10&to=2026-02-11").await;
    assert_eq!((&answer["trends"], answer["series"].as_array().unwrap().len()), (&json!([]), 1));
}

async fn a_day_that_is_not_over_is_not_looked_at(app: TestApp) {
    let yard = yard_with_counts(app, &[5, 5, 5, 1]).await;
    let answer = chart(&yard, "/trends?from=2026-02-10&to=2026-02-13T11:00:00Z").await;
    assert_eq!((&answer["trends"][0]["slope"], &answer["trends"][0]["values"]), (&json!(0.0), &json!(3)));
    // The trend line continues over it.
    assert_eq!(find_series(&answer, "incursions.trend")["points"].as_array().unwrap().len(), 4);
}

async fn a_trend_line_ends_today(app: TestApp) {
    // From 10 to 28 February they fall from 19 to one.
    let counts: Vec<usize> = (1..=19).rev().collect();
    let yard = yard_with_counts(app, &counts).await;
    let answer = chart(&yard, "/trends?from=2026-02-10&to=2026-03-15").await;
    assert_eq!((&answer["trends"][0]["slope"], &answer["trends"][0]["values"]), (&json!(-1.0), &json!(19)));
    let points = find_series(&answer, "incursions.trend")["points"].as_array().unwrap();
    assert_eq!(points.len(), 33);
    assert_eq!((&points[0]["value"], &points[18]["value"]), (&json!(19), &json!(1)));
    // Today has begun, tomorrow has not.
    assert_eq!((&points[19]["value"], &points[19]["reason"]), (&json!(0), &json!(null)));
    for point in &points[20..] {
        assert_eq!((&point["value"], &point["reason"]), (&json!(null), &json!("not_yet")));
    }
}

async fn a_trend_of_counts_is_never_negative(app: TestApp) {
    let yard = yard_with_counts(app, &[9, 6, 3, 0, 0, 0]).await;
    let answer = chart(&yard, "/trends?from=2026-02-10&to=2026-02-16").await;
    assert_eq!(answer["trends"][0]["slope"], json!(-2.0));
    let points = &find_series(&answer, "incursions.trend")["points"];
    assert_eq!((&points[0]["value"], &points[4]["value"]), (&json!(8), &json!(0)));
    assert_eq!((&points[5]["value"], &points[5]["reason"]), (&json!(null), &json!("no_data")));
}

async fn the_hours_of_a_day_have_no_trend(app: TestApp) {
    let yard = yard_with_counts(app, &[5, 5, 5]).await;
    let day = chart(&yard, "/trends?interval=hour&from=2026-02-10&to=2026-02-11").await;
    assert_eq!((&day["trends"], day["series"].as_array().unwrap().len()), (&json!([]), 1));
    let days = chart(&yard, "/trends?interval=hour&from=2026-02-10&to=2026-02-12").await;
    assert_eq!(days["trends"].as_array().unwrap().len(), 1);
}

async fn while_history_is_loading_there_is_no_line_through_it(app: TestApp) {
    let yard = yard_with_counts(app, &[5, 5, 5, 1, 2, 3]).await;
    let (whole, loaded) = ("/trends?from=2026-02-10&to=2026-02-16", "/trends?from=2026-02-13&to=2026-02-16");
    let complete_from = Day::parse("2026-02-13").unwrap();
    yard.app.app.note_loading_history(BrandId(1), LoadingHistory { complete_from, percent: 8 });
    let answer = chart(&yard, whole).await;
    assert_eq!((&answer["trends"], answer["series"].as_array().unwrap().len()), (&json!([]), 1));
    assert_eq!(chart(&yard, loaded).await["trends"][0]["slope"], json!(1.0));
    yard.app.app.note_complete_history(BrandId(1));
    assert_eq!(chart(&yard, whole).await["trends"][0]["values"], json!(6));
}

async fn one_chart_has_one_unit(app: TestApp) {
    let yard = yard_with_counts(app, &[1, 2]).await;
    let both =
        chart(&yard, "/trends?metric=acknowledged&metric=unacknowledged&from=2026-02-10&to=2026-02-12").await;
    assert_eq!((both["series"].as_array().unwrap().len(), both["trends"].as_array().unwrap().len()), (4, 2));
    let refused = send_get(&yard, &yard.admin, "/trends?metric=incursions&metric=exposure").await.expect(400);
    assert_eq!(refused.code(), "mixed_units");
    assert_eq!(refused.json()["errors"][0]["source"]["parameter"], "metric");
}
