//! Base stations: registered by admins, read by all who see their machine.

use domain::access::{ManageDevices, ReadRegistry};
use domain::{
    AntennaZones, BaseStationId, Change, Invalid, Name, PartName, Permission, Serial, Standing, Timestamp,
    base_station,
};
use serde_json::{Value, json};
use store::{
    Answer, BaseStation, BaseStationFilter, ChangedBaseStation, NewBaseStation, Page, PageRequest, Scope,
    StationZones, Tx,
};

use crate::audit::Act;
use crate::{App, Caller, Error, Hand, IfMatch, Once};

/// A base station with what holds of it now.
#[derive(Clone, Debug)]
pub struct BaseStationView {
    /// The station.
    pub station: BaseStation,
    /// How far its zones reach now.
    pub zones: Vec<StationZones>,
    /// How it stands.
    pub standing: Standing,
    /// How long a station may say nothing before it counts as silent.
    pub silence_limit_hours: i64,
}

/// What to set of a base station, when it is registered and when it is changed.
#[derive(Clone, Debug, Default)]
pub struct BaseStationChange {
    /// What stands on it.
    pub serial: Change<Serial>,
    /// What it is called.
    pub name: Change<Option<Name>>,
    /// What its cameras are called.
    pub cameras: Change<Vec<PartName>>,
    /// How far its zones reach: all of them, so that an antenna that is left out has none.
    pub zones: Change<Vec<AntennaZones>>,
    /// Since when they do; none is now.
    pub effective_from: Option<Timestamp>,
}

impl App {
    /// One page of the base stations the caller sees, by serial, with how many there are if that is asked for.
    pub async fn list_base_stations(
        &self,
        caller: &Caller<ReadRegistry>,
        filter: &BaseStationFilter,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<BaseStationView>, Option<i64>), Error> {
        let (scope, now) = (caller.scope(), self.clock.now());
        let mut tx = self.store.read().await?;
        let limit = tx.brand_settings(scope).await?.values.silence_limit_hours;
        let silent_from = base_station::silent_from(limit, now);
        let found = tx.base_stations(scope).page(filter, silent_from, page).await?;
        let total = if include_total {
            Some(tx.base_stations(scope).count(filter, silent_from).await?)
        } else {
            None
        };
        let ids: Vec<BaseStationId> = found.rows.iter().map(|station| station.id).collect();
        let zones = tx.station_zones(scope).open_of(&ids).await?;
        let views = found.rows.into_iter().map(|station| {
            let zones = zones.iter().filter(|zones| zones.base_station == station.id).cloned().collect();
            view(station, zones, limit, now)
        });
        Ok((Page { rows: views.collect(), next: found.next }, total))
    }

    /// One base station that the caller sees.
    pub async fn find_base_station<P: Permission>(
        &self,
        caller: &Caller<P>,
        id: BaseStationId,
    ) -> Result<BaseStationView, Error> {
        let mut tx = self.store.read().await?;
        let found = tx.base_stations(caller.scope()).find(id).await?.ok_or_else(missing)?;
        self.view_of(&mut tx, caller, found).await
    }

    /// Refuses to touch a base station that the caller does not see, before what they want of it is even read.
    pub async fn check_base_station<P: Permission>(
        &self,
        caller: &Caller<P>,
        id: BaseStationId,
    ) -> Result<(), Error> {
        let found = self.store.read().await?.base_stations(caller.scope()).find(id).await?;
        found.map(drop).ok_or_else(missing)
    }

    /// Registers a base station. Someone who sees only some projects would not see it, and so may not.
    pub async fn create_base_station(
        &self,
        caller: &Caller<ManageDevices>,
        serial: Serial,
        new: BaseStationChange,
        once: Once<'_, BaseStationView>,
    ) -> Result<Answer, Error> {
        let hand = Hand::of_caller(caller);
        hand.refuse_restricted("register a base station")?;
        self.once(once, async |tx| {
            tx.raise_registry_version(hand.scope).await?;
            self.add_base_station(tx, &hand, serial, new).await
        })
        .await
    }

    /// Registers a base station in a transaction that has raised the registry's version.
    pub(crate) async fn add_base_station(
        &self,
        tx: &mut Tx,
        hand: &Hand<'_>,
        serial: Serial,
        new: BaseStationChange,
    ) -> Result<BaseStationView, Error> {
        let scope = hand.scope;
        let row =
            NewBaseStation { serial, name: new.name.or(None), cameras: texts(&new.cameras.or(Vec::new())) };
        let id = taken(tx.base_stations(scope).add(&row, self.clock.now()).await)?;
        if let Change::Set(zones) = &new.zones {
            self.set_zones(tx, scope, id, zones, new.effective_from).await?;
        }
        let made = tx.base_stations(scope).get(id).await?;
        let made = self.view_in(tx, scope, made).await?;
        let act = hand.act().on("base_station.created", "base_station", id.0);
        self.record(tx, act.with(json!({ "after": fields(&made) }))).await?;
        Ok(made)
    }

    /// Changes a base station; what its zones were before stays in their history.
    pub async fn change_base_station(
        &self,
        caller: &Caller<ManageDevices>,
        id: BaseStationId,
        if_match: &IfMatch,
        change: BaseStationChange,
    ) -> Result<BaseStationView, Error> {
        let scope = caller.scope();
        let mut tx = self.store.begin().await?;
        tx.raise_registry_version(scope).await?;
        let found = tx.base_stations(scope).find(id).await?.ok_or_else(missing)?;
        if_match.check(found.version)?;
        let before = self.view_of(&mut tx, caller, found).await?;
        let station = &before.station;
        let name = station.name.as_deref().map(Name::parse).transpose().map_err(Error::internal)?;
        let to = ChangedBaseStation {
            serial: match change.serial {
                Change::Set(serial) if serial.as_str() != station.serial => Some(serial),
                _ => None,
            },
            name: change.name.or(name),
            cameras: match change.cameras {
                Change::Set(cameras) => texts(&cameras),
                Change::Keep => station.cameras.clone(),
            },
        };
        let is_same = to.serial.is_none()
            && (to.name.as_ref().map(Name::as_str), &to.cameras)
                == (station.name.as_deref(), &station.cameras);
        let resized = match &change.zones {
            Change::Set(zones) => self.set_zones(&mut tx, scope, id, zones, change.effective_from).await?,
            Change::Keep => None,
        };
        if is_same && resized.is_none() {
            return Ok(before);
        }
        taken(tx.base_stations(scope).change(id, &to, self.clock.now()).await)?;
        let after = tx.base_stations(scope).get(id).await?;
        let after = self.view_of(&mut tx, caller, after).await?;
        let mut details = json!({ "before": fields(&before), "after": fields(&after) });
        if let Some(from) = resized {
            details["effective_from"] = json!(from);
        }
        let act = Act::of_caller(caller).on("base_station.changed", "base_station", id.0);
        self.record(&mut tx, act.with(details)).await?;
        tx.commit().await?;
        Ok(after)
    }

    /// A station that the caller was found to see, with what holds of it now.
    pub(crate) async fn view_of<P: Permission>(
        &self,
        tx: &mut Tx,
        caller: &Caller<P>,
        station: BaseStation,
    ) -> Result<BaseStationView, Error> {
        self.view_in(tx, caller.scope(), station).await
    }

    async fn view_in(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        station: BaseStation,
    ) -> Result<BaseStationView, Error> {
        let limit = tx.brand_settings(scope).await?.values.silence_limit_hours;
        let zones = tx.station_zones(scope).open_of(&[station.id]).await?;
        Ok(view(station, zones, limit, self.clock.now()))
    }
}

pub(crate) fn missing() -> Error {
    Error::not_found("base station")
}

fn view(station: BaseStation, zones: Vec<StationZones>, limit: i64, now: Timestamp) -> BaseStationView {
    let standing = station.signs.standing(limit, now);
    BaseStationView { station, zones, standing, silence_limit_hours: limit }
}

fn texts(names: &[PartName]) -> Vec<String> {
    names.iter().map(|name| name.as_str().to_owned()).collect()
}

/// Says whose fault it is that a serial is there already.
fn taken<T>(outcome: Result<T, store::Error>) -> Result<T, Error> {
    match outcome {
        Err(store::Error::Duplicate(_)) => {
            let taken = Invalid::new("serial_taken", "is the serial of another base station");
            Err(Error::invalid_field("serial", taken))
        }
        other => Ok(other?),
    }
}

/// What the audit log keeps of a base station.
fn fields(view: &BaseStationView) -> Value {
    let BaseStation { serial, name, cameras, .. } = &view.station;
    let zones: Vec<_> = view.zones.iter().map(|zones| &zones.zones).collect();
    json!({ "serial": serial, "name": name, "cameras": cameras, "zones": zones })
}
