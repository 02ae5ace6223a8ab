//! Fair share of the threads for computing outliers, charts and tracks.

use http::Method;
use serde_json::Value;
use testkit::{Engine, on_both_engines};

use super::{NoisyNeighbour, TwoBrands};

on_both_engines!(arithmetic_of_one_brand_leaves_a_place_to_another);

const OUTLIERS: &str = "/api/v2/advanced_insights/outliers";

/// The share itself is tested next to its code, `app/src/insights/compute_pool.rs`. This tests that use cases take permits.
async fn arithmetic_of_one_brand_leaves_a_place_to_another(engine: Engine) {
    let of = TwoBrands::start(engine, |config| {
        config.analytics.column_wait_timeout_ms = 60_000;
        config.limits.analytics_per_minute = web::Quota(1_000_000);
        config.limits.read_per_minute = web::Quota(1_000_000);
    })
    .await;
    let mut greed = NoisyNeighbour::start(&of, 20, &Method::GET, OUTLIERS, &Value::Null);
    greed.wait_until_answered().await;
    for _ in 0..30 {
        of.app.get(OUTLIERS).bearer(&of.modest.jwt).send().await.expect(200);
    }
    assert!(!greed.has_ended());
    assert!(greed.stop().await > 0, "the greedy one gets its share too");
}
