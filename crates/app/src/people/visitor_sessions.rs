//! Visitors' stays: check-in finds or makes the visitor and hands out the tag; check-out takes it back.

use domain::{
    Email, Invalid, Name, PersonId, PersonKind, Prose, Serial, Span, Timestamp, VisitId, WorksiteId,
};
use serde_json::json;
use store::{Answer, NewPerson, NewVisit, Page, PageRequest, Projects, Tx, Visit, VisitFilter};

use crate::accounts::restriction::restricted;
use crate::{Actor, App, Error, Hand, IfOut, NewAssignment, Once, Reader, TagName};

/// The longest a stay may be expected to last.
const LONGEST: Span = Span::minutes(366 * 24 * 60);

/// Who comes.
#[derive(Clone, Debug)]
pub enum Visitor {
    /// Someone who was here before.
    Known(PersonId),
    /// Someone by name; found again by their email, else made.
    Named {
        /// What they are called.
        name: Name,
        /// Where they are written to.
        email: Option<Email>,
    },
}

/// What is said at the desk.
#[derive(Clone, Debug)]
pub struct CheckIn {
    /// Who comes.
    pub visitor: Visitor,
    /// What stands on the tag they get; an unknown one is registered.
    pub tag: Serial,
    /// Where they go. A kiosk does not say: it stands at a worksite or not.
    pub worksite: Option<WorksiteId>,
    /// For whom they come.
    pub company: Option<Name>,
    /// What else was said.
    pub notes: Option<Prose>,
    /// Until when they mean to stay.
    pub expected_until: Option<Timestamp>,
}

impl App {
    /// One page of the stays that the caller sees, the newest first, with how many there are if that is asked for.
    pub async fn list_visitor_sessions(
        &self,
        reader: &Reader<'_>,
        filter: &VisitFilter,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<Visit>, Option<i64>), Error> {
        let mut tx = self.store.read().await?;
        let found = tx.visitor_sessions(reader.scope).page(filter, page).await?;
        let total =
            if include_total { Some(tx.visitor_sessions(reader.scope).count(filter).await?) } else { None };
        Ok((reader.names.in_page(found), total))
    }

    /// One stay that the caller sees.
    pub async fn find_visitor_session(&self, reader: &Reader<'_>, id: VisitId) -> Result<Visit, Error> {
        let found = self.store.read().await?.visitor_sessions(reader.scope).find(id).await?;
        found.map(|visit| reader.names.in_record(visit)).ok_or_else(missing)
    }

    /// Checks a visitor in: all of it, or nothing.
    pub async fn check_in(
        &self,
        hand: &Hand<'_>,
        check_in: &CheckIn,
        once: Once<'_, Visit>,
    ) -> Result<Answer, Error> {
        let now = self.clock.now();
        let effect = async |tx: &mut Tx| {
            // Judged inside: a repeat of what was taken in time is answered as it was then.
            check_expected(check_in.expected_until, now)?;
            // The brand's number first: its lock keeps two check-ins from making the same visitor twice.
            tx.raise_registry_version(hand.scope).await?;
            let worksite = match hand.actor {
                Actor::Tester(device) => tx.visitor_sessions(hand.scope).worksite_of_device(device).await?,
                _ => {
                    self.check_site_of_visit(tx, hand, check_in.worksite).await?;
                    check_in.worksite
                }
            };
            let tag = TagName::Serial(check_in.tag.clone());
            let found = self.tag_to_assign(tx, hand, &tag).await?;
            let person = self.find_or_make_visitor(tx, hand, check_in).await?;
            let new = NewAssignment { tag, person, if_out: IfOut::Refuse, assigned_at: None };
            let assigned = self.assign(tx, hand, &found, &new).await?;
            let new = NewVisit {
                person,
                assignment: assigned.id,
                worksite,
                company: check_in.company.as_ref().map(|company| company.as_str().to_owned()),
                notes: check_in.notes.as_ref().map(|notes| notes.as_str().to_owned()),
                expected_until: check_in.expected_until,
            };
            // The tag may have had to wait for another host's clock; the stay begins with it.
            let visit =
                match tx.visitor_sessions(hand.scope).add(&new, &hand.by(), assigned.assigned_at).await {
                    Err(store::Error::Duplicate(_)) => return Err(already_here("person_id")),
                    other => other?,
                };
            let act = hand.act().on("visitor_session.started", "visitor_session", visit.id.0);
            let details = json!({
                "person_id": visit.person.id,
                "tag_assignment_id": visit.assignment,
                "worksite_id": worksite,
            });
            let personal = json!({ "company": visit.company, "notes": visit.notes });
            self.record(tx, act.with(details).with_personal(&personal)).await?;
            Ok(visit)
        };
        self.once_naming(once, |visit| Some(visit.person.id), effect).await
    }

    /// Checks a visitor out: stay and assignment end. Doing so twice is fine, and changes nothing.
    pub async fn check_out(&self, hand: &Hand<'_>, id: VisitId) -> Result<Visit, Error> {
        let mut tx = self.store.begin().await?;
        tx.raise_registry_version(hand.scope).await?;
        let found = tx.visitor_sessions(hand.scope).find(id).await?.ok_or_else(missing)?;
        if !self.end_visit(&mut tx, hand, &found, self.clock.now()).await? {
            return Ok(found);
        }
        let ended = tx.visitor_sessions(hand.scope).find(id).await?.ok_or_else(missing)?;
        tx.commit().await?;
        Ok(ended)
    }

    /// Ends a stay and the assignment of its tag if it is active, and tells whether it was.
    pub(crate) async fn end_visit(
        &self,
        tx: &mut Tx,
        hand: &Hand<'_>,
        visit: &Visit,
        at: Timestamp,
    ) -> Result<bool, Error> {
        if visit.checked_out_at.is_some() {
            return Ok(false);
        }
        self.guard_visit(tx, hand, visit).await?;
        let times = (at, self.clock.now());
        if !tx.visitor_sessions(hand.scope).end(visit.id, &hand.by(), times).await? {
            return Ok(false);
        }
        // The tag may have been taken back before.
        if let Some(assignment) = tx.tag_assignments(hand.scope).find(visit.assignment).await? {
            self.end(tx, hand, &assignment, at).await?;
        }
        let act = hand.act().on("visitor_session.ended", "visitor_session", visit.id.0);
        let details = json!({ "person_id": visit.person.id, "checked_out_at": at.max(visit.checked_in_at) });
        self.record(tx, act.with(details)).await?;
        Ok(true)
    }

    /// Refuses a worksite that the hand does not see; those who see only some projects have to name one, or they would not
    /// see the stay.
    pub(crate) async fn check_site_of_visit(
        &self,
        tx: &mut Tx,
        hand: &Hand<'_>,
        worksite: Option<WorksiteId>,
    ) -> Result<(), Error> {
        let refused = |code, text| Error::invalid_field("worksite_id", Invalid::new(code, text));
        match worksite {
            Some(id) if !tx.visitor_sessions(hand.scope).has_worksite(id).await? => {
                Err(refused("unknown_worksite", "is not a worksite that you see"))
            }
            None if *hand.scope.projects() != Projects::All => Err(restricted(
                "You are restricted to some projects, and so have to name a worksite of theirs.",
            )),
            _ => Ok(()),
        }
    }

    async fn find_or_make_visitor(
        &self,
        tx: &mut Tx,
        hand: &Hand<'_>,
        check_in: &CheckIn,
    ) -> Result<PersonId, Error> {
        match &check_in.visitor {
            Visitor::Known(id) => {
                let refused = |code, text| Error::invalid_field("person_id", Invalid::new(code, text));
                let found = tx.people(hand.scope).find(*id).await?;
                let found =
                    found.ok_or_else(|| refused("unknown_person", "is not a person of this brand"))?;
                if found.kind != PersonKind::Visitor {
                    return Err(refused("not_a_visitor", "is staff, who do not check in"));
                }
                Ok(found.id)
            }
            Visitor::Named { name, email } => {
                if let Some(email) = email
                    && let Some(found) = tx.people(hand.scope).visitor_by_email(email).await?
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
                Ok(self.add_person(tx, hand, &new).await?.id)
            }
        }
    }
}

pub(crate) fn missing() -> Error {
    Error::not_found("visitor session")
}

/// Refuses to let someone in who is in.
pub(crate) fn already_here(field: &str) -> Error {
    let invalid = Invalid::new("already_checked_in", "is checked in already; check out first");
    Error::invalid_field(field, invalid)
}

/// Refuses an expected end that does not come after the beginning, or more than a year after it.
pub(crate) fn check_expected(until: Option<Timestamp>, from: Timestamp) -> Result<(), Error> {
    if until.is_some_and(|until| until <= from || until > from + LONGEST) {
        let invalid = Invalid::new("bad_time", "must come after the check-in, and within a year");
        return Err(Error::invalid_field("expected_until", invalid));
    }
    Ok(())
}
