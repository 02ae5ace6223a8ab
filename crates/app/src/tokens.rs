//! Tokens of devices: issued once, rotated, revoked.

use domain::{DeviceKind, Name, TokenId};
use serde_json::json;
use store::{Brand, Device, Scope, Token, Tx};

use crate::audit::Act;
use crate::identities::digest;
use crate::{App, Error, Kind};

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
    pub async fn issue_token(
        &self,
        brand: &Brand,
        kind: DeviceKind,
        name: &Name,
    ) -> Result<IssuedToken, Error> {
        let scope = self.scope_of(brand.id);
        let mut tx = self.store.begin().await?;
        let device = tx.devices(&scope, kind).ensure(name, self.clock.now()).await?;
        let issued = self.issue(&mut tx, &scope, kind, device, Act::of_command_line(Some(brand.id))).await?;
        self.commit_access_change(tx).await?;
        Ok(issued)
    }

    /// Issues the token of a device that is locked. A device has one live token: an older one is rotated out.
    pub(crate) async fn issue(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        kind: DeviceKind,
        device: Device,
        act: Act<'_>,
    ) -> Result<IssuedToken, Error> {
        let now = self.clock.now();
        let secret = format!("{}{}", kind.prefix(), self.secret());
        let hint = &secret[..kind.prefix().len() + 6];
        let replaced = tx.tokens(&self.platform).rotate_out((kind, device.id), now).await?;
        let brand = scope.brand();
        let id = tx.tokens(&self.platform).add(brand, (kind, device.id), digest(&secret), hint, now).await?;
        tx.raise_registry_version(scope).await?;
        let action = if replaced.is_some() { "token.rotated" } else { "token.issued" };
        let details = json!({
            "kind": kind, "device_id": device.id, "device": device.name, "replaced": replaced,
        });
        self.record(tx, act.on(action, "token", id.0).with(details)).await?;
        Ok(IssuedToken { secret, id, device, replaced })
    }

    /// Ends a token for good. Ending it twice is fine.
    pub async fn revoke_token(&self, id: TokenId) -> Result<Token, Error> {
        let mut tx = self.store.begin().await?;
        let missing = || Error::new(Kind::NotFound, "not_found", format!("There is no token {id}."));
        let token = tx.tokens(&self.platform).by_id(id).await?.ok_or_else(missing)?;
        if tx.tokens(&self.platform).revoke(id, self.clock.now()).await? {
            self.record(
                &mut tx,
                Act::of_command_line(Some(token.brand)).on("token.revoked", "token", id.0).with(json!({
                    "kind": token.kind,
                    "device_id": token.device,
                    "device": token.device_name,
                })),
            )
            .await?;
        }
        self.commit_access_change(tx).await?;
        Ok(token)
    }

    /// The tokens of one brand, or of all.
    pub async fn all_tokens(&self, brand: Option<&Brand>) -> Result<Vec<Token>, Error> {
        Ok(self.store.read().await?.tokens(&self.platform).all(brand.map(|brand| brand.id)).await?)
    }
}
