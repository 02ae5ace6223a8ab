//! POST /api/v1/tester/tag_tests

use std::sync::Arc;

use app::{App, Idempotent, TagTestResult};
use axum::extract::State;
use domain::{Percent, Serial, Timestamp};
use web::{IdempotentBody, NoParams, OperationRouter, Result, Tester, problem, routes};

use crate::tags::{TagTest, shape_test};

pub fn routes() -> OperationRouter {
    OperationRouter::new().routes(routes!(create_tag_test))
}

/// The result of a test on a tester device.
#[web::body(into = TagTestResult)]
pub struct NewTagTest {
    /// Serial number printed on the tag; an unknown tag is registered.
    #[schema(example = "TAG-0042", min_length = 1, max_length = 64)]
    #[field(into = serial)]
    tag_serial: Serial,
    /// Whether the tag passed the test.
    #[schema(example = true)]
    passed: bool,
    /// Battery level at the time of the test, in percent.
    #[schema(example = 87, minimum = 0, maximum = 100)]
    #[field(into = battery)]
    battery_percent: Option<Percent>,
    /// Time of the test, RFC 3339 in UTC; the default is now.
    #[schema(example = "2026-03-01T08:00:00Z")]
    tested_at: Option<Timestamp>,
}

/// Record a tag test
///
/// Stores the result of a test at the device, for the person who wears the tag at that time. An unknown tag is registered.
#[web::operation(
    post, path = "/api/v1/tester/tag_tests", tag = "tester", operation_id = "create_tag_test",
    request_body = NewTagTest,
    responses(
        (status = 201, description = "The new tag test", body = TagTest),
        problem::BadBody,
    ),
)]
pub async fn create_tag_test(
    State(app): State<Arc<App>>,
    Tester(tester): Tester,
    _: NoParams,
    IdempotentBody { value: result, key }: IdempotentBody<NewTagTest>,
) -> Result {
    let once = Idempotent::new(key, |test: &domain::TagTest| {
        let location = format!("/api/v1/tester/tags/{}", web::escape_path_segment(&test.tag_serial));
        web::created_to_store(location, &shape_test(test.clone()))
    });
    Ok(web::render_stored(app.record_tag_test(&tester, &result.into(), once).await?))
}
