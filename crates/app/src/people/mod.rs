//! People who wear tags, and the visits of those who come as visitors.

pub(crate) mod people_erasure;
pub(crate) mod visit_closing;
pub(crate) mod visit_corrections;
pub(crate) mod visitor_sessions;
pub(crate) mod worksite_presence;

use domain::{
    Change, EmailAddress, Invalid, Name, NewPerson, Page, PageRequest, PeopleFilter, Person, PersonId,
    PersonKind, StoredResponse,
};
use serde_json::{Value, json};
use store::Tx;

use crate::{App, Editor, Error, ErrorKind, Idempotent, IfMatch, Reader};

#[derive(Clone, Debug, Default)]
pub struct PersonChange {
    /// Staff or visitor.
    pub kind: Change<PersonKind>,
    pub name: Change<Name>,
    /// Their number with their employer.
    pub employee_id: Change<Option<Name>>,
    pub email: Change<Option<EmailAddress>>,
    pub company: Change<Option<Name>>,
}

#[macros::boxed]
impl App {
    /// Lists a page of the brand's people, with the total if requested. Callers who do not see names search and sort by the placeholders
    /// that they see instead.
    pub async fn list_people(
        &self,
        reader: &Reader<'_>,
        filter: &PeopleFilter,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<Person>, Option<i64>), Error> {
        let known_by = reader.names.search_field();
        let mut tx = self.store.read().await?;
        let found = tx.people(reader.scope).page(filter, known_by, page).await?;
        let total =
            if include_total { Some(tx.people(reader.scope).count(filter, known_by).await?) } else { None };
        Ok((reader.names.redact_page(found), total))
    }

    pub async fn find_person(&self, reader: &Reader<'_>, id: PersonId) -> Result<Person, Error> {
        let found = self.store.read().await?.people(reader.scope).find(id).await?;
        found.map(|person| reader.names.redact_record(person)).ok_or_else(person_not_found)
    }

    pub async fn create_person(
        &self,
        editor: &Editor<'_>,
        new: &NewPerson,
        idempotent: Idempotent<'_, Person>,
    ) -> Result<StoredResponse, Error> {
        let effect = async |tx: &mut Tx| {
            tx.lock_and_bump_registry(editor.scope).await?;
            self.add_person(tx, editor, new).await
        };
        self.run_idempotent_for_person(idempotent, |person| Some(person.id), effect).await
    }

    pub async fn change_person(
        &self,
        editor: &Editor<'_>,
        id: PersonId,
        if_match: &IfMatch,
        change: PersonChange,
    ) -> Result<Person, Error> {
        self.guard_person(editor, id).await?;
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(editor.scope).await?;
        let before = tx.people(editor.scope).find(id).await?.ok_or_else(person_not_found)?;
        if_match.check(before.version)?;
        refuse_erased(&before)?;
        let stored = |text: &String| Name::parse(text).map_err(Error::internal);
        let email = before.email.as_deref().map(EmailAddress::parse).transpose().map_err(Error::internal)?;
        let to = NewPerson {
            kind: change.kind.or(before.kind),
            name: change.name.or(stored(&before.name)?),
            employee_id: change.employee_id.or(before.employee_id.as_ref().map(stored).transpose()?),
            email: change.email.or(email),
            company: change.company.or(before.company.as_ref().map(stored).transpose()?),
        };
        if to.kind != before.kind && tx.visitor_sessions(editor.scope).active_of(id).await?.is_some() {
            let invalid =
                Invalid::new("already_checked_in", "must stay visitor until the person has checked out");
            return Err(Error::invalid_field("kind", invalid));
        }
        let changed = changed_fields(&before, &to);
        if changed.is_empty() {
            return Ok(before);
        }
        let after = tx.people(editor.scope).change(id, &to, self.clock.now()).await?;
        let entry = editor
            .audit_entry()
            .on("person.changed", "person", id.0)
            .with_details(json!({ "changed": changed }));
        let personal = json!({ "before": personal_fields(&before), "after": personal_fields(&after) });
        self.record_audit(&mut tx, entry.with_personal(&personal)).await?;
        tx.commit().await?;
        Ok(after)
    }

    /// Archives a person: their visit and their tag assignments end. Archiving twice is fine and changes nothing.
    pub async fn archive_person(&self, editor: &Editor<'_>, id: PersonId) -> Result<Person, Error> {
        self.guard_person(editor, id).await?;
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(editor.scope).await?;
        let before = tx.people(editor.scope).find(id).await?.ok_or_else(person_not_found)?;
        if before.archived_at.is_some() {
            return Ok(before);
        }
        self.end_visit_and_assignments(&mut tx, editor, id).await?;
        let now = self.clock.now();
        let after = tx.people(editor.scope).set_archived(id, Some(now), now).await?;
        self.record_audit(&mut tx, editor.audit_entry().on("person.archived", "person", id.0)).await?;
        tx.commit().await?;
        Ok(after)
    }

    /// Restores an archived person. If the person is not archived, nothing changes.
    pub async fn restore_person(&self, editor: &Editor<'_>, id: PersonId) -> Result<Person, Error> {
        self.guard_person(editor, id).await?;
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(editor.scope).await?;
        let before = tx.people(editor.scope).find(id).await?.ok_or_else(person_not_found)?;
        refuse_erased(&before)?;
        if before.archived_at.is_none() {
            return Ok(before);
        }
        let after = tx.people(editor.scope).set_archived(id, None, self.clock.now()).await?;
        self.record_audit(&mut tx, editor.audit_entry().on("person.restored", "person", id.0)).await?;
        tx.commit().await?;
        Ok(after)
    }

    /// Adds a person in a transaction that has already locked the registry.
    pub(crate) async fn add_person(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        new: &NewPerson,
    ) -> Result<Person, Error> {
        let person = tx.people(editor.scope).add(new, self.clock.now()).await?;
        let entry = editor.audit_entry().on("person.created", "person", person.id.0);
        self.record_audit(
            tx,
            entry.with_details(json!({ "kind": person.kind })).with_personal(&personal_fields(&person)),
        )
        .await?;
        Ok(person)
    }

    /// Ends a person's visit and every open assignment.
    pub(crate) async fn end_visit_and_assignments(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        id: PersonId,
    ) -> Result<(), Error> {
        let now = self.clock.now();
        if let Some(visit) = tx.visitor_sessions(editor.scope).active_of(id).await? {
            self.end_visit(tx, editor, &visit, now).await?;
        }
        for open in tx.tag_assignments(editor.scope).open_of_person(id).await? {
            self.end_assignment(tx, editor, &open, now).await?;
        }
        Ok(())
    }
}

pub(crate) fn person_not_found() -> Error {
    Error::not_found("person")
}

/// Refuses to change a person who has been erased.
pub(crate) fn refuse_erased(person: &Person) -> Result<(), Error> {
    match person.erased_at {
        None => Ok(()),
        Some(_) => Err(Error::new(
            ErrorKind::Conflict,
            "person_erased",
            "This person has been erased and can be neither changed nor restored.",
        )),
    }
}

/// Returns the personal fields that the audit log stores where they can be erased.
fn personal_fields(person: &Person) -> Value {
    json!({
        "name": person.name,
        "employee_id": person.employee_id,
        "email": person.email,
        "company": person.company,
    })
}

/// Returns the names of the fields that a change would alter.
fn changed_fields(before: &Person, to: &NewPerson) -> Vec<&'static str> {
    let is_changed = [
        ("kind", to.kind != before.kind),
        ("name", to.name.as_str() != before.name),
        ("employee_id", to.employee_id.as_ref().map(Name::as_str) != before.employee_id.as_deref()),
        ("email", to.email.as_ref().map(EmailAddress::as_str) != before.email.as_deref()),
        ("company", to.company.as_ref().map(Name::as_str) != before.company.as_deref()),
    ];
    is_changed.into_iter().filter_map(|(field, changed)| changed.then_some(field)).collect()
}
