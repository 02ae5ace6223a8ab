//! The dated zones of base stations.

use domain::access::ReadRegistry;
use domain::{AntennaZones, BaseStationId, Page, PageRequest, StationZones, Timestamp};
use store::{Scope, Tx};

use crate::registry::base_stations::station_not_found;
use crate::registry::effective_dates::check_effective_from;
use crate::{App, Caller, Error};

#[macros::boxed]
impl App {
    /// Lists a page of a station's zones over time, the newest first, with the total if requested.
    pub async fn list_station_zones(
        &self,
        caller: &Caller<ReadRegistry>,
        id: BaseStationId,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<StationZones>, Option<i64>), Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        tx.base_stations(scope).find(id).await?.ok_or_else(station_not_found)?;
        let found = tx.station_zones(scope).page(id, page).await?;
        let total = if include_total { Some(tx.station_zones(scope).count(id).await?) } else { None };
        Ok((found, total))
    }

    /// Applies the zones that a station reported for a time, in a transaction that has locked the registry. They apply until the next
    /// known change, because reports arrive late and in any order. Returns whether the current zones changed, which the station's record
    /// shows.
    pub(crate) async fn apply_reported_zones(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        station: BaseStationId,
        zones: &[AntennaZones],
        at: Timestamp,
    ) -> Result<bool, Error> {
        let now = self.clock.now();
        let mut until = None;
        let mut is_current_changed = false;
        let mut wanted: Vec<&AntennaZones> = zones.iter().collect();
        for row in tx.station_zones(scope).since(station, at).await? {
            if row.from > at {
                until = Some(until.map_or(row.from, |until: Timestamp| until.min(row.from)));
                continue;
            }
            match wanted.iter().position(|zones| **zones == row.zones) {
                Some(index) => {
                    wanted.swap_remove(index);
                    continue;
                }
                None if row.from < at => tx.station_zones(scope).end(row.id, Some(at), now).await?,
                None => tx.station_zones(scope).remove(row.id).await?,
            }
            is_current_changed |= row.to.is_none();
        }
        for zones in zones.iter().filter(|zones| wanted.contains(zones)) {
            tx.station_zones(scope).open(station, zones, (at, until), now).await?;
            is_current_changed |= until.is_none();
        }
        Ok(is_current_changed)
    }

    /// Sets a station's zones from a time on, in a transaction that has locked the registry. Returns that time if anything changed. Zones
    /// that apply at that time are cut short unless they are the same; later ones are superseded and removed.
    pub(crate) async fn set_zones(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        station: BaseStationId,
        zones: &[AntennaZones],
        from: Option<Timestamp>,
    ) -> Result<Option<Timestamp>, Error> {
        let now = self.clock.now();
        let from = match from {
            Some(given) => check_effective_from(given, now)?,
            // A change from now on supersedes nothing. It only ends the last zones, whatever this host's clock says.
            None => tx.station_zones(scope).last_change(station).await?.map_or(now, |step| now.max(step)),
        };
        self.guard_station(tx, scope, station, from).await?;
        let before = tx.station_zones(scope).since(station, from).await?;
        let mut wanted: Vec<&AntennaZones> = zones.iter().collect();
        let mut is_changed = false;
        // The latest first, so that an antenna never has two open rows.
        for row in before.iter().rev() {
            let same = wanted.iter().position(|zones| **zones == row.zones && row.from <= from);
            let mut rows = tx.station_zones(scope);
            match same {
                Some(index) => {
                    wanted.swap_remove(index);
                    if row.to.is_none() {
                        continue;
                    }
                    rows.end(row.id, None, now).await?;
                }
                None if row.from < from => rows.end(row.id, Some(from), now).await?,
                None => rows.remove(row.id).await?,
            }
            is_changed = true;
        }
        // In the given order, which the search above may have changed.
        for zones in zones.iter().filter(|zones| wanted.contains(zones)) {
            tx.station_zones(scope).open(station, zones, (from, None), now).await?;
            is_changed = true;
        }
        Ok(is_changed.then_some(from))
    }
}
