//! GET /api/v2/stream

use domain::Span;
use serde_json::json;
use testkit::{EventReader, TestApp, on_both_engines};

use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(it_ends_with_its_token, it_ends_with_the_token_of_a_service_account);

const PATH: &str = "/api/v2/stream";

async fn open(app: &TestApp, token: &str) -> EventReader {
    let mut stream = app.get(PATH).bearer(token).open().await;
    assert_eq!((stream.status.as_u16(), stream.begin().await.len()), (200, 4));
    stream
}

async fn it_ends_with_its_token(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let member = &world.member;
    let mut stream = open(&world.app, &member.jwt).await;
    world.app.clock.advance(Span::minutes(14));
    world.incursions(1, 1).await;
    assert_eq!(stream.next_of("facts").await["worksites"][0]["worksite_id"], 1);
    world.app.clock.advance(Span::minutes(1));
    stream.wait_for_end().await;
    world.app.get(PATH).bearer(&member.jwt).send().await.expect(401);
    // With the next token it goes on, until the logout.
    let refresh = world.app.post("/api/v2/refresh").header("refreshtoken", &member.refresh_token);
    let token = refresh.send().await.expect(200).header("accesstoken").to_owned();
    let stream = open(&world.app, &token).await;
    world.app.post("/api/v2/logout").bearer(&token).send().await.expect(200);
    stream.wait_for_end().await;
    // A token in the address is no credential.
    let in_address = format!("{PATH}?access_token={}", world.admin.jwt);
    world.app.get(&in_address).send().await.expect(401);
}

async fn it_ends_with_the_token_of_a_service_account(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let account = json!({ "name": "Wall", "role": "viewer", "expires_at": "2027-01-01T00:00:00Z" });
    let account = world.post("admin/service_accounts", &account).await["id"].clone();
    let path = format!("/api/v1/admin/service_accounts/{account}/token");
    let issued = world.app.post(&path).cookie(&world.admin.cookie).send().await.expect(201).json();
    let stream = open(&world.app, issued["token"].as_str().unwrap()).await;
    world.app.delete(&path).cookie(&world.admin.cookie).send().await.expect(200);
    stream.wait_for_end().await;
}
