//! Tester devices, as admins look after them.

use domain::access::ManageDevices;
use domain::{Change, DeviceId, Invalid, Name, Serial, WorksiteId};
use serde_json::{Value, json};
use store::{Answer, NewTesterDevice, Page, PageRequest, TesterDevice, Tx};

use crate::platform::audit::Act;
use crate::{App, Caller, Error, Hand, IfMatch, Once};

/// What to change of a tester device.
#[derive(Clone, Debug, Default)]
pub struct TesterDeviceChange {
    /// What it is called.
    pub name: Change<Name>,
    /// What stands on it.
    pub serial: Change<Option<Serial>>,
    /// Where it stands.
    pub worksite: Change<Option<WorksiteId>>,
}

impl App {
    /// One page of the brand's tester devices, with how many there are if that is asked for.
    pub async fn list_tester_devices(
        &self,
        caller: &Caller<ManageDevices>,
        q: Option<&str>,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<TesterDevice>, Option<i64>), Error> {
        let mut tx = self.store.read().await?;
        let found = tx.tester_devices(caller.scope()).page(q, page).await?;
        let total =
            if include_total { Some(tx.tester_devices(caller.scope()).count(q).await?) } else { None };
        Ok((found, total))
    }

    /// One tester device of the brand.
    pub async fn find_tester_device(
        &self,
        caller: &Caller<ManageDevices>,
        id: DeviceId,
    ) -> Result<TesterDevice, Error> {
        let found = self.store.read().await?.tester_devices(caller.scope()).find(id).await?;
        found.ok_or_else(|| Error::not_found("tester device"))
    }

    /// Adds a tester device; it can do nothing until it has a token.
    pub async fn create_tester_device(
        &self,
        caller: &Caller<ManageDevices>,
        new: &NewTesterDevice,
        once: Once<'_, TesterDevice>,
    ) -> Result<Answer, Error> {
        caller.refuse_restricted("add a tester device, which serves the whole brand")?;
        self.once(once, async |tx| {
            tx.raise_registry_version(caller.scope()).await?;
            if let Some(worksite) = new.worksite {
                check_worksite(tx, caller, worksite).await?;
            }
            self.add_tester_device(tx, &Hand::of_caller(caller), new).await
        })
        .await
    }

    /// Adds a tester device whose worksite was looked at, in a transaction that has raised the registry's version.
    pub(crate) async fn add_tester_device(
        &self,
        tx: &mut Tx,
        hand: &Hand<'_>,
        new: &NewTesterDevice,
    ) -> Result<TesterDevice, Error> {
        let device = taken(tx.tester_devices(hand.scope).add(new, self.clock.now()).await)?;
        let act = hand.act().on("tester_device.created", "tester_device", device.id.0);
        self.record(tx, act.with(json!({ "after": fields(new) }))).await?;
        Ok(device)
    }

    /// Changes a tester device.
    pub async fn change_tester_device(
        &self,
        caller: &Caller<ManageDevices>,
        id: DeviceId,
        if_match: &IfMatch,
        change: TesterDeviceChange,
    ) -> Result<TesterDevice, Error> {
        caller.refuse_restricted("change a tester device, which serves the whole brand")?;
        let mut tx = self.store.begin().await?;
        tx.raise_registry_version(caller.scope()).await?;
        let found = tx.tester_devices(caller.scope()).find(id).await?;
        let before = found.ok_or_else(|| Error::not_found("tester device"))?;
        if_match.check(before.version)?;
        if let Change::Set(Some(worksite)) = change.worksite {
            check_worksite(&mut tx, caller, worksite).await?;
        }
        let serial = before.serial.as_deref().map(Serial::parse).transpose().map_err(Error::internal)?;
        let kept = NewTesterDevice {
            name: Name::parse(&before.name).map_err(Error::internal)?,
            serial,
            worksite: tx.tester_devices(caller.scope()).worksite_of(id).await?,
        };
        let to = NewTesterDevice {
            name: change.name.or(kept.name.clone()),
            serial: change.serial.or(kept.serial.clone()),
            worksite: change.worksite.or(kept.worksite),
        };
        if to == kept {
            return Ok(before);
        }
        let changed = tx.tester_devices(caller.scope()).change(id, &to, self.clock.now()).await;
        let after = taken(changed)?;
        let act = Act::of_caller(caller).on("tester_device.changed", "tester_device", id.0);
        let (before, now) = (fields(&kept), fields(&to));
        self.record(&mut tx, act.with(json!({ "before": before, "after": now }))).await?;
        tx.commit().await?;
        Ok(after)
    }
}

/// Refuses a worksite that the caller does not see, or that is no longer used.
async fn check_worksite(
    tx: &mut Tx,
    caller: &Caller<ManageDevices>,
    worksite: WorksiteId,
) -> Result<(), Error> {
    let refused = |code, text| Error::invalid_field("worksite_id", Invalid::new(code, text));
    let found = tx.worksites(caller.scope()).find_listed(worksite).await?;
    let found = found.ok_or_else(|| refused("unknown_worksite", "is not a worksite that you see"))?;
    match found.archived_at {
        Some(_) => Err(refused("worksite_archived", "has been archived")),
        None => Ok(()),
    }
}

/// Says whose fault it is that a name is there already.
fn taken(outcome: Result<TesterDevice, store::Error>) -> Result<TesterDevice, Error> {
    match outcome {
        Err(store::Error::Duplicate(_)) => {
            let taken = Invalid::new("name_taken", "is the name of another tester device");
            Err(Error::invalid_field("name", taken))
        }
        other => Ok(other?),
    }
}

/// What the audit log keeps of a tester device.
fn fields(device: &NewTesterDevice) -> Value {
    json!({ "name": device.name, "serial": device.serial, "worksite_id": device.worksite })
}
