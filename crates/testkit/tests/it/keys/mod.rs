//! The installation key: what it protects, and its rotation, backup and loss.

mod dump;
mod evidence;
mod hosts;
mod restoring;
mod rotation;
mod upgrade;

use domain::{AuditRow, Secret};
use sha2::{Digest, Sha256};
use store::{Platform, Store};
use testkit::{Engine, TestApp, bytes_literal, execute_raw_sql};

/// Starts an application whose key is a file in its data folder.
async fn app_with_key_file(engine: Engine) -> TestApp {
    TestApp::start_with(engine, |config| config.installation.key = Secret::default()).await
}

/// Forges an audit chain with the database and all published algorithms, but without the key.
struct Forger<'a> {
    app: &'a TestApp,
    store: Store,
    platform: Platform,
}

impl<'a> Forger<'a> {
    async fn new(app: &'a TestApp) -> Self {
        let (store, platform) = app.database().open().await;
        Self { app, store, platform }
    }

    /// Runs SQL after removing the triggers that protect the audit log.
    async fn execute_raw_sql(&self, statements: &str) {
        execute_raw_sql(self.app.database(), statements).await.unwrap();
    }

    async fn rows(&self, chain: i64) -> Vec<AuditRow> {
        let mut tx = self.store.read().await.unwrap();
        tx.audits(&self.platform).sealed_rows(chain, 0, 10_000).await.unwrap()
    }

    /// Computes a chain again over the present rows, up to a link. The epochs of its links stay, or become 0.
    async fn reseal(&self, chain: i64, unkeyed: bool, until: i64) {
        let rows = self.rows(chain).await;
        let seals =
            self.store.read().await.unwrap().audits(&self.platform).seals(chain, 0, 10_000).await.unwrap();
        let mut head = vec![0; 32];
        for seal in seals.iter().filter(|seal| seal.position <= until) {
            let row = rows.iter().find(|row| row.id == seal.audit).unwrap();
            head = unkeyed_link(&head, row);
            let hash = bytes_literal(self.app.database(), &head);
            let epoch = if unkeyed { 0 } else { seal.epoch };
            self.execute_raw_sql(&format!(
                "update audit_seals set hash = {hash}, epoch = {epoch} where chain = {chain} and position = {}",
                seal.position
            ))
            .await;
        }
        let head = bytes_literal(self.app.database(), &head);
        self.execute_raw_sql(&format!(
            "update audit_chains set head = {head} where chain = {chain} and position <= {until}"
        ))
        .await;
    }
}

/// Computes a link in the way used before there was a key.
fn unkeyed_link(previous: &[u8], row: &AuditRow) -> Vec<u8> {
    let mut hash = Sha256::new();
    hash.update(previous);
    let mut field = |bytes: Option<Vec<u8>>| match bytes {
        Some(bytes) => {
            hash.update([1]);
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        }
        None => hash.update([0]),
    };
    let number = |number: i64| number.to_be_bytes().to_vec();
    field(Some(number(row.id.0)));
    field(row.brand.map(|brand| number(brand.0)));
    field(Some(number(row.at.micros())));
    field(Some(row.actor_kind.clone().into()));
    field(row.actor_id.map(number));
    field(Some(row.action.clone().into()));
    field(Some(row.target_kind.clone().into()));
    field(row.target_id.map(number));
    field(Some(row.details.clone().into()));
    field(row.personal_hash.clone());
    field(row.address.clone().map(Into::into));
    field(row.request_id.clone().map(Into::into));
    hash.finalize().to_vec()
}
