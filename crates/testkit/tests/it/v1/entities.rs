//! /api/v1/entities

use domain::{DeviceKind, Role, Span};
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, on_both_engines};

use super::incursions::Yard;
use super::insights::{acknowledged, incursion, runtime};
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    people_and_machines_stand_in_one_list,
    each_is_told_with_what_it_carries_and_was_part_of,
    how_someone_stands_follows_from_when_they_were_seen,
    lists_are_filtered_and_sorted,
    lists_are_paged_in_every_order,
    a_site_has_its_machines_and_whoever_was_met_there,
    one_is_told_in_full_with_all_its_links,
    who_gave_a_tag_back_was_seen_while_they_wore_it,
    a_restricted_user_counts_only_what_is_theirs,
    those_who_do_not_see_names_sort_and_search_by_labels,
    bad_parameters_are_refused_by_name,
    open_alarms_stand_beside_what_they_are_about,
);

async fn send_get(yard: &Yard, user: &Account, rest: &str) -> Reply {
    yard.app.get(&format!("/api/v1/entities{rest}")).cookie(&user.cookie).send().await
}

async fn get(yard: &Yard, rest: &str) -> Value {
    send_get(yard, &yard.admin, rest).await.expect(200).json()
}

fn names(list: &Value) -> Vec<&str> {
    list["data"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect()
}

fn find_by_name<'a>(list: &'a Value, name: &str) -> &'a Value {
    list["data"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap()
}

/// Crane 1 met Ada twice, once acknowledged, with Dan driving once; crane 2 met Cyd at worksite 2, with Ada driving.
async fn busy_yard(app: TestApp) -> Yard {
    let yard = Yard::new(app).await;
    let mut driven = acknowledged(incursion(&yard, "2026-02-24T10:00:00Z", 10), 2);
    driven.attribution.operator = Some(domain::PersonId(4));
    let mut elsewhere = incursion(&yard, "2026-02-24T12:00:00Z", 40);
    elsewhere.base_station = domain::BaseStationId(2);
    elsewhere.tag = domain::TagId(2);
    elsewhere.attribution.machine = Some(domain::MachineId(2));
    elsewhere.attribution.pedestrian = Some(domain::PersonId(3));
    elsewhere.attribution.operator = Some(domain::PersonId(1));
    elsewhere.attribution.worksite = Some(domain::WorksiteId(2));
    elsewhere.attribution.project = Some(domain::ProjectId(2));
    let rows = vec![driven, incursion(&yard, "2026-02-25T10:00:00Z", 20), elsewhere];
    yard.facts.add_incursions(rows).await;
    yard.facts.put_runtime(&[runtime("2026-02-24T10:00:00Z", 30)]).await;
    yard
}

async fn people_and_machines_stand_in_one_list(app: TestApp) {
    let yard = busy_yard(app).await;
    let list = get(&yard, "?include_total=true").await;
    assert_eq!(names(&list), ["Ada", "Bob", "Crane 1", "Crane 2", "Crane 3", "Cyd", "Dan"]);
    assert_eq!(list["page"]["total"], 7);
    assert_eq!(names(&get(&yard, "?type=machine").await), ["Crane 1", "Crane 2", "Crane 3"]);
    assert_eq!(names(&get(&yard, "?type=person&q=D").await), ["Ada", "Cyd", "Dan"]);
    assert_eq!(names(&get(&yard, "?type=person&type=machine&limit=2").await), ["Ada", "Bob"]);
}

async fn each_is_told_with_what_it_carries_and_was_part_of(app: TestApp) {
    let yard = busy_yard(app).await;
    let list = get(&yard, "").await;
    let machine = find_by_name(&list, "Crane 1");
    assert_eq!(
        (&machine["type"], &machine["id"], &machine["kind"]),
        (&json!("machine"), &json!(1), &json!("crane"))
    );
    assert_eq!((&machine["base_station"]["serial"], &machine["tags"]), (&json!("BS-1"), &json!([])));
    let summary = |row: &Value, metric: &str| row["summary"][metric]["value"].clone();
    assert_eq!(summary(machine, "incursions"), 2.0);
    assert_eq!(summary(machine, "acknowledgement_rate"), 0.5);
    assert_eq!(summary(machine, "average_duration"), 15.0);
    // On foot twice and driving once.
    let person = find_by_name(&list, "Ada");
    assert_eq!((&person["type"], &person["kind"]), (&json!("person"), &json!("staff")));
    assert_eq!((&person["tags"][0]["serial"], &person["base_station"]), (&json!("T-1"), &json!(null)));
    assert_eq!((summary(person, "incursions"), summary(person, "exposure")), (json!(3), json!(70)));
    let nobody = find_by_name(&list, "Bob");
    assert_eq!(nobody["tags"], json!([]));
    assert_eq!(summary(nobody, "incursions"), 0.0);
    assert_eq!(nobody["summary"]["acknowledgement_rate"]["reason"], "no_incursions");
    // Another period has other numbers.
    let list = get(&yard, "?from=2026-02-25&to=2026-02-26").await;
    assert_eq!(summary(find_by_name(&list, "Ada"), "incursions"), 1.0);
}

async fn how_someone_stands_follows_from_when_they_were_seen(app: TestApp) {
    let yard = Yard::new(app).await;
    let kiosk = yard.app.issue_token("Acme", DeviceKind::Tester, "Gate").await;
    let now = yard.app.clock.now();
    // Ada has worn tag 1 for three days, Cyd tag 2 since Bob returned it.
    let days_ago = |days: i64| (now - Span::minutes(days * 24 * 60)).to_string();
    for (assignment, body) in [
        (1, json!({ "assigned_at": days_ago(3) })),
        (2, json!({ "assigned_at": days_ago(9), "ended_at": days_ago(4) })),
        (3, json!({ "assigned_at": days_ago(3) })),
    ] {
        let path = format!("/api/v1/tag_assignments/{assignment}");
        yard.app.patch(&path).cookie(&yard.admin.cookie).json(&body).send().await.expect(200);
    }
    for (serial, hours_ago) in [("T-1", 23), ("T-2", 24)] {
        let at = (now - Span::minutes(hours_ago * 60)).to_string();
        let body = json!({ "tag_serial": serial, "passed": true, "tested_at": at });
        yard.app.post("/api/v1/tester/tag_tests").bearer(&kiosk).json(&body).send().await.expect(201);
    }
    yard.app.run_jobs().await;
    let list = get(&yard, "").await;
    let activity = |name: &str| find_by_name(&list, name)["activity"].clone();
    assert_eq!((activity("Ada"), activity("Cyd")), (json!("active"), json!("silent")));
    assert_eq!(find_by_name(&list, "Cyd")["last_seen_at"], days_ago(1));
    assert_eq!((activity("Bob"), activity("Crane 1")), (json!("idle"), json!("idle")), "never heard of");
    assert_eq!(names(&get(&yard, "?activity=silent").await), ["Cyd"]);
    assert_eq!(names(&get(&yard, "?activity=silent&activity=active").await), ["Ada", "Cyd"]);
    let change = yard.app.patch("/api/v1/admin/brand").cookie(&yard.admin.cookie);
    change.json(&json!({ "silence_limit_hours": 72 })).send().await.expect(200);
    assert_eq!(find_by_name(&get(&yard, "").await, "Cyd")["activity"], "idle");
    yard.app.post("/api/v1/people/1/archive").cookie(&yard.admin.cookie).send().await.expect(200);
    assert_eq!(names(&get(&yard, "?type=person").await), ["Bob", "Cyd", "Dan"]);
    let archived = get(&yard, "?activity=archived").await;
    assert_eq!((names(&archived), &archived["data"][0]["activity"]), (vec!["Ada"], &json!("archived")));
}

async fn lists_are_filtered_and_sorted(app: TestApp) {
    let yard = busy_yard(app).await;
    assert_eq!(names(&get(&yard, "?sort=-name&type=machine").await), ["Crane 3", "Crane 2", "Crane 1"]);
    let most = get(&yard, "?sort=-incursions").await;
    assert_eq!(names(&most), ["Ada", "Crane 1", "Crane 2", "Cyd", "Dan", "Bob", "Crane 3"]);
    let least = get(&yard, "?sort=incursions&type=person").await;
    assert_eq!(names(&least), ["Bob", "Cyd", "Dan", "Ada"]);
    let kiosk = yard.app.issue_token("Acme", DeviceKind::Tester, "Gate").await;
    for serial in ["T-2", "T-1"] {
        let body = json!({ "tag_serial": serial, "passed": true });
        yard.app.post("/api/v1/tester/tag_tests").bearer(&kiosk).json(&body).send().await.expect(201);
        yard.app.clock.advance(Span::minutes(1));
    }
    // Those who were never seen come last in both directions.
    assert_eq!(names(&get(&yard, "?sort=-last_seen&type=person").await)[..2], ["Ada", "Cyd"]);
    assert_eq!(names(&get(&yard, "?sort=last_seen&type=person").await)[..2], ["Cyd", "Ada"]);
}

async fn lists_are_paged_in_every_order(app: TestApp) {
    let yard = busy_yard(app).await;
    for sort in ["name", "-name", "incursions", "-incursions", "last_seen", "-last_seen"] {
        let whole = get(&yard, &format!("?sort={sort}")).await;
        let mut seen: Vec<String> = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = get(&yard, &format!("?sort={sort}&limit=3{cursor}")).await;
            seen.extend(names(&page).into_iter().map(str::to_owned));
            match page["page"]["next"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!(seen, names(&whole), "{sort}");
    }
    let page = get(&yard, "?limit=3").await;
    let next = page["page"]["next"].as_str().unwrap();
    send_get(&yard, &yard.admin, &format!("?limit=3&sort=-name&cursor={next}")).await.expect(400);
}

async fn a_site_has_its_machines_and_whoever_was_met_there(app: TestApp) {
    let yard = busy_yard(app).await;
    let move_there = json!({ "worksite_id": 2 });
    let change = yard.app.patch("/api/v1/machines/3").cookie(&yard.admin.cookie);
    change.json(&move_there).send().await.expect(200);
    yard.app.run_jobs().await;
    let list = get(&yard, "?worksite_id=2").await;
    assert_eq!(names(&list), ["Ada", "Crane 2", "Crane 3", "Cyd"]);
    assert_eq!(find_by_name(&list, "Crane 3")["worksite"], json!({ "id": 2, "name": "Site 2" }));
    assert_eq!(
        find_by_name(&list, "Ada")["summary"]["incursions"]["value"],
        1.0,
        "only what was there is counted"
    );
    assert_eq!(names(&get(&yard, "?project_id=1").await), ["Ada", "Crane 1", "Dan"]);
}

async fn one_is_told_in_full_with_all_its_links(app: TestApp) {
    let yard = busy_yard(app).await;
    let machine = get(&yard, "/machines/1").await;
    assert_eq!((&machine["name"], &machine["base_station"]["serial"]), (&json!("Crane 1"), &json!("BS-1")));
    let links = |page: &Value, which: &str| -> Vec<Value> {
        let all = page[which].as_array().unwrap();
        all.iter().map(|link| json!([link["kind"], link["label"], link["to"].is_null()])).collect()
    };
    assert_eq!(links(&machine, "current_links"), [json!(["base_station", "BS-1", true])]);
    assert_eq!(
        links(&machine, "link_history"),
        [json!(["base_station", "BS-1", true]), json!(["base_station", "BS-2", false])]
    );
    let metrics = &machine["summaries"][0]["metrics"];
    assert_eq!((&metrics["incursions"]["value"], &metrics["pedestrians"]["value"]), (&json!(2), &json!(1)));
    assert_eq!(metrics["incursions_per_runtime_hour"]["value"], 4.0);
    assert!(machine["seq"].as_i64().unwrap() > 0 && machine["time_zones"] == json!(["UTC"]), "{machine}");

    let person = get(&yard, "/people/1").await;
    let role = |role: &str| {
        let all = person["summaries"].as_array().unwrap();
        all.iter().find(|summary| summary["role"] == role).unwrap()["metrics"]["incursions"]["value"].clone()
    };
    assert_eq!((role("pedestrian"), role("operator")), (json!(2), json!(1)));
    assert_eq!(links(&person, "current_links"), [json!(["tag", "T-1", true])]);
    let before = get(&yard, "/people/2").await;
    assert_eq!(links(&before, "link_history"), [json!(["tag", "T-2", false])]);
    assert_eq!(before["current_links"], json!([]));
    for path in ["/people/99", "/machines/99", "/people/x", "/tags/1"] {
        send_get(&yard, &yard.admin, path).await.expect(404);
    }
    let other = yard.app.sign_in_new_user_in_brand("Other", "other@example.com", Role::Admin).await;
    send_get(&yard, &other, "/people/1").await.expect(404);
    send_get(&yard, &other, "/machines/1").await.expect(404);
    assert_eq!(send_get(&yard, &other, "").await.expect(200).json()["data"], json!([]));
}

async fn who_gave_a_tag_back_was_seen_while_they_wore_it(app: TestApp) {
    let yard = Yard::new(app).await;
    let kiosk = yard.app.issue_token("Acme", DeviceKind::Tester, "Gate").await;
    let test = async || {
        let body = json!({ "tag_serial": "T-1", "passed": true });
        yard.app.post("/api/v1/tester/tag_tests").bearer(&kiosk).json(&body).send().await.expect(201);
        let at = yard.app.clock.now();
        yard.app.clock.advance(Span::minutes(10));
        at
    };
    let by_ada = test().await;
    let body = json!({ "tag_id": 1, "person_id": 2, "replace": true });
    let pass_on = yard.app.post("/api/v1/tag_assignments").cookie(&yard.admin.cookie);
    pass_on.json(&body).send().await.expect(201);
    yard.app.clock.advance(Span::minutes(10));
    let by_bob = test().await;
    let list = get(&yard, "?type=person").await;
    assert_eq!(find_by_name(&list, "Ada")["last_seen_at"], by_ada.to_string());
    assert_eq!(find_by_name(&list, "Bob")["last_seen_at"], by_bob.to_string());
    assert_eq!(find_by_name(&list, "Cyd")["last_seen_at"], json!(null));
    yard.app.allow_leftover_jobs();
}

async fn a_restricted_user_counts_only_what_is_theirs(app: TestApp) {
    let yard = busy_yard(app).await;
    let move_there = json!({ "worksite_id": 2 });
    let change = yard.app.patch("/api/v1/machines/2").cookie(&yard.admin.cookie);
    change.json(&move_there).send().await.expect(200);
    yard.app.run_jobs().await;
    let user = yard.restricted("two@example.com", Role::Viewer, &[2]).await;
    let list = send_get(&yard, &user, "?sort=-incursions").await.expect(200).json();
    assert_eq!(list["data"].as_array().unwrap().len(), 5, "all people, and one machine: {list}");
    let ada = list["data"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["id"] == 1 && row["type"] == "person")
        .unwrap();
    assert_eq!(ada["summary"]["incursions"]["value"], 1.0);
    send_get(&yard, &user, "/machines/1").await.expect(404);
    let machine = send_get(&yard, &user, "/machines/2").await.expect(200).json();
    assert_eq!(machine["summaries"][0]["metrics"]["incursions"]["value"], 1.0);
    let person = send_get(&yard, &user, "/people/1").await.expect(200).json();
    assert_eq!(person["summaries"][0]["metrics"]["incursions"]["value"], 0.0);
}

async fn those_who_do_not_see_names_sort_and_search_by_labels(app: TestApp) {
    let yard = busy_yard(app).await;
    let hide = json!({ "viewers_see_names": false });
    let change = yard.app.patch("/api/v1/admin/brand").cookie(&yard.admin.cookie);
    change.json(&hide).send().await.expect(200);
    let viewer = yard.app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    let list = send_get(&yard, &viewer, "").await.expect(200).json();
    assert_eq!(names(&list)[3..], ["Person 1", "Person 2", "Person 3", "Person 4"]);
    assert_eq!(send_get(&yard, &viewer, "?q=ada").await.expect(200).json()["data"], json!([]));
    assert_eq!(send_get(&yard, &viewer, "/people/1").await.expect(200).json()["name"], "Person 1");
}

async fn bad_parameters_are_refused_by_name(app: TestApp) {
    let yard = Yard::new(app).await;
    for (query, name) in [
        ("?type=tag", "type"),
        ("?activity=busy", "activity"),
        ("?sort=speed", "sort"),
        ("?from=2026-03-02&to=2026-03-01", "to"),
        ("?from=2019-01-01", "from"),
        ("?worksite_id=x", "worksite_id"),
        ("?limit=0", "limit"),
        ("?cursor=x", "cursor"),
        ("?colour=red", "colour"),
        ("/people/1?q=x", "q"),
    ] {
        let refusal = send_get(&yard, &yard.admin, query).await.expect(400).json();
        assert_eq!(refusal["errors"][0]["field"], name, "{query}: {refusal}");
    }
}

async fn open_alarms_stand_beside_what_they_are_about(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let machines = json!({ "name": "Machines", "split_by": "machine", "severity": "critical" });
    let machines = world.rule(&machines).await;
    let people = world.rule(&json!({ "name": "People", "split_by": "person" })).await;
    world.incursions(1, 3).await;
    world.mails().await;
    let alarm = |id: i64, alert: i64, name: &str, severity: &str| {
        json!([{
            "id": id, "alert_id": alert, "name": name, "metric": "incursions", "severity": severity,
            "fired_at": "2026-03-01T12:00:30Z",
        }])
    };
    let of_digger = alarm(1, machines, "Machines", "critical");
    let list = world.get("/api/v1/entities").await;
    let alarms = |name: &str| {
        let found = find_by_name(&list, name);
        (found["open_alerts"].clone(), found["worksite_open_alerts"].clone())
    };
    // Both are about the yard.
    assert_eq!(alarms("Digger"), (of_digger.clone(), json!(2)));
    assert_eq!(alarms("Loader"), (json!([]), json!(2)));
    assert_eq!(alarms("Truck"), (json!([]), json!(0)));
    assert_eq!(alarms("Ada"), (alarm(2, people, "People", "warning"), Value::Null));
    assert_eq!(alarms("Bob"), (json!([]), Value::Null));
    let digger = world.get("/api/v1/entities/machines/1").await;
    assert_eq!((&digger["open_alerts"], &digger["worksite_open_alerts"]), (&of_digger, &json!(2)));
    assert_eq!(world.get("/api/v1/entities/people/1").await["open_alerts"][0]["alert_id"], people);
    // The worksite shows them where its machines and people are listed.
    let yard = world.get("/api/v1/worksites/1/assignments").await["open_alerts"].clone();
    assert_eq!(yard.as_array().unwrap().len(), 2);
    assert_eq!((&yard[0]["alert_id"], &yard[1]), (&json!(people), &of_digger[0]));
    assert_eq!(world.get("/api/v1/worksites/2/assignments").await["open_alerts"], json!([]));
    // Its base station shows them too.
    assert_eq!(world.get("/api/v1/base_stations/1").await["open_alerts"], of_digger);
    assert_eq!(world.get("/api/v1/base_stations").await["data"][0]["open_alerts"], of_digger);
    assert_eq!(world.get("/api/v1/base_stations/3").await["open_alerts"], json!([]));
    let page = world.app.get("/api/v2/base_stations/1").bearer(&world.admin.jwt).send().await;
    assert_eq!(page.expect(200).json()["open_alerts"], of_digger);
    // Who does not see all that went into an alarm does not see it.
    world.restrict(&world.viewer, Some(&[2])).await;
    let theirs = world.send(&world.viewer, Method::GET, "/api/v1/entities/people/1", None).await;
    assert_eq!(theirs.expect(200).json()["open_alerts"], json!([]));
    let theirs = world.send(&world.viewer, Method::GET, "/api/v1/worksites/2/assignments", None).await;
    assert_eq!(theirs.expect(200).json()["open_alerts"], json!([]));
    world.advance_minutes(61);
    world.mails().await;
    let list = world.get("/api/v1/entities?type=machine").await;
    for machine in list["data"].as_array().unwrap() {
        assert_eq!((&machine["open_alerts"], &machine["worksite_open_alerts"]), (&json!([]), &json!(0)));
    }
}
