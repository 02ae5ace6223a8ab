//! Correcting a visitor's stay. The assignment of the tag keeps in step.

use domain::{Change, Invalid, Name, Prose, Timestamp, VisitId, WorksiteId};
use serde_json::{Value, json};
use store::{Assignment, Tx, Visit, VisitValues, Wearing};

use crate::accounts::restriction::restricted;
use crate::people::refuse_erased;
use crate::people::visitor_sessions::{already_here, check_expected, missing};
use crate::registry::tag_assignments::check_past;
use crate::registry::tag_corrections::{Fields, check_order, wearing};
use crate::{App, Error, Hand, IfMatch};

/// What to correct of a stay.
#[derive(Clone, Debug, Default)]
pub struct VisitCorrection {
    /// Where.
    pub worksite: Change<Option<WorksiteId>>,
    /// For whom they came.
    pub company: Change<Option<Name>>,
    /// What was said at the desk.
    pub notes: Change<Option<Prose>>,
    /// Until when they meant to stay.
    pub expected_until: Change<Option<Timestamp>>,
    /// Since when.
    pub checked_in_at: Change<Timestamp>,
    /// Until when; none means that they are still here.
    pub checked_out_at: Change<Option<Timestamp>>,
}

impl App {
    /// Corrects a stay.
    pub async fn correct_visitor_session(
        &self,
        hand: &Hand<'_>,
        id: VisitId,
        if_match: &IfMatch,
        change: VisitCorrection,
    ) -> Result<Visit, Error> {
        let mut tx = self.store.begin().await?;
        tx.raise_registry_version(hand.scope).await?;
        let before = tx.visitor_sessions(hand.scope).find(id).await?.ok_or_else(missing)?;
        if_match.check(before.version)?;
        let was = values(&before);
        let is = VisitValues {
            worksite: change.worksite.or(was.worksite),
            company: change.company.map(|name| name.as_str().to_owned()).or(was.company.clone()),
            notes: change.notes.map(|notes| notes.as_str().to_owned()).or(was.notes.clone()),
            expected_until: change.expected_until.or(was.expected_until),
            checked_in_at: change.checked_in_at.or(was.checked_in_at),
            checked_out: match change.checked_out_at {
                Change::Set(at) if at != before.checked_out_at => at.map(|at| (at, hand.by())),
                _ => was.checked_out.clone(),
            },
        };
        if is == was {
            return Ok(before);
        }
        self.check_visit_values(&mut tx, hand, &before, &is).await?;
        self.keep_in_step(&mut tx, hand, &before, &is).await?;
        match tx.visitor_sessions(hand.scope).correct(id, &is, self.clock.now()).await {
            Err(store::Error::Duplicate(_)) => return Err(already_here("checked_out_at")),
            other => other?,
        }
        // By its new beginning it may belong to the project that its site had then.
        let gone = || restricted("The visit would no longer belong to the projects you are restricted to.");
        let after = tx.visitor_sessions(hand.scope).find(id).await?.ok_or_else(gone)?;
        let act = hand.act().on("visitor_session.corrected", "visitor_session", id.0);
        let act = act.with(json!({ "before": times(&before), "after": times(&after) }));
        let personal = json!({
            "before": { "company": before.company, "notes": before.notes },
            "after": { "company": after.company, "notes": after.notes },
        });
        self.record(&mut tx, act.with_personal(&personal)).await?;
        tx.commit().await?;
        Ok(after)
    }

    async fn check_visit_values(
        &self,
        tx: &mut Tx,
        hand: &Hand<'_>,
        before: &Visit,
        is: &VisitValues,
    ) -> Result<(), Error> {
        let now = self.clock.now();
        let person = tx.people(hand.scope).find(before.person.id).await?.ok_or_else(missing)?;
        refuse_erased(&person)?;
        if is.worksite != before.worksite.as_ref().map(|worksite| worksite.id) {
            self.check_site_of_visit(tx, hand, is.worksite).await?;
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
            check_expected(is.expected_until, is.checked_in_at)?;
        }
        if before.checked_out_at.is_some() && is.checked_out.is_none() && person.archived_at.is_some() {
            let invalid = Invalid::new("person_archived", "must stay, since the person has been archived");
            return Err(Error::invalid_field("checked_out_at", invalid));
        }
        Ok(())
    }

    /// Moves the assignment of the tag along with the stay.
    async fn keep_in_step(
        &self,
        tx: &mut Tx,
        hand: &Hand<'_>,
        before: &Visit,
        is: &VisitValues,
    ) -> Result<(), Error> {
        let Some(assignment) = tx.tag_assignments(hand.scope).find(before.assignment).await? else {
            return Ok(());
        };
        let worn = worn(before, is, &assignment);
        if worn == wearing(&assignment) {
            return Ok(());
        }
        let fields = Fields { start: "checked_in_at", end: "checked_out_at" };
        self.correct_wearing(tx, hand, &assignment, &worn, &fields).await
    }
}

/// How a tag was worn in a corrected stay. What began or ended with the stay still does; what did not stays, so far as it
/// lies within.
fn worn(before: &Visit, is: &VisitValues, assignment: &Assignment) -> Wearing {
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
    let mut ended = wearing(assignment).ended;
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
    Wearing { assigned_at, ended }
}

fn values(visit: &Visit) -> VisitValues {
    VisitValues {
        worksite: visit.worksite.as_ref().map(|worksite| worksite.id),
        company: visit.company.clone(),
        notes: visit.notes.clone(),
        expected_until: visit.expected_until,
        checked_in_at: visit.checked_in_at,
        checked_out: visit.checked_out_at.zip(visit.checked_out_by.clone()),
    }
}

/// What the audit log keeps of a stay beside what could name someone.
fn times(visit: &Visit) -> Value {
    json!({
        "worksite_id": visit.worksite.as_ref().map(|worksite| worksite.id),
        "expected_until": visit.expected_until,
        "checked_in_at": visit.checked_in_at,
        "checked_out_at": visit.checked_out_at,
    })
}
