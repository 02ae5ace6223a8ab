//! GPS positions.

use domain::BaseStationId;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::BerlinYard;

on_both_engines!(fixes_come_to_one_track_in_any_order);

async fn fixes_come_to_one_track_in_any_order(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let fix = |second: i64| {
        let at = format!("2026-03-01T08:{:02}:{:02}Z", second / 60, second % 60);
        json!([at, 52.5 + second as f64 * 1e-5, 13.4, 7.4, 358, 2.4])
    };
    let event = |uid: &str, seconds: Vec<i64>| {
        let fixes: Vec<Value> = seconds.into_iter().map(fix).collect();
        json!({ "uid": uid, "kind": "gps", "fixes": fixes })
    };
    // Across the boundary of a quarter hour, the later half first.
    let (early, late) = (event("1", (800..900).collect()), event("2", (850..1_000).rev().collect()));
    assert_eq!(yard.send_accepted(json!([late])).await, (1, 0));
    assert_eq!(yard.send_accepted(json!([early, late])).await, (1, 1));
    assert_eq!(yard.send_accepted(json!([event("again", vec![810, 990])])).await, (0, 1));
    let (store, scope) = yard.store_and_scope().await;
    let mut tx = store.read().await.unwrap();
    let mut sizes = tx.gps_chunks(&scope).sizes_in(&[(BaseStationId(1), 0, i64::MAX)]).await.unwrap();
    sizes.sort_by_key(|chunk| chunk.quarter);
    assert_eq!(sizes.iter().map(|chunk| chunk.fixes).collect::<Vec<_>>(), [100, 100]);
    let keys: Vec<_> = sizes.iter().map(|chunk| (chunk.base_station, chunk.quarter)).collect();
    let mut chunks = tx.gps_chunks(&scope).find_many(&keys).await.unwrap();
    chunks.sort_by_key(|chunk| chunk.quarter);
    let fixes: Vec<_> = chunks.iter().flat_map(|chunk| tracks::decode(&chunk.bytes).unwrap()).collect();
    let seconds: Vec<i64> = fixes.iter().map(|fix| fix.at_ms / 1_000 % 3_600).collect();
    assert_eq!(seconds, (800..1_000).collect::<Vec<_>>());
    let first = fixes[0];
    assert_eq!((first.lat_e6, first.lon_e6), (52_508_000, 13_400_000));
    assert_eq!((first.speed_half_kmh, first.heading_5deg, first.accuracy_m), (Some(15), Some(0), Some(2)));
}
