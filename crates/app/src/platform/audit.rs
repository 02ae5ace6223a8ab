//! The audit log: what is written down. The chain that shows it was not touched since is in `audit_chain.rs`.

use domain::access::ReadAudit;
use domain::{BrandId, Permission, UserId};
use serde_json::Value;
use store::{AuditFilter, AuditRow, NewAudit, Page, PageRequest, Tx};

use crate::platform::installation_key::hmac_sha256;
use crate::{App, Caller, Error, Origin};

/// Who did something.
#[derive(Clone, Copy, Debug)]
pub enum Actor {
    /// A user.
    User(UserId),
    /// A tester device.
    Tester(domain::DeviceId),
    /// Whoever holds a shell on the server.
    CommandLine,
    /// Keepclear itself.
    Service,
}

impl Actor {
    /// The words and the number for it, in tables and answers alike.
    pub(crate) fn kind_and_id(self) -> (&'static str, Option<i64>) {
        match self {
            Self::User(id) => ("user", Some(id.0)),
            Self::Tester(id) => ("tester_device", Some(id.0)),
            Self::CommandLine => ("command_line", None),
            Self::Service => ("service", None),
        }
    }
}

/// An act, put together before it is recorded.
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
        Self::by_user(caller.identity.brand(), caller.identity.user, &caller.origin)
    }

    pub fn by_command_line(brand: Option<BrandId>) -> Self {
        Self::new(brand, Actor::CommandLine, None)
    }

    pub fn by_service(brand: Option<BrandId>, origin: Option<&'a Origin>) -> Self {
        Self::new(brand, Actor::Service, origin)
    }

    /// What was done, to what.
    pub fn on(mut self, action: &'static str, kind: &'static str, id: i64) -> Self {
        self.action = action;
        self.target = (kind, Some(id));
        self
    }

    /// What was done, to something without an id.
    pub fn on_kind(mut self, action: &'static str, kind: &'static str) -> Self {
        self.action = action;
        self.target = (kind, None);
        self
    }

    /// Facts that name nobody: before and after, reasons, counts.
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }

    /// Facts that may have to be erased one day: names, emails.
    pub fn with_personal(mut self, personal: &Value) -> Self {
        self.personal = Some(personal.to_string());
        self
    }
}

impl App {
    /// Writes an act down, in the transaction of the act itself.
    pub(crate) async fn record_audit(&self, tx: &mut Tx, entry: AuditEntry<'_>) -> Result<(), Error> {
        let (actor_kind, actor_id) = entry.actor.kind_and_id();
        let details = if entry.details.is_null() { "{}".to_owned() } else { entry.details.to_string() };
        let personal_hash = entry.personal.as_ref().map(|text| self.keyed_hash(text));
        let address = entry.origin.map(|origin| origin.address.to_string());
        tx.record_audit(&NewAudit {
            brand: entry.brand,
            at: self.clock.now(),
            actor_kind,
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

    /// Writes an act of the command line on the installation itself.
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

    /// One page of the log of the caller's brand, the newest first.
    pub async fn list_audit_log(
        &self,
        caller: &Caller<ReadAudit>,
        filter: &AuditFilter,
        page: &PageRequest,
    ) -> Result<Page<AuditRow>, Error> {
        // Rows name what they are about in many ways, and tell what it was before: there is no part of them to show.
        caller.require_unrestricted("read the audit log, which tells of the whole brand")?;
        Ok(self.store.read().await?.audits_of(caller.scope()).page(filter, page).await?)
    }

    pub(crate) fn keyed_hash(&self, text: &str) -> Vec<u8> {
        hmac_sha256(&self.keys().derivation_key, &[text.as_bytes()]).to_vec()
    }
}
