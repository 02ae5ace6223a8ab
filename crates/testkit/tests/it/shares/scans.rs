//! Fair share of the threads that scan columns.

use domain::{BaseStationId, Span, TagId};
use http::Method;
use serde_json::{Value, json};
use testkit::{Engine, on_both_engines};

use super::{NoisyNeighbour, TwoBrands};

on_both_engines!(questions_to_columns_leave_a_turn_to_another_brand);

const PIVOT: &str = "/api/v2/advanced_insights/pivot";

fn wide_pivot() -> Value {
    json!({ "rows": ["machine", "pedestrian", "zone"], "measures": ["incursions", "median_duration"] })
}

/// The share itself is tested next to its code, `app/src/insights/columns/permits.rs`. This tests that questions take permits.
async fn questions_to_columns_leave_a_turn_to_another_brand(engine: Engine) {
    let of = TwoBrands::start(engine, |config| {
        config.analytics.column_wait_timeout_ms = 60_000;
        config.limits.analytics_per_minute = web::Quota(1_000_000);
        config.limits.write_per_minute = web::Quota(1_000_000);
    })
    .await;
    for (brand, count) in [("Greedy", 5_000_i64), ("Modest", 100)] {
        let facts = of.app.facts(brand).await;
        let from = of.app.clock.now() - Span::minutes(30 * 24 * 60);
        let rows = (0..count).map(|n| {
            facts.incursion(BaseStationId(1 + n % 50), TagId(1 + (n * 7) % 400), from + Span::minutes(n))
        });
        facts.add_incursions(rows.collect()).await;
    }
    let ask = async || of.app.post(PIVOT).bearer(&of.modest.jwt).json(&wide_pivot()).send().await;
    ask().await.expect(200);
    of.send(0, Method::POST, PIVOT, &wide_pivot()).await.expect(200);
    assert_eq!(of.app.app.column_cache_stats().0, 2, "columns answer");
    let mut greed = NoisyNeighbour::start(&of, 20, &Method::POST, PIVOT, &wide_pivot());
    greed.wait_until_answered().await;
    for _ in 0..30 {
        ask().await.expect(200);
    }
    assert!(!greed.has_ended());
    assert!(greed.stop().await > 0, "the greedy one gets its share too");
}
