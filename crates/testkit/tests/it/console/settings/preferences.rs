//! /settings/preferences

use domain::Role;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::done;
use crate::console::{open, submit};

on_both_engines!(
    preferences_are_saved_and_given_up_again,
    faults_and_stale_changes_are_shown,
    a_saved_view_can_open_first,
    dimensions_are_put_in_order_and_named,
);

const PATH: &str = "/settings/preferences";
const DIMENSIONS: &str = "/settings/preferences/dimensions";

const BLANK: [(&str, &str); 6] = [
    ("language", ""),
    ("time_zone", ""),
    ("date_format", ""),
    ("units", ""),
    ("first_day_of_week", ""),
    ("default_view_id", ""),
];

async fn read(app: &TestApp, user: &Account) -> Value {
    let reply = app.get("/api/v2/user_preferences").bearer(&user.jwt).send().await.expect(200);
    reply.json()["data"].clone()
}

async fn preferences_are_saved_and_given_up_again(app: TestApp) {
    let vic = app.sign_in_new_user("vic@example.com", Role::Viewer).await;
    let page = open(&app, &vic.cookie, PATH).await.expect(200);
    assert!(page.says("As the brand: English") && page.says("Default: Metres"));
    for (name, _) in BLANK {
        assert_eq!(page.field(name).as_deref(), Some(""), "{name}");
    }
    let fields = [
        ("language", "de-CH"),
        ("time_zone", "europe/zurich"),
        ("date_format", "YYYY-MM-DD"),
        ("units", "imperial"),
        ("first_day_of_week", "sunday"),
        ("default_view_id", ""),
    ];
    let saved = submit(&app, &vic.cookie, PATH, &fields).await.expect(303);
    assert_eq!((saved.location().as_str(), done(&saved).as_str()), (PATH, "preferences-saved"));
    let data = read(&app, &vic).await;
    assert_eq!(data["meta"]["own"].as_array().unwrap().len(), 5, "{data}");
    assert_eq!(
        (&data["attributes"]["language"], &data["attributes"]["units"]),
        (&json!("de-CH"), &json!("imperial"))
    );
    let page = open(&app, &vic.cookie, PATH).await.expect(200);
    assert!(page.says("Anzeige und Sprache") && page.says("Deutsch (Schweiz)"));
    assert_eq!(page.field("time_zone").as_deref(), Some("Europe/Zurich"));
    submit(&app, &vic.cookie, PATH, &BLANK).await.expect(303);
    assert_eq!(read(&app, &vic).await["meta"]["own"], json!([]));
    assert!(open(&app, &vic.cookie, PATH).await.expect(200).says("Preferences"));
    // A chosen value that is also the brand's stays chosen.
    submit(&app, &vic.cookie, PATH, &[("language", "en")]).await.expect(303);
    assert_eq!(read(&app, &vic).await["meta"]["own"], json!(["language"]));
}

async fn faults_and_stale_changes_are_shown(app: TestApp) {
    let vic = app.sign_in_new_user("vic@example.com", Role::Viewer).await;
    let fields = [("language", "en"), ("time_zone", "Mars"), ("units", "ells"), ("default_view_id", "7")];
    let page = submit(&app, &vic.cookie, PATH, &fields).await.expect(422);
    assert!(page.fault("time_zone").is_some() && page.fault("units").is_some());
    assert_eq!(
        (page.field("time_zone").as_deref(), page.field("language").as_deref()),
        (Some("Mars"), Some("en"))
    );
    let page = submit(&app, &vic.cookie, PATH, &[("default_view_id", "7")]).await.expect(422);
    assert!(page.fault("default_view_id").is_some());
    let version = open(&app, &vic.cookie, PATH).await.expect(200).field("_version").unwrap();
    let change = async |units: &str| {
        submit(&app, &vic.cookie, PATH, &[("units", units), ("_version", version.as_str())]).await
    };
    change("imperial").await.expect(303);
    assert_eq!(change("metric").await.expect(412).field("units").as_deref(), Some("metric"));
    open(&app, "", PATH).await.expect(303);
}

async fn a_saved_view_can_open_first(app: TestApp) {
    let vic = app.sign_in_new_user("vic@example.com", Role::Viewer).await;
    let document = json!({ "data": { "type": "saved_views", "attributes": {
        "name": "By <site>", "kind": "filter", "definition": { "zone": ["danger"] },
    } } });
    let request = app.post("/api/v2/saved_views").bearer(&vic.jwt);
    let made = request.bytes("application/vnd.api+json", document.to_string()).send().await.expect(201);
    let id = made.json()["data"]["id"].as_str().unwrap().to_owned();
    assert!(open(&app, &vic.cookie, PATH).await.expect(200).says("By <site>"));
    submit(&app, &vic.cookie, PATH, &[("default_view_id", &id)]).await.expect(303);
    let page = open(&app, &vic.cookie, PATH).await.expect(200);
    assert_eq!(page.field("default_view_id").as_deref(), Some(id.as_str()));
}

async fn dimensions_are_put_in_order_and_named(app: TestApp) {
    let vic = app.sign_in_new_user("vic@example.com", Role::Viewer).await;
    let data = read(&app, &vic).await;
    let words: Vec<String> = data["attributes"]["dimensions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["dimension"].as_str().unwrap().to_owned())
        .collect();
    let page = open(&app, &vic.cookie, PATH).await.expect(200);
    let filled = |place_of_worksite: &str, label: &str| -> Vec<(String, String)> {
        let mut fields = Vec::new();
        for word in &words {
            let place = page.field(&format!("place_{word}")).unwrap();
            let is_site = word == "worksite";
            fields
                .push((format!("place_{word}"), if is_site { place_of_worksite.to_owned() } else { place }));
            fields.push((format!("label_{word}"), if is_site { label.to_owned() } else { String::new() }));
            if word != "zone" {
                fields.push((format!("shown_{word}"), "true".to_owned()));
            }
        }
        fields
    };
    let send = async |fields: &[(String, String)]| {
        let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        submit(&app, &vic.cookie, DIMENSIONS, &fields).await
    };
    let saved = send(&filled("1", "Yard <1>")).await.expect(303);
    assert_eq!((saved.location().as_str(), done(&saved).as_str()), (PATH, "dimensions-saved"));
    let data = read(&app, &vic).await;
    let dimensions = data["attributes"]["dimensions"].as_array().unwrap();
    assert_eq!(dimensions[0], json!({ "dimension": "worksite", "label": "Yard <1>", "shown": true }));
    assert_eq!(dimensions[1]["dimension"], "project");
    let zone = dimensions.iter().find(|one| one["dimension"] == "zone").unwrap();
    assert_eq!(zone["shown"], false);
    let page = open(&app, &vic.cookie, PATH).await.expect(200);
    assert_eq!(page.field("label_worksite").as_deref(), Some("Yard <1>"));
    assert_eq!((page.field("place_worksite").as_deref(), page.field("shown_zone")), (Some("1"), None));
    let refused = send(&filled("0", &"x".repeat(101))).await.expect(422);
    assert!(refused.fault("label_worksite").is_some());
    assert_eq!(refused.field("place_worksite").as_deref(), Some("0"));
    submit(&app, &vic.cookie, DIMENSIONS, &[("_reset", "1"), ("place_zone", "x")]).await.expect(303);
    assert_eq!(read(&app, &vic).await["meta"]["own"], json!([]));
}
