//! /visitors

mod access;
mod check_in;
mod visits;

use serde_json::Value;

use crate::console::submit;
use crate::v1::incursions::Yard;

const PATH: &str = "/visitors";
const CHECK_IN: &str = "/visitors/check-in";

/// Returns a visit as the API shows it.
async fn visit(yard: &Yard, id: i64) -> Value {
    let path = format!("/api/v1/visitor_sessions/{id}");
    yard.app.get(&path).cookie(&yard.admin.cookie).send().await.expect(200).json()
}

async fn check_in(yard: &Yard, name: &str, tag: &str, site: &str) {
    let fields = [("name", name), ("tag_serial", tag), ("worksite_id", site)];
    submit(&yard.app, &yard.admin.cookie, CHECK_IN, &fields).await.expect(303);
}
