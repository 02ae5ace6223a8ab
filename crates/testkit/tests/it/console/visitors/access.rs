//! Who sees which visits, and in which words

use domain::Role;
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::{CHECK_IN, PATH, check_in, visit};
use crate::console::{open, submit};
use crate::v1::incursions::Yard;

on_both_engines!(
    who_may_only_look_is_offered_no_forms,
    who_is_restricted_must_give_a_site,
    other_brands_visits_do_not_exist,
    it_speaks_german_and_names_are_never_markup,
);

async fn who_may_only_look_is_offered_no_forms(app: TestApp) {
    let yard = Yard::new(app).await;
    let fields =
        [("name", "Grace"), ("company", "Hyrule"), ("tag_serial", "V-1"), ("notes", "Looks for a sword")];
    submit(&yard.app, &yard.admin.cookie, CHECK_IN, &fields).await.expect(303);
    let viewer = yard.app.sign_in_new_user("vera@example.com", Role::Viewer).await;
    for path in [PATH, "/visitors/1"] {
        let page = open(&yard.app, &viewer.cookie, path).await.expect(200);
        assert!(page.says("Names are hidden from you") && page.says("Person 5"), "{path}: {}", page.text());
        let html = page.reply.text();
        for secret in ["Grace", "Hyrule", "Looks for a sword"] {
            assert!(!html.contains(secret), "{secret} in {path}: {html}");
        }
        assert!(page.field("tag_serial").is_none() && page.field("checked_in_at").is_none());
        assert!(!html.contains("/check-out"), "{html}");
    }
    open(&yard.app, &viewer.cookie, CHECK_IN).await.expect(403);
    for path in [CHECK_IN, "/visitors/1", "/visitors/1/check-out", "/visitors/1/reopen"] {
        submit(&yard.app, &viewer.cookie, path, &[("tag_serial", "V-2")]).await.expect(403);
    }
}

async fn who_is_restricted_must_give_a_site(app: TestApp) {
    let yard = Yard::new(app).await;
    check_in(&yard, "Ida", "V-9", "2").await;
    let member = yard.restricted("mem@example.com", Role::Member, &[1]).await;
    let fields = [("name", "Grace"), ("tag_serial", "V-1"), ("worksite_id", "")];
    let page = submit(&yard.app, &member.cookie, CHECK_IN, &fields).await.expect(422);
    assert!(page.fault("worksite_id").is_some(), "{}", page.text());
    let fields = [("name", "Grace"), ("tag_serial", "V-1"), ("worksite_id", "2")];
    let page = submit(&yard.app, &member.cookie, CHECK_IN, &fields).await.expect(422);
    assert!(page.fault("worksite_id").is_some(), "{}", page.text());
    let fields = [("name", "Grace"), ("tag_serial", "V-1"), ("worksite_id", "1")];
    submit(&yard.app, &member.cookie, CHECK_IN, &fields).await.expect(303);
    let page = open(&yard.app, &member.cookie, PATH).await.expect(200);
    assert!(
        page.says("One visitor on site") && page.says("Grace") && !page.says("Site 2"),
        "{}",
        page.text()
    );
    open(&yard.app, &member.cookie, "/visitors/1").await.expect(404);
}

async fn other_brands_visits_do_not_exist(app: TestApp) {
    let yard = Yard::new(app).await;
    check_in(&yard, "Grace", "V-1", "1").await;
    let stranger = yard.app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    open(&yard.app, &stranger.cookie, "/visitors/1").await.expect(404);
    for path in ["/visitors/1", "/visitors/1/check-out", "/visitors/1/reopen"] {
        submit(&yard.app, &stranger.cookie, path, &[]).await.expect(404);
    }
    assert!(open(&yard.app, &stranger.cookie, PATH).await.expect(200).says("Nobody is on site"));
    for path in ["/visitors/x", "/visitors/99"] {
        open(&yard.app, &yard.admin.cookie, path).await.expect(404);
    }
    assert_eq!(visit(&yard, 1).await["state"], "active");
}

async fn it_speaks_german_and_names_are_never_markup(app: TestApp) {
    let yard = Yard::new(app).await;
    let cookie = &yard.admin.cookie;
    let name = "<img src=x onerror=\"alert(1)\"> & 'Co'";
    let fields =
        [("name", name), ("company", name), ("notes", name), ("tag_serial", "V-1"), ("worksite_id", "1")];
    submit(&yard.app, cookie, CHECK_IN, &fields).await.expect(303);
    let german = json!({ "locale": "de-DE" });
    yard.app.patch("/api/v1/admin/brand").cookie(cookie).json(&german).send().await.expect(200);
    for (path, words) in [
        (PATH, "Ein Besucher vor Ort"),
        (CHECK_IN, "War schon einmal hier"),
        ("/visitors/1", "Annäherungen dieses Besuchs"),
    ] {
        let page = open(&yard.app, cookie, path).await.expect(200);
        assert!(page.says(name) && page.says(words), "{path}: {}", page.text());
    }
}
