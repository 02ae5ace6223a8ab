//! Threads that look through columns.

use domain::{BaseStationId, Span, TagId};
use http::Method;
use serde_json::{Value, json};
use testkit::{Engine, on_both_engines};

use super::{Greed, Neighbours};

on_both_engines!(questions_to_columns_leave_a_turn_to_another_brand);

const PIVOT: &str = "/api/v2/advanced_insights/pivot";

fn wide() -> Value {
    json!({ "rows": ["machine", "pedestrian", "zone"], "measures": ["incursions", "median_duration"] })
}

/// The share itself is tested beside its code, `app/src/insights/columns/shares.rs`; here, that questions ask for it.
async fn questions_to_columns_leave_a_turn_to_another_brand(engine: Engine) {
    let of = Neighbours::start(engine, |config| {
        config.analytics.wait_ms = 60_000;
        config.limits.analytics = web::Quota(1_000_000);
        config.limits.write = web::Quota(1_000_000);
    })
    .await;
    for (brand, count) in [("Greedy", 5_000_i64), ("Modest", 100)] {
        let facts = of.app.facts(brand).await;
        let from = of.app.clock.now() - Span::minutes(30 * 24 * 60);
        let rows = (0..count).map(|n| {
            facts.incursion(BaseStationId(1 + n % 50), TagId(1 + (n * 7) % 400), from + Span::minutes(n))
        });
        facts.add(rows.collect()).await;
    }
    let ask = async || of.app.post(PIVOT).bearer(&of.modest.jwt).json(&wide()).send().await;
    ask().await.expect(200);
    of.send(0, Method::POST, PIVOT, &wide()).await.expect(200);
    assert_eq!(of.app.app.columns_state().0, 2, "columns answer");
    let mut greed = Greed::begin(&of, 20, &Method::POST, PIVOT, &wide());
    greed.until_answered().await;
    for _ in 0..30 {
        ask().await.expect(200);
    }
    assert!(!greed.has_ended());
    assert!(greed.end().await > 0, "the greedy one gets its share too");
}
