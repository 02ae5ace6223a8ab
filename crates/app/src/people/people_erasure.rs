//! Erasure of a person's identity. Their facts still count.

use domain::access::ErasePeople;
use domain::{Person, PersonId};
use serde_json::json;

use crate::people::person_not_found;
use crate::{App, Caller, Editor, Error};

#[macros::boxed]
impl App {
    /// Erases everything that identifies a person: their own fields, comments and notes about them, the personal part of the audit log,
    /// the responses stored for idempotency keys, and the files of all exports that contain names, because no row records which people
    /// an export names. The files of reports that name the person are deleted and made again, and their address is removed from
    /// schedules and alerts; firings about them no longer say whom they are about. Erasing twice is fine and changes nothing.
    pub async fn erase_person(&self, caller: &Caller<ErasePeople>, id: PersonId) -> Result<Person, Error> {
        let editor = Editor::by_caller(caller);
        let mut tx = self.store.begin().await?;
        // The brand's lock comes first: concurrent writes about the person finish before, or find the person erased.
        tx.lock_and_bump_registry(editor.scope).await?;
        let before = tx.people(editor.scope).find(id).await?.ok_or_else(person_not_found)?;
        if before.erased_at.is_some() {
            return Ok(before);
        }
        self.guard_erasure(&mut tx, &editor, id).await?;
        self.end_visit_and_assignments(&mut tx, &editor, id).await?;
        let erased = tx.people(editor.scope).erase(id, self.clock.now()).await?;
        let visits = tx.visitor_sessions(editor.scope).erase_person(id, self.clock.now()).await?;
        // Whoever keeps a copy of the registry gets everything again that showed the name.
        tx.people(editor.scope).mark_references(id).await?;
        let notes = tx.notes(editor.scope).erase_person(id).await?;
        let texts = tx.audits_of(editor.scope).erase_person(id).await?;
        let answers = tx.idempotency_keys().erase_person(id).await?;
        let exports = tx.exports_of(editor.scope).erase_names("person_erased", self.clock.now()).await?;
        let (report_files, remade) = tx.reports_of(editor.scope).erase_person(id, self.clock.now()).await?;
        self.remake_after_erasure(&mut tx, editor.scope.brand(), &remade).await?;
        let schedules = match &before.email {
            Some(email) => {
                let key = email.to_lowercase();
                tx.report_schedules(editor.scope).remove_address(&key, self.clock.now()).await?
            }
            None => 0,
        };
        let alerts =
            self.erase_person_from_alerts(&mut tx, editor.scope, id, before.email.as_deref()).await?;
        let counts = json!({
            "visits": visits, "notes": notes, "audit_texts": texts, "answers": answers, "exports": exports.len(),
            "report_files": report_files.len(), "schedules": schedules, "alerts": alerts,
        });
        self.record_audit(
            &mut tx,
            editor.audit_entry().on("person.erased", "person", id.0).with_details(counts),
        )
        .await?;
        tx.commit().await?;
        self.delete_export_files(&exports).await;
        self.delete_report_objects(&report_files).await;
        // The log of the database has the texts as they were. If it cannot be emptied now, the hourly attempt does it.
        if let Err(error) = self.empty_write_ahead_log().await {
            tracing::warn!("the write-ahead log could not be emptied: {error}");
        }
        Ok(erased)
    }
}
