//! Counting refused logins.

use domain::Timestamp;
use testkit::{TestApp, on_both_engines};

on_both_engines!(refusals_are_counted_by_account_address_and_minute);

async fn refusals_are_counted_by_account_address_and_minute(app: TestApp) {
    let (store, platform) = app.database().open().await;
    let minute = |n: i64| Timestamp::from_seconds(60 * n);
    let mut tx = store.begin().await.unwrap();
    for (account, address, at) in
        [("ada", "a", minute(1)), ("ada", "a", minute(1)), ("ada", "b", minute(2)), ("bob", "a", minute(2))]
    {
        tx.login_refusals(&platform).add(account, address, at).await.unwrap();
    }
    let pressure = tx.login_refusals(&platform).pressure("ada", "a", (minute(0), minute(3))).await.unwrap();
    assert_eq!((pressure.from_address, pressure.from_anywhere), (2, 3));
    assert_eq!(pressure.last_minute, Some(minute(1)));
    let none = tx.login_refusals(&platform).pressure("eve", "a", (minute(0), minute(3))).await.unwrap();
    assert_eq!((none.from_address, none.from_anywhere, none.last_minute), (0, 0, None));

    tx.login_refusals(&platform).forgive("ada", "a").await.unwrap();
    let pressure = tx.login_refusals(&platform).pressure("ada", "a", (minute(0), minute(3))).await.unwrap();
    assert_eq!((pressure.from_address, pressure.from_anywhere), (0, 1));

    // Forgiven ones are taken up all the same: they happened. One that was withdrawn did not.
    tx.login_refusals(&platform).withdraw("bob", "a", minute(2)).await.unwrap();
    let taken = tx.login_refusals(&platform).take(minute(3), 100).await.unwrap();
    let taken: Vec<_> = taken.into_iter().map(|taken| (taken.account, taken.minute, taken.count)).collect();
    assert_eq!(taken, [("ada".to_owned(), minute(1), 2), ("ada".to_owned(), minute(2), 1)]);
    // What comes late to a minute that was taken up is taken up next time, and only that.
    tx.login_refusals(&platform).add("ada", "a", minute(1)).await.unwrap();
    let late = tx.login_refusals(&platform).take(minute(3), 100).await.unwrap();
    assert_eq!(late.iter().map(|late| late.count).collect::<Vec<_>>(), [1]);
    assert_eq!(tx.login_refusals(&platform).forget(minute(2)).await.unwrap(), 1);
}
