//! Forms of other origins

use domain::Role;
use testkit::{PASSWORD, TestApp, on_both_engines};

use crate::console::{Page, form_body, open};

on_both_engines!(forms_of_other_origins_are_refused, pages_let_browsers_say_where_a_form_is_from);

const FORM: &str = "application/x-www-form-urlencoded";

async fn forms_of_other_origins_are_refused(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let path = "/settings/tester-devices";
    let send = async |path: &str, (name, value): (&str, &str), fields: &[(&str, &str)]| {
        let call = app.post(path).cookie(&ada.cookie).header("accept", "text/html").header(name, value);
        Page { reply: call.bytes(FORM, form_body(fields)).send().await }
    };
    let (device, login) = ([("name", "Gate 1")], [("email", "ada@example.com"), ("password", PASSWORD)]);
    let nothing: [(&str, &str); 0] = [];
    for from in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
    ] {
        let refused = send(path, from, &device[..]).await.expect(403);
        assert!(refused.says("a page of another site"), "{}", refused.text());
        // Nobody is signed in or out from elsewhere either.
        send("/sign-in", from, &login[..]).await.expect(403);
        send("/sign-out", from, &nothing[..]).await.expect(403);
    }
    open(&app, &ada.cookie, path).await.expect(200);
    for from in [("sec-fetch-site", "same-origin"), ("origin", "http://127.0.0.1:8080")] {
        send(path, from, &[("name", from.0)][..]).await.expect(303);
    }
    let list = app.get("/api/v1/admin/tester_devices").cookie(&ada.cookie).send().await.expect(200).json();
    assert_eq!(list["data"].as_array().map(Vec::len), Some(2));
}

/// With `no-referrer`, browsers would send `Origin: null`.
async fn pages_let_browsers_say_where_a_form_is_from(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    for (cookie, path, status) in
        [("", "/sign-in", 200), (ada.cookie.as_str(), "/settings", 200), ("", "/nothing/here", 404)]
    {
        let page = open(&app, cookie, path).await.expect(status);
        assert_eq!(page.reply.header("referrer-policy"), "same-origin", "{path}");
    }
}
