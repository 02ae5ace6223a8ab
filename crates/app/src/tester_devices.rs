//! Tester devices and their tokens, as admins look after them.

use domain::access::ManageDevices;
use domain::{DeviceId, DeviceKind, Invalid, Name};
use serde_json::json;
use store::{Answer, Page, PageRequest, TesterDevice};

use crate::audit::Act;
use crate::{App, Caller, Error, IssuedToken, Once};

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
        name: &Name,
        once: Once<'_, TesterDevice>,
    ) -> Result<Answer, Error> {
        self.once(once, async |tx| {
            let device = match tx.tester_devices(caller.scope()).add(name, self.clock.now()).await {
                Err(store::Error::Duplicate(_)) => {
                    let taken = Invalid::new("name_taken", "is the name of another tester device");
                    return Err(Error::invalid_field("name", taken));
                }
                other => other?,
            };
            tx.raise_registry_version(caller.scope()).await?;
            let act = Act::of_caller(caller).on("tester_device.created", "tester_device", device.id.0);
            self.record(tx, act.with(json!({ "after": { "name": device.name } }))).await?;
            Ok(device)
        })
        .await
    }

    /// Issues a device's token; an older one stops at once.
    pub async fn issue_tester_token(
        &self,
        caller: &Caller<ManageDevices>,
        id: DeviceId,
    ) -> Result<(IssuedToken, TesterDevice), Error> {
        let missing = || Error::not_found("tester device");
        let mut tx = self.store.begin().await?;
        let device = tx.tester_devices(caller.scope()).find_locked(id).await?.ok_or_else(missing)?;
        let device = store::Device { id: device.id, name: device.name };
        let act = Act::of_caller(caller);
        let issued = self.issue(&mut tx, caller.scope(), DeviceKind::Tester, device, act).await?;
        let shown = tx.tester_devices(caller.scope()).find(id).await?.ok_or_else(missing)?;
        self.commit_access_change(tx).await?;
        Ok((issued, shown))
    }

    /// Ends a device's token for good. Without a live one there is nothing to end, which is fine.
    pub async fn revoke_tester_token(
        &self,
        caller: &Caller<ManageDevices>,
        id: DeviceId,
    ) -> Result<TesterDevice, Error> {
        let missing = || Error::not_found("tester device");
        let mut tx = self.store.begin().await?;
        let device = tx.tester_devices(caller.scope()).find_locked(id).await?.ok_or_else(missing)?;
        let Some(token) = &device.token else { return Ok(device) };
        tx.tokens(&self.platform).revoke(token.id, self.clock.now()).await?;
        let act = Act::of_caller(caller).on("token.revoked", "token", token.id.0);
        self.record(
            &mut tx,
            act.with(json!({ "kind": DeviceKind::Tester, "device_id": id, "device": device.name })),
        )
        .await?;
        let shown = tx.tester_devices(caller.scope()).find(id).await?.ok_or_else(missing)?;
        self.commit_access_change(tx).await?;
        Ok(shown)
    }
}
