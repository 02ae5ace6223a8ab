//! The parameter `sort`.

use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::{LISTS, add, get, ids, set_up, walk};

on_both_engines!(
    each_list_is_sorted_and_paged_alike,
    equal_keys_are_sorted_by_id,
    orders_that_do_not_exist_are_refused,
    an_order_by_name_does_not_reveal_names,
);

async fn each_list_is_sorted_and_paged_alike(app: TestApp) {
    let admin = set_up(&app).await;
    for (list, template) in LISTS {
        for number in 1..=5 {
            app.clock.advance(domain::Span::seconds(1));
            add(&app, &admin, list, template, number).await;
        }
        let key = match list {
            "/api/v1/tags" | "/api/v1/base_stations" => "serial",
            "/api/v1/tag_assignments" => "assigned_at",
            "/api/v1/visitor_sessions" => "checked_in_at",
            _ => "name",
        };
        for key in [key, "created_at", "updated_at"] {
            let (rising, _) = walk(&app, &admin, &format!("{list}?sort={key}&limit=2")).await;
            let (mut falling, _) = walk(&app, &admin, &format!("{list}?sort=-{key}&limit=2")).await;
            falling.reverse();
            assert_eq!(rising, falling, "{list} by {key}");
            assert!(rising.len() >= 5, "{list} by {key}");
            let whole = get(&app, &admin, &format!("{list}?sort={key}&limit=500")).await;
            assert_eq!(ids(&whole), rising, "{list} by {key}");
            let values: Vec<&str> =
                whole["data"].as_array().unwrap().iter().map(|row| row[key].as_str().unwrap()).collect();
            let folded: Vec<String> = values.iter().map(|value| value.to_lowercase()).collect();
            assert!(folded.is_sorted(), "{list} by {key}: {values:?}");
        }
    }
}

async fn equal_keys_are_sorted_by_id(app: TestApp) {
    let admin = set_up(&app).await;
    // With equal names and equal times, only the ids decide the order of some of them.
    let rows: Vec<String> = (0..23).map(|n| format!("(1, 'M', 'm', 'truck', 1, {0}, {0})", n % 3)).collect();
    let insert =
        "insert into machines (brand_id, name, name_key, kind, version, created_at, updated_at) values";
    testkit::execute_raw_sql(app.database(), &format!("{insert} {}", rows.join(","))).await.unwrap();
    for sort in ["name", "-name", "created_at", "-created_at", "updated_at", "-updated_at"] {
        let whole = ids(&get(&app, &admin, &format!("/api/v1/machines?sort={sort}&limit=500")).await);
        let (seen, _) = walk(&app, &admin, &format!("/api/v1/machines?sort={sort}&limit=4")).await;
        assert_eq!((seen.len(), &seen), (23, &whole), "{sort}");
    }
    assert!(ids(&get(&app, &admin, "/api/v1/machines?sort=name&limit=500").await).is_sorted());
}

async fn orders_that_do_not_exist_are_refused(app: TestApp) {
    let admin = set_up(&app).await;
    for (list, template) in LISTS {
        for number in 1..=2 {
            add(&app, &admin, list, template, number).await;
        }
        for sort in ["", "-", "id", "--created_at", "created_at,updated_at", "CREATED_AT"] {
            let reply =
                app.get(&format!("{list}?sort={sort}")).cookie(&admin.cookie).send().await.expect(400);
            let error = &reply.json()["errors"][0];
            assert_eq!((&error["field"], &error["code"]), (&json!("sort"), &json!("invalid_sort")), "{list}");
        }
        // A cursor is bound to its order.
        let page = get(&app, &admin, &format!("{list}?sort=created_at&limit=1")).await;
        let cursor = page["page"]["next"].as_str().unwrap();
        let other = format!("{list}?sort=updated_at&limit=1&cursor={cursor}");
        let refused = app.get(&other).cookie(&admin.cookie).send().await.expect(400).json();
        assert_eq!(refused["errors"][0]["code"], "invalid_cursor", "{list}");
    }
}

async fn an_order_by_name_does_not_reveal_names(app: TestApp) {
    let admin = set_up(&app).await;
    for name in ["Zelda", "Yves"] {
        let body = json!({ "name": name, "kind": "staff" });
        super::post(&app, &admin, "/api/v1/people", &body).await.expect(201);
    }
    let viewer = app.sign_in_new_user("viewer@example.com", domain::Role::Viewer).await;
    assert_eq!(ids(&get(&app, &admin, "/api/v1/people?sort=-name").await), [2, 3, 1]);
    assert_eq!(ids(&get(&app, &viewer, "/api/v1/people?sort=name").await), [1, 2, 3]);
    assert_eq!(ids(&get(&app, &viewer, "/api/v1/people?sort=-name").await), [3, 2, 1]);
    let (paged, _) = walk(&app, &viewer, "/api/v1/people?sort=-name&limit=1").await;
    assert_eq!(paged, [3, 2, 1]);
}
