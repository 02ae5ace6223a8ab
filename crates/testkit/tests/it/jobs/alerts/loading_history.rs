//! While the history of a brand is being loaded nobody is told of the past.

use app::LoadingHistory;
use domain::{BrandId, Day};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::world::AlertWorld;

on_both_engines!(history_that_is_being_loaded_raises_no_alarms);

async fn history_that_is_being_loaded_raises_no_alarms(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let brand = BrandId(1);
    let above = world.rule(&json!({})).await;
    let complete_from = Day::parse("2026-02-22").unwrap();
    world.app.app.note_loading_history(brand, LoadingHistory { complete_from, percent: 8 });
    world.incursions(1, 5).await;
    for _ in 0..3 {
        assert_eq!(world.evaluate().await.brands, 0);
        assert!(world.mails().await.is_empty());
        assert!(world.firings(above).await.is_empty());
        world.advance_minutes(1);
    }
    // What still holds when everything is there is told then.
    world.app.app.note_complete_history(brand);
    assert_eq!(world.mails().await.len(), 1);
    assert_eq!(world.firings(above).await.len(), 1);
}
