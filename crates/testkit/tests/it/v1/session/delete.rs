//! DELETE /api/v1/session

use domain::{Role, Span};
use testkit::{TestApp, on_both_engines};

on_both_engines!(
    logging_out_kills_the_cookie,
    others_see_a_logout_within_a_second,
    a_new_password_ends_every_session
);

async fn logging_out_kills_the_cookie(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let reply = app.delete("/api/v1/session").cookie(&ada.cookie).send().await.expect(200);
    assert!(reply.header("set-cookie").starts_with("keepclear_session=; "));
    assert!(reply.header("set-cookie").ends_with("; Max-Age=0"));
    assert_eq!(reply.header("clear-site-data"), "\"cache\", \"storage\"");
    assert_eq!(reply.json()["ended_at"], "2026-03-01T12:00:30Z");
    app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(401);
    app.delete("/api/v1/session").cookie(&ada.cookie).send().await.expect(401);
    // The other session of the same user stays valid.
    app.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(200);
}

async fn others_see_a_logout_within_a_second(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let other = app.second_instance().await;
    other.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(200);
    other.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(200);
    app.delete("/api/v1/session").cookie(&ada.cookie).send().await.expect(200);
    app.delete("/api/v2/session").bearer(&ada.jwt).send().await.expect(200);
    app.clock.advance(Span::seconds(1));
    other.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(401);
    other.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(401);
}

async fn a_new_password_ends_every_session(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let email = domain::EmailAddress::parse(&ada.email).unwrap();
    app.app
        .set_password(&email, "another wagon full of plums", app::PasswordLifetime::Permanent)
        .await
        .unwrap();
    app.run_jobs().await;
    app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(401);
    app.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(401);
    app.log_in_v1(&ada.email, testkit::PASSWORD).await.expect(401);
    app.log_in_v1(&ada.email, "another wagon full of plums").await.expect(201);
    let refused =
        app.app.set_password(&email, "password1234", app::PasswordLifetime::Permanent).await.unwrap_err();
    assert_eq!(refused.fields[0].invalid.code, "password_too_common");
}
