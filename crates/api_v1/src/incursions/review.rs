//! POST /api/v1/incursions/{id}/review

use std::sync::Arc;

use app::{App, Idempotent, NewReview};
use axum::extract::State;
use domain::access::ReviewIncursions;
use domain::{IncursionId, MultilineText, Review, StoredResponse};
use web::{
    Caller, DeferredBody, IdempotentBody, IfMatchHeader, NoParams, PathId, Result, enum_schemas, problem,
};

use super::record::{IncursionRecord, shape_record};

/// A review of an incursion by the office.
#[web::body]
pub struct NewIncursionReview {
    /// Result of the review; `unreviewed` withdraws the previous result.
    #[schema(value_type = enum_schemas::Review, example = "confirmed")]
    state: Review,
    /// Comment on the review; it may have several lines.
    #[schema(example = "Signaller on the wrong side of the fence", max_length = 4000)]
    #[field(parse = MultilineText::parse_optional)]
    comment: Option<Option<MultilineText>>,
}

/// Review an incursion
///
/// Records a review by the office and returns the incursion in its current form. Earlier reviews stay in the history. Repeating the
/// current result without a comment changes nothing.
#[web::operation(
    post, path = "/api/v1/incursions/{id}/review", tag = "incursions", operation_id = "review_incursion",
    params(
        ("id" = i64, Path, description = "Identifier of the incursion"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = NewIncursionReview,
    responses(
        (status = 200, description = "The reviewed incursion", body = IncursionRecord,
            headers(("ETag" = String, description = "Sequence number of the last change"))),
        problem::BadBody, problem::NotFound, problem::PreconditionFailed,
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
    let IdempotentBody { value: NewIncursionReview { state, comment }, key } = body.read_idempotent().await?;
    let review = NewReview { state, comment: comment.flatten() };
    let once = Idempotent::new(key, |id: &IncursionId| StoredResponse {
        status: 200,
        location: None,
        version: None,
        body: id.to_string(),
    });
    app.review_incursion(&caller, id, &if_match, &review, once).await?;
    let record = app.find_incursion_to_review(&caller, id).await?;
    let seq = record.view.details.stored.row.seq;
    Ok(web::with_etag(web::json_response(&shape_record(record)), seq, None))
}
