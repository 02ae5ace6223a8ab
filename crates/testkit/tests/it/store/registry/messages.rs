//! Message receipts may arrive in any order.

use domain::event::ReceiptState::{self, Acknowledged, Delivered, Displayed};
use domain::{BaseStationId, MessageId, MessageText, PageRequest, Role, Timestamp, UserId};
use store::Projects;
use testkit::{TestApp, on_both_engines};

on_both_engines!(
    the_earliest_time_of_each_state_counts_in_any_order,
    a_receipt_finds_its_own_stations_message
);

/// Creates a station of Acme with a message, and another station.
async fn with_message(app: &TestApp) -> (store::Store, store::Scope) {
    app.create_user("ada@example.com", Role::Admin).await;
    let (store, platform) = app.database().open().await;
    let scope = platform.scope(app.ensure_brand("Acme").await.id, Projects::All);
    let insert = "insert into base_stations (brand_id, serial, serial_key, cameras, created_at, updated_at)
        values (1, 'A', 'a', '[]', 1, 1), (1, 'B', 'b', '[]', 1, 1)";
    testkit::execute_raw_sql(app.database(), insert).await.unwrap();
    let (text, at) = (MessageText::parse("Stop").unwrap(), Timestamp::from_seconds);
    let mut tx = store.begin().await.unwrap();
    tx.messages(&scope).add(BaseStationId(1), &text, UserId(1), (at(0), at(1_000))).await.unwrap();
    tx.commit().await.unwrap();
    (store, scope)
}

fn permutations(items: &[(ReceiptState, i64)]) -> Vec<Vec<(ReceiptState, i64)>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for index in 0..items.len() {
        let mut rest = items.to_vec();
        let first = rest.remove(index);
        all.extend(permutations(&rest).into_iter().map(|rest| [vec![first], rest].concat()));
    }
    all
}

async fn the_earliest_time_of_each_state_counts_in_any_order(app: TestApp) {
    let (store, scope) = with_message(&app).await;
    for (receipts, expected) in [
        (&[(Delivered, 10)][..], [Some(10), None, None]),
        (&[(Displayed, 20)], [Some(20), Some(20), None]),
        (&[(Acknowledged, 30)], [Some(30), Some(30), Some(30)]),
        (&[(Delivered, 10), (Displayed, 20), (Acknowledged, 30)], [Some(10), Some(20), Some(30)]),
        (&[(Delivered, 10), (Delivered, 5), (Displayed, 20)], [Some(5), Some(20), None]),
        // A station whose clock was set back.
        (&[(Delivered, 50), (Displayed, 20), (Acknowledged, 30)], [Some(20), Some(20), Some(30)]),
    ] {
        for order in permutations(receipts) {
            let reset =
                "update messages set delivered_at = null, displayed_at = null, acknowledged_at = null";
            testkit::execute_raw_sql(app.database(), reset).await.unwrap();
            let mut tx = store.begin().await.unwrap();
            for (state, at) in &order {
                let at = Timestamp::from_seconds(*at);
                let found =
                    tx.messages(&scope).record_receipt(BaseStationId(1), MessageId(1), *state, at).await;
                assert!(found.unwrap());
            }
            let all = PageRequest { limit: 10, after: None };
            let station = tx.visible_stations(&scope, &[BaseStationId(1)]).await.unwrap().remove(0);
            let progress = tx.messages(&scope).page(&station, &all).await.unwrap().rows[0].progress;
            tx.commit().await.unwrap();
            let seconds = |at: Option<Timestamp>| at.map(Timestamp::seconds);
            let times = [progress.delivered_at, progress.displayed_at, progress.acknowledged_at];
            assert_eq!(times.map(seconds), expected, "{order:?}");
        }
    }
}

async fn a_receipt_finds_its_own_stations_message(app: TestApp) {
    let (store, scope) = with_message(&app).await;
    let at = Timestamp::from_seconds(10);
    let mut tx = store.begin().await.unwrap();
    assert!(
        !tx.messages(&scope).record_receipt(BaseStationId(2), MessageId(1), Delivered, at).await.unwrap()
    );
    assert!(
        !tx.messages(&scope).record_receipt(BaseStationId(1), MessageId(2), Delivered, at).await.unwrap()
    );
    assert_eq!(tx.messages(&scope).pending(None, at, 10).await.unwrap().len(), 1);
    assert!(tx.messages(&scope).record_receipt(BaseStationId(1), MessageId(1), Delivered, at).await.unwrap());
    assert_eq!(tx.messages(&scope).pending(None, at, 10).await.unwrap().len(), 0);
}
