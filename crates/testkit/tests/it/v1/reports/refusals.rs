//! What /api/v1/reports refuses, with the field that is concerned.

use domain::Role;
use serde_json::{Value, json};
use testkit::{Reply, TestApp, on_both_engines};

use super::{
    PATH, busy_yard, create_ready_report, delete, download, february, get, incursions_body, post, remake,
};
use crate::v1::insights::Yard;

on_both_engines!(
    what_cannot_be_is_refused_with_its_field,
    several_faults_are_told_together,
    what_others_have_is_unknown,
    a_pivot_can_come_from_a_saved_view,
    a_retry_needs_its_saved_view_no_more,
);

/// Returns the field and the code of each fault.
fn faults(reply: &Reply) -> Vec<(String, String)> {
    let body = reply.json();
    let errors = body["errors"].as_array().unwrap_or_else(|| panic!("{body}")).iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    errors.map(|error| (text(&error["field"]), text(&error["code"]))).collect()
}

async fn what_cannot_be_is_refused_with_its_field(app: TestApp) {
    let yard = busy_yard(app).await;
    let incursions = |more: Value| {
        let mut body = json!({ "kind": "incursions" });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let pivot = json!({ "rows": ["machine"], "measures": ["incursions"] });
    let turned = json!({ "from": "2026-03-01", "to": "2026-02-01" });
    // `to` is exclusive: there is no time in any of these.
    let no_day = json!({ "from": "2026-02-01", "to": "2026-02-01" });
    let no_moment = json!({ "from": "2026-02-01T08:00:00Z", "to": "2026-02-01T08:00:00Z" });
    let no_time = json!({ "from": "2026-02-01", "to": "2026-01-31T20:00:00Z" });
    let six_years = json!({ "from": "2020-02-01", "to": "2026-02-01" });
    for (body, field, code) in [
        (json!({}), "kind", "required"),
        (json!({ "kind": "people" }), "kind", "invalid_kind"),
        (json!({ "kind": 7 }), "kind", "wrong_type"),
        (incursions(json!({ "format": "doc" })), "format", "invalid_format"),
        (incursions(json!({ "paper": "a5" })), "paper", "invalid_paper"),
        (incursions(json!({ "colour": "red" })), "colour", "unknown_field"),
        (incursions(json!({ "schedule_id": 1 })), "schedule_id", "unknown_field"),
        (json!({ "kind": "site_safety" }), "worksite_id", "required"),
        (json!({ "kind": "project_summary" }), "project_id", "required"),
        (json!({ "kind": "machine" }), "machine_id", "required"),
        (json!({ "kind": "person" }), "person_id", "required"),
        (json!({ "kind": "pivot" }), "pivot", "required"),
        (json!({ "kind": "site_report" }), "site_report_id", "required"),
        (json!({ "kind": "site_report", "site_report_id": 99 }), "site_report_id", "unknown_site_report"),
        (json!({ "kind": "machine", "machine_id": 1, "format": "csv" }), "format", "unknown_format"),
        (json!({ "kind": "site_safety", "worksite_id": 99 }), "worksite_id", "unknown_worksite"),
        (incursions(json!({ "project_id": 99 })), "project_id", "unknown_project"),
        (incursions(json!({ "machine_id": 99 })), "machine_id", "unknown_machine"),
        (incursions(json!({ "person_id": 99 })), "person_id", "unknown_person"),
        (
            incursions(json!({ "filters": { "worksite_id": [1, 99] } })),
            "filters.worksite_id",
            "unknown_worksite",
        ),
        (incursions(json!({ "filters": turned })), "filters.to", "out_of_range"),
        (incursions(json!({ "filters": no_day })), "filters.to", "out_of_range"),
        (incursions(json!({ "filters": no_moment })), "filters.to", "out_of_range"),
        (incursions(json!({ "filters": no_time })), "filters.to", "out_of_range"),
        // It is noon on 1 March, and 2 March at none of the worksites.
        (incursions(json!({ "filters": { "from": "2026-03-02" } })), "filters.from", "out_of_range"),
        (incursions(json!({ "filters": six_years })), "filters.from", "out_of_range"),
        (incursions(json!({ "filters": { "zone": ["blue"] } })), "filters.zone.0", "invalid_zone"),
        (incursions(json!({ "pivot": pivot })), "pivot", "not_allowed"),
        (incursions(json!({ "site_report_id": 1 })), "site_report_id", "not_allowed"),
        (json!({ "kind": "visitor_log", "filters": { "zone": ["danger"] } }), "filters.zone", "not_allowed"),
        (
            json!({ "kind": "site_safety", "worksite_id": 1, "filters": { "worksite_id": [2] } }),
            "filters.worksite_id",
            "not_allowed",
        ),
        (json!({ "kind": "pivot", "pivot": pivot, "saved_view_id": 1 }), "saved_view_id", "ambiguous"),
        (json!({ "kind": "pivot", "saved_view_id": 99 }), "saved_view_id", "unknown_saved_view"),
        (json!({ "kind": "pivot", "pivot": { "rows": ["machine"] } }), "pivot.measures", "required"),
    ] {
        let refused = post(&yard, &yard.admin, &body).await.expect(422);
        assert_eq!(faults(&refused), [(field.to_owned(), code.to_owned())], "{body}");
    }
    assert_eq!(yard.app.run_jobs().await, 0, "nothing was enqueued");
}

async fn several_faults_are_told_together(app: TestApp) {
    let yard = busy_yard(app).await;
    let body = json!({ "kind": "people", "format": "doc", "paper": "a5", "filters": { "zone": 1 } });
    let refused = post(&yard, &yard.admin, &body).await.expect(422);
    let fields: Vec<String> = faults(&refused).into_iter().map(|(field, _)| field).collect();
    assert_eq!(fields, ["kind", "format", "filters.zone", "paper"]);
    let body = json!({ "kind": "site_safety", "format": "csv", "saved_view_id": 1 });
    let refused = post(&yard, &yard.admin, &body).await.expect(422);
    assert_eq!(faults(&refused), [("saved_view_id".to_owned(), "unknown_saved_view".to_owned())]);
    let body = json!({ "kind": "site_safety", "format": "csv", "site_report_id": 1 });
    let mut refused = faults(&post(&yard, &yard.admin, &body).await.expect(422));
    refused.sort();
    let expected =
        [("format", "unknown_format"), ("site_report_id", "not_allowed"), ("worksite_id", "required")];
    assert_eq!(refused, expected.map(|(field, code)| (field.to_owned(), code.to_owned())));
}

async fn what_others_have_is_unknown(app: TestApp) {
    let yard = busy_yard(app).await;
    let stranger = yard.app.sign_in_new_user_in_brand("Other", "olga@example.com", Role::Admin).await;
    let restricted = yard.restricted("eve@example.com", Role::Member, &[2]).await;
    for user in [&stranger, &restricted] {
        for (body, field) in [
            (json!({ "kind": "site_safety", "worksite_id": 1 }), "worksite_id"),
            (json!({ "kind": "project_summary", "project_id": 1 }), "project_id"),
            (json!({ "kind": "incursions", "filters": { "worksite_id": [1] } }), "filters.worksite_id"),
        ] {
            let refused = post(&yard, user, &body).await.expect(422);
            assert_eq!(faults(&refused)[0].0, field, "{body}");
        }
    }
    let made = create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await;
    let id = &made["id"];
    for user in [&stranger, &restricted] {
        assert_eq!(get(&yard, user, id).await.expect(404).code(), "not_found");
        download(&yard, user, id, "").await.expect(404);
        remake(&yard, user, id).await.expect(404);
        delete(&yard, user, id).await.expect(404);
        let list = yard.app.get(PATH).cookie(&user.cookie).send().await.expect(200).json();
        assert_eq!(list["data"], json!([]));
    }
}

async fn create_view(yard: &Yard, attributes: &Value) -> i64 {
    let body = json!({ "data": { "type": "saved_views", "attributes": attributes } });
    let call = yard.app.post("/api/v2/saved_views").bearer(&yard.admin.jwt);
    let made = call.bytes("application/vnd.api+json", body.to_string()).send().await.expect(201).json();
    made["data"]["id"].as_str().unwrap().parse().unwrap()
}

async fn a_pivot_can_come_from_a_saved_view(app: TestApp) {
    let yard = busy_yard(app).await;
    let definition = json!({ "rows": ["machine"], "measures": ["incursions"], "filters": february() });
    let attributes = json!({ "name": "By machine", "kind": "pivot", "definition": definition });
    let view = create_view(&yard, &attributes).await;
    let body = json!({ "kind": "pivot", "saved_view_id": view, "format": "csv" });
    let from_view = create_ready_report(&yard, &yard.admin, &body).await;
    let direct = json!({ "kind": "pivot", "pivot": definition, "format": "csv" });
    let direct = create_ready_report(&yard, &yard.admin, &direct).await;
    let file = async |id: &Value| download(&yard, &yard.admin, id, "").await.expect(200).text();
    let text = file(&from_view["id"]).await;
    assert!(text.contains("Crane 1"), "{text}");
    assert_eq!(text, file(&direct["id"]).await);
    // A filter is no pivot.
    let filter = json!({ "name": "Danger", "kind": "filter", "definition": { "zone": ["danger"] } });
    let filter = create_view(&yard, &filter).await;
    let body = json!({ "kind": "pivot", "saved_view_id": filter });
    let refused = post(&yard, &yard.admin, &body).await.expect(422);
    assert_eq!(faults(&refused), [("saved_view_id".to_owned(), "not_a_pivot".to_owned())]);
    let body = json!({ "kind": "incursions", "saved_view_id": view });
    let refused = post(&yard, &yard.admin, &body).await.expect(422);
    assert!(faults(&refused).contains(&("saved_view_id".to_owned(), "not_allowed".to_owned())));
}

async fn a_retry_needs_its_saved_view_no_more(app: TestApp) {
    let yard = busy_yard(app).await;
    let definition = json!({ "rows": ["machine"], "measures": ["incursions"], "filters": february() });
    let attributes = json!({ "name": "By machine", "kind": "pivot", "definition": definition });
    let view = create_view(&yard, &attributes).await;
    let body = json!({ "kind": "pivot", "saved_view_id": view, "format": "csv" });
    let send = || {
        let call = yard.app.post(PATH).cookie(&yard.admin.cookie).header("idempotency-key", "once");
        call.json(&body).send()
    };
    let first = send().await.expect(201);
    let path = format!("/api/v2/saved_views/{view}");
    yard.app.delete(&path).bearer(&yard.admin.jwt).send().await.expect(200);
    let again = send().await.expect(201);
    assert_eq!((again.json(), again.header("location")), (first.json(), first.header("location")));
    assert_eq!(yard.app.run_jobs().await, 1);
    let refused = post(&yard, &yard.admin, &body).await.expect(422);
    assert_eq!(faults(&refused), [("saved_view_id".to_owned(), "unknown_saved_view".to_owned())]);
}
