//! Building the worksite index of a brand does not hold up other brands.

use http::Method;
use serde_json::{Value, json};
use testkit::{Engine, block_reads, on_both_engines};

use super::{NoisyNeighbour, TwoBrands};

on_both_engines!(an_index_that_takes_long_holds_up_its_brand_alone);

const CONTAINING_SITES: &str = "/api/v1/worksites?contains=13.405,52.52";

fn site(name: &str) -> Value {
    let corners = json!([[13.4, 52.5], [13.5, 52.5], [13.5, 52.6], [13.4, 52.6], [13.4, 52.5]]);
    json!({
        "name": name, "colour": "#ff8800", "kind": "other", "time_zone": "Europe/Berlin",
        "boundary": { "type": "Polygon", "coordinates": [corners] },
    })
}

async fn an_index_that_takes_long_holds_up_its_brand_alone(engine: Engine) {
    let of = TwoBrands::start(engine, |config| config.limits.read_per_minute = web::Quota(1_000_000)).await;
    for cookie in [&of.modest.cookie, &of.greedy[0].cookie] {
        of.app.post("/api/v1/worksites").cookie(cookie).json(&site("Yard")).send().await.expect(201);
    }
    let around = async || {
        let reply = of.app.get(CONTAINING_SITES).cookie(&of.modest.cookie).send().await.expect(200);
        assert_eq!(reply.json()["data"].as_array().map(Vec::len), Some(1), "{}", reply.json());
    };
    around().await;
    // The greedy brand's index is not built yet, and building it is blocked.
    let held = block_reads(of.app.database(), "worksite_terms").await;
    let before = of.app.app.store.statement_count();
    let greed = NoisyNeighbour::start(&of, 20, &Method::GET, CONTAINING_SITES, &Value::Null);
    // All calls have found that the index is missing, and one of them has begun to build it.
    while of.app.app.store.statement_count() < before + 20 {
        tokio::task::yield_now().await;
    }
    for _ in 0..20 {
        around().await;
    }
    of.assert_modest_reads(10).await;
    drop(held);
    greed.wait_until_answered().await;
    greed.stop().await;
}
