//! Creating, changing and deleting views.

use domain::Role;
use serde_json::{Value, json};
use testkit::{TestApp, execute_raw_sql, on_both_engines, query_raw_sql};

use super::{
    JSON_API, PATH, change, create, create_view, delete, error_pointers, get, shared_view, small_view,
};

on_both_engines!(
    a_view_is_kept_as_it_was_sent,
    a_filter_is_kept_too,
    the_largest_definition_fits,
    what_is_left_out_of_a_change_stays,
    what_was_changed_meanwhile_is_412,
    what_one_has_already_is_not_sent_again,
    a_repeat_under_a_key_keeps_nothing_and_answers_alike,
    a_name_is_taken_once_by_each_owner,
    a_user_keeps_two_hundred_and_no_more,
    the_audit_log_does_not_tell_what_private_views_are_called,
);

async fn a_view_is_kept_as_it_was_sent(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let definition = json!({
        "rows": ["machine", "day"], "columns": ["zone"], "measures": ["exposure", "incursions"], "sort": "-incursions",
        "limit": 5, "totals": false, "filters": { "machine_id": [3, 1, 3], "from": "2026-02-01", "zone": ["danger"] },
    });
    let attributes = json!({ "name": " Danger by machine ", "kind": "pivot", "definition": definition });
    let made = create(&app, &user, &attributes).await.expect(201);
    assert_eq!((made.header("content-type"), made.header("location")), (JSON_API, "/api/v2/saved_views/1"));
    let document = made.json();
    let data = &document["data"];
    assert_eq!((&data["type"], &data["id"]), (&json!("saved_views"), &json!("1")));
    let shown = &data["attributes"];
    assert_eq!((&shown["name"], &shown["kind"]), (&json!("Danger by machine"), &json!("pivot")));
    assert_eq!((&shown["definition"], &shown["shared"]), (&definition, &json!(false)));
    assert_eq!(shown["created_at"], shown["updated_at"]);
    // Users are no resources of this API, so there is no link.
    let owner = query_raw_sql(app.database(), "select cast(id as text) from users").await;
    assert_eq!(data["relationships"], json!({ "owner": { "data": { "type": "users", "id": owner[0] } } }));
    assert_eq!(get(&app, &user, "1").await.expect(200).json(), document);
    let only = app.get(&format!("{PATH}/1?fields[saved_views]=name")).bearer(&user.jwt).send().await.json();
    assert_eq!(only["data"]["attributes"], json!({ "name": "Danger by machine" }));
    delete(&app, &user, "1").await.expect(200);
    assert_eq!(get(&app, &user, "1").await.expect(404).code(), "not_found");
}

async fn a_filter_is_kept_too(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let definition = json!({ "zone": ["danger"], "acknowledged": false, "review": ["confirmed"] });
    let attributes = json!({ "name": "Ignored", "kind": "filter", "definition": definition, "shared": true });
    let shown = create(&app, &user, &attributes).await.expect(201).json()["data"]["attributes"].clone();
    assert_eq!((&shown["definition"], &shown["shared"]), (&definition, &json!(true)));
    let empty = json!({ "name": "All", "kind": "filter", "definition": {} });
    assert_eq!(
        create(&app, &user, &empty).await.expect(201).json()["data"]["attributes"]["definition"],
        json!({})
    );
}

async fn the_largest_definition_fits(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let ids: Vec<i64> = (0..100).map(|n| i64::MAX - n).collect();
    let mut filters = json!({});
    for kind in ["project", "worksite", "machine", "base_station", "person", "pedestrian", "operator", "tag"]
    {
        filters[format!("{kind}_id")] = json!(ids);
    }
    let definition = json!({ "measures": ["incursions"], "filters": filters });
    let id =
        create_view(&app, &user, &json!({ "name": "All", "kind": "pivot", "definition": definition })).await;
    assert_eq!(get(&app, &user, &id).await.json()["data"]["attributes"]["definition"], definition);
    let length =
        query_raw_sql(app.database(), "select cast(length(definition) as text) from saved_views").await;
    assert!(length[0].parse::<usize>().unwrap() < 64 * 1024, "{length:?}");
    // All of them are missing, each listed once for every field that names it.
    let answer = super::run(&app, &user, &format!("view={id}")).await.expect(200).json();
    assert_eq!(answer["missing"].as_array().unwrap().len(), 800);
}

async fn what_is_left_out_of_a_change_stays(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let id = create_view(&app, &user, &small_view("First")).await;
    app.clock.advance(domain::Span::seconds(1));
    let steps = [
        (json!({ "name": "Second" }), ("Second", json!({ "measures": ["incursions"] }), false)),
        (
            json!({ "definition": { "measures": ["exposure"] } }),
            ("Second", json!({ "measures": ["exposure"] }), false),
        ),
        (json!({ "shared": true }), ("Second", json!({ "measures": ["exposure"] }), true)),
        (json!({}), ("Second", json!({ "measures": ["exposure"] }), true)),
    ];
    let mut before = get(&app, &user, &id).await;
    for (attributes, (name, definition, shared)) in steps {
        let reply = change(&app, &user, &id, &attributes).await.expect(200);
        let shown = &reply.json()["data"]["attributes"];
        assert_eq!(
            (&shown["name"], &shown["definition"], &shown["shared"]),
            (&json!(name), &definition, &json!(shared)),
            "{attributes}"
        );
        // A PATCH without effect does not change the version.
        let is_changed = attributes != json!({});
        assert_eq!(reply.header("etag") != before.header("etag"), is_changed, "{attributes}");
        assert_eq!(get(&app, &user, &id).await.json()["data"], reply.json()["data"]);
        before = reply;
    }
    assert_ne!(
        before.json()["data"]["attributes"]["updated_at"],
        before.json()["data"]["attributes"]["created_at"]
    );
}

async fn what_was_changed_meanwhile_is_412(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let id = create_view(&app, &user, &small_view("First")).await;
    let tag = get(&app, &user, &id).await.header("etag").to_owned();
    let send = |name: &str| {
        let body = json!({ "data": { "type": "saved_views", "id": id, "attributes": { "name": name } } });
        let call = app.patch(&format!("{PATH}/{id}")).bearer(&user.jwt).header("if-match", &tag);
        call.bytes(JSON_API, body.to_string()).send()
    };
    send("Second").await.expect(200);
    assert_eq!(send("Third").await.expect(412).code(), "stale");
    let delete =
        |tag: &str| app.delete(&format!("{PATH}/{id}")).bearer(&user.jwt).header("if-match", tag).send();
    delete(&tag).await.expect(412);
    let tag = get(&app, &user, &id).await.header("etag").to_owned();
    assert_eq!(delete(&tag).await.expect(200).json()["meta"], json!({ "deleted": true }));
    delete(&tag).await.expect(404);
}

async fn what_one_has_already_is_not_sent_again(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let id = create_view(&app, &user, &small_view("First")).await;
    let tag = get(&app, &user, &id).await.header("etag").to_owned();
    let again = || app.get(&format!("{PATH}/{id}")).bearer(&user.jwt).header("if-none-match", &tag).send();
    again().await.expect(304);
    change(&app, &user, &id, &json!({ "name": "Second" })).await.expect(200);
    again().await.expect(200);
}

async fn a_repeat_under_a_key_keeps_nothing_and_answers_alike(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let send = |name: &str| {
        let body = json!({ "data": { "type": "saved_views", "attributes": small_view(name) } });
        let call = app.post(PATH).bearer(&user.jwt).header("idempotency-key", "k-1");
        call.bytes(JSON_API, body.to_string()).send()
    };
    let (first, second) = (send("First").await.expect(201), send("First").await.expect(201));
    assert_eq!(first.json(), second.json());
    assert_eq!(send("Second").await.expect(422).code(), "idempotency_key_reused");
    assert_eq!(super::names(&app, &user, "").await, ["First"]);
}

async fn a_name_is_taken_once_by_each_owner(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    create_view(&app, &ada, &shared_view("Crête")).await;
    let taken = [("name_taken".to_owned(), "/data/attributes/name".to_owned())];
    for same in ["Crête", "crete", " CRÊTE "] {
        assert_eq!(error_pointers(&create(&app, &ada, &small_view(same)).await.expect(409)), taken, "{same}");
    }
    let other = create_view(&app, &bob, &small_view("Crête")).await;
    let third = create_view(&app, &ada, &small_view("Third")).await;
    assert_eq!(
        error_pointers(&change(&app, &ada, &third, &json!({ "name": "crete" })).await.expect(409)),
        taken
    );
    // A view can keep its own name in another case.
    change(&app, &bob, &other, &json!({ "name": "CRETE" })).await.expect(200);
    delete(&app, &ada, "1").await.expect(200);
    change(&app, &ada, &third, &json!({ "name": "crete" })).await.expect(200);
}

async fn a_user_keeps_two_hundred_and_no_more(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let other = app.sign_in_new_user("bob@example.com", Role::Viewer).await;
    create_view(&app, &user, &small_view("First")).await;
    let copies = "insert into saved_views (brand_id, owner_id, name, name_key, kind, definition, shared, version,
             created_at, updated_at)
         select v.brand_id, v.owner_id, 'Copy ' || p.id, 'copy ' || p.id, v.kind, v.definition, v.shared, 1, 1, 1
         from saved_views v cross join people p";
    let people: Vec<String> = (0..198).map(|_| "(1, 'staff', 'x', 'x', 1, 1)".to_owned()).collect();
    let insert = "insert into people (brand_id, kind, name, name_key, created_at, updated_at) values";
    execute_raw_sql(app.database(), &format!("{insert} {}; {copies}", people.join(","))).await.unwrap();
    // Concurrent calls, also to another process, get one remaining slot in total, not one each.
    let beside = app.second_instance().await;
    let views = ["A", "B", "C", "D"].map(small_view);
    let (a, b, c, d) = tokio::join!(
        create(&app, &user, &views[0]),
        create(&beside, &user, &views[1]),
        create(&app, &user, &views[2]),
        create(&beside, &user, &views[3]),
    );
    let replies = [a, b, c, d];
    let made: Vec<_> = replies.iter().filter(|reply| reply.status == 201).collect();
    assert_eq!(made.len(), 1);
    assert!(replies.iter().all(|reply| reply.status == 201 || reply.code() == "too_many_views"));
    let last = made[0].json()["data"]["id"].as_str().unwrap().to_owned();
    assert_eq!(create(&app, &user, &small_view("One more")).await.expect(409).code(), "too_many_views");
    create_view(&app, &other, &small_view("Another's")).await;
    delete(&app, &user, &last).await.expect(200);
    create_view(&app, &user, &small_view("One more")).await;
}

async fn the_audit_log_does_not_tell_what_private_views_are_called(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let id = create_view(&app, &user, &small_view("Confidential")).await;
    change(&app, &user, &id, &json!({ "definition": { "measures": ["exposure"] } })).await.expect(200);
    delete(&app, &user, &id).await.expect(200);
    let id = create_view(&app, &user, &small_view("Confidential")).await;
    change(&app, &user, &id, &json!({ "shared": true, "name": "For all" })).await.expect(200);
    let acts = "select action || ' ' || details from audit_log where target_kind = 'saved_view' order by id";
    let acts = query_raw_sql(app.database(), acts).await;
    let private = json!({ "kind": "pivot", "shared": false, "name": null });
    let shared = json!({ "kind": "pivot", "shared": true, "name": "For all" });
    let expected = [
        ("saved_view.created", json!({ "after": private })),
        ("saved_view.changed", json!({ "before": private, "after": private })),
        ("saved_view.deleted", json!({ "before": private })),
        ("saved_view.created", json!({ "after": private })),
        ("saved_view.changed", json!({ "before": private, "after": shared })),
    ];
    let acts: Vec<(&str, Value)> = acts
        .iter()
        .map(|act| act.split_once(' ').unwrap())
        .map(|(action, details)| (action, serde_json::from_str(details).unwrap()))
        .collect();
    assert_eq!(acts, expected);
}
