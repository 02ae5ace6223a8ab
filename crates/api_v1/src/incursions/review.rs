//! POST /api/v1/incursions/{id}/review

use std::sync::Arc;

use app::{App, Idempotent, NewReview};
use axum::extract::State;
use domain::access::ReviewIncursions;
use domain::{IncursionId, MultilineText, Review};
use store::StoredResponse;
use utoipa::ToSchema;
use web::{
    Caller, DeferredBody, Fields, FromFields, IdempotencyKeyHeader, IdempotentBody, IfMatchHeader, NoParams,
    PathId, Result, enum_schemas, problem, text,
};

use super::record::{IncursionRecord, shape_record};

/// A review of an incursion by the office.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewIncursionReview {
    /// Result of the review; `unreviewed` withdraws the previous result.
    #[schema(value_type = enum_schemas::Review, example = "confirmed")]
    state: String,
    /// Comment on the review; it may have several lines.
    #[schema(example = "Signaller on the wrong side of the fence", max_length = 4000)]
    comment: Option<String>,
}

pub struct ReviewFields(NewReview);

impl FromFields for ReviewFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let state = fields.required("state", text(Review::parse));
        let comment = fields.optional("comment", text(MultilineText::parse_optional));
        Some(Self(NewReview { state: state?, comment: comment?.flatten() }))
    }
}

/// Review an incursion
///
/// Records a review by the office and returns the incursion in its current form. Earlier reviews stay in the history. Repeating the
/// current result without a comment changes nothing.
#[utoipa::path(
    post, path = "/api/v1/incursions/{id}/review", tag = "incursions", operation_id = "review_incursion",
    security(("session" = [])),
    params(
        ("id" = i64, Path, description = "Identifier of the incursion"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
        IdempotencyKeyHeader,
    ),
    request_body = NewIncursionReview,
    extensions(("x-permission" = json!("review_incursions"))),
    responses(
        (status = 200, description = "The reviewed incursion", body = IncursionRecord,
            headers(("ETag" = String, description = "Sequence number of the last change"))),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden, problem::NotFound, problem::PreconditionFailed,
    ),
)]
pub async fn review_incursion(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReviewIncursions>,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let id = IncursionId(id);
    app.find_incursion_to_review(&caller, id).await?;
    let IdempotentBody { value: ReviewFields(review), key } = body.read_idempotent().await?;
    let once = Idempotent::new(key, |id: &IncursionId| StoredResponse {
        status: 200,
        location: None,
        body: id.to_string(),
    });
    app.review_incursion(&caller, id, &if_match, &review, once).await?;
    let record = app.find_incursion_to_review(&caller, id).await?;
    let seq = record.view.details.stored.row.seq;
    Ok(web::with_etag(web::json_response(&shape_record(record)), seq, None))
}
