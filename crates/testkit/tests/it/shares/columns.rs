//! Fair share of the memory for columns.

use domain::{BaseStationId, Span, TagId};
use serde_json::json;
use testkit::{Engine, on_both_engines};

use super::TwoBrands;

on_both_engines!(a_brand_that_is_larger_than_its_share_leaves_the_others_theirs);

async fn a_brand_that_is_larger_than_its_share_leaves_the_others_theirs(engine: Engine) {
    let of = TwoBrands::start(engine, |config| {
        config.analytics.max_memory_mb = 16;
        config.analytics.max_memory_per_brand_mb = 1;
        config.analytics.column_wait_timeout_ms = 60_000;
    })
    .await;
    for (brand, rounds) in [("Modest", 1), ("Greedy", 26_i64)] {
        let facts = of.app.facts(brand).await;
        for round in 0..rounds {
            let at = of.app.clock.now() - Span::minutes(60 * 24 * 60);
            let rows = (0..1_000_i64).map(|n| {
                let at = at + Span::millis((round * 1_000 + n) * 100_003);
                facts.incursion(BaseStationId(1 + n % 50), TagId(1 + (n * 7) % 400), at)
            });
            facts.add_incursions(rows.collect()).await;
        }
    }
    let ask = async |jwt: &str| {
        let body = json!({ "rows": ["zone"], "measures": ["incursions"] });
        let reply = of.app.post("/api/v2/advanced_insights/pivot").bearer(jwt).json(&body).send();
        reply.await.expect(200);
    };
    ask(&of.modest.jwt).await;
    let (held, bytes) = of.app.app.column_cache_stats();
    assert_eq!(held, 1);
    // Its questions fall back to SQL, and the other brand's columns stay in memory.
    for user in &of.greedy {
        ask(&user.jwt).await;
    }
    assert_eq!(of.app.app.column_cache_stats(), (1, bytes));
    ask(&of.modest.jwt).await;
}
