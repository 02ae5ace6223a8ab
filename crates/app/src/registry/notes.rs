//! Notes on people and machines.

use domain::access::{ReadRegistry, WriteRegistry};
use domain::{EntityType, Invalid, MultilineText, Note, Page, PageRequest, PersonId, StoredResponse};
use serde_json::json;
use store::Tx;

use crate::{App, Caller, Error, Idempotent};

#[macros::boxed]
impl App {
    /// Lists a page of the notes on a person or machine, the newest first, with the total if requested.
    pub async fn list_notes(
        &self,
        caller: &Caller<ReadRegistry>,
        on: (EntityType, i64),
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<Note>, Option<i64>), Error> {
        let mut tx = self.store.read().await?;
        if !tx.notes(caller.scope()).has_subject(on.0, on.1).await? {
            return Err(Error::not_found(match on.0 {
                EntityType::Person => "person",
                EntityType::Machine => "machine",
            }));
        }
        let found = tx.notes(caller.scope()).page(on, page).await?;
        let total = if include_total { Some(tx.notes(caller.scope()).count(on).await?) } else { None };
        Ok((caller.names().redact_page(found), total))
    }

    pub async fn create_note(
        &self,
        caller: &Caller<WriteRegistry>,
        (subject, id): (EntityType, i64),
        body: &MultilineText,
        idempotent: Idempotent<'_, Note>,
    ) -> Result<StoredResponse, Error> {
        let editor = caller.editor();
        if subject == EntityType::Person {
            self.guard_person(&editor, PersonId(id)).await?;
        }
        let effect = async |tx: &mut Tx| {
            let refused = |code, text| Error::invalid_field("entity_id", Invalid::new(code, text));
            // The lock also keeps a note from being added while the person is being erased.
            tx.lock_and_bump_registry(editor.scope).await?;
            if !tx.notes(editor.scope).has_subject(subject, id).await? {
                let message = "is not a person or machine that you see";
                return Err(Error::missing_relation("entity_id", "unknown_entity", message));
            }
            if subject == EntityType::Person {
                let person = tx.people(editor.scope).find(PersonId(id)).await?;
                if person.is_some_and(|person| person.erased_at.is_some()) {
                    return Err(refused("person_erased", "has been erased"));
                }
            }
            let author = caller.identity.user;
            let note = tx.notes(editor.scope).add((subject, id), author, body, self.clock.now()).await?;
            let entry = editor.audit_entry().on("note.created", "note", note.id.0);
            let details = json!({ "entity_type": subject, "entity_id": id });
            self.record_audit(tx, entry.with_details(details).with_personal(&json!({ "body": note.body })))
                .await?;
            Ok(note)
        };
        let about = (subject == EntityType::Person).then_some(PersonId(id));
        self.run_idempotent_for_person(idempotent, |_| about, effect).await
    }
}
