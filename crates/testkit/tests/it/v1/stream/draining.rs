//! Streams of a host that is about to stop.

use std::collections::BTreeMap;
use std::sync::Arc;

use testkit::{Engine, TestApp, on_both_engines};

use super::{begin, open, resume, sum_incursions};
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(readers_go_on_at_another_host, a_host_that_looked_earlier_catches_up);

async fn readers_go_on_at_another_host(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.server.drain_s = 2).await;
    let world = AlertWorld::new(app).await;
    let mut stream = open(&world.app, &world.admin).await;
    let (_, id) = begin(&mut stream).await;
    let edge = Arc::clone(world.app.edge());
    let drain = tokio::spawn(async move { edge.drain().await });
    // It ends although the process has not stopped.
    stream.wait_for_end().await;
    let not_ready = world.app.get("/health/ready").send().await.expect(503);
    assert_eq!(not_ready.code(), "draining");
    world.app.get("/health/live").send().await.expect(200);
    world.incursions(1, 2).await;
    let other = world.app.second_instance().await;
    let mut stream = resume(&other, &world.admin, &id).await;
    let (facts, _) = begin(&mut stream).await;
    assert_eq!(facts["since"].to_string(), id);
    assert_eq!(sum_incursions(&mut stream, Some(&facts), 2).await, BTreeMap::from([(1, 2)]));
    drain.await.unwrap();
}

async fn a_host_that_looked_earlier_catches_up(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let other = world.app.second_instance().await;
    // Keeps the hub of the other host going, which polls once a second.
    let mut kept = open(&other, &world.viewer).await;
    begin(&mut kept).await;
    let mut stream = open(&world.app, &world.admin).await;
    begin(&mut stream).await;
    for _ in 0..3 {
        world.incursions(1, 1).await;
        let facts = stream.next_of("facts").await;
        let id = facts["seq"].to_string();
        let mut resumed = resume(&other, &world.admin, &id).await;
        let (first, _) = begin(&mut resumed).await;
        assert_eq!((first["since"].to_string(), &first["worksites"]), (id, &serde_json::json!([])));
    }
}
