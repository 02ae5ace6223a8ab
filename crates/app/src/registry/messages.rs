//! Messages to machine cabs: users send them, and base stations fetch them.

use domain::access::{ReadRegistry, WriteRegistry};
use domain::{BaseStationId, Message, MessageText, Page, PageRequest, Span, StoredResponse, message};
use serde_json::json;

use crate::platform::audit::AuditEntry;
use crate::registry::base_stations::station_not_found;
use crate::{App, Caller, Error, Idempotent};

#[macros::boxed]
impl App {
    /// Lists a page of the messages to a station that the caller sees, the newest first, with the total if requested.
    pub async fn list_messages(
        &self,
        caller: &Caller<ReadRegistry>,
        station: BaseStationId,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<Message>, Option<i64>), Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        let station = tx.visible_station(scope, station).await?.ok_or_else(station_not_found)?;
        let found = tx.messages(scope).page(&station, page).await?;
        let total = if include_total { Some(tx.messages(scope).count(&station).await?) } else { None };
        Ok((caller.names().redact_page(found), total))
    }

    /// Sends a message to a station that the caller sees. It expires after `expires_after`, or after a day by default.
    pub async fn create_message(
        &self,
        caller: &Caller<WriteRegistry>,
        station: BaseStationId,
        text: &MessageText,
        expires_after: Option<Span>,
        idempotent: Idempotent<'_, Message>,
    ) -> Result<StoredResponse, Error> {
        let scope = caller.scope();
        self.run_idempotent(idempotent, async |tx| {
            tx.base_stations(scope).find(station).await?.ok_or_else(station_not_found)?;
            let now = self.clock.now();
            let expires_at =
                now + expires_after.unwrap_or(message::DEFAULT_LIFETIME).min(message::MAX_LIFETIME);
            let sent = tx.messages(scope).add(station, text, caller.identity.user, (now, expires_at)).await?;
            let entry = AuditEntry::by_caller(caller).on("message.sent", "message", sent.id.0);
            let details = json!({ "base_station_id": station, "expires_at": expires_at });
            self.record_audit(tx, entry.with_details(details).with_personal(&json!({ "text": sent.text })))
                .await?;
            self.notify_devices_after_commit(tx, scope);
            Ok(sent)
        })
        .await
    }
}
