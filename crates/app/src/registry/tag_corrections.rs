//! Corrections of the period in which a tag was worn.

use domain::{Assignment, Change, Invalid, TagAssignmentId, Timestamp};
use serde_json::{Value, json};
use store::{AssignmentPeriod, Tx};

use crate::registry::tag_assignments::{check_past, refuse_overlap};
use crate::{App, Editor, Error, IfMatch};

#[derive(Clone, Debug, Default)]
pub struct AssignmentCorrection {
    pub assigned_at: Change<Timestamp>,
    /// End of the assignment; `None` reopens it.
    pub ended_at: Change<Option<Timestamp>>,
}

/// The names of the request fields that contain the period, for errors.
pub(crate) struct PeriodFields {
    pub start: &'static str,
    pub end: &'static str,
}

#[macros::boxed]
impl App {
    /// Corrects an assignment. It must not overlap another one of the same tag.
    pub async fn correct_tag_assignment(
        &self,
        editor: &Editor<'_>,
        id: TagAssignmentId,
        if_match: &IfMatch,
        change: &AssignmentCorrection,
    ) -> Result<Assignment, Error> {
        let missing = || Error::not_found("tag assignment");
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(editor.scope).await?;
        let before = tx.tag_assignments(editor.scope).find(id).await?.ok_or_else(missing)?;
        if_match.check(before.version)?;
        let was = stored_wearing(&before);
        let is = AssignmentPeriod {
            assigned_at: change.assigned_at.or(was.assigned_at),
            ended: match change.ended_at {
                Change::Set(at) if at != before.ended_at => at.map(|at| (at, editor.stored_actor())),
                _ => was.ended.clone(),
            },
        };
        if is == was {
            return Ok(editor.reader().redact(before));
        }
        if is.assigned_at != was.assigned_at {
            check_past("assigned_at", is.assigned_at, now)?;
        }
        if let Some((at, _)) = &is.ended {
            check_order(
                ("assigned_at", was.assigned_at),
                is.assigned_at,
                ("ended_at", before.ended_at),
                *at,
                now,
            )?;
        }
        self.check_within_visit(&mut tx, editor, &before, &is).await?;
        let fields = PeriodFields { start: "assigned_at", end: "ended_at" };
        self.correct_wearing(&mut tx, editor, &before, &is, &fields).await?;
        let after = tx.tag_assignments(editor.scope).find(id).await?.ok_or_else(missing)?;
        tx.commit().await?;
        Ok(editor.reader().redact(after))
    }

    /// Corrects the period of an assignment, in a transaction that has locked the registry.
    pub(crate) async fn correct_wearing(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        before: &Assignment,
        is: &AssignmentPeriod,
        fields: &PeriodFields,
    ) -> Result<(), Error> {
        self.guard_assignment(tx, editor, before).await?;
        let ended_at = is.ended.as_ref().map(|(at, _)| *at);
        if before.ended_at.is_some() && ended_at.is_none() {
            self.check_reopening(tx, editor, before, fields.end).await?;
        }
        let field = if is.assigned_at < before.assigned_at { fields.start } else { fields.end };
        let period = (is.assigned_at, ended_at);
        refuse_overlap(tx, editor.scope, (before.tag, Some(before.id)), period, field).await?;
        tx.tag_assignments(editor.scope).correct(before.id, is, self.clock.now()).await?;
        let changed = changed_times((before.assigned_at, before.ended_at), (is.assigned_at, ended_at));
        self.wearing_changed(tx, editor.scope, before.tag, &changed).await?;
        let entry = editor.audit_entry().on("tag_assignment.corrected", "tag_assignment", before.id.0);
        let details = json!({
            "tag_id": before.tag,
            "person_id": before.person.id,
            "before": audit_fields(before.assigned_at, before.ended_at),
            "after": audit_fields(is.assigned_at, ended_at),
        });
        self.record_audit(tx, entry.with_details(details)).await
    }

    /// Refuses to reopen an assignment if the tag is retired or the person archived.
    async fn check_reopening(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        before: &Assignment,
        field: &str,
    ) -> Result<(), Error> {
        let refused = |code, text| Error::invalid_field(field, Invalid::new(code, text));
        let tag = tx.tags(editor.scope).find_locked(before.tag).await?;
        if tag.is_none_or(|tag| tag.retired_at.is_some()) {
            return Err(refused("tag_retired", "must stay, because the tag has been retired"));
        }
        let person = tx.people(editor.scope).find(before.person.id).await?;
        if person.is_none_or(|person| person.archived_at.is_some()) {
            return Err(refused("person_archived", "must stay, because the person has been archived"));
        }
        Ok(())
    }

    /// Refuses to move the assignment of a visit outside that visit.
    async fn check_within_visit(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        before: &Assignment,
        is: &AssignmentPeriod,
    ) -> Result<(), Error> {
        let Some(visit) = tx.visitor_sessions(editor.scope).of_assignment(before.id).await? else {
            return Ok(());
        };
        let refused = |field| {
            let text = format!("must lie within visitor session {}; correct that instead", visit.id);
            Error::invalid_field(field, Invalid::new("outside_visit", text))
        };
        if is.assigned_at < visit.checked_in_at {
            return Err(refused("assigned_at"));
        }
        match (visit.checked_out_at, &is.ended) {
            (Some(out), Some((at, _))) if *at > out => Err(refused("ended_at")),
            (Some(_), None) => Err(refused("ended_at")),
            _ => Ok(()),
        }
    }
}

/// Returns the stored period of an assignment.
pub(crate) fn stored_wearing(assignment: &Assignment) -> AssignmentPeriod {
    let ended = assignment.ended_at.zip(assignment.ended_by.clone());
    AssignmentPeriod { assigned_at: assignment.assigned_at, ended }
}

/// Refuses a changed end in the future, or an end before the start.
pub(crate) fn check_order(
    (start_field, old_start): (&'static str, Timestamp),
    start: Timestamp,
    (end_field, old_end): (&'static str, Option<Timestamp>),
    end: Timestamp,
    now: Timestamp,
) -> Result<(), Error> {
    let is_new_end = old_end != Some(end);
    if is_new_end && end > now {
        let text = "must not be in the future";
        return Err(Error::invalid_field(end_field, Invalid::new("bad_time", text)));
    }
    if end >= start {
        return Ok(());
    }
    let (field, text) = if is_new_end || start == old_start {
        (end_field, format!("must not be before {start_field}"))
    } else {
        (start_field, format!("must not be after {end_field}"))
    };
    Err(Error::invalid_field(field, Invalid::new("bad_time", text)))
}

/// Returns the parts that only one of two periods covers. Ends are exclusive, and a period without an end is open.
fn changed_times(
    was: (Timestamp, Option<Timestamp>),
    is: (Timestamp, Option<Timestamp>),
) -> Vec<(Timestamp, Option<Timestamp>)> {
    let mut times = Vec::new();
    if was.0 != is.0 {
        times.push((was.0.min(is.0), Some(was.0.max(is.0))));
    }
    match (was.1, is.1) {
        (Some(was), Some(is)) if was != is => times.push((was.min(is), Some(was.max(is)))),
        (Some(end), None) | (None, Some(end)) => times.push((end, None)),
        _ => {}
    }
    times
}

fn audit_fields(assigned_at: Timestamp, ended_at: Option<Timestamp>) -> Value {
    json!({ "assigned_at": assigned_at, "ended_at": ended_at })
}
