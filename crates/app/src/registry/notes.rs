//! Notes on people and machines.

use domain::access::{ReadRegistry, WriteRegistry};
use domain::{EntityType, Invalid, PersonId, Prose};
use serde_json::json;
use store::{Answer, Note, Page, PageRequest, Tx};

use crate::{App, Caller, Error, Once};

impl App {
    /// One page of the notes on a person or machine, the newest first, with how many there are if that is asked for.
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
        Ok((caller.names().in_page(found), total))
    }

    /// Writes a note.
    pub async fn create_note(
        &self,
        caller: &Caller<WriteRegistry>,
        (subject, id): (EntityType, i64),
        body: &Prose,
        once: Once<'_, Note>,
    ) -> Result<Answer, Error> {
        let hand = caller.hand();
        if subject == EntityType::Person {
            self.guard_person(&hand, PersonId(id)).await?;
        }
        let effect = async |tx: &mut Tx| {
            let refused = |code, text| Error::invalid_field("entity_id", Invalid::new(code, text));
            // Also what keeps a note from slipping past the erasure of whom it is about.
            tx.raise_registry_version(hand.scope).await?;
            if !tx.notes(hand.scope).has_subject(subject, id).await? {
                return Err(refused("unknown_entity", "is none of this brand that you see"));
            }
            if subject == EntityType::Person {
                let person = tx.people(hand.scope).find(PersonId(id)).await?;
                if person.is_some_and(|person| person.erased_at.is_some()) {
                    return Err(refused("person_erased", "has been erased"));
                }
            }
            let author = caller.identity.user;
            let note = tx.notes(hand.scope).add((subject, id), author, body, self.clock.now()).await?;
            let act = hand.act().on("note.created", "note", note.id.0);
            let details = json!({ "entity_type": subject, "entity_id": id });
            self.record(tx, act.with(details).with_personal(&json!({ "body": note.body }))).await?;
            Ok(note)
        };
        let about = (subject == EntityType::Person).then_some(PersonId(id));
        self.once_naming(once, |_| about, effect).await
    }
}
