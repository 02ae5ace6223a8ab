//! /account/invitations/{token}

use domain::{Role, Span};
use serde_json::json;
use testkit::{Account, TestApp, on_both_engines};

use super::links;

on_both_engines!(
    an_invitation_is_read_and_accepted_once,
    a_password_must_be_good_and_the_link_stays_until_it_is,
    only_the_latest_link_opens_and_not_for_ever,
    who_is_shut_out_cannot_join,
    of_two_who_accept_at_once_one_does,
    made_up_links_open_nothing,
);

const PASSWORD: &str = "seven grey otters row";

async fn invite(app: &TestApp) -> (Account, String) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let new = json!({ "email": "grace@example.com", "name": "Grace", "role": "member" });
    app.post("/api/v1/admin/users").cookie(&admin.cookie).json(&new).send().await.expect(201);
    app.run_jobs().await;
    let mut links = links(app, "grace@example.com");
    assert_eq!(links.len(), 1);
    (admin, links.remove(0))
}

async fn an_invitation_is_read_and_accepted_once(app: TestApp) {
    let (admin, link) = invite(&app).await;
    let shown = app.get(&link).send().await.expect(200);
    let expected = json!({
        "email": "grace@example.com", "name": "Grace", "role": "member", "brand_name": "Acme",
        "expires_at": "2026-03-08T12:00:30Z",
    });
    assert_eq!(shown.json(), expected);
    assert_eq!(shown.header("cache-control"), "no-store");
    let body = json!({ "password": PASSWORD, "name": "Grace Hopper" });
    let joined = app.post(&link).json(&body).send().await.expect(200).json();
    assert_eq!(joined["name"], "Grace Hopper");
    app.get(&link).send().await.expect(404);
    app.post(&link).json(&json!({ "password": PASSWORD })).send().await.expect(404);
    let who = app.log_in_v1("grace@example.com", PASSWORD).await.expect(201).json();
    assert_eq!((&who["user"]["name"], &who["user"]["role"]), (&json!("Grace Hopper"), &json!("member")));
    let path = "/api/v1/admin/users/2/resend_invitation";
    assert_eq!(app.post(path).cookie(&admin.cookie).send().await.expect(409).code(), "not_invited");
    let path = "/api/v1/admin/audit_log?action=user.joined";
    let log = app.get(path).cookie(&admin.cookie).send().await.expect(200).json();
    assert_eq!(log["data"][0]["target"]["id"], 2);
}

async fn a_password_must_be_good_and_the_link_stays_until_it_is(app: TestApp) {
    let (_, link) = invite(&app).await;
    for (body, code) in [
        (json!({}), "required"),
        (json!({ "password": "short" }), "password_too_short"),
        (json!({ "password": "password1234" }), "password_too_common"),
        (json!({ "password": "grace@example.com" }), "password_too_common"),
        (json!({ "password": PASSWORD, "role": "admin" }), "unknown_field"),
        (json!({ "password": PASSWORD, "name": "" }), "required"),
    ] {
        let refused = app.post(&link).json(&body).send().await.expect(422).json();
        assert_eq!(refused["errors"][0]["code"], code, "{body}");
    }
    app.post(&link).json(&json!({ "password": PASSWORD })).send().await.expect(200);
}

async fn only_the_latest_link_opens_and_not_for_ever(app: TestApp) {
    let (admin, first) = invite(&app).await;
    let path = "/api/v1/admin/users/2/resend_invitation";
    app.post(path).cookie(&admin.cookie).send().await.expect(200);
    app.run_jobs().await;
    let second = links(&app, "grace@example.com").remove(1);
    assert_ne!(first, second);
    app.get(&first).send().await.expect(404);
    app.get(&second).send().await.expect(200);
    app.clock.advance(Span::minutes(7 * 24 * 60));
    app.get(&second).send().await.expect(404);
    app.post(&second).json(&json!({ "password": PASSWORD })).send().await.expect(404);
}

async fn who_is_shut_out_cannot_join(app: TestApp) {
    let (admin, link) = invite(&app).await;
    app.post("/api/v1/admin/users/2/deactivate").cookie(&admin.cookie).send().await.expect(200);
    app.get(&link).send().await.expect(404);
    app.post("/api/v1/admin/users/2/reactivate").cookie(&admin.cookie).send().await.expect(200);
    // The old link does not work any more; the user needs a new invitation.
    app.post(&link).json(&json!({ "password": PASSWORD })).send().await.expect(404);
}

async fn of_two_who_accept_at_once_one_does(app: TestApp) {
    let (_, link) = invite(&app).await;
    let mut work = tokio::task::JoinSet::new();
    for n in 0..8 {
        let body = json!({ "password": format!("{PASSWORD} {n}") });
        work.spawn(app.post(&link).json(&body).send());
    }
    let mut statuses: Vec<u16> = work.join_all().await.iter().map(|reply| reply.status.as_u16()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 404, 404, 404, 404, 404, 404, 404]);
}

async fn made_up_links_open_nothing(app: TestApp) {
    let (_, link) = invite(&app).await;
    let token = link.rsplit('/').next().unwrap();
    app.get(&format!("/account/invitations/{}", &token[1..])).send().await.expect(404);
    app.get("/account/invitations/x").send().await.expect(404);
    app.get("/account/invitations/%ff").send().await.expect(404);
    // A link works only for its own purpose.
    let body = json!({ "password": PASSWORD });
    app.post(&format!("/account/password_resets/{token}")).json(&body).send().await.expect(404);
}
