//! Fair share of questions answered by SQL, each of which holds a connection for long.

use std::sync::Arc;
use std::time::Duration;

use app::Engine as Answers;
use http::Method;
use serde_json::{Value, json};
use testkit::{Engine, on_both_engines, slow_down_reads};

use super::{NoisyNeighbour, TwoBrands};

on_both_engines!(
    one_viewer_does_not_stop_the_installation,
    a_question_of_another_brand_finds_a_place,
    callers_who_hang_up_keep_their_places_until_the_engine_is_done,
    lists_sorted_by_duration_leave_places_to_another_brand,
);

const PIVOT: &str = "/api/v2/advanced_insights/pivot";

fn wide_pivot() -> Value {
    json!({ "rows": ["machine", "zone"], "measures": ["incursions", "median_duration"] })
}

/// Adds some incursions to both brands.
async fn add_facts(brands: &Arc<TwoBrands>) {
    for brand in ["Greedy", "Modest"] {
        let facts = brands.app.facts(brand).await;
        let noon = brands.app.clock.now() - domain::Span::minutes(24 * 60);
        let rows = (0..200_i64).map(|n| {
            let at = noon + domain::Span::minutes(n);
            facts.incursion(domain::BaseStationId(1), domain::TagId(1 + n % 7), at)
        });
        facts.add_incursions(rows.collect()).await;
    }
}

/// Sends a wide pivot on ten connections for a brand whose columns are not built yet, while another brand reads.
pub async fn attack(engine: Engine, reads: usize) {
    let of = TwoBrands::start(engine, |config| config.analytics.column_wait_timeout_ms = 0).await;
    add_facts(&of).await;
    slow_down_reads(of.app.database(), "incursions").await;
    assert_eq!(of.app.app.column_cache_stats().0, 0);
    let greed = NoisyNeighbour::start(&of, 10, &Method::POST, PIVOT, &wide_pivot());
    greed.wait_until_refused().await;
    of.assert_modest_reads(reads).await;
    // Meanwhile the columns are built.
    while of.app.app.column_cache_stats().0 == 0 {
        of.assert_modest_reads(1).await;
    }
    assert!(greed.stop().await > 0, "the greedy one gets its share too");
    // And are used for answers.
    let user = &of.greedy[0];
    of.app.post(PIVOT).bearer(&user.jwt).json(&wide_pivot()).send().await.expect(200);
}

async fn one_viewer_does_not_stop_the_installation(engine: Engine) {
    attack(engine, 30).await;
}

async fn a_question_of_another_brand_finds_a_place(engine: Engine) {
    let of = TwoBrands::start(engine, |config| config.analytics.engine = Answers::Sql).await;
    add_facts(&of).await;
    slow_down_reads(of.app.database(), "incursions").await;
    let greed = NoisyNeighbour::start(&of, 10, &Method::POST, PIVOT, &wide_pivot());
    // Refused immediately for want of a permit, not after a wait for a connection.
    assert_eq!(greed.wait_until_refused().await, "analytics_busy");
    for _ in 0..2 {
        of.app.post(PIVOT).bearer(&of.modest.jwt).json(&wide_pivot()).send().await.expect(200);
        of.assert_modest_reads(5).await;
    }
    assert!(greed.stop().await > 0, "the greedy one gets its share too");
}

/// PostgreSQL finishes a statement even after the caller has disconnected; until then its connection is in use.
async fn callers_who_hang_up_keep_their_places_until_the_engine_is_done(engine: Engine) {
    let of = TwoBrands::start(engine, |config| config.analytics.engine = Answers::Sql).await;
    add_facts(&of).await;
    slow_down_reads(of.app.database(), "incursions").await;
    let body = wide_pivot();
    for number in 0..40 {
        let gone = of.send(number, Method::POST, PIVOT, &body);
        let _ = tokio::time::timeout(Duration::from_millis(30), gone).await;
    }
    of.assert_modest_reads(10).await;
    // All permits are released in the end.
    while of.send(0, Method::POST, PIVOT, &body).await.status != 200 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// For these, all matching rows are read.
async fn lists_sorted_by_duration_leave_places_to_another_brand(engine: Engine) {
    const SORTED: &str = "/api/v1/incursions?sort=-duration_ms";
    let of = TwoBrands::start(engine, |config| config.analytics.column_wait_timeout_ms = 0).await;
    add_facts(&of).await;
    slow_down_reads(of.app.database(), "incursions").await;
    let greed = NoisyNeighbour::start(&of, 10, &Method::GET, SORTED, &Value::Null);
    assert_eq!(greed.wait_until_refused().await, "analytics_busy");
    of.app.get(SORTED).cookie(&of.modest.cookie).send().await.expect(200);
    of.assert_modest_reads(10).await;
    assert!(greed.stop().await > 0, "the greedy one gets its share too");
}

mod long {
    //! The same for longer, in `make soak`.

    #[test]
    #[ignore = "takes minutes; make soak runs it"]
    fn one_viewer_does_not_stop_the_installation() {
        for engine in [testkit::Engine::Sqlite, testkit::Engine::Postgres] {
            for _ in 0..5 {
                testkit::run(engine, |engine| super::attack(engine, 500));
            }
        }
    }
}
