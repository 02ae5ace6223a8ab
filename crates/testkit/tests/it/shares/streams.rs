//! Fair share of live streams.

use testkit::{Engine, EventReader, Request, on_both_engines};

use super::TwoBrands;

on_both_engines!(open_streams_leave_places_to_another_brand);

async fn open(call: Request) -> EventReader {
    let mut stream = call.open().await;
    assert_eq!((stream.status.as_u16(), stream.begin().await.len()), (200, 4));
    stream
}

async fn open_streams_leave_places_to_another_brand(engine: Engine) {
    let of = TwoBrands::start(engine, |config| {
        config.limits.max_streams = 4;
        config.limits.max_streams_per_brand = 3;
        config.limits.max_streams_per_user = 2;
        config.limits.max_streams_per_session = 1;
    })
    .await;
    let by_cookie = |user: usize| of.app.get("/api/v1/stream").cookie(&of.greedy[user].cookie);
    let by_token = |user: usize| of.app.get("/api/v2/stream").bearer(&of.greedy[user].jwt);
    let first = open(by_cookie(0)).await;
    let refused = by_cookie(0).send().await.expect(503);
    assert_eq!((refused.code().as_str(), refused.header("retry-after")), ("too_busy", "10"));
    let _second = open(by_token(0)).await;
    // Another session of the same user, who has no place left.
    let again = of.app.log_in_v2(&of.greedy[0].email, testkit::PASSWORD).await.expect(200);
    let again = again.header("accesstoken").to_owned();
    of.app.get("/api/v2/stream").bearer(&again).send().await.expect(503);
    let _third = open(by_cookie(1)).await;
    // The brand has no place left, and the other one has.
    by_token(1).send().await.expect(503);
    let _modest = open(of.app.get("/api/v1/stream").cookie(&of.modest.cookie)).await;
    drop(first);
    let _fourth = open(by_token(1)).await;
    // Other calls are served as before.
    of.assert_modest_reads(3).await;
}
