//! GET /api/v2/advanced_insights/outliers

use domain::{EmailAddress, IncursionRow, MachineId, PersonId, ProjectId, Role, WorksiteId};
use serde_json::{Value, json};
use store::RuntimePiece;
use testkit::{Account, Process, Reply, TestApp, on_both_engines};

use crate::program;
use crate::v1::insights::{Yard, incursion, runtime};

on_both_engines!(
    a_machine_far_above_its_kind_is_named_with_all_that_explains_it,
    what_is_not_judged_says_why,
    people_on_foot_are_judged_by_the_days_they_were_seen,
    a_restricted_user_has_peers_of_their_own,
    bad_parameters_are_refused_by_name,
    what_was_put_into_a_simulated_world_comes_first,
);

const PATH: &str = "/api/v2/advanced_insights/outliers";

async fn send_get(app: &TestApp, user: &Account, query: &str) -> Reply {
    app.get(&format!("{PATH}{query}")).bearer(&user.jwt).send().await
}

async fn get(yard: &Yard, query: &str) -> Value {
    send_get(&yard.app, &yard.admin, query).await.expect(200).json()
}

/// Builds a number of incursions of a machine, a minute apart, and hours of runtime on ten days.
fn machine_activity(yard: &Yard, machine: i64, incursions: i64) -> (Vec<IncursionRow>, Vec<RuntimePiece>) {
    let rows = (0..incursions).map(|number| {
        let mut row = incursion(yard, &format!("2026-02-2{}T10:{:02}:00Z", number % 5, number / 5 % 60), 10);
        row.uid = format!("{machine}-{number}");
        row.attribution.machine = Some(MachineId(machine));
        row.attribution.operator = Some(PersonId(4));
        row
    });
    let pieces = (0..10).map(|day| {
        let mut piece = runtime(&format!("2026-02-1{day}T10:00:00Z"), 60);
        piece.base_station = domain::BaseStationId(machine);
        piece.machine = Some(MachineId(machine));
        piece
    });
    (rows.collect(), pieces.collect())
}

/// Eight cranes that ran for ten hours: the fifth has 60 incursions, the others 9 to 12.
pub(super) async fn yard_with_cranes(app: TestApp) -> Yard {
    let yard = Yard::new(app).await;
    for id in 4..=8 {
        let body = json!({ "name": format!("Crane {id}"), "kind": "crane" });
        let create = yard.app.post("/api/v1/machines").cookie(&yard.admin.cookie);
        create.json(&body).send().await.expect(201);
    }
    let (mut rows, mut pieces) = (Vec::new(), Vec::new());
    for (machine, incursions) in [(1, 9), (2, 12), (3, 10), (4, 11), (5, 60), (6, 9), (7, 10), (8, 12)] {
        let (some, ran) = machine_activity(&yard, machine, incursions);
        rows.extend(some);
        pieces.extend(ran);
    }
    yard.facts.add_incursions(rows).await;
    yard.facts.put_runtime(&pieces).await;
    yard
}

async fn a_machine_far_above_its_kind_is_named_with_all_that_explains_it(app: TestApp) {
    let yard = yard_with_cranes(app).await;
    let answer = get(&yard, "?by=machine").await;
    assert_eq!(answer["outliers"].as_array().unwrap().len(), 1, "{answer}");
    let first = &answer["outliers"][0];
    assert_eq!((&first["by"], &first["part"]), (&json!("machine"), &json!({ "id": 5, "label": "Crane 5" })));
    assert_eq!(first["peer_group"], json!({ "id": "crane", "label": "Crane" }));
    assert_eq!((&first["peers"], &first["observed"]), (&json!(7), &json!(60)));
    assert_eq!(first["exposure"], json!({ "value": 10.0, "unit": "runtime_hours" }));
    assert_eq!((&first["rate"], &first["stands_out"]), (&json!(6.0), &json!(true)));
    let number = |name: &str| first[name].as_f64().unwrap();
    assert!((10.0..11.5).contains(&number("expected")), "{first}");
    assert!(number("adjusted_p") < 0.001 && number("p") <= number("adjusted_p") && number("score") > 4.0);
    assert!(first["interval"]["high"].as_u64().unwrap() < 30);
    let sentence = first["sentence"].as_str().unwrap();
    assert!(sentence.starts_with(
        "Crane 5 came close to people 60 times in 10 hours of runtime. Compared with 7 other machines"
    ));
    assert!(sentence.contains("times as many. Chance alone is an unlikely explanation"), "{sentence}");
    assert_eq!(
        (&answer["judged"], &answer["not_judged"], &answer["more"]),
        (&json!(8), &json!(0), &json!(0))
    );
    assert!(answer["formula"].as_str().unwrap().contains("negative binomial"));
    // The counts equal those of V1.
    let path = "/api/v1/insights/breakdown?by=machine&metric=incursions&metric=runtime_hours";
    let v1 = yard.app.get(path).cookie(&yard.admin.cookie).send().await.expect(200).json();
    let all = get(&yard, "?by=machine&all=true").await;
    for row in v1["rows"].as_array().unwrap() {
        let same = all["outliers"].as_array().unwrap().iter().find(|one| one["part"] == row["part"]).unwrap();
        assert_eq!(same["observed"].as_f64(), row["metrics"]["incursions"]["value"].as_f64());
        assert_eq!(same["exposure"]["value"].as_f64(), row["metrics"]["runtime_hours"]["value"].as_f64());
    }
    // With more candidates, the adjustment is stricter.
    let every = get(&yard, "").await;
    assert!(every["judged"].as_i64() >= all["judged"].as_i64());
}

async fn what_is_not_judged_says_why(app: TestApp) {
    let yard = Yard::new(app).await;
    let (rows, pieces) = machine_activity(&yard, 1, 4);
    yard.facts.add_incursions(rows).await;
    yard.facts.put_runtime(&pieces).await;
    assert_eq!(get(&yard, "").await["outliers"], json!([]));
    let all = get(&yard, "?all=true").await;
    assert_eq!(all["judged"], 0);
    let of = |by: &str| {
        let all = all["outliers"].as_array().unwrap();
        all.iter().find(|one| one["by"] == by).unwrap_or_else(|| panic!("{by}: {all:?}")).clone()
    };
    assert_eq!(of("machine")["reason"], "too_few_peers");
    assert_eq!((&of("machine")["expected"], &of("machine")["interval"]), (&json!(null), &json!(null)));
    assert!(
        of("machine")["sentence"].as_str().unwrap().contains("was not judged: there are 0 other machines")
    );
    // Seen on foot on four days, which is enough, but without peers.
    assert_eq!(
        (&of("pedestrian")["reason"], &of("pedestrian")["exposure"]["unit"]),
        (&json!("too_few_peers"), &json!("days"))
    );
    assert_eq!(all["minimum"], json!({ "runtime_hours": 8.0, "days": 3.0, "peers": 5 }));
    // With a filter on a pedestrian there is no runtime: exposure is measured in days.
    let days = get(&yard, "?by=machine&all=true&pedestrian_id=1").await;
    assert_eq!(days["outliers"][0]["exposure"], json!({ "value": 4.0, "unit": "days" }));
    let little = get(&yard, "?by=machine&all=true&from=2026-02-19").await;
    assert_eq!(little["outliers"][0]["reason"], "too_little_exposure");
}

async fn people_on_foot_are_judged_by_the_days_they_were_seen(app: TestApp) {
    let yard = Yard::new(app).await;
    for number in 5..=8 {
        let body = json!({ "kind": "staff", "name": format!("Walker {number}") });
        let create = yard.app.post("/api/v1/people").cookie(&yard.admin.cookie);
        create.json(&body).send().await.expect(201);
    }
    let mut rows = Vec::new();
    for person in 1..=8 {
        let a_day = if person == 3 { 9 } else { 1 + person % 2 };
        for number in 0..a_day * 5 {
            let mut row =
                incursion(&yard, &format!("2026-02-2{}T1{}:{person:02}:00Z", number % 5, number / 5), 10);
            row.uid = format!("{person}-{number}");
            row.attribution.pedestrian = Some(PersonId(person));
            rows.push(row);
        }
    }
    yard.facts.add_incursions(rows).await;
    let answer = get(&yard, "?by=pedestrian").await;
    let first = &answer["outliers"][0];
    assert_eq!((&first["part"]["label"], &first["peer_group"]["id"]), (&json!("Cyd"), &json!("staff")));
    assert_eq!(first["exposure"], json!({ "value": 5.0, "unit": "days" }));
    // A day with only a test of the tag counts as exposure without incursions.
    let kiosk = yard.app.issue_token("Acme", domain::DeviceKind::Tester, "Gate").await;
    for at in ["2026-02-26T06:00:00Z", "2026-02-26T07:00:00Z", "2026-02-24T06:00:00Z"] {
        let body = json!({ "tag_serial": "T-9", "passed": true, "tested_at": at });
        yard.app.post("/api/v1/tester/tag_tests").bearer(&kiosk).json(&body).send().await.expect(201);
    }
    let tag = yard.app.get("/api/v1/tags?q=T-9").cookie(&yard.admin.cookie).send().await.expect(200).json();
    let wears = json!({ "tag_id": tag["data"][0]["id"], "person_id": 3 });
    let assign = yard.app.post("/api/v1/tag_assignments").cookie(&yard.admin.cookie);
    let made = assign.json(&wears).send().await.expect(201).json();
    let path = format!("/api/v1/tag_assignments/{}", made["id"]);
    let correct = yard.app.patch(&path).cookie(&yard.admin.cookie);
    correct.json(&json!({ "assigned_at": "2026-02-20T00:00:00Z" })).send().await.expect(200);
    yard.app.run_jobs().await;
    let answer = get(&yard, "?by=pedestrian").await;
    assert_eq!(answer["outliers"][0]["exposure"], json!({ "value": 6.0, "unit": "days" }));
    let worksite = &answer["outliers"][0]["peer_worksite"];
    assert_eq!(worksite, &json!({ "id": 1, "label": "Site 1" }));
    // A filter on the zone does not change the number of days.
    let dangers = get(&yard, "?by=pedestrian&all=true&zone=danger").await;
    let all = dangers["outliers"].as_array().unwrap();
    assert!(all.len() == 8 && all.iter().all(|one| one["observed"] == 0), "{dangers}");
    let cyd = all.iter().find(|one| one["part"]["id"] == 3).unwrap();
    assert_eq!(cyd["exposure"]["value"], 6.0);
    assert!(
        cyd["sentence"].as_str().unwrap().starts_with("Cyd came close to machines not once in 6 days"),
        "{cyd}"
    );
}

async fn a_restricted_user_has_peers_of_their_own(app: TestApp) {
    let yard = yard_with_cranes(app).await;
    // The fifth is in another project.
    let (mut rows, mut pieces) = machine_activity(&yard, 9, 50);
    for row in &mut rows {
        row.attribution.project = Some(ProjectId(2));
        row.attribution.worksite = Some(WorksiteId(2));
    }
    for piece in &mut pieces {
        piece.project = Some(ProjectId(2));
        piece.worksite = Some(WorksiteId(2));
    }
    yard.facts.add_incursions(rows).await;
    yard.facts.put_runtime(&pieces).await;
    let user = yard.app.sign_in_new_user("two@example.com", Role::Viewer).await;
    let email = EmailAddress::parse("two@example.com").unwrap();
    yard.app.app.restrict_user(&email, Some(&[ProjectId(2)])).await.unwrap();
    let answer = send_get(&yard.app, &user, "?by=machine&all=true").await.expect(200).json();
    let seen: Vec<&Value> =
        answer["outliers"].as_array().unwrap().iter().map(|one| &one["part"]["id"]).collect();
    assert_eq!(seen, [&json!(9)]);
    assert_eq!((&answer["outliers"][0]["peers"], &answer["judged"]), (&json!(0), &json!(0)));
}

async fn bad_parameters_are_refused_by_name(app: TestApp) {
    let yard = Yard::new(app).await;
    for (query, name) in [
        ("?by=tag", "by"),
        ("?by=machine&by=", "by"),
        ("?limit=0", "limit"),
        ("?all=maybe", "all"),
        ("?from=2019-01-01", "from"),
        ("?from=2026-03-02&to=2026-03-01", "to"),
        ("?colour=red", "colour"),
    ] {
        let refusal = send_get(&yard.app, &yard.admin, query).await.expect(400).json();
        assert_eq!(refusal["errors"][0]["source"]["parameter"], name, "{query}: {refusal}");
    }
}

/// Returns the text between two markers.
fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let (_, rest) = text.split_once(before).unwrap();
    rest.split_once(after).unwrap().0
}

async fn what_was_put_into_a_simulated_world_comes_first(app: TestApp) {
    let until = app.clock.now().to_string();
    let arguments = [
        "simulate",
        "--brand",
        "World",
        "--days",
        "30",
        "--projects",
        "1",
        "--sites",
        "3",
        "--machines",
        "45",
        "--people",
        "140",
        "--incursions-per-machine-day",
        "10",
        "--gps-interval-s",
        "0",
        "--seed",
        "3",
        "--until",
        &until,
    ];
    let output = Process::run(program(), app.database(), &arguments, "");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    let machine = between(&said, "to be found: ", " comes close");
    let person = between(&said, "as often as expected, ", " to machines");
    let user = app.sign_in_new_user_in_brand("World", "world@example.com", Role::Admin).await;
    for (by, name) in [("machine", machine), ("pedestrian", person)] {
        let answer = send_get(&app, &user, &format!("?by={by}")).await.expect(200).json();
        let first = &answer["outliers"][0];
        assert_eq!(first["part"]["label"], name, "{answer}");
        assert!(first["rate"].as_f64() > first["peer_rate"].as_f64(), "{first}");
    }
}
