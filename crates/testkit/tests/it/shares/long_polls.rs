//! Fair share of long polls for commands.

use std::sync::Arc;

use domain::DeviceKind;
use testkit::{Engine, Reply, on_both_engines};
use tokio::task::JoinSet;

use super::TwoBrands;

on_both_engines!(calls_that_are_held_open_leave_places_to_another_brand);

async fn fetch(brands: &TwoBrands, token: &str, wait: u32) -> Reply {
    brands.app.get(&format!("/ingest/v1/commands?wait={wait}")).bearer(token).send().await
}

async fn calls_that_are_held_open_leave_places_to_another_brand(engine: Engine) {
    let of = TwoBrands::start(engine, |config| {
        config.limits.max_long_polls = 4;
        config.limits.max_long_polls_per_brand = 3;
        config.limits.max_long_polls_per_token = 2;
    })
    .await;
    let mut tokens = Vec::new();
    for number in 0..2 {
        tokens.push(of.app.issue_token("Greedy", DeviceKind::Gateway, &format!("Gateway {number}")).await);
    }
    let modest = of.app.issue_token("Modest", DeviceKind::Gateway, "Yard").await;
    let mut held = JoinSet::new();
    // Of three calls with one token, two are held open although the brand has a third slot; of two calls with another token, one is.
    for (token, calls) in [(&tokens[0], 3), (&tokens[1], 2)] {
        for _ in 0..calls {
            let (of, token) = (Arc::clone(&of), token.clone());
            held.spawn(async move { fetch(&of, &token, 30).await });
        }
        let refused = held.join_next().await.unwrap().unwrap().expect(503);
        assert_eq!((refused.code().as_str(), refused.header("retry-after")), ("too_busy", "10"));
    }
    fetch(&of, &modest, 1).await.expect(200);
    // A call without a wait takes no slot.
    fetch(&of, &tokens[0], 0).await.expect(200);
    held.shutdown().await;
    fetch(&of, &tokens[0], 1).await.expect(200);
}
