//! GET /api/v1/incursions/{id}

use domain::{ChangeCause, PersonId, ProjectId, Role, Span, WorksiteId, Zone};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::Yard;

on_both_engines!(
    one_is_shown_with_what_it_was_before,
    each_change_moves_the_time_of_the_last_one,
    what_it_was_in_other_projects_is_not_shown,
    names_and_comments_are_for_those_who_see_names,
);

async fn one_is_shown_with_what_it_was_before(app: TestApp) {
    let yard = Yard::new(app).await;
    let mut row = yard.row(60, Some(1));
    row.ended_at = None;
    let (uid, started_at) = (row.uid.clone(), row.started_at);
    yard.facts.add_incursions(vec![row]).await;
    let mut kept = yard.facts.find_incursion(domain::BaseStationId(1), &uid).await;
    let reported = |row: &mut domain::IncursionRow| {
        row.zone = Zone::Danger;
        row.closest_cm = Some(90);
        row.ended_at = Some(started_at + Span::seconds(7));
    };
    yard.facts.change_incursion(&mut kept, ChangeCause::Report, reported).await;
    let corrected = |row: &mut domain::IncursionRow| row.attribution.pedestrian = Some(PersonId(2));
    yard.facts.change_incursion(&mut kept, ChangeCause::Attribution, corrected).await;
    let reply = yard.get(&yard.admin, "/1").await.expect(200);
    assert_eq!(reply.header("etag"), "\"3\"");
    let shown = reply.json();
    let list = yard.get(&yard.admin, "").await.expect(200).json();
    for (name, value) in list["data"][0].as_object().unwrap() {
        assert_eq!(&shown[name], value, "{name}");
    }
    assert_eq!((&shown["duration_ms"], &shown["pedestrian"]["name"]), (&json!(7_000), &json!("Bob")));
    assert_eq!(shown["reviews"], json!([]));
    let was = json!({
        "seq": 1, "ended_at": null, "closed_without_end": false, "acknowledged_at": null, "zone": "warning",
        "closest_cm": null, "machine_id": 1, "pedestrian_id": 1, "operator_id": null, "worksite_id": 1, "project_id": 1,
        "local_day": "2026-03-01", "review": "unreviewed",
    });
    assert_eq!(
        shown["changes"][0],
        json!({ "seq": 2, "at": "2026-03-01T12:00:37Z", "cause": "report", "replaced": was })
    );
    assert_eq!(shown["changes"][1]["cause"], "attribution");
    assert_eq!(shown["changes"][1]["replaced"]["zone"], "danger");
    assert_eq!(shown["changes"].as_array().unwrap().len(), 2);
}

async fn each_change_moves_the_time_of_the_last_one(app: TestApp) {
    let yard = Yard::new(app).await;
    let id = yard.facts.add_incursions(vec![yard.row(60, Some(1)), yard.row(61, Some(1))]).await[0];
    let times = async |path: &str| {
        let shown = yard.get(&yard.admin, path).await.expect(200).json();
        let shown = if shown["data"].is_array() {
            let rows = shown["data"].as_array().unwrap();
            rows.iter().find(|row| row["id"] == id.0).unwrap().clone()
        } else {
            shown
        };
        (shown["created_at"].clone(), shown["updated_at"].clone())
    };
    let received_at = json!("2026-03-01T12:00:37Z");
    assert_eq!(times("/1").await, (received_at.clone(), received_at.clone()));
    for state in ["confirmed", "dismissed"] {
        yard.app.clock.advance(Span::minutes(5));
        yard.review(&yard.admin, id, &json!({ "state": state })).await.expect(200);
    }
    for path in ["/1", "?review=dismissed", "?review=dismissed&sort=ack_ms", "?after_seq=0"] {
        assert_eq!(times(path).await, (received_at.clone(), json!("2026-03-01T12:10:37Z")), "{path}");
    }
    // The other one has not changed.
    let other = yard.get(&yard.admin, "/2").await.expect(200).json();
    assert_eq!(other["updated_at"], received_at);
}

async fn what_it_was_in_other_projects_is_not_shown(app: TestApp) {
    let yard = Yard::new(app).await;
    let row = yard.row(60, Some(2));
    let uid = row.uid.clone();
    yard.facts.add_incursions(vec![row]).await;
    let mut kept = yard.facts.find_incursion(domain::BaseStationId(1), &uid).await;
    let moved = |row: &mut domain::IncursionRow| {
        row.attribution.project = Some(ProjectId(1));
        row.attribution.worksite = Some(WorksiteId(1));
    };
    yard.facts.change_incursion(&mut kept, ChangeCause::Attribution, moved).await;
    yard.facts.change_incursion(&mut kept, ChangeCause::Report, |row| row.zone = Zone::Danger).await;
    let some = yard.restricted("some@example.com", Role::Viewer, &[1]).await;
    let changes = yard.get(&some, "/1").await.expect(200).json()["changes"].clone();
    assert_eq!(
        changes[0],
        json!({ "seq": 2, "at": "2026-03-01T12:00:37Z", "cause": "attribution", "replaced": null })
    );
    assert_eq!(changes[1]["replaced"]["project_id"], 1);
    let all = yard.get(&yard.admin, "/1").await.expect(200).json()["changes"].clone();
    assert_eq!(all[0]["replaced"]["project_id"], 2);
}

async fn names_and_comments_are_for_those_who_see_names(app: TestApp) {
    let yard = Yard::new(app).await;
    let mut row = yard.row(60, Some(1));
    row.attribution.operator = Some(PersonId(4));
    let id = yard.facts.add_incursions(vec![row]).await[0];
    let body = json!({ "state": "confirmed", "comment": "Ada was on the phone" });
    yard.review(&yard.admin, id, &body).await.expect(200);
    let viewer = yard.app.sign_in_new_user("v@example.com", Role::Viewer).await;
    for rest in ["", "/1", "?after_seq=0"] {
        let reply = yard.get(&viewer, rest).await.expect(200);
        let text = String::from_utf8(reply.body).unwrap();
        for secret in ["Ada", "Dan", "phone", "admin"] {
            assert!(!text.contains(secret), "{rest} tells {secret}: {text}");
        }
        for label in ["Person 1", "Person 4"] {
            assert!(text.contains(label), "{rest} lacks {label}: {text}");
        }
    }
}
