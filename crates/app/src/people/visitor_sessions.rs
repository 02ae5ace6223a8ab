//! Visitor sessions. Check-in finds or creates the visitor and assigns the tag, check-out ends the assignment.

use domain::{
    EmailAddress, Invalid, ListRequest, Listing, MultilineText, Name, NewPerson, PersonId, PersonKind,
    Serial, Slice, Span, StoredResponse, Timestamp, Visit, VisitFilter, VisitId, WorksiteId,
};
use serde_json::json;
use store::{NewVisit, Projects, Tx};

use crate::accounts::restricted_error::restricted;
use crate::platform::local_bounds::resolve_for_visits;
use crate::registry::listing::DepartingListQuery;
use crate::registry::tag_assignments::unknown_person;
use crate::{Actor, App, Editor, Error, Idempotent, IfAssigned, NewAssignment, Reader, TagReference};

/// Maximum expected length of a visit.
const MAX_EXPECTED_STAY: Span = Span::minutes(366 * 24 * 60);

/// The person who checks in.
#[derive(Clone, Debug)]
pub enum Visitor {
    /// A person who was here before.
    Existing(PersonId),
    /// A person by name. They are found by their email address, or created.
    Named { name: Name, email: Option<EmailAddress> },
}

/// The data of a check-in.
#[derive(Clone, Debug)]
pub struct CheckIn {
    pub visitor: Visitor,
    /// Serial of the tag they get; an unknown one is registered.
    pub tag: Serial,
    /// The worksite that they visit. It is ignored for tester devices, which have a worksite of their own or none.
    pub worksite: Option<WorksiteId>,
    /// The company that they come for.
    pub company: Option<Name>,
    pub notes: Option<MultilineText>,
    pub expected_until: Option<Timestamp>,
}

#[macros::boxed]
impl App {
    /// Lists a page of the visits that the caller sees, in an order or as they changed, with the total if requested.
    pub async fn list_visitor_sessions(
        &self,
        reader: &Reader<'_>,
        filter: &VisitFilter,
        request: &ListRequest,
    ) -> Result<Listing<Visit>, Error> {
        let scope = reader.scope;
        let mut tx = self.store.read().await?;
        let query = DepartingListQuery::new(&mut tx, scope, request, "visitor_sessions").await?;
        let period = resolve_for_visits(&mut tx, scope, filter).await?;
        let filter = VisitFilter { rows: query.rows(&filter.rows), period, ..filter.clone() };
        let slice = match query.window() {
            Some(window) => tx.visitor_sessions(scope).slice(&filter, query.sorting(), window).await?,
            None => Slice::empty(),
        };
        let total = match request.include_total {
            true => Some(tx.visitor_sessions(scope).count(&filter).await?),
            false => None,
        };
        let departures = match query.departures(&slice) {
            Some(request) => Some(tx.visitor_sessions(scope).departures(&request).await?),
            None => None,
        };
        Ok(reader.redact_listing(query.listing(slice, total, departures)))
    }

    /// Finds a visit that the caller sees.
    pub async fn find_visitor_session(&self, reader: &Reader<'_>, id: VisitId) -> Result<Visit, Error> {
        let found = self.store.read().await?.visitor_sessions(reader.scope).find(id).await?;
        found.map(|visit| reader.redact(visit)).ok_or_else(visit_not_found)
    }

    /// Checks a visitor in, in one transaction.
    pub async fn check_in(
        &self,
        editor: &Editor<'_>,
        check_in: &CheckIn,
        idempotent: Idempotent<'_, Visit>,
    ) -> Result<StoredResponse, Error> {
        let now = self.clock.now();
        let effect = async |tx: &mut Tx| {
            // Checked inside: the retry of a request that was in time gets the same response as then.
            check_expected_until(check_in.expected_until, now)?;
            // The brand's lock comes first: it keeps two check-ins from creating the same visitor twice.
            tx.lock_and_bump_registry(editor.scope).await?;
            let worksite = match editor.actor {
                Actor::Tester(device) => tx.visitor_sessions(editor.scope).worksite_of_device(device).await?,
                _ => {
                    self.check_visit_worksite(tx, editor, check_in.worksite).await?;
                    check_in.worksite
                }
            };
            let tag = TagReference::Serial(check_in.tag.clone());
            let found = self.lock_assignable_tag(tx, editor, &tag).await?;
            let person = self.find_or_create_visitor(tx, editor, check_in).await?;
            let new = NewAssignment { tag, person, if_assigned: IfAssigned::Refuse, assigned_at: None };
            let assigned = self.assign_locked_tag(tx, editor, &found, &new).await?;
            let new = NewVisit {
                person,
                assignment: assigned.id,
                worksite,
                company: check_in.company.as_ref().map(|company| company.as_str().to_owned()),
                notes: check_in.notes.as_ref().map(|notes| notes.as_str().to_owned()),
                expected_until: check_in.expected_until,
            };
            // The assignment may start later because the clock of another host is ahead; the visit starts with it.
            let visit = match tx
                .visitor_sessions(editor.scope)
                .add(&new, &editor.stored_actor(), assigned.assigned_at)
                .await
            {
                Err(store::Error::Duplicate(_)) => return Err(already_checked_in("person_id")),
                other => other?,
            };
            let entry = editor.audit_entry().on("visitor_session.started", "visitor_session", visit.id.0);
            let details = json!({
                "person_id": visit.person.id,
                "tag_assignment_id": visit.assignment,
                "worksite_id": worksite,
            });
            let personal = json!({ "company": visit.company, "notes": visit.notes });
            self.record_audit(tx, entry.with_details(details).with_personal(&personal)).await?;
            Ok(editor.reader().redact(visit))
        };
        self.run_idempotent_for_person(idempotent, |visit| Some(visit.person.id), effect).await
    }

    /// Checks a visitor out: the visit and the assignment end. Repeating it is fine and changes nothing.
    pub async fn check_out(&self, editor: &Editor<'_>, id: VisitId) -> Result<Visit, Error> {
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(editor.scope).await?;
        let found = tx.visitor_sessions(editor.scope).find(id).await?.ok_or_else(visit_not_found)?;
        if !self.end_visit(&mut tx, editor, &found, self.clock.now()).await? {
            return Ok(editor.reader().redact(found));
        }
        let ended = tx.visitor_sessions(editor.scope).find(id).await?.ok_or_else(visit_not_found)?;
        tx.commit().await?;
        Ok(editor.reader().redact(ended))
    }

    /// Ends a visit and the assignment of its tag if it is active, and returns whether it was.
    pub(crate) async fn end_visit(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        visit: &Visit,
        at: Timestamp,
    ) -> Result<bool, Error> {
        if visit.checked_out_at.is_some() {
            return Ok(false);
        }
        self.guard_visit(tx, editor, visit).await?;
        let times = (at, self.clock.now());
        if !tx.visitor_sessions(editor.scope).end(visit.id, &editor.stored_actor(), times).await? {
            return Ok(false);
        }
        // The assignment may have ended earlier.
        if let Some(assignment) = tx.tag_assignments(editor.scope).find(visit.assignment).await? {
            self.end_assignment(tx, editor, &assignment, at).await?;
        }
        let entry = editor.audit_entry().on("visitor_session.ended", "visitor_session", visit.id.0);
        let details = json!({ "person_id": visit.person.id, "checked_out_at": at.max(visit.checked_in_at) });
        self.record_audit(tx, entry.with_details(details)).await?;
        Ok(true)
    }

    /// Refuses a worksite that the editor does not see. Restricted editors must give one, because they would not see the visit otherwise.
    pub(crate) async fn check_visit_worksite(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        worksite: Option<WorksiteId>,
    ) -> Result<(), Error> {
        match worksite {
            Some(id) if !tx.visitor_sessions(editor.scope).has_worksite(id).await? => {
                let message = "is not a worksite that you see";
                Err(Error::missing_relation("worksite_id", "unknown_worksite", message))
            }
            None if *editor.scope.projects() != Projects::All => Err(restricted(
                "You are restricted to some projects and must give a worksite of one of them.",
            )),
            _ => Ok(()),
        }
    }

    async fn find_or_create_visitor(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        check_in: &CheckIn,
    ) -> Result<PersonId, Error> {
        match &check_in.visitor {
            Visitor::Existing(id) => {
                let found = tx.people(editor.scope).find(*id).await?.ok_or_else(unknown_person)?;
                if found.kind != PersonKind::Visitor {
                    let invalid = Invalid::new("not_a_visitor", "is staff, who do not check in");
                    return Err(Error::invalid_field("person_id", invalid));
                }
                Ok(found.id)
            }
            Visitor::Named { name, email } => {
                if let Some(email) = email
                    && let Some(found) = tx.people(editor.scope).visitor_by_email(email).await?
                {
                    return Ok(found.id);
                }
                let new = NewPerson {
                    kind: PersonKind::Visitor,
                    name: name.clone(),
                    employee_id: None,
                    email: email.clone(),
                    company: check_in.company.clone(),
                };
                Ok(self.add_person(tx, editor, &new).await?.id)
            }
        }
    }
}

pub(crate) fn visit_not_found() -> Error {
    Error::not_found("visitor session")
}

/// The error for a person who is already checked in.
pub(crate) fn already_checked_in(field: &str) -> Error {
    let invalid = Invalid::new("already_checked_in", "is already checked in; check out first");
    Error::invalid_field(field, invalid)
}

/// Refuses an expected end that is before the start or more than a year after it.
pub(crate) fn check_expected_until(until: Option<Timestamp>, from: Timestamp) -> Result<(), Error> {
    if until.is_some_and(|until| until <= from || until > from + MAX_EXPECTED_STAY) {
        let invalid = Invalid::new("bad_time", "must be after the check-in and within a year of it");
        return Err(Error::invalid_field("expected_until", invalid));
    }
    Ok(())
}
