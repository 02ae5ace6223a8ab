//! Threads for arithmetic: outliers, charts, tracks.

use http::Method;
use serde_json::Value;
use testkit::{Engine, on_both_engines};

use super::{Greed, Neighbours};

on_both_engines!(arithmetic_of_one_brand_leaves_a_place_to_another);

const OUTLIERS: &str = "/api/v2/advanced_insights/outliers";

/// The share itself is tested beside its code, `app/src/insights/computing.rs`; here, that use cases ask for it.
async fn arithmetic_of_one_brand_leaves_a_place_to_another(engine: Engine) {
    let of = Neighbours::start(engine, |config| {
        config.analytics.wait_ms = 60_000;
        config.limits.analytics = web::Quota(1_000_000);
        config.limits.read = web::Quota(1_000_000);
    })
    .await;
    let mut greed = Greed::begin(&of, 20, &Method::GET, OUTLIERS, &Value::Null);
    greed.until_answered().await;
    for _ in 0..30 {
        of.app.get(OUTLIERS).bearer(&of.modest.jwt).send().await.expect(200);
    }
    assert!(!greed.has_ended());
    assert!(greed.end().await > 0, "the greedy one gets its share too");
}
