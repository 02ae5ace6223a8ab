//! GET /api/v1/base_stations/{id}/installations

use domain::{EmailAddress, ProjectId, Role, Span};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::{create_machines, create_two_projects, get, install, register_stations};

on_both_engines!(the_machines_it_was_on_are_listed_the_newest_first, machines_out_of_sight_are_left_out);

async fn the_machines_it_was_on_are_listed_the_newest_first(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    create_machines(&app, &admin, &["M1", "M2", "M3"]).await;
    register_stations(&app, &admin, &["BS-1", "BS-2"]).await;
    for machine in [1, 2, 3, 1, 2] {
        install(&app, &admin, 1, &json!({ "machine_id": machine })).await.expect(200);
        app.clock.advance(Span::minutes(1));
    }
    install(&app, &admin, 1, &json!({ "machine_id": null })).await.expect(200);
    let (mut rows, mut query) = (Vec::new(), "?limit=2&include_total=true".to_owned());
    loop {
        let body = get(&app, &admin, &format!("/1/installations{query}")).await.expect(200).json();
        assert_eq!(body["page"]["total"], 5);
        rows.extend(body["data"].as_array().unwrap().clone());
        match body["page"]["next"].as_str() {
            Some(next) => query = format!("?limit=2&include_total=true&cursor={next}"),
            None => break,
        }
    }
    let names: Vec<&str> = rows.iter().map(|row| row["machine"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["M2", "M1", "M3", "M2", "M1"]);
    assert_eq!(
        rows[0],
        json!({
            "id": 5, "machine": { "id": 2, "name": "M2" },
            "from": "2026-03-01T12:04:30Z", "to": "2026-03-01T12:05:30Z",
            "created_at": "2026-03-01T12:04:30Z", "updated_at": "2026-03-01T12:05:30Z",
        })
    );
    assert!(rows.windows(2).all(|pair| pair[1]["to"] == pair[0]["from"]));
    let none = get(&app, &admin, "/2/installations").await.expect(200).json();
    assert_eq!(none["data"], json!([]));
    get(&app, &admin, "/1/installations?cursor=x").await.expect(400);
    get(&app, &admin, "/1/installations?open=true").await.expect(400);
}

async fn machines_out_of_sight_are_left_out(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Viewer).await;
    create_two_projects(&app, &admin).await;
    register_stations(&app, &admin, &["BS-1"]).await;
    for machine in [1, 2] {
        install(&app, &admin, 1, &json!({ "machine_id": machine })).await.expect(200);
        app.clock.advance(Span::minutes(1));
    }
    app.app.restrict_user(&EmailAddress::parse(&bob.email).unwrap(), Some(&[ProjectId(2)])).await.unwrap();
    let body = get(&app, &bob, "/1/installations?include_total=true").await.expect(200).json();
    assert_eq!((&body["page"]["total"], &body["data"][0]["machine"]["name"]), (&json!(1), &json!("Crane 2")));
}
