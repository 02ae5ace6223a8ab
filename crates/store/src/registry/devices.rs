//! Devices that hold a token: tester devices, base stations and gateways.

use domain::{DeviceId, DeviceKind, Name, Timestamp};

use crate::engine::statement::sql;
use crate::{Error, Scope, Tx};

/// A device of any kind.
#[derive(Clone, Debug, macros::FromRow)]
pub struct Device {
    /// Unique among devices of the same kind.
    pub id: DeviceId,
    /// The name, or the serial of a base station.
    pub name: String,
}

/// The devices of one kind in a brand.
pub struct Devices<'a> {
    tx: &'a mut Tx,
    scope: &'a Scope,
    kind: DeviceKind,
}

impl Tx {
    pub fn devices<'a>(&'a mut self, scope: &'a Scope, kind: DeviceKind) -> Devices<'a> {
        Devices { tx: self, scope, kind }
    }
}

#[macros::boxed]
impl Devices<'_> {
    /// Finds the device with that name or adds it, and locks its row until the end of the transaction.
    pub async fn ensure(&mut self, name: &Name, now: Timestamp) -> Result<Device, Error> {
        // The update changes nothing, but takes the lock and returns the row on both engines.
        let text = match self.kind {
            DeviceKind::Tester => {
                "insert into tester_devices (brand_id, name, name_key, created_at, updated_at, registry_version)
                 values ($1, $2, $3, $4, $4, (select registry_version from brand_counters where brand_id = $1))
                 on conflict (brand_id, name_key) do update set name_key = excluded.name_key
                 returning id, name"
            }
            DeviceKind::Station => {
                "insert into base_stations (brand_id, serial, serial_key, created_at, updated_at, registry_version)
                 values ($1, $2, $3, $4, $4, (select registry_version from brand_counters where brand_id = $1))
                 on conflict (brand_id, serial_key) do update set serial_key = excluded.serial_key
                 returning id, serial as name"
            }
            DeviceKind::Gateway => {
                "insert into gateways (brand_id, name, name_key, created_at, updated_at, registry_version)
                 values ($1, $2, $3, $4, $4, (select registry_version from brand_counters where brand_id = $1))
                 on conflict (brand_id, name_key) do update set name_key = excluded.name_key
                 returning id, name"
            }
        };
        self.tx.one(sql!(text, self.scope.brand(), name.as_str(), name.key(), now)).await
    }

    /// Marks a device as changed, because lists of tester devices and gateways show its token. Those of base stations do not.
    pub async fn mark(&mut self, id: DeviceId) -> Result<(), Error> {
        let text = match self.kind {
            DeviceKind::Tester => {
                "update tester_devices set
                     registry_version = (select registry_version from brand_counters where brand_id = $1)
                 where brand_id = $1 and id = $2"
            }
            DeviceKind::Gateway => {
                "update gateways set
                     registry_version = (select registry_version from brand_counters where brand_id = $1)
                 where brand_id = $1 and id = $2"
            }
            DeviceKind::Station => return Ok(()),
        };
        self.tx.execute(sql!(text, self.scope.brand(), id)).await?;
        Ok(())
    }

    /// Finds a device and locks its row until the end of the transaction, so that only one token is issued at a time.
    pub async fn find_locked(&mut self, id: DeviceId) -> Result<Option<Device>, Error> {
        let text = match self.kind {
            DeviceKind::Tester => "select id, name from tester_devices where brand_id = $1 and id = $2",
            DeviceKind::Station => {
                "select id, serial as name from base_stations where brand_id = $1 and id = $2"
            }
            DeviceKind::Gateway => "select id, name from gateways where brand_id = $1 and id = $2",
        };
        let lock = self.tx.row_lock();
        self.tx.optional(sql!(text, self.scope.brand(), id).push(lock)).await
    }
}
