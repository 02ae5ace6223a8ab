//! Invalid views: all faults are reported together, each with its pointer.

use domain::Role;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{JSON_API, PATH, change, create, create_view, error_pointers, small_view};

on_both_engines!(
    a_wrong_view_is_refused_by_places,
    a_wrong_change_is_refused_by_places,
    an_owner_cannot_be_written,
    parameters_that_a_list_does_not_have_are_refused,
);

/// The code and the attribute of each fault.
type Expected = &'static [(&'static str, &'static str)];

fn with_pointers(expected: Expected) -> Vec<(String, String)> {
    let place = |(code, place): &(&str, &str)| ((*code).to_owned(), format!("/data/attributes/{place}"));
    expected.iter().map(place).collect()
}

fn pivot_view(definition: &Value) -> Value {
    json!({ "name": "A", "kind": "pivot", "definition": definition })
}

fn filter_view(definition: &Value) -> Value {
    json!({ "name": "A", "kind": "filter", "definition": definition })
}

fn pivot_with(more: &Value) -> Value {
    let mut definition = json!({ "measures": ["incursions"] });
    definition.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    pivot_view(&definition)
}

async fn a_wrong_view_is_refused_by_places(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let many: Vec<i64> = (0..101).collect();
    let cases: Vec<(Value, Expected)> = vec![
        (json!({}), &[("required", "name"), ("required", "kind"), ("required", "definition")]),
        (
            json!({ "name": "", "kind": "pivot", "definition": null }),
            &[("required", "name"), ("required", "definition")],
        ),
        (
            json!({ "name": "x".repeat(101), "kind": "chart", "definition": 7 }),
            &[("too_long", "name"), ("invalid_kind", "kind")],
        ),
        (
            json!({ "name": 7, "kind": 7, "shared": "yes" }),
            &[
                ("wrong_type", "name"),
                ("wrong_type", "kind"),
                ("wrong_type", "shared"),
                ("required", "definition"),
            ],
        ),
        (
            json!({ "name": "a\u{0}b", "kind": "pivot", "definition": "x" }),
            &[("control_character", "name"), ("wrong_type", "definition")],
        ),
        (
            json!({ "name": "A", "kind": "pivot", "definition": { "measures": ["incursions"] }, "owner_id": 1, "version": 3 }),
            &[("unknown_field", "owner_id"), ("unknown_field", "version")],
        ),
        (pivot_view(&json!({})), &[("required", "definition/measures")]),
        (pivot_view(&json!([])), &[("wrong_type", "definition")]),
        (
            pivot_with(&json!({ "rows": ["colour", "day", "size"], "limit": 0, "colour": 1 })),
            &[
                ("invalid_dimension", "definition/rows/0"),
                ("invalid_dimension", "definition/rows/2"),
                ("out_of_range", "definition/limit"),
                ("unknown_field", "definition/colour"),
            ],
        ),
        (pivot_with(&json!({ "rows": vec!["day"; 5] })), &[("too_many", "definition/rows")]),
        (pivot_with(&json!({ "sort": "-exposure" })), &[("not_measured", "definition/sort")]),
        (pivot_with(&json!({ "totals": 1 })), &[("wrong_type", "definition/totals")]),
        (pivot_view(&json!({ "measures": ["speed"] })), &[("invalid_measure", "definition/measures/0")]),
        (
            pivot_with(
                &json!({ "filters": { "zone": ["near"], "machine_id": many, "from": "soon", "site": 1 } }),
            ),
            &[
                ("invalid_time", "definition/filters/from"),
                ("too_many", "definition/filters/machine_id"),
                ("invalid_zone", "definition/filters/zone/0"),
                ("unknown_field", "definition/filters/site"),
            ],
        ),
        // Faults of combinations.
        (
            pivot_with(
                &json!({ "rows": ["day"], "columns": ["day"], "filters": { "from": "2026-02-02", "to": "2026-02-01" } }),
            ),
            &[("out_of_range", "definition/filters/to"), ("repeated_dimension", "definition/columns")],
        ),
        (
            pivot_with(&json!({ "filters": { "from": "2019-01-01" } })),
            &[("out_of_range", "definition/filters/from")],
        ),
        (filter_view(&json!({ "from": "2026-03-03" })), &[("out_of_range", "definition/from")]),
        (filter_view(&json!({ "measures": ["incursions"] })), &[("unknown_field", "definition/measures")]),
        (
            filter_view(&json!({ "machine_id": ["1", 2, 1.5], "acknowledged": "no" })),
            &[
                ("wrong_type", "definition/machine_id/0"),
                ("wrong_type", "definition/machine_id/2"),
                ("wrong_type", "definition/acknowledged"),
            ],
        ),
        (
            filter_view(&json!({ "min_duration_s": 9, "max_duration_s": 3 })),
            &[("out_of_range", "definition/max_duration_s")],
        ),
        (
            filter_view(&json!({ "from": "2019-01-01", "to": "2026-01-01" })),
            &[("out_of_range", "definition/from")],
        ),
    ];
    for (attributes, expected) in cases {
        let refused = create(&app, &user, &attributes).await;
        assert_eq!(refused.status, 422, "{attributes}");
        assert_eq!(error_pointers(&refused), with_pointers(expected), "{attributes}");
    }
    let send = |body: Value| app.post(PATH).bearer(&user.jwt).bytes(JSON_API, body.to_string()).send();
    send(json!({ "data": { "type": "views", "attributes": small_view("A") } })).await.expect(409);
    send(json!({ "data": { "type": "saved_views", "id": "7", "attributes": small_view("A") } }))
        .await
        .expect(403);
    assert_eq!(super::names(&app, &user, "").await, [""; 0]);
}

async fn a_wrong_change_is_refused_by_places(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let pivot = create_view(&app, &user, &small_view("Pivot")).await;
    let filter = create_view(&app, &user, &filter_view(&json!({}))).await;
    let cases: &[(&str, Value, Expected)] = &[
        // The kind of a view cannot be changed.
        (&pivot, json!({ "kind": "filter" }), &[("read_only", "kind")]),
        (
            &pivot,
            json!({ "name": null, "definition": null, "shared": null }),
            &[("required", "name"), ("required", "shared"), ("required", "definition")],
        ),
        (
            &pivot,
            json!({ "definition": { "zone": ["danger"] } }),
            &[("required", "definition/measures"), ("unknown_field", "definition/zone")],
        ),
        (
            &pivot,
            json!({ "definition": { "measures": ["incursions"], "rows": ["day", "day"] } }),
            &[("repeated_dimension", "definition/rows")],
        ),
        (
            &filter,
            json!({ "definition": { "measures": ["incursions"] } }),
            &[("unknown_field", "definition/measures")],
        ),
    ];
    for (id, attributes, expected) in cases {
        let refused = change(&app, &user, id, attributes).await;
        assert_eq!(refused.status, 422, "{attributes}");
        assert_eq!(error_pointers(&refused), with_pointers(expected), "{attributes}");
    }
    assert_eq!(super::names(&app, &user, "sort=created_at").await, ["Pivot", "A"]);
}

async fn an_owner_cannot_be_written(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let owner = json!({ "owner": { "data": { "type": "users", "id": "1" } } });
    let body =
        json!({ "data": { "type": "saved_views", "attributes": small_view("A"), "relationships": owner } });
    let reply = app.post(PATH).bearer(&user.jwt).bytes(JSON_API, body.to_string()).send().await.expect(403);
    assert_eq!(
        error_pointers(&reply),
        [("relationship_read_only".to_owned(), "/data/relationships/owner".to_owned())]
    );
    let id = create_view(&app, &user, &small_view("A")).await;
    for path in ["relationships/owner", "owner"] {
        app.get(&format!("{PATH}/{id}/{path}")).bearer(&user.jwt).send().await.expect(404);
    }
}

async fn parameters_that_a_list_does_not_have_are_refused(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    for (query, parameter) in [
        ("include=owner", "include"),
        ("filter[kind]=chart", "filter[kind]"),
        ("filter[shared]=maybe", "filter[shared]"),
        ("filter[q]=", "filter[q]"),
        ("filter[owner]=1", "filter[owner]"),
        ("sort=kind", "sort"),
        ("fields[saved_views]=version", "fields[saved_views]"),
        ("page[size]=0", "page[size]"),
        ("page[after]=x", "page[after]"),
    ] {
        let refused = app.get(&format!("{PATH}?{query}")).bearer(&user.jwt).send().await.expect(400).json();
        assert_eq!(refused["errors"][0]["source"], json!({ "parameter": parameter }), "{query}");
    }
}
