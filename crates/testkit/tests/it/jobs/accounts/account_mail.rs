//! Mails with links: invitations and password resets.

use domain::{EmailAddress, LinkPurpose, Role, Span, UserState};
use serde_json::Value;
use testkit::{TestApp, on_both_engines};

use crate::jobs::{LIFETIME, issue, issue_for, user};

on_both_engines!(
    an_invitation_is_mailed_when_its_transaction_commits,
    the_link_of_a_mail_opens_once,
    a_password_reset_is_mailed_to_those_who_may_sign_in,
    what_has_no_reason_left_is_not_mailed,
    a_link_ends_those_before_it,
    whether_an_address_is_taken_is_found_by_an_index,
);

/// Returns the token in a mail's link.
fn link_secret(text: &str, page: &str) -> String {
    let (_, rest) = text.split_once(&format!("/{page}/")).unwrap_or_else(|| panic!("{text}"));
    rest.split_whitespace().next().unwrap().to_owned()
}

async fn mail_sent_audit_rows(app: &TestApp, admin_cookie: &str) -> Vec<Value> {
    let log =
        app.get("/api/v1/admin/audit_log?action=mail.sent").cookie(admin_cookie).send().await.expect(200);
    log.json()["data"].as_array().unwrap().clone()
}

async fn an_invitation_is_mailed_when_its_transaction_commits(app: TestApp) {
    let admin = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    let inviter = app.app.all_users(None).await.unwrap().remove(0);
    let ada = user(&app, "ada@example.com", UserState::Invited).await;
    let issue = async |commit: bool| {
        let mut tx = app.app.store.begin().await.unwrap();
        let purpose = LinkPurpose::Invitation;
        app.app.issue_account_link(&mut tx, &ada, purpose, Some(inviter.id), LIFETIME).await.unwrap();
        if commit {
            tx.commit().await.unwrap();
        }
    };
    issue(false).await;
    assert_eq!(app.run_jobs().await, 0, "what was not committed was not enqueued");
    issue(true).await;
    assert_eq!(app.run_jobs().await, 1);
    let mails = app.mails();
    let [mail] = mails.as_slice() else { panic!("{mails:?}") };
    assert_eq!((mail.to.as_str(), mail.name.as_str()), ("ada@example.com", "ada"));
    assert_eq!(mail.subject, "Your invitation to Acme");
    assert!(
        mail.text.contains("bob has invited you to join Acme on Keepclear as a member."),
        "{}",
        mail.text
    );
    assert!(mail.text.contains("until 8 March 2026, 12:00 (UTC)"), "{}", mail.text);
    let link = format!("http://127.0.0.1:8080/invitations/{}", link_secret(&mail.text, "invitations"));
    assert!(mail.text.contains(&link) && mail.html.contains(&link));

    let rows = mail_sent_audit_rows(&app, &admin.cookie).await;
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["details"]["mail"], "invitation");
    assert_eq!(rows[0]["target"]["id"], ada.id.0);
    assert_eq!(app.run_jobs().await, 0, "it is sent once");
}

async fn the_link_of_a_mail_opens_once(app: TestApp) {
    let ada = user(&app, "ada@example.com", UserState::Invited).await;
    let link = issue(&app, &ada, LinkPurpose::Invitation).await;
    app.run_jobs().await;
    let secret = link_secret(&app.mails()[0].text, "invitations");
    assert_eq!(secret, app.app.account_link_secret(&link));
    let (store, platform) = app.database().open().await;
    let mut tx = store.begin().await.unwrap();
    let found = async |tx: &mut _, purpose, secret: &str| {
        app.app.lock_live_account_link(tx, purpose, secret).await.unwrap().map(|link| link.id)
    };
    assert_eq!(found(&mut tx, LinkPurpose::Invitation, &secret).await, Some(link.id));
    assert_eq!(found(&mut tx, LinkPurpose::PasswordReset, &secret).await, None, "for another purpose");
    assert_eq!(found(&mut tx, LinkPurpose::Invitation, "guess").await, None);
    assert!(tx.account_links(&platform).mark_used(link.id, app.clock.now()).await.unwrap());
    assert!(!tx.account_links(&platform).mark_used(link.id, app.clock.now()).await.unwrap());
    assert_eq!(found(&mut tx, LinkPurpose::Invitation, &secret).await, None, "used");
    drop(tx);
    app.clock.advance(LIFETIME);
    let mut tx = store.begin().await.unwrap();
    assert_eq!(found(&mut tx, LinkPurpose::Invitation, &secret).await, None, "over");
    assert!(tx.account_links(&platform).find(link.id).await.unwrap().is_some());
    // The link has expired a month later.
    drop(tx);
    app.clock.advance(Span::minutes(31 * 24 * 60));
    app.app.delete_expired().await.unwrap();
    assert!(store.read().await.unwrap().account_links(&platform).find(link.id).await.unwrap().is_none());
}

async fn a_password_reset_is_mailed_to_those_who_may_sign_in(app: TestApp) {
    let ada = user(&app, "ada@example.com", UserState::Active).await;
    issue(&app, &ada, LinkPurpose::PasswordReset).await;
    app.run_jobs().await;
    let mails = app.mails();
    assert_eq!(mails[0].subject, "A new password for Acme");
    assert_eq!(
        link_secret(&mails[0].text, "password-resets"),
        link_secret(&mails[0].html.replace('"', " "), "password-resets")
    );
}

async fn what_has_no_reason_left_is_not_mailed(app: TestApp) {
    let (store, platform) = app.database().open().await;
    let ada = user(&app, "ada@example.com", UserState::Invited).await;
    // Used before the mail is sent.
    let link = issue(&app, &ada, LinkPurpose::Invitation).await;
    let mut tx = store.begin().await.unwrap();
    assert!(tx.account_links(&platform).mark_used(link.id, app.clock.now()).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(app.run_jobs().await, 1);
    // Expired before the mail is sent.
    issue_for(&app, &ada, LinkPurpose::Invitation, Span::minutes(5)).await;
    app.clock.advance(Span::minutes(5));
    assert_eq!(app.run_jobs().await, 1);
    // The user is no longer invited, or no longer active.
    issue(&app, &ada, LinkPurpose::Invitation).await;
    let email = EmailAddress::parse("ada@example.com").unwrap();
    app.app.set_access(&email, None, Some(UserState::Active)).await.unwrap();
    assert_eq!(app.run_jobs().await, 1);
    issue(&app, &ada, LinkPurpose::PasswordReset).await;
    app.app.set_access(&email, None, Some(UserState::Deactivated)).await.unwrap();
    assert_eq!(app.run_jobs().await, 1);
    assert!(app.mails().is_empty());
}

async fn a_link_ends_those_before_it(app: TestApp) {
    let ada = user(&app, "ada@example.com", UserState::Invited).await;
    let first = issue(&app, &ada, LinkPurpose::Invitation).await;
    let second = issue(&app, &ada, LinkPurpose::Invitation).await;
    assert_eq!(app.run_jobs().await, 2);
    let mails = app.mails();
    assert_eq!(mails.len(), 1, "only the second link is mailed");
    assert_eq!(link_secret(&mails[0].text, "invitations"), app.app.account_link_secret(&second));
    assert_ne!(app.app.account_link_secret(&first), app.app.account_link_secret(&second));
}

async fn whether_an_address_is_taken_is_found_by_an_index(app: TestApp) {
    let ada = user(&app, "ada@example.com", UserState::Invited).await;
    let link = issue(&app, &ada, LinkPurpose::Invitation).await;
    app.run_jobs().await;
    let numbers = "with recursive n (n) as (select 1 union all select n + 1 from n where n < 5000)";
    let many = format!(
        "insert into users (brand_id, email, email_key, name, name_key, role, state, restricted, created_at, updated_at)
         {numbers} select {}, 'u' || n || '@example.com', 'u' || n || '@example.com', 'U', 'u', 'viewer', 'active', false, 0, 0 from n;
         analyze users",
        ada.brand
    );
    testkit::execute_raw_sql(app.database(), &many).await.unwrap();
    let (store, platform) = app.database().open().await;
    let plan = store.read().await.unwrap().account_links(&platform).explain_details(link.id).await.unwrap();
    let is_whole = |line: &&String| line.contains("SCAN o") || line.contains("Seq Scan on users o");
    assert_eq!(plan.iter().find(is_whole), None, "{plan:#?}");
}
