//! Entries of the audit log. The chain that proves them unchanged is in `audit_chain.rs`.

use domain::access::ReadAudit;
use domain::{AuditFilter, AuditLogEntry, BrandId, Invalid, Page, PageRequest, Permission, UserId};
use serde_json::Value;
use store::{NewAudit, Tx};

use crate::platform::crypto::hmac_sha256;
use crate::platform::local_bounds::resolve_for_brand;
use crate::{Actor, App, Caller, Error, Origin};

/// An audit entry under construction.
pub(crate) struct AuditEntry<'a> {
    brand: Option<BrandId>,
    actor: Actor,
    origin: Option<&'a Origin>,
    action: &'static str,
    target: (&'static str, Option<i64>),
    details: Value,
    personal: Option<String>,
}

impl<'a> AuditEntry<'a> {
    pub fn new(brand: Option<BrandId>, actor: Actor, origin: Option<&'a Origin>) -> Self {
        Self { brand, actor, origin, action: "", target: ("", None), details: Value::Null, personal: None }
    }

    pub fn by_user(brand: BrandId, user: UserId, origin: &'a Origin) -> Self {
        Self::new(Some(brand), Actor::User(user), Some(origin))
    }

    pub fn by_caller<P: Permission>(caller: &'a Caller<P>) -> Self {
        Self::new(Some(caller.identity.brand()), caller.identity.actor(), Some(&caller.origin))
    }

    pub fn by_command_line(brand: Option<BrandId>) -> Self {
        Self::new(brand, Actor::CommandLine, None)
    }

    pub fn by_service(brand: Option<BrandId>, origin: Option<&'a Origin>) -> Self {
        Self::new(brand, Actor::Service, origin)
    }

    /// Sets the action and its target.
    pub fn on(mut self, action: &'static str, kind: &'static str, id: i64) -> Self {
        self.action = action;
        self.target = (kind, Some(id));
        self
    }

    /// Sets the action and a target without an id.
    pub fn on_kind(mut self, action: &'static str, kind: &'static str) -> Self {
        self.action = action;
        self.target = (kind, None);
        self
    }

    /// Details without personal data: before and after, reasons, counts.
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }

    /// Details that may have to be erased later: names, email addresses.
    pub fn with_personal(mut self, personal: &Value) -> Self {
        self.personal = Some(personal.to_string());
        self
    }
}

#[macros::boxed]
impl App {
    /// Records an entry, in the transaction of the action itself.
    pub(crate) async fn record_audit(&self, tx: &mut Tx, entry: AuditEntry<'_>) -> Result<(), Error> {
        let (actor_kind, actor_id) = entry.actor.kind_and_id();
        let details = if entry.details.is_null() { "{}".to_owned() } else { entry.details.to_string() };
        let personal_hash = entry.personal.as_ref().map(|text| self.keyed_hash(text));
        let address = entry.origin.map(|origin| origin.address.to_string());
        tx.record_audit(&NewAudit {
            brand: entry.brand,
            at: self.clock.now(),
            actor_kind: actor_kind.as_str(),
            actor_id,
            action: entry.action,
            target_kind: entry.target.0,
            target_id: entry.target.1,
            details: &details,
            personal_hash: personal_hash.as_deref(),
            personal_text: entry.personal.as_deref(),
            address: address.as_deref(),
            request_id: entry.origin.map(|origin| &*origin.request_id),
        })
        .await?;
        Ok(())
    }

    /// Records an action of the command line on the installation itself.
    pub(crate) async fn record_installation_audit(
        &self,
        tx: &mut Tx,
        action: &'static str,
        details: Value,
    ) -> Result<(), Error> {
        self.record_audit(
            tx,
            AuditEntry::by_command_line(None).on_kind(action, "installation").with_details(details),
        )
        .await
    }

    /// Returns a page of the audit log of the caller's brand, the newest first.
    pub async fn list_audit_log(
        &self,
        caller: &Caller<ReadAudit>,
        filter: &AuditFilter,
        page: &PageRequest,
    ) -> Result<Page<AuditLogEntry>, Error> {
        // Rows refer to their targets in many ways and contain earlier values, so that they cannot be filtered by project.
        caller.require_unrestricted("read the audit log, because it covers the whole brand")?;
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        let (from, to) = resolve_for_brand(&mut tx, scope, (filter.from, filter.to)).await?;
        if from.zip(to).is_some_and(|(from, to)| from > to) {
            return Err(Error::bad_parameter("from", Invalid::new("out_of_range", "must not be after to")));
        }
        Ok(tx.audits_of(scope).page(filter, (from, to), page).await?)
    }

    pub(crate) fn keyed_hash(&self, text: &str) -> Vec<u8> {
        hmac_sha256(&self.keys().derivation_key, &[text.as_bytes()]).to_vec()
    }
}
