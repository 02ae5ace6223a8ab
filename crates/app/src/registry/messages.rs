//! Text to cabs: sent by people, fetched by stations.

use domain::access::{ReadRegistry, WriteRegistry};
use domain::{BaseStationId, MessageText, Span, message};
use serde_json::json;
use store::{Answer, Message, Page, PageRequest};

use crate::platform::audit::Act;
use crate::registry::base_stations::missing;
use crate::{App, Caller, Error, Once};

impl App {
    /// One page of the messages to a station that the caller sees, the newest first, with how many there are if that is
    /// asked for.
    pub async fn list_messages(
        &self,
        caller: &Caller<ReadRegistry>,
        station: BaseStationId,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<Message>, Option<i64>), Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        let station = tx.seen_station(scope, station).await?.ok_or_else(missing)?;
        let found = tx.messages(scope).page(&station, page).await?;
        let total = if include_total { Some(tx.messages(scope).count(&station).await?) } else { None };
        Ok((caller.names().in_page(found), total))
    }

    /// Sends a message to a station that the caller sees. It waits so long for the station, or else a day.
    pub async fn create_message(
        &self,
        caller: &Caller<WriteRegistry>,
        station: BaseStationId,
        text: &MessageText,
        waits: Option<Span>,
        once: Once<'_, Message>,
    ) -> Result<Answer, Error> {
        let scope = caller.scope();
        self.once(once, async |tx| {
            tx.base_stations(scope).find(station).await?.ok_or_else(missing)?;
            let now = self.clock.now();
            let expires_at = now + waits.unwrap_or(message::WAITS).min(message::WAITS_AT_MOST);
            let sent = tx.messages(scope).add(station, text, caller.identity.user, (now, expires_at)).await?;
            let act = Act::of_caller(caller).on("message.sent", "message", sent.id.0);
            let details = json!({ "base_station_id": station, "expires_at": expires_at });
            self.record(tx, act.with(details).with_personal(&json!({ "text": sent.text }))).await?;
            self.ring_after_commit(tx, scope);
            Ok(sent)
        })
        .await
    }
}
