//! Visitors' stays: check-in finds or makes the visitor and hands out the tag; check-out takes it back.

use domain::{Email, Invalid, Name, PersonId, PersonKind, Serial, Span, Timestamp, VisitId};
use serde_json::json;
use store::{Answer, NewPerson, NewVisit, Page, PageRequest, Tx, Visit, VisitFilter};

use crate::audit::Act;
use crate::tag_assignments::by;
use crate::{App, Error, IfOut, Once, TagName, Tester};

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
    /// For whom they come.
    pub company: Option<Name>,
    /// What else was said.
    pub notes: Option<String>,
    /// Until when they mean to stay.
    pub expected_until: Option<Timestamp>,
}

impl App {
    /// One page of stays, the newest first, with how many there are if that is asked for.
    pub async fn list_visitor_sessions(
        &self,
        tester: &Tester,
        filter: &VisitFilter,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<Visit>, Option<i64>), Error> {
        let mut tx = self.store.read().await?;
        let found = tx.visitor_sessions(&tester.scope).page(filter, page).await?;
        let total =
            if include_total { Some(tx.visitor_sessions(&tester.scope).count(filter).await?) } else { None };
        Ok((found, total))
    }

    /// One stay of the brand's visitors.
    pub async fn find_visitor_session(&self, tester: &Tester, id: VisitId) -> Result<Visit, Error> {
        let found = self.store.read().await?.visitor_sessions(&tester.scope).find(id).await?;
        found.ok_or_else(|| Error::not_found("visitor session"))
    }

    /// Checks a visitor in: all of it, or nothing.
    pub async fn check_in(
        &self,
        tester: &Tester,
        check_in: &CheckIn,
        once: Once<'_, Visit>,
    ) -> Result<Answer, Error> {
        let now = self.clock.now();
        self.once(once, async |tx| {
            // Judged inside: a repeat of what was taken in time is answered as it was then.
            if check_in.expected_until.is_some_and(|until| until <= now || until > now + LONGEST) {
                let invalid = Invalid::new("bad_time", "must be in the future, and within a year");
                return Err(Error::invalid_field("expected_until", invalid));
            }
            // The brand's number first: its lock keeps two check-ins from making the same visitor twice.
            tx.raise_registry_version(&tester.scope).await?;
            let tag = TagName::Serial(check_in.tag.clone());
            let found = self.tag_to_assign(tx, tester, &tag).await?;
            let person = self.find_or_make_visitor(tx, tester, check_in).await?;
            let assigned = self.assign(tx, tester, (&found, tag.field()), person, IfOut::Refuse).await?;
            let new = NewVisit {
                person,
                assignment: assigned.id,
                company: check_in.company.as_ref().map(|company| company.as_str().to_owned()),
                notes: check_in.notes.clone(),
                expected_until: check_in.expected_until,
            };
            let visit = match tx.visitor_sessions(&tester.scope).add(&new, &by(tester), now).await {
                Err(store::Error::Duplicate(_)) => {
                    let invalid =
                        Invalid::new("already_checked_in", "is checked in already; check out first");
                    return Err(Error::invalid_field("person_id", invalid));
                }
                other => other?,
            };
            self.record(
                tx,
                Act::of_tester(tester)
                    .on("visitor_session.started", "visitor_session", visit.id.0)
                    .with(json!({ "person_id": visit.person, "tag_assignment_id": visit.assignment }))
                    .with_personal(&json!({ "company": visit.company, "notes": visit.notes })),
            )
            .await?;
            Ok(visit)
        })
        .await
    }

    /// Checks a visitor out: stay and assignment end. Doing so twice is fine, and changes nothing.
    pub async fn check_out(&self, tester: &Tester, id: VisitId) -> Result<Visit, Error> {
        let missing = || Error::not_found("visitor session");
        let mut tx = self.store.begin().await?;
        tx.raise_registry_version(&tester.scope).await?;
        let found = tx.visitor_sessions(&tester.scope).find(id).await?.ok_or_else(missing)?;
        if !tx.visitor_sessions(&tester.scope).end(id, &by(tester), self.clock.now()).await? {
            return Ok(found);
        }
        // The tag may have been taken back before.
        if let Some(assignment) = tx.tag_assignments(&tester.scope).find(found.assignment).await? {
            self.end(&mut tx, tester, &assignment).await?;
        }
        self.record(
            &mut tx,
            Act::of_tester(tester)
                .on("visitor_session.ended", "visitor_session", id.0)
                .with(json!({ "person_id": found.person })),
        )
        .await?;
        let ended = tx.visitor_sessions(&tester.scope).find(id).await?.ok_or_else(missing)?;
        tx.commit().await?;
        Ok(ended)
    }

    async fn find_or_make_visitor(
        &self,
        tx: &mut Tx,
        tester: &Tester,
        check_in: &CheckIn,
    ) -> Result<PersonId, Error> {
        match &check_in.visitor {
            Visitor::Known(id) => {
                let refused = |code, text| Error::invalid_field("person_id", Invalid::new(code, text));
                let found = tx.people(&tester.scope).find(*id).await?;
                let found =
                    found.ok_or_else(|| refused("unknown_person", "is not a person of this brand"))?;
                if found.kind != PersonKind::Visitor {
                    return Err(refused("not_a_visitor", "is staff, who do not check in"));
                }
                Ok(found.id)
            }
            Visitor::Named { name, email } => {
                if let Some(email) = email
                    && let Some(found) = tx.people(&tester.scope).visitor_by_email(email).await?
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
                Ok(self.add_person(tx, tester, &new).await?.id)
            }
        }
    }
}
