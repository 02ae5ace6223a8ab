//! How far the zones of base stations reach, dated.

use domain::access::ReadRegistry;
use domain::{AntennaZones, BaseStationId, Timestamp};
use store::{Page, PageRequest, Scope, StationZones, Tx};

use crate::registry::base_stations::station_not_found;
use crate::registry::effective_dates::check_effective_from;
use crate::{App, Caller, Error};

impl App {
    /// One page of what a station's zones were, the newest first, with how many there are if that is asked for.
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

    /// What a station told of its zones at a moment, in a transaction that holds the brand's lock. It holds until what is
    /// known of later: such reports come late and in any order.
    pub(crate) async fn apply_reported_zones(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        station: BaseStationId,
        zones: &[AntennaZones],
        at: Timestamp,
    ) -> Result<(), Error> {
        let mut until = None;
        let mut wanted: Vec<&AntennaZones> = zones.iter().collect();
        for row in tx.station_zones(scope).since(station, at).await? {
            if row.from > at {
                until = Some(until.map_or(row.from, |until: Timestamp| until.min(row.from)));
                continue;
            }
            match wanted.iter().position(|zones| **zones == row.zones) {
                Some(index) => {
                    wanted.swap_remove(index);
                }
                None if row.from < at => tx.station_zones(scope).end(row.id, Some(at)).await?,
                None => tx.station_zones(scope).remove(row.id).await?,
            }
        }
        for zones in zones.iter().filter(|zones| wanted.contains(zones)) {
            tx.station_zones(scope).open(station, zones, (at, until), self.clock.now()).await?;
        }
        Ok(())
    }

    /// Says how far a station's zones reach from a moment on, in a transaction that holds the brand's lock; tells that moment if
    /// anything changed. What holds then is cut there, unless it is the same; what began later is superseded and removed.
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
            // Nothing is superseded by a change from now on, only ended, whatever this host's clock says.
            None => tx.station_zones(scope).last_change(station).await?.map_or(now, |step| now.max(step)),
        };
        self.guard_station(tx, scope, station, from).await?;
        let before = tx.station_zones(scope).since(station, from).await?;
        let mut wanted: Vec<&AntennaZones> = zones.iter().collect();
        let mut is_changed = false;
        // The latest first, so that an antenna never has two that are open.
        for row in before.iter().rev() {
            let same = wanted.iter().position(|zones| **zones == row.zones && row.from <= from);
            let mut rows = tx.station_zones(scope);
            match same {
                Some(index) => {
                    wanted.swap_remove(index);
                    if row.to.is_none() {
                        continue;
                    }
                    rows.end(row.id, None).await?;
                }
                None if row.from < from => rows.end(row.id, Some(from)).await?,
                None => rows.remove(row.id).await?,
            }
            is_changed = true;
        }
        // In the order they were given, which the search above may have mixed up.
        for zones in zones.iter().filter(|zones| wanted.contains(zones)) {
            tx.station_zones(scope).open(station, zones, (from, None), now).await?;
            is_changed = true;
        }
        Ok(is_changed.then_some(from))
    }
}
