//! Device tokens: issue, rotation and revocation.

use domain::access::ManageDevices;
use domain::{BaseStationId, DeviceId, DeviceKind, Name, Serial, TokenId};
use serde_json::{Value, json};
use store::{Brand, Device, Scope, Token, Tx};

use crate::accounts::secret_digest::digest;
use crate::platform::audit::AuditEntry;
use crate::{App, Caller, Error, ErrorKind, FreshCaller, Idempotent, ShownOnce, unrestricted};

/// A new token. It is shown only once.
pub struct IssuedToken {
    /// The token; only its hash is stored.
    pub secret: String,
    /// The id by which it is revoked.
    pub id: TokenId,
    pub device: Device,
    /// The device's previous token, which is no longer valid.
    pub replaced: Option<TokenId>,
}

#[macros::boxed]
impl App {
    /// Issues the token of a device from the command line. The device is created if there is none with that name.
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

    /// Issues the token of a device for an admin. The previous token stops working immediately.
    pub async fn issue_device_token(
        &self,
        caller: &FreshCaller<ManageDevices>,
        device: (DeviceKind, DeviceId),
    ) -> Result<IssuedToken, Error> {
        let mut tx = self.store.begin().await?;
        let issued = self.replace_token(&mut tx, caller, device).await?;
        self.commit_access_change(tx).await?;
        Ok(issued)
    }

    /// The same for a form that may be sent twice: the second time nothing is issued, so that the first token stays valid. A second click
    /// is shown the same token; later repeats are not, because only its hash is stored.
    pub async fn issue_device_token_once(
        &self,
        caller: &FreshCaller<ManageDevices>,
        device: (DeviceKind, DeviceId),
        idempotent: Idempotent<'_, DeviceId>,
    ) -> Result<ShownOnce, Error> {
        let mut is_issued = false;
        let shown = self
            .run_once_with_secret(idempotent, async |tx| {
                let issued = self.replace_token(tx, caller, device).await?;
                self.mark_access_change(tx).await?;
                is_issued = true;
                Ok((device.1, issued.secret))
            })
            .await?;
        if is_issued {
            self.clear_identity_cache();
        }
        Ok(shown)
    }

    /// Revokes the token of a device. It is fine if there is none.
    pub async fn revoke_device_token(
        &self,
        caller: &FreshCaller<ManageDevices>,
        (kind, id): (DeviceKind, DeviceId),
    ) -> Result<(), Error> {
        let mut tx = self.store.begin().await?;
        let device = self.lock_device(&mut tx, caller, (kind, id)).await?;
        let Some(token) = tx.tokens(&self.platform).live_of((kind, id)).await? else { return Ok(()) };
        tx.tokens(&self.platform).revoke(token.id, self.clock.now()).await?;
        tx.devices(caller.scope(), kind).mark(id).await?;
        let entry = AuditEntry::by_caller(caller).on("token.revoked", "token", token.id.0);
        self.record_audit(&mut tx, entry.with_details(audit_fields(kind, id, &device.name))).await?;
        self.commit_access_change(tx).await
    }

    /// Finds and locks the device whose token is managed. The brand's lock is taken first.
    async fn lock_device(
        &self,
        tx: &mut Tx,
        caller: &Caller<ManageDevices>,
        (kind, id): (DeviceKind, DeviceId),
    ) -> Result<Device, Error> {
        let scope = caller.scope();
        match kind {
            DeviceKind::Tester => caller.require_unrestricted(unrestricted::MANAGE_TESTER_DEVICE_TOKEN)?,
            DeviceKind::Gateway => caller.require_unrestricted(unrestricted::MANAGE_GATEWAY_TOKEN)?,
            // Whether the caller sees the station is checked below.
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
            // A restricted caller sees only the stations of their projects.
            tx.base_stations(scope).find(BaseStationId(id.0)).await?.ok_or_else(missing)?;
        }
        tx.devices(scope, kind).find_locked(id).await?.ok_or_else(missing)
    }

    /// Issues the token of a device for an admin, in a transaction.
    async fn replace_token(
        &self,
        tx: &mut Tx,
        caller: &FreshCaller<ManageDevices>,
        (kind, id): (DeviceKind, DeviceId),
    ) -> Result<IssuedToken, Error> {
        let device = self.lock_device(tx, caller, (kind, id)).await?;
        if kind == DeviceKind::Station {
            self.guard_token(tx, caller.scope(), BaseStationId(id.0)).await?;
        }
        self.add_token(tx, caller.scope(), kind, device, AuditEntry::by_caller(caller)).await
    }

    /// Issues the token of a locked device. A device has one valid token: the previous one is rotated out.
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
        tx.devices(scope, kind).mark(device.id).await?;
        let action = if replaced.is_some() { "token.rotated" } else { "token.issued" };
        let mut details = audit_fields(kind, device.id, &device.name);
        details["replaced"] = json!(replaced);
        self.record_audit(tx, entry.on(action, "token", id.0).with_details(details)).await?;
        Ok(IssuedToken { secret, id, device, replaced })
    }

    /// Revokes a token. Revoking it twice is fine.
    pub async fn revoke_token(&self, id: TokenId) -> Result<Token, Error> {
        let mut tx = self.store.begin().await?;
        let missing = || Error::new(ErrorKind::NotFound, "not_found", format!("There is no token {id}."));
        let token = tx.tokens(&self.platform).by_id(id).await?.ok_or_else(missing)?;
        let scope = self.scope_of(token.brand);
        tx.lock_and_bump_registry(&scope).await?;
        if tx.tokens(&self.platform).revoke(id, self.clock.now()).await? {
            tx.devices(&scope, token.kind).mark(token.device).await?;
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

    /// Lists the tokens of one brand, or of all.
    pub async fn list_all_tokens(&self, brand: Option<&Brand>) -> Result<Vec<Token>, Error> {
        Ok(self.store.read().await?.tokens(&self.platform).all(brand.map(|brand| brand.id)).await?)
    }
}

/// Returns what the audit log stores of a token, which never includes the token itself.
fn audit_fields(kind: DeviceKind, device: DeviceId, name: &str) -> Value {
    json!({ "kind": kind, "device_id": device, "device": name })
}
