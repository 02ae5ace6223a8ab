//! The facts of a site report, and what the rules write from them.

use domain::{DeviceKind, IncursionRow, Span};
use http::Method;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{PATH, SPACE, fact, get, lively_site, post, sentences, sign_in_again, write};
use crate::pdf;
use crate::v1::insights::{Yard, incursion};
use crate::v1::reports::{create_ready_report, download};

on_both_engines!(
    facts_have_values_comparisons_and_intervals,
    what_one_day_brought_is_no_clear_change,
    the_rules_tell_what_matters_first,
    german_reports_are_german,
    a_site_without_facts_has_a_report_too,
    silent_stations_and_changed_zones_are_facts,
    zones_that_were_changed_elsewhere_are_no_facts_of_the_worksite,
    a_report_of_the_kind_site_report_renders_it,
    a_document_is_in_the_language_of_its_sentences,
);

async fn facts_have_values_comparisons_and_intervals(app: TestApp) {
    let yard = lively_site(app).await;
    let report = write(&yard, &yard.admin, "en").await;
    let kinds: Vec<&str> =
        report["facts"].as_array().unwrap().iter().map(|fact| fact["kind"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "incursions",
            "incursion_rate",
            "runtime_hours",
            "acknowledgement_rate",
            "average_duration",
            "zone_time",
            "danger_share",
            "drift",
            "busiest_hours",
            "top_machine",
            "repeated_pair",
            "repeated_pair",
            "test_compliance",
            "incursions_without_test",
            "days_without_data",
        ]
    );
    let ids: Vec<Value> = report["facts"].as_array().unwrap().iter().map(|fact| fact["id"].clone()).collect();
    assert_eq!(ids, (1..=15).map(|number| json!(format!("f{number}"))).collect::<Vec<_>>());
    let incursions = fact(&report, "incursions");
    assert_eq!((&incursions["value"], &incursions["unit"]), (&json!(57), &json!("count")));
    assert_eq!(
        incursions["comparison"],
        json!({ "with": "previous_period", "value": 20, "direction": "up", "change_percent": 185 })
    );
    assert_eq!(incursions["certainty"], "high");
    let rate = fact(&report, "incursion_rate");
    assert_eq!(
        (&rate["value"], &rate["numerator"], &rate["denominator"]),
        (&json!(0.6), &json!(57), &json!(95))
    );
    assert_eq!((&rate["comparison"]["value"], &rate["comparison"]["direction"]), (&json!(1), &json!("down")));
    let interval = (rate["interval"]["low"].as_f64().unwrap(), rate["interval"]["high"].as_f64().unwrap());
    assert!((0.45..0.46).contains(&interval.0) && (0.78..0.79).contains(&interval.1), "{interval:?}");
    for (kind, part, all) in [
        ("acknowledgement_rate", 38, 57),
        ("danger_share", 19, 57),
        ("busiest_hours", 38, 57),
        ("top_machine", 38, 57),
        ("test_compliance", 1, 2),
        ("incursions_without_test", 47, 57),
    ] {
        let share = fact(&report, kind);
        assert_eq!((&share["numerator"], &share["denominator"]), (&json!(part), &json!(all)), "{kind}");
        assert_eq!(share["unit"], "percent", "{kind}");
    }
    let drift = &fact(&report, "drift")["comparison"];
    assert_eq!((&drift["with"], &drift["value"]), (&json!("after_installation"), &json!(0.2)));
    let hours = fact(&report, "busiest_hours");
    assert_eq!(hours["hours"], json!({ "from": 6, "to": 9 }));
    assert_eq!(
        (&hours["comparison"]["with"], &hours["comparison"]["value"]),
        (&json!("runtime"), &json!(20))
    );
    assert_eq!(fact(&report, "top_machine")["comparison"]["value"], 40);
    let pair = fact(&report, "repeated_pair");
    assert_eq!((&pair["value"], &pair["denominator"]), (&json!(38), &json!(19)));
    assert_eq!(
        pair["subjects"],
        json!([{ "kind": "machine", "id": 1, "name": "Crane 1" }, { "kind": "pedestrian", "id": 1, "name": "Ada" }])
    );
    let gaps = fact(&report, "days_without_data");
    assert_eq!((&gaps["value"], &gaps["denominator"]), (&json!(1), &json!(20)));
    assert_eq!(report["time_zones"], json!(["UTC"]));
    assert!(
        report["seq"].as_i64().unwrap() > 0 && report["program"].as_str().unwrap().starts_with("Keepclear")
    );
}

async fn what_one_day_brought_is_no_clear_change(app: TestApp) {
    let yard = Yard::new(app).await;
    // As many as at the lively site, but those of February on one day.
    let mut rows: Vec<IncursionRow> = (5..=30)
        .filter(|day| (day + 2) % 7 < 5)
        .map(|day| incursion(&yard, &format!("2026-01-{day:02}T08:10:00Z"), 10))
        .collect();
    rows.extend((0..57).map(|minute| incursion(&yard, &format!("2026-02-10T08:{minute:02}:00Z"), 10)));
    yard.facts.add_incursions(rows).await;
    let report = write(&yard, &yard.admin, "en").await;
    let incursions = fact(&report, "incursions");
    assert_eq!((&incursions["value"], &incursions["comparison"]["value"]), (&json!(57), &json!(20)));
    assert_eq!(incursions["comparison"]["direction"], "up");
    assert_eq!(incursions["certainty"], "low");
    let text = incursions["text"].as_str().unwrap();
    assert!(!text.contains("clear") && text.contains("chance"), "{text}");
}

async fn the_rules_tell_what_matters_first(app: TestApp) {
    let yard = lively_site(app).await;
    let report = write(&yard, &yard.admin, "en").await;
    assert_eq!((&report["generator"], &report["model"]), (&json!("rules"), &Value::Null));
    assert_eq!((&report["prompt_hash"], &report["fallback_reason"]), (&Value::Null, &Value::Null));
    assert_eq!(report["checks"], json!({ "attempts": [] }));
    let findings: Vec<String> =
        sentences(&report, "finding").iter().map(|text| text.replace(SPACE, " ")).collect();
    assert_eq!(
        findings,
        [
            "There are 0.60 incursions per runtime hour now (57 in 95 hours), 200 % more than in the weeks after installation \
             (0.20), which is a clear difference.",
            "There were 57 incursions in 28 days, 185 % more than in the previous period (20), which is a clear difference.",
            "Crane 1 and Ada came close 38 times on 19 days.",
            "82 % of the incursions happened with a tag that was not in test (47 of 57).",
            "67 % of the incursions began between 06:00 and 09:00 (38 of 57), more than the 20 % of the runtime in these hours, \
             which is a clear difference.",
        ]
    );
    assert_eq!(
        sentences(&report, "recommendation"),
        [
            "Repeat the briefing that was held after installation, for operators and people on foot.",
            "Discuss the incursions of the period with the site team and agree on measures.",
            "Plan separate working areas for Crane 1 and Ada.",
        ]
    );
    assert_eq!(
        sentences(&report, "limitation"),
        ["On 1 of 20 working days there is no data, and incursions of these days may be missing."]
    );
    for sentence in report["sentences"].as_array().unwrap() {
        assert!(!sentence["facts"].as_array().unwrap().is_empty(), "{sentence}");
    }
}

async fn german_reports_are_german(app: TestApp) {
    let yard = lively_site(app).await;
    let report = write(&yard, &yard.admin, "de").await;
    assert_eq!(report["language"], "de");
    let findings = sentences(&report, "finding");
    assert_eq!(
        findings[1].replace(SPACE, " "),
        "Es gab 57 Annäherungen in 28 Tagen, 185 % mehr als im vorherigen Zeitraum (20), ein deutlicher Unterschied."
    );
    assert_eq!(findings[2], "Crane 1 und Ada kamen sich 38-mal an 19 Tagen nahe.");
    let text = fact(&report, "incursion_rate")["text"].as_str().unwrap();
    assert!(text.starts_with("Es gab 0,60 Annäherungen pro Betriebsstunde"), "{text}");
}

async fn a_site_without_facts_has_a_report_too(app: TestApp) {
    let yard = Yard::new(app).await;
    let report = write(&yard, &yard.admin, "en").await;
    assert_eq!(fact(&report, "incursions")["value"], 0);
    assert_eq!(
        sentences(&report, "finding"),
        ["There were no incursions in 28 days, about the same as in the previous period (0)."]
    );
    assert_eq!(
        sentences(&report, "limitation"),
        ["There is no runtime of the machines, and rates per runtime hour are missing."]
    );
}

/// Assigns the first crane to a worksite.
async fn assign_crane(yard: &Yard, worksite: i64) {
    let path = format!("/api/v1/worksites/{worksite}/assignments/machines/1");
    let assign = yard.app.request(Method::PUT, &path).cookie(&yard.admin.cookie);
    assign.json(&json!({})).send().await.expect(200);
}

/// The station is in contact and reports its zones. Then ten minutes pass.
async fn report_zones(yard: &Yard, token: &str, danger: f64) {
    let zones = json!([{ "antenna": "front", "warning_m": 8, "danger_m": danger }]);
    let now = yard.app.clock.now().to_string();
    let contact = json!([
        { "uid": format!("s-{danger}"), "kind": "status", "at": now, "faults": [], "zones": zones }
    ]);
    let batch = yard.app.post("/ingest/v1/events").bearer(token).json(&contact).send().await;
    assert_eq!(batch.expect(200).json()["accepted"], 1);
    yard.app.clock.advance(Span::minutes(10));
}

/// Returns the facts about the first worksite around the days of the test, three days later.
async fn write_later(yard: &Yard) -> Value {
    yard.app.clock.advance(Span::minutes(3 * 24 * 60));
    let admin = sign_in_again(yard).await;
    let attributes = json!({ "from": "2026-02-20", "to": "2026-03-05", "language": "en" });
    post(yard, &admin, &attributes, "1").await.expect(201);
    yard.app.run_jobs().await;
    get(yard, &admin, "/1").await.expect(200).json()["data"]["attributes"].take()
}

async fn zones_that_were_changed_elsewhere_are_no_facts_of_the_worksite(app: TestApp) {
    let yard = lively_site(app).await;
    let token = yard.app.issue_token("Acme", DeviceKind::Station, "BS-1").await;
    // Before, while and after the crane is at the worksite.
    for (worksite, danger) in [(2, 2.0), (2, 3.0), (1, 5.0), (2, 7.0)] {
        assign_crane(&yard, worksite).await;
        yard.app.clock.advance(Span::minutes(1));
        report_zones(&yard, &token, danger).await;
    }
    let report = write_later(&yard).await;
    let zone = fact(&report, "zone_size_changed");
    assert_eq!((&zone["value"], &zone["comparison"]["value"]), (&json!(5), &json!(3)));
    let facts = report["facts"].as_array().unwrap();
    assert_eq!(facts.iter().filter(|fact| fact["kind"] == "zone_size_changed").count(), 1);
}

async fn silent_stations_and_changed_zones_are_facts(app: TestApp) {
    let yard = lively_site(app).await;
    assign_crane(&yard, 1).await;
    let token = yard.app.issue_token("Acme", DeviceKind::Station, "BS-1").await;
    // The station reports its zones twice, then nothing at all.
    for danger in [3.0, 5.0] {
        report_zones(&yard, &token, danger).await;
    }
    let report = write_later(&yard).await;
    let silent = fact(&report, "silent_stations");
    assert_eq!((&silent["value"], &silent["denominator"]), (&json!(1), &json!(1)));
    assert_eq!(silent["subjects"], json!([{ "kind": "base_station", "id": 1, "name": "BS-1" }]));
    let zone = fact(&report, "zone_size_changed");
    assert_eq!(
        (&zone["value"], &zone["unit"], &zone["zone"]),
        (&json!(5), &json!("metres"), &json!("danger"))
    );
    assert_eq!(zone["comparison"]["value"], 3);
    let text = zone["text"].as_str().unwrap().replace(SPACE, " ");
    assert_eq!(
        text,
        "The danger zone of Crane 1 was set to 5.0 m in the period, larger than before (3.0 m)."
    );
    let advice = sentences(&report, "recommendation").join(" ");
    assert!(advice.contains("Check power and contact of the silent base stations."), "{advice}");
}

async fn a_report_of_the_kind_site_report_renders_it(app: TestApp) {
    let yard = lively_site(app).await;
    let written = write(&yard, &yard.admin, "en").await;
    let body = json!({ "kind": "site_report", "site_report_id": 1 });
    let report = create_ready_report(&yard, &yard.admin, &body).await;
    let file = download(&yard, &yard.admin, &report["id"], "").await.expect(200).body;
    pdf::check(&file);
    let text = pdf::text(&file);
    for expected in
        ["Findings", "Recommendations", "Facts", "Crane 1 and Ada came close 38 times", "fixed rules"]
    {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let json = download(&yard, &yard.admin, &report["id"], "?format=json").await.expect(200).json();
    let facts = json["figures"]["written"]["facts"]["facts"].as_array().unwrap();
    assert_eq!(facts.len(), written["facts"].as_array().unwrap().len());
    assert_eq!(json["names"]["pedestrian"]["1"], "Ada");
    // The figures stay when the site report is deleted.
    yard.app.delete(&format!("{PATH}/1")).bearer(&yard.admin.jwt).send().await.expect(200);
    download(&yard, &yard.admin, &report["id"], "?format=json").await.expect(200);
}

async fn a_document_is_in_the_language_of_its_sentences(app: TestApp) {
    let yard = lively_site(app).await;
    let written = write(&yard, &yard.admin, "de").await;
    assert_eq!(written["language"], "de");
    // The author's own language is English.
    let body = json!({ "kind": "site_report", "site_report_id": 1 });
    let report = create_ready_report(&yard, &yard.admin, &body).await;
    let text = pdf::text(&download(&yard, &yard.admin, &report["id"], "").await.expect(200).body);
    for german in ["Standortbericht", "Fakten", "Über diesen Bericht", "Seite 1 von"] {
        assert!(text.contains(german), "{german}: {text}");
    }
    assert!(!text.contains("About this report"), "{text}");
}
