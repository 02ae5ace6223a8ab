//! POST /api/v1/tester/tag_tests

use std::sync::Arc;

use app::{App, Idempotent, TagTestResult};
use axum::extract::State;
use domain::{Serial, Timestamp};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{
    EdgeState, Fields, FromFields, IdempotencyKeyHeader, IdempotentBody, NoParams, Result, Tester, boolean,
    percent, problem, text,
};

use crate::tags::{TagTest, shape_test};

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new().routes(routes!(create_tag_test))
}

/// The result of a test on a tester device.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewTagTest {
    /// Serial number printed on the tag; an unknown tag is registered.
    #[schema(example = "TAG-0042", min_length = 1, max_length = 64)]
    tag_serial: String,
    /// Whether the tag passed the test.
    #[schema(example = true)]
    passed: bool,
    /// Battery level at the time of the test, in percent.
    #[schema(example = 87, minimum = 0, maximum = 100)]
    battery_percent: Option<i64>,
    /// Time of the test, RFC 3339 in UTC; the default is now.
    #[schema(format = DateTime, example = "2026-03-01T08:00:00Z")]
    tested_at: Option<String>,
}

pub struct TestFields(TagTestResult);

impl FromFields for TestFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let serial = fields.required("tag_serial", text(Serial::parse));
        let passed = fields.required("passed", boolean);
        let battery = fields.optional("battery_percent", percent);
        let tested_at = fields.optional("tested_at", text(Timestamp::parse));
        Some(Self(TagTestResult {
            serial: serial?,
            passed: passed?,
            battery: battery?,
            tested_at: tested_at?,
        }))
    }
}

/// Record a tag test
#[utoipa::path(
    post, path = "/api/v1/tester/tag_tests", tag = "tester", operation_id = "create_tag_test",
    security(("tester_token" = [])),
    params(IdempotencyKeyHeader),
    request_body = NewTagTest,
    responses(
        (status = 201, description = "The new tag test", body = TagTest),
        problem::BadBody, problem::Unauthenticated,
    ),
)]
pub async fn create_tag_test(
    State(app): State<Arc<App>>,
    Tester(tester): Tester,
    _: NoParams,
    IdempotentBody { value: TestFields(result), key }: IdempotentBody<TestFields>,
) -> Result {
    let once = Idempotent::new(key, |test: &store::TagTest| {
        let location = format!("/api/v1/tester/tags/{}", web::escape_path_segment(&test.tag_serial));
        web::created_to_store(location, &shape_test(test.clone()))
    });
    Ok(web::render_stored(app.record_tag_test(&tester, &result, once).await?))
}
