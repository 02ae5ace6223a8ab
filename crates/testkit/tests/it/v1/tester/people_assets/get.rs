//! GET /api/v1/tester/people_assets/{id}

use domain::DeviceKind;
use serde_json::json;
use testkit::{TestApp, on_both_engines};

on_both_engines!(another_brands_person_does_not_exist);

async fn another_brands_person_does_not_exist(app: TestApp) {
    let ours = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let theirs = app.issue_token("Other", DeviceKind::Tester, "Gate 1").await;
    let person = json!({ "kind": "staff", "name": "Ada" });
    let made = app.post("/api/v1/tester/people_assets").bearer(&ours).json(&person).send().await.expect(201);
    let path = made.header("location");
    app.get(path).bearer(&ours).send().await.expect(200);
    let hidden = app.get(path).bearer(&theirs).send().await.expect(404);
    let absent = app.get("/api/v1/tester/people_assets/999").bearer(&theirs).send().await.expect(404);
    // Nothing in the response distinguishes hidden from absent.
    assert_eq!(hidden.json()["detail"], absent.json()["detail"]);
    for id in ["0", "-1", "x", "1.5", "99999999999999999999", "%00"] {
        let path = format!("/api/v1/tester/people_assets/{id}");
        app.get(&path).bearer(&ours).send().await.expect(404);
    }
}
