//! Device events as stations reported them: alarms, logs, statuses, tag batteries, tag tests and message receipts.

use domain::{BaseStationId, TagId, Timestamp};

use crate::engine::dialect::{BulkStatement, Rows};
use crate::{Error, Scope, Tx};

#[derive(Clone, Debug)]
pub struct NewDeviceEvent {
    pub base_station: BaseStationId,
    pub kind: &'static str,
    /// Identifier chosen by the station; a second event with the same station, kind and uid is a repeat.
    pub uid: String,
    /// Time of the event by the station's clock.
    pub at: Timestamp,
    /// Machine-readable code of an alarm or log entry.
    pub code: Option<String>,
    /// Severity of an alarm or log entry.
    pub severity: Option<&'static str>,
    /// Human-readable text of an alarm or log entry.
    pub text: Option<String>,
    /// The tag of a battery report or tag test.
    pub tag: Option<TagId>,
    /// All other fields of the event, as JSON.
    pub details: String,
    /// Time at which the server received the event.
    pub received_at: Timestamp,
}

/// The key by which repeated events are recognised.
#[derive(Clone, Debug, PartialEq, Eq, Hash, macros::FromRow)]
pub struct DeviceEventKey {
    #[row(column = "base_station_id")]
    pub base_station: BaseStationId,
    pub kind: String,
    pub uid: String,
}

const ADD: BulkStatement = BulkStatement {
    before: "insert into device_events (brand_id, base_station_id, kind, uid, at, code, severity, text, tag_id, details,
                 received_at)
             select * from ",
    after: "where true on conflict (brand_id, base_station_id, kind, uid) do nothing
            returning base_station_id, kind, uid",
};

/// The device events of a brand's stations.
pub struct DeviceEvents<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn device_events<'a>(&'a mut self, scope: &'a Scope) -> DeviceEvents<'a> {
        DeviceEvents(self, scope)
    }
}

#[macros::boxed]
impl DeviceEvents<'_> {
    /// Inserts the events that are new and returns their keys; repeats are ignored.
    pub async fn add(&mut self, all: &[NewDeviceEvent]) -> Result<Vec<DeviceEventKey>, Error> {
        let brand = self.1.brand();
        let rows = Rows::default()
            .column(all.iter().map(|_| brand))
            .column(all.iter().map(|event| event.base_station))
            .column(all.iter().map(|event| event.kind))
            .column(all.iter().map(|event| event.uid.as_str()))
            .column(all.iter().map(|event| event.at))
            .column(all.iter().map(|event| event.code.clone()))
            .column(all.iter().map(|event| event.severity))
            .column(all.iter().map(|event| event.text.clone()))
            .column(all.iter().map(|event| event.tag))
            .column(all.iter().map(|event| event.details.as_str()))
            .column(all.iter().map(|event| event.received_at));
        self.0.query_bulk(ADD, rows).await
    }
}
