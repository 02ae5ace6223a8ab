//! Dated installations of base stations on machines. A machine has one station at a time, and a station one machine.

use domain::access::{ReadRegistry, WriteRegistry};
use domain::{
    BaseStationId, Invalid, MachineId, Page, PageRequest, SortedSet, Span, StationInstallation, Timestamp,
};
use serde_json::{Value, json};
use store::{Projects, Tx};

use crate::accounts::restricted_error::restricted;
use crate::platform::audit::AuditEntry;
use crate::platform::jobs::LinkChange;
use crate::registry::base_stations::station_not_found;
use crate::registry::effective_dates::check_effective_from;
use crate::{App, BaseStationView, Caller, Error, IfMatch};

/// A move of a base station to another machine.
#[derive(Clone, Debug)]
pub struct InstallationChange {
    /// The new machine, or `None` to remove the station from its machine.
    pub machine: Option<MachineId>,
    /// Time from which the station is on the machine; `None` means now.
    pub effective_from: Option<Timestamp>,
    pub later_installations: LaterInstallations,
}

/// Handling of installations that start later than the new one and conflict with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaterInstallations {
    /// The move is refused.
    Refuse,
    /// They are removed.
    Replace,
}

#[macros::boxed]
impl App {
    /// Lists a page of the machines that a station was on, the newest first, with the total if requested. Machines that the caller does
    /// not see are left out.
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

    /// Moves a base station to another machine, or off its machine. Repeating it is fine and changes nothing.
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

    /// Refuses a machine that the caller does not see or that is archived, and refuses restricted callers to move a station where they
    /// would not see it.
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
                    "You are restricted to some projects and would not see a base station without a machine.",
                )),
            };
        };
        let refused = |code, text| Error::invalid_field("machine_id", Invalid::new(code, text));
        let unknown =
            || Error::missing_relation("machine_id", "unknown_machine", "is not a machine that you see");
        let found = tx.machines(caller.scope()).find(machine).await?.ok_or_else(unknown)?;
        match found.archived_at {
            Some(_) => Err(refused("machine_archived", "has been archived")),
            None => Ok(()),
        }
    }

    /// Sets the machine of a station from a time on, in a transaction that has locked the registry. Returns whether anything changed. The
    /// installations of the station and the machine at that time are cut short; later ones conflict.
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
            // Nothing conflicts with a move from now on, whatever this host's clock says.
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
        // The same open installation with only a later start does not conflict.
        let clash = before.iter().find(|row| row.from > from && !(is_target(row) && row.to.is_none()));
        if let (Some(row), LaterInstallations::Refuse) = (clash, to.later_installations) {
            return Err(Error::invalid_field(
                "effective_from",
                Invalid::new("overlap", describe_overlap(row)),
            ));
        }
        for station in stations.iter().copied().collect::<SortedSet<_>>() {
            tx.base_stations(scope).record_move(station).await?;
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
            // The station was already there and stays.
            rows.end(row.id, None, now).await?;
        } else if let Some(machine) = to.machine {
            rows.open(station, machine, from, now).await?;
        }
        self.record_move(tx, caller, station, to, (from, &before)).await?;
        Ok(true)
    }

    /// Raises the versions of all records that a move affected, and records it in the audit log.
    async fn record_move(
        &self,
        tx: &mut Tx,
        caller: &Caller<WriteRegistry>,
        station: BaseStationId,
        to: &InstallationChange,
        (from, before): (Timestamp, &[StationInstallation]),
    ) -> Result<(), Error> {
        let (scope, now) = (caller.scope(), self.clock.now());
        let stations: SortedSet<BaseStationId> =
            before.iter().map(|row| row.base_station).chain([station]).collect();
        let machines: SortedSet<MachineId> = before.iter().map(|row| row.machine).chain(to.machine).collect();
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

/// Describes the conflicting installation to the user.
fn describe_overlap(row: &StationInstallation) -> String {
    let StationInstallation { serial, machine_name, from, .. } = row;
    let until = row.to.map_or_else(|| "on".to_owned(), |to| format!("to {to}"));
    format!("is before {serial} was on {machine_name} from {from} {until}; set replace: true to remove that")
}

/// Returns what the audit log stores of installations.
fn audit_fields(rows: &[StationInstallation]) -> Vec<Value> {
    let one = |row: &StationInstallation| {
        json!({
            "base_station_id": row.base_station, "machine_id": row.machine, "from": row.from, "to": row.to,
        })
    };
    rows.iter().map(one).collect()
}
