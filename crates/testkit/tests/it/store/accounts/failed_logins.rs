//! Counting failed logins.

use domain::Timestamp;
use testkit::{TestApp, on_both_engines};

on_both_engines!(refusals_are_counted_by_account_address_and_minute, waiting_is_counted_by_bucket);

async fn refusals_are_counted_by_account_address_and_minute(app: TestApp) {
    let (store, platform) = app.database().open().await;
    let minute = |n: i64| Timestamp::from_seconds(60 * n);
    let mut tx = store.begin().await.unwrap();
    for (account, address, at) in
        [("ada", "a", minute(1)), ("ada", "a", minute(1)), ("ada", "b", minute(2)), ("bob", "a", minute(2))]
    {
        tx.failed_logins(&platform).add(account, address, at).await.unwrap();
    }
    tx.failed_logins(&platform).forgive("ada", "a").await.unwrap();
    // Forgiven attempts are still audited, because they happened. A withdrawn attempt is not.
    tx.failed_logins(&platform).withdraw("bob", "a", minute(2)).await.unwrap();
    let taken = tx.failed_logins(&platform).take_unaudited(minute(3), 100).await.unwrap();
    let taken: Vec<_> = taken.into_iter().map(|taken| (taken.account, taken.minute, taken.count)).collect();
    assert_eq!(taken, [("ada".to_owned(), minute(1), 2), ("ada".to_owned(), minute(2), 1)]);
    // An attempt added later to an audited minute is audited the next time, and only that one.
    tx.failed_logins(&platform).add("ada", "a", minute(1)).await.unwrap();
    let late = tx.failed_logins(&platform).take_unaudited(minute(3), 100).await.unwrap();
    assert_eq!(late.iter().map(|late| late.count).collect::<Vec<_>>(), [1]);
    assert_eq!(tx.failed_logins(&platform).delete_audited(minute(2)).await.unwrap(), 1);
}

async fn waiting_is_counted_by_bucket(app: TestApp) {
    let (store, platform) = app.database().open().await;
    let minute = |n: i64| Timestamp::from_seconds(60 * n);
    let mut tx = store.begin().await.unwrap();
    // Ada and an unknown account share bucket 7.
    for (bucket, account, address, at) in [
        (7, "ada", "a", minute(1)),
        (7, "ada", "a", minute(1)),
        (7, "", "a", minute(1)),
        (7, "ada", "b", minute(2)),
        (8, "", "a", minute(2)),
        (7, "ada", "a", minute(9)),
    ] {
        tx.login_throttle(&platform).add(bucket, address, at).await.unwrap();
        tx.failed_logins(&platform).add(account, address, at).await.unwrap();
    }
    let pressure = tx.login_throttle(&platform).failed_attempts(7, "a", minute(0), minute(3)).await.unwrap();
    assert_eq!((pressure.from_address, pressure.from_anywhere), (3, 4), "and none of a later minute");
    assert_eq!(pressure.last_minute, Some(minute(1)));
    let none = tx.login_throttle(&platform).failed_attempts(9, "a", minute(0), minute(3)).await.unwrap();
    assert_eq!((none.from_address, none.from_anywhere, none.last_minute), (0, 0, None));

    // Ada's own attempts are forgiven, once.
    for _ in 0..2 {
        tx.login_throttle(&platform).forgive(7, "ada", "a").await.unwrap();
        tx.failed_logins(&platform).forgive("ada", "a").await.unwrap();
        let pressure =
            tx.login_throttle(&platform).failed_attempts(7, "a", minute(0), minute(3)).await.unwrap();
        assert_eq!((pressure.from_address, pressure.from_anywhere), (1, 2));
    }
    assert_eq!(tx.login_throttle(&platform).delete_outside(minute(2), minute(3)).await.unwrap(), 2);
}
