//! GET /api/v1/insights/totals and GET /api/v1/insights

use domain::{ChangeCause, MachineId, PersonId, Review, Role, Zone};
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{Yard, acknowledged, get, incursion, runtime};

on_both_engines!(
    every_metric_says_what_it_was_made_of,
    without_a_value_there_is_a_reason,
    filters_on_what_an_incursion_is_touch_the_numerator_only,
    a_person_on_foot_has_no_runtime,
    totals_are_compared_with_the_period_before,
    without_a_period_it_is_28_days_of_the_site,
    the_default_period_has_28_days_of_the_sites_whatever_the_brands_zone,
    sites_in_several_zones_share_the_days_of_the_one_that_is_furthest_ahead,
    a_quiet_site_has_days_and_hours_of_its_own,
    a_running_day_is_compared_with_as_much_of_an_earlier_one,
    a_change_shows_in_the_next_answer,
    those_who_see_some_projects_count_only_theirs,
    the_summary_agrees_with_its_parts,
    those_who_do_not_see_names_get_none_with_the_numbers,
);

fn metric(answer: &Value, name: &str) -> Value {
    answer["metrics"][name].clone()
}

async fn every_metric_says_what_it_was_made_of(app: TestApp) {
    let yard = Yard::new(app).await;
    let mut second = incursion(&yard, "2026-02-27T10:30:00Z", 4);
    second.attribution.machine = Some(MachineId(2));
    second.attribution.operator = Some(PersonId(4));
    let mut open = incursion(&yard, "2026-02-27T11:30:00Z", 0);
    open.ended_at = None;
    let mut dismissed = incursion(&yard, "2026-02-27T12:30:00Z", 500);
    dismissed.review = Review::Dismissed;
    let first = acknowledged(incursion(&yard, "2026-02-26T10:00:00Z", 10), 3);
    yard.facts.add_incursions(vec![first, second, open, dismissed]).await;
    yard.facts.put_runtime(&[runtime("2026-02-26T10:00:00Z", 45), runtime("2026-02-27T10:00:00Z", 45)]).await;
    let answer = get(&yard, &yard.admin, "/totals").await;
    let expected = [
        ("incursions", json!([3, 3, null, "count"])),
        ("acknowledged", json!([1, 1, null, "count"])),
        ("unacknowledged", json!([2, 2, null, "count"])),
        ("acknowledgement_rate", json!([1.0 / 3.0, 1, 3, "ratio"])),
        ("average_duration", json!([7, 14, 2, "seconds"])),
        ("exposure", json!([14, 14, null, "seconds"])),
        ("average_ack_time", json!([3, 3, 1, "seconds"])),
        ("median_duration", json!([4, 4, 2, "seconds"])),
        ("p95_duration", json!([10, 10, 2, "seconds"])),
        ("machines", json!([2, 2, null, "count"])),
        ("pedestrians", json!([1, 1, null, "count"])),
        ("operators", json!([1, 1, null, "count"])),
        ("runtime_hours", json!([1.5, 1.5, null, "hours"])),
        ("incursions_per_runtime_hour", json!([2, 3, 1.5, "per_hour"])),
    ];
    for (name, wanted) in expected {
        let found = metric(&answer, name);
        let found = json!([found["value"], found["numerator"], found["denominator"], found["unit"]]);
        assert_eq!(found, wanted, "{name}");
    }
    assert_eq!(answer["metrics"].as_object().unwrap().len(), expected_count());
    assert_eq!(answer["time_zones"], json!(["UTC"]));
    assert_eq!(answer["previous"], json!(null));
    let seq =
        yard.app.get("/api/v1/incursions").cookie(&yard.admin.cookie).send().await.json()["seq"].clone();
    assert_eq!(answer["seq"], seq);
}

fn expected_count() -> usize {
    domain::insights::Measure::ALL.len()
}

async fn without_a_value_there_is_a_reason(app: TestApp) {
    let yard = Yard::new(app).await;
    let answer = get(&yard, &yard.admin, "/totals").await;
    for (name, value, reason) in [
        ("incursions", json!(0), json!(null)),
        ("acknowledgement_rate", json!(null), json!("no_incursions")),
        ("average_duration", json!(null), json!("no_incursions")),
        ("median_duration", json!(null), json!("no_incursions")),
        ("runtime_hours", json!(0), json!(null)),
        ("incursions_per_runtime_hour", json!(null), json!("no_runtime")),
    ] {
        assert_eq!(
            (&metric(&answer, name)["value"], &metric(&answer, name)["reason"]),
            (&value, &reason),
            "{name}"
        );
    }
    // All worksites have the same time zone.
    assert_eq!(answer["time_zones"].as_array().unwrap().len(), 1);
    let mut open = incursion(&yard, "2026-02-27T11:30:00Z", 0);
    open.ended_at = None;
    yard.facts.add_incursions(vec![open]).await;
    let answer = get(&yard, &yard.admin, "/totals").await;
    for (name, reason) in
        [("average_duration", "no_data"), ("p95_duration", "no_data"), ("average_ack_time", "no_data")]
    {
        assert_eq!(metric(&answer, name)["reason"], reason, "{name}");
    }
    assert_eq!(metric(&answer, "acknowledgement_rate")["value"], json!(0));
}

async fn filters_on_what_an_incursion_is_touch_the_numerator_only(app: TestApp) {
    let yard = Yard::new(app).await;
    let mut danger = incursion(&yard, "2026-02-27T10:30:00Z", 4);
    danger.zone = Zone::Danger;
    yard.facts.add_incursions(vec![incursion(&yard, "2026-02-26T10:00:00Z", 10), danger]).await;
    yard.facts.put_runtime(&[runtime("2026-02-26T10:00:00Z", 30)]).await;
    for (query, rate) in [
        ("", 4),
        ("?zone=danger", 2),
        ("?min_duration_s=5", 2),
        ("?acknowledged=true", 0),
        ("?review=confirmed", 0),
        ("?operator_id=4", 0),
    ] {
        let answer = get(&yard, &yard.admin, &format!("/totals{query}")).await;
        assert_eq!(metric(&answer, "incursions_per_runtime_hour")["value"], json!(rate), "{query}");
        assert_eq!(metric(&answer, "runtime_hours")["value"], json!(0.5), "{query}");
    }
}

async fn a_person_on_foot_has_no_runtime(app: TestApp) {
    let yard = Yard::new(app).await;
    yard.facts.add_incursions(vec![incursion(&yard, "2026-02-26T10:00:00Z", 10)]).await;
    yard.facts.put_runtime(&[runtime("2026-02-26T10:00:00Z", 30)]).await;
    for query in ["?person_id=1", "?pedestrian_id=1", "?tag_id=1"] {
        let answer = get(&yard, &yard.admin, &format!("/totals{query}")).await;
        assert_eq!(metric(&answer, "incursions")["value"], json!(1), "{query}");
        for name in ["runtime_hours", "incursions_per_runtime_hour"] {
            assert_eq!(metric(&answer, name)["value"], json!(null), "{query}");
            assert_eq!(metric(&answer, name)["reason"], "no_runtime", "{query}");
        }
    }
}

async fn totals_are_compared_with_the_period_before(app: TestApp) {
    let yard = Yard::new(app).await;
    let days = ["2026-02-18", "2026-02-19", "2026-02-25", "2026-02-26", "2026-02-27"];
    yard.facts
        .add_incursions(days.map(|day| incursion(&yard, &format!("{day}T10:00:00Z"), 10)).to_vec())
        .await;
    let answer = get(&yard, &yard.admin, "/totals?from=2026-02-22&to=2026-03-01&compare=previous").await;
    assert_eq!((&answer["from"], &answer["to"]), (&json!("2026-02-22"), &json!("2026-03-01")));
    assert_eq!(metric(&answer, "incursions")["value"], json!(3));
    let previous = &answer["previous"];
    assert_eq!((&previous["from"], &previous["to"]), (&json!("2026-02-15"), &json!("2026-02-22")));
    assert_eq!(metric(previous, "incursions")["value"], json!(2));
}

async fn without_a_period_it_is_28_days_of_the_site(app: TestApp) {
    let yard = Yard::new(app).await;
    yard.facts
        .add_incursions(vec![
            incursion(&yard, "2026-02-01T23:59:59Z", 10),
            incursion(&yard, "2026-02-02T00:00:00Z", 10),
            incursion(&yard, "2026-03-01T11:00:00Z", 10),
        ])
        .await;
    let answer = get(&yard, &yard.admin, "/totals").await;
    let now = yard.app.clock.now().to_string();
    assert_eq!((&answer["from"], &answer["to"]), (&json!("2026-02-02"), &json!(now)));
    assert_eq!(metric(&answer, "incursions")["value"].as_f64(), Some(2.0));
    let list = yard.app.get("/api/v1/incursions?include_total=true").cookie(&yard.admin.cookie).send().await;
    assert_eq!(list.expect(200).json()["page"]["total"], json!(2));
    // The days before an end that is given.
    for (to, from) in [
        ("2026-02-20", "2026-01-23"),
        ("2026-02-20T00:00:00Z", "2026-01-23"),
        ("2026-02-20T00:00:01Z", "2026-01-24"),
    ] {
        let answer = get(&yard, &yard.admin, &format!("/totals?to={to}")).await;
        assert_eq!((&answer["from"], &answer["to"]), (&json!(from), &json!(to)));
    }
    // The brand has 2 March already, but none of its worksites. Its day counts only where there is no worksite.
    let far = json!({ "time_zone": "Pacific/Kiritimati" });
    yard.app.patch("/api/v1/admin/brand").cookie(&yard.admin.cookie).json(&far).send().await.expect(200);
    for (query, from) in [
        ("", "2026-02-02"),
        ("?machine_id=1", "2026-02-02"),
        ("?worksite_id=1", "2026-02-02"),
        ("?worksite_id=1&worksite_id=2", "2026-02-02"),
        ("?worksite_id=99", "2026-02-03"),
        ("?worksite_kind=forestry", "2026-02-03"),
    ] {
        assert_eq!(get(&yard, &yard.admin, &format!("/totals{query}")).await["from"], from, "{query}");
    }
    // The zone of a site that a restricted user cannot see is not the answer either.
    let viewer = yard.restricted("viewer@example.com", Role::Viewer, &[2]).await;
    assert_eq!(get(&yard, &viewer, "/totals?worksite_id=1").await["from"], "2026-02-03");
    assert_eq!(get(&yard, &viewer, "/totals").await["from"], "2026-02-02");
}

/// Moves worksites to another time zone, as if they had always been there.
pub async fn set_time_zone(yard: &Yard, worksites: &str, zone: &str) {
    let statements = format!(
        "update worksites set time_zone = '{zone}' where id in ({worksites});
         update worksite_terms set time_zone = '{zone}' where worksite_id in ({worksites})"
    );
    testkit::execute_raw_sql(yard.app.database(), &statements).await.unwrap();
}

async fn the_default_period_has_28_days_of_the_sites_whatever_the_brands_zone(app: TestApp) {
    let yard = Yard::new(app).await;
    // It is one o'clock on 2 March there, and noon on 1 March for the brand.
    set_time_zone(&yard, "1, 2, 3", "Pacific/Auckland").await;
    let counted = async || {
        let answer = get(&yard, &yard.admin, "/totals?compare=previous").await;
        let bounds = (&answer["from"], &answer["previous"]["from"]);
        assert_eq!(bounds, (&json!("2026-02-03"), &json!("2026-01-06")));
        let count = |of: &Value| metric(of, "incursions")["value"].as_f64();
        (count(&answer), count(&answer["previous"]))
    };
    assert_eq!(counted().await, (Some(0.0), Some(0.0)), "without facts, the period is the same");
    let row = |started_at: &str, local_day: &str| {
        let mut row = incursion(&yard, started_at, 10);
        row.attribution.local_day = domain::Day::parse(local_day).unwrap().number();
        row
    };
    let rows = vec![
        row("2026-01-05T10:59:59Z", "2026-01-05"),
        row("2026-01-05T11:00:00Z", "2026-01-06"),
        row("2026-02-02T10:59:59Z", "2026-02-02"),
        row("2026-02-02T11:00:00Z", "2026-02-03"),
        row("2026-03-01T11:30:00Z", "2026-03-02"),
    ];
    yard.facts.add_incursions(rows).await;
    assert_eq!(counted().await, (Some(2.0), Some(1.0)));
    let list = yard.app.get("/api/v1/incursions?include_total=true").cookie(&yard.admin.cookie).send().await;
    assert_eq!(list.expect(200).json()["page"]["total"], json!(2));
    let trends = get(&yard, &yard.admin, "/trends?interval=day&metric=incursions").await;
    let points = trends["series"][0]["points"].as_array().unwrap();
    assert_eq!((points.len(), &points[0]["at"]), (28, &json!("2026-02-03")));
    assert_eq!((&points[27]["at"], &points[27]["partial"]), (&json!("2026-03-02"), &json!(true)));
    let path = "/api/v2/insights/charts/trends?compare=previous";
    let chart = yard.app.get(path).bearer(&yard.admin.jwt).send().await.expect(200).json();
    assert_eq!((&chart["from"], &chart["previous"]["weeks"]), (&json!("2026-02-03"), &json!(4)));
}

async fn a_quiet_site_has_days_and_hours_of_its_own(app: TestApp) {
    let yard = Yard::new(app).await;
    // It is one o'clock on 2 March there, and noon on 1 March for the brand.
    set_time_zone(&yard, "2", "Pacific/Auckland").await;
    yard.facts.add_incursions(vec![incursion(&yard, "2026-02-27T10:30:00Z", 10)]).await;
    let elsewhere = yard.restricted("elsewhere@example.com", Role::Viewer, &[1]).await;
    for query in ["worksite_id=2", "project_id=2", "worksite_id=2&min_duration_s=3000"] {
        let totals = get(&yard, &yard.admin, &format!("/totals?{query}")).await;
        assert_eq!(totals["time_zones"], json!(["Pacific/Auckland"]), "{query}");
        assert_eq!(totals["from"], "2026-02-03", "{query}");
        let days = get(&yard, &yard.admin, &format!("/trends?interval=day&{query}")).await;
        assert_eq!(days["time_zones"], json!(["Pacific/Auckland"]), "{query}");
        let points = days["series"][0]["points"].as_array().unwrap();
        assert_eq!((points.len(), &points[27]["at"]), (28, &json!("2026-03-02")), "{query}");
        // The clocks went forward at two.
        let path = format!("/trends?interval=hour&from=2025-09-28&to=2025-09-29&{query}");
        let hours = get(&yard, &yard.admin, &path).await;
        let points = hours["series"][0]["points"].as_array().unwrap();
        assert_eq!(points.len(), 23, "{query}");
        assert!(points.iter().all(|point| point["at"] != "2025-09-28T02:00"), "{query}");
        // The zone of a site is not shown to those who do not see it.
        let hidden = get(&yard, &elsewhere, &format!("/totals?{query}")).await;
        assert_eq!(hidden["time_zones"], json!(["UTC"]), "{query}");
    }
    let all = get(&yard, &yard.admin, "/totals?min_duration_s=3000").await;
    assert_eq!(all["time_zones"], json!(["Pacific/Auckland", "UTC"]));
    let counted = get(&yard, &yard.admin, "/totals").await;
    assert_eq!(counted["time_zones"], json!(["Pacific/Auckland", "UTC"]), "with facts at one of them");
}

async fn sites_in_several_zones_share_the_days_of_the_one_that_is_furthest_ahead(app: TestApp) {
    let yard = Yard::new(app).await;
    set_time_zone(&yard, "1", "Pacific/Auckland").await;
    set_time_zone(&yard, "3", "Pacific/Honolulu").await;
    let period = async |user: &Account, query: &str| {
        let answer = get(&yard, user, &format!("/totals?compare=previous&{query}")).await;
        let bound = |of: &Value| of["from"].as_str().unwrap().to_owned();
        (bound(&answer), bound(&answer["previous"]))
    };
    let (by_auckland, by_utc) = (("2026-02-03", "2026-01-06"), ("2026-02-02", "2026-01-05"));
    let named = |(from, before): (&str, &str)| (from.to_owned(), before.to_owned());
    for (query, expected) in [
        ("", by_auckland),
        ("worksite_id=1&worksite_id=2", by_auckland),
        ("worksite_id=2", by_utc),
        ("worksite_id=2&worksite_id=3", by_utc),
        ("project_id=2", by_utc),
        ("project_id=1&project_id=2", by_auckland),
        ("worksite_kind=forestry", by_utc),
        // At this instant, it is still 1 March everywhere.
        ("to=2026-03-01T10:30:00Z", by_utc),
        ("to=2026-03-02", by_utc),
    ] {
        assert_eq!(period(&yard.admin, query).await, named(expected), "{query}");
    }
    let viewer = yard.restricted("viewer@example.com", Role::Viewer, &[2]).await;
    assert_eq!(period(&viewer, "").await, named(by_utc));
    assert_eq!(period(&viewer, "worksite_id=1&worksite_id=2").await, named(by_utc));
    // A worksite that is archived counts only if it is named.
    let archive = "update worksites set archived_at = 1 where id = 1";
    testkit::execute_raw_sql(yard.app.database(), archive).await.unwrap();
    assert_eq!(period(&yard.admin, "").await, named(by_utc));
    assert_eq!(period(&yard.admin, "worksite_id=1").await, named(by_auckland));
}

async fn a_running_day_is_compared_with_as_much_of_an_earlier_one(app: TestApp) {
    let yard = Yard::new(app).await;
    let rows =
        ["2026-01-05T00:00:00Z", "2026-02-01T11:00:00Z", "2026-02-01T13:00:00Z", "2026-03-01T11:00:00Z"];
    yard.facts.add_incursions(rows.map(|at| incursion(&yard, at, 10)).to_vec()).await;
    let now = yard.app.clock.now();
    let before = now - domain::Span::minutes(28 * 24 * 60);
    for (query, from, previous) in [
        ("?compare=previous", "2026-02-02", "2026-01-05"),
        ("?compare=previous&from=2026-02-02&to=2026-03-02", "2026-02-02", "2026-01-05"),
    ] {
        let answer = get(&yard, &yard.admin, &format!("/totals{query}")).await;
        assert_eq!(answer["from"], from, "{query}");
        assert_eq!(metric(&answer, "incursions")["value"].as_f64(), Some(1.0), "{query}");
        let bounds = (&answer["previous"]["from"], &answer["previous"]["to"]);
        assert_eq!(bounds, (&json!(previous), &json!(before.to_string())), "{query}");
        // The one at 13:00 would be in the future, four weeks later.
        assert_eq!(metric(&answer["previous"], "incursions")["value"].as_f64(), Some(2.0), "{query}");
    }
    // What has ended is compared as a whole, with as many whole weeks.
    let answer = get(&yard, &yard.admin, "/totals?compare=previous&from=2026-02-10&to=2026-02-20").await;
    assert_eq!(answer["previous"]["from"], "2026-01-27");
    assert_eq!(answer["previous"]["to"], "2026-02-06");
}

async fn a_change_shows_in_the_next_answer(app: TestApp) {
    let yard = Yard::new(app).await;
    yard.facts.add_incursions(vec![incursion(&yard, "2026-02-26T10:00:00Z", 10)]).await;
    let rate =
        async || metric(&get(&yard, &yard.admin, "/totals").await, "acknowledgement_rate")["value"].clone();
    assert_eq!(rate().await, json!(0));
    let list = yard.app.get("/api/v1/incursions").cookie(&yard.admin.cookie).send().await.json();
    let mut kept =
        yard.facts.find_incursion(domain::BaseStationId(1), list["data"][0]["uid"].as_str().unwrap()).await;
    let seq = yard
        .facts
        .change_incursion(&mut kept, ChangeCause::Report, |row| row.acknowledged_at = Some(row.started_at))
        .await;
    assert_eq!(rate().await, json!(1));
    assert_eq!(get(&yard, &yard.admin, "/totals").await["seq"], json!(seq));
    // Reviewed as a false detection, it is no longer counted.
    let review = json!({ "state": "false_detection", "comment": "A fox" });
    let path = format!("/api/v1/incursions/{}/review", kept.id);
    yard.app.post(&path).cookie(&yard.admin.cookie).json(&review).send().await.expect(200);
    assert_eq!(rate().await, json!(null));
}

async fn those_who_see_some_projects_count_only_theirs(app: TestApp) {
    let yard = Yard::new(app).await;
    let mut other = incursion(&yard, "2026-02-26T11:00:00Z", 10);
    other.attribution.project = Some(domain::ProjectId(2));
    other.attribution.worksite = Some(domain::WorksiteId(2));
    let mut none = incursion(&yard, "2026-02-26T12:00:00Z", 10);
    none.attribution.project = None;
    yard.facts.add_incursions(vec![incursion(&yard, "2026-02-26T10:00:00Z", 10), other, none]).await;
    yard.facts.put_runtime(&[runtime("2026-02-26T10:00:00Z", 30)]).await;
    for (projects, incursions, hours) in
        [(&[1][..], 1.0, 0.5), (&[2], 1.0, 0.0), (&[1, 2], 2.0, 0.5), (&[], 0.0, 0.0)]
    {
        let email = format!(
            "viewer-{}@example.com",
            projects.len() * 10 + projects.first().map_or(0, |id| *id as usize)
        );
        let viewer = yard.restricted(&email, Role::Viewer, projects).await;
        for path in ["/totals", "/totals?compare=previous"] {
            let answer = get(&yard, &viewer, path).await;
            assert_eq!(metric(&answer, "incursions")["value"], incursions, "{projects:?}");
            assert_eq!(metric(&answer, "runtime_hours")["value"], hours, "{projects:?}");
        }
        let summary = get(&yard, &viewer, "").await;
        assert_eq!(metric(&summary["totals"], "incursions")["value"], incursions, "{projects:?}");
        let machines = get(&yard, &viewer, "/breakdown?by=worksite").await;
        let seen: f64 = machines["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["metrics"]["incursions"]["value"].as_f64().unwrap())
            .sum();
        assert!((seen - incursions).abs() < 1e-9, "{projects:?}");
    }
}

async fn the_summary_agrees_with_its_parts(app: TestApp) {
    let yard = Yard::new(app).await;
    let mut second = acknowledged(incursion(&yard, "2026-02-27T10:30:00Z", 4), 1);
    second.attribution.machine = Some(MachineId(2));
    let rows = vec![
        incursion(&yard, "2026-02-25T10:00:00Z", 10),
        incursion(&yard, "2026-02-26T10:00:00Z", 10),
        second,
    ];
    yard.facts.add_incursions(rows).await;
    let query = "?from=2026-02-22&to=2026-03-01";
    let summary = get(&yard, &yard.admin, query).await;
    let totals = get(&yard, &yard.admin, &format!("/totals{query}&compare=previous")).await;
    assert_eq!(summary["totals"], totals);
    let trend =
        get(&yard, &yard.admin, &format!("/trends{query}&metric=incursions&metric=acknowledgement_rate"))
            .await;
    assert_eq!(summary["trend"], trend);
    let tops = |kind: &str| -> Vec<Value> {
        summary[kind]
            .as_array()
            .unwrap()
            .iter()
            .map(|top| json!([top["part"]["label"], top["metrics"]["incursions"]["value"]]))
            .collect()
    };
    assert_eq!(tops("top_machines"), [json!(["Crane 1", 2]), json!(["Crane 2", 1])]);
    assert_eq!(tops("top_worksites"), [json!(["Site 1", 3])]);
    assert_eq!(tops("top_people"), [json!(["Ada", 3])]);
}

async fn those_who_do_not_see_names_get_none_with_the_numbers(app: TestApp) {
    let yard = Yard::new(app).await;
    yard.facts.add_incursions(vec![incursion(&yard, "2026-02-26T10:00:00Z", 10)]).await;
    let viewer = yard.app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    for path in ["", "/breakdown?by=pedestrian", "/trends?split_by=pedestrian"] {
        let answer = get(&yard, &viewer, path).await.to_string();
        assert!(answer.contains("Person 1") && !answer.contains("Ada"), "{answer}");
    }
}
