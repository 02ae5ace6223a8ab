//! /invitations/{token}

use domain::{Role, Span};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use crate::account::links;
use crate::console::{open, submit};

on_both_engines!(
    an_invitation_is_accepted_once_and_leads_to_signing_in,
    a_weak_password_is_refused_beside_its_field,
    a_link_that_is_over_says_what_to_do,
    of_two_brands_one_gets_the_address,
);

const PASSWORD: &str = "seven grey otters row";

/// Invites Grace to a brand and returns the page that the mail links to.
async fn invite(app: &TestApp, brand: &str, admin: &str) -> String {
    let admin = app.sign_in_new_user_in_brand(brand, admin, Role::Admin).await;
    let new = json!({ "email": "grace@example.com", "name": "Grace", "role": "member" });
    app.post("/api/v1/admin/users").cookie(&admin.cookie).json(&new).send().await.expect(201);
    app.run_jobs().await;
    let link = links(app, "grace@example.com").pop().unwrap();
    link.replace("/account/invitations/", "/invitations/")
}

async fn an_invitation_is_accepted_once_and_leads_to_signing_in(app: TestApp) {
    let link = invite(&app, "<b>Acme</b> & Co", "ada@example.com").await;
    let page = open(&app, "", &link).await.expect(200);
    assert!(page.says("Join <b>Acme</b> & Co") && page.says("as member"), "{}", page.text());
    assert!(page.says("grace@example.com") && page.says("valid until"), "{}", page.text());
    assert_eq!(page.field("name").as_deref(), Some("Grace"));
    assert_eq!(page.reply.header("cache-control"), "no-store");
    let fields = [("name", "Grace Hopper"), ("password", PASSWORD)];
    let accepted = submit(&app, "", &link, &fields).await.expect(303);
    // Addresses stay in histories and logs, so it has no email.
    assert_eq!(accepted.location(), "/sign-in");
    open(&app, "", &accepted.location()).await.expect(200);
    let who = app.log_in_v1("grace@example.com", PASSWORD).await.expect(201).json();
    assert_eq!((&who["user"]["name"], &who["user"]["role"]), (&json!("Grace Hopper"), &json!("member")));
    assert!(open(&app, "", &link).await.expect(404).says("This invitation cannot be used"));
    submit(&app, "", &link, &fields).await.expect(404);
}

async fn a_weak_password_is_refused_beside_its_field(app: TestApp) {
    let link = invite(&app, "Acme", "ada@example.com").await;
    for weak in ["", "short", "password1234", "grace@example.com"] {
        let fields = [("name", "Grace H."), ("password", weak)];
        let page = submit(&app, "", &link, &fields).await.expect(422);
        assert!(page.fault("password").is_some() && page.fault("name").is_none(), "{weak}: {}", page.text());
        let shown = (page.field("name"), page.field("password"));
        assert_eq!(shown, (Some("Grace H.".to_owned()), Some(String::new())));
    }
    // Blanks belong to a password. Without a name, that of the invitation stays.
    let spaced = format!(" {PASSWORD} ");
    submit(&app, "", &link, &[("name", ""), ("password", &spaced)]).await.expect(303);
    app.log_in_v1("grace@example.com", PASSWORD).await.expect(401);
    assert_eq!(app.log_in_v1("grace@example.com", &spaced).await.expect(201).json()["user"]["name"], "Grace");
}

async fn a_link_that_is_over_says_what_to_do(app: TestApp) {
    let link = invite(&app, "Acme", "ada@example.com").await;
    let longer = format!("{link}x");
    for made_up in ["/invitations/x", "/invitations/%ff", longer.as_str()] {
        open(&app, "", made_up).await.expect(404);
    }
    app.clock.advance(Span::minutes(7 * 24 * 60));
    let page = open(&app, "", &link).await.expect(404);
    assert!(page.says("Ask whoever invited you") && page.links().contains(&"/sign-in".to_owned()));
}

async fn of_two_brands_one_gets_the_address(app: TestApp) {
    let first = invite(&app, "Acme", "ada@example.com").await;
    let second = invite(&app, "Other", "eve@example.com").await;
    assert_ne!(first, second);
    let fields = [("name", ""), ("password", PASSWORD)];
    submit(&app, "", &first, &fields).await.expect(303);
    assert!(open(&app, "", &second).await.expect(409).says("already has an account"));
    submit(&app, "", &second, &fields).await.expect(409);
}
