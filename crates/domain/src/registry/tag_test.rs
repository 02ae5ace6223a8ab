//! Tests of tags.

use crate::{BaseStationId, DeviceId, PersonName, TagId, TagTestId, Timestamp};

/// A test of a tag, with the tag's serial and its wearer.
#[derive(Clone, Debug, macros::FromRow)]
pub struct TagTest {
    pub id: TagTestId,
    #[row(column = "tag_id")]
    pub tag: TagId,
    #[row(column = "serial")]
    pub tag_serial: String,
    /// The kiosk, if it was tested at one.
    #[row(column = "tester_device_id")]
    pub device: Option<DeviceId>,
    /// The base station, if it was tested at one.
    #[row(column = "base_station_id")]
    pub base_station: Option<BaseStationId>,
    /// The wearer at the time of the test.
    #[row(columns("person_id", "name", "kind"))]
    pub person: Option<PersonName>,
    pub tested_at: Timestamp,
    pub passed: bool,
    pub battery_percent: Option<i64>,
    pub created_at: Timestamp,
    /// Time at which its wearer was last corrected.
    pub updated_at: Timestamp,
}
