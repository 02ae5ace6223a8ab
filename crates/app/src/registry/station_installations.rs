//! Moving base stations between machines, dated. A machine has one station at a time, and a station one machine.

use std::collections::BTreeSet;

use domain::access::{ReadRegistry, WriteRegistry};
use domain::{BaseStationId, Invalid, MachineId, Span, Timestamp};
use serde_json::{Value, json};
use store::{Page, PageRequest, Projects, StationInstallation, Tx};

use crate::accounts::restriction::restricted;
use crate::platform::audit::AuditEntry;
use crate::platform::jobs::LinkChange;
use crate::registry::base_stations::station_not_found;
use crate::registry::effective_dates::check_effective_from;
use crate::{App, BaseStationView, Caller, Error, IfMatch};

/// Where a base station goes.
#[derive(Clone, Debug)]
pub struct InstallationChange {
    /// The machine it is fitted on; none if it is only taken off.
    pub machine: Option<MachineId>,
    /// Since when; none is now.
    pub effective_from: Option<Timestamp>,
    /// What happens to installations that began later.
    pub later_installations: LaterInstallations,
}

/// What happens to installations in the way of one that begins before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaterInstallations {
    /// The move is refused.
    Refuse,
    /// They are taken away.
    Replace,
}

impl App {
    /// One page of the machines a station was on, the newest first, with how many there are if that is asked for. Machines that
    /// the caller does not see are left out.
    pub async fn list_installations(
        &self,
        caller: &Caller<ReadRegistry>,
        id: BaseStationId,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<StationInstallation>, Option<i64>), Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        tx.base_stations(scope).find(id).await?.ok_or_else(station_not_found)?;
        let found = tx.station_installations(scope).page(id, page).await?;
        let total = if include_total { Some(tx.station_installations(scope).count(id).await?) } else { None };
        Ok((found, total))
    }

    /// Moves a base station to another machine, or off its machine. Doing so twice is fine, and changes nothing.
    pub async fn install_base_station(
        &self,
        caller: &Caller<WriteRegistry>,
        id: BaseStationId,
        if_match: &IfMatch,
        to: &InstallationChange,
    ) -> Result<BaseStationView, Error> {
        let scope = caller.scope();
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(scope).await?;
        let found = tx.base_stations(scope).find(id).await?.ok_or_else(station_not_found)?;
        if_match.check(found.version)?;
        self.check_target(&mut tx, caller, to).await?;
        let is_moved = self.move_station(&mut tx, caller, id, to).await?;
        let after = tx.base_stations(scope).get(id).await?;
        let after = self.build_station_view(&mut tx, caller, after).await?;
        if is_moved {
            tx.commit().await?;
        }
        Ok(after)
    }

    /// Refuses a machine that the caller does not see or that is no longer used; and to those who see only some projects, to
    /// take a station where they would not see it.
    async fn check_target(
        &self,
        tx: &mut Tx,
        caller: &Caller<WriteRegistry>,
        to: &InstallationChange,
    ) -> Result<(), Error> {
        let Some(machine) = to.machine else {
            return match caller.scope().projects() {
                Projects::All => Ok(()),
                Projects::Only(_) => Err(restricted(
                    "You are restricted to some projects, and would not see a base station that is on no machine.",
                )),
            };
        };
        let refused = |code, text| Error::invalid_field("machine_id", Invalid::new(code, text));
        let found = tx.machines(caller.scope()).find(machine).await?;
        let found = found.ok_or_else(|| refused("unknown_machine", "is not a machine that you see"))?;
        match found.archived_at {
            Some(_) => Err(refused("machine_archived", "has been archived")),
            None => Ok(()),
        }
    }

    /// Says where a station is from a moment on, in a transaction that holds the brand's lock; tells whether that changed
    /// anything. What held at that moment, of the station and of the machine, is cut there; what began later is in the way.
    async fn move_station(
        &self,
        tx: &mut Tx,
        caller: &Caller<WriteRegistry>,
        station: BaseStationId,
        to: &InstallationChange,
    ) -> Result<bool, Error> {
        let (scope, now) = (caller.scope(), self.clock.now());
        let from = match to.effective_from {
            Some(given) => check_effective_from(given, now)?,
            // Nothing is in the way of a move from now on, whatever this host's clock says.
            None => {
                let rows = tx.station_installations(scope).since(station, to.machine, now).await?;
                rows.iter().map(|row| row.to.unwrap_or(row.from + Span::from_micros(1))).fold(now, Ord::max)
            }
        };
        let before = tx.station_installations(scope).since(station, to.machine, from).await?;
        let is_target =
            |row: &StationInstallation| row.base_station == station && Some(row.machine) == to.machine;
        let is_unchanged = match to.machine {
            Some(_) => before.iter().any(|row| is_target(row) && row.to.is_none() && row.from <= from),
            None => before.is_empty(),
        };
        if is_unchanged {
            return Ok(false);
        }
        let stations: Vec<_> = before.iter().map(|row| row.base_station).chain([station]).collect();
        let machines: Vec<_> = before.iter().map(|row| row.machine).chain(to.machine).collect();
        self.guard_installation(tx, scope, &stations, &machines, from).await?;
        // The same link, open, only told to have begun later, is not in the way.
        let clash = before.iter().find(|row| row.from > from && !(is_target(row) && row.to.is_none()));
        if let (Some(row), LaterInstallations::Refuse) = (clash, to.later_installations) {
            return Err(Error::invalid_field(
                "effective_from",
                Invalid::new("overlap", describe_overlap(row)),
            ));
        }
        for row in before.iter().filter(|row| row.from >= from) {
            tx.station_installations(scope).remove(row.id).await?;
        }
        let mut continuing = None;
        for row in before.iter().filter(|row| row.from < from) {
            if is_target(row) {
                continuing = Some(row);
            } else {
                tx.station_installations(scope).end(row.id, Some(from), now).await?;
            }
        }
        let mut rows = tx.station_installations(scope);
        if let Some(row) = continuing {
            // It was there already, and simply stays.
            rows.end(row.id, None, now).await?;
        } else if let Some(machine) = to.machine {
            rows.open(station, machine, from, now).await?;
        }
        self.record_move(tx, caller, station, to, (from, &before)).await?;
        Ok(true)
    }

    /// Moves the versions of all that a move touched, and writes it down.
    async fn record_move(
        &self,
        tx: &mut Tx,
        caller: &Caller<WriteRegistry>,
        station: BaseStationId,
        to: &InstallationChange,
        (from, before): (Timestamp, &[StationInstallation]),
    ) -> Result<(), Error> {
        let (scope, now) = (caller.scope(), self.clock.now());
        let mut stations = BTreeSet::from([station]);
        let mut machines: BTreeSet<MachineId> = to.machine.into_iter().collect();
        for row in before {
            stations.insert(row.base_station);
            machines.insert(row.machine);
        }
        for id in stations.iter().copied() {
            tx.base_stations(scope).touch(id, now).await?;
        }
        for id in machines {
            tx.machines(scope).touch(id, now).await?;
        }
        for station in &stations {
            self.enqueue_reattribution(tx, scope, LinkChange::Station(*station), from).await?;
        }
        let since = before.iter().map(|row| row.from).fold(from, Ord::min);
        let after = tx.station_installations(scope).since(station, to.machine, since).await?;
        let action = if to.machine.is_some() { "base_station.installed" } else { "base_station.taken_off" };
        let entry = AuditEntry::by_caller(caller).on(action, "base_station", station.0);
        self.record_audit(
            tx,
            entry.with_details(json!({ "before": audit_fields(before), "after": audit_fields(&after) })),
        )
        .await
    }
}

/// What is in the way, for the one who has to decide.
fn describe_overlap(row: &StationInstallation) -> String {
    let StationInstallation { serial, machine_name, from, .. } = row;
    let until = row.to.map_or_else(|| "on".to_owned(), |to| format!("to {to}"));
    format!(
        "is before {serial} was on {machine_name}, from {from} {until}; take that away with replace: true"
    )
}

/// What the audit log keeps of installations.
fn audit_fields(rows: &[StationInstallation]) -> Vec<Value> {
    let one = |row: &StationInstallation| {
        json!({
            "base_station_id": row.base_station, "machine_id": row.machine, "from": row.from, "to": row.to,
        })
    };
    rows.iter().map(one).collect()
}
