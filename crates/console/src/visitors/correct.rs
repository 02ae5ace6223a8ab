//! POST /visitors/{id}: corrects a visit.

use std::sync::Arc;

use app::{App, VisitCorrection};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Change, MultilineText, Name, TimeZone, Timestamp, Visit, VisitId, WorksiteId};
use web::{BodyField, Caller, Fields, Params, PathId, Result};

use super::show::{render, zone_of_visit};
use super::{CORRECTED, PATH, read_local_time};
use crate::form::{Form, Kind};
use crate::frame::Frame;
use crate::machines::{PickerParams, local_input};
use crate::response;

const KINDS: &[(&str, Kind)] = &[
    ("checked_in_at", Kind::Text),
    ("checked_out_at", Kind::Text),
    ("expected_until", Kind::Text),
    ("worksite_id", Kind::Number),
    ("company", Kind::Text),
    ("notes", Kind::Text),
];

pub async fn save(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    frame: Frame,
    PathId(id): PathId,
    Params(PickerParams(_)): Params<PickerParams>,
    form: Form,
) -> Result {
    let editor = caller.editor();
    let visit = app.find_visitor_session(&editor.reader(), VisitId(id)).await?;
    let zone = zone_of_visit(&app, &frame, &visit).await?;
    let corrected = match form.read(KINDS, |fields| read(fields, &zone)) {
        Ok(change) => {
            let change = keep_untouched(change, &form, &visit, &zone);
            app.correct_visitor_session(&editor, visit.id, &form.if_match(), change).await
        }
        Err(error) => Err(error),
    };
    match corrected {
        Ok(_) => Ok(response::redirect(&frame.link(&format!("{PATH}/{id}")), Some((&CORRECTED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?;
            render(&app, &frame, &visit, Some(view)).await
        }
    }
}

fn read(fields: &mut Fields, zone: &TimeZone) -> Option<VisitCorrection> {
    let checked_in_at = fields.change("checked_in_at", read_local_time(zone));
    let checked_out_at = fields.change_optional("checked_out_at", read_local_time(zone));
    let expected_until = fields.change_optional("expected_until", read_local_time(zone));
    let worksite = fields.change_optional("worksite_id", WorksiteId::from_json);
    let company = fields.change_optional("company", Name::from_json);
    let notes = fields.change_optional("notes", MultilineText::from_json);
    Some(VisitCorrection {
        worksite: worksite?,
        company: company?,
        notes: notes?,
        expected_until: expected_until?,
        checked_in_at: checked_in_at?,
        checked_out_at: checked_out_at?,
    })
}

/// Leaves the times as they are that were sent as they were shown: inputs have no seconds, and do not tell the two hours of the night
/// apart in which the clocks are put back.
fn keep_untouched(
    mut change: VisitCorrection,
    form: &Form,
    visit: &Visit,
    zone: &TimeZone,
) -> VisitCorrection {
    if is_as_shown(form.value("checked_in_at"), Some(visit.checked_in_at), zone) {
        change.checked_in_at = Change::Keep;
    }
    if is_as_shown(form.value("checked_out_at"), visit.checked_out_at, zone) {
        change.checked_out_at = Change::Keep;
    }
    if is_as_shown(form.value("expected_until"), visit.expected_until, zone) {
        change.expected_until = Change::Keep;
    }
    change
}

fn is_as_shown(sent: Option<&str>, stored: Option<Timestamp>, zone: &TimeZone) -> bool {
    let shown = stored.map(|at| local_input(at, zone)).unwrap_or_default();
    sent.is_some_and(|sent| sent.trim() == shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_was_not_touched_keeps_its_seconds() {
        let berlin = TimeZone::parse("Europe/Berlin").unwrap();
        // The clocks are put back at this moment: 02:15 comes twice.
        let stored = Timestamp::parse("2026-10-25T01:15:42Z").ok();
        assert!(is_as_shown(Some("2026-10-25T02:15"), stored, &berlin));
        assert!(!is_as_shown(Some("2026-10-25T02:16"), stored, &berlin));
        assert!(!is_as_shown(Some(""), stored, &berlin) && is_as_shown(Some(""), None, &berlin));
        assert!(!is_as_shown(Some("2026-10-25T02:15"), None, &berlin) && !is_as_shown(None, stored, &berlin));
    }
}
