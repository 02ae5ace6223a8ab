//! Links in mails, for files that are too large to be attached.

use app::Delivery;
use app::jobs::{LeaseStatus, ReportMail};
use domain::{Role, Span};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::mail::{build, create, run};

on_both_engines!(a_link_stays_the_same_when_its_report_is_made_again);

async fn a_link_stays_the_same_when_its_report_is_made_again(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let id = create(&app, &user, &json!({})).await;
    let small = app.second_instance_with(|config| config.reports.max_attachment_mb = 0).await;
    let report = run(&small, &user, &id).await;
    build(&small).await;
    let lease = small.app.claim_job(&["report_mail"], "test", Span::minutes(5)).await.unwrap().unwrap();
    let job: ReportMail = lease.payload().unwrap();
    let link = async || {
        let found = small.app.find_report_email(&job, lease.enqueued_at()).await.unwrap().unwrap();
        match found.delivery {
            Delivery::Linked { token, expires_at, .. } => (token, expires_at),
            Delivery::Attached { .. } => panic!("a link"),
        }
    };
    let first = link().await;
    // The mail server is busy, and meanwhile the report is made again.
    small.clock.advance(Span::minutes(1));
    let path = format!("/api/v1/reports/{}/remake", report["id"]);
    small.post(&path).cookie(&user.cookie).send().await.expect(200);
    assert_eq!(small.run_jobs().await, 1);
    assert_eq!(link().await, first);
    let retried = small.app.retry_job(&lease, Span::ZERO, "the mail server is busy").await.unwrap();
    assert_eq!(retried, LeaseStatus::Held);
    assert_eq!(small.run_jobs().await, 1);
    let mails = small.mails();
    let [mail] = mails.as_slice() else { panic!("{mails:?}") };
    assert!(mail.text.contains(&format!("/links/reports/{}", first.0)), "{}", mail.text);
}
