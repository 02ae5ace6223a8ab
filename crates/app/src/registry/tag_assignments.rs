//! Tag assignments: handing tags out to people and taking them back.

use domain::{
    Assignment, AssignmentFilter, Invalid, ListRequest, Listing, PersonId, Serial, Span, StoredResponse, Tag,
    TagAssignmentId, TagId, Timestamp,
};
use serde_json::json;
use store::{AbsentFacts, Scope, Tx};

use crate::platform::jobs::LinkChange;
use crate::registry::effective_dates::MAX_EVENT_AGE;
use crate::registry::listing::ListQuery;
use crate::{App, Editor, Error, Idempotent, Reader};

/// Maximum length of a runtime piece, which never extends beyond a local hour.
const MAX_RUNTIME_PIECE: Span = Span::minutes(60);

/// A reference to a tag.
#[derive(Clone, Debug)]
pub enum TagReference {
    /// A serial; an unknown one is registered.
    Serial(Serial),
    Id(TagId),
}

/// Handling of a tag that is already assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfAssigned {
    /// The request is refused.
    Refuse,
    /// The other assignment ends.
    Replace,
}

/// A tag assignment to create.
#[derive(Clone, Debug)]
pub struct NewAssignment {
    pub tag: TagReference,
    pub person: PersonId,
    pub if_assigned: IfAssigned,
    /// Start of the assignment; `None` means now.
    pub assigned_at: Option<Timestamp>,
}

impl TagReference {
    /// Returns the field of the request body that contains the reference.
    pub(crate) fn field(&self) -> &'static str {
        match self {
            Self::Serial(_) => "tag_serial",
            Self::Id(_) => "tag_id",
        }
    }
}

#[macros::boxed]
impl App {
    /// Lists a page of assignments, in an order or as they changed, with the total if requested.
    pub async fn list_tag_assignments(
        &self,
        reader: &Reader<'_>,
        filter: &AssignmentFilter,
        request: &ListRequest,
    ) -> Result<Listing<Assignment>, Error> {
        let scope = reader.scope;
        let mut tx = self.store.read().await?;
        let query = ListQuery::new(&mut tx, scope, request).await?;
        let filter = AssignmentFilter { rows: query.rows(&filter.rows), ..filter.clone() };
        let slice = tx.tag_assignments(scope).slice(&filter, query.sorting, &request.window).await?;
        let total = match request.include_total {
            true => Some(tx.tag_assignments(scope).count(&filter).await?),
            false => None,
        };
        let changes = query.changes(&slice);
        Ok(reader.redact_listing(Listing::new(slice, total, changes)))
    }

    pub async fn find_tag_assignment(
        &self,
        reader: &Reader<'_>,
        id: TagAssignmentId,
    ) -> Result<Assignment, Error> {
        let found = self.store.read().await?.tag_assignments(reader.scope).find(id).await?;
        found.map(|assignment| reader.redact(assignment)).ok_or_else(assignment_not_found)
    }

    pub async fn assign_tag(
        &self,
        editor: &Editor<'_>,
        new: &NewAssignment,
        idempotent: Idempotent<'_, Assignment>,
    ) -> Result<StoredResponse, Error> {
        let effect = async |tx: &mut Tx| {
            // The brand's lock comes first, here and wherever assignments change: it keeps the changes in one order.
            tx.lock_and_bump_registry(editor.scope).await?;
            let found = self.lock_assignable_tag(tx, editor, &new.tag).await?;
            let made = self.assign_locked_tag(tx, editor, &found, new).await;
            made.map(|made| editor.reader().redact(made))
        };
        self.run_idempotent_for_person(idempotent, |made| Some(made.person.id), effect).await
    }

    /// Ends an assignment. Repeating it is fine and changes nothing.
    pub async fn end_tag_assignment(
        &self,
        editor: &Editor<'_>,
        id: TagAssignmentId,
    ) -> Result<Assignment, Error> {
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(editor.scope).await?;
        let found = tx.tag_assignments(editor.scope).find(id).await?.ok_or_else(assignment_not_found)?;
        if !self.end_assignment(&mut tx, editor, &found, self.clock.now()).await? {
            return Ok(editor.reader().redact(found));
        }
        let ended = tx.tag_assignments(editor.scope).find(id).await?.ok_or_else(assignment_not_found)?;
        tx.commit().await?;
        Ok(editor.reader().redact(ended))
    }

    /// Finds the tag, marks it as changed, because lists of tags show who wears it, and locks it, so that nobody else assigns it in the
    /// meantime.
    pub(crate) async fn lock_assignable_tag(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        tag: &TagReference,
    ) -> Result<Tag, Error> {
        let found = match tag {
            TagReference::Serial(serial) => {
                Some(tx.tags(editor.scope).ensure(serial, self.clock.now()).await?)
            }
            TagReference::Id(id) => tx.tags(editor.scope).find_and_mark(*id).await?,
        };
        let unknown = || Error::missing_relation(tag.field(), "unknown_tag", "is not a tag of this brand");
        let found = found.ok_or_else(unknown)?;
        if found.retired_at.is_some() {
            let invalid = Invalid::new("tag_retired", "has been retired");
            return Err(Error::invalid_field(tag.field(), invalid));
        }
        Ok(found)
    }

    /// Assigns a locked tag to a person. A tag has one wearer at a time: an open assignment is refused or ended, as the request says,
    /// and a start in the past must not overlap another assignment.
    pub(crate) async fn assign_locked_tag(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        tag: &Tag,
        new: &NewAssignment,
    ) -> Result<Assignment, Error> {
        if new.assigned_at.is_none()
            && let Some(made) = self.assign_if_free(tx, editor, tag, new.person).await?
        {
            return self.record_assignment(tx, editor, made).await;
        }
        let found = tx.people(editor.scope).find(new.person).await?.ok_or_else(unknown_person)?;
        if found.archived_at.is_some() {
            let invalid = Invalid::new("person_archived", "has been archived");
            return Err(Error::invalid_field("person_id", invalid));
        }
        let now = self.clock.now();
        if let Some(at) = new.assigned_at {
            check_past("assigned_at", at, now)?;
        }
        let mut from = new.assigned_at.unwrap_or(now);
        if let Some(open) = tx.tag_assignments(editor.scope).open_of(tag.id).await? {
            if new.if_assigned == IfAssigned::Refuse {
                let text = format!(
                    "{} is already assigned, since {}; set replace: true to replace that",
                    tag.serial, open.assigned_at
                );
                let invalid = Invalid::new("tag_already_assigned", text);
                return Err(Error::invalid_field(new.tag.field(), invalid));
            }
            if new.assigned_at.is_some_and(|at| at < open.assigned_at) {
                return Err(overlap_error("assigned_at", &open));
            }
            self.end_assignment(tx, editor, &open, from).await?;
        }
        if new.assigned_at.is_some() {
            refuse_overlap(tx, editor.scope, (tag.id, None), (from, None), "assigned_at").await?;
        } else if let Some(latest) = tx.tag_assignments(editor.scope).latest_end(tag.id).await? {
            // The clocks of hosts differ, so an assignment never starts before the previous one has ended.
            from = from.max(latest);
        }
        let made = tx
            .tag_assignments(editor.scope)
            .add(tag.id, new.person, &editor.stored_actor(), (from, now))
            .await?;
        self.wearing_changed(tx, editor.scope, tag.id, &[(from, None)]).await?;
        self.record_assignment(tx, editor, made).await
    }

    /// Assigns a locked tag from now on, in a single statement, because all writers of a brand wait for one another. Returns none if
    /// anything else has to be checked or changed: the person is missing or archived, the tag is assigned or was returned later than
    /// now by another host's clock, or there are facts from now on that the assignment would attribute to the person.
    async fn assign_if_free(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        tag: &Tag,
        person: PersonId,
    ) -> Result<Option<Assignment>, Error> {
        let now = self.clock.now();
        let absent = AbsentFacts {
            tag_tests_from: now,
            incursions_from: now,
            // A piece that started earlier may last beyond now.
            runtime_pieces_from: now - MAX_RUNTIME_PIECE,
        };
        let by = editor.stored_actor();
        Ok(tx.tag_assignments(editor.scope).add_if_free(tag, person, &by, now, absent).await?)
    }

    /// Records a new assignment in the audit log.
    async fn record_assignment(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        made: Assignment,
    ) -> Result<Assignment, Error> {
        let entry = editor.audit_entry().on("tag_assignment.created", "tag_assignment", made.id.0);
        let details =
            json!({ "tag_id": made.tag, "person_id": made.person.id, "assigned_at": made.assigned_at });
        self.record_audit(tx, entry.with_details(details)).await?;
        Ok(made)
    }

    /// Ends an assignment that was read under the brand's lock, if it is open, and returns whether it was.
    pub(crate) async fn end_assignment(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        open: &Assignment,
        at: Timestamp,
    ) -> Result<bool, Error> {
        if open.ended_at.is_some() {
            return Ok(false);
        }
        self.guard_assignment(tx, editor, open).await?;
        // The clocks of hosts differ, but an assignment never ends before its start.
        let times = (at.max(open.assigned_at), self.clock.now());
        if !tx.tag_assignments(editor.scope).end(open.id, &editor.stored_actor(), times).await? {
            return Ok(false);
        }
        self.wearing_changed(tx, editor.scope, open.tag, &[(at, None)]).await?;
        let entry = editor.audit_entry().on("tag_assignment.ended", "tag_assignment", open.id.0);
        self.record_audit(tx, entry.with_details(json!({ "tag_id": open.tag, "person_id": open.person.id })))
            .await?;
        Ok(true)
    }

    /// Updates everything that depends on who wore a tag in these periods. Every change of an assignment calls this in the same
    /// transaction, unless there are no facts from then on (`assign_if_free`). Refuses to change out-of-scope facts.
    pub(crate) async fn wearing_changed(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        tag: TagId,
        times: &[(Timestamp, Option<Timestamp>)],
    ) -> Result<(), Error> {
        self.guard_wearing(tx, scope, tag, times).await?;
        let Some(from) = times.iter().map(|(from, _)| *from).min() else { return Ok(()) };
        tx.tag_tests(scope).attribute(tag, from, self.clock.now()).await?;
        self.enqueue_reattribution(tx, scope, LinkChange::Tag(tag), from).await
    }
}

fn assignment_not_found() -> Error {
    Error::not_found("tag assignment")
}

pub(crate) fn unknown_person() -> Error {
    Error::missing_relation("person_id", "unknown_person", "is not a person of this brand")
}

/// Refuses a time in the future or too long ago.
pub(crate) fn check_past(field: &str, at: Timestamp, now: Timestamp) -> Result<(), Error> {
    if at > now || at < now - MAX_EVENT_AGE {
        let text = "must not be in the future or more than 400 days ago";
        return Err(Error::invalid_field(field, Invalid::new("bad_time", text)));
    }
    Ok(())
}

/// Refuses a period in which a tag would have two wearers. Ends are exclusive, and a period without an end is open.
pub(crate) async fn refuse_overlap(
    tx: &mut Tx,
    scope: &Scope,
    (tag, except): (TagId, Option<TagAssignmentId>),
    (from, to): (Timestamp, Option<Timestamp>),
    field: &str,
) -> Result<(), Error> {
    // Nobody wears the tag in an empty period.
    if to.is_some_and(|to| to <= from) {
        return Ok(());
    }
    match tx.tag_assignments(scope).find_overlap(tag, except, (from, to)).await? {
        Some(clash) => Err(overlap_error(field, &clash)),
        None => Ok(()),
    }
}

/// The error for periods in which a tag would have two wearers.
fn overlap_error(field: &str, clash: &Assignment) -> Error {
    let until = match clash.ended_at {
        Some(at) => format!("to {at}"),
        None => "on".to_owned(),
    };
    let text = format!(
        "would overlap assignment {} of {}, which lasts from {} {until}",
        clash.id, clash.tag_serial, clash.assigned_at
    );
    Error::invalid_field(field, Invalid::new("overlap", text))
}
