//! The audit log: what is written down, and the chain that shows it was not touched since.

use domain::access::ReadAudit;
use domain::{BrandId, Permission, UserId};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::{Digest, Sha256};
use store::{AuditFilter, AuditRow, ChainState, NewAudit, Page, PageRequest, RecordedChain, Seal, Tx};

use crate::{App, Caller, Error, Origin};

/// How many rows are sealed in one transaction, or read at once when the chain is checked.
const PAGE: i64 = 500;

/// The chain of acts on the installation itself.
const INSTALLATION: i64 = 0;

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

/// What checking the chains found.
#[derive(Clone, Debug, Default)]
pub struct AuditReport {
    /// Rows whose seal holds.
    pub sealed: u64,
    /// What does not hold, a sentence each.
    pub faults: Vec<String>,
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

    /// Appends rows that have no seal yet to their chains; tells how many.
    pub async fn seal_audit_log(&self) -> Result<u64, Error> {
        let mut sealed = 0;
        loop {
            if self.store.read().await?.audits(&self.platform).unsealed(1).await?.is_empty() {
                return Ok(sealed);
            }
            sealed += self.seal_some().await?;
        }
    }

    /// Makes all who keep house wait for one another: the end of the installation's chain is everyone's lock.
    pub(crate) async fn lock_audit_log(&self, tx: &mut Tx) -> Result<ChainState, Error> {
        Ok(tx.audits(&self.platform).chain_locked(INSTALLATION).await?)
    }

    async fn seal_some(&self) -> Result<u64, Error> {
        let mut tx = self.store.begin().await?;
        let mut chains: Vec<ChainState> = vec![self.lock_audit_log(&mut tx).await?];
        let rows = tx.audits(&self.platform).unsealed(PAGE).await?;
        for row in &rows {
            let chain = chain_of(row);
            let index = match chains.iter().position(|state| state.chain == chain) {
                Some(index) => index,
                None => {
                    chains.push(tx.audits(&self.platform).chain_locked(chain).await?);
                    chains.len() - 1
                }
            };
            let state = &mut chains[index];
            state.position += 1;
            state.head = link(&state.head, row);
            let seal = Seal { position: state.position, audit: row.id, hash: state.head.clone() };
            tx.audits(&self.platform).seal(chain, &seal).await?;
        }
        tx.commit().await?;
        Ok(rows.len() as u64)
    }

    /// Follows every chain from its beginning and compares.
    pub async fn check_audit_log(&self) -> Result<AuditReport, Error> {
        let mut report = AuditReport::default();
        let chains = self.store.read().await?.audits(&self.platform).chains().await?;
        for chain in chains {
            self.check_chain(&chain, &mut report).await?;
        }
        let strays = self.store.read().await?.audits(&self.platform).strays().await?;
        if strays > 0 {
            report.faults.push(format!("{strays} rows of the audit log were added around the log's own way"));
        }
        Ok(report)
    }

    async fn check_chain(&self, chain: &RecordedChain, report: &mut AuditReport) -> Result<(), Error> {
        let name = match chain.chain {
            INSTALLATION => "the installation's audit chain".to_owned(),
            brand => format!("the audit chain of brand {brand}"),
        };
        let mut head = vec![0; 32];
        let mut position = 0;
        loop {
            let mut tx = self.store.read().await?;
            let seals = tx.audits(&self.platform).seals(chain.chain, position, PAGE).await?;
            let rows = tx.audits(&self.platform).sealed_rows(chain.chain, position, PAGE).await?;
            drop(tx);
            if seals.is_empty() {
                break;
            }
            for seal in seals {
                position += 1;
                if seal.position != position {
                    report.faults.push(format!("{name}: link {position} is missing"));
                    return Ok(());
                }
                let Some(row) = rows.iter().find(|row| row.id == seal.audit && chain_of(row) == chain.chain)
                else {
                    report.faults.push(format!("{name}: the row of link {position} is missing"));
                    return Ok(());
                };
                head = link(&head, row);
                if head != seal.hash {
                    report.faults.push(format!("{name}: row {} was changed after it was sealed", row.id));
                    return Ok(());
                }
                if let (Some(text), Some(hash)) = (&row.personal_text, &row.personal_hash)
                    && self.keyed_hash(text) != *hash
                {
                    report.faults.push(format!("{name}: the personal text of row {} was changed", row.id));
                }
                report.sealed += 1;
            }
        }
        let Some(recorded) = &chain.head else {
            report.faults.push(format!("{name}: there is no record of its end"));
            return Ok(());
        };
        // Rows sealed since the chain's end was read only make it longer.
        if position < chain.position {
            report.faults.push(format!("{name}: it ends at link {position} instead of {}", chain.position));
        } else if position == chain.position && head != *recorded {
            report.faults.push(format!("{name}: its end is not the one on record"));
        }
        Ok(())
    }

    fn keyed_hash(&self, text: &str) -> Vec<u8> {
        #[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.audit_key).expect("a key of any length");
        mac.update(text.as_bytes());
        mac.finalize().into_bytes().to_vec()
    }
}

fn chain_of(row: &AuditRow) -> i64 {
    row.brand.map_or(INSTALLATION, |brand| brand.0)
}

/// The hash of a row on top of all before it. Each field goes in with its length, so that none can flow into the next.
fn link(previous: &[u8], row: &AuditRow) -> Vec<u8> {
    let mut hash = Sha256::new();
    hash.update(previous);
    let mut field = |bytes: Option<&[u8]>| match bytes {
        Some(bytes) => {
            hash.update([1]);
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        }
        None => hash.update([0]),
    };
    field(Some(&row.id.0.to_be_bytes()));
    field(row.brand.map(|brand| brand.0.to_be_bytes()).as_ref().map(|bytes| &bytes[..]));
    field(Some(&row.at.micros().to_be_bytes()));
    field(Some(row.actor_kind.as_bytes()));
    field(row.actor_id.map(i64::to_be_bytes).as_ref().map(|bytes| &bytes[..]));
    field(Some(row.action.as_bytes()));
    field(Some(row.target_kind.as_bytes()));
    field(row.target_id.map(i64::to_be_bytes).as_ref().map(|bytes| &bytes[..]));
    field(Some(row.details.as_bytes()));
    field(row.personal_hash.as_deref());
    field(row.address.as_deref().map(str::as_bytes));
    field(row.request_id.as_deref().map(str::as_bytes));
    hash.finalize().to_vec()
}
