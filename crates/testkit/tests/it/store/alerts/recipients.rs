//! Whom rules notify.

use std::time::Duration;

use domain::{AlertRecipientId, AlertRuleId, NewRecipient};
use store::NewRule;
use testkit::{Engine, TestApp, on_both_engines};

use super::{ADA, BOB, Rows, address, at, rule};

on_both_engines!(
    recipients_are_unique_and_those_who_stay_keep_their_ids,
    who_unsubscribed_or_was_refused_stays_so_until_they_are_added_anew,
    an_erased_address_leaves_all_rules,
);

/// SQLite has one writer at a time.
#[test]
fn a_locked_user_can_become_a_recipient_on_postgresql() {
    testkit::run(Engine::Postgres, a_locked_user_can_become_a_recipient);
}

impl Rows {
    async fn recipients(&self, rule: AlertRuleId) -> Vec<domain::AlertRecipient> {
        let mut tx = self.store.read().await.unwrap();
        let found = tx.alert_rules(&self.scope).recipients(&[rule]).await.unwrap();
        found.into_iter().map(|(_, recipient)| recipient).collect()
    }
}

fn to(recipients: Vec<NewRecipient>) -> NewRule {
    NewRule { recipients, ..rule("Yard") }
}

/// Whoever deactivates a user, or adds an alert as one, locks the user and then the cursor of the brand. Whoever names that user as a
/// recipient holds the cursor, and must not wait for the user.
async fn a_locked_user_can_become_a_recipient(app: TestApp) {
    let rows = Rows::new(app).await;
    let id = rows.add(&to(vec![address("eve@example.com")])).await.id;
    let mut deactivating = rows.store.begin().await.unwrap();
    deactivating.users(&rows.platform).by_id_locked(BOB).await.unwrap().unwrap();
    let writing = async {
        rows.change(id, &to(vec![NewRecipient::User(BOB)])).await;
        rows.add(&to(vec![NewRecipient::User(BOB)])).await;
    };
    // Without an answer, each would wait for the other.
    tokio::time::timeout(Duration::from_secs(20), writing).await.unwrap();
    let orphaned = deactivating.alert_rules(&rows.scope).orphan(BOB, at(3)).await.unwrap();
    deactivating.commit().await.unwrap();
    assert_eq!(orphaned, []);
    assert_eq!(rows.recipients(id).await[0].user, Some(BOB));
}

async fn recipients_are_unique_and_those_who_stay_keep_their_ids(app: TestApp) {
    let rows = Rows::new(app).await;
    // Ada's own address is another recipient than Ada.
    let new = to(vec![
        address("ada@example.com"),
        NewRecipient::User(ADA),
        address("Eve@example.com"),
        address("eve@EXAMPLE.com"),
        NewRecipient::User(ADA),
    ]);
    let id = rows.add(&new).await.id;
    let before = rows.recipients(id).await;
    let shown: Vec<_> =
        before.iter().map(|one| (one.user, one.user_name.as_deref(), one.email.as_deref())).collect();
    assert_eq!(
        shown,
        [
            (None, None, Some("ada@example.com")),
            (Some(ADA), Some("ada"), None),
            (None, None, Some("Eve@example.com"))
        ]
    );
    rows.change(id, &to(vec![NewRecipient::User(BOB), NewRecipient::User(ADA), address("eve@example.com")]))
        .await;
    let after = rows.recipients(id).await;
    assert_eq!(after[..2], before[1..]);
    assert_eq!((after.len(), after[2].user), (3, Some(BOB)));
    let mut tx = rows.store.read().await.unwrap();
    let mut rules = tx.alert_rules(&rows.scope);
    assert_eq!(rules.recipient(before[1].id).await.unwrap(), Some((id, before[1].clone())));
    assert_eq!(rules.recipient(before[0].id).await.unwrap(), None);
    assert_eq!(rules.recipients(&[]).await.unwrap(), []);
    let other = rows.other_brand().await;
    assert_eq!(tx.alert_rules(&other).recipient(before[1].id).await.unwrap(), None);
}

async fn who_unsubscribed_or_was_refused_stays_so_until_they_are_added_anew(app: TestApp) {
    let rows = Rows::new(app).await;
    let both = to(vec![address("ada@example.com"), address("bob@example.com")]);
    let id = rows.add(&both).await.id;
    let before = rows.recipients(id).await;
    let (ada, bob) = (before[0].id, before[1].id);
    let mut tx = rows.store.begin().await.unwrap();
    let mut rules = tx.alert_rules(&rows.scope);
    assert!(rules.unsubscribe(ada, at(5)).await.unwrap());
    assert!(!rules.unsubscribe(ada, at(6)).await.unwrap(), "twice is the same");
    assert!(!rules.unsubscribe(AlertRecipientId(99), at(6)).await.unwrap());
    rules.refuse(bob, "550", at(7)).await.unwrap();
    rules.refuse(bob, "554", at(8)).await.unwrap();
    tx.commit().await.unwrap();
    let stored = rows.recipients(id).await;
    assert_eq!((stored[0].unsubscribed_at, stored[0].refused_at), (Some(at(5)), None));
    assert_eq!((stored[1].refused_at, stored[1].refused_reason.as_deref()), (Some(at(7)), Some("550")));
    assert_eq!(stored[1].unsubscribed_at, None);
    // Each change of what is shown moves the version once.
    assert_eq!(rows.find(id).await.version, 3);
    rows.change(id, &both).await;
    assert_eq!(rows.recipients(id).await, stored);
    rows.change(id, &to(vec![address("ada@example.com")])).await;
    rows.change(id, &both).await;
    let anew = rows.recipients(id).await;
    assert_eq!((&anew[0], anew[1].refused_at), (&stored[0], None));
    assert_ne!(anew[1].id, bob);
}

async fn an_erased_address_leaves_all_rules(app: TestApp) {
    let rows = Rows::new(app).await;
    let alone = rows.add(&to(vec![address("Eve@example.com")])).await.id;
    let shared = rows.add(&to(vec![address("eve@example.com"), NewRecipient::User(ADA)])).await.id;
    let untouched = rows.add(&to(vec![address("bob@example.com")])).await.id;
    let mut tx = rows.store.begin().await.unwrap();
    let mut rules = tx.alert_rules(&rows.scope);
    assert_eq!(rules.remove_address("eve@example.com", at(9)).await.unwrap(), 2);
    assert_eq!(rules.remove_address("eve@example.com", at(9)).await.unwrap(), 0);
    tx.commit().await.unwrap();
    for (id, recipients, version) in [(alone, 0, 2), (shared, 1, 2), (untouched, 1, 1)] {
        assert_eq!(rows.recipients(id).await.len(), recipients);
        assert_eq!(rows.find(id).await.version, version);
    }
}
