//! Questions that the rows answer: each takes a connection for long.

use std::sync::Arc;
use std::time::Duration;

use app::Engine as Answers;
use http::Method;
use serde_json::{Value, json};
use testkit::{Engine, on_both_engines, slow_down};

use super::{Greed, Neighbours};

on_both_engines!(
    one_viewer_does_not_stop_the_installation,
    a_question_of_another_brand_finds_a_place,
    callers_who_hang_up_keep_their_places_until_the_engine_is_done,
);

const PIVOT: &str = "/api/v2/advanced_insights/pivot";

fn wide() -> Value {
    json!({ "rows": ["machine", "zone"], "measures": ["incursions", "median_duration"] })
}

/// Some incursions of both brands.
async fn facts(of: &Arc<Neighbours>) {
    for brand in ["Greedy", "Modest"] {
        let facts = of.app.facts(brand).await;
        let noon = of.app.clock.now() - domain::Span::minutes(24 * 60);
        let rows = (0..200_i64).map(|n| {
            let at = noon + domain::Span::minutes(n);
            facts.incursion(domain::BaseStationId(1), domain::TagId(1 + n % 7), at)
        });
        facts.add(rows.collect()).await;
    }
}

/// Ten connections with a wide pivot of a brand whose columns are not made yet, while another brand reads.
pub async fn attack(engine: Engine, reads: usize) {
    let of = Neighbours::start(engine, |config| config.analytics.wait_ms = 0).await;
    facts(&of).await;
    slow_down(of.app.database(), "incursions").await;
    assert_eq!(of.app.app.columns_state().0, 0);
    let greed = Greed::begin(&of, 10, &Method::POST, PIVOT, &wide());
    greed.until_refused().await;
    of.modest_reads(reads).await;
    // Meanwhile the columns are made.
    while of.app.app.columns_state().0 == 0 {
        of.modest_reads(1).await;
    }
    assert!(greed.end().await > 0, "the greedy one gets its share too");
    // And answer.
    let user = &of.greedy[0];
    of.app.post(PIVOT).bearer(&user.jwt).json(&wide()).send().await.expect(200);
}

async fn one_viewer_does_not_stop_the_installation(engine: Engine) {
    attack(engine, 30).await;
}

async fn a_question_of_another_brand_finds_a_place(engine: Engine) {
    let of = Neighbours::start(engine, |config| config.analytics.engine = Answers::Sql).await;
    facts(&of).await;
    slow_down(of.app.database(), "incursions").await;
    let greed = Greed::begin(&of, 10, &Method::POST, PIVOT, &wide());
    // At once, for want of a place for such questions; not after a wait for a connection.
    assert_eq!(greed.until_refused().await, "analytics_busy");
    for _ in 0..2 {
        of.app.post(PIVOT).bearer(&of.modest.jwt).json(&wide()).send().await.expect(200);
        of.modest_reads(5).await;
    }
    assert!(greed.end().await > 0, "the greedy one gets its share too");
}

/// PostgreSQL works on a statement to its end, also when whoever asked has gone: until then its connection is in use.
async fn callers_who_hang_up_keep_their_places_until_the_engine_is_done(engine: Engine) {
    let of = Neighbours::start(engine, |config| config.analytics.engine = Answers::Sql).await;
    facts(&of).await;
    slow_down(of.app.database(), "incursions").await;
    let body = wide();
    for number in 0..40 {
        let gone = of.send(number, Method::POST, PIVOT, &body);
        let _ = tokio::time::timeout(Duration::from_millis(30), gone).await;
    }
    of.modest_reads(10).await;
    // Nothing is lost for good.
    while of.send(0, Method::POST, PIVOT, &body).await.status != 200 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

mod long {
    //! The same for longer: in `make soak`.

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
