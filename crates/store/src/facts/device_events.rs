//! Alarms, logs, states, batteries, tests and receipts, as stations told them.

use domain::{BaseStationId, TagId, Timestamp};

use crate::engine::dialect::{BulkStatement, Rows};
use crate::engine::row::{FromRow, Row};
use crate::{Error, Scope, Tx};

/// What an event is made of.
#[derive(Clone, Debug)]
pub struct NewDeviceEvent {
    /// The station that told.
    pub base_station: BaseStationId,
    /// The word of its kind.
    pub kind: &'static str,
    /// What the station calls it.
    pub uid: String,
    /// When it was.
    pub at: Timestamp,
    /// Of alarms and logs: for programs.
    pub code: Option<String>,
    /// Of alarms and logs: how grave.
    pub severity: Option<&'static str>,
    /// Of alarms and logs: for people.
    pub text: Option<String>,
    /// Of batteries and tests.
    pub tag: Option<TagId>,
    /// What else was said, as JSON.
    pub details: String,
    /// When it arrived.
    pub received_at: Timestamp,
}

/// What tells events apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeviceEventKey {
    /// The station that told.
    pub base_station: BaseStationId,
    /// The word of its kind.
    pub kind: String,
    /// What the station calls it.
    pub uid: String,
}

impl FromRow for DeviceEventKey {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self { base_station: row.get("base_station_id")?, kind: row.get("kind")?, uid: row.get("uid")? })
    }
}

const ADD: BulkStatement = BulkStatement {
    before: "insert into device_events (brand_id, base_station_id, kind, uid, at, code, severity, text, tag_id, details,
                 received_at)
             select * from ",
    after: "where true on conflict (brand_id, base_station_id, kind, uid) do nothing
            returning base_station_id, kind, uid",
};

/// The events of a brand's stations.
pub struct DeviceEvents<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    /// The events of a brand's stations.
    pub fn device_events<'a>(&'a mut self, scope: &'a Scope) -> DeviceEvents<'a> {
        DeviceEvents(self, scope)
    }
}

impl DeviceEvents<'_> {
    /// Adds those that are new, and tells which were.
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
