//! GET /api/v2/advanced_insights/pivot?view=

use domain::{Role, Span};
use serde_json::{Value, json};
use testkit::{Account, TestApp, execute_raw_sql, on_both_engines};

use super::{change, create_view, run};
use crate::v1::insights::{Yard, incursion};
use crate::v2::advanced_insights::busy_yard;

on_both_engines!(
    running_a_view_is_asking_what_it_holds,
    its_period_can_be_another,
    a_view_without_a_period_moves_with_the_clock,
    what_is_gone_is_told_and_narrows_all_the_same,
    what_one_does_not_see_is_told_as_what_is_gone,
    names_are_shown_to_those_who_see_names,
    what_cannot_be_run_is_refused,
    what_is_too_large_is_refused_by_its_parameter,
);

async fn view(yard: &Yard, name: &str, definition: &Value) -> String {
    let attributes = json!({ "name": name, "kind": "pivot", "definition": definition, "shared": true });
    create_view(&yard.app, &yard.admin, &attributes).await
}

async fn run_view(yard: &Yard, user: &Account, query: &str) -> Value {
    run(&yard.app, user, query).await.expect(200).json()
}

/// Returns the number of incursions.
fn count(answer: &Value) -> &Value {
    &answer["totals"]["total"][0][0]
}

async fn running_a_view_is_asking_what_it_holds(app: TestApp) {
    let yard = busy_yard(app).await;
    let viewer = yard.restricted("viewer@example.com", Role::Viewer, &[2]).await;
    for (index, definition) in [
        json!({ "measures": ["incursions"] }),
        json!({ "rows": ["worksite", "zone"], "measures": ["incursions", "average_duration"], "sort": "-incursions" }),
        json!({ "rows": ["machine"], "columns": ["zone"], "measures": ["incursions"], "limit": 1, "totals": false }),
        json!({ "rows": ["day"], "measures": ["exposure"], "filters": { "from": "2026-02-24", "to": "2026-02-25" } }),
        json!({ "rows": ["pedestrian"], "measures": ["incursions"], "filters": { "zone": ["danger"], "machine_id": [1, 99] } }),
        json!({ "measures": ["incursions"], "filters": { "person_id": [4], "review": ["dismissed"] } }),
    ]
    .iter()
    .enumerate()
    {
        let id = view(&yard, &format!("View {index}"), definition).await;
        for user in [&yard.admin, &viewer] {
            let path = "/api/v2/advanced_insights/pivot";
            let asked = yard.app.post(path).bearer(&user.jwt).json(definition).send().await.expect(200).json();
            let mut answer = run_view(&yard, user, &format!("view={id}")).await;
            let answer = answer.as_object_mut().unwrap();
            let number: i64 = id.parse().unwrap();
            assert_eq!(answer.remove("view"), Some(json!({ "id": number, "name": format!("View {index}") })));
            assert!(answer.remove("missing").is_some());
            assert_eq!(Value::Object(answer.clone()), asked, "{definition}");
            // Also with objects as cells.
            let path = format!("{path}?cells=objects");
            let asked = yard.app.post(&path).bearer(&user.jwt).json(definition).send().await.expect(200).json();
            let answer = run_view(&yard, user, &format!("view={id}&cells=objects")).await;
            assert_eq!((&answer["rows"], &answer["totals"]), (&asked["rows"], &asked["totals"]));
        }
    }
}

async fn its_period_can_be_another(app: TestApp) {
    let yard = busy_yard(app).await;
    let filters = json!({ "from": "2026-02-24", "to": "2026-02-25" });
    let id = view(&yard, "Tuesday", &json!({ "measures": ["incursions"], "filters": filters })).await;
    for (query, expected, (from, to)) in [
        ("", 3, ("2026-02-24", "2026-02-25")),
        ("&to=2026-02-26", 4, ("2026-02-24", "2026-02-26")),
        ("&from=2026-02-20", 3, ("2026-02-20", "2026-02-25")),
        ("&from=2026-02-25&to=2026-02-26", 1, ("2026-02-25", "2026-02-26")),
        ("&from=2026-02-24T10:30:00Z", 2, ("2026-02-24T10:30:00Z", "2026-02-25")),
    ] {
        let answer = run_view(&yard, &yard.admin, &format!("view={id}{query}")).await;
        assert_eq!(*count(&answer), json!(expected), "{query}");
        assert_eq!((&answer["from"], &answer["to"]), (&json!(from), &json!(to)), "{query}");
    }
    for (query, parameter) in
        [("&from=2026-02-26", "to"), ("&from=2019-01-01", "from"), ("&from=soon", "from"), ("&to=", "to")]
    {
        let refused = run(&yard.app, &yard.admin, &format!("view={id}{query}")).await.expect(400).json();
        assert_eq!(refused["errors"][0]["source"], json!({ "parameter": parameter }), "{query}");
    }
}

async fn a_view_without_a_period_moves_with_the_clock(app: TestApp) {
    let yard = busy_yard(app).await;
    let id = view(&yard, "Lately", &json!({ "measures": ["incursions"] })).await;
    assert_eq!(*count(&run_view(&yard, &yard.admin, &format!("view={id}")).await), json!(4));
    yard.app.clock.advance(Span::minutes(60 * 24 * 32));
    let later = yard.app.sign_in_new_user("later@example.com", Role::Viewer).await;
    assert_eq!(*count(&run_view(&yard, &later, &format!("view={id}")).await), json!(0));
}

async fn what_is_gone_is_told_and_narrows_all_the_same(app: TestApp) {
    let yard = busy_yard(app).await;
    yard.app.allow_leftover_jobs();
    let post = |path: &str, body: Value| yard.app.post(path).cookie(&yard.admin.cookie).json(&body).send();
    post("/api/v1/machines", json!({ "name": "Crane 4", "kind": "crane" })).await.expect(201);
    let measuring = |filters: &Value| json!({ "measures": ["incursions"], "filters": filters });
    let both = view(&yard, "Both", &measuring(&json!({ "worksite_id": [1, 3], "machine_id": [1, 4] }))).await;
    let gone = view(&yard, "Gone", &measuring(&json!({ "worksite_id": [3] }))).await;
    for (id, expected) in [(&both, 3), (&gone, 0)] {
        let answer = run_view(&yard, &yard.admin, &format!("view={id}")).await;
        assert_eq!((count(&answer), &answer["missing"]), (&json!(expected), &json!([])));
    }
    let deleted = yard.app.delete("/api/v1/worksites/3").cookie(&yard.admin.cookie).send().await.expect(200);
    assert_eq!(deleted.json()["deleted"], true, "{}", deleted.json());
    execute_raw_sql(yard.app.database(), "delete from machines where id = 4").await.unwrap();
    let site = json!({ "field": "worksite_id", "id": 3 });
    let machine = json!({ "field": "machine_id", "id": 4 });
    for (id, expected, missing) in [(&both, 3, json!([site, machine])), (&gone, 0, json!([site]))] {
        let answer = run_view(&yard, &yard.admin, &format!("view={id}")).await;
        assert_eq!((count(&answer), &answer["missing"]), (&json!(expected), &missing));
    }
    // An archived machine is not missing; one that never existed is.
    let archived = "/api/v1/machines/3/archive";
    yard.app.post(archived).cookie(&yard.admin.cookie).send().await.expect(200);
    let every = json!({
        "project_id": [1, 91], "worksite_id": [2, 92], "machine_id": [3, 93], "base_station_id": [1, 94],
        "person_id": [1, 95], "pedestrian_id": [2, 95], "operator_id": [4, 96], "tag_id": [1, 97],
    });
    change(&yard.app, &yard.admin, &both, &json!({ "definition": measuring(&every) })).await.expect(200);
    let answer = run_view(&yard, &yard.admin, &format!("view={both}")).await;
    let missing: Vec<Value> =
        answer["missing"].as_array().unwrap().iter().map(|one| json!([one["field"], one["id"]])).collect();
    let expected = [
        json!(["project_id", 91]),
        json!(["worksite_id", 92]),
        json!(["machine_id", 93]),
        json!(["base_station_id", 94]),
        json!(["person_id", 95]),
        json!(["pedestrian_id", 95]),
        json!(["operator_id", 96]),
        json!(["tag_id", 97]),
    ];
    assert_eq!(missing, expected);
}

async fn what_one_does_not_see_is_told_as_what_is_gone(app: TestApp) {
    let yard = busy_yard(app).await;
    yard.app.allow_leftover_jobs();
    for machine in 1..=2 {
        let path = format!("/api/v1/machines/{machine}");
        let moved = yard.app.patch(&path).cookie(&yard.admin.cookie).json(&json!({ "worksite_id": machine }));
        moved.send().await.expect(200);
    }
    let filters = json!({
        "project_id": [1, 2, 9], "worksite_id": [1, 2], "machine_id": [1, 2], "base_station_id": [1, 2], "tag_id": [1],
    });
    let definition = json!({ "rows": ["worksite"], "measures": ["incursions"], "filters": filters });
    let id = view(&yard, "All", &definition).await;
    let stranger = yard.app.sign_in_new_user_in_brand("Other", "stranger@example.com", Role::Admin).await;
    run(&yard.app, &stranger, &format!("view={id}")).await.expect(404);
    let viewer = yard.restricted("viewer@example.com", Role::Viewer, &[2]).await;
    let missing = |answer: &Value| -> Vec<Value> {
        answer["missing"].as_array().unwrap().iter().map(|one| json!([one["field"], one["id"]])).collect()
    };
    let all = run_view(&yard, &yard.admin, &format!("view={id}")).await;
    assert_eq!(missing(&all), [json!(["project_id", 9])]);
    let theirs = run_view(&yard, &viewer, &format!("view={id}")).await;
    let expected = [
        json!(["project_id", 1]),
        json!(["project_id", 9]),
        json!(["worksite_id", 1]),
        json!(["machine_id", 1]),
        json!(["base_station_id", 1]),
    ];
    assert_eq!(missing(&theirs), expected);
    assert!(!theirs.to_string().contains("Site 1"), "{theirs}");
    assert!(count(&theirs).as_f64() < count(&all).as_f64(), "{theirs}");
}

async fn names_are_shown_to_those_who_see_names(app: TestApp) {
    let yard = busy_yard(app).await;
    let viewer = yard.app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    let id = view(&yard, "People", &json!({ "rows": ["pedestrian"], "measures": ["incursions"] })).await;
    for (user, name) in [(&yard.admin, "Ada"), (&viewer, "Person 1")] {
        let answer = run_view(&yard, user, &format!("view={id}")).await;
        assert_eq!(answer["rows"][0]["keys"][0]["label"], name);
    }
}

async fn what_cannot_be_run_is_refused(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let id = create_view(&app, &user, &json!({ "name": "A", "kind": "filter", "definition": {} })).await;
    for (query, code, parameter) in [
        (String::new(), "required", "view"),
        ("from=2026-02-01".to_owned(), "required", "view"),
        ("view=".to_owned(), "invalid_id", "view"),
        ("view=x".to_owned(), "invalid_id", "view"),
        (format!("view={id}&view={id}"), "repeated_parameter", "view"),
        (format!("view={id}&zone=danger"), "unknown_parameter", "zone"),
        (format!("view={id}"), "not_a_pivot", "view"),
    ] {
        let refused = run(&app, &user, &query).await.expect(400).json();
        let error = &refused["errors"][0];
        assert_eq!(
            (&error["code"], &error["source"]),
            (&json!(code), &json!({ "parameter": parameter })),
            "{query}"
        );
    }
    assert_eq!(run(&app, &user, "view=987654321").await.expect(404).code(), "not_found");
    app.get("/api/v2/advanced_insights/pivot?view=1").send().await.expect(401);
}

async fn what_is_too_large_is_refused_by_its_parameter(app: TestApp) {
    let yard = Yard::new(app).await;
    let hours = 0..2_001;
    let rows = hours.map(|hour| {
        let at = domain::Timestamp::parse("2025-12-01T00:30:00Z").unwrap() + Span::minutes(60 * hour);
        incursion(&yard, &at.to_string(), 5)
    });
    yard.facts.add_incursions(rows.collect()).await;
    let filters = json!({ "from": "2025-12-01" });
    let definition = json!({ "columns": ["hour"], "measures": ["incursions"], "filters": filters });
    let id = view(&yard, "Hours", &definition).await;
    let refused = run(&yard.app, &yard.admin, &format!("view={id}")).await.expect(422).json();
    let error = &refused["errors"][0];
    assert_eq!(
        (&error["code"], &error["source"]),
        (&json!("too_many_cells"), &json!({ "parameter": "view" }))
    );
}
