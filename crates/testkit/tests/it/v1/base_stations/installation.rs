//! PUT /api/v1/base_stations/{id}/installation

use domain::{BaseStationId, EmailAddress, ProjectId, Random, Role, Span, StationInstallation, Timestamp};
use http::Method;
use serde_json::{Value, json};
use store::Projects;
use testkit::{Account, TestApp, on_both_engines};

use super::{
    PATH, audit_rows, create_machines, create_two_projects, field_errors, get, install, register_stations,
};

on_both_engines!(
    a_station_moves_and_what_was_so_ends_on_both_sides,
    doing_it_twice_is_fine,
    what_began_later_is_in_the_way_unless_it_is_replaced,
    a_beginning_can_be_told_to_have_been_earlier,
    what_cannot_be_is_refused_by_name,
    members_move_stations_and_the_restricted_among_what_they_see,
    a_stale_move_is_refused,
    fifty_at_once_never_overlap,
);

async fn set_up(app: &TestApp) -> Account {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    create_machines(app, &admin, &["M1", "M2", "M3"]).await;
    register_stations(app, &admin, &["BS-1", "BS-2", "BS-3"]).await;
    admin
}

/// Returns the table rows of all stations up to an id.
async fn rows(app: &TestApp, max_id: i64) -> Vec<StationInstallation> {
    let (store, platform) = app.database().open().await;
    let scope = platform.scope(domain::BrandId(1), Projects::All);
    let mut tx = store.read().await.unwrap();
    let mut found = Vec::new();
    for id in 1..=max_id {
        let start = Timestamp::from_micros(i64::MIN);
        found.extend(tx.station_installations(&scope).since(BaseStationId(id), None, start).await.unwrap());
    }
    found
}

/// Returns the history as `station on machine from..to`, by station and time.
async fn history(app: &TestApp) -> Vec<String> {
    let minute = |at: Timestamp| at.to_string()[11..16].to_owned();
    rows(app, 3)
        .await
        .iter()
        .map(|row| {
            let to = row.to.map(minute).unwrap_or_default();
            format!("{} on {} {}..{to}", row.serial, row.machine_name, minute(row.from))
        })
        .collect()
}

async fn install_at(app: &TestApp, admin: &Account, station: i64, machine: Option<i64>, minute: &str) {
    let body = json!({ "machine_id": machine, "effective_from": format!("2026-03-01T{minute}:00Z") });
    install(app, admin, station, &body).await.expect(200);
}

async fn a_station_moves_and_what_was_so_ends_on_both_sides(app: TestApp) {
    let admin = set_up(&app).await;
    let body = install(&app, &admin, 1, &json!({ "machine_id": 1 })).await.expect(200).json();
    assert_eq!(body["machine"], json!({ "id": 1, "name": "M1" }));
    assert_eq!(body["installed_since"], "2026-03-01T12:00:30Z");
    install(&app, &admin, 2, &json!({ "machine_id": 2 })).await.expect(200);
    app.clock.advance(Span::minutes(10));
    // BS-1 leaves M1, and BS-2 has to leave M2.
    let reply = install(&app, &admin, 1, &json!({ "machine_id": 2 })).await.expect(200);
    assert_eq!((&reply.json()["machine"]["name"], reply.header("etag")), (&json!("M2"), "\"3\""));
    assert_eq!(
        history(&app).await,
        ["BS-1 on M1 12:00..12:10", "BS-1 on M2 12:10..", "BS-2 on M2 12:00..12:10"]
    );
    let other = get(&app, &admin, "/2").await.expect(200);
    assert_eq!((&other.json()["machine"], other.header("etag")), (&json!(null), "\"3\""));
    // The machines show the change too, and their versions have changed.
    for (machine, station, tag) in
        [(1, json!(null), "\"3\""), (2, json!({ "id": 1, "serial": "BS-1" }), "\"3\"")]
    {
        let path = format!("/api/v1/machines/{machine}");
        let reply = app.get(&path).cookie(&admin.cookie).send().await.expect(200);
        assert_eq!((&reply.json()["base_station"], reply.header("etag")), (&station, tag));
    }
    app.clock.advance(Span::minutes(10));
    let off = install(&app, &admin, 1, &json!({ "machine_id": null })).await.expect(200).json();
    assert_eq!((&off["machine"], &off["installed_since"]), (&json!(null), &json!(null)));
    assert_eq!(history(&app).await[1], "BS-1 on M2 12:10..12:20");
    let acts: Vec<String> = audit_rows(&app).await.into_iter().map(|act| act.0).collect();
    assert_eq!(acts.iter().filter(|act| *act == "base_station.installed").count(), 3);
    assert_eq!(acts.last().map(String::as_str), Some("base_station.taken_off"));
}

async fn doing_it_twice_is_fine(app: TestApp) {
    let admin = set_up(&app).await;
    let none = json!({ "machine_id": null });
    assert_eq!(install(&app, &admin, 1, &none).await.expect(200).header("etag"), "\"1\"");
    let first = install(&app, &admin, 1, &json!({ "machine_id": 1 })).await.expect(200);
    app.clock.advance(Span::minutes(10));
    for body in [
        json!({ "machine_id": 1 }),
        json!({ "machine_id": 1, "effective_from": "2026-03-01T12:05:00Z" }),
        json!({ "machine_id": 1, "replace": true }),
    ] {
        let again = install(&app, &admin, 1, &body).await.expect(200);
        assert_eq!((again.json(), again.header("etag")), (first.json(), first.header("etag")));
    }
    install(&app, &admin, 1, &none).await.expect(200);
    let ended = history(&app).await;
    install(&app, &admin, 1, &none).await.expect(200);
    assert_eq!(history(&app).await, ended);
    let acts = audit_rows(&app).await;
    assert_eq!(acts.iter().filter(|act| act.0 != "base_station.created").count(), 2);
    // Two moves at the same instant: the first has no duration and is not shown.
    for machine in [2, 3] {
        install(&app, &admin, 2, &json!({ "machine_id": machine })).await.expect(200);
    }
    assert_eq!(history(&app).await[1..], ["BS-2 on M2 12:10..12:10", "BS-2 on M3 12:10.."]);
}

async fn what_began_later_is_in_the_way_unless_it_is_replaced(app: TestApp) {
    let admin = set_up(&app).await;
    install_at(&app, &admin, 1, Some(1), "11:00").await;
    install_at(&app, &admin, 1, Some(2), "11:20").await;
    install_at(&app, &admin, 2, Some(3), "11:30").await;
    install_at(&app, &admin, 2, None, "11:40").await;
    let before = history(&app).await;
    // Later installations conflict: those of the station, those of the machine, or both.
    for (station, body, named) in [
        (1, json!({ "machine_id": 3, "effective_from": "2026-03-01T11:10:00Z" }), "BS-1 was on M2"),
        (3, json!({ "machine_id": 3, "effective_from": "2026-03-01T11:00:00Z" }), "BS-2 was on M3"),
        (1, json!({ "machine_id": null, "effective_from": "2026-03-01T11:10:00Z" }), "BS-1 was on M2"),
        // The same installation, but it has ended since.
        (2, json!({ "machine_id": 3, "effective_from": "2026-03-01T11:00:00Z" }), "BS-2 was on M3"),
    ] {
        let refused = install(&app, &admin, station, &body).await.expect(422).json();
        assert_eq!(field_errors(&refused), ["effective_from: overlap"], "{body}");
        assert!(refused["errors"][0]["message"].as_str().unwrap().contains(named), "{refused}");
    }
    let body = json!({ "machine_id": 3, "effective_from": "2026-03-01T11:00:00Z" });
    let refused = install(&app, &admin, 3, &body).await.expect(422).json();
    assert_eq!(
        refused["errors"][0]["message"],
        "is before BS-2 was on M3 from 2026-03-01T11:30:00Z to 2026-03-01T11:40:00Z; set replace: true to remove that"
    );
    assert_eq!(history(&app).await, before);
    let body = json!({ "machine_id": 3, "effective_from": "2026-03-01T11:10:00Z", "replace": true });
    install(&app, &admin, 1, &body).await.expect(200);
    assert_eq!(history(&app).await, ["BS-1 on M1 11:00..11:10", "BS-1 on M3 11:10.."]);
    // Inside an existing installation, that installation is cut.
    install_at(&app, &admin, 2, Some(3), "11:15").await;
    assert_eq!(
        history(&app).await,
        ["BS-1 on M1 11:00..11:10", "BS-1 on M3 11:10..11:15", "BS-2 on M3 11:15.."]
    );
    let acts = audit_rows(&app).await;
    let replaced = &acts[acts.len() - 2].1;
    assert_eq!(replaced["before"].as_array().unwrap().len(), 3);
    assert_eq!(replaced["after"].as_array().unwrap().len(), 2);
}

async fn a_beginning_can_be_told_to_have_been_earlier(app: TestApp) {
    let admin = set_up(&app).await;
    install_at(&app, &admin, 1, Some(1), "11:30").await;
    install_at(&app, &admin, 1, Some(1), "11:00").await;
    assert_eq!(history(&app).await, ["BS-1 on M1 11:00.."]);
    // An installation that was ended by mistake continues.
    install_at(&app, &admin, 1, None, "11:40").await;
    install_at(&app, &admin, 1, Some(1), "11:35").await;
    assert_eq!(history(&app).await, ["BS-1 on M1 11:00.."]);
    // A corrected time leaves nothing behind.
    install_at(&app, &admin, 1, Some(2), "11:00").await;
    assert_eq!(history(&app).await, ["BS-1 on M2 11:00.."]);
    install_at(&app, &admin, 1, None, "11:00").await;
    assert!(history(&app).await.is_empty());
}

async fn what_cannot_be_is_refused_by_name(app: TestApp) {
    let admin = set_up(&app).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    create_machines(&app, &theirs, &["Theirs"]).await;
    app.post("/api/v1/machines/3/archive").cookie(&admin.cookie).send().await.expect(200);
    for (body, expected) in [
        (json!({}), vec!["machine_id: required"]),
        (json!({ "machine_id": "1", "replace": 1 }), vec!["machine_id: wrong_type", "replace: wrong_type"]),
        (json!({ "machine_id": 1, "from": "x" }), vec!["from: unknown_field"]),
        (json!({ "machine_id": 1, "effective_from": "today" }), vec!["effective_from: invalid_time"]),
        (
            json!({ "machine_id": 1, "effective_from": "2026-03-01T12:00:31Z" }),
            vec!["effective_from: bad_time"],
        ),
        (
            json!({ "machine_id": 1, "effective_from": "2021-02-27T00:00:00Z" }),
            vec!["effective_from: bad_time"],
        ),
        (json!({ "machine_id": 99 }), vec!["machine_id: unknown_machine"]),
        (json!({ "machine_id": 4 }), vec!["machine_id: unknown_machine"]),
        (json!({ "machine_id": 3 }), vec!["machine_id: machine_archived"]),
    ] {
        let refused = install(&app, &admin, 1, &body).await.expect(422).json();
        assert_eq!(field_errors(&refused), expected, "{body}");
    }
    install(&app, &admin, 99, &json!({ "machine_id": 1 })).await.expect(404);
    assert!(history(&app).await.is_empty());
}

async fn members_move_stations_and_the_restricted_among_what_they_see(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    create_two_projects(&app, &admin).await;
    let third = json!({ "name": "Crane 3", "kind": "crane", "worksite_id": 1 });
    app.post("/api/v1/machines").cookie(&admin.cookie).json(&third).send().await.expect(201);
    register_stations(&app, &admin, &["BS-1", "BS-2"]).await;
    install_at(&app, &bob, 1, Some(2), "10:00").await;
    install_at(&app, &bob, 1, Some(1), "11:00").await;
    app.app.restrict_user(&EmailAddress::parse(&bob.email).unwrap(), Some(&[ProjectId(1)])).await.unwrap();

    install(&app, &bob, 2, &json!({ "machine_id": 1 })).await.expect(404);
    let refused = install(&app, &bob, 1, &json!({ "machine_id": 2 })).await.expect(422).json();
    assert_eq!(field_errors(&refused), ["machine_id: unknown_machine"]);
    // They could no longer see it.
    assert_eq!(install(&app, &bob, 1, &json!({ "machine_id": null })).await.expect(403).code(), "restricted");
    // That hour belongs to a machine that they cannot see.
    let body = json!({ "machine_id": 3, "effective_from": "2026-03-01T10:30:00Z", "replace": true });
    assert_eq!(install(&app, &bob, 1, &body).await.expect(403).code(), "restricted");
    let moved = install(&app, &bob, 1, &json!({ "machine_id": 3 })).await.expect(200).json();
    assert_eq!(moved["machine"]["name"], "Crane 3");
    assert_eq!(
        history(&app).await,
        ["BS-1 on Crane 2 10:00..11:00", "BS-1 on Crane 1 11:00..12:00", "BS-1 on Crane 3 12:00.."]
    );
}

async fn a_stale_move_is_refused(app: TestApp) {
    let admin = set_up(&app).await;
    let send = |tag: &str, machine: i64| {
        let request = app.request(Method::PUT, &format!("{PATH}/1/installation")).cookie(&admin.cookie);
        request.header("if-match", tag).json(&json!({ "machine_id": machine })).send()
    };
    send("\"1\"", 1).await.expect(200);
    assert_eq!(send("\"1\"", 2).await.expect(412).code(), "stale");
    send("\"2\"", 2).await.expect(200);
}

async fn fifty_at_once_never_overlap(app: TestApp) {
    let admin = set_up(&app).await;
    let serials: Vec<String> = (4..=12).map(|n| format!("BS-{n}")).collect();
    register_stations(&app, &admin, &serials.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let other = app.second_instance().await;
    let random = Random::seeded(7);
    let mut answered = [0, 0];
    for _ in 0..3 {
        let mut work = tokio::task::JoinSet::new();
        for n in 0..50 {
            let [station, machine, minute, what] = random.bytes::<4>();
            let mut body = json!({ "machine_id": i64::from(machine % 3) + 1, "replace": what % 4 == 0 });
            if what % 5 == 0 {
                body["machine_id"] = Value::Null;
            }
            if what % 3 != 0 {
                body["effective_from"] = json!(format!("2026-03-01T11:{:02}:00Z", minute % 60));
            }
            let place = if n % 2 == 0 { &app } else { &other };
            let path = format!("{PATH}/{}/installation", station % 12 + 1);
            work.spawn(place.request(Method::PUT, &path).cookie(&admin.cookie).json(&body).send());
        }
        for reply in work.join_all().await {
            if reply.status == 200 {
                answered[0] += 1;
            } else {
                assert_eq!(field_errors(&reply.expect(422).json()), ["effective_from: overlap"]);
                answered[1] += 1;
            }
        }
        let all = rows(&app, 12).await;
        for (index, one) in all.iter().enumerate() {
            for two in &all[..index] {
                let meet = one.base_station == two.base_station || one.machine == two.machine;
                let apart =
                    one.to.is_some_and(|to| to <= two.from) || two.to.is_some_and(|to| to <= one.from);
                assert!(!meet || apart, "{one:?} and {two:?} overlap");
            }
        }
        app.clock.advance(Span::minutes(1));
    }
    assert!(answered.iter().all(|count| *count > 0), "{answered:?}");
}
