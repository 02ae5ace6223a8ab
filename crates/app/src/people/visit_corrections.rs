//! Corrections of visits. The assignment of the visitor's tag is corrected with them.

use domain::{Assignment, Change, Invalid, MultilineText, Name, Timestamp, Visit, VisitId, WorksiteId};
use serde_json::{Value, json};
use store::{AssignmentPeriod, Tx, VisitValues};

use crate::accounts::restricted_error::restricted;
use crate::people::refuse_erased;
use crate::people::visitor_sessions::{already_checked_in, check_expected_until, visit_not_found};
use crate::registry::tag_assignments::check_past;
use crate::registry::tag_corrections::{PeriodFields, check_order, stored_wearing};
use crate::{App, Editor, Error, IfMatch};

#[derive(Clone, Debug, Default)]
pub struct VisitCorrection {
    pub worksite: Change<Option<WorksiteId>>,
    /// The company that they came for.
    pub company: Change<Option<Name>>,
    pub notes: Change<Option<MultilineText>>,
    pub expected_until: Change<Option<Timestamp>>,
    pub checked_in_at: Change<Timestamp>,
    /// Time of check-out, or `None` if they are still on site.
    pub checked_out_at: Change<Option<Timestamp>>,
}

#[macros::boxed]
impl App {
    pub async fn correct_visitor_session(
        &self,
        editor: &Editor<'_>,
        id: VisitId,
        if_match: &IfMatch,
        change: VisitCorrection,
    ) -> Result<Visit, Error> {
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(editor.scope).await?;
        let before = tx.visitor_sessions(editor.scope).find(id).await?.ok_or_else(visit_not_found)?;
        if_match.check(before.version)?;
        let was = stored_values(&before);
        let is = VisitValues {
            worksite: change.worksite.or(was.worksite),
            company: change.company.map(|name| name.as_str().to_owned()).or(was.company.clone()),
            notes: change.notes.map(|notes| notes.as_str().to_owned()).or(was.notes.clone()),
            expected_until: change.expected_until.or(was.expected_until),
            checked_in_at: change.checked_in_at.or(was.checked_in_at),
            checked_out: match change.checked_out_at {
                Change::Set(at) if at != before.checked_out_at => at.map(|at| (at, editor.stored_actor())),
                _ => was.checked_out.clone(),
            },
        };
        if is == was {
            return Ok(editor.reader().redact(before));
        }
        self.check_visit_values(&mut tx, editor, &before, &is).await?;
        self.correct_assignment_of_visit(&mut tx, editor, &before, &is).await?;
        match tx.visitor_sessions(editor.scope).correct(id, &is, self.clock.now()).await {
            Err(store::Error::Duplicate(_)) => return Err(already_checked_in("checked_out_at")),
            other => other?,
        }
        // With its new start it may belong to the project that its worksite had then.
        let gone = || restricted("The visit would no longer belong to the projects you are restricted to.");
        let after = tx.visitor_sessions(editor.scope).find(id).await?.ok_or_else(gone)?;
        let entry = editor.audit_entry().on("visitor_session.corrected", "visitor_session", id.0);
        let entry =
            entry.with_details(json!({ "before": audit_fields(&before), "after": audit_fields(&after) }));
        let personal = json!({
            "before": { "company": before.company, "notes": before.notes },
            "after": { "company": after.company, "notes": after.notes },
        });
        self.record_audit(&mut tx, entry.with_personal(&personal)).await?;
        tx.commit().await?;
        Ok(editor.reader().redact(after))
    }

    async fn check_visit_values(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        before: &Visit,
        is: &VisitValues,
    ) -> Result<(), Error> {
        let now = self.clock.now();
        let person = tx.people(editor.scope).find(before.person.id).await?.ok_or_else(visit_not_found)?;
        refuse_erased(&person)?;
        if is.worksite != before.worksite.as_ref().map(|worksite| worksite.id) {
            self.check_visit_worksite(tx, editor, is.worksite).await?;
        }
        if is.checked_in_at != before.checked_in_at {
            check_past("checked_in_at", is.checked_in_at, now)?;
        }
        if let Some((at, _)) = &is.checked_out {
            let start = ("checked_in_at", before.checked_in_at);
            let end = ("checked_out_at", before.checked_out_at);
            check_order(start, is.checked_in_at, end, *at, now)?;
        }
        if (is.expected_until, is.checked_in_at) != (before.expected_until, before.checked_in_at) {
            check_expected_until(is.expected_until, is.checked_in_at)?;
        }
        if before.checked_out_at.is_some() && is.checked_out.is_none() && person.archived_at.is_some() {
            let invalid = Invalid::new("person_archived", "must stay, because the person has been archived");
            return Err(Error::invalid_field("checked_out_at", invalid));
        }
        Ok(())
    }

    /// Corrects the assignment of the tag together with the visit.
    async fn correct_assignment_of_visit(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        before: &Visit,
        is: &VisitValues,
    ) -> Result<(), Error> {
        let Some(assignment) = tx.tag_assignments(editor.scope).find(before.assignment).await? else {
            return Ok(());
        };
        let worn = corrected_wearing(before, is, &assignment);
        if worn == stored_wearing(&assignment) {
            return Ok(());
        }
        let fields = PeriodFields { start: "checked_in_at", end: "checked_out_at" };
        self.correct_wearing(tx, editor, &assignment, &worn, &fields).await
    }
}

/// Returns the period in which the tag was worn in a corrected visit. A start or end that coincided with the visit still does; others
/// stay as far as they lie within the visit.
fn corrected_wearing(before: &Visit, is: &VisitValues, assignment: &Assignment) -> AssignmentPeriod {
    let assigned_at = if assignment.assigned_at == before.checked_in_at {
        is.checked_in_at
    } else {
        assignment.assigned_at.max(is.checked_in_at)
    };
    let ended_with_visit = match (assignment.ended_at, before.checked_out_at) {
        (Some(ended), Some(out)) => ended >= out,
        (Some(_), None) => false,
        (None, _) => true,
    };
    let mut ended = stored_wearing(assignment).ended;
    match &is.checked_out {
        out if ended_with_visit => ended = out.clone(),
        Some((out, _)) => {
            if let Some((at, _)) = &mut ended {
                *at = (*at).min(*out);
            }
        }
        None => {}
    }
    if let Some((at, _)) = &mut ended {
        *at = (*at).max(assigned_at);
    }
    AssignmentPeriod { assigned_at, ended }
}

fn stored_values(visit: &Visit) -> VisitValues {
    VisitValues {
        worksite: visit.worksite.as_ref().map(|worksite| worksite.id),
        company: visit.company.clone(),
        notes: visit.notes.clone(),
        expected_until: visit.expected_until,
        checked_in_at: visit.checked_in_at,
        checked_out: visit.checked_out_at.zip(visit.checked_out_by.clone()),
    }
}

/// Returns what the audit log stores of a visit, without the personal fields.
fn audit_fields(visit: &Visit) -> Value {
    json!({
        "worksite_id": visit.worksite.as_ref().map(|worksite| worksite.id),
        "expected_until": visit.expected_until,
        "checked_in_at": visit.checked_in_at,
        "checked_out_at": visit.checked_out_at,
    })
}
