//! /password-resets

use domain::{Role, Span};
use testkit::{TestApp, on_both_engines};

use crate::account::links;
use crate::console::{open, submit};

on_both_engines!(
    a_forgotten_password_is_replaced,
    the_answer_does_not_tell_who_has_an_account,
    a_link_that_is_over_offers_another,
    strangers_send_small_forms,
);

const PATH: &str = "/password-resets";
const NEW_PASSWORD: &str = "seven grey otters row";

/// Asks for a link and returns the page that the mail links to.
async fn request_reset(app: &TestApp, email: &str) -> String {
    submit(app, "", PATH, &[("email", email)]).await.expect(303);
    app.run_jobs().await;
    let link = links(app, email).pop().unwrap();
    link.replace("/account/password_resets/", "/password-resets/")
}

async fn a_forgotten_password_is_replaced(app: TestApp) {
    let grace = app.sign_in_new_user("grace@example.com", Role::Member).await;
    assert!(open(&app, "", "/sign-in").await.expect(200).links().contains(&PATH.to_owned()));
    let link = request_reset(&app, "grace@example.com").await;
    open(&app, "", &link).await.expect(200);
    let page = submit(&app, "", &link, &[("password", "short")]).await.expect(422);
    assert!(page.fault("password").is_some() && page.field("password").as_deref() == Some(""));
    // Nothing changes until then.
    open(&app, &grace.cookie, "/settings").await.expect(200);
    let done = submit(&app, "", &link, &[("password", NEW_PASSWORD)]).await.expect(303);
    assert_eq!(done.location(), "/sign-in");
    app.run_jobs().await;
    open(&app, &grace.cookie, "/settings").await.expect(303);
    app.log_in_v1("grace@example.com", testkit::PASSWORD).await.expect(401);
    app.log_in_v1("grace@example.com", NEW_PASSWORD).await.expect(201);
    submit(&app, "", &link, &[("password", testkit::PASSWORD)]).await.expect(404);
}

async fn the_answer_does_not_tell_who_has_an_account(app: TestApp) {
    app.create_user("grace@example.com", Role::Member).await;
    let mut places = Vec::new();
    for email in ["grace@example.com", "nobody@example.com"] {
        places.push(submit(&app, "", PATH, &[("email", email)]).await.expect(303).location());
    }
    app.run_jobs().await;
    assert_eq!(places[0], places[1]);
    assert_eq!(app.mails().len(), 1);
    assert!(open(&app, "", &places[0]).await.expect(200).says("Check your mail"));
    for wrong in ["", "x", "a@b\r\nBcc: c@d"] {
        let page = submit(&app, "", PATH, &[("email", wrong)]).await.expect(422);
        assert!(page.fault("email").is_some(), "{wrong}");
    }
}

async fn a_link_that_is_over_offers_another(app: TestApp) {
    app.create_user("grace@example.com", Role::Member).await;
    let link = request_reset(&app, "grace@example.com").await;
    app.clock.advance(Span::minutes(60));
    for path in [link.as_str(), "/password-resets/x"] {
        let page = open(&app, "", path).await.expect(404);
        assert!(page.says("This link cannot be used") && page.links().contains(&PATH.to_owned()));
        submit(&app, "", path, &[("password", NEW_PASSWORD)]).await.expect(404);
    }
}

async fn strangers_send_small_forms(app: TestApp) {
    let long = "x".repeat(70_000);
    submit(&app, "", PATH, &[("email", &long)]).await.expect(413);
}
