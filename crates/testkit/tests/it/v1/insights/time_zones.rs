//! The time zones of answers: those of the worksites of the filter, with facts or without.

use domain::{Day, Role};
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::totals::set_time_zone;
use super::{Yard, get, incursion};

on_both_engines!(
    a_worksite_without_facts_has_its_own_days,
    each_named_worksite_counts_by_its_own_clock,
    machines_have_the_days_of_the_sites_they_are_assigned_to,
    hours_are_those_of_the_clocks_of_the_site,
    zones_of_hidden_sites_are_not_shown,
    a_site_counts_until_it_is_archived,
    facts_outside_all_sites_have_the_brands_days,
);

/// Worksite 1 of project 1 in Denver, where there are incursions, 2 of project 2 in Auckland and 3 in UTC, where there are none. Machine 2
/// has been assigned to worksite 2 since January, the others to none. It is five o'clock on 1 March in Denver, and one o'clock on 2 March
/// in Auckland. The brand is in Tokyo.
async fn yard_in_three_zones(app: TestApp) -> Yard {
    let yard = Yard::new(app).await;
    set_time_zone(&yard, "1", "America/Denver").await;
    set_time_zone(&yard, "2", "Pacific/Auckland").await;
    let brand = json!({ "time_zone": "Asia/Tokyo" });
    yard.app.patch("/api/v1/admin/brand").cookie(&yard.admin.cookie).json(&brand).send().await.expect(200);
    let assigned = yard.app.request(http::Method::PUT, "/api/v1/worksites/2/assignments/machines/2");
    let since = json!({ "effective_from": "2026-01-01T00:00:00Z" });
    assigned.cookie(&yard.admin.cookie).json(&since).send().await.expect(200);
    yard.app.run_jobs().await;
    yard.facts.add_incursions(vec![incursion(&yard, "2026-02-27T10:30:00Z", 10)]).await;
    yard
}

/// Returns a trend by day or by another interval in the query, which must be the same in V1 and V2.
async fn trend(yard: &Yard, user: &Account, query: &str) -> Value {
    let rest = format!("/trends?metric=incursions&{query}");
    let answer = get(yard, user, &rest).await;
    let path = format!("/api/v2/insights{rest}");
    let second = yard.app.get(&path).bearer(&user.jwt).send().await.expect(200).json();
    assert_eq!(second, answer, "{query}");
    answer
}

/// Returns the time zones, and each bucket with whether it is partial.
fn buckets(answer: &Value) -> (Vec<&str>, Vec<(&str, bool)>) {
    let zones = answer["time_zones"].as_array().unwrap().iter().map(|zone| zone.as_str().unwrap());
    let points = answer["series"][0]["points"].as_array().unwrap().iter();
    let points = points.map(|point| (point["at"].as_str().unwrap(), point["partial"].as_bool().unwrap()));
    (zones.collect(), points.collect())
}

async fn time_zones(yard: &Yard, user: &Account, query: &str) -> Vec<String> {
    let answer = get(yard, user, &format!("/totals?{query}")).await;
    let zones = answer["time_zones"].as_array().unwrap_or_else(|| panic!("{query}: {answer}"));
    zones.iter().map(|zone| zone.as_str().unwrap().to_owned()).collect()
}

async fn a_worksite_without_facts_has_its_own_days(app: TestApp) {
    let yard = yard_in_three_zones(app).await;
    let auckland = vec!["Pacific/Auckland"];
    let today = ("2026-03-02", true);
    let expected = (auckland.clone(), vec![("2026-02-28", false), ("2026-03-01", false), today]);
    for query in [
        "worksite_id=2&from=2026-02-28",
        "project_id=2&from=2026-02-28",
        "worksite_id=2&machine_id=1&from=2026-02-28",
        "worksite_id=2&project_id=1&from=2026-02-28",
    ] {
        assert_eq!(buckets(&trend(&yard, &yard.admin, query).await), expected, "{query}");
    }
    // Today has begun there.
    let query = "worksite_id=2&from=2026-03-02";
    assert_eq!(buckets(&trend(&yard, &yard.admin, query).await), (auckland.clone(), vec![today]));
    let totals = get(&yard, &yard.admin, &format!("/totals?{query}")).await;
    let now = yard.app.clock.now().to_string();
    let named = (&totals["time_zones"], &totals["from"], &totals["to"]);
    assert_eq!(named, (&json!(auckland), &json!("2026-03-02"), &json!(now)));
    for query in ["worksite_id=2", "worksite_id=2&review=confirmed", "worksite_id=2&min_duration_s=30000000"]
    {
        let answer = trend(&yard, &yard.admin, query).await;
        let (zones, days) = buckets(&answer);
        assert_eq!((zones, days.len(), days[0].0), (auckland.clone(), 28, "2026-02-03"), "{query}");
        assert_eq!((days[26], days[27]), (("2026-03-01", false), today), "{query}");
    }
    // Charts have the same days, and name the same time zone.
    for chart in ["trends", "acknowledged_incursions", "incursion_rate", "machine_runtime", "durations"] {
        let path = format!("/api/v2/insights/charts/{chart}?worksite_id=2&from=2026-02-28");
        let data = yard.app.get(&path).bearer(&yard.admin.jwt).send().await.expect(200).json();
        assert_eq!(data["time_zones"], json!(auckland), "{chart}");
        let image =
            yard.app.get(&format!("{path}&format=svg&width=2000")).bearer(&yard.admin.jwt).send().await;
        let svg = String::from_utf8(image.expect(200).body).unwrap();
        assert!(svg.contains("Pacific/Auckland") && !svg.contains("UTC"), "{chart}: {svg}");
    }
    let pivot =
        json!({ "measures": ["incursions"], "filters": { "worksite_id": [2], "from": "2026-02-28" } });
    let call = yard.app.post("/api/v2/advanced_insights/pivot").bearer(&yard.admin.jwt).json(&pivot);
    assert_eq!(call.send().await.expect(200).json()["time_zones"], json!(auckland));
}

async fn each_named_worksite_counts_by_its_own_clock(app: TestApp) {
    let yard = yard_in_three_zones(app).await;
    let both = vec!["America/Denver", "Pacific/Auckland"];
    let answer = trend(&yard, &yard.admin, "worksite_id=1&worksite_id=2&from=2026-03-01").await;
    assert_eq!(buckets(&answer), (both.clone(), vec![("2026-03-01", true), ("2026-03-02", true)]));
    // With facts at one of them.
    let answer = trend(&yard, &yard.admin, "project_id=1&project_id=2&from=2026-02-27").await;
    let (zones, days) = buckets(&answer);
    assert_eq!((zones, days.len()), (both, 4));
    assert_eq!(days[1..], [("2026-02-28", false), ("2026-03-01", true), ("2026-03-02", true)]);
    let all = ["America/Denver", "Pacific/Auckland", "UTC"];
    for query in ["", "worksite_kind=other", "person_id=1", "zone=danger", "review=confirmed"] {
        assert_eq!(time_zones(&yard, &yard.admin, query).await, all, "{query}");
    }
    // What has no worksite has the brand's days.
    for query in ["worksite_id=99", "worksite_kind=forestry", "project_id=99"] {
        assert_eq!(time_zones(&yard, &yard.admin, query).await, ["Asia/Tokyo"], "{query}");
    }
}

async fn machines_have_the_days_of_the_sites_they_are_assigned_to(app: TestApp) {
    let yard = yard_in_three_zones(app).await;
    let today = ("2026-03-02", true);
    let expected = (vec!["Pacific/Auckland"], vec![("2026-02-28", false), ("2026-03-01", false), today]);
    for query in [
        "machine_id=2&from=2026-02-28",
        "machine_id=2&machine_id=3&from=2026-02-28",
        "base_station_id=2&from=2026-02-28",
        "machine_kind=crane&from=2026-02-28",
        "machine_id=2&machine_kind=crane&base_station_id=2&project_id=2&from=2026-02-28",
    ] {
        assert_eq!(buckets(&trend(&yard, &yard.admin, query).await), expected, "{query}");
    }
    // With facts of another machine, elsewhere.
    let both = ["America/Denver", "Pacific/Auckland"];
    for query in ["machine_id=1&machine_id=2", "machine_kind=crane"] {
        assert_eq!(time_zones(&yard, &yard.admin, query).await, both, "{query}");
    }
    assert_eq!(time_zones(&yard, &yard.admin, "machine_id=1").await, ["America/Denver"]);
    // Machines that are assigned to no worksite may be at any.
    let all = ["America/Denver", "Pacific/Auckland", "UTC"];
    for query in [
        "machine_id=3",
        "machine_id=99",
        "base_station_id=3",
        "machine_kind=roller",
        "machine_id=2&from=2025-11-01&to=2025-12-01",
    ] {
        assert_eq!(time_zones(&yard, &yard.admin, query).await, all, "{query}");
    }
}

async fn hours_are_those_of_the_clocks_of_the_site(app: TestApp) {
    let yard = yard_in_three_zones(app).await;
    for (query, hours, absent) in [
        // Clocks went forward at two, and back at three.
        ("worksite_id=2&from=2025-09-28&to=2025-09-29", 23, Some("2025-09-28T02:00")),
        ("worksite_id=2&from=2025-04-06&to=2025-04-07", 24, None),
        // In Denver this was in March.
        ("worksite_id=1&from=2025-09-28&to=2025-09-29", 24, None),
        ("worksite_id=1&from=2025-03-09&to=2025-03-10", 23, Some("2025-03-09T02:00")),
        ("worksite_id=1&worksite_id=2&from=2025-03-09&to=2025-03-10", 24, None),
    ] {
        let answer = trend(&yard, &yard.admin, &format!("interval=hour&{query}")).await;
        let (_, points) = buckets(&answer);
        assert_eq!(points.len(), hours, "{query}");
        assert!(!points.iter().any(|(at, _)| Some(*at) == absent), "{query}");
    }
}

async fn zones_of_hidden_sites_are_not_shown(app: TestApp) {
    let yard = yard_in_three_zones(app).await;
    let viewer = yard.restricted("viewer@example.com", Role::Viewer, &[1]).await;
    for query in ["", "worksite_kind=other", "person_id=1"] {
        assert_eq!(time_zones(&yard, &viewer, query).await, ["America/Denver"], "{query}");
    }
    // What is hidden is answered like what does not exist.
    for (hidden, missing) in [
        ("worksite_id=2", "worksite_id=99"),
        ("project_id=2", "project_id=99"),
        ("machine_id=2", "machine_id=99"),
        ("base_station_id=2", "base_station_id=99"),
        ("worksite_id=1&worksite_id=2", "worksite_id=1&worksite_id=99"),
    ] {
        for period in ["", "&from=2026-02-28", "&from=2025-11-01&to=2025-12-01"] {
            let seen = time_zones(&yard, &viewer, &format!("{hidden}{period}")).await;
            let expected = time_zones(&yard, &viewer, &format!("{missing}{period}")).await;
            assert_eq!(seen, expected, "{hidden}{period}");
            assert!(!seen.contains(&"Pacific/Auckland".to_owned()), "{hidden}{period}");
        }
    }
    let nobody = yard.restricted("nobody@example.com", Role::Viewer, &[]).await;
    assert_eq!(time_zones(&yard, &nobody, "").await, ["Asia/Tokyo"]);
}

async fn a_site_counts_until_it_is_archived(app: TestApp) {
    let yard = yard_in_three_zones(app).await;
    let at = Day::parse("2026-02-20").unwrap().midnight_utc().micros();
    let archive = format!("update worksites set archived_at = {at} where id = 2");
    testkit::execute_raw_sql(yard.app.database(), &archive).await.unwrap();
    let (others, all) = (["America/Denver", "UTC"], ["America/Denver", "Pacific/Auckland", "UTC"]);
    for query in ["", "from=2026-01-01&to=2026-02-01", "from=2026-02-20"] {
        assert_eq!(time_zones(&yard, &yard.admin, query).await, all, "{query}");
    }
    assert_eq!(time_zones(&yard, &yard.admin, "from=2026-02-23").await, others);
    for query in ["worksite_id=2&from=2026-02-23", "machine_id=2&from=2026-02-23"] {
        assert_eq!(time_zones(&yard, &yard.admin, query).await, ["Pacific/Auckland"], "{query}");
    }
}

async fn facts_outside_all_sites_have_the_brands_days(app: TestApp) {
    let yard = yard_in_three_zones(app).await;
    let mut outside = incursion(&yard, "2026-02-25T16:00:00Z", 10);
    outside.attribution.project = None;
    outside.attribution.worksite = None;
    // One o'clock in Tokyo.
    outside.attribution.local_day = Day::parse("2026-02-26").unwrap().number();
    yard.facts.add_incursions(vec![outside]).await;
    let query = "machine_id=1&from=2026-02-25T15:00:00Z&to=2026-02-25T17:00:00Z";
    let answer = trend(&yard, &yard.admin, query).await;
    assert_eq!(buckets(&answer), (vec!["Asia/Tokyo"], vec![("2026-02-26", true)]));
    assert_eq!(answer["series"][0]["points"][0]["value"], json!(1));
    let all = ["America/Denver", "Asia/Tokyo", "Pacific/Auckland", "UTC"];
    assert_eq!(time_zones(&yard, &yard.admin, "from=2026-02-25").await, all);
}
