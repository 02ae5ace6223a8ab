//! Correcting from when to when a tag was worn.

use domain::{AssignmentId, Change, Invalid, Timestamp};
use serde_json::{Value, json};
use store::{Assignment, Tx, Wearing};

use crate::registry::tag_assignments::{check_past, overlap};
use crate::{App, Error, Hand, IfMatch};

/// What to correct of an assignment.
#[derive(Clone, Debug, Default)]
pub struct AssignmentCorrection {
    /// Since when.
    pub assigned_at: Change<Timestamp>,
    /// Until when; none opens it again.
    pub ended_at: Change<Option<Timestamp>>,
}

/// The fields of a body that a correction of wearing came from, to name the one at fault.
pub(crate) struct Fields {
    pub start: &'static str,
    pub end: &'static str,
}

impl App {
    /// Corrects an assignment; never into another one of the same tag.
    pub async fn correct_tag_assignment(
        &self,
        hand: &Hand<'_>,
        id: AssignmentId,
        if_match: &IfMatch,
        change: &AssignmentCorrection,
    ) -> Result<Assignment, Error> {
        let missing = || Error::not_found("tag assignment");
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        tx.raise_registry_version(hand.scope).await?;
        let before = tx.tag_assignments(hand.scope).find(id).await?.ok_or_else(missing)?;
        if_match.check(before.version)?;
        let was = wearing(&before);
        let is = Wearing {
            assigned_at: change.assigned_at.or(was.assigned_at),
            ended: match change.ended_at {
                Change::Set(at) if at != before.ended_at => at.map(|at| (at, hand.by())),
                _ => was.ended.clone(),
            },
        };
        if is == was {
            return Ok(before);
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
        self.check_visit(&mut tx, hand, &before, &is).await?;
        let fields = Fields { start: "assigned_at", end: "ended_at" };
        self.correct_wearing(&mut tx, hand, &before, &is, &fields).await?;
        let after = tx.tag_assignments(hand.scope).find(id).await?.ok_or_else(missing)?;
        tx.commit().await?;
        Ok(after)
    }

    /// Puts an assignment where it is said to have been, in a transaction that holds the brand's lock.
    pub(crate) async fn correct_wearing(
        &self,
        tx: &mut Tx,
        hand: &Hand<'_>,
        before: &Assignment,
        is: &Wearing,
        fields: &Fields,
    ) -> Result<(), Error> {
        self.guard_assignment(tx, hand, before).await?;
        let ended_at = is.ended.as_ref().map(|(at, _)| *at);
        if before.ended_at.is_some() && ended_at.is_none() {
            self.check_reopening(tx, hand, before, fields.end).await?;
        }
        let field = if is.assigned_at < before.assigned_at { fields.start } else { fields.end };
        let range = (is.assigned_at, ended_at);
        if let Some(clash) = tx.tag_assignments(hand.scope).clash(before.tag, Some(before.id), range).await? {
            return Err(overlap(field, &clash));
        }
        tx.tag_assignments(hand.scope).correct(before.id, is, self.clock.now()).await?;
        let changed = changed_times((before.assigned_at, before.ended_at), (is.assigned_at, ended_at));
        self.wearing_changed(tx, hand.scope, before.tag, &changed).await?;
        let act = hand.act().on("tag_assignment.corrected", "tag_assignment", before.id.0);
        let details = json!({
            "tag_id": before.tag,
            "person_id": before.person.id,
            "before": times(before.assigned_at, before.ended_at),
            "after": times(is.assigned_at, ended_at),
        });
        self.record(tx, act.with(details)).await
    }

    /// Refuses to give a tag back to someone who cannot have it.
    async fn check_reopening(
        &self,
        tx: &mut Tx,
        hand: &Hand<'_>,
        before: &Assignment,
        field: &str,
    ) -> Result<(), Error> {
        let refused = |code, text| Error::invalid_field(field, Invalid::new(code, text));
        let tag = tx.tags(hand.scope).find_locked(before.tag).await?;
        if tag.is_none_or(|tag| tag.retired_at.is_some()) {
            return Err(refused("tag_retired", "must stay, since the tag has been taken out of use"));
        }
        let person = tx.people(hand.scope).find(before.person.id).await?;
        if person.is_none_or(|person| person.archived_at.is_some()) {
            return Err(refused("person_archived", "must stay, since the person has been archived"));
        }
        Ok(())
    }

    /// Keeps the assignment of a stay inside of that stay.
    async fn check_visit(
        &self,
        tx: &mut Tx,
        hand: &Hand<'_>,
        before: &Assignment,
        is: &Wearing,
    ) -> Result<(), Error> {
        let Some(visit) = tx.visitor_sessions(hand.scope).of_assignment(before.id).await? else {
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

/// An assignment's times as they stand.
pub(crate) fn wearing(assignment: &Assignment) -> Wearing {
    let ended = assignment.ended_at.zip(assignment.ended_by.clone());
    Wearing { assigned_at: assignment.assigned_at, ended }
}

/// Refuses an end that was changed into the future, or one before the beginning.
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

/// The times that only one of two stretches covers; the end is excluded, and without one it goes on for ever.
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

fn times(assigned_at: Timestamp, ended_at: Option<Timestamp>) -> Value {
    json!({ "assigned_at": assigned_at, "ended_at": ended_at })
}
