//! Files that are made again, or in another format, after everything but names has changed.

use domain::ReportKind;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::super::{all_bodies, create_ready_report, download, get, remake};
use super::reading::{sheet, sheets};
use super::{kiosk, month, refill_quota, test_tag};
use crate::pdf;
use crate::v1::insights::{Yard, incursion, runtime};

on_both_engines!(every_kind_says_the_same_after_everything_but_names_changed);

/// Has a site report about February written, and returns its id.
pub async fn write_site_report(yard: &Yard) -> i64 {
    let attributes = json!({ "from": "2026-02-01", "to": "2026-03-01", "language": "en" });
    let relationships = json!({ "worksite": { "data": { "type": "worksites", "id": "1" } } });
    let data = json!({ "type": "site_reports", "attributes": attributes, "relationships": relationships });
    let call = yard.app.post("/api/v2/advanced_insights/site_reports").bearer(&yard.admin.jwt);
    let body = json!({ "data": data }).to_string();
    let made = call.bytes("application/vnd.api+json", body).send().await.expect(201).json();
    yard.app.run_jobs().await;
    made["data"]["id"].as_str().unwrap().parse().unwrap()
}

/// Returns one request of each kind.
fn bodies(site_report: i64) -> Vec<Value> {
    let mut bodies = all_bodies().to_vec();
    for body in &mut bodies {
        if body["kind"] == "visitor_log" {
            body["filters"] = json!({ "from": "2026-03-01", "to": "2026-03-02" });
        }
    }
    bodies.push(json!({ "kind": "site_report", "site_report_id": site_report }));
    bodies
}

/// Returns what each of the formats of a report says.
async fn contents(yard: &Yard, report: &Value) -> Vec<(String, String)> {
    let mut contents = Vec::new();
    for format in report["formats"].as_array().unwrap() {
        let format = format.as_str().unwrap();
        let query = format!("?format={format}");
        let file = download(yard, &yard.admin, &report["id"], &query).await.expect(200);
        let text = match format {
            "pdf" => pdf::text(&file.body),
            "xlsx" => {
                let cells = sheets(&file.body).into_iter().map(|name| sheet(&file.body, &name));
                format!("{:?}", cells.collect::<Vec<_>>())
            }
            _ => file.text(),
        };
        contents.push((format.to_owned(), text));
    }
    contents
}

/// Changes what reports are made from: facts, tests, visits, assignments, settings and the worksite.
async fn change_everything(yard: &Yard, kiosk: &str) {
    let later = ["2026-02-26T10:00:00Z", "2026-02-27T10:00:00Z"].map(|at| incursion(yard, at, 40));
    yard.facts.add_incursions(later.to_vec()).await;
    yard.facts.put_runtime(&[runtime("2026-02-26T10:00:00Z", 60)]).await;
    test_tag(yard, kiosk, "T-1", "2026-02-25T06:30:00Z", true).await;
    let cookie = &yard.admin.cookie;
    let review = json!({ "state": "dismissed", "comment": "A drill" });
    yard.app.post("/api/v1/incursions/1/review").cookie(cookie).json(&review).send().await.expect(200);
    yard.app.post("/api/v1/visitor_sessions/1/check_out").cookie(cookie).send().await.expect(200);
    let assignment = json!({ "tag_id": 1, "person_id": 2, "replace": true });
    yard.app.post("/api/v1/tag_assignments").cookie(cookie).json(&assignment).send().await.expect(201);
    let boundary = json!({ "type": "Polygon", "coordinates": [[
        [13.404, 52.519], [13.408, 52.519], [13.408, 52.522], [13.404, 52.522], [13.404, 52.519],
    ]] });
    let settings = json!({ "time_zone": "Asia/Tokyo", "test_interval_days": 2, "silence_limit_hours": 5 });
    for (path, change) in [
        ("/api/v1/admin/brand", settings),
        ("/api/v1/worksites/1", json!({ "boundary": boundary, "time_zone": "America/Denver" })),
    ] {
        yard.app.patch(path).cookie(cookie).json(&change).send().await.expect(200);
    }
    yard.app.run_jobs().await;
}

async fn every_kind_says_the_same_after_everything_but_names_changed(app: TestApp) {
    let yard = month(app).await;
    let kiosk = kiosk(&yard).await;
    test_tag(&yard, &kiosk, "T-1", "2026-02-20T06:30:00Z", true).await;
    let visit = json!({ "name": "Grace", "tag_serial": "V-1", "worksite_id": 1 });
    let check_in = yard.app.post("/api/v1/visitor_sessions").cookie(&yard.admin.cookie).json(&visit);
    check_in.send().await.expect(201);
    let site_report = write_site_report(&yard).await;
    let mut reports = Vec::new();
    for body in bodies(site_report) {
        refill_quota(&yard);
        let report = create_ready_report(&yard, &yard.admin, &body).await;
        let said = contents(&yard, &report).await;
        reports.push((report, said));
    }
    let kinds: Vec<&str> = reports.iter().map(|(report, _)| report["kind"].as_str().unwrap()).collect();
    assert!(ReportKind::ALL.iter().all(|kind| kinds.contains(&kind.as_str())), "{kinds:?}");

    change_everything(&yard, &kiosk).await;
    for (report, said) in &reports {
        refill_quota(&yard);
        let (kind, id) = (&report["kind"], &report["id"]);
        remake(&yard, &yard.admin, id).await.expect(200);
        yard.app.run_jobs().await;
        let remade = get(&yard, &yard.admin, id).await.expect(200).json();
        for field in ["state", "seq", "time_zones", "program", "expires_at", "from", "to"] {
            assert_eq!(remade[field], report[field], "{kind}: {field}");
        }
        let says = contents(&yard, report).await;
        assert_eq!(says.len(), said.len(), "{kind}");
        for ((format, before), (_, now)) in said.iter().zip(&says) {
            assert_eq!(now, before, "{kind} as {format}");
        }
    }
}
