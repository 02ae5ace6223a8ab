//! When a stream ends.

use std::sync::Arc;

use domain::Span;
use serde_json::json;
use testkit::{EventReader, TestApp, on_both_engines};

use super::{PATH, begin, open, sum_incursions};
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    a_logout_ends_it,
    a_logout_in_another_process_ends_it,
    a_deactivation_ends_it,
    another_role_or_restriction_ends_it,
    it_is_no_use_of_its_session,
    a_stop_ends_it,
);

/// Whether facts are still reported to a stream.
async fn assert_open(world: &AlertWorld, stream: &mut EventReader) {
    world.incursions(1, 1).await;
    sum_incursions(stream, None, 1).await;
}

async fn a_logout_ends_it(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let mut leaving = open(&world.app, &world.member).await;
    let mut staying = open(&world.app, &world.admin).await;
    begin(&mut leaving).await;
    begin(&mut staying).await;
    world.app.delete("/api/v1/session").cookie(&world.member.cookie).send().await.expect(200);
    leaving.wait_for_end().await;
    assert_open(&world, &mut staying).await;
    world.app.get(PATH).cookie(&world.member.cookie).send().await.expect(401);
}

async fn a_logout_in_another_process_ends_it(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let mut stream = open(&world.app, &world.member).await;
    begin(&mut stream).await;
    let other = world.app.second_instance().await;
    other.delete("/api/v1/session").cookie(&world.member.cookie).send().await.expect(200);
    world.app.clock.advance(Span::seconds(1));
    stream.wait_for_end().await;
}

async fn a_deactivation_ends_it(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let mut stream = open(&world.app, &world.viewer).await;
    begin(&mut stream).await;
    let path = "/api/v1/admin/users/3/deactivate";
    let reply = world.app.post(path).cookie(&world.admin.cookie).send().await.expect(200);
    assert_eq!(reply.json()["email"], world.viewer.email.as_str());
    stream.wait_for_end().await;
}

async fn another_role_or_restriction_ends_it(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let mut stream = open(&world.app, &world.member).await;
    begin(&mut stream).await;
    world.restrict(&world.member, Some(&[2])).await;
    stream.wait_for_end().await;
    // The next one has the new access.
    let mut stream = open(&world.app, &world.member).await;
    let devices = stream.begin().await.remove(2);
    assert_eq!((devices.name.as_str(), &devices.data["never_seen"]), ("devices", &json!(1)));
    world.patch("admin/users/2", &json!({ "role": "viewer" })).await;
    stream.wait_for_end().await;
}

async fn it_is_no_use_of_its_session(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let mut stream = open(&world.app, &world.viewer).await;
    begin(&mut stream).await;
    // A session that nobody uses ends after eight hours, although its stream is open.
    for _ in 0..4 {
        world.app.clock.advance(Span::minutes(119));
        assert_open(&world, &mut stream).await;
    }
    world.app.clock.advance(Span::minutes(5));
    stream.wait_for_end().await;
}

async fn a_stop_ends_it(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let mut stream = open(&world.app, &world.admin).await;
    begin(&mut stream).await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let edge = Arc::clone(world.app.edge());
    web::serve(listener, axum::Router::new(), edge, std::future::ready(())).await;
    stream.wait_for_end().await;
}
