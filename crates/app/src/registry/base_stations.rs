//! Base stations: admins register them, and everyone who sees their machine can read them.

use domain::access::{ManageDevices, ReadRegistry};
use domain::{
    AntennaZones, BaseStation, BaseStationFilter, BaseStationId, Change, IncursionSummary, Invalid,
    ListRequest, Listing, MachineId, Name, OpenAlert, PartName, Permission, Serial, Slice, Span,
    StationHealth, StationPosition, StationZones, StoredResponse, Timestamp, base_station, sorted,
};
use serde_json::{Value, json};
use store::{ChangedBaseStation, NewBaseStation, Scope, Tx};

use crate::platform::audit::AuditEntry;
use crate::platform::duplicates::map_duplicate;
use crate::registry::listing::DepartingListQuery;
use crate::{App, Caller, Editor, Error, Idempotent, IfMatch, unrestricted};

/// A base station with its current state.
#[derive(Clone, Debug)]
pub struct BaseStationView {
    pub station: BaseStation,
    /// The reach of its current zones.
    pub zones: Vec<StationZones>,
    pub health: StationHealth,
    /// Hours without a heartbeat after which the station counts as silent.
    pub silence_limit_hours: i64,
    /// The last known position.
    pub position: Option<StationPosition>,
    /// Summary of its incursions of the last thirty days.
    pub incursions: IncursionSummary,
    /// Open firings about the station, or about the machine it is on, newest first.
    pub open_alerts: Vec<OpenAlert>,
}

/// The period over which the incursions of a station or tag are summarised.
pub(crate) const RECENT_PERIOD: Span = Span::minutes(30 * 24 * 60);

/// The fields to set when a base station is registered or changed.
#[derive(Clone, Debug, Default)]
pub struct BaseStationChange {
    pub serial: Change<Serial>,
    pub name: Change<Option<Name>>,
    pub cameras: Change<Vec<PartName>>,
    /// All zones of the station: an antenna that is left out has none.
    pub zones: Change<Vec<AntennaZones>>,
    /// Time from which the zones apply; `None` means now.
    pub effective_from: Option<Timestamp>,
}

#[macros::boxed]
impl App {
    /// Lists a page of the base stations that the caller sees, in an order or as they changed, with the total if requested.
    pub async fn list_base_stations(
        &self,
        caller: &Caller<ReadRegistry>,
        filter: &BaseStationFilter,
        request: &ListRequest,
    ) -> Result<Listing<BaseStationView>, Error> {
        let (scope, now) = (caller.scope(), self.clock.now());
        let mut tx = self.store.read().await?;
        let limit = tx.brand_settings(scope).await?.values.silence_limit_hours;
        let silent_from = base_station::silence_cutoff(limit, now);
        let query = DepartingListQuery::new(&mut tx, scope, request, "base_stations").await?;
        let filter = BaseStationFilter { rows: query.rows(&filter.rows), ..filter.clone() };
        let slice = match query.window() {
            Some(window) => {
                tx.base_stations(scope).slice(&filter, silent_from, query.sorting(), window).await?
            }
            None => Slice::empty(),
        };
        let total = match request.include_total {
            true => Some(tx.base_stations(scope).count(&filter, silent_from).await?),
            false => None,
        };
        let departures = match query.departures(&slice) {
            Some(request) => Some(tx.base_stations(scope).departures(&request).await?),
            None => None,
        };
        let Slice { rows, previous, next } = slice;
        let rows = build_station_views(&mut tx, scope, rows, limit, now).await?;
        Ok(query.listing(Slice { rows, previous, next }, total, departures))
    }

    /// Finds a base station that the caller sees.
    pub async fn find_base_station<P: Permission>(
        &self,
        caller: &Caller<P>,
        id: BaseStationId,
    ) -> Result<BaseStationView, Error> {
        let mut tx = self.store.read().await?;
        let found = tx.base_stations(caller.scope()).find(id).await?.ok_or_else(station_not_found)?;
        self.build_station_view(&mut tx, caller, found).await
    }

    /// Finds those of these base stations that the caller sees.
    pub async fn find_base_stations_by_id(
        &self,
        caller: &Caller<ReadRegistry>,
        ids: &[BaseStationId],
    ) -> Result<Vec<BaseStationView>, Error> {
        let (scope, now) = (caller.scope(), self.clock.now());
        let mut tx = self.store.read().await?;
        let limit = tx.brand_settings(scope).await?.values.silence_limit_hours;
        let found = tx.base_stations(scope).among(ids).await?;
        build_station_views(&mut tx, scope, found, limit, now).await
    }

    /// Refuses a base station that the caller does not see, before the request body is read. Returns when it was created, which the body
    /// of a change may repeat.
    pub async fn check_base_station<P: Permission>(
        &self,
        caller: &Caller<P>,
        id: BaseStationId,
    ) -> Result<Timestamp, Error> {
        let found = self.store.read().await?.base_stations(caller.scope()).find(id).await?;
        found.map(|station| station.created_at).ok_or_else(station_not_found)
    }

    /// Registers a base station. Restricted callers may not, because they would not see it.
    pub async fn create_base_station(
        &self,
        caller: &Caller<ManageDevices>,
        serial: Serial,
        new: BaseStationChange,
        idempotent: Idempotent<'_, BaseStationView>,
    ) -> Result<StoredResponse, Error> {
        let editor = Editor::by_caller(caller);
        editor.require_unrestricted(unrestricted::REGISTER_BASE_STATION)?;
        self.run_idempotent(idempotent, async |tx| {
            tx.lock_and_bump_registry(editor.scope).await?;
            self.add_base_station(tx, &editor, serial, new).await
        })
        .await
    }

    /// Registers a base station in a transaction that has already locked the registry.
    pub(crate) async fn add_base_station(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        serial: Serial,
        new: BaseStationChange,
    ) -> Result<BaseStationView, Error> {
        let scope = editor.scope;
        let row = NewBaseStation {
            serial,
            name: new.name.or(None),
            cameras: to_strings(&new.cameras.or(Vec::new())),
        };
        let id = map_duplicate_serial(tx.base_stations(scope).add(&row, self.clock.now()).await)?;
        if let Change::Set(zones) = &new.zones {
            self.set_zones(tx, scope, id, zones, new.effective_from).await?;
        }
        let made = tx.base_stations(scope).get(id).await?;
        let made = self.build_station_view_in(tx, scope, made).await?;
        let entry = editor.audit_entry().on("base_station.created", "base_station", id.0);
        self.record_audit(tx, entry.with_details(json!({ "after": audit_fields(&made) }))).await?;
        Ok(made)
    }

    /// Changes a base station. Earlier zones stay in their history.
    pub async fn change_base_station(
        &self,
        caller: &Caller<ManageDevices>,
        id: BaseStationId,
        if_match: &IfMatch,
        change: BaseStationChange,
    ) -> Result<BaseStationView, Error> {
        let scope = caller.scope();
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(scope).await?;
        let found = tx.base_stations(scope).find(id).await?.ok_or_else(station_not_found)?;
        if_match.check(found.version)?;
        let before = self.build_station_view(&mut tx, caller, found).await?;
        let station = &before.station;
        let name = station.name.as_deref().map(Name::parse_stored).transpose().map_err(Error::internal)?;
        let to = ChangedBaseStation {
            serial: match change.serial {
                Change::Set(serial) if serial.as_str() != station.serial => Some(serial),
                _ => None,
            },
            name: change.name.or(name),
            cameras: match change.cameras {
                Change::Set(cameras) => to_strings(&cameras),
                Change::Keep => station.cameras.clone(),
            },
        };
        let is_same = to.serial.is_none()
            && (to.name.as_ref().map(Name::as_str), &to.cameras)
                == (station.name.as_deref(), &station.cameras);
        let zones_effective_from = match &change.zones {
            Change::Set(zones) => self.set_zones(&mut tx, scope, id, zones, change.effective_from).await?,
            Change::Keep => None,
        };
        if is_same && zones_effective_from.is_none() {
            return Ok(before);
        }
        map_duplicate_serial(tx.base_stations(scope).change(id, &to, self.clock.now()).await)?;
        if to.serial.is_some() {
            tx.base_stations(scope).mark_machine(id).await?;
        }
        let after = tx.base_stations(scope).get(id).await?;
        let after = self.build_station_view(&mut tx, caller, after).await?;
        let mut details = json!({ "before": audit_fields(&before), "after": audit_fields(&after) });
        if let Some(from) = zones_effective_from {
            details["effective_from"] = json!(from);
        }
        let entry = AuditEntry::by_caller(caller).on("base_station.changed", "base_station", id.0);
        self.record_audit(&mut tx, entry.with_details(details)).await?;
        tx.commit().await?;
        Ok(after)
    }

    /// Builds the view of a station that the caller is known to see.
    pub(crate) async fn build_station_view<P: Permission>(
        &self,
        tx: &mut Tx,
        caller: &Caller<P>,
        station: BaseStation,
    ) -> Result<BaseStationView, Error> {
        self.build_station_view_in(tx, caller.scope(), station).await
    }

    async fn build_station_view_in(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        station: BaseStation,
    ) -> Result<BaseStationView, Error> {
        let limit = tx.brand_settings(scope).await?.values.silence_limit_hours;
        let mut made = build_station_views(tx, scope, vec![station], limit, self.clock.now()).await?;
        made.pop().ok_or_else(station_not_found)
    }
}

pub(crate) fn station_not_found() -> Error {
    Error::not_found("base station")
}

/// Builds the views of several stations with one query of each kind.
async fn build_station_views(
    tx: &mut Tx,
    scope: &Scope,
    stations: Vec<BaseStation>,
    limit: i64,
    now: Timestamp,
) -> Result<Vec<BaseStationView>, Error> {
    let ids: Vec<BaseStationId> = stations.iter().map(|station| station.id).collect();
    let zones = tx.station_zones(scope).open_of(&ids).await?;
    let seen = tx.visible_stations(scope, &ids).await?;
    let mut positions = tx.gps_chunks(scope).last_positions(&ids).await?;
    // A position from before the station came to the caller's projects is not visible to them.
    positions.retain(|position| {
        seen.iter().any(|station| station.id == position.base_station && station.is_visible_at(position.at))
    });
    let incursions = tx.incursion_summaries(scope).of_stations(&ids, now - RECENT_PERIOD).await?;
    let machines: Vec<MachineId> = stations.iter().filter_map(machine_of).collect();
    let alerts_of_stations = tx.open_alerts(scope).of_base_stations(&ids).await?;
    let alerts_of_machines = tx.open_alerts(scope).of_machines(&machines).await?;
    let open_alerts = |station: &BaseStation| {
        let own = alerts_of_stations.iter().filter(|(id, _)| *id == station.id).map(|(_, alert)| alert);
        let of_machine = alerts_of_machines.iter().filter(|(id, _)| machine_of(station) == Some(*id));
        let mut alerts: Vec<OpenAlert> = own.chain(of_machine.map(|(_, alert)| alert)).cloned().collect();
        // A firing can be about both.
        sorted::sort_by_key(&mut alerts, |alert| std::cmp::Reverse(alert.id));
        alerts.dedup_by_key(|alert| alert.id);
        alerts
    };
    let view = |station: BaseStation| BaseStationView {
        open_alerts: open_alerts(&station),
        zones: zones.iter().filter(|zones| zones.base_station == station.id).cloned().collect(),
        health: station.heartbeat.health(limit, now),
        silence_limit_hours: limit,
        position: positions.iter().find(|position| position.base_station == station.id).copied(),
        incursions: incursions.get(&station.id).copied().unwrap_or_default(),
        station,
    };
    Ok(stations.into_iter().map(view).collect())
}

/// Returns the machine that a station is on now.
fn machine_of(station: &BaseStation) -> Option<MachineId> {
    station.machine.as_ref().map(|(machine, ..)| *machine)
}

fn to_strings(names: &[PartName]) -> Vec<String> {
    names.iter().map(|name| name.as_str().to_owned()).collect()
}

/// Turns a duplicate serial into an error of the field `serial`.
fn map_duplicate_serial<T>(outcome: Result<T, store::Error>) -> Result<T, Error> {
    map_duplicate(outcome, || {
        let taken = Invalid::new("serial_taken", "is the serial of another base station");
        Error::invalid_field("serial", taken)
    })
}

/// Returns what the audit log stores of a base station.
fn audit_fields(view: &BaseStationView) -> Value {
    let BaseStation { serial, name, cameras, .. } = &view.station;
    let zones: Vec<_> = view.zones.iter().map(|zones| &zones.zones).collect();
    json!({ "serial": serial, "name": name, "cameras": cameras, "zones": zones })
}
