//! Base stations that were silent when the figures were computed, and the sizes of zones in the period.

use domain::base_station::silence_cutoff;
use domain::{
    BaseStationFilter, BaseStationId, Direction, MachineFilter, MachineId, SortKey, Sorting, StationStatus,
    Timestamp, Window, WindowPosition, WorksiteId,
};

use super::{SilentFigure, ZoneFigure};
use crate::accounts::authors::Author;
use crate::{App, Error};

const BY_ID: Sorting = Sorting::by(SortKey::Id, Direction::Ascending);
const PAGE: u16 = 200;
/// Maximum number of silent stations in a report.
const MAX_SILENT: usize = 500;

impl App {
    /// Returns the silent stations on the machines that are at a worksite now.
    pub(super) async fn silent_stations_at(
        &self,
        author: &Author,
        site: WorksiteId,
    ) -> Result<Vec<SilentFigure>, Error> {
        let machines = self.list_machines_at(author, site).await?;
        let mut silent = Vec::new();
        for some in machines.chunks(usize::from(PAGE)) {
            silent.extend(self.silent_stations_on(author, some).await?);
        }
        silent.truncate(MAX_SILENT);
        Ok(silent)
    }

    /// Returns the silent stations on these machines, of which there must not be thousands.
    pub(super) async fn silent_stations_on(
        &self,
        author: &Author,
        machines: &[MachineId],
    ) -> Result<Vec<SilentFigure>, Error> {
        let scope = &author.scope;
        let filter = BaseStationFilter {
            statuses: vec![StationStatus::Silent],
            machines: machines.to_vec(),
            ..BaseStationFilter::default()
        };
        let mut tx = self.store.read().await?;
        let limit = tx.brand_settings(scope).await?.values.silence_limit_hours;
        let silent_from = silence_cutoff(limit, self.clock.now());
        let mut window = Window { size: PAGE, position: WindowPosition::Start };
        let mut silent = Vec::new();
        loop {
            let page = tx.base_stations(scope).slice(&filter, silent_from, BY_ID, &window).await?;
            silent.extend(page.rows.into_iter().map(|station| SilentFigure {
                base_station: station.id.0,
                machine: station.machine.map(|(id, ..)| id.0),
                last_seen_at: station.heartbeat.last_seen_at,
            }));
            match page.next {
                Some(next) if silent.len() < MAX_SILENT => window.position = WindowPosition::After(next),
                _ => return Ok(silent),
            }
        }
    }

    async fn list_machines_at(&self, author: &Author, site: WorksiteId) -> Result<Vec<MachineId>, Error> {
        let filter = MachineFilter { worksites: vec![site], ..MachineFilter::default() };
        let mut tx = self.store.read().await?;
        let mut window = Window { size: PAGE, position: WindowPosition::Start };
        let mut machines = Vec::new();
        loop {
            let page = tx.machines(&author.scope).slice(&filter, BY_ID, &window).await?;
            machines.extend(page.rows.iter().map(|machine| machine.id));
            match page.next {
                Some(next) => window.position = WindowPosition::After(next),
                None => return Ok(machines),
            }
        }
    }

    /// Returns the zones of the stations that were on a machine in a period.
    pub(super) async fn zones_of_machine(
        &self,
        author: &Author,
        machine: MachineId,
        (from, to): (Timestamp, Timestamp),
    ) -> Result<Vec<ZoneFigure>, Error> {
        let scope = &author.scope;
        let mut tx = self.store.read().await?;
        let installed = tx.station_installations(scope).on_machine(machine, from, to).await?;
        let mut stations: Vec<BaseStationId> = installed.iter().map(|one| one.base_station).collect();
        stations.sort_unstable();
        stations.dedup();
        let mut zones = Vec::new();
        for station in stations {
            let found = tx.station_zones(scope).since(station, from).await?;
            zones.extend(found.into_iter().filter(|zone| zone.from < to).map(|zone| ZoneFigure {
                base_station: station.0,
                antenna: zone.zones.antenna.as_str().to_owned(),
                warning_cm: zone.zones.warning.centimetres(),
                danger_cm: zone.zones.danger.centimetres(),
                from: zone.from,
                to: zone.to,
            }));
        }
        Ok(zones)
    }
}
