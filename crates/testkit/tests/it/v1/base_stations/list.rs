//! GET /api/v1/base_stations

use domain::{Role, Span, Timestamp};
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{create_machines, get, install, post, record_contact, register_stations};

on_both_engines!(
    stations_are_listed_by_serial_page_by_page,
    they_are_found_by_serial_name_machine_and_whether_installed,
    the_filter_on_status_agrees_with_what_each_one_says,
    what_cannot_be_asked_is_refused,
);

async fn serials(app: &TestApp, user: &Account, query: &str) -> Vec<String> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let body = get(app, user, &format!("?limit=2&{query}{cursor}")).await.expect(200).json();
        let rows = body["data"].as_array().unwrap();
        found.extend(rows.iter().map(|row| row["serial"].as_str().unwrap().to_owned()));
        match body["page"]["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return found,
        }
    }
}

async fn stations_are_listed_by_serial_page_by_page(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    register_stations(&app, &admin, &["B-2", "a-9", "b-1", "A-1", "C"]).await;
    assert_eq!(serials(&app, &admin, "").await, ["A-1", "a-9", "b-1", "B-2", "C"]);
    let body = get(&app, &admin, "?include_total=true&limit=1").await.expect(200).json();
    assert_eq!(body["page"]["total"], 5);
    // Each station with its own zones.
    let zones = json!([{ "antenna": "mast", "warning_m": 4, "danger_m": 2 }]);
    post(&app, &admin, &json!({ "serial": "D", "zones": zones })).await.expect(201);
    let body = get(&app, &admin, "").await.expect(200).json();
    let counts: Vec<usize> =
        body["data"].as_array().unwrap().iter().map(|row| row["zones"].as_array().unwrap().len()).collect();
    assert_eq!(counts, [0, 0, 0, 0, 0, 1]);
}

async fn they_are_found_by_serial_name_machine_and_whether_installed(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    create_machines(&app, &admin, &["Crane", "Loader"]).await;
    post(&app, &admin, &json!({ "serial": "BS-1", "name": "Portão %1" })).await.expect(201);
    register_stations(&app, &admin, &["BS-2", "XX-2"]).await;
    install(&app, &admin, 2, &json!({ "machine_id": 2 })).await.expect(200);
    for (query, expected) in [
        ("q=bs", vec!["BS-1", "BS-2"]),
        ("q=PORTAO", vec!["BS-1"]),
        ("q=%251", vec!["BS-1"]),
        ("q=_", vec![]),
        ("machine_id=2", vec!["BS-2"]),
        ("machine_id=1", vec![]),
        ("installed=true", vec!["BS-2"]),
        ("installed=false", vec!["BS-1", "XX-2"]),
        ("installed=false&q=2", vec!["XX-2"]),
    ] {
        assert_eq!(serials(&app, &admin, query).await, expected, "{query}");
    }
}

async fn the_filter_on_status_agrees_with_what_each_one_says(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    register_stations(&app, &admin, &["S0", "S1", "S2", "S3", "S4", "S5"]).await;
    let day_ago = app.clock.now() - Span::minutes(24 * 60);
    record_contact(&app, 2, app.clock.now(), None, None).await;
    record_contact(&app, 3, day_ago, Some("1.0"), Some(&[])).await;
    record_contact(&app, 4, Timestamp::from_micros(day_ago.micros() + 1), None, None).await;
    record_contact(&app, 5, app.clock.now(), None, Some(&["camera_dark"])).await;
    record_contact(&app, 6, day_ago, None, Some(&["camera_dark"])).await;
    for limit in ["24", "1", "48"] {
        let set = format!("update brands set silence_limit_hours = {limit} where id = 1");
        testkit::execute_raw_sql(app.database(), &set).await.unwrap();
        let mut seen = 0;
        for status in ["never_seen", "faulty", "silent", "online"] {
            let query = format!("?status={status}&include_total=true");
            let body = get(&app, &admin, &query).await.expect(200).json();
            let rows = body["data"].as_array().unwrap();
            assert!(rows.iter().all(|row| row["status"] == status), "{limit} h, {status}");
            assert_eq!(body["page"]["total"], json!(rows.len()));
            seen += rows.len();
        }
        // Each station has exactly one status.
        assert_eq!(seen, 6, "{limit} h");
    }
    testkit::execute_raw_sql(app.database(), "update brands set silence_limit_hours = 24").await.unwrap();
    let list = get(&app, &admin, "").await.expect(200).json();
    let statuses: Vec<&Value> = list["data"].as_array().unwrap().iter().map(|row| &row["status"]).collect();
    assert_eq!(statuses, ["never_seen", "online", "silent", "online", "faulty", "faulty"]);
}

async fn what_cannot_be_asked_is_refused(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    for query in
        ["status=well", "status=", "machine_id=x", "installed=1", "q=", "limit=0", "sort=name", "cursor=x"]
    {
        get(&app, &admin, &format!("?{query}")).await.expect(400);
    }
}
