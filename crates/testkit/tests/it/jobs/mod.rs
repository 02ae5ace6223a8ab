//! Jobs: how they are enqueued, leased, retried and given up, and the effect of each kind.

mod accounts;
pub mod alerts;
mod platform;
mod reports;
mod video;

use domain::{EmailAddress, LinkPurpose, Role, Span, User, UserState};
use store::{AccountLink, NewJob};
use testkit::TestApp;

/// Lifetime of the links in these tests.
const LIFETIME: Span = Span::minutes(7 * 24 * 60);

/// Creates a user of "Acme" in this state.
async fn user(app: &TestApp, email: &str, state: UserState) -> User {
    app.create_user(email, Role::Member).await;
    let email = EmailAddress::parse(email).unwrap();
    app.app.set_access(&email, None, Some(state)).await.unwrap();
    let users = app.app.all_users(None).await.unwrap();
    users.into_iter().find(|user| user.email == email.as_str()).unwrap()
}

/// Issues a link, which enqueues its mail.
async fn issue(app: &TestApp, user: &User, purpose: LinkPurpose) -> AccountLink {
    issue_for(app, user, purpose, LIFETIME).await
}

async fn issue_for(app: &TestApp, user: &User, purpose: LinkPurpose, lifetime: Span) -> AccountLink {
    let mut tx = app.app.store.begin().await.unwrap();
    let link = app.app.issue_account_link(&mut tx, user, purpose, None, lifetime).await.unwrap();
    tx.commit().await.unwrap();
    link
}

async fn enqueue(app: &TestApp, kind: &'static str) {
    let (store, platform) = app.database().open().await;
    let mut tx = store.begin().await.unwrap();
    let now = app.clock.now();
    let new = NewJob { kind, payload: "{}", run_at: now, brand: None };
    tx.jobs(&platform).enqueue(&new, now).await.unwrap();
    tx.commit().await.unwrap();
}
