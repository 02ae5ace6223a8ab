//! Forms in general: a session that ends in the middle of one, and clicks at the same moment

use domain::Role;
use testkit::{Account, PASSWORD, TestApp, on_both_engines};

use crate::console::{Page, form_body, open, submit};

on_both_engines!(
    a_form_comes_back_after_signing_in_and_is_not_acted_upon,
    passwords_are_not_kept,
    a_button_is_not_pressed_again,
    programs_are_refused,
    clicks_at_the_same_moment_create_one_and_lead_to_it,
);

const PATH: &str = "/settings/tester-devices";

/// An admin whose session has ended.
async fn signed_out_admin(app: &TestApp) -> Account {
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.delete("/api/v1/session").cookie(&ada.cookie).send().await.expect(200);
    ada
}

async fn count_devices(app: &TestApp, cookie: &str) -> usize {
    let list = app.get("/api/v1/admin/tester_devices").cookie(cookie).send().await.expect(200).json();
    list["data"].as_array().unwrap().len()
}

async fn a_form_comes_back_after_signing_in_and_is_not_acted_upon(app: TestApp) {
    let ada = signed_out_admin(&app).await;
    let typed = [("name", "Gate \"1\" & <2>"), ("serial", "KT-1"), ("worksite_id", ""), ("_once", "abc")];
    let over = submit(&app, &ada.cookie, &format!("{PATH}?q=gate"), &typed).await.expect(401);
    assert!(over.says("Your session is over"), "{}", over.text());
    let carried = [over.field("_next").unwrap(), over.field("_form").unwrap()];
    assert_eq!(carried[0], format!("{PATH}?q=gate"));
    let sign_in = async |password: &str| {
        let fields = [
            ("email", "ada@example.com"),
            ("password", password),
            ("_next", carried[0].as_str()),
            ("_form", carried[1].as_str()),
        ];
        submit(&app, "", "/sign-in", &fields).await
    };
    // A wrong password loses nothing.
    let wrong = sign_in("wrong wagon sixty tiles").await.expect(401);
    assert_eq!((wrong.field("_next"), wrong.field("_form")), (over.field("_next"), over.field("_form")));
    let again = sign_in(PASSWORD).await.expect(200);
    assert!(again.says("You are signed in again") && again.says("Back to your form"), "{}", again.text());
    for (name, value) in typed {
        assert_eq!(again.field(name).as_deref(), Some(value), "{name}");
    }
    let cookie = again.reply.session_cookie();
    let resumed: Vec<_> = typed.into_iter().chain([("_resumed", "1")]).collect();
    let page = submit(&app, &cookie, &carried[0], &resumed).await.expect(200);
    assert_eq!(page.field("name").as_deref(), Some("Gate \"1\" & <2>"));
    assert_eq!((page.field("serial").as_deref(), page.fault("name")), (Some("KT-1"), None));
    assert_eq!(count_devices(&app, &cookie).await, 0);
    submit(&app, &cookie, &carried[0], &typed).await.expect(303);
    assert_eq!(count_devices(&app, &cookie).await, 1);
}

async fn passwords_are_not_kept(app: TestApp) {
    let ada = signed_out_admin(&app).await;
    let secrets = [("_password", PASSWORD), ("_otp", "123456"), ("new_password", "s3cret words")];
    let typed: Vec<_> = [("name", "Gate 1")].into_iter().chain(secrets).collect();
    let over = submit(&app, &ada.cookie, PATH, &typed).await.expect(401);
    let html = over.reply.text();
    for secret in ["plum", "123456", "s3cret"] {
        assert!(!html.contains(secret), "{html}");
    }
    assert!(over.field("_form").is_some_and(|form| form.contains("Gate")));
}

async fn a_button_is_not_pressed_again(app: TestApp) {
    let ada = signed_out_admin(&app).await;
    let page = format!("{PATH}/1");
    let call = app.post(&format!("{page}/token/revoke")).cookie(&ada.cookie).header("accept", "text/html");
    let call = call.header("referer", &format!("http://127.0.0.1:8080{page}"));
    let call = call.bytes("application/x-www-form-urlencoded", form_body(&[("_version", "3")]));
    let over = Page { reply: call.send().await }.expect(401);
    assert_eq!((over.field("_next"), over.field("_form")), (Some(page.clone()), Some(String::new())));
    let fields =
        [("email", "ada@example.com"), ("password", PASSWORD), ("_next", page.as_str()), ("_form", "")];
    assert_eq!(submit(&app, "", "/sign-in", &fields).await.expect(303).location(), page);
}

async fn programs_are_refused(app: TestApp) {
    let body = form_body(&[("name", "Gate 1")]);
    let call = app.post(PATH).bytes("application/x-www-form-urlencoded", body);
    assert_eq!(call.send().await.expect(401).code(), "credentials_missing");
    open(&app, "", PATH).await.expect(303);
}

async fn clicks_at_the_same_moment_create_one_and_lead_to_it(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let body =
        form_body(&[("name", "Gate 1"), ("serial", "KT-1"), ("worksite_id", ""), ("_once", "same-moment")]);
    let mut work = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let click = app.post(PATH).cookie(&ada.cookie).header("accept", "text/html");
        let click = click.header("sec-fetch-site", "same-origin");
        work.spawn(click.bytes("application/x-www-form-urlencoded", body.clone()).send());
    }
    for reply in work.join_all().await {
        let page = Page { reply }.expect(303);
        assert_eq!(page.location(), format!("{PATH}/1"));
    }
    assert_eq!(count_devices(&app, &ada.cookie).await, 1);
}
