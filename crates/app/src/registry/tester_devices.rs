//! Tester devices, as admins manage them.

use domain::access::ManageDevices;
use domain::{
    Change, DeviceFilter, DeviceId, Invalid, ListRequest, Listing, Name, NewTesterDevice, Serial,
    StoredResponse, TesterDevice, WorksiteId,
};
use serde_json::{Value, json};
use store::Tx;

use crate::platform::audit::AuditEntry;
use crate::platform::duplicates::map_duplicate;
use crate::registry::listing::ListQuery;
use crate::{App, Caller, Editor, Error, Idempotent, IfMatch, unrestricted};

#[derive(Clone, Debug, Default)]
pub struct TesterDeviceChange {
    pub name: Change<Name>,
    pub serial: Change<Option<Serial>>,
    pub worksite: Change<Option<WorksiteId>>,
}

#[macros::boxed]
impl App {
    /// Lists a page of the brand's tester devices, in an order or as they changed, with the total if requested.
    pub async fn list_tester_devices(
        &self,
        caller: &Caller<ManageDevices>,
        filter: &DeviceFilter,
        request: &ListRequest,
    ) -> Result<Listing<TesterDevice>, Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        let query = ListQuery::new(&mut tx, scope, request).await?;
        let filter = DeviceFilter { rows: query.rows(&filter.rows), ..filter.clone() };
        let slice = tx.tester_devices(scope).slice(&filter, query.sorting, &request.window).await?;
        let total = match request.include_total {
            true => Some(tx.tester_devices(scope).count(&filter).await?),
            false => None,
        };
        let changes = query.changes(&slice);
        Ok(Listing::new(slice, total, changes))
    }

    pub async fn find_tester_device(
        &self,
        caller: &Caller<ManageDevices>,
        id: DeviceId,
    ) -> Result<TesterDevice, Error> {
        let found = self.store.read().await?.tester_devices(caller.scope()).find(id).await?;
        found.ok_or_else(|| Error::not_found("tester device"))
    }

    /// Adds a tester device. It can do nothing until it has a token.
    pub async fn create_tester_device(
        &self,
        caller: &Caller<ManageDevices>,
        new: &NewTesterDevice,
        idempotent: Idempotent<'_, TesterDevice>,
    ) -> Result<StoredResponse, Error> {
        caller.require_unrestricted(unrestricted::ADD_TESTER_DEVICE)?;
        self.run_idempotent(idempotent, async |tx| {
            tx.lock_and_bump_registry(caller.scope()).await?;
            if let Some(worksite) = new.worksite {
                check_worksite(tx, caller, worksite).await?;
            }
            self.add_tester_device(tx, &Editor::by_caller(caller), new).await
        })
        .await
    }

    /// Adds a tester device whose worksite has been checked, in a transaction that has already locked the registry.
    pub(crate) async fn add_tester_device(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        new: &NewTesterDevice,
    ) -> Result<TesterDevice, Error> {
        let device = map_duplicate_name(tx.tester_devices(editor.scope).add(new, self.clock.now()).await)?;
        let entry = editor.audit_entry().on("tester_device.created", "tester_device", device.id.0);
        self.record_audit(tx, entry.with_details(json!({ "after": audit_fields(new) }))).await?;
        Ok(device)
    }

    pub async fn change_tester_device(
        &self,
        caller: &Caller<ManageDevices>,
        id: DeviceId,
        if_match: &IfMatch,
        change: TesterDeviceChange,
    ) -> Result<TesterDevice, Error> {
        caller.require_unrestricted(unrestricted::CHANGE_TESTER_DEVICE)?;
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(caller.scope()).await?;
        let found = tx.tester_devices(caller.scope()).find(id).await?;
        let before = found.ok_or_else(|| Error::not_found("tester device"))?;
        if_match.check(before.version)?;
        if let Change::Set(Some(worksite)) = change.worksite {
            check_worksite(&mut tx, caller, worksite).await?;
        }
        let serial = before.serial.as_deref().map(Serial::parse).transpose().map_err(Error::internal)?;
        let stored = NewTesterDevice {
            name: Name::parse_stored(&before.name).map_err(Error::internal)?,
            serial,
            worksite: tx.tester_devices(caller.scope()).worksite_of(id).await?,
        };
        let to = NewTesterDevice {
            name: change.name.or(stored.name.clone()),
            serial: change.serial.or(stored.serial.clone()),
            worksite: change.worksite.or(stored.worksite),
        };
        if to == stored {
            return Ok(before);
        }
        let changed = tx.tester_devices(caller.scope()).change(id, &to, self.clock.now()).await;
        let after = map_duplicate_name(changed)?;
        let entry = AuditEntry::by_caller(caller).on("tester_device.changed", "tester_device", id.0);
        let (before, now) = (audit_fields(&stored), audit_fields(&to));
        self.record_audit(&mut tx, entry.with_details(json!({ "before": before, "after": now }))).await?;
        tx.commit().await?;
        Ok(after)
    }
}

/// Refuses a worksite that the caller does not see or that is archived.
async fn check_worksite(
    tx: &mut Tx,
    caller: &Caller<ManageDevices>,
    worksite: WorksiteId,
) -> Result<(), Error> {
    let refused = |code, text| Error::invalid_field("worksite_id", Invalid::new(code, text));
    let unknown =
        || Error::missing_relation("worksite_id", "unknown_worksite", "is not a worksite that you see");
    let found = tx.worksites(caller.scope()).find_without_boundary(worksite).await?.ok_or_else(unknown)?;
    match found.archived_at {
        Some(_) => Err(refused("worksite_archived", "has been archived")),
        None => Ok(()),
    }
}

/// Turns a duplicate name into an error of the field `name`.
fn map_duplicate_name(outcome: Result<TesterDevice, store::Error>) -> Result<TesterDevice, Error> {
    map_duplicate(outcome, || {
        let taken = Invalid::new("name_taken", "is the name of another tester device");
        Error::invalid_field("name", taken)
    })
}

/// Returns what the audit log stores of a tester device.
fn audit_fields(device: &NewTesterDevice) -> Value {
    json!({ "name": device.name, "serial": device.serial, "worksite_id": device.worksite })
}
