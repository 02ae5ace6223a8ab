//! GET /api/v1/worksites?contains=lon,lat, and the index behind it

use domain::{Role, Timestamp, WorksiteId};
use geography::Position;
use serde_json::{Value, json};
use store::Projects;
use testkit::{Account, TestApp, on_both_engines};

use super::{create_project, get, new_site, patch, post, restrict, square};

on_both_engines!(
    a_position_is_in_every_site_around_it,
    another_process_sees_a_boundary_at_the_next_request,
    twenty_who_ask_at_once_get_the_same,
    the_site_of_a_time_is_the_one_that_was_there_then,
    positions_off_the_globe_are_refused,
    a_cursor_belongs_to_its_position,
);

async fn list_containing(app: &TestApp, user: &Account, at: &str) -> Vec<Value> {
    let body = get(app, user, &format!("?contains={at}")).await.expect(200).json();
    body["data"].as_array().unwrap().iter().map(|site| site["name"].clone()).collect()
}

async fn a_position_is_in_every_site_around_it(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let eve = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Member).await;
    create_project(&app, &ada, "North").await;
    assert_eq!(list_containing(&app, &ada, "13.005,52.005").await, [""; 0]);
    let circle = json!({ "type": "Circle", "center": [13.005, 52.005], "radius_m": 100 });
    for (name, boundary, of) in [
        ("Large", square(13.0, 52.0, 0.1), None),
        ("Round", circle, Some(1)),
        ("Small", square(13.0, 52.0, 0.01), None),
        ("Nowhere", Value::Null, None),
    ] {
        let more = json!({ "boundary": boundary, "project_id": of });
        post(&app, &ada, &new_site(name, &more)).await.expect(201);
    }
    assert_eq!(list_containing(&app, &ada, "13.005,52.005").await, ["Large", "Round", "Small"]);
    assert_eq!(list_containing(&app, &ada, "13.01,52.01").await, ["Large", "Small"], "the edge is inside");
    assert_eq!(list_containing(&app, &ada, "13.05,52.05").await, ["Large"]);
    assert_eq!(list_containing(&app, &ada, "12.9,52.05").await, [""; 0]);
    assert_eq!(list_containing(&app, &eve, "13.005,52.005").await, [""; 0]);
    restrict(&app, &ada, &[1]).await;
    assert_eq!(list_containing(&app, &ada, "13.005,52.005").await, ["Round"]);
}

async fn another_process_sees_a_boundary_at_the_next_request(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let other = app.second_instance().await;
    let new = new_site("East", &json!({ "boundary": square(13.0, 52.0, 0.01) }));
    post(&app, &ada, &new).await.expect(201);
    for place in [&app, &other] {
        assert_eq!(list_containing(place, &ada, "13.005,52.005").await, ["East"]);
    }
    patch(&app, &ada, 1, &json!({ "boundary": square(14.0, 52.0, 0.01) })).await.expect(200);
    for place in [&other, &app] {
        assert_eq!(list_containing(place, &ada, "13.005,52.005").await, [""; 0]);
        assert_eq!(list_containing(place, &ada, "14.005,52.005").await, ["East"]);
    }
    // Archived worksites are not in the index; restored ones are again.
    patch(&other, &ada, 1, &json!({ "archived": true })).await.expect(200);
    assert_eq!(list_containing(&app, &ada, "14.005,52.005").await, [""; 0]);
    assert_eq!(list_containing(&app, &ada, "14.005,52.005&archived=true").await, [""; 0]);
    patch(&other, &ada, 1, &json!({ "archived": false })).await.expect(200);
    assert_eq!(list_containing(&app, &ada, "14.005,52.005").await, ["East"]);
    other.delete("/api/v1/worksites/1").cookie(&ada.cookie).send().await.expect(200);
    for place in [&app, &other] {
        assert_eq!(list_containing(place, &ada, "14.005,52.005").await, [""; 0]);
    }
}

async fn twenty_who_ask_at_once_get_the_same(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    for n in 0..10 {
        let more = json!({ "boundary": square(13.0, 52.0, 0.01 + f64::from(n) / 1e3) });
        post(&app, &ada, &new_site(&format!("Site {n}"), &more)).await.expect(201);
    }
    let mut work = tokio::task::JoinSet::new();
    for n in 0..20 {
        let path = "/api/v1/worksites?contains=13.005,52.005";
        work.spawn(app.get(path).cookie(&ada.cookie).send());
        if n % 4 == 0 {
            let body = json!({ "name": format!("Site {n}") });
            work.spawn(app.patch("/api/v1/worksites/1").cookie(&ada.cookie).json(&body).send());
        }
    }
    for reply in work.join_all().await {
        let body = reply.expect(200).json();
        assert!(body["data"].as_array().is_none_or(|rows| rows.len() == 10), "{body}");
    }
}

async fn the_site_of_a_time_is_the_one_that_was_there_then(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let more = json!({ "boundary": square(13.0, 52.0, 0.1), "effective_from": "2026-01-01T00:00:00Z" });
    post(&app, &ada, &new_site("Large", &more)).await.expect(201);
    let more = json!({ "boundary": square(13.0, 52.0, 0.01), "effective_from": "2026-02-01T00:00:00Z" });
    post(&app, &ada, &new_site("Small", &more)).await.expect(201);
    let moved = json!({ "boundary": square(14.0, 52.0, 0.01), "effective_from": "2026-02-15T00:00:00Z" });
    patch(&app, &ada, 2, &moved).await.expect(200);
    let (_, platform) = app.database().open().await;
    let scope = platform.scope(app.ensure_brand("Acme").await.id, Projects::All);
    let here = Position::new(13.005, 52.005).unwrap();
    for (at, site) in [
        ("2025-12-31T23:59:59Z", None),
        ("2026-01-01T00:00:00Z", Some(1)),
        ("2026-01-31T23:59:59.999999Z", Some(1)),
        ("2026-02-01T00:00:00Z", Some(2)),
        ("2026-02-14T23:59:59Z", Some(2)),
        ("2026-02-15T00:00:00Z", Some(1)),
        ("2026-03-01T00:00:00Z", Some(1)),
    ] {
        let found = app.app.find_site_at(&scope, here, Timestamp::parse(at).unwrap()).await.unwrap();
        assert_eq!(found, site.map(WorksiteId), "{at}");
    }
}

async fn positions_off_the_globe_are_refused(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    for bad in ["", "13", "181,0", "0,91", "nan,0", "inf,0", "a,b", "1,2,3", "1;2"] {
        let reply = get(&app, &ada, &format!("?contains={bad}")).await.expect(400);
        assert_eq!(
            (reply.code(), &reply.json()["errors"][0]["field"]),
            ("out_of_range".to_owned(), &json!("contains"))
        );
    }
    for good in ["-180,-90", "180,90", "0,0"] {
        get(&app, &ada, &format!("?contains={good}")).await.expect(200);
    }
}

async fn a_cursor_belongs_to_its_position(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    for name in ["A", "B", "C"] {
        let more = json!({ "boundary": square(13.0, 52.0, 0.1) });
        post(&app, &ada, &new_site(name, &more)).await.expect(201);
    }
    let first = get(&app, &ada, "?contains=13.05,52.05&limit=2").await.expect(200).json();
    let next = first["page"]["next"].as_str().unwrap();
    let rest =
        get(&app, &ada, &format!("?contains=13.05,52.05&limit=2&cursor={next}")).await.expect(200).json();
    assert_eq!(rest["data"][0]["name"], "C");
    get(&app, &ada, &format!("?contains=13.06,52.05&limit=2&cursor={next}")).await.expect(400);
    get(&app, &ada, &format!("?limit=2&cursor={next}")).await.expect(400);
}
