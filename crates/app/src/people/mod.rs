//! People who wear tags, and the visits of those who come as visitors.

pub(crate) mod people_erasure;
pub(crate) mod visit_closing;
pub(crate) mod visit_corrections;
pub(crate) mod visitor_sessions;
pub(crate) mod worksite_presence;

use domain::{
    Change, EmailAddress, Invalid, ListRequest, Listing, Name, NewPerson, PeopleFilter, Person, PersonId,
    PersonKind, StoredResponse,
};
use serde_json::{Value, json};
use store::Tx;

use crate::registry::listing::ListQuery;
use crate::{App, Editor, Error, ErrorKind, Idempotent, IfMatch, Reader};

/// The code of errors about an employee id that someone else has.
pub(crate) const EMPLOYEE_ID_TAKEN: &str = "employee_id_taken";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PersonChange {
    /// Staff or visitor.
    pub kind: Change<PersonKind>,
    pub name: Change<Name>,
    /// Their number with their employer.
    pub employee_id: Change<Option<Name>>,
    pub email: Change<Option<EmailAddress>>,
    pub company: Change<Option<Name>>,
}

impl PersonChange {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[macros::boxed]
impl App {
    /// Lists a page of the brand's people, in an order or as they changed, with the total if requested. Callers who do not see names
    /// search and sort by the placeholders that they see instead.
    pub async fn list_people(
        &self,
        reader: &Reader<'_>,
        filter: &PeopleFilter,
        request: &ListRequest,
    ) -> Result<Listing<Person>, Error> {
        let (scope, search_field) = (reader.scope, reader.names.search_field());
        let mut tx = self.store.read().await?;
        let query = ListQuery::new(&mut tx, scope, request).await?;
        let filter = PeopleFilter { rows: query.rows(&filter.rows), ..filter.clone() };
        let slice = tx.people(scope).slice(&filter, search_field, query.sorting, &request.window).await?;
        let total = match request.include_total {
            true => Some(tx.people(scope).count(&filter, search_field).await?),
            false => None,
        };
        let changes = query.changes(&slice);
        Ok(reader.redact_listing(Listing::new(slice, total, changes)))
    }

    pub async fn find_person(&self, reader: &Reader<'_>, id: PersonId) -> Result<Person, Error> {
        let found = self.store.read().await?.people(reader.scope).find(id).await?;
        found.map(|person| reader.redact(person)).ok_or_else(person_not_found)
    }

    /// Finds those of these people who exist, archived or not.
    pub async fn find_people_by_id(
        &self,
        reader: &Reader<'_>,
        ids: &[PersonId],
    ) -> Result<Vec<Person>, Error> {
        let found = self.store.read().await?.people(reader.scope).among(ids).await?;
        Ok(found.into_iter().map(|person| reader.names.redact_record(person)).collect())
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
        self.update_person(editor, id, if_match, change, Change::Keep).await
    }

    /// Archives a person: their visit and their tag assignments end. Archiving twice is fine and changes nothing.
    pub async fn archive_person(&self, editor: &Editor<'_>, id: PersonId) -> Result<Person, Error> {
        self.update_person(editor, id, &IfMatch::Any, PersonChange::default(), Change::Set(true)).await
    }

    /// Restores an archived person. If the person is not archived, nothing changes.
    pub async fn restore_person(&self, editor: &Editor<'_>, id: PersonId) -> Result<Person, Error> {
        self.update_person(editor, id, &IfMatch::Any, PersonChange::default(), Change::Set(false)).await
    }

    /// Changes a person, and archives or restores them, all or nothing. They are restored before they are changed, and archived
    /// afterwards.
    pub async fn update_person(
        &self,
        editor: &Editor<'_>,
        id: PersonId,
        if_match: &IfMatch,
        change: PersonChange,
        archived: Change<bool>,
    ) -> Result<Person, Error> {
        // What was read can be sent back by everyone who may change people, also if the person is outside their projects.
        if let Some(person) = self.find_person_unchanged_by(editor, id, &change, archived).await? {
            if_match.check(person.version)?;
            return Ok(person);
        }
        self.guard_person(editor, id).await?;
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(editor.scope).await?;
        let mut person = tx.people(editor.scope).find(id).await?.ok_or_else(person_not_found)?;
        if_match.check(person.version)?;
        if person.erased_at.is_some() {
            // What changes nothing is fine, such as archiving them: they are archived already.
            let changed = changed_fields(&person, &values_after(&person, change)?);
            if archived == Change::Set(false) || !changed.is_empty() {
                refuse_erased(&person)?;
            }
            return Ok(person);
        }
        let version = person.version;
        if archived == Change::Set(false) && person.archived_at.is_some() {
            refuse_taken_on_restore(&mut tx, editor, &person, &change).await?;
            person = tx.people(editor.scope).set_archived(id, None, self.clock.now()).await?;
            self.record_audit(&mut tx, editor.audit_entry().on("person.restored", "person", id.0)).await?;
        }
        if !change.is_empty() {
            person = self.set_person_values(&mut tx, editor, person, change).await?;
        }
        if archived == Change::Set(true) && person.archived_at.is_none() {
            self.end_visit_and_assignments(&mut tx, editor, id).await?;
            let now = self.clock.now();
            person = tx.people(editor.scope).set_archived(id, Some(now), now).await?;
            self.record_audit(&mut tx, editor.audit_entry().on("person.archived", "person", id.0)).await?;
        }
        if person.version != version {
            tx.commit().await?;
        }
        Ok(person)
    }

    /// Returns the person if a change would alter nothing.
    async fn find_person_unchanged_by(
        &self,
        editor: &Editor<'_>,
        id: PersonId,
        change: &PersonChange,
        archived: Change<bool>,
    ) -> Result<Option<Person>, Error> {
        let found = self.store.read().await?.people(editor.scope).find(id).await?;
        let person = found.ok_or_else(person_not_found)?;
        let is_archived = person.archived_at.is_some();
        let stays = archived.or(is_archived) == is_archived
            && changed_fields(&person, &values_after(&person, change.clone())?).is_empty();
        Ok(stays.then_some(person))
    }

    async fn set_person_values(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        before: Person,
        change: PersonChange,
    ) -> Result<Person, Error> {
        let id = before.id;
        let to = values_after(&before, change)?;
        if to.kind != before.kind && tx.visitor_sessions(editor.scope).active_of(id).await?.is_some() {
            let invalid =
                Invalid::new("already_checked_in", "must stay visitor until the person has checked out");
            return Err(Error::invalid_field("kind", invalid));
        }
        let changed = changed_fields(&before, &to);
        if changed.contains(&"employee_id") && before.archived_at.is_none() {
            refuse_taken_employee_id(tx, editor, to.employee_id.as_ref(), Some(id)).await?;
        }
        if changed.is_empty() {
            return Ok(before);
        }
        let after = tx.people(editor.scope).change(id, &to, self.clock.now()).await?;
        if changed.contains(&"name") || changed.contains(&"kind") {
            tx.people(editor.scope).mark_references(id).await?;
        }
        let entry = editor
            .audit_entry()
            .on("person.changed", "person", id.0)
            .with_details(json!({ "changed": changed }));
        let personal = json!({ "before": personal_fields(&before), "after": personal_fields(&after) });
        self.record_audit(tx, entry.with_personal(&personal)).await?;
        Ok(after)
    }

    /// Adds a person in a transaction that has already locked the registry.
    pub(crate) async fn add_person(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        new: &NewPerson,
    ) -> Result<Person, Error> {
        refuse_taken_employee_id(tx, editor, new.employee_id.as_ref(), None).await?;
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

/// Refuses to restore a person whose employee id, as the same request leaves it, belongs to someone else by now.
async fn refuse_taken_on_restore(
    tx: &mut Tx,
    editor: &Editor<'_>,
    person: &Person,
    change: &PersonChange,
) -> Result<(), Error> {
    let stored =
        person.employee_id.as_deref().map(Name::parse_stored).transpose().map_err(Error::internal)?;
    let is_kept = change.employee_id == Change::Keep;
    let employee_id = change.employee_id.clone().or(stored);
    match refuse_taken_employee_id(tx, editor, employee_id.as_ref(), Some(person.id)).await {
        Err(error) if is_kept && error.kind == ErrorKind::Invalid => {
            let detail = "Someone else has the employee id of this person; change one of the two first.";
            Err(Error::new(ErrorKind::Conflict, EMPLOYEE_ID_TAKEN, detail))
        }
        outcome => outcome,
    }
}

/// Refuses an employee id that another person has who is not archived, if the brand wants them to be unique. The brand's lock, which every
/// write of a person and of the brand's settings holds until its commit, keeps others from taking it meanwhile; so there is no unique
/// index, which would have to know the setting of the brand.
async fn refuse_taken_employee_id(
    tx: &mut Tx,
    editor: &Editor<'_>,
    employee_id: Option<&Name>,
    except: Option<PersonId>,
) -> Result<(), Error> {
    let Some(employee_id) = employee_id else { return Ok(()) };
    match tx.people(editor.scope).owner_of_employee_id(employee_id, except).await? {
        None => Ok(()),
        Some(owner) => {
            let text = format!("is the employee id of person {owner}");
            Err(Error::invalid_field("employee_id", Invalid::new(EMPLOYEE_ID_TAKEN, text)))
        }
    }
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

/// Returns the values that a person has after a change.
fn values_after(before: &Person, change: PersonChange) -> Result<NewPerson, Error> {
    let stored = |text: &String| Name::parse_stored(text).map_err(Error::internal);
    let email = before.email.as_deref().map(EmailAddress::parse_stored).transpose();
    let email = email.map_err(Error::internal)?;
    Ok(NewPerson {
        kind: change.kind.or(before.kind),
        name: change.name.or(stored(&before.name)?),
        employee_id: change.employee_id.or(before.employee_id.as_ref().map(stored).transpose()?),
        email: change.email.or(email),
        company: change.company.or(before.company.as_ref().map(stored).transpose()?),
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
