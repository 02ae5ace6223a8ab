//! What the mails of schedules say, as text and as HTML.

use domain::Role;
use mail::Email;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

on_both_engines!(a_mail_with_a_file_is_known, a_german_mail_is_known, a_mail_with_a_link_is_known);

/// The address of the service in mails.
const BASE: &str = "http://127.0.0.1:8080";

/// Sets up a weekly report, has it made and mailed by an application, and returns the mail as it is read.
async fn mail_from(app: &TestApp, user: &Account, recipient: &str) -> String {
    let body = json!({
        "name": "Yard <weekly> & more", "kind": "incursions", "format": "csv", "cadence": "weekly", "weekday": 1,
        "time": "07:30", "recipients": [recipient], "paused": true,
    });
    let call = app.post("/api/v1/report_schedules").cookie(&user.cookie).json(&body);
    let schedule: Value = call.send().await.expect(201).json();
    let path = format!("/api/v1/report_schedules/{}/run", schedule["id"]);
    app.post(&path).cookie(&user.cookie).send().await.expect(201);
    app.run_jobs().await;
    let mails = app.mails();
    let [mail] = mails.as_slice() else { panic!("{mails:?}") };
    as_read(mail)
}

/// Returns everything that a reader sees of a mail. The secret of a link is left out.
fn as_read(mail: &Email) -> String {
    let attached: Vec<String> =
        mail.attachments.iter().map(|file| format!("{} ({})", file.name, file.content_type)).collect();
    let read = format!(
        "To: {} <{}>\nSubject: {}\nAttached: {}\n\n{}\n\n{}",
        mail.name.as_str(),
        mail.to,
        mail.subject,
        attached.join(", "),
        mail.text,
        mail.html
    );
    let links = format!("{BASE}/links/");
    match read.split_once(&links) {
        Some((_, rest)) => {
            let secret = rest.split([' ', '\r', '\n', '"', '<']).next().unwrap();
            assert!(secret.len() > 20, "{read}");
            read.replace(secret, "…")
        }
        None => read,
    }
}

async fn a_mail_with_a_file_is_known(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    insta::assert_snapshot!("attached", mail_from(&app, &user, "bob@example.com").await);
}

async fn a_german_mail_is_known(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let brand = app.patch("/api/v1/admin/brand").cookie(&admin.cookie).json(&json!({ "locale": "de-AT" }));
    brand.send().await.expect(200);
    insta::assert_snapshot!("german", mail_from(&app, &admin, "ada@example.com").await);
}

async fn a_mail_with_a_link_is_known(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let small = app.second_instance_with(|config| config.reports.max_attachment_mb = 0).await;
    insta::assert_snapshot!("linked", mail_from(&small, &user, "ada@example.com").await);
}
