//! Reviewing an incursion, undoing it, and asking for its video. After a review comes the next incursion of the list.

use std::sync::Arc;

use app::{App, ClipSubject, IfMatch, NewReview};
use axum::extract::State;
use domain::access::{ReadInsights, ReviewIncursions, WriteRegistry};
use domain::{IncursionId, MultilineText, Review, VideoClip};
use web::{BodyField, Caller, Fields, Params, PathId, Result};

use super::query::{IncursionQuery, with_query};
use super::{CLIP_ASKED, REVIEWED, UNDONE, neighbours, show};
use crate::form::{Form, FormView, Kind};
use crate::frame::Frame;
use crate::response;

const KINDS: &[(&str, Kind)] = &[("state", Kind::Text), ("comment", Kind::Text)];

fn read_review(fields: &mut Fields) -> Option<NewReview> {
    let state = fields.required("state", Review::from_json);
    let comment = fields.optional("comment", MultilineText::from_json);
    Some(NewReview { state: state?, comment: comment? })
}

pub async fn save(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReviewIncursions>,
    frame: Frame,
    PathId(id): PathId,
    Params(query): Params<IncursionQuery>,
    form: Form,
) -> Result {
    let (id, query) = (IncursionId(id), query.resolved(&frame));
    let record = app.find_incursion_to_review(&caller, id).await?;
    let reviewed = match form.read(KINDS, read_review) {
        Ok(new) => {
            let once = response::made(form.once(&frame), |id: &IncursionId| format!("/incursions/{id}"));
            app.review_incursion(&caller, id, &form.if_match(), &new, once).await
        }
        Err(error) => Err(error),
    };
    if let Err(error) = reviewed {
        let view = form.view(&frame, error)?;
        return show::render(&app, &frame, &query, &record, &view).await;
    }
    let reader = frame.caller::<ReadInsights>()?;
    let started_at = record.view.details.stored.row.started_at;
    let around = neighbours::find(&app, &frame, &reader, &query, (id, started_at)).await;
    let to = match around.map(|around| around.next) {
        Ok(Some(next)) => with_query(&frame, &format!("/incursions/{next}")),
        Ok(None) => with_query(&frame, "/incursions"),
        // The review is saved, whatever the list says. It may be too long to sort just now, and would not open either.
        Err(_) => with_query(&frame, &format!("/incursions/{id}")),
    };
    Ok(response::redirect(&to, Some((&REVIEWED, Some(id.0)))))
}

/// Gives an incursion the review back that it had before the last one, if the reader made that, and leads to it in the same list.
pub async fn undo(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReviewIncursions>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let id = IncursionId(id);
    let record = app.find_incursion_to_review(&caller, id).await?;
    let page = with_query(&frame, &format!("/incursions/{id}"));
    let (own, former) = match record.reviews.as_slice() {
        [.., former, last] => (last, former.review),
        [last] => (last, Review::Unreviewed),
        [] => return Ok(response::redirect(&page, None)),
    };
    if own.by.id != Some(caller.identity.user.0) {
        return Ok(response::redirect(&page, None));
    }
    let new = NewReview { state: former, comment: None };
    // Only what was seen is undone, not what somebody said meanwhile.
    let if_match = IfMatch::Versions(vec![record.view.details.stored.row.seq]);
    let once = response::made(form.once(&frame), |id: &IncursionId| format!("/incursions/{id}"));
    app.review_incursion(&caller, id, &if_match, &new, once).await?;
    Ok(response::redirect(&page, Some((&UNDONE, None))))
}

pub async fn ask_for_clip(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    frame: Frame,
    PathId(id): PathId,
    Params(query): Params<IncursionQuery>,
    form: Form,
) -> Result {
    let (id, query) = (IncursionId(id), query.resolved(&frame));
    let record = app.find_incursion(&frame.caller::<ReadInsights>()?, id).await?;
    let station = record.view.details.base_station.0;
    let asked = match form.read(&[], |_| Some(())) {
        Ok(()) => {
            let page = format!("/incursions/{id}");
            let once = response::made(form.once(&frame), move |_: &VideoClip| page);
            app.request_video_clip(&caller, station, None, ClipSubject::Incursion(id), once).await
        }
        Err(error) => Err(error),
    };
    match asked {
        Ok(_) => {
            let page = with_query(&frame, &format!("/incursions/{id}"));
            Ok(response::redirect(&page, Some((&CLIP_ASKED, None))))
        }
        Err(error) => {
            let refused = form.view(&frame, error)?;
            let faults = refused.other_faults(&frame, &[]);
            let notice = if faults.is_empty() { refused.notice } else { Some(faults.join(" ")) };
            let mut view = FormView::new(Vec::new());
            (view.status, view.notice) = (refused.status, notice);
            show::render(&app, &frame, &query, &record, &view).await
        }
    }
}
