//! Tokens of devices: issued once, rotated, revoked.

use domain::access::ManageDevices;
use domain::{BaseStationId, DeviceId, DeviceKind, Name, Serial, TokenId};
use serde_json::{Value, json};
use store::{Brand, Device, Scope, Token, Tx};

use crate::accounts::identity_cache::digest;
use crate::platform::audit::AuditEntry;
use crate::{App, Caller, Error, ErrorKind, FreshCaller};

/// A new token, shown this once.
pub struct IssuedToken {
    /// The token; only its hash is kept.
    pub secret: String,
    /// Its id, by which it is revoked.
    pub id: TokenId,
    /// The device it belongs to.
    pub device: Device,
    /// The token of that device which it replaces, and which opens nothing any more.
    pub replaced: Option<TokenId>,
}

impl App {
    /// Issues the token of a device from the command line; the device is made if there is none of that name.
    pub async fn issue_token_by_name(
        &self,
        brand: &Brand,
        kind: DeviceKind,
        name: &Name,
    ) -> Result<IssuedToken, Error> {
        if kind == DeviceKind::Station {
            Serial::parse(name.as_str()).map_err(|invalid| Error::invalid_field("name", invalid))?;
        }
        let scope = self.scope_of(brand.id);
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(&scope).await?;
        let device = tx.devices(&scope, kind).ensure(name, self.clock.now()).await?;
        let issued = self
            .add_token(&mut tx, &scope, kind, device, AuditEntry::by_command_line(Some(brand.id)))
            .await?;
        self.commit_access_change(tx).await?;
        Ok(issued)
    }

    /// Issues the token of a device as an admin asks for it; an older one stops at once.
    pub async fn issue_device_token(
        &self,
        caller: &FreshCaller<ManageDevices>,
        (kind, id): (DeviceKind, DeviceId),
    ) -> Result<IssuedToken, Error> {
        let mut tx = self.store.begin().await?;
        let device = self.lock_device(&mut tx, caller, (kind, id)).await?;
        if kind == DeviceKind::Station {
            self.guard_token(&mut tx, caller.scope(), BaseStationId(id.0)).await?;
        }
        let issued =
            self.add_token(&mut tx, caller.scope(), kind, device, AuditEntry::by_caller(caller)).await?;
        self.commit_access_change(tx).await?;
        Ok(issued)
    }

    /// Ends the token of a device for good. Without a live one there is nothing to end, which is fine.
    pub async fn revoke_device_token(
        &self,
        caller: &FreshCaller<ManageDevices>,
        (kind, id): (DeviceKind, DeviceId),
    ) -> Result<(), Error> {
        let mut tx = self.store.begin().await?;
        let device = self.lock_device(&mut tx, caller, (kind, id)).await?;
        let Some(token) = tx.tokens(&self.platform).live_of((kind, id)).await? else { return Ok(()) };
        tx.tokens(&self.platform).revoke(token.id, self.clock.now()).await?;
        let entry = AuditEntry::by_caller(caller).on("token.revoked", "token", token.id.0);
        self.record_audit(&mut tx, entry.with_details(audit_fields(kind, id, &device.name))).await?;
        self.commit_access_change(tx).await
    }

    /// The device whose token an admin looks after, locked, in a transaction that takes the brand's lock first.
    async fn lock_device(
        &self,
        tx: &mut Tx,
        caller: &Caller<ManageDevices>,
        (kind, id): (DeviceKind, DeviceId),
    ) -> Result<Device, Error> {
        let scope = caller.scope();
        match kind {
            DeviceKind::Tester => caller.require_unrestricted(
                "look after the token of a tester device, which serves the whole brand",
            )?,
            DeviceKind::Gateway => caller.require_unrestricted(
                "look after the token of a gateway, which speaks for every base station of the brand",
            )?,
            // Whether they see the station is looked at below.
            DeviceKind::Station => {}
        }
        tx.lock_and_bump_registry(scope).await?;
        let missing = || {
            Error::not_found(match kind {
                DeviceKind::Tester => "tester device",
                DeviceKind::Station => "base station",
                DeviceKind::Gateway => "gateway",
            })
        };
        if kind == DeviceKind::Station {
            // Whoever sees only some projects sees only the stations there.
            tx.base_stations(scope).find(BaseStationId(id.0)).await?.ok_or_else(missing)?;
        }
        tx.devices(scope, kind).find_locked(id).await?.ok_or_else(missing)
    }

    /// Issues the token of a device that is locked, as the brand is. A device has one live token: an older one is rotated out.
    async fn add_token(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        kind: DeviceKind,
        device: Device,
        entry: AuditEntry<'_>,
    ) -> Result<IssuedToken, Error> {
        let now = self.clock.now();
        let secret = format!("{}{}", kind.prefix(), self.generate_secret());
        let hint = &secret[..kind.prefix().len() + 6];
        let replaced = tx.tokens(&self.platform).rotate_out((kind, device.id), now).await?;
        let brand = scope.brand();
        let id = tx.tokens(&self.platform).add(brand, (kind, device.id), digest(&secret), hint, now).await?;
        let action = if replaced.is_some() { "token.rotated" } else { "token.issued" };
        let mut details = audit_fields(kind, device.id, &device.name);
        details["replaced"] = json!(replaced);
        self.record_audit(tx, entry.on(action, "token", id.0).with_details(details)).await?;
        Ok(IssuedToken { secret, id, device, replaced })
    }

    /// Ends a token for good. Ending it twice is fine.
    pub async fn revoke_token(&self, id: TokenId) -> Result<Token, Error> {
        let mut tx = self.store.begin().await?;
        let missing = || Error::new(ErrorKind::NotFound, "not_found", format!("There is no token {id}."));
        let token = tx.tokens(&self.platform).by_id(id).await?.ok_or_else(missing)?;
        if tx.tokens(&self.platform).revoke(id, self.clock.now()).await? {
            let entry = AuditEntry::by_command_line(Some(token.brand)).on("token.revoked", "token", id.0);
            self.record_audit(
                &mut tx,
                entry.with_details(audit_fields(token.kind, token.device, &token.device_name)),
            )
            .await?;
        }
        self.commit_access_change(tx).await?;
        Ok(token)
    }

    /// The tokens of one brand, or of all.
    pub async fn list_all_tokens(&self, brand: Option<&Brand>) -> Result<Vec<Token>, Error> {
        Ok(self.store.read().await?.tokens(&self.platform).all(brand.map(|brand| brand.id)).await?)
    }
}

/// What the audit log keeps of a token: never the token.
fn audit_fields(kind: DeviceKind, device: DeviceId, name: &str) -> Value {
    json!({ "kind": kind, "device_id": device, "device": name })
}
