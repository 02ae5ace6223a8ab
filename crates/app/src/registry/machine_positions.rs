//! Last known positions of machines, for a map of the whole fleet.

use domain::MachinePosition;
use domain::access::ReadRegistry;

use crate::{App, Caller, Error};

/// Number of stations whose visible times are read at a time.
const STATIONS_PER_READ: usize = 500;

#[macros::boxed]
impl App {
    /// Lists the last position of every machine that the caller sees, if its station has reported one since it was installed there, sorted
    /// by machine.
    pub async fn list_machine_positions(
        &self,
        caller: &Caller<ReadRegistry>,
    ) -> Result<Vec<MachinePosition>, Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        let found = tx.machine_positions(scope).await?;
        let mut shown = Vec::with_capacity(found.len());
        for part in found.chunks(STATIONS_PER_READ) {
            let ids: Vec<_> = part.iter().map(|position| position.base_station.0).collect();
            let seen = tx.visible_stations(scope, &ids).await?;
            // A position from before the station came to the caller's projects is not visible to them.
            let visible =
                part.iter().zip(seen).filter(|(position, station)| station.is_visible_at(position.at));
            shown.extend(visible.map(|(position, _)| position.clone()));
        }
        Ok(shown)
    }
}
