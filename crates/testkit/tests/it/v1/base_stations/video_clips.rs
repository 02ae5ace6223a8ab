//! /api/v1/base_stations/{id}/video_clips

use domain::{EmailAddress, ProjectId, Role};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{create_two_projects, field_errors, get, install, register_stations};
use crate::video::{get_clip, post_clip_request, register_station, request_clip};

on_both_engines!(
    a_clip_is_asked_for_by_time_and_camera,
    a_clip_is_asked_for_by_incursion,
    what_cannot_be_asked_for_is_refused,
    a_repeat_asks_for_nothing_twice,
    a_clip_belongs_to_the_project_of_its_time,
    asking_is_written_down,
);

/// Adds an incursion of a station, between these seconds after 11:30.
async fn add_incursion(app: &TestApp, station: i64, started: i64, ended: Option<i64>, project: Option<i64>) {
    let at = |seconds: i64| (1_772_364_600 + seconds) * 1_000_000;
    let ended = ended.map_or("null".to_owned(), |ended| at(ended).to_string());
    let project = project.map_or("null".to_owned(), |id| id.to_string());
    let insert = format!(
        "insert into incursions (brand_id, seq, base_station_id, uid, tag_id, started_at, ended_at, zone, project_id,
             local_day, local_minute, review, received_at)
         values (1, {seq}, {station}, 'u{seq}', 1, {started}, {ended}, 1, {project}, 1, 1, 0, 1)",
        seq = started + 1_000_000,
        started = at(started),
    );
    testkit::execute_raw_sql(app.database(), &insert).await.unwrap();
}

async fn a_clip_is_asked_for_by_time_and_camera(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let id = register_station(&app, &admin, "BS-1").await;
    let body = json!({ "camera": "rear", "from": "2026-03-01T11:00:00Z", "to": "2026-03-01T12:01:00+01:00" });
    let made = post_clip_request(&app, &admin, id, &body).await.expect(201);
    assert_eq!(made.header("location"), "/api/v1/video_clips/1");
    let made = made.json();
    assert_eq!(made, get_clip(&app, &admin, 1).await);
    for (field, value) in [
        ("camera", json!("rear")),
        ("from", json!("2026-03-01T11:00:00Z")),
        ("to", json!("2026-03-01T11:01:00Z")),
        ("state", json!("requested")),
        ("base_station", json!({ "id": id, "serial": "BS-1" })),
        ("requested_by", json!({ "type": "user", "id": 1, "name": "ada" })),
        ("expires_at", json!("2026-03-08T12:00:30Z")),
        ("content", Value::Null),
        ("incursion_id", Value::Null),
    ] {
        assert_eq!(made[field], value, "{field}");
    }
    // The default is the first camera.
    assert_eq!(get_clip(&app, &admin, request_clip(&app, &admin, id).await).await["camera"], "front");
    let list = get(&app, &admin, &format!("/{id}/video_clips?include_total=true")).await.expect(200).json();
    assert_eq!((&list["page"]["total"], &list["data"][1]["id"]), (&json!(2), &json!(1)));
}

async fn a_clip_is_asked_for_by_incursion(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let id = register_station(&app, &admin, "BS-1").await;
    add_incursion(&app, id, 0, Some(20), None).await;
    add_incursion(&app, id, 100, Some(200), None).await;
    add_incursion(&app, id, 300, None, None).await;
    for (number, from, to) in [
        (1, "2026-03-01T11:29:50Z", "2026-03-01T11:30:30Z"),
        (2, "2026-03-01T11:31:30Z", "2026-03-01T11:32:30Z"),
        (3, "2026-03-01T11:34:50Z", "2026-03-01T11:35:50Z"),
    ] {
        let made =
            post_clip_request(&app, &admin, id, &json!({ "incursion_id": number })).await.expect(201).json();
        assert_eq!((&made["from"], &made["to"]), (&json!(from), &json!(to)));
        assert_eq!(made["incursion_id"], number);
    }
    let found = app.get("/api/v1/video_clips?incursion_id=2").cookie(&admin.cookie).send().await;
    assert_eq!(found.expect(200).json()["data"].as_array().unwrap().len(), 1);
    // The incursion of another station.
    let other = register_station(&app, &admin, "BS-2").await;
    let refused =
        post_clip_request(&app, &admin, other, &json!({ "incursion_id": 1 })).await.expect(422).json();
    assert_eq!(field_errors(&refused), ["incursion_id: unknown_incursion"]);
}

async fn what_cannot_be_asked_for_is_refused(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let id = register_station(&app, &admin, "BS-1").await;
    let (from, to) = ("2026-03-01T11:00:00Z", "2026-03-01T11:00:30Z");
    for (body, expected) in [
        (json!({}), vec!["from: required", "to: required"]),
        (json!({ "from": from }), vec!["to: required"]),
        (json!({ "to": to }), vec!["from: required"]),
        (json!({ "from": from, "to": from }), vec!["to: out_of_range"]),
        (json!({ "from": from, "to": "2026-03-01T11:01:00.1Z" }), vec!["to: out_of_range"]),
        (json!({ "from": "2026-03-01T12:00:00Z", "to": "2026-03-01T12:00:31Z" }), vec!["to: bad_time"]),
        (json!({ "from": "2026-02-22T12:00:00Z", "to": "2026-02-22T12:00:31Z" }), vec!["from: bad_time"]),
        (json!({ "from": from, "to": to, "camera": "left" }), vec!["camera: unknown_camera"]),
        (json!({ "from": from, "to": to, "incursion_id": 1 }), vec!["incursion_id: ambiguous"]),
        (json!({ "incursion_id": 1 }), vec!["incursion_id: unknown_incursion"]),
        (
            json!({ "from": 1, "to": "soon", "camera": "" }),
            vec!["camera: required", "from: wrong_type", "to: invalid_time"],
        ),
    ] {
        let refused = post_clip_request(&app, &admin, id, &body).await.expect(422).json();
        assert_eq!(field_errors(&refused), expected, "{body}");
    }
    register_stations(&app, &admin, &["BLIND"]).await;
    let refused =
        post_clip_request(&app, &admin, id + 1, &json!({ "from": from, "to": to })).await.expect(422).json();
    assert_eq!(field_errors(&refused), ["camera: unknown_camera"]);
}

async fn a_repeat_asks_for_nothing_twice(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let id = register_station(&app, &admin, "BS-1").await;
    let body = json!({ "from": "2026-03-01T11:00:00Z", "to": "2026-03-01T11:00:30Z" });
    let path = format!("/api/v1/base_stations/{id}/video_clips");
    let call = || app.post(&path).cookie(&admin.cookie).header("idempotency-key", "k").json(&body);
    assert_eq!(call().send().await.expect(201).json(), call().send().await.expect(201).json());
    let list = app.get("/api/v1/video_clips").cookie(&admin.cookie).send().await.expect(200).json();
    assert_eq!(list["data"].as_array().unwrap().len(), 1);
}

async fn a_clip_belongs_to_the_project_of_its_time(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    create_two_projects(&app, &admin).await;
    let id = register_station(&app, &admin, "BS-1").await;
    let body = |from: &str, to: &str| json!({ "from": from, "to": to });
    // On the machine of project 1 until 11:30, then on that of project 2; the machines' assignments cover the whole time.
    testkit::execute_raw_sql(app.database(), "update machine_assignments set from_at = 1").await.unwrap();
    let half_past = "2026-03-01T11:30:00Z";
    let moved = json!({ "machine_id": 1, "effective_from": "2026-03-01T10:00:00Z" });
    install(&app, &admin, id, &moved).await.expect(200);
    install(&app, &admin, id, &json!({ "machine_id": 2, "effective_from": half_past })).await.expect(200);
    let before =
        post_clip_request(&app, &admin, id, &body("2026-03-01T11:00:00Z", "2026-03-01T11:00:30Z")).await;
    let after = post_clip_request(&app, &admin, id, &body(half_past, "2026-03-01T11:30:30Z")).await;
    let long_ago =
        post_clip_request(&app, &admin, id, &body("2026-03-01T09:00:00Z", "2026-03-01T09:00:30Z")).await;
    let project = |reply: &testkit::Reply| reply.json()["project_id"].clone();
    assert_eq!(project(&before.expect(201)), 1);
    assert_eq!(project(&after.expect(201)), 2);
    assert_eq!(project(&long_ago.expect(201)), Value::Null);
    add_incursion(&app, id, 60, Some(70), Some(1)).await;

    for (project, sees) in [(1, vec![1]), (2, vec![2])] {
        let email = format!("m{project}@example.com");
        let member = app.sign_in_new_user(&email, Role::Member).await;
        app.app
            .restrict_user(&EmailAddress::parse(&email).unwrap(), Some(&[ProjectId(project)]))
            .await
            .unwrap();
        let list = app.get("/api/v1/video_clips").cookie(&member.cookie).send().await.expect(200).json();
        let ids: Vec<i64> =
            list["data"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect();
        assert_eq!(ids, sees);
        for clip in 1..=3 {
            let status = if sees.contains(&clip) { [200, 409] } else { [404, 404] };
            let path = format!("/api/v1/video_clips/{clip}");
            app.get(&path).cookie(&member.cookie).send().await.expect(status[0]);
            app.get(&format!("{path}/content")).cookie(&member.cookie).send().await.expect(status[1]);
        }
        // The station is on the machine of project 2 now.
        let asked =
            post_clip_request(&app, &member, id, &body("2026-03-01T11:00:00Z", "2026-03-01T11:00:30Z")).await;
        if project == 1 {
            get(&app, &member, &format!("/{id}/video_clips")).await.expect(404);
            asked.expect(404);
            continue;
        }
        assert_eq!(field_errors(&asked.expect(422).json()), ["from: not_yours_then"]);
        let refused =
            post_clip_request(&app, &member, id, &json!({ "incursion_id": 1 })).await.expect(422).json();
        assert_eq!(field_errors(&refused), ["incursion_id: unknown_incursion"]);
        post_clip_request(&app, &member, id, &body(half_past, "2026-03-01T11:30:30Z")).await.expect(201);
        let list = get(&app, &member, &format!("/{id}/video_clips")).await.expect(200).json();
        assert_eq!(list["data"].as_array().unwrap().len(), 2);
    }
}

async fn asking_is_written_down(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let id = register_station(&app, &admin, "BS-1").await;
    request_clip(&app, &admin, id).await;
    app.app.seal_audit_log().await.unwrap();
    let (store, platform) = app.database().open().await;
    let rows = store.read().await.unwrap().audits(&platform).sealed_rows(1, 0, 500).await.unwrap();
    let row = rows.into_iter().find(|row| row.target_kind == "video_clip").unwrap();
    let details: Value = serde_json::from_str(&row.details).unwrap();
    assert_eq!((row.action.as_str(), &details["camera"]), ("video_clip.requested", &json!("front")));
}
