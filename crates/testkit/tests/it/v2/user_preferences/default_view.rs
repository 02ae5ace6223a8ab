//! The default view of a user.

use domain::Role;
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{JSON_API, PATH, error_pointers, get, id, send, set_preferences, yard_in_two_zones};

on_both_engines!(
    a_view_that_one_sees_can_be_the_default,
    what_is_not_there_or_not_visible_is_404,
    a_view_that_is_deleted_is_nobodys_default_any_more,
    a_view_that_is_shared_no_more_is_not_shown,
    the_relationship_is_read_and_replaced_at_its_own_link,
    the_default_view_is_what_a_pivot_without_a_view_runs,
);

const LINK: &str = "/relationships/default_view";

async fn create_view(app: &TestApp, owner: &Account, name: &str, shared: bool) -> String {
    let definition = json!({ "rows": ["zone"], "measures": ["incursions"], "filters": { "from": "2026-02-01", "to": "2026-03-01" } });
    create_view_with(
        app,
        owner,
        json!({ "name": name, "kind": "pivot", "definition": definition, "shared": shared }),
    )
    .await
}

async fn create_view_with(app: &TestApp, owner: &Account, attributes: Value) -> String {
    let body = json!({ "data": { "type": "saved_views", "attributes": attributes } });
    let call = app.post("/api/v2/saved_views").bearer(&owner.jwt).bytes(JSON_API, body.to_string());
    call.send().await.expect(201).json()["data"]["id"].as_str().unwrap().to_owned()
}

fn linkage(view: &str) -> Value {
    json!({ "type": "saved_views", "id": view })
}

async fn set_default_view(app: &TestApp, user: &Account, view: Value) -> testkit::Reply {
    let id = id(app, user).await;
    let relationships = json!({ "default_view": { "data": view } });
    let body = json!({ "data": { "type": "user_preferences", "id": id, "relationships": relationships } });
    send(app, user, "", &body).await
}

async fn default_view(app: &TestApp, user: &Account) -> Value {
    get(app, user, "").await.expect(200).json()["data"]["relationships"]["default_view"]["data"].clone()
}

async fn a_view_that_one_sees_can_be_the_default(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Viewer).await;
    let (own, shared) =
        (create_view(&app, &bob, "Own", false).await, create_view(&app, &ada, "Shared", true).await);
    for view in [&own, &shared] {
        let changed = set_default_view(&app, &bob, linkage(view)).await.expect(200).json();
        assert_eq!(changed["data"]["relationships"]["default_view"]["data"], linkage(view));
        assert_eq!(default_view(&app, &bob).await, linkage(view));
    }
    assert_eq!(default_view(&app, &ada).await, Value::Null);
    // It stays when other preferences change, and can be included.
    set_preferences(&app, &bob, json!({ "units": "imperial" })).await;
    let document = get(&app, &bob, "?include=default_view&fields[saved_views]=name").await.expect(200).json();
    let links = &document["data"]["relationships"]["default_view"]["links"];
    assert_eq!(links, &json!({ "self": format!("{PATH}{LINK}"), "related": format!("{PATH}/default_view") }));
    assert_eq!(document["included"][0]["attributes"], json!({ "name": "Shared" }));
    set_default_view(&app, &bob, Value::Null).await.expect(200);
    assert_eq!(default_view(&app, &bob).await, Value::Null);
    assert_eq!(get(&app, &bob, "?include=default_view").await.json()["included"], json!([]));
}

async fn what_is_not_there_or_not_visible_is_404(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Viewer).await;
    app.ensure_brand("Other").await;
    let far = app.sign_in_new_user_in_brand("Other", "far@example.com", Role::Admin).await;
    let (private, abroad) =
        (create_view(&app, &ada, "Private", false).await, create_view(&app, &far, "Far", true).await);
    for missing in [&private, &abroad, "77", "seven"] {
        let refused = set_default_view(&app, &bob, linkage(missing)).await.expect(404);
        let expected = ("unknown_saved_view".to_owned(), "/data/relationships/default_view/data".to_owned());
        assert_eq!(error_pointers(&refused), [expected], "{missing}");
        let refused = send(&app, &bob, LINK, &json!({ "data": linkage(missing) })).await.expect(404);
        assert_eq!(
            error_pointers(&refused),
            [("unknown_saved_view".to_owned(), "/data".to_owned())],
            "{missing}"
        );
    }
    set_default_view(&app, &bob, json!({ "type": "projects", "id": "1" })).await.expect(409);
    assert_eq!(default_view(&app, &bob).await, Value::Null);
}

async fn a_view_that_is_deleted_is_nobodys_default_any_more(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Viewer).await;
    let view = create_view(&app, &ada, "Shared", true).await;
    for user in [&ada, &bob] {
        set_default_view(&app, user, linkage(&view)).await.expect(200);
    }
    let before = get(&app, &bob, "").await.header("etag").to_owned();
    app.clock.advance(domain::Span::minutes(1));
    app.delete(&format!("/api/v2/saved_views/{view}")).bearer(&ada.jwt).send().await.expect(200);
    for user in [&ada, &bob] {
        assert_eq!(default_view(&app, user).await, Value::Null);
    }
    let after = get(&app, &bob, "").await;
    assert_ne!(after.header("etag"), before);
    assert_eq!(after.json()["data"]["attributes"]["updated_at"], "2026-03-01T12:01:30Z");
}

async fn a_view_that_is_shared_no_more_is_not_shown(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Viewer).await;
    let view = create_view(&app, &ada, "Shared", true).await;
    set_default_view(&app, &bob, linkage(&view)).await.expect(200);
    let share = |shared: bool| {
        let body =
            json!({ "data": { "type": "saved_views", "id": view, "attributes": { "shared": shared } } });
        let call = app.patch(&format!("/api/v2/saved_views/{view}")).bearer(&ada.jwt);
        call.bytes(JSON_API, body.to_string()).send()
    };
    share(false).await.expect(200);
    assert_eq!(default_view(&app, &bob).await, Value::Null);
    assert_eq!(get(&app, &bob, "/default_view").await.expect(200).json()["data"], Value::Null);
    share(true).await.expect(200);
    assert_eq!(default_view(&app, &bob).await, linkage(&view));
    // A default view that is no longer visible can still be removed.
    share(false).await.expect(200);
    set_default_view(&app, &bob, Value::Null).await.expect(200);
    share(true).await.expect(200);
    assert_eq!(default_view(&app, &bob).await, Value::Null);
}

async fn the_relationship_is_read_and_replaced_at_its_own_link(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let view = create_view(&app, &user, "Own", false).await;
    assert_eq!(get(&app, &user, LINK).await.expect(200).json()["data"], Value::Null);
    let replaced = send(&app, &user, LINK, &json!({ "data": linkage(&view) })).await.expect(200);
    let found = get(&app, &user, LINK).await.expect(200);
    assert_eq!(replaced.json(), found.json());
    assert_eq!(
        (found.json()["data"].clone(), found.header("etag")),
        (linkage(&view), replaced.header("etag"))
    );
    assert_eq!(found.json()["links"]["related"], format!("{PATH}/default_view"));
    let related = get(&app, &user, "/default_view").await.expect(200).json();
    assert_eq!(
        (&related["data"]["id"], &related["data"]["attributes"]["name"]),
        (&json!(view), &json!("Own"))
    );
    let call =
        app.request(Method::PATCH, &format!("{PATH}{LINK}")).bearer(&user.jwt).header("if-match", "\"0\"");
    call.bytes(JSON_API, json!({ "data": null }).to_string()).send().await.expect(412);
    send(&app, &user, LINK, &json!({ "data": null })).await.expect(200);
    assert_eq!(get(&app, &user, "/default_view").await.expect(200).json()["data"], Value::Null);
}

async fn the_default_view_is_what_a_pivot_without_a_view_runs(app: TestApp) {
    let yard = yard_in_two_zones(app).await;
    let run = async || yard.app.get("/api/v2/advanced_insights/pivot").bearer(&yard.admin.jwt).send().await;
    let refused = run().await.expect(400).json();
    assert_eq!(refused["errors"][0]["source"]["parameter"], "view");
    let own = create_view(&yard.app, &yard.admin, "Own", false).await;
    set_default_view(&yard.app, &yard.admin, linkage(&own)).await.expect(200);
    let answer = run().await.expect(200).json();
    assert_eq!((&answer["view"]["name"], &answer["totals"]["total"][0][0]), (&json!("Own"), &json!(4)));
    let filter = json!({ "name": "Filter", "kind": "filter", "definition": { "zone": ["danger"] } });
    let filter = create_view_with(&yard.app, &yard.admin, filter).await;
    set_default_view(&yard.app, &yard.admin, linkage(&filter)).await.expect(200);
    assert_eq!(run().await.expect(400).code(), "not_a_pivot");
}
