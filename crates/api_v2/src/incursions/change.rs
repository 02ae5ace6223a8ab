//! PATCH /api/v2/incursions/{id}

use std::sync::Arc;

use app::{App, Idempotent, IfMatch, NewReview};
use axum::extract::State;
use domain::access::ReviewIncursions;
use domain::{Change, IncursionId, MultilineText, Review, StoredResponse, StoredReview};
use web::{
    Caller, DeferredBody, Fields, FixedMembers, FromFields, IfMatchHeader, NoParams, PathId, Result,
    enum_schemas, json_api_errors,
};

use super::documents::object;
use super::{DEFINITION, Incursion};
use crate::json_api::{
    self, ChangeOf, DocumentOf, Negotiated, Payload, StoredResource, Target, with_pointers,
};

/// Attributes of an incursion to change. Attributes that are left out stay as they are.
#[web::body]
#[schema(as = ChangedIncursionAttributes)]
pub struct ChangedIncursion {
    /// New review of the incursion. Earlier reviews stay in its history. Repeating the current review changes nothing.
    #[schema(value_type = ChangedReview, required = false)]
    #[field(read = review)]
    review: Change<NewReview>,
}

/// A review of an incursion by the office.
#[web::body]
pub struct ChangedReview {
    /// Result of the review; `unreviewed` withdraws the previous result.
    #[schema(value_type = enum_schemas::Review, example = "confirmed")]
    state: Review,
    /// Comment on the review; it may have several lines.
    #[schema(example = "Signaller on the wrong side of the fence", max_length = 4000)]
    #[field(parse = MultilineText::parse_optional)]
    comment: Option<Option<MultilineText>>,
}

/// Reads a review, which may be the one that was shown, with its user and its time.
fn review(fields: &mut Fields, name: &str) -> Option<Change<NewReview>> {
    let Some(value) = fields.take(name) else { return Some(Change::Keep) };
    fields.object(name, value, |fields| {
        for shown in ["by", "at"] {
            fields.take(shown);
        }
        let ChangedReview { state, comment } = ChangedReview::read(fields)?;
        Some(Change::Set(NewReview { state, comment: comment.flatten() }))
    })
}

/// Leaves the comment out of a review that repeats the last one, so that it changes nothing.
fn without_repetition(new: NewReview, last: Option<&StoredReview>) -> NewReview {
    let comment = new.comment.as_ref().map(MultilineText::as_str);
    match last {
        Some(last) if last.review == new.state && last.comment.as_deref() == comment => {
            NewReview { comment: None, ..new }
        }
        _ => new,
    }
}

type ChangedIncursionDocument = ChangeOf<Incursion>;
type IncursionDocument = DocumentOf<Incursion>;

/// Review an incursion
///
/// The attribute `review` can be changed: it records a review by the office.
#[web::operation(
    patch, path = "/api/v2/incursions/{id}", tag = "incursions", operation_id = "change_incursion",
    params(
        ("id" = String, Path, description = "Id of the incursion."),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you read; 412 if the incursion has changed since."),
    ),
    request_body(content = ChangedIncursionDocument, content_type = "application/vnd.api+json"),
    responses(
        (status = 200, description = "The incursion was reviewed.", body = IncursionDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Sequence number of the last change."))),
        json_api_errors::BadBody, json_api_errors::NotFound, json_api_errors::Conflict,
        json_api_errors::PreconditionFailed, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn change_incursion(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReviewIncursions>,
    _: Negotiated,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let found = app.find_incursion_to_review(&caller, IncursionId(id)).await?.view.details;
    let payload = body.read::<Payload>().await?;
    let stored = StoredResource::new(id, FixedMembers::created_at(found.stored.row.received_at));
    let changed = with_pointers(&DEFINITION, async {
        let ChangedIncursion { review } =
            payload.resource(&DEFINITION, &Target::Existing(stored), ChangedIncursion::read)?;
        let review = match review {
            Change::Set(new) => without_repetition(new, found.last_review.as_ref()),
            Change::Keep if if_match == IfMatch::Any => return Ok(()),
            // Nothing changes, but the version is checked.
            Change::Keep => NewReview { state: found.stored.row.review, comment: None },
        };
        let respond = |id: &IncursionId| StoredResponse {
            status: 200,
            location: None,
            version: None,
            body: id.to_string(),
        };
        let once = Idempotent::new(None, respond);
        app.review_incursion(&caller, IncursionId(id), &if_match, &review, once).await.map(drop)
    });
    changed.await?;
    let view = app.find_incursion_to_review(&caller, IncursionId(id)).await?.view.without_names();
    let seq = view.details.stored.row.seq;
    Ok(web::with_etag(json_api::updated_response(&object(view)), seq, None))
}
