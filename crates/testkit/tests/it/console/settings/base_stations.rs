//! /settings/base-stations

use domain::{Role, Span};
use serde_json::json;
use testkit::{Account, TestApp, on_both_engines};

use super::{done, token_on};
use crate::console::{open, submit};

on_both_engines!(
    a_station_is_registered_and_moved,
    a_station_gets_a_token_that_works,
    faults_name_their_lines,
    metres_are_written_as_the_reader_writes_numbers,
    a_stale_move_is_not_made,
    the_list_is_filtered,
    who_may_not_manage_devices_only_reads,
    another_brands_station_does_not_exist,
);

const PATH: &str = "/settings/base-stations";

async fn register(app: &TestApp, admin: &Account, serial: &str) -> String {
    let new = json!({ "serial": serial });
    let made = app.post("/api/v1/base_stations").cookie(&admin.cookie).json(&new).send().await.expect(201);
    format!("{PATH}/{}", made.json()["id"])
}

async fn add_machine(app: &TestApp, admin: &Account, name: &str) {
    let new = json!({ "name": name, "kind": "crane" });
    app.post("/api/v1/machines").cookie(&admin.cookie).json(&new).send().await.expect(201);
}

async fn a_station_is_registered_and_moved(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    for name in ["Crane <1>", "Crane 2"] {
        add_machine(&app, &admin, name).await;
    }
    let empty = open(&app, &admin.cookie, PATH).await.expect(200);
    assert!(empty.says("No base stations yet") && empty.links().contains(&format!("{PATH}/import")));
    let once = empty.field("_once").unwrap();
    let fields = [
        ("serial", "BS-1"),
        ("name", "Mast"),
        ("cameras", "front\r\nrear"),
        ("zones", "front; 6.5; 3"),
        ("_once", once.as_str()),
    ];
    let made = submit(&app, &admin.cookie, PATH, &fields).await.expect(303);
    assert_eq!(done(&made), "base-station-added");
    let station = made.location();
    let page = open(&app, &admin.cookie, &station).await.expect(200);
    assert!(page.says("Mast") && page.says("On no machine") && page.says("Never installed"));
    let shown = [page.field("cameras"), page.field("zones")];
    assert_eq!(shown, [Some("front\nrear".to_owned()), Some("front; 6.5; 3".to_owned())]);
    let go = async |machine: &str| {
        app.clock.advance(Span::minutes(5));
        let fields = [("machine_id", machine), ("effective_from", ""), ("effective_from_zone", "UTC")];
        let moved =
            submit(&app, &admin.cookie, &format!("{station}/installation"), &fields).await.expect(303);
        assert_eq!(done(&moved), "base-station-installed");
        open(&app, &admin.cookie, &moved.location()).await.expect(200)
    };
    let page = go("1").await;
    assert!(
        page.says("Crane <1>")
            && page.says("Still there")
            && page.field("machine_id").as_deref() == Some("1")
    );
    let page = go("2").await;
    assert!(page.says("Crane <1>") && page.links().contains(&"/machines/2".to_owned()));
    let page = go("").await;
    assert!(page.says("On no machine") && !page.says("Still there"));
    // A move in the past needs a local time in its zone.
    let path = format!("{station}/installation");
    let fields = [("machine_id", "1"), ("effective_from", "soon"), ("effective_from_zone", "UTC")];
    let page = submit(&app, &admin.cookie, &path, &fields).await.expect(422);
    assert!(page.fault("effective_from").is_some());
    let fields = [("machine_id", "99"), ("effective_from", ""), ("effective_from_zone", "UTC")];
    let page = submit(&app, &admin.cookie, &path, &fields).await.expect(422);
    assert!(page.fault("machine_id").is_some());
}

async fn a_station_gets_a_token_that_works(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let station = register(&app, &admin, "BS-1").await;
    let issued = submit(&app, &admin.cookie, &format!("{station}/token"), &[]).await.expect(200);
    assert_eq!(issued.reply.header("cache-control"), "no-store");
    let token = token_on(&issued, "kcs_");
    app.get("/ingest/v1/commands").bearer(&token).send().await.expect(200);
    assert!(open(&app, &admin.cookie, PATH).await.expect(200).says("Has a token"));
    let revoked = submit(&app, &admin.cookie, &format!("{station}/token/revoke"), &[]).await.expect(303);
    assert_eq!(done(&revoked), "station-token-revoked");
    app.get("/ingest/v1/commands").bearer(&token).send().await.expect(401);
}

async fn faults_name_their_lines(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let station = register(&app, &admin, "BS-1").await;
    register(&app, &admin, "BS-2").await;
    let fields = [("serial", "bs-2"), ("name", ""), ("cameras", ""), ("zones", "")];
    let page = submit(&app, &admin.cookie, &station, &fields).await.expect(422);
    assert!(page.fault("serial").is_some());
    assert_eq!(page.field("serial").as_deref(), Some("bs-2"));
    let zones = "front; 3; 6\nrear";
    let fields = [("serial", "BS-3"), ("name", ""), ("cameras", "a\nA"), ("zones", zones)];
    let page = submit(&app, &admin.cookie, PATH, &fields).await.expect(422);
    assert!(page.fault("cameras").is_some_and(|fault| fault.starts_with("2: ")));
    assert!(page.fault("zones").is_some_and(|fault| fault.contains("1: ") && fault.contains("2: ")));
    assert_eq!(page.field("zones").as_deref(), Some(zones));
}

async fn metres_are_written_as_the_reader_writes_numbers(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let station = register(&app, &admin, "BS-1").await;
    let german = json!({ "locale": "de" });
    app.patch("/api/v1/admin/brand").cookie(&admin.cookie).json(&german).send().await.expect(200);
    let save = async |zones: &str| {
        let fields = [("serial", "BS-1"), ("name", ""), ("cameras", ""), ("zones", zones)];
        submit(&app, &admin.cookie, &station, &fields).await
    };
    save("vorn; 6,5; 3").await.expect(303);
    let page = open(&app, &admin.cookie, &station).await.expect(200);
    assert_eq!(page.field("zones").as_deref(), Some("vorn; 6,5; 3"));
    // What another language writes is not guessed.
    let fault = save("vorn; 6.5; 3").await.expect(422).fault("zones").unwrap();
    assert!(fault.contains("vorn; 6,5; 3"), "{fault}");
}

async fn a_stale_move_is_not_made(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let station = register(&app, &admin, "BS-1").await;
    add_machine(&app, &admin, "Crane 1").await;
    let version = open(&app, &admin.cookie, &station).await.expect(200).field("_version").unwrap();
    let fields = [
        ("serial", "BS-1"),
        ("name", "Mast"),
        ("cameras", ""),
        ("zones", ""),
        ("_version", version.as_str()),
    ];
    assert_eq!(done(&submit(&app, &admin.cookie, &station, &fields).await.expect(303)), "base-station-saved");
    submit(&app, &admin.cookie, &station, &fields).await.expect(412);
    let fields = [("machine_id", "1"), ("effective_from_zone", "UTC"), ("_version", version.as_str())];
    submit(&app, &admin.cookie, &format!("{station}/installation"), &fields).await.expect(412);
    assert!(open(&app, &admin.cookie, &station).await.expect(200).says("On no machine"));
}

async fn the_list_is_filtered(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    for serial in ["BS-1", "BS-2"] {
        register(&app, &admin, serial).await;
    }
    let found = async |query: &str| {
        let page = open(&app, &admin.cookie, &format!("{PATH}?{query}")).await.expect(200);
        page.links().iter().filter(|link| [format!("{PATH}/1"), format!("{PATH}/2")].contains(link)).count()
    };
    assert_eq!(found("q=bs-2").await, 1);
    assert_eq!(found("status=never_seen&installed=false").await, 2);
    assert_eq!(found("status=silent").await, 0);
    assert_eq!(found("status=silent&status=never_seen").await, 2);
    let both = open(&app, &admin.cookie, &format!("{PATH}?status=silent&status=faulty")).await.expect(200);
    assert_eq!(both.reply.text().matches("checked=\"checked\"").count(), 2, "{}", both.reply.text());
    assert_eq!(found("installed=true&period=7d").await, 0);
    open(&app, &admin.cookie, &format!("{PATH}?status=broken")).await.expect(400);
}

async fn who_may_not_manage_devices_only_reads(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let station = register(&app, &admin, "BS-1").await;
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let page = open(&app, &member.cookie, &station).await.expect(200);
    // Members may move a station, but neither change it nor see its token.
    assert!(page.field("serial").is_none() && page.field("machine_id").is_some());
    assert!(!page.says("Generate a token"));
    submit(&app, &member.cookie, &station, &[("serial", "X")]).await.expect(403);
    submit(&app, &member.cookie, &format!("{station}/token"), &[]).await.expect(403);
    let viewer = app.sign_in_new_user("v@example.com", Role::Viewer).await;
    let page = open(&app, &viewer.cookie, &station).await.expect(200);
    assert!(page.field("machine_id").is_none());
    submit(&app, &viewer.cookie, &format!("{station}/installation"), &[]).await.expect(403);
    assert!(open(&app, &viewer.cookie, PATH).await.expect(200).field("serial").is_none());
}

async fn another_brands_station_does_not_exist(app: TestApp) {
    let ours = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    let station = register(&app, &ours, "BS-1").await;
    open(&app, &theirs.cookie, &station).await.expect(404);
    for path in ["", "/installation", "/token", "/token/revoke"] {
        submit(&app, &theirs.cookie, &format!("{station}{path}"), &[]).await.expect(404);
    }
}
