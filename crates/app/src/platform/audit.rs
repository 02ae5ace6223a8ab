//! The audit log: what is written down. The chain that shows it was not touched since is in `audit_chain.rs`.

use domain::access::ReadAudit;
use domain::{BrandId, Permission, UserId};
use serde_json::Value;
use store::{AuditFilter, AuditRow, NewAudit, Page, PageRequest, Tx};

use crate::platform::installation_key::derive;
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
pub(crate) struct Act<'a> {
    brand: Option<BrandId>,
    actor: Actor,
    origin: Option<&'a Origin>,
    action: &'static str,
    target: (&'static str, Option<i64>),
    details: Value,
    personal: Option<String>,
}

impl<'a> Act<'a> {
    pub fn of(brand: Option<BrandId>, actor: Actor, origin: Option<&'a Origin>) -> Self {
        Self { brand, actor, origin, action: "", target: ("", None), details: Value::Null, personal: None }
    }

    pub fn of_user(brand: BrandId, user: UserId, origin: &'a Origin) -> Self {
        Self::of(Some(brand), Actor::User(user), Some(origin))
    }

    pub fn of_caller<P: Permission>(caller: &'a Caller<P>) -> Self {
        Self::of_user(caller.identity.brand(), caller.identity.user, &caller.origin)
    }

    pub fn of_command_line(brand: Option<BrandId>) -> Self {
        Self::of(brand, Actor::CommandLine, None)
    }

    pub fn of_service(brand: Option<BrandId>, origin: Option<&'a Origin>) -> Self {
        Self::of(brand, Actor::Service, origin)
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
    pub fn with(mut self, details: Value) -> Self {
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
    pub(crate) async fn record(&self, tx: &mut Tx, act: Act<'_>) -> Result<(), Error> {
        let (actor_kind, actor_id) = act.actor.kind_and_id();
        let details = if act.details.is_null() { "{}".to_owned() } else { act.details.to_string() };
        let personal_hash = act.personal.as_ref().map(|text| self.keyed_hash(text));
        let address = act.origin.map(|origin| origin.address.to_string());
        tx.record(&NewAudit {
            brand: act.brand,
            at: self.clock.now(),
            actor_kind,
            actor_id,
            action: act.action,
            target_kind: act.target.0,
            target_id: act.target.1,
            details: &details,
            personal_hash: personal_hash.as_deref(),
            personal_text: act.personal.as_deref(),
            address: address.as_deref(),
            request_id: act.origin.map(|origin| &*origin.request_id),
        })
        .await?;
        Ok(())
    }

    /// Writes an act of the command line on the installation itself.
    pub(crate) async fn record_on_installation(
        &self,
        tx: &mut Tx,
        action: &'static str,
        details: Value,
    ) -> Result<(), Error> {
        self.record(tx, Act::of_command_line(None).on_kind(action, "installation").with(details)).await
    }

    /// One page of the log of the caller's brand, the newest first.
    pub async fn list_audit_log(
        &self,
        caller: &Caller<ReadAudit>,
        filter: &AuditFilter,
        page: &PageRequest,
    ) -> Result<Page<AuditRow>, Error> {
        // Rows name what they are about in many ways, and tell what it was before: there is no part of them to show.
        caller.refuse_restricted("read the audit log, which tells of the whole brand")?;
        Ok(self.store.read().await?.audits_of(caller.scope()).page(filter, page).await?)
    }

    pub(crate) fn keyed_hash(&self, text: &str) -> Vec<u8> {
        derive(&self.keys().derivation_key, &[text.as_bytes()]).to_vec()
    }
}
