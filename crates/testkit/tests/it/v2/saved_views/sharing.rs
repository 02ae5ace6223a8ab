//! Owners of views, and who can see them.

use domain::Role;
use serde_json::json;
use testkit::{Account, TestApp, on_both_engines, query_raw_sql};

use super::{change, create, create_view, delete, error_pointers, get, names, run, shared_view, small_view};

on_both_engines!(
    private_views_of_others_do_not_exist,
    a_shared_view_is_changed_by_its_owner_alone,
    what_is_shared_no_more_does_not_exist,
    viewers_keep_views_and_do_not_share_them,
    who_may_share_no_more_takes_back_what_was_shared,
    what_is_shared_outlasts_whoever_shared_it,
    what_is_another_brands_does_not_exist,
);

/// Asserts that the user can neither use the view nor learn that it exists.
async fn assert_absent(app: &TestApp, user: &Account, id: &str) {
    let never = get(app, user, "987654321").await.expect(404).json();
    let hidden = get(app, user, id).await.expect(404).json();
    assert_eq!(hidden["errors"][0]["detail"], never["errors"][0]["detail"]);
    // 404 comes before errors in the body.
    for attributes in [json!({ "name": "Mine" }), json!({ "surprise": 1 })] {
        change(app, user, id, &attributes).await.expect(404);
    }
    delete(app, user, id).await.expect(404);
    run(app, user, &format!("view={id}")).await.expect(404);
    assert_eq!(names(app, user, "").await, [""; 0]);
}

async fn private_views_of_others_do_not_exist(app: TestApp) {
    let owner = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let id = create_view(&app, &owner, &small_view("Private")).await;
    assert_absent(&app, &admin, &id).await;
    assert_eq!(names(&app, &owner, "").await, ["Private"]);
}

async fn a_shared_view_is_changed_by_its_owner_alone(app: TestApp) {
    let owner = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let member = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let viewer = app.sign_in_new_user("eve@example.com", Role::Viewer).await;
    let id = create_view(&app, &owner, &shared_view("For all")).await;
    for other in [&member, &admin, &viewer] {
        let seen = get(&app, other, &id).await.expect(200).json();
        assert_eq!(seen["data"], get(&app, &owner, &id).await.json()["data"]);
        assert_eq!(names(&app, other, "").await, ["For all"]);
        assert_eq!(
            run(&app, other, &format!("view={id}")).await.expect(200).json()["view"]["name"],
            "For all"
        );
        for attributes in [json!({ "name": "Mine" }), json!({ "shared": false }), json!({ "surprise": 1 })] {
            assert_eq!(change(&app, other, &id, &attributes).await.expect(403).code(), "not_yours");
        }
    }
    for other in [&member, &viewer] {
        assert_eq!(delete(&app, other, &id).await.expect(403).code(), "not_yours");
    }
    // Those who manage the brand can delete shared views.
    delete(&app, &admin, &id).await.expect(200);
    get(&app, &owner, &id).await.expect(404);
}

async fn what_is_shared_no_more_does_not_exist(app: TestApp) {
    let owner = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let id = create_view(&app, &owner, &shared_view("For all")).await;
    get(&app, &admin, &id).await.expect(200);
    change(&app, &owner, &id, &json!({ "shared": false })).await.expect(200);
    assert_absent(&app, &admin, &id).await;
}

async fn viewers_keep_views_and_do_not_share_them(app: TestApp) {
    let viewer = app.sign_in_new_user("eve@example.com", Role::Viewer).await;
    let refused = [("permission_missing".to_owned(), "/data/attributes/shared".to_owned())];
    assert_eq!(error_pointers(&create(&app, &viewer, &shared_view("For all")).await.expect(403)), refused);
    let id = create_view(&app, &viewer, &small_view("Mine")).await;
    assert_eq!(
        error_pointers(&change(&app, &viewer, &id, &json!({ "shared": true })).await.expect(403)),
        refused
    );
    change(&app, &viewer, &id, &json!({ "name": "Still mine", "shared": false })).await.expect(200);
    assert_eq!(names(&app, &viewer, "filter[shared]=false").await, ["Still mine"]);
    delete(&app, &viewer, &id).await.expect(200);
}

async fn who_may_share_no_more_takes_back_what_was_shared(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let owner = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let id = create_view(&app, &owner, &shared_view("For all")).await;
    let user =
        &query_raw_sql(app.database(), "select cast(id as text) from users where email = 'ada@example.com'")
            .await[0];
    let demoted = app.patch(&format!("/api/v1/admin/users/{user}")).cookie(&admin.cookie);
    demoted.json(&json!({ "role": "viewer" })).send().await.expect(200);
    // A user without the permission to share cannot change what the whole brand sees.
    for attributes in [json!({ "name": "Other" }), json!({ "definition": { "measures": ["exposure"] } })] {
        assert_eq!(change(&app, &owner, &id, &attributes).await.expect(403).code(), "permission_missing");
    }
    change(&app, &owner, &id, &json!({ "shared": true })).await.expect(200);
    change(&app, &owner, &id, &json!({ "shared": false, "name": "Other" })).await.expect(200);
    change(&app, &owner, &id, &json!({ "shared": true })).await.expect(403);
}

async fn what_is_shared_outlasts_whoever_shared_it(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let owner = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let id = create_view(&app, &owner, &shared_view("For all")).await;
    let private = create_view(&app, &owner, &small_view("Private")).await;
    let before = get(&app, &admin, &id).await.json()["data"].clone();
    let user =
        &query_raw_sql(app.database(), "select cast(id as text) from users where email = 'ada@example.com'")
            .await[0];
    let act = |act: &str| app.post(&format!("/api/v1/admin/users/{user}/{act}")).cookie(&admin.cookie).send();
    act("deactivate").await.expect(200);
    assert_eq!(get(&app, &admin, &id).await.expect(200).json()["data"], before);
    assert_eq!(names(&app, &admin, "").await, ["For all"]);
    // Private views are visible to nobody else, and are there again when their owner is.
    get(&app, &admin, &private).await.expect(404);
    act("reactivate").await.expect(200);
    let reply = app.log_in_v2("ada@example.com", testkit::PASSWORD).await.expect(200);
    let back = Account { jwt: reply.header("accesstoken").to_owned(), ..owner };
    assert_eq!(names(&app, &back, "").await, ["For all", "Private"]);
}

async fn what_is_another_brands_does_not_exist(app: TestApp) {
    let owner = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let stranger = app.sign_in_new_user_in_brand("Other", "stranger@example.com", Role::Admin).await;
    let id = create_view(&app, &owner, &shared_view("For all")).await;
    assert_absent(&app, &stranger, &id).await;
    assert_eq!(names(&app, &owner, "").await, ["For all"]);
}
