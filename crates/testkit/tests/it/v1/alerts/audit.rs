//! Every change of an alert is in the audit log, without names and addresses.

use domain::Role;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{create, delete, patch, too_many, with};

on_both_engines!(each_change_has_an_entry, whoever_leaves_is_in_the_log);

async fn log(app: &TestApp, admin: &Account) -> Vec<Value> {
    let path = "/api/v1/admin/audit_log?target_kind=alert";
    let log = app.get(path).cookie(&admin.cookie).send().await.expect(200);
    assert!(!log.text().contains("ada@example.com"), "{}", log.text());
    log.json()["data"].as_array().unwrap().clone()
}

async fn each_change_has_an_entry(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let person = json!({ "kind": "staff", "name": "Zelda" });
    app.post("/api/v1/people").cookie(&admin.cookie).json(&person).send().await.expect(201);
    let scope = json!({ "scope": { "person_ids": [1], "zones": ["danger"] } });
    let made = create(&app, &bob, &with(too_many("Yard of Zelda"), &scope)).await;
    patch(&app, &admin, &made["id"], &json!({ "threshold": 5, "enabled": false })).await.expect(200);
    // What changes nothing has no entry.
    patch(&app, &bob, &made["id"], &json!({ "threshold": 5 })).await.expect(200);
    delete(&app, &bob, &made["id"]).await.expect(200);

    let log = log(&app, &admin).await;
    let acts: Vec<Value> =
        log.iter().map(|row| json!([row["action"], row["actor"]["id"], row["target"]["id"]])).collect();
    let expected =
        [json!(["alert.deleted", 1, 1]), json!(["alert.changed", 2, 1]), json!(["alert.created", 1, 1])];
    assert_eq!(acts, expected);
    let fields = |row: &Value, part: &str| {
        let of = &row["details"][part];
        json!([of["threshold"], of["enabled"], of["recipients"], of["scope"]])
    };
    let scope = json!({ "person_ids": 1, "zones": ["danger"] });
    let before = json!([3.0, true, 1, scope]);
    let after = json!([5.0, false, 1, scope]);
    assert_eq!(fields(&log[2], "after"), before);
    assert_eq!((fields(&log[1], "before"), fields(&log[1], "after")), (before, after.clone()));
    assert_eq!(fields(&log[0], "before"), after);
    assert!(!json!(log).to_string().contains("Zelda"), "{log:?}");
}

async fn whoever_leaves_is_in_the_log(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    for name in ["Yard", "Gate"] {
        create(&app, &bob, &too_many(name)).await;
    }
    let path = "/api/v1/admin/users/1/deactivate";
    app.post(path).cookie(&admin.cookie).send().await.expect(200);
    let log = log(&app, &admin).await;
    for (row, id) in log.iter().zip([2, 1]) {
        assert_eq!((&row["action"], &row["target"]["id"]), (&json!("alert.orphaned"), &json!(id)));
        assert_eq!((&row["actor"]["type"], &row["details"]["former_owner"]), (&json!("service"), &json!(1)));
    }
    assert_eq!(log.len(), 4);
    app.run_jobs().await;
}
