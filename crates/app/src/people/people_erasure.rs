//! Making a person nameless for ever. What was counted stays counted.

use domain::PersonId;
use domain::access::ErasePeople;
use serde_json::json;
use store::Person;

use crate::people::person_not_found;
use crate::{App, Caller, Editor, Error};

impl App {
    /// Takes away everything that says who a person was: their own fields, what was said and noted about them, the texts
    /// beside the audit log, answers kept for repeats, and the files of exports that name people: which of them name this one is in
    /// no row, so all go. Doing so twice is fine, and changes nothing.
    pub async fn erase_person(&self, caller: &Caller<ErasePeople>, id: PersonId) -> Result<Person, Error> {
        let editor = Editor::by_caller(caller);
        let mut tx = self.store.begin().await?;
        // The brand's number first: whoever is writing about the person finishes before, or finds them erased.
        tx.lock_and_bump_registry(editor.scope).await?;
        let before = tx.people(editor.scope).find(id).await?.ok_or_else(person_not_found)?;
        if before.erased_at.is_some() {
            return Ok(before);
        }
        self.guard_erasure(&mut tx, &editor, id).await?;
        self.end_visit_and_assignments(&mut tx, &editor, id).await?;
        let erased = tx.people(editor.scope).erase(id, self.clock.now()).await?;
        let visits = tx.visitor_sessions(editor.scope).erase_person(id).await?;
        let notes = tx.notes(editor.scope).erase_person(id).await?;
        let texts = tx.audits_of(editor.scope).erase_person(id).await?;
        let answers = tx.idempotency_keys().erase_person(id).await?;
        let exports = tx.exports_of(editor.scope).erase_names("person_erased", self.clock.now()).await?;
        let counts = json!({
            "visits": visits, "notes": notes, "audit_texts": texts, "answers": answers, "exports": exports.len(),
        });
        self.record_audit(
            &mut tx,
            editor.audit_entry().on("person.erased", "person", id.0).with_details(counts),
        )
        .await?;
        tx.commit().await?;
        self.delete_export_files(&exports).await;
        Ok(erased)
    }
}
